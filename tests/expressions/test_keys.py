"""Conditions on events, and what can be looked up by."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.expressions.effort import begin_value
from perdure.expressions.keys import KEY_MAX, best, index_key, key_in, keys
from perdure.expressions.operators import loosely_equal
from perdure.expressions.parse import parse
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
        (f"event.payload.{'x' * 100} == input.id", []),
        ("!(event.payload.id == input.id)", []),
    ],
)
def test_only_what_must_be_equal_and_does_not_change_is_a_key(source: str, found: list[tuple[object, object]]) -> None:
    assert [(key.path, key.of(SCOPE)) for key in keys(parse(source))] == [
        (path, index_key(value)) for path, value in found
    ]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("event.type == 'paid' && event.payload.who == input.who", ("payload", "who")),
        ("event.type == 'paid' && event.payload.n == 3", ("type",)),
        ("event.payload.n > 3", None),
    ],
)
def test_what_is_not_the_same_for_all_waits_is_looked_up_by(source: str, path: tuple[str, ...] | None) -> None:
    found = best(parse(source))
    assert (found and found.path) == path


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
    (key,) = keys(parse("event.payload.x == 'a'.repeat(input.n)"))
    assert key.of({"input": {"n": 2}}) == index_key("aa")
    assert key.of({"input": {"n": -2}}) is None


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("/payload/id", 7),
        ("/payload/items/0", "a"),
        ("/payload/items/length", 2),
        ("/payload/missing/deep", UNDEFINED),
        ("/payload/a~1b~0c", True),
        ("/payload/items", "a,b"),
    ],
)
def test_an_event_is_looked_up_by_what_stands_in_it(place: str, found: object) -> None:
    begin_value()
    event = {"payload": {"id": 7, "items": ["a", "b"], "a/b~c": True}}
    assert key_in(event, place) == index_key(found)


def test_what_stands_in_an_event_has_the_key_of_what_it_has_to_be_equal_to() -> None:
    (key,) = keys(parse("event.payload['a/b~c'] == input.id"))
    assert key.place == "/payload/a~1b~0c"
    assert key_in({"payload": {"a/b~c": "7"}}, key.place) == key.of(SCOPE)


def test_a_long_key_is_kept_as_its_digest() -> None:
    begin_value()
    long, other = "x" * KEY_MAX, "x" * KEY_MAX + "y"
    assert len({index_key(long), index_key(other), index_key("a\0b"), index_key("a")}) == 4
    assert all(len(index_key(text)) <= KEY_MAX and "\0" not in index_key(text) for text in (long, other, "a\0b"))


def test_what_takes_too_long_has_no_key() -> None:
    nested: Any = "x" * 1_000
    for _ in range(12):
        nested = [nested] * 8
    assert key_in({"payload": nested}, "/payload") is None


def test_the_whole_event_is_no_key() -> None:
    assert list(keys(parse("event == input.id"))) == []
