"""How much there is to do is told alike by every store, and nothing is counted beyond a limit."""

from __future__ import annotations

from perdure.store import port as p
from perdure.store.questions import Backlog, Questions
from store.stores import Kept
from store.words import T0, approval, asking, event, held, one, pending, released, running, waiting


def test_an_empty_store_has_nothing_to_do(asked: Questions) -> None:
    assert asked.backlog(T0, 10) == Backlog(0, 0, 0, 0, 0, 0)


def test_what_there_is_to_do_is_counted_for_all_organizations(store: Kept, asked: Questions) -> None:
    one(store, p.Create(pending("new")))
    one(store, p.Create(pending("theirs", organization="acme")))
    held(store, "owned")
    released(store, "late", record=running("late", 1, status="waiting", wake_at=T0 - 5))
    released(store, "sleeps", record=running("sleeps", 1, status="waiting", wake_at=T0 + 5))
    released(store, "done", record=running("done", 1, status="completed", live=False, ended_at=T0))
    found = asked.backlog(T0, 99)
    assert found == Backlog(open=5, ready=2, timed=2, overdue=1, approvals=0, unrouted=0, oldest_due_at=T0 - 5)
    assert asked.backlog(T0, 1) == Backlog(1, 1, 1, 1, 0, 0, T0 - 5)


def test_approvals_that_nobody_has_decided_are_counted(store: Kept, asked: Questions) -> None:
    held(store)
    asking(store, approval(1), approval(2))
    assert asked.backlog(T0, 99).approvals == 2
    assert asked.backlog(T0, 1).approvals == 1


def test_events_that_somebody_may_wait_for_are_counted_until_they_are_routed(store: Kept, asked: Questions) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event("ev1")))
    one(store, p.Publish(event("ev2")))
    assert (asked.backlog(T0, 99).unrouted, asked.backlog(T0, 1).unrouted) == (2, 1)
