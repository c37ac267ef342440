"""The statements of some files, called by their names on one connection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import psycopg
from msgspec import Struct

from perdure.store.postgres.saying import Line, Said
from perdure.store.sql.statements import queries

PLACES_MAX = 1 << 24
"""So many places there are in one transaction."""

PLACE = "place"
"""The name of the parameter that says how many places of the transaction are taken."""

_PARAMETER = re.compile(r"\?(\d*)|(?<!:):([a-z_]+)")


class Statement(Struct, frozen=True):
    """`names`: the parameters that have one, in their order; the others come first, as they are given."""

    text: str
    names: tuple[str, ...]
    takes_places: bool
    takes_lists: bool


@cache
def statements(file: str) -> dict[str, Statement]:
    return {name: parsed(sql) for name, sql in queries("perdure.store.postgres", file).items()}


def parsed(sql: str) -> Statement:
    """Our `?`, `?1` and `:name` become the `$1` of Postgres."""
    count = len(re.findall(r"\?(?!\d)", sql)) or max((int(n) for n in re.findall(r"\?(\d+)", sql)), default=0)
    names: list[str] = []
    given = iter(range(1, count + 1))

    def numbered(found: re.Match[str]) -> str:
        number, name = found.groups()
        if name is None:
            return f"${number or next(given)}"
        if name not in names:
            names.append(name)
        return f"${count + 1 + names.index(name)}"

    return Statement(_PARAMETER.sub(numbered, sql), tuple(names), PLACE in names, "[]" in sql)


class PostgresStatements:
    """Keeps the contract of `store.sql.statements.Statements`."""

    def __init__(self, line: Line, *names: str) -> None:
        self._line = line
        self._statements = {name: one for file in names or ("queries.sql",) for name, one in statements(file).items()}
        self._places = 0

    def begin(self) -> None:
        """A transaction has begun, and none of its places are taken."""
        self._places = 0

    def run(self, query: str, parameters: Any = ()) -> None:
        self._line.tell(self._said(query, parameters))

    def changed(self, query: str, parameters: Any = ()) -> int:
        """It has to return its rows."""
        if self._statements[query].takes_lists:
            parameters = tuple([one] for one in parameters)
        return len(self.all(query, parameters))

    def one(self, query: str, parameters: Any = ()) -> Any:
        return self._asked(query, parameters).fetchone()

    def all(self, query: str, parameters: Any = ()) -> list[Any]:
        return self._asked(query, parameters).fetchall()

    def several(self, *asked: tuple[str, Any]) -> list[list[Any]]:
        """The server hears all of it at once, and answers once."""
        said = [self._said(query, parameters) for query, parameters in asked]
        return [cursor.fetchall() for cursor in self._line.ask(*said)]

    def each(self, query: str, parameters: Any = ()) -> Iterator[Any]:
        yield from self._asked(query, parameters)

    def all_of(self, query: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """All rows at once: the statement takes a list for each column."""
        if rows:
            self.run(query, tuple(map(list, zip(*rows, strict=True))))

    def each_of_all(self, queries: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """The server hears all of it at once; each statement takes a list for each column."""
        if rows and queries:
            lists = tuple(map(list, zip(*rows, strict=True)))
            self._line.ask(*(self._said(query, lists) for query in queries))

    def _asked(self, query: str, parameters: Any) -> psycopg.Cursor[Any]:
        return self._line.ask(self._said(query, parameters))[0]

    def _said(self, query: str, parameters: Any) -> Said:
        statement = self._statements[query]
        said = statement.text, self._given(statement, parameters)
        if statement.takes_places:
            self._places += _places(statement, parameters)
            assert self._places < PLACES_MAX, "a transaction that writes more facts than there are places"
        return said

    def _given(self, statement: Statement, parameters: Any) -> Any:
        """In the order of the statement, without what it does not name."""
        if isinstance(parameters, dict):
            return tuple(self._places if name == PLACE else parameters[name] for name in statement.names)
        return (*parameters, self._places) if statement.takes_places else parameters


def _places(statement: Statement, parameters: Any) -> int:
    """How many it takes at most: the server has not been heard yet, and gaps do no harm."""
    if isinstance(parameters, dict):
        return int(parameters["upto"])
    return len(parameters[0]) if statement.takes_lists else 1
