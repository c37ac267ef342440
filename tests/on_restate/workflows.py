"""A workflow that takes a while, with tasks that leave a trace of every call."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from perdure.model.steps import Route, Step, Task, Timer
from perdure.model.values import Json
from perdure.model.workflow import Entry, Workflow
from perdure.tasks.context import TaskContext
from perdure.tasks.registry import Registry
from perdure.testing.words import k, obj, x

WORK_SECONDS, REST_MS = 0.3, 700


def errands() -> Workflow:
    """A task, a rest, and two more tasks."""
    work = obj(n=x("input.n"))
    return Workflow(
        "errands",
        (
            Step("go", Task("work", work), (Route(("rest",)),)),
            Step("rest", Timer(k(REST_MS)), (Route(("carry",)),)),
            Step("carry", Task("work", work), (Route(("back",)),)),
            Step("back", Task("work", work)),
        ),
        (Entry("go"),),
    )


def register(tasks: Registry, folder: Path) -> None:
    @tasks.task("work")
    async def work(given: Json, ctx: TaskContext) -> Json:
        note(folder, f"{ctx.idempotency_key} {ctx.attempt} begun")
        await asyncio.sleep(WORK_SECONDS)
        note(folder, f"{ctx.idempotency_key} {ctx.attempt} done")
        return given


def note(folder: Path, line: str) -> None:
    """One write, so that lines of several processes do not mix."""
    descriptor = os.open(folder / "calls", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def notes(folder: Path) -> list[str]:
    path = folder / "calls"
    return path.read_text().splitlines() if path.exists() else []
