"""Publish and Route: an event is there once, goes to whom it concerns once, and starts what it starts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.commands import OpenWait
from perdure.model.workflow import EventStart, Workflow
from perdure.store import port as p
from perdure.store.versions import NewVersion
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    HEIR,
    RELEASED,
    T0,
    advance,
    candidates,
    claimed,
    deliver,
    event,
    fact,
    held,
    inbox,
    looked_at,
    note,
    one,
    pending,
    places,
    released,
    routed,
    running,
    waiting,
)

ON_PAID = Workflow("on-paid", starts=(EventStart("order.paid"),))


def arrived(store: Kept, execution: str = "e1") -> list[str]:
    return [mail.event.id for mail in inbox(store, execution) if isinstance(mail, e.EventArrived)]


def test_an_event_is_published(store: Kept) -> None:
    assert one(store, p.Publish(event())) == COMMITTED


def test_an_event_with_an_id_that_exists_is_a_duplicate(store: Kept) -> None:
    one(store, p.Publish(event()))
    assert one(store, p.Publish(event(type="order.sent"))) == p.Duplicate("ev1")


def test_an_event_that_was_routed_is_still_a_duplicate(store: Kept) -> None:
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    routed(store, event())
    assert one(store, p.Publish(event())) == p.Duplicate("ev1")
    assert candidates(store) == {}


def test_the_same_id_in_another_organization_is_another_event(store: Kept) -> None:
    one(store, p.Publish(event()))
    assert one(store, p.Publish(event(organization="acme"))) == COMMITTED


def test_an_event_comes_back_whole_with_its_place(store: Kept) -> None:
    store.save(ON_PAID, "acme")
    data = {"z": "🦆\u0000", "a": [1, None]}
    happened = event(data=data, source="shop", organization="acme", correlation_id="c", depth=2, told_by="orders")
    one(store, p.Publish(happened))
    found = candidates(store)["ev1"].event
    assert found.pos > 0
    assert repr(found) == repr(replace(happened, pos=found.pos))


def test_a_large_event_comes_back_whole(store: Kept) -> None:
    store.save(ON_PAID)
    one(store, p.Publish(event(data="🦆" * 70_000)))
    assert candidates(store)["ev1"].event.data == "🦆" * 70_000


def test_events_are_polled_in_the_order_in_which_they_came(store: Kept) -> None:
    store.save(ON_PAID)
    store.commit([p.Publish(event(name)) for name in ("z", "a", "m")])
    assert list(candidates(store)) == ["z", "a", "m"]


def test_poll_shows_as_many_events_as_asked_the_oldest_first(store: Kept) -> None:
    store.save(ON_PAID)
    store.commit([p.Publish(event(name)) for name in ("z", "a", "m")])
    assert list(candidates(store, limit=2)) == ["z", "a"]


def test_events_of_all_organizations_are_polled(store: Kept) -> None:
    store.save(ON_PAID)
    store.save(ON_PAID, "acme")
    store.commit([p.Publish(event("ours")), p.Publish(event("theirs", organization="acme"))])
    assert list(candidates(store)) == ["ours", "theirs"]


def test_an_event_is_polled_until_it_has_been_routed(store: Kept) -> None:
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    assert list(candidates(store)) == list(candidates(store)) == ["ev1"]
    assert routed(store, event()) == COMMITTED
    assert candidates(store) == {}


def test_an_event_is_not_for_an_execution_that_began_after_it(store: Kept) -> None:
    waiting(store, (1, "order.*", False), execution="before")
    one(store, p.Publish(event()))
    waiting(store, (1, "order.*", True), (-1, "order.paid", True), execution="after")
    assert candidates(store)["ev1"].executions == ("before",)


def test_a_workflow_that_the_event_starts_is_a_candidate(store: Kept) -> None:
    digest = store.save(ON_PAID)
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((digest, 0, "on-paid"),)


def test_a_workflow_is_a_candidate_by_each_of_its_triggers_that_fit(store: Kept) -> None:
    starts = (EventStart("order.*"), EventStart("order.sent"), EventStart("order.paid"))
    digest = store.save(Workflow("many", starts=starts))
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((digest, 0, "many"), (digest, 2, "many"))


def test_a_workflow_that_other_events_start_is_no_candidate(store: Kept) -> None:
    digest = store.save(ON_PAID)
    store.save(Workflow("on-sent", starts=(EventStart("order.sent"),)))
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((digest, 0, "on-paid"),)


def test_a_workflow_of_another_organization_is_no_candidate(store: Kept) -> None:
    digest = store.save(ON_PAID)
    store.save(Workflow("theirs", starts=(EventStart("order.paid"),)), "acme")
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((digest, 0, "on-paid"),)


def test_only_the_active_version_of_a_workflow_is_started(store: Kept) -> None:
    store.save(ON_PAID)
    second = store.save(Workflow("on-paid", starts=(EventStart("order.*"),)))
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((second, 0, "on-paid"),)


def test_a_version_without_triggers_is_started_by_nothing(store: Kept) -> None:
    store.save(ON_PAID)
    store.save(Workflow("on-paid"))
    other = store.save(Workflow("other", starts=(EventStart("order.paid"),)))
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((other, 0, "other"),)


def test_an_event_goes_to_several_executions(store: Kept) -> None:
    for execution in ("e1", "e2", "e3"):
        waiting(store, (1, "order.paid", False), execution=execution)
    one(store, p.Publish(event()))
    assert routed(store, event(), "e1", "e3") == COMMITTED
    assert [arrived(store, execution) for execution in ("e1", "e2", "e3")] == [["ev1"], [], ["ev1"]]


def test_an_event_starts_several_executions(store: Kept) -> None:
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    assert routed(store, event(), starts=(pending("s1"), pending("s2", input=2))) == COMMITTED
    assert [claim.start for claim in store.claim(HEIR, now=T0, limit=9)] == [
        pending("s1").start,
        pending("s2", input=2).start,
    ]


def test_an_event_starts_an_execution_that_exists_not_again(store: Kept) -> None:
    store.save(ON_PAID)
    released(store, "s1")
    one(store, p.Publish(event()))
    assert routed(store, event(), starts=(pending("s1"), pending("s2"))) == COMMITTED
    assert claimed(store) == ["s2"]


def test_an_event_goes_to_executions_and_starts_others_at_once(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    routed(store, event(), "e1", starts=(pending("s1"),))
    assert (arrived(store), claimed(store)) == (["ev1"], ["s1"])


def test_an_event_that_was_routed_is_not_routed_again(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    waiting(store, (1, "order.paid", False), execution="e2")
    one(store, p.Publish(event()))
    routed(store, event(), "e1")
    assert routed(store, event(), "e1", "e2", starts=(pending("s1"),)) == p.Duplicate("ev1")
    assert (arrived(store), arrived(store, "e2"), claimed(store)) == (["ev1"], [], [])


def test_an_event_that_nobody_has_published_is_not_routed(store: Kept) -> None:
    held(store)
    assert routed(store, event("never"), "e1") == p.Duplicate("never")
    assert inbox(store) == []


def test_routing_the_event_of_one_organization_leaves_that_of_another(store: Kept) -> None:
    store.save(ON_PAID)
    store.save(ON_PAID, "acme")
    store.commit([p.Publish(event()), p.Publish(event(organization="acme"))])
    routed(store, event(organization="acme"))
    assert [found.event.organization for found in store.poll(ANN, now=T0, limit=9).events] == ["default"]


def test_an_event_arrives_when_it_is_routed(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event(data={"n": 1})))
    routed(store, event(data={"n": 1}), "e1", at=T0 + 40)
    assert inbox(store) == [e.EventArrived(T0 + 40, event(data={"n": 1}))]


def test_an_event_arrives_not_before_it_happened(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event(at=T0 + 99)))
    routed(store, event(at=T0 + 99), "e1", at=T0 + 40)
    assert inbox(store) == [e.EventArrived(T0 + 99, event(at=T0 + 99))]


def test_an_event_named_twice_for_one_execution_is_delivered_once(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    routed(store, event(), "e1", "e1")
    assert arrived(store) == ["ev1"]


def test_an_event_that_was_dealt_with_is_not_delivered_again(store: Kept) -> None:
    waiting(store, (1, "order.paid", True))
    one(store, p.Publish(event()))
    routed(store, event(), "e1")
    one(store, advance(fact(), after=1, changes=p.Changes(seen=places(store))))
    one(store, p.LookedBack("e1", 1, T0, (event(),)))
    assert inbox(store) == []


def test_an_event_that_was_declined_is_delivered_again(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    routed(store, event(), "e1")
    one(store, advance(after=1, changes=p.Changes(seen=places(store), declined=("ev1",))))
    one(store, p.LookedBack("e1", 2, T0 + 3, (event(),)))
    assert inbox(store) == [e.EventArrived(T0 + 3, event(), 2)]


def test_an_event_declined_by_one_execution_is_not_delivered_again_to_another(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    waiting(store, (1, "order.paid", False), execution="e2")
    one(store, p.Publish(event()))
    routed(store, event(), "e1", "e2")
    one(store, advance(after=1, changes=p.Changes(seen=places(store), declined=("ev1",))))
    one(store, p.LookedBack("e2", 1, T0, (event(),)))
    assert arrived(store, "e2") == ["ev1"]


def test_an_event_that_was_consumed_is_not_delivered(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    one(store, advance(f.StepCompleted(T0, 0, event_id="ev1"), after=1))
    routed(store, event(), "e1")
    assert inbox(store) == []


def test_an_event_that_was_declined_and_consumed_is_not_delivered_again(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    routed(store, event(), "e1")
    consuming = f.StepCompleted(T0, 0, event_id="ev1")
    one(store, advance(consuming, after=1, changes=p.Changes(seen=places(store), declined=("ev1",))))
    one(store, p.LookedBack("e1", 2, T0, (event(),)))
    assert inbox(store) == []


def test_an_event_is_not_delivered_to_an_execution_that_is_over(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    one(store, advance(fact(), after=1, record=running(seq=2, status="completed", live=False)))
    assert routed(store, event(), "e1") == COMMITTED
    assert inbox(store) == []


def test_an_event_wakes_an_execution_that_nobody_owns(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    assert one(store, advance(after=1, release=True)) == RELEASED
    one(store, p.Publish(event()))
    routed(store, event(), "e1")
    assert claimed(store, BOB) == ["e1"]


def test_an_event_keeps_its_owner_from_letting_go(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    assert store.commit([p.Route(event(), T0, ("e1",), ()), advance(after=1, release=True)]) == [COMMITTED, COMMITTED]


def test_an_event_stands_in_its_order_among_other_mail(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    one(store, deliver("first"))
    routed(store, event(), "e1")
    one(store, deliver("last"))
    assert inbox(store) == [note("first"), e.EventArrived(T0, event()), note("last")]


def test_a_message_with_the_dedup_of_an_event_is_another_message(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event()))
    routed(store, event(), "e1")
    assert one(store, deliver("hello", dedup="event:ev1")) == COMMITTED


def test_why_an_event_started_nothing_is_kept(store: Kept) -> None:
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    routed(store, event(), declined=(("on-paid", "the condition is not so"), ("other", "too deep")))
    assert store.declined == {("default", "ev1"): (("on-paid", "the condition is not so"), ("other", "too deep"))}


def test_an_event_published_and_routed_in_one_batch_arrives(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    assert store.commit([p.Publish(event()), p.Route(event(), T0, ("e1",), ())]) == [COMMITTED, COMMITTED]
    assert arrived(store) == ["ev1"]


def test_a_wait_opened_in_the_batch_that_publishes_is_a_candidate(store: Kept) -> None:
    held(store)
    opened = advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, "order.paid"),)))
    store.commit([p.Publish(event("early", "order.sent")), opened, p.Publish(event())])
    assert candidates(store)["ev1"].executions == ("e1",)


def test_what_an_event_started_has_its_mail_apart(store: Kept) -> None:
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    routed(store, event(), starts=(pending("s1"),))
    assert looked_at(store, "s1").mail == ()


@pytest.mark.parametrize(
    ("ref", "starts"),
    [
        ("wf_1", ["of wf_1"]),
        ("orders", ["of orders"]),
        ("others", ["of orders"]),
        ("nobody", ["of wf_1", "of orders"]),
    ],
)
def test_what_a_text_means_is_an_id_before_it_is_a_name(store: Any, ref: str, starts: list[str]) -> None:
    """One workflow has for its name what is the id of another; the name of that is nobody's id."""
    for id_, name in (("wf_1", "orders"), ("orders", "others")):
        store.keep(NewVersion(id_, Workflow(name), "graph", T0, document="{}"))
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    made = (pending("of wf_1"), pending("of orders"))
    routed(store, event(), starts=made, meant=((0, ref, "wf_1"), (1, ref, "orders")))
    assert claimed(store) == starts


