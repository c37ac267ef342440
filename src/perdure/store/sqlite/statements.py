"""The statements of queries.sql, called by their names on one connection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import apsw

from perdure.store.sqlite.database import queries

SIZES = (256, 64, 16, 4, 1)
"""Rows that one statement writes. Each statement lets go of the interpreter and has to get it back, and each size is
prepared once: a few large ones are cheaper than many small ones.
"""


class Statements:
    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._texts = queries()

    def run(self, query: str, parameters: Any = ()) -> apsw.Cursor:
        return self.connection.execute(self._texts[query], parameters)

    def one(self, query: str, parameters: Any = ()) -> Any:
        """The one row that there is; None if there is none."""
        return self.run(query, parameters).fetchone()

    def all(self, query: str, parameters: Any = ()) -> list[Any]:
        return self.run(query, parameters).fetchall()

    def many(self, query: str, rows: Sequence[tuple[Any, ...]]) -> int:
        """Write many rows by a query with one row of VALUES; how many rows of the table it changed."""
        text, changed, begin = self._texts[query], 0, 0
        for size in SIZES:
            while len(rows) - begin >= size:
                given = [value for row in rows[begin : begin + size] for value in row]
                self.connection.execute(_repeated(text, size), given)
                changed += self.connection.changes()
                begin += size
        return changed


@cache
def _repeated(text: str, size: int) -> str:
    found = re.fullmatch(r"(.*\bVALUES )(\([?, \d]+\))(.*)", text, re.DOTALL)
    assert found is not None, text
    head, row, tail = found.groups()
    return head + ", ".join([row] * size) + tail
