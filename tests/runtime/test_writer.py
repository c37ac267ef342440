"""The thread that has the store: what has gathered is committed together, and a store in trouble loses nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from queue import Queue
from typing import Any

import pytest

from perdure.core.values import Ref
from perdure.runtime import ports
from perdure.runtime import writer as pauses
from perdure.runtime.writer import BATCH_MAX, Writer
from perdure.store import port as p
from perdure.store.memory import MemoryStore
from store.words import ANN, COMMITTED, T0, advance, fact, held, pending

SOON = 10
"""Seconds, after which a test gives up. None of them waits for time to pass."""
NO_ROOM = "there is no room on the disk"


class Troubled(MemoryStore):
    """Fails so many commits, each time as `error` says. `batches`: how many items each commit that succeeded had."""

    def __init__(self, failures: int = 0, error: Exception | None = None) -> None:
        super().__init__()
        self.failures, self.error = failures, error or p.Unavailable(NO_ROOM)
        self.batches: list[int] = []
        self.tried = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.go_on.set()

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        self.tried.release()
        assert self.go_on.wait(SOON)
        if self.failures:
            self.failures -= 1
            raise self.error
        self.batches.append(len(items))
        return super().commit(items)


class Writing:
    """A writer at work, and what it has delivered."""

    def __init__(self, store: Troubled) -> None:
        self.store = store
        self.delivered: Queue[list[ports.Input]] = Queue()
        self.broken: list[p.Broken] = []
        self.writer = Writer(store, ANN, self.delivered.put, lambda: T0, self.broken.append)
        self.writer.start()

    def tried(self) -> None:
        """Another commit has begun."""
        assert self.store.tried.acquire(timeout=SOON)

    def answers(self) -> list[tuple[p.Item, p.Outcome]]:
        """All those of the next delivery that holds some."""
        while True:
            found = [given for given in self.delivered.get(timeout=SOON) if isinstance(given, ports.Answer)]
            if found:
                return [pair for answer in found for pair in zip(answer.items, answer.outcomes, strict=True)]

    def stop(self) -> None:
        self.writer.stop()
        self.writer.join(SOON)
        assert not self.writer.is_alive()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "PAUSE_SECONDS", 0.001)


@pytest.fixture
def started() -> Iterator[list[Writing]]:
    """Those that are still at work are stopped in the end."""
    all_of_them: list[Writing] = []
    yield all_of_them
    for one in all_of_them:
        one.store.go_on.set()
        one.stop()


def writing(started: list[Writing], store: Troubled) -> Writing:
    started.append(Writing(store))
    return started[-1]


def creates(count: int, first: int = 0) -> tuple[p.Create, ...]:
    return tuple(p.Create(pending(f"e{number}"), ANN) for number in range(first, first + count))


def test_what_has_gathered_while_it_wrote_is_committed_together(started: list[Writing]) -> None:
    store = Troubled()
    store.go_on.clear()
    at_work = writing(started, store)
    at_work.writer.submit(creates(1))
    at_work.tried()
    for number in range(1, 50):
        at_work.writer.submit(creates(1, number))
    store.go_on.set()
    assert [len(at_work.answers()), len(at_work.answers())] == [1, 49]
    assert store.batches == [1, 49]


def test_a_commit_has_no_more_items_than_it_may(started: list[Writing]) -> None:
    at_work = writing(started, Troubled())
    items = creates(BATCH_MAX + 10)
    at_work.writer.submit(items)
    answered = at_work.answers() + at_work.answers()
    assert at_work.store.batches == [BATCH_MAX, 10]
    assert [item for item, _ in answered] == list(items)
    assert {outcome.released for _, outcome in answered if isinstance(outcome, p.Committed)} == {False}


def test_what_was_submitted_together_is_in_one_commit(started: list[Writing]) -> None:
    store = Troubled()
    store.go_on.clear()
    at_work = writing(started, store)
    at_work.writer.submit(creates(1))
    at_work.tried()
    at_work.writer.submit(creates(BATCH_MAX - 5, 1))
    at_work.writer.submit(creates(10, BATCH_MAX))
    store.go_on.set()
    assert [len(at_work.answers()) for _ in range(3)] == [1, BATCH_MAX - 5, 10]
    assert store.batches == [1, BATCH_MAX - 5, 10]


def test_a_store_in_trouble_is_tried_until_it_is_not_and_nothing_is_lost(started: list[Writing]) -> None:
    at_work = writing(started, Troubled(failures=3))
    items = creates(5)
    at_work.writer.submit(items)
    for _ in range(3):
        at_work.tried()
    assert at_work.answers() == [(item, COMMITTED) for item in items]
    assert len(at_work.store.rows) == 5
    assert at_work.writer.trouble is None


def _trouble(at_work: Writing) -> str | None:
    """As it is now."""
    return at_work.writer.trouble


def test_why_a_store_is_in_trouble_is_told_meanwhile(started: list[Writing]) -> None:
    store = Troubled(failures=1_000_000)
    at_work = writing(started, store)
    at_work.writer.submit(creates(1))
    at_work.tried()
    at_work.tried()
    assert _trouble(at_work) == NO_ROOM
    at_work.writer.submit(creates(2, 1))
    store.failures = 0
    assert len(at_work.answers()) == 1
    assert len(at_work.answers()) == 2
    assert _trouble(at_work) is None
    assert at_work.writer.failure is None


def test_a_writer_that_is_stopped_in_trouble_ends(started: list[Writing]) -> None:
    at_work = writing(started, Troubled(failures=1_000_000))
    at_work.writer.submit(creates(1))
    at_work.tried()
    at_work.tried()
    at_work.stop()
    assert isinstance(at_work.writer.failure, p.Unavailable)
    assert at_work.delivered.get(timeout=SOON) == [], "so that whoever waits is told"


def test_a_writer_that_is_stopped_has_written_all_that_it_was_given(started: list[Writing]) -> None:
    store = Troubled()
    store.go_on.clear()
    at_work = writing(started, store)
    at_work.writer.submit(creates(1))
    at_work.tried()
    at_work.writer.submit(creates(BATCH_MAX + 1, 1))
    asked: list[Any] = []
    at_work.writer.ask(asked.append)
    at_work.writer.stop()
    store.go_on.set()
    at_work.stop()
    assert len(store.rows) == BATCH_MAX + 2
    assert asked == [store]
    assert at_work.writer.failure is None


def test_what_cannot_be_trusted_is_told_at_once(started: list[Writing]) -> None:
    broken = p.Broken("a sync failed")
    at_work = writing(started, Troubled(1, broken))
    at_work.writer.submit(creates(1))
    at_work.writer.join(SOON)
    assert at_work.broken == [broken]


def test_an_error_that_nobody_knows_ends_it_and_is_told(started: list[Writing]) -> None:
    at_work = writing(started, Troubled(1, ZeroDivisionError("what?")))
    at_work.writer.submit(creates(1))
    at_work.writer.join(SOON)
    assert isinstance(at_work.writer.failure, ZeroDivisionError)
    assert at_work.delivered.get(timeout=SOON) == []


def test_questions_are_answered_after_what_was_submitted_before_them(started: list[Writing]) -> None:
    at_work = writing(started, Troubled())
    held(at_work.store)
    refs: frozenset[Ref] = frozenset({1})
    at_work.writer.submit((advance(fact("said")),), (ports.FetchValues("e1", 1, refs),))
    delivered: list[ports.Input] = []
    while not any(isinstance(given, ports.Fetched) for given in delivered):
        delivered += at_work.delivered.get(timeout=SOON)
    assert [type(given) for given in delivered] == [ports.Answer, ports.Fetched]
    assert delivered[1] == ports.Fetched("e1", 1, {1: fact("said")})


def test_an_engine_that_has_no_room_is_given_nothing(started: list[Writing]) -> None:
    store = Troubled()
    store.commit([p.Create(pending("e1"))])
    at_work = Writing(store)
    assert any(isinstance(given, ports.Claimed) for given in at_work.delivered.get(timeout=SOON))
    at_work.stop()
    full = writing(started, Troubled())
    full.writer.capacity = 0
    full.writer.submit((p.Create(pending("e2")),))
    assert len(full.answers()) == 1
    full.writer.submit((p.Beat(ANN, T0),))
    assert len(full.answers()) == 1
    assert full.delivered.empty()
