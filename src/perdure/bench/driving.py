"""The one loop that drives ours and theirs: so many at once, one after the other, until the time is over and all have ended.

The time counts until the last has ended, so that nothing unfinished is counted and nothing finished is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from msgspec import Struct

from perdure.bench.results import Run, summed


class Load(Struct, frozen=True):
    """Everybody runs at least one execution, and begins none after `seconds`."""

    concurrency: int
    seconds: float
    steps_each: int


async def drive(one: Callable[[], Awaitable[object]], load: Load) -> Run:
    latencies: list[float] = []
    began = perf_counter()

    async def again_and_again() -> None:
        while True:
            started = perf_counter()
            await one()
            ended = perf_counter()
            latencies.append(ended - started)
            if ended - began >= load.seconds:
                return

    await asyncio.gather(*(again_and_again() for _ in range(load.concurrency)))
    return summed(latencies, load.steps_each, perf_counter() - began)


def drive_threads(one: Callable[[], object], load: Load) -> Run:
    latencies: list[float] = []
    began = perf_counter()

    def again_and_again(_: int) -> None:
        while True:
            started = perf_counter()
            one()
            ended = perf_counter()
            latencies.append(ended - started)
            if ended - began >= load.seconds:
                return

    with ThreadPoolExecutor(load.concurrency) as threads:
        list(threads.map(again_and_again, range(load.concurrency)))
    return summed(latencies, load.steps_each, perf_counter() - began)
