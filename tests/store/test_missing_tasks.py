"""HandOver for want of a task: the store keeps the execution for a worker that has it, and no attempt is lost."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from perdure.store import port as p
from perdure.store.questions import Questions
from store.stores import Kept
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    FAR,
    HEIR,
    T0,
    advance,
    claimed,
    deliver,
    fact,
    held,
    one,
    released,
    running,
)

PAINT = ((2, "paint"),)
"""Operation 2 needs the task paint."""


def handed(store: Kept, uncalled: p.Uncalled = PAINT, *, execution: str = "e1", rests: bool = True) -> None:
    """Ann has begun with it, and does not have the task."""
    held(store, execution)
    one(store, advance(fact(), fact(), execution=execution))
    assert one(store, p.HandOver(execution, ANN, 1, uncalled=uncalled, rests=rests)) == COMMITTED


def has(store: Kept, worker: str, *tasks: str, until: int = FAR) -> None:
    assert one(store, p.Beat(worker, until, tasks)) == COMMITTED


def test_it_goes_to_a_worker_that_has_the_task_and_to_nobody_else(store: Kept) -> None:
    handed(store)
    has(store, ANN, "print")
    for worker in (ANN, HEIR):  # nobody knows what the heir has
        assert (claimed(store, worker), store.stirs(worker, now=T0)) == ([], p.ToDo.NOTHING)
    has(store, BOB, "print", "paint")
    assert store.stirs(BOB, now=T0)
    (claim,) = store.claim(BOB, now=T0, limit=10)
    assert (claim.record.id, claim.epoch, claim.uncalled) == ("e1", 2, PAINT)


def test_whoever_gets_the_task_later_is_offered_it_at_once(store: Kept) -> None:
    handed(store)
    has(store, ANN, "print")
    assert (store.stirs(ANN, now=T0), claimed(store, ANN)) == (p.ToDo.NOTHING, [])
    has(store, ANN, "print", "paint")
    assert (store.stirs(ANN, now=T0), claimed(store, ANN)) == (p.ToDo.CLAIM, ["e1"])


def test_however_many_wait_for_a_task_the_others_are_claimed_as_ever(store: Kept) -> None:
    for number in range(20):
        handed(store, execution=f"without-{number}")
    released(store, "due", record=running("due", 1, wake_at=T0))
    has(store, BOB, "print")
    assert claimed(store, BOB, limit=5) == ["due"]
    has(store, BOB, "paint")
    assert len(claimed(store, BOB, limit=5)) == 5
    assert len(claimed(store, BOB)) == 15


def test_one_of_several_tasks_is_enough_and_all_of_them_are_told(store: Kept) -> None:
    both = ((2, "paint"), (5, "carve"))
    handed(store, both)
    has(store, BOB, "carve", "print")
    (claim,) = store.claim(BOB, now=T0, limit=10)
    assert claim.uncalled == both


def test_what_was_claimed_may_have_been_called(store: Kept) -> None:
    handed(store)
    has(store, BOB, "paint")
    assert claimed(store, BOB) == ["e1"]
    one(store, p.HandOver("e1", BOB, 2))
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert claim.uncalled == ()


def test_mail_and_times_wake_it_for_anybody(store: Kept) -> None:
    has(store, HEIR, "print")
    handed(store)
    one(store, deliver("hello"))
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert (claim.uncalled, len(claim.mail)) == (PAINT, 1)
    held(store, "e2")
    one(store, advance(fact(), fact(), execution="e2", record=running("e2", 2, wake_at=T0 + 1)))
    one(store, p.HandOver("e2", ANN, 1, uncalled=PAINT, rests=True))
    assert claimed(store, HEIR) == []
    (claim,) = store.claim(HEIR, now=T0 + 1, limit=10)
    assert (claim.record.id, claim.uncalled) == ("e2", PAINT)


def test_mail_that_was_there_before_wakes_it_too(store: Kept) -> None:
    held(store)
    one(store, advance(fact(), fact()))
    one(store, deliver("hello"))
    one(store, p.HandOver("e1", ANN, 1, uncalled=PAINT, rests=True))
    assert claimed(store, HEIR) == ["e1"]


def test_one_that_has_more_to_do_is_for_anybody(store: Kept) -> None:
    handed(store, rests=False)
    (claim,) = store.claim(HEIR, now=T0, limit=10)
    assert claim.uncalled == PAINT


def test_a_worker_that_has_left_has_no_tasks(store: Kept) -> None:
    has(store, BOB, "paint")
    has(store, BOB, until=p.GONE)
    handed(store)
    assert claimed(store, BOB) == []


@pytest.mark.parametrize("crashes", [p.last_chance(p.CRASHES_MAX), p.CRASHES_MAX])
def test_one_that_kills_its_workers_is_a_suspect_and_then_parked_all_the_same(store: Kept, crashes: int) -> None:
    """Whoever has the task dies of it, and whoever has not hands it over: that is no progress."""
    held(store)
    one(store, advance(fact(), fact()))
    epoch = 1
    for number in range(crashes):
        painter = f"painter-{number}"
        one(store, p.HandOver("e1", ANN, epoch, uncalled=PAINT, rests=True))
        has(store, painter, "paint", until=T0 + 1)
        assert claimed(store, painter) == ["e1"]
        taken = store.claim(ANN, now=T0 + 1, limit=10)
        if number + 1 == p.CRASHES_MAX:
            assert taken == []
            has(store, BOB, "paint")
            assert claimed(store, BOB, now=T0 + 1) == []
            return
        (claim,) = taken
        epoch = claim.epoch
    has(store, BOB, "paint")
    one(store, p.HandOver("e1", ANN, epoch, uncalled=PAINT, rests=True))
    assert claimed(store, BOB) == ["e1"], "a suspect has a worker of its own, once more"


def test_the_tools_of_connections_that_are_waited_for_are_found_page_by_page(store: Kept, asked: Questions) -> None:
    for execution, organization, task in (
        ("e1", "acme", "api/add"),
        ("e2", "acme", "api/sub"),
        ("e3", "acme", "paint"),
        ("e4", "zoo", "api/add"),
        ("e5", "acme", "api/add"),
    ):
        held(store, execution, organization=organization)
        begun = running(execution, 2, organization=organization)
        one(store, advance(fact(), fact(), execution=execution, record=begun))
        assert one(store, p.HandOver(execution, ANN, 1, uncalled=((2, task),), rests=True)) == COMMITTED
    all_of_them = [("acme", "api/add"), ("acme", "api/sub"), ("zoo", "api/add")]
    assert asked.wanted_tools(("", ""), 10) == all_of_them
    assert asked.wanted_tools(("", ""), 2) == all_of_them[:2]
    assert asked.wanted_tools(all_of_them[1], 2) == all_of_them[2:]
    assert asked.wanted_tools(all_of_them[2], 2) == []


def test_who_waits_for_a_task_and_has_mail_is_awake_already(store: Kept, asked: Questions) -> None:
    for execution in ("e1", "e2"):
        handed(store, ((2, "api/add"),), execution=execution)
    assert asked.waiting_for("default", "api/add", 10) == ["e1", "e2"]
    one(store, deliver("hello"))
    assert asked.waiting_for("default", "api/add", 10) == ["e2"]


def test_who_lives_says_which_tasks_it_has_and_a_look_which_are_missing(store: Kept) -> None:
    handed(store)
    has(store, BOB, "paint", "print")
    asked: Any = store.reader()
    with closing(asked):
        assert asked.living(T0)[BOB] == {"paint", "print"}
        assert asked.look("e1").uncalled == PAINT
        claimed(store, BOB)
        assert asked.look("e1").uncalled == ()
