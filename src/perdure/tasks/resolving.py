"""Which addresses a name has, by the resolver of the system, with /etc/hosts and all.

It cannot be interrupted, and whoever keeps a name's server silent decides how long it takes. So it has threads of its own: those
of the loop would soon all wait for such names, and everything else in the process for them. They are daemons: a process that
ends does not wait for a name.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, Final, TypeAlias

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, as text. Asked once for each connection, and never for what is an address already."""

AT_ONCE_MAX: Final = 64
"""More names than that wait for those before them, as long as the call has time."""


class SystemNames:
    """Of one event loop."""

    def __init__(self, at_once_max: int = AT_ONCE_MAX) -> None:
        self._places = asyncio.Semaphore(at_once_max)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        await self._places.acquire()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def ended(say: Callable[[Any], None], what: Any) -> None:
            self._places.release()
            if not answer.done():  # who asked may have given up
                say(what)

        def ask() -> None:
            say: Callable[[Any], None] = answer.set_result
            what: Any = None
            try:
                found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
                what = list(dict.fromkeys(str(entry[4][0]) for entry in found))
            except (OSError, UnicodeError) as error:
                say, what = answer.set_exception, error
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(ended, say, what)

        try:
            Thread(target=ask, name="perdure-name", daemon=True).start()
        except RuntimeError as error:
            self._places.release()
            raise OSError(str(error)) from error
        return await answer
