"""Performing what the engine asks for: calling tasks, and saying what became of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from perdure.clock import now_ms as wall_ms
from perdure.core.commands import PerformTask
from perdure.core.events import TaskCheckpointed, TaskCompleted, TaskFailed
from perdure.expressions.wording import nearest
from perdure.hosts.attempts import Attempt
from perdure.hosts.threads import Threads
from perdure.hosts.vault import NoSecret
from perdure.model.executors import NODE
from perdure.model.failure import Category, Failure, refusal
from perdure.model.values import Json
from perdure.runtime.calls import TaskNotHere
from perdure.runtime.ports import TaskEvent
from perdure.tasks.about import about, begin
from perdure.tasks.calling import call
from perdure.tasks.checkpoints import Checkpoints
from perdure.tasks.context import LOGGER_NAME, Published, TaskContext
from perdure.tasks.failing import NonRetryable, Retryable, failure_of
from perdure.tasks.logged import listen
from perdure.tasks.offload import ORGANIZATION, run_by_size
from perdure.tasks.redaction import Redactor, hiding
from perdure.tasks.registry import Registry, Task, in_words, save_again
from perdure.tasks.results import InvalidOutput, Result, usage_of
from perdure.tasks.sealed import Filled

THREADS_MAX = 32

UnknownTasks: TypeAlias = Literal["wait", "fail", "fail_own"]
"""What becomes of a call of a task that is not here:

wait      it waits for a worker that has it
fail      it fails at once, of what was started here and of what that starts in turn: nobody else uses this database
fail_own  it fails at once, of what was started here alone: what that starts was saved, and a worker of others may have it

What others left in the database waits for its worker in any case.
"""


class Fill(Protocol):
    """The input of a call with its secrets in it, for the organization of the execution. Raises `NoSecret`."""

    async def __call__(self, execution: str, step: str, given: Json, sealed: Mapping[str, Any], /) -> Filled: ...


class FailsUnknown(Protocol):
    """Whether an execution fails because the task that it calls by this name is not here; otherwise it waits for a worker."""

    async def __call__(self, execution: str, task: str, /) -> bool: ...


class Connected(Protocol):
    """The tool of a connection that an execution calls by this name, as a task; None if there is none here."""

    async def __call__(self, execution: str, name: str, /) -> Task | None: ...


class Performer:
    """Calls the tasks of a registry, and the tools of connections that no task stands in for. Functions that are not async run in
    threads. `watchers` are told what tasks publish.
    """

    def __init__(
        self,
        registry: Registry,
        watchers: list[Callable[[Published], object]],
        now: Callable[[], int] = wall_ms,
    ) -> None:
        self._registry, self._watchers, self._now = registry, watchers, now
        self._organization: Callable[[str], str] = lambda _: ""
        self._threads: Threads | None = None
        self._checkpoint: Callable[[str, TaskCheckpointed], Coroutine[Any, Any, None]] | None = None
        self._fails: FailsUnknown | None = None
        self._fill: Fill | None = None
        self._connected: Connected | None = None
        self._logger = logging.getLogger(LOGGER_NAME)

    def open(
        self,
        checkpoint: Callable[[str, TaskCheckpointed], Coroutine[Any, Any, None]],
        fails: FailsUnknown | None,
        fill: Fill,
        connected: Connected,
        organization: Callable[[str], str] = lambda _: "",
    ) -> None:
        """`checkpoint` has a part of a task durable when it is done. `fails` says whether an execution fails if its task is
        unknown; None: all of them wait. `fill` has the secrets, `connected` the tools. `organization` returns that of an
        execution that is held here.
        """
        self._fails, self._fill, self._connected, self._organization = fails, fill, connected, organization

        def calling() -> str:
            attempt = about()
            return "" if attempt is None else organization(attempt.execution_id)

        self._threads = Threads(THREADS_MAX, "perdure-task", calling)
        self._checkpoint = checkpoint

    def close(self) -> None:
        """Functions that still run in threads go on until their next heartbeat; nobody waits for them."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def perform(self, execution: str, command: PerformTask) -> TaskEvent:
        begin(execution, command.step, command.attempt)
        ORGANIZATION.set(self._organization(execution))
        task = self._registry.called(command.task) or await self._tool(execution, command.task)
        if task is None:
            if self._fails is not None and await self._fails(execution, command.task):
                return TaskFailed(self._now(), command.op, command.attempt, unknown(command.task, self._registry))
            raise TaskNotHere(command.task)
        if command.sealed is not None:
            return await self._with_secrets(execution, command, task)
        try:
            if task.takes_context or command.timeout_ms is not None or task.heartbeat_seconds is not None:
                answer = await self._attempted(execution, command, task, command.input, None)
            else:
                answer = await call(task, command.input, None, self._threads)
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a task raises is its failure
            return self._failed(command, error, None)
        return self._completed(command, answer)

    async def has(self, execution: str, name: str) -> bool:
        """Whether it could be called here."""
        return self._registry.called(name) is not None or await self._tool(execution, name) is not None

    async def _tool(self, execution: str, name: str) -> Task | None:
        return None if self._connected is None or "/" not in name else await self._connected(execution, name)

    async def _with_secrets(self, execution: str, command: PerformTask, task: Task) -> TaskEvent:
        """They are filled in now, for this call, and nothing that comes of it has them."""
        assert self._fill is not None
        try:
            filled = await self._fill(execution, command.step, command.input, command.sealed)
        except NoSecret as error:
            return TaskFailed(self._now(), command.op, command.attempt, error.failure)
        except Exception as error:  # noqa: BLE001  nothing was called, and whoever waits is told
            return self._failed(command, error, None)
        listen()
        redactor = filled.redactor
        with hiding(redactor):
            try:
                answer = await self._attempted(execution, command, task, filled.given, redactor)
                size = len(msgspec.json.encode((answer.data, answer.meta)))
                answer = await run_by_size(size, partial(without_secrets, answer, redactor))
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a task raises is its failure
                return self._failed(command, error, redactor)
        return self._completed(command, answer)

    async def _attempted(
        self, execution: str, command: PerformTask, task: Task, given: Json, redactor: Redactor | None
    ) -> Result:
        """Within its time, and with a context that knows of it."""
        what = f"the {in_words(command.task)} of step {command.step!r}"
        attempt = Attempt(what, command.timeout_ms, task.heartbeat_seconds)
        if not task.takes_context:
            async with attempt:
                return await call(task, given, None, self._threads)
        loop = asyncio.get_running_loop()
        keep = partial(self._keep, execution, command, redactor)
        checkpoints = Checkpoints(command.checkpoints, keep, loop, self._threads, attempt.heard)
        context = TaskContext(
            execution,
            command.step,
            command.attempt,
            command.key,
            self._logger,
            on_heartbeat=attempt.heard,
            on_published=partial(self._published, loop, redactor),
            checkpoints=checkpoints,
            setup=command.setup,
            now_ms=self._now,
        )
        try:
            async with attempt:
                return await call(task, given, context, self._threads, attempt.abandon)
        finally:
            checkpoints.close()

    async def _keep(
        self, execution: str, command: PerformTask, redactor: Redactor | None, name: str, n: int, value: Json
    ) -> None:
        assert self._checkpoint is not None
        if redactor is not None:
            value = await run_by_size(len(msgspec.json.encode(value)), partial(redactor.value, value))
        await self._checkpoint(execution, TaskCheckpointed(self._now(), command.op, command.attempt, name, n, value))

    def _published(self, loop: asyncio.AbstractEventLoop, redactor: Redactor | None, told: Published) -> None:
        """From any thread. Whoever watches is told in the loop of the engine, if it is still there."""
        if redactor is not None:
            channel = None if told.channel is None else redactor.text(told.channel)
            told = replace(told, data=redactor.value(told.data), channel=channel)
        fields = {"execution_id": told.execution_id, "step": told.step, "attempt": told.attempt, "data": told.data}
        self._logger.info("step %r published on %s", told.step, told.channel or "no channel", extra=fields)
        if self._watchers and not loop.is_closed():
            loop.call_soon_threadsafe(self._tell, told)

    def _tell(self, told: Published) -> None:
        for watcher in tuple(self._watchers):
            try:
                watcher(told)
            except Exception:
                self._logger.exception("whoever watches step %r could not be told what it published", told.step)

    def _completed(self, command: PerformTask, answer: Result) -> TaskCompleted:
        usage = tuple(answer.usage.items()) if answer.usage else ()
        return TaskCompleted(self._now(), command.op, command.attempt, answer.data, answer.port, answer.meta, usage)

    def _failed(self, command: PerformTask, error: Exception | SystemExit, redactor: Redactor | None) -> TaskFailed:
        if isinstance(error, SystemExit):  # of a task, not of this program
            error = RuntimeError(f"the task asked the program to exit with {error.code!r}")
        failure = failure_of(error) if redactor is None else redactor.failure(failure_of(error, redactor.text))
        return TaskFailed(self._now(), command.op, command.attempt, failure, tuple(_spent(command, error).items()))


