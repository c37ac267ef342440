"""Create: an execution exists once, by its id and by the key that its organization gave it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from perdure.core.advance import Start
from perdure.model.records import ExecutionRecord
from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.store import port as p
from perdure.store.postgres.store import PostgresStore
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    FAR,
    FENCED,
    HEIR,
    LEASE_END,
    T0,
    advance,
    claimed,
    fact,
    held,
    looked_at,
    one,
    pending,
)

FIRST = Workflow("orders", (Step("a", Task("t")),), (Entry("a"),))
SECOND = Workflow("orders", (Step("b", Task("t")),), (Entry("b"),))


def test_a_new_execution_is_committed(store: Kept) -> None:
    assert one(store, p.Create(pending())) == COMMITTED


def test_nothing_is_let_go_of_by_creating(store: Kept) -> None:
    assert one(store, p.Create(pending(), ANN)) == p.Committed(released=False)


def test_an_id_that_exists_is_a_duplicate(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert one(store, p.Create(pending(input="another"))) == p.Duplicate("e1")
    assert one(store, p.Create(pending(correlation_id="another"))) == p.Duplicate("e1")
    assert one(store, p.Create(pending(), ANN)) == p.Duplicate("e1")


@pytest.mark.parametrize("key", [None, "order-7"])
def test_a_creation_for_nobody_sent_again_is_answered_as_the_first_time(store: Kept, key: str | None) -> None:
    create = p.Create(pending(input={"b": [1.0, None], "a": "\0🦆"}), key=key)
    assert store.commit([create, create, create]) == [COMMITTED] * 3
    assert claimed(store, ANN) == ["e1"]
    assert one(store, create) == COMMITTED, "somebody has claimed it"
    done = replace(create.pending.record, status="completed", live=False, seq=1, output=7, ended_at=T0)
    assert one(store, advance(fact(), record=done, release=True)) == p.Committed(released=True)
    assert one(store, create) == COMMITTED, "it has ended"
    assert store.record("e1") == done
    assert claimed(store, now=FAR) == []


def test_a_creation_for_nobody_under_another_key_is_not_the_same_one(store: Kept) -> None:
    store.commit([p.Create(pending("e1"), key="order-7"), p.Create(pending("e2"))])
    assert one(store, p.Create(pending("e1"))) == p.Duplicate("e1")
    assert one(store, p.Create(pending("e1"), key="order-8")) == p.Duplicate("e1")
    assert one(store, p.Create(pending("e2"), key="order-9")) == p.Duplicate("e2")


def test_a_duplicate_id_leaves_the_first_execution_as_it_was(store: Kept) -> None:
    one(store, p.Create(pending(input="first")))
    one(store, p.Create(pending(input="second")))
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert claim.start == pending(input="first").start


def test_an_id_is_taken_across_organizations(store: Kept) -> None:
    one(store, p.Create(pending("e1", "acme")))
    assert one(store, p.Create(pending("e1", "umbrella"))) == p.Duplicate("e1")


def test_a_key_used_before_names_the_execution_it_was_used_for(store: Kept) -> None:
    one(store, p.Create(pending("e1"), key="order-7"))
    assert one(store, p.Create(pending("e2"), key="order-7")) == p.Duplicate("e1")


def test_a_duplicate_key_creates_nothing(store: Kept) -> None:
    one(store, p.Create(pending("e1"), key="order-7"))
    one(store, p.Create(pending("e2"), key="order-7"))
    assert claimed(store) == ["e1"]


def test_a_key_counts_before_the_id(store: Kept) -> None:
    one(store, p.Create(pending("e1"), key="order-7"))
    one(store, p.Create(pending("e2")))
    assert one(store, p.Create(pending("e2"), key="order-7")) == p.Duplicate("e1")


def test_the_same_key_of_another_organization_is_another_key(store: Kept) -> None:
    one(store, p.Create(pending("e1", "acme"), key="order-7"))
    assert one(store, p.Create(pending("e2", "umbrella"), key="order-7")) == COMMITTED


def test_another_key_of_the_same_organization_is_another_execution(store: Kept) -> None:
    one(store, p.Create(pending("e1"), key="order-7"))
    assert one(store, p.Create(pending("e2"), key="order-8")) == COMMITTED


def test_the_empty_key_is_a_key(store: Kept) -> None:
    one(store, p.Create(pending("e1"), key=""))
    assert one(store, p.Create(pending("e2"), key="")) == p.Duplicate("e1")


def test_executions_without_a_key_do_not_collide(store: Kept) -> None:
    assert store.commit([p.Create(pending("e1")), p.Create(pending("e2"))]) == [COMMITTED, COMMITTED]


def test_a_key_offered_with_an_id_that_exists_is_not_used_up(store: Kept) -> None:
    one(store, p.Create(pending("e1")))
    assert one(store, p.Create(pending("e1"), key="order-7")) == p.Duplicate("e1")
    assert one(store, p.Create(pending("e2"), key="order-7")) == COMMITTED


def test_a_key_stays_used_after_the_execution_has_ended(store: Kept) -> None:
    one(store, p.Create(pending("e1"), ANN, key="order-7"))
    record = replace(pending().record, status="completed", live=False, seq=1)
    assert one(store, advance(fact(), record=record, release=True)) == p.Committed(released=True)
    assert one(store, p.Create(pending("e2"), key="order-7")) == p.Duplicate("e1")


def test_two_items_of_one_batch_with_one_key_create_one_execution(store: Kept) -> None:
    outcomes = store.commit([p.Create(pending("e1"), key="k"), p.Create(pending("e2"), key="k")])
    assert outcomes == [COMMITTED, p.Duplicate("e1")]
    assert claimed(store) == ["e1"]


def test_whoever_creates_it_for_itself_holds_it_in_epoch_1(store: Kept) -> None:
    held(store)
    assert one(store, advance(fact(), epoch=1)) == COMMITTED


def test_whoever_creates_it_for_itself_has_nothing_to_claim(store: Kept) -> None:
    held(store)
    assert claimed(store, ANN) == []
    assert claimed(store, BOB) == []


def test_a_creation_sent_again_by_its_owner_is_answered_as_if_it_had_just_been_committed(store: Kept) -> None:
    keyed, plain = p.Create(pending("e1"), ANN, key="order-7"), p.Create(pending("e2"), ANN)
    assert store.commit([keyed, plain]) == [COMMITTED, COMMITTED]
    assert store.commit([keyed, plain]) == [COMMITTED, COMMITTED]
    store.commit([p.Beat(ANN, LEASE_END)])
    assert claimed(store) == []
    assert sorted(claimed(store, now=FAR)) == ["e1", "e2"]


def test_a_creation_sent_again_after_something_has_come_of_it_is_a_duplicate(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    assert one(store, p.Create(pending(), ANN)) == p.Duplicate("e1")


def test_a_creation_sent_again_after_another_has_claimed_it_is_a_duplicate(store: Kept) -> None:
    held(store)
    assert claimed(store, BOB, now=LEASE_END) == ["e1"]
    assert one(store, p.Create(pending(), ANN)) == p.Duplicate("e1")
    assert one(store, p.Create(pending(), BOB)) == p.Duplicate("e1")


def test_a_creation_by_another_or_under_another_key_is_not_the_same_one(store: Kept) -> None:
    one(store, p.Create(pending(), ANN, key="order-7"))
    for owner, key in ((BOB, "order-7"), (BOB, None), (None, None)):
        assert one(store, p.Create(pending(), owner, key)) == p.Duplicate("e1")
    one(store, p.Create(pending("e2"), ANN))
    assert one(store, p.Create(pending("e2"), ANN, "order-7")) == p.Duplicate("e1")


def test_an_execution_created_for_a_worker_that_dies_goes_to_another(store: Kept) -> None:
    held(store)
    (claim,) = store.claim(BOB, now=LEASE_END, limit=10)
    assert (claim.record.id, claim.epoch, claim.start) == ("e1", 2, pending().start)


def test_an_execution_without_an_owner_can_be_advanced_by_nobody(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert one(store, advance(fact(), epoch=0)) == FENCED
    assert one(store, advance(fact(), epoch=1)) == FENCED


def test_what_an_execution_is_to_begin_with_comes_back_whole(store: Kept) -> None:
    start = Start(
        at=T0,
        execution="e1",
        input={"b": [1, 2.5, None, True], "a": {}},
        organization="acme",
        version="3",
        trigger="event",
        trigger_data={"id": "ev1"},
        event_id="ev1",
        correlation_id="c-1",
        parent="e0",
        depth=2,
        deadline_ms=60_000,
        retries_max=4,
    )
    record = ExecutionRecord("e1", "orders", "digest-1", T0, "acme", trigger="event", correlation_id="c-1")
    record = replace(record, parent="e0", parent_op=12, depth=2)
    one(store, p.Create(p.Pending(record, start)))
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert (claim.record, claim.start) == (record, start)


def test_an_execution_that_has_not_begun_has_no_facts_no_snapshot_and_no_mail(store: Kept) -> None:
    one(store, p.Create(pending()))
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert (claim.facts, claim.snapshot, claim.mail, claim.epoch) == ((), None, (), 1)


def test_an_execution_begins_once(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    assert looked_at(store).start is None


STRANGE = "naïve '; DROP TABLE executions; -- 🦆"


def keeps_nul(store: Kept) -> bool:
    """A text of Postgres cannot hold one. Whatever brings one, in a name, is refused there; in a value it is written otherwise."""
    return not isinstance(store, PostgresStore)


@pytest.mark.parametrize("strange", [STRANGE, f"{STRANGE}\0"])
def test_names_may_hold_any_text(store: Kept, strange: str) -> None:
    if "\0" in strange and not keeps_nul(store):
        with pytest.raises(ValueError, match="NUL"):
            store.commit([p.Create(pending(strange))])
        assert one(store, p.Create(pending())) == COMMITTED, "it goes on"
        return
    record = replace(pending(strange, strange).record, workflow=strange, correlation_id=strange, trigger=strange)
    one(store, p.Create(p.Pending(record, Start(T0, strange, organization=strange)), key=strange))
    assert one(store, p.Create(pending("e2", strange), key=strange)) == p.Duplicate(strange)
    (claim,) = store.claim(HEIR, now=FAR, limit=10)
    assert claim.record == record


def test_ids_are_told_apart_by_what_follows_a_nul(store: Kept) -> None:
    if not keeps_nul(store):
        return
    assert store.commit([p.Create(pending("e\0a")), p.Create(pending("e\0b"))]) == [COMMITTED, COMMITTED]


def test_ids_are_told_apart_by_case(store: Kept) -> None:
    assert store.commit([p.Create(pending("abc")), p.Create(pending("ABC"))]) == [COMMITTED, COMMITTED]


def of_version(execution: str, digest: str) -> p.Pending:
    made = pending(execution)
    return p.Pending(replace(made.record, digest=digest), made.start)


def test_an_execution_of_the_active_version_is_created(store: Kept) -> None:
    digest = store.save(FIRST)
    assert one(store, p.Create(of_version("e1", digest), ANN, active=True)) == COMMITTED


def test_an_execution_of_a_version_that_is_no_longer_active_is_not_created(store: Kept) -> None:
    digest = store.save(FIRST)
    store.save(SECOND)
    assert one(store, p.Create(of_version("e1", digest), ANN, key="k", active=True)) == p.GuardFailed(p.OUTDATED)
    assert store.record("e1") is None
    assert one(store, p.Create(of_version("e2", digest), key="k")) == COMMITTED, "its key was not used up"


def test_an_execution_of_what_nobody_has_saved_is_not_of_the_active_version(store: Kept) -> None:
    assert one(store, p.Create(pending(), active=True)) == p.GuardFailed(p.OUTDATED)


def test_a_version_is_active_in_its_own_organization(store: Kept) -> None:
    digest = store.save(FIRST, "acme")
    assert one(store, p.Create(of_version("e1", digest), active=True)) == p.GuardFailed(p.OUTDATED)


def test_who_does_not_ask_for_the_active_version_may_have_any(store: Kept) -> None:
    digest = store.save(FIRST)
    store.save(SECOND)
    assert one(store, p.Create(of_version("e1", digest), ANN)) == COMMITTED


def test_a_key_used_before_counts_before_the_version(store: Kept) -> None:
    digest = store.save(FIRST)
    one(store, p.Create(of_version("e1", digest), key="k", active=True))
    store.save(SECOND)
    assert one(store, p.Create(of_version("e2", digest), key="k", active=True)) == p.Duplicate("e1")


def test_an_id_that_exists_counts_before_the_version(store: Kept) -> None:
    digest = store.save(FIRST)
    one(store, p.Create(of_version("e1", digest), ANN, active=True))
    store.save(SECOND)
    assert one(store, p.Create(of_version("e1", digest), BOB, active=True)) == p.Duplicate("e1")


def test_sent_again_for_nobody_it_is_committed_also_if_another_version_is_active_by_now(store: Kept) -> None:
    create = p.Create(of_version("e1", store.save(FIRST)), active=True)
    one(store, create)
    store.save(SECOND)
    assert one(store, create) == COMMITTED


def test_of_many_executions_only_those_of_the_active_versions_are_created(store: Kept) -> None:
    old, new = store.save(FIRST), store.save(SECOND)
    items = [p.Create(of_version(f"e{n}", old if n % 3 else new), ANN, active=True) for n in range(6)]
    outdated = p.GuardFailed(p.OUTDATED)
    assert store.commit(items) == [COMMITTED, outdated, outdated, COMMITTED, outdated, outdated]
    assert [n for n in range(6) if store.record(f"e{n}") is not None] == [0, 3]


@pytest.mark.parametrize("key", [None, "k"])
def test_sent_again_by_whoever_holds_it_it_is_committed(store: Kept, key: str | None) -> None:
    digest = store.save(FIRST)
    create = p.Create(of_version("e1", digest), ANN, key, active=True)
    assert one(store, create) == COMMITTED
    store.save(SECOND)
    assert one(store, create) == COMMITTED, "also if another version is active by now"
    assert one(store, advance(fact())) == COMMITTED


def test_sent_again_with_others_it_is_committed_with_them(store: Kept) -> None:
    first = p.Create(pending("e1"), ANN)
    one(store, first)
    assert store.commit([first, p.Create(pending("e2"), ANN), p.Create(pending("e3"), ANN)]) == [COMMITTED] * 3


def test_sent_again_by_somebody_else_it_is_a_duplicate(store: Kept) -> None:
    one(store, p.Create(pending("e1"), ANN))
    assert one(store, p.Create(pending("e1"), BOB)) == p.Duplicate("e1")


def test_sent_again_after_it_has_begun_it_is_a_duplicate(store: Kept) -> None:
    held(store)
    one(store, advance(fact()))
    assert one(store, p.Create(pending("e1"), ANN)) == p.Duplicate("e1")
