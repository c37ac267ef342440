"""Processes that are killed in the middle of whatever they do: nothing is lost, nothing is recorded twice, and all of it comes to
what it would have come to if nobody had been killed.

With PERDURE_PATIENCE=1 it is done with four seeds: 520 kills; without it with one.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from hosts.health import assert_healthy, effects_in, final_states
from hosts.life import live
from hosts.processes import finished, started

SEEDS = (4 if os.environ.get("PERDURE_PATIENCE") == "1" else 1) * int(os.environ.get("PERDURE_WORLDS", "1"))
KILLS = 130
ORDERS_MIN = 52
"""So many at least are there in the end, for each seed; their children are not counted."""

PROGRESS_SECONDS_MAX = 2.0
SECONDS_MAX = 180
RESTARTS = 5


@pytest.mark.simulation
@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_is_killed_again_and_again_comes_to_what_it_would_have_come_to(seed: int, tmp_path: Path) -> None:
    killed, calm = folders(tmp_path)
    lives = lives_of(started("zygote.py", killed, seed, KILLS))
    came_to_the_same(killed, calm, lives[-1]["orders"])
    assert_soon([said for life in lives for said in life["said"]], KILLS // 4)


@pytest.mark.simulation
@pytest.mark.parametrize("seed", range(max(SEEDS // 4, 1)))
def test_so_does_what_two_processes_have_that_are_killed_beside_each_other(seed: int, tmp_path: Path) -> None:
    """Each takes over what the other one had, while it goes on with its own."""
    killed, calm = folders(tmp_path)
    both = [started("zygote.py", killed, f"{seed} {name}", KILLS) for name in ("one", "other")]
    came_to_the_same(killed, calm, max(lives_of(process)[-1]["orders"] for process in both))


def lives_of(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    lives = [json.loads(line) for line in finished(process, SECONDS_MAX)]
    print(f"{KILLS} kills in {sum(life['lived'] for life in lives):.1f} s, {lives[-1]['orders']} orders")
    assert sum(life["killed"] for life in lives) == KILLS
    assert lives[-1]["said"][-1] == "ended", "the last life was not killed, and has not come to the end"
    return lives


def came_to_the_same(killed: Path, calm: Path, orders: int) -> None:
    assert orders >= ORDERS_MIN
    asyncio.run(asyncio.wait_for(live(calm, orders, time.monotonic(), lambda _: None), SECONDS_MAX))
    for folder in (killed, calm):
        assert_healthy(folder / "flows.db", effects_in(folder / "effects"))
    assert final_states(killed / "flows.db") == final_states(calm / "flows.db")


def test_a_program_that_is_started_again_goes_on_within_two_seconds(tmp_path: Path) -> None:
    """Python and all imports included. Each is killed as soon as it has got anywhere, the last one excepted."""
    folder, _ = folders(tmp_path)
    told: list[str] = []
    for _ in range(RESTARTS):
        process = started("life.py", folder, 35, time.monotonic())
        assert process.stdout is not None
        told.append(process.stdout.readline())
        process.kill()
        process.communicate()
    told += finished(started("life.py", folder, 35, time.monotonic()), SECONDS_MAX)
    assert_healthy(folder / "flows.db", effects_in(folder / "effects"))
    assert_soon(told, RESTARTS)


def folders(place: Path) -> tuple[Path, Path]:
    killed, calm = place / "killed", place / "calm"
    killed.mkdir()
    calm.mkdir()
    return killed, calm


def assert_soon(said: list[str], count_min: int) -> None:
    """`progress wall cpu`: seconds from the start of a process until its first fact was durable. The machine may be busy with
    something else, so that the longest is judged by what the process itself had to do.
    """
    told: list[Any] = [line.split()[1:] for line in said if line.startswith("progress")]
    assert len(told) >= count_min, "too few came so far to say anything"
    wall, cpu = sorted(float(one[0]) for one in told), sorted(float(one[1]) for one in told)
    print(
        f"first progress of {len(told)} lives: median {median(wall):.3f} s, longest {wall[-1]:.3f} s, cpu {cpu[-1]:.3f} s"
    )
    assert median(wall) <= PROGRESS_SECONDS_MAX
    assert cpu[-1] <= PROGRESS_SECONDS_MAX
