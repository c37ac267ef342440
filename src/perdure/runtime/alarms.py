"""When which execution that is held may be due."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from perdure.core.state import wake_at
from perdure.runtime.held import Held

SLACK = 64
"""So many that are out of date are not worth to be cleared away."""


class Alarms:
    """A heap, with entries that are out of date: a time that has moved is left in it, until it comes or there are too many."""

    def __init__(self, held: Mapping[str, Held]) -> None:
        self._held = held
        self._heap: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def next(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def set(self, held: Held) -> None:
        """As its state says."""
        due = wake_at(held.state)
        if due is None or due == held.timer_at:
            return
        held.timer_at = due
        heappush(self._heap, (due, held.record.id))
        if len(self._heap) > SLACK + 4 * len(self._held):
            self._heap = [(each.timer_at, name) for name, each in self._held.items() if each.timer_at is not None]
            heapify(self._heap)

    def due(self, now: int) -> list[Held]:
        """Those whose time has come. One that is being committed has its turn after that."""
        found: list[Held] = []
        while self._heap and self._heap[0][0] <= now:
            held = self._held.get(heappop(self._heap)[1])
            if held is None:
                continue
            held.timer_at = None
            at = wake_at(held.state)
            if held.under_way is None and at is not None and at <= now:
                found.append(held)
        return found
