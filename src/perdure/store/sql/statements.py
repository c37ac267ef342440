"""Statements by their names, on one connection. What they say is the database's; what they are asked is the same for all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Protocol


class Statements(Protocol):
    """`parameters` are a tuple, or a dictionary where the statement has names for them."""

    def run(self, query: str, parameters: Any = ()) -> None: ...

    def changed(self, query: str, parameters: Any = ()) -> int:
        """How many rows it has changed."""
        ...

    def one(self, query: str, parameters: Any = ()) -> Any:
        """The one row that there is; None if there is none."""
        ...

    def all(self, query: str, parameters: Any = ()) -> list[Any]: ...

    def several(self, *asked: tuple[str, Any]) -> list[list[Any]]:
        """All rows of each, which are asked for together: statements and their parameters."""
        ...

    def each(self, query: str, parameters: Any = ()) -> Iterator[Any]:
        """Row after row; others may be asked in between."""
        ...

    def all_of(self, query: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """The same with each row."""
        ...

    def each_of_all(self, queries: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Each of the statements with each row, in their order; said together, where that saves time."""
        ...


@cache
def queries(package: str, file: str) -> dict[str, str]:
    """The statements of a file by their names: those that every database understands, and those of this one."""
    both = (files("perdure.store.sql") / file, files(package) / file)
    found = [_named(each.read_text()) for each in both if each.is_file()]
    assert found, f"there is no {file}"
    return {name: sql for each in found for name, sql in each.items()}


def _named(text: str) -> dict[str, str]:
    parts = re.split(r"-- name: (\w+)\n", text)[1:]
    return dict(zip(parts[::2], (sql.strip().rstrip(";") for sql in parts[1::2]), strict=True))