def test_a_start_that_was_not_meant_leaves_its_id_to_the_next(store: Any) -> None:
    store.keep(NewVersion("orders", Workflow("others"), "graph", T0, document="{}"))
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    routed(
        store, event(), starts=(pending(input=1), pending(input=2), pending(input=3)), meant=((0, "orders", "wf_1"),)
    )
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert claim.start is not None
    assert claim.start.input == 2


def test_what_a_text_means_to_another_organization_does_not_matter(store: Any) -> None:
    store.keep(NewVersion("orders", Workflow("others"), "graph", T0, document="{}", organization="acme"))
    store.save(ON_PAID)
    one(store, p.Publish(event()))
    routed(store, event(), starts=(pending(),), meant=((0, "orders", "wf_1"),))
    assert claimed(store) == ["e1"]


# Organizations take turns.

FLOOD, OTHERS = "a-flood", [f"other-{number}" for number in range(5)]


def flood(store: Kept, count: int, *others: str) -> None:
    """Events of one organization, and after them one of each of the others."""
    for organization in (FLOOD, *others):
        store.save(ON_PAID, organization)
    for number in range(count):
        assert one(store, p.Publish(event(f"flood-{number:04}", organization=FLOOD))) == COMMITTED
    for organization in others:
        assert one(store, p.Publish(event(f"of-{organization}", organization=organization))) == COMMITTED


