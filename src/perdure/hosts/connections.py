"""The connections of a process and of its organizations, and calls of their tools.

An operator gives some to a process, by a file; these are there for every organization. An organization keeps others, which are
there for every worker (the register `connections`). Of two with one name the operator's goes first: what runs on the operator's
machines is for the operator to say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from perdure.clock import now_ms
from perdure.expressions.wording import kind, nearest, shown
from perdure.hosts.accepted import Acceptance, together
from perdure.hosts.owners import Owners
from perdure.hosts.reading import Read, asked
from perdure.hosts.vault import NoSecret, Vault
from perdure.model.catalog import ALL_TOOLS, LOCAL, TaskSchema
from perdure.model.failure import Failure
from perdure.model.values import Json
from perdure.store.port import Item, Outcome
from perdure.store.questions import Questions
from perdure.tasks.builtin import TaskSettings
from perdure.tasks.calling import InvalidInput
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.logged import listen
from perdure.tasks.mcp.connection import Connection, Http, filled, secrets_in
from perdure.tasks.mcp.failing import McpUnavailable, ToolChanged, unknown_tool
from perdure.tasks.mcp.pool import Pool
from perdure.tasks.mcp.tools import SHORT, Tool
from perdure.tasks.redaction import Redactor, current, hiding
from perdure.tasks.registry import Task

if TYPE_CHECKING:
    from perdure.tasks.door import Door
    from perdure.tasks.mcp.session import Session

Waiting: TypeAlias = Callable[[str], AbstractContextManager[None]]
REGISTER: Final = "connections"
Answer = TypeVar("Answer")


class Known(Struct, frozen=True):
    """What there is to know of tools that a document needs.

    schemas      of all tools of their connections
    unavailable  connections of which nothing is known, each with why
    changed      those of them that their servers offer otherwise than they were accepted
    hashes       of them, by connection and name
    """

    schemas: tuple[TaskSchema, ...] = ()
    unavailable: tuple[tuple[str, str], ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    hashes: dict[tuple[str, str], str] = {}


NOTHING: Final = Known()


class _Secret(NonRetryable, public_name="_Secret"):
    """A secret that the headers of a connection need, and that is not to be had."""


def stored(store: Questions, organization: str, name: str) -> Connection | None:
    card = store.card(organization, REGISTER, name)
    return None if card is None else msgspec.convert(card.data["connection"], Http)


class Connections:
    """`operators`: those that the operator has given to this process."""

    def __init__(
        self,
        operators: Mapping[str, Connection],
        settings: TaskSettings,
        read: Read,
        commit: Callable[[Item], Awaitable[Outcome]],
        vault: Vault,
        worker: Callable[[], str],
        now: Callable[[], int] = now_ms,
        waiting: Waiting | None = None,
    ) -> None:
        """`waiting` counts what waits for a server, for an organization. It may refuse."""
        self.operators = dict(operators)
        self._settings, self._read, self._vault = settings, read, vault
        self._owners, self._waiting = Owners(read), waiting or (lambda _: nullcontext())
        self.acceptance = Acceptance(read, commit, worker, now)
        self._pool = Pool(lambda: self._door, settings.limits)

    async def close(self) -> None:
        await self._pool.close()

    @cached_property
    def _door(self) -> Door:
        from perdure.tasks.door import Door  # noqa: PLC0415  as long as nothing is called, the HTTP library is not imported

        return Door(self._settings.allowed, self._settings.limits)

    async def task(self, execution: str, name: str) -> Task | None:
        """The tool that a workflow calls by this name, as a task; None: its organization has no such connection here."""
        connection, _, tool = name.partition("/")
        if not tool or connection == LOCAL:
            return None
        organization = await self._owners.organization(execution)
        found = await self.find(organization, connection)
        if found is None:
            return None
        call = partial(self._call, organization, connection, found, tool)
        return Task(tool, call, is_async=True, connection=connection, takes_context=True)

    async def find(self, organization: str, name: str) -> Connection | None:
        operators = self.operators.get(name)
        if operators is not None:
            return operators
        return await asked(self._read, "connections", lambda store: stored(store, organization, name))

    async def live(self, organization: str, name: str, connection: Connection, *, anew: bool = True) -> dict[str, Tool]:
        """The tools as the server lists them; `anew`: now, also if it has done so a moment ago."""
        with self._waiting(organization):
            return await self._asked(organization, name, connection, lambda session, _: session.tools(anew=anew))

    def forget(self, organization: str, name: str) -> None:
        """The connection is not there any more, or is another one."""
        self._pool.forget((organization, name))

    async def known(self, organization: str, wanted: Iterable[tuple[str, str]], *, keep: bool = True) -> Known:
        """What is known of these tools. Servers are asked only for what has never been seen, all of them at the same time.

        `keep`: False does not write down what was found.
        """
        tools: dict[str, set[str]] = {}
        for connection, tool in wanted:
            tools.setdefault(connection, set()).add(tool)
        found = await asyncio.gather(*(self._of(organization, name, needed, keep) for name, needed in tools.items()))
        return Known(
            tuple(schema for each in found for schema in each.schemas),
            tuple(why for each in found for why in each.unavailable),
            tuple(tool for each in found for tool in each.changed),
            {tool: hash_ for each in found for tool, hash_ in each.hashes.items()},
        )

    async def _of(self, organization: str, name: str, needed: set[str], keep: bool) -> Known:
        known = await self.acceptance.get(organization, name)
        tools, why = known.tools, None
        if not known.revision or not needed - {ALL_TOOLS} <= tools.keys():
            connection = await self.find(organization, name)
            if connection is None:
                why = self._not_here(name)
            else:
                try:
                    live = await self.live(organization, name, connection, anew=False)
                except (Retryable, NonRetryable) as error:
                    why = str(error)
                else:
                    tools = together(tools, live)
                    if keep:
                        tools = (await self.acceptance.notice(organization, name, live)).tools
        used = [tool for tool in tools.values() if tool.name in needed or ALL_TOOLS in needed]
        return Known(
            tuple(tool.schema(name) for tool in tools.values()),
            () if why is None else ((name, why),),
            tuple((name, tool.name) for tool in used if tool.offered),
            {(name, tool.name): tool.hash for tool in used},
        )

    def _not_here(self, name: str) -> str:
        return (
            f"there is no connection {shown(name)} here{nearest(name, self.operators) or ';'} give it by --connections FILE, or "
            f"add it with `perdure connections add {name} URL`"
        )

    async def _call(
        self,
        organization: str,
        name: str,
        connection: Connection,
        tool: str,
        given: Json,
        context: TaskContext,
    ) -> Json:
        arguments = {} if given is None else given
        if not isinstance(arguments, dict):
            raise InvalidInput(f"the tool {shown(tool)} of {shown(name)} takes an object, not {kind(arguments)}")
        seconds = connection.call_ms / 1_000

        async def ask(session: Session, redactor: Redactor | None) -> Json:
            await self._require_accepted(organization, name, tool, await session.tools())
            return await session.call(tool, arguments, context.idempotency_key, seconds, context.heartbeat, redactor)

        return await self._asked(organization, name, connection, ask)

    async def _require_accepted(self, organization: str, name: str, tool: str, live: Mapping[str, Tool]) -> None:
        offered = live.get(tool)
        if offered is None:
            raise unknown_tool(name, tool, live)
        known = (await self.acceptance.get(organization, name)).tools.get(tool)
        if known is None or known.hash != offered.hash or known.offered:
            known = (await self.acceptance.notice(organization, name, live)).tools.get(tool)
        if known is not None and known.hash != offered.hash:
            where = "" if organization == "default" else f" --organization {organization}"
            given = " --connections FILE" if name in self.operators else ""
            raise ToolChanged(
                f"the connection {shown(name)} offers the tool {shown(tool)} otherwise than it was accepted: it was "
                f"{known.hash[:SHORT]} and is {offered.hash[:SHORT]}; look at it with "
                f"`perdure connections tools {name}{given}{where}`, which says how to accept it, and retry the execution"
            )

    async def _asked(
        self,
        organization: str,
        name: str,
        connection: Connection,
        ask: Callable[[Session, Redactor | None], Awaitable[Answer]],
    ) -> Answer:
        """With its secrets filled in. What is told of it has none of them, and `ask` is to see to what it answers."""
        wanted = secrets_in(connection)
        if not wanted:
            return await self._pool.use((organization, name), connection, None, lambda session: ask(session, None))
        try:
            secrets = await self._vault.values(organization, f"connection {name!r}", wanted)
        except NoSecret as error:
            raise _without(error.failure) from error
        redactor = Redactor(secrets.values())
        ready = filled(connection, {secret: each.value for secret, each in secrets.items()})
        listen()
        try:
            with hiding(redactor.beside(current())):
                return await self._pool.use(
                    (organization, name), ready, redactor, lambda session: ask(session, redactor)
                )
        except (Retryable, NonRetryable) as error:
            error.args = (redactor.text(str(error)),)
            raise


def _without(failure: Failure) -> Exception:
    if failure.retriable:
        return McpUnavailable(failure.message)
    error = _Secret(failure.message, code=failure.code)
    error.category = failure.category
    return error
