"""A reader over Postgres."""

from __future__ import annotations

from perdure.store.postgres.database import Connected, at_one_moment
from perdure.store.postgres.errors import translated
from perdure.store.postgres.statements import PostgresStatements
from perdure.store.sql.reader import SqlReader


class PostgresReader(SqlReader):
    """Keeps the contract of `store.questions.Questions`. `by_its_clock`: leases go by the clock of the database."""

    def __init__(self, url: str, *, by_its_clock: bool) -> None:
        connected = self._connected = Connected(url, reads_only=True)
        super().__init__(
            lambda file: PostgresStatements(connected, file), translated, lambda: at_one_moment(connected), self._lives
        )
        self._by_its_clock = by_its_clock

    def close(self) -> None:
        self._connected.close()

    def _lives(self, worker: str, lease_until: int, now: int) -> bool:  # noqa: ARG002
        return bool(lease_until > (self._sql.one("clock")[0] if self._by_its_clock else now))

    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        with translated():
            (last,) = self._sql.one("last_pos")
            if pos is None or last <= pos:
                return last if pos is None else pos, []
            return last, [id_ for (id_,) in self._sql.all("ends_between", (pos, last))]
