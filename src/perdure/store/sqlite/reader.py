"""What is read beside whoever writes: a connection of its own, for a thread of its own."""

from __future__ import annotations

from perdure.model.records import ExecutionRecord
from perdure.store.sqlite.database import connect_reading
from perdure.store.sqlite.errors import translated
from perdure.store.sqlite.reading import Reading
from perdure.store.sqlite.statements import Statements


class SqliteReader:
    """Keeps the contract of `store.port.Reader`."""

    def __init__(self, path: str, vfs: str | None = None) -> None:
        self._connection = connect_reading(path, vfs)
        self._sql = Statements(self._connection)
        self._reading = Reading(self._sql)
        self._seen = (-1, -1)
        """The version of the file, and the place in the history of all, when it was looked at."""

    def close(self) -> None:
        self._connection.close()

    @translated()
    def record(self, execution: str) -> ExecutionRecord | None:
        return self._reading.record(execution)

    @translated()
    def active_version(self, organization: str, name: str) -> str | None:
        return self._reading.active_version(organization, name)

    @translated()
    def has_mail(self, execution: str) -> bool:
        found = self._sql.one("has_mail", (execution,))
        return found is not None and bool(found[0])

    @translated()
    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        version = int(self._connection.pragma("data_version"))
        if pos is not None and (version, pos) == self._seen:  # nobody has written
            return pos, []
        (last,) = self._sql.one("last_pos")
        ended = [] if pos is None else [id_ for (id_,) in self._sql.all("ends_between", (pos, last))]
        self._seen = (version, last)
        return last, ended
