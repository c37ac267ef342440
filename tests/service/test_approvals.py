"""Approvals as people meet them: who may decide, what they are told, what is theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from perdure.model.steps import Approval, Step
from perdure.service.approvals import ApprovalItem
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, Forbidden, NotFound
from perdure.testing.words import k, obj, x
from service.words import begun, one

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]


@pytest.fixture(params=["memory", "sqlite"])
def run(request: pytest.FixtureRequest, tmp_path: object) -> Run:
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"

    def once(ask: Callable[[Engine], Awaitable[None]]) -> None:
        async def within() -> None:
            async with Engine(url) as engine:
                for name, roles, groups in PEOPLE:
                    await engine.members.add(name, roles=roles, groups=groups)
                await ask(engine)

        asyncio.run(within())

    return once


PEOPLE: tuple[tuple[str, list[str], list[str]], ...] = (
    ("ann", ["viewer"], []),
    ("fin", ["viewer"], ["finance"]),
    ("apr", ["approver"], []),
    ("ops", ["operator", "editor"], []),
    ("boss", ["admin"], []),
)


async def opened(engine: Engine, given: Any = None, **more: Any) -> ApprovalItem:
    """The approval of a new execution."""
    by = more.pop("by", None)
    workflow = one(Step("ask", Approval(x("input"), **more)), f"ask {sorted(more)}")
    execution = await begun(engine, workflow, given, by=by)
    while True:
        page = await engine.approvals.list(execution=execution.id)
        if page.items:
            return page.items[0]
        await asyncio.sleep(0.005)


@pytest.mark.parametrize(
    ("asked", "may"),
    [
        ({"member": k("ann")}, {"ann", "boss"}),
        ({"role": k("finance")}, {"fin", "boss"}),
        ({"member": k("ann"), "role": k("finance")}, {"ann", "fin", "boss"}),
        ({}, {"apr", "boss"}),
    ],
)
def test_only_who_is_asked_decides_or_an_admin(run: Run, asked: dict[str, Any], may: set[str]) -> None:
    async def ask(engine: Engine) -> None:
        for name, _, _ in PEOPLE:
            item = await opened(engine, **asked)
            if name in may:
                decided = await engine.approvals.decide(item.id, "approve", actor=name)
                assert (decided.status, decided.decided_by) == ("approved", name)
            else:
                with pytest.raises(Forbidden, match=f"{name} may not decide approval {item.id}: .* may, or an admin"):
                    await engine.approvals.decide(item.id, "approve", actor=name)
                assert (await engine.approvals.get(item.id)).status == "pending"
        with pytest.raises(Forbidden, match="no member"):
            await engine.approvals.decide(item.id, "approve", actor="mallory")

    run(ask)


def test_an_approval_is_told_as_the_seed_has_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_PUBLIC_URL", "https://flows.example.com/")
    details = obj(resourceType="order", resourceId="17", routeHint="task_center", priority="high", metadata=obj(a=1))

    async def ask(engine: Engine) -> None:
        item = await opened(engine, {"sum": 5}, member=k("ann"), details=details, due_at=x("now + 86400000"))
        assert (item.submitted_data, item.resource_type, item.resource_id) == ({"sum": 5}, "order", "17")
        assert (item.route_hint, item.priority, item.metadata) == ("task_center", "high", {"a": 1})
        assert (item.approver_member_id, item.assigned_at) == ("ann", item.created_at)
        assert item.due_date == item.created_at + 86_400_000
        assert item.deeplink == f"https://flows.example.com/approvals/{item.id}"
        decided = await engine.approvals.decide(item.id, "rejected", actor="ann", comments="too much")
        assert (decided.status, decided.decision, decided.comments) == ("rejected", "reject", "too much")
        assert decided.reviewed_at == decided.decided_at
        execution = await engine.executions.get(item.workflow_execution_id)
        assert await execution.result() == {
            "approvalId": item.id,
            "status": "rejected",
            "decision": "reject",
            "decidedBy": "ann",
            "comments": "too much",
            "submittedData": {"sum": 5},
        }

    run(ask)


def test_what_nobody_has_named_is_about_its_execution(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine)
        assert (item.resource_id, item.assigned_at) == (item.workflow_execution_id, None)
        assert item.deeplink == f"/approvals/{item.id}"

    run(ask)


def test_the_same_decision_again_is_answered_as_the_first_and_another_names_it(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine)
        first = await engine.approvals.decide(item.id, "approve", actor="apr", comments="fine")
        assert await engine.approvals.decide(item.id, "approved", actor="boss", comments="me too") == first
        with pytest.raises(Conflict, match="is approved already, by apr at 20"):
            await engine.approvals.decide(item.id, "reject", actor="boss")
        with pytest.raises(Conflict, match="no decision"):
            await engine.approvals.decide(item.id, "maybe", actor="boss")  # type: ignore[arg-type]

    run(ask)


def test_every_decision_is_in_the_audit_once(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, votes_required=2)
        await engine.approvals.decide(item.id, "approve", actor="apr")
        await engine.approvals.decide(item.id, "approve", actor="boss")
        await engine.approvals.decide(item.id, "approve", actor="boss")
        entries = [entry for entry in (await engine.audit.list()).items if entry.register == "approvals"]
        assert [(entry.action, entry.by, entry.subject) for entry in entries] == [
            ("approval.approved", "boss", item.id),
            ("approval.voted", "apr", item.id),
        ]

    run(ask)


def test_a_vote_can_be_changed_until_it_is_settled(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, votes_required=2)
        await engine.approvals.decide(item.id, "approve", actor="apr", comments="yes")
        await engine.approvals.decide(item.id, "reject", actor="apr", comments="no")
        after = await engine.approvals.decide(item.id, "approve", actor="boss")
        assert after.status == "pending"
        assert [(vote.by, vote.decision, vote.comments) for vote in after.votes] == [
            ("apr", "reject", "no"),
            ("boss", "approve", None),
        ]
        assert (await engine.approvals.decide(item.id, "approve", actor="apr")).status == "approved"

    run(ask)


def test_who_started_it_may_not_decide_where_duties_are_separate(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, by="boss", apart=True)
        with pytest.raises(Conflict, match="boss has started"):
            await engine.approvals.decide(item.id, "approve", actor="boss")
        assert (await engine.approvals.decide(item.id, "approve", actor="apr")).decided_by == "apr"

    run(ask)


def test_who_started_it_is_told_also_where_they_may_decide(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, by="boss")
        assert (item.started_by, item.separation_of_duties) == ("boss", False)
        assert item.id in {each.id for each in (await engine.approvals.list(assignee="boss")).items}
        assert (await engine.approvals.decide(item.id, "approve", actor="boss")).decided_by == "boss"
        assert (await opened(engine)).started_by is None

    run(ask)


def test_who_runs_it_again_does_not_make_its_starter_another(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, by="boss", apart=True)
        again = await (await engine.executions.get(item.workflow_execution_id)).rerun()
        while not (page := await engine.approvals.list(execution=again.id)).items:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        with pytest.raises(Conflict, match="boss has started"):
            await engine.approvals.decide(page.items[0].id, "approve", actor="boss")

    run(ask)


def test_data_is_changed_only_where_that_is_allowed(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        fixed = await opened(engine, {"price": 10}, fixed=True)
        with pytest.raises(Conflict, match="allowDataModification"):
            await engine.approvals.decide(fixed.id, "approve", actor="apr", data={"price": 8})
        free = await opened(engine, {"price": 10})
        changed = await engine.approvals.decide(free.id, "approve", actor="apr", data={"price": 8})
        assert (changed.submitted_data, changed.modified_data) == ({"price": 10}, {"price": 8})

    run(ask)


def test_what_is_taken_on_is_decided_by_who_has_it_or_by_an_admin(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("apr2", roles=["approver"])
        item = await opened(engine)
        claimed = await engine.approvals.claim(item.id, actor="apr")
        assert (claimed.claimed_by, claimed.assigned_at is None) == ("apr", False)
        with pytest.raises(Conflict, match="apr has taken"):
            await engine.approvals.decide(item.id, "approve", actor="apr2")
        with pytest.raises(Forbidden, match="from who has it; an admin may"):
            await engine.approvals.claim(item.id, actor="apr2", over=True)
        with pytest.raises(Conflict, match="apr has taken"):
            await engine.approvals.release(item.id, actor="apr2")
        assert (await engine.approvals.release(item.id, actor="boss")).claimed_by is None
        with pytest.raises(Forbidden, match="ops may not take on"):
            await engine.approvals.claim(item.id, actor="ops")
        assert (await engine.approvals.claim(item.id, actor="apr2")).claimed_by == "apr2"
        assert (await engine.approvals.claim(item.id, actor="boss", over=True)).claimed_by == "boss"
        assert (await engine.approvals.decide(item.id, "approve", actor="boss")).status == "approved"

    run(ask)


def test_an_overdue_approval_is_decided_by_whom_it_was_handed_to(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        due = {"due_at": x("now"), "on_timeout": "escalate"}
        item = await opened(engine, member=k("ann"), escalate_to=obj(role="finance"), **due)
        while not (await engine.approvals.get(item.id)).overdue:  # noqa: ASYNC110  it is told by nobody
            await asyncio.sleep(0.005)
        mine = await engine.approvals.list(assignee="fin", overdue=True)
        assert [each.id for each in mine.items] == [item.id]
        with pytest.raises(Forbidden, match=r"ann, whoever is in the group 'finance' may, or an admin"):
            await engine.approvals.decide(item.id, "approve", actor="apr")
        decided = await engine.approvals.decide(item.id, "approve", actor="fin")
        assert (decided.overdue, decided.escalated_to) == (True, {"role": "finance"})

    run(ask)


def test_a_list_holds_what_somebody_is_asked(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        asked = [
            await opened(engine, **more)
            for more in ({"member": k("ann")}, {"role": k("finance")}, {}, {"member": k("ann")})
        ]
        first, second, third, fourth = (item.id for item in asked)

        async def ids(**more: Any) -> list[str]:
            return [item.id for item in (await engine.approvals.list(**more)).items]

        assert await ids() == [fourth, third, second, first]
        assert await ids(assignee="ann") == [fourth, first]
        assert await ids(assignee="fin") == [second]
        assert await ids(assignee="apr") == [third]
        assert await ids(assignee="somebody without a card") == []
        await engine.approvals.decide(first, "approve", actor="ann")
        assert await ids(assignee="ann", status="pending") == [fourth]
        assert await ids(status="approved", actor="ann") == [first]
        assert await ids(organization="other") == []
        page = await engine.approvals.list(limit=3)
        assert [item.id for item in (await engine.approvals.list(limit=3, cursor=page.next)).items] == [first]
        name = "ask ['role']"
        assert await ids(workflow=name) == [second]
        for wrong in ({"status": "open"}, {"resource_type": "order"}):
            with pytest.raises(Conflict):
                await ids(**wrong)

    run(ask)


def test_whoever_asks_why_is_told_who_is_asked(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, member=k("ann"), role=k("finance"))
        why = await (await engine.executions.get(item.workflow_execution_id)).why()
        assert [wait.note for wait in why.waits] == ["asked: ann, whoever is in the group 'finance'"]
        await engine.approvals.claim(item.id, actor="fin")
        why = await (await engine.executions.get(item.workflow_execution_id)).why()
        assert [wait.note for wait in why.waits] == ["fin has taken it on"]

    run(ask)


def test_the_program_decides_in_anybodys_name(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, member=k("ann"))
        await engine.decide(item.id, "approve", by="the other system")
        assert (await engine.approvals.get(item.id)).decided_by == "the other system"
        other = await opened(engine)
        assert (await engine.approvals.decide(other.id, "reject")).decided_by == "program"
        with pytest.raises(Conflict, match="acts for themselves"):
            await engine.approvals.decide(other.id, "reject", actor="boss", by="ann")

    run(ask)


def test_an_approval_of_another_organization_does_not_exist(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine)
        for asked in (
            engine.approvals.get(item.id, organization="other"),
            engine.approvals.decide(item.id, "approve", organization="other"),
            engine.approvals.claim(item.id, organization="other"),
        ):
            with pytest.raises(NotFound, match="no approval"):
                await asked

    run(ask)
