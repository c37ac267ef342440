"""A database as whoever has it sees and changes it: the table of seed 004, and rows by hand."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.rows import dict_row

from perdure.clock import now_ms
from perdure.store.postgres.doctor import examine as examine_postgres
from perdure.store.postgres.store import PostgresStore
from perdure.store.sql.doctor import Report
from perdure.store.sqlite.database import connect_reading
from perdure.store.sqlite.doctor import examine as examine_sqlite

ALL = 'SELECT * FROM "Execution"'


def in_the_view(url: str) -> list[dict[str, Any]]:
    """Every row of it."""
    if not url.startswith("sqlite:///"):
        with psycopg.connect(url, row_factory=dict_row) as asking:
            return asking.execute(ALL).fetchall()
    connection = connect_reading(url.removeprefix("sqlite:///"))
    try:
        found = connection.execute(ALL)
        return [dict(zip((name for name, _ in found.get_description()), row, strict=True)) for row in found]
    finally:
        connection.close()


def examined(url: str) -> Report:
    """What the doctor says."""
    path = url.removeprefix("sqlite:///")
    return examine_postgres(url, now=now_ms()) if path == url else examine_sqlite(path, now=now_ms())


def by_hand(store: Any, sql: str) -> Any:
    """What a store over SQL answers to a statement of one's own."""
    connection = store.connected() if isinstance(store, PostgresStore) else store.connection
    return connection.execute(sql)
