"""Who else works on the database: whoever has a lease by the clock of the database lives, and whoever has something for others
notifies them. That is only a hint; it is also looked at again and again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import psycopg

from perdure.store.postgres.database import Connected
from perdure.store.postgres.statements import PostgresStatements

LOOK_SECONDS = 0.5
"""How often it looks although nobody has said anything."""


class PostgresPresence:
    """Keeps the contract of `store.sql.claiming.Presence`. `by_its_clock`: leases go by the clock of the database, not by that of
    the caller.
    """

    def __init__(
        self,
        statements: PostgresStatements,
        listening: Connected,
        seconds: Callable[[], float] = time.monotonic,
        *,
        by_its_clock: bool,
    ) -> None:
        self._sql, self._listening, self._seconds = statements, listening, seconds
        self._by_its_clock = by_its_clock
        self._look_at = 0.0

    def dead(self, workers: Iterable[str], now: int) -> list[str]:
        asked = list(workers)
        if not asked:
            return []
        living = {id_ for (id_,) in self._sql.all("living", (asked, None if self._by_its_clock else now))}
        return [worker for worker in asked if worker not in living]

    def bar(self, worker: str) -> bool:
        (is_barred,) = self._sql.one("try_to_bar", (worker,))
        if is_barred:
            self._sql.run("bar", (worker,))
        return bool(is_barred)

    def show_oneself(self) -> None:
        """The lease does."""

    def clear_away(self, known: frozenset[str]) -> None:
        """Nothing is left of a worker but its row."""

    def has_been_written(self) -> bool:
        seconds = self._seconds()
        if seconds < self._look_at and not self._was_told():
            return False
        self._look_at = seconds + LOOK_SECONDS
        return True

    def _was_told(self) -> bool:
        with suppress(psycopg.Error):
            return bool(list(self._listening().notifies(timeout=0)))
        return False
