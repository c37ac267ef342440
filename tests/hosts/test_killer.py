"""An execution that really kills its worker is parked, while the others go on; it is taken up again when somebody asks."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from hosts.health import assert_healthy, effects_in
from hosts.processes import finished, started
from perdure.store.sqlite.doctor import examine

CRASHES_MAX = 3
SECONDS_MAX = 30
LIVES_MAX = 8
KILLS, LONG = 12, 5


def test_what_kills_its_workers_is_parked_and_taken_up_again_by_a_retry(tmp_path: Path) -> None:
    for life in range(1, CRASHES_MAX + 1):
        process = started("killer.py", tmp_path, life, CRASHES_MAX)
        said, complaint = process.communicate(timeout=SECONDS_MAX)
        assert (process.returncode, said, complaint) == (-signal.SIGKILL, "others completed\n", "")
    assert lived(tmp_path) == ["others completed", "waiting"], "nobody calls it any more"
    assert list(effects_in(tmp_path / "effects").values()) == [1] * CRASHES_MAX

    (tmp_path / "harmless").touch()
    assert lived(tmp_path) == ["others completed", "harmless"]
    effects = effects_in(tmp_path / "effects")
    assert list(effects.values()) == [1] * (CRASHES_MAX + 1)
    assert len({key for key, _ in effects}) == 1
    assert_healthy(tmp_path / "flows.db")


def test_whoever_was_beside_it_is_not_parked_with_it(tmp_path: Path) -> None:
    lives = []
    for _ in range(LIVES_MAX):
        process = started("neighbours.py", tmp_path)
        said, complaint = process.communicate(timeout=SECONDS_MAX)
        assert complaint == ""
        lives.append((process.returncode, said))
        if process.returncode == 0:
            break
    assert lives[-1] == (0, "neighbours completed\noperator\n")
    killed = [status for status, _ in lives[:-1]]
    assert killed == [-signal.SIGKILL] * len(killed)
    assert CRASHES_MAX <= len(killed) <= 2 * CRASHES_MAX - 1, "deaths beside the neighbours only isolate it"
    assert examine(str(tmp_path / "flows.db"), now=0).broken == ()


def test_long_steps_are_not_parked_when_their_worker_is_killed_from_outside_twelve_times(tmp_path: Path) -> None:
    """Twelve kills within seconds: nothing tells whether one of the steps did it, but that each was alone at few of them."""
    for _ in range(KILLS):
        process = started("long_steps.py", tmp_path)
        assert process.stdout is not None
        assert process.stdout.readline() == "a step has begun\n"
        process.kill()
        process.communicate(timeout=SECONDS_MAX)
    with closing(sqlite3.connect(tmp_path / "flows.db")) as connection:
        found = connection.execute("SELECT status, waiting, crashes FROM executions").fetchall()
    assert len(found) == LONG
    assert [row for row in found if row[2] >= CRASHES_MAX or "operator" in str(row[1])] == []
    process = started("long_steps.py", tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "a step has begun\n", "they are still taken up"
    process.kill()
    process.communicate(timeout=SECONDS_MAX)


def lived(folder: Path) -> list[str]:
    """What it said in a life that nobody ended."""
    return finished(started("killer.py", folder, CRASHES_MAX + 1, CRASHES_MAX), SECONDS_MAX)
