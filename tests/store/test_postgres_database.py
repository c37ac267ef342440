"""How a store in Postgres comes to its tables: once, whoever comes first, and with a clear word where it may not."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from perdure.store.postgres import database
from perdure.store.postgres.database import Connected, known_version, migrate
from perdure.store.postgres.errors import CannotUse
from perdure.store.postgres.store import PostgresStore
from perdure.store.sql.refusals import DatabaseTooNew
from postgres import fresh_schema, server

STRANGER = "perdure_stranger"


@pytest.fixture
def url() -> str:
    return fresh_schema()


def _ask(url: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def _schema(url: str) -> str:
    return url.rpartition("%3D")[2]


def test_it_is_brought_up_to_date_once(url: str) -> None:
    connected = Connected(url)
    assert migrate(connected) == migrate(connected) == known_version()
    assert _ask(url, "SELECT version FROM perdure") == [(known_version(),)]
    connected.close()


def test_a_view_that_is_not_what_it_should_be_is_made_anew_and_one_that_is_stays(url: str) -> None:
    PostgresStore(url).close()
    which = "SELECT oid, xmin::text FROM pg_class WHERE oid = '\"Execution\"'::regclass"
    columns = "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'Execution'"
    made = _ask(url, which)
    PostgresStore(url).close()
    assert _ask(url, which) == made
    assert _ask(url, columns) == [(15,)]
    _ask(url, 'DROP VIEW "Execution"; CREATE VIEW "Execution" AS SELECT id AS "myself" FROM executions')
    PostgresStore(url).close()
    assert _ask(url, columns) == [(15,)]


def test_a_view_that_our_others_read_is_made_anew_with_them(url: str) -> None:
    PostgresStore(url).close()
    _ask(
        url,
        """DROP VIEW "wfExecutions", "ports_variables";
        CREATE VIEW "ports_variables" AS SELECT id AS "myself" FROM executions;
        CREATE VIEW "wfExecutions" AS SELECT "myself" FROM "ports_variables" """,
    )
    PostgresStore(url).close()
    assert _ask(url, 'SELECT variables, (SELECT count(loop) FROM ports_variables) FROM "wfExecutions"') == []


def test_what_reads_a_view_goes_on_reading_it_when_it_is_made_anew(url: str) -> None:
    PostgresStore(url).close()
    _ask(url, 'CREATE VIEW mine AS SELECT id FROM "Execution"')
    _ask(url, 'COMMENT ON VIEW "Execution" IS NULL')
    PostgresStore(url).close()
    assert _ask(url, "SELECT * FROM mine") == []


def test_a_newer_database_is_refused_and_not_touched(url: str) -> None:
    PostgresStore(url).close()
    _ask(url, "UPDATE perdure SET version = 99")
    with pytest.raises(DatabaseTooNew, match="version 99"):
        PostgresStore(url)
    assert _ask(url, "SELECT version FROM perdure") == [(99,)]


def test_tables_of_somebody_else_are_not_touched_and_the_way_out_is_told(url: str) -> None:
    _ask(url, "CREATE TABLE events (mine text)")
    with pytest.raises(
        CannotUse, match=r'"events" already exists, and is somebody else.s; give Perdure a schema of its own'
    ):
        PostgresStore(url)
    assert _ask(url, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()") == [("events",)]


def test_a_schema_that_is_not_there_is_told() -> None:
    with pytest.raises(CannotUse, match="no schema to work in"):
        PostgresStore(f"{server()}&options=-csearch_path%3Dnowhere")


def _as_stranger(url: str, rights: str) -> str:
    if not _ask(url, f"SELECT 1 FROM pg_roles WHERE rolname = '{STRANGER}'"):
        _ask(url, f"CREATE ROLE {STRANGER} LOGIN")
    _ask(url, f"GRANT {rights} ON SCHEMA {_schema(url)} TO {STRANGER}")
    return url.replace("postgres@", f"{STRANGER}@", 1)


def test_who_may_not_make_tables_is_told_what_to_ask_for(url: str) -> None:
    with pytest.raises(CannotUse, match=r"permission denied for schema .* give it the right, or a schema of its own"):
        PostgresStore(_as_stranger(url, "USAGE"))


def test_who_may_not_make_tables_may_use_those_that_are_there(url: str) -> None:
    PostgresStore(url).close()
    theirs = _as_stranger(url, "USAGE")
    _ask(url, f"GRANT ALL ON ALL TABLES IN SCHEMA {_schema(url)} TO {STRANGER}")
    store = PostgresStore(theirs)
    assert store.poll("ann", now=0, limit=1).events == ()
    store.close()


def test_an_old_server_is_refused_by_its_version(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "OLDEST", 990_000)
    with pytest.raises(CannotUse, match=r"use Postgres 99 or newer"):
        PostgresStore(make_conninfo(url))
