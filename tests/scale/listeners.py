"""A program of its own: many executions that wait for an event each, and how soon the one wakes that an event is for.

listeners.py make URL COUNT      so many executions that wait, each for the event with its number
listeners.py weigh URL           open an engine; how long that takes, and what the process weighs
listeners.py wake URL COUNT N R  send events to so many of them, for the R-th time; how long from each being accepted to the execution's
                                 having gone on
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import time
from random import Random
from typing import Any

from perdure.model.steps import EventWait, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.testing.words import k, x
from scale.sleepers import rss_bytes

AT_ONCE = 4_000
WAITS = Workflow(
    "waits", (Step("paid", EventWait(k("order.paid"), x("event.payload.order == input.order"))),), (Entry("paid"),)
)


async def make(url: str, count: int) -> Any:
    async with Engine(url) as engine:
        await engine.workflows.save(WAITS)
        for first in range(0, count, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, count))
            await asyncio.gather(
                *(engine.executions.start("waits", {"order": n}, idempotency_key=f"order-{n}") for n in numbers)
            )
        while engine.host.shell.engine.held:  # noqa: ASYNC110  nobody is told
            await asyncio.sleep(0.01)
        return {"waiting": (await engine.host.read(lambda store: store.open_count()))}


async def weigh(url: str) -> Any:
    began = time.perf_counter()
    async with Engine(url) as engine:
        await engine.host.read(lambda store: store.record("nobody"))
        opened_ms = 1_000 * (time.perf_counter() - began)
        await asyncio.sleep(0.2)  # it looks for work
        gc.collect()
        return {"opened_ms": round(opened_ms), "rss_bytes": rss_bytes()}


async def wake(url: str, count: int, times: int, round_: int) -> Any:
    async with Engine(url) as engine:
        before = rss_bytes()
        orders = Random(1).sample(range(round_, count, 10), times)  # in each round others
        took = [await _woken(engine, order) for order in orders]
        left = await engine.host.read(lambda store: store.open_count())
        return {
            "median_ms": round(statistics.median(took), 2),
            "longest_ms": round(max(took), 2),
            "left": left,
            "rss_bytes_more": rss_bytes() - before,
        }


async def _woken(engine: Engine, order: int) -> float:
    """From the moment at which the event was accepted, to that at which the execution has gone on, which is durable."""
    execution = await engine.executions.start("waits", {"order": order}, idempotency_key=f"order-{order}")
    assert not execution.created
    await engine.events.send({"type": "order.paid", "payload": {"order": order}})
    began = time.perf_counter()
    assert await execution.result() == {"order": order}
    return 1_000 * (time.perf_counter() - began)


def main(what: str, url: str, *numbers: str) -> Any:
    program = {"make": make, "weigh": weigh, "wake": wake}[what]
    return asyncio.run(program(url, *map(int, numbers)))  # type: ignore[operator]


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
