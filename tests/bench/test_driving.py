"""The loop that drives ours and theirs."""

from __future__ import annotations

import asyncio
import threading

import pytest

from perdure.bench.driving import Load, drive, drive_threads


def test_so_many_run_at_once_and_everybody_runs_at_least_one() -> None:
    at_once, most = 0, 0

    async def one() -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1

    run = asyncio.run(drive(one, Load(concurrency=5, seconds=0, steps_each=3)))
    assert (most, run.executions, run.steps) == (5, 5, 15)
    assert run.steps_per_second == pytest.approx(15 / run.seconds)


def test_threads_are_driven_the_same() -> None:
    all_there = threading.Barrier(5)
    run = drive_threads(lambda: all_there.wait(10), Load(concurrency=5, seconds=0, steps_each=3))
    assert (run.executions, run.steps) == (5, 15)


def test_as_long_as_there_is_time_another_is_begun() -> None:
    async def one() -> None:
        await asyncio.sleep(0)

    run = asyncio.run(drive(one, Load(concurrency=2, seconds=0.02, steps_each=1)))
    assert run.executions > 2
    assert run.seconds >= 0.02
