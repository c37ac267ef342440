"""Performing what the engine asks for: calling tasks, and saying what became of them."""

from __future__ import annotations

import logging

import msgspec

from perdure.core.commands import PerformTask
from perdure.core.events import TaskCompleted, TaskFailed
from perdure.hosts.attempts import Attempt
from perdure.hosts.threads import Threads
from perdure.model.values import Json
from perdure.runtime.calls import TaskNotHere
from perdure.runtime.ports import TaskEvent
from perdure.runtime.shell import now_ms
from perdure.tasks.calling import call
from perdure.tasks.context import LOGGER_NAME, TaskContext
from perdure.tasks.failing import failure_of
from perdure.tasks.registry import Registry, Task

THREADS_MAX = 32


class Performer:
    """Calls the tasks of a registry. Functions that are not async run in threads."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._threads: Threads | None = None
        self._logger = logging.getLogger(LOGGER_NAME)

    def open(self) -> None:
        self._threads = Threads(THREADS_MAX, "perdure-task")

    def close(self) -> None:
        """Functions that still run in threads go on until their next heartbeat; nobody waits for them."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def perform(self, execution: str, command: PerformTask) -> TaskEvent:
        task = self._registry.find(command.task)
        if task is None:
            raise TaskNotHere(command.task)
        try:
            fresh = msgspec.json.decode(msgspec.json.encode(command.input))  # a task may change what it is given
            if task.takes_context or command.timeout_ms is not None or task.heartbeat_seconds is not None:
                answer = await self._attempted(execution, command, task, fresh)
            else:
                answer = await call(task, fresh, None, self._threads)
        except SystemExit as error:  # of a task, not of this program
            ended = RuntimeError(f"the task asked the program to exit with {error.code!r}")
            return TaskFailed(now_ms(), command.op, command.attempt, failure_of(ended))
        except Exception as error:  # noqa: BLE001  whatever a task raises is its failure
            return TaskFailed(now_ms(), command.op, command.attempt, failure_of(error))
        return TaskCompleted(now_ms(), command.op, command.attempt, answer)

    async def _attempted(self, execution: str, command: PerformTask, task: Task, given: Json) -> Json:
        """Within its time, and with a context that knows of it."""
        attempt = Attempt(command.timeout_ms, task.heartbeat_seconds)
        context = TaskContext(
            execution, command.step, command.attempt, command.key, self._logger, on_heartbeat=attempt.heard
        )
        async with attempt:
            return await call(task, given, context, self._threads)
