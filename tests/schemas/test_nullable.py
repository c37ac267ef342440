"""`nullable: true`, as OpenAPI writes it: null is accepted in addition to the type."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.schemas import checker, problems

TEXT = {"type": "string", "nullable": True}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (TEXT, [None, "x"], [1, []]),
        ({"type": "string", "nullable": False}, ["x"], [None]),
        ({"type": "string", "nullable": "true"}, ["x"], [None]),
        ({"type": ["string", "integer"], "nullable": True}, [None, "x", 1], [[]]),
        ({"type": ["string", "null"], "nullable": True}, [None, "x"], [1]),
        ({"type": "string", "enum": ["a", "b"], "nullable": True}, [None, "a"], ["c", 1]),
        ({"enum": ["a", None], "nullable": True}, [None, "a"], ["c"]),
        ({"nullable": True}, [None, 1], []),
        ({"const": 5, "nullable": True}, [None, 5], [6]),
        (
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
            [{"a": None}, {"a": "x"}],
            [{}, {"a": 1}, None],
        ),
        ({"type": "object", "nullable": True, "required": ["a"]}, [None, {"a": 1}], [{}]),
        ({"type": "array", "items": TEXT}, [[None, "x"]], [[1], None]),
        ({"type": "array", "prefixItems": [TEXT, {"type": "integer"}]}, [[None, 1]], [[None, None]]),
        ({"$schema": DRAFT_7, "items": [TEXT], "additionalItems": TEXT}, [[None, None]], [[1], ["x", 1]]),
        ({"additionalProperties": TEXT}, [{"x": None}], [{"x": 1}]),
        ({"patternProperties": {"^n": TEXT}}, [{"n": None, "m": 1}], [{"n": 1}]),
        ({"$defs": {"t": TEXT}, "$ref": "#/$defs/t"}, [None, "x"], [1]),
        (
            {"$defs": {"t": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/t", "nullable": True}}},
            [{"a": None}, {"a": "x"}],
            [{"a": 1}],
        ),
        (
            {
                "$schema": DRAFT_7,
                "definitions": {"t": {"type": "string"}},
                "properties": {"a": {"$ref": "#/definitions/t", "nullable": True}},
            },
            [{"a": None}, {"a": "x"}],
            [{"a": 1}],
        ),
        (
            {
                "$defs": {"t": {"type": "string"}},
                "nullable": True,
                "anyOf": [{"$ref": "#/$defs/t"}, {"type": "integer"}],
            },
            [None, "x", 1],
            [[]],
        ),
        ({"allOf": [{"type": "string"}], "nullable": True}, [None, "x"], [1]),
        ({"oneOf": [TEXT, {"type": "integer"}]}, [None, "x", 1], [[]]),
        ({"properties": {"nullable": {"type": "boolean"}}}, [{"nullable": True}], [{"nullable": None}]),
        ({"properties": {"a": {"enum": [{"type": "string", "nullable": True}]}}}, [], [{"a": None}, {"a": "x"}]),
        ({"default": TEXT, "type": "string"}, ["x"], [None]),
        (
            {"components": {"schemas": {"t": TEXT}}, "properties": {"a": {"$ref": "#/components/schemas/t"}}},
            [{"a": None}, {"a": "x"}],
            [{"a": 1}],
        ),
        (
            {"more": [{"a/b~": [TEXT, {"type": "integer"}]}, 7], "prefixItems": [{"$ref": "#/more/0/a~1b~0/0"}]},
            [[None], ["x"]],
            [[1]],
        ),
        (
            {"more": [TEXT, 7], "other": "x", "properties": {"a": {"$ref": "#/more/0"}, "b": {"enum": [{"$ref": 7}]}}},
            [{"a": None}],
            [{"a": 1}],
        ),
        (
            {"$id": "https://example.com/s", "t": TEXT, "items": {"$ref": "https://example.com/s#/t"}},
            [[None]],
            [[1]],
        ),
        (
            {
                "components": {
                    "schemas": {
                        "t": {
                            "type": "object",
                            "nullable": True,
                            "properties": {"t": {"$ref": "#/components/schemas/t"}},
                        },
                        "u": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/t"}], "required": ["t"]},
                    }
                },
                "nullable": True,
                "anyOf": [{"$ref": "#/components/schemas/u"}],
            },
            [None, {"t": None}, {"t": {"t": None}}],
            [1, {}, {"t": 1}, {"t": {"t": 1}}],
        ),
        ({"more": TEXT, "properties": {"a": {"const": TEXT}}}, [{"a": TEXT}], [{"a": None}]),
    ],
)
def test_null_is_accepted_beside_the_type(schema: Any, good: list[Any], bad: list[Any]) -> None:
    assert problems(schema) == ()
    check = checker(schema)
    assert [value for value in good if check.violations(value)] == []
    assert [value for value in bad if not check.violations(value)] == []


def test_a_reference_that_leads_nowhere_is_told_as_before() -> None:
    for reference in ("#/more/b/c", "#/more/1", "#/text/0", "#" + "/a" * 2_000):
        (violation,) = problems({"more": [TEXT], "text": "x", "properties": {"a": {"$ref": reference}}})
        assert violation.path == "/properties/a/$ref"
        assert "which is not in it" in violation.message


def test_a_violation_beside_it_has_its_place() -> None:
    schema = {"properties": {"a": {"type": "object", "nullable": True, "properties": {"b": TEXT}}}}
    (violation,) = checker(schema).violations({"a": {"b": 5}})
    assert violation.path == "/a/b"


def test_a_schema_as_deep_as_can_be_is_refused_and_not_an_error_of_ours() -> None:
    schema: Any = TEXT
    for _ in range(900):
        schema = {"not": schema}
    assert problems(schema)
