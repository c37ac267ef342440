"""Claims are shared out between organizations: what one of them has ready, due or callable does not hide that of others."""

from __future__ import annotations

from collections import Counter

import pytest

from perdure.store import port as p
from store.stores import Kept
from store.words import ANN, COMMITTED, FAR, HEIR, LEASE_END, RELEASED, T0, advance, fact, held, one, pending, running

FLOOD, OTHERS = "a-flood", [f"other-{number}" for number in range(5)]
COUNT, LIMIT = 300, 30


def claims(store: Kept, limit: int = LIMIT, but_not: tuple[str, ...] = (), now: int = T0) -> Counter[str]:
    """By organization."""
    found = store.claim(HEIR, now=now, limit=limit, but_not=but_not)
    assert len(found) <= limit
    return Counter(claim.record.organization for claim in found)


def make_ready(store: Kept, execution: str, organization: str) -> None:
    assert one(store, p.Create(pending(execution, organization), None)) == COMMITTED


def make_due(store: Kept, execution: str, organization: str) -> None:
    held(store, execution, organization=organization)
    record = running(execution, 1, organization=organization, wake_at=T0 - 5)
    assert one(store, advance(fact(), execution=execution, record=record, release=True)) == RELEASED


def make_callable(store: Kept, execution: str, organization: str) -> None:
    held(store, execution, organization=organization)
    record = running(execution, 1, organization=organization)
    assert one(store, advance(fact(), execution=execution, record=record)) == COMMITTED
    over = p.HandOver(execution, ANN, 1, uncalled=((1, "print"),), rests=True)
    assert one(store, over) == COMMITTED


MAKE = {"ready": make_ready, "due": make_due, "callable": make_callable}


def flood(store: Kept, kind: str, count: int = COUNT) -> None:
    for number in range(count):
        MAKE[kind](store, f"flood-{number:04}", FLOOD)
    for organization in OTHERS:
        MAKE[kind](store, f"of-{organization}", organization)
    assert one(store, p.Beat(HEIR, LEASE_END, ("print",))) == COMMITTED


@pytest.mark.parametrize("kind", list(MAKE))
def test_a_claim_has_something_of_every_organization(store: Kept, kind: str) -> None:
    flood(store, kind)
    found = claims(store)
    assert {organization: found[organization] for organization in OTHERS} == dict.fromkeys(OTHERS, 1)
    assert found[FLOOD] == LIMIT - len(OTHERS), "the rest of the room is not left empty"


@pytest.mark.parametrize("kind", list(MAKE))
def test_claim_after_claim_everything_is_claimed_once(store: Kept, kind: str) -> None:
    flood(store, kind)
    total: Counter[str] = Counter()
    while found := claims(store):
        total += found
    assert total == {FLOOD: COUNT} | dict.fromkeys(OTHERS, 1)


def test_what_is_due_does_not_wait_for_all_that_is_ready(store: Kept) -> None:
    flood(store, "ready")
    make_due(store, "timer", "sleeper")
    assert claims(store)["sleeper"] == 1


def test_organizations_that_have_no_room_in_one_claim_are_in_the_next_ones(store: Kept) -> None:
    for number in range(COUNT):
        make_ready(store, f"flood-{number:04}", FLOOD)
    for number in range(100):
        make_ready(store, f"small-{number:04}", f"small-{number:04}")
    assert one(store, p.Beat(HEIR, LEASE_END)) == COMMITTED
    seen: Counter[str] = Counter()
    for _ in range(12):
        seen += claims(store, limit=20)
    assert len(seen) == 101, seen


@pytest.mark.parametrize("kind", list(MAKE))
def test_nothing_is_claimed_of_organizations_that_have_their_share(store: Kept, kind: str) -> None:
    flood(store, kind)
    assert claims(store, but_not=(FLOOD,)) == dict.fromkeys(OTHERS, 1)
    assert claims(store, but_not=(FLOOD,)) == {}
    assert claims(store) == {FLOOD: LIMIT}


def test_what_a_dead_worker_has_left_of_them_waits_for_a_worker_with_room(store: Kept) -> None:
    for number in range(10):
        held(store, f"flood-{number}", organization=FLOOD)
    held(store, "small", organization="other")
    assert one(store, p.Beat(HEIR, FAR + 1)) == COMMITTED
    assert claims(store, limit=100, but_not=(FLOOD,), now=FAR) == {"other": 1}
    assert claims(store, limit=100, now=FAR) == {FLOOD: 10}


def test_what_a_dead_worker_has_left_does_not_hide_what_others_have_ready(store: Kept) -> None:
    for number in range(COUNT):
        held(store, f"flood-{number:04}", organization=FLOOD)
    make_ready(store, "small", "other")
    assert one(store, p.Beat(HEIR, FAR + 1)) == COMMITTED
    total = claims(store, now=FAR)
    assert total["other"] == 1
    assert total[FLOOD] >= LIMIT // 2 - 1
    while found := claims(store, now=FAR):
        total += found
    assert total == {FLOOD: COUNT, "other": 1}
