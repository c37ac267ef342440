"""Nodes and checkpoints in an engine, on a real loop and a real file."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from perdure.core.events import ApprovalDecided, TaskCheckpointed
from perdure.core.facts import StepCheckpointed
from perdure.model.failure import Category
from perdure.model.steps import Compute, Retry, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime.shell import Shell
from perdure.runtime.waiters import StoreFailed
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed
from perdure.store import port as p
from perdure.tasks import NodeParams, NonRetryable, Result
from perdure.tasks.context import Published
from perdure.tasks.failing import Abandoned
from perdure.testing.words import k, obj, x

SOON = 10


@pytest.fixture(params=["memory", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def one_node(attempts_max: int = 3, timeout_ms: int | None = None, type_: str = "X") -> Workflow:
    given = obj(context=x("input"), data=k({"d": 1}), nodeId=k("n1"))
    work = Task(f"node:{type_}", given, Retry(attempts_max, delay_ms=1), timeout_ms=timeout_ms)
    routes = (Route(("left",), port="left"), Route(("right",), port="right"), Route(("other",)))
    ends = [Step(name, Compute(obj(way=k(name), told=x("steps.n1.output")))) for name in ("left", "right", "other")]
    return Workflow("node", (Step("n1", work, routes), *ends), (Entry("n1"),))


def test_a_node_answers_with_the_difference_on_the_branch_it_chose(url: str) -> None:
    engine = Engine(url)

    @engine.node("X")
    def executor(params: NodeParams) -> dict[str, Any]:
        assert (params.data, params.node_id) == ({"d": 1}, "n1")
        params.context.pop("b")
        return {**params.context, "a": 2, "_branch": "right", "_wait": 5}

    told = {"set": {"a": 2}, "unset": ["b"], "wait": 5, "until": 0, "label": None}
    assert engine.run(one_node(), {"a": 1, "b": 1, "c": 1}) == {"way": "right", "told": told}


def test_a_task_answers_on_the_port_it_chose_with_what_there_is_to_say(url: str) -> None:
    engine = Engine(url)
    engine.task("node:X")(lambda given: Result([given["nodeId"]], port="left", meta={"cost": 3}))
    flow = one_node()
    told = Compute(obj(output=x("steps.n1.output"), meta=x("steps.n1.meta"), port=x("steps.n1.port")))
    left = Step("left", told)
    flow = Workflow("node", (flow.steps[0], left, *flow.steps[2:]), flow.entries)
    assert engine.run(flow, {}) == {"output": ["n1"], "meta": {"cost": 3}, "port": "left"}


def test_a_node_that_returns_nothing_fails_at_once(url: str) -> None:
    engine, calls = Engine(url), Counter[str]()
    engine.node("X")(lambda _: calls.update(x=1))
    with pytest.raises(ExecutionFailed, match="node 'n1' answered with nothing; an executor returns the context"):
        engine.run(one_node(), {})
    assert calls["x"] == 1


class Parts:
    """How often each part was called, and what attempts saw of them. The first attempts fail half way."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.calls: Counter[tuple[str, int]] = Counter()
        self.seen: list[list[Any]] = []

    def part(self, name: str, n: int) -> list[Any]:
        self.calls[name, n] += 1
        return [name, n, self.calls[name, n]]

    async def part_later(self, name: str, n: int) -> list[Any]:
        await asyncio.sleep(0)
        return self.part(name, n)

    def done(self, attempt: int, values: list[Any], *, whole: bool) -> None:
        self.seen.append(values)
        if not whole and attempt <= self.failures:
            raise RuntimeError(f"attempt {attempt} fails")

    async def in_the_loop(self, params: NodeParams) -> dict[str, Any]:
        first = [await params.step.run("page", self.part_later, "page", 1)]
        self.done(params.attempt, first, whole=params.attempt > 1)
        more = [
            await params.step.run("page", self.part, "page", 2),
            await params.step.run("save", self.part, "save", 1),
        ]
        self.done(params.attempt, [*first, *more], whole=False)
        return {"values": [*first, *more]}

    def in_a_thread(self, params: NodeParams) -> dict[str, Any]:
        first = [params.step.run("page", self.part_later, "page", 1)]
        self.done(params.attempt, first, whole=params.attempt > 1)
        more = [params.step.run("page", self.part, "page", 2), params.step.run("save", self.part, "save", 1)]
        self.done(params.attempt, [*first, *more], whole=False)
        return {"values": [*first, *more]}

    async def of_a_task(self, _: Any, ctx: Any) -> Any:
        first = [await ctx.run("page", self.part_later, "page", 1)]
        self.done(ctx.attempt, first, whole=ctx.attempt > 1)
        more = [await ctx.run("page", self.part, "page", 2), await ctx.run("save", self.part, "save", 1)]
        self.done(ctx.attempt, [*first, *more], whole=False)
        return {"set": {"values": [*first, *more]}}


