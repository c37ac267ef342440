"""Where spans stand in a trace: items, children, chains, retries, waits, tools of MCP, and what a user's own code traces."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace

from api.house import GREET, database, house
from connections.documents import calling
from connections.servers import OverHttp, plain
from operations.collector import Collector, Told, collecting
from perdure import Client
from perdure.core.facts import ExecutionStarted
from perdure.hosts.tracing.ids import Place, span_id, trace_id
from perdure.model.steps import Child, EventWait, ForEach, Retry, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed
from perdure.testing.words import k, x
from service.words import one


def traced(
    monkeypatch: pytest.MonkeyPatch,
    scenario: Callable[[Engine], Coroutine[Any, Any, Any]],
    url: str = "memory://",
    **settings: str,
) -> tuple[Collector, Any]:
    """What a collector has seen once the engine has ended, and what came of it."""
    with collecting() as (collector, otel):
        for name, value in {**otel, **settings}.items():
            monkeypatch.setenv(name, value)

        async def run() -> Any:
            async with Engine(url) as engine:
                return await asyncio.wait_for(scenario(engine), 60)

        return collector, asyncio.run(run())


def only(spans: list[Told], name: str) -> Told:
    (found,) = [each for each in spans if each.name == name]
    return found


def test_items_stand_below_their_step(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(engine: Engine) -> str:
        engine.task("double")(lambda given: given * 2)
        step = Step("t", Task("double", x("item")), each=ForEach(k([1, 2, 3]), concurrency=3))
        execution = await engine.executions.start(one(step, "items"))
        assert await execution.result() == [2, 4, 6]
        return execution.id

    collector, execution = traced(monkeypatch, scenario)
    whole = only(collector.spans, "execution items")
    steps = [each for each in collector.spans if each.name == "step t"]
    (outer,) = [each for each in steps if each.parent == whole.span]
    items = [each for each in steps if each.parent == outer.span]
    assert sorted(each.attributes["perdure.item"] for each in items) == [0, 1, 2]
    attempts = [each for each in collector.spans if each.name == "attempt t"]
    assert {each.parent for each in attempts} == {each.span for each in items}
    assert whole.trace == f"{trace_id(execution):032x}"
    assert len({each.span for each in collector.spans}) == len(collector.spans) == 8


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_a_child_that_is_waited_for_is_in_the_trace_and_others_are_linked(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(engine: Engine) -> tuple[str, str]:
        engine.task("same")(lambda given: given)
        await engine.workflows.save(one(Step("in", Task("same", k(1))), "inner"))
        waits = await engine.executions.start(one(Step("call", Child(k("inner"))), "waits"))
        await waits.result()
        leaves = await engine.executions.start(one(Step("leave", Child(k("inner"), wait=False)), "leaves"))
        child = await (await engine.executions.get(str(await leaves.result()))).result()
        assert child == 1
        return waits.id, leaves.id

    collector, (waits, leaves) = traced(monkeypatch, scenario, database(tmp_path, kind))
    inner = {each.trace: each for each in collector.spans if each.name == "execution inner"}
    within = inner.pop(f"{trace_id(waits):032x}")
    assert within.parent == only(collector.spans, "step call").span
    (beside,) = inner.values()
    assert beside.parent == ""
    assert beside.links == ((f"{trace_id(leaves):032x}", f"{span_id(leaves):016x}"),)


def test_each_attempt_is_told_and_how_it_ended_without_what_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(engine: Engine) -> None:
        @engine.task("break")
        async def break_(_: Any) -> None:
            raise KeyError("canary-31")

        step = Step("try", Task("break", retry=Retry(2, delay_ms=1, delay_max_ms=1, jitter=0)))
        with pytest.raises(ExecutionFailed):
            await (await engine.executions.start(one(step, "broken"))).result()

    collector, _ = traced(monkeypatch, scenario)
    attempts = [each for each in collector.spans if each.name == "attempt try"]
    assert sorted((each.attributes["perdure.attempt"], each.error) for each in attempts) == [
        (1, "KeyError"),
        (2, "KeyError"),
    ]
    step = only(collector.spans, "step try")
    assert {each.parent for each in attempts} == {step.span}
    assert (step.error, only(collector.spans, "execution broken").error) == ("KeyError", "KeyError")
    assert b"canary" not in collector.raw


def test_a_wait_lasts_from_when_it_was_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(engine: Engine) -> None:
        steps = (
            Step("first", Task("same"), (Route(("paid",)),)),
            Step("paid", EventWait(k("order.paid"))),
        )
        engine.task("same")(lambda given: given)
        execution = await engine.executions.start(Workflow("waits", steps, (Entry("first"),)))
        while (await execution.describe()).record.status != "waiting":  # noqa: ASYNC110  it is on its way
            await asyncio.sleep(0)
        await engine.publish("order.paid", {})
        await execution.result()

    collector, _ = traced(monkeypatch, scenario)
    paid, first = only(collector.spans, "step paid"), only(collector.spans, "step first")
    assert first.ended_at <= paid.begun_at <= paid.ended_at
    assert paid.parent == only(collector.spans, "execution waits").span


def test_a_tool_of_mcp_is_called_within_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    with OverHttp(plain()) as server:

        async def scenario(engine: Engine) -> Any:
            await engine.connections.add("api", server.url)
            execution = await engine.executions.start(calling("api/headers"), {"name": "traceparent"})
            return (await execution.result())["result"]

        settings = {"PERDURE_ALLOW_ADDRESSES": f"127.0.0.1:{server.port}"}
        collector, said = traced(monkeypatch, scenario, **settings)
    attempt = only(collector.spans, "attempt call")
    calls = {each.span: each for each in collector.spans if each.name == "POST"}
    _, trace_, span, _ = said.split("-")
    assert trace_ == attempt.trace
    assert calls[span].parent == attempt.span


def test_what_code_of_a_task_traces_is_below_its_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(engine: Engine) -> tuple[int, ...]:
        seen: list[Any] = []
        engine.task("look")(lambda _: seen.append(trace.get_current_span().get_span_context()))

        @engine.task("look_too")
        async def look(_: Any) -> None:
            seen.append(trace.get_current_span().get_span_context())

        for name in ("look", "look_too"):
            await (await engine.executions.start(one(Step("s", Task(name)), name))).result()
        assert not trace.get_current_span().get_span_context().is_valid
        return tuple(each.span_id for each in seen)

    collector, seen = traced(monkeypatch, scenario)
    attempts = [each for each in collector.spans if each.name == "attempt s"]
    assert sorted(f"{each:016x}" for each in seen) == sorted(each.span for each in attempts)


def test_by_the_sampler_all_of_a_trace_is_told_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(engine: Engine) -> list[str]:
        engine.task("same")(lambda given: given)
        started = [await engine.executions.start(one(Step("s", Task("same")), "w")) for _ in range(40)]
        for each in started:
            await each.result()
        return [each.id for each in started]

    sampler = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"}
    collector, started = traced(monkeypatch, scenario, **sampler)
    by_trace: dict[str, set[str]] = {}
    for each in collector.spans:
        by_trace.setdefault(each.trace, set()).add(each.name)
    assert 0 < len(by_trace) < 40
    assert all(names == {"execution w", "step s", "attempt s"} for names in by_trace.values())
    assert by_trace.keys() <= {f"{trace_id(each):032x}" for each in started}


def test_a_client_says_of_which_trace_a_start_is_and_it_is_kept() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, Client(there.url) as client:
            for given, kept in (
                (Place(17, 4).traceparent, Place(17, 4).traceparent),
                ("nonsense\n", None),
                (None, None),
            ):
                execution = await client.executions.start(GREET, {"name": "x"}, traceparent=given)
                await execution.result()
                (first,) = await there.engine.host.read(lambda store, id_=execution.id: store.history(id_, 0, 1))  # type: ignore[misc]
                assert isinstance(first.fact, ExecutionStarted)
                assert first.fact.traceparent == kept

    asyncio.run(asyncio.wait_for(scenario(), 60))
