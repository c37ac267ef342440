"""Claims: an execution that has something to do and no owner that lives becomes the worker's, once."""

from __future__ import annotations

import pytest

from perdure.store import port as p
from perdure.store.memory import MemoryStore
from perdure.testing.inspected import Inspected
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
    claimed,
    deliver,
    events_of,
    fact,
    held,
    looked_at,
    note,
    one,
    pending,
    places,
    released,
    running,
)


def test_an_empty_store_has_nothing_to_claim(store: Kept) -> None:
    assert store.claim(HEIR, now=FAR, limit=10) == []


def test_what_has_not_begun_is_claimed(store: Kept) -> None:
    one(store, p.Create(pending()))
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert (claim.record, claim.epoch, claim.start) == (pending().record, 1, pending().start)


def test_what_has_not_begun_is_claimed_in_the_order_in_which_it_came(store: Kept) -> None:
    for execution in ("z", "a", "m"):
        one(store, p.Create(pending(execution)))
    assert claimed(store) == ["z", "a", "m"]


def test_what_was_claimed_is_not_claimed_again_while_its_owner_lives(store: Kept) -> None:
    store.commit([p.Create(pending()), p.Beat(BOB, LEASE_END)])
    assert [claimed(store, BOB), claimed(store, ANN), claimed(store, BOB)] == [["e1"], [], []]


def test_what_waits_for_nothing_is_not_claimed(store: Kept) -> None:
    released(store)
    assert claimed(store, now=FAR) == []


def test_what_is_due_is_claimed(store: Kept) -> None:
    released(store, record=running(seq=1, wake_at=T0 + 50))
    assert claimed(store, now=T0 + 51) == ["e1"]


def test_what_is_due_this_very_moment_is_claimed(store: Kept) -> None:
    released(store, record=running(seq=1, wake_at=T0 + 50))
    assert claimed(store, now=T0 + 50) == ["e1"]


def test_what_is_due_later_is_not_claimed(store: Kept) -> None:
    released(store, record=running(seq=1, wake_at=T0 + 50))
    assert claimed(store, now=T0 + 49) == []


def test_of_what_nothing_is_open_is_not_due(store: Kept) -> None:
    released(store, record=running(seq=1, status="completed", live=False, wake_at=T0))
    assert claimed(store, now=FAR) == []


def test_an_ended_execution_of_which_work_is_open_is_due(store: Kept) -> None:
    released(store, record=running(seq=1, status="failed", live=True, wake_at=T0))
    assert claimed(store) == ["e1"]


def test_what_has_mail_is_claimed_with_it(store: Kept) -> None:
    released(store)
    one(store, deliver())
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert events_of(claim.mail) == [note("hello")]


def test_what_has_mail_and_is_due_is_claimed_once(store: Kept) -> None:
    released(store, record=running(seq=1, wake_at=T0))
    one(store, deliver())
    assert claimed(store) == ["e1"]


def test_an_owner_that_lives_keeps_what_is_due(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), record=running(seq=1, wake_at=T0)))
    assert claimed(store, BOB) == []


def test_an_owner_that_lives_keeps_what_has_mail(store: Kept) -> None:
    held(store)
    store.commit([advance(fact()), deliver()])
    assert claimed(store, BOB) == []


def test_a_lease_is_over_at_its_end(store: Kept) -> None:
    held(store)
    assert claimed(store, BOB, LEASE_END - 1) == []
    assert claimed(store, BOB, LEASE_END) == ["e1"]


def test_a_worker_that_has_never_said_so_does_not_live(store: Kept) -> None:
    one(store, p.Create(pending(), "stranger"))
    assert claimed(store, BOB) == ["e1"]


def test_a_worker_that_says_so_again_keeps_what_it_owns(store: Kept) -> None:
    held(store)
    one(store, p.Beat(ANN, FAR + 1))
    assert claimed(store, BOB, FAR) == []


def test_what_a_dead_worker_owned_is_claimed_whatever_it_waits_for(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), record=running(seq=1, wake_at=FAR * 2)))
    assert claimed(store, BOB, LEASE_END) == ["e1"]