def register_in_the_loop(engine: Engine, parts: Parts) -> None:
    engine.node("X")(parts.in_the_loop)


def register_in_a_thread(engine: Engine, parts: Parts) -> None:
    engine.node("X")(parts.in_a_thread)


def register_a_task(engine: Engine, parts: Parts) -> None:
    engine.task("node:X")(parts.of_a_task)


@pytest.mark.parametrize("register", [register_in_the_loop, register_in_a_thread, register_a_task])
def test_each_part_is_called_once_however_many_attempts_there_are(
    url: str, register: Callable[[Engine, Parts], None]
) -> None:
    engine, parts = Engine(url), Parts(failures=2)
    register(engine, parts)
    values = [["page", 1, 1], ["page", 2, 1], ["save", 1, 1]]
    assert engine.run(one_node(4), {})["told"]["set"] == {"values": values}
    assert set(parts.calls.values()) == {1}
    assert parts.seen == [values[:1], values[:1], values, values[:1], values]


def test_a_value_is_durable_before_the_part_returns(tmp_path: Path) -> None:
    """Another connection sees it, while the task goes on."""
    path = tmp_path / "flows.db"
    engine = Engine(f"sqlite:///{path}")

    @engine.node("X")
    async def executor(params: NodeParams) -> dict[str, Any]:
        await params.step.run("a", lambda: {"cursor": 7})
        with closing(apsw.Connection(str(path))) as other:
            kept = other.execute("SELECT data FROM history WHERE kind = 'step.checkpointed'").fetchall()
        return {"kept": [json.loads(str(data))["value"] for (data,) in kept]}

    assert engine.run(one_node(), {})["told"]["set"] == {"kept": [{"cursor": 7}]}


def test_many_parts_at_once_are_kept_together(url: str) -> None:
    engine = Engine(url)

    @engine.node("X")
    async def executor(params: NodeParams) -> dict[str, Any]:
        parts = (params.step.run("item", lambda n=n: n) for n in range(200))
        return {"sum": sum(await asyncio.gather(*parts))}

    assert engine.run(one_node(), {})["told"]["set"] == {"sum": 19_900}


def test_a_part_of_an_attempt_that_took_too_long_is_not_kept(url: str) -> None:
    """The thread of the first attempt goes on, and must not speak for the second."""
    engine, late, told = Engine(url), threading.Event(), list[str]()

    @engine.node("X")
    def executor(params: NodeParams) -> dict[str, Any]:
        if params.attempt == 1:
            late.wait(SOON)
            try:
                params.step.run("a", lambda: "of the first")
            except Abandoned as error:
                told.append(str(error))
                raise
        value = params.step.run("a", lambda: "of the second")
        late.set()
        return {"value": value}

    assert engine.run(one_node(timeout_ms=50), {})["told"]["set"] == {"value": "of the second"}
    while not told:  # the thread is about to
        late.wait(0.001)
    assert told == ["nobody waits for this attempt any more"]


def test_a_part_that_comes_after_its_attempt_is_told_so_by_the_engine(url: str) -> None:
    """Not everything that a node begins ends with it."""
    engine, told = Engine(url), list[BaseException | None]()
    done: list[asyncio.Task[Any]] = []

    @engine.node("X")
    async def executor(params: NodeParams) -> dict[str, Any]:
        go_on = asyncio.Event()

        async def slow() -> int:
            await go_on.wait()
            return 1

        done.append(asyncio.ensure_future(params.step.run("late", slow)))
        await asyncio.sleep(0)  # it has begun, and waits
        asyncio.get_running_loop().call_later(0.02, go_on.set)
        return params.context

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(one_node())
            await (await engine.executions.start("node", {})).result()
            told.extend(await asyncio.gather(*done, return_exceptions=True))

    run(scenario())
    assert [type(error) for error in told] == [Abandoned]


