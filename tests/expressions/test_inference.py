"""The types of expressions, from the types of what they read."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expressions.test_assignability import validates, values_of
from perdure.errors import EvaluationError
from perdure.expressions import inference
from perdure.expressions.assignability import mismatches
from perdure.expressions.functions import FUNCTIONS
from perdure.expressions.inference import ARRAY, NUMBER, OBJECT, TEXT, TEXTS, TRUTH, UNKNOWN, WHOLE, Schema, type_of
from perdure.expressions.methods import METHODS
from perdure.expressions.parse import parse
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.ready import ready

USER: Schema = {
    "type": "object",
    "properties": {"id": WHOLE, "name": TEXT, "tags": TEXTS, "nick": TEXT},
    "required": ["id", "name", "tags"],
}
TREE: Schema = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "n": WHOLE,
                "next": {"$ref": "#/$defs/node"},
                "all": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["n", "all"],
        }
    },
    "$ref": "#/$defs/node",
}
INPUT: Schema = {
    "type": "object",
    "properties": {
        "n": WHOLE,
        "rate": NUMBER,
        "text": TEXT,
        "yes": TRUTH,
        "users": {"type": "array", "items": USER, "minItems": 0},
        "texts": TEXTS,
        "pair": {"type": "array", "prefixItems": [TEXT, WHOLE], "items": TEXT},
        "none": {"type": "string", "nullable": True},
        "either": {"type": ["string", "null"]},
        "color": {"enum": ["red", "blue"]},
        "maybe": TEXT,
        "tree": TREE,
    },
    "required": ["n", "rate", "text", "yes", "users", "texts", "pair", "none", "either", "color", "tree"],
}
TYPES: dict[str, Schema | bool] = {"input": INPUT, "anything": True}
WORD = {"type": "string", "const": "a"}
SURE, MAYBE = True, False


@pytest.mark.parametrize(
    ("source", "schema", "sure"),
    [
        ("input.n", WHOLE, SURE),
        ("input['text']", TEXT, SURE),
        ("input.maybe", TEXT, MAYBE),
        ("input.missing.deep", UNKNOWN, MAYBE),
        ("other", UNKNOWN, MAYBE),
        ("anything", UNKNOWN, SURE),
        ("anything.x", UNKNOWN, MAYBE),
        ("now", TEXT, SURE),
        ("now + 1", UNKNOWN, SURE),
        ("nowMs", WHOLE, SURE),
        ("null", {"type": "null"}, SURE),
        ("true", TRUTH, SURE),
        ("1.5", NUMBER, SURE),
        ("NaN", {"type": "null"}, SURE),
        ("undefined", UNKNOWN, MAYBE),
        ("input.n + 1", WHOLE, SURE),
        ("input.n * input.rate", NUMBER, SURE),
        ("input.n / 2", UNKNOWN, SURE),
        ("input.text + 1", TEXT, SURE),
        ("input.maybe + 1", UNKNOWN, SURE),
        ("input.either + 1", UNKNOWN, SURE),
        ("input.n > 3", TRUTH, SURE),
        ("!input.n", TRUTH, SURE),
        ("-input.n", WHOLE, SURE),
        ("-input.text", UNKNOWN, SURE),
        ("input.n > 3 ? 'a' : 1", {"anyOf": [WORD, WHOLE]}, SURE),
        ("input.n > 3 ? 'a' : 'a'", WORD, SURE),
        ("input.yes ? input.maybe : input.text", TEXT, MAYBE),
        ("input.maybe || 'a'", {"anyOf": [TEXT, WORD]}, SURE),
        ("input.maybe ?? input.text", TEXT, SURE),
        ("input.maybe && input.text", TEXT, MAYBE),
        ("input.text || other", UNKNOWN, MAYBE),
        ("input.users.length", WHOLE, SURE),
        ("input.maybe.length", WHOLE, MAYBE),
        ("input.users[0].name", TEXT, MAYBE),
        ("input.text[0]", TEXT, MAYBE),
        ("input.pair[0]", UNKNOWN, MAYBE),
        ("input.users.map(u => u.id)", {"type": "array", "items": WHOLE}, SURE),
        ("input.users.map(u => u.nick)", ARRAY, SURE),
        ("input.users.map(anything)", ARRAY, SURE),
        ("input.users.map((u, i) => i)", {"type": "array", "items": WHOLE}, SURE),
        ("input.users.map((u, i, all) => all)", ARRAY, SURE),
        ("input.users.filter(u => u.id)", {"type": "array", "items": USER}, SURE),
        ("input.users.filter(u => u.id).at(0).tags", TEXTS, MAYBE),
        ("input.pair.slice(1)", ARRAY, SURE),
        ("input.users.concat([1])", UNKNOWN, MAYBE),
        ("input.text.slice(1)", TEXT, SURE),
        ("input.text.concat('x')", TEXT, SURE),
        ("input.text.split(',')", TEXTS, SURE),
        ("input.none.trim()", TEXT, MAYBE),
        ("anything.trim()", TEXT, MAYBE),
        ("input.users.reduce((a, b) => a, 0)", UNKNOWN, MAYBE),
        ("Object.keys(input)", TEXTS, SURE),
        ("Math.max(1, 2)", UNKNOWN, MAYBE),
        ("JSON.stringify(input.n)", TEXT, SURE),
        ("JSON.stringify(input.maybe)", TEXT, MAYBE),
        ("JSON.stringify(...input.texts)", UNKNOWN, MAYBE),
        ("input.users|map('name')", {"type": "array", "items": TEXT}, SURE),
        ("input.users|map('nick')", ARRAY, SURE),
        ("input.users|map(u => u.id)", {"type": "array", "items": WHOLE}, SURE),
        ("input.users|filter('id > 1')|first", USER, MAYBE),
        ("anything|first", UNKNOWN, MAYBE),
        ("anything|sort", UNKNOWN, MAYBE),
        ("input.text|upper", TEXT, SURE),
        ("input.users|length", WHOLE, SURE),
        ("`a ${input.n}`", TEXT, SURE),
        ("[]", ARRAY, SURE),
        ("[1, 'a']", {"type": "array", "items": {"anyOf": [WHOLE, WORD]}}, SURE),
        ("[1, input.maybe]", ARRAY, SURE),
        ("[...input.users]", {"type": "array", "items": USER}, SURE),
        (
            "{a: input.n, b: input.maybe}",
            {"type": "object", "properties": {"a": WHOLE, "b": TEXT}, "required": ["a"]},
            SURE,
        ),
        ("{a: 1, a: input.maybe}", {"type": "object", "properties": {"a": TEXT}, "required": []}, SURE),
        (
            "{1e-7: 1, [true]: 2}",
            {"type": "object", "properties": {"1e-7": WHOLE, "true": WHOLE}, "required": ["1e-7", "true"]},
            SURE,
        ),
        ("{...input}", OBJECT, SURE),
        ("{[input.text]: 1}", OBJECT, SURE),
        ("input.tree.n", WHOLE, SURE),
        ("input.tree.next.next.n", WHOLE, MAYBE),
        ("input.tree.all.map(one => one.n)", {"type": "array", "items": WHOLE}, SURE),
        ("input.yes ? input.tree.next : 1", UNKNOWN, MAYBE),
    ],
)
def test_a_type_is_told_as_far_as_it_goes(source: str, schema: Schema, sure: bool) -> None:
    assert type_of(source, TYPES) == inference.Type(schema, sure)


def test_a_part_of_a_schema_keeps_what_it_refers_to() -> None:
    found = type_of("input.tree.all", TYPES).schema
    assert found["$defs"] == TREE["$defs"]
    assert not mismatches(found, {"type": "array", "items": {"type": "object", "required": ["n"]}})
    filtered = type_of("input.tree.all.filter(one => one.n)", TYPES).schema
    assert not mismatches(filtered, {"type": "array", "items": {"type": "object", "required": ["n"]}})
    assert type_of("{a: input.tree.next}", TYPES).schema["properties"] == {"a": UNKNOWN}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "other.json"},
        {"$ref": "#/$defs/none"},
        {"$ref": 5},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"type": "object", "properties": 5},
        {"type": "object", "properties": {"x": True}},
        True,
        False,
    ],
)
def test_a_schema_that_leads_nowhere_is_unknown(schema: Any) -> None:
    assert type_of("a.x", {"a": schema}).schema == UNKNOWN


def test_every_word_with_a_type_is_in_the_language() -> None:
    assert set(inference.METHODS) | inference.SAME_ITEMS | inference.ONE_ITEM <= METHODS
    assert set(inference.FUNCTIONS) <= set(FUNCTIONS)
    assert set(inference.PIPES) | inference.SAME_ITEMS_PIPES <= set(PIPES)


def test_a_function_is_no_value() -> None:
    node: Any = parse("[1].map(x => x)")
    assert inference.infer(node.arguments[0], {}) == inference.ANYTHING
    each: Any = parse("[1]|filter('item')")
    assert inference.infer(each.arguments[0], {}) == inference.ANYTHING


PATHS = (
    *("input.n", "input.rate", "input.text", "input.yes", "input.users", "input.texts", "input.pair", "input.none"),
    *(
        "input.either",
        "input.color",
        "input.maybe",
        "input.tree",
        "input.tree.next",
        "input.users[0]",
        "input.users[0].nick",
    ),
    *("anything", "anything.x", "now", "nowMs", "null", "'a'", "[1, input.maybe]", "{a: input.maybe}"),
)
GIVEN = ("", "1", "'a'", "input.maybe", "x => x.nick", "(x, i) => i", "'nick'", "'id', 1", "0, 1")


def sources() -> list[str]:
    """Every operator, method, function and pipe over every path."""
    signs = ("+", "-", "*", "/", "==", "<", "&&", "||", "??")
    return [
        *PATHS,
        *(f"({one}) {sign} ({other})" for sign in signs for one in PATHS[::2] for other in PATHS[1::3]),
        *(f"({path}).{name}({given})" for path in PATHS for name in sorted(METHODS) for given in GIVEN),
        *(f"{name}({path})" for path in PATHS for name in sorted(FUNCTIONS)),
        *(
            f"({path})|{name}" + (f"({given})" if given else "")
            for path in PATHS
            for name in sorted(PIPES)
            for given in GIVEN
        ),
        *(f"{{a: {one}, b: [{other}, ...input.texts]}}" for one in PATHS for other in PATHS),
        *(f"input.yes ? {one} : {other}" for one in PATHS for other in PATHS),
    ]


@cache
def readable() -> list[tuple[str, inference.Type, Any]]:
    found = []
    for source in sources():
        try:
            found.append((source, type_of(source, TYPES), ready(source).run))
        except Exception:  # noqa: BLE001  many of them make no sense
            continue
    return found


@pytest.mark.simulation
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_every_value_has_the_type_that_is_told(data: st.DataObject) -> None:
    value = data.draw(values_of(CLOSED, CLOSED))
    other = data.draw(st.sampled_from([None, 5, "a", [1], {"x": 2}]))
    scope = {"input": value, "anything": other, "now": 1_794_744_000_000}
    for source, told, run in readable():
        try:
            computed = run(scope)
        except EvaluationError:
            continue
        if computed is UNDEFINED:
            assert not told.sure, f"{source} is undefined for {scope}"
        else:
            assert validates(computed, told.schema, told.schema), f"{source} is {computed!r}, not {told.schema}"


CLOSED: Schema = {**INPUT, "$defs": TREE["$defs"]}
"""As the values are made by: with what it refers to at its root."""


@pytest.mark.simulation
def test_much_is_told_of_much() -> None:
    assert len(readable()) > 5_000
    assert sum(bool(told.schema) for _, told, _ in readable()) > len(readable()) / 3
