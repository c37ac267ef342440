"""What happened to an approval: all of it, in its order, and nothing that came later takes anything away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import to_builtins

from perdure.model.records import ApprovalRecord
from perdure.service.approval_history import ApprovalEvent, history
from perdure.service.approvals import ApprovalItem
from perdure.service.engine import Engine
from perdure.service.errors import Forbidden, NotFound
from perdure.store.memory.store import MemoryStore
from perdure.testing.words import k, x
from service.test_approvals import Run, opened, run

__all__ = ["run"]


def words(events: tuple[ApprovalEvent, ...]) -> list[tuple[str, str, str | None]]:
    return [(each.what, each.by, each.decision) for each in events]


async def told(engine: Engine, approval: str) -> tuple[ApprovalEvent, ...]:
    return (await engine.approvals.history(approval)).items


async def until(engine: Engine, approval: str, is_so: Callable[[ApprovalItem], bool]) -> None:
    while True:
        if is_so(await engine.approvals.get(approval)):
            return
        await asyncio.sleep(0.005)


def test_who_took_it_on_let_go_of_it_and_decided_it_is_there_in_order(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine)
        await engine.approvals.claim(item.id, actor="apr")
        await engine.approvals.release(item.id, actor="apr")
        await engine.approvals.decide(item.id, "reject", actor="boss", comments="too much")
        events = await told(engine, item.id)
        assert words(events) == [
            ("opened", "system", None),
            ("claimed", "apr", None),
            ("released", "apr", None),
            ("voted", "boss", "reject"),
            ("decided", "boss", "reject"),
        ]
        assert events[0].at == item.created_at
        assert (events[3].comments, events[4].comments) == ("too much", "too much")
        assert len({each.id for each in events}) == len(events)
        assert all(each.at is not None for each in events)

    run(ask)


def test_a_vote_that_was_changed_later_is_still_there(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, {"amount": 1}, votes_required=2, role=k("finance"), fixed=False)
        await engine.approvals.decide(item.id, "reject", actor="fin", comments="no")
        await engine.approvals.decide(item.id, "approve", actor="fin", comments="well", data={"amount": 2})
        await engine.approvals.decide(item.id, "approve", actor="fin")
        assert len((await engine.approvals.get(item.id)).votes) == 1
        votes = (await told(engine, item.id))[1:]
        assert [(each.by, each.decision, each.comments, each.modified) for each in votes] == [
            ("fin", "reject", "no", False),
            ("fin", "approve", "well", True),
            ("fin", "approve", None, False),
        ]

    run(ask)


def test_what_time_and_the_execution_do_is_there(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, due_at=x("nowMs + 5"), on_timeout="escalate", escalate_to=k("boss"))
        await until(engine, item.id, lambda now: now.overdue)
        execution = await engine.executions.get(item.workflow_execution_id)
        await execution.cancel()
        await until(engine, item.id, lambda now: now.status != "pending")
        events = await told(engine, item.id)
        assert [each.what for each in events] == ["opened", "overdue", "escalated", "closed"]
        assert {each.by for each in events} == {"system"}
        assert events[2].to == "boss"
        times = [each.at for each in events]
        assert item.due_date is not None
        assert None not in times
        assert item.due_date <= times[1] == times[2] <= times[3]  # type: ignore[operator]

    run(ask)


def test_what_time_decides_counts_from_the_due_date(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine, due_at=x("nowMs + 5"), on_timeout="approve")
        await until(engine, item.id, lambda now: now.status != "pending")
        (_, decided) = await told(engine, item.id)
        assert (decided.what, decided.by, decided.decision) == ("decided", "system", "approve")
        assert decided.at == item.due_date

    run(ask)


def test_it_comes_page_by_page(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine)
        for _ in range(3):
            await engine.approvals.claim(item.id, actor="apr")
            await engine.approvals.release(item.id, actor="apr")
        pages, cursor, is_more = [], None, True
        while is_more:
            page = await engine.approvals.history(item.id, limit=3, cursor=cursor)
            pages.append(page.items)
            cursor, is_more = page.next, page.next is not None
        assert [len(each) for each in pages] == [3, 3, 1]
        assert tuple(each for page in pages for each in page) == await told(engine, item.id)

    run(ask)


def test_whoever_may_see_the_approval_may_see_its_history_and_nobody_else(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        item = await opened(engine)
        assert (await engine.approvals.history(item.id, actor="ann")).items
        with pytest.raises(Forbidden):
            await engine.approvals.history(item.id, actor="mallory")
        with pytest.raises(NotFound):
            await engine.approvals.history("nothing")
        with pytest.raises(NotFound):
            await engine.approvals.history(item.id, organization="other")

    run(ask)


def record(**more: Any) -> ApprovalRecord:
    return ApprovalRecord("a1", "e1", 1, "ask", None, 100, **more)


def test_what_a_fork_begins_with_and_no_audit_has_under_its_id_is_told_by_the_record() -> None:
    decided = record(
        votes_required=2,
        votes=(("ann", "approve"), ("bob", "approve")),
        said=(("ann", 110, "fine"), ("bob", 120, None)),
        changed=(("ann", {"n": 1}),),
        status="approved",
        decision="approve",
        decided_by="bob",
        decided_at=120,
    )
    events = history(MemoryStore(), decided)
    assert [(each.what, each.by, each.at, each.modified) for each in events] == [
        ("opened", "system", 100, False),
        ("voted", "ann", 110, True),
        ("voted", "bob", 120, False),
        ("decided", "bob", 120, False),
    ]


def test_what_an_older_version_did_not_keep_has_no_time() -> None:
    old = record(votes=(("ann", "reject"),), due_at=150, overdue=True, status="closed")
    events = history(MemoryStore(), old)
    assert [(each.what, each.at) for each in events] == [
        ("opened", 100),
        ("voted", None),
        ("overdue", 150),
        ("closed", None),
    ]
    assert to_builtins(events[-1])["at"] is None