def test_a_node_that_is_cancelled_in_the_middle_of_a_part_is_told(url: str) -> None:
    engine, begun, told = Engine(url), threading.Event(), list[type[BaseException]]()
    go_on, ended = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(SOON)

    @engine.node("X")
    def executor(params: NodeParams) -> dict[str, Any]:
        try:
            params.step.run("a", wait)
            params.step.run("b", lambda: 1)
        except Abandoned as error:
            told.append(type(error))
        finally:
            ended.set()
        return params.context

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(one_node())
            execution = await engine.executions.start("node", {})
            await asyncio.to_thread(begun.wait, SOON)
            await execution.cancel()
            with pytest.raises(ExecutionFailed, match="cancelled"):
                await execution.result()
            go_on.set()
            await asyncio.to_thread(ended.wait, SOON)

    run(scenario())
    assert told == [Abandoned]


def test_a_worker_that_stops_keeps_what_is_done_and_another_goes_on(tmp_path: Path) -> None:
    """Parts that are done within the time of grace are kept; what comes after it is called again by whoever takes over."""
    url, calls = f"sqlite:///{tmp_path}/flows.db", Counter[str]()
    first, second = Engine(url), Engine(url)
    reached = asyncio.Event()

    def part(name: str) -> str:
        calls[name] += 1
        return name

    @first.node("X")
    async def halfway(params: NodeParams) -> dict[str, Any]:
        await params.step.run("a", part, "a")
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError

    @second.node("X")
    async def whole(params: NodeParams) -> dict[str, Any]:
        return {"parts": [await params.step.run(name, part, name) for name in ("a", "b")], "attempt": params.attempt}

    async def scenario() -> None:
        async with first:
            await first.workflows.save(one_node())
            execution = await first.executions.start("node", {})
            await reached.wait()
        async with second:
            told = (await (await second.executions.get(execution.id)).result())["told"]["set"]
        assert told == {"parts": ["a", "b"], "attempt": 2}

    run(scenario())
    assert calls == {"a": 1, "b": 1}


def test_a_part_of_an_execution_that_another_worker_has_taken_is_not_kept() -> None:
    """Whoever was cut off and comes back finds that its commits are refused."""
    engine, told = Engine(), list[type[BaseException]]()

    def take(store: Any, execution: str) -> None:
        row = store.rows[execution]
        store.commit([p.HandOver(execution, row.owner, row.epoch), p.Beat("other", 1 << 60)])
        assert len(store.claim("other", now=0, limit=1)) == 1

    def give_back(store: Any, execution: str) -> None:
        store.commit([p.HandOver(execution, "other", store.rows[execution].epoch)])

    @engine.node("X")
    async def executor(params: NodeParams) -> dict[str, Any]:
        if params.attempt == 1:
            await engine.host.shell.ask(partial(take, execution=params.execution_id))
        try:
            return {"value": await params.step.run("a", lambda: params.attempt), "attempt": params.attempt}
        except BaseException as error:
            told.append(type(error))
            await engine.host.shell.ask(partial(give_back, execution=params.execution_id))
            raise

    assert engine.run(one_node(), {})["told"]["set"] == {"value": 2, "attempt": 2}
    assert told in ([Abandoned], [asyncio.CancelledError])


def test_a_part_whose_commit_has_to_be_decided_again_is_waited_for_until_it_is() -> None:
    """What its execution did not know is in its inbox, and comes first."""
    engine, refused = Engine(), list[p.Item]()

    def refuse_once(store: Any) -> None:
        commit = store.commit

        def committed(items: Any) -> list[p.Outcome]:
            (item,) = items
            if not refused and isinstance(item, p.Advance) and any(isinstance(f, StepCheckpointed) for f in item.facts):
                refused.append(item)
                event = ApprovalDecided(0, 99, "approve", "nobody asked")
                commit([p.Deliver(p.Message(item.execution, event, "d"))])
                return [p.GuardFailed("it was decided otherwise")]
            return list(commit(items))

        store.commit = committed

    @engine.node("X")
    async def executor(params: NodeParams) -> dict[str, Any]:
        await engine.host.shell.ask(refuse_once)
        return {"value": await params.step.run("a", lambda: params.attempt)}

    assert engine.run(one_node(), {})["told"]["set"] == {"value": 1}
    assert len(refused) == 1


