"""What one step more costs when each waits for the one before, held against one raw commit."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from perdure.bench.limits import RawCommits
from perdure.bench.ours import Bench, opened
from perdure.bench.results import Serial, middle_half
from perdure.bench.workloads import Workload, sequence

LENGTH = 40
WARM_UP_ROUNDS = 3


def serial(rounds: int, folder: Path) -> Serial:
    """Raw commits, a sequence of one, a sequence of forty: in turns, `rounds` times."""
    with tempfile.TemporaryDirectory(prefix="raw-", dir=folder) as fresh:
        raw = RawCommits(fresh)
        try:
            times = asyncio.run(_in_turns(rounds, raw, folder))
        finally:
            raw.connection.close()
    return reckoned(times)


def reckoned(times: Sequence[tuple[float, float, float]]) -> Serial:
    """Of rounds: the seconds of forty raw commits, of an execution of one step, of one of forty."""
    commit_us, one_us, many_us = (median(column) * 1e6 for column in zip(*times, strict=True))
    return Serial(
        commit_us=commit_us / LENGTH,
        one_step_us=one_us,
        many_steps_us=many_us,
        length=LENGTH,
        marginal_us=(many_us - one_us) / (LENGTH - 1),
        rounds=len(times),
        commit_us_middle=middle_half([commits / LENGTH * 1e6 for commits, _, _ in times]),
        marginal_commits_middle=middle_half(
            [(many - one) / (LENGTH - 1) / (commits / LENGTH) for commits, one, many in times]
        ),
    )


async def _in_turns(rounds: int, raw: RawCommits, folder: Path) -> list[tuple[float, float, float]]:
    one, many = sequence(1), sequence(LENGTH)
    async with opened(folder) as bench:
        for workload in (one, many):
            await bench.engine.workflows.save(workload.workflow)
        times = [
            (_commits(raw), await _execution(bench, one), await _execution(bench, many))
            for _ in range(WARM_UP_ROUNDS + rounds)
        ]
    return times[WARM_UP_ROUNDS:]


def _commits(raw: RawCommits) -> float:
    began = perf_counter()
    for _ in range(LENGTH):
        raw.one()
    return perf_counter() - began


async def _execution(bench: Bench, workload: Workload) -> float:
    began = perf_counter()
    await bench.once(workload)
    return perf_counter() - began
