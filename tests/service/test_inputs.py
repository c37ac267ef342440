"""What a workflow can be started with: by whom it is checked, and what becomes of what does not fit."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core.facts import ChainFailed
from perdure.core.program import Program
from perdure.expressions.language import compile_value
from perdure.model.records import ExecutionRecord
from perdure.model.steps import Approval, Child, Step, Task
from perdure.model.workflow import Chain, Entry, EventStart, Schedule, Workflow
from perdure.runtime import inputs
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, ExecutionFailed, Refused
from perdure.service.execution import Execution
from perdure.testing.words import k, obj, x
from service.words import adding, one, running, until

SCHEMA = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer", "minimum": 1}, "mail": {"type": "string", "format": "email"}},
}
PICKY = one(Step("s0", Task("add", x("input"))), "picky", input_schema=SCHEMA)
WRONG = [("invalid_input", "/n", '"one" is not of type "integer"'), ("invalid_input", "/mail", '"me" is not a "email"')]
MISFIT = {"n": "one", "mail": "me"}


def told(refused: pytest.ExceptionInfo[Refused]) -> list[tuple[str, str, str]]:
    return sorted(
        ((each.type, each.path, each.message) for each in refused.value.problems), key=lambda each: each[1] == "/mail"
    )


async def executions(engine: Engine, **more: Any) -> tuple[ExecutionRecord, ...]:
    return (await engine.executions.list(**more)).items


async def failures(execution: Execution) -> list[ChainFailed]:
    """Of its chains."""
    return [each.fact for each in (await execution.history()).items if isinstance(each.fact, ChainFailed)]


def test_a_start_with_what_does_not_fit_is_refused_and_nothing_exists(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            saved = await engine.workflows.save(PICKY)
            for again in range(2):  # before its model is at hand, and after
                for refusing in (
                    engine.executions.start(PICKY.name, MISFIT),
                    engine.executions.start(PICKY.name, MISFIT, version=saved.version),
                    engine.executions.start(PICKY, MISFIT),
                ):
                    with pytest.raises(Refused) as refused:
                        await refusing
                    assert told(refused) == WRONG
                    assert str(refused.value).startswith("it cannot be started with this input:\n  /")
                assert len(await executions(engine)) == again
                execution = await engine.executions.start(PICKY.name, {"n": 1})
                assert await execution.result() == 2
            with pytest.raises(Refused) as refused:
                await engine.executions.start(PICKY.name)
            assert told(refused) == [("invalid_input", "", 'there is no input, and "n" is a required property')]

    running(scenario)


def test_a_key_that_was_refused_can_be_used(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            await engine.workflows.save(PICKY)
            with pytest.raises(Refused):
                await engine.executions.start(PICKY.name, MISFIT, idempotency_key="once")
            execution = await engine.executions.start(PICKY.name, {"n": 1}, idempotency_key="once")
            assert execution.created
            assert await execution.result() == 2

    running(scenario)


def test_the_schema_is_that_of_the_version_which_is_started(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine, Engine(url) if url != "memory://" else Engine() as other:
            first = await engine.workflows.save(one(Step("s0", Task("add", x("input"))), PICKY.name))
            assert await (await engine.executions.start(PICKY.name, {"n": 1.5})).result() == 2.5
            await (engine if url == "memory://" else other).workflows.save(PICKY)
            with pytest.raises(Refused):
                await engine.executions.start(PICKY.name, {"n": 1.5})
            old = await engine.executions.start(PICKY.name, {"n": 1.5}, version=first.version)
            assert await old.result() == 2.5

    running(scenario)


def test_another_input_for_a_rerun_or_a_fork_has_to_fit(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            await engine.workflows.save(PICKY)
            execution = await engine.executions.start(PICKY.name, {"n": 1})
            assert await execution.result() == 2
            for refusing in (
                execution.rerun(input=MISFIT),
                execution.rerun(input=MISFIT, from_step="s0"),
                execution.fork(at_step="s0", input=MISFIT),
            ):
                with pytest.raises(Refused) as refused:
                    await refusing
                assert told(refused) == WRONG
            assert len(await executions(engine)) == 1
            assert await (await execution.rerun(input={"n": 4})).result() == 5
            assert await (await execution.fork(at_step="s0", input={"n": 5})).result() == 6

    running(scenario)


def test_an_event_that_brings_what_does_not_fit_is_declined_and_says_why(url: str) -> None:
    starting = Workflow("picky", PICKY.steps, PICKY.entries, starts=(EventStart("order.placed"),), input_schema=SCHEMA)

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            await engine.workflows.save(starting)
            sent = await engine.events.send({"type": "order.placed", "payload": MISFIT})

            async def routed() -> Any:
                seen = await engine.events.get(sent.id)
                return seen if seen.routed else None

            seen = await until(routed)
            assert seen.woken == ()
            ((workflow, reason),) = seen.declined
            assert workflow == "picky"
            assert reason.startswith("the input does not fit: ")
            assert '/n: "one" is not of type "integer"' in reason
            assert await executions(engine) == ()
            await engine.events.send({"type": "order.placed", "payload": {"n": 1}})
            (record,) = await until(lambda: executions(engine, status="completed"))
            assert record.output == 2

    running(scenario)


def test_a_child_that_cannot_begin_is_there_and_its_parent_is_told(url: str) -> None:
    parent = one(Step("call", Child(k("picky"), x("input"))), "parent")

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            await engine.workflows.save(PICKY)
            await engine.workflows.save(parent)
            execution = await engine.executions.start("parent", MISFIT)
            with pytest.raises(ExecutionFailed) as failed:
                await execution.result()
            assert failed.value.failure is not None
            assert (failed.value.failure.code, failed.value.failure.category) == ("INVALID_INPUT", "VALIDATION")
            assert failed.value.failure.message.startswith("the input does not fit: ")
            (child,) = await executions(engine, parent=execution.id)
            assert (child.status, child.seq) == ("failed", 2)
            assert child.error is not None
            assert (child.error.code, child.error.retriable) == ("INVALID_INPUT", False)
            of_child = await engine.executions.get(child.id)
            with pytest.raises(Conflict, match="could not even begin"):
                await of_child.retry()
            with pytest.raises(Refused):
                await of_child.rerun()
            assert await (await of_child.rerun(input={"n": 1})).result() == 2

    running(scenario)


def test_a_chain_does_not_start_what_cannot_begin_and_fails(url: str) -> None:
    first = one(Step("s0", Task("add", x("input"))), "first", chains=(Chain("picky", obj(n=k("one"))),))

    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            await engine.workflows.save(PICKY)
            execution = await engine.executions.start(first, {"n": 1})
            assert await execution.result() == 2
            (failed,) = await until(lambda: failures(execution))
            assert failed.error.code == "INVALID_INPUT"
            assert await executions(engine, workflow="picky") == ()

    running(scenario)


def test_an_approval_is_not_asked_of_what_does_not_fit(url: str) -> None:
    asking = one(Step("ask", Approval(obj(sum=x("input.n")))), "asking", input_schema=SCHEMA)

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(asking)
            await engine.workflows.save(one(Step("call", Child(k("asking"), x("input"), wait=False)), "parent"))
            await engine.executions.start("parent", MISFIT)
            await until(lambda: executions(engine, workflow="asking", status="failed"))
            assert (await engine.approvals.list()).items == ()

    running(scenario)


@pytest.mark.parametrize(
    ("more", "type_"),
    [
        ({"input_schema": {"type": "strin"}}, "invalid_schema"),
        ({"input_schema": []}, "invalid_schema"),
        ({"input_schema": {"$ref": "http://127.0.0.1:1/x"}}, "invalid_schema"),
        ({"input_schema": SCHEMA, "schedules": (Schedule("nightly", every_ms=60_000),)}, "invalid_schedule"),
    ],
)
def test_what_can_never_be_started_is_not_saved(more: dict[str, Any], type_: str) -> None:
    workflow = Workflow("bad", PICKY.steps, (Entry("s0"),), **more)

    async def scenario() -> None:
        async with Engine() as engine:
            for refusing in (engine.workflows.save(workflow), engine.executions.start(workflow, {"n": 1})):
                with pytest.raises(Refused) as refused:
                    await refusing
                assert [problem.type for problem in refused.value.problems] == [type_]

    running(scenario)


def test_a_schema_is_compiled_once_for_each_version() -> None:
    program = Program(PICKY, compile_value)
    assert inputs.inputs_of(program) is inputs.inputs_of(program)
    assert inputs.unfit(program, {"n": 1}) is None
    assert inputs.unfit(Program(one(Step("a", Task("t"))), compile_value), MISFIT) is None


def test_an_input_that_fits_a_version_saved_by_another_process_is_taken(sql_url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(sql_url)) as mine, Engine(sql_url, works=False) as theirs:
            await mine.workflows.save(PICKY)
            await mine.executions.start(PICKY.name, {"n": 1})
            schema = {**SCHEMA, "required": ["m"], "properties": {"m": {"type": "integer"}}}
            await theirs.workflows.save(replace(PICKY, input_schema=schema))
            started = await mine.executions.start(PICKY.name, {"m": 1})
            assert started.created
            with pytest.raises(Refused):
                await mine.executions.start(PICKY.name, {"n": 1})

    running(scenario)