def test_what_a_dead_worker_had_ended_and_not_let_go_of_is_claimed(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), record=running(seq=1, status="completed", live=False)))
    (claim,) = store.claim(BOB, now=LEASE_END, limit=10)
    assert one(store, advance(after=1, owner=BOB, epoch=2, record=claim.record, release=True)) == RELEASED
    assert claimed(store, BOB, FAR) == []


def test_a_worker_whose_own_lease_is_over_claims_anew_what_it_owned(store: Kept) -> None:
    held(store)
    (claim,) = store.claim(ANN, now=LEASE_END, limit=10)
    assert claim.epoch == 2


def test_the_executions_of_several_dead_workers_are_claimed(store: Kept) -> None:
    held(store, "e1", ANN)
    held(store, "e2", BOB)
    assert sorted(claimed(store, now=LEASE_END)) == ["e1", "e2"]


def test_the_executions_of_one_dead_worker_are_claimed_and_those_of_a_living_one_are_not(store: Kept) -> None:
    held(store, "e1", ANN)
    held(store, "e2", BOB)
    one(store, p.Beat(BOB, FAR))
    assert claimed(store, now=LEASE_END) == ["e1"]


def test_no_more_is_claimed_than_asked_for(store: Kept) -> None:
    for number in range(5):
        one(store, p.Create(pending(f"e{number}")))
    one(store, p.Beat(HEIR, FAR))
    assert [len(claimed(store, limit=2)) for _ in range(4)] == [2, 2, 1, 0]


def test_the_limit_holds_over_all_reasons_to_claim(store: Kept) -> None:
    released(store, "due", record=running("due", 1, wake_at=T0))
    released(store, "mailed")
    held(store, "abandoned", BOB)
    store.commit([deliver(execution="mailed"), p.Create(pending("new")), p.Beat(HEIR, FAR + 1)])
    found = [claimed(store, now=LEASE_END, limit=3), claimed(store, now=LEASE_END, limit=3)]
    assert [len(names) for names in found] == [3, 1]
    assert sorted(found[0] + found[1]) == ["abandoned", "due", "mailed", "new"]


def test_a_limit_of_none_claims_nothing_and_changes_nothing(store: Kept) -> None:
    held(store)
    assert [claimed(store, now=FAR, limit=0) for _ in range(5)] == [[]] * 5
    assert claimed(store, now=FAR, limit=1) == ["e1"]


def test_every_claim_is_a_new_epoch(store: Kept) -> None:
    one(store, p.Create(pending()))
    epochs = []
    for number in range(1, 4):
        (claim,) = store.claim(HEIR, now=T0, limit=1)
        epochs.append(claim.epoch)
        sent = advance(
            fact(), after=number - 1, owner=HEIR, epoch=claim.epoch, record=running(wake_at=T0), release=True
        )
        assert one(store, sent) == RELEASED
    assert epochs == [1, 2, 3]


def test_letting_go_does_not_give_the_epoch_back(store: Kept) -> None:
    released(store, record=running(seq=1, wake_at=T0))
    (claim,) = store.claim(ANN, now=T0, limit=1)
    assert claim.epoch == 2
    assert one(store, advance(fact(), after=1, epoch=1)) == FENCED


def test_who_has_claimed_may_advance(store: Kept) -> None:
    one(store, p.Create(pending()))
    claimed(store, BOB)
    assert one(store, advance(fact(), owner=BOB, epoch=1)) == COMMITTED


def test_a_claim_brings_the_record_and_all_facts(store: Kept) -> None:
    record = running(seq=2, output={"a": 1}, wake_at=T0)
    released(store, "e1", fact("one"), fact("two"), record=record)
    (claim,) = store.claim(BOB, now=T0, limit=1)
    assert claim == p.Claim(record, 2, None, None, (fact("one"), fact("two")))


def test_a_claim_given_back_for_nothing_leaves_the_execution_as_it_was(store: Kept) -> None:
    record = running(seq=1, wake_at=T0)
    released(store, record=record)
    (claim,) = store.claim(BOB, now=T0, limit=1)
    given_back = advance(after=1, owner=BOB, epoch=claim.epoch, record=claim.record, release=True, progress=False)
    assert one(store, given_back) == RELEASED
    (again,) = store.claim(BOB, now=T0, limit=1)
    assert (again.record, again.facts) == (record, (fact(),))


