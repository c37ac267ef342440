"""Who else works on the database: whoever has a lease by the clock of the database lives, and whoever has something for others
notifies them. That is only a hint; it is also looked at again and again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import psycopg

from perdure.store.postgres.database import Connected
from perdure.store.postgres.statements import PostgresStatements

LOOK_SECONDS = 0.5
"""How often it looks although nobody has said anything."""


class PostgresPresence:
    """Keeps the contract of `store.sql.claiming.Presence`. `clock`: what the time is, given that of the caller."""

    def __init__(
        self,
        statements: PostgresStatements,
        listening: Connected,
        clock: Callable[[int], int],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sql, self._listening, self._clock, self._seconds = statements, listening, clock, seconds
        self._look_at = 0.0

    def lives(self, worker: str, now: int) -> bool:
        return self._sql.one("has_lease", (worker, self._clock(now))) is not None

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
