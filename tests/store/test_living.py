"""Who lives: whoever holds its lock; where there is none, whoever has said so lately. What the dead have left is forgotten."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from perdure.store import port as p
from perdure.store.sql.claiming import DEATHS_SECONDS
from perdure.store.sqlite.locks import WorkerLocks, workers_folder
from perdure.testing.inspected import InspectedSqlite
from store.words import ANN, BOB, COMMITTED, HEIR, LEASE_END, T0, advance, claimed, fact, held, one, pending


class Process:
    """A worker with a connection and locks of its own, and its own clock. Other descriptors are as good as another process."""

    def __init__(self, path: str, worker: str) -> None:
        self.worker, self.seconds = worker, 0.0
        self.locks = WorkerLocks(path)
        self.store = InspectedSqlite(path, locks=self.locks, seconds=lambda: self.seconds)
        self.locks.hold(worker)
        one(self.store, p.Beat(worker, LEASE_END))

    def stirs(self, now: int = T0) -> bool:
        self.seconds += DEATHS_SECONDS
        return bool(self.store.stirs(self.worker, now=now))

    def claims(self, now: int = T0) -> list[str]:
        return claimed(self.store, self.worker, now)

    def knows(self) -> list[str]:
        return [name for (name,) in self.store.ask("SELECT id FROM workers ORDER BY id")]

    def dies(self) -> None:
        """The system lets go of its locks; its files stay."""
        self.locks._close()
        self.store.close()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "flows.db")


@pytest.fixture
def ann(path: str) -> Process:
    """She holds execution e1."""
    made = Process(path, ANN)
    held(made.store)
    return made


@pytest.fixture
def bob(path: str) -> Iterator[Process]:
    made = Process(path, BOB)
    yield made
    made.store.close()


def files(path: str) -> list[str]:
    return sorted(file.name for file in workers_folder(path).iterdir() if file.suffix != ".lock")


def removed(path: str) -> None:
    shutil.rmtree(workers_folder(path))


def test_what_a_worker_held_that_has_died_is_taken_over_at_once(ann: Process, bob: Process) -> None:
    ann.dies()
    assert bob.stirs()
    assert bob.claims() == ["e1"]


def test_what_a_worker_held_is_taken_over_at_once_whoever_starts_and_dies_in_between(
    ann: Process, path: str, bob: Process
) -> None:
    ann.dies()
    Process(path, HEIR).dies()
    assert bob.claims() == ["e1"]


def test_a_worker_whose_lock_somebody_has_removed_lives_on(ann: Process, bob: Process, path: str) -> None:
    removed(path)
    assert not bob.stirs()
    assert bob.claims() == []
    assert one(ann.store, advance(fact())) == COMMITTED
    assert bob.store.rows["e1"].crashes == 0


def test_a_worker_that_starts_after_that_takes_nothing_over(ann: Process, path: str) -> None:
    removed(path)
    late = Process(path, HEIR)
    assert (late.stirs(), late.claims()) == (False, [])
    assert late.knows() == [ANN, HEIR]


def test_a_worker_makes_its_lock_anew_and_needs_no_lease_then(ann: Process, bob: Process, path: str) -> None:
    removed(path)
    ann.stirs()
    assert files(path) == [ANN]
    assert (bob.stirs(LEASE_END), bob.claims(LEASE_END)) == (False, [])
    ann.dies()
    assert bob.claims(LEASE_END) == ["e1"]


def test_a_worker_whose_lock_is_gone_is_dead_when_its_lease_is_over(ann: Process, bob: Process, path: str) -> None:
    removed(path)
    ann.dies()
    assert bob.claims(LEASE_END - 1) == []
    assert bob.stirs(LEASE_END)
    assert bob.claims(LEASE_END) == ["e1"]


def test_a_lock_that_cannot_be_looked_at_says_nothing(
    ann: Process, bob: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hidden(worker: str) -> bool | None:
        raise PermissionError(worker)

    monkeypatch.setattr(bob.locks, "alive", hidden)
    assert bob.claims(LEASE_END - 1) == []
    assert bob.claims(LEASE_END) == ["e1"]


def test_a_worker_that_has_died_is_forgotten_with_its_file_when_all_it_held_is_taken(
    ann: Process, bob: Process, path: str
) -> None:
    held(ann.store, "e2")
    ann.dies()
    assert claimed(bob.store, BOB, limit=1) == ["e1"]
    assert (bob.knows(), files(path)) == ([ANN, BOB], [ANN, BOB])
    assert bob.claims() == ["e2"]
    assert (bob.knows(), files(path)) == ([BOB], [BOB])


def test_the_file_of_a_dead_worker_stays_until_what_it_held_is_durably_taken(
    ann: Process, bob: Process, path: str
) -> None:
    """Else whoever dies in between leaves the others to wait for a lease."""
    ann.dies()
    bob.store.connection.set_commit_hook(lambda: True)
    with pytest.raises(apsw.ConstraintError):
        bob.claims()
    assert files(path) == [ANN, BOB]
    bob.store.connection.set_commit_hook(None)
    assert bob.claims() == ["e1"]
    assert files(path) == [BOB]


def test_a_worker_that_died_and_held_nothing_is_forgotten(bob: Process, path: str) -> None:
    assert (bob.stirs(), bob.claims()) == (False, [])
    Process(path, ANN).dies()
    assert bob.stirs()
    assert bob.claims() == []
    assert (bob.knows(), files(path)) == ([BOB], [BOB])
    assert not bob.stirs()


def test_a_worker_that_lives_and_holds_nothing_is_not_forgotten(bob: Process, path: str) -> None:
    idle = Process(path, ANN)
    one(bob.store, p.Create(pending()))
    assert bob.claims(LEASE_END) == ["e1"]
    assert (bob.knows(), files(path)) == ([ANN, BOB], [ANN, BOB])
    idle.dies()


def test_a_worker_that_has_left_is_forgotten(bob: Process) -> None:
    assert one(bob.store, p.Beat(BOB, p.GONE)) == COMMITTED
    assert bob.knows() == []
