"""Which addresses a name has, by the resolver of the system, with /etc/hosts and all.

It cannot be interrupted, and whoever keeps a name's server silent decides how long it takes. So it has threads of its own: those
of the loop would soon all wait for such names, and everything else in the process for them. They are daemons: a process that
ends does not wait for a name. One organization never takes all of them.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Final, TypeAlias

from msgspec import Struct

from perdure.fair_queue import FairQueue, Slots
from perdure.tasks.offload import ORGANIZATION

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, as text. Asked once for each connection, and never for what is an address already."""

LOOKUPS_MAX: Final = 58
"""Maximum number of names that are looked up at once for one organization; fewer, if several organizations compete. Six more
threads are for other organizations. Further names wait, as long as their calls have time.
"""


class _Lookup(Struct, frozen=True, eq=False):
    organization: str
    host: str
    port: int
    addresses: asyncio.Future[list[str]]


class SystemNames:
    """Of one event loop."""

    def __init__(self, lookups_max: int = LOOKUPS_MAX) -> None:
        self._queue: FairQueue[_Lookup] = FairQueue()
        self._slots = Slots(self._queue, lookups_max)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        organization = ORGANIZATION.get()
        addresses: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._queue.append(organization, _Lookup(organization, host, port, addresses))
        self._start_lookups()
        return await addresses

    def _start_lookups(self) -> None:
        while self._queue.active and not self._slots.is_full:
            lookup = self._queue.pop()
            if lookup.addresses.done():  # the caller was cancelled, or has given up
                continue
            self._slots.take(lookup.organization)
            try:
                Thread(target=self._look_up, args=(lookup,), name="perdure-name", daemon=True).start()
            except RuntimeError as error:
                self._slots.free(lookup.organization)
                lookup.addresses.set_exception(OSError(str(error)))

    def _look_up(self, lookup: _Lookup) -> None:
        """In a thread: ask the system."""
        answer: list[str] | Exception
        try:
            entries = socket.getaddrinfo(lookup.host, lookup.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
            answer = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
        except (OSError, UnicodeError) as error:
            answer = error
        with suppress(RuntimeError):  # the loop has ended
            lookup.addresses.get_loop().call_soon_threadsafe(self._end, lookup, answer)

    def _end(self, lookup: _Lookup, answer: list[str] | Exception) -> None:
        self._slots.free(lookup.organization)
        if not lookup.addresses.done():
            if isinstance(answer, Exception):
                lookup.addresses.set_exception(answer)
            else:
                lookup.addresses.set_result(answer)
        self._start_lookups()
