"""Schemas and values that somebody has made to keep everybody else waiting. What is bounded is the work, and so no test measures
time: without the bounds, these would run for hours, or end the process.
"""

from __future__ import annotations

import socket
from functools import reduce
from typing import Any

import pytest

from perdure.schemas import checker, problems
from perdure.schemas.effort import EFFORT_MAX, Effort
from perdure.schemas.graph import Graph
from perdure.schemas.patterns import places


def nested(depth: int, inner: Any, key: str = "a") -> Any:
    return reduce(lambda value, _: {key: value}, range(depth), inner)


def in_lists(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def twice_each(keyword: str, levels: int) -> dict[str, Any]:
    """What refers twice to what refers twice, and so on."""
    defs: dict[str, Any] = {f"a{n}": {keyword: [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(levels)}
    return {"$defs": {**defs, f"a{levels}": {"type": "string"}}, "$ref": "#/$defs/a0"}


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", "^(a|a)*$", "^(.*)*x$"])
def test_patterns_that_would_backtrack_for_ever_do_not(pattern: str) -> None:
    text = "a" * 5_000 + "!"
    assert len(checker({"pattern": pattern}).violations(text)) == 1
    assert (
        len(checker({"patternProperties": {pattern: False}, "additionalProperties": False}).violations({text: 1})) == 1
    )
    assert len(checker({"propertyNames": {"pattern": pattern}}).violations({text: 1})) == 1


@pytest.mark.parametrize(
    "pattern", ["(a{1000}){1000}", "((a{0,100}){0,100}){0,100}$", "a{20000}b{20000}", "(((a{99}){99}){99}){99}"]
)
def test_huge_repetitions_are_refused(pattern: str) -> None:
    assert problems({"pattern": pattern})
    assert problems({"patternProperties": {pattern: {}}})
    assert problems({"items": {"pattern": pattern}})


def test_patterns_of_ordinary_size_are_not_refused() -> None:
    for pattern in (
        r"^\p{L}{1,64}$",
        r"^[\w.+-]+@[\w-]+\.[\w.]{2,}$",
        "^[A-Z0-9]{1,50}(-[A-Z0-9]{1,50}){0,5}$",
        "^.{0,500}$",
    ):
        assert problems({"pattern": pattern}) == ()


def test_a_long_text_against_a_pattern_of_many_places_is_refused() -> None:
    compiled = checker({"properties": {"text": {"pattern": "[ab]a[ab]{5000}[^ab]"}}})
    assert compiled.violations({"text": "ab" * 500})[0].message.endswith('does not match "[ab]a[ab]{5000}[^ab]"')
    assert "too often to be checked" in compiled.violations({"text": "ab" * 50_000})[0].message
    assert compiled.violations({"text": "", "other": "ab" * 50_000}) != ()  # it does not know which text it will be


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("", 0),
        ("abc", 3),
        ("(ab){3}c", 7),
        ("a{2,5}", 5),
        ("a{7,}", 8),
        ("a{0}", 1),
        ("((a{10}){10}){10}", 1_000),
        (r"[a\]b]{3}\d{2}\p{Lu}{4}", 9),
        ("[]a]{2}", 2),
        ("(?:a|b)*?", 2),
        ("(?<year>[0-9]{4})", 4),
        (r"\{3\}", 3),
        ("a{99999999999999}", 1_000_000 - 1),
        ("x{", 2),
        (")a", 2),
    ],
)
def test_the_places_of_a_pattern_are_counted_with_its_repetitions(pattern: str, count: int) -> None:
    found = places(pattern)
    assert found == count or count == found + 1 == 1_000_000


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1:{port}/x",
        "https://127.0.0.1:{port}/x#/a",
        "//127.0.0.1:{port}/x",
        "file:///etc/hostname",
        "other.json",
        "urn:a:b",
    ],
)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef", "$recursiveRef", "$schema"])
def test_nothing_is_ever_fetched(uri: str, keyword: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        uri = uri.format(port=listening.getsockname()[1])
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        assert problems({"properties": {"a": {keyword: uri}}}) or keyword == "$schema"
        assert problems({keyword: uri})
        assert problems({"$id": base, "properties": {"a": {"$ref": "elsewhere"}}})
        with pytest.raises(BlockingIOError):
            listening.accept()


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_what_leads_to_twice_as_much_each_time_is_no_schema_that_can_be_used(keyword: str) -> None:
    (found,) = problems(twice_each(keyword, 40))
    assert found.message.startswith("nobody can wait for it")
    assert problems(twice_each(keyword, 5)) == ()


def test_what_leads_to_twice_as_much_with_each_level_of_a_value_is_refused_with_a_deep_one() -> None:
    node = {
        "anyOf": [{"properties": {"a": {"$ref": "#"}, "b": False}}, {"properties": {"a": {"$ref": "#"}, "c": False}}]
    }
    compiled = checker(node)
    assert compiled.violations(nested(5, {})) == ()
    assert len(compiled.violations(nested(5, {"b": 1, "c": 1}))) == 1
    (found,) = compiled.violations(nested(100, {"b": 1, "c": 1}))
    assert "too often to be checked" in found.message


def test_what_nobody_has_looked_at_takes_as_much_again_on_each_level() -> None:
    levels: dict[str, Any] = {
        f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}], "unevaluatedProperties": False} for n in range(25)
    }
    assert problems({"$defs": {**levels, "a25": {"properties": {"q": {}}}}, "$ref": "#/$defs/a0"})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"not": {"$ref": "#"}},
        {"$dynamicAnchor": "x", "$dynamicRef": "#x"},
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {
            "$defs": {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{m}"} for m in range(12)]} for n in range(12)},
            "$ref": "#/$defs/a0",
        },
    ],
)
def test_references_that_go_round_in_circles_are_refused(schema: dict[str, Any]) -> None:
    assert any("refers to itself without going into the value" in each.message for each in problems(schema))


