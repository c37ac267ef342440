"""Short words for engines and workflows of these tests. The engine is a real one, on a loop and a file of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from perdure.model.steps import Approval, Child, EventWait, Retry, Route, Step, Task, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine, Execution
from perdure.testing.words import k, obj, x

SOON = 20
"""Seconds, after which a test gives up. None of them waits for time to pass."""

HOUR_MS = 3_600_000


def adding(engine: Engine) -> Engine:
    @engine.task("add")
    async def add(given: Any) -> Any:
        return given["n"] + 1

    return engine


def sequence(count: int = 3, name: str = "sequence", **more: Any) -> Workflow:
    """Steps s0, s1, … that each add one."""
    work = Task("add", obj(n=x("last.output ?? input.n")))
    steps = [Step(f"s{number}", work, (Route((f"s{number + 1}",)),)) for number in range(count - 1)]
    return Workflow(name, (*steps, Step(f"s{count - 1}", work)), (Entry("s0"),), **more)


def one(step: Step, name: str = "one", **more: Any) -> Workflow:
    return Workflow(name, (step,), (Entry(step.id),), **more)


NAP = one(Step("nap", Timer(k(HOUR_MS))), "nap")
ASK = one(Step("ask", Approval(obj(sum=x("input.n")))), "ask")
PAID = one(Step("paid", EventWait(k("order.paid"))), "paid")
PARENT = one(Step("call", Child(k("ask"), x("input"))), "parent")
FLAKY = one(Step("try", Task("break", retry=Retry(3, delay_ms=HOUR_MS, delay_max_ms=HOUR_MS, jitter=0))), "flaky")
BROKEN = one(Step("try", Task("break")), "broken")


def breaking(engine: Engine) -> Engine:
    @engine.task("break")
    async def broken(given: Any) -> Any:
        raise ValueError("out of order")

    return engine


async def begun(engine: Engine, workflow: Workflow, given: Any = None, **more: Any) -> Execution:
    organization = more.get("organization", "default")
    await engine.workflows.save(workflow, organization)
    return await engine.executions.start(workflow.name, given, **more)


async def until(asked: Callable[[], Awaitable[Any]]) -> Any:
    """As soon as it says yes."""
    while True:
        found = await asked()
        if found:
            return found
        await asyncio.sleep(0.005)


async def waiting(execution: Execution) -> Any:
    """Its record, as soon as it waits."""

    async def asked() -> Any:
        record = (await execution.describe()).record
        return record if record.waiting is not None else None

    return await until(asked)


def running(scenario: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await asyncio.wait_for(scenario(), SOON)

    asyncio.run(whole())
