"""Attempts, and the calls that leave while they last: told by the process that makes them."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Protocol

from perdure import clock
from perdure.core.commands import PerformTask
from perdure.core.events import TaskFailed
from perdure.errors import PerdureError
from perdure.hosts.tracing.ids import Place, span_id
from perdure.hosts.tracing.spans import (
    ATTEMPT,
    ATTEMPT_SPAN,
    EXECUTION,
    OPERATION,
    STATUS,
    STEP,
    Attribute,
    Emit,
    Span,
    error_type,
)
from perdure.hosts.tracing.whereabouts import Traces, Whereabouts
from perdure.runtime.calls import Perform, TaskNotHere
from perdure.runtime.ports import TaskEvent
from perdure.tasks.failing import name_of
from perdure.tasks.outbound import WATCHING

MADE_MAX = 50_000


class Enter(Protocol):
    """Whatever code of others traces, in this context, from here on, is below this span."""

    def __call__(self, place: Place, /) -> None: ...


class Attempting:
    """Performs as `perform` does, and tells of it."""

    def __init__(self, perform: Perform, traces: Traces, emit: Emit, enter: Enter) -> None:
        self._perform, self._traces, self._emit, self._enter = perform, traces, emit, enter
        self._made: dict[tuple[str, int, int], None] = {}
        """The last that were made here."""

    def made_here(self, execution: str, op: int, attempt: int) -> bool:
        return (execution, op, attempt) in self._made

    async def perform(self, execution: str, command: PerformTask) -> TaskEvent:
        try:
            where = await self._traces.of(execution)
        except PerdureError:  # the database is away: that it cannot be traced is no reason not to do it
            return await self._perform(execution, command)
        place = Place(where.place.trace, span_id(execution, command.op, command.attempt), where.place.sampled)
        self._enter(place)
        WATCHING.set(Calls(execution, command, place, self._emit))
        begun_at = clock.wall_ns()
        try:
            event = await self._perform(execution, command)
        except TaskNotHere:
            raise
        except asyncio.CancelledError:
            self._tell(execution, command, where, place, begun_at, "abandoned", "abandoned")
            raise
        error = error_type(event.error) if isinstance(event, TaskFailed) else None
        self._tell(execution, command, where, place, begun_at, "completed" if error is None else "failed", error)
        return event

    def _tell(
        self,
        execution: str,
        command: PerformTask,
        where: Whereabouts,
        place: Place,
        begun_at: int,
        status: str,
        error: str | None,
    ) -> None:
        self._made[execution, command.op, command.attempt] = None
        if len(self._made) > MADE_MAX:
            del self._made[next(iter(self._made))]
        told: dict[str, Attribute] = {
            EXECUTION: execution,
            "perdure.workflow.id": where.workflow,
            "perdure.organization": where.organization,
            STEP: command.step,
            "perdure.task": command.task,
            OPERATION: command.op,
            ATTEMPT: command.attempt,
            STATUS: status,
        }
        step = Place(place.trace, span_id(execution, command.op), place.sampled)
        self._emit(Span(f"{ATTEMPT_SPAN} {command.step}", place, step, begun_at, clock.wall_ns(), told, error))


class Calls:
    """Those that leave while one attempt lasts, numbered."""

    def __init__(self, execution: str, command: PerformTask, above: Place, emit: Emit) -> None:
        self.execution, self.command, self.above, self.emit = execution, command, above, emit
        self._numbers = count(1)

    def leaving(self, method: str, scheme: str, host: str, port: int | None) -> Call:
        return Call(self, next(self._numbers), method, scheme, host, port)


class Call:
    """Until the other side begins to answer."""

    def __init__(self, calls: Calls, number: int, method: str, scheme: str, host: str, port: int | None) -> None:
        self._calls, self._method = calls, method
        command = calls.command
        span = span_id(calls.execution, command.op, command.attempt, number)
        self._place = Place(calls.above.trace, span, calls.above.sampled)
        self.traceparent = self._place.traceparent
        self._told: dict[str, Attribute] = {
            EXECUTION: calls.execution,
            "http.request.method": method,
            "url.scheme": scheme,
            "server.address": host,
        } | ({} if port is None else {"server.port": port})
        self._begun_at = clock.wall_ns()

    def ended(self, status: int) -> None:
        self._told["http.response.status_code"] = status
        self._tell(str(status) if status >= 400 else None)  # noqa: PLR2004  what HTTP calls an error

    def failed(self, error: BaseException) -> None:
        self._tell(name_of(type(error)))

    def _tell(self, error: str | None) -> None:
        told = self._told if error is None else {**self._told, "error.type": error}
        span = Span(
            self._method, self._place, self._calls.above, self._begun_at, clock.wall_ns(), told, error, "client"
        )
        self._calls.emit(span)
