"""What a worker cannot read is set aside: for a while it is not offered to it again. Only this process knows of it, so that a
newer program, which comes with a restart, tries at once.
"""

from __future__ import annotations

from collections.abc import Callable

from perdure.store.sql import rows

ASIDE_SECONDS = 60.0
"""Somebody who can read it may have brought it to where this one can."""


class Aside:
    """Executions by their `eid` and versions of workflows by their digest, for each worker."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._until: dict[str, dict[int | str, float]] = {}

    def put(self, worker: str, what: int | str) -> None:
        self._until.setdefault(worker, {})[what] = self._seconds() + ASIDE_SECONDS

    def of(self, worker: str) -> frozenset[int | str]:
        mine = self._until.get(worker)
        if not mine:
            return frozenset()
        now = self._seconds()
        mine = self._until[worker] = {what: until for what, until in mine.items() if until > now}
        return frozenset(mine)

    def parameters(self, worker: str) -> dict[str, str]:
        """For the queries: two lists in JSON."""
        mine = self.of(worker)
        return {
            "executions": rows.text([what for what in mine if isinstance(what, int)]),
            "versions": rows.text([what for what in mine if isinstance(what, str)]),
        }
