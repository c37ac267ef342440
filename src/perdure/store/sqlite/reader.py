"""A reader over a SQLite file."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Self

from perdure.store.sql.reader import SqlReader
from perdure.store.sqlite.database import at_one_moment, connect_reading
from perdure.store.sqlite.errors import translated
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.statements import SqliteStatements


class SqliteReader(SqlReader):
    """Keeps the contract of `store.questions.Questions`."""

    def __init__(self, path: str, vfs: str | None = None) -> None:
        connection = self._connection = connect_reading(path, vfs)
        super().__init__(
            lambda file: SqliteStatements(connection, file), translated, lambda: at_one_moment(connection), self._lives
        )
        self._locks = WorkerLocks(path) if vfs is None else None
        self._seen = (-1, -1)
        """The version of the file, and the place in the history of all, when it was looked at."""

    def close(self) -> None:
        self._connection.close()

    def on_behalf_of(self, organization: str) -> AbstractContextManager[Self]:  # noqa: ARG002
        """SQLite knows no roles: it is the question that says whose rows it asks for."""
        return nullcontext(self)

    def _lives(self, worker: str, lease_until: int, now: int) -> bool:
        held = None
        if self._locks is not None:
            with suppress(OSError):  # a file that cannot be looked at says nothing
                held = self._locks.alive(worker)
        return lease_until > now if held is None else held

    @translated()
    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        version = int(self._connection.pragma("data_version"))
        if pos is not None and (version, pos) == self._seen:  # nobody has written
            return pos, []
        (last,) = self._sql.one("last_pos")
        ended = [] if pos is None else [id_ for (id_,) in self._sql.all("ends_between", (pos, last))]
        self._seen = (version, last)
        return last, ended
