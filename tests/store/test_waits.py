"""Waits and look back: a wait is found by what comes, and may be shown what came before it."""

from __future__ import annotations

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.commands import OpenWait
from perdure.store import port as p
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    RELEASED,
    T0,
    advance,
    candidates,
    event,
    fact,
    held,
    inbox,
    one,
    pending,
    routed,
    running,
    waiting,
)


def published(store: Kept, *events: str, type: str = "order.paid") -> None:
    for name in events:
        assert one(store, p.Publish(event(name, type))) == COMMITTED


def shown(store: Kept, limit: int = 100) -> dict[tuple[str, int], list[str]]:
    """What each wait that looks back would be shown."""
    polled = store.poll(BOB, now=T0, limit=limit)
    return {(found.execution, found.op): [happened.id for happened in found.events] for found in polled.lookbacks}


def test_an_execution_that_waits_is_a_candidate(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e1",)


def test_an_execution_that_waits_for_something_else_is_not_a_candidate(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    waiting(store, (1, "order.sent", False), execution="e2")
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e1",)


def test_a_pattern_with_a_star_finds_what_fits(store: Kept) -> None:
    waiting(store, (1, "order.*", False))
    waiting(store, (1, "#", False), execution="e2")
    waiting(store, (1, "*.sent", False), execution="e3")
    published(store, "ev1")
    assert set(candidates(store)["ev1"].executions) == {"e1", "e2"}


def test_an_execution_with_two_waits_that_fit_is_one_candidate(store: Kept) -> None:
    waiting(store, (1, "order.*", False), (2, "order.paid", False), (3, "order.paid", False))
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e1",)


def test_an_execution_of_another_organization_is_no_candidate(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    waiting(store, (1, "order.paid", False), execution="e2", organization="acme")
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e1",)


def test_a_wait_that_was_closed_finds_nothing(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    waiting(store, (1, "order.paid", False), execution="e2")
    one(store, advance(fact(), after=1, changes=p.Changes(waits_closed=(1,))))
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e2",)


def test_closing_one_wait_leaves_the_others(store: Kept) -> None:
    waiting(store, (1, "order.paid", False), (2, "order.paid", False))
    one(store, advance(fact(), after=1, changes=p.Changes(waits_closed=(1,))))
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e1",)


def test_closing_a_wait_that_is_not_there_changes_nothing(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    assert one(store, advance(fact(), after=1, changes=p.Changes(waits_closed=(7,)))) == COMMITTED


def test_a_wait_opened_and_closed_by_one_commit_is_closed(store: Kept) -> None:
    waiting(store, (9, "order.paid", False), execution="other")
    held(store)
    one(
        store,
        advance(
            fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),), waits_closed=(1,))
        ),
    )
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("other",)
    assert shown(store) == {}


def test_a_wait_opened_again_waits_for_the_new_pattern(store: Kept) -> None:
    waiting(store, (-1, "order.paid", False))
    waiting(store, (1, "order.paid", False), execution="e2")
    one(store, advance(fact(), after=1, changes=p.Changes(waits_opened=(OpenWait(-1, "order.sent"),))))
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e2",)


def test_an_execution_that_nobody_owns_is_still_a_candidate(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    assert one(store, advance(after=1, release=True)) == RELEASED
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e1",)


def test_a_wait_that_does_not_look_back_is_shown_nothing(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    assert shown(store) == {}


def test_a_wait_that_looks_back_is_shown_what_came_before_it_in_order(store: Kept) -> None:
    held(store)
    published(store, "z", "a", "m")
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.*", look_back=True),))))
    assert shown(store) == {("e1", 1): ["z", "a", "m"]}


def test_a_wait_that_looks_back_to_nothing_is_still_to_be_answered(store: Kept) -> None:
    waiting(store, (1, "order.paid", True))
    assert shown(store) == {("e1", 1): []}


def test_a_wait_is_not_shown_what_does_not_fit(store: Kept) -> None:
    held(store)
    published(store, "sent", type="order.sent")
    published(store, "paid")
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),))))
    assert shown(store) == {("e1", 1): ["paid"]}


def test_a_wait_is_not_shown_what_came_before_its_execution(store: Kept) -> None:
    published(store, "before")
    held(store)
    published(store, "after")
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),))))
    assert shown(store) == {("e1", 1): ["after"]}


def test_a_wait_is_not_shown_events_of_another_organization(store: Kept) -> None:
    held(store)
    one(store, p.Publish(event("theirs", organization="acme")))
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),))))
    assert shown(store) == {("e1", 1): []}


