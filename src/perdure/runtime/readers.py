"""Read-only connections beside the writer's: several reads at a time, and organizations take turns."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from perdure.errors import PerdureError
from perdure.fair_queue import FairQueue, Slots, slots_for
from perdure.runtime.waiters import settle
from perdure.store.port import Reader, Unavailable

READERS_PER_ORGANIZATION_MAX = 4
READERS_MAX = slots_for(READERS_PER_ORGANIZATION_MAX)
"""Maximum number of connections to the database. They are opened as they are needed."""

Answer = TypeVar("Answer")
_Read: TypeAlias = tuple[str, asyncio.Future[Any], Callable[[], Any]]


class Readers:
    """Each is lent to one question at a time, the one last used first. Raises what opening the first of them does."""

    def __init__(
        self, opened: Callable[[], Reader], name: str, current_organization: Callable[[], str | None] = lambda: None
    ) -> None:
        """`current_organization` returns that on whose behalf the caller asks, if it is known."""
        self._opened, self._current_organization = opened, current_organization
        self._free = [opened()]
        self._lock = threading.Lock()
        self._queue: FairQueue[_Read] = FairQueue()
        self._slots = Slots(self._queue, READERS_PER_ORGANIZATION_MAX)
        self._waiting: dict[asyncio.Future[Any], float] = {}
        """Those who wait for an answer, the longest first, and since when."""
        self._answered_at = 0.0
        self._threads = ThreadPoolExecutor(READERS_MAX, thread_name_prefix=f"perdure-reader-{name}")

    def place(self) -> int:
        """The place in the history of all that has been written so far."""
        return int(self._lent(lambda reader: reader.ends_after(None)[0]))

    async def ask(self, question: Callable[[Any], Answer], organization: str | None = None) -> Answer:
        """Answer a question in a thread. `organization` is the only one whose rows are visible, where the database can see to
        that; None: all of them are.
        """
        turn = organization or self._current_organization() or ""
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        with self._lock:
            active = self._queue.active
            self._queue.append(turn, (turn, waiting, partial(self._lent, question, organization)))
            can_begin = self._queue.active > active  # else its organization has its share of threads
        if can_begin:
            self._threads.submit(self._work)
        self._waiting[waiting] = time.monotonic()
        try:
            return await waiting
        finally:
            del self._waiting[waiting]

    @property
    def silent_seconds(self) -> float:
        """Time for which callers have waited and none has been answered."""
        if not self._waiting:
            return 0.0
        return time.monotonic() - max(next(iter(self._waiting.values())), self._answered_at)

    def give_up(self, seconds: float, error: PerdureError) -> None:
        """Tell those who have waited for so long. Their reads may still be under way."""
        until = time.monotonic() - seconds
        for waiting, since in self._waiting.items():
            if since <= until:
                settle(waiting, None, error)

    def close(self) -> None:
        """Once all that was asked is answered."""
        self._threads.shutdown()
        for reader in self._free:
            reader.close()

    def _work(self) -> None:
        """Answer questions while there are some. This is called at least once for each that can begin; one that becomes able to,
        because another one of its organization has ended, is left to the thread that has ended it.
        """
        while True:
            with self._lock:
                if not self._queue.active:
                    return
                turn, waiting, question = self._queue.pop()
                self._slots.take(turn)
            self._answer(waiting, question)
            with self._lock:
                self._slots.free(turn)

    def _answer(self, waiting: asyncio.Future[Any], question: Callable[[], Any]) -> None:
        if waiting.done():  # its caller has gone
            return
        answer, problem = None, cast(Any, None)
        try:
            answer = question()
        except BaseException as error:  # noqa: BLE001  it belongs to the caller
            problem = error
        if not isinstance(problem, Unavailable):  # else it is this process that has given up
            self._answered_at = time.monotonic()
        with suppress(RuntimeError):  # the loop is closed
            waiting.get_loop().call_soon_threadsafe(settle, waiting, answer, problem)

    def _lent(self, question: Callable[[Any], Answer], organization: str | None = None) -> Answer:
        try:
            reader = self._free.pop()
        except IndexError:
            reader = self._opened()
        try:
            if organization is None:
                return question(reader)
            with reader.on_behalf_of(organization) as narrow:
                return question(narrow)
        finally:
            self._free.append(reader)
