"""Who else works on the file: whoever holds its lock lives, and whoever has written has changed the version of the file."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.statements import SqliteStatements


class SqlitePresence:
    """Keeps the contract of `store.sql.claiming.Presence`. Where the locks cannot tell, the lease does."""

    def __init__(self, statements: SqliteStatements, locks: WorkerLocks | None) -> None:
        self._sql, self._locks = statements, locks
        self._version = -1

    def dead(self, workers: Iterable[str], now: int) -> list[str]:
        return [worker for worker in workers if not self._lives(worker, now)]

    def _lives(self, worker: str, now: int) -> bool:
        held = None
        if self._locks is not None:
            with suppress(OSError):  # a file that cannot be looked at says nothing
                held = self._locks.alive(worker)
        return self._has_lease(worker, now) if held is None else held

    def _has_lease(self, worker: str, now: int) -> bool:
        found = self._sql.one("lease", (worker,))
        return found is not None and found[0] > now

    def cut_off(self) -> None:
        """Nobody holds anything but whoever writes, and whoever dies lets go of it."""

    def bar(self, worker: str) -> bool:  # noqa: ARG002  nobody writes beside a transaction
        return True

    def show_oneself(self) -> None:
        if self._locks is not None:
            self._locks.keep()

    def clear_away(self, known: frozenset[str]) -> None:
        if self._locks is not None:
            self._locks.sweep(known)

    def has_been_written(self) -> bool:
        version = int(self._sql.connection.pragma("data_version"))
        written = version != self._version
        self._version = version
        return written
