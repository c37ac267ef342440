"""New executions from old ones: all of it again, from a step on, and with changes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from perdure.model.steps import Compute, EventWait, ForEach, Loop, Route, Step, Task, Timer
from perdure.model.workflow import Entry, EventCancel, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import Conflict, ExecutionFailed, NotFound
from perdure.testing.words import k, obj, x
from service.seeing import examined
from service.words import ASK, BROKEN, PARENT, adding, begun, breaking, one, running, sequence, until, waiting

CALLS: Counter[str] = Counter()


def counting(engine: Engine) -> Engine:
    CALLS.clear()

    @engine.task("count")
    async def count(given: Any, ctx: Any) -> Any:
        CALLS[ctx.step] += 1
        return given["n"] + 1

    return engine


def to(*steps: str) -> tuple[Route, ...]:
    return (Route(steps),)


def call(name: str, n: str, *after: str, **more: Any) -> Step:
    return Step(name, Task("count", obj(n=x(n))), to(*after) if after else (), **more)


DIAMOND = Workflow(
    "diamond",
    (
        call("a", "input.n", "b", "c"),
        call("b", "steps.a.output", "d"),
        call("c", "steps.a.output", "d"),
        Step("d", Compute(obj(b=x("steps.b.output"), c=x("steps.c.output"), n=x("input.n")))),
    ),
    (Entry("a"),),
)
LINE = Workflow(
    "line",
    (call("a", "input.n", "b"), call("b", "steps.a.output", "c"), call("c", "steps.b.output")),
    (Entry("a"),),
)


async def origin_of(execution: Execution) -> tuple[str | None, int]:
    record = (await execution.describe()).record
    return record.parent, record.parent_op


def test_all_of_it_runs_again_with_the_same_input(url: str) -> None:
    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, LINE, {"n": 1}, triggered_by="schedule", correlation_id="c-1")
            assert await first.result() == 4
            again = await first.rerun()
            assert again.id != first.id
            assert await again.result() == 4
            assert CALLS == {"a": 2, "b": 2, "c": 2}
            record = (await again.describe()).record
            assert (record.parent, record.parent_op) == (first.id, 0)
            assert (record.trigger, record.correlation_id) == ("schedule", "c-1")
            other = await first.rerun(input={"n": 10})
            assert await other.result() == 13
            listed = (await engine.executions.list(parent=first.id)).items
            assert [each.id for each in listed] == [other.id, again.id]

    running(scenario)


def test_of_a_key_a_new_execution_is_made_once(url: str) -> None:
    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, LINE, {"n": 1})
            await first.result()
            for verb, given in (
                (first.rerun, {}),
                (first.rerun, {"input": {"n": 2}}),
                (first.rerun, {"from_step": "b"}),
                (first.fork, {"at_step": "c"}),
                (first.fork, {"at_step": "c", "outputs": {"b": 7}}),
            ):
                new = await verb(**given, idempotency_key="k")
                again = await verb(**given, idempotency_key="k")
                assert (new.created, again.id, again.created) == (True, new.id, False), given
                await new.result()
                assert (await verb(**given, idempotency_key="k")).id == new.id
                assert (await verb(**given, idempotency_key="k", actor="bob")).id != new.id
                assert (await verb(**given, idempotency_key="l")).id != new.id
            assert len((await engine.executions.list(parent=first.id)).items) == 5 * 3

    running(scenario)


def test_null_is_another_input_and_none_at_all_is_the_one_it_had(url: str) -> None:
    workflow = one(Step("say", Compute(obj(said=x("input")))), "say")

    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await begun(engine, workflow, {"n": 1})
            await first.result()
            for again in (await first.rerun(), await first.fork(at_step="say")):
                assert await again.result() == {"said": {"n": 1}}
            for other in (
                await first.rerun(input=None),
                await first.rerun(from_step="say", input=None),
                await first.fork(at_step="say", input=None),
            ):
                assert await other.result() == {"said": None}

    running(scenario)


def test_what_was_done_before_the_step_is_kept(url: str) -> None:
    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, LINE, {"n": 1})
            await first.result()
            again = await first.rerun(from_step="b")
            assert await again.result() == 4
            assert CALLS == {"a": 1, "b": 2, "c": 2}
            assert await origin_of(again) == (first.id, 0)
            assert (await again.step("a")).output == 2
            assert (await first.describe()).status == "completed"

    running(scenario)


def test_one_that_goes_on_from_another_is_counted_as_started(url: str) -> None:
    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, LINE, {"n": 1})
            await first.result()
            counts = engine.host.shell.counts
            assert (counts.started, counts.ended["completed"]) == (1, 1)
            await (await first.rerun(from_step="b")).result()
            await (await first.fork(at_step="c")).result()
            assert (counts.started, counts.ended["completed"]) == (3, 3)

    running(scenario)


def test_a_rerun_is_on_the_version_of_what_it_repeats(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            first = await begun(engine, sequence(2), {"n": 1})
            await first.result()
            await engine.workflows.save(sequence(5))
            for again in (await first.rerun(), await first.rerun(from_step="s1")):
                assert await again.result() == 3
                assert (await again.describe()).version == "1"

    running(scenario)


def test_a_fork_changes_what_was_answered(url: str) -> None:
    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, LINE, {"n": 1})
            await first.result()
            fork = await first.fork(at_step="b", outputs={"a": 100})
            assert await fork.result() == 102
            deeper = await fork.fork(at_step="c", outputs={"b": 1_000})
            assert await deeper.result() == 1_001
            assert await origin_of(deeper) == (fork.id, 0)

    running(scenario)


def test_a_fork_changes_variables_and_the_input(url: str) -> None:
    workflow = Workflow(
        "vars",
        (
            call("a", "input.n", "b", assign=obj(v=x("output"))),
            Step("b", Compute(obj(v=x("vars.v"), n=x("input.n")))),
        ),
        (Entry("a"),),
    )

    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, workflow, {"n": 1})
            assert await first.result() == {"v": 2, "n": 1}
            fork = await first.fork(at_step="b", variables={"v": 50}, input={"n": 7})
            assert await fork.result() == {"v": 50, "n": 7}
            assert await (await fork.rerun()).result() == {"v": 8, "n": 7}

    running(scenario)


def test_a_parallel_path_is_kept_or_runs_again_and_the_paths_meet(url: str) -> None:
    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, DIAMOND, {"n": 1})
            done = {"b": 3, "c": 3, "n": 1}
            assert await first.result() == done
            for step in "abcd":
                assert await (await first.rerun(from_step=step)).result() == done

    running(scenario)


def test_what_has_failed_runs_again_from_where_it_failed(url: str) -> None:
    engine = breaking(counting(Engine(url)))
    workflow = Workflow("fails", (call("a", "input.n", "try"), *BROKEN.steps), (Entry("a"),))

    async def scenario() -> None:
        async with engine:
            first = await begun(engine, workflow, {"n": 1})
            with pytest.raises(ExecutionFailed):
                await first.result()
            again = await first.rerun(from_step="try")
            with pytest.raises(ExecutionFailed):
                await again.result()
            assert CALLS == {"a": 1}
            assert [(await each.describe()).status for each in (first, again)] == ["failed", "failed"]

    running(scenario)


def test_what_waits_can_be_forked_and_both_go_their_ways(url: str) -> None:
    workflow = Workflow(
        "waits",
        (call("a", "input.n", "paid"), Step("paid", EventWait(k("order.paid"), output=x("steps.a.output")))),
        (Entry("a"),),
        cancels=(EventCancel("stop"),),
    )

    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, workflow, {"n": 1})
            await waiting(first)
            fork = await first.fork(at_step="paid", outputs={"a": 9})
            await waiting(fork)
            await engine.publish("order.paid")
            assert (await first.result(), await fork.result()) == (2, 9)
            stopped = await first.rerun(from_step="paid")
            await waiting(stopped)
            await engine.publish("stop")
            with pytest.raises(ExecutionFailed, match="cancelled"):
                await stopped.result()

    running(scenario)


def test_loops_items_children_and_timers_run_again(url: str) -> None:
    workflow = Workflow(
        "all",
        (
            Step("each", Task("count", obj(n=x("item"))), to("loop"), each=ForEach(k([1, 2, 3]), 2)),
            Step("loop", Loop(k([1, 2])), (Route(("visit",), port="loop"), Route(("nap",), port="done"))),
            call("visit", "loop.item", "loop", assign=obj(sum=x("(vars.sum ?? 0) + output"))),
            Step("nap", Timer(k(1)), to("end")),
            Step("end", Compute(obj(sum=x("vars.sum"), each=x("steps.each.output")))),
        ),
        (Entry("each"),),
    )

    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            first = await begun(engine, workflow)
            done = {"sum": 5, "each": [2, 3, 4]}
            assert await first.result() == done
            for step in ("each", "loop", "visit", "nap", "end"):
                assert await (await first.rerun(from_step=step)).result() == done, step

    running(scenario)


def test_a_step_that_was_not_reached_is_no_place_to_go_on_from(url: str) -> None:
    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            workflow = Workflow(
                "two", (Step("try", Task("break"), to("after")), Step("after", Compute())), (Entry("try"),)
            )
            first = await begun(engine, workflow)
            with pytest.raises(ExecutionFailed):
                await first.result()
            with pytest.raises(Conflict, match="'after' was not reached"):
                await first.rerun(from_step="after")
            with pytest.raises(NotFound, match="has no step 'aftr'; did you mean 'after'"):
                await first.fork(at_step="aftr")
            with pytest.raises(NotFound, match="has no step 'trry'; did you mean 'try'"):
                await first.fork(at_step="try", outputs={"trry": 1})

    running(scenario)


def test_a_rerun_of_a_child_does_not_report_to_its_parent(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(ASK)
            parent = await begun(engine, PARENT, {"n": 1})

            async def child() -> Any:
                found = (await engine.executions.list(parent=parent.id, status="waiting")).items
                return found[0] if found else None

            record = await until(child)
            again = await (await engine.executions.get(record.id)).rerun(from_step="ask")
            await waiting(again)
            (wait,) = (await again.why()).waits
            await engine.decide(wait.on or "", "approve", by="ann")
            await again.result()
            assert (await parent.describe()).status == "running"

    running(scenario)


def test_a_chain_leads_to_what_it_started_and_not_to_what_somebody_runs_again(url: str) -> None:
    async def depth(execution: Execution) -> int:
        return (await execution.describe()).record.depth

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(ASK)
            parent = await begun(engine, PARENT, {"n": 1})

            async def child() -> Any:
                found = (await engine.executions.list(parent=parent.id, status="waiting")).items
                return found[0] if found else None

            child_ = await engine.executions.get((await until(child)).id)
            assert await depth(child_) == 1
            assert await depth(await child_.rerun()) == 0
            assert await depth(await child_.rerun(from_step="ask")) == 1, "it goes on where the chain had led"

    running(scenario)


def test_a_fork_is_durable_whoever_takes_it_up(sql_url: str) -> None:
    async def scenario() -> None:
        async with Engine(sql_url, works=False) as asking:
            async with counting(Engine(sql_url)) as engine:
                first = await begun(engine, LINE, {"n": 1})
                await first.result()
            fork = await (await asking.executions.get(first.id)).fork(at_step="c", outputs={"b": 10})
            assert [wait.kind for wait in (await fork.why()).waits] == ["worker"]
        async with counting(Engine(sql_url)) as engine:
            assert await (await engine.executions.get(fork.id)).result() == 11
            assert CALLS == {"c": 1}

    running(scenario)


def test_the_doctor_finds_nothing_wrong_with_forks(sql_url: str) -> None:
    async def scenario() -> None:
        async with counting(Engine(sql_url)) as engine:
            first = await begun(engine, DIAMOND, {"n": 1})
            await first.result()
            for step in "abcd":
                await (await first.rerun(from_step=step)).result()
            await (await first.fork(at_step="d", outputs={"b": "x" * 100_000})).result()
            asked = await begun(engine, one(ASK.steps[0], "asked"), {"n": 1})
            await waiting(asked)
            await waiting(await asked.rerun(from_step="ask"))

    running(scenario)
    assert examined(sql_url).broken == ()


def test_a_rerun_begins_with_a_step_itself_if_its_parts_only_come_after_it(url: str) -> None:
    """Of a step that has failed before and was handled, and of one that has never failed."""
    document = {
        "name": "handled",
        "steps": [
            {
                "stepId": "first",
                "type": "TASK",
                "taskId": "count",
                "input": {"n": "${workflow.input.n}"},
                "onFailure": {"handlerStepId": "mend", "inputMapping": {"n": 0}},
                "transitions": "last",
            },
            {"stepId": "mend", "type": "TASK", "taskId": "count", "input": {}},
            {"stepId": "last", "type": "TASK", "taskId": "count", "input": {"n": "${steps.first.output}"}},
        ],
    }
    nodes = {
        "name": "caught",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            {"id": "first", "type": "SET", "data": {"values": {"m": "{{n + 1}}"}}},
            {"id": "mend", "type": "SET", "data": {"values": {"m": 0}}},
        ],
        "connections": [
            {"fromNodeId": "start", "toNodeId": "first"},
            {"fromNodeId": "first", "fromOutput": "error", "toNodeId": "mend"},
        ],
    }

    async def scenario() -> None:
        async with counting(Engine(url)) as engine:
            for name, written, result in (("handled", document, 3), ("caught", nodes, {"n": 1, "m": 2})):
                await engine.workflows.save(written)
                first = await engine.executions.start(name, {"n": 1})
                assert await first.result() == result
                again = await first.rerun(from_step="first")
                assert await again.result() == result

    running(scenario)
