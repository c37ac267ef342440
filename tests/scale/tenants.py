"""A program of its own: one organization starts many executions at one moment, and fifty others start one now and then.

tenants.py URL COUNT ROLE [REF]

`floods`: it starts COUNT executions, and measures the others until those have ended. `serves`: the same, but it runs
nothing: a worker has to. `works`: it only runs what there is, and ends when its standard input does. REF is
the id of one workflow, or the name of another one.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from typing import Any

from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.testing.words import k

OTHERS = [f"other-{number}" for number in range(50)]
FLOOD = "flood"
PAUSE_SECONDS = 0.2
PAIR = Workflow(
    "pair",
    (Step("first", Task("light", k({"n": 1})), (Route(("second",)),)), Step("second", Task("light", k({"n": 2})))),
    (Entry("first"),),
)
NAMED = {
    "name": "Named pair",
    "nodes": [{"id": name, "type": "SET", "data": {"values": {"n": 1}}} for name in ("first", "second")],
    "connections": [{"fromNodeId": "first", "toNodeId": "second"}],
}
"""What it is called is not its id, and is asked for with each start."""


async def light(given: Any) -> Any:
    return given


class Measured:
    """What the other organizations have seen."""

    def __init__(self, engine: Engine, ref: str) -> None:
        self.engine, self.ref = engine, ref
        self.over = asyncio.Event()
        self.acknowledged_ms: list[float] = []
        self.ended_ms: list[float] = []

    async def start_again_and_again(self, organization: str) -> None:
        while not self.over.is_set():
            began = time.perf_counter()
            execution = await self.engine.executions.start(self.ref, organization=organization)
            self.acknowledged_ms.append(1_000 * (time.perf_counter() - began))
            await execution.result()
            self.ended_ms.append(1_000 * (time.perf_counter() - began))
            await asyncio.sleep(PAUSE_SECONDS)


def p99(values: list[float]) -> float:
    return round(sorted(values)[int(0.99 * len(values))], 1)


async def measure(engine: Engine, count: int, ref: str) -> dict[str, Any]:
    for organization in (FLOOD, *OTHERS):
        await engine.workflows.save(PAIR if ref == PAIR.name else NAMED, organization=organization)
        await (await engine.executions.start(ref, organization=organization)).result()
    gc.collect()
    began, cpu = time.perf_counter(), time.process_time()
    starting = asyncio.gather(*(engine.executions.start(ref, organization=FLOOD) for _ in range(count)))
    await asyncio.sleep(0)  # the program itself keeps the loop while it asks for them
    asked = time.perf_counter() - began
    gc.freeze()  # they are of the program
    measured = Measured(engine, ref)
    others = asyncio.gather(*(measured.start_again_and_again(organization) for organization in OTHERS))
    started = await starting
    seconds = time.perf_counter() - began
    cpu_part = (time.process_time() - cpu) / seconds
    await asyncio.gather(*(execution.result() for execution in started[:: max(count // 20, 1)]))
    drained = time.perf_counter() - began
    measured.over.set()
    await others
    return {
        "acknowledged": len({execution.id for execution in started if execution.created}),
        "asked_seconds": round(asked, 2),
        "flood_seconds": round(seconds, 2),
        "drained_seconds": round(drained, 2),
        "cpu_part": round(cpu_part, 2),
        "starts": len(measured.acknowledged_ms),
        "acknowledged_p50_ms": round(sorted(measured.acknowledged_ms)[len(measured.acknowledged_ms) // 2], 1),
        "acknowledged_p99_ms": p99(measured.acknowledged_ms),
        "ended_p99_ms": p99(measured.ended_ms),
    }


async def run(url: str, count: int, role: str, ref: str = "pair") -> None:
    engine = Engine(url, works=role != "serves")
    engine.task("light")(light)
    async with engine:
        if role == "works":
            print("ready", flush=True)
            await asyncio.to_thread(sys.stdin.read)
        else:
            print(json.dumps(await measure(engine, count, ref)))


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
