"""How long the event loop was kept from serving others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

from msgspec import Struct

Found = TypeVar("Found")


class Stall(Struct, frozen=True):
    """The longest time between two turns of a ticking coroutine: by the clock, and the CPU time that the thread of the loop used.

    Tests bound the CPU time: a busy machine does not change it.
    """

    seconds: float
    cpu_seconds: float

    def __str__(self) -> str:
        return f"{1_000 * self.seconds:,.0f} ms by the clock, {1_000 * self.cpu_seconds:,.0f} ms of CPU in the loop"


async def longest_stall(work: Awaitable[Found]) -> tuple[Found, Stall]:
    """Await the work, and return what it returned."""
    seconds = cpu_seconds = 0.0

    async def tick() -> None:
        nonlocal seconds, cpu_seconds
        at, used = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now, now_used = time.perf_counter(), time.thread_time()
            seconds, cpu_seconds = max(seconds, now - at), max(cpu_seconds, now_used - used)
            at, used = now, now_used

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    try:
        found = await work
        await asyncio.sleep(0.002)  # one tick more, for what was done last
    finally:
        ticking.cancel()
    return found, Stall(seconds, cpu_seconds)
