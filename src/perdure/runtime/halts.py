"""Who wants to know when an execution may have come to a halt: this worker has committed that it waits, or that one which it has
started does. Of what other workers commit, nobody is told here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from perdure.model.records import ExecutionRecord


class Halts:
    """True while somebody wants to know."""

    def __init__(self) -> None:
        self._wanting: dict[str, set[asyncio.Event]] = {}

    def __bool__(self) -> bool:
        return bool(self._wanting)

    @contextmanager
    def of(self, execution: str) -> Iterator[asyncio.Event]:
        """Set whenever it may have; whoever waits for it clears it."""
        halted = asyncio.Event()
        self._wanting.setdefault(execution, set()).add(halted)
        try:
            yield halted
        finally:
            others = self._wanting[execution]
            others.remove(halted)
            if not others:
                del self._wanting[execution]

    def committed(self, record: ExecutionRecord) -> None:
        if record.status == "waiting":
            self.halted(record.id)
            self.halted(record.parent or "")

    def halted(self, execution: str) -> None:
        """It waits, or is parked."""
        for halted in self._wanting.get(execution, ()):
            halted.set()
