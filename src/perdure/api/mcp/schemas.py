"""Schemas as tools have them: what a workflow takes, and what our own tools take and answer.

The arguments of a tool are an object. A workflow whose input is one takes it as the arguments themselves; one whose input is
something else, a list say, takes it as the argument `input`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from perdure.model.values import Json

BYTES_MAX: Final = 50_000
"""A larger schema is not told: inputs have to fit it even so."""

INPUT: Final = "input"
_WHERE: Final = "urn:perdure:input"
"""So that what the schema of an input refers to is looked for in it, and not around it."""


def input_schema(given: Json) -> tuple[dict[str, Any], bool]:
    """The schema of the arguments, and whether the input is one of them."""
    if given is None or given is True:
        return {"type": "object"}, False
    if given is False:
        return {"type": "object", "not": {}}, False
    is_told = len(msgspec.json.encode(given)) <= BYTES_MAX
    if _takes_objects(given.get("type")):
        return {**(given if is_told else {}), "type": "object"}, False
    inner = {"$id": _WHERE, **given} if is_told else {}
    arguments = {"type": "object", "properties": {INPUT: inner}, "required": [INPUT], "additionalProperties": False}
    return arguments, True


def _takes_objects(type_: Json) -> bool:
    return type_ is None or "object" in ([type_] if isinstance(type_, str) else type_)


def output_schema(type_: Any) -> dict[str, Any]:
    """Of one of our types, with the object itself at the root, as tools have to have it."""
    (root,), components = msgspec.json.schema_components((type_,), ref_template="#/$defs/{name}")
    name = root["$ref"].rpartition("/")[2]
    others = {each: found for each, found in components.items() if each != name}
    return {**components[name], **({"$defs": others} if others else {})}
