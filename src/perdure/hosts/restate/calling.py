"""The service that calls tasks, and tells the execution what became of each.

Restate makes a call again whose process has died. To us that is a new attempt: the first is told as lost, and the execution says
what comes next, as on every other host. So history tells of it, a task knows by its attempt that one before may have had its
effect, parts of it that are done are done once, and an execution that settles knows that it cannot know. All attempts of one
operation share the idempotency key that the task is given.
"""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from itertools import count

import msgspec
from restate import Context, Service, TerminalError
from restate.context import RunOptions
from restate.exceptions import RetryableError

from perdure.clock import now_ms
from perdure.core.events import AttemptLost, TaskFailed
from perdure.hosts.performing import Performer
from perdure.hosts.restate.messages import BYTES, EXECUTION, TASK, Call, Delivery, decoded, encoded
from perdure.hosts.restate.policies import FORGOTTEN, PATIENT, TASK_HOURS
from perdure.runtime.calls import CANCELLED_ITSELF
from perdure.runtime.ports import TaskEvent

CANCELLED = 409
LOOK_AGAIN = timedelta(seconds=2)
"""So long a call waits for a process that has the task."""

_event: msgspec.json.Decoder[TaskEvent] = msgspec.json.Decoder(TaskEvent)


class Calling:
    """`service` is what Restate calls."""

    def __init__(self, performer: Performer) -> None:
        self._performer = performer
        self._process, self._numbers = os.urandom(8).hex(), count()
        self.service = Service(
            TASK,
            inactivity_timeout=TASK_HOURS,
            abort_timeout=TASK_HOURS,
            journal_retention=FORGOTTEN,
            invocation_retry_policy=PATIENT,
            ingress_private=True,
        )
        self.service.handler("call", input_serde=BYTES, output_serde=BYTES)(self._call)

    async def _call(self, ctx: Context, given: bytes) -> bytes:
        call = decoded(Call, given)
        if not await self._performer.has(call.execution, call.command.task):
            raise RetryableError(
                f"execution {call.execution} waits for a process that has the task {call.command.task!r}; register it, or start "
                "one that has it",
                retry_after=LOOK_AGAIN,
            )
        ctx.generic_send(EXECUTION, "deliver", encoded(Delivery(await self._became(ctx, call))), call.execution)
        return b""

    async def _became(self, ctx: Context, call: Call) -> TaskEvent:
        me = f"{self._process}:{next(self._numbers)}".encode()

        async def begun() -> bytes:
            return me

        try:
            who = await ctx.run_typed("begun", begun, RunOptions(serde=BYTES))
            made = await ctx.run_typed(call.command.task, self._once, RunOptions(serde=BYTES), call, who == me)
        except TerminalError as error:
            if error.status_code != CANCELLED:
                raise
            return _lost(call, int(await ctx.time() * 1_000))  # nobody waits for it, and what it has done is unknown
        return _event.decode(made)

    async def _once(self, call: Call, has_begun_it: bool) -> bytes:
        """This runs again only if nobody has noted what came of it. Then whoever has begun it is gone."""
        return encoded(await self._made(call) if has_begun_it else _lost(call, now_ms()))

    async def _made(self, call: Call) -> TaskEvent:
        try:
            return await self._performer.perform(call.execution, call.command)
        except asyncio.CancelledError:
            me = asyncio.current_task()
            if me is not None and me.cancelling():  # this process ends, or nobody waits for it
                raise
            return TaskFailed(now_ms(), call.command.op, call.command.attempt, CANCELLED_ITSELF)


def _lost(call: Call, at: int) -> AttemptLost:
    return AttemptLost(at, call.command.op, call.command.attempt)
