"""Perdure in a Python program, on a real loop and a real file."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from perdure.core.advance import Start
from perdure.core.facts import ApprovalOpened
from perdure.core.steps.approval import approval_id
from perdure.errors import UnknownExecution, UnknownWorkflow
from perdure.model.records import EventRecord, ExecutionRecord
from perdure.model.steps import Approval, Child, EventWait, ForEach, Retry, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import calls, retention_guard, writes
from perdure.service.engine import Engine, Execution
from perdure.service.errors import Conflict, ExecutionFailed, OtherRequest
from perdure.store import port as p
from perdure.store.sqlite.store import SqliteStore
from perdure.tasks.registry import InvalidTask, described
from perdure.testing.words import k, obj, x

SOON = 10
"""Seconds, after which a test gives up. None of them waits for time to pass."""


NAMED = {
    "name": "named",
    "nodes": [{"id": "a", "type": "SET", "data": {"values": {"old": 1}}}],
    "connections": [],
}
"""Its id is not its name."""


def sequence(count: int, name: str = "sequence") -> Workflow:
    steps = tuple(
        Step(f"s{number}", Task("add", obj(n=x("last.output ?? input.n"))), (Route((f"s{number + 1}",)),))
        for number in range(count - 1)
    )
    last = Step(f"s{count - 1}", Task("add", obj(n=x("last.output ?? input.n"))))
    return Workflow(name, (*steps, last), (Entry("s0"),))


@pytest.fixture(params=["memory", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"


def adding(engine: Engine) -> Engine:
    @engine.task("add")
    async def add(given: Any) -> Any:
        return given["n"] + 1

    return engine


async def begun(engine: Engine, workflow: Workflow, given: Any = None, **more: Any) -> Execution:
    await engine.workflows.save(workflow)
    return await engine.executions.start(workflow.name, given, **more)


def test_a_sequence_runs_to_its_end(url: str) -> None:
    assert adding(Engine(url)).run(sequence(5), {"n": 1}) == 6


def test_plain_functions_run_in_threads_and_know_where_they_are(url: str) -> None:
    engine = Engine(url)
    seen: list[Any] = []

    @engine.task("add")
    def add(given: Any, ctx: Any) -> Any:
        seen.append((ctx.step, ctx.attempt, ctx.idempotency_key))
        return given["n"] + 1

    assert engine.run(sequence(3), {"n": 1}) == 4
    assert [step for step, _, _ in seen] == ["s0", "s1", "s2"]
    assert len({key for _, _, key in seen}) == 3


def test_the_same_idempotency_key_starts_one_execution(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            first = await begun(engine, sequence(2), {"n": 1}, idempotency_key="order-17")
            again = await engine.executions.start("sequence", {"n": 1}, idempotency_key="order-17")
            with pytest.raises(OtherRequest, match="with another input"):
                await engine.executions.start("sequence", {"n": 5}, idempotency_key="order-17")
            assert (first.created, again.created, again.id) == (True, False, first.id)
            assert await again.result() == 3

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_the_same_idempotency_key_for_what_begins_with_a_child_starts_one_execution(url: str) -> None:
    parent = Workflow("parent", (Step("a", Child(k("sequence"), obj(n=k(1)))),), (Entry("a"),))

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            await engine.workflows.save(sequence(1))
            first = await begun(engine, parent, idempotency_key="order-17")
            again = await engine.executions.start("parent", idempotency_key="order-17")
            assert again.id == first.id
            assert await again.result() == 2

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_a_task_that_fails_is_tried_again_and_then_fails_the_execution(url: str) -> None:
    calls: Counter[str] = Counter()
    engine = Engine(url)

    @engine.task("add")
    async def add(given: Any, ctx: Any) -> Any:
        calls[ctx.idempotency_key] += 1
        raise ValueError(f"no {given['n']}")

    once = Workflow("once", (Step("a", Task("add", obj(n=k(1)), Retry(3, delay_ms=1))),), (Entry("a"),))

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, once)
            with pytest.raises(ExecutionFailed, match="no 1"):
                await execution.result()
            assert list(calls.values()) == [3]
            record = await execution.describe()
            assert record.error is not None
            assert record.error.exception == "ValueError"

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_answer_that_is_not_json_is_a_clear_failure(url: str) -> None:
    engine = Engine(url)

    @engine.task("add")
    async def add(given: Any) -> Any:
        return {"when": object(), "n": given}

    with pytest.raises(ExecutionFailed, match="which is not JSON"):
        engine.run(sequence(1), {"n": 1})


def test_people_and_events_wake_what_waits(url: str) -> None:
    workflow = Workflow(
        "order",
        (
            Step("ask", Approval(x("input")), (Route(("paid",), port="approved"),)),
            Step("paid", EventWait(k("order.paid"), x("event.payload.id == input.id"))),
        ),
        (Entry("ask"),),
    )

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, workflow, {"id": 7})
            record = await waiting(execution)
            assert record.waiting is not None
            assert (record.status, record.waiting.kind) == ("waiting", "approval")
            await engine.decide(await the_approval(engine, record), "approve", by="ann")
            await engine.publish("order.paid", {"id": 8})
            await engine.publish("order.paid", {"id": 7})
            assert await execution.result() == {"id": 7}

    asyncio.run(asyncio.wait_for(scenario(), SOON))


async def waiting(execution: Execution) -> ExecutionRecord:
    """As soon as it waits."""
    while True:
        record = (await execution.describe()).record
        if record.waiting is not None:
            return record


async def the_approval(engine: Engine, record: ExecutionRecord) -> str:
    """The one that is open."""
    numbers = range(1, record.seq + 1)
    facts: Any = await engine.host.shell.ask(lambda store: store.values(record.id, numbers))
    (op,) = [number for number in numbers if isinstance(facts[number], ApprovalOpened)]
    return approval_id(record.id, op)


def test_children_and_items_run(url: str) -> None:
    parent = Workflow(
        "parent",
        (Step("each", Child(k("sequence"), obj(n=x("item"))), each=ForEach(x("input"), concurrency=10)),),
        (Entry("each"),),
    )

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            await engine.workflows.save(sequence(2))
            execution = await begun(engine, parent, list(range(30)))
            assert await execution.result() == [number + 2 for number in range(30)]

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_cancelling_reaches_the_task(url: str) -> None:
    told = asyncio.Event()
    engine = Engine(url)
    running = asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            told.set()

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, sequence(1), {"n": 1})
            await running.wait()
            await execution.cancel("enough")
            with pytest.raises(ExecutionFailed, match="cancelled"):
                await execution.result()
            await told.wait()
            with pytest.raises(Conflict):
                await execution.cancel()

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_what_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"
    attempts: list[int] = []

    async def first() -> str:
        engine, reached = Engine(url), asyncio.Event()

        @engine.task("add")
        async def add(given: Any) -> Any:
            if given["n"] == 3:
                reached.set()
                await asyncio.Event().wait()
            return given["n"] + 1

        async with engine:
            execution = await begun(engine, sequence(4), {"n": 1})
            await reached.wait()
            return execution.id

    async def second(execution: str) -> Any:
        engine = Engine(url)

        @engine.task("add")
        async def add(given: Any, ctx: Any) -> Any:
            attempts.append(ctx.attempt)
            return given["n"] + 1

        async with engine:
            return await (await engine.executions.get(execution)).result()

    execution = asyncio.run(asyncio.wait_for(first(), SOON))
    assert asyncio.run(asyncio.wait_for(second(execution), SOON)) == 5
    assert attempts == [2, 1]


def test_two_engines_share_a_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with adding(Engine(url)) as one, adding(Engine(url)) as other:
            await one.workflows.save(sequence(3))
            started = await asyncio.gather(
                *(engine.executions.start("sequence", {"n": n}) for n in range(40) for engine in (one, other))
            )
            results = await asyncio.gather(*(execution.result() for execution in started))
            assert results == [n + 3 for n in range(40) for _ in range(2)]

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_a_workflow_that_is_not_there_is_refused_by_name(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(UnknownWorkflow, match="there is no workflow 'nobody'"):
                await engine.executions.start("nobody")

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_engine_that_does_not_run_says_so() -> None:
    with pytest.raises(Conflict, match="async with"):
        asyncio.run(Engine().publish("x"))
    with pytest.raises(ValueError, match="no database that Perdure knows"):
        Engine("mysql://x").run(sequence(1))
    engine = adding(Engine())
    with pytest.raises(InvalidTask, match="'add' is registered twice"):
        adding(engine)
    with pytest.raises(InvalidTask, match="cannot be called as a task"):
        engine.task("none")(lambda: None)


def test_an_execution_waits_for_a_task_that_is_registered_later(url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with Engine(url, unknown_tasks="wait") as engine:
            execution = await begun(engine, sequence(2), {"n": 1})
            while "waits for a worker that has the task 'add'" not in caplog.text:
                await execution.describe()
            adding(engine)
            assert await execution.result() == 3

    asyncio.run(asyncio.wait_for(scenario(), SOON))


@pytest.mark.parametrize("by", ["engine", "registry", "another thread"])
def test_however_many_wait_for_a_task_that_nobody_has_the_others_go_on(
    url: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "CALLS_MAX", 3)
    strange = Workflow("strange", (Step("a", Task("strange")),), (Entry("a"),))

    async def answer(given: Any) -> Any:
        return "here"

    async def scenario() -> None:
        async with adding(Engine(url, unknown_tasks="wait")) as engine:
            waiting = [await begun(engine, strange) for _ in range(10)]
            assert await (await begun(engine, sequence(2), {"n": 1})).result() == 3
            if by == "engine":
                engine.task("strange")(answer)
            elif by == "registry":
                engine.tasks.include([described("strange", answer)])
            else:
                await asyncio.to_thread(engine.task("strange"), answer)
            assert [await one.result() for one in waiting] == ["here"] * 10

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_the_tasks_that_every_engine_has_are_there(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "perdure.tasks")
    said = Workflow("said", (Step("say", Task("log", obj(message=k("hello")))),), (Entry("say"),))
    Engine(url).run(said)
    assert "hello" in caplog.text


def test_a_task_cannot_change_what_is_recorded(url: str) -> None:
    engine = Engine(url)

    @engine.task("add")
    async def add(given: Any) -> Any:
        given["n"]["deep"].append(2)
        return given["n"]["deep"]

    workflow = Workflow(
        "changing",
        (Step("a", Task("add", obj(n=x("input"))), (Route(("b",)),)), Step("b", Task("add", obj(n=x("input"))))),
        (Entry("a"),),
    )
    assert engine.run(workflow, {"deep": [1]}) == [1, 2]


def test_a_version_saved_by_another_program_is_the_active_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with adding(Engine(url)) as one, adding(Engine(url)) as other:
            await one.workflows.save(sequence(1))
            await other.workflows.save(sequence(3))
            assert await (await one.executions.start("sequence", {"n": 1})).result() == 4

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_engine_can_be_used_again(url: str) -> None:
    engine = adding(Engine(url))
    assert [engine.run(sequence(2), {"n": number}) for number in range(3)] == [2, 3, 4]


def test_whole_numbers_beyond_everything_and_halves_of_characters_are_kept_as_json_can(url: str) -> None:
    engine = Engine(url)

    @engine.task("add")
    async def add(given: Any) -> Any:
        return given["n"]

    assert engine.run(sequence(1), {"n": ["\ud800", 10**400, float("nan"), (1, 2)]}) == ["\ufffd", None, None, [1, 2]]


def test_what_ended_long_ago_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention_guard, "START_SECONDS", 0.0)
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with adding(Engine(url, keep_days=0)) as engine:
            old = await begun(engine, sequence(1), {"n": 1})
            await old.result()
            await begun(engine, sequence(1), {"n": 2})  # the newest stays: positions are never given again
        async with adding(Engine(url, keep_days=0)) as engine:
            while True:
                try:
                    await (await engine.executions.get(old.id)).describe()
                except UnknownExecution:
                    return

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_what_cannot_be_written_is_refused_and_is_nobody_elses_concern(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with adding(Engine(f"sqlite:///{tmp_path}/flows.db")) as engine:
            await engine.workflows.save(sequence(1))
            with pytest.raises(Conflict, match="cannot be stored"):
                await engine.host.commit(p.Publish(EventRecord("e1", "half a character: \ud800", 0)))
            start = Start(0, "e2", {"n": 1}, correlation_id="\ud800")
            reply = await engine.host.shell.request(
                (await engine.host.version("sequence", "default")).digest, "sequence", start
            )
            assert reply.refused is not None
            assert "cannot be stored" in reply.refused
            assert await (await engine.executions.start("sequence", {"n": 1})).result() == 2

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_engine_runs_once_at_a_time_and_can_be_entered_again(url: str) -> None:
    async def scenario() -> None:
        engine = adding(Engine(url))
        for _ in range(2):
            async with engine:
                await engine.workflows.save(sequence(1))
                with pytest.raises(Conflict, match="runs already"):
                    async with engine:
                        pass
                assert await (await engine.executions.start("sequence", {"n": 1})).result() == 2

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_what_a_light_task_answers_does_not_wait_for_a_slow_one(url: str) -> None:
    engine, gate = Engine(url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        if given["n"] == "slow":
            await gate.wait()
        return given["n"]

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(sequence(1))
            light, slow = await asyncio.gather(
                *(engine.executions.start("sequence", {"n": n}) for n in ("light", "slow"))
            )
            assert await asyncio.wait_for(light.result(), 1) == "light"
            gate.set()
            assert await slow.result() == "slow"

    asyncio.run(asyncio.wait_for(scenario(), SOON))


@pytest.mark.parametrize("waits_first", [False, True])
def test_a_task_that_is_cancelled_from_within_has_failed(url: str, waits_first: bool) -> None:
    engine, calls = Engine(url), 0

    @engine.task("add")
    async def add(given: Any) -> Any:
        nonlocal calls
        calls += 1
        if waits_first:
            await asyncio.sleep(0)
        raise asyncio.CancelledError

    twice = Workflow("twice", (Step("a", Task("add", retry=Retry(2, delay_ms=1))),), (Entry("a"),))

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, twice)
            with pytest.raises(ExecutionFailed, match="cancelled from within"):
                await execution.result()
            assert calls == 2

    asyncio.run(asyncio.wait_for(scenario(), SOON))


@pytest.mark.parametrize("raised", [StopIteration, SystemExit])
def test_a_task_that_raises_what_ends_others_only_fails(url: str, raised: type[BaseException]) -> None:
    engine = Engine(url)

    @engine.task("add")
    def add(given: Any) -> Any:
        raise raised("enough")

    with pytest.raises(ExecutionFailed, match="enough"):
        engine.run(sequence(1), {"n": 1})


def test_a_task_does_not_see_the_context_of_whoever_started_it(url: str) -> None:
    tenant: ContextVar[str] = ContextVar("tenant", default="nobody")
    engine = Engine(url)

    @engine.task("add")
    async def add(given: Any) -> Any:
        return tenant.get()

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(sequence(1))
            tenant.set("ann")
            assert await (await engine.executions.start("sequence", {"n": 1})).result() == "nobody"

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_engine_that_stops_in_the_middle_of_claiming_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "flows.db"

    async def backlog() -> None:
        store = SqliteStore(str(path))
        digest = store.save(sequence(1))
        starts = [writes.pending(Start(0, f"e{number}", {"n": 1}), "sequence", digest) for number in range(400)]
        store.commit([p.Create(one) for one in starts])
        store.close()

    async def short(seconds: float) -> None:
        async with adding(Engine(f"sqlite:///{path}")):
            await asyncio.sleep(seconds)

    asyncio.run(backlog())
    for milliseconds in range(6):
        asyncio.run(asyncio.wait_for(short(milliseconds / 1_000), SOON))
        store = SqliteStore(str(path))
        owned = store.connection.execute(
            "SELECT count(*) FROM executions WHERE owner IS NOT NULL OR crashes > 0"
        ).fetchall()
        store.close()
        assert owned == [(0,)]


def test_the_result_after_a_retry_is_that_of_the_new_try(url: str) -> None:
    engine, calls = Engine(url), 0

    @engine.task("add")
    async def add(given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ValueError("not at first")
        return given["n"]

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, sequence(1), {"n": 7})
            with pytest.raises(ExecutionFailed, match="not at first"):
                await execution.result()
            await execution.retry()
            assert await execution.result() == 7

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_starts_by_name_share_a_read_and_each_sees_what_was_saved_before_it(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, reads = Engine(url), 0

    @engine.task("add")
    async def add(given: Any) -> Any:
        return given["n"]

    async def scenario() -> None:
        nonlocal reads
        async with engine:
            await engine.workflows.save(NAMED)
            await engine.executions.start("named", {"n": 0})  # what is read once of each version is at hand
            ask = engine.host.shell.read

            async def counted(*asked: Any) -> Any:
                nonlocal reads
                reads += 1
                return await ask(*asked)

            monkeypatch.setattr(engine.host.shell, "read", counted)
            started = await asyncio.gather(*(engine.executions.start("named", {"n": n}) for n in range(500)))
            assert len({execution.id for execution in started}) == 500
            assert reads < 20
            early = asyncio.ensure_future(engine.executions.start("named", {"n": 1}))
            await engine.workflows.save(
                {**NAMED, "nodes": [{"id": "a", "type": "SET", "data": {"values": {"new": 1}}}]}
            )
            late = await engine.executions.start("named", {"n": 1})
            assert await late.result() == {"n": 1, "new": 1}
            await early
            with pytest.raises(UnknownWorkflow):
                await engine.executions.start("of another name")

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_of_starts_by_one_name_one_is_cancelled_and_the_others_are_answered(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(NAMED)
            starts = [asyncio.ensure_future(engine.executions.start("named", {"n": n})) for n in range(3)]
            await asyncio.sleep(0)
            starts[0].cancel()
            assert len({(await start).id for start in starts[1:]}) == 2
            assert not engine.host._lookups

    asyncio.run(asyncio.wait_for(scenario(), SOON))
