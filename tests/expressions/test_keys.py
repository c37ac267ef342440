"""Conditions on events, and what can be looked up by."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.expressions.effort import begin_value
from perdure.expressions.keys import index_key, keys
from perdure.expressions.operators import loosely_equal
from perdure.expressions.protocol import UNDEFINED

SCOPE = {"input": {"id": 7, "who": "ann"}, "vars": {"x": 1}}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("event.payload.id == input.id", [(("payload", "id"), 7)]),
        ("input.id === event.payload.id", [(("payload", "id"), 7)]),
        ("event.payload.id == input.id && event.payload.n > 3", [(("payload", "id"), 7)]),
        (
            "event.type == 'paid' && event.payload.who == input.who + '!'",
            [(("type",), "paid"), (("payload", "who"), "ann!")],
        ),
        ("event.payload.id == input.id || true", []),
        ("event.payload.id == vars.x", []),
        ("event.payload.id == event.payload.other", []),
        ("event.payload.id != input.id", []),
        ("input.id == 7", []),
        ("!(event.payload.id == input.id)", []),
    ],
)
def test_only_what_must_be_equal_and_does_not_change_is_a_key(source: str, found: list[tuple[object, object]]) -> None:
    assert [(key.path, key.of(SCOPE)) for key in keys(source)] == [(path, index_key(value)) for path, value in found]


VALUES: tuple[Any, ...] = (
    *(
        0,
        1,
        7,
        -0.0,
        0.5,
        "",
        " ",
        "0",
        "1",
        "7",
        " 7 ",
        "07",
        "0x7",
        "1e0",
        "a",
        "A",
        "null",
        "true",
        True,
        False,
        None,
    ),
    *(UNDEFINED, [], [7], ["7"], [[7]], [None], ["a"], [1, 2], "1,2", {}, "[object Object]", float("nan"), "NaN"),
)


@pytest.mark.parametrize("one", VALUES, ids=repr)
def test_what_is_equal_has_the_same_key(one: object) -> None:
    begin_value()
    for other in VALUES:
        if loosely_equal(one, other):
            assert index_key(one) == index_key(other), (one, other)
    assert index_key(7) != index_key(8) != index_key("x") != index_key(None)


def test_what_cannot_be_computed_has_no_key() -> None:
    (key,) = keys("event.payload.x == 'a'.repeat(input.n)")
    assert key.of({"input": {"n": 2}}) == index_key("aa")
    assert key.of({"input": {"n": -2}}) is None
