"""An execution, while somebody looks: its steps as they go on, and at the end what became of it."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Protocol

from perdure.cli.lines import PlainLines
from perdure.cli.tree import Entry, Tree
from perdure.runtime.shell import now_ms
from perdure.service.execution import Execution

class Screen(Protocol):
    """Where the steps are shown."""

    def take(self, entry: Entry) -> None: ...


async def watched(execution: Execution, name: str, *, timeout: float | None, quiet: bool) -> bool:
    """Show the steps of an execution until it ends or waits for somebody; False if the time ran out before."""
    tree = Tree(name, now_ms())
    with _screen(tree, quiet=quiet) as screen:
        try:
            async with asyncio.timeout(timeout):
                async for entry in execution.watch():
                    screen.take(entry)
        except TimeoutError:
            return False
    return True


def _screen(tree: Tree, *, quiet: bool) -> AbstractContextManager[Screen]:
    if quiet:
        return Nothing()
    if sys.stdout.isatty() and sys.stdout.encoding.lower().replace("-", "") == "utf8":
        live: AbstractContextManager[Screen] = import_module("perdure.cli.live").LiveTree(tree)  # rich takes its time
        return live
    return PlainLines(tree)


class Nothing:
    """Shows nothing: a program reads."""

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def take(self, entry: Entry) -> None:
        """There is nobody to tell."""
