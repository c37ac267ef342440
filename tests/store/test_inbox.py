"""Deliver and mail: who does not own an execution writes to it, once for each dedup, and nothing of it is lost."""

from __future__ import annotations

import pytest

from perdure.core import events as e
from perdure.model.failure import Failure
from perdure.store import port as p
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    HEIR,
    LEASE_END,
    RELEASED,
    T0,
    advance,
    claimed,
    deliver,
    event,
    events_of,
    fact,
    held,
    inbox,
    looked_at,
    message,
    note,
    one,
    pending,
    places,
    released,
    running,
)

EVENTS: list[e.Event] = [
    e.TaskCompleted(T0, 3, 2, {"b": 1, "a": None}, "ok", {"ms": 4}, (("tokens", 9),)),
    e.TaskFailed(T0, 3, 1, Failure("no", code="E1", details=[1]), (("tokens", 1),)),
    e.AttemptLost(T0, 3, 1),
    e.TaskCheckpointed(T0, 3, 1, "page", 2, {"cursor": "x"}),
    e.TimeReached(T0),
    e.Continued(T0),
    e.EventArrived(T0, event(data={"n": 1}, source="s", correlation_id="c", depth=1, told_by="w", pos=9), -1),
    e.ApprovalDecided(T0, 4, "reject", "carol", "no \u0000 way", {"k": [True]}),
    e.ChildEnded(T0, 5, "child", None, Failure("no")),
    e.ChainDue(T0, 0),
    e.ChainRequested(T0, 1),
    e.CancelRequested(T0, "why", "carol", "EVENT", "ev1", compensate=False),
    e.CancelRequested(T0, version=7),
    e.RetryRequested(T0, "carol"),
    e.RetryRequested(T0, "carol", 7),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_mail_of_this_kind_comes_out_as_it_went_in(store: Kept, event: e.Event) -> None:
    held(store)
    assert one(store, p.Deliver(p.Message("e1", event, "d"))) == COMMITTED
    assert inbox(store) == [event]


def test_mail_for_nobody_is_refused_by_name(store: Kept) -> None:
    outcome = one(store, deliver(execution="nobody"))
    assert isinstance(outcome, p.Refused)
    assert "'nobody'" in outcome.reason


def test_mail_for_an_execution_that_has_not_begun_waits_for_it(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert one(store, deliver()) == COMMITTED
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert claim.start is not None
    assert events_of(claim.mail) == [note("hello")]


def test_mail_for_an_execution_of_which_nothing_is_open_is_refused_with_its_status(store: Kept) -> None:
    released(store, record=running(seq=1, status="completed", live=False))
    outcome = one(store, deliver())
    assert isinstance(outcome, p.Refused)
    assert "completed" in outcome.reason


def test_refused_mail_is_not_there_and_its_dedup_is_free(store: Kept) -> None:
    released(store, record=running(seq=1, status="failed", live=False))
    one(store, deliver("again"))
    assert one(store, deliver("again", force=True)) == COMMITTED
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert events_of(claim.mail) == [note("again")]


def test_forced_mail_reaches_an_execution_of_which_nothing_is_open(store: Kept) -> None:
    released(store, record=running(seq=1, status="failed", live=False))
    assert one(store, deliver(force=True)) == COMMITTED
    assert claimed(store) == ["e1"]


def test_forced_mail_for_nobody_is_refused(store: Kept) -> None:
    assert isinstance(one(store, deliver(execution="nobody", force=True)), p.Refused)


def test_an_ended_execution_of_which_work_is_open_gets_its_mail(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), record=running(seq=1, status="cancelled", live=True)))
    assert one(store, deliver()) == COMMITTED


def test_the_same_dedup_twice_is_one_message(store: Kept) -> None:
    held(store)
    assert [one(store, deliver("a", dedup="d")), one(store, deliver("b", dedup="d"))] == [COMMITTED, p.Duplicate("d")]
    assert inbox(store) == [note("a")]


