"""What comes over a connection before there is a request: bounded in size, in number and in time, whoever sends it.

The parser keeps a header until it is complete, and uvicorn waits for it for ever. Here a head, the line and the headers of a
request, may have so many bytes and lines, and has to be there in time; also whoever is connected and says nothing is gone then.
Bodies are bounded by who reads them (`bodies.py`); what stands between and after their parts is bounded here. Whoever does not
take what they asked for is gone, too.

The number of connections is limited. If all are taken, one is dropped, the oldest first: a request of an unknown caller that is
not complete, or a connection of one without a request for a second; then an idle connection of a known caller; then a request
of a known caller that is not complete for a second, or an answer that is not read. If all others are being answered, only
requests for the state of the server are let in: a busy server must not be taken for dead.
"""

from __future__ import annotations

import asyncio
import logging
import time
from asyncio import TimerHandle
from http import HTTPStatus
from typing import Any, Final

from uvicorn import Config
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from perdure.api.about import ADMITTED
from perdure.api.door import HEADERS
from perdure.api.problems import Wrong

HEAD_BYTES_MAX: Final = 65_536
HEAD_LINES_MAX: Final = 200
HEAD_SECONDS: Final = 10.0
STALLED_SECONDS: Final = 30.0
"""Whoever takes nothing of an answer for so long is gone."""

SLOW_SECONDS: Final = 1.0
"""A body that is not complete for so long, or an answer that is not read for so long, can be dropped if there is no room."""

SENT_SECONDS: Final = 0.1
"""Time that a client may take to send a body after its head. Many clients send them separately."""

STRANGERS_SHARE: Final = 0.5
"""If unknown callers have more than this part of the room, they are dropped before known ones, however slow those are."""

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
_TOO_SLOW: Final = Wrong(408, "too_slow", f"request headers timed out after {HEAD_SECONDS:g} seconds")
_NOT_HTTP: Final = Wrong(400, "not_http", "what came is no request of HTTP/1.1")
_BAD_HOST: Final = Wrong(400, "not_http", "A request of HTTP/1.1 has exactly one Host header.")
_BAD_FRAMING: Final = Wrong(400, "not_http", "Unsupported Transfer-Encoding: send chunked, or Content-Length.")
_FULL: Final = Wrong(
    503,
    "too_many_connections",
    "as many are connected as there is room for; try again later, or let the operator raise PERDURE_CONNECTIONS_MAX",
    headers={"Retry-After": "1"},
)


class _TooMuch(Exception):
    """Said to the parser, which goes no further."""


class _Ambiguous(Exception):
    """Raised to the parser for a head that could be understood in two ways."""


