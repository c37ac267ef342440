"""A server that is an address: streamable HTTP, through the one outbound door.

What goes wrong with a request is noted on the call that it belongs to, and the library is told that it has failed: one request
that fails must not end the session of all others.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Final

import httpx2
import msgspec
from mcp.client.streamable_http import streamable_http_client
from msgspec import Struct

from perdure.clock import now_ms
from perdure.tasks import targets
from perdure.tasks.answers import retry_after_ms
from perdure.tasks.door import Answer, Door, OutboundRefused
from perdure.tasks.limits import Limits
from perdure.tasks.mcp.connection import Http
from perdure.tasks.mcp.failing import (
    OUTBOUND_REFUSED,
    McpInvalidAnswer,
    McpNotAllowed,
    McpRefused,
    McpUnavailable,
    NotSent,
    too_large,
)
from perdure.tasks.mcp.message_limits import excess_of
from perdure.tasks.transport import DoorTransport, ResponseTooLarge

SESSION: Final = "mcp-session-id"
_ENDED, _FAILED = 204, 599
_EVENTS: Final = "text/event-stream"
_REDIRECTS: Final = range(300, 400)
_NOT_ALLOWED: Final = (401, 403)
_BAD_REQUEST, _NOT_FOUND = 400, 404
_ERRORS: Final = 400
_COME_BACK_LATER: Final = (408, 425, 429, 500, 502, 503, 504)
_NO_SESSION: Final = re.compile(r"\b(invalid|no valid|unknown|expired|missing)\b.*\bsession\b", re.IGNORECASE)
_SEARCHED_BYTES: Final = 1_000
"""So much of an error is searched for words: the time it takes grows with the square of it."""

_NO_SESSION_TO_A_CALL: Final = re.compile(
    r"(bad request: )?(invalid|no valid|unknown|expired|missing) (mcp )?session id( provided)?", re.IGNORECASE
)


class Underway:
    """A request that is under way, and what went wrong with it."""

    __slots__ = ("trouble",)

    def __init__(self) -> None:
        self.trouble: Exception | None = None


UNDERWAY: Final[ContextVar[Underway | None]] = ContextVar("perdure.mcp.underway", default=None)
"""The library sends a request in the context of whoever asked for it."""


class HttpTransport:
    def __init__(self, connection: Http, about: str, door: Door, limits: Limits) -> None:
        self._connection, self._about, self._door, self._limits = connection, about, door, limits

    @asynccontextmanager
    async def open(self, ended: Callable[[], None]) -> AsyncIterator[tuple[Any, Any]]:
        del ended  # a call finds out
        given = self._connection
        try:
            targets.read(given.url)
        except OutboundRefused as error:
            raise McpNotAllowed(f"{self._about} may not be called: {error}", code=OUTBOUND_REFUSED) from error
        named = {name.lower(): text for name, text in given.headers.items()}
        headers = {"user-agent": "perdure", **named, "accept-encoding": "identity"}
        times = httpx2.Timeout(given.call_ms / 1_000, connect=given.connect_ms / 1_000)
        through = _Noting(self._door.packed_transport(), self._about, self._limits.response_bytes_max)
        async with httpx2.AsyncClient(
            transport=through,
            headers=[(name.encode(), text.encode()) for name, text in headers.items()],
            timeout=times,
            trust_env=False,
            follow_redirects=False,
        ) as client:
            bytes_max = self._limits.response_bytes_max
            async with streamable_http_client(given.url, http_client=client, max_sse_event_size=bytes_max) as streams:
                yield streams

    def last_words(self) -> str:
        return "it said nothing"


class _Noting(httpx2.AsyncBaseTransport):
    def __init__(self, door: DoorTransport, about: str, bytes_max: int) -> None:
        self._door, self._about, self._bytes_max = door, about, bytes_max

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        underway = UNDERWAY.get() or Underway()
        request.headers.pop("cookie", None)  # none are kept: they would be those of another call
        try:
            response = await self._door.handle_async_request(request)
        except (httpx2.RequestError, OutboundRefused, ResponseTooLarge) as error:
            underway.trouble = self._failure(request, error)
            return _failed(request)
        response.headers.pop("set-cookie", None)
        try:
            trouble = await self._refusal(request, response)
        except (httpx2.RequestError, ResponseTooLarge, _TooManyValues) as error:
            trouble = self._failure(request, error)
        if trouble is not None:
            underway.trouble = trouble
            await response.aclose()
            return _failed(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        bounded = _BoundedEvents(response.stream) if media == _EVENTS else _WholeMessage(response.stream)
        response.stream = _NotingStream(bounded, underway, lambda error: self._failure(request, error))
        return response

    async def aclose(self) -> None:
        await self._door.aclose()

    async def _refusal(self, request: httpx2.Request, response: httpx2.Response) -> Exception | None:
        """What an answer says that is none of the protocol's business."""
        status = response.status_code
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            return McpInvalidAnswer(f"{self._about} answered compressed, which was not asked for")
        if status in _REDIRECTS:
            return McpNotAllowed(
                f"{self._about} answered with {status}, a redirect, which is not followed; connect to the new address itself"
            )
        if status in _NOT_ALLOWED:
            return McpNotAllowed(f"{self._about} answered with {status}; look at the headers of the connection")
        if SESSION in request.headers and await _knows_no_session(request, response):
            return NotSent("the server does not know the session any more")
        if status < _ERRORS:
            return None
        if await _is_of_the_protocol(response):
            _check(response.content)  # the library reads it as it is, and not part by part
            return None
        if status in _COME_BACK_LATER:
            answer = Answer(status, dict(response.headers.items()), b"")
            return McpUnavailable(
                f"{self._about} answered with {status}", retry_after_ms=retry_after_ms(answer, now_ms())
            )
        return McpRefused(f"{self._about} answered with {status}; is this the address that speaks MCP?")

    def _failure(self, request: httpx2.Request, error: Exception) -> Exception:
        match error:
            case ResponseTooLarge():
                return too_large(self._about, self._bytes_max)
            case _TooManyValues():
                return McpInvalidAnswer(f"{self._about} answered with what is no answer of the protocol: {error}")
            case OutboundRefused():
                return McpNotAllowed(f"{self._about} may not be called: {error}", code=OUTBOUND_REFUSED)
            case _:
                cause = str(error) or type(error).__name__
                return McpUnavailable(f"{self._about} at {targets.origin(request.url)} cannot be reached: {cause}")


