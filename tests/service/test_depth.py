"""Workflows that call each other: the depth limit, and failures that come from far below."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.model.steps import Step, Task
from perdure.service.engine import Engine, Execution
from perdure.service.errors import ExecutionFailed
from service.words import breaking, one, running


def graph(name: str, called: str, *, wait: bool) -> dict[str, Any]:
    data = {"workflowId": called, "input": {"n": "{{n}}"}, "wait": wait, "variableName": "child"}
    return {"name": name, "nodes": [{"id": "call", "type": "RUN_WORKFLOW", "data": data}], "connections": []}


def ports(name: str, called: str, *, wait: bool) -> dict[str, Any]:
    config = {"type": "workflow", "workflowId": called, "input": {"n": "{{ n }}"}, "wait": wait}
    return {"name": name, "steps": [{"stepSlug": "call", "stepType": "action", "order": 1, "config": config}]}


async def failed(execution: Execution) -> ExecutionFailed:
    with pytest.raises(ExecutionFailed) as raised:
        await execution.result()
    return raised.value


async def deepest(engine: Engine) -> Any:
    return max((await engine.executions.list()).items, key=lambda record: record.depth)


@pytest.mark.parametrize(("document", "limit"), [(graph, 3), (ports, 10)], ids=["graph", "ports"])
def test_a_workflow_that_calls_itself_and_waits_fails_at_the_depth_limit(url: str, document: Any, limit: int) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(document("circle", "circle", wait=True))
            first = await engine.executions.start("circle", {"n": 1})
            found = (await failed(first)).failure
            last = await deepest(engine)
            assert found is not None
            assert (found.code, found.origin, last.depth) == ("DEPTH", last.id, limit)
            assert found.message == f"'circle' was not started: the depth of {limit} has reached the limit of {limit}"
            for record in (await engine.executions.list()).items:
                assert record.status == "failed"
                assert record.error is not None
                assert (record.error.message, record.error.code) == (found.message, "DEPTH")
                assert record.error.origin == (None if record.id == last.id else last.id)
            answer = (await first.describe()).canonical()
            assert answer["error"]["executionId"] == last.id

    running(scenario)


@pytest.mark.parametrize(("document", "limit"), [(graph, 3), (ports, 10)], ids=["graph", "ports"])
def test_one_that_does_not_wait_completes_and_records_what_it_skipped(document: Any, limit: int) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            await engine.workflows.save(document("circle", "circle", wait=False))
            await (await engine.executions.start("circle", {"n": 1})).result()
            while (last := await deepest(engine)).depth < limit or last.ended_at is None:
                await (await engine.executions.get(last.id)).ended()
            history = (await (await engine.executions.get(last.id)).history()).items
            (skipped,) = [entry for entry in history if entry.kind == "chain.skipped"]
            assert f"limit of {limit}" in str(skipped.data)
            assert {record.status for record in (await engine.executions.list()).items} == {"completed"}

    running(scenario)


@pytest.mark.parametrize("document", [graph, ports], ids=["graph", "ports"])
def test_the_failure_of_a_workflow_far_below_is_passed_up_unchanged(document: Any) -> None:
    async def scenario() -> None:
        async with breaking(Engine("memory://")) as engine:
            await engine.workflows.save(one(Step("go", Task("break")), "w3"))
            for number in range(3):
                await engine.workflows.save(document(f"w{number}", f"w{number + 1}", wait=True))
            first = await engine.executions.start("w0", {"n": 1})
            found = (await failed(first)).failure
            last = await deepest(engine)
            assert found is not None
            assert (found.message, found.details, found.origin) == (last.error.message, last.error.details, last.id)
            assert "out of order" in found.message

    running(scenario)
