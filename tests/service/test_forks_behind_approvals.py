"""What people have approved is done once: whoever may run things again cannot have it done twice, or with other values."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.hosts.stores import opened
from perdure.model.steps import Approval, Child, Compute, Condition, EventWait, Fail, ForEach, Route, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service.approval_gates import EXECUTIONS_MAX
from perdure.service.engine import Engine, Execution
from perdure.service.errors import Forbidden
from perdure.testing.words import k, obj, x
from service.words import running, until, waiting

REFUND: dict[str, Any] = {
    "name": "refund",
    "nodes": [
        {"id": "check", "type": "SET", "data": {"values": {"checked": True}}},
        {"id": "ask", "type": "APPROVAL", "data": {"approverRole": "finance"}},
        {"id": "pay", "type": "SET", "data": {"values": {"paid": "{{amount}}"}}},
    ],
    "connections": [
        {"fromNodeId": "check", "toNodeId": "ask"},
        {"fromNodeId": "ask", "toNodeId": "pay", "fromOutput": "approved"},
    ],
}


async def paid(engine: Engine) -> Execution:
    """A refund of 1 that somebody has approved."""
    for member, roles, groups in (("ada", ["admin"], []), ("olga", ["operator"], []), ("fin", ["viewer"], ["finance"])):
        await engine.members.add(member, roles=roles, groups=groups)
    await engine.workflows.save(REFUND)
    execution = await engine.executions.start("refund", {"amount": 1}, actor="olga")
    await waiting(execution)
    (asked,) = (await engine.approvals.list()).items
    await engine.approvals.decide(asked.id, "approve", actor="fin")
    assert (await execution.result())["paid"] == 1
    return execution


def test_an_operator_goes_on_from_before_an_approval_and_an_admin_from_anywhere(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await paid(engine)
            with pytest.raises(Forbidden, match="follows approval 'ask', which was decided for execution"):
                await first.fork(at_step="pay", variables={"amount": 1_000_000}, actor="olga")
            with pytest.raises(Forbidden, match="start from 'ask' or an earlier step, or ask an admin"):
                await first.rerun(from_step="pay", actor="olga")
            assert len((await engine.executions.list()).items) == 1
            for again in (
                await first.rerun(actor="olga"),
                await first.rerun(from_step="ask", actor="olga"),
                await first.fork(at_step="ask", variables={"amount": 5}, actor="olga"),
            ):
                await waiting(again)
            by_admin = await first.fork(at_step="pay", variables={"amount": 2}, actor="ada")
            assert (await by_admin.result())["paid"] == 2
            by_program = await first.rerun(from_step="pay")
            assert (await by_program.result())["paid"] == 1

    running(scenario)


def step_to(name: str) -> tuple[Route, ...]:
    return (Route((name,)),)


PAY = Step("pay", Compute(x("input.amount")))
INNER = Workflow("inner", (Step("ask", Approval(x("input"))),), (Entry("ask"),))
CALLS_INNER = Workflow("middle", (Step("call", Child(k("inner"), x("input"))),), (Entry("call"),))
OPTIONAL = Workflow(
    "optional",
    (
        Step("large", Condition(x("input.amount > 100")), (Route(("ask",), "true"), Route((), "false"))),
        Step("ask", Approval(x("input"))),
    ),
    (Entry("large"),),
)
IN_GRAPH: dict[str, Any] = {
    "name": "outer",
    "nodes": [
        {"id": "call", "type": "RUN_WORKFLOW", "data": {"workflowId": "inner", "input": {"n": 1}, "wait": True}},
        {"id": "pay", "type": "SET", "data": {"values": {"paid": "{{amount}}"}}},
    ],
    "connections": [{"fromNodeId": "call", "toNodeId": "pay"}],
}
IN_PORTS: dict[str, Any] = {
    "name": "outer",
    "steps": [
        {
            "stepSlug": "call",
            "stepType": "action",
            "order": 1,
            "config": {"type": "workflow", "workflowId": "inner", "input": {"n": 1}, "wait": True},
            "nextSteps": {"success": "pay"},
        },
        {
            "stepSlug": "pay",
            "stepType": "action",
            "order": 2,
            "config": {"type": "set_variables", "paid": "{{ amount }}"},
        },
    ],
}


def outer(called: str = "inner", *, wait: bool = True, **more: Any) -> Workflow:
    """`call` runs another workflow, then `pay` pays."""
    call = Step("call", Child(k(called), x("input"), wait=wait), step_to("pay"), **more)
    return Workflow("outer", (call, PAY), (Entry("call"),))


async def peopled(engine: Engine) -> None:
    for member, role in (("ada", "admin"), ("olga", "operator"), ("fin", "approver")):
        await engine.members.add(member, roles=[role])


async def approve_one(engine: Engine) -> None:
    async def asked() -> Any:
        return (await engine.approvals.list(status="pending")).items

    await engine.approvals.decide((await until(asked))[0].id, "approve", actor="fin")


async def started(engine: Engine, *workflows: Workflow | dict[str, Any], amount: int = 10) -> Execution:
    """The last of them, started by an operator."""
    await peopled(engine)
    for each in workflows:
        await engine.workflows.save(each)
    return await engine.executions.start("outer", {"amount": amount}, actor="olga")


async def refused_behind(execution: Execution, step: str = "call") -> None:
    """An operator goes on from `pay` in no way; from the step that is named, it is asked again."""
    with pytest.raises(Forbidden, match=rf"step 'pay' follows {step!r}.*or ask an admin"):
        await execution.fork(at_step="pay", input={"amount": 1_000_000}, actor="olga")
    with pytest.raises(Forbidden, match=f"step 'pay' follows {step!r}"):
        await execution.rerun(from_step="pay", actor="olga")
    with pytest.raises(Forbidden, match=f"step 'pay' follows {step!r}"):
        await execution.rerun(from_step="pay", input={"amount": 1_000_000}, actor="olga")


def test_an_operator_does_not_go_on_behind_an_approval_in_a_child(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await started(engine, INNER, outer())
            await approve_one(engine)
            assert await first.result() == 10
            await refused_behind(first)
            by_admin = await first.fork(at_step="pay", input={"amount": 2}, actor="ada")
            assert await by_admin.result() == 2
            again = await first.rerun(from_step="call", actor="olga")
            await approve_one(engine)
            assert await again.result() == 10

    running(scenario)


@pytest.mark.parametrize("document", [IN_GRAPH, IN_PORTS], ids=["graph", "ports"])
def test_the_same_holds_in_every_notation_that_calls_workflows(document: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            first = await started(engine, INNER, document)
            await approve_one(engine)
            await first.result()
            with pytest.raises(Forbidden, match="step 'pay' follows 'call'"):
                await first.rerun(from_step="pay", actor="olga")
            with pytest.raises(Forbidden, match="step 'pay' follows 'call'"):
                await first.fork(at_step="pay", variables={"amount": 1_000_000}, actor="olga")

    running(scenario)


def test_an_approval_in_a_child_of_a_child_is_found(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await started(engine, INNER, CALLS_INNER, outer("middle"))
            await approve_one(engine)
            assert await first.result() == 10
            await refused_behind(first)

    running(scenario)


def test_a_fork_of_a_fork_has_the_approvals_of_its_origins(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await started(engine, INNER, outer())
            await approve_one(engine)
            assert await first.result() == 10
            second = await first.fork(at_step="pay", input={"amount": 2}, actor="ada")
            assert await second.result() == 2
            third = await second.rerun(from_step="pay", actor="ada")
            assert await third.result() == 2
            await refused_behind(second)
            await refused_behind(third)

    running(scenario)


def test_an_approval_in_a_child_that_failed_afterwards_was_decided_too() -> None:
    failing = Workflow(
        "inner", (Step("ask", Approval(x("input")), step_to("fail")), Step("fail", Fail(k("no")))), (Entry("ask"),)
    )

    async def scenario() -> None:
        async with Engine("memory://") as engine:
            first = await started(engine, failing, outer(on_error=(Route(("pay",)),)))
            await approve_one(engine)
            assert await first.result() == 10
            await refused_behind(first)

    running(scenario)


def test_a_child_that_nobody_waited_for_may_have_been_approved_as_well() -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            first = await started(engine, INNER, outer(wait=False))
            assert await first.result() == 10
            before = await first.rerun(from_step="pay", actor="olga")
            assert await before.result() == 10
            (child,) = [each.id for each in (await engine.executions.list(workflow="inner")).items]
            await approve_one(engine)
            await (await engine.executions.get(child)).ended()
            await refused_behind(first)

    running(scenario)


def test_each_item_of_a_foreach_is_looked_into() -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            each = Workflow(
                "outer",
                (
                    Step(
                        "call",
                        Child(k("optional"), obj(amount=x("item"))),
                        step_to("pay"),
                        each=ForEach(x("[1, input.amount, 2]")),
                    ),
                    PAY,
                ),
                (Entry("call"),),
            )
            small = await started(engine, OPTIONAL, each)
            assert await small.result() == 10
            again = await small.fork(at_step="pay", input={"amount": 20}, actor="olga")
            assert await again.result() == 20
            large = await engine.executions.start("outer", {"amount": 1000}, actor="olga")
            await approve_one(engine)
            assert await large.result() == 1000
            await refused_behind(large)

    running(scenario)


def forget_ended(url: str) -> None:
    store, _ = opened(url, 3, 10_000)
    with closing(store):
        while store.forget(now_ms() + 1_000, 100):
            pass


def test_a_child_that_was_forgotten_counts_as_approved_if_it_can_ask(sql_url: str) -> None:
    asks_later = Workflow(
        "outer",
        (
            Step("plain", Child(k("plain"), x("input")), step_to("call")),
            Step("call", Child(k("optional"), x("input")), step_to("pay")),
            Step("pay", PAY.work, step_to("paid")),
            Step("paid", EventWait(k("paid"))),
        ),
        (Entry("plain"),),
    )
    plain = Workflow("plain", (Step("only", Compute(x("input"))),), (Entry("only"),))

    async def scenario() -> None:
        async with Engine(sql_url) as engine:
            origin = await started(engine, OPTIONAL, plain, asks_later)
            await waiting(origin)
            await engine.publish("paid")
            await origin.ended()
            first = await origin.rerun(from_step="pay", actor="olga")
            await waiting(first)
            await asyncio.to_thread(forget_ended, sql_url)
            assert [each.id for each in (await engine.executions.list()).items] == [first.id]
            with pytest.raises(Forbidden, match=r"step 'pay' follows 'call', whose execution .* no longer stored"):
                await first.rerun(from_step="pay", actor="olga")
            await waiting(await first.rerun(from_step="call", actor="olga"))

    running(scenario)


def test_more_children_than_are_looked_into_are_refused() -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            many = Workflow(
                "outer",
                (
                    Step(
                        "call",
                        Child(k("optional"), x("input")),
                        step_to("pay"),
                        each=ForEach(x("input.items"), concurrency=100),
                    ),
                    PAY,
                ),
                (Entry("call"),),
            )
            await peopled(engine)
            for each in (OPTIONAL, many):
                await engine.workflows.save(each)
            few = await engine.executions.start("outer", {"amount": 10, "items": [0] * EXECUTIONS_MAX}, actor="olga")
            assert await few.result() == 10
            assert await (await few.rerun(from_step="pay", actor="olga")).result() == 10
            first = await engine.executions.start(
                "outer", {"amount": 10, "items": [0] * (EXECUTIONS_MAX + 1)}, actor="olga"
            )
            assert await first.result() == 10
            with pytest.raises(
                Forbidden, match="step 'pay' follows 'call', which has started too many executions to check"
            ):
                await first.rerun(from_step="pay", actor="olga")

    running(scenario)
