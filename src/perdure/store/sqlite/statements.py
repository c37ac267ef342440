"""The statements of a file, called by their names on one connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from perdure.store.sqlite.database import queries


class Statements:
    def __init__(self, connection: apsw.Connection, file: str = "queries.sql") -> None:
        self.connection = connection
        self._texts = queries(file)

    def run(self, query: str, parameters: Any = ()) -> apsw.Cursor:
        return self.connection.execute(self._texts[query], parameters)

    def one(self, query: str, parameters: Any = ()) -> Any:
        """The one row that there is; None if there is none."""
        return self.run(query, parameters).fetchone()

    def all(self, query: str, parameters: Any = ()) -> list[Any]:
        return self.run(query, parameters).fetchall()

    def all_of(self, query: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """The same with each row."""
        if rows:
            self.connection.executemany(self._texts[query], rows)
