"""A bug of our own concerns one step, execution, event or schedule, and never ends a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from perdure.core.advance import advance as real_advance
from perdure.core.advance import start as real_start
from perdure.core.apply import fold as real_fold
from perdure.core.schedules import due
from perdure.core.triggers import started_by as real_started_by
from perdure.expressions import functions
from perdure.expressions.ready import remembered
from perdure.model.steps import Condition, EventWait, Step, Task
from perdure.model.workflow import Entry, EventStart, Schedule, Workflow
from perdure.runtime import engine as runtime
from perdure.runtime import held, routing, scheduling
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed
from perdure.service.execution import Execution
from perdure.testing.words import k, text, x
from poison.injection import SOON, until
from postgres import fresh_schema

BROKEN = "Math.cbrt(input.n)"
ECHO = Workflow("echo", (Step("a", Task("echo", x("input.n"))),), (Entry("a"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    urls = {"memory": lambda: "memory://", "sqlite": lambda: f"sqlite:///{tmp_path}/flows.db", "postgres": fresh_schema}
    made = Engine(urls[request.param]())

    @made.task("echo")
    async def echo(given: Any) -> Any:
        return given

    return made


@pytest.fixture
def _broken_function(monkeypatch: pytest.MonkeyPatch) -> Any:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setitem(functions.FUNCTIONS, "Math.cbrt", broken)
    remembered.cache_clear()
    yield
    remembered.cache_clear()


async def fails(engine: Engine, workflow: Workflow) -> str:
    await engine.workflows.save(workflow)
    execution = await engine.executions.start(workflow.name, {"n": 8})
    with pytest.raises(ExecutionFailed) as failed:
        await execution.result()
    assert failed.value.failure is not None
    return failed.value.failure.message


@pytest.mark.usefixtures("_broken_function")
def test_a_bug_in_an_expression_function_fails_the_step(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(ECHO)
            other = await engine.executions.start("echo", {"n": 1})
            told = await fails(engine, Workflow("b1", (Step("a", Task("echo", x(BROKEN))),), (Entry("a"),)))
            assert "Math.cbrt" in told
            assert "internal error in an expression function (ZeroDivisionError: a bug of ours)" in told
            assert "internal error" in await fails(
                engine, Workflow("b2", (Step("a", Task("echo", text("it is ", x(BROKEN)))),), (Entry("a"),))
            )
            waits = EventWait(k("paid"), condition=x(f"event.payload === {BROKEN}"))
            assert "internal error" in await fails(engine, Workflow("b3", (Step("a", waits),), (Entry("a"),)))
            decides = Condition(x(f"{BROKEN} > 1"))
            assert "internal error" in await fails(engine, Workflow("b4", (Step("a", decides),), (Entry("a"),)))
            assert await other.result() == 1
            again = await engine.executions.start("echo", {"n": 2})
            assert await again.result() == 2

    run(scenario())
    assert "Traceback" in caplog.text
    assert "a bug of ours" in caplog.text


@pytest.mark.usefixtures("_broken_function")
def test_a_bug_in_the_condition_of_a_trigger_starts_nothing_of_that_workflow_alone(engine: Engine) -> None:
    broken = x("Math.cbrt(event.payload.n) === 2")
    one = Workflow("one", ECHO.steps, ECHO.entries, starts=(EventStart("order", condition=broken),))
    other = Workflow("other", ECHO.steps, ECHO.entries, starts=(EventStart("order", input=x("event.payload")),))

    async def scenario() -> None:
        async with engine:
            for workflow in (one, other):
                await engine.workflows.save(workflow)
            sent = await engine.publish("order", {"n": 8})

            async def is_done() -> bool:
                return bool((await engine.events.get(sent)).woken)

            await until(is_done)
            seen = await engine.events.get(sent)
            assert [workflow for workflow, _ in seen.declined] == ["one"]
            assert [woken.workflow for woken in seen.woken] == ["other"]

    run(scenario())


def test_a_bug_in_a_trigger_declines_the_event_for_that_workflow_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def started_by(program: Any, *given: Any, **more: Any) -> Any:
        if program.workflow.name == "one":
            raise KeyError("a bug of ours")
        return real_started_by(program, *given, **more)

    monkeypatch.setattr(routing, "started_by", started_by)
    one = Workflow("one", ECHO.steps, ECHO.entries, starts=(EventStart("order"),))
    other = Workflow("other", ECHO.steps, ECHO.entries, starts=(EventStart("order", input=x("event.payload")),))

    async def scenario() -> None:
        async with engine:
            for workflow in (one, other):
                await engine.workflows.save(workflow)
            sent = await engine.publish("order", {"n": 8})

            async def is_done() -> bool:
                return bool((await engine.events.get(sent)).woken)

            await until(is_done)
            seen = await engine.events.get(sent)
            assert [workflow for workflow, _ in seen.declined] == ["one"]
            assert [woken.workflow for woken in seen.woken] == ["other"]

    run(scenario())
    assert "Traceback" in caplog.text


def parks_one(engine: Engine, caplog: pytest.LogCaptureFixture, broken: list[bool]) -> None:
    """Of 20 executions the one with the input 7 is parked; once the bug is gone, a retry completes it."""

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(ECHO)
            executions = [await engine.executions.start("echo", {"n": number}) for number in range(20)]

            async def is_parked() -> bool:
                record = (await executions[7].describe()).record
                return record.waiting is not None and record.waiting.kind == "operator"

            await until(is_parked)
            results = [await each.result() for number, each in enumerate(executions) if number != 7]
            assert results == [number for number in range(20) if number != 7]
            (wait,) = (await executions[7].why()).waits
            assert "internal error (KeyError: 'a bug of ours')" in wait.note
            broken.clear()
            await executions[7].retry()
            assert await executions[7].result() == 7

    run(scenario())
    assert "Traceback" in caplog.text


def test_a_bug_while_an_event_is_decided_parks_that_execution_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = [True]

    def advance(program: Any, state: Any, event: Any, values: Any) -> Any:
        if broken and getattr(event, "output", None) == 7:
            raise KeyError("a bug of ours")
        return real_advance(program, state, event, values)

    monkeypatch.setattr(held, "advance", advance)
    parks_one(engine, caplog, broken)


def test_a_bug_at_the_start_of_an_execution_parks_that_execution_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = [True]

    def start(program: Any, given: Any, values: Any, unfit: Any) -> Any:
        if broken and given.input == {"n": 7}:
            raise KeyError("a bug of ours")
        return real_start(program, given, values, unfit)

    monkeypatch.setattr(held, "start", start)
    parks_one(engine, caplog, broken)


def test_a_bug_while_a_history_is_replayed_parks_that_execution_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"
    waits = Workflow("waits", (Step("a", EventWait(k("paid"))),), (Entry("a"),))
    broken = [True]
    ids: list[str] = []

    def fold(facts: Any, state: Any) -> Any:
        if broken and any(getattr(fact, "input", None) == {"n": 3} for fact in facts):
            raise KeyError("a bug of ours")
        return real_fold(facts, state)

    async def begin() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(waits)
            for number in range(5):
                execution = await engine.executions.start("waits", {"n": number})
                ids.append(execution.id)

                async def waits_for_it(execution: Execution = execution) -> bool:
                    return (await execution.describe()).record.status == "waiting"

                await until(waits_for_it)

    async def go_on() -> None:
        async with Engine(url) as engine:
            await engine.publish("paid", 1)
            for number, id_ in enumerate(ids):
                if number != 3:
                    assert await (await engine.executions.get(id_)).result() == 1
            parked = await engine.executions.get(ids[3])

            async def is_parked() -> bool:
                record = (await parked.describe()).record
                return record.waiting is not None and record.waiting.kind == "operator"

            await until(is_parked)
            broken.clear()
            await parked.retry()
            assert await parked.result() == 1

    run(begin())
    monkeypatch.setattr(runtime, "fold", fold)
    run(go_on())
    assert "Traceback" in caplog.text


def test_a_bug_in_the_times_of_a_schedule_concerns_that_schedule_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(schedule: Any, *given: Any) -> Any:
        if schedule.id == "bad":
            raise KeyError("a bug of ours")
        return due(schedule, *given)

    monkeypatch.setattr(scheduling, "due", broken)
    often = Workflow(
        "often",
        ECHO.steps,
        ECHO.entries,
        schedules=(Schedule("bad", every_ms=1_000), Schedule("good", every_ms=1_000, input={"n": 1})),
    )

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(often)

            async def goes_on() -> bool:
                return len((await engine.executions.list(status="completed")).items) >= 2

            await until(goes_on)

    run(scenario())
    assert caplog.text.count("schedule often/bad cannot be computed") == 1, "it is not said again and again"
