"""Names that do not fit into an index of Postgres are refused with a reason, and leave nothing stuck."""

from __future__ import annotations

import asyncio
import random
import string
from collections.abc import Coroutine
from typing import Any

import pytest

from perdure.api.problems import status_of
from perdure.model.check import long_names
from perdure.model.steps import Compute, Publish, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import NotStorable, Refused
from perdure.service.execution import Execution
from perdure.store.postgres.doctor import examine
from perdure.testing.words import x
from poison.injection import MARKER, SOON, break_postgres, until
from postgres import fresh_schema

_random = random.Random(1)
LONG = "".join(_random.choice(string.ascii_letters) for _ in range(9_000))
"""Incompressible: Postgres keeps 9,000 times the same letter in a few bytes."""

CALLS = Workflow("calls", (Step("a", Task(LONG)), Step("b", Compute(x("1")))), (Entry("a"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


async def status(execution: Execution) -> str:
    record = (await execution.describe()).record
    return "parked" if record.waiting is not None and record.waiting.kind == "operator" else record.status


def test_a_task_with_a_long_name_is_refused_when_it_is_saved() -> None:
    (problem,) = long_names(CALLS)
    assert (problem.type, problem.path, problem.step) == ("too_long", "/steps/0/work/task", "a")
    assert problem.message == "the name of a task has 9,000 characters; the limit is 200"

    async def scenario() -> None:
        async with Engine("memory://") as engine:
            with pytest.raises(Refused, match="the limit is 200"):
                await engine.workflows.save(CALLS)

    run(scenario())


def test_an_execution_of_an_older_workflow_with_such_a_task_is_parked_and_can_be_cancelled() -> None:
    """The store cannot note which task it waits for. It is parked without that."""
    url = fresh_schema()

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.host.shell.ask(lambda store: store.save(CALLS))
            execution = await engine.executions.start("calls", {})

            async def is_parked() -> bool:
                return await status(execution) == "parked"

            await until(is_parked)
            (wait,) = (await execution.why()).waits
            assert "it cannot be stored" in wait.note
            assert "CONTEXT" not in wait.note
            await execution.cancel("no")

            async def is_cancelled() -> bool:
                return await status(execution) == "cancelled"

            await until(is_cancelled)

    run(scenario())
    assert examine(url, now=1).broken == ()


def test_a_computed_event_type_that_is_too_long_fails_the_step() -> None:
    publishes = Workflow("publishes", (Step("a", Publish(x("input"))),), (Entry("a"),))

    async def scenario() -> None:
        async with Engine(fresh_schema()) as engine:
            await engine.workflows.save(publishes)
            execution = await engine.executions.start("publishes", LONG)

            async def is_failed() -> bool:
                return await status(execution) == "failed"

            await until(is_failed)
            error = (await execution.describe()).record.error
            assert error is not None
            assert "the type of an event has 9000 characters; shorten it to at most 500" in error.message

    run(scenario())


def test_what_cannot_be_stored_is_a_422_and_quotes_no_statement() -> None:
    async def scenario() -> None:
        async with Engine(fresh_schema()) as engine:
            await engine.workflows.save(Workflow("one", (Step("b", Compute(x("1"))),), (Entry("b"),)))
            with pytest.raises(NotStorable, match="correlation_id has 501 characters; the limit is 500"):
                await engine.executions.start("one", {}, correlation_id="x" * 501)
            await break_postgres(engine, "22021", table="executions", column="start")
            with pytest.raises(NotStorable) as refused:
                await engine.executions.start("one", MARKER)
            assert str(refused.value) == "it cannot be stored: ValueError: injected"
            assert status_of(refused.value)[0] == 422

    run(scenario())