def test_what_has_not_begun_and_is_given_back_has_begun(store: Kept) -> None:
    """Whoever gives it back has dealt with its start: it is in the facts, or it never will be."""
    one(store, p.Create(pending()))
    claimed(store, BOB)
    one(store, advance(fact(), owner=BOB, release=True))
    assert claimed(store, now=FAR) == []


def _dies(store: Kept, now: int = FAR, limit: int = 10) -> list[str]:
    """Somebody claims, and is never heard of again."""
    return claimed(store, "short-lived", now, limit)


def test_an_execution_is_parked_that_has_killed_three_owners(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(5)] == [["e1"], ["e1"], ["e1"], [], []]


def test_suspects_have_a_worker_one_at_a_time(store: Kept) -> None:
    """Deaths of workers that held several executions isolate them; only deaths alone after that park one."""
    store.commit([p.Create(pending("killer")), p.Create(pending("innocent"))])
    assert [sorted(_dies(store)) for _ in range(2)] == [["innocent", "killer"]] * 2
    one(store, p.Beat(BOB, FAR + 1))
    first = claimed(store, BOB, FAR)
    assert claimed(store, BOB, FAR) == [], "it holds one already"
    one(store, p.Beat(BOB, p.GONE))
    lives = [first, *(_dies(store) for _ in range(5))]
    assert [len(life) for life in lives] == [1] * 6
    assert [life for life in lives if life == ["killer"]] == [["killer"]] * 3, "they are tried in turn"
    assert _dies(store) == []


def test_of_five_executions_none_is_parked_by_twelve_deaths(store: Kept) -> None:
    for number in range(5):
        one(store, p.Create(pending(f"e{number}")))
    for _ in range(12):
        assert _dies(store)
    one(store, p.Beat(BOB, FAR + 1))
    claimed(store, BOB, FAR)
    assert [_is_parked(store, f"e{number}") for number in range(5)] == [False] * 5


def _is_parked(store: Kept, execution: str) -> bool:
    record = store.record(execution)
    assert record is not None
    return record.waiting is not None and record.waiting.kind == "operator"


@pytest.mark.parametrize("claims_before", range(9))
def test_deaths_of_workers_that_hold_others_park_an_execution_only_in_the_end(store: Kept, claims_before: int) -> None:
    """The limit counts deaths, however often the execution was claimed before."""
    one(store, p.Create(pending("innocent")))
    for number in range(claims_before):
        (claim,) = store.claim(BOB, now=FAR, limit=1)
        record = running("innocent", number + 1, wake_at=T0)
        changes = advance(
            fact(), execution="innocent", after=number, owner=BOB, epoch=claim.epoch, record=record, release=True
        )
        assert one(store, changes) == RELEASED
    most = p.deaths_max(p.CRASHES_MAX)
    assert most > 12
    lives = []
    for number in range(most + 1):
        one(store, p.Create(pending(f"other{number}")))
        lives.append(_dies(store, limit=100))
        assert f"other{number}" in lives[-1]
    assert ["innocent" in life for life in lives] == [True] * most + [False]
    parked = store.record("innocent")
    assert parked is not None
    assert parked.waiting is not None
    assert parked.waiting.on is not None
    assert f"its last {most} workers died" in parked.waiting.on


def test_the_last_of_many_to_be_taken_over_was_not_alone(store: Kept) -> None:
    """A worker takes over a few at a time of what a dead one held."""
    names = [f"e{number}" for number in range(3)]
    store.commit([p.Create(pending(name)) for name in names])
    assert sorted(claimed(store, "dead", FAR, 3)) == names
    one(store, p.Beat(BOB, FAR + 1))
    assert sorted(name for _ in names for name in claimed(store, BOB, FAR, 1)) == names
    if isinstance(store, MemoryStore):
        deaths = [(store.rows[name].deaths, store.rows[name].deaths_alone) for name in names]
    else:
        assert isinstance(store, Inspected)
        deaths = [tuple(row) for row in store.ask("SELECT deaths, deaths_alone FROM executions")]
    assert deaths == [(1, 0)] * 3


