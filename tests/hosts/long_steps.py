"""A program with five executions in a step of ten minutes, until something kills it: `long_steps.py folder`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine

LONG = 5
SLOW = Workflow("slow", (Step("wait", Task("wait")),), (Entry("wait"),))


async def main(folder: Path) -> None:
    engine, begun = Engine(f"sqlite:///{folder}/flows.db"), asyncio.Event()

    @engine.task("wait")
    async def wait(given: Any) -> Any:
        begun.set()
        await asyncio.sleep(600)

    async with engine:
        await engine.workflows.save(SLOW)
        for number in range(LONG):
            await engine.executions.start("slow", idempotency_key=str(number))
        await begun.wait()
        print("a step has begun", flush=True)
        await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
