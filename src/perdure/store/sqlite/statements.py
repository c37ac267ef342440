"""The statements of some files, called by their names on one connection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from perdure.store.sqlite.database import queries


class SqliteStatements:
    """Keeps the contract of `store.sql.statements.Statements`."""

    def __init__(self, connection: apsw.Connection, *names: str) -> None:
        self.connection = connection
        self._texts = {name: sql for file in names or ("queries.sql",) for name, sql in queries(file).items()}

    def run(self, query: str, parameters: Any = ()) -> None:
        self.connection.execute(self._texts[query], parameters)

    def changed(self, query: str, parameters: Any = ()) -> int:
        self.connection.execute(self._texts[query], parameters)
        return self.connection.changes()

    def one(self, query: str, parameters: Any = ()) -> Any:
        return self.connection.execute(self._texts[query], parameters).fetchone()

    def all(self, query: str, parameters: Any = ()) -> list[Any]:
        return self.connection.execute(self._texts[query], parameters).fetchall()

    def several(self, *asked: tuple[str, Any]) -> list[list[Any]]:
        return [self.all(query, parameters) for query, parameters in asked]

    def each(self, query: str, parameters: Any = ()) -> Iterator[Any]:
        return iter(self.connection.execute(self._texts[query], parameters))

    def all_of(self, query: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self.connection.executemany(self._texts[query], rows)

    def each_of_all(self, queries: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        for query in queries:
            self.all_of(query, rows)
