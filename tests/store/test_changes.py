"""What is written with the facts: children, messages and events; and whether there is anything to do."""

from __future__ import annotations

import pytest

from perdure.core import events as e
from perdure.core.commands import OpenWait
from perdure.model.workflow import EventStart, Workflow
from perdure.store import port as p
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    FAR,
    HEIR,
    LEASE_END,
    T0,
    advance,
    candidates,
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
    waiting,
)


def changing(execution: str = "e1", after: int = 0, **changes: object) -> p.Advance:
    return advance(fact(), execution=execution, after=after, changes=p.Changes(**changes))  # type: ignore[arg-type]


def test_a_child_is_there_with_the_facts_that_started_it(store: Kept) -> None:
    held(store)
    child = pending("child", input={"a": 1}, parent="e1", parent_op=1, depth=1)
    assert one(store, changing(starts=(child,))) == COMMITTED
    (claim,) = store.claim(HEIR, now=T0, limit=9)
    assert (claim.record, claim.start, claim.epoch) == (child.record, child.start, 1)


def test_a_child_belongs_to_nobody_at_first(store: Kept) -> None:
    held(store)
    one(store, changing(starts=(pending("child"),)))
    assert inbox(store, "child") == []
    assert claimed(store, BOB) == ["child"]


def test_several_children_are_there_in_their_order(store: Kept) -> None:
    held(store)
    one(store, changing(starts=(pending("c2"), pending("c1"), pending("c3"))))
    assert claimed(store) == ["c2", "c1", "c3"]


def test_a_child_that_exists_is_not_started_again(store: Kept) -> None:
    held(store)
    released(store, "child")
    assert one(store, changing(starts=(pending("child"),))) == COMMITTED
    assert claimed(store) == []


def test_a_child_named_twice_is_one_child(store: Kept) -> None:
    held(store)
    one(store, changing(starts=(pending("child", input=1), pending("child", input=2))))
    assert [claim.start for claim in store.claim(HEIR, now=T0, limit=9)] == [pending("child", input=1).start]


def test_a_child_of_this_very_commit_gets_its_message(store: Kept) -> None:
    held(store)
    one(store, changing(starts=(pending("child"),), messages=(message("stop", "child"),)))
    (claim,) = store.claim(HEIR, now=T0, limit=9)
    assert claim.start is not None
    assert events_of(claim.mail) == [note("stop")]


def test_a_message_is_written_with_the_facts_that_caused_it(store: Kept) -> None:
    held(store, "child")
    released(store, "parent")
    ended = e.ChildEnded(T0, 4, "child", {"out": 1})
    one(store, changing("child", messages=(p.Message("parent", ended, "ended:child"),)))
    (claim,) = store.claim(HEIR, now=T0, limit=9)
    assert (claim.record.id, events_of(claim.mail)) == ("parent", [ended])


def test_a_message_that_was_sent_before_is_not_sent_again(store: Kept) -> None:
    held(store)
    held(store, "e2")
    one(store, changing(messages=(message("a", "e2", "d"),)))
    assert one(store, changing(after=1, messages=(message("b", "e2", "d"),))) == COMMITTED
    assert inbox(store, "e2") == [note("a")]


def test_messages_to_several_executions_arrive(store: Kept) -> None:
    held(store)
    held(store, "e2")
    held(store, "e3")
    one(store, changing(messages=(message("a", "e2"), message("b", "e3"), message("c", "e2"))))
    assert inbox(store, "e2") == [note("a"), note("c")]
    assert inbox(store, "e3") == [note("b")]


def test_a_message_to_nobody_does_not_hold_up_the_commit(store: Kept) -> None:
    held(store)
    assert one(store, changing(messages=(message("a", "nobody"),))) == COMMITTED
    assert looked_at(store).facts == (fact(),)


def test_a_message_reaches_an_execution_of_which_nothing_is_open(store: Kept) -> None:
    """Whether it still matters is for the core to judge."""
    held(store)
    released(store, "over", record=running("over", 1, status="completed", live=False))
    one(store, changing(messages=(message("a", "over"),)))
    assert claimed(store) == ["over"]


def test_an_event_is_published_with_the_facts_that_caused_it(store: Kept) -> None:
    waiting(store, (1, "order.paid", False), execution="e2")
    held(store)
    one(store, changing(events=(event(data={"n": 1}), event("ev2"))))
    assert list(candidates(store)) == ["ev1", "ev2"]
    assert candidates(store)["ev1"].event.data == {"n": 1}


def test_an_event_that_exists_is_not_published_again_by_a_commit(store: Kept) -> None:
    waiting(store, (1, "order.paid", False), execution="e2")
    held(store)
    one(store, p.Publish(event(data="first")))
    assert one(store, changing(events=(event(data="second"),))) == COMMITTED
    assert [found.event.data for found in candidates(store).values()] == ["first"]


def test_an_event_of_a_commit_is_a_duplicate_for_whoever_publishes_it(store: Kept) -> None:
    held(store)
    one(store, changing(events=(event(),)))
    assert one(store, p.Publish(event())) == p.Duplicate("ev1")


def test_a_wait_opened_by_the_commit_that_publishes_is_a_candidate(store: Kept) -> None:
    held(store)
    one(store, changing(waits_opened=(OpenWait(1, "order.paid"),), events=(event(),)))
    assert candidates(store)["ev1"].executions == ("e1",)


