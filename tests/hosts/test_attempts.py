"""Attempts: how long one may take, how long it may be silent, and how a function in a thread learns that nobody waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from perdure.core.facts import CompensationPlanned
from perdure.hosts import performing
from perdure.hosts.attempts import Attempt, TookTooLong
from perdure.model.failure import Category
from perdure.model.steps import Retry, Step, Task
from perdure.model.values import Expression
from perdure.model.workflow import Compensation, Entry, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed
from perdure.tasks.failing import Abandoned
from perdure.testing.words import k

SOON = 10
"""Seconds, after which a test gives up. None of them waits for time to pass, but for a few milliseconds of a timeout."""
FEW_MS = 5
LATE = "the task 'work' of step 'a' took longer than its timeout of 5 ms"
SILENT = r"the task 'work' of step 'a' has not been heard of for 0\.005 seconds"


def once(task: str = "work", attempts_max: int = 1, timeout_ms: int | None = None) -> Workflow:
    retry = Retry(attempts_max, delay_ms=1)
    return Workflow("once", (Step("a", Task(task, k(None), retry, timeout_ms=timeout_ms)),), (Entry("a"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def test_an_attempt_that_takes_too_long_is_made_again_and_then_fails_as_a_timeout() -> None:
    engine, attempts = Engine(), []

    @engine.task("work")
    async def work(given: Any, ctx: Any) -> None:
        attempts.append((ctx.attempt, ctx.idempotency_key))
        await asyncio.Event().wait()

    with pytest.raises(ExecutionFailed, match=LATE) as failed:
        engine.run(once(attempts_max=3, timeout_ms=FEW_MS))
    assert [attempt for attempt, _ in attempts] == [1, 2, 3]
    assert len({key for _, key in attempts}) == 1
    failure = failed.value.failure
    assert failure is not None
    assert (failure.code, failure.category, failure.retriable) == ("TIMEOUT", Category.TIMEOUT, True)


def test_a_later_attempt_may_be_in_time() -> None:
    engine = Engine()

    @engine.task("work")
    async def work(given: Any, ctx: Any) -> int:
        if ctx.attempt == 1:
            await asyncio.Event().wait()
        return int(ctx.attempt)

    assert engine.run(once(attempts_max=3, timeout_ms=FEW_MS)) == 2


def test_a_task_that_is_not_heard_of_is_given_up() -> None:
    engine = Engine()

    @engine.task("work", heartbeat_seconds=0.005)
    async def work(given: Any, ctx: Any) -> None:
        await asyncio.Event().wait()

    with pytest.raises(ExecutionFailed, match=SILENT) as failed:
        engine.run(once())
    assert failed.value.failure is not None
    assert failed.value.failure.code == "TIMEOUT"


def test_a_task_that_is_heard_of_may_take_longer_than_it_may_be_silent() -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + 0.06
        async with Attempt("the task 'work' of step 'a'", None, 0.02) as attempt:
            while loop.time() < until:
                attempt.heard()
                await asyncio.sleep(0.001)

    run(scenario())


def test_the_time_of_an_attempt_is_over_also_if_it_is_heard_of() -> None:
    async def talk() -> None:
        async with Attempt("the task 'work' of step 'a'", FEW_MS, 60.0) as attempt:
            while True:
                attempt.heard()
                await asyncio.sleep(0)

    async def scenario() -> None:
        with pytest.raises(TookTooLong, match=LATE):
            await talk()

    run(scenario())


def test_an_attempt_that_has_ended_is_heard_of_in_vain() -> None:
    async def scenario() -> None:
        async with Attempt("the task 'work' of step 'a'", None, 60.0) as attempt:
            attempt.heard()
        with pytest.raises(Abandoned, match="nobody waits for this attempt"):
            attempt.heard()

    run(scenario())


def test_what_an_attempt_raises_by_itself_is_not_a_timeout_of_ours() -> None:
    async def scenario() -> None:
        with pytest.raises(TimeoutError, match="of the task"):
            async with Attempt("the task 'work' of step 'a'", 60_000, 60.0):
                raise TimeoutError("of the task")

    run(scenario())


class Thread:
    """A function that works in a thread, and is asked whether somebody still waits for it."""

    def __init__(self, engine: Engine, **options: Any) -> None:
        self.begun, self.go_on, self.abandoned = threading.Event(), threading.Event(), threading.Event()

        @engine.task("work", **options)
        def work(given: Any, ctx: Any) -> None:
            self.begun.set()
            self.go_on.wait(SOON)
            try:
                ctx.heartbeat()
            except Abandoned:
                self.abandoned.set()
                raise


def test_a_function_in_a_thread_learns_that_it_was_cancelled() -> None:
    engine = Engine()
    thread = Thread(engine)

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(once())
            execution = await engine.executions.start("once")
            await asyncio.to_thread(thread.begun.wait)
            await execution.cancel("enough")
            with pytest.raises(ExecutionFailed, match="enough"):
                await execution.result()
            thread.go_on.set()
            assert await asyncio.to_thread(thread.abandoned.wait, SOON)

    run(scenario())


@pytest.mark.parametrize("asks", [False, True], ids=["ends well", "gives up"])
def test_what_a_function_in_a_thread_does_after_it_was_cancelled_is_undone_or_unknown(asks: bool) -> None:
    engine, begun, go_on = Engine(), threading.Event(), threading.Event()
    undone: list[Any] = []

    @engine.task("work")
    def work(given: Any, ctx: Any) -> Any:
        begun.set()
        go_on.wait(SOON)
        if asks:
            ctx.heartbeat()
        return "done"

    @engine.task("undo")
    def undo(given: Any) -> None:
        undone.append(given)

    workflow = Workflow(
        "once",
        (Step("work", Task("work")), Step("undo", Task("undo", Expression("undone.output")))),
        (Entry("work"),),
        compensations=(Compensation("work", "undo"),),
    )

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(workflow)
            execution = await engine.executions.start("once")
            await asyncio.to_thread(begun.wait)
            await execution.cancel("enough")
            go_on.set()
            while (await execution.describe()).record.live:  # noqa: ASYNC110  nobody is told
                await asyncio.sleep(0.005)
            history = (await execution.history()).items
            (plan,) = (entry.fact for entry in history if isinstance(entry.fact, CompensationPlanned))
            assert (plan.unknown, undone) == (((0,), []) if asks else ((), ["done"]))

    run(scenario())


def test_a_function_in_a_thread_learns_that_its_time_is_over() -> None:
    engine = Engine()
    thread = Thread(engine)
    try:
        with pytest.raises(ExecutionFailed, match=LATE):
            engine.run(once(timeout_ms=FEW_MS))
    finally:
        thread.go_on.set()
    assert thread.abandoned.wait(SOON)


def test_a_function_in_a_thread_learns_that_its_worker_stops() -> None:
    engine = Engine()
    thread = Thread(engine)

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(once())
            await engine.executions.start("once")
            await asyncio.to_thread(thread.begun.wait)

    run(scenario())
    thread.go_on.set()
    assert thread.abandoned.wait(SOON)


def test_no_more_functions_run_at_once_than_there_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(performing, "THREADS_MAX", 3)
    engine, lock = Engine(), threading.Lock()
    full, go_on = threading.Event(), threading.Event()
    running, most = 0, 0

    @engine.task("work")
    def work(given: Any) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == 3:
                full.set()
        go_on.wait(SOON)
        with lock:
            running -= 1

    @engine.task("light")
    async def light(given: Any) -> str:
        return "light"

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(once())
            waiting = [await engine.executions.start("once") for _ in range(10)]
            await asyncio.to_thread(full.wait)
            await engine.workflows.save(once("light"))
            assert await (await engine.executions.start("once")).result() == "light", "others are not kept waiting"
            go_on.set()
            await asyncio.gather(*(execution.result() for execution in waiting))

    run(scenario())
    assert most == 3


def test_an_attempt_that_is_slow_to_give_up_is_given_up_once() -> None:
    complaints: list[dict[str, Any]] = []

    async def slow() -> None:
        async with Attempt("the task 'work' of step 'a'", FEW_MS, 0.01):
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.03)  # until after it should have been heard of

    async def scenario() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, complaint: complaints.append(complaint))
        with pytest.raises(TookTooLong, match=LATE):
            await slow()

    run(scenario())
    assert complaints == []


def test_functions_of_one_organization_leave_threads_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(performing, "THREADS_MAX", 3)
    engine, go_on = Engine(), threading.Event()

    @engine.task("work")
    def work(given: Any) -> None:
        go_on.wait(SOON)

    @engine.task("quick")
    def quick(given: Any) -> str:
        return "quick"

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(once(), organization="flood")
            await engine.workflows.save(once("quick"), organization="other")
            waiting = [await engine.executions.start("once", organization="flood") for _ in range(10)]
            execution = await engine.executions.start("once", organization="other")
            assert await execution.result() == "quick"
            go_on.set()
            await asyncio.gather(*(execution.result() for execution in waiting))

    run(scenario())
