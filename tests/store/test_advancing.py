"""Advance: only the owner, in its epoch, after the last fact; and one batch of many items."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core import events as e
from perdure.core.commands import OpenWait
from perdure.model.failure import Category, Failure
from perdure.model.records import Waiting
from perdure.store import port as p
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    FENCED,
    LEASE_END,
    RELEASED,
    T0,
    advance,
    approval,
    asking,
    claimed,
    deliver,
    event,
    events_of,
    fact,
    held,
    inbox,
    looked_at,
    note,
    one,
    pending,
    places,
    running,
    vote,
    waiting,
)


def test_facts_continue_the_history_in_their_order(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact("one"), fact("two"))) == COMMITTED
    assert one(store, advance(fact("three"), after=2)) == COMMITTED
    assert looked_at(store).facts == (fact("one"), fact("two"), fact("three"))


def test_the_record_is_what_the_last_commit_said(store: Kept) -> None:
    held(store)
    sleeping = Waiting("timer", "sleep", T0, T0 + 50, on="x")
    error = Failure("no", Category.BUSINESS, "E1", retriable=False, details={"why": [1]}, exception="ValueError")
    one(store, advance(fact(), record=running(seq=1, waiting=sleeping, wake_at=T0 + 50, status="waiting")))
    record = running(seq=2, status="failed", live=False, output={"a": 1}, error=error, ended_at=T0 + 9)
    one(store, advance(fact(), after=1, record=record))
    assert looked_at(store).record == record


def test_what_an_execution_waits_for_comes_back_whole(store: Kept) -> None:
    held(store)
    record = running(seq=1, waiting=Waiting("event", "wait", T0, on="order.*"), wake_at=T0 + 50)
    one(store, advance(fact(), record=record))
    assert looked_at(store).record == record


@pytest.mark.parametrize("output", [None, False, 0, "", [], {}], ids=repr)
def test_an_output_that_is_nothing_much_comes_back_as_it_was(store: Kept, output: Any) -> None:
    held(store)
    one(store, advance(fact(), record=running(seq=1, output=output)))
    found = looked_at(store).record.output
    assert (found, type(found)) == (output, type(output))


def test_another_worker_is_fenced(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact(), owner=BOB)) == FENCED


def test_an_older_epoch_of_the_same_worker_is_fenced(store: Kept) -> None:
    held(store)
    assert claimed(store, ANN, LEASE_END) == ["e1"]
    assert one(store, advance(fact(), epoch=1)) == FENCED
    assert one(store, advance(fact(), epoch=2)) == COMMITTED


def test_an_epoch_that_has_not_come_yet_is_fenced(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact(), epoch=2)) == FENCED


def test_the_former_owner_is_fenced_once_another_has_claimed(store: Kept) -> None:
    held(store)
    assert claimed(store, BOB, LEASE_END) == ["e1"]
    assert one(store, advance(fact())) == FENCED
    assert one(store, advance(fact(), owner=BOB, epoch=2)) == COMMITTED


def test_an_owner_whose_lease_is_over_may_go_on_until_somebody_claims(store: Kept) -> None:
    held(store)
    one(store, p.Beat(ANN, T0 - 1))
    assert one(store, advance(fact())) == COMMITTED


def test_facts_that_leave_a_gap_are_fenced(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact(), after=1)) == FENCED


def test_facts_for_a_place_that_is_taken_are_fenced(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), fact("two"), fact("three")))
    assert one(store, advance(fact("other"), after=1)) == FENCED


def test_an_execution_that_does_not_exist_is_fenced(store: Kept) -> None:
    assert one(store, advance(fact(), execution="nobody")) == FENCED


def test_an_execution_that_was_let_go_of_is_fenced(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact(), release=True)) == RELEASED
    assert one(store, advance(fact(), after=1)) == FENCED


def test_a_fenced_commit_leaves_nothing_of_itself(store: Kept) -> None:
    held(store)
    waiting(store, (1, "order.*", False), execution="e2")
    one(store, deliver("hello"))
    changes = p.Changes(
        seen=places(store),
        waits_opened=(OpenWait(1, "order.*", look_back=True),),
        approvals_opened=(approval(),),
        starts=(pending("child"),),
        messages=(p.Message("e1", note("to myself"), "m"),),
        events=(event(),),
    )
    fenced = advance(fact(), owner=BOB, changes=changes, snapshot=b"s", release=True, record=running(output="no"))
    assert one(store, fenced) == FENCED
    polled = store.poll(ANN, now=T0, limit=10)
    assert (polled.events, polled.lookbacks) == ((), ())
    assert isinstance(one(store, vote("carol")), p.Refused)
    assert isinstance(one(store, deliver(execution="child")), p.Refused)
    claim = looked_at(store)
    assert (claim.record, claim.facts, claim.snapshot, claim.start) == (pending().record, (), None, pending().start)
    assert [mail.event for mail in claim.mail] == [note("hello")]


def test_a_commit_sent_twice_is_committed_twice_and_written_once(store: Kept) -> None:
    held(store)
    sent = advance(fact("one"), fact("two"))
    assert [one(store, sent), one(store, sent)] == [COMMITTED, COMMITTED]
    assert looked_at(store).facts == (fact("one"), fact("two"))


def test_a_commit_sent_twice_in_one_batch_is_written_once(store: Kept) -> None:
    held(store)
    sent = advance(fact("one"))
    assert store.commit([sent, sent]) == [COMMITTED, COMMITTED]
    assert looked_at(store).facts == (fact("one"),)


def test_a_commit_sent_twice_changes_nothing_else_twice(store: Kept) -> None:
    held(store)
    waiting(store, (1, "order.*", False), execution="e2")
    one(store, deliver("first"))
    sent = advance(
        fact(),
        changes=p.Changes(
            seen=places(store),
            approvals_opened=(approval(),),
            starts=(pending("child"),),
            messages=(p.Message("e2", note("ended"), "m"),),
            events=(event(),),
        ),
    )
    one(store, sent)
    one(store, vote("carol"))
    assert one(store, sent) == COMMITTED
    assert store.approvals["e1-ask-1"].status == "approved"
    assert inbox(store, "e2") == [note("ended")]
    assert len(inbox(store)) == 1
    assert len(store.poll(ANN, now=T0, limit=10).events) == 1


def test_a_commit_that_settles_an_approval_may_be_sent_twice(store: Kept) -> None:
    asking(store, approval())
    sent = advance(fact(), after=1, changes=p.Changes(approvals_settled=((1, "approve"),)))
    assert [one(store, sent), one(store, sent)] == [COMMITTED, COMMITTED]


def test_a_commit_sent_again_after_the_next_one_is_fenced(store: Kept) -> None:
    held(store)
    sent = advance(fact("one"))
    store.commit([sent, advance(fact("two"), after=1)])
    assert one(store, sent) == FENCED


def test_a_commit_sent_again_after_another_has_claimed_is_fenced(store: Kept) -> None:
    held(store)
    sent = advance(fact("one"))
    one(store, sent)
    claimed(store, BOB, LEASE_END)
    assert one(store, sent) == FENCED


def test_a_commit_that_lets_go_may_be_sent_twice(store: Kept) -> None:
    held(store)
    sent = advance(fact(), release=True)
    assert [one(store, sent), one(store, sent)] == [RELEASED, RELEASED]


def test_a_commit_without_facts_that_is_sent_twice_counts_its_mail_once(store: Kept) -> None:
    held(store)
    one(store, deliver("declined"))
    sent = advance(changes=p.Changes(seen=places(store)))
    assert [one(store, sent), one(store, sent)] == [COMMITTED, COMMITTED]
    one(store, deliver("later"))
    polled = store.poll(ANN, now=T0, limit=10)
    assert [events_of(found) for _, found in polled.mail if isinstance(found, tuple)] == [[note("later")]]


def test_a_commit_without_facts_keeps_the_history(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one")))
    assert one(store, advance(after=1)) == COMMITTED
    assert looked_at(store).facts == (fact("one"),)


def test_no_items_have_no_outcomes(store: Kept) -> None:
    assert store.commit([]) == []


def test_every_item_of_a_batch_is_answered_in_its_place(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    asking_for = p.Changes(approvals_opened=(approval(1, "e2"),))
    outcomes = store.commit(
        [
            advance(fact(), execution="e2", changes=asking_for),
            advance(fact(), owner=BOB),
            p.Create(pending("e1"), BOB),
            p.Publish(event()),
            deliver(execution="nobody"),
            vote("carol", asked="e2-ask-1"),
            vote("dave", "reject", asked="e2-ask-1"),
            advance(fact(), release=True),
        ]
    )
    kinds = [type(outcome) for outcome in outcomes]
    refusals = [p.Fenced, p.Duplicate, p.Committed, p.Refused, p.Committed, p.GuardFailed]
    assert kinds == [p.Committed, *refusals, p.Committed]
    assert outcomes[-1] == RELEASED


def test_a_fenced_item_leaves_the_others_as_they_are(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    mine, other = advance(fact("mine")), advance(fact("other's"), execution="e2", owner=BOB)
    assert store.commit([mine, other, advance(fact("more"), after=1)]) == [COMMITTED, FENCED, COMMITTED]
    assert looked_at(store).facts == (fact("mine"), fact("more"))


def test_a_failed_guard_leaves_the_others_as_they_are(store: Kept) -> None:
    asking(store, approval())
    held(store, "e2")
    one(store, vote("carol"))
    settling = advance(fact(), after=1, changes=p.Changes(approvals_settled=((1, "reject"),)))
    outcomes = store.commit([advance(fact("a"), execution="e2"), settling, advance(fact("b"), execution="e2", after=1)])
    assert [type(outcome) for outcome in outcomes] == [p.Committed, p.GuardFailed, p.Committed]
    assert looked_at(store, "e2").facts == (fact("a"), fact("b"))


def test_an_item_sees_what_the_items_before_it_did(store: Kept) -> None:
    outcomes = store.commit([p.Create(pending(), ANN), deliver(), advance(fact("one")), advance(fact("two"), after=1)])
    assert outcomes == [COMMITTED] * 4
    assert looked_at(store).facts == (fact("one"), fact("two"))


def test_two_executions_have_histories_of_their_own(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    store.commit([advance(fact("of e1")), advance(fact("of e2"), execution="e2")])
    assert store.values("e1", [1]) == {1: fact("of e1")}
    assert store.values("e2", [1]) == {1: fact("of e2")}


def test_a_beat_is_committed(store: Kept) -> None:
    assert one(store, p.Beat(ANN, LEASE_END)) == COMMITTED


def test_the_last_beat_counts(store: Kept) -> None:
    held(store)
    store.commit([p.Beat(ANN, LEASE_END + 1_000), p.Beat(ANN, T0)])
    assert claimed(store, BOB, T0) == ["e1"]


def test_events_for_the_execution_and_its_history_are_two_things(store: Kept) -> None:
    held(store)
    one(store, deliver("mail"))
    assert looked_at(store).facts == ()


def test_the_record_of_one_execution_is_not_that_of_another(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    one(store, advance(fact(), record=running(seq=1, output="mine")))
    assert looked_at(store, "e2").record == replace(pending("e2").record)


def test_a_message_is_an_event_of_any_kind(store: Kept) -> None:
    held(store)
    ended = e.ChildEnded(T0, 4, "child", output={"z": 1, "a": 2}, error=Failure("no", stack="line 1\nline 2"))
    one(store, p.Deliver(p.Message("e1", ended, "d")))
    assert inbox(store) == [ended]