def test_a_suspect_whose_workers_die_holding_nothing_else_is_parked(store: Kept) -> None:
    """Its neighbours go on as soon as it does not share a worker with them."""
    store.commit([p.Create(pending("killer")), p.Create(pending("other"))])
    for _ in range(2):
        assert sorted(_dies(store)) == ["killer", "other"]
    one(store, p.Beat(BOB, FAR + 1))
    first = claimed(store, BOB, FAR)
    if first == ["killer"]:
        one(store, p.Beat(BOB, p.GONE))
        one(store, p.Beat(ANN, FAR + 1))
        assert claimed(store, ANN, FAR) == ["other"]
    lives = [_dies(store) for _ in range(4)]
    assert lives.count(["killer"]) == (p.CRASHES_MAX - 1 if first == ["killer"] else p.CRASHES_MAX)
    assert _is_parked(store, "killer")
    assert not _is_parked(store, "other")


def _hold(store: Kept, worker: str, after_ms: int) -> None:
    """The worker takes it over, still lives after so long, claims once more, and dies."""
    one(store, p.Beat(worker, FAR * 2))
    assert claimed(store, worker, FAR) == ["e1"]
    if isinstance(store, MemoryStore):
        store.claim(worker, now=FAR + after_ms, limit=1)
    else:
        assert isinstance(store, Inspected)
        seconds = store._claiming._seconds
        store._claiming._seconds = lambda: seconds() + after_ms / 1_000
        store.claim(worker, now=FAR, limit=1)
        store._claiming._seconds = seconds
    one(store, p.Beat(worker, p.GONE))


def test_what_a_worker_has_held_for_a_minute_each_time_is_never_parked(store: Kept) -> None:
    """A long step alone in its worker, and a person or a deployment that kills the worker again and again."""
    one(store, p.Create(pending()))
    for number in range(12):
        _hold(store, f"worker{number}", p.HELD_MS)
    assert _dies(store) == ["e1"]


def test_what_a_worker_has_held_for_less_than_a_minute_each_time_is_parked(store: Kept) -> None:
    one(store, p.Create(pending()))
    for number in range(p.CRASHES_MAX):
        _hold(store, f"worker{number}", p.HELD_MS - 5_000)
    assert _dies(store) == []
    assert _is_parked(store, "e1")


def test_a_suspect_held_for_a_minute_lets_the_next_one_in(store: Kept) -> None:
    store.commit([p.Create(pending("one")), p.Create(pending("two"))])
    for _ in range(2):
        assert sorted(_dies(store)) == ["one", "two"]
    one(store, p.Beat(BOB, FAR * 2))
    (first,) = claimed(store, BOB, FAR)
    assert claimed(store, BOB, FAR) == []
    if isinstance(store, MemoryStore):
        assert store.stirs(BOB, now=FAR + p.HELD_MS)
        second = claimed(store, BOB, FAR + p.HELD_MS)
    else:
        assert isinstance(store, Inspected)
        seconds = store._claiming._seconds
        store._claiming._seconds = lambda: seconds() + p.HELD_MS / 1_000
        assert p.ToDo.CLAIM in store.stirs(BOB, now=FAR)
        second = claimed(store, BOB, FAR)
    assert sorted([first, *second]) == ["one", "two"]


def test_a_parked_execution_says_so_and_what_to_do(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(4)][-1] == []
    record = store.record("e1")
    assert record is not None
    assert record.waiting is not None
    assert (record.status, record.waiting.kind, record.waiting.since) == ("waiting", "operator", FAR)
    assert record.waiting.on is not None
    assert "its last 3 workers died" in record.waiting.on


def test_a_parked_execution_that_has_ended_keeps_its_status(store: Kept) -> None:
    ended = running(seq=1, status="cancelled", ended_at=T0, wake_at=T0)
    released(store, record=ended)
    assert [_dies(store) for _ in range(4)][-1] == []
    record = store.record("e1")
    assert record is not None
    assert record.waiting is not None
    assert (record.status, record.waiting.kind) == ("cancelled", "operator")


def test_a_parked_execution_that_is_due_stays_parked(store: Kept) -> None:
    released(store, record=running(seq=1, wake_at=T0))
    assert [_dies(store) for _ in range(5)] == [["e1"], ["e1"], ["e1"], [], []]


