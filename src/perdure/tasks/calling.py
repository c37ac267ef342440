"""How a task is called: sync or async, with or without a context, values checked on the way in and out.

It raises what the task raises; `failure_of` is for whoever performs. Give it an input of its own: a task may change
what it is given.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from concurrent.futures import Executor
from typing import Any, Final

import msgspec

from perdure.expressions.canonical import DEPTH_MAX, SIZE_MAX, NotJson, canonical
from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import NonRetryable
from perdure.tasks.registry import Task

_BASES: Final[tuple[type[Any], ...]] = (str, int, float, dict, list, tuple)


class InvalidInput(NonRetryable):
    """The input is not what the task's type hints ask for."""

    category = Category.VALIDATION


class InvalidOutput(NonRetryable):
    """What the task answered cannot be written as JSON. It has run: running it again would repeat its effects."""

    category = Category.VALIDATION


async def call(task: Task, given: Json, context: TaskContext | None, executor: Executor | None = None) -> Json:
    """A function that is not async runs in a thread of `executor`, and goes on there if the call is cancelled.

    Only a task that takes a `context` needs one.
    """
    value = _read(task, given)
    arguments = (value, context) if task.takes_context else (value,)
    if task.is_async:
        answer = await task.function(*arguments)
    else:
        run = contextvars.copy_context().run
        answer = await asyncio.get_running_loop().run_in_executor(executor, run, task.function, *arguments)
        if inspect.isawaitable(answer):  # a partial of an async function, or a lambda around one
            answer = await answer
    return _plain(task, answer)


def _read(task: Task, given: Json) -> Any:
    if task.input_type is Any:
        return given
    try:
        return msgspec.convert(given, task.input_type)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"task {task.name!r} cannot take this input: {error}") from error


def _plain(task: Task, answer: Any) -> Json:
    """By way of JSON itself, so that what goes on is what will be read back: no tuples, and null for NaN."""
    try:
        encoded = msgspec.json.encode(answer, enc_hook=_base)
        plain: Json = msgspec.json.decode(encoded)
        doubtful = len(encoded) > SIZE_MAX or encoded.count(b"[") + encoded.count(b"{") > DEPTH_MAX
        return canonical(plain) if doubtful else plain
    except NotJson as error:
        raise InvalidOutput(f"task {task.name!r} answered with what cannot be kept: {error}") from error
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidOutput(
            f"task {task.name!r} answered with {type(answer).__name__}, which is not JSON: {error}"
        ) from error


def _base(value: Any) -> Json:
    """Libraries answer with subclasses of text, numbers and the like, which are JSON all the same."""
    for kind in _BASES:
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
