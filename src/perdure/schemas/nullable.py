"""OpenAPI's `nullable: true`, which JSON Schema does not have: the schema also accepts null."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import unquote

from msgspec import Struct

_SCHEMAS: Final = (
    *("not", "if", "then", "else", "items", "additionalItems", "contains", "unevaluatedItems"),
    *("additionalProperties", "unevaluatedProperties", "propertyNames"),
)
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
_APPLIED_IN_PLACE: Final = frozenset(
    (
        *("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "const"),
        *("unevaluatedProperties", "unevaluatedItems"),
    )
)
"""Keywords that may refuse a null, whatever `type` says."""

_OF_PLACE: Final = frozenset(("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$defs", "definitions"))
"""Keywords that references go by. They stay where they are."""

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_POINTER_PARTS_MAX: Final = 1_000
"""Maximum number of parts of a reference. No schema that can be used is deeper."""


def is_used(schema: bytes) -> bool:
    """Return whether a schema, as JSON, may have the keyword."""
    return b'"nullable":true' in schema


class _Places(Struct):
    """Where references lead below a part of a schema: perhaps to the part itself, and to others by their keys."""

    is_target: bool = False
    below: dict[str, _Places] = {}

    def at(self, key: str) -> _Places:
        return self.below.get(key, _NOWHERE)


_NOWHERE: Final = _Places()


def without_nullable(schema: Any) -> Any:
    """Return the schema with each `nullable: true` written in the keywords of JSON Schema, also where only a reference to it
    says that there is a schema: in `components/schemas`, for one.
    """
    return _schema(schema, _targets(schema))


def _targets(schema: Any) -> _Places:
    """All that the references of a schema into itself lead to."""
    own = schema.get("$id") if isinstance(schema, dict) else None
    found = _Places()
    parts = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts.extend(part)
        elif isinstance(part, dict):
            parts.extend(part.values())
            for reference in map(part.get, _REFERENCES):
                base, _, pointer = reference.partition("#") if isinstance(reference, str) else ("", "", "")
                if base in ("", own) and pointer.startswith("/") and pointer.count("/") <= _POINTER_PARTS_MAX:
                    _take(found, pointer)
    return found


def _take(found: _Places, pointer: str) -> None:
    for part in unquote(pointer).split("/")[1:]:
        found = found.below.setdefault(part.replace("~1", "/").replace("~0", "~"), _Places())
    found.is_target = True


def _schema(schema: Any, places: _Places) -> Any:
    if not isinstance(schema, dict):
        return schema
    written = {key: _below(key, value, places.at(key)) for key, value in schema.items()}
    if written.get("nullable") is not True:
        return written
    del written["nullable"]
    if _APPLIED_IN_PLACE.isdisjoint(written):
        return _with_null(written)
    stays = {key: value for key, value in written.items() if key in _OF_PLACE or _is_other(key, places)}
    inner = {key: value for key, value in written.items() if key not in stays}
    return {**stays, "anyOf": [{"type": "null"}, inner]}


def _is_other(key: str, places: _Places) -> bool:
    """Return whether a key is no keyword, but leads to schemas that are referred to."""
    return key in places.below and key not in (*_SCHEMAS, *_LISTS, *_MAPS)


def _below(key: str, value: Any, places: _Places) -> Any:
    if key in _MAPS and isinstance(value, dict):
        return {name: _schema(each, places.at(name)) for name, each in value.items()}
    if key in _LISTS and isinstance(value, list):
        return [_schema(each, places.at(str(number))) for number, each in enumerate(value)]
    return _schema(value, places) if key in _SCHEMAS else _elsewhere(value, places)


def _elsewhere(value: Any, places: _Places) -> Any:
    """A part that no keyword makes a schema of. What references lead to is one all the same."""
    if places.is_target:
        return _schema(value, places)
    match value:
        case dict() if places.below:
            return {key: _elsewhere(each, places.at(key)) for key, each in value.items()}
        case list() if places.below:
            return [_elsewhere(each, places.at(str(number))) for number, each in enumerate(value)]
        case _:
            return value


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    types, values = schema.get("type"), schema.get("enum")
    if isinstance(types, str):
        types = [types]
    if isinstance(types, list) and "null" not in types:
        schema["type"] = [*types, "null"]
    if isinstance(values, list) and None not in values:
        schema["enum"] = [*values, None]
    return schema