def test_the_same_dedup_in_one_batch_is_one_message(store: Kept) -> None:
    held(store)
    assert store.commit([deliver("a", dedup="d"), deliver("b", dedup="d")]) == [COMMITTED, p.Duplicate("d")]
    assert inbox(store) == [note("a")]


def test_a_message_that_has_been_dealt_with_does_not_come_again(store: Kept) -> None:
    held(store)
    one(store, deliver("a", dedup="d"))
    one(store, advance(fact(), changes=p.Changes(seen=places(store))))
    assert one(store, deliver("a", dedup="d")) == p.Duplicate("d")
    assert inbox(store) == []


def test_a_message_dealt_with_by_an_earlier_owner_does_not_come_again(store: Kept) -> None:
    released(store)
    one(store, deliver("a", dedup="d"))
    (claim,) = store.claim(BOB, now=T0, limit=1)
    seen = p.Changes(seen=(claim.mail[0].pos,))
    assert one(store, advance(after=1, owner=BOB, epoch=2, changes=seen, release=True)) == RELEASED
    assert one(store, deliver("a", dedup="d")) == p.Duplicate("d")
    assert claimed(store) == []


def test_the_same_dedup_for_another_execution_is_another_message(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    assert store.commit([deliver(dedup="d"), deliver(execution="e2", dedup="d")]) == [COMMITTED, COMMITTED]


def test_equal_events_with_different_dedups_are_two_messages(store: Kept) -> None:
    held(store)
    store.commit([deliver("a", dedup="1"), deliver("a", dedup="2")])
    assert inbox(store) == [note("a"), note("a")]


def test_mail_stands_in_the_order_in_which_it_came(store: Kept) -> None:
    held(store)
    for text in ("z", "a", "m"):
        one(store, deliver(text))
    assert inbox(store) == [note("z"), note("a"), note("m")]
    assert list(places(store)) == sorted(places(store))


def test_mail_from_different_senders_stands_in_the_order_in_which_it_came(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    one(store, deliver("first"))
    one(store, advance(fact(), execution="e2", changes=p.Changes(messages=(message("second"),))))
    one(store, deliver("third"))
    assert inbox(store) == [note("first"), note("second"), note("third")]


def test_dealing_with_one_message_leaves_the_others_in_their_places(store: Kept) -> None:
    held(store)
    store.commit([deliver("a"), deliver("b"), deliver("c")])
    first, second, third = places(store)
    one(store, advance(fact(), changes=p.Changes(seen=(second,))))
    assert places(store) == (first, third)
    assert inbox(store) == [note("a"), note("c")]


def test_a_place_in_the_inbox_is_given_once(store: Kept) -> None:
    held(store)
    one(store, deliver("a"))
    before = places(store)
    one(store, advance(fact(), changes=p.Changes(seen=before)))
    one(store, deliver("b"))
    assert set(places(store)).isdisjoint(before)


def test_a_place_that_was_dealt_with_before_may_be_named_again(store: Kept) -> None:
    held(store)
    store.commit([deliver("a"), deliver("b")])
    first, second = places(store)
    one(store, advance(fact(), changes=p.Changes(seen=(first,))))
    assert one(store, advance(fact(), after=1, changes=p.Changes(seen=(first,)), release=True)) == COMMITTED
    assert places(store) == (second,)
    assert [mail for _, mail in store.poll(ANN, now=T0, limit=10).mail] == [store.mail(ANN, "e1")]


def test_a_place_in_the_inbox_of_another_is_left_alone(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    store.commit([deliver("for e1"), deliver("for e2", "e2")])
    one(store, advance(fact(), changes=p.Changes(seen=places(store, "e2"))))
    assert inbox(store, "e2") == [note("for e2")]
    assert dict(store.poll(ANN, now=T0, limit=10).mail).keys() == {"e1", "e2"}


def test_only_the_owner_reads_the_mail(store: Kept) -> None:
    held(store)
    one(store, deliver())
    assert inbox(store, owner=BOB) == []


def test_a_former_owner_reads_no_mail(store: Kept) -> None:
    held(store)
    one(store, deliver())
    claimed(store, BOB, LEASE_END)
    assert (inbox(store), inbox(store, owner=BOB)) == ([], [note("hello")])


def test_reading_the_mail_does_not_take_it(store: Kept) -> None:
    held(store)
    one(store, deliver())
    assert inbox(store) == inbox(store) == [note("hello")]


def test_an_owner_lets_go_where_the_inbox_is_empty(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact(), release=True)) == RELEASED


def test_an_owner_does_not_let_go_unless_it_says_so(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact())) == COMMITTED
    assert one(store, advance(fact(), after=1)) == COMMITTED


def test_an_owner_does_not_let_go_of_mail_that_it_has_not_seen(store: Kept) -> None:
    held(store)
    one(store, deliver())
    assert one(store, advance(fact(), release=True)) == COMMITTED
    assert inbox(store) == [note("hello")]


def test_an_owner_that_was_not_let_go_is_still_the_owner(store: Kept) -> None:
    held(store)
    one(store, deliver())
    one(store, advance(fact(), release=True))
    assert claimed(store, BOB) == []
    assert one(store, advance(fact(), after=1, changes=p.Changes(seen=places(store)), release=True)) == RELEASED


def test_an_owner_lets_go_where_it_has_seen_all_mail(store: Kept) -> None:
    held(store)
    store.commit([deliver("a"), deliver("b")])
    assert one(store, advance(fact(), changes=p.Changes(seen=places(store)), release=True)) == RELEASED
    assert claimed(store) == []


def test_an_owner_does_not_let_go_where_it_has_seen_only_some(store: Kept) -> None:
    held(store)
    store.commit([deliver("a"), deliver("b")])
    assert one(store, advance(fact(), changes=p.Changes(seen=places(store)[:1]), release=True)) == COMMITTED
    assert inbox(store) == [note("b")]


def test_mail_that_came_earlier_in_the_same_batch_keeps_the_owner(store: Kept) -> None:
    held(store)
    assert store.commit([deliver(), advance(fact(), release=True)]) == [COMMITTED, COMMITTED]


def test_mail_that_comes_later_in_the_same_batch_is_for_the_next_owner(store: Kept) -> None:
    held(store)
    assert store.commit([advance(fact(), release=True), deliver()]) == [RELEASED, COMMITTED]
    assert claimed(store, BOB) == ["e1"]


def test_an_owner_that_writes_to_itself_does_not_let_go(store: Kept) -> None:
    held(store)
    changes = p.Changes(messages=(message("to myself"),))
    assert one(store, advance(fact(), changes=changes, release=True)) == COMMITTED
    assert inbox(store) == [note("to myself")]


def test_an_execution_of_which_nothing_is_open_can_be_let_go_of_twice(store: Kept) -> None:
    ended = running(seq=1, status="failed", live=False)
    released(store, record=ended)
    one(store, deliver(force=True))
    (claim,) = store.claim(BOB, now=T0, limit=1)
    changes = p.Changes(seen=(claim.mail[0].pos,))
    again = advance(after=1, owner=BOB, epoch=2, record=ended, changes=changes, release=True)
    assert one(store, again) == RELEASED


def test_poll_shows_an_owner_its_mail(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    held(store, "e3", BOB)
    store.commit([deliver("a"), deliver("b"), deliver("c", "e3")])
    assert store.poll(ANN, now=T0, limit=10).mail == (("e1", store.mail(ANN, "e1")),)
    assert store.poll(BOB, now=T0, limit=10).mail == (("e3", store.mail(BOB, "e3")),)


def test_poll_shows_no_mail_of_executions_that_nobody_owns(store: Kept) -> None:
    released(store)
    one(store, deliver())
    assert store.poll(ANN, now=T0, limit=10).mail == ()


def test_poll_shows_no_mail_that_has_been_seen(store: Kept) -> None:
    held(store)
    one(store, deliver())
    one(store, advance(fact(), changes=p.Changes(seen=places(store))))
    assert store.poll(ANN, now=T0, limit=10).mail == ()


def test_poll_shows_mail_again_until_it_has_been_seen(store: Kept) -> None:
    held(store)
    one(store, deliver())
    assert store.poll(ANN, now=T0, limit=10).mail == store.poll(ANN, now=T0, limit=10).mail != ()


def test_poll_shows_the_inboxes_of_as_many_executions_as_asked(store: Kept) -> None:
    for execution in ("e1", "e2", "e3"):
        held(store, execution)
        store.commit([deliver("a", execution), deliver("b", execution)])
    found = store.poll(ANN, now=T0, limit=2).mail
    assert [len(mail) for _, mail in found if isinstance(mail, tuple)] == [2, 2]


def test_mail_survives_a_change_of_owner_in_its_order(store: Kept) -> None:
    held(store)
    store.commit([deliver("a"), deliver("b")])
    assert events_of(looked_at(store).mail) == [note("a"), note("b")]


# Asked for a version.


def for_version(version: int, dedup: str = "d", execution: str = "e1", *, force: bool = False) -> p.Deliver:
    return p.Deliver(message("hello", execution, dedup), force, version)


def test_mail_for_the_version_that_an_execution_is_at_is_delivered(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), fact()))
    assert one(store, for_version(2)) == COMMITTED
    assert inbox(store) == [note("hello")]


