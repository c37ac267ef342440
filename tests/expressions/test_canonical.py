"""Values from outside become plain JSON, or are refused with the place."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from perdure.expressions.canonical import DEPTH_MAX, SIZE_MAX, NotJson, canonical


class Colour(str, enum.Enum):  # noqa: UP042  so people wrote, and write
    RED = "red"


class Rank(enum.IntEnum):
    FIRST = 1


class Share(float):
    pass


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2**64 - 1, 2**64 - 1),
        (2**64, float(2**64)),
        (10**400, None),
        (0.5, 0.5),
        (float("inf"), None),
        ("a\x00b", "a\ufffdb"),
        ("ä\x00\ud800", "ä\ufffd\ufffd"),
        ({"k\x00": ["\x00"]}, {"k\ufffd": ["\ufffd"]}),
        ("\ud800", "\ufffd"),
        ({"k\udc00": [1, (2, 3)]}, {"k\ufffd": [1, [2, 3]]}),
        (Colour.RED, "red"),
        (Rank.FIRST, 1),
        (Share(0.25), 0.25),
    ],
)
def test_a_value_is_kept_as_json_has_it(given: Any, kept: Any) -> None:
    assert canonical(given) == kept
    assert type(canonical(given)) is type(kept)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a": [object()]}, "/a/0: object is not JSON"),
        (object(), "/: object is not JSON"),
        ({"a": {1: 2}}, "/a: the key 1 is not a text"),
        ({1: 2}, "/: the key 1 is not a text"),
        ({"a": "x" * (SIZE_MAX + 1)}, "/a: the value is larger than"),
        ("x" * (SIZE_MAX + 1), "/: the value is larger than"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_place(given: Any, said: str) -> None:
    with pytest.raises(NotJson, match=said):
        canonical(given)


def test_a_value_that_is_too_deep_is_refused() -> None:
    def nested(levels: int) -> Any:
        value: Any = []
        for _ in range(levels - 1):
            value = [value]
        return value

    canonical(nested(DEPTH_MAX))
    with pytest.raises(NotJson, match="at most"):
        canonical(nested(DEPTH_MAX + 2))
