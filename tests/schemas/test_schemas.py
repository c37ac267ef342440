"""What is a schema, and what fits it."""

from __future__ import annotations

import json
import sys
from subprocess import run
from typing import Any

import pytest

from perdure.schemas import VIOLATIONS_MAX, Violation, checker, problems

ORDER = {
    "type": "object",
    "required": ["sku", "quantity"],
    "properties": {
        "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
        "quantity": {"type": "integer", "minimum": 1},
        "mail": {"type": "string", "format": "email"},
        "colour": {"enum": ["red", "green"]},
        "a/b~c": {"type": "array", "items": {"type": "string"}},
        "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "additionalProperties": False,
}
GOOD = {"sku": "AB-1", "quantity": 2}


def told(schema: Any, value: Any) -> list[str]:
    return [str(each) for each in checker(schema).violations(value)]


def wrong(schema: Any) -> list[str]:
    return [str(each) for each in problems(schema)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, []),
        ({"size": None, "mail": "ada@example.org", "colour": "red"}, []),
        ({"quantity": "two"}, ['/quantity: "two" is not of type "integer"']),
        ({"quantity": 0}, ["/quantity: 0 is less than the minimum of 1"]),
        ({"sku": "ab"}, ['/sku: "ab" does not match "^[A-Z]{2}-[0-9]+$"']),
        ({"mail": "nobody"}, ['/mail: "nobody" is not a "email"']),
        ({"colour": "blue"}, ['/colour: "blue" is not one of "red" or "green"']),
        ({"a/b~c": ["x", 1]}, ['/a~1b~0c/1: 1 is not of type "string"']),
        ({"more": {}}, ["Additional properties are not allowed ('more' was unexpected)"]),
        ({"quantity": {"a": 1}}, ['/quantity: an object is not of type "integer"']),
        ({"quantity": [1]}, ['/quantity: an array is not of type "integer"']),
        (
            {"size": "big"},
            [
                '/size: "big" fits none of 2 possible schemas: "big" is not of type "integer"; or "big" is not of type "null"'
            ],
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_place_and_what_was_expected(
    change: dict[str, Any], said: list[str]
) -> None:
    assert told(ORDER, GOOD | change) == said


def test_all_that_is_wrong_is_told() -> None:
    assert set(told(ORDER, {"quantity": 0, "colour": 1})) == {
        "/quantity: 0 is less than the minimum of 1",
        '/colour: 1 is not one of "red" or "green"',
        '"sku" is a required property',
    }


def test_the_place_in_a_branch_is_told() -> None:
    schema = {"oneOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["b"]}]}
    assert told(schema, {"a": 1}) == [
        'an object fits none of 2 possible schemas: /a: 1 is not of type "string"; or "b" is a required property'
    ]


def test_so_many_violations_are_told_and_each_is_short() -> None:
    found = checker({"items": {"const": "x" * 500}}).violations(["y" * 200] * 100)
    assert len(found) == VIOLATIONS_MAX
    assert all(len(each.message) < 310 for each in found)
    assert checker({"items": False}).violations([1, 2, 3], 2) == (
        Violation("/0", "False schema does not allow 1"),
        Violation("/1", "False schema does not allow 2"),
    )


def test_long_texts_are_shown_as_they_begin() -> None:
    (said,) = told({"type": "integer"}, "secret" * 1_000)
    assert said == f'"{("secret" * 14)[:80]}…" is not of type "integer"'


def test_true_takes_everything_and_false_nothing() -> None:
    assert told(True, {"a": 1}) == []
    assert told({}, [1]) == []
    assert told(False, 1) == ["False schema does not allow 1"]


def test_every_draft_has_its_own_rules() -> None:
    draft_4 = {"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": True}
    assert told(draft_4, 3)
    assert wrong({"$schema": "https://json-schema.org/draft/2020-12/schema", "exclusiveMaximum": True})
    for draft in ("draft-06/schema#", "draft-07/schema#"):
        assert told({"$schema": f"http://json-schema.org/{draft}", "exclusiveMaximum": 3}, 3)
    assert told(
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "dependentRequired": {"a": ["b"]}}, {"a": 1}
    )


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ([], ["a schema is an object, true or false, not an array"]),
        ("string", ['a schema is an object, true or false, not "string"']),
        (None, ["a schema is an object, true or false, not null"]),
        ({"properties": {"a": {"minimum": "x"}}}, ['/properties/a/minimum: "x" is not of type "number"']),
        ({"type": "strin"}, ['/type: "strin" is no type; there are array, boolean, integer, null, number, object and string']),
        ({"$ref": "#/$defs/a"}, ["/$ref: it refers to '#/$defs/a', which is not in it; a schema may only refer to itself, with '#/$defs/…' say"]),
        ({"$schema": "http://example.org/mine"}, ["Unknown meta-schema: 'http://example.org/mine'. Custom meta-schemas must be registered in the registry before use"]),
        ({"enum": [object()]}, ["it is not JSON: Encoding objects of type object is unsupported"]),
    ],
)  # fmt: skip
def test_what_is_no_schema_is_told_with_its_place(schema: Any, said: list[str]) -> None:
    assert wrong(schema) == said
    with pytest.raises(ValueError) as refused:
        checker(schema)
    assert str(refused.value) == "; ".join(said)


