"""A session with a server. One asyncio task owns it from its start to its end; whoever calls a tool does so from any other.

The library keeps its own tasks in scopes that belong to the task which entered them. So a request is made in a task of its own as
well: nothing of that reaches who calls, and a call that is cancelled tells the server so and leaves the session as it is.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from contextvars import copy_context
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import mcp_types as types
import msgspec
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from perdure.expressions.canonical import NotJson, canonical
from perdure.expressions.wording import shown
from perdure.model.catalog import ALL_TOOLS
from perdure.model.values import Json
from perdure.tasks.mcp.failing import (
    McpError,
    McpInvalidAnswer,
    McpNotAllowed,
    McpRefused,
    McpTimedOut,
    McpUnavailable,
    NotSent,
    too_large,
)
from perdure.tasks.mcp.over_http import UNDERWAY, Underway
from perdure.tasks.mcp.results import value_of
from perdure.tasks.mcp.stdio import NO_MESSAGE, TOO_LARGE
from perdure.tasks.mcp.tools import Tool
from perdure.tasks.offload import run_by_size, run_in_thread
from perdure.tasks.redaction import Redactor, apart, hidden
from perdure.version import VERSION

PAGES_MAX, TOOLS_MAX = 100, 2_000
LISTED_SECONDS: Final = 300.0
"""So long it is believed that the tools are still those which were listed. A server that means well says so before."""

KEY: Final = "perdure/idempotencyKey"
_SAID_MAX: Final = 1_000
_BLOCK_SIZE: Final = 100
"""Characters that a block of content has at least, as JSON."""

_NO_NAMES: Final = ("", ALL_TOOLS)
"""Documents would mean something else by them: no tool, or all that there are."""

_log = logging.getLogger("perdure.mcp")
_NOT_TO_BE_REPEATED: Final = (types.INVALID_REQUEST, types.METHOD_NOT_FOUND, types.INVALID_PARAMS, types.PARSE_ERROR)

Answer = TypeVar("Answer", bound=BaseModel)


class Transport(Protocol):
    def open(self, ended: Callable[[], None]) -> AbstractAsyncContextManager[tuple[Any, Any]]: ...

    def last_words(self) -> str:
        """What can be told of why the server does not speak."""
        ...


class Session:
    """`about` is what messages call the server. `seconds` is the time to connect in, and to list the tools in. `redactor` hides
    the secrets that it was opened with.
    """

    def __init__(
        self, transport: Transport, about: str, seconds: float, bytes_max: int, redactor: Redactor | None
    ) -> None:
        self._transport, self._about, self._seconds, self._bytes_max = transport, about, seconds, bytes_max
        self._redactor = redactor
        self._session: ClientSession | None = None
        self._over = asyncio.Event()
        self._calls, self._is_lost = 0, False
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tools: dict[str, Tool] | None = None
        self._listed_at, self._have_changed = 0.0, False
        self._listing: asyncio.Task[dict[str, Tool]] | None = None
        self._owner = asyncio.get_running_loop().create_task(self._live(), context=apart(redactor))

    @property
    def is_over(self) -> bool:
        """Whether it takes no more calls; those under way may still be answered."""
        return self._is_lost or self._over.is_set() or self._owner.done()

    async def opened(self) -> None:
        """Raises why it could not be."""
        await asyncio.shield(self._ready)

    async def close(self) -> None:
        self._over.set()
        if not self._ready.done():
            self._owner.cancel()  # a server may take an hour to say what it is
        if self._listing is not None:
            self._listing.cancel()
            await asyncio.wait([self._listing])
        await asyncio.wait([self._owner])
        if not self._ready.done():
            self._ready.set_exception(McpUnavailable(f"{self._about} was closed before it was there"))
        if not self._ready.cancelled():
            self._ready.exception()  # nobody may have asked

    async def finish(self) -> None:
        """Close it, once the calls under way have been answered."""
        if self._is_lost and self._calls:
            await self._over.wait()
        await self.close()

    async def call(
        self,
        tool: str,
        arguments: dict[str, Json],
        key: str,
        seconds: float,
        heard: Callable[[], None] | None = None,
        redactor: Redactor | None = None,
    ) -> Json:
        """Return the result of the tool, without the secrets that `redactor` hides. `heard` is called on progress."""
        about = f"the tool {shown(tool)} of {self._about}"

        async def went_on(progress: float, total: float | None, message: str | None) -> None:
            del progress, total, message
            if heard is not None:
                heard()

        meta: Any = {KEY: key}
        params = types.CallToolRequestParams(name=tool, arguments=arguments, _meta=meta)
        answer = await self._asked(about, types.CallToolRequest(params=params), types.CallToolResult, seconds, went_on)

        def read() -> Json:
            said = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
            value = self._plain(about, value_of({**said, "structuredContent": answer.structured_content}, about))
            return value if redactor is None else redactor.value(value)

        return await run_by_size(_size(answer), read)

    async def tools(self, *, anew: bool = False) -> dict[str, Tool]:
        """The tools of the server, by name: as it listed them, if that is not long ago and it has not said that they changed.
        Whoever comes while it lists them waits for the same, and hears the same if it fails.
        """
        is_old = self._have_changed or time.monotonic() > self._listed_at + LISTED_SECONDS
        if self._tools is not None and not anew and not is_old:
            return self._tools
        listing = self._listing
        if listing is None or anew:
            self._tools, self._have_changed = None, False  # it may say so again while it lists them
            listing = self._listing = asyncio.get_running_loop().create_task(
                self._list(), context=apart(self._redactor)
            )
            listing.add_done_callback(self._has_listed)
        await asyncio.wait([listing])
        if listing.cancelled():
            raise McpUnavailable(f"{self._about} was closed before it had listed its tools")
        return listing.result()

    async def _list(self) -> dict[str, Tool]:
        """A server may say a secret in the description of a tool as well."""
        found = await self._listed()
        if self._redactor is not None:
            found = await run_in_thread(partial(_redact_tools, found, self._redactor))
        self._tools, self._listed_at = found, time.monotonic()
        return found

    def _has_listed(self, listing: asyncio.Task[dict[str, Tool]]) -> None:
        if self._listing is listing:
            self._listing = None
        if not listing.cancelled():
            listing.exception()  # nobody may be left who has asked

    async def _listed(self) -> dict[str, Tool]:
        """Page after page; a server that hands out the same page again and again is not followed."""
        found: dict[str, Tool] = {}
        cursors: set[str] = set()
        cursor: str | None = None
        until = time.monotonic() + self._seconds
        about = f"the list of tools of {self._about}"
        while True:
            left = max(until - time.monotonic(), 0.001)
            params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
            try:
                page = await self._asked(about, types.ListToolsRequest(params=params), types.ListToolsResult, left)
            except McpTimedOut as error:
                raise McpTimedOut(f"{about} has not come within {self._seconds:g} seconds") from error
            except McpRefused as error:
                if error.code == "METHOD_NOT_FOUND":
                    return {}
                raise
            cursor = page.next_cursor
            if cursor is not None:
                if cursor in cursors:
                    raise McpInvalidAnswer(f"{about} goes round in circles: the page after {shown(cursor)} came before")
                cursors.add(cursor)
            new: dict[str, types.Tool] = {}
            for each in page.tools:
                if each.name in _NO_NAMES:
                    _log.warning("%s offers a tool that it calls %r, which is left out", self._about, each.name)
                elif each.name not in found:
                    new.setdefault(each.name, each)
            if len(cursors) > PAGES_MAX or len(found) + len(new) > TOOLS_MAX:
                raise McpInvalidAnswer(f"{about} is longer than {PAGES_MAX} pages or {TOOLS_MAX:,} tools")
            found |= await run_in_thread(partial(self._described, new))
            if cursor is None:
                return found

    def _described(self, tools: dict[str, types.Tool]) -> dict[str, Tool]:
        return {name: self._tool(each) for name, each in tools.items()}

    def _tool(self, given: types.Tool) -> Tool:
        about = f"the tool {shown(given.name)} of {self._about}"
        return Tool(
            given.name,
            given.description or "",
            self._plain(about, given.input_schema),
            self._plain(about, given.output_schema),
        )

    def _plain(self, about: str, value: Any) -> Json:
        try:
            return canonical(value)
        except NotJson as error:
            raise McpInvalidAnswer(f"{about} answered with what cannot be kept: {error}") from error

    async def _asked(
        self,
        about: str,
        request: types.ClientRequest,
        kind: type[Answer],
        seconds: float,
        progress: ProgressFnT | None = None,
    ) -> Answer:
        session = self._session
        if session is None or self.is_over:
            raise NotSent(self._transport.last_words())
        self._calls += 1
        try:
            return await self._answered(session, about, request, kind, seconds, progress)
        finally:
            self._calls -= 1
            if self._is_lost and not self._calls:
                self._over.set()

    async def _answered(
        self,
        session: ClientSession,
        about: str,
        request: types.ClientRequest,
        kind: type[Answer],
        seconds: float,
        progress: ProgressFnT | None,
    ) -> Answer:
        underway, context = Underway(), copy_context()
        context.run(UNDERWAY.set, underway)
        asking = asyncio.get_running_loop().create_task(
            session.send_request(request, kind, progress_callback=progress), context=context
        )
        try:
            async with asyncio.timeout(seconds):
                return await asking
        except TimeoutError as error:
            raise McpTimedOut(f"{about} has not answered within {seconds:g} seconds") from error
        except MCPError as error:
            raise self._failure(about, error, underway) from error
        except (ValidationError, ValueError, RecursionError) as error:
            raise McpInvalidAnswer(
                f"{about} answered with what is no answer of the protocol: {_first(error)}"
            ) from error

    def _failure(self, about: str, error: MCPError, underway: Underway) -> Exception:
        if underway.trouble is not None:
            if isinstance(underway.trouble, NotSent):
                self._is_lost = True  # and it ends with the last call that is under way
            return underway.trouble
        said = hidden(str(error.message))[:_SAID_MAX]
        match error.code:
            case types.CONNECTION_CLOSED:
                self._over.set()
                return McpUnavailable(f"the server ended while {about} was called: {self._transport.last_words()}")
            case code if code == TOO_LARGE:
                return too_large(about, self._bytes_max)
            case code if code == NO_MESSAGE:
                return McpInvalidAnswer(f"{about} answered with what is no answer of the protocol: {said}")
            case types.METHOD_NOT_FOUND:
                return McpRefused(f"{about} is refused: {said}", code="METHOD_NOT_FOUND")
            case code if code in _NOT_TO_BE_REPEATED:
                return McpRefused(f"{about} is refused: {said} ({code})")
            case code:
                return McpError(f"{about} is answered with an error: {said} ({code})")

    async def _live(self) -> None:
        try:
            async with self._transport.open(self._over.set) as (incoming, outgoing):
                await self._speak(incoming, outgoing)
        except BaseException as error:
            self._over.set()
            if not self._ready.done():
                self._ready.set_exception(self._unopened(_cause(error)))
            if not isinstance(error, Exception):
                raise
        finally:
            self._over.set()
            self._session = None

    async def _speak(self, incoming: Any, outgoing: Any) -> None:
        me = types.Implementation(name="perdure", version=VERSION)
        async with ClientSession(incoming, outgoing, message_handler=self._noticed, client_info=me) as session:
            underway = Underway()
            UNDERWAY.set(underway)
            try:
                async with asyncio.timeout(self._seconds):
                    await session.initialize()
            except MCPError as error:
                self._ready.set_exception(underway.trouble or self._unopened(error))
                return
            except TimeoutError:
                late = f"{self._about} has not said what it is within {self._seconds:g} seconds: {self._transport.last_words()}"
                self._ready.set_exception(underway.trouble or McpUnavailable(late))
                return
            UNDERWAY.set(None)
            self._session = session
            self._ready.set_result(None)
            await self._over.wait()

    async def _noticed(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._have_changed = True

    def _unopened(self, error: BaseException) -> Exception:
        match error:
            case McpUnavailable() | McpNotAllowed():
                return error
            case MCPError(code=types.CONNECTION_CLOSED):
                return McpUnavailable(f"{self._about} ended before it said what it is: {self._transport.last_words()}")
            case asyncio.CancelledError():
                return McpUnavailable(f"{self._about} was closed before it was there")
            case ValidationError() | ValueError() | RuntimeError():
                return McpInvalidAnswer(
                    f"{self._about} does not speak the protocol as it is known here: {_first(error)}"
                )
            case _:
                return McpUnavailable(f"{self._about} cannot be opened: {hidden(str(error))[:_SAID_MAX]}")


def _redact_tools(tools: dict[str, Tool], redactor: Redactor) -> dict[str, Tool]:
    return msgspec.convert(redactor.value(msgspec.to_builtins(tools)), dict[str, Tool])


def _size(answer: types.CallToolResult) -> int:
    """Characters of what is read of it. Encoding is fast, and most answers are small."""
    if answer.structured_content is not None:
        return len(msgspec.json.encode(answer.structured_content))
    texts = sum(len(each.text) for each in answer.content if isinstance(each, types.TextContent))
    return texts + _BLOCK_SIZE * len(answer.content)


def _first(error: BaseException) -> str:
    """One line of it: libraries tell at length."""
    if isinstance(error, ValidationError):
        where = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{'/'.join(str(part) for part in where['loc'])}: {where['msg']}"[:_SAID_MAX]
    return hidden(str(error)).split("\n", 1)[0][:_SAID_MAX]


def _cause(error: BaseException) -> BaseException:
    """The first of a group: the scopes of the library wrap what went wrong."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
