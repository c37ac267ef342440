"""Read-only connections beside the writer's: several reads at a time, and organizations take turns."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias, TypeVar

from perdure.runtime.fair_queue import FairQueue, Slots, slots_for
from perdure.store.port import Reader

READERS_PER_ORGANIZATION_MAX = 4
READERS_MAX = slots_for(READERS_PER_ORGANIZATION_MAX)
"""Maximum number of connections to the database. They are opened as they are needed."""

Answer = TypeVar("Answer")
_Read: TypeAlias = tuple[str, Future[Any], Callable[[], Any]]


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
        self._threads = ThreadPoolExecutor(READERS_MAX, thread_name_prefix=f"perdure-reader-{name}")

    def place(self) -> int:
        """The place in the history of all that has been written so far."""
        return int(self._lent(lambda reader: reader.ends_after(None)[0]))

    async def ask(self, question: Callable[[Any], Answer], organization: str | None = None) -> Answer:
        """Answer a question in a thread. `organization` is the only one whose rows are visible, where the database can see to
        that; None: all of them are.
        """
        turn = organization or self._current_organization() or ""
        future: Future[Answer] = Future()
        with self._lock:
            active = self._queue.active
            self._queue.append(turn, (turn, future, partial(self._lent, question, organization)))
            can_begin = self._queue.active > active  # else its organization has its share of threads
        if can_begin:
            self._threads.submit(self._work)
        return await asyncio.wrap_future(future)

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
                turn, future, question = self._queue.pop()
                self._slots.take(turn)
            _answer(future, question)
            with self._lock:
                self._slots.free(turn)

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


def _answer(future: Future[Any], question: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        answer = question()
    except BaseException as error:  # noqa: BLE001  it belongs to the caller
        future.set_exception(error)
    else:
        future.set_result(answer)
