"""The feed: the facts of all executions, in the order in which they became durable."""

from __future__ import annotations

import pytest

from perdure.core import facts as f
from perdure.store import port as p
from store.stores import Kept
from store.words import ANN, COMMITTED, T0, advance, fact, held, one, pending, running, step_done


def _texts(told: list[p.Told]) -> list[str]:
    return [one.fact.message for one in told if isinstance(one.fact, f.Warned)]


def _held_by(store: Kept, execution: str, organization: str) -> None:
    held(store, execution, organization=organization)
    record = running(execution, 1, organization=organization)
    assert one(store, advance(fact(f"of {organization}"), execution=execution, record=record)) == COMMITTED


def test_nothing_is_told_of_an_empty_store(store: Kept) -> None:
    assert store.feed(0, 10) == []


def test_an_execution_that_has_not_begun_is_not_told_of(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert store.feed(0, 10) == []


def test_facts_of_all_executions_are_told_in_the_order_of_their_commits(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    one(store, advance(fact("first"), execution="e2"))
    one(store, advance(fact("second"), fact("third")))
    one(store, advance(fact("fourth"), execution="e2", after=1))
    assert _texts(store.feed(0, 10)) == ["first", "second", "third", "fourth"]


def test_a_fact_is_told_with_its_execution_organization_number_and_kind(store: Kept) -> None:
    held(store, organization="acme")
    one(store, advance(fact("a"), step_done({"n": 1}), record=running(seq=2, organization="acme")))
    (first, second) = store.feed(0, 10)
    assert (second.execution, second.organization, second.seq) == ("e1", "acme", 2)
    assert (second.kind, second.fact) == ("step.completed", step_done({"n": 1}))
    assert second.pos > first.pos > 0


def test_the_feed_goes_on_after_a_position(store: Kept) -> None:
    held(store)
    one(store, advance(fact("a"), fact("b"), fact("c")))
    (first, *_) = store.feed(0, 10)
    assert _texts(store.feed(first.pos, 10)) == ["b", "c"]


def test_after_the_last_position_there_is_nothing_until_something_happens(store: Kept) -> None:
    held(store)
    one(store, advance(fact("a")))
    last = store.feed(0, 10)[-1].pos
    assert store.feed(last, 10) == []
    one(store, advance(fact("b"), after=1))
    assert _texts(store.feed(last, 10)) == ["b"]


def test_the_feed_has_so_many_at_most(store: Kept) -> None:
    held(store)
    one(store, advance(*(fact(str(number)) for number in range(5))))
    assert _texts(store.feed(0, 2)) == ["0", "1"]


def test_read_in_parts_the_feed_is_whole(store: Kept) -> None:
    held(store)
    one(store, advance(*(fact(str(number)) for number in range(7))))
    told: list[p.Told] = []
    while some := store.feed(told[-1].pos if told else 0, 3):
        told += some
    assert _texts(told) == [str(number) for number in range(7)]


def test_the_feed_of_an_organization_has_nothing_of_another(store: Kept) -> None:
    _held_by(store, "e1", "acme")
    _held_by(store, "e2", "globex")
    assert [one.execution for one in store.feed(0, 10, "globex")] == ["e2"]


def test_the_feed_of_an_organization_has_so_many_of_its_own(store: Kept) -> None:
    for number in range(6):
        _held_by(store, f"e{number}", "acme" if number % 2 else "globex")
    assert [one.execution for one in store.feed(0, 2, "acme")] == ["e1", "e3"]


@pytest.mark.parametrize("organization", [None, "default"])
def test_the_feed_of_an_organization_goes_on_after_a_position(store: Kept, organization: str | None) -> None:
    held(store)
    one(store, advance(fact("a"), fact("b")))
    first = store.feed(0, 1, organization)[0].pos
    assert _texts(store.feed(first, 10, organization)) == ["b"]


def test_a_large_value_is_told_whole(store: Kept) -> None:
    held(store)
    large = step_done("🦆" * 70_000)
    loop = f.LoopOpened(T0, 0, list(range(2_500)), 1)
    one(store, advance(large, loop))
    assert [one.fact for one in store.feed(0, 10)] == [large, loop]


def test_a_commit_that_is_fenced_is_not_told(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), owner="worker-nobody"))
    assert store.feed(0, 10) == []


def test_a_commit_sent_twice_is_told_once(store: Kept) -> None:
    held(store)
    sent = advance(fact("once"), owner=ANN)
    store.commit([sent, sent])
    assert _texts(store.feed(0, 10)) == ["once"]
