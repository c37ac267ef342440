"""No room on the disk, or an error of it, at any write: nothing is half done, and what is given again is done as if nothing had been."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import apsw
import pytest

from disk.driving import FILE, PATIENCE, Ended, Stubborn, contents, emptied, opened
from disk.scenarios import SCENARIOS, Scenario
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.sqlite.database import Checkpoints, transaction
from perdure.store.sqlite.errors import translated
from perdure.testing.disk import FULL, READ_FAILED, SYNC_FAILED, WRITE_FAILED, Disk, Fault
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.invariants import violations
from perdure.testing.summary import summary
from store.words import ANN, COMMITTED, T0, advance, fact, held, looked_at, one, step_done
from test_crashes import same_end

MORE = int(os.environ.get("PERDURE_WORLDS", "1"))
WRITES = 26 * MORE
"""So many writes of each scenario fail, one after the other, each with both errors; every other time for a while."""
SYNCS = 8 * MORE

scenarios = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)


def again(test: str, scenario: Scenario, fault: Fault) -> str:
    known = f"tests/disk/test_faults.py::{test}[{scenario.name}]"
    return f"{fault}; again: .venv/bin/pytest '{known}' --moment {fault.number}"


def sampled(count: int, sample: int, only: int | None) -> Sequence[int]:
    return range(0, count, max(1, count // sample)) if only is None else (only,)


class End:
    """What a scenario comes to on some disk."""

    def __init__(self, scenario: Scenario, stage: Stubborn) -> None:
        self.faults = violations(stage.played(scenario))
        self.contents = contents(stage.inner.connection)
        self.sound = stage.inner.connection.pragma("integrity_check")
        self.writes, self.failed, self.refused = stage.disk.counts["write"], stage.disk.failed, stage.refused
        self.answers = stage.answers
        stage.disk.mend()
        stage.inner.close()


@pytest.mark.simulation
@scenarios
def test_a_write_that_fails_changes_nothing_in_what_comes_of_it(
    scenario: Scenario, tmp_path: Path, only_moment: int | None
) -> None:
    """Each row of each table is in the end what it is without the fault: so is every summary."""
    calm = End(scenario, Stubborn(scenario, emptied(tmp_path / "calm")))
    assert (calm.refused, calm.failed, calm.faults) == (0, 0, [])
    refused = 0
    for nth, number in enumerate(sampled(calm.writes, WRITES, only_moment)):
        for code in (FULL, WRITE_FAILED):
            fault = Fault("write", number, code, lasting=(nth % 2 == 0) == (code == FULL))
            end = End(scenario, Stubborn(scenario, emptied(tmp_path / "bad"), fault))
            told = again("test_a_write_that_fails_changes_nothing_in_what_comes_of_it", scenario, fault)
            assert end.failed >= 1, told
            assert end.answers == calm.answers, told
            assert (end.contents, end.faults, end.sound) == (calm.contents, [], "ok"), told
            assert end.refused in (0, PATIENCE if fault.lasting else 1), (
                told
            )  # a checkpoint may fail, and be done later
            refused += end.refused
    assert refused > 0


class Heedless(Stubborn):
    """A store that takes an error for an answer."""

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        try:
            return self.inner.commit(items)
        except p.Unavailable:
            return [p.Committed() for _ in items]


def test_a_store_that_ignores_the_error_is_found_out(tmp_path: Path) -> None:
    scenario = SCENARIOS[0]
    calm = End(scenario, Stubborn(scenario, emptied(tmp_path / "calm")))
    found_out = 0
    for number in sampled(calm.writes, 40, None):
        try:
            end = End(scenario, Heedless(scenario, emptied(tmp_path / "bad"), Fault("write", number, FULL)))
        except (AssertionError, KeyError, LookupError, ValueError):
            found_out += 1
        else:
            found_out += end.contents != calm.contents
    assert found_out > 5, (found_out, calm.writes)


@pytest.mark.simulation
@scenarios
def test_a_sync_that_fails_ends_the_process_and_the_next_one_goes_on(
    scenario: Scenario, tmp_path: Path, only_moment: int | None
) -> None:
    calm = Stubborn(scenario, emptied(tmp_path / "calm"))
    expected = summary(calm.played(scenario))
    syncs = calm.disk.counts["sync"]
    calm.inner.close()
    for number in sampled(syncs, SYNCS, only_moment):
        fault = Fault("sync", number, SYNC_FAILED)
        ended = Ended(scenario, emptied(tmp_path / "bad"), fault)
        world = ended.played(scenario)
        told = again("test_a_sync_that_fails_ends_the_process_and_the_next_one_goes_on", scenario, fault)
        assert len(ended.told) == 1, told
        assert "a sync failed" in ended.told[0], told
        assert violations(world) == [], told
        assert same_end(world, expected), told
        assert ended.inner.connection.pragma("integrity_check") == "ok", told
        ended.inner.close()


Verb: TypeAlias = Callable[[InspectedSqlite], Any]
VERBS: dict[str, Verb] = {
    "commit": lambda store: one(store, p.Beat(ANN, T0)),
    "claim": lambda store: store.claim("worker-heir", now=T0, limit=9),
    "poll": lambda store: store.poll(ANN, now=T0, limit=9),
    "stirs": lambda store: store.stirs(ANN, now=T0),
    "record": lambda store: store.record("e1"),
    "mail": lambda store: store.mail(ANN, "e1"),
    "values": lambda store: store.values("e1", [1, 2]),
    "model": lambda store: store.model(store.active_version("default", "orders") or ""),
    "save": lambda store: store.save(Workflow("orders")),
    "forget": lambda store: store.forget(T0, 9),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_read_that_fails_is_told_and_can_be_tried_again(verb: str, tmp_path: Path) -> None:
    path = tmp_path / FILE
    before = opened(path, 1)
    before.save(Workflow("orders"))
    held(before)
    one(before, advance(step_done("🦆" * 70_000), fact("later")))
    expected = VERBS[verb](before)
    before.close()
    told: list[str] = []
    for number in count():
        disk = Disk(Fault("read", number, READ_FAILED))
        try:
            store = opened(path, 1, disk)
        except p.Unavailable:
            continue
        try:
            VERBS[verb](store)
        except p.Unavailable as error:
            told.append(str(error))
        read = disk.counts["read"]
        disk.mend()
        if verb != "claim":
            assert VERBS[verb](store) == expected
        store.close()
        if number >= read:
            break
    assert told
    assert all("can be tried again" in text for text in told)


@pytest.fixture
def disk() -> Iterator[Disk]:
    """Mended in the end: whoever closes late can do so."""
    made = Disk()
    yield made
    made.mend()


class FailingAfterACommit(Checkpoints):
    """Just before the checkpoint."""

    def __init__(self, store: InspectedSqlite, disk: Disk, fault: Fault) -> None:
        super().__init__(store.connection, 1)
        self._disk, self._fault = disk, fault

    def after_commit(self) -> None:
        self._disk.fail(self._fault)
        super().after_commit()


def test_the_commit_stands_if_there_is_no_room_for_the_checkpoint_after_it(disk: Disk, tmp_path: Path) -> None:
    store = opened(tmp_path / FILE, 1_000, disk)
    held(store)
    store.checkpoints = FailingAfterACommit(store, disk, Fault("write", 0, FULL, lasting=True))
    assert one(store, advance(fact())) == COMMITTED
    assert disk.failed == 1
    with pytest.raises(p.Unavailable, match="no room on the disk"):
        one(store, advance(fact("later"), after=1))
    disk.mend()
    store.checkpoints = Checkpoints(store.connection, 1)
    assert one(store, advance(fact("later"), after=1)) == COMMITTED
    assert looked_at(store).facts == (fact(), fact("later"))
    store.close()


def test_a_checkpoint_whose_sync_fails_is_told(disk: Disk, tmp_path: Path) -> None:
    store = opened(tmp_path / FILE, 1_000, disk)
    held(store)
    store.checkpoints = FailingAfterACommit(store, disk, Fault("sync", 0, SYNC_FAILED, lasting=True))
    with pytest.raises(p.Broken, match="this process must end"):
        one(store, advance(fact()))
    disk.mend()
    store.close()
    after = opened(tmp_path / FILE, 1_000)
    assert one(after, advance(fact())) == COMMITTED, "it had been committed, and is answered as if it just were"
    assert looked_at(after).facts == (fact(),)
    after.close()


def test_a_store_that_is_closed_without_room_for_the_last_checkpoint_loses_nothing(disk: Disk, tmp_path: Path) -> None:
    store = opened(tmp_path / FILE, 1_000, disk)
    held(store)
    before = contents(store.connection)
    disk.fail(Fault("write", 0, FULL, lasting=True))
    with suppress(apsw.FullError):  # of a real disk, SQLite would say nothing
        store.close()
    after = opened(tmp_path / FILE, 1_000)
    assert contents(after.connection) == before
    after.close()


@pytest.mark.parametrize("code", [FULL, WRITE_FAILED])
def test_a_file_that_cannot_be_made_for_lack_of_room_is_made_later(code: int, tmp_path: Path) -> None:
    with pytest.raises(p.Unavailable):
        opened(tmp_path / FILE, 1_000, Disk(Fault("write", 0, code, lasting=True)))
    store = opened(tmp_path / FILE, 1_000)
    held(store)
    store.close()


def test_a_transaction_whose_rollback_fails_does_not_hinder_the_next(tmp_path: Path) -> None:
    store = opened(tmp_path / FILE, 1_000)

    def deny(action: int, *what: str | None) -> int:
        denied = action == apsw.SQLITE_TRANSACTION and what[0] == "ROLLBACK"
        return apsw.SQLITE_DENY if denied else apsw.SQLITE_OK

    def interrupted() -> None:
        with transaction(store.connection):
            one_row = "INSERT INTO workers (id, lease_until) VALUES ('x', 1)"
            store.connection.execute(one_row)
            raise ZeroDivisionError

    store.connection.authorizer = deny
    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert store.connection.in_transaction, "nobody could roll it back"
    store.connection.authorizer = None
    held(store)
    assert store.ask("SELECT id FROM workers") == [(ANN,)]
    store.close()


FOR_NOW = (
    *(apsw.SQLITE_FULL, apsw.SQLITE_BUSY, apsw.SQLITE_LOCKED, apsw.SQLITE_CANTOPEN, apsw.SQLITE_NOMEM),
    *(apsw.SQLITE_IOERR, apsw.SQLITE_IOERR_READ, apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_TRUNCATE),
    *(apsw.SQLITE_IOERR_SHORT_READ, apsw.SQLITE_IOERR_LOCK, apsw.SQLITE_IOERR_SHMMAP, apsw.SQLITE_BUSY_RECOVERY),
    *(apsw.SQLITE_READONLY, apsw.SQLITE_PERM, apsw.SQLITE_AUTH),
)
FOR_GOOD = (
    *(apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC),
    *(apsw.SQLITE_CORRUPT, apsw.SQLITE_CORRUPT_INDEX, apsw.SQLITE_NOTADB),
)
OURS = (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_ERROR, apsw.SQLITE_MISUSE)
OF_A_VALUE = (apsw.SQLITE_TOOBIG, apsw.SQLITE_MISMATCH, apsw.SQLITE_RANGE)


@pytest.mark.parametrize(
    ("codes", "meant"),
    [(FOR_NOW, p.Unavailable), (FOR_GOOD, p.Broken), (OURS, apsw.Error), (OF_A_VALUE, ValueError)],
    ids=["now", "good", "ours", "value"],
)
def test_an_error_of_sqlite_means(codes: tuple[int, ...], meant: type[Exception]) -> None:
    for code in codes:
        error = apsw.exception_for(code)
        with pytest.raises(meant) as told, translated():
            raise error
        assert error in (told.value, told.value.__cause__), code


def test_what_is_not_of_sqlite_passes() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError
