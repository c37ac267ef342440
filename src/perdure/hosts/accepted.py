"""Which tools of a connection an organization has accepted: the register `tools`, one card for each connection.

The first time that a tool is seen, it is accepted as it is. From then on it is known by its hash: if the server offers something
else under its name, calls of it fail until somebody has looked, and has accepted that by its hash. With what is kept here
documents are checked, so that no server has to be there for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.clock import now_ms
from perdure.hosts.reading import Read, asked
from perdure.store.port import GuardFailed, Item, Outcome
from perdure.store.questions import Questions
from perdure.store.registers import WriteCard
from perdure.tasks.mcp.tools import Tool

TOOLS: Final = "tools"
ENGINE: Final = "perdure"
"""As whom the audit knows what an engine writes down by itself."""

_TRIES: Final = 10
_KEPT_MAX: Final = 200


class Accepted(Struct, frozen=True):
    """By name, and the revision of the card; 0: there is none."""

    tools: dict[str, Tool]
    revision: int = 0
    at: int = 0


class ToolsData(Struct, frozen=True):
    """Data of the card of the tools of a connection."""

    tools: tuple[Tool, ...]


def accepted(store: Questions, organization: str, connection: str, kept: Accepted | None = None) -> Accepted:
    """`kept`: what it was a while ago. It is read again only if it is something else by now."""
    if kept is not None and store.card_mark(organization, TOOLS, connection) == (kept.revision, kept.at):
        return kept
    card = store.card(organization, TOOLS, connection)
    if card is None:
        return Accepted({})
    tools = msgspec.convert(card.data, ToolsData).tools
    return Accepted({tool.name: tool for tool in tools}, card.revision, card.changed_at)


def together(before: Mapping[str, Tool], live: Mapping[str, Tool]) -> dict[str, Tool]:
    """What is new is accepted; what differs is noted, and stays what it was. One that is gone may come back."""
    found = dict(before)
    for name, tool in live.items():
        known = before.get(name)
        if known is None:
            found[name] = tool
        else:
            found[name] = replace(known, offered=None if known.hash == tool.hash else tool)
    return found


class Acceptance:
    """Writes it down, one after the other: twenty calls that see a tool for the first time write one card."""

    def __init__(
        self,
        read: Read,
        commit: Callable[[Item], Awaitable[Outcome]],
        writer: Callable[[], str],
        now: Callable[[], int] = now_ms,
    ) -> None:
        self._read, self._commit, self._writer, self._now = read, commit, writer, now
        self._writing = asyncio.Lock()
        self._kept: dict[tuple[str, str], Accepted] = {}
        """Every call of a tool asks, and there may be a lot to read. What was asked for last is at the end."""

    async def get(self, organization: str, connection: str) -> Accepted:
        of = (organization, connection)
        found = await asked(self._read, "tools", lambda store: accepted(store, *of, self._kept.get(of)))
        self._kept.pop(of, None)
        self._kept[of] = found
        if len(self._kept) > _KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        return found

    async def notice(self, organization: str, connection: str, live: Mapping[str, Tool]) -> Accepted:
        """What is accepted, now that the server has listed its tools."""
        known = await self.get(organization, connection)
        if together(known.tools, live) == known.tools:
            return known
        return await self._write(
            organization, connection, lambda before: together(before, live), ENGINE, "tools.noticed"
        )

    async def accept(
        self,
        organization: str,
        connection: str,
        live: Mapping[str, Tool],
        names: Collection[str],
        by: str,
        needs: tuple[tuple[str, str, int], ...] = (),
    ) -> Accepted:
        """From now on these are what the server offers, and forgotten if it does not. The others are only noticed."""
        await self.notice(organization, connection, live)

        def change(before: Mapping[str, Tool]) -> dict[str, Tool]:
            kept = {name: tool for name, tool in before.items() if name not in names or name in live}
            return {**kept, **{name: live[name] for name in names if name in live}}

        return await self._write(organization, connection, change, by, "tools.accepted", needs)

    async def _write(
        self,
        organization: str,
        connection: str,
        change: Callable[[Mapping[str, Tool]], dict[str, Tool]],
        by: str,
        action: str,
        needs: tuple[tuple[str, str, int], ...] = (),
    ) -> Accepted:
        async with self._writing:
            for _ in range(_TRIES):
                known = await self.get(organization, connection)
                tools = change(known.tools)
                if tools == known.tools and known.revision:
                    return known
                data: Any = msgspec.json.decode(msgspec.json.encode(ToolsData(tuple(tools.values()))))
                told: dict[str, str | None] = dict.fromkeys(name for name in known.tools if name not in tools)
                told |= {
                    name: (tool.offered or tool).hash for name, tool in tools.items() if _differs(known.tools, tool)
                }
                write = WriteCard(
                    TOOLS,
                    connection,
                    data,
                    self._now(),
                    by,
                    action,
                    organization,
                    known.revision,
                    {"tools": told},
                    self._writer(),
                    needs,
                )
                if not isinstance(await self._commit(write), GuardFailed):
                    return await self.get(organization, connection)
        return await self.get(organization, connection)


def _differs(before: Mapping[str, Tool], tool: Tool) -> bool:
    return before.get(tool.name) != tool
