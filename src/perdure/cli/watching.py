"""An execution, while somebody looks: its steps as they go on, and at the end what became of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Protocol, Self

import msgspec

from perdure.cli.lines import PlainLines
from perdure.clock import now_ms
from perdure.service.engine import Engine
from perdure.service.execution import Execution
from perdure.service.history import HistoryEntry
from perdure.service.progress import Progress
from perdure.tasks.context import Published


class Screen(Protocol):
    """Where the steps are shown."""

    def take(self, entry: HistoryEntry) -> None: ...

    def published(self, step: str, note: str, at: int) -> None: ...


async def watched(engine: Engine, execution: Execution, name: str, *, seconds_max: float | None, quiet: bool) -> bool:
    """Show the steps of an execution until it ends or waits for somebody; False if the time ran out before."""
    with _screen(name, Progress(now_ms()), quiet=quiet) as screen, _listening(engine, execution.id, screen):
        try:
            async with asyncio.timeout(seconds_max):
                async for entry in execution.watch():
                    screen.take(entry)
        except TimeoutError:
            return False
    return True


@contextmanager
def _listening(engine: Engine, execution: str, screen: Screen) -> Iterator[None]:
    """What tasks publish while they run is told as well, if they run here."""

    def tell(told: Published) -> None:
        if told.execution_id == execution:
            note = told.data if isinstance(told.data, str) else msgspec.json.encode(told.data).decode()
            screen.published(told.step, note, now_ms())

    engine.on_published.append(tell)
    try:
        yield
    finally:
        engine.on_published.remove(tell)


def _screen(name: str, progress: Progress, *, quiet: bool) -> AbstractContextManager[Screen]:
    if quiet:
        return Nothing()
    if sys.stdout.isatty() and sys.stdout.encoding.lower().replace("-", "") == "utf8":
        live: AbstractContextManager[Screen] = import_module("perdure.cli.live").LiveTree(
            name, progress
        )  # rich takes its time
        return live
    return PlainLines(progress)


class Nothing:
    """Shows nothing: a program reads."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def take(self, entry: HistoryEntry) -> None:
        """There is nobody to tell."""

    def published(self, step: str, note: str, at: int) -> None:
        """The same."""
