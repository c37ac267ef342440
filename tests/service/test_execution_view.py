"""The table of seed 004, as a view in SQL: every execution of the dialect graph, with every field."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.core.advance import Start
from perdure.model.steps import Compute, Route, Step, Task, Timer
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import ExecutionFailed
from perdure.store.versions import NewVersion
from perdure.testing.words import k, obj, x
from service.seeing import in_the_view
from service.words import HOUR_MS, running, until, waiting

COLUMNS = (
    *(
        "id",
        "workflowId",
        "status",
        "inngestEventId",
        "triggerType",
        "triggerDepth",
        "currentNodeId",
        "waitingAtNodeId",
    ),
    *("nextStepAt", "startedAt", "completeAt", "output", "error", "errorStack"),
)
FLOW = Workflow(
    "flow",
    (
        Step("start", Compute(), (Route(("work",)),)),
        Step("work", Task("work", obj(context=x("vars"))), (Route(("rest",)),)),
        Step("rest", Timer(k(HOUR_MS))),
    ),
    (Entry("start"),),
    variables="flowing",
    initial=x("input"),
    output=x("vars"),
    starts=(EventStart("go"), EventStart("workflows/execute.workflow", input=x("event.payload.initialData"))),
)


async def saved(engine: Engine) -> None:
    new = NewVersion("wf_1", FLOW, "graph", now_ms(), '{"name":"flow"}')
    await engine.host.shell.ask(lambda store: store.keep(new))


def seen(url: str, execution: str) -> dict[str, Any]:
    (row,) = (row for row in in_the_view(url) if row["id"] == execution)
    return row


@pytest.fixture
def engine(sql_url: str) -> Engine:
    made = Engine(sql_url)
    made.task("work")(_work)
    return made


GATES: dict[str, asyncio.Event] = {}


async def _work(given: Any, ctx: Any) -> Any:
    gate = GATES.get(str(given["context"].get("gate")))
    if gate is not None:
        await gate.wait()
    if given["context"].get("breaks"):
        raise ValueError("no such order")
    return {}


async def started(engine: Engine, given: Any, **more: Any) -> Execution:
    await saved(engine)
    return await begun(engine, "flow", given, **more)


async def begun(engine: Engine, workflow: str, given: Any, triggered_by: str = "api") -> Execution:
    """By the host: a model that was lowered by hand has no dialect that could be asked."""
    host = engine.host
    active = await host.version(workflow, "default")
    start = Start(now_ms(), host.fresh_id(), given, trigger=triggered_by)
    reply = await host.shell.request(active.digest, active.id, start, active=True)
    return await engine.executions.get(reply.execution)


def test_it_has_the_columns_of_the_seed_and_what_waits_says_where_and_until_when(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            execution = await started(engine, {"a": 1, "_trigger": {"type": "CUSTOM", "depth": 2}})
            record = await waiting(execution)
            row = seen(sql_url, execution.id)
            assert set(row) == {*COLUMNS, "organization"}
            assert (row["workflowId"], row["status"], row["organization"]) == ("wf_1", "WAITING", "default")
            assert (row["currentNodeId"], row["waitingAtNodeId"]) == ("rest", "rest")
            assert (row["triggerType"], row["triggerDepth"], row["inngestEventId"]) == ("CUSTOM", 2, None)
            assert (row["completeAt"], row["output"], row["error"], row["errorStack"]) == (None, None, None, None)
            described = (await execution.describe()).canonical()
            assert row["startedAt"] == described["started_at"]
            assert row["nextStepAt"] == described["waiting_for"]["until"]
            assert record.waiting.until is not None

    running(scenario)


def test_what_runs_says_at_which_node(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        GATES["here"] = asyncio.Event()
        async with engine:
            execution = await started(engine, {"gate": "here", "_trigger": "odd"})

            async def there() -> bool:
                return str(seen(sql_url, execution.id)["currentNodeId"]) == "work"

            await until(there)
            row = seen(sql_url, execution.id)
            assert (row["status"], row["waitingAtNodeId"], row["nextStepAt"]) == ("RUNNING", None, None)
            assert (row["triggerType"], row["triggerDepth"]) == ("MANUAL_TRIGGER", 0)
            GATES["here"].set()
            await waiting(execution)
            await execution.cancel()
            row = seen(sql_url, execution.id)
            assert (row["status"], row["error"], row["currentNodeId"]) == ("FAILED", "canceled", None)
            assert row["completeAt"] is not None

    running(scenario)


def test_what_is_done_or_broken_says_how_it_ended(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            short = Workflow("short", (Step("start", Compute()),), FLOW.entries, initial=x("input"), output=x("vars"))
            new = NewVersion("wf_2", short, "graph", now_ms(), "{}")
            await engine.host.shell.ask(lambda store: store.keep(new))
            done = await begun(engine, "wf_2", {"a": 1})
            await done.result()
            row = seen(sql_url, done.id)
            assert (row["status"], row["output"], row["currentNodeId"]) == ("SUCCESS", '{"a":1}', None)
            broken = await started(engine, {"breaks": True})
            with pytest.raises(ExecutionFailed):
                await broken.result()
            row = seen(sql_url, broken.id)
            assert (row["status"], row["currentNodeId"], row["output"]) == ("FAILED", None, None)
            assert "no such order" in row["error"]
            assert "ValueError" in row["errorStack"]

    running(scenario)


def test_what_the_engine_has_started_says_by_what(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await saved(engine)
            await engine.publish("go", {"a": 1}, id_="ev-1")
            await engine.publish(
                "workflows/execute.workflow", {"initialData": {"_trigger": {"type": "OTHER", "depth": 1}}}, id_="ev-2"
            )

            async def both() -> Any:
                page = await engine.executions.list(status="waiting")
                return page.items if len(page.items) == 2 else None

            rows = [seen(sql_url, record.id) for record in await until(both)]
            told = {row["inngestEventId"]: (row["triggerType"], row["triggerDepth"]) for row in rows}
            assert told == {"ev-1": ("EVENT_TRIGGER", 0), "ev-2": ("OTHER", 1)}
            scheduled = await started(engine, {"_trigger": {"type": "NO"}}, triggered_by="schedule")
            assert seen(sql_url, scheduled.id)["triggerType"] == "SCHEDULE_TRIGGER"

    running(scenario)


def test_executions_of_other_dialects_are_not_in_it(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await saved(engine)
            other = await engine.executions.start(Workflow("other", (Step("a", Compute()),), (Entry("a"),)))
            await other.result()
            assert in_the_view(sql_url) == []

    running(scenario)


def test_large_values_are_no_hindrance(sql_url: str, engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            given = {"text": "x" * 100_000, "_trigger": {"type": "LARGE", "depth": 1}}
            execution = await started(engine, given)
            await waiting(execution)
            row = seen(sql_url, execution.id)
            assert (row["triggerType"], row["currentNodeId"]) == ("LARGE", "rest")

    running(scenario)
