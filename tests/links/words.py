"""Short words for tests of approval links: a server, an approval, a link; and the page as a reader of HTML finds it."""

from __future__ import annotations

import asyncio
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import httpx2
from msgspec import Struct

from api.house import House
from perdure.clock import now_ms
from perdure.service.deciding import ApprovalItem
from perdure.service.engine import Engine
from perdure.service.link_tokens import FORMAT, Link
from perdure.service.links import DAY_MS

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def asking(name: str = "refund", step: str = "ask", **data: Any) -> dict[str, Any]:
    """A workflow that asks."""
    return {
        "name": name,
        "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, {"id": step, "type": "APPROVAL", "data": data}],
        "connections": [{"fromNodeId": "start", "toNodeId": step}],
    }


async def asked(
    engine: Engine, given: Any = None, organization: str = "default", *, actor: str | None = None, **data: Any
) -> str:
    """The id of a new approval, which the group `finance` is asked, if nothing else is said."""
    whom = {} if {"approverMemberId", "approverRole"} & data.keys() else {"approverRole": "finance"}
    saved = await engine.workflows.save(asking(**whom, **data), organization)
    execution = await engine.executions.start(saved.id, given or {}, organization=organization, actor=actor)
    while True:
        found = (await engine.approvals.list(execution=execution.id, organization=organization)).items
        if found:
            return found[0].id
        await asyncio.sleep(0.005)


async def link(there: House, approval: str, member: str = "ann", organization: str = "default", **more: Any) -> str:
    """The path of a new link."""
    made = await there.engine.approvals.link(approval, member=member, organization=organization, **more)
    return made.url


async def signed(there: House, approval: str, member: str = "ann") -> str:
    """The path of a link that nobody would be given now."""
    since = (await there.engine.members.get(member)).since
    return there.engine.links.signed(Link(FORMAT, "by-hand", "default", approval, member, since, now_ms() + DAY_MS))


async def sent(client: httpx2.AsyncClient, path: str, decision: str = "approve", **fields: str) -> httpx2.Response:
    """The form, as a browser sends it."""
    return await client.post(path, content=urlencode({"decision": decision, **fields}), headers=FORM)


async def item(there: House, approval: str, organization: str = "default") -> ApprovalItem:
    return await there.engine.approvals.get(approval, organization=organization)


class Read(Struct):
    """A page: its elements with their attributes, in order, and its text."""

    elements: list[tuple[str, tuple[tuple[str, str | None], ...]]]
    text: str
    style: str

    @property
    def has_form(self) -> bool:
        return any(name == "form" for name, _ in self.elements)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.read, self._open = Read([], "", ""), [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.read.elements.append((tag, tuple(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._open.append("")

    def handle_data(self, data: str) -> None:
        if self._open[-1] == "style":
            self.read.style += data
        else:
            self.read.text += data + "\n"

    def handle_comment(self, data: str) -> None:
        self.read.elements.append(("comment", ((data, None),)))


def read(response: httpx2.Response) -> Read:
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    return parsed(response.text)


def parsed(text: str) -> Read:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.read