def test_all_that_is_wrong_with_a_schema_is_told() -> None:
    assert {each.path for each in problems({"type": "strin", "required": 3, "properties": {"type": 5}})} == {
        "/type",
        "/required",
        "/properties/type",
    }


@pytest.mark.parametrize("pattern", ["(", "(?=x)y", r"(a)\1", "(?<!a)b"])
@pytest.mark.parametrize("place", ["pattern", "patternProperties"])
def test_patterns_that_cannot_be_matched_in_linear_time_are_told_why(pattern: str, place: str) -> None:
    (said,) = wrong({"properties": {"a": {place: pattern if place == "pattern" else {pattern: True}}}})
    assert said.startswith(f"/properties/a/{place}")
    assert json.dumps(pattern) in said
    assert "it is matched in linear time" in said


def test_a_schema_is_what_it_was_when_it_was_compiled() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"type": "string"}}}
    compiled = checker(schema)
    schema["properties"]["a"]["type"] = "integer"
    assert compiled.violations({"a": "x"}) == ()


def test_references_lead_wherever_json_schema_says() -> None:
    name = {"$id": "https://example.org/name", "$anchor": "short", "type": "string", "maxLength": 3}
    schema = {
        "$id": "https://example.org/person",
        "$defs": {"name": name, "a/b": {"type": "integer"}, "list": {"prefixItems": [{"type": "null"}]}},
        "properties": {
            "by_id": {"$ref": "name"},
            "by_full_id": {"$ref": "https://example.org/name"},
            "by_anchor": {"$ref": "name#short"},
            "by_pointer": {"$ref": "#/$defs/a~1b"},
            "by_index": {"$ref": "#/$defs/list/prefixItems/0"},
            "itself": {"$ref": "#"},
            "any_schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        },
    }  # fmt: skip
    assert wrong(schema) == []
    value = {"by_id": 1, "by_full_id": 2, "by_anchor": "long", "by_pointer": "x", "by_index": 0, "itself": {"by_id": 3}}
    paths = {each.path for each in checker(schema).violations(value | {"any_schema": {"type": 5}})}
    assert paths == {*(f"/{key}" for key in value if key != "itself"), "/itself/by_id", "/any_schema/type"}


def test_dynamic_references_are_followed() -> None:
    tree = {"$dynamicAnchor": "node", "type": "object", "properties": {"kids": {"items": {"$dynamicRef": "#node"}}}}
    assert told(tree, {"kids": [{"kids": [1]}]}) == ['/kids/0/kids/0: 1 is not of type "object"']
    old = {
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "type": "object",
        "properties": {"kid": {"$recursiveRef": "#"}},
    }
    assert told(old, {"kid": {"kid": 1}}) == ['/kid/kid: 1 is not of type "object"']


def test_whoever_imports_perdure_does_not_wait_for_schemas() -> None:
    found = run(  # noqa: PLW1510
        [sys.executable, "-c", "import sys, perdure, perdure.service; print('jsonschema_rs' in sys.modules)"],
        capture_output=True,
        text=True,
    )
    assert found.stdout.strip() == "False", found.stderr
