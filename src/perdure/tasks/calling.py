"""How a task is called: sync or async, with or without a context, values checked on the way in and out.

It raises what the task raises; `failure_of` is for whoever performs. A task may change what it is given: that is a copy.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Final

import msgspec

from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks import nodes
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import Abandoned, NonRetryable
from perdure.tasks.registry import Task
from perdure.tasks.results import Result, read_answer

ABANDONED: Final = "nobody waits for its answer any more"
"""Why a call is cancelled that still matters: as long as it may succeed, nobody knows what there is to undo."""


class InvalidInput(NonRetryable, public_name="InvalidInput"):
    """The input is not what the task's type hints ask for."""

    category = Category.VALIDATION


async def call(
    task: Task,
    given: Json,
    context: TaskContext | None,
    executor: Executor | None = None,
    abandoned: Callable[[], None] | None = None,
) -> Result:
    """A function that is not async runs in a thread of `executor`, and goes on there if the call is cancelled. If it is
    `ABANDONED`, its end is waited for all the same, and `abandoned` is told, for whoever asks there.

    Only a task that takes a `context` needs one.
    """
    is_node = task.kind == "node"
    if is_node:
        assert context is not None
        arguments: tuple[Any, ...] = (nodes.params(given, context),)
    else:
        value = _read(task, msgspec.json.decode(msgspec.json.encode(given)))
        arguments = (value, context) if task.takes_context else (value,)
    if task.is_async:
        answer = await task.function(*arguments)
    else:
        answer = await _called_in_thread(task, arguments, executor, abandoned)
    if is_node:
        assert context is not None
        return await nodes.difference(given, answer, context)
    return await read_answer(f"task {task.name!r}", answer)


async def _called_in_thread(
    task: Task, arguments: tuple[Any, ...], executor: Executor | None, abandoned: Callable[[], None] | None
) -> Any:
    began: list[bool] = []

    def begin() -> Any:
        began.append(True)
        return task.function(*arguments)

    running = asyncio.get_running_loop().run_in_executor(executor, contextvars.copy_context().run, begin)
    try:
        answer = await asyncio.shield(running)
    except asyncio.CancelledError as error:
        if not began or error.args != (ABANDONED,):  # else its worker stops, or its time is over
            running.cancel()
            raise
        answer = await _seen_through(running, abandoned)
    # A partial of an async function, or a lambda around one, is awaited here.
    return await answer if inspect.isawaitable(answer) else answer


async def _seen_through(running: asyncio.Future[Any], abandoned: Callable[[], None] | None) -> Any:
    """What becomes of a function that nobody can stop: what it has done may have to be undone."""
    if abandoned is not None:
        abandoned()
    try:
        return await asyncio.shield(running)
    except Abandoned:  # it asked, and gave up in the middle
        raise asyncio.CancelledError from None
    finally:
        running.cancel()  # if its worker stops, nobody asks what became of it any more


def _read(task: Task, given: Json) -> Any:
    if task.input_type is Any:
        return given
    try:
        return msgspec.convert(given, task.input_type)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"task {task.name!r} cannot take this input: {error}") from error
