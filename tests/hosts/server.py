"""A program that works until it is told to end: `server.py folder grace_seconds threaded`. It says when all of its tasks run."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine

SHORT, LONG, THREADED = (
    Workflow(name, (Step("a", Task(name), (Route(("b",)),)), Step("b", Task("after"))), (Entry("a"),))
    for name in ("short", "long", "threaded")
)
EACH = 5


async def main(folder: Path, grace_seconds: float, kinds: list[str]) -> None:
    engine = Engine(f"sqlite:///{folder}/flows.db", crashes_max=1)
    told, all_run = asyncio.Event(), asyncio.Barrier(len(kinds) * EACH + 1)
    loop = asyncio.get_running_loop()

    @engine.task("short")
    async def short(given: Any) -> Any:
        await all_run.wait()
        await told.wait()
        return "short"

    @engine.task("long")
    async def long(given: Any) -> Any:
        await all_run.wait()
        await asyncio.Event().wait()

    @engine.task("threaded")
    def threaded(given: Any) -> Any:
        asyncio.run_coroutine_threadsafe(all_run.wait(), loop)
        threading.Event().wait(60)

    @engine.task("after")
    async def after(given: Any) -> Any:
        raise AssertionError("nothing more is begun")

    async with engine:
        for workflow in (SHORT, LONG, THREADED):
            await engine.workflows.save(workflow)
        for kind in kinds:
            for number in range(EACH):
                await engine.executions.start(kind, idempotency_key=f"{kind}-{number}")
        await all_run.wait()
        serving = asyncio.create_task(engine.serve(grace_seconds))
        await asyncio.sleep(0)  # from now on it listens
        print("all run", flush=True)
        await serving
        told.set()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