def test_a_part_is_told_that_the_store_has_failed() -> None:
    engine, told = Engine(), list[str]()

    def broken(_: Any) -> Any:
        raise RuntimeError("the disk is gone")

    @engine.node("X")
    async def executor(params: NodeParams) -> dict[str, Any]:
        await engine.host.shell.ask(lambda store: setattr(store, "commit", broken))
        try:
            await params.step.run("a", int)
        except StoreFailed as error:
            told.append(str(error))
        with pytest.raises(StoreFailed):
            await params.step.run("b", int)
        return params.context

    with pytest.raises(StoreFailed, match="the disk is gone"):
        engine.run(one_node(), {})
    assert told == ["the store cannot be written: the disk is gone"]


def test_a_checkpoint_of_an_execution_that_is_not_here_is_refused() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            shell: Shell = engine.host.shell
            with pytest.raises(Abandoned):
                await shell.checkpoint("e", TaskCheckpointed(0, 1, 1, "a", 1, None))

    run(scenario())


def test_what_a_node_publishes_reaches_whoever_watches(url: str, caplog: pytest.LogCaptureFixture) -> None:
    engine, seen, threads = Engine(url), list[Published](), set[str]()

    def watch(told: Published) -> None:
        seen.append(told)
        threads.add(threading.current_thread().name)

    def broken(told: Published) -> None:
        raise ValueError("who watches is broken")

    engine.on_published.extend((broken, watch))

    @engine.node("X")
    def executor(params: NodeParams) -> dict[str, Any]:
        params.publish({"percent": 50}, channel="progress")
        params.publish("done")
        return params.context

    @engine.task("node:Y")
    async def of_a_task(given: Any, ctx: Any) -> Any:
        await ctx.publish(1)

    with caplog.at_level(logging.INFO):
        assert engine.run(one_node(), {})["way"] == "other"
        assert engine.run(one_node(type_="Y"), {})["way"] == "other"
    assert [(told.step, told.attempt, told.channel, told.data) for told in seen] == [
        ("n1", 1, "progress", {"percent": 50}),
        ("n1", 1, None, "done"),
        ("n1", 1, None, 1),
    ]
    assert threads == {threading.main_thread().name}
    assert "step 'n1' published on progress" in caplog.messages
    assert caplog.text.count("could not be told what it published") == 3


def test_a_failing_part_fails_the_node_as_it_says(url: str) -> None:
    engine = Engine(url)

    def refuse() -> None:
        raise NonRetryable("the card is declined", code="DECLINED")

    @engine.node("X")
    async def executor(params: NodeParams) -> dict[str, Any]:
        await params.step.run("charge", refuse)
        return params.context

    with pytest.raises(ExecutionFailed, match="the card is declined") as failed:
        engine.run(one_node(), {})
    assert failed.value.failure is not None
    assert failed.value.failure.code == "DECLINED"


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (
            "node:SEND_MAIL",
            "there is no node type 'SEND_MAIL' here; did you mean 'SEND_EMAIL'? declare it with @node('SEND_MAIL')",
        ),
        ("node:Z", "'Z' here; declare it with @node('Z') in a Python file, and give that by --tasks FILE.py"),
        ("chargee", "there is no task 'chargee' here; did you mean 'charge'? declare it with @task('chargee')"),
        ("SEND_MAIL", "there is no task 'SEND_MAIL' here; declare it"),
        ("emial", "there is no task 'emial' here; did you mean 'email'? declare it"),
    ],
)
def test_where_nobody_else_has_tasks_one_that_is_unknown_fails_at_once(url: str, task: str, said: str) -> None:
    engine = Engine(url, unknown_tasks="fail")
    engine.task("charge")(lambda given: given)
    engine.node("SEND_EMAIL")(lambda params: params.context)
    flow = Workflow("w", (Step("a", Task(task, k(None), Retry(5, delay_ms=1))),), (Entry("a"),))
    with pytest.raises(ExecutionFailed) as failed:
        engine.run(flow)
    failure = failed.value.failure
    assert failure is not None
    assert said in failure.message
    assert (failure.code, failure.retriable, failure.category) == ("UNKNOWN_TASK", False, Category.PERMANENT)