def of_flood(found: list[str]) -> list[str]:
    return [each for each in found if each.startswith("flood")]


def test_a_poll_has_events_of_every_organization_however_many_one_has_sent(store: Kept) -> None:
    flood(store, 300, *OTHERS)
    found = list(candidates(store, 30))
    assert len(found) == 30, "the rest of the room is not left empty"
    assert {f"of-{organization}" for organization in OTHERS} < set(found)
    assert of_flood(found) == [f"flood-{number:04}" for number in range(25)], "those of one are in order"


def test_events_of_one_organization_alone_have_all_the_room(store: Kept) -> None:
    flood(store, 50)
    assert list(candidates(store, 30)) == [f"flood-{number:04}" for number in range(30)]


def test_more_organizations_than_share_a_poll_are_seen_poll_after_poll(store: Kept) -> None:
    others = [f"other-{number:02}" for number in range(20)]
    flood(store, 40, *others)
    seen: set[str] = set()
    for _ in range(3):
        seen |= candidates(store, 24).keys()
    assert {f"of-{organization}" for organization in others} < seen


def test_events_are_routed_beside_new_executions_and_steps_of_one_commit(store: Kept) -> None:
    waiting(store, (1, "order.paid", False))
    for execution in ("e2", "e3"):
        held(store, execution)
    store.commit([p.Publish(event()), p.Publish(event("ev2"))])
    items: list[p.Item] = [
        p.Create(pending("e4"), None),
        p.Route(event(), T0, ("e1", "e4"), ()),
        advance(fact(), execution="e2"),
        p.Route(event("none"), T0, (), ()),
        p.Beat(ANN, T0),
        advance(fact(), execution="e3", after=7),
        p.Route(event("ev2"), T0, ("e3",), ()),
    ]
    without_target: list[p.Item] = [
        p.Create(pending("e5"), None),
        p.Route(event("none"), T0, (), ()),
        advance(fact("b"), after=1),
    ]
    expected = [COMMITTED, COMMITTED, COMMITTED, p.Duplicate("none"), COMMITTED, p.Fenced(), COMMITTED]
    assert store.commit(items) == expected
    assert store.commit(without_target) == [COMMITTED, p.Duplicate("none"), COMMITTED]
    assert (arrived(store), arrived(store, "e3")) == (["ev1"], ["ev2"])
    again = store.commit(items)
    assert [again[place] for place in (0, 2)] == [COMMITTED, COMMITTED], "sent again, as after a lost answer"
    assert [again[place] for place in (1, 6)] == [p.Duplicate("ev1"), p.Duplicate("ev2")]
    assert (arrived(store), arrived(store, "e3")) == (["ev1"], ["ev2"])
