"""Working until there is nothing to do."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from perdure.core.events import CancelRequested
from perdure.hosts import idle
from perdure.hosts.idle import Idle
from perdure.model.steps import Approval, Child, EventWait, Publish, Retry, Route, Step, Task, Timer
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.testing.words import k, obj, x

SOON = 10
HOUR_MS = 3_600_000


@pytest.fixture(params=["memory", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def flow(name: str, *work: Any, **more: Any) -> Workflow:
    steps = [
        Step(f"s{number}", each, (Route((f"s{number + 1}",)),) if number < len(work) - 1 else ())
        for number, each in enumerate(work)
    ]
    return Workflow(name, tuple(steps), (Entry("s0"),), **more)


def flaky(delay_ms: int) -> Task:
    return Task("flaky", k(None), Retry(2, delay_ms=delay_ms, jitter=0))


def working(url: str, **options: Any) -> Engine:
    engine = Engine(url, **options)

    @engine.task("work")
    async def work(given: Any) -> Any:
        await asyncio.sleep(0.002)
        return given

    @engine.task("refuse")
    def refuse(given: Any) -> Any:
        raise ValueError("no")

    @engine.task("flaky")
    async def flaky(given: Any, ctx: Any) -> Any:
        if ctx.attempt == 1:
            raise RuntimeError("not at the first try")
        return given

    return engine


async def begin(engine: Engine, workflow: Workflow) -> str:
    await engine.workflows.save(workflow)
    return (await engine.executions.start(workflow.name, {})).id


def test_an_engine_with_nothing_to_do_is_idle_at_once(url: str) -> None:
    async def scenario() -> None:
        async with working(url) as engine:
            assert await engine.run_until_idle() == Idle()

    run(scenario())


def test_all_that_can_run_runs_and_what_waits_is_counted(tmp_path: Path) -> None:
    url, work = f"sqlite:///{tmp_path}/flows.db", Task("work", k(1))
    starts = (EventStart("workflow.completed", x("event.payload.name == 'tells'")),)
    flows = (
        *(flow(f"work-{number}", *[work] * 20) for number in range(10)),
        flow("nap", work, Timer(k(5)), work),
        flow("refused", Task("refuse", k(None))),
        flow("asleep", work, Timer(k(HOUR_MS)), work),
        flow("asked", Approval(obj())),
        flow("patient", EventWait(k("never"))),
        flow("missing", work, Task("not here")),
        flow("tells", work, Publish(k("told"), obj()), work),
        flow("hears", work, EventWait(k("told"))),
        flow("parent", work, Child(k("work-1")), work),
    )

    async def scenario() -> None:
        async with Engine(url) as without_tasks:
            await without_tasks.workflows.save(flow("started", work, starts=starts))
            for one in flows:
                await begin(without_tasks, one)
        async with working(url) as engine:
            told = await engine.run_until_idle(horizon_seconds=0.5)
            # The ten, the nap, who tells, who hears, the parent, its child, and what the event has started.
            assert told == Idle(completed=16, failed=1, waiting=4)
            cut = p.Message(await begin(engine, flow("cut", Timer(k(HOUR_MS)))), CancelRequested(1, "cut"), "cut")
            await engine.host.commit(p.Deliver(cut))
            assert await engine.run_until_idle() == Idle(cancelled=1, waiting=4)

    run(scenario())


def test_a_backoff_is_waited_for_and_a_timer_is_not(url: str) -> None:
    async def scenario() -> None:
        async with working(url) as engine:
            await begin(engine, flow("tried", flaky(100)))
            await begin(engine, flow("asleep", Timer(k(idle.BACKOFF_MS_MAX // 2))))
            assert await engine.run_until_idle() == Idle(completed=1, waiting=1)

    run(scenario())


def test_what_is_due_next_is_told(url: str) -> None:
    async def scenario() -> None:
        async with working(url) as engine:
            assert await engine.next_due() is None
            await begin(engine, flow("later", Timer(k(7_200_000))))
            asleep = await begin(engine, flow("asleep", Timer(k(3_600_000))))
            await engine.run_until_idle()
            due = await engine.next_due()
            assert due is not None
            record = (await (await engine.executions.get(asleep)).describe()).record
            assert (due.execution, due.at) == (asleep, record.wake_at)

    run(scenario())


def test_a_backoff_that_is_long_is_left_to_others(url: str) -> None:
    async def scenario() -> None:
        async with working(url) as engine:
            await begin(engine, flow("tried", flaky(idle.BACKOFF_MS_MAX + 5_000)))
            assert await engine.run_until_idle() == Idle(waiting=1)

    run(scenario())


def test_a_backoff_that_another_process_left_behind_is_waited_for(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with working(url) as first:
            execution = await begin(first, flow("tried", flaky(200)))
            tried = await first.executions.get(execution)
            while (await tried.describe()).record.wake_at is None:  # noqa: ASYNC110  it is about to
                await asyncio.sleep(0.001)
        async with working(url) as second:
            assert await second.run_until_idle() == Idle(completed=1)

    run(scenario())


def test_a_backoff_beside_a_task_that_is_not_here_is_waited_for(url: str) -> None:
    both = Workflow(
        "both",
        (
            Step("first", Timer(k(0)), (Route(("a", "b")),)),
            Step("a", flaky(50), (Route(("c",)),)),
            Step("b", Task("not here")),
            Step("c", Task("work", k(1))),
        ),
        (Entry("first"),),
    )

    async def scenario() -> None:
        async with working(url, unknown_tasks="wait") as engine:
            execution = await begin(engine, both)
            assert await engine.run_until_idle() == Idle(waiting=1)
            told = (await engine.host.read(lambda store: store.feed(0, 100))).told
            assert [one.execution for one in told if one.kind == "step.completed"] == [execution] * 3

    run(scenario())


def test_whoever_is_told_to_end_ends_before_it_is_idle(url: str) -> None:
    async def scenario() -> None:
        async with working(url) as engine:
            reached = asyncio.Event()

            @engine.task("long")
            async def long(given: Any) -> Any:
                asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGTERM)
                await reached.wait()

            await begin(engine, flow("long", Task("long")))
            told = await engine.run_until_idle()
            assert (told.interrupted, told.waiting) == (True, 1)
            reached.set()

    run(scenario())


def test_nothing_ends_before_it_is_counted(url: str) -> None:
    """Entering does not pause: what a worker finds in its database cannot end before it listens for it."""

    async def scenario() -> None:
        engine = working(url)
        entering = engine.__aenter__()
        with pytest.raises(StopIteration):
            entering.send(None)
        await engine.__aexit__(None, None, None)

    run(scenario())
