"""What was asked to be started here, until it has ended: where a task that nobody has is a failure, it is one only for these.
What others left in the database has its worker elsewhere, and so may have what these start, where others use the database too.
"""

from __future__ import annotations

from itertools import islice
from operator import methodcaller

from perdure.runtime.ends import Read
from perdure.store import port as p


class Started:
    """`with_children`: what was started here and what that has started in turn, and so on."""

    def __init__(self, read: Read, *, with_children: bool) -> None:
        self._read, self._with_children = read, with_children
        self._open: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def add(self, execution: str) -> None:
        self._open[execution] = None

    def some(self, count: int) -> list[str]:
        """Return some of those that are open, others each time."""
        found = list(islice(self._open, count))
        for execution in found:
            del self._open[execution]
        self._open.update(dict.fromkeys(found))
        return found

    def forget(self, execution: str) -> None:
        """It has not been started after all."""
        self._open.pop(execution, None)

    def advanced(self, item: p.Advance) -> None:
        """It is durable. What it starts may live longer than it does."""
        if item.execution in self._open:
            if self._with_children:
                self._open.update(dict.fromkeys(pending.record.id for pending in item.changes.starts))
            if not item.record.live:
                self._open.pop(item.execution, None)

    async def has(self, execution: str) -> bool:
        """Whether it was started here; with children, also whether what started it was, and so on."""
        if not self._with_children:
            return execution in self._open
        name: str | None = execution
        while name is not None and name not in self._open:
            record = await self._read(methodcaller("record", name))
            name = None if record is None else record.parent
        return name is not None
