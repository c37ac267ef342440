"""Triggers of phases, as a program sees them: what they start, what is told of it, and how those that failed fire again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from perdure.service.engine import Engine
from perdure.service.errors import Conflict
from service.words import until

WORK = {"connectionId": "local", "toolName": "echo"}


def pipeline(name: str, *triggers: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "steps": [[{"name": "work", "tool": WORK}]], "triggers": list(triggers)}


def opened(url: str) -> Engine:
    engine = Engine(url)

    @engine.task("echo")
    async def echo(given: Any) -> Any:
        return given

    return engine


async def fired(execution: Any) -> Any:
    """What has become of its triggers, once it has completed and none is pending."""
    await execution.result()
    await until(lambda: _is_settled(execution))
    return await execution.triggers()


async def _has_failed(execution: Any) -> bool:
    return all(each.status == "failed" for each in await execution.triggers())


async def _is_settled(execution: Any) -> bool:
    return all(each.status != "pending" for each in await execution.triggers())


def test_a_trigger_that_failed_fires_again_when_its_workflow_is_there(url: str) -> None:
    async def scenario() -> None:
        async with opened(url) as engine:
            await engine.workflows.save(pipeline("first", {"workflowId": "second", "inputs": {"n": "@output.n"}}))
            execution = await engine.executions.start("first", {"n": 7})
            assert await execution.result() == {"n": 7}
            (failed,) = await fired(execution)
            assert (failed.id, failed.workflow, failed.status, failed.ids) == ("trigger-0", "second", "failed", ())
            assert "second" in failed.reason
            view = await execution.view()
            assert (view["status"], view["triggerStatus"], view["triggeredExecutionIds"]) == ("completed", "failed", [])
            await engine.workflows.save(pipeline("second"))
            assert await execution.refire() == ("trigger-0",)
            (done,) = await fired(execution)
            assert done.status == "triggered"
            (child,) = done.ids
            assert await (await engine.executions.get(child)).result() == {"n": 7}
            view = await execution.view()
            assert (view["triggerStatus"], view["triggeredExecutionIds"]) == ("triggered", [child])
            with pytest.raises(Conflict, match="there is nothing to fire again"):
                await execution.refire()

    asyncio.run(scenario())


def test_what_of_a_fan_out_was_started_is_not_started_again(url: str) -> None:
    """A trigger that fails on the way has started some: fired again, it starts the rest."""

    async def scenario() -> None:
        async with opened(url) as engine:
            each = {"workflowId": "second", "forEach": "@output.items", "inputs": {"n": "@item"}}
            await engine.workflows.save(pipeline("second"))
            await engine.workflows.save(pipeline("first", each))
            execution = await engine.executions.start("first", {"items": list(range(250))})
            (done,) = await fired(execution)
            assert (done.status, len(done.ids)) == ("triggered", 250)
            with pytest.raises(Conflict, match="trigger-7"):
                await execution.refire("trigger-7")
            assert len((await engine.executions.list(parent=execution.id, limit=500)).items) == 250

    asyncio.run(scenario())


def test_a_trigger_that_is_to_be_fired_again_is_pending_until_a_worker_has_done_so(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with opened(url) as engine:
            await engine.workflows.save(pipeline("first", {"workflowId": "second", "inputs": {}}))
            execution = await engine.executions.start("first", {"n": 7})
            await execution.result()
            await until(lambda: _has_failed(execution))  # it counts as triggered until its start has been refused
            id_ = execution.id
        async with Engine(url, works=False) as asking:
            execution = await asking.executions.get(id_)
            await execution.refire()
            (noted,) = await execution.triggers()
            assert noted.status == "pending"
            assert noted.reason == "it is noted that it is to be fired again, and no worker has taken that up yet"
        async with opened(url) as engine:
            execution = await engine.executions.get(id_)
            await until(lambda: _has_failed(execution))
            (again,) = await execution.triggers()
            assert again.reason is not None
            assert "no active workflow 'second'" in again.reason

    asyncio.run(scenario())


def strict(key: str) -> dict[str, Any]:
    schema = {"type": "object", "required": [key]}
    step = {"stepId": "a", "type": "TASK", "taskId": "echo", "input": {"n": "${workflow.input.n}"}}
    return {"workflowId": "strict", "name": "strict", "version": "1.0.0", "inputSchema": schema, "steps": [step]}


def test_what_the_target_does_not_take_is_not_started_and_can_be_fired_again(url: str) -> None:
    async def scenario() -> None:
        async with opened(url) as engine:
            await engine.workflows.save(strict("q"))
            await engine.workflows.save(pipeline("first", {"workflowId": "strict", "inputs": {"n": 7}}))
            execution = await engine.executions.start("first", {})
            (failed,) = await fired(execution)
            assert (failed.status, failed.ids) == ("failed", ())
            assert failed.reason.startswith("workflow 'strict' was not started: the input does not fit: ")
            assert (await engine.executions.list(workflow="strict")).items == ()
            await engine.workflows.save({**strict("n"), "version": "1.1.0"})
            await execution.refire()
            (done,) = await fired(execution)
            assert (done.status, len(done.ids), done.reason) == ("triggered", 1, None)

    asyncio.run(scenario())


def test_of_a_fan_out_only_what_the_target_takes_is_started(url: str) -> None:
    async def scenario() -> None:
        async with opened(url) as engine:
            await engine.workflows.save({**strict("q"), "inputSchema": {"properties": {"q": {"type": "number"}}}})
            each = {"workflowId": "strict", "forEach": "@output.items", "inputs": {"q": "@item"}}
            await engine.workflows.save(pipeline("first", each))
            items = ["none" if number in (3, 120) else number for number in range(250)]
            execution = await engine.executions.start("first", {"items": items})
            (failed,) = await fired(execution)
            assert (failed.status, len(failed.ids)) == ("failed", 248)
            assert failed.reason.startswith(
                "workflow 'strict' was not started for 2 of 250 items; item 3: the input does"
            )
            assert failed.reason.endswith(" (the items are 3, 120)")
            assert len((await engine.executions.list(parent=execution.id, limit=500)).items) == 248
            await engine.workflows.save({**strict("q"), "version": "1.1.0"})
            await execution.refire()
            (done,) = await fired(execution)
            assert (done.status, len(done.ids)) == ("triggered", 250)
            assert len((await engine.executions.list(parent=execution.id, limit=500)).items) == 250, (
                "none of them twice"
            )

    asyncio.run(scenario())


def test_a_workflow_that_is_to_be_started_and_is_not_there_is_told_of(url: str) -> None:
    async def scenario() -> None:
        async with opened(url) as engine:
            await engine.workflows.save(pipeline("reminders"))
            triggers: list[dict[str, Any]] = [
                {"workflowId": name, "inputs": {}} for name in ("remindrs", "xyz", "reminders", "self")
            ]
            saved = await engine.workflows.save(pipeline("self", *triggers))
            assert [each.message for each in saved.warnings if each.type == "unknown_workflow"] == [
                "it starts the workflow 'remindrs', which is not there; did you mean 'reminders'? save it before it is started",
                "it starts the workflow 'xyz', which is not there; save it before it is started",
            ]

    asyncio.run(scenario())


def test_workflows_that_start_each_other_are_told_of(url: str) -> None:
    async def scenario() -> None:
        async with opened(url) as engine:
            first = await engine.workflows.save(pipeline("first", {"workflowId": "second", "inputs": {}}))
            second = await engine.workflows.save(pipeline("second", {"workflowId": "third", "inputs": {}}))
            assert "workflow_cycle" not in [each.type for each in (*first.warnings, *second.warnings)]
            closed = await engine.workflows.save(pipeline("third", {"workflowId": first.id, "inputs": {}}))
            (cycle,) = [each for each in closed.warnings if each.type == "workflow_cycle"]
            assert "third → first → second → third" in cycle.message
            itself = await engine.workflows.save(
                pipeline("itself", {"workflowId": "itself", "inputs": {"n": "@output.n"}})
            )
            assert any("itself → itself" in each.message for each in itself.warnings)

    asyncio.run(scenario())


def test_a_workflow_that_starts_itself_ends_at_its_depth(url: str) -> None:
    async def scenario() -> None:
        async with opened(url) as engine:
            await engine.workflows.save(pipeline("itself", {"workflowId": "itself", "inputs": {"n": "@output.n"}}))
            execution = await engine.executions.start("itself", {"n": 1})
            depths = []
            while True:
                (trigger,) = await fired(execution)
                depths.append((await execution.describe()).record.depth)
                if not trigger.ids:
                    break
                execution = await engine.executions.get(trigger.ids[0])
            assert depths == list(range(11)), trigger
            assert (trigger.status, "limit of 10" in trigger.reason) == ("skipped", True)

    asyncio.run(scenario())


def test_what_steps_take_and_give_is_kept_with_the_workflow(url: str) -> None:
    async def scenario() -> None:
        engine = Engine(url)

        @engine.task("count", connection="api")
        def count(given: dict[str, str]) -> int:
            return len(given)

        async with engine:
            document = {"steps": [[{"name": "count", "tool": {"connectionId": "api", "toolName": "count"}}]]}
            await engine.workflows.save(document, name="counting")
            shown = (await engine.workflows.show("counting")).document
            assert shown["_schemas"]["count"]["output"] == {"type": "integer"}
            again = await engine.workflows.save(shown, name="counting")
            assert (again.version, again.created) == ("1", False)
            execution = await engine.executions.start("counting", {"a": "b"})
            await execution.result()
            assert (await execution.view())["_schemas"] == shown["_schemas"]

    asyncio.run(scenario())
