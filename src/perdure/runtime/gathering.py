"""What the engine has said and the writer has not been given yet: while more is coming, commits are gathered, because each batch
costs the loop some four tenths of a millisecond, however many there are in it.
"""

from __future__ import annotations

from collections.abc import Callable

from perdure.runtime import ports
from perdure.runtime.writer import Writer
from perdure.store import port as p

GATHERED_PART, GATHERED_SECONDS = 4, 0.005
"""They are gathered until they are so great a part of all that is on its way, but no longer than that."""


class Gathering:
    """True while there is something. `seconds` is the clock of the loop."""

    def __init__(self, writer: Writer, seconds: Callable[[], float]) -> None:
        self._writer, self._seconds = writer, seconds
        self.unanswered = 0
        """Items that were said, and whose outcomes the engine has not been told."""
        self._items: list[p.Item] = []
        self._since = 0.0

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, items: tuple[p.Item, ...], questions: tuple[ports.Query, ...], coming: int) -> None:
        """`coming`: how much more is about to be said. Questions are not kept waiting."""
        if not self._items:
            self._since = self._seconds()
        self._items += items
        if questions or self._is_enough(coming):
            self.flush(questions)

    def _is_enough(self, coming: int) -> bool:
        return (
            not coming
            or len(self._items) * GATHERED_PART >= self.unanswered + coming
            or self._seconds() - self._since > GATHERED_SECONDS
        )

    def flush(self, questions: tuple[ports.Query, ...] = ()) -> None:
        items, self._items = tuple(self._items), []
        self._writer.submit(items, questions)
