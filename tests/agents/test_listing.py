"""Which tools there are, and how they are told."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from mcp import MCPError

from agents.there import MODES, all_tools, greet, run, there
from perdure.api.mcp import catalog
from perdure.api.mcp.fixed import FIXED
from perdure.api.mcp.schemas import BYTES_MAX, input_schema


def taking(name: str, schema: Any) -> dict[str, Any]:
    steps = [{"stepId": "echo", "type": "TASK", "taskId": "echo"}]
    return {"name": name, "dialect": "orchestration", "inputSchema": schema, "steps": steps}


@pytest.mark.parametrize("mode", MODES)
def test_every_active_workflow_is_a_tool_with_its_schema_and_what_it_is_for(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            house.engine.tasks.task("echo")(lambda given: given)
            schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
            await house.engine.workflows.save({**taking("order", schema), "description": "Orders it."})
            await house.engine.workflows.save(greet("draft"), activate=False)
            await house.engine.workflows.save(greet("Grüße an alle"))
            async with house.agent(await house.key("bot", "viewer"), mode) as client:
                found = await all_tools(client)
                assert list(found)[: len(FIXED)] == list(FIXED)
                _, other = [name for name in found if name not in FIXED][::-1]
                assert found["order"].input_schema == schema
                assert (found["order"].title, found["order"].description) == ("order", "Orders it.")
                assert other.startswith("Grue-an-alle-")
                assert found[other].title == "Grüße an alle"
                assert found[other].input_schema == {"type": "object"}
                assert "draft" not in found

    run(scenario())


def test_hints_say_what_a_tool_may_do() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            await house.engine.workflows.save(greet())
            async with house.agent() as client:
                found = await all_tools(client)
        hints = {
            name: (each.annotations.read_only_hint, each.annotations.destructive_hint, each.annotations.idempotent_hint)
            for name, each in found.items()
            if each.annotations is not None
        }
        assert hints == {
            "perdure_list_executions": (True, False, True),
            "perdure_show_execution": (True, False, True),
            "perdure_why": (True, False, True),
            "perdure_list_approvals": (True, False, True),
            "perdure_decide_approval": (False, True, True),
            "greet": (False, True, False),
        }

    run(scenario())


def test_a_long_list_comes_in_pages_and_in_a_fixed_order() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            for number in range(230):
                await house.engine.workflows.save(greet(f"flow-{number:03}"))
            async with house.agent() as client:
                first = await client.list_tools()
                assert len(first.tools) == 100 + len(FIXED)
                assert first.next_cursor is not None
                found = await all_tools(client)
                assert list(found) == [*FIXED, *(f"flow-{number:03}" for number in range(230))]
                with pytest.raises(MCPError, match="is no cursor of this list"):
                    await client.list_tools(cursor="nonsense")

    run(scenario())


def test_no_more_are_told_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "TOOLS_MAX", 3)
    monkeypatch.setattr(catalog, "ORGANIZATIONS_MAX", 1)

    async def scenario() -> None:
        async with there() as house:
            for organization in ("default", "acme"):
                for number in range(5):
                    await house.engine.workflows.save(greet(f"flow-{number}"), organization)
            for number, organization in enumerate(("default", "acme", "default")):
                token = await house.key(f"bot-{number}", "viewer", organization=organization)
                async with house.agent(token) as client:
                    found = await all_tools(client)
                    assert [name for name in found if name not in FIXED] == ["flow-0", "flow-1", "flow-2"]

    run(scenario())


def test_what_is_found_is_believed_for_a_moment_and_what_is_new_can_be_called_at_once() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            await house.engine.workflows.save(greet("first"))
            async with house.agent() as client:
                assert "first" in await all_tools(client)
                await house.engine.workflows.save(greet("second"))
                told = await client.call_tool("second", {"name": "Ada"})
                assert told.structured_content["output"]["greeting"] == "Hello Ada!"
                assert "second" in await all_tools(client)

    run(scenario())


@pytest.mark.parametrize(
    ("given", "arguments", "fits"),
    [
        (None, {"any": 1}, True),
        (True, {}, True),
        (False, {}, False),
        ({"required": ["id"]}, {}, False),
        ({"type": ["object", "null"]}, {"id": 1}, True),
        (
            {"type": "array", "items": {"$ref": "#/$defs/one"}, "$defs": {"one": {"type": "integer"}}},
            {"input": [1]},
            True,
        ),
        (
            {"type": "array", "items": {"$ref": "#/$defs/one"}, "$defs": {"one": {"type": "integer"}}},
            {"input": ["a"]},
            False,
        ),
        ({"type": "string"}, {}, False),
        ({"type": "string", "description": "x" * BYTES_MAX}, {"input": 4}, True),
        ({"type": "object", "required": ["a"], "description": "x" * BYTES_MAX}, {}, True),
    ],
)
def test_arguments_are_an_object_whatever_the_input_is(given: Any, arguments: Any, *, fits: bool) -> None:
    schema, is_wrapped = input_schema(given)
    assert schema["type"] == "object"
    assert is_wrapped is (isinstance(given, dict) and given.get("type") in ("array", "string"))
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(arguments) is fits
