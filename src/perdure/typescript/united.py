"""Schemas of alternatives, and of what must hold at once, as small as they come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perdure.expressions.shapes import key, kind_of
from perdure.model.values import Json

NULL: Json = {"type": "null"}
PRESENT: Json = {"not": NULL}
"""What TypeScript writes as `{}`: anything but null."""


def united(schemas: Iterable[Json]) -> Json:
    """What one of them allows. Literals stand together, and beside their own kind they say nothing. Null comes last."""
    flat: list[Json] = []
    for schema in schemas:
        flat.extend(schema["anyOf"] if isinstance(schema, dict) and list(schema) == ["anyOf"] else [schema])
    flat = [schema for schema in flat if schema is not False]
    if {} in flat:
        return {}
    kinds = [schema["type"] for schema in flat if list(schema) == ["type"]]
    literals = {
        _key(value): value
        for schema in flat
        for value in _literals(schema) or ()
        if not (value is not None and _kind(value) in kinds)
    }
    both = all(("boolean", each) in literals for each in (True, False))
    if both:
        literals = {each: value for each, value in literals.items() if not isinstance(value, bool)}
    others = _distinct([schema for schema in flat if _literals(schema) is None and schema != NULL])
    nulls = [NULL] if NULL in flat or None in literals else []
    literals.pop(None, None)
    if both and {"type": "boolean"} not in others:
        others.append({"type": "boolean"})
    values = list(literals.values())
    if values and not others:
        values, nulls = [*values, *([None] if nulls else [])], []
    if values:
        others.append({"const": values[0]} if len(values) == 1 else {"enum": values})
    others.extend(nulls)
    if not others:
        return False
    return others[0] if len(others) == 1 else {"anyOf": others}


def met(schemas: Sequence[Json]) -> Json:
    """What all of them allow. Beside what is no object, an object type is a brand: `string & { __brand: 'Id' }` is a string."""
    if any(schema is False for schema in schemas):
        return False
    kept = _distinct([schema for schema in schemas if schema != {}])
    if PRESENT in kept and len(kept) > 1:
        others = [_without_null(schema) for schema in kept if schema != PRESENT]
        if None not in others:
            return met(others)
    if any(map(_is_no_object, kept)):
        kept = [schema for schema in kept if schema.get("type") != "object"]
    literals = next((found for schema in kept if (found := _literals(schema)) is not None), None)
    plain = [schema for schema in kept if _literals(schema) is not None or list(schema) == ["type"]]
    if literals is not None and len(plain) == len(kept):
        return united([{"const": value} for value in literals if all(_admits(schema, value) for schema in kept)])
    if not kept:
        return {}
    return kept[0] if len(kept) == 1 else {"allOf": kept}


def _without_null(schema: Json) -> Json:
    """What is left of it if null is not allowed; None, if that does not show here."""
    if list(schema) == ["anyOf"]:
        parts = [_without_null(part) for part in schema["anyOf"]]
        return None if None in parts else united(parts)
    values = _literals(schema)
    if values is not None:
        return united([{"const": value} for value in values if value is not None])
    return False if schema == NULL else schema if "type" in schema else None


def _is_no_object(schema: Json) -> bool:
    if list(schema) == ["anyOf"]:
        return all(map(_is_no_object, schema["anyOf"]))
    return schema.get("type", "object") not in ("object", "null") or _literals(schema) is not None


def _admits(schema: Json, value: Json) -> bool:
    values = _literals(schema)
    if values is None:
        return bool(schema["type"] == (_kind(value) if value is not None else "null"))
    return _key(value) in map(_key, values)


def _literals(schema: Json) -> list[Json] | None:
    if list(schema) == ["const"]:
        return [schema["const"]]
    return schema["enum"] if list(schema) == ["enum"] else None


def _kind(value: Json) -> str:
    kind = kind_of(value)
    return "number" if kind == "integer" else kind


def _key(value: Json) -> Json:
    return None if value is None else key(value)


def _distinct(schemas: list[Json]) -> list[Json]:
    return list({key(schema): schema for schema in schemas}.values())
