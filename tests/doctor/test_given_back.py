"""A worker that stops in the middle of a task gives the execution back; there is nothing wrong with that."""

from __future__ import annotations

import asyncio
from typing import Any

from doctor.patients import Patient
from perdure import Engine
from perdure.clock import now_ms
from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow

SLOW = Workflow("slow", (Step("nap", Task("nap")),), (Entry("nap"),))


def test_what_was_given_back_in_the_middle_of_a_task_is_healthy(blank: Patient) -> None:
    engine = Engine(blank.url)
    begun = asyncio.Event()

    @engine.task("nap")
    async def nap(given: Any) -> None:
        begun.set()
        await asyncio.sleep(3_600)

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(SLOW)
            await engine.executions.start("slow")
            await begun.wait()

    asyncio.run(scenario())
    report = blank.examined(now=now_ms(), alive=None)
    assert report.broken == ()
    assert {one.complaint.check for one in report.attention} <= {"overdue"}
