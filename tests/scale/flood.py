"""A program of its own: so many starts at one moment, beside an execution that goes from step to step, and one that sleeps.

flood.py PATH COUNT
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import time
from itertools import pairwise
from typing import Any

from perdure.model.steps import Route, Step, Task, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.store.sqlite.database import connect_reading
from perdure.testing.words import k, x
from scale.sleepers import rss_bytes

LOOK_SECONDS = 0.02
QUICK = Workflow("quick", (Step("light", Task("light", k({"n": 1}))),), (Entry("light"),))
TICKING = Workflow("ticking", (Step("tick", Task("tick"), (Route(("tick",), when=x("output")),)),), (Entry("tick"),))

NAP_MS = 50
NAPPING = Workflow(
    "napping",
    (
        Step("nap", Timer(k(NAP_MS)), (Route(("woke",)),)),
        Step("woke", Task("woke"), (Route(("nap",), when=x("output")),)),
    ),
    (Entry("nap"),),
)


class Watched:
    """An engine, and what is seen of it while the starts pour in. The program itself keeps the loop while it asks for them."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.ticks: list[float] = []
        """When each step of the execution that ticks was called."""
        self.naps: list[float] = []
        """When the one that sleeps was awake."""
        self.held_max = 0
        self.rss_bytes_max = 0
        self.over = False
        engine.task("light")(self._light)
        engine.task("tick")(self._tick)
        engine.task("woke")(self._woke)

    async def _light(self, given: Any) -> Any:
        return given

    async def _tick(self, given: Any) -> bool:
        del given
        self.ticks.append(time.perf_counter())
        return not self.over

    async def _woke(self, given: Any) -> bool:
        del given
        self.naps.append(time.perf_counter())
        return not self.over

    async def look(self) -> None:
        while not self.over:
            self.held_max = max(self.held_max, len(self.engine.host.shell.engine.held))
            self.rss_bytes_max = max(self.rss_bytes_max, rss_bytes())
            await asyncio.sleep(LOOK_SECONDS)


def waits_ms(ticks: list[float], since: float) -> list[float]:
    """How long each had to wait for the next."""
    return [1_000 * (later - tick) for tick, later in pairwise(ticks) if tick > since]


async def flood(path: str, count: int) -> Any:
    async with Engine(f"sqlite:///{path}") as engine:
        watched = Watched(engine)
        await engine.workflows.save(QUICK)
        await engine.workflows.save(TICKING)
        await engine.workflows.save(NAPPING)
        beside = [await engine.executions.start(name) for name in ("ticking", "napping")]
        await asyncio.gather(*(engine.executions.start("quick") for _ in range(100)))
        gc.collect()
        before = rss_bytes()
        looking = asyncio.create_task(watched.look())
        began = time.perf_counter()
        starting = asyncio.gather(*(engine.executions.start("quick") for _ in range(count)))
        await asyncio.sleep(0)
        asked = time.perf_counter()
        started = await starting
        acknowledged = time.perf_counter()
        await _all_ended(path, count + 100)
        ended = time.perf_counter()
        watched.over = True
        await looking
        waits, naps = waits_ms(watched.ticks, asked), waits_ms(watched.naps, asked)
        await asyncio.gather(*(one.result() for one in beside))
        return {
            "acknowledged": len({one.id for one in started if one.created}),
            "ended": count,
            "asked_seconds": round(asked - began, 1),
            "acknowledged_seconds": round(acknowledged - began, 1),
            "ended_seconds": round(ended - began, 1),
            "held_max": watched.held_max,
            "rss_bytes_each": round((watched.rss_bytes_max - before) / count),
            "rss_mb_max": round(watched.rss_bytes_max / 1_000_000),
            "ticks": len(waits),
            "tick_p50_ms": round(statistics.median(waits), 1),
            "tick_p99_ms": round(statistics.quantiles(waits, n=100)[-1], 1),
            "tick_max_ms": round(max(waits), 1),
            "naps": len(naps),
            "late_p50_ms": round(statistics.median(naps) - NAP_MS, 1),
            "late_max_ms": round(max(naps) - NAP_MS, 1),
        }


async def _all_ended(path: str, count: int) -> None:
    seen = connect_reading(path)
    while next(seen.execute(ENDED))[0] < count:  # noqa: ASYNC110  only the file says so
        await asyncio.sleep(LOOK_SECONDS)


ENDED = """
SELECT count(*) FROM executions
WHERE organization = 'default' AND status = 'completed' AND owner IS NULL
"""


if __name__ == "__main__":
    print(json.dumps(asyncio.run(flood(sys.argv[1], int(sys.argv[2])))))
