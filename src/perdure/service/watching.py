"""Following an execution, whoever runs it: the history is asked again and again, beside whoever writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

from perdure.model.records import ExecutionRecord
from perdure.service.describing import described
from perdure.service.history import HistoryEntry, Told
from perdure.service.standing import model
from perdure.service.why import Why
from perdure.store.questions import Questions

LOOK_SECONDS = 0.03
AT_ONCE = 500
QUIET_LOOKS = 5
"""After so many looks at which nothing had happened, it is asked what it waits for."""


class Read(Protocol):
    """Asks the store, beside whoever writes."""

    def __call__(self, question: Callable[[Questions], Any], /) -> Awaitable[Any]: ...


async def watched(
    read: Read, why: Callable[[], Awaitable[Why]], record_of: Callable[[Questions], ExecutionRecord], after: int
) -> AsyncIterator[HistoryEntry]:
    watch = _Watch(record_of, after)
    quiet = 0
    while True:
        entries = await read(watch.look)
        for entry in entries:
            yield entry
        if watch.is_over:
            return
        if entries:
            quiet = 0
            continue
        quiet += 1
        if quiet % QUIET_LOOKS == 0 and (await why()).needs_somebody:
            return
        await asyncio.sleep(LOOK_SECONDS)


class _Watch:
    """How far it has been told."""

    def __init__(self, record_of: Callable[[Questions], ExecutionRecord], after: int) -> None:
        self._record_of, self._after = record_of, after
        self._told: Told | None = None
        self.is_over = False

    def look(self, store: Questions) -> tuple[HistoryEntry, ...]:
        """The record first: what it says to have happened is in the history by then."""
        record = self._record_of(store)
        if self._told is None:
            self._told = Told(record.id, model(store, record), described(store, record).dialect)
        entries = self._told.entries(store, store.history(record.id, self._after, AT_ONCE))
        if entries:
            self._after = entries[-1].seq
        self.is_over = self._after >= record.seq and record.ended_at is not None and not record.live
        return entries
