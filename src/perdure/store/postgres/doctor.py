"""The doctor of a Postgres database: it reads with a connection of its own, and whoever has a lease by the clock of the database
lives, unless somebody has taken over from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import psycopg
from psycopg import errors

from perdure.store import port as p
from perdure.store.postgres.errors import first_line
from perdure.store.postgres.reaching import must_be_up_to_date, reach
from perdure.store.postgres.saying import Direct
from perdure.store.postgres.statements import PostgresStatements, parsed
from perdure.store.postgres.tenants import complaints
from perdure.store.postgres.urls import without_password
from perdure.store.sql.doctor import Alive, Examination, Report
from perdure.store.sql.refusals import CannotRead
from perdure.store.sql.statements import queries

ROWS_AT_ONCE = 500

_SETTINGS = ("jit = off", "statement_timeout = 0", "idle_in_transaction_session_timeout = '10min'")
"""A large database takes its time. A doctor who is gone must not keep the server from clearing away for ever."""


def examine(
    url: str,
    *,
    now: int | None = None,
    quick: bool = False,
    crashes_max: int = p.CRASHES_MAX,
    alive: Alive | None = None,
    by_its_clock: bool = True,
) -> Report:
    """Ask everything. `quick`: without folding the histories. `alive` says whether a worker lives; by default its lease does.
    `by_its_clock`: leases go by the clock of the database; so does what is late, where there is no `now`.
    """
    name = without_password(url)
    connection = reach(url)
    try:
        for setting in _SETTINGS:
            connection.execute(f"SET {setting}")
        connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        must_be_up_to_date(connection, name)
        patient = PostgresPatient(connection, name)
        clock = patient.sql.one("clock")[0]
        now = clock if now is None else now
        examination = Examination(
            patient,
            now=now,
            leases_at=clock if by_its_clock else now,
            crashes_max=crashes_max,
            alive=alive or (lambda _: None),
        )
        return examination.report(quick=quick)
    except (psycopg.OperationalError, errors.InsufficientPrivilege) as error:
        raise CannotRead(f"{name} cannot be read to its end: {first_line(str(error))}") from error
    finally:
        connection.close()


class PostgresPatient:
    """Keeps the contract of `store.sql.doctor.Patient`. Postgres looks at its pages as it reads them: what it finds damaged, it
    says while it is asked.
    """

    damage_errors = (errors.DataCorrupted, errors.IndexCorrupted)

    def __init__(self, connection: psycopg.Connection[Any], name: str) -> None:
        self.name, self._connection = name, connection
        self.sql = _Questions(connection)

    def damage(self, *, quick: bool) -> Iterator[tuple[str, str]]:  # noqa: ARG002
        return iter(())

    def apart(self) -> Iterator[tuple[str, str]]:
        return complaints(self._connection)

    def bytes(self) -> tuple[int, int | None]:
        return self.sql.one("size")[0], None


class _Questions(PostgresStatements):
    """With the views before each of them; long answers come in parts."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        super().__init__(Direct(connection), "queries.sql")
        texts = queries("perdure.store.postgres", "doctor.sql")
        asked = {name: parsed(f"{texts['views']}\n{sql}") for name, sql in texts.items() if name != "views"}
        self._statements = {**self._statements, **asked}
        self._asking, self._cursors = connection, count()

    def each(self, query: str, parameters: Any = ()) -> Iterator[Any]:
        statement = self._statements[query]
        with psycopg.RawServerCursor(self._asking, f"answers_{next(self._cursors)}") as cursor:
            cursor.itersize = ROWS_AT_ONCE
            cursor.execute(statement.text, self._given(statement, parameters))
            yield from cursor
