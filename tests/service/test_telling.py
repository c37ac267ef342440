"""What those are told who listen, fact by fact."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import pytest

from perdure.core.facts import Fact
from perdure.model.steps import Child, ForEach, Step, Task
from perdure.service.engine import Engine
from perdure.service.telling import PUBLISHED_BYTES_MAX, TEXT_MAX, TOLD_AS, TYPES, Names, cut
from perdure.store.questions import Questions
from perdure.tasks.context import TaskContext
from perdure.testing.words import k, x
from service.listeners import Heard, room
from service.words import ASK, BROKEN, FLAKY, NAP, PAID, adding, begun, breaking, one, running, sequence


def test_of_every_kind_of_fact_it_is_known_whether_and_how_it_is_told() -> None:
    kinds = {str(fact.__struct_config__.tag) for fact in get_args(Fact)}
    assert kinds == TOLD_AS.keys()
    assert {type_ for type_ in TOLD_AS.values() if type_ is not None} | {"approval.decided", "published"} == set(TYPES)


def test_a_long_text_is_told_by_its_beginning() -> None:
    assert cut("x" * TEXT_MAX) == "x" * TEXT_MAX
    assert cut("x" * (TEXT_MAX + 1)) == "x" * TEXT_MAX + "…"


def test_an_execution_is_told_from_its_start_to_its_end(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            ear = await there.ear()
            execution = await begun(there.engine, sequence(2), {"n": 1}, correlation_id="order-17")
            await ear.until("execution.completed")
            assert [one.type for one in ear.told] == [
                "execution.started",
                *("step.started", "step.completed") * 2,
                "execution.completed",
            ]
            assert {one.data["execution"] for one in ear.told} == {execution.id}
            first, scheduled, *_ = ear.told
            assert (first.data["correlationId"], first.data["workflow"]) == ("order-17", "sequence")
            assert (scheduled.data["step"], scheduled.data["attempt"]) == ("s0", 1)
            places = [one.place for one in ear.heard]
            assert places == sorted(set(places), key=lambda place: place or 0)
            assert all("input" not in one.data and "output" not in one.data for one in ear.told)

    running(scenario)


def test_what_fails_is_told_with_its_error_and_its_step(url: str) -> None:
    async def scenario() -> None:
        async with room(breaking(Engine(url))) as there:
            ear = await there.ear()
            await begun(there.engine, FLAKY)
            retrying = (await ear.until("step.retrying"))[-1]
            assert (retrying.data["step"], retrying.data["attempt"]) == ("try", 2)
            assert retrying.data["error"]["message"] == "out of order"
            assert retrying.data["until"].endswith("Z")
            await begun(there.engine, BROKEN)
            await ear.until("execution.failed")
            failed = next(one for one in ear.told if one.type == "step.failed")
            assert (failed.data["step"], failed.data["handled"]) == ("try", False)

    running(scenario)


def test_what_waits_is_told_with_what_it_waits_for(url: str) -> None:
    async def scenario() -> None:
        async with room(Engine(url)) as there:
            await there.engine.workflows.save(NAP)
            ear = await there.ear()
            waits: dict[str, Heard] = {}
            for number, workflow in enumerate((NAP, PAID, one(Step("call", Child(k("nap"))), "calls")), 1):
                await begun(there.engine, workflow)
                await ear.until("step.waiting", number)
                waits = {each.data["workflow"]: each for each in ear.told if each.type == "step.waiting"}
            found = {name: each.data["waitsFor"] for name, each in waits.items()}
            assert found == {"nap": "time", "paid": "event", "calls": "child"}
            assert waits["paid"].data["pattern"] == "order.paid"
            await ear.until("step.waiting", 4)
            assert ear.told[-1].data["execution"] == waits["calls"].data["child"]

    running(scenario)


def test_an_approval_is_told_as_it_is_opened_and_as_it_is_decided(url: str) -> None:
    async def scenario() -> None:
        async with room(Engine(url)) as there:
            ear = await there.ear()
            await begun(there.engine, ASK, {"n": 1})
            opened = (await ear.until("approval.opened"))[-1]
            (asked,) = (await there.engine.approvals.list()).items
            assert (opened.data["approval"], opened.data["step"]) == (asked.id, "ask")
            await there.engine.decide(asked.id, "reject", by="ada")
            await ear.until("approval.decided")
            decided = next(one for one in ear.told if one.type == "approval.decided")
            assert (decided.data["approval"], decided.data["decision"], decided.data["by"]) == (
                asked.id,
                "reject",
                "ada",
            )
            assert decided.data["step"] == "ask"

    running(scenario)


def test_items_are_told_by_their_number(url: str) -> None:
    each = one(Step("each", Task("add", x("item")), each=ForEach(k([{"n": 1}, {"n": 2}]))), "each")

    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            ear = await there.ear()
            await begun(there.engine, each)
            await ear.until("execution.completed")
            done = [one.data["item"] for one in ear.told if one.type == "item.completed"]
            assert sorted(done) == [0, 1]

    running(scenario)


def test_a_fork_is_told_from_where_it_goes_on(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            ear = await there.ear()
            origin = await begun(there.engine, sequence(3), {"n": 1})
            await origin.result()
            fork = await origin.fork(at_step="s2")
            await fork.result()
            again = await fork.fork(at_step="s2")
            await ear.until("execution.completed", 3)
            for new in (fork, again):
                told = [(one.type, one.data.get("step")) for one in ear.told if one.data["execution"] == new.id]
                assert told[0] == ("execution.forked", None)
                assert "s0" not in {step for _, step in told}
                assert told[-2:] == [("step.completed", "s2"), ("execution.completed", None)]
            late = await there.ear(after=0)
            await late.until("live")
            assert late.told == ear.told

    running(scenario)


def test_what_a_task_publishes_is_told_at_once_and_without_a_place(url: str) -> None:
    engine, gate = Engine(url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any, ctx: TaskContext) -> Any:
        ctx.publish({"done": "half"}, channel="progress")
        ctx.publish("x" * (PUBLISHED_BYTES_MAX + 1))
        await gate.wait()
        return 1

    async def scenario() -> None:
        async with room(engine) as there:
            ear, other = await there.ear(), await there.ear("globex")
            execution = await begun(engine, sequence(1), {"n": 1})
            await ear.until("published", 2)
            first, second = (one for one in ear.told if one.type == "published")
            assert first.place is None
            assert first.data | {"at": ""} == {
                "type": "published",
                "at": "",
                "execution": execution.id,
                "workflow": "sequence",
                "step": "s0",
                "attempt": 1,
                "channel": "progress",
                "data": {"done": "half"},
            }
            assert (second.data["data"], second.data["cut"]) == (None, True)
            gate.set()
            await ear.until("execution.completed")
            await other.take(0)
            assert other.told == []

    running(scenario)


@pytest.mark.parametrize("hidden", [True, False])
def test_what_the_engine_does_by_itself_is_told_if_it_is_named(hidden: bool) -> None:
    async def scenario() -> None:
        async with room(Engine()) as there:
            await there.engine.notifiers.add("told", "log")
            ear = await there.ear(workflow=None if hidden else "perdure:notices")
            await begun(there.engine, ASK, {"n": 1})
            if not hidden:
                await ear.until("execution.completed")
                assert {one.data["workflow"] for one in ear.told} == {"perdure:notices"}
                return
            both = await there.ear(after=0, workflow="perdure:notices")
            await both.until("execution.completed")
            await ear.until("approval.opened")
            assert {one.data["workflow"] for one in ear.told} == {"ask"}

    running(scenario)


def test_of_many_workflows_those_are_remembered_that_were_asked_for_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.service.telling.WORKFLOWS_MAX", 2)

    async def scenario() -> None:
        async with adding(Engine()) as engine:
            for name in "abc":
                await engine.workflows.save(sequence(1, name))
            a, b, c = [(await engine.workflows.show(name)).digest for name in "abc"]
            names = Names()

            def asked(store: Questions) -> tuple[bool, bool]:
                first, second = names.of(store, a), names.of(store, b)
                names.of(store, a)
                names.of(store, c)
                return names.of(store, a) is first, names.of(store, b) is second

            assert await engine.host.read(asked) == (True, False)

    running(scenario)
