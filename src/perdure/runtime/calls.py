"""The tasks that this worker runs, so many at a time; each is heard of exactly once.

Most of what a light task costs is the asyncio task around it. So one asyncio task, the runner, makes call after call; the first
call that has to wait keeps it for itself, and a new runner goes on with the others. Each call has a context of its own.

Of a call of a task that this process does not have, `not_here` is told: it has not begun, and nobody waits for it here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from typing import Any, Protocol, TypeAlias

from perdure.core.commands import PerformTask
from perdure.core.events import AttemptLost, TaskFailed
from perdure.fair_queue import FairQueue, Slots
from perdure.model.failure import NEVER_CALLED, Failure
from perdure.runtime.ports import TaskEvent
from perdure.tasks.calling import ABANDONED

CALLS_MAX = 1_000
"""Maximum number of calls of one organization that wait for something at once; less, if several organizations compete
(`fair_queue.has_share`).
"""

IN_A_ROW, ROUNDS, ROUNDS_FULL = 64, 8, 4
"""After so many calls it is told what became of them; after so many times of that, others have their turn, and earlier if so many
calls were made each time.
"""

CANCEL_SECONDS = 5.0
"""So long a call that is cancelled has to end."""

CANCELLED_ITSELF = Failure("the task was cancelled from within", code="CANCELLED")
_log = logging.getLogger("perdure.tasks")

Key: TypeAlias = tuple[str, int]


class TaskNotHere(Exception):
    """There is no such task in this process, or not yet. Nothing has been called."""


class Perform(Protocol):
    """Calls a task and says what became of it. Raises `TaskNotHere`, before it has called anything, if there is no such task."""

    def __call__(self, execution: str, command: PerformTask) -> Coroutine[Any, Any, TaskEvent]: ...


class Calls:
    """`report` is told what became of each call, `not_here` of those whose task is not here, and `told` when there is nothing
    more to tell for now.
    """

    def __init__(
        self,
        perform: Perform,
        report: Callable[[str, TaskEvent], None],
        not_here: Callable[[str, PerformTask], None],
        told: Callable[[], None],
        now: Callable[[], int],
        context: Context | None = None,
    ) -> None:
        self._perform, self._report, self._not_here, self._told, self._now = perform, report, not_here, told, now
        self._context = context or copy_context()
        """What calls begin with, whoever has asked for them."""
        self._queue: FairQueue[tuple[str, PerformTask, str]] = FairQueue()
        """Execution, command and organization of each call that has not begun."""
        self._waiting: dict[Key, asyncio.Task[None]] = {}
        """Calls that have begun and wait for something, each in an asyncio task of its own."""
        self._slots = Slots(self._queue, CALLS_MAX)
        """Those that they take."""
        self._runner: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        """How many run or are about to."""
        return len(self._queue) + len(self._waiting)

    @property
    def beginning(self) -> int:
        """How many are about to begin: none, while all slots are taken, and none of organizations that have their share."""
        return 0 if self._slots.is_full else self._queue.active

    def call(self, execution: str, command: PerformTask, organization: str = "") -> None:
        if self._closed:  # whoever takes over calls it
            return
        self._queue.append(organization, (execution, command, organization))
        self._go_on()

    def abandon(self, execution: str, op: int) -> None:
        """Nobody waits for this call any more. One that has begun is cancelled: it may end well all the same, or what it has done
        is unknown.
        """
        begun = self._waiting.get((execution, op))
        if begun is not None:
            begun.cancel(ABANDONED)
            return
        command = self._taken_back(execution, op)
        if command is not None:
            self._report(execution, self._never_called(command))
            asyncio.get_running_loop().call_soon(self._told)

    def _taken_back(self, execution: str, op: int) -> PerformTask | None:
        """A call that has not begun, which will not."""
        entry = self._queue.remove_first(lambda call: call[0] == execution and call[1].op == op)
        return None if entry is None else entry[1]

    def _never_called(self, command: PerformTask) -> TaskEvent:
        if command.attempt == 1:
            return TaskFailed(self._now(), command.op, command.attempt, NEVER_CALLED)
        return AttemptLost(self._now(), command.op, command.attempt)  # one before it may have had its effect

    def _gave_up(self, command: PerformTask) -> TaskEvent:
        """It was cancelled by something of its own, and nobody here has asked for that."""
        return TaskFailed(self._now(), command.op, command.attempt, CANCELLED_ITSELF)

    async def stop(self, grace_seconds: float, before_cancelling: Callable[[], None]) -> None:
        """Begin no more. Those that have begun may end within the time of grace; then they are cancelled."""
        self._begin_no_more()
        begun = set(self._waiting.values())
        if begun and grace_seconds > 0:
            _, begun = await asyncio.wait(begun, timeout=grace_seconds)
        before_cancelling()
        for call in begun:
            call.cancel()
        if begun:
            _, deaf = await asyncio.wait(begun, timeout=CANCEL_SECONDS)
            if deaf:
                _log.warning("%d calls go on although they were cancelled; nobody waits for them any more", len(deaf))

    def close(self) -> None:
        """Begin no more. Those that have begun are cancelled, and not waited for."""
        self._begin_no_more()
        for call in self._waiting.values():
            call.cancel()

    def _begin_no_more(self) -> None:
        self._closed = True
        self._queue.clear()

    def _go_on(self) -> None:
        if self._runner is None and self.beginning:
            # Not by the factory of the loop, which is the user's: an eager one would call, report and turn right here, in the
            # middle of the turn that asks for the call.
            self._runner = asyncio.Task(self._run(), loop=asyncio.get_running_loop(), context=self._context)

    async def _run(self) -> None:
        me = asyncio.current_task()
        assert me is not None
        rounds = made = 0
        while self._queue.active and not self._closed:
            count = min(IN_A_ROW, self._queue.active)
            for _ in range(count):
                execution, command, organization = self._queue.pop()
                call, run = self._perform(execution, command), self._context.copy().run
                try:
                    waits_for = run(call.send, None)
                except StopIteration as end:
                    self._report(execution, end.value)
                    continue
                except asyncio.CancelledError:
                    self._report(execution, self._gave_up(command))
                    continue
                except TaskNotHere:
                    self._not_here(execution, command)
                    continue
                await self._rest(execution, command, organization, _Rest(call, run, waits_for), me)
                return
            self._told()  # which may bring further calls
            rounds, made = rounds + 1, made + count
            if rounds >= ROUNDS or made >= IN_A_ROW * ROUNDS_FULL:
                rounds = made = 0
                await asyncio.sleep(0)
        self._runner = None

    async def _rest(
        self, execution: str, command: PerformTask, organization: str, rest: _Rest, me: asyncio.Task[None]
    ) -> None:
        """Of a call that has to wait: this asyncio task is its own from now on, and another runner goes on."""
        key = (execution, command.op)
        self._waiting[key] = me
        self._slots.take(organization)
        self._runner = None
        self._go_on()
        self._told()  # of those before it
        event: TaskEvent | None = None
        try:
            event = await rest
        except asyncio.CancelledError:
            lost = AttemptLost(self._now(), command.op, command.attempt)
            event = lost if me.cancelling() else self._gave_up(command)
        except TaskNotHere:
            self._not_here(execution, command)
        if self._waiting.get(key) is me:
            del self._waiting[key]
        self._slots.free(organization)
        self._go_on()
        if event is not None:
            self._report(execution, event)
        self._told()


class _Rest:
    """Awaits a coroutine that has begun, in the context that it began in."""

    def __init__(self, call: Coroutine[Any, Any, TaskEvent], run: Callable[..., Any], waits_for: Any) -> None:
        self._call, self._run, self._waits_for = call, run, waits_for

    def __await__(self) -> Generator[Any, Any, TaskEvent]:
        call, run, waits_for = self._call, self._run, self._waits_for
        try:
            while True:
                try:
                    value = yield waits_for
                except BaseException as error:  # noqa: BLE001  the coroutine's to deal with
                    waits_for = run(call.throw, error)
                else:
                    waits_for = run(call.send, value)
        except StopIteration as end:
            answer: TaskEvent = end.value
            return answer
