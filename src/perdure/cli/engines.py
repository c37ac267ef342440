"""Engines for commands: those that work, and those that only look and tell; and the server that is asked in place of one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from perdure.cli.database import to_look_at, to_work_on
from perdure.cli.files import near
from perdure.cli.remote import Remote
from perdure.cli.saying import refusal
from perdure.cli.where import Where
from perdure.cli.wording import shown
from perdure.errors import PerdureError, UnknownWorkflow
from perdure.expressions.wording import nearest
from perdure.service.engine import Engine
from perdure.tasks.loading import load_all
from perdure.tasks.registry import Task

Answer = TypeVar("Answer")
NAMES_MAX = 500


def looking(where: Where, ask: Callable[[Engine], Awaitable[Answer]], **options: Any) -> Answer:
    """What an engine answers that takes up no execution: others do that, and whoever looks must not."""
    return asked(chosen(where, **options), ask)


def keeping(where: Where, ask: Callable[[Engine], Awaitable[Answer]], **options: Any) -> Answer:
    """The same, of a database that is made if it is not there."""
    return asked(chosen(where, new=True, **options), ask)


def chosen(where: Where, *, new: bool = False, tasks: Sequence[str] = (), **options: Any) -> Engine:
    """The engine, or the server, that is meant. `new`: its database need not be there. The options are those of an engine."""
    server = where.at()
    if server is not None:
        return cast("Engine", Remote(server))  # what commands call is there: a test calls all of it
    known = _loaded(tasks)
    database = to_work_on(where.db) if new else to_look_at(where.db)
    engine = Engine(database.url, works=False, **options)
    engine.tasks.include(known)
    return engine


def is_remote(engine: Engine) -> bool:
    return isinstance(engine, Remote)


def asked(engine: Engine, ask: Callable[[Engine], Awaitable[Answer]]) -> Answer:
    """Start the engine, ask it, and stop it."""

    async def once() -> Answer:
        async with engine:
            return await ask(engine)

    try:
        return asyncio.run(once())
    except PerdureError as error:
        if not is_remote(engine) or not _is_unknown(error):
            raise
        # The server speaks of headers, and whoever reads it has typed a command.
        raise type(error)(f"{error}; say it with --key-file FILE, or in PERDURE_KEY or PERDURE_KEY_FILE") from error


def _is_unknown(error: PerdureError) -> bool:
    """Whether a server does not know who asks."""
    from perdure.client.errors import Unauthorized  # noqa: PLC0415  only who has asked a server has it by now

    return isinstance(error, Unauthorized)


def with_tasks(engine: Engine, tasks: Sequence[str]) -> Engine:
    """The same, with the tasks of the modules that were named."""
    engine.tasks.include(_loaded(tasks))
    return engine


def _loaded(tasks: Sequence[str]) -> Iterable[Task]:
    for each in tasks:
        if each.endswith(".py") and not Path(each).exists():
            raise refusal("no_such_file", f"{shown(each)}: there is no such file{near(Path(each))}")
    return load_all(tasks) if tasks else ()


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
