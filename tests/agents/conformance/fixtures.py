"""The tools that the suite wants to call, as workflows: what a server has to be able to do, shown by what ours does."""

from __future__ import annotations

from typing import Any

from agents.there import greet
from perdure.service.engine import Engine

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""As the suite writes it down."""

HEADERS: dict[str, Any] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
}
PLAIN = (*("test_simple_text", "test_tool_with_progress", "test_logging_tool", "test_streaming_elicitation"),)


async def save_fixtures(engine: Engine) -> None:
    @engine.task("refuse")
    async def refuse(given: object) -> None:
        raise ValueError("This tool intentionally returns an error for testing")

    @engine.task("agree")
    async def agree(given: object) -> object:
        return given

    for name in PLAIN:
        await engine.workflows.save(greet(name))
    await engine.workflows.save(_calling("test_error_handling", "refuse"))
    await engine.workflows.save(_calling("json_schema_2020_12_tool", "agree", SCHEMA))
    await engine.workflows.save(_calling("with_headers", "agree", HEADERS))


def _calling(name: str, task: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    steps = [{"stepId": "call", "type": "TASK", "taskId": task}]
    return {"name": name, "dialect": "orchestration", "steps": steps, "inputSchema": True if schema is None else schema}
