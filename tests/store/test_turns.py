"""Processes that write to one file take turns, and whoever waits comes next."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from perdure.store.port import Unavailable
from perdure.store.sqlite import turns as waiting
from perdure.store.sqlite.turns import Turns

SOON = 10
"""Seconds, after which a test gives up."""

TIGHT = """
import os, sys, time
from pathlib import Path
from perdure.store.sqlite.turns import Turns
turns, written = Turns(Path(sys.argv[1])), os.open(sys.argv[2], os.O_APPEND | os.O_WRONLY)
print("begun", flush=True)
while True:
    with turns:
        os.write(written, b"tight ")
        time.sleep(0.001)
"""
"""A process that writes all the time. A turn takes it about as long as a commit."""


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Turns]:
    turns = Turns(tmp_path / "workers")
    yield turns
    turns.close()


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[Turns]:
    """Another process has other descriptors; so has this."""
    turns = Turns(tmp_path / "workers")
    yield turns
    turns.close()


def test_one_after_the_other(mine: Turns, theirs: Turns) -> None:
    inside, most = 0, 0

    def write(turns: Turns) -> None:
        nonlocal inside, most
        for _ in range(50):
            with turns:
                inside += 1
                most = max(most, inside)
                os.sched_yield()
                inside -= 1

    threads = [threading.Thread(target=write, args=(turns,)) for turns in (mine, theirs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON)
    assert most == 1


def test_whoever_waits_has_its_turn_beside_a_process_that_writes_all_the_time(mine: Turns, tmp_path: Path) -> None:
    log = tmp_path / "written"
    log.touch()
    written = os.open(log, os.O_APPEND | os.O_WRONLY)
    command = [sys.executable, "-c", TIGHT, str(tmp_path / "workers"), str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tight:
        assert tight.stdout is not None
        assert tight.stdout.readline() == "begun\n"
        for _ in range(100):
            with mine:
                os.write(written, b"mine ")
                time.sleep(0.001)
        tight.kill()
    os.close(written)
    turns = log.read_text().split()
    assert turns.count("mine") == 100
    between = [len(list(many)) for who, many in groupby(turns) if who == "tight"]
    assert statistics.median(between) <= 3, between


def test_who_waits_too_long_is_told_so_and_may_try_again(
    mine: Turns, theirs: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "WAIT_SECONDS", 0.005)
    with (
        theirs,
        pytest.raises(Unavailable, match="another process has kept the database from being written"),
        mine,
    ):
        pytest.fail("it is not its turn")
    with mine, pytest.raises(Unavailable), theirs:
        pytest.fail("nor that of the other")


def test_a_turn_in_which_something_goes_wrong_comes_to_an_end(mine: Turns, theirs: Turns) -> None:
    with pytest.raises(ZeroDivisionError), mine:
        raise ZeroDivisionError
    with theirs:
        pass


def test_a_process_that_dies_in_its_turn_has_ended_it(mine: Turns, tmp_path: Path) -> None:
    dies = "import os, sys; from pathlib import Path; from perdure.store.sqlite.turns import Turns\n"
    dies += "with Turns(Path(sys.argv[1])): os._exit(9)"
    assert subprocess.run([sys.executable, "-c", dies, str(tmp_path / "workers")], check=False).returncode == 9
    began = time.monotonic()
    with mine:
        assert time.monotonic() - began < SOON


def test_nobody_else_can_read_the_locks(mine: Turns, tmp_path: Path) -> None:
    folder = tmp_path / "workers"
    assert folder.stat().st_mode & 0o077 == 0
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}


def test_a_turn_that_is_held_lasts_until_somebody_asks_for_one(mine: Turns, theirs: Turns) -> None:
    mine.hold()
    with mine:
        pass
    waits = threading.Thread(target=lambda: _one_turn(theirs))
    waits.start()
    while waits.is_alive():
        with mine:
            pass
    waits.join(SOON)


def test_a_turn_that_is_held_ends_where_there_is_nothing_more_to_write(
    mine: Turns, theirs: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "WAIT_SECONDS", 0.005)
    mine.hold()
    with mine:
        pass
    with pytest.raises(Unavailable):
        _one_turn(theirs)
    mine.rest()
    _one_turn(theirs)


def _one_turn(turns: Turns) -> None:
    with turns:
        pass
