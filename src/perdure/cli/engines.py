"""Engines for commands: those that work, and those that only look and tell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from perdure.cli.database import to_look_at
from perdure.cli.files import near
from perdure.cli.saying import refusal
from perdure.cli.wording import shown
from perdure.errors import UnknownWorkflow
from perdure.expressions.wording import nearest
from perdure.service.engine import Engine
from perdure.tasks.loading import load_all

Answer = TypeVar("Answer")
NAMES_MAX = 500


def looking(db: str | None, ask: Callable[[Engine], Awaitable[Answer]]) -> Answer:
    """What an engine answers that takes up no execution: others do that, and whoever looks must not."""
    return asked(Engine(to_look_at(db).url, works=False), ask)


def asked(engine: Engine, ask: Callable[[Engine], Awaitable[Answer]]) -> Answer:
    """Start the engine, ask it, and stop it."""

    async def once() -> Answer:
        async with engine:
            return await ask(engine)

    return asyncio.run(once())


def with_tasks(engine: Engine, tasks: Sequence[str]) -> Engine:
    """The same, with the tasks of the modules that were named."""
    for each in tasks:
        if each.endswith(".py") and not Path(each).exists():
            raise refusal("no_such_file", f"{shown(each)}: there is no such file{near(Path(each))}")
    if tasks:
        engine.tasks.include(load_all(tasks))
    return engine


def by_name(
    ref: str, organization: str, ask: Callable[[Engine], Awaitable[Answer]]
) -> Callable[[Engine], Awaitable[Answer]]:
    """The same question about a workflow; if there is none such, with the name that was perhaps meant."""

    async def ask_by_name(engine: Engine) -> Answer:
        try:
            return await ask(engine)
        except UnknownWorkflow as error:
            page = await engine.workflows.list(organization=organization, limit=NAMES_MAX)
            names = [item.name for item in page.items]
            near = nearest(ref, names) if ref not in names else ""
            raise UnknownWorkflow(f"{error}{near}") from error

    return ask_by_name
