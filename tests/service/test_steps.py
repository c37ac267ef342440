"""One step in detail, and the history as it is told."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.model.steps import Compute, ForEach, Retry, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service import execution as service_execution
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed, NotFound
from perdure.service.history import HistoryEntry
from perdure.testing.words import k, obj, x
from service.words import ASK, BROKEN, NAP, adding, begun, breaking, one, running, sequence, waiting


def test_a_step_that_is_done_tells_what_it_was_given_and_what_it_answered(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, sequence(2), {"n": 1})
            await execution.result()
            step = await execution.step("s1")
            assert (step.status, step.runs, step.input, step.output) == ("completed", 1, {"n": 2}, 3)
            (attempt,) = step.attempts
            assert (attempt.number, attempt.error, attempt.item) == (1, None, None)
            assert step.started_at == attempt.started_at
            assert attempt.ended_at == step.ended_at
            with pytest.raises(NotFound, match="no step 's9'; it has s0, s1"):
                await execution.step("s9")

    running(scenario)


def test_every_attempt_is_told_with_its_failure_also_after_a_retry(url: str) -> None:
    engine, calls = Engine(url), 0

    @engine.task("break")
    async def breaks(given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < 4:
            raise ValueError(f"out of order {calls}")
        return "at last"

    twice = one(Step("try", Task("break", retry=Retry(3, delay_ms=1))), "twice")

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, twice)
            with pytest.raises(ExecutionFailed):
                await execution.result()
            failed = await execution.step("try")
            assert (failed.status, len(failed.attempts)) == ("failed", 3)
            assert failed.error is not None
            await execution.retry()
            await execution.result()
            step = await execution.step("try")
            assert (step.status, step.output, step.error) == ("completed", "at last", None)
            assert [attempt.number for attempt in step.attempts] == [1, 2, 3, 4]
            errors = [None if attempt.error is None else attempt.error.message for attempt in step.attempts]
            assert errors == ["out of order 1", "out of order 2", "out of order 3", None]
            assert all(attempt.ended_at is not None for attempt in step.attempts)

    running(scenario)


def test_a_step_that_waits_or_was_not_reached_says_so(url: str) -> None:
    both = Workflow(
        "both", (Step("nap", NAP.steps[0].work, (Route(("after",)),)), Step("after", Compute())), (Entry("nap"),)
    )

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, both)
            await waiting(execution)
            nap, after = await execution.step("nap"), await execution.step("after")
            assert (nap.status, nap.runs, nap.ended_at) == ("waiting", 1, None)
            assert nap.input["until"] > (nap.started_at or 0)
            assert (after.status, after.runs) == ("pending", 0)
            asked = await begun(engine, ASK, {"n": 7})
            await waiting(asked)
            assert (await asked.step("ask")).input == {"sum": 7}
            await asked.cancel()
            assert (await asked.step("ask")).status == "cancelled"

    running(scenario)


def test_the_items_of_a_step_are_told_in_their_order(url: str) -> None:
    each = one(Step("each", Task("add", obj(n=x("item"))), each=ForEach(k([3, 1, 2]), concurrency=3)), "each")

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, each)
            await execution.result()
            step = await execution.step("each")
            assert (step.status, step.runs, step.output) == ("completed", 1, [4, 2, 3])
            assert step.input == {"items": [3, 1, 2]}
            assert sorted(attempt.item for attempt in step.attempts if attempt.item is not None) == [0, 1, 2]

    running(scenario)


def test_a_step_of_very_many_items_is_told_as_far_as_it_was_looked_at(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = one(Step("each", Task("add", obj(n=x("item"))), each=ForEach(k([1] * 20), concurrency=3)), "each")

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, each)
            await execution.result()
            whole = await execution.step("each")
            assert (whole.cut, whole.output, len(whole.attempts)) == (False, [2] * 20, 20)
            monkeypatch.setattr(service_execution, "FACTS_MAX", 10)
            step = await execution.step("each")
            assert (step.status, step.runs, step.cut) == ("completed", 1, True)
            assert (step.started_at, step.ended_at) == (whole.started_at, whole.ended_at)
            assert (step.input, step.output) == (whole.input, None)
            assert 0 < len(step.attempts) < 10

    running(scenario)


def test_history_comes_in_pages_with_the_names_of_steps(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, sequence(3), {"n": 1})
            await execution.result()
            entries: list[HistoryEntry] = []
            after = 0
            while True:
                page = await execution.history(after=after, limit=2)
                assert len(page.items) <= 2
                entries += page.items
                if page.next is None:
                    break
                after = int(page.next)
            assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
            told = [(entry.kind, entry.step) for entry in entries]
            assert told[0] == ("execution.started", None)
            assert told[1:3] == [("step.scheduled", "s0"), ("step.completed", "s0")]
            assert told[-1] == ("execution.completed", None)
            assert entries[2].data["next"] == ["s1"]
            assert entries[0].data["entry"] == "s0"

    running(scenario)


def test_entries_about_an_operation_name_its_step_on_whichever_page_they_are(url: str) -> None:
    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            flaky = one(Step("try", Task("break", retry=Retry(2, delay_ms=1))), "flaky")
            execution = await begun(engine, flaky)
            with pytest.raises(ExecutionFailed):
                await execution.result()
            page = await execution.history(after=2)
            assert [(entry.kind, entry.step) for entry in page.items][:2] == [
                ("step.retrying", "try"),
                ("step.attempted", "try"),
            ]
            assert page.items[0].data["error"]["message"] == "out of order"

    running(scenario)


def test_secrets_stay_hidden(url: str) -> None:
    """What stands in history is `***`, and so it is told."""
    secret = one(Step("call", Task("add", obj(n=k(1), key=x("secrets.API_KEY")))), "secret")

    async def scenario() -> None:
        async with adding(Engine(url, secret_keys=bytes(range(32)).hex())) as engine:
            await engine.secrets.set("API_KEY", "sk-0123456789")
            execution = await begun(engine, secret)
            await execution.result()
            assert (await execution.step("call")).input == {"n": 1, "key": "***"}

    running(scenario)


def test_what_broke_and_was_given_up_is_told(url: str) -> None:
    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            execution = await begun(engine, BROKEN)
            with pytest.raises(ExecutionFailed):
                await execution.result()
            step = await execution.step("try")
            assert step.error is not None
            assert (step.status, step.error.exception, step.output) == ("failed", "ValueError", None)

    running(scenario)
