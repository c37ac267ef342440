"""What type an expression has, from the types of what it reads: JSON Schemas, as far as it goes. `{}` is "unknown".

Nothing is refused here. What is told is true of every value that the expression can have, if numbers had no end: where that
is in doubt, the type is unknown. Whether it may have no value at all, because it is undefined, is told beside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias, assert_never

from msgspec import Struct

from perdure.expressions import tree as t
from perdure.expressions.convert import to_text
from perdure.expressions.parse import parse
from perdure.expressions.protocol import UNDEFINED
from perdure.model.values import Json

Schema: TypeAlias = dict[str, Any]
UNKNOWN: Schema = {}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
TEXT: Schema = {"type": "string"}
WHOLE_OR_TEXT: Schema = {"type": ["integer", "string"]}
TRUTH: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
ARRAY: Schema = {"type": "array"}
OBJECT: Schema = {"type": "object"}
TEXTS: Schema = {"type": "array", "items": TEXT}
PLACES: Schema = {"type": "array", "items": WHOLE}

REFS_MAX = 8
_DEFINITIONS = ("$defs", "definitions")


class Type(Struct, frozen=True):
    """`sure`: it is never undefined."""

    schema: Schema
    sure: bool = True


Types: TypeAlias = Mapping[str, Type]
"""Of the roots of the scope, and of the parameters of arrow functions."""

ANYTHING = Type(UNKNOWN, sure=False)

METHODS: dict[str, Schema] = {
    **dict.fromkeys(("charAt", "join", "padEnd", "padStart", "repeat", "replace", "replaceAll", "substring"), TEXT),
    **dict.fromkeys(("toFixed", "toLowerCase", "toString", "toUpperCase", "trim", "trimEnd", "trimStart"), TEXT),
    **dict.fromkeys(("endsWith", "every", "includes", "some", "startsWith"), TRUTH),
    **dict.fromkeys(("findIndex", "indexOf", "lastIndexOf", "localeCompare"), WHOLE),
    **dict.fromkeys(("entries", "flat", "flatMap"), ARRAY),
    "keys": PLACES,
    "split": TEXTS,
}
"""What these answer, whatever they are asked of, if they answer."""

SAME_ITEMS = frozenset({"filter", "reverse", "slice", "sort", "toReversed", "toSorted"})
ONE_ITEM = frozenset({"at", "find", "findLast"})
FUNCTIONS: dict[str, Schema] = {
    **dict.fromkeys(("Array.isArray", "Boolean", "isFinite", "isNaN"), TRUTH),
    **dict.fromkeys(("Number.isFinite", "Number.isInteger", "Number.isNaN", "Number.isSafeInteger"), TRUTH),
    "Object.entries": ARRAY,
    "Object.fromEntries": OBJECT,
    "Object.keys": TEXTS,
    "Object.values": ARRAY,
    "String": TEXT,
}
PIPES: dict[str, Schema] = {
    **dict.fromkeys(("formatList", "isoDate", "join", "lower", "string", "trim", "upper"), TEXT),
    **dict.fromkeys(("boolean", "hasOverlap", "isAfter", "isBefore"), TRUTH),
    **dict.fromkeys(("epochSeconds", "parseDate"), WHOLE_OR_TEXT),  # "" where there is no date
    "length": WHOLE,
    **dict.fromkeys(("chunk", "flatten", "values"), ARRAY),
    "keys": TEXTS,
}
SAME_ITEMS_PIPES = frozenset({"filter", "filterBy", "reverse", "slice", "sort", "unique"})
_ARITHMETIC = ("+", "-", "*")
_COMPARISON = ("==", "!=", "===", "!==", "<", "<=", ">", ">=", "in")


def type_of(source: str, schemas: Mapping[str, Schema | bool]) -> Type:
    """The type of an expression. `schemas` are those of the roots of the scope that are surely there."""
    types = {name: Type(schema if isinstance(schema, dict) else UNKNOWN) for name, schema in schemas.items()}
    node = parse(source)
    return Type(TEXT) if isinstance(node, t.Name) and node.name == "now" else infer(node, types)


def infer(node: t.Node | t.Arrow | t.ForItem, types: Types) -> Type:
    """The type of the value of the node. The time is unknown: it is a text or a number, as it is needed."""
    match node:
        case t.Literal(value=value):
            return constant(value)
        case t.Name(name=name):
            return Type(WHOLE) if name == "nowMs" else types.get(name, ANYTHING)
        case t.Member(of=of, name=name):
            return member(infer(of, types), name)
        case t.Index(of=of, key=key):
            return _index(infer(of, types), key)
        case t.Call(of=of, method=method, arguments=given):
            return _call(infer(of, types), method, given, types)
        case t.Function(name=name, arguments=given):
            return _function(name, given, types)
        case t.Pipe(of=of, name=name, arguments=given):
            return _pipe(infer(of, types), name, given, types)
        case t.Unary(operator=operator, of=of):
            return Type(TRUTH) if operator == "!" else Type(_arithmetic(infer(of, types), Type(WHOLE)))
        case t.Binary(operator=operator, left=left, right=right):
            return Type(_binary(operator, infer(left, types), infer(right, types)))
        case t.Logical(operator=operator, left=left, right=right):
            return _either(operator, infer(left, types), infer(right, types))
        case t.Choice(yes=yes, no=no):
            return _either("&&", infer(yes, types), infer(no, types))
        case t.ArrayOf(items=items):
            return Type(_array(items, types))
        case t.ObjectOf(entries=entries):
            return Type(_object(entries, types))
        case t.TextOf() | t.Template():
            return Type(TEXT)
        case t.Arrow() | t.ForItem():
            return ANYTHING
        case _:
            assert_never(node)


def constant(value: Json) -> Type:
    """The type of a literal; a text is its own type, so that it can be held against an enum."""
    match value:
        case str():
            return Type({"type": "string", "const": value})
        case bool():
            return Type(TRUTH)
        case int():
            return Type(WHOLE)
        case float():
            return Type(NUMBER if math.isfinite(value) else NULL)
        case _:
            return ANYTHING if value is UNDEFINED else Type(NULL)


def member(of: Type, name: str) -> Type:
    """The type of a property. Of one that nobody has described it is unknown."""
    schema = _resolved(of.schema)
    if name == "length" and _kind(schema) in ("array", "string"):
        return Type(WHOLE, of.sure)
    properties = schema.get("properties")
    if _kind(schema) != "object" or not isinstance(properties, dict) or name not in properties:
        return ANYTHING
    required = schema.get("required")
    sure = of.sure and isinstance(required, list) and name in required
    return Type(_within(schema, properties[name]), sure)


def _kind(schema: Schema) -> str | None:
    """Its one type, if it has one."""
    found = schema.get("type")
    return found if isinstance(found, str) and not schema.get("nullable") else None


def _resolved(schema: Schema) -> Schema:
    """What a reference into its own definitions leads to."""
    for _ in range(REFS_MAX):
        match schema.get("$ref"):
            case None:
                return schema
            case str() as ref if (parts := ref.split("/"))[:1] == ["#"] and len(parts) == len(("#", "$defs", "name")):
                definitions = schema.get(parts[1])
                found = definitions.get(parts[2]) if isinstance(definitions, dict) else None
                schema = _within(schema, found)
            case _:
                return UNKNOWN
    return UNKNOWN


def _within(schema: Schema, part: Any) -> Schema:
    """A part of a schema, with the definitions that it may refer to."""
    if not isinstance(part, dict):
        return UNKNOWN
    return {**{word: schema[word] for word in _DEFINITIONS if word in schema}, **part} if _refers(part) else part


def _refers(part: Any) -> bool:
    match part:
        case dict():
            return "$ref" in part or any(map(_refers, part.values()))
        case list():
            return any(map(_refers, part))
        case _:
            return False


def _items(of: Type) -> Type:
    """The type of each item. Where it is unknown, it may be undefined."""
    schema = _resolved(of.schema)
    if _kind(schema) != "array" or "prefixItems" in schema or not isinstance(schema.get("items"), dict):
        return ANYTHING
    found = _within(schema, schema["items"])
    return Type(found) if found else ANYTHING


def _array_of(item: Type) -> Schema:
    """An array of these. Undefined becomes null in the end, but not on the way; so then nothing is known of its items."""
    if not item.sure or not item.schema:
        return ARRAY
    definitions = {word: item.schema[word] for word in _DEFINITIONS if word in item.schema}
    return {
        **definitions,
        "type": "array",
        "items": {word: part for word, part in item.schema.items() if word not in definitions},
    }


def _index(of: Type, key: t.Node) -> Type:
    if isinstance(key, t.Literal) and isinstance(key.value, str):
        return member(of, key.value)
    return Type(TEXT if _kind(of.schema) == "string" else _items(of).schema, sure=False)


def _call(of: Type, method: str, given: tuple[t.Argument, ...], types: Types) -> Type:
    kind = _kind(_resolved(of.schema))
    sure = of.sure and kind not in (None, "null")  # a method of null is undefined
    if method in SAME_ITEMS | {"concat"} and kind == "string":
        return Type(TEXT, sure)
    if method in SAME_ITEMS and kind == "array":
        return Type(_array_of(_items(of)), sure)
    if method == "map":
        return Type(_array_of(_body(given, (_items(of), Type(WHOLE)), types)), sure)
    if method in ONE_ITEM and kind == "array":
        return Type(_items(of).schema, sure=False)
    return Type(METHODS[method], sure) if method in METHODS else ANYTHING


def _body(given: tuple[t.Argument, ...], arguments: tuple[Type, ...], types: Types) -> Type:
    match given:
        case (t.Arrow(parameters=parameters, body=body), *_):
            unknown = dict.fromkeys(parameters, ANYTHING)
            return infer(body, {**types, **unknown, **dict(zip(parameters, arguments, strict=False))})
        case _:
            return ANYTHING


def _function(name: str, given: tuple[t.Argument, ...], types: Types) -> Type:
    match name, given:
        case "JSON.stringify", (first, *_) if not isinstance(first, t.Spread):
            return Type(TEXT, infer(first, types).sure)
        case _:
            return Type(FUNCTIONS[name]) if name in FUNCTIONS else ANYTHING


def _pipe(of: Type, name: str, given: tuple[t.Argument, ...], types: Types) -> Type:
    is_array = _kind(_resolved(of.schema)) == "array"
    if name in SAME_ITEMS_PIPES and is_array and of.sure:
        return Type(_array_of(_items(of)))
    if name in ("first", "last") and is_array:
        return Type(_items(of).schema, sure=False)
    match name, given:
        case "map", (t.Literal(value=str() as path), *_):
            found = _items(of)
            for part in path.split("."):
                found = member(found, part)
            return Type(_array_of(found))
        case "map", _:
            return Type(_array_of(_body(given, (_items(of), Type(WHOLE)), types)))
        case _:
            return Type(PIPES[name]) if name in PIPES else ANYTHING


def _binary(operator: t.BinaryOperator, left: Type, right: Type) -> Schema:
    if operator in _COMPARISON:
        return TRUTH
    if operator == "+" and any(side.sure and _kind(side.schema) == "string" for side in (left, right)):
        return TEXT
    # A division may come to what JSON has no number for, and so may the rest of it and a power.
    return _arithmetic(left, right) if operator in _ARITHMETIC else UNKNOWN


def _arithmetic(left: Type, right: Type) -> Schema:
    kinds = {_kind(side.schema) if side.sure else None for side in (left, right)}
    return WHOLE if kinds == {"integer"} else NUMBER if kinds <= {"integer", "number"} else UNKNOWN


def _either(operator: str, left: Type, right: Type) -> Type:
    """One of two. Of `||` and `??` the left is only taken if it is there."""
    return Type(union(left.schema, right.schema), right.sure and (left.sure or operator in ("||", "??")))


def _array(items: tuple[t.Node | t.Spread, ...], types: Types) -> Schema:
    found = [_items(infer(item.of, types)) if isinstance(item, t.Spread) else infer(item, types) for item in items]
    return _array_of(Type(union(*(one.schema for one in found)), all(one.sure for one in found))) if found else ARRAY


def _object(entries: tuple[tuple[t.Node, t.Node] | t.Spread, ...], types: Types) -> Schema:
    properties: dict[str, Schema] = {}
    required: dict[str, None] = {}
    for entry in entries:
        if isinstance(entry, t.Spread) or not isinstance(entry[0], t.Literal):
            return OBJECT
        name, found = to_text(entry[0].value), infer(entry[1], types)
        properties[name] = UNKNOWN if _refers(found.schema) else found.schema
        required.pop(name, None)
        if found.sure:
            required[name] = None
    return {"type": "object", "properties": properties, "required": [*required]}


def union(*schemas: Schema) -> Schema:
    """One of these; unknown if one of them is, or refers to definitions, which do not fit beside each other."""
    different: list[Schema] = []
    for schema in schemas:
        if not schema or (_refers(schema) and len(schemas) > 1):
            return UNKNOWN
        if schema not in different:
            different.append(schema)
    return different[0] if len(different) == 1 else {"anyOf": different}
