"""What type an expression has, from the types of what it reads: JSON Schemas, as far as it goes. `{}` is "unknown".

Nothing is refused here. A type that is told is true of every value that the expression can have, but for what JavaScript
makes of values that do not fit; where that is in doubt, the type is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, assert_never

from perdure.expressions import tree as t
from perdure.model.values import Json

Schema: TypeAlias = dict[str, Any]
Types: TypeAlias = Mapping[str, Schema]
"""The types of the roots of the scope, and of the parameters of arrow functions."""

UNKNOWN: Schema = {}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
TEXT: Schema = {"type": "string"}
TRUTH: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
TEXTS: Schema = {"type": "array", "items": TEXT}

_METHODS: dict[str, Schema] = {
    **dict.fromkeys(("charAt", "join", "padEnd", "padStart", "repeat", "replace", "replaceAll", "substring"), TEXT),
    **dict.fromkeys(("toFixed", "toLowerCase", "toString", "toUpperCase", "trim", "trimEnd", "trimStart"), TEXT),
    **dict.fromkeys(("endsWith", "every", "includes", "some", "startsWith"), TRUTH),
    **dict.fromkeys(("findIndex", "indexOf", "lastIndexOf", "localeCompare"), WHOLE),
    "keys": {"type": "array", "items": WHOLE},
    "split": TEXTS,
}
_SAME = {"concat", "filter", "reverse", "slice", "sort", "toReversed", "toSorted"}
"""Of an array these have the type of the array, of a text that of a text."""

_FUNCTIONS: dict[str, Schema] = {
    "Array.isArray": TRUTH,
    "Boolean": TRUTH,
    "JSON.stringify": TEXT,
    "Math.ceil": NUMBER,
    "Number.isFinite": TRUTH,
    "Number.isInteger": TRUTH,
    "Number.isNaN": TRUTH,
    "Object.keys": TEXTS,
    "String": TEXT,
    "isFinite": TRUTH,
    "isNaN": TRUTH,
}
_PIPES: dict[str, Schema] = {
    **dict.fromkeys(("formatList", "isoDate", "join", "lower", "string", "trim", "upper"), TEXT),
    **dict.fromkeys(("boolean", "hasOverlap", "isAfter", "isBefore"), TRUTH),
    **dict.fromkeys(("epochSeconds", "length", "parseDate"), WHOLE),
    "keys": TEXTS,
}
_SAME_PIPES = {"filter", "filterBy", "reverse", "slice", "sort", "unique"}


def infer(node: t.Argument, types: Types) -> Schema:
    """The type of the value of the node."""
    match node:
        case t.Literal(value=value):
            return constant(value)
        case t.Name(name=name):
            return TEXT if name == "now" else WHOLE if name == "nowMs" else types.get(name, UNKNOWN)
        case t.Member(of=of, name=name):
            return member(infer(of, types), name)
        case t.Index(of=of, key=key):
            return _index(infer(of, types), key)
        case t.Call(of=of, method=method, arguments=given):
            return _call(infer(of, types), method, given, types)
        case t.Function(name=name):
            return _FUNCTIONS.get(name, UNKNOWN)
        case t.Pipe(of=of, name=name, arguments=given):
            return _pipe(infer(of, types), name, given)
        case t.Unary(operator=operator):
            return TRUTH if operator == "!" else UNKNOWN
        case t.Binary(operator=operator, left=left, right=right):
            return _binary(operator, infer(left, types), infer(right, types))
        case t.Logical(left=left, right=right):
            return union(infer(left, types), infer(right, types))
        case t.Choice(yes=yes, no=no):
            return union(infer(yes, types), infer(no, types))
        case t.ArrayOf(items=items):
            return _array(items, types)
        case t.ObjectOf(entries=entries):
            return _object(entries, types)
        case t.TextOf() | t.Template():
            return TEXT
        case t.Arrow() | t.ForItem() | t.Spread():
            return UNKNOWN
        case _:
            assert_never(node)


def constant(value: Json) -> Schema:
    """The type of a literal; a text is its own type, so that it can be held against an enum."""
    match value:
        case str():
            return {"type": "string", "const": value}
        case bool():
            return TRUTH
        case int():
            return WHOLE
        case float():
            return NUMBER
        case None:
            return NULL
        case _:
            return UNKNOWN


def member(schema: Schema, name: str) -> Schema:
    """The type of a property. Of one that nobody has described it is unknown."""
    if name == "length" and schema.get("type") in ("array", "string"):
        return WHOLE
    properties = schema.get("properties")
    if isinstance(properties, dict) and isinstance(properties.get(name), dict):
        found: Schema = properties[name]
        return found
    return UNKNOWN


def _items(schema: Schema) -> Schema:
    items = schema.get("items")
    return items if schema.get("type") == "array" and isinstance(items, dict) else UNKNOWN


def _index(schema: Schema, key: t.Node) -> Schema:
    if isinstance(key, t.Literal) and isinstance(key.value, str):
        return member(schema, key.value)
    return TEXT if schema.get("type") == "string" else _items(schema)


def _call(of: Schema, method: str, given: tuple[t.Argument, ...], types: Types) -> Schema:
    kind = of.get("type")
    if kind not in ("array", "string", "number", "integer"):
        return UNKNOWN  # it may be null, and then so is what comes of it
    if method in _SAME:
        if kind == "string":
            return TEXT
        return of if method != "concat" else UNKNOWN
    if method == "map" and kind == "array":
        return {"type": "array", "items": _body(given, (_items(of), WHOLE), types)}
    if method in ("find", "findLast", "at") and kind == "array":
        return _items(of)
    return _METHODS.get(method, UNKNOWN)


def _body(given: tuple[t.Argument, ...], arguments: tuple[Schema, ...], types: Types) -> Schema:
    match given:
        case (t.Arrow(parameters=parameters, body=body), *_):
            return infer(body, {**types, **dict(zip(parameters, arguments, strict=False))})
        case _:
            return UNKNOWN


def _pipe(of: Schema, name: str, given: tuple[t.Argument, ...]) -> Schema:
    if name in _SAME_PIPES and of.get("type") == "array":
        return of
    if name in ("first", "last") and of.get("type") == "array":
        return _items(of)
    match name, given:
        case "map", (t.Literal(value=str() as path), *_):
            found = _items(of)
            for part in path.split("."):
                found = member(found, part)
            return {"type": "array", "items": found}
        case _:
            return _PIPES.get(name, UNKNOWN)


def _binary(operator: str, left: Schema, right: Schema) -> Schema:
    if operator in ("==", "!=", "===", "!==", "<", "<=", ">", ">=", "in"):
        return TRUTH
    kinds = {left.get("type"), right.get("type")}
    if operator == "+" and "string" in kinds:
        return TEXT
    if kinds == {"integer"} and operator in ("+", "-", "*"):
        return WHOLE
    # A division may come to what JSON has no number for.
    return NUMBER if kinds <= {"integer", "number"} and operator in ("+", "-", "*") else UNKNOWN


def _array(items: tuple[t.Node | t.Spread, ...], types: Types) -> Schema:
    found = [_items(infer(item.of, types)) if isinstance(item, t.Spread) else infer(item, types) for item in items]
    return {"type": "array", "items": union(*found)} if found else {"type": "array"}


def _object(entries: tuple[tuple[t.Node, t.Node] | t.Spread, ...], types: Types) -> Schema:
    properties: dict[str, Schema] = {}
    for entry in entries:
        if isinstance(entry, t.Spread) or not isinstance(entry[0], t.Literal):
            return {"type": "object"}
        properties[str(entry[0].value)] = infer(entry[1], types)
    return {"type": "object", "properties": properties, "required": [*properties]}


def union(*schemas: Schema) -> Schema:
    """One of these; unknown if one of them is."""
    different: list[Schema] = []
    for schema in schemas:
        if not schema:
            return UNKNOWN
        if schema not in different:
            different.append(schema)
    return different[0] if len(different) == 1 else {"anyOf": different}