def test_a_child_may_look_back_to_an_event_of_the_commit_that_started_it(store: Kept) -> None:
    held(store)
    one(store, changing(starts=(pending("child"),), events=(event(),)))
    assert claimed(store, BOB) == ["child"]
    looking = p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),))
    one(store, advance(fact(), execution="child", owner=BOB, changes=looking))
    (found,) = store.poll(BOB, now=T0, limit=9).lookbacks
    assert [happened.id for happened in found.events] == ["ev1"]


def test_all_kinds_of_changes_go_with_one_commit(store: Kept) -> None:
    held(store, "e2")
    waiting(store, (1, "order.paid", False), (2, "order.sent", True))
    one(store, deliver("seen"))
    changes = p.Changes(
        seen=places(store),
        waits_opened=(OpenWait(3, "order.*", look_back=True),),
        waits_closed=(1, 2),
        starts=(pending("child"),),
        messages=(message("to e2", "e2"),),
        events=(event(),),
    )
    assert one(store, advance(fact(), after=1, changes=changes)) == COMMITTED
    polled = store.poll(ANN, now=T0, limit=9)
    assert [(found.execution, found.op) for found in polled.lookbacks] == [("e1", 3)]
    assert [found.executions for found in polled.events] == [("e1",)]
    assert (inbox(store), inbox(store, "e2"), claimed(store)) == ([], [note("to e2")], ["child"])


def test_a_model_comes_back_as_it_was_saved(store: Kept) -> None:
    digest = store.save(Workflow("orders", steps_max=7))
    assert store.model(digest) == b'{"name":"orders","steps_max":7}'


def test_saving_the_same_twice_is_saving_it_once(store: Kept) -> None:
    workflow = Workflow("orders", starts=(EventStart("order.paid"),))
    digest = store.save(workflow)
    assert store.save(workflow) == digest
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((digest, 0, "orders"),)


def test_an_older_version_stays_readable(store: Kept) -> None:
    first = store.save(Workflow("orders"))
    second = store.save(Workflow("orders", steps_max=7))
    assert first != second
    assert store.model(first) == b'{"name":"orders"}'


def test_an_older_version_can_be_made_the_active_one_again(store: Kept) -> None:
    first = store.save(Workflow("orders", starts=(EventStart("order.paid"),)))
    store.save(Workflow("orders", starts=(EventStart("order.paid"),), steps_max=7))
    assert store.save(Workflow("orders", starts=(EventStart("order.paid"),))) == first
    one(store, p.Publish(event()))
    assert candidates(store)["ev1"].workflows == ((first, 0, "orders"),)


def test_one_model_may_be_that_of_two_organizations(store: Kept) -> None:
    workflow = Workflow("orders", starts=(EventStart("order.paid"),))
    assert store.save(workflow) == store.save(workflow, "acme")
    store.commit([p.Publish(event()), p.Publish(event("theirs", organization="acme"))])
    assert [len(found.workflows) for found in candidates(store).values()] == [1, 1]


def test_a_model_that_nobody_has_saved_is_a_key_error(store: Kept) -> None:
    with pytest.raises(KeyError):
        store.model("no such digest")


def test_an_empty_store_does_not_stir(store: Kept) -> None:
    assert not store.stirs(ANN, now=T0)


def test_what_has_not_begun_stirs(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert store.stirs(ANN, now=T0)


def test_what_is_due_stirs(store: Kept) -> None:
    released(store, record=running(seq=1, wake_at=T0))
    assert store.stirs(ANN, now=T0)


def test_mail_stirs_whoever_may_claim(store: Kept) -> None:
    released(store)
    one(store, deliver())
    assert store.stirs(BOB, now=T0)


def test_mail_stirs_the_owner(store: Kept) -> None:
    held(store)
    store.commit([advance(fact()), deliver()])
    assert store.stirs(ANN, now=T0)


def test_an_owner_that_has_died_stirs(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    assert store.stirs(BOB, now=LEASE_END)


def test_an_owner_that_has_died_stirs_until_all_that_it_had_is_claimed(store: Kept) -> None:
    for number in range(3):
        held(store, f"e{number}")
    one(store, p.Beat(BOB, FAR))
    taken = []
    for _ in range(3):
        assert store.stirs(BOB, now=LEASE_END)
        taken += claimed(store, BOB, LEASE_END, limit=1)
    assert sorted(taken) == ["e0", "e1", "e2"]


def test_an_event_that_has_not_been_routed_stirs(store: Kept) -> None:
    store.save(Workflow("orders", starts=(EventStart("order.paid"),)))
    one(store, p.Publish(event()))
    assert store.stirs(ANN, now=T0)


def test_a_wait_that_looks_back_stirs(store: Kept) -> None:
    waiting(store, (1, "order.paid", True))
    assert store.stirs(BOB, now=T0)


def test_what_is_over_does_not_stir(store: Kept) -> None:
    released(store, record=running(seq=1, status="completed", live=False))
    assert not store.stirs(ANN, now=T0)


def test_the_record_of_an_execution_can_be_read_by_anybody(store: Kept) -> None:
    held(store)
    assert store.record("e1") == pending().record
    one(store, advance(fact(), record=running(seq=1, output={"a": 1})))
    assert store.record("e1") == running(seq=1, output={"a": 1})


def test_there_is_no_record_of_what_does_not_exist(store: Kept) -> None:
    assert store.record("nobody") is None
