"""Where a task that nobody has is a failure, it is one for what was started here; for what that starts, where nobody else has the
database; and for nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from perdure.core.advance import Start
from perdure.model.records import ExecutionRecord
from perdure.model.steps import Child, Compute, Step, Task
from perdure.model.workflow import Chain, Entry, EventStart, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed
from perdure.testing.words import k

SOON = 20
"""Seconds, after which a test gives up. None of them waits for time to pass."""
LACKS = Workflow("lacks", (Step("a", Task("nowhere")),), (Entry("a"),))
PLAIN = Workflow("plain", (Step("a", Compute(k(1))),), (Entry("a"),))
PARENT = Workflow("parent", (Step("a", Child(k("plain"))),), (Entry("a"),))
CALLS = Workflow("calls", (Step("a", Child(k("lacks"))),), (Entry("a"),))
CHAIN = Workflow("chain", (Step("a", Compute(k(1))),), (Entry("a"),), chains=(Chain("lacks", k(None)),))


@pytest.fixture(params=["memory", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


async def saved(engine: Engine) -> None:
    for workflow in (LACKS, PLAIN, PARENT, CALLS, CHAIN):
        await engine.workflows.save(workflow)


def count(engine: Engine) -> int:
    """How many it remembers."""
    assert engine.host.shell.started is not None
    return len(engine.host.shell.started)


@pytest.mark.parametrize("workflow", ["plain", "parent"])
def test_what_has_ended_is_not_remembered(url: str, workflow: str) -> None:
    async def scenario() -> None:
        async with Engine(url, unknown_tasks="fail") as engine:
            await saved(engine)
            started = [await engine.executions.start(workflow) for _ in range(20)]
            for execution in started:
                await execution.result()
            assert count(engine) == 0

    run(scenario())


def test_what_was_not_started_after_all_is_not_remembered(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, unknown_tasks="fail") as engine:
            await saved(engine)
            first = await engine.executions.start("plain", idempotency_key="one")
            await first.result()
            again = await engine.executions.start("plain", idempotency_key="one")
            assert (again.id, again.created) == (first.id, False)
            reply = await engine.host.shell.request("0" * 64, "plain", Start(1, "refused"))
            assert reply.refused is not None
            assert count(engine) == 0

    run(scenario())


def test_what_follows_one_that_has_ended_was_started_here_too(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, unknown_tasks="fail") as engine:
            await saved(engine)
            both, ended = asyncio.Event(), dict[str, ExecutionRecord]()

            def told(record: ExecutionRecord) -> None:
                ended[record.workflow] = record
                if len(ended) == 2:
                    both.set()

            engine.host.shell.on_ended.append(told)
            await engine.executions.start("chain")
            await both.wait()
            assert ended["lacks"].error is not None
            assert ended["lacks"].error.code == "UNKNOWN_TASK"
            assert count(engine) == 0

    run(scenario())


@pytest.mark.parametrize("workflow", ["chain", "calls"])
def test_a_saved_child_waits_for_a_worker_that_has_its_task_where_others_use_the_database(
    tmp_path: Path, workflow: str
) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with Engine(url, unknown_tasks="fail_own") as engine:
            await saved(engine)
            lacks = await engine.executions.start("lacks")
            with pytest.raises(ExecutionFailed, match="there is no task 'nowhere' here"):
                await lacks.result()
            await engine.executions.start(workflow)
            await engine.host.run_until_idle()
            assert count(engine) == (workflow == "calls"), "it waits for its child"
        async with Engine(url) as other:
            other.task("nowhere")(lambda _: 7)
            await other.host.run_until_idle()
            child = (await other.executions.list(workflow="lacks", status="completed")).items
            assert [each.output for each in child] == [7]

    run(scenario())


IN_GRAPH = {"name": "misspelt", "nodes": [{"id": "a", "type": "NO_SUCH_NODE"}], "connections": []}


@pytest.mark.parametrize("given", [LACKS, IN_GRAPH], ids=["model", "document"])
def test_running_one_whose_task_is_not_registered_fails_at_once(url: str, given: Any) -> None:
    with pytest.raises(ExecutionFailed, match=r"there is no (task|node type) '.*' here") as failed:
        Engine(url).run(given)
    assert failed.value.failure is not None
    assert failed.value.failure.code == "UNKNOWN_TASK"
    assert "--tasks FILE.py" in failed.value.failure.message


def test_running_one_leaves_it_to_the_program_what_becomes_of_unknown_tasks_otherwise(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"
    engine = Engine(url)
    with pytest.raises(ExecutionFailed, match="there is no task 'nowhere' here"):
        engine.run(LACKS)

    async def scenario() -> None:
        async with engine:
            await saved(engine)
            execution = await engine.executions.start("lacks")
            await engine.host.run_until_idle()
            assert (await execution.describe()).status == "running"

    run(scenario())


def test_in_memory_every_unknown_task_fails_whatever_has_started_it() -> None:
    by_event = Workflow("by_event", (Step("a", Task("nowhere")),), (Entry("a"),), starts=(EventStart("go"),))

    async def scenario() -> None:
        async with Engine() as engine:
            await saved(engine)
            await engine.workflows.save(by_event)
            for name in ("lacks", "calls"):
                with pytest.raises(ExecutionFailed, match="there is no task 'nowhere' here"):
                    await (await engine.executions.start(name)).result()
            await engine.publish("go")
            await engine.executions.start("chain")
            await engine.run_until_idle()
            failed = (await engine.executions.list(status="failed")).items
            assert sorted(record.workflow for record in failed) == sorted(
                [(await engine.workflows.show(name)).id for name in ("by_event", "calls", "lacks", "lacks", "lacks")]
            )

    run(scenario())


def test_in_memory_a_program_can_still_say_that_unknown_tasks_wait() -> None:
    async def scenario() -> None:
        async with Engine(unknown_tasks="wait") as engine:
            execution = await engine.executions.start(LACKS)
            await engine.run_until_idle()
            assert (await execution.describe()).status == "running"
            engine.task("nowhere")(lambda _: 7)
            assert await execution.result() == 7

    run(scenario())


def test_running_one_fails_for_the_unknown_task_of_a_child(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def save() -> None:
        async with Engine(url) as engine:
            await saved(engine)

    asyncio.run(save())
    with pytest.raises(ExecutionFailed, match="there is no task 'nowhere' here"):
        Engine(url).run(CALLS)


def test_running_one_leaves_the_task_of_a_child_to_another_worker_that_has_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with Engine(url) as other:
            other.task("nowhere")(lambda _: 7)
            await saved(other)
            assert await asyncio.to_thread(Engine(url).run, CALLS) == 7

    run(scenario())
