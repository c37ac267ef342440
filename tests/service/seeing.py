"""The table of seed 004 as whoever has the database sees it."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.rows import dict_row

from perdure.store.sqlite.database import connect_reading

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
