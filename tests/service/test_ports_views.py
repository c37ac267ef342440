"""The tables of seeds 000 and 001, as views in SQL: they tell what the dialect's own view tells, in every shape of document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from examples.chat import chat
from perdure import NonRetryable
from perdure.dialects.faults import Faults
from perdure.dialects.ports.document import read_document
from perdure.model.steps import Compute, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import ExecutionFailed
from service.words import running, until, waiting
from sql_views import row, rows

DEFINITION = ("id", "organizationId", "name", "description", "version", "status", "config", "metadata")
STEP = (
    *("id", "organizationId", "wfDefinitionId", "stepSlug", "name", "description", "stepType", "order", "nextSteps"),
    *("config", "inputMapping", "outputMapping", "metadata"),
)
EXECUTION = (
    *("id", "organizationId", "wfDefinitionId", "status", "currentStepSlug", "waitingFor", "startedAt", "updatedAt"),
    *("completedAt", "componentWorkflowId", "variables", "workflowConfig", "stepsConfig", "input", "output", "error"),
    *("triggeredBy", "triggerData", "metadata"),
)
DEFINED = {
    "name": "orders",
    "description": "What comes in",
    "config": {"variables": {"limit": 5}},
    "metadata": {"color": "red"},
    "triggers": {"event": "order.placed"},
}
STEPS: list[dict[str, Any]] = [
    {"stepSlug": "end_of_it", "stepType": "output", "order": 9, "config": {"mapping": {"sum": "{{ sum }}"}}},
    {
        "stepSlug": "begin",
        "name": "Begin",
        "description": "here",
        "stepType": "start",
        "order": 0.5,
        "nextSteps": {"success": "work"},
    },
    {
        "stepSlug": "work",
        "stepType": "action",
        "order": 2,
        "config": {"type": "work", "name": "Do it", "given": "{{ order }}"},
        "inputMapping": {"order": "{{ input.order }}"},
        "outputMapping": {"sum": "data.sum"},
        "metadata": {"x": 1},
        "nextSteps": {"success": "ask", "error": "end_of_it"},
    },
    {
        "stepSlug": "ask",
        "stepType": "approval",
        "config": {"approverMemberId": "ann"},
        "nextSteps": {"approved": "end_of_it", "rejected": "ask", "onTimeout": None},
    },
]


def _without(given: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != key}


SHAPES: dict[str, Any] = {
    "stored": {**DEFINED, "steps": STEPS},
    "template": {"workflow": DEFINED, "steps": STEPS},
    "in the template": {"template": {**DEFINED, "steps": STEPS}},
    "definition": {"definition": DEFINED, "stepsConfig": STEPS},
    "one after the other": [DEFINED, STEPS],
    "inline": {"workflowConfig": DEFINED, "stepsConfig": STEPS, "input": {"order": 1}, "triggeredBy": "webhook"},
    "by slug": {
        **DEFINED,
        "steps": {step["stepSlug"]: _without(step, "stepSlug") for step in STEPS},
        "dialect": "ports",
    },
}


async def _work(given: Any) -> Any:
    if given["given"] == "broken":
        raise ValueError("no such order")
    return {"sum": 12, "text": "x" * 70_000}


@pytest.fixture
def engine(sql_url: str) -> Engine:
    made = Engine(sql_url)
    made.task("work")(_work)
    return made


async def compare(url: str, execution: Execution) -> dict[str, Any]:
    """The row of an execution, which is what the dialect tells of it."""
    found, told = row(url, execution.id), await execution.view()
    assert tuple(found) == EXECUTION
    assert found == told
    return found


async def decide(engine: Engine, execution: Execution, decision: Any) -> None:
    await waiting(execution)
    step = await execution.step_view("ask")
    assert isinstance(step, dict)
    await engine.decide(step["approvalTaskId"], decision, by="ann")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_definition_and_its_steps_are_told_whatever_the_shape_of_the_document(
    shape: str, sql_url: str, engine: Engine
) -> None:
    async def scenario() -> None:
        async with engine:
            saved = await engine.workflows.save(SHAPES[shape])
            (definition,) = rows(sql_url, "wfDefinitions")
            assert tuple(definition) == DEFINITION
            wanted = {key: DEFINED[key] for key in ("name", "description", "config", "metadata")}
            assert definition == {
                **wanted,
                "id": saved.id,
                "organizationId": "default",
                "version": "1",
                "status": "active",
            }
            found = {row["stepSlug"]: row for row in rows(sql_url, "wfStepDefs")}
            read = read_document(SHAPES[shape], Faults()).steps
            assert set(found) == {step.slug for step in read}
            for step in read:
                told, given = found[step.slug], step.beside.given
                assert tuple(told) == STEP
                assert told == {
                    "id": f"{saved.id}/{step.slug}",
                    "organizationId": "default",
                    "wfDefinitionId": saved.id,
                    "stepSlug": step.slug,
                    "name": step.name,
                    "description": given.get("description"),
                    "stepType": step.type,
                    "order": step.order,
                    "nextSteps": given.get("nextSteps", {}),
                    "config": step.config.given,
                    "inputMapping": given.get("inputMapping"),
                    "outputMapping": given.get("outputMapping"),
                    "metadata": given.get("metadata"),
                }
            execution = await engine.executions.start(saved.id, {"order": 1})
            await waiting(execution)
            seen = await compare(sql_url, execution)
            assert (seen["wfDefinitionId"], seen["currentStepSlug"], seen["waitingFor"]) == (
                saved.id,
                "ask",
                "approval",
            )

    running(scenario)


def test_the_active_version_is_told_and_of_a_draft_the_newest(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(SHAPES["stored"])
            changed = {**DEFINED, "steps": STEPS[:1], "status": "draft"}
            await engine.workflows.save(changed)
            (definition,) = rows(sql_url, "wfDefinitions")
            assert (definition["version"], definition["status"]) == ("1", "active")
            assert len(rows(sql_url, "wfStepDefs")) == len(STEPS)
            await engine.workflows.activate("orders", "2")
            (definition,) = rows(sql_url, "wfDefinitions")
            assert (definition["version"], definition["status"]) == ("2", "active")
            assert [row["stepSlug"] for row in rows(sql_url, "wfStepDefs")] == ["end_of_it"]
            await engine.workflows.save({"name": "not yet", "status": "draft", "steps": STEPS[:1]}, "other")
            told = {row["name"]: (row["status"], row["organizationId"]) for row in rows(sql_url, "wfDefinitions")}
            assert told == {"orders": ("active", "default"), "not yet": ("draft", "other")}

    running(scenario)


def test_an_execution_is_told_wherever_it_stands(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(SHAPES["template"])
            execution = await engine.executions.start("orders", {"order": 1}, trigger_data={"who": "ann"})
            await decide(engine, execution, "reject")  # which leads there once more
            await engine.decide((await until(pending(engine)))[0].id, "approve", by="ann")
            assert await execution.result() == {"sum": 12}
            seen = await compare(sql_url, execution)
            assert (seen["status"], seen["output"], seen["metadata"]) == (
                "completed",
                {"sum": 12},
                {"resumeWithPort": "approved"},
            )
            assert (seen["triggeredBy"], seen["triggerData"], seen["input"]) == ("api", {"who": "ann"}, {"order": 1})
            failing = [DEFINED | {"name": "failing"}, [*STEPS[1:2], {**STEPS[2], "nextSteps": {}}]]
            broken = await engine.executions.start(
                {"workflowConfig": failing[0], "stepsConfig": failing[1]}, {"order": "broken"}
            )
            with pytest.raises(ExecutionFailed):
                await broken.result()
            seen = await compare(sql_url, broken)
            assert (seen["status"], seen["error"], seen["currentStepSlug"]) == ("failed", "no such order", "work")
            cancelled = await engine.executions.start("orders", {"order": 2})
            await waiting(cancelled)
            await cancelled.cancel()
            seen = await compare(sql_url, cancelled)
            assert (seen["status"], seen["error"], seen["waitingFor"]) == ("failed", "canceled", None)

    running(scenario)


def pending(engine: Engine) -> Callable[[], Awaitable[Any]]:
    async def asked() -> Any:
        return (await engine.approvals.list(status="pending")).items

    return asked


def test_what_was_never_saved_has_no_definition_and_keeps_its_document(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(SHAPES["inline"])  # the same is saved as well, and was not what was started
            execution = await engine.executions.start(SHAPES["inline"])
            await waiting(execution)
            seen = await compare(sql_url, execution)
            assert (seen["wfDefinitionId"], seen["triggeredBy"], seen["input"]) == (None, "webhook", {"order": 1})
            assert seen["metadata"]["isInlineExecution"] is True
            assert seen["workflowConfig"] == DEFINED["config"]
            assert set(seen["stepsConfig"]) == {step["stepSlug"] for step in STEPS}

    running(scenario)


def test_what_an_event_has_started_and_what_is_a_fork(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(SHAPES["stored"])
            await engine.publish("order.placed", {"order": 3})

            async def there() -> Any:
                return (await engine.executions.list(status="waiting")).items

            first = await engine.executions.get((await until(there))[0].id)
            seen = await compare(sql_url, first)
            assert (seen["triggeredBy"], seen["input"]) == ("event", {"order": 3})
            assert seen["triggerData"]["type"] == "order.placed"
            await decide(engine, first, "approve")
            await first.result()
            again = await first.rerun(from_step="work")
            await waiting(again)
            await compare(sql_url, again)
            other = await first.fork(at_step="end_of_it", variables={"sum": 13})
            assert await other.result() == {"sum": 13}
            await compare(sql_url, other)

    running(scenario)


AROUND: list[dict[str, Any]] = [
    {
        "stepSlug": "outer",
        "stepType": "loop",
        "config": {"items": "{{ input.rows }}", "continueOnError": True},
        "nextSteps": {"loop": "inner", "done": "end_of_it"},
    },
    {
        "stepSlug": "inner",
        "stepType": "loop",
        "config": {"items": "{{ item }}", "batchSize": 2},
        "nextSteps": {"loop": "count", "done": "outer"},
    },
    {
        "stepSlug": "count",
        "stepType": "action",
        "config": {"type": "count", "given": "{{ loop.batch.items }}"},
        "outputMapping": {"sum": "data.sum", 'a "name"': "data.third"},
        "nextSteps": {"success": "ask"},
    },
    {"stepSlug": "ask", "stepType": "approval", "nextSteps": {"approved": "inner", "rejected": "end_of_it"}},
    {"stepSlug": "end_of_it", "stepType": "output", "config": {"mapping": {"sum": "{{ sum }}"}}},
]


def test_the_variables_are_told_in_every_round_of_a_loop_in_a_loop_and_of_its_forks(
    sql_url: str, engine: Engine
) -> None:
    rows_of_items = [[1, 2.5, True], ["bad"], [None, "x"], []]
    secret = {"key": "no_such"}
    document = {"name": "around", "config": {"variables": {"a": 1, "sum": 0}, "secrets": secret}, "steps": AROUND}

    @engine.task("count")
    async def count(given: Any) -> Any:
        if given["given"] == ["bad"]:
            raise NonRetryable("not that")
        return {"sum": 0.1 + 0.2, "third": 10 / 3}

    async def decided(execution: Execution, decision: Any) -> None:
        (asked,) = await until(pending(engine))
        await compare(sql_url, execution)
        await engine.decide(asked.id, decision, by="ann")

    async def scenario() -> None:
        async with engine:
            execution = await engine.executions.start(document, {"rows": rows_of_items, "ü": [False], "b c": None})
            for _ in range(3):
                await decided(execution, "approve")
            await execution.result()
            seen = await compare(sql_url, execution)
            assert seen["variables"]["loop"]["state"]["isComplete"]
            assert seen["variables"]["secrets"] == {"key": "***"}
            assert len(seen["variables"]["steps"]["outer"]["output"]["meta"]["errors"]) == 1
            inside = await execution.fork(at_step="count", variables={"a": {"b": 1.50}}, outputs={"inner": {"x": 1}})
            await decided(inside, "reject")
            assert await inside.result() == {"sum": 0.1 + 0.2}
            await compare(sql_url, inside)

    running(scenario)


def test_a_step_that_has_parts_is_told_as_one(sql_url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = {"stepSlug": "think", "stepType": "llm", "config": {"prompt": "How many?", "outputFormat": "json"}}

    async def scenario() -> None:
        async with engine:
            execution = await engine.executions.start({"name": "thinking", "steps": [asking]})
            assert await execution.result() == {"many": 2}
            seen = await compare(sql_url, execution)
            assert seen["currentStepSlug"] == "think"

    with chat(lambda _: '{"many": 2}') as model:
        for name, value in model.environment.items():
            monkeypatch.setenv(name, value)
        engine = Engine(sql_url)
        running(scenario)


def test_what_is_of_another_dialect_is_not_in_them(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            other = Workflow("other", (Step("a", Compute()),), (Entry("a"),))
            await engine.workflows.save(other)
            graph = {"name": "graph", "nodes": [{"id": "a", "type": "MANUAL_TRIGGER"}], "connections": []}
            await engine.workflows.save(graph)
            await (await engine.executions.start("other")).result()
            await (await engine.executions.start("graph", {})).result()
            assert [rows(sql_url, view) for view in ("wfDefinitions", "wfStepDefs", "wfExecutions")] == [[], [], []]

    running(scenario)
