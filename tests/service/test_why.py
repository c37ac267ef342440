"""Why an execution is where it is, in each situation that it can be in."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.model.steps import Approval, EventWait, ForEach, Route, Step, Task, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import ExecutionFailed
from perdure.service.why import Why
from perdure.store import port as p
from perdure.store.memory import MemoryStore
from perdure.testing.words import k, obj, x
from service.seeing import by_hand
from service.words import (
    ASK,
    BROKEN,
    FLAKY,
    HOUR_MS,
    NAP,
    PAID,
    PARENT,
    adding,
    begun,
    breaking,
    one,
    running,
    sequence,
    until,
    waiting,
)

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+A-Z0-9]+"
"""Where the tests run, with the zone."""


def says(why: Why, sentence: str) -> None:
    assert re.fullmatch(sentence.replace("TIME", TIME), why.sentence), why.sentence


async def waits_as(execution: Execution, kind: str) -> Why:
    """As soon as that is what it waits for."""

    async def asked() -> Why | None:
        why = await execution.why()
        return why if [wait.kind for wait in why.waits] == [kind] else None

    found: Why = await until(asked)
    return found


def test_it_waits_for_its_time(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, NAP)
            record = await waiting(execution)
            why = await execution.why()
            (wait,) = why.waits
            assert (why.status, wait.kind, wait.step) == ("waiting", "timer", "nap")
            assert wait.until == wait.since + HOUR_MS
            assert record.waiting.until == wait.until
            says(why, "It waits at step 'nap' for its time, TIME, since TIME.")
            assert not why.needs_somebody

    running(scenario)


def test_a_pause_is_told_with_its_label(url: str) -> None:
    paused = Step("poll", Task("add", obj(n=k(1))), pause_until=k(1 << 42), pause_label=k("until it is ready"))

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, one(paused))
            await waiting(execution)
            why = await execution.why()
            assert [(wait.kind, wait.step, wait.on) for wait in why.waits] == [("timer", "poll", "until it is ready")]
            says(why, r"It waits at step 'poll' for its time \(until it is ready\), TIME, since TIME.")

    running(scenario)


def test_it_waits_for_an_event(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, PAID)
            await waiting(execution)
            why = await execution.why()
            assert [(wait.kind, wait.on, wait.until) for wait in why.waits] == [("event", "order.paid", None)]
            says(why, "It waits at step 'paid' for an event 'order.paid' since TIME.")
            assert why.needs_somebody

    running(scenario)


def test_it_waits_for_an_approval_that_can_be_decided_by_what_is_told(url: str) -> None:
    two = one(Step("ask", Approval(obj(sum=x("input.n")), votes_required=2)), "two")

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, two, {"n": 5})
            await waiting(execution)
            (wait,) = (await execution.why()).waits
            assert (wait.kind, wait.step, wait.note) == ("approval", "ask", "0 of 2 votes")
            await engine.decide(wait.on or "", "approve", by="ann")
            (wait,) = (await execution.why()).waits
            assert wait.note == "1 of 2 votes"
            says(await execution.why(), f"It waits at step 'ask' for the approval {wait.on} since TIME: 1 of 2 votes.")
            await engine.decide(wait.on or "", "approve", by="bob")
            assert (await execution.result())["decision"] == "approve"

    running(scenario)


def test_it_waits_for_a_child_which_waits_itself(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(ASK)
            execution = await begun(engine, PARENT, {"n": 5})

            async def asked() -> Why | None:
                why = await execution.why()
                child = why.waits[0].why if why.waits else None
                return why if child is not None and [wait.kind for wait in child.waits] == ["approval"] else None

            why: Why = await until(asked)
            (wait,) = why.waits
            assert wait.why is not None
            assert (wait.kind, wait.step, wait.why.waits[0].kind) == ("child", "call", "approval")
            (child,) = (await engine.executions.list(parent=execution.id)).items
            assert wait.on == child.id
            says(
                why,
                f"It waits at step 'call' for execution {child.id}, which it started at TIME: "
                "It waits at step 'ask' for the approval .* since TIME.",
            )
            assert why.needs_somebody

    running(scenario)


def test_it_waits_between_two_attempts(url: str) -> None:
    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            execution = await begun(engine, FLAKY)
            why = await waits_as(execution, "backoff")
            (wait,) = why.waits
            assert (why.status, wait.step, wait.on, wait.attempt) == ("running", "try", "break", 2)
            assert wait.note == "out of order"
            assert wait.until == wait.since + HOUR_MS
            says(
                why,
                "It waits at step 'try' to try again: attempt 2 of 'break' begins at TIME; it failed at TIME: out of order",
            )

    running(scenario)


def test_a_task_is_being_called(url: str) -> None:
    engine, gate = Engine(url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        await gate.wait()
        return 1

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, sequence(1), {"n": 1})
            why = await waits_as(execution, "task")
            (wait,) = why.waits
            assert (wait.step, wait.note, wait.attempt) == ("s0", "add", 1)
            assert wait.on == engine.host.shell.worker
            says(why, f"It is at step 's0' calling 'add' since TIME, attempt 1 by worker {wait.on}.")
            gate.set()
            await execution.result()

    running(scenario)


def test_a_task_is_told_since_its_call_however_much_has_happened_after_it(url: str) -> None:
    engine, gate = Engine(url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        if given["n"] in (0, 1):
            await gate.wait()
        return 1

    work = Task("add", obj(n=x("item")))
    each = one(Step("each", work, each=ForEach(k(list(range(603))), concurrency=3)), "each")

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, each)

            async def others_are_done() -> bool:
                return len((await execution.history(after=1_205)).items) > 0

            await until(others_are_done)
            opened = [entry for entry in (await execution.history()).items if entry.kind == "step.scheduled"]
            why = await execution.why()
            assert [wait.since for wait in why.waits] == [entry.at for entry in opened[:2]]
            gate.set()
            await execution.result()

    running(scenario)


def test_no_worker_has_the_task(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, unknown_tasks="wait") as engine:
            execution = await begun(engine, sequence(1), {"n": 1})
            why = await waits_as(execution, "missing_task")
            assert [(wait.step, wait.on) for wait in why.waits] == [("s0", "add")]
            says(
                why,
                "It waits at step 's0' for a worker that has the task 'add', since TIME; start one that has it with `perdure worker --tasks FILE`, or register it.",
            )

    running(scenario)


def test_the_one_that_has_it_lacks_a_task_and_does_the_rest_first(sql_url: str) -> None:
    """Asked by another process."""
    both = Workflow(
        "both",
        (Step("first", Timer(k(0)), (Route(("a", "b")),)), Step("a", Task("add")), Step("b", Task("paint"))),
        (Entry("first"),),
    )
    engine, gate = Engine(sql_url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        await gate.wait()

    async def scenario() -> None:
        async with Engine(sql_url, works=False) as asking, engine:
            execution = await begun(engine, both)
            elsewhere = await asking.executions.get(execution.id)

            async def both_are_told() -> bool:
                return len((await elsewhere.why()).waits) == 2

            await until(both_are_told)
            told = {(wait.kind, wait.step) for wait in (await elsewhere.why()).waits}
            assert told == {("task", "a"), ("missing_task", "b")}
            gate.set()
            why = await waits_as(elsewhere, "missing_task")
            assert [(wait.step, wait.on) for wait in why.waits] == [("b", "paint")]

    running(scenario)


def test_a_worker_that_has_the_task_takes_it_from_one_that_has_not(url: str) -> None:
    """And nothing of it is lost on the way. In memory, there is one: it gets the task later."""
    without, late = Engine(url, unknown_tasks="wait"), adding(Engine(url))

    async def scenario() -> None:
        async with without:
            execution = await begun(without, sequence(2), {"n": 1})
            await waits_as(execution, "missing_task")
            if url == "memory://":
                adding(without)
                assert await execution.result() == 3
            else:
                async with late:
                    assert await execution.result() == 3
            kinds = [entry.kind for entry in (await execution.history()).items]
            assert "step.lost" not in kinds

    running(scenario)


def test_no_worker_runs(sql_url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(sql_url, works=False)) as asking:
            execution = await begun(asking, sequence(1), {"n": 1})
            why = await execution.why()
            assert [(wait.kind, why.status) for wait in why.waits] == [("worker", "pending")]
            says(why, "It could go on since TIME, and nobody has it; no worker runs; start one on this database.")
            sleeping = await begun(asking, NAP)
            async with adding(Engine(sql_url)):
                await execution.result()
                await waiting(sleeping)
                assert "No worker runs" not in (await sleeping.why()).sentence
            assert (await sleeping.why()).sentence.endswith("No worker runs now: start one, or it will not go on.")

    running(scenario)


def test_its_worker_was_killed_and_nobody_has_taken_over(sql_url: str) -> None:
    """As a killed worker leaves it: an owner whose lock is free, or whose lease is over."""
    engine, gate = Engine(sql_url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        await gate.wait()

    async def scenario() -> None:
        async with Engine(sql_url, works=False) as asking:
            async with engine:
                execution = await begun(engine, sequence(1), {"n": 1})
                await waits_as(execution, "task")
            await asking.host.shell.ask(_as_if_killed)
            why = await (await asking.executions.get(execution.id)).why()
            assert [wait.kind for wait in why.waits] == ["worker"]
            says(
                why,
                "It could go on since TIME, and its worker worker-gone is gone; no worker runs; start one on this database.",
            )

    running(scenario)


def _as_if_killed(store: Any) -> None:
    by_hand(store, "UPDATE executions SET owner = 'worker-gone', ready = false")


def test_it_waits_for_an_operator(url: str) -> None:
    """As it is left after its workers have died."""

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, NAP)
            await waiting(execution)
            await engine.host.shell.ask(_park)
            why = await execution.why()
            assert [(wait.kind, wait.on) for wait in why.waits] == [("operator", "an operator")]
            says(why, "It waits for an operator since TIME: its last 3 workers died; find out .*")
            assert why.needs_somebody
            await execution.retry()  # an operator takes it up again

            async def back() -> bool:
                return [wait.kind for wait in (await execution.why()).waits] == ["timer"]

            await until(back)

    running(scenario)


def _park(store: Any) -> None:
    parked = p.parked(3, 1_000)
    if not isinstance(store, MemoryStore):
        waits = '{"kind":"operator","step":"","since":1000,"on":"' + (parked.on or "") + '"}'
        by_hand(store, f"UPDATE executions SET crashes = 3, status = 'waiting', waiting = '{waits}'")
        return
    for row in store.rows.values():
        row.crashes, row.record = 3, replace(row.record, status="waiting", waiting=parked)


def test_it_waits_for_several_things_and_the_first_to_wake_is_told_first(url: str) -> None:
    steps = (
        Step("fork", Task("add", obj(n=k(1))), (Route(("paid", "nap")),)),
        Step("paid", EventWait(k("order.paid"))),
        Step("nap", Timer(k(HOUR_MS))),
    )
    both = Workflow("both", steps, (Entry("fork"),))

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, both)
            await waiting(execution)
            why = await execution.why()
            assert [wait.kind for wait in why.waits] == ["timer", "event"]
            assert why.sentence.endswith("It waits for 1 more thing.")
            assert not why.needs_somebody

    running(scenario)


def test_it_has_ended(url: str) -> None:
    async def scenario() -> None:
        async with breaking(adding(Engine(url))) as engine:
            completed = await begun(engine, sequence(1), {"n": 1})
            await completed.result()
            says(await completed.why(), "It completed at TIME.")
            failed = await begun(engine, BROKEN)
            with pytest.raises(ExecutionFailed):
                await failed.result()
            why = await failed.why()
            says(why, "It failed at TIME in step 'try': .*out of order.*")
            assert (why.status, why.waits) == ("failed", ())
            cancelled = await begun(engine, NAP)
            await waiting(cancelled)
            await cancelled.cancel("no longer wanted")
            says(await cancelled.why(), "It was cancelled at TIME: no longer wanted")

    running(scenario)
