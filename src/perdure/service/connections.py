"""Connections to servers of MCP: what an organization keeps, what the operator has given to this process, and their tools.

What is kept here is an address, and never a program: programs run where workers run, and are for operators. Secrets in headers
are references, `Bearer {{secrets.API_TOKEN}}`, which are filled in for a session, in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.expressions.wording import nearest, shown
from perdure.hosts.accepted import TOOLS, Accepted, accepted
from perdure.hosts.connections import REGISTER, stored
from perdure.hosts.embedded import Host
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.service.acting import EDITORS, Actor, acting, acting_as, by, needs, plain
from perdure.service.errors import Conflict, NotFound, Refused
from perdure.service.given import check_texts
from perdure.service.pins import Use, uses_of_changed
from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.registers import Card, WriteCard
from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.mcp.connection import (
    CALL_MS,
    CONNECT_MS,
    SECRET,
    TIME_MS_MAX,
    Connection,
    Http,
    Stdio,
    place,
    secrets_in,
)
from perdure.tasks.mcp.failing import unknown_tool
from perdure.tasks.mcp.reading import http_problems
from perdure.tasks.mcp.tools import Tool

CONNECTIONS_MAX: Final = 200
_CONFIDENTIAL: Final = re.compile(
    r"auth(?!ors?\b)|cookie|token|secret|key|passw|credential|session|signature|jwt", re.IGNORECASE
)
_REFERENCE_ALONE: Final = re.compile(rf"(?:(?:Bearer|Basic|Token) +)?{SECRET.pattern}", re.IGNORECASE)
HIDDEN: Final = "***"
GONE: Final = "gone"


class Connected(Struct, frozen=True):
    """A connection as people see it. `of`: whose it is; `place`: the program, or the address without its query; `headers`: with
    what is not for everybody as `***`, and that is all of the operator's.
    """

    name: str
    of: Literal["operator", "organization"]
    kind: Literal["stdio", "http"]
    place: str
    headers: dict[str, str] = {}
    secrets: tuple[str, ...] = ()
    tools: int | None = None
    """How many are known; None: nobody has asked yet."""
    changed_at: int | None = None
    changed_by: str | None = None


class Offered(Struct, frozen=True):
    """A tool. `instead`: what its server offers by now, if that is not what was accepted; calls of it fail."""

    name: str
    hash: str
    description: str
    input: Json = None
    output: Json = None
    instead: Offered | None = None

    @property
    def changed(self) -> bool:
        return self.instead is not None


class Listed(Struct, frozen=True):
    """The tools of a connection, when they were accepted, and the workflows that were saved against others.

    taken  what was accepted just now: as it was, and `instead` as it is
    gone   tools that the server does not offer any more, if it was asked
    """

    connection: str
    tools: tuple[Offered, ...]
    accepted_at: int
    uses: tuple[Use, ...] = ()
    taken: tuple[Offered, ...] = ()
    gone: tuple[str, ...] = ()


class Unreachable(Conflict, code="unreachable"):
    """The server cannot be asked for its tools now."""


class ConnectionData(Struct, frozen=True, rename="camel"):
    """Data of the card of a connection."""

    connection: Http
    changed_by: str


class Connections:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def add(
        self,
        name: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        connect_ms: int = CONNECT_MS,
        call_ms: int = CALL_MS,
        organization: str = "default",
        actor: Actor = None,
    ) -> Connected:
        """Keep the address of a server that speaks streamable HTTP. An actor has to be an editor. The times are milliseconds, up
        to an hour.

        Raises `Refused` with all that is wrong; `Conflict` if there is one with this name.
        """
        check_texts(name=name, url=url, organization=organization)
        given = dict(headers or {})
        _require_sound(name, url, given, {"connect_ms": connect_ms, "call_ms": call_ms})

        def look(store: Questions) -> tuple[tuple[str, str, int], ...]:
            may = acting_as(store, organization, actor, EDITORS, "add connections")
            if len(store.cards(organization, REGISTER, "", CONNECTIONS_MAX)) >= CONNECTIONS_MAX:
                raise Conflict(f"an organization has at most {CONNECTIONS_MAX} connections; remove one first")
            return needs(may)

        needed = await self._host.read(look, organization)
        connection = Http(url, given, connect_ms, call_ms)
        outcome = await self._write(organization, name, connection, "connection.added", actor, 0, needed)
        if isinstance(outcome, p.GuardFailed):
            there = await self._host.read(lambda store: store.card(organization, REGISTER, name), organization)
            taken = f"there is a connection {name!r} in organization {organization!r} already; remove it first"
            raise Conflict(outcome.reason if there is None else taken)
        self._host.connections.forget(organization, name)
        self._host.connections_changed()
        card = await self._host.read(lambda store: _there(store, organization, name), organization)
        return _kept(card, None)

    async def remove(self, name: str, *, organization: str = "default", actor: Actor = None) -> None:
        """Steps that call its tools wait from now on. An actor has to be an editor. Raises `NotFound`."""
        check_texts(name=name, organization=organization)
        card, needed = await self._host.read(
            lambda store: (
                _there(store, organization, name),
                needs(acting_as(store, organization, actor, EDITORS, "remove connections")),
            ),
            organization,
        )
        worker, at = self._host.shell.worker, self._host.now_ms()
        forget = WriteCard(TOOLS, name, None, at, by(actor), "tools.forgotten", organization, writer=worker)
        outcome = await self._write(
            organization, name, None, "connection.removed", actor, card.revision, needed, (forget,)
        )
        if isinstance(outcome, p.GuardFailed):
            raise Conflict(outcome.reason)
        self._host.connections.forget(organization, name)

    async def list(self, *, organization: str = "default", actor: Actor = None) -> tuple[Connected, ...]:
        """By name: what the operator has given to this process, then what the organization keeps."""
        check_texts(organization=organization)
        operators = self._host.connections.operators

        def look(store: Questions) -> tuple[Connected, ...]:
            acting(store, organization, actor)
            known = {name: _count(store, organization, name) for name in operators}
            own = [_given(name, each, known[name]) for name, each in sorted(operators.items())]
            cards = store.cards(organization, REGISTER, "", CONNECTIONS_MAX)
            return (*own, *(_kept(card, _count(store, organization, card.id)) for card in cards))

        return await self._host.read(look, organization)

    async def tools(
        self,
        name: str,
        *,
        refresh: bool = False,
        accept: Mapping[str, str] | None = None,
        organization: str = "default",
        actor: Actor = None,
    ) -> Listed:
        """The tools that are accepted. The server is asked if none are known; with `refresh` it is asked anew, and what has
        changed is noticed.

        `accept`: tools, each with the whole hash of what somebody has looked at, or `gone` for one that is not offered any more.
        Who only knows that something has changed does not know what: the server may have changed it again.

        For both an actor has to be an editor. Raises `NotFound`; `Unreachable`; `Conflict` if a tool to accept is offered
        otherwise, and then nothing is accepted.
        """
        check_texts(name=name, organization=organization)
        what = "accept the tools of connections"
        chosen = dict(accept or {})
        refresh = refresh or bool(chosen)

        def look(store: Questions) -> tuple[Connection | None, tuple[tuple[str, str, int], ...]]:
            if refresh:
                needed = needs(acting_as(store, organization, actor, EDITORS, what))
            else:
                needed = needs(acting(store, organization, actor))
            own = self._host.connections.operators.get(name)
            return own or stored(store, organization, name), needed

        connection, needed = await self._host.read(look, organization)
        if connection is None:
            known = [each.name for each in await self.list(organization=organization)]
            raise _not_found(name, organization, known)
        acceptance = self._host.connections.acceptance
        before = found = await acceptance.get(organization, name)
        gone: tuple[str, ...] = ()
        if refresh or not found.revision:
            try:
                live = await self._host.connections.live(organization, name, connection)
            except (Retryable, NonRetryable) as error:
                raise Unreachable(str(error)) from error
            found = await acceptance.notice(organization, name, live)
            if chosen:
                _require_offered(name, chosen, live, found)
                found = await acceptance.accept(organization, name, live, chosen, by(actor), needed)
            gone = tuple(sorted(found.tools.keys() - live.keys()))
        uses = await self._host.read(lambda store: uses_of_changed(store, organization, name), organization)
        return _listed(name, found, uses, _taken(before, found, chosen), gone)

    async def _write(
        self,
        organization: str,
        name: str,
        connection: Http | None,
        action: str,
        actor: Actor,
        after: int,
        needed: tuple[tuple[str, str, int], ...],
        also: tuple[WriteCard, ...] = (),
    ) -> p.Outcome:
        data: Any = None
        if connection is not None:
            data = plain(ConnectionData(connection, by(actor)))
        item = WriteCard(
            REGISTER,
            name,
            data,
            self._host.now_ms(),
            by(actor),
            action,
            organization,
            after,
            None if data is None else data["connection"],
            self._host.shell.worker,
            needed,
            also,
        )
        return await self._host.shell.commit(item)


def _require_sound(name: str, url: str, headers: dict[str, str], times: dict[str, Json]) -> None:
    problems = list(http_problems(name, url, headers))
    for which, given in times.items():
        if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= TIME_MS_MAX:
            message = f"{which!r} is whole milliseconds, from 1 to {TIME_MS_MAX:,}"
            problems.append(Problem("wrong_type", message, f"/{which}"))
    if "?" in url or "#" in url:
        message = (
            "an address is kept and shown as it is, so it has no query; what stands there is often a secret: give it as a "
            "header, with {{secrets.NAME}} in it"
        )
        problems.append(Problem("plain_secret", message, "/url"))
    for header, text in headers.items():
        if _CONFIDENTIAL.search(header) and not _REFERENCE_ALONE.fullmatch(text):
            beside = (
                ", with Bearer, Basic or Token before it and nothing else"
                if secrets_in(Http(url, {header: text}))
                else ""
            )
            message = (
                f"what {shown(header)} says is a secret, and is not kept here: set it with `perdure secrets set NAME`, and write "
                f"{{{{secrets.NAME}}}} in its place{beside}"
            )
            problems.append(Problem("plain_secret", message, f"/headers/{header}"))
    if problems:
        raise Refused(problems, what="the connection cannot be kept so")


def _require_offered(name: str, chosen: Mapping[str, str], live: Mapping[str, Tool], known: Accepted) -> None:
    for tool, hash_ in chosen.items():
        offered = live.get(tool)
        if offered is None and tool not in known.tools:
            raise Conflict(str(unknown_tool(name, tool, live)))
        now = GONE if offered is None else offered.hash
        if hash_ != now:
            raise Conflict(
                f"the connection {shown(name)} does not offer the tool {shown(tool)} as {shown(hash_)}, but as {now}, so nothing "
                f"is accepted: look at it again, and give the whole hash that is told then"
            )


def _taken(before: Accepted, found: Accepted, chosen: Mapping[str, str]) -> tuple[Offered, ...]:
    """Those of them that are another one now; one that is gone is what it was."""
    was = {name: before.tools[name] for name in sorted(chosen) if name in before.tools}
    changed = {name: tool for name, tool in was.items() if name in found.tools and found.tools[name].hash != tool.hash}
    return tuple(_offered(replace(tool, offered=found.tools[name])) for name, tool in changed.items())


def _listed(
    name: str, found: Accepted, uses: tuple[Use, ...], taken: tuple[Offered, ...], gone: tuple[str, ...]
) -> Listed:
    tools = tuple(_offered(tool) for _, tool in sorted(found.tools.items()))
    return Listed(name, tools, found.at, uses, taken, gone)


def _offered(tool: Tool) -> Offered:
    instead = None if tool.offered is None else _offered(tool.offered)
    return Offered(tool.name, tool.hash, tool.description, tool.input, tool.output, instead)


def _count(store: Questions, organization: str, name: str) -> int | None:
    found = accepted(store, organization, name)
    return len(found.tools) if found.revision else None


def _given(name: str, connection: Connection, tools: int | None) -> Connected:
    secrets = secrets_in(connection)
    if isinstance(connection, Stdio):
        program = PurePath(connection.command[0]).name  # its arguments may hold what is not for everybody
        return Connected(name, "operator", "stdio", program, {}, secrets, tools)
    headers = dict.fromkeys(connection.headers, HIDDEN)
    return Connected(name, "operator", "http", place(connection.url), headers, secrets, tools)


def _kept(card: Card, tools: int | None) -> Connected:
    connection = msgspec.convert(card.data["connection"], Http)
    return Connected(
        card.id,
        "organization",
        "http",
        place(connection.url),
        {name: _told(name, text) for name, text in connection.headers.items()},
        secrets_in(connection),
        tools,
        card.changed_at,
        card.data.get("changedBy"),
    )


def _told(header: str, text: str) -> str:
    """What everybody may see of it: the references, and what stands beside them if the header is harmless."""
    if not _CONFIDENTIAL.search(header) or _REFERENCE_ALONE.fullmatch(text):
        return text
    shown_, at = "", 0
    for found in SECRET.finditer(text):
        shown_ += (HIDDEN if found.start() > at else "") + found[0]
        at = found.end()
    return shown_ + (HIDDEN if at < len(text) or not text else "")


def _there(store: Questions, organization: str, name: str) -> Card:
    card = store.card(organization, REGISTER, name)
    if card is None:
        raise _not_found(
            name, organization, [each.id for each in store.cards(organization, REGISTER, "", CONNECTIONS_MAX)]
        )
    return card


def _not_found(name: str, organization: str, known: list[str]) -> NotFound:
    hint = nearest(name, known) or "; `perdure connections list` shows those that there are"
    return NotFound(f"there is no connection {name!r} in organization {organization!r}{hint}")
