"""The protocol for one caller: which tools there are, and what a call of one does. It knows nothing of HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.caching import CacheHint
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)
from msgspec import Struct

from perdure.api.asking import Asking
from perdure.api.mcp.arguments import arguments
from perdure.api.mcp.catalog import TRUSTED_SECONDS, Catalog
from perdure.api.mcp.fixed import FIXED
from perdure.api.mcp.starting import start
from perdure.api.mcp.telling import unable
from perdure.api.problems import FAILED, Wrong, status_of, wrong
from perdure.errors import PerdureError
from perdure.service import paging
from perdure.service.settling import Patience
from perdure.version import VERSION

PAGE: Final = 100
ABOUT: Final = (
    "Perdure runs workflows that last. Each tool that does not begin with perdure_ starts one: its arguments are the input. It "
    "answers when the execution has ended or waits for somebody, or after 20 seconds; it goes on even so, and "
    "perdure_show_execution says what became of it. Do not start it again because it takes long. An execution that waits for an "
    "approval goes on when somebody who is asked has decided; tell your user, unless you are the one who is asked."
)
Answer = TypeVar("Answer")
_log: Final = logging.getLogger("perdure.api")


class Serving(Struct, frozen=True):
    """`asked`: who asks, and in which organization. What others have does not exist."""

    asked: Asking
    catalog: Catalog
    request_id: str
    ending: asyncio.Event

    def server(self) -> Server[Any]:
        return Server(
            "perdure",
            version=VERSION,
            title="Perdure",
            instructions=ABOUT,
            cache_hints={"tools/list": CacheHint(ttl_ms=int(TRUSTED_SECONDS * 1_000), scope="private")},
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
        )

    async def list_tools(self, _: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        return await self._told(self._list_tools(None if params is None else params.cursor))

    async def call_tool(self, ctx: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        async def call() -> CallToolResult:
            try:
                return await self._called(ctx, params)
            except Wrong as error:
                return unable(error)
            except PerdureError as error:
                return unable(wrong(error))

        return await self._told(call())

    async def _list_tools(self, cursor: str | None) -> ListToolsResult:
        """Ours first, then the workflows in the order of their names; those after the last that was told."""
        offered = await self.catalog.tools(self.asked.organization)
        after = _after(cursor)
        names = [name for name in offered if after is None or name > after]
        ours: list[Tool] = [each.tool for each in FIXED.values()] if after is None else []
        return ListToolsResult(
            tools=[*ours, *(offered[name].tool for name in names[:PAGE])],
            next_cursor=paging.cursor(names[PAGE - 1]) if len(names) > PAGE else None,
        )

    async def _called(self, ctx: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        given, patience = params.arguments or {}, self._patience(ctx)
        fixed = FIXED.get(params.name)
        if fixed is not None:
            return await fixed.call(self.asked, arguments(fixed.takes, given), patience)
        offered = await self.catalog.find(self.asked.organization, params.name)
        if offered is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name[:80]!r}; tools/list says which there are")
        return await start(self.asked, offered, given, ctx.meta or {}, patience)

    def _patience(self, ctx: ServerRequestContext[Any]) -> Patience:
        if (ctx.meta or {}).get("progress_token") is None:
            return Patience(self.ending.wait)

        async def report(progress: float, message: str) -> None:
            await ctx.session.report_progress(progress, message=message)

        return Patience(self.ending.wait, report)

    async def _told(self, answer: Awaitable[Answer]) -> Answer:
        """What nobody has foreseen is told to the log, and to whoever asked only that it was so."""
        try:
            return await answer
        except MCPError:
            raise
        except Exception as error:
            status = status_of(error)[0] if isinstance(error, PerdureError) else FAILED
            if status != FAILED:
                raise MCPError(INVALID_PARAMS if status < FAILED else INTERNAL_ERROR, str(error)) from error
            _log.exception("request %s failed", self.request_id)
            raise MCPError(
                INTERNAL_ERROR,
                f"something went wrong in the server; its log has more under the request id {self.request_id}",
            ) from error


def _after(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    (name,) = paging.place(cursor, tuple[str])
    found: str = name
    return found
