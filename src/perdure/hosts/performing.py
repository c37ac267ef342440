"""Calling the user's tasks: coroutines in the loop, plain functions in threads, both bounded."""

from __future__ import annotations

import asyncio
import inspect
import logging
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

from msgspec import Struct

from perdure.core.commands import PerformTask
from perdure.core.events import TaskCompleted, TaskFailed
from perdure.model.failure import Category, Failure
from perdure.runtime.ports import TaskEvent
from perdure.runtime.shell import now_ms
from perdure.store.canonical import NotJson, canonical

TaskFunction: TypeAlias = Callable[..., Any]
THREADS_MAX = 32
STACK_MAX = 4_000


class TaskContext(Struct, frozen=True):
    """What a task is told beside its input. Every attempt of one step carries the same idempotency key."""

    execution_id: str
    step: str
    attempt: int
    idempotency_key: str
    logger: logging.Logger


class Performer:
    """The tasks of one process."""

    def __init__(self) -> None:
        self._tasks: dict[str, tuple[TaskFunction, bool, int]] = {}
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        """Who waits for a task that nobody has registered yet."""
        self._threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="perdure-task")

    def add(self, name: str, function: TaskFunction) -> None:
        if name in self._tasks:
            raise ValueError(f"there are two tasks named {name!r}")
        takes = len(inspect.signature(function).parameters)
        if not 1 <= takes <= len(("input", "ctx")):
            raise ValueError(f"task {name!r} takes (input) or (input, ctx), not {takes} arguments")
        self._tasks[name] = (function, inspect.iscoroutinefunction(function), takes)
        for waiting in self._waiting.pop(name, ()):
            waiting.set_result(None)

    async def perform(self, execution: str, command: PerformTask) -> TaskEvent:
        if command.task not in self._tasks:
            await self._registered(execution, command.task)
        function, is_async, takes = self._tasks[command.task]
        try:
            if takes == 1:
                given: tuple[Any, ...] = (command.input,)
            else:
                logger = logging.getLogger(f"perdure.tasks.{command.task}")
                given = (command.input, TaskContext(execution, command.step, command.attempt, command.key, logger))
            if is_async:
                answer = await function(*given)
            else:
                answer = await asyncio.get_running_loop().run_in_executor(self._threads, function, *given)
            return TaskCompleted(now_ms(), command.op, command.attempt, canonical(answer))
        except NotJson as error:
            failure = Failure(f"task {command.task!r}: {error}", Category.VALIDATION, "NOT_JSON", retriable=False)
        except Exception as error:  # noqa: BLE001  whatever a task raises is its failure
            failure = failure_of(error)
        return TaskFailed(now_ms(), command.op, command.attempt, failure)

    async def _registered(self, execution: str, task: str) -> None:
        """Until somebody has registered the task."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(task, []).append(waiting)
        logging.getLogger("perdure").warning("execution %s waits for a worker with task %r", execution, task)
        await waiting

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def failure_of(error: Exception) -> Failure:
    name = type(error).__name__
    stack = "".join(traceback.format_exception(error))[-STACK_MAX:]
    retriable = bool(getattr(error, "retriable", True))
    return Failure(str(error) or name, Category.UNKNOWN, getattr(error, "code", None), retriable, None, stack, name)