def test_a_wait_is_not_shown_what_its_execution_has_consumed(store: Kept) -> None:
    held(store)
    published(store, "ev1", "ev2")
    consuming = f.StepCompleted(T0, 0, event_id="ev1")
    one(store, advance(consuming, changes=p.Changes(waits_opened=(OpenWait(2, "order.paid", look_back=True),))))
    assert shown(store) == {("e1", 2): ["ev2"]}


def test_the_event_that_started_an_execution_is_not_shown_to_its_waits(store: Kept) -> None:
    waiting(store, (1, "order.paid", False), execution="other")
    published(store, "ev1")
    assert routed(store, event(), starts=(pending(),)) == COMMITTED
    store.claim(ANN, now=T0, limit=10)
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),))))
    assert shown(store) == {("e1", 1): []}


def test_what_a_wait_is_shown_has_its_place_in_the_order_of_arrival(store: Kept) -> None:
    held(store)
    published(store, "ev1", "ev2")
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),))))
    (found,) = store.poll(ANN, now=T0 + 7, limit=10).lookbacks
    first, second = found.events
    assert 0 < first.pos < second.pos
    assert found.at == T0 + 7


def test_cancellations_look_back_before_waits(store: Kept) -> None:
    waiting(store, (4, "order.paid", True), (-1, "order.cancelled", True), (2, "order.sent", True))
    assert list(shown(store)) == [("e1", -1), ("e1", 2), ("e1", 4)]


def test_poll_shows_as_many_look_backs_as_asked(store: Kept) -> None:
    waiting(store, (1, "a", True), (2, "b", True), (3, "c", True))
    assert list(shown(store, limit=2)) == [("e1", 1), ("e1", 2)]


def test_a_wait_that_has_been_shown_what_came_before_is_not_shown_again(store: Kept) -> None:
    waiting(store, (1, "order.paid", True), (2, "order.sent", True))
    assert one(store, p.LookedBack("e1", 1, T0, ())) == COMMITTED
    assert list(shown(store)) == [("e1", 2)]


def test_a_wait_that_has_looked_back_still_waits(store: Kept) -> None:
    waiting(store, (1, "order.paid", True))
    one(store, p.LookedBack("e1", 1, T0, ()))
    published(store, "ev1")
    assert candidates(store)["ev1"].executions == ("e1",)


def test_looking_back_for_a_wait_that_is_closed_changes_nothing(store: Kept) -> None:
    waiting(store, (1, "order.paid", True))
    one(store, advance(fact(), after=1, changes=p.Changes(waits_closed=(1,))))
    assert one(store, p.LookedBack("e1", 1, T0, ())) == COMMITTED
    assert shown(store) == {}


def test_what_was_routed_before_is_found_by_the_wait_that_looks_back(store: Kept) -> None:
    held(store)
    published(store, "ev1")
    routed(store, event())
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(3, "order.paid", look_back=True),))))
    assert one(store, p.LookedBack("e1", 3, T0 + 9, (event(),))) == COMMITTED
    assert inbox(store) == [e.EventArrived(T0 + 9, event(), 3)]


def test_what_has_not_been_routed_is_found_by_nobody_but_everybody(store: Kept) -> None:
    waiting(store, (1, "order.paid", False), execution="e2")
    waiting(store, (3, "order.paid", True))
    published(store, "ev1")
    one(store, p.LookedBack("e1", 3, T0, (event(),)))
    assert inbox(store) == [e.EventArrived(T0, event(), 0)]


def test_what_a_look_back_has_delivered_is_not_routed_to_it_again(store: Kept) -> None:
    waiting(store, (3, "order.paid", True))
    published(store, "ev1")
    one(store, p.LookedBack("e1", 3, T0, (event(),)))
    assert routed(store, event(), "e1") == COMMITTED
    assert len(inbox(store)) == 1


def test_what_has_been_routed_to_it_is_not_delivered_by_looking_back(store: Kept) -> None:
    waiting(store, (3, "order.paid", True))
    published(store, "ev1")
    routed(store, event(), "e1")
    one(store, p.LookedBack("e1", 3, T0, (event(),)))
    assert inbox(store) == [e.EventArrived(T0, event(), 0)]


def test_looking_back_delivers_all_events_in_their_order(store: Kept) -> None:
    waiting(store, (3, "order.paid", True))
    found = tuple(event(name) for name in ("z", "a"))
    published(store, "z", "a")
    one(store, p.LookedBack("e1", 3, T0, found))
    assert [mail.event.id for mail in inbox(store) if isinstance(mail, e.EventArrived)] == ["z", "a"]


def test_looking_back_delivers_nothing_to_an_execution_that_is_over(store: Kept) -> None:
    waiting(store, (3, "order.paid", True))
    published(store, "ev1")
    one(store, advance(fact(), after=1, record=running(seq=2, status="completed", live=False)))
    one(store, p.LookedBack("e1", 3, T0, (event(),)))
    assert inbox(store) == []
