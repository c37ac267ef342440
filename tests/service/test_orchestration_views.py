"""The view `workflow_instances` of what an engine runs: inline and saved, in several versions and organizations."""

from __future__ import annotations

from typing import Any

from perdure.service.engine import Engine, Execution
from service.words import running, until, waiting
from sql_views import INSTANCE, rows

DOCUMENT: dict[str, Any] = {
    "id": "orders",
    "name": "Orders",
    "version": "1.0.0",
    "steps": [
        {"stepId": "work", "type": "TASK", "taskId": "work", "transitions": {"default": "wait"}},
        {"stepId": "wait", "type": "EVENT_WAIT", "eventPattern": "order.paid"},
    ],
}


async def compare(url: str, execution: Execution) -> dict[str, Any]:
    """The row of an execution, which is what the dialect tells of it."""
    found = next(row for row in rows(url, "workflow_instances", INSTANCE) if row["id"] == execution.id)
    told: Any = await execution.view()
    keys = {
        *("id", "status", "state", "input", "version", "cancellation", "output", "error"),
        *("startedAt", "updatedAt", "completedAt", "correlationId", "compensationState", "triggerEventId"),
    }
    assert {key: found[_column(key)] for key in keys} == {key: told[key] for key in keys}
    assert (found["workflow_id"], found["workflow_version"]) == (told["workflowDefinitionId"], told["workflowVersion"])
    return found


def _column(key: str) -> str:
    """Seed 002 writes columns with underscores."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def engine(url: str) -> Engine:
    made = Engine(url)

    @made.task("work")
    async def work(given: Any) -> Any:
        return {"text": "x" * 70_000}

    return made


def test_what_is_saved_has_a_definition_and_what_was_never_saved_has_none(sql_url: str) -> None:
    made = engine(sql_url)

    async def scenario() -> None:
        async with made:
            saved = await made.workflows.save(DOCUMENT)
            other = await made.workflows.save(DOCUMENT, "other")
            first = await made.executions.start(saved.id, {"n": 1}, correlation_id="c")
            second = await made.executions.start(other.id, organization="other")
            inline = await made.executions.start({**DOCUMENT, "id": "inline", "name": "Inline"})
            for execution in (first, second, inline):
                await waiting(execution)
            told = {row["organization"]: row["id"] for row in rows(sql_url, "workflow_definitions", INSTANCE)}
            assert set(told) == {"default", "other"}
            assert (await compare(sql_url, first))["workflow_definition_id"] == told["default"]
            assert (await compare(sql_url, second))["workflow_definition_id"] == told["other"]
            assert (await compare(sql_url, inline))["workflow_definition_id"] is None
            await first.cancel()
            await compare(sql_url, first)
            await made.publish("order.paid", {"sum": 5})
            await inline.result()
            found = await compare(sql_url, inline)
            assert (found["status"], found["output"]) == ("COMPLETED", {"sum": 5})

    running(scenario)


def test_what_is_of_another_dialect_is_not_in_them(sql_url: str) -> None:
    made = engine(sql_url)

    async def scenario() -> None:
        async with made:
            graph = {"name": "graph", "nodes": [{"id": "a", "type": "MANUAL_TRIGGER"}], "connections": []}
            await made.workflows.save(graph)
            execution = await made.executions.start("graph", {})

            async def ended() -> Any:
                return (await execution.describe()).record.ended_at

            await until(ended)
            assert [rows(sql_url, view) for view in ("workflow_definitions", "workflow_instances")] == [[], []]

    running(scenario)
