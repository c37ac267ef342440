"""A program whose tasks work side by side, one of which kills the process at once: `neighbours.py folder`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine

NEIGHBOURS = 5
DEADLY = Workflow("deadly", (Step("kill", Task("kill")),), (Entry("kill"),))
SLOW = Workflow("slow", (Step("wait", Task("wait")),), (Entry("wait"),))


async def main(folder: Path) -> None:
    engine = Engine(f"sqlite:///{folder}/flows.db")

    @engine.task("kill")
    async def kill(given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    @engine.task("wait")
    async def wait(given: Any) -> Any:
        await asyncio.sleep(0.01)  # long enough to be there when its neighbour strikes

    async with engine:
        for workflow in (SLOW, DEADLY):
            await engine.workflows.save(workflow)
        names = [("slow", f"slow-{number}") for number in range(NEIGHBOURS)]
        starts = [engine.executions.start(name, idempotency_key=key) for name, key in (*names, ("deadly", "deadly"))]
        *slow, deadly = await asyncio.gather(*starts)
        await asyncio.gather(*(one.result() for one in slow))
        print("neighbours completed", flush=True)
        while (record := (await deadly.describe()).record).waiting is None:  # noqa: ASYNC110  another worker may park it
            await asyncio.sleep(0.01)
        print(record.waiting.kind)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
