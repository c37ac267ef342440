"""Sessions, one for each connection of an organization: opened when the first call needs it, shared by all that come while it is
open, and closed when nobody has called for a while.

A server that ends is started again by the next call; one that cannot be opened is not tried again at once. A call that was under
way when its server ended may have had its effect, and fails: trying it again is for the retry policy of its step. One of which
nothing was sent is made on a new session.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import Context
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from perdure.tasks.limits import Limits
from perdure.tasks.mcp.connection import Connection, Stdio
from perdure.tasks.mcp.failing import OUTBOUND_REFUSED, McpNotAllowed, McpUnavailable, NotSent
from perdure.tasks.redaction import Redactor

if TYPE_CHECKING:
    from perdure.tasks.door import Door
    from perdure.tasks.mcp.session import Session

IDLE_SECONDS: Final = 300.0
BACKOFF_SECONDS, BACKOFF_SECONDS_MAX = 0.2, 10.0
_TRIES: Final = 2

Key: TypeAlias = tuple[str, str]
"""Organization, and name of the connection."""

Answer = TypeVar("Answer")


class Pool:
    """`door` is how calls leave; it is asked for when there is one to be made."""

    def __init__(self, door: Callable[[], Door], limits: Limits, idle_seconds: float = IDLE_SECONDS) -> None:
        self._door, self._limits, self._idle_seconds = door, limits, idle_seconds
        self._kept: dict[Key, _Kept] = {}
        self._closing: set[asyncio.Task[Any]] = set()
        self._finishing: set[Session] = set()

    async def use(
        self,
        key: Key,
        connection: Connection,
        redactor: Redactor | None,
        ask: Callable[[Session], Awaitable[Answer]],
    ) -> Answer:
        """Ask something of the session; on a new one, if the first had ended before anything was sent."""
        about = f"the connection {key[1]!r}"
        for _ in range(_TRIES):
            try:
                async with self._session(key, connection, redactor, about) as session:
                    return await ask(session)
            except NotSent as error:
                cause = str(error)
        raise McpUnavailable(f"{about} ends again and again: {cause}")

    async def close(self) -> None:
        """All sessions, at the same time."""
        kept, self._kept = list(self._kept.values()), {}
        for each in kept:
            self._retire(each)
        for session in self._finishing:
            self._close(session)
        while self._closing:
            await asyncio.wait(self._closing)

    def forget(self, key: Key) -> None:
        """The connection is not there any more, or another one."""
        kept = self._kept.pop(key, None)
        if kept is not None:
            kept.is_retired = True
            self._retire_unused(kept)

    @asynccontextmanager
    async def _session(
        self, key: Key, connection: Connection, redactor: Redactor | None, about: str
    ) -> AsyncIterator[Session]:
        kept = self._kept.get(key)
        if kept is None or kept.connection != connection:
            self.forget(key)
            kept = self._kept[key] = _Kept(connection)
        kept.users += 1
        if kept.idle is not None:
            kept.idle.cancel()
            kept.idle = None
        try:
            yield await self._opened(kept, redactor, about)
        finally:
            kept.users -= 1
            self._retire_unused(kept)
            if not kept.users and not kept.is_retired:
                kept.idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._rest, key, kept)

    async def _opened(self, kept: _Kept, redactor: Redactor | None, about: str) -> Session:
        """The one that is open, or a new one. Whoever comes meanwhile waits for the same, and hears the same if it fails."""
        session = kept.session
        if session is not None and not session.is_over:
            return session
        if kept.opening is None:
            opening = self._open(kept, redactor, about)
            kept.opening = asyncio.get_running_loop().create_task(opening, context=Context())
            kept.opening.add_done_callback(kept.was_opened)
        return await asyncio.shield(kept.opening)

    async def _open(self, kept: _Kept, redactor: Redactor | None, about: str) -> Session:
        if kept.session is not None:
            self._wait_for(asyncio.get_running_loop().create_task(self._finish(kept.session), context=Context()))
            kept.session = None
        await asyncio.sleep(max(0.0, kept.not_before - asyncio.get_running_loop().time()))
        session = await self._new(kept.connection, redactor, about)
        try:
            await session.opened()
        except BaseException:
            self._close(session)
            raise
        kept.session = session
        return session

    async def _new(self, connection: Connection, redactor: Redactor | None, about: str) -> Session:
        session, stdio, http = _made() if _made.cache_info().currsize else await asyncio.to_thread(_made)
        bytes_max = self._limits.response_bytes_max
        transport: Any
        if isinstance(connection, Stdio):
            transport = stdio(connection, about, bytes_max)
        else:
            transport = http(connection, about, self._door(), self._limits)
        made: Session = session(transport, about, connection.connect_ms / 1_000, bytes_max, redactor)
        return made

    def _rest(self, key: Key, kept: _Kept) -> None:
        if self._kept.get(key) is kept and not kept.users:
            del self._kept[key]
            self._retire(kept)

    def _retire_unused(self, kept: _Kept) -> None:
        if kept.is_retired and not kept.users:
            self._retire(kept)

    def _retire(self, kept: _Kept) -> None:
        kept.is_retired = True
        if kept.idle is not None:
            kept.idle.cancel()
            kept.idle = None
        if kept.opening is not None:
            kept.opening.cancel()
            self._wait_for(kept.opening)
        if kept.session is not None:
            session, kept.session = kept.session, None
            self._close(session)

    async def _finish(self, session: Session) -> None:
        self._finishing.add(session)
        try:
            await session.finish()
        finally:
            self._finishing.discard(session)

    def _close(self, session: Session) -> None:
        self._wait_for(asyncio.get_running_loop().create_task(session.close(), context=Context()))

    def _wait_for(self, closing: asyncio.Task[Any]) -> None:
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


class _Kept:
    """What is kept for one connection: its session if one is open, and how often it could not be opened."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.session: Session | None = None
        self.opening: asyncio.Task[Session] | None = None
        self.users, self.failures, self.not_before = 0, 0, 0.0
        self.idle: asyncio.TimerHandle | None = None
        self.is_retired = False

    def was_opened(self, opening: asyncio.Task[Session]) -> None:
        self.opening = None
        if opening.cancelled() or opening.exception() is None or _was_kept_in(opening.exception()):
            self.failures = 0
            return
        pause = min(BACKOFF_SECONDS * 2**self.failures, BACKOFF_SECONDS_MAX)
        self.failures, self.not_before = self.failures + 1, asyncio.get_running_loop().time() + pause


def _was_kept_in(error: BaseException | None) -> bool:
    """Whether our own door has not let the call out: then no server has to be spared, and nobody has to wait to be told so."""
    return isinstance(error, McpNotAllowed) and error.code == OUTBOUND_REFUSED


@cache
def _made() -> tuple[Any, Any, Any]:
    """Imported when the first session is opened, and then in a thread: what else runs goes on."""
    from perdure.tasks.mcp.over_http import HttpTransport  # noqa: PLC0415
    from perdure.tasks.mcp.session import Session  # noqa: PLC0415
    from perdure.tasks.mcp.stdio import StdioTransport  # noqa: PLC0415

    return Session, StdioTransport, HttpTransport
