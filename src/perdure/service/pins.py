"""Which tools a version of a workflow was saved against, each by its hash: the register `pins`, a card for each version.

A tool that is another one by now may take something else, or do something else. What was saved before is not activated then until
somebody has saved it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from perdure.expressions.wording import shown
from perdure.hosts.accepted import ENGINE, Accepted, accepted
from perdure.hosts.connections import Known
from perdure.hosts.embedded import Host
from perdure.model.catalog import called
from perdure.model.problem import Problem
from perdure.service.acting import plain
from perdure.store.questions import Questions
from perdure.store.registers import WriteCard
from perdure.store.versions import Version

PINS: Final = "pins"
_PAGE: Final = 500


class Use(Struct, frozen=True):
    """A version that was saved against another tool than the one that is accepted now."""

    workflow: str
    name: str
    version: str
    tool: str


class PinData(Struct, frozen=True):
    """Data of the card of a version: the hashes of the tools that it was saved against."""

    workflow: str
    name: str
    version: str
    tools: dict[str, str]


class Pins:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def keep(self, version: Version, tools: Known, organization: str) -> None:
        pinned = {called(tool, connection): hash_ for (connection, tool), hash_ in tools.hashes.items()}
        id_ = _id(version)
        before = await self._host.read(lambda store: store.card(organization, PINS, id_), organization)
        if pinned == ({} if before is None else before.data["tools"]):
            return
        data = plain(PinData(version.workflow, version.name, version.version, pinned))
        writer = self._host.shell.worker
        await self._host.commit(
            WriteCard(
                PINS,
                id_,
                data,
                self._host.now_ms(),
                ENGINE,
                "workflow.pinned",
                organization,
                details=data,
                writer=writer,
            )
        )

    async def changed(self, version: Version, organization: str) -> tuple[Problem, ...]:
        """What keeps it from being activated."""

        def look(store: Questions) -> list[str]:
            card = store.card(organization, PINS, _id(version))
            pinned: dict[str, str] = {} if card is None else card.data["tools"]
            connections = {name.partition("/")[0] for name in pinned}
            return _changed({each: accepted(store, organization, each) for each in connections}, pinned)

        return tuple(_problem(name) for name in await self._host.read(look, organization))


def uses_of_changed(store: Questions, organization: str, connection: str) -> tuple[Use, ...]:
    """Versions that are active, or the newest, and that were saved against another tool of this connection."""
    found: list[Use] = []
    known = {connection: accepted(store, organization, connection)}
    after = ""
    while some := store.cards(organization, PINS, after, _PAGE):
        after = some[-1].id
        for card in some:
            data = card.data
            mine = {name: hash_ for name, hash_ in data["tools"].items() if name.partition("/")[0] == connection}
            row = store.workflow(organization, data["workflow"]) if mine else None
            if row is not None and data["version"] in (row.active, row.newest):
                names = _changed(known, mine)
                found += [Use(data["workflow"], data["name"], data["version"], name) for name in names]
    return tuple(found)


def _changed(accepted_: Mapping[str, Accepted], pinned: dict[str, str]) -> list[str]:
    """`accepted_`: what is, by the name of its connection."""
    names: list[str] = []
    for name, hash_ in pinned.items():
        connection, _, tool = name.partition("/")
        known = accepted_[connection].tools.get(tool)
        if known is not None and (known.hash != hash_ or known.offered):
            names.append(name)
    return names


def _problem(name: str) -> Problem:
    connection, _, tool = name.partition("/")
    return Problem(
        "tool_changed",
        f"the tool {shown(tool)} of the connection {shown(connection)} has changed since this version was saved; look at it with "
        f"`perdure connections tools {connection}`, and save the document again",
        ref=name,
    )


def _id(version: Version) -> str:
    return f"{version.workflow}@{version.version}"
