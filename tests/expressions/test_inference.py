"""The types of expressions, from the types of what they read."""

from __future__ import annotations

import pytest

from perdure.expressions.inference import NUMBER, TEXT, TEXTS, TRUTH, UNKNOWN, WHOLE, Schema, infer
from perdure.expressions.parse import parse

USER = {"type": "object", "properties": {"id": WHOLE, "name": TEXT, "tags": TEXTS}}
TYPES = {
    "input": {
        "type": "object",
        "properties": {"n": WHOLE, "rate": NUMBER, "text": TEXT, "users": {"type": "array", "items": USER}, "open": {}},
    },
}
WORD = {"type": "string", "const": "a"}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("input.n", WHOLE),
        ("input['text']", TEXT),
        ("input.missing.deep", UNKNOWN),
        ("other", UNKNOWN),
        ("now", TEXT),
        ("nowMs", WHOLE),
        ("null", {"type": "null"}),
        ("true", TRUTH),
        ("1.5", NUMBER),
        ("undefined", UNKNOWN),
        ("input.n + 1", WHOLE),
        ("input.n * input.rate", NUMBER),
        ("input.n / 2", UNKNOWN),
        ("input.text + 1", TEXT),
        ("input.open + 1", UNKNOWN),
        ("input.n > 3", TRUTH),
        ("!input.n", TRUTH),
        ("-input.n", UNKNOWN),
        ("input.n > 3 ? 'a' : 1", {"anyOf": [WORD, WHOLE]}),
        ("input.n > 3 ? 'a' : 'a'", WORD),
        ("input.text || input.open", UNKNOWN),
        ("input.users.length", WHOLE),
        ("input.text.length", WHOLE),
        ("input.users[0].name", TEXT),
        ("input.text[0]", TEXT),
        ("input.users.map(u => u.id)", {"type": "array", "items": WHOLE}),
        ("input.users.map((u, i) => i)", {"type": "array", "items": WHOLE}),
        ("input.users.map(input.open)", {"type": "array", "items": UNKNOWN}),
        ("input.users.filter(u => u.id).at(0).tags", TEXTS),
        ("input.users.find(u => u.id).name", TEXT),
        ("input.users.concat([1])", UNKNOWN),
        ("input.text.slice(1)", TEXT),
        ("input.text.split(',')", TEXTS),
        ("input.users.reduce((a, b) => a, 0)", UNKNOWN),
        ("input.open.trim()", UNKNOWN),
        ("input.text.concat('x')", TEXT),
        ("Object.keys(input)", TEXTS),
        ("Math.max(1, 2)", UNKNOWN),
        ("input.users|map('name')", {"type": "array", "items": TEXT}),
        ("input.users|map(u => u)", UNKNOWN),
        ("input.users|filter('id > 1')|first", USER),
        ("input.open|first", UNKNOWN),
        ("input.text|upper", TEXT),
        ("input.users|length", WHOLE),
        ("`a ${input.n}`", TEXT),
        ("[]", {"type": "array"}),
        ("[1, 'a']", {"type": "array", "items": {"anyOf": [WHOLE, WORD]}}),
        ("[...input.users]", {"type": "array", "items": USER}),
        ("{a: input.n}", {"type": "object", "properties": {"a": WHOLE}, "required": ["a"]}),
        ("{...input}", {"type": "object"}),
        ("{[input.text]: 1}", {"type": "object"}),
    ],
)
def test_a_type_is_told_as_far_as_it_goes(source: str, found: Schema) -> None:
    assert infer(parse(source), TYPES) == found


def test_a_function_is_no_value() -> None:
    node = parse("[1].map(x => x)")
    assert infer(node.arguments[0], {}) == UNKNOWN  # type: ignore[union-attr]
