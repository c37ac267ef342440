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

    def many(self, query: str, width: int, values: Sequence[Any]) -> int:
        """Write many rows by a query with one row of VALUES. `values` are those of all rows, of `width` columns each.

        How many rows of the table it changed.
        """
        text, changed, begin, end = self._texts[query], 0, 0, len(values)
        for size in SIZES:
            step = size * width
            while end - begin >= step:
                self.connection.execute(_repeated(text, size), values[begin : begin + step])
                changed += self.connection.changes()
                begin += step
        return changed


@cache
def _repeated(text: str, size: int) -> str:
    found = re.fullmatch(r"(.*\bVALUES )(\([?, \d]+\))(.*)", text, re.DOTALL)
    assert found is not None, text
    head, row, tail = found.groups()
    return head + ", ".join([row] * size) + tail
