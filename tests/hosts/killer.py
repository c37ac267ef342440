"""A program with a task that kills its own process: `killer.py folder life crashes_max`. It prints how the others do."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.testing.words import obj, x

OTHERS = 20
DEADLY = Workflow("deadly", (Step("kill", Task("kill")),), (Entry("kill"),))
PLAIN = Workflow(
    "plain",
    (Step("a", Task("work", obj(n=x("input.n"))), (Route(("b",)),)), Step("b", Task("work", obj(n=x("input.n"))))),
    (Entry("a"),),
)


async def main(folder: Path, life: int, crashes_max: int) -> None:
    engine = Engine(f"sqlite:///{folder}/flows.db", crashes_max=crashes_max)
    others_are_done = asyncio.Event()

    @engine.task("work")
    async def work(given: Any) -> Any:
        return given["n"]

    @engine.task("kill")
    async def kill(given: Any, ctx: Any) -> Any:
        with (folder / "effects").open("a") as effects:
            effects.write(f"{ctx.idempotency_key} {ctx.attempt} {os.getpid()}\n")
        await others_are_done.wait()
        if not (folder / "harmless").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return "harmless"

    async with engine:
        for workflow in (DEADLY, PLAIN):
            await engine.workflows.save(workflow)
        deadly = await engine.executions.start("deadly", idempotency_key="deadly")
        others = [await engine.executions.start("plain", {"n": number}) for number in range(OTHERS)]
        assert await asyncio.gather(*(other.result() for other in others)) == list(range(OTHERS))
        print("others completed", flush=True)
        others_are_done.set()
        if (folder / "harmless").exists():
            await deadly.retry()
        if life <= crashes_max or (folder / "harmless").exists():
            print(await deadly.result())
        else:
            print((await deadly.describe()).status)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
