"""Whole programs on bad disks: without room they wait and go on; after a sync that failed they end, and the next one goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from disk.program import COUNT, NO_ROOM
from perdure.expressions.language import compile_value
from perdure.testing import World, violations
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.script import Fixed

TESTS = Path(__file__).parent.parent
SOON = 30
"""Seconds, after which a test gives up. None of them waits for time to pass."""


def run(path: Path, how: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "disk.program", str(path), how]
    return subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=SOON, check=False)


def numbers(said: str, *words: str) -> set[int]:
    lines = [line.split() for line in said.splitlines()]
    return {int(line[1]) for line in lines if line[0] in words}


def check(path: Path) -> None:
    store = InspectedSqlite(str(path), crashes_max=1_000)
    assert store.connection.pragma("integrity_check") == "ok"
    assert [row.record.status for row in store.rows.values()] == ["completed"] * 2 * COUNT
    world = World(compile_value, Fixed(), store=store)
    assert [one for one in violations(world) if ": I4:" not in one] == []
    store.close()


@pytest.mark.parametrize("sync", [3, 9, 17, 40, 41])
def test_a_sync_that_fails_ends_the_program_and_the_next_one_loses_nothing(sync: int, tmp_path: Path) -> None:
    path = tmp_path / "flows.db"
    first = run(path, str(sync))
    assert first.returncode not in (0, None), first.stdout[-500:]
    assert "a sync failed" in first.stderr, first.stderr[-2_000:]
    assert "start again" in first.stderr
    assert "done" not in first.stdout

    second = run(path, "calm")
    assert (second.returncode, second.stdout.splitlines()[-1]) == (0, "done"), second.stderr[-2_000:]
    assert numbers(first.stdout, "made", "found", "ended") <= numbers(second.stdout, "found")
    assert numbers(second.stdout, "ended") == set(range(COUNT))
    check(path)


def test_a_sync_that_fails_while_nobody_waits_ends_the_program_all_the_same(tmp_path: Path) -> None:
    first = run(tmp_path / "flows.db", "idle")
    assert first.returncode not in (0, None)
    assert "a sync failed" in first.stderr, first.stderr[-2_000:]
    assert numbers(run(tmp_path / "flows.db", "calm").stdout, "found") >= numbers(first.stdout, "made") == {0}


def test_without_room_a_program_says_so_and_goes_on_by_itself_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "flows.db"
    done = run(path, "full")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "done"), done.stderr[-2_000:]
    assert NO_ROOM in done.stderr + done.stdout
    assert numbers(done.stdout, "ended") == set(range(COUNT))
    check(path)