@pytest.mark.parametrize("version", [0, 1, 3])
def test_mail_for_another_version_is_refused_with_both_numbers_and_is_not_there(store: Kept, version: int) -> None:
    held(store)
    one(store, advance(fact(), fact()))
    said = f"it was asked for version {version}, and the execution is at version 2; look at it again"
    assert one(store, for_version(version)) == p.GuardFailed(said)
    assert inbox(store) == []
    assert one(store, for_version(2)) == COMMITTED, "its dedup is free"


def test_of_two_that_name_the_same_version_one_is_delivered(store: Kept) -> None:
    released(store)
    first, second = store.commit([for_version(1, "a"), for_version(1, "b")])
    assert first == COMMITTED
    assert isinstance(second, p.GuardFailed)
    assert second.reason == (
        "it was asked for version 1, and the execution is at version 1, with 1 in its inbox that it has yet to take in; "
        "look at it again"
    )
    assert isinstance(one(store, for_version(1, "c")), p.GuardFailed)


def test_what_was_delivered_for_a_version_and_is_sent_again_is_there_already(store: Kept) -> None:
    held(store)
    assert [one(store, for_version(0)), one(store, for_version(0))] == [COMMITTED, p.Duplicate("d")]
    one(store, advance(fact(), changes=p.Changes(seen=places(store))))
    assert one(store, for_version(0)) == p.Duplicate("d")


def test_the_version_counts_facts_of_the_same_batch_and_those_that_the_row_does_not_know_of(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    one(store, advance(fact(), fact(), after=1, quiet=True))
    assert isinstance(one(store, for_version(1)), p.GuardFailed)
    assert one(store, for_version(3)) == COMMITTED


def test_a_version_of_what_has_ended_is_told_before_that_it_has(store: Kept) -> None:
    released(store, record=running(seq=1, status="completed", live=False))
    assert isinstance(one(store, for_version(2)), p.GuardFailed)
    assert isinstance(one(store, for_version(1)), p.Refused)
    assert one(store, for_version(1, force=True)) == COMMITTED


def test_mail_for_a_version_of_nobody_is_refused_by_name(store: Kept) -> None:
    assert isinstance(one(store, for_version(1, execution="nobody")), p.Refused)