class Room:
    """For so many connections. `waiting`: those without a request of which no caller is known, the first has waited longest."""

    strangers: dict[Arriving, float]
    """Connections whose request is not complete, and whose caller is not known, the oldest first."""
    idle: dict[Arriving, float]
    """Connections without a request whose caller is known, and since when."""
    unfinished: dict[Arriving, float]
    """The same of callers that are known, and since when."""
    stalled: dict[Arriving, float]
    """Connections that take nothing of an answer, the longest first, and since when."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.waiting: dict[Arriving, float] = {}
        self.idle: dict[Arriving, float] = {}
        self.strangers, self.unfinished, self.stalled = {}, {}, {}
        self._told_at = -TELL_SECONDS

    def leave(self, connection: Arriving) -> None:
        for connections in (self.waiting, self.strangers, self.idle, self.unfinished, self.stalled):
            connections.pop(connection, None)

    def has_place(self, count: int) -> bool:
        """For one more, where there are `count` with it: none need be dropped, or one is that keeps nobody from an answer."""
        if count <= self.most:
            return True
        if time.monotonic() - self._told_at >= TELL_SECONDS:
            self._told_at = time.monotonic()
            _log.warning("all %d connections are taken; PERDURE_CONNECTIONS_MAX says how many there may be", self.most)
        dropped = self._to_drop()
        if dropped is None:
            return False
        self.leave(dropped)
        dropped.transport.abort()
        return True

    def _to_drop(self) -> Arriving | None:
        """Return the connection to drop. Unfinished requests of unknown callers come before those of known ones, however old each
        is; idle connections of known callers lose nothing, and come before a request that may be complete in a moment.
        """
        unknown, stranger, idle = _oldest(self.waiting, self.strangers), _oldest(self.strangers), _oldest(self.idle)
        if unknown is not None and len(self.waiting) + len(self.strangers) > self.most * STRANGERS_SHARE:
            return unknown[0]
        now = time.monotonic()
        for oldest, seconds_min in (
            (unknown, SLOW_SECONDS),
            (stranger, SENT_SECONDS),
            (idle, SLOW_SECONDS),
            (stranger, 0.0),
            (_oldest(self.unfinished, self.stalled), SLOW_SECONDS),
            (unknown, 0.0),
            (idle, 0.0),
        ):
            if oldest is not None and oldest[1] <= now - seconds_min:
                return oldest[0]
        return None


def _oldest(*connections: dict[Arriving, float]) -> tuple[Arriving, float] | None:
    firsts = [next(iter(each.items())) for each in connections if each]
    return min(firsts, key=lambda first: first[1], default=None)


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
        self._room, self._has_place, self._is_known = room, True, False
        self._due: TimerHandle | None = None
        self._is_in_head = self._is_refused = self._has_moved = False
        self._is_in_body = False
        self._wrong: Wrong | None = None
        self._refusal: Wrong | None = None
        """What is still to be answered, after the requests before it."""
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
        self._room.leave(self)
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
        self._refuse_ambiguous()
        self._wait_no_more()
        self._room.waiting.pop(self, None)
        self._room.idle.pop(self, None)
        if not self._has_place and self.url.partition(b"?")[0] not in ALWAYS:
            self.app = _full
        self._room.strangers[self] = time.monotonic()  # until its caller is known, or all of it is there
        super().on_headers_complete()
        self._is_in_body = True
        self.scope[ADMITTED] = self._be_admitted  # type: ignore[typeddict-unknown-key]

    def _be_admitted(self) -> None:
        self._is_known = True
        if self._room.strangers.pop(self, None) is not None:
            self._room.unfinished[self] = time.monotonic()

    def on_body(self, body: bytes) -> None:
        self._has_moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_moved, self._is_in_body = True, False
        self._room.strangers.pop(self, None)
        self._room.unfinished.pop(self, None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        is_last = not self.pipeline
        super().on_response_complete()
        if self._is_refused:
            if is_last and self._refusal is not None and not self.transport.is_closing():
                self._end(self._refusal)
        elif not self._is_answering():
            self._rest()

    def _rest(self) -> None:
        (self._room.idle if self._is_known else self._room.waiting)[self] = time.monotonic()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._room.stalled[self] = time.monotonic()
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self._look_whether_it_stalls)

    def resume_writing(self) -> None:
        self._go_on()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  it says the same of everything
        """What the parser cannot read, or was kept from reading."""
        too_large = self._head_bytes > HEAD_BYTES_MAX or self._head_lines > HEAD_LINES_MAX
        self._refuse(_TOO_LARGE if too_large else self._wrong or _NOT_HTTP)

    def _refuse_ambiguous(self) -> None:
        """Raise `_Ambiguous` for several hosts, none, or a body whose length a proxy in front could read otherwise."""
        hosts = 0
        for name, value in self.headers:
            if name == b"host":
                hosts += 1
            elif name == b"transfer-encoding" and value.strip().lower() != b"chunked":
                self._wrong = _BAD_FRAMING
                raise _Ambiguous
        if hosts > 1 or (not hosts and self.parser.get_http_version() == "1.1"):
            self._wrong = _BAD_HOST
            raise _Ambiguous

    def _count(self, size: int, lines: int) -> None:
        self._head_bytes += size
        self._head_lines += lines
        if self._head_bytes > HEAD_BYTES_MAX or self._head_lines > HEAD_LINES_MAX:
            raise _TooMuch

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _wait(self) -> None:
        self._rest()
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
        """Answer after the requests before it, and close. A request that has its answer already gets no second one."""
        if self.transport.is_closing():
            return
        self._is_refused = True
        self._wait_no_more()
        if self._is_in_body:
            if self.pipeline:  # its handler has not begun, and others come first
                self.pipeline.popleft()
                self._refusal = wrong
            elif self.cycle.response_complete:
                self._end(None)
            elif self.cycle.response_started:
                self.transport.abort()  # a client could not tell the two answers apart
            else:  # its handler still waits for the body, which never comes, and must not ask for it after the answer
                self.cycle.waiting_for_100_continue = False
                self.cycle.disconnected = True
                self.cycle.message_event.set()
                self._end(wrong)
        elif self._is_answering():
            self._refusal = wrong
        else:
            self._end(wrong)

    def _end(self, wrong: Wrong | None) -> None:
        """Answer, and close as soon as the client has had time to read it."""
        self._refusal = None
        if wrong is not None:
            self.transport.write(_written(wrong))
        self.transport.write_eof()
        self._room.waiting[self] = time.monotonic()
        self._due = self.loop.call_later(LAST_SECONDS, self.transport.close)

    def _look_whether_it_stalls(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent >= self._unsent_bytes:
            self.transport.abort()
            return
        self._unsent_bytes = unsent
        self._stalled = self.loop.call_later(STALLED_SECONDS, self._look_whether_it_stalls)

    def _go_on(self) -> None:
        self._room.stalled.pop(self, None)
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
