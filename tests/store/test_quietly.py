"""Advance.quiet: nothing of the record has changed but the number of facts. All else is as with any other commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    HEIR,
    LEASE_END,
    RELEASED,
    T0,
    advance,
    deliver,
    fact,
    inbox,
    looked_at,
    one,
    pending,
    running,
)

Commit = Callable[[Kept, p.Item], p.Outcome]


def alone(store: Kept, item: p.Item) -> p.Outcome:
    return one(store, item)


def among_others(store: Kept, item: p.Item) -> p.Outcome:
    """Two others advance in the same commit."""
    seqs = [getattr(store.record(name), "seq", 0) for name in ("e8", "e9")]
    others = [quietly(execution=name, after=seq) for name, seq in zip(("e8", "e9"), seqs, strict=True)]
    first, outcome, last = store.commit([others[0], item, others[1]])
    assert first == last == COMMITTED
    return outcome


@pytest.fixture(params=[alone, among_others])
def commit(request: pytest.FixtureRequest) -> Commit:
    way: Commit = request.param
    return way


@pytest.fixture
def begun(store: Kept) -> Kept:
    """Executions that are Ann's, and have begun."""
    names = ("e1", "e8", "e9")
    store.commit([*(p.Create(pending(name), ANN) for name in names), p.Beat(ANN, LEASE_END)])
    outcomes = store.commit([advance(fact("begun"), execution=name) for name in names])
    assert outcomes == [COMMITTED] * 3
    return store


def quietly(*facts: Any, execution: str = "e1", after: int = 1, **more: Any) -> p.Advance:
    return advance(*(facts or (fact(),)), execution=execution, after=after, quiet=True, **more)


def test_the_facts_are_there_and_the_record_knows_their_number(begun: Kept, commit: Commit) -> None:
    assert commit(begun, quietly(fact("second"), fact("third"))) == COMMITTED
    assert begun.record("e1") == running("e1", 3)
    assert looked_at(begun).facts == (fact("begun"), fact("second"), fact("third"))


def test_one_quiet_commit_after_the_other(begun: Kept, commit: Commit) -> None:
    for after in range(1, 10):
        assert commit(begun, quietly(after=after)) == COMMITTED
    assert commit(begun, advance(fact(), after=10, record=running("e1", 11, output="said"))) == COMMITTED
    assert begun.record("e1") == running("e1", 11, output="said")


def test_somebody_else_is_fenced(begun: Kept, commit: Commit) -> None:
    assert commit(begun, quietly(owner=BOB)) == FENCED
    assert commit(begun, quietly(epoch=2)) == FENCED
    assert commit(begun, quietly(after=5)) == FENCED
    assert looked_at(begun).facts == (fact("begun"),)


def test_sent_again_it_is_committed_once(begun: Kept, commit: Commit) -> None:
    item = quietly(fact("second"))
    assert commit(begun, item) == COMMITTED
    assert commit(begun, item) == COMMITTED
    assert looked_at(begun).facts == (fact("begun"), fact("second"))


def test_it_can_let_go(begun: Kept, commit: Commit) -> None:
    assert commit(begun, quietly(release=True)) == RELEASED
    assert begun.claim(HEIR, now=T0, limit=10) == []


def test_it_does_not_let_go_of_mail_that_it_has_not_seen(begun: Kept, commit: Commit) -> None:
    one(begun, deliver("hello"))
    assert commit(begun, quietly(release=True)) == COMMITTED
    assert len(inbox(begun)) == 1


def test_it_deals_with_mail(begun: Kept, commit: Commit) -> None:
    one(begun, deliver("hello"))
    (mail,) = begun.mail(ANN, "e1")
    assert commit(begun, quietly(changes=p.Changes(seen=(mail.pos,)), release=True)) == RELEASED
    assert inbox(begun) == []


def test_a_snapshot_goes_with_it(begun: Kept, commit: Commit) -> None:
    assert commit(begun, quietly(snapshot=b"{}", form=1)) == COMMITTED
    found = looked_at(begun, form=1)
    assert (found.snapshot, found.facts) == (b"{}", ())


def test_what_waits_for_its_time_still_does(begun: Kept, commit: Commit) -> None:
    record = running("e1", 2, wake_at=FAR)
    assert commit(begun, advance(fact(), after=1, record=record)) == COMMITTED
    assert commit(begun, quietly(after=2, record=replace(record, seq=3))) == COMMITTED
    assert begun.record("e1") == replace(record, seq=3)