def _spent(command: PerformTask, error: Exception) -> dict[str, int]:
    """What was spent all the same. What is no usage is left out: the failure is what has to be told."""
    given = error.usage if isinstance(error, NonRetryable | Retryable) else None
    try:
        return usage_of(f"task {command.task!r}", given) or {}
    except InvalidOutput:
        return {}


def without_secrets(answer: Result, redactor: Redactor) -> Result:
    port = None if answer.port is None else redactor.text(answer.port)
    return Result(redactor.value(answer.data), port, redactor.value(answer.meta), answer.usage)


def is_tool(name: str) -> bool:
    """Whether it names a tool of a connection, which can be added while the engine runs."""
    return "/" in name and not name.startswith(NODE)


def unknown(name: str, registry: Registry) -> Failure:
    """Of a task that nobody has registered, where nobody else may have it."""
    is_node = name.startswith(NODE)
    connection, _, tool = name.partition("/")
    if tool and is_tool(name):
        return _no_connection(name, connection, tool, registry)
    known = [each.removeprefix(NODE) for each in registry.names() if each.startswith(NODE) == is_node]
    short = name.removeprefix(NODE)
    declared = f"@node({short!r})" if is_node else f"@task({short!r})"
    return refusal(
        f"there is no {in_words(name)} here{nearest(short, known) or ';'} "
        f"declare it with {declared} in a Python file, and give that by --tasks FILE.py{save_again(name)}",
        code="UNKNOWN_TASK",
        category=Category.PERMANENT,
    )


def _no_connection(name: str, connection: str, tool: str, registry: Registry) -> Failure:
    return refusal(
        f"there is no task {name!r} here, and no connection {connection!r} with a tool {tool!r}"
        f"{nearest(name, registry.names()) or ';'} give the connection by --connections FILE, or add it with "
        f"`perdure connections add {connection} URL`, or declare @task({tool!r}, connection={connection!r}) in a Python file, "
        "and give that by --tasks FILE.py",
        code="UNKNOWN_TASK",
        category=Category.PERMANENT,
    )
