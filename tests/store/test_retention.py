"""Forgetting what has long ended: all of it, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.commands import OpenWait
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.memory import MemoryStore
from perdure.store.questions import Questions
from perdure.store.registers import WriteCard
from perdure.store.sql import retention
from store.stores import Kept
from store.words import (
    ANN,
    COMMITTED,
    FAR,
    RELEASED,
    T0,
    advance,
    approval,
    claimed,
    deliver,
    event,
    fact,
    held,
    one,
    pending,
    routed,
    running,
    waiting,
)

ENDED, LATER = T0 + 100, T0 + 1_000


def test_the_newest_row_is_what_was_written_last(store: Kept) -> None:
    assert store.newest_ms() is None
    ended(store, "e1", facts=(replace(fact(), at=T0 + 7),))
    assert store.newest_ms() == T0 + 7
    assert one(store, p.Publish(event("x", at=T0 + 9))) == COMMITTED
    assert store.newest_ms() == T0 + 9
    assert one(store, WriteCard("members", "ann", {}, T0 + 11, "root", "member.added")) == COMMITTED
    assert store.newest_ms() == T0 + 11


def test_what_is_forgotten_is_counted_by_its_kind(store: Kept) -> None:
    for number in range(4):
        ended(store, f"e{number}")
    tally = p.Tally()
    while store.forget(LATER, 2, None, (), tally):
        pass
    assert tally.counts() == {"executions": 3, "events": 0, "models": 0, "ledger": 0}


def ended(
    store: Kept,
    execution: str = "e1",
    *,
    at: int = ENDED,
    status: str = "completed",
    key: str | None = None,
    **more: Any,
) -> None:
    """An execution that has come to its end, and that nobody owns."""
    origin = {name: more.pop(name) for name in ("organization", "parent", "parent_op", "digest") if name in more}
    created = pending(execution, origin.get("organization", "default"))
    record = replace(created.record, **origin)
    assert one(store, p.Create(p.Pending(record, created.start), ANN, key)) == COMMITTED
    done = replace(record, status=status, live=False, seq=more.pop("seq", 1), ended_at=at)
    given = {"release": True, **more}
    outcome = one(store, advance(*given.pop("facts", (fact(),)), execution=execution, record=done, **given))
    assert outcome == (RELEASED if given["release"] else COMMITTED)


def newest(store: Kept, execution: str = "newest", organization: str = "default") -> None:
    """The newest execution of all, with the newest fact: it stays."""
    ended(store, execution, at=FAR, organization=organization)


def forgotten(store: Kept, *executions: str) -> list[bool]:
    return [store.record(execution) is None for execution in executions or ("e1",)]


def all_forgotten(store: Kept, before: int = LATER) -> int:
    count = 0
    while some := store.forget(before, 100):
        count += some
    return count


def test_what_ended_before_is_forgotten(store: Kept) -> None:
    ended(store)
    newest(store)
    assert store.forget(LATER, 10) == 1
    assert forgotten(store, "e1", "newest") == [True, False]


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_it_is_forgotten_however_it_ended(store: Kept, status: str) -> None:
    ended(store, status=status)
    newest(store)
    all_forgotten(store)
    assert forgotten(store) == [True]


def test_only_those_with_a_status_are_forgotten_where_one_is_named(store: Kept) -> None:
    for status in ("completed", "failed", "cancelled"):
        ended(store, status, status=status)
    _published(store, "ev1", "ev2")
    newest(store)
    assert store.forgettable(LATER) == 3
    assert store.forgettable(LATER, ["failed", "cancelled"]) == 2
    assert store.forget(LATER, 10, None, ["failed", "cancelled"]) == 2
    assert forgotten(store, "completed", "failed", "cancelled") == [False, True, True]
    assert store.forget(LATER, 10, None, ["failed", "cancelled"]) == store.forgettable(LATER, ["failed"]) == 0
    assert [_is_known(store, id_) for id_ in ("ev1", "ev2")] == [True, True], "events have no status"


def test_as_many_are_counted_as_are_forgotten_then(store: Kept) -> None:
    for number in range(5):
        ended(store, f"e{number}", at=ENDED + number)
    ended(store, "child", parent="parent", parent_op=1)
    held(store, "parent")
    newest(store)
    assert store.forgettable(ENDED + 3) == 3
    assert store.forget(ENDED + 3, 10) == 3


def test_a_long_one_is_gone_at_once_and_what_it_leaves_goes_part_by_part(
    store: Kept, asked: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "FACTS_LEAST", 2)
    monkeypatch.setattr(retention, "FACTS_EACH", 0)
    ended(store, "short")
    large = f.StepCompleted(T0, 0, output="x" * 100_000)
    ended(store, "long", facts=(fact(), large, fact(), large, fact()), key="order-17", seq=5)
    newest(store)
    last = asked.feed(0, 10).told[-2].pos
    assert (store.forget(LATER, 1), forgotten(store, "short", "long")) == (1, [True, False])
    assert (store.forget(LATER, 1), forgotten(store, "short", "long")) == (1, [True, True])
    assert [told.execution for told in asked.feed(0, 10).told] == ["newest"]
    assert asked.forgotten_up_to("default") == last
    assert one(store, p.Create(pending("again"), key="order-17")) == COMMITTED
    parts = 0
    while store.forget(LATER, 1):
        parts += 1
    assert parts == (0 if isinstance(store, MemoryStore) else 4), "three parts of two facts, and the end"


def test_what_ended_at_that_very_time_or_after_stays(store: Kept) -> None:
    ended(store, at=LATER)
    newest(store)
    assert store.forget(LATER, 10) == 0
    assert forgotten(store) == [False]


def test_nothing_is_forgotten_of_an_empty_store(store: Kept) -> None:
    assert store.forget(FAR, 10) == 0


def test_so_many_are_forgotten_at_once_and_the_first_to_end_first(store: Kept) -> None:
    for number in range(5):
        ended(store, f"e{number}", at=ENDED + 10 * (5 - number))
    newest(store)
    assert store.forget(LATER, 2) == 2
    assert forgotten(store, "e0", "e1", "e2", "e3", "e4") == [False, False, False, True, True]


def test_asked_again_and_again_it_comes_to_an_end(store: Kept) -> None:
    for number in range(5):
        ended(store, f"e{number}")
    newest(store)
    assert [store.forget(LATER, 2) for _ in range(4)] == [2, 2, 1, 0]


def test_what_has_not_ended_stays(store: Kept) -> None:
    one(store, p.Create(pending("waits")))
    held(store, "runs")
    newest(store)
    assert store.forget(FAR, 10) == 0
    assert forgotten(store, "waits", "runs") == [False, False]


def test_what_has_ended_and_is_live_stays(store: Kept) -> None:
    """It is being undone, or fires its chains."""
    held(store)
    record = running(seq=1, status="cancelled", live=True, ended_at=ENDED)
    one(store, advance(fact(), record=record, release=True))
    newest(store)
    assert store.forget(LATER, 10) == 0


def test_what_somebody_owns_stays(store: Kept) -> None:
    ended(store, release=False)
    newest(store)
    assert store.forget(LATER, 10) == 0


def test_what_has_mail_stays(store: Kept) -> None:
    ended(store)
    one(store, deliver("retry it", force=True))
    newest(store)
    assert store.forget(LATER, 10) == 0


def test_what_is_parked_stays(store: Kept) -> None:
    ended(store, release=False)
    for number in range(p.CRASHES_MAX):
        claimed(store, f"worker-{number}", FAR)
    newest(store)
    assert claimed(store, "worker-last", FAR) == []
    assert store.forget(LATER, 10) == 0


def test_the_child_of_what_is_live_stays(store: Kept) -> None:
    held(store, "parent")
    ended(store, "child", parent="parent", parent_op=1)
    newest(store)
    assert store.forget(LATER, 10) == 0


def test_the_parent_of_what_is_live_stays(store: Kept) -> None:
    """Its child tells it how it ended."""
    ended(store, facts=(f.ChildStarted(T0, 0, "child", "orders", "digest-1"),))
    child = replace(pending("child").record, parent="e1", parent_op=1)
    one(store, p.Create(p.Pending(child, pending("child").start)))
    newest(store)
    assert store.forget(LATER, 10) == 0


@pytest.mark.parametrize("given", ["x" * 100_000, "\0"], ids=["large", "NUL"])
def test_the_parent_of_a_live_child_stays_whatever_its_input(store: Kept, given: str) -> None:
    ended(store, facts=(f.ChildStarted(T0, 0, "child", "orders", "digest-1", given),))
    child = replace(pending("child").record, parent="e1", parent_op=1)
    one(store, p.Create(p.Pending(child, pending("child").start)))
    newest(store)
    assert store.forget(LATER, 10) == 0


def test_parent_and_child_that_have_both_ended_are_forgotten(store: Kept) -> None:
    ended(store, "parent", facts=(f.ChildStarted(T0, 0, "child", "orders", "digest-1"),))
    ended(store, "child", parent="parent", parent_op=1)
    newest(store)
    assert store.forget(LATER, 10) == 2


def test_the_newest_execution_stays_however_old(store: Kept) -> None:
    ended(store)
    assert store.forget(FAR, 10) == 0
    assert forgotten(store) == [False]


def test_the_execution_with_the_newest_fact_stays(store: Kept) -> None:
    held(store, "e1")
    ended(store, "e2")
    ended(store, "e3")
    record = running(seq=1, status="completed", live=False, ended_at=ENDED)
    one(store, advance(fact("the newest"), record=record, release=True))
    assert store.forget(LATER, 10) == 1
    assert forgotten(store, "e1", "e2", "e3") == [False, True, False]


def test_no_position_of_the_feed_is_given_again(store: Kept, asked: Questions) -> None:
    for number in range(3):
        ended(store, f"e{number}")
    last = asked.feed(0, 10).told[-1].pos
    all_forgotten(store)
    held(store, "after")
    one(store, advance(fact("after"), execution="after"))
    assert [(told.execution, told.pos > last) for told in asked.feed(last, 10).told] == [("after", True)]


def test_the_feed_goes_on_without_what_was_forgotten(store: Kept, asked: Questions) -> None:
    ended(store, "e1")
    ended(store, "e2", at=FAR)
    newest(store)
    store.forget(LATER, 10)
    assert [told.execution for told in asked.feed(0, 10).told] == ["e2", "newest"]


def test_it_is_known_how_far_an_organization_has_forgotten(store: Kept, asked: Questions) -> None:
    ended(store, "e1", facts=(fact(), fact()), organization="acme")
    ended(store, "e2", organization="globex", at=FAR)
    ended(store, "e3", organization="acme")
    newest(store)
    places = {(one.execution, one.seq): one.pos for one in asked.feed(0, 10).told}
    assert asked.forgotten_up_to("acme") == 0
    assert store.forget(LATER, 1) == 1
    assert asked.forgotten_up_to("acme") == places["e1", 2]
    assert store.forget(LATER, 1) == 1
    assert asked.forgotten_up_to("acme") == places["e3", 1]
    assert asked.forgotten_up_to("globex") == asked.forgotten_up_to("nobody") == 0


def test_what_is_forgotten_later_and_stood_before_changes_nothing_of_that(store: Kept, asked: Questions) -> None:
    ended(store, "e1", at=LATER)
    ended(store, "e2")
    newest(store)
    last = asked.feed(0, 10).told[1].pos
    assert [store.forget(LATER, 10), store.forget(FAR, 10)] == [1, 1]
    assert asked.forgotten_up_to("default") == last


def test_its_key_can_be_used_again(store: Kept) -> None:
    ended(store, key="order-17")
    ended(store, "e2", key="order-18", at=FAR)
    newest(store)
    store.forget(LATER, 10)
    assert one(store, p.Create(pending("e3"), key="order-17")) == COMMITTED
    assert one(store, p.Create(pending("e4"), key="order-18")) == p.Duplicate("e2")


def test_its_approvals_are_forgotten(store: Kept) -> None:
    changes = p.Changes(approvals_opened=(replace(approval(), status="closed"),))
    ended(store, changes=changes)
    held(store, "e2")
    one(store, advance(fact(), execution="e2", changes=p.Changes(approvals_opened=(approval(1, "e2"),))))
    newest(store)
    store.forget(LATER, 10)
    assert list(store.approvals) == ["e2-ask-1"]


def test_under_its_id_a_new_one_begins_from_the_beginning(store: Kept) -> None:
    ended(store, snapshot=b"old", facts=(f.StepCompleted(T0, 0, output="x" * 100_000),))
    one(store, deliver("said before", force=True))
    (claim,) = store.claim(ANN, now=T0, limit=1)
    done = replace(claim.record, ended_at=ENDED)
    changes = p.Changes(seen=tuple(mail.pos for mail in claim.mail))
    one(store, advance(after=1, epoch=claim.epoch, record=done, changes=changes, release=True))
    newest(store)
    assert store.forget(LATER, 10) == 1
    one(store, p.Create(pending("e1")))
    assert one(store, deliver("said before")) == COMMITTED
    found = {claim.record.id: claim for claim in store.claim(ANN, now=T0, limit=9)}["e1"]
    assert (found.facts, found.snapshot, len(found.mail)) == ((), None, 1)


def _published(store: Kept, *ids: str, at: int = ENDED, route: bool = True, organization: str = "default") -> None:
    for id_ in ids:
        happened = event(id_, at=at, organization=organization)
        assert one(store, p.Publish(happened)) == COMMITTED
        if route:
            routed(store, happened)


def _is_known(store: Kept, id_: str, organization: str = "default") -> bool:
    """Asked by publishing it, which makes it known."""
    return one(store, p.Publish(event(id_, organization=organization))) == p.Duplicate(id_)


def test_old_events_are_forgotten_and_the_newest_stays(store: Kept) -> None:
    _published(store, "ev1", "ev2", "ev3")
    assert store.forget(LATER, 10) == 2
    assert [_is_known(store, id_) for id_ in ("ev3", "ev1", "ev2")] == [True, False, False]


def test_an_old_event_is_forgotten_whatever_characters_are_in_it(store: Kept) -> None:
    odd = event("odd", at=ENDED, data={"text": "\0"})
    assert one(store, p.Publish(odd)) == COMMITTED
    routed(store, odd)
    _published(store, "newest")
    assert store.forget(LATER, 10) == 1


def test_events_that_are_not_old_stay(store: Kept) -> None:
    _published(store, "ev1", "ev2", at=LATER)
    assert store.forget(LATER, 10) == 0


def test_so_many_events_are_forgotten_at_once(store: Kept) -> None:
    _published(store, *(f"ev{number}" for number in range(6)))
    assert [store.forget(LATER, 2) for _ in range(4)] == [2, 2, 1, 0]


def test_an_event_that_has_not_been_routed_stays(store: Kept) -> None:
    waiting(store, (1, "order.*", False))
    _published(store, "ev1", "ev2", route=False)
    assert store.forget(LATER, 10) == 0


def test_events_may_be_kept_for_another_time_than_what_ended(store: Kept) -> None:
    held(store)  # it could look back to them
    _published(store, "old", at=ENDED)
    _published(store, "later", "newest", at=ENDED + 5)
    assert store.forget(0, 10, ENDED) == 0
    assert store.forget(0, 10, ENDED + 1) == 1
    assert [_is_known(store, id_) for id_ in ("old", "later", "newest")] == [False, True, True]
    assert not any(forgotten(store))


def test_an_event_that_has_not_been_routed_stays_however_old_it_is(store: Kept) -> None:
    waiting(store, (1, "order.*", False))
    _published(store, "ev1", "ev2", route=False)
    assert store.forget(0, 10, FAR) == 0


def test_an_event_that_a_live_execution_can_look_back_to_stays(store: Kept) -> None:
    _published(store, "before")
    held(store)
    _published(store, "after", "newest")
    all_forgotten(store)
    record = running(seq=1)
    changes = p.Changes(waits_opened=(OpenWait(1, "order.*", look_back=True),))
    one(store, advance(fact(), record=record, changes=changes))
    (found,) = store.poll(ANN, now=T0, limit=9).lookbacks
    assert [one.id for one in found.events] == ["after", "newest"]
    assert not _is_known(store, "before")


@pytest.mark.parametrize("release", [True, False])
def test_an_event_after_the_oldest_that_waits_stays_whoever_owns_it(store: Kept, release: bool) -> None:
    held(store)
    one(store, advance(fact(), release=release))
    _published(store, "ev1", "ev2")
    assert store.forget(LATER, 10) == 0


def test_an_event_that_a_failed_execution_could_look_back_to_once_retried_stays(store: Kept) -> None:
    ended(store, status="failed", at=FAR)
    _published(store, "ev1", "ev2")
    assert store.forget(LATER, 10) == 0


def test_an_event_older_than_whatever_waits_is_forgotten(store: Kept) -> None:
    _published(store, "ev1", "ev2")
    one(store, p.Create(pending()))
    assert store.forget(LATER, 10) == 1


def test_what_waits_in_one_organization_keeps_no_events_of_another(store: Kept) -> None:
    one(store, p.Create(pending("e1", "acme")))
    _published(store, "ev1", "ev2", organization="globex")
    assert store.forget(LATER, 10) == 1


def test_a_model_that_nobody_refers_to_is_forgotten(store: Kept) -> None:
    old = store.save(Workflow("orders"))
    new = store.save(Workflow("orders", deadline_ms=1))
    assert all_forgotten(store) == 1
    with pytest.raises(KeyError):
        store.model(old)
    assert store.model(new)


def test_a_model_of_an_execution_stays_as_long_as_that(store: Kept) -> None:
    old = store.save(Workflow("orders"))
    store.save(Workflow("orders", deadline_ms=1))
    ended(store, digest=old)
    newest(store)
    assert store.forget(ENDED, 10) == 0
    assert store.model(old)
    assert all_forgotten(store) == 2
    with pytest.raises(KeyError):
        store.model(old)


def test_the_model_of_an_active_workflow_stays(store: Kept) -> None:
    digest = store.save(Workflow("orders"))
    assert store.forget(FAR, 10) == 0
    assert store.model(digest)


def test_what_goes_on_is_as_it_was(store: Kept) -> None:
    ended(store, "e1")
    held(store, "e2")
    waiting(store, (1, "order.*", False), execution="e3")
    newest(store)
    all_forgotten(store, FAR)
    assert one(store, advance(fact("on"), execution="e2")) == COMMITTED
    assert store.values("e2", [1]) == {1: fact("on")}
    one(store, p.Publish(event("ev9", "order.new")))
    (found,) = store.poll(ANN, now=T0, limit=9).events
    assert found.executions == ("e3",)


def test_an_event_that_is_routed_to_what_was_forgotten_meanwhile_goes_nowhere(store: Kept) -> None:
    ended(store)
    newest(store)
    held(store, "e2")
    happened = event()
    one(store, p.Publish(happened))
    store.forget(LATER, 10)
    assert routed(store, happened, "e1", "e2") in (COMMITTED, p.Duplicate("ev1"))
    assert one(store, p.LookedBack("e1", 1, T0, (happened,))) == COMMITTED
    assert one(store, advance(fact(), execution="e1", after=1)) == p.Fenced()
    assert isinstance(one(store, deliver(force=True)), p.Refused)
