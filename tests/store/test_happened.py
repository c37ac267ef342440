"""Events as they are kept, for those who look."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.core import facts as f
from perdure.store import port as p
from perdure.store.questions import Questions
from store.stores import Kept
from store.words import COMMITTED, T0, advance, candidates, event, one, routed, running, waiting


def test_an_event_is_found_by_its_id_in_its_organization(store: Kept, asked: Questions) -> None:
    sent = event("ev", data={"n": 1}, source="shop", metadata={"subject": "x"}, correlation_id="c")
    store.commit([p.Publish(sent), p.Publish(replace(sent, organization="acme", data=2))])
    found = asked.event("default", "ev")
    assert found is not None
    assert replace(found.event, pos=0) == sent
    other = asked.event("acme", "ev")
    assert other is not None
    assert other.event.data == 2
    assert asked.event("nobody", "ev") is None
    assert asked.event("default", "other") is None


def test_the_newest_come_first_page_by_page(store: Kept, asked: Questions) -> None:
    store.commit([p.Publish(event(f"ev{n}")) for n in range(5)])
    one(store, p.Publish(event("theirs", organization="acme")))
    first = asked.happened("default", None, 2)
    assert [each.event.id for each in first] == ["ev4", "ev3"]
    rest = asked.happened("default", first[-1].event.pos, 9)
    assert [each.event.id for each in rest] == ["ev2", "ev1", "ev0"]


def test_it_is_told_whether_it_has_been_routed_and_what_it_did_not_start(store: Kept, asked: Questions) -> None:
    waiting(store, (1, "order.paid", False))
    one(store, p.Publish(event("ev")))
    before = asked.event("default", "ev")
    assert before is not None
    assert not before.routed
    routed(store, event("ev"), "e1", declined=(("orders", "too deep"),))
    after = asked.event("default", "ev")
    assert after is not None
    assert (after.routed, after.declined) == (True, (("orders", "too deep"),))


def test_whom_it_was_told_to_and_who_has_taken_it(store: Kept, asked: Questions) -> None:
    for execution in ("e1", "e2"):
        waiting(store, (1, "order.paid", False), execution=execution)
    one(store, p.Publish(event("ev")))
    found = candidates(store)["ev"]
    routed(store, found.event, *found.executions)
    assert [record.id for record in asked.told_to("default", "ev", 9)] == ["e1", "e2"]
    assert asked.taken_by("default", "ev", 9) == []
    taken = (
        f.WaitClosed(T0, 1, event_id="ev") if hasattr(f, "WaitClosed") else f.StepCompleted(T0, 0, op=1, event_id="ev")
    )
    assert one(store, advance(taken, after=1, record=running("e1", 2))) == COMMITTED
    assert [record.id for record in asked.taken_by("default", "ev", 9)] == ["e1"]
    assert asked.taken_by("acme", "ev", 9) == []
    assert [record.id for record in asked.told_to("default", "ev", 1)] == ["e1"]
