"""Where tasks begin at once, by the choice of the program that the engine is in."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hosts.eager import begins_at_once
from perdure.model.steps import EventWait, ForEach, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.testing.words import k, x

SOON = 20
"""Seconds, after which a test gives up. None of them waits for time to pass."""
ALL = Workflow(
    "all",
    (
        Step("light", Task("light", k(1)), (Route(("each",)),)),
        Step("each", Task("waits", x("item")), (Route(("paid",)),), each=ForEach(x("input"), concurrency=5)),
        Step("paid", EventWait(k("paid")), (Route(("blocks",)),)),
        Step("blocks", Task("blocks", x("steps.each.output"))),
    ),
    (Entry("light"),),
)


def engine_for(url: str) -> Engine:
    engine = Engine(url, keep_days=1)

    @engine.task("light")
    async def light(given: Any) -> Any:
        return given

    @engine.task("waits")
    async def waits(given: Any) -> Any:
        async def inner() -> Any:
            await asyncio.sleep(0)
            return given + 1

        async with asyncio.timeout(SOON):
            return await asyncio.create_task(inner())

    @engine.task("blocks")
    def blocks(given: Any) -> Any:
        return sum(given)

    return engine


@pytest.mark.parametrize("kept", ["memory", "sqlite"])
def test_all_of_it_works_where_tasks_begin_at_once(kept: str, tmp_path: Path) -> None:
    url = "memory://" if kept == "memory" else f"sqlite:///{tmp_path}/flows.db"

    async def one(engine: Engine, number: int) -> Any:
        execution = await engine.executions.start("all", [number, number])
        await engine.publish("paid")
        return await execution.result()

    async def scenario() -> None:
        asyncio.get_running_loop().set_task_factory(begins_at_once)
        async with engine_for(url) as engine:
            await engine.workflows.save(ALL)
            assert await one(engine, 0) == 2
            assert await asyncio.gather(*(one(engine, number) for number in range(50))) == [
                2 * n + 2 for n in range(50)
            ]
            cancelled = await engine.executions.start("all", [])
            await cancelled.cancel()

    asyncio.run(asyncio.wait_for(scenario(), SOON))
