"""Snapshots: a state kept with the facts up to it, read by whoever knows its form."""

from __future__ import annotations

from perdure.core.state import FORMAT
from perdure.store import port as p
from store.stores import Kept
from store.words import BOB, LEASE_END, advance, fact, held, looked_at, one

OTHER_FORM = FORMAT + 1


def test_without_a_snapshot_a_claim_has_all_facts(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), fact("two")))
    claim = looked_at(store)
    assert (claim.snapshot, claim.facts) == (None, (fact("one"), fact("two")))


def test_a_snapshot_holds_the_facts_of_its_own_commit(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), fact("two"), snapshot=b"after two"))
    claim = looked_at(store)
    assert (claim.snapshot, claim.facts) == (b"after two", ())


def test_a_claim_has_the_facts_after_the_snapshot(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"after one"))
    one(store, advance(fact("two"), fact("three"), after=1))
    claim = looked_at(store)
    assert (claim.snapshot, claim.facts) == (b"after one", (fact("two"), fact("three")))


def test_a_later_snapshot_takes_the_place_of_an_earlier_one(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"after one"))
    one(store, advance(fact("two"), after=1, snapshot=b"after two"))
    one(store, advance(fact("three"), after=2))
    claim = looked_at(store)
    assert (claim.snapshot, claim.facts) == (b"after two", (fact("three"),))


def test_two_snapshots_of_one_batch_leave_the_later_one(store: Kept) -> None:
    held(store)
    store.commit([advance(fact("one"), snapshot=b"1"), advance(fact("two"), after=1, snapshot=b"2")])
    claim = looked_at(store)
    assert (claim.snapshot, claim.facts) == (b"2", ())


def test_a_snapshot_of_another_form_is_left_out_and_all_facts_are_there(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"new", form=OTHER_FORM))
    one(store, advance(fact("two"), after=1))
    claim = looked_at(store, form=FORMAT)
    assert (claim.snapshot, claim.facts) == (None, (fact("one"), fact("two")))


def test_a_snapshot_of_another_form_is_there_for_whoever_asks_for_it(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"new", form=OTHER_FORM))
    claim = looked_at(store, form=OTHER_FORM)
    assert (claim.snapshot, claim.facts) == (b"new", ())


def test_a_claim_that_leaves_a_snapshot_out_does_not_lose_it(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"new", form=OTHER_FORM))
    assert store.claim(BOB, now=LEASE_END, limit=1, form=FORMAT)[0].snapshot is None
    assert looked_at(store, form=OTHER_FORM).snapshot == b"new"


def test_a_snapshot_in_the_old_form_may_follow_one_in_the_new(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"new", form=OTHER_FORM))
    one(store, advance(fact("two"), after=1, snapshot=b"old", form=FORMAT))
    claim = looked_at(store, form=FORMAT)
    assert (claim.snapshot, claim.facts) == (b"old", ())


def test_a_snapshot_is_any_bytes(store: Kept) -> None:
    held(store)
    data = bytes(range(256)) * 1_000
    one(store, advance(fact(), snapshot=data))
    assert looked_at(store).snapshot == data


def test_an_empty_snapshot_is_a_snapshot(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), snapshot=b""))
    claim = looked_at(store)
    assert (claim.snapshot, claim.facts) == (b"", ())


def test_a_snapshot_without_new_facts_holds_those_there_are(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one")))
    one(store, advance(after=1, snapshot=b"after one"))
    claim = looked_at(store)
    assert (claim.snapshot, claim.facts) == (b"after one", ())


def test_facts_under_a_snapshot_can_still_be_asked_for(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"after one"))
    assert store.values("e1", [1]) == {1: fact("one")}


def test_the_snapshot_of_one_execution_is_not_that_of_another(store: Kept) -> None:
    held(store, "e1")
    held(store, "e2")
    store.commit([advance(fact(), snapshot=b"mine"), advance(fact(), execution="e2")])
    assert looked_at(store, "e2").snapshot is None


def test_a_fenced_commit_leaves_the_snapshot_as_it_was(store: Kept) -> None:
    held(store)
    one(store, advance(fact("one"), snapshot=b"after one"))
    assert one(store, advance(fact(), after=5, snapshot=b"gap")) == p.Fenced()
    assert looked_at(store).snapshot == b"after one"
