"""Who else works on the database: whoever has a lease by the clock of the database lives, and whoever has something for others
notifies them. That is only a hint; it is also looked at again and again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import psycopg

from perdure.store.postgres.database import IDLE_PART, Connected
from perdure.store.postgres.statements import PostgresStatements

LOOK_SECONDS = 0.5
"""How often it looks although nobody has said anything."""


class PostgresPresence:
    """Keeps the contract of `store.sql.claiming.Presence`. Leases go by the clock of the database; `lease_ms` of None: by that of
    the caller.
    """

    def __init__(
        self,
        statements: PostgresStatements,
        listening: Connected,
        seconds: Callable[[], float] = time.monotonic,
        *,
        lease_ms: int | None,
    ) -> None:
        self._sql, self._listening, self._seconds = statements, listening, seconds
        self._lease_ms = lease_ms
        self._look_at = 0.0

    def dead(self, workers: Iterable[str], now: int) -> list[str]:
        asked = list(workers)
        if not asked:
            return []
        living = {id_ for (id_,) in self._sql.all("living", (asked, now if self._lease_ms is None else None))}
        return [worker for worker in asked if worker not in living]

    def cut_off(self) -> None:
        """A worker may have stopped in the middle of what it says, or before it has heard all of the answer. It is not idle to
        the server then, which would wait for it for as long as it lives, with all that its transaction holds.
        """
        if self._lease_ms is not None:
            self._sql.all("cut_off", (self._lease_ms * IDLE_PART / 1_000,))

    def bar(self, worker: str) -> bool:
        (is_barred,) = self._sql.one("try_to_bar", (worker,))
        if is_barred:
            self._sql.run("bar", (worker,))
        else:
            self.cut_off()
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
