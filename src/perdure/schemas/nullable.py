"""OpenAPI's `nullable: true`, which JSON Schema does not have: the schema also accepts null."""

from __future__ import annotations

from typing import Any, Final

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


def is_used(schema: bytes) -> bool:
    """Return whether a schema, as JSON, may have the keyword."""
    return b'"nullable":true' in schema


def without_nullable(schema: Any) -> Any:
    """Return the schema with each `nullable: true` written in the keywords of JSON Schema."""
    if not isinstance(schema, dict):
        return schema
    written = {key: _below(key, value) for key, value in schema.items()}
    if written.get("nullable") is not True:
        return written
    del written["nullable"]
    if _APPLIED_IN_PLACE.isdisjoint(written):
        return _with_null(written)
    inner = {key: value for key, value in written.items() if key not in _OF_PLACE}
    return {**{key: written[key] for key in written if key in _OF_PLACE}, "anyOf": [{"type": "null"}, inner]}


def _below(key: str, value: Any) -> Any:
    if key in _MAPS and isinstance(value, dict):
        return {name: without_nullable(each) for name, each in value.items()}
    if key in _LISTS and isinstance(value, list):
        return [without_nullable(each) for each in value]
    return without_nullable(value) if key in _SCHEMAS else value


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    types, values = schema.get("type"), schema.get("enum")
    if isinstance(types, str):
        types = [types]
    if isinstance(types, list) and "null" not in types:
        schema["type"] = [*types, "null"]
    if isinstance(values, list) and None not in values:
        schema["enum"] = [*values, None]
    return schema
