"""Engines for commands: those that work, and those that only look and tell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from perdure.cli.database import existing
from perdure.service.engine import Engine
from perdure.tasks.loading import load_all

Answer = TypeVar("Answer")


def looking(db: str | None, ask: Callable[[Engine], Awaitable[Answer]]) -> Answer:
    """What an engine answers that takes up no execution: others do that, and whoever looks must not."""
    engine = Engine(existing(db), works=False)

    async def asked() -> Answer:
        async with engine:
            return await ask(engine)

    return asyncio.run(asked())


def with_tasks(engine: Engine, tasks: Sequence[str]) -> Engine:
    """The same, with the tasks of the modules that were named."""
    if tasks:
        engine.tasks.include(load_all(tasks))
    return engine
