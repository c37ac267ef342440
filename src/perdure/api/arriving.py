"""What comes over a connection before there is a request: bounded in size, in number and in time, whoever sends it.

The parser keeps a header until it is complete, and uvicorn waits for it for ever. Here a head, the line and the headers of a
request, may have so many bytes and lines, and has to be there in time; also whoever is connected and says nothing is gone then.
Bodies are bounded by who reads them (`bodies.py`); what stands between and after their parts is bounded here. Whoever does not
take what they asked for is gone, too.

There is room for so many connections. If all are taken, whoever has waited longest without a request makes room; if everybody is
being answered, only those are let in who ask how the server is: one that is busy must not be taken for dead.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from asyncio import TimerHandle
from http import HTTPStatus
from typing import Any, Final

from uvicorn import Config
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from perdure.api.door import HEADERS
from perdure.api.problems import Wrong

HEAD_BYTES_MAX: Final = 65_536
HEAD_LINES_MAX: Final = 200
HEAD_SECONDS: Final = 10.0
STALLED_SECONDS: Final = 30.0
"""Whoever takes nothing of an answer for so long is gone."""

LAST_SECONDS, LAST_BYTES_MAX = 1.0, 4_000_000
"""So long, and so much, what somebody who was refused still sends is thrown away: closed at once, the answer would be lost on its
way.
"""

ALWAYS: Final = frozenset({b"/healthz", b"/readyz", b"/metrics"})
ALWAYS_MAX: Final = 32
"""So many more connections there are for them."""

TELL_SECONDS: Final = 60.0
_log: Final = logging.getLogger("perdure.api")
_TOO_LARGE: Final = Wrong(
    431,
    "head_too_large",
    f"a request has at most {HEAD_LINES_MAX} headers, and with its first line {HEAD_BYTES_MAX:,} bytes of them; send less",
)
_TOO_SLOW: Final = Wrong(408, "too_slow", f"the headers did not come within {HEAD_SECONDS:g} seconds")
_NOT_HTTP: Final = Wrong(400, "not_http", "what came is no request of HTTP/1.1")
_FULL: Final = Wrong(
    503,
    "too_many_connections",
    "as many are connected as there is room for; try again later, or let the operator raise PERDURE_CONNECTIONS_MAX",
    headers={"Retry-After": "1"},
)


class _TooMuch(Exception):
    """Said to the parser, which goes no further."""


class Room:
    """For so many connections, or for three quarters of the files that this process may open, if those are less: the rest is for
    the database and for calls. `waiting`: those without a request, of which the first has waited longest.
    """

    def __init__(self, most: int) -> None:
        self.most = min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] * 3 // 4)
        self.waiting: dict[Arriving, None] = {}
        self._told_at = -TELL_SECONDS

    def has_place(self, count: int) -> bool:
        """For one more, where there are `count` with it: nobody need be sent away, or somebody is who has no request."""
        if count <= self.most:
            return True
        if time.monotonic() - self._told_at >= TELL_SECONDS:
            self._told_at = time.monotonic()
            _log.warning("all %d connections are taken; PERDURE_CONNECTIONS_MAX says how many there may be", self.most)
        longest = next(iter(self.waiting), None)
        if longest is None:
            return False
        del self.waiting[longest]
        longest.transport.abort()
        return True


class Arriving(HttpToolsProtocol):
    """One connection."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        room: Room,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._room, self._has_place = room, True
        self._due: TimerHandle | None = None
        self._is_in_head = self._is_refused = self._has_moved = False
        self._head_bytes = self._head_lines = self._unmoved_bytes = 0
        self._stalled: TimerHandle | None = None
        self._unsent_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._has_place = self._room.has_place(len(self.connections))
        if not self._has_place and len(self.connections) > self._room.most + ALWAYS_MAX:
            transport.abort()
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.waiting.pop(self, None)
        self._wait_no_more()
        self._go_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """What brings neither a head nor a part of a body to its end is kept by the parser: there may be only so much of it."""
        if self._is_refused:
            self._unmoved_bytes += len(data)
            if self._unmoved_bytes > LAST_BYTES_MAX:
                self.transport.abort()
            return
        self._has_moved = False
        super().data_received(data)
        self._unmoved_bytes = 0 if self._has_moved else self._unmoved_bytes + len(data)
        if self._unmoved_bytes > HEAD_BYTES_MAX:
            self._refuse(_TOO_LARGE)
        elif self._due is None and not self._is_answering() and not self.transport.is_closing():
            self._wait()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head = self._has_moved = True
        self._head_bytes = self._head_lines = 0

    def on_url(self, url: bytes) -> None:
        self._count(len(url), 0)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value), 1)
        if self._is_in_head:  # else it stands after the body, where nothing is said that counts
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head, self._has_moved = False, True
        self._wait_no_more()
        self._room.waiting.pop(self, None)
        if not self._has_place and self.url.partition(b"?")[0] not in ALWAYS:
            self.app = _full
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._has_moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_moved = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_answering():
            self._room.waiting[self] = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self._look_whether_it_stalls)

    def resume_writing(self) -> None:
        self._go_on()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  it says the same of everything
        """What the parser cannot read, or was kept from reading."""
        too_large = self._head_bytes > HEAD_BYTES_MAX or self._head_lines > HEAD_LINES_MAX
        self._refuse(_TOO_LARGE if too_large else _NOT_HTTP)

    def _count(self, size: int, lines: int) -> None:
        self._head_bytes += size
        self._head_lines += lines
        if self._head_bytes > HEAD_BYTES_MAX or self._head_lines > HEAD_LINES_MAX:
            raise _TooMuch

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _wait(self) -> None:
        self._room.waiting[self] = None
        self._due = self.loop.call_later(HEAD_SECONDS, self._be_overdue)

    def _wait_no_more(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _be_overdue(self) -> None:
        self._due = None
        if self._is_in_head:
            self._refuse(_TOO_SLOW)
        else:
            self.transport.close()

    def _refuse(self, wrong: Wrong) -> None:
        """For good. Whoever is being answered something else is not: the two would be one answer that nobody can read."""
        if self._is_answering():
            self.transport.abort()
        if self.transport.is_closing():
            return
        self._is_refused = True
        self._wait_no_more()
        self.transport.write(_written(wrong))
        self.transport.write_eof()
        self._room.waiting[self] = None
        self._due = self.loop.call_later(LAST_SECONDS, self.transport.close)

    def _look_whether_it_stalls(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent >= self._unsent_bytes:
            self.transport.abort()
            return
        self._unsent_bytes = unsent
        self._stalled = self.loop.call_later(STALLED_SECONDS, self._look_whether_it_stalls)

    def _go_on(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None


async def _full(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:  # noqa: ARG001
    answer = _FULL.answer()
    headers = [*answer.raw_headers, *HEADERS, (b"connection", b"close")]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": bytes(answer.body), "more_body": False})


def _written(wrong: Wrong) -> bytes:
    """An answer to what never became a request."""
    answer = wrong.answer()
    lines = [b"HTTP/1.1 %d %s" % (wrong.status, HTTPStatus(wrong.status).phrase.encode())]
    lines += [b"%s: %s" % each for each in (*answer.raw_headers, *HEADERS, (b"connection", b"close"))]
    return b"\r\n".join([*lines, b"", bytes(answer.body)])
