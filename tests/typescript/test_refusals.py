"""What a transform may not have is told with its place and the way out, all of it at once."""

from __future__ import annotations

import pytest

from perdure.typescript import Refused, read
from perdure.typescript.reading import BYTES_MAX, PROBLEMS_MAX
from typescript.refused import REFUSED


def told(source: str) -> list[tuple[int | None, int | None, str]]:
    found = read(source)
    assert isinstance(found, Refused), found
    assert all(each.type == "invalid_typescript" and not each.field for each in found.problems)
    return [(each.line, each.column, each.message) for each in found.problems]


def test_there_are_many() -> None:
    assert len(REFUSED) >= 60


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name: str) -> None:
    source, expected = REFUSED[name]
    assert told(source) == expected


def test_columns_are_counted_in_characters() -> None:
    assert told("const ü = '😀', b = Date\nexport default (x) => x")[0][:2] == (1, 20)


def test_what_is_too_large_is_not_read() -> None:
    assert told("ü" * BYTES_MAX) == [
        (1, 1, "a transform has at most 65,536 bytes, and this one has 131,072; make it smaller, or use a tool step")
    ]


def test_not_everything_is_told_of_what_is_all_wrong() -> None:
    assert len(told("fetch()\n" * 1_000)) == PROBLEMS_MAX