def test_an_execution_that_is_claimed_and_let_go_of_is_not_parked(store: Kept) -> None:
    record = running(wake_at=T0)
    released(store, record=record)
    for number in range(10):
        (claim,) = store.claim(BOB, now=T0, limit=1)
        sent = advance(fact(), after=1 + number, owner=BOB, epoch=claim.epoch, record=record, release=True)
        assert one(store, sent) == RELEASED


def test_progress_makes_the_dead_owners_forgotten(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(3)] == [["e1"]] * 3
    assert one(store, advance(fact(), owner="short-lived", epoch=3, progress=True)) == COMMITTED
    assert [_dies(store) for _ in range(4)] == [["e1"], ["e1"], [], []]


def test_the_loss_of_attempts_is_no_progress(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(3)] == [["e1"]] * 3
    assert one(store, advance(fact(), owner="short-lived", epoch=3, progress=False)) == COMMITTED
    assert _dies(store) == []


def test_mail_wakes_a_parked_execution(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(4)][-1] == []
    one(store, deliver("try again"))
    (claim,) = store.claim(BOB, now=FAR, limit=1)
    assert (claim.epoch, events_of(claim.mail)) == (4, [note("try again")])


def test_mail_that_is_there_keeps_an_execution_from_being_parked(store: Kept) -> None:
    store.commit([p.Create(pending()), deliver()])
    assert [_dies(store) for _ in range(6)] == [["e1"]] * 6


def test_a_woken_execution_that_makes_no_progress_is_parked_again(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(4)][-1] == []
    one(store, deliver())
    (claim,) = store.claim(BOB, now=FAR, limit=1)
    changes = p.Changes(seen=(claim.mail[0].pos,))
    one(store, advance(owner=BOB, epoch=4, progress=False, changes=changes))
    assert _dies(store) == []


def test_a_woken_execution_that_makes_progress_is_parked_no_more(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(4)][-1] == []
    one(store, deliver())
    (claim,) = store.claim(BOB, now=FAR, limit=1)
    changes = p.Changes(seen=(claim.mail[0].pos,))
    one(store, advance(fact(), owner=BOB, epoch=4, changes=changes))
    assert [_dies(store) for _ in range(3)] == [["e1"], ["e1"], []]


def test_the_former_owner_of_a_parked_execution_is_fenced(store: Kept) -> None:
    one(store, p.Create(pending()))
    assert [_dies(store) for _ in range(4)][-1] == []
    assert one(store, advance(fact(), owner="short-lived", epoch=3)) == FENCED


def test_a_parked_execution_keeps_nobody_else_from_being_claimed(store: Kept) -> None:
    one(store, p.Create(pending("bad")))
    assert [_dies(store) for _ in range(4)][-1] == []
    one(store, p.Create(pending("good")))
    assert claimed(store, BOB, FAR, limit=1) == ["good"]


def test_the_dead_owners_of_one_execution_are_not_those_of_another(store: Kept) -> None:
    one(store, p.Create(pending("bad")))
    assert [_dies(store) for _ in range(4)][-1] == []
    one(store, p.Create(pending("good")))
    assert [_dies(store) for _ in range(4)] == [["good"], ["good"], ["good"], []]


def test_a_death_is_counted_once_however_often_somebody_claims(store: Kept) -> None:
    """Two dead owners; whoever claims one at a time takes five executions of the first before any of the second."""
    for number in range(5):
        held(store, f"e{number}", "a-dead")
    held(store, "last", "b-dead")
    one(store, p.Beat(HEIR, FAR + 1))
    found = [name for _ in range(6) for name in claimed(store, now=FAR, limit=1)]
    assert sorted(found) == ["e0", "e1", "e2", "e3", "e4", "last"]


def test_what_a_dead_worker_had_not_seen_is_there_for_the_next(store: Kept) -> None:
    held(store)
    store.commit([deliver("a"), deliver("b")])
    one(store, advance(fact(), changes=p.Changes(seen=places(store)[:1])))
    assert events_of(looked_at(store).mail) == [note("b")]


def test_a_host_that_is_always_there_is_no_evidence_of_the_time(store: Kept) -> None:
    held(store)
    before = store.last_lease_ms(T0)
    one(store, p.Beat("host", 1 << 62))
    after = store.last_lease_ms(T0)
    assert after is None or after < 1 << 62
    assert (after is None) == (before is None)
