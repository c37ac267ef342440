"""Calling a workflow: what comes of it, and what is said when it cannot be, or takes longer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from agents.there import ACCEPTS, MODES, greet, refund, run, text, there
from postgres import fresh_schema


def calling(name: str, task: str, **more: Any) -> dict[str, Any]:
    steps = [{"stepId": "call", "type": "TASK", "taskId": task}]
    return {"name": name, "dialect": "orchestration", "steps": steps, **more}


@pytest.mark.parametrize("mode", MODES)
def test_a_call_starts_an_execution_and_answers_with_its_output(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            await house.engine.workflows.save(greet())
            async with house.agent(await house.key("bot", "operator"), mode) as client:
                told = await client.call_tool("greet", {"name": "Ada"})
                assert not told.is_error
                found = told.structured_content
                assert (found["status"], found["output"]["greeting"]) == ("completed", "Hello Ada!")
                assert re.match(r"Execution \w+ of greet: It completed at", text(told))
                assert "Hello Ada!" in text(told)
                execution = await house.engine.executions.get(found["id"])
                assert (await execution.describe()).record.trigger == "api"

    run(scenario())


def test_calls_count_as_what_an_organization_starts_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with there() as house:
            await house.engine.workflows.save(refund())
            async with house.agent(await house.key("bot", "operator")) as client:
                meta: Any = {"perdure/idempotencyKey": "one"}
                for _ in range(2):
                    assert not (await client.call_tool("refund", {"amount": 7}, meta=meta)).is_error
                refused = await client.call_tool("refund", {"amount": 7})
                assert refused.is_error
                assert "may have 1 open executions" in text(refused)

    monkeypatch.setenv("PERDURE_OPEN_EXECUTIONS_MAX", "1")
    run(scenario())


def test_what_is_not_the_organizations_is_not_even_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with there() as house:

            async def mistaken(**_: Any) -> Any:
                return await house.engine.workflows.list(organization="acme")

            house.engine.workflows.offers = mistaken  # type: ignore[method-assign]
            async with house.agent(await house.key("bot", "operator")) as client:
                for ask in (client.list_tools, partial(client.call_tool, "greet")):
                    with pytest.raises(MCPError, match="something went wrong in the server"):
                        await ask()

    run(scenario())
    assert caplog.text.count("OnBehalfOfAnother: this is done on behalf of") == 2


def test_a_call_without_arguments_has_an_empty_input() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            house.engine.tasks.task("echo")(lambda given: given)
            await house.engine.workflows.save(calling("echo", "echo"))
            async with house.agent() as client:
                assert (await client.call_tool("echo")).structured_content["status"] == "completed"

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_what_waits_for_people_is_answered_at_once_with_what_it_waits_for(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            await house.engine.workflows.save(refund())
            async with house.agent(await house.key("bot", "operator"), mode) as client:
                told = await asyncio.wait_for(client.call_tool("refund", {"amount": 7}), 15)
                assert not told.is_error
                assert told.structured_content["status"] == "waiting"
                assert told.structured_content["waiting_for"]["kind"] == "approval"
                assert "whoever is in the group 'finance'" in text(told)
                assert f"perdure_show_execution for it, with execution={told.structured_content['id']}" in text(told)

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_an_execution_that_fails_is_an_error_with_its_message(mode: str) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:

            @house.engine.task("charge")
            async def charge(given: object) -> None:
                raise ValueError("the card was declined")

            await house.engine.workflows.save(calling("pay", "charge"))
            async with house.agent(mode=mode) as client:
                told = await client.call_tool("pay", {})
                assert told.is_error
                assert "the card was declined" in text(told)
                assert told.structured_content["status"] == "failed"
                assert told.structured_content["error"]["message"] == "the card was declined"

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_an_input_that_does_not_fit_is_refused_with_all_that_is_wrong_and_nothing_starts(mode: str) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            house.engine.tasks.task("echo")(lambda given: given)
            fields = {f"f{number:02}": {"type": "string"} for number in range(15)}
            schema = {"type": "object", "properties": fields, "additionalProperties": False}
            await house.engine.workflows.save(calling("strict", "echo", inputSchema=schema))
            async with house.agent(mode=mode) as client:
                told = await client.call_tool("strict", dict.fromkeys(fields, 1))
                assert told.is_error
                assert told.structured_content["code"] == "refused"
                assert {each["path"] for each in told.structured_content["errors"]} == {f"/{name}" for name in fields}
                assert all(f"/{name}: " in text(told) for name in fields)
            assert not (await house.engine.executions.list()).items

    run(scenario())


def test_an_input_that_is_no_object_is_an_argument() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            house.engine.tasks.task("echo")(lambda given: given)
            schema = {"type": "array", "items": {"type": "integer"}}
            await house.engine.workflows.save(calling("sum", "echo", inputSchema=schema))
            async with house.agent() as client:
                assert (await client.call_tool("sum", {"input": [1, 2]})).structured_content["status"] == "completed"
                for wrong in ({}, {"input": [1], "other": 2}):
                    told = await client.call_tool("sum", wrong)
                    assert told.is_error
                    assert "give it as 'input', alone" in text(told)
                assert "/0" in text(await client.call_tool("sum", {"input": ["a"]}))

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_the_same_key_twice_is_one_execution(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            await house.engine.workflows.save(greet())
            async with house.agent(await house.key("bot", "operator"), mode) as client:
                meta: Any = {"perdure/idempotencyKey": "order-17"}
                first, second = [await client.call_tool("greet", {"name": "Ada"}, meta=meta) for _ in range(2)]
                assert first.structured_content["id"] == second.structured_content["id"]
                other = await client.call_tool("greet", {"name": "Bob"}, meta=meta)
                assert other.is_error
                assert "with another input" in text(other)
                for wrong in ("", 4, "x" * 201):
                    refused = await client.call_tool("greet", {}, meta={"perdure/idempotencyKey": wrong})  # type: ignore[arg-type]
                    assert refused.is_error
            assert len((await house.engine.executions.list()).items) == 1

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_what_takes_longer_than_is_waited_goes_on_and_can_be_asked_for(mode: str) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            gate = asyncio.Event()

            @house.engine.task("slow")
            async def slow(given: object) -> str:
                await gate.wait()
                return "done"

            await house.engine.workflows.save(calling("long", "slow"))
            async with house.agent(mode=mode) as client:
                told = await client.call_tool("long", {}, meta={"perdure/waitSeconds": 0})  # type: ignore[arg-type]
                assert not told.is_error
                assert told.structured_content["ended_at"] is None
                id_ = told.structured_content["id"]
                asked = client.call_tool("perdure_show_execution", {"execution": id_, "waitSeconds": 30, "steps": True})
                looking = asyncio.create_task(asked)
                gate.set()
                shown = await looking
                assert shown.structured_content["status"] == "completed"
                assert [each["step"] for each in shown.structured_content["steps"]] == ["call"]
                for wrong in (-1, 61, "5", True):
                    refused = await client.call_tool("long", {}, meta={"perdure/waitSeconds": wrong})  # type: ignore[arg-type]
                    assert "a number from 0 to 60" in text(refused)

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_a_server_that_is_about_to_end_answers_what_it_knows(mode: str) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            gate, began = asyncio.Event(), asyncio.Event()

            @house.engine.task("slow")
            async def slow(given: object) -> str:
                began.set()
                await gate.wait()
                return "done"

            await house.engine.workflows.save(calling("long", "slow"))
            async with house.agent(mode=mode) as client:
                calling_ = asyncio.create_task(client.call_tool("long", {}, meta={"perdure/waitSeconds": 60}))  # type: ignore[arg-type]
                await began.wait()
                house.app.state.ending.set()
                told = await asyncio.wait_for(calling_, 20)
                assert told.structured_content["ended_at"] is None
                assert "perdure_show_execution" in text(told)
            gate.set()

    run(scenario())


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_whoever_hangs_up_is_waited_for_no_more(version: str) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            gate, began = asyncio.Event(), asyncio.Event()

            @house.engine.task("slow")
            async def slow(given: object) -> None:
                began.set()
                await gate.wait()

            await house.engine.workflows.save(calling("long", "slow"))
            async with house.http() as client:
                asking = asyncio.create_task(client.post("/mcp", **asked("long", version)))
                await began.wait()
                await until(lambda: waiting() == 1)
                asking.cancel()
                await until(lambda: waiting() == 0)
            gate.set()

    run(scenario())


def asked(tool: str, version: str) -> dict[str, Any]:
    """A call that waits for a minute, as a client of this version sends it."""
    meta = {
        "perdure/waitSeconds": 60,
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": {}, "_meta": meta}
    headers = {**ACCEPTS, "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    return {"json": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, "headers": headers}


def waiting() -> int:
    """How many wait for the end of an execution."""
    names = [getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks()]
    return names.count("Execution.ended")


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("mode", MODES)
def test_whoever_wants_to_know_is_told_what_happens_meanwhile(mode: str) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            await house.engine.workflows.save(greet())
            heard: list[tuple[float, str | None]] = []

            async def hear(progress: float, total: float | None, message: str | None) -> None:
                heard.append((progress, message))

            async with house.agent(mode=mode) as client:
                await client.call_tool("greet", {"name": "Ada"}, progress_callback=hear)
            assert [message for _, message in heard][-2:] == ["hello: step.completed", "execution.completed"]
            assert [number for number, _ in heard] == sorted(number for number, _ in heard)

    run(scenario())


def test_an_output_that_is_too_large_is_left_out() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            house.engine.tasks.task("much")(lambda _: "x" * 300_000)
            await house.engine.workflows.save(calling("much", "much"))
            async with house.agent() as client:
                told = await client.call_tool("much", {})
                assert not told.is_error
                assert told.structured_content["output"] is None
                assert told.structured_content["output_bytes"] > 300_000

    run(scenario())


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_twenty_calls_at_once_are_twenty_executions(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with there(f"sqlite:///{tmp_path}/flows.db" if kind == "sqlite" else fresh_schema()) as house:
            await house.engine.workflows.save(greet())
            async with house.agent(await house.key("bot", "operator"), MODES[1]) as client:
                told = await asyncio.gather(*(client.call_tool("greet", {"name": str(n)}) for n in range(20)))
            assert [each.structured_content["output"]["name"] for each in told] == [str(n) for n in range(20)]
            assert len({each.structured_content["id"] for each in told}) == 20

    run(scenario())


def test_it_does_not_matter_which_server_is_asked(tmp_path: Path) -> None:
    async def scenario() -> None:
        url = f"sqlite:///{tmp_path}/flows.db"
        async with there(url) as one:
            await one.engine.workflows.save(refund())
            token = await one.key("bot", "operator")
            async with one.agent(token) as client:
                id_ = (await client.call_tool("refund", {})).structured_content["id"]
        async with there(url, works=False) as other, other.agent(token) as client:
            shown = await client.call_tool("perdure_show_execution", {"execution": id_})
            assert shown.structured_content["status"] == "waiting"

    run(scenario())
