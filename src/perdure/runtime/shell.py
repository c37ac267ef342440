"""The shell around the engine: an asyncio loop that carries what the engine says to the store and to the tasks, and back.

The engine decides, the writer writes, tasks run as coroutines or in threads. This file only carries.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from perdure.core.advance import Start
from perdure.core.commands import AbandonTask, PerformTask
from perdure.core.events import AttemptLost
from perdure.errors import PerdureError
from perdure.expressions.protocol import Compile
from perdure.model.records import ExecutionRecord
from perdure.runtime import ports
from perdure.runtime.engine import Engine
from perdure.runtime.writer import Writer
from perdure.store import port as p
from perdure.store.port import Store

HELD_MAX = 10_000
"""So many executions are held at once; what comes beyond waits in the store, which costs nothing."""

LEASE_MS = 10_000
ELSEWHERE_SECONDS = 0.05
"""How often it is asked whether an execution has ended that another process has, or nobody."""

CALLS_MAX = 1_000
"""So many tasks run at once."""

TOGETHER = 64
"""So many inputs have their turn together."""


class Perform(Protocol):
    """Calls a task and says what became of it."""

    def __call__(self, execution: str, command: PerformTask) -> Awaitable[ports.TaskEvent]: ...


class StoreFailed(PerdureError):
    """The store cannot be written. Nothing that was acknowledged is lost; start again when its cause is gone."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Shell:
    """One worker in this process."""

    def __init__(self, store: Store, worker: str, compile_: Compile, perform: Perform) -> None:
        self.engine = Engine(worker, compile_)
        self._perform = perform
        self._worker = worker
        self._store = store
        self._inputs: list[ports.Input] = []
        self._tickets = 0
        self._replies: dict[int, asyncio.Future[ports.Reply]] = {}
        self._calls: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._ended: dict[str, list[asyncio.Future[ExecutionRecord]]] = {}
        self._stopped = asyncio.Event()
        self._stopping = False
        self._turning: asyncio.Handle | asyncio.TimerHandle | None = None
        self._turns_at = 0.0
        self._loop = asyncio.get_running_loop()
        self._writer = Writer(store, worker, self._arrive, now_ms)
        self._later: deque[tuple[str, PerformTask]] = deque()
        """Calls that wait until others are done."""

    # Coming and going.

    def start(self) -> None:
        self._writer.start()
        self._beat()

    def _beat(self) -> None:
        if not self._stopping:
            self._writer.submit((p.Beat(self._worker, now_ms() + LEASE_MS),), ())
            self._loop.call_later(LEASE_MS / 3_000, self._beat)

    async def stop(self) -> None:
        """Tasks under way are let go: whoever takes over calls them again. All that was submitted is written."""
        self._stopping = True
        for call in list(self._calls.values()):
            call.cancel()
        await asyncio.gather(*self._calls.values(), return_exceptions=True)
        self._writer.submit((p.Beat(self._worker, 0),), ())
        self._writer.stop()
        await asyncio.to_thread(self._writer.join)

    def _arrive(self, inputs: list[ports.Input]) -> None:
        """In the writer's thread."""
        self._loop.call_soon_threadsafe(self._take, inputs)

    def _take(self, inputs: list[ports.Input]) -> None:
        if self._writer.failure is not None:
            self._fail(StoreFailed(f"the store cannot be written: {self._writer.failure}"))
            return
        self._inputs.extend(inputs)
        self._turn_soon()

    def _fail(self, error: StoreFailed) -> None:
        waiting: list[asyncio.Future[Any]] = [
            *self._replies.values(),
            *(one for many in self._ended.values() for one in many),
        ]
        for one in waiting:
            if not one.done():
                one.set_exception(error)

    # Turns.

    def _turn_soon(self) -> None:
        """At the end of this round of the loop: what arrives until then has its turn together."""
        if self._turns_at > 0.0 or self._turning is None:
            if self._turning is not None:
                self._turning.cancel()
            self._turns_at = 0.0
            self._turning = self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        self._turning = None
        inputs, self._inputs = _together(self._inputs)
        if self._stopping:
            return
        if self._inputs:  # the writer gets what there is, and writes while the rest is decided
            self._turn_soon()
        out = self.engine.turn(now_ms(), inputs)
        for reply in out.replies:
            waiting = self._replies.pop(reply.ticket, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(reply)
        for given in inputs:
            if isinstance(given, ports.Answer):
                self._look_for_ends(given)
        for perform in out.performs:
            self._call(perform)
        self._writer.capacity = HELD_MAX - len(self.engine.held)
        self._writer.submit(out.commits, out.queries)
        if out.wake_at is not None and self._turning is None:
            delay = max(out.wake_at - now_ms(), 0) / 1_000
            self._turns_at = self._loop.time() + delay
            self._turning = self._loop.call_later(delay, self._turn)

    def _look_for_ends(self, answer: ports.Answer) -> None:
        for item, outcome in zip(answer.items, answer.outcomes, strict=True):
            if isinstance(item, p.Advance) and item.record.ended_at is not None and isinstance(outcome, p.Committed):
                for waiting in self._ended.pop(item.execution, ()):
                    if not waiting.done():
                        waiting.set_result(item.record)

    # Tasks.

    def _call(self, perform: ports.Perform) -> None:
        command = perform.command
        if isinstance(command, AbandonTask):
            self._abandon(perform.execution, command.op)
            return
        if len(self._calls) >= CALLS_MAX:
            self._later.append((perform.execution, command))
        else:
            self._begin(perform.execution, command)

    def _abandon(self, execution: str, op: int) -> None:
        call = self._calls.get((execution, op))
        if call is not None:
            call.cancel()
        self._later = deque(one for one in self._later if (one[0], one[1].op) != (execution, op))

    def _begin(self, execution: str, command: PerformTask) -> None:
        key = (execution, command.op)
        self._calls[key] = self._loop.create_task(self._report(execution, command, key))

    async def _report(self, execution: str, command: PerformTask, key: tuple[str, int]) -> None:
        event: ports.TaskEvent
        try:
            event = await self._perform(execution, command)
        except asyncio.CancelledError:  # it was told that nobody waits for it; what it has done is unknown
            event = AttemptLost(now_ms(), command.op, command.attempt)
        self._calls.pop(key, None)
        if self._later and not self._stopping:
            self._begin(*self._later.popleft())
        self._inputs.append(ports.Report(execution, event))
        self._turn_soon()

    # Verbs.

    async def request(self, digest: str, workflow: str, start: Start, key: str | None = None) -> ports.Reply:
        """Start an execution. It is durable when this returns."""
        self._tickets += 1
        waiting: asyncio.Future[ports.Reply] = self._loop.create_future()
        self._replies[self._tickets] = waiting
        self._inputs.append(ports.Request(self._tickets, digest, workflow, start, key))
        self._turn_soon()
        return await waiting

    async def ended(self, execution: str) -> ExecutionRecord:
        """The record of the execution, once it has ended."""
        waiting: asyncio.Future[ExecutionRecord] = self._loop.create_future()
        self._ended.setdefault(execution, []).append(waiting)
        while not waiting.done():
            held = self.engine.held.get(execution)
            if held is not None and held.record.ended_at is None:  # its end passes through here
                return await waiting
            record = await self.ask(lambda store: store.record(execution))
            if record is not None and record.ended_at is not None:
                return _resolved(waiting, record)
            await asyncio.wait((waiting,), timeout=ELSEWHERE_SECONDS)
        return await waiting

    async def commit(self, item: p.Item) -> p.Outcome:
        outcomes: list[p.Outcome] = await self.ask(lambda store: store.commit([item]))
        return outcomes[0]

    async def ask(self, question: Callable[[Any], Any]) -> Any:
        """Ask the store, in the writer's thread."""
        if self._writer.failure is not None:
            raise StoreFailed(f"the store cannot be written: {self._writer.failure}")
        waiting: asyncio.Future[Any] = self._loop.create_future()

        def asked(store: Any) -> None:
            try:
                answer = question(store)
            except Exception as error:  # noqa: BLE001  it belongs to whoever asked
                self._loop.call_soon_threadsafe(_settle, waiting, None, error)
            else:
                self._loop.call_soon_threadsafe(_settle, waiting, answer, None)

        self._writer.ask(asked)
        return await waiting


def _together(inputs: list[ports.Input]) -> tuple[list[ports.Input], list[ports.Input]]:
    """What has its turn now, and what comes after it."""
    if inputs and isinstance(inputs[0], ports.Answer) and len(inputs[0].items) > TOGETHER:
        first = inputs[0]
        now = ports.Answer(first.items[:TOGETHER], first.outcomes[:TOGETHER])
        later = ports.Answer(first.items[TOGETHER:], first.outcomes[TOGETHER:])
        return [now], [later, *inputs[1:]]
    return inputs[:TOGETHER], inputs[TOGETHER:]


def _resolved(waiting: asyncio.Future[ExecutionRecord], record: ExecutionRecord) -> ExecutionRecord:
    if not waiting.done():
        waiting.set_result(record)
    return record


def _settle(waiting: asyncio.Future[Any], answer: Any, error: Exception | None) -> None:
    if waiting.done():
        return
    if error is not None:
        waiting.set_exception(error)
    else:
        waiting.set_result(answer)