def _failed(request: httpx2.Request) -> httpx2.Response:
    """What the library is told. A session that cannot be ended has ended."""
    return httpx2.Response(_ENDED if request.method == "DELETE" else _FAILED, request=request)


async def _knows_no_session(request: httpx2.Request, response: httpx2.Response) -> bool:
    """Whether the server has been started anew, say, and nothing of the request was done. The protocol has 404 for it; there are
    servers that answer with 400, and say so in words.

    What answers this very request may be an error of the tool, which has run: it is believed only in the words of the
    protocol's own libraries, with nothing beside them.
    """
    if response.status_code != _BAD_REQUEST:
        return response.status_code == _NOT_FOUND
    body = await _read(response)
    said = _outlined(body)
    if said is not None and said.id is not None and said.id == _id_of(request):
        message = None if said.error is None else said.error.message
        return isinstance(message, str) and _NO_SESSION_TO_A_CALL.fullmatch(message) is not None
    return _NO_SESSION.search(body[:_SEARCHED_BYTES].decode("utf-8", "replace")) is not None


async def _is_of_the_protocol(response: httpx2.Response) -> bool:
    """Whether an error is one that the server itself tells: what stands before it may have JSON of its own."""
    if not response.headers.get("content-type", "").lower().startswith("application/json"):
        return False
    said = _outlined(await _read(response))
    return said is not None and said.jsonrpc is not None and said.error is not None and said.error.code is not None


async def _read(response: httpx2.Response) -> bytes:
    """All of it, and whoever comes after can read it as well."""
    body = await response.aread()
    response.stream = httpx2.ByteStream(body)
    return body


class _Error(Struct):
    code: int | None = None
    message: str | None = None


class _Outline(Struct):
    """What tells a message of the protocol from others. Nothing else of it is made into objects, however large it is."""

    jsonrpc: str | None = None
    id: int | str | None = None
    error: _Error | None = None


def _id_of(request: httpx2.Request) -> int | str | None:
    asked = _outlined(request.content)
    return None if asked is None else asked.id


def _outlined(text: bytes) -> _Outline | None:
    try:
        return msgspec.json.decode(text, type=_Outline)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


class _TooManyValues(Exception):
    pass


def _check(message: bytes) -> None:
    excess = excess_of(message)
    if excess is not None:
        raise _TooManyValues(excess)


class _WholeMessage(httpx2.AsyncByteStream):
    """A body that is one message: nothing of it is handed on before its values are counted."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = b"".join([part async for part in self._stream])
        _check(body)
        yield body

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedEvents(httpx2.AsyncByteStream):
    """Server-sent events: the data of each is a message. An event is counted before the line that ends it is handed on."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        data: list[bytes] = []
        rest: list[bytes] = []
        ended_with_cr = False
        async for part in self._stream:
            text = part[1:] if ended_with_cr and part.startswith(b"\n") else part
            ended_with_cr = part.endswith(b"\r")
            *ended, last = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
            for piece in ended:
                rest.append(piece)
                line = b"".join(rest)
                rest.clear()
                if line.startswith(b"data:"):
                    data.append(line[5:])
                elif not line:
                    _check(b"\n".join(data))
                    data.clear()
            rest.append(last)
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


class _NotingStream(httpx2.AsyncByteStream):
    def __init__(
        self, stream: httpx2.AsyncByteStream, underway: Underway, failure: Callable[[Exception], Exception]
    ) -> None:
        self._stream, self._underway, self._failure = stream, underway, failure

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._stream:
                yield part
        except (httpx2.RequestError, ResponseTooLarge, _TooManyValues) as error:
            self._underway.trouble = self._failure(error)
            raise httpx2.StreamError(str(error)) from error

    async def aclose(self) -> None:
        await self._stream.aclose()
