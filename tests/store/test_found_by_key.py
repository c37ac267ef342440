"""Waits that are found by what an event says, and events that concern very many."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.core.commands import OpenWait
from perdure.store import port as p
from store.stores import Kept
from store.words import (
    ANN,
    COMMITTED,
    HEIR,
    T0,
    advance,
    candidates,
    deliver,
    event,
    fact,
    held,
    inbox,
    one,
    routed,
    running,
)


def wait_for(
    store: Kept, execution: str, key: str = "", place: str = "/payload/id", pattern: str = "order.paid"
) -> None:
    held(store, execution)
    wait = OpenWait(1, pattern, place=place if key else "", key=key)
    record = running(execution, 1)
    changes = p.Changes(waits_opened=(wait,))
    assert one(store, advance(fact(), execution=execution, record=record, changes=changes)) == COMMITTED


def concerned(store: Kept, data: Any, **more: Any) -> tuple[str, ...]:
    one(store, p.Publish(event("ev", data=data, **more)))
    return candidates(store)["ev"].executions


def test_an_event_concerns_those_whose_key_it_has(store: Kept) -> None:
    for number in range(5):
        wait_for(store, f"e{number}", f"number {number}")
    assert concerned(store, {"id": 3}) == ("e3",)


@pytest.mark.parametrize("given", [3, 3.0, "3", " 3 ", [3]])
def test_equal_values_have_the_same_key(store: Kept, given: Any) -> None:
    wait_for(store, "e3", "number 3")
    assert concerned(store, {"id": given}) == ("e3",)


def test_whoever_has_no_key_is_always_asked(store: Kept) -> None:
    wait_for(store, "keyed", "number 1")
    wait_for(store, "any")
    assert concerned(store, {"id": 2}) == ("any",)


def test_each_looks_where_it_wants_to(store: Kept) -> None:
    wait_for(store, "by-id", "number 1", "/payload/id")
    wait_for(store, "by-who", "text ann", "/payload/who")
    wait_for(store, "by-other", "text bob", "/payload/who")
    wait_for(store, "wild", "text c-1", "/correlationId", "order.*")
    assert concerned(store, {"id": 1, "who": "ann"}, correlation_id="c-1") == ("by-id", "by-who", "wild")


def test_what_the_key_of_an_event_is_cannot_always_be_told(store: Kept) -> None:
    endless: Any = "x" * 1_000
    for _ in range(12):
        endless = [endless] * 4
    wait_for(store, "e1", "text a")
    wait_for(store, "e2", "number 2")
    wait_for(store, "elsewhere", "text b", "/payload/who")
    assert concerned(store, {"id": endless[0][0][0][0][0], "who": "b"}) == ("e1", "e2", "elsewhere")


def test_a_wait_for_several_types_and_one_for_this_type_are_both_found_once(store: Kept) -> None:
    held(store, "e1")
    waits = (OpenWait(1, "order.paid"), OpenWait(2, "order.*"), OpenWait(3, "#"), OpenWait(4, "order.sent"))
    one(store, advance(fact(), changes=p.Changes(waits_opened=waits)))
    assert concerned(store, None) == ("e1",)


def test_a_pattern_may_be_written_like_a_type_with_a_star(store: Kept) -> None:
    wait_for(store, "e1", pattern="order.*")
    one(store, p.Publish(event("star", "order.*")))
    assert candidates(store)["star"].executions == ("e1",)


@pytest.mark.parametrize(
    ("pattern", "type_"),
    [("order.paid", "order.paid"), ("order.*", "order.sent"), ("#", "any"), ("workflow.*", "workflow.done")],
)
def test_who_looks_back_sees_what_fits(store: Kept, pattern: str, type_: str) -> None:
    held(store)
    store.commit([p.Publish(event("ev1", type_)), p.Publish(event("ev2", "orders.paid"))])
    one(store, advance(fact(), changes=p.Changes(waits_opened=(OpenWait(1, pattern, look_back=True),))))
    (looked,) = store.poll(ANN, now=T0, limit=10).lookbacks
    assert [each.id for each in looked.events] == (["ev1", "ev2"] if pattern == "#" else ["ev1"])


@pytest.fixture
def three_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p, "FAN_OUT", 3)


@pytest.mark.usefixtures("three_at_once")
def test_an_event_that_concerns_many_is_delivered_part_by_part(store: Kept) -> None:
    for number in range(7):
        wait_for(store, f"e{number}")
    one(store, p.Publish(event("ev")))
    parts = []
    while found := candidates(store).get("ev"):
        parts.append(found.executions)
        assert (
            one(store, p.Route(found.event, T0, found.executions, (), after=found.after, reached=found.reached))
            == COMMITTED
        )
        assert found.reached is not None or len(found.executions) <= 3
    assert parts == [("e0", "e1", "e2"), ("e3", "e4", "e5"), ("e6",)]
    mail = dict(store.poll(ANN, now=T0, limit=100).mail)
    assert {execution: len(letters) for execution, letters in mail.items()} == {f"e{n}": 1 for n in range(7)}  # type: ignore[arg-type]


@pytest.mark.usefixtures("three_at_once")
def test_the_workflows_that_it_starts_come_last(store: Kept) -> None:
    for number in range(4):
        wait_for(store, f"e{number}")
    one(store, p.Publish(event("ev")))
    first = candidates(store)["ev"]
    assert (first.workflows, first.reached is None) == ((), False)


@pytest.mark.usefixtures("three_at_once")
def test_a_part_is_delivered_by_one_alone(store: Kept) -> None:
    for number in range(4):
        wait_for(store, f"e{number}")
    one(store, p.Publish(event("ev")))
    found = candidates(store)["ev"]
    part = p.Route(found.event, T0, found.executions, (), after=found.after, reached=found.reached)
    assert store.commit([part, part]) == [COMMITTED, p.Duplicate("ev")]
    assert routed(store, found.event, "e3") == p.Duplicate("ev"), "it has gone on since"
    rest = candidates(store)["ev"]
    assert routed(store, rest.event, *rest.executions, after=rest.after) == COMMITTED
    assert candidates(store) == {}


@pytest.mark.usefixtures("three_at_once")
def test_what_came_later_from_the_same_source_waits_for_it(store: Kept) -> None:
    for number in range(4):
        wait_for(store, f"e{number}")
    given = [("ev1", "order.paid", "shop"), ("ev2", "other", "shop"), ("ev3", "other", "bank")]
    store.commit([p.Publish(event(id_, type_, source=source)) for id_, type_, source in given])
    first = candidates(store)
    assert set(first) - {"ev3"} == {"ev1"}
    routed(store, first["ev1"].event, *first["ev1"].executions, after=0, reached=first["ev1"].reached)
    rest = candidates(store)
    assert rest["ev1"].executions == ("e3",)
    assert store.poll(HEIR, now=T0, limit=100).events[0].event.id == "ev1"


def test_who_looks_back_is_shown_what_has_its_key(store: Kept) -> None:
    held(store)
    store.commit([p.Publish(event(f"ev{n}", data={"id": n})) for n in range(4)])
    wait = OpenWait(1, "order.paid", look_back=True, place="/payload/id", key="number 2")
    one(store, advance(fact(), changes=p.Changes(waits_opened=(wait,))))
    (looked,) = store.poll(ANN, now=T0, limit=10).lookbacks
    assert [each.id for each in looked.events] == ["ev2"]


def test_an_execution_sees_events_in_the_order_in_which_they_were_accepted(store: Kept) -> None:
    wait_for(store, "e1", pattern="order.*")
    store.commit([p.Publish(event(f"ev{n}")) for n in range(3)])
    found = candidates(store)
    one(store, deliver("before"))
    for id_ in ("ev2", "ev0", "ev1"):
        routed(store, found[id_].event, "e1")
    one(store, deliver("after"))
    seen = [getattr(each, "reason", None) or each.event.id for each in inbox(store)]  # type: ignore[union-attr]
    assert seen == ["before", "ev0", "ev1", "ev2", "after"]
