"""How the speed of transforms is measured, for the suite and for `bench/transforms.py`."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from pathlib import Path
from statistics import median
from typing import Any

from perdure import Engine
from perdure.model.executors import TRANSFORM
from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.tasks.sandbox import Sandbox
from perdure.testing.words import x

SHOUT = "const $default = ({ items }) => ({ items: items.map((item) => item.toUpperCase()) })"
GIVEN = {"items": ["apples", "pears", "plums"]}
CALLERS = 8
STEPS = 20


def is_busy() -> bool:
    """Whether others have the machine as well: then what the clock says is not about us."""
    return os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


async def per_second(count: int) -> tuple[float, float]:
    """Small transforms through the children of one sandbox, asked for by a few at once: by the clock, and as many as the CPU that
    they took would do on two cores.
    """
    sandbox, before = Sandbox(), _cpu_seconds()

    async def ask(calls: int) -> None:
        for _ in range(calls):
            await sandbox.run(SHOUT, GIVEN, organization="acme", timeout_ms=10_000)

    try:
        await asyncio.gather(*(ask(50) for _ in range(CALLERS)))
        began = time.perf_counter()
        await asyncio.gather(*(ask(count // CALLERS) for _ in range(CALLERS)))
        rate = count / (time.perf_counter() - began)
    finally:
        await sandbox.close()
    return rate, 2 * (count + 50 * CALLERS) / (_cpu_seconds() - before)


def _cpu_seconds() -> float:
    """Of this process, and of the children that it has seen end."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


async def latencies_ms(count: int) -> list[float]:
    """Of one after the other, sorted."""
    sandbox, spent = Sandbox(), []
    try:
        for _ in range(count + 20):
            began = time.perf_counter()
            await sandbox.run(SHOUT, GIVEN, organization="acme", timeout_ms=10_000)
            spent.append(1_000 * (time.perf_counter() - began))
        return sorted(spent[20:])
    finally:
        await sandbox.close()


async def added_ms(database: Path, executions: int) -> tuple[float, float]:
    """What a step takes in an engine on SQLite, at the median: with an async task in Python, and with a transform. The two take
    turns, so that whatever else the machine does slows down both.
    """
    async with Engine(f"sqlite:///{database}") as engine:

        @engine.task("shout")
        async def shout(given: Any) -> Any:
            return {"items": [item.upper() for item in given["items"]]}

        await engine.workflows.save(_sequence("plain", Task("shout", x("last.output ?? input"))))
        await engine.workflows.save(
            _sequence("transform", Task(TRANSFORM, x("last.output ?? input"), setup={"code": SHOUT}))
        )
        spent: dict[str, list[float]] = {"plain": [], "transform": []}
        for number in range(executions):
            for name, times in spent.items():
                began = time.perf_counter()
                await (await engine.executions.start(name, GIVEN)).result()
                if number >= executions // 10:
                    times.append(1_000 * (time.perf_counter() - began) / STEPS)
        return median(spent["plain"]), median(spent["transform"])


def _sequence(name: str, work: Task) -> Workflow:
    steps = [Step(f"s{at}", work, (Route((f"s{at + 1}",)),)) for at in range(STEPS - 1)]
    return Workflow(name, (*steps, Step(f"s{STEPS - 1}", work)), (Entry("s0"),))
