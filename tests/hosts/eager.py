"""A loop whose tasks begin where they are created, as `asyncio.eager_task_factory` makes them from Python 3.12 on; and the same
for 3.11, made from the task of asyncio that is written in Python.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio import tasks
from collections.abc import Coroutine
from contextvars import Context, copy_context
from typing import Any


class _NotYet:
    """The loop, while a task is made: its first step is not scheduled, but taken."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def call_soon(self, *_: Any, **__: Any) -> None:
        pass


def _simulated(
    loop: asyncio.AbstractEventLoop,
    coro: Coroutine[Any, Any, Any],
    *,
    name: str | None = None,
    context: Context | None = None,
) -> Any:
    task: Any = tasks._PyTask(coro, loop=_NotYet(loop), name=name, context=context)  # type: ignore[attr-defined]
    task._loop = loop
    outer: Any = asyncio.current_task(loop)
    if outer is not None:
        tasks._leave_task(loop, outer)
    try:
        (context or copy_context()).run(task._Task__step)
    finally:
        if outer is not None:
            tasks._enter_task(loop, outer)
    return task


begins_at_once: Any
if sys.version_info >= (3, 12):
    begins_at_once = asyncio.eager_task_factory
else:
    begins_at_once = _simulated
