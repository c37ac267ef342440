"""What documents of several dialects have in the same way: a schema of their input, and a name if they do not say one."""

from __future__ import annotations

from hashlib import sha256

import msgspec

from perdure.dialects.fields import Fields
from perdure.model.values import Json
from perdure.model.workflow import SCHEMAS


def generated_name(dialect: str, value: Json) -> str:
    """The same document always has the same name, also with what was found out about it."""
    value = {key: part for key, part in value.items() if key != SCHEMAS} if isinstance(value, dict) else value
    return f"{dialect}-{sha256(msgspec.json.encode(value)).hexdigest()[:12]}"


def input_schema(definition: Fields) -> Json:
    """`inputSchema`. All that keeps it from being one is told."""
    given = definition.given.get("inputSchema")
    if given is None:
        return None
    if not isinstance(given, dict | bool):
        definition.wrong("inputSchema", "a JSON Schema: an object, true or false")
        return None
    from perdure import schemas  # noqa: PLC0415  most documents have no schema, and need not wait for it

    for violation in schemas.problems(given):
        message = f"'inputSchema' is not a JSON Schema: {violation.message}"
        definition.faults.problem("invalid_schema", f"{definition.at('inputSchema')}{violation.path}", message)
    return given