def test_references_that_go_into_the_value_may_lead_back() -> None:
    compiled = checker({"type": "object", "properties": {"next": {"$ref": "#"}}})
    assert compiled.violations(nested(190, {}, "next")) == ()
    (found,) = compiled.violations(nested(190, {"next": 1}, "next"))
    assert found.path == "/next" * 191


def test_what_is_deeper_than_any_value_that_is_kept_does_not_end_the_process() -> None:
    (found,) = checker({"properties": {"a": {"$ref": "#"}}}).violations(nested(100_000, {}))
    assert found.message == "it is more than 202 levels deep, and cannot be checked"
    assert checker({"items": {"$ref": "#"}}).violations(in_lists(300))
    for depth in (200, 300, 5_000, 100_000):
        assert problems(nested(depth, True, "not")) or depth == 200


def test_what_is_too_large_is_no_schema_that_can_be_used() -> None:
    assert problems({"enum": ["x" * 200_000]})[0].message.endswith("make it smaller")
    assert (
        problems({"allOf": [{"type": "string"}] * 6_000})[0].message == "it has more than 5,000 parts; make it smaller"
    )
    assert problems({"allOf": [{"pattern": "a{900}"}] * 30})[0].message.startswith("its patterns come to")


def test_of_a_large_value_the_first_violation_is_told_alone() -> None:
    (found,) = checker({"items": {"type": "string"}}).violations([*["x"] * 200_000, *range(200_000)])
    assert str(found) == '/200000: 0 is not of type "string"'
    choices = {"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "null"}}]}
    (found,) = checker(choices).violations(list(range(200_000)))
    assert str(found) == "it does not fit its schema, and is too large to find out where"


def test_an_anchor_that_is_only_a_value_does_not_hide_what_a_reference_leads_to() -> None:
    hidden = twice_each("allOf", 40)
    hidden["$defs"]["a0"]["$anchor"] = "begin"
    hidden["$ref"] = "#begin"
    hidden["const"] = {"$anchor": "begin", "type": "string"}
    assert problems(hidden)


def test_the_effort_for_an_ordinary_value_is_small() -> None:
    person = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name"],
    }
    effort = Effort(Graph({"type": "array", "items": person}))
    amount = effort.of([{"name": "Ada", "age": 36}] * 1_000)
    assert amount.check < 50_000 < EFFORT_MAX
    assert amount.tell < 100_000
    assert Effort(Graph(True)).of([1] * 1_000).check == 0


def test_of_what_is_told_with_a_copy_of_a_large_part_the_first_is_told_alone() -> None:
    schema = {"dependentSchemas": {str(n): {"required": ["z"]} for n in range(1_000)}}
    (found,) = checker(schema).violations({str(n): n for n in range(1_000)})
    assert str(found) == '"z" is a required property'
