"""HandOver: an owner that stops gives back what it holds, as it is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from perdure.store import port as p
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    FAR,
    FENCED,
    RELEASED,
    T0,
    advance,
    claimed,
    deliver,
    events_of,
    fact,
    held,
    note,
    one,
    pending,
    released,
    running,
)

HANDED = p.HandOver("e1", ANN, 1)


def test_what_is_handed_over_can_be_claimed_at_once(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    assert one(store, HANDED) == COMMITTED
    assert store.stirs(BOB, now=T0)
    (claim,) = store.claim(BOB, now=T0, limit=10)
    assert (claim.record.id, claim.epoch, claim.facts, claim.start) == ("e1", 2, (fact(),), None)


def test_what_is_handed_over_before_it_began_begins_with_whoever_claims_it(store: Kept) -> None:
    held(store)
    assert one(store, HANDED) == COMMITTED
    (claim,) = store.claim(BOB, now=T0, limit=10)
    assert claim.start == pending().start


def test_what_is_handed_over_keeps_its_mail(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    one(store, deliver("hello"))
    one(store, HANDED)
    (claim,) = store.claim(BOB, now=T0, limit=10)
    assert events_of(claim.mail) == [note("hello")]


def test_whoever_handed_it_over_cannot_advance_it_any_more(store: Kept) -> None:
    held(store)
    one(store, HANDED)
    assert one(store, advance(fact())) == FENCED


def test_only_its_owner_can_hand_it_over(store: Kept) -> None:
    held(store)
    assert one(store, p.HandOver("e1", BOB, 1)) == FENCED
    assert one(store, p.HandOver("e1", ANN, 2)) == FENCED
    assert one(store, p.HandOver("nobody", ANN, 1)) == FENCED
    assert one(store, advance(fact())) == COMMITTED


def test_what_is_nobodys_cannot_be_handed_over(store: Kept) -> None:
    released(store)
    assert one(store, HANDED) == FENCED
    assert claimed(store) == []


def test_what_is_handed_over_twice_is_handed_over_once(store: Kept) -> None:
    held(store)
    assert store.commit([HANDED, HANDED]) == [COMMITTED, FENCED]
    assert claimed(store, BOB) == ["e1"]
    assert one(store, HANDED) == FENCED, "it is Bob's"


def test_handing_over_is_no_crash(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    owner, epoch = ANN, 1
    for _ in range(2 * p.CRASHES_MAX):
        assert one(store, p.HandOver("e1", owner, epoch)) == COMMITTED
        owner = BOB if owner == ANN else ANN
        (claim,) = store.claim(owner, now=T0, limit=10)
        epoch = claim.epoch


def test_what_was_taken_up_and_let_go_of_again_is_not_claimed_for_ever(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    one(store, HANDED)
    assert claimed(store, BOB) == ["e1"]
    idle = advance(after=1, owner=BOB, epoch=2, release=True, progress=False)
    assert one(store, idle) == RELEASED
    assert claimed(store, BOB, now=FAR) == []


@pytest.mark.parametrize("count", [1, 5])
def test_many_are_handed_over_with_a_last_beat(store: Kept, count: int) -> None:
    for number in range(count):
        held(store, f"e{number}")
        one(store, advance(fact(), execution=f"e{number}"))
    handed = [p.HandOver(f"e{number}", ANN, 1) for number in range(count)]
    assert store.commit([*handed, p.Beat(ANN, 0)]) == [COMMITTED] * (count + 1)
    assert sorted(claimed(store, BOB)) == [f"e{number}" for number in range(count)]


def test_who_cannot_read_an_execution_is_not_offered_it_again_and_others_are(store: Kept) -> None:
    store.commit([p.Create(pending("e1")), p.Create(pending("e2")), p.Beat(ANN, FAR)])
    assert claimed(store, ANN) == ["e1", "e2"]
    assert one(store, p.HandOver("e1", ANN, 1, "execution")) == COMMITTED
    one(store, deliver("hello"))
    assert [claimed(store, ANN) for _ in range(2 * p.CRASHES_MAX)] == [[]] * 2 * p.CRASHES_MAX
    (claim,) = store.claim(BOB, now=T0, limit=10)
    assert (claim.record.id, claim.start, claim.epoch) == ("e1", pending().start, 2)


def test_who_cannot_read_a_version_is_offered_no_execution_of_it(store: Kept) -> None:
    other = replace(pending("other").record, digest="digest-2")
    of_another = p.Create(p.Pending(other, pending("other").start))
    store.commit([p.Create(pending("e1")), p.Beat(ANN, FAR), p.Beat(BOB, FAR)])
    assert claimed(store, ANN) == ["e1"]
    store.commit([p.HandOver("e1", ANN, 1, "version"), p.Create(pending("e2")), of_another])
    released(store, "e3", record=running("e3", 1, wake_at=T0))
    assert claimed(store, ANN) == ["other"]
    assert sorted(claimed(store, BOB)) == ["e1", "e2", "e3"]


def test_what_a_dead_worker_held_waits_for_one_that_can_read_it(store: Kept) -> None:
    store.commit([p.Create(pending()), p.Beat(ANN, FAR)])
    claimed(store, ANN)
    one(store, p.HandOver("e1", ANN, 1, "execution"))
    assert claimed(store, "short-lived") == ["e1"]
    assert claimed(store, ANN) == []
    assert claimed(store, BOB) == ["e1"]
