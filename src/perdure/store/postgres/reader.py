"""Readers over Postgres: of everything, and on behalf of one organization, which sees no other's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property

from perdure.store.postgres.behalf import OnBehalf
from perdure.store.postgres.database import Connected, at_one_moment
from perdure.store.postgres.errors import translated
from perdure.store.postgres.statements import PostgresStatements
from perdure.store.postgres.tenants import role_to_take_on
from perdure.store.sql.reader import SqlReader


class PostgresQuestions(SqlReader):
    """`by_its_clock`: leases go by the clock of the database."""

    def __init__(
        self,
        open_: Callable[[str], PostgresStatements],
        moment: Callable[[], AbstractContextManager[object]],
        *,
        by_its_clock: bool,
    ) -> None:
        super().__init__(open_, translated, moment, self._lives)
        self._by_its_clock = by_its_clock

    def _lives(self, worker: str, lease_until: int, now: int) -> bool:  # noqa: ARG002
        return bool(lease_until > (self._sql.one("clock")[0] if self._by_its_clock else now))

    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        with translated():
            (last,) = self._sql.one("last_pos")
            if pos is None or last <= pos:
                return last if pos is None else pos, []
            return last, [id_ for (id_,) in self._sql.all("ends_between", (pos, last))]


class PostgresReader(PostgresQuestions):
    """Keeps the contract of `store.questions.Questions`."""

    def __init__(self, url: str, *, by_its_clock: bool) -> None:
        connected = self._connected = Connected(url, reads_only=True)
        super().__init__(
            lambda file: PostgresStatements(connected, file),
            lambda: at_one_moment(connected),
            by_its_clock=by_its_clock,
        )
        line = self._behalf = OnBehalf(connected)
        self._narrow = PostgresQuestions(
            lambda file: PostgresStatements(line, file, "narrow.sql"), nullcontext, by_its_clock=by_its_clock
        )

    def close(self) -> None:
        self._connected.close()

    @contextmanager
    def on_behalf_of(self, organization: str) -> Iterator[PostgresQuestions]:
        """Where there is a role for it; else it is the question alone that says whose rows it asks for."""
        with translated():
            role = self._role
            if role is None:
                yield self
                return
            with self._behalf.of(role, organization):
                yield self._narrow

    @cached_property
    def _role(self) -> str | None:
        return role_to_take_on(self._connected())
