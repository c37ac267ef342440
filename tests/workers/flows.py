"""What the workers of these tests do: a bit of everything that needs nobody else. What number `n` comes to follows from `n` alone."""

from __future__ import annotations

import asyncio
from typing import Any

from hosts.shop import ORDER, PART, ROUND
from perdure.service.engine import Engine
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import NonRetryable

FLOWS = (PART, ORDER, ROUND)


def register(engine: Engine) -> None:
    @engine.task("work")
    async def work(given: Any) -> Any:
        await asyncio.sleep(0.002)
        return given["n"] * 2

    @engine.task("threaded")
    def threaded(given: Any) -> Any:
        return given["n"] + 1

    @engine.task("flaky")
    async def flaky(given: Any, ctx: TaskContext) -> Any:
        if given["n"] % 3 == 0 and ctx.attempt == 1:
            raise ConnectionError("not at home")
        return given["n"]

    @engine.task("refuse")
    async def refuse(given: Any) -> Any:
        raise NonRetryable(f"no {given['n']}")
