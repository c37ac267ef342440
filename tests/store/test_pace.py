"""How often SQLite is looked at for something to do: often enough, not all the time, and whatever the time of day is set to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from perdure.store import port as p
from perdure.store.sql.aside import ASIDE_SECONDS
from perdure.store.sql.claiming import DEATHS_SECONDS, LOOK_SECONDS
from perdure.testing.inspected import InspectedSqlite
from store.words import (
    ANN,
    BOB,
    FAR,
    RELEASED,
    T0,
    advance,
    claimed,
    fact,
    held,
    one,
    pending,
    released,
    running,
)

QUARTER_MS = 900_000


class Clock:
    """One that only goes forward, and only when it is told to."""

    seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


class Mine(InspectedSqlite):
    """As one of two processes on a file has it, with a clock of its own."""

    def __init__(self, path: str) -> None:
        self.clock = Clock()
        super().__init__(path, seconds=self.clock)

    def stirs_after(self, seconds: float, now: int = T0, worker: str = ANN) -> bool:
        self.clock.seconds += seconds
        return bool(self.stirs(worker, now=now))


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Mine]:
    opened = Mine(str(tmp_path / "perdure.db"))
    one(opened, p.Beat(ANN, FAR * 2))
    assert not opened.stirs(ANN, now=T0)
    yield opened
    opened.close()


@pytest.fixture
def theirs(mine: Mine, tmp_path: Path) -> Iterator[InspectedSqlite]:
    opened = InspectedSqlite(str(tmp_path / "perdure.db"))
    yield opened
    opened.close()


@pytest.mark.parametrize("jump_ms", [-QUARTER_MS, 0, QUARTER_MS])
def test_what_another_process_writes_is_seen_soon_whatever_the_time_of_day(
    mine: Mine, theirs: InspectedSqlite, jump_ms: int
) -> None:
    one(theirs, p.Create(pending()))
    assert not mine.stirs_after(LOOK_SECONDS / 2, T0 + jump_ms)
    assert mine.stirs_after(LOOK_SECONDS, T0 + jump_ms)


@pytest.mark.parametrize("jump_ms", [-QUARTER_MS, 0, QUARTER_MS])
def test_a_dead_owner_is_found_soon_whatever_the_time_of_day(mine: Mine, theirs: InspectedSqlite, jump_ms: int) -> None:
    held(theirs, owner=BOB)
    one(theirs, p.Beat(BOB, 0))
    assert mine.stirs_after(DEATHS_SECONDS, T0 + jump_ms)
    assert claimed(mine, ANN, T0 + jump_ms) == ["e1"]


def test_a_time_of_day_that_jumps_does_not_make_it_look_more_often(mine: Mine, theirs: InspectedSqlite) -> None:
    one(theirs, p.Create(pending()))
    assert [mine.stirs_after(0, T0 + number * QUARTER_MS) for number in range(-3, 4)] == [False] * 7


def test_what_is_due_is_due_by_the_time_of_day(mine: Mine) -> None:
    released(mine, record=running(seq=1, wake_at=T0 + QUARTER_MS))
    assert not mine.stirs_after(QUARTER_MS / 1_000, T0)
    assert mine.stirs_after(0, T0 + QUARTER_MS)


def test_a_suspect_stirs_whoever_has_none(mine: Mine) -> None:
    suspects(mine, "one", "other")
    assert mine.stirs_after(0, FAR)
    assert len(claimed(mine, ANN, FAR)) == 1


@pytest.mark.parametrize("wake_at", [None, T0])
def test_a_suspect_does_not_stir_whoever_has_one_until_it_is_settled(mine: Mine, wake_at: int | None) -> None:
    suspects(mine, "one", "other", wake_at=wake_at)
    (first,) = claimed(mine, ANN, FAR)
    assert [mine.stirs_after(LOOK_SECONDS, FAR) for _ in range(100)] == [False] * 100
    (claims,) = mine.ask("SELECT epoch FROM executions WHERE id = ?", (first,))
    settled = advance(fact(), execution=first, after=1, epoch=claims[0], record=running(first, 2), release=True)
    assert one(mine, settled) == RELEASED
    assert mine.stirs_after(DEATHS_SECONDS, FAR)
    assert len(claimed(mine, ANN, FAR)) == 1


def suspects(store: Mine, *executions: str, wake_at: int | None = None) -> None:
    """Executions of which one more death would make parked ones. Nobody has them."""
    for execution in executions:
        released(store, execution, record=running(execution, 1, wake_at=wake_at))
    ready = wake_at is None
    store.connection.execute("UPDATE executions SET ready = ?, crashes = ?", (ready, p.CRASHES_MAX - 1))
    store.stirs_after(DEATHS_SECONDS, FAR)


def test_a_suspect_that_comes_to_be_due_stirs(mine: Mine) -> None:
    suspects(mine, "one", wake_at=FAR + 1)
    assert not mine.stirs_after(DEATHS_SECONDS, FAR)
    assert mine.stirs_after(DEATHS_SECONDS, FAR + 1)


@pytest.mark.parametrize("wake_at", [None, T0])
@pytest.mark.parametrize("what", ["execution", "version"])
def test_what_cannot_be_read_does_not_stir_until_it_is_tried_again(
    mine: Mine, theirs: InspectedSqlite, what: Literal["execution", "version"], wake_at: int | None
) -> None:
    if wake_at is None:
        one(mine, p.Create(pending()))
    else:
        released(mine, record=running(seq=1, wake_at=wake_at))
    (claim,) = mine.claim(ANN, now=T0, limit=9)
    one(mine, p.HandOver("e1", ANN, claim.epoch, what))
    assert [mine.stirs_after(LOOK_SECONDS) for _ in range(100)] == [False] * 100
    assert theirs.stirs(BOB, now=T0)
    assert mine.stirs_after(ASIDE_SECONDS)
    assert claimed(mine, ANN) == ["e1"]
