"""A database with a row of each of two organizations in every table, made from what its catalog says there is."""

from __future__ import annotations

from typing import Any

import psycopg

from perdure.store.postgres.store import PostgresStore
from perdure.store.postgres.tenants import role_of
from postgres import fresh_schema

ANN, BOB = "ann", "bob"

TABLES = """
SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace ORDER BY relname <> 'executions', relname"""

COLUMNS = """
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND attidentity = '' AND NOT atthasdef ORDER BY attnum"""


def filled_schema() -> str:
    """Its URL."""
    url = fresh_schema()
    PostgresStore(url).close()
    with connected(url) as connection:
        for table in tables(connection):
            for organization in (ANN, BOB) if table != "perdure" else ():
                _insert(connection, table, organization)
    return url


def connected(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url, autocommit=True, cursor_factory=psycopg.RawCursor)


def tables(connection: psycopg.Connection[Any]) -> list[str]:
    return [table for (table,) in connection.execute(TABLES).fetchall()]


def seen(url: str, sql: str, organization: str | None = None) -> list[Any]:
    """What the role of readers finds on behalf of an organization; None: of nobody."""
    with connected(url) as connection:
        role = role_of(connection).name
        with connection.transaction():
            if organization is not None:
                connection.execute("SELECT set_config('perdure.organization', $1, true)", (organization,))
            connection.execute("SELECT set_config('role', $1, true)", (role,))
            return connection.execute(sql.encode()).fetchall()


def _insert(connection: psycopg.Connection[Any], table: str, organization: str) -> None:
    columns = connection.execute(COLUMNS, (table,)).fetchall()
    names = ", ".join(f'"{name}"' for name, _ in columns)
    values = ", ".join(_value(name, kind, organization) for name, kind in columns)
    connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({values})'.encode())


def _value(name: str, kind: str, organization: str) -> str:
    if name == "organization":
        return f"'{organization}'"
    if name == "eid":
        return f"(SELECT eid FROM executions WHERE organization = '{organization}')"
    if name == "data" and kind == "text":
        return f"'\"{organization}\"'"
    number = 1 if organization == ANN else 2
    return {
        "text": f"'{organization} {name}'",
        "bigint": str(number),
        "smallint": str(number),
        "boolean": "false",
        "bytea": f"'{organization}'::bytea",
    }[kind]
