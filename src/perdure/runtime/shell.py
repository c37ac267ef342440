"""The shell around the engine: an asyncio loop that carries what the engine says to the store and to the tasks, and back.

The engine decides, the writer writes, tasks run as coroutines or in threads. This file only carries.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from perdure.core.advance import Start
from perdure.core.commands import AbandonTask, PerformTask
from perdure.core.events import TaskCheckpointed
from perdure.errors import PerdureError
from perdure.expressions.protocol import Compile
from perdure.model.records import ExecutionRecord
from perdure.runtime import ports
from perdure.runtime.calls import Calls, Perform
from perdure.runtime.ends import Ends
from perdure.runtime.engine import HELD_MAX, Engine
from perdure.runtime.keeping import Keeping
from perdure.runtime.started import Started
from perdure.runtime.writer import Writer
from perdure.store import port as p
from perdure.store.port import Store
from perdure.tasks.failing import Abandoned

LEASE_MS = 10_000

TOGETHER = 96
"""So many inputs have their turn together."""

REQUESTS_TOGETHER = 16
"""So many starts are among them."""

BUSY_MAX = 500
"""While so much is on its way, nothing more is begun: each step of what has begun waits for a step of all the others. A hundred
thousand starts at once must not keep it from its turn.
"""

GATHERED_PART, GATHERED_SECONDS = 3, 0.005
"""While more is coming, commits are gathered until they are so great a part of all that is on its way, but no longer than that:
each batch costs the loop some four tenths of a millisecond, however many there are in it.
"""

TAKEN_IN_SECONDS = 5.0
DRAIN_SECONDS = 5.0
"""So long a worker that stops waits for what it has submitted."""

Given = TypeVar("Given")
_log = logging.getLogger("perdure.engine")


class StoreFailed(PerdureError):
    """The store cannot be written. Nothing that was acknowledged is lost; start again when its cause is gone."""


class Stopped(PerdureError):
    """The engine has been stopped before it could answer. What it has not acknowledged may or may not have been done."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Shell:
    """One worker in this process. If it does not `work`, it only carries what others ask for: nobody counts on it, and what it
    starts is taken up by those who do.
    """

    def __init__(
        self,
        store: Store,
        worker: str,
        compile_: Compile,
        perform: Perform,
        tasks: Callable[[], tuple[str, ...]],
        *,
        works: bool = True,
    ) -> None:
        """`tasks` are those that `perform` has."""
        self._held_max = HELD_MAX if works else 0
        self.engine = Engine(worker, compile_, self._held_max)
        self.worker, self.works, self._tasks = worker, works, tasks
        self._loop = asyncio.get_running_loop()
        self._inputs: list[ports.Input] = []
        self._requests: deque[ports.Request] = deque()
        self._tickets = 0
        self._replies: dict[int, asyncio.Future[ports.Reply]] = {}
        self._unanswered = 0
        """Items that the writer was given, and whose outcomes the engine has not been told."""
        self._outcomes: dict[int, tuple[p.Item, asyncio.Future[p.Outcome]]] = {}
        """Who waits for what comes of an item, by the identity of the item."""
        self._gathered: list[p.Item] = []
        self._gathering_since = 0.0
        """What the engine has said, and the writer has not been given yet."""
        self.started: Started | None = None
        """Where somebody wants to know."""
        self._keeping = Keeping()
        self._asking: set[asyncio.Future[Any]] = set()
        """Who waits for what the store answers to a question."""
        self.on_ended: list[Callable[[ExecutionRecord], object]] = []
        """Who is told of each execution that ends here, when that is durable."""
        self._stopping = False
        self._over = asyncio.Event()
        self._is_closed = False
        """No more turns."""
        self._deaf = False
        """Nothing that a task says is taken in any more."""
        self._turning: asyncio.Handle | asyncio.TimerHandle | None = None
        self._turns_at = 0.0
        self._arrived: deque[list[ports.Input]] = deque()
        """What the writer has put here, from its thread."""
        self._is_awake = False
        """Whether a turn is coming, which will look at what has arrived. If so, the loop need not be woken."""
        self._context = copy_context()
        """Turns are nobody's in particular: least of all that of whoever happens to ask for something."""
        self._calls = Calls(perform, self._reported, self._not_here, self._turn_now, now_ms, self._context)
        self._writer = Writer(store, worker, self._arrive, now_ms, end_process, works=works)
        self._reading = ThreadPoolExecutor(1, thread_name_prefix=f"perdure-reader-{worker}")
        self._reader = store.reader()
        try:
            self._ends = Ends(self.read, self._reader.ends_after(None)[0])
        except BaseException:
            self._reader.close()
            raise

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written for now."""
        return self._writer.trouble

    @property
    def is_still(self) -> bool:
        """Whether nothing is on its way here and no task runs."""
        if self._calls or self._inputs or self._arrived or self._unanswered or self._gathered:
            return False
        if self._requests or self._replies or self.engine.fetching:
            return False
        return not any(
            held.under_way or held.queue or held.wanted or held.recovering for held in self.engine.held.values()
        )

    # Coming and going.

    def start(self) -> None:
        """Whatever comes of it, it has to be ended."""
        self._writer.start()
        self._ends.start()
        self._beat()

    def _beat(self) -> None:
        self._say_alive()
        if self.works and not self._stopping:
            self._loop.call_later(LEASE_MS / 3_000, self._beat)

    def _say_alive(self) -> None:
        if self.works and not self._stopping:
            self._give((p.Beat(self.worker, now_ms() + LEASE_MS, self._tasks()),))

    async def stop(self, grace_seconds: float = 0.0) -> None:
        """Begin nothing more. Tasks under way have some time to end; then they are let go, and whoever takes over calls them
        again. All that was submitted is written, and what is held is handed over, so that nobody has to find out. However it
        ends, cancelled or not, `end` has to come after it.
        """
        self._stopping = True
        self._writer.capacity = 0
        while self._requests:  # they have not been taken in, and nothing will come of them
            _settle(self._replies.pop(self._requests.popleft().ticket), None, Stopped("the engine has been stopped"))
        await self._calls.stop(grace_seconds, self._stop_listening)
        self._flush()
        await self._written()
        self._close()
        await asyncio.to_thread(self._writer.join)
        await self._ends.stop()

    def _close(self) -> None:
        """No more turns. What this worker has is handed over, after all that it has submitted."""
        self._stopping = self._deaf = self._is_closed = True
        self._flush()
        self._writer.submit((*self.engine.hand_over(), p.Beat(self.worker, p.GONE)))
        self._writer.stop()

    def end(self) -> None:
        """Leave nothing behind: no thread, no connection, nobody who waits. If it has not been stopped in order, tasks have no
        time to end, and only what is being written is waited for.
        """
        if not self._is_closed:
            self._calls.close()
            self._close()
        self._ends.close()
        if self._turning is not None:
            self._turning.cancel()
        self._fail(Stopped("the engine has been stopped"))
        if self._writer.ident is not None:  # else it could not be started
            self._writer.join()
        self._reading.shutdown()
        self._reader.close()

    def _stop_listening(self) -> None:
        self._deaf = True

    async def _written(self) -> None:
        """Until nothing is on its way to the store; not for ever, if the store is in trouble."""
        until = self._loop.time() + DRAIN_SECONDS
        heard: asyncio.Future[None] = self._loop.create_future()  # the writer may be in the middle of a claim

        def hear(_: Any) -> None:
            self._loop.call_soon_threadsafe(_settle, heard, None, None)

        self._writer.ask(hear)
        while self._loop.time() < until and self._writer.failure is None:
            if heard.done() and not (self._arrived or self._inputs or self._unanswered or self.engine.fetching):
                return
            await asyncio.sleep(0.001)

    def _arrive(self, inputs: list[ports.Input]) -> None:
        """In the writer's thread."""
        self._arrived.append(inputs)
        if not self._is_awake:
            self._loop.call_soon_threadsafe(self._turn_now, context=self._context)

    def _take(self) -> None:
        while self._arrived:
            self._inputs.extend(self._arrived.popleft())
        if self._writer.failure is not None:
            self._fail(StoreFailed(f"the store cannot be written: {self._writer.failure}"))

    def _fail(self, error: PerdureError) -> None:
        waiting: list[asyncio.Future[Any]] = [
            *self._replies.values(),
            *(outcome for _, outcome in self._outcomes.values()),
            *self._asking,
        ]
        for one in waiting:
            _settle(one, None, error)
        self._ends.fail(error)
        self._keeping.fail(error)
        self._over.set()

    # Turns.

    def _turn_soon(self) -> None:
        """At the end of this round of the loop: what arrives until then has its turn together."""
        if self._turns_at > 0.0 or self._turning is None:
            if self._turning is not None:
                self._turning.cancel()
            self._turns_at = 0.0
            self._is_awake = True
            self._turning = self._loop.call_soon(self._turn, context=self._context)

    def _turn_now(self) -> None:
        if self._turning is not None:
            self._turning.cancel()
        self._turn()

    def _turn(self) -> None:
        """What goes wrong here is a bug, after which nothing can be relied on but what is on the disk: everybody is told."""
        if self._is_closed:
            return
        try:
            self._turn_once()
        except Exception as error:
            _log.exception("the engine has failed")
            self._writer.failure = error
            self._fail(StoreFailed(f"the engine has failed: {error}"))
            raise

    def _turn_once(self) -> None:
        self._turning = None
        self._take()
        wake_at = self._decide()
        if len(self._inputs) == 1:  # what was written at once
            wake_at = self._decide()
        if self._inputs or self._starts() > 0:
            self._turn_soon()
        elif wake_at is not None:
            delay = max(wake_at - now_ms(), 0) / 1_000
            self._turns_at = self._loop.time() + delay
            self._turning = self._loop.call_later(delay, self._turn, context=self._context)
        if self._turning is None or self._turns_at > 0.0:
            self._is_awake = False
            if self._arrived:  # after it was looked at, and before it was said that nobody looks
                self._turn_soon()

    def _decide(self) -> int | None:
        """One turn of the engine; when the next is due, if nothing happens before."""
        inputs = self._next()
        out = self.engine.turn(now_ms(), inputs)
        for reply in out.replies:
            waiting = self._replies.pop(reply.ticket, None)
            if waiting is not None:
                _settle(waiting, reply, None)
        for given in inputs:
            if isinstance(given, ports.Answer):
                self._unanswered -= len(given.items)
                self._answered(given)
        if out.unreadable:
            _tell_of(out.unreadable)
        for perform in out.performs:
            if isinstance(perform.command, AbandonTask):
                self._calls.abandon(perform.execution, perform.command.op)
            else:
                self._calls.call(perform.execution, perform.command)
        room = min(self._held_max - len(self.engine.held), self._room() - len(out.commits))
        self._writer.capacity = 0 if self._stopping else room  # before it is told to go on
        self._submit(out)
        for warning in out.warnings:
            _log.warning("%s", warning)
        if out.look_beyond:
            self._look_beyond(out.look_beyond)
        return out.wake_at

    def _look_beyond(self, count: int) -> None:
        """Ask the store for more unrouted events than the writer does."""

        def look(store: Store) -> None:
            try:
                events = store.poll(self.worker, now=now_ms(), limit=count).events
            except p.Unavailable:  # the writer says so, and the engine asks again
                return
            self._arrive([p.Polled((), (), events)])

        self._writer.ask(look)

    def _submit(self, out: ports.Output) -> None:
        """To the writer; but what is all there is to do is written here and now."""
        if not out.commits and not out.queries and not self._gathered:
            self._writer.heard()
            return
        self._unanswered += len(out.commits)
        if len(self.engine.held) <= 1 and not (out.queries or self._inputs or self._requests or self._gathered):
            outcomes = self._writer.at_once(out.commits)
            if outcomes is not None:
                self._inputs.append(ports.Answer(out.commits, tuple(outcomes)))
                return
        if not self._gathered:
            self._gathering_since = self._loop.time()
        self._gathered += out.commits
        if out.queries or self._is_enough():
            self._flush(out.queries)

    def _is_enough(self) -> bool:
        coming = len(self._inputs) + self._calls.beginning
        return (
            not coming
            or len(self._gathered) * GATHERED_PART >= self._unanswered + coming
            or self._loop.time() - self._gathering_since > GATHERED_SECONDS
        )

    def _flush(self, questions: tuple[ports.Query, ...] = ()) -> None:
        items, self._gathered = tuple(self._gathered), []
        self._writer.submit(items, questions)

    def _next(self) -> list[ports.Input]:
        """What has its turn now."""
        now, self._inputs = _together(self._inputs)
        if self._requests:
            now.extend(self._requests.popleft() for _ in range(self._starts(len(now))))
        return now

    def _starts(self, beside: int = 0) -> int:
        """How many have their turn now, beside so many others. A fifth of the room is for what wakes up."""
        if not self._requests:
            return 0
        return max(min(REQUESTS_TOGETHER, len(self._requests), self._room() - beside - BUSY_MAX // 5), 0)

    def _room(self) -> int:
        """How much more may be begun. Calls that wait for something are not on their way."""
        return BUSY_MAX - self._unanswered - len(self._inputs) - self._calls.beginning - self.engine.fetching

    def _give(self, items: tuple[p.Item, ...], questions: tuple[ports.Query, ...] = ()) -> None:
        self._unanswered += len(items)
        self._writer.submit(items, questions)

    def _answered(self, answer: ports.Answer) -> None:
        for item, outcome in zip(answer.items, answer.outcomes, strict=True):
            if type(item) is p.Advance:
                if self.started is not None and isinstance(outcome, p.Committed):
                    self.started.advanced(item)
                if self._keeping:
                    self._keeping.answered(item, outcome, self.engine.held.get(item.execution))
                if item.record.ended_at is not None and isinstance(outcome, p.Committed):
                    self._ends.ended(item.record)
                    for told in self.on_ended:
                        told(item.record)
            else:
                _, waiting = self._outcomes.pop(id(item), (None, None))
                if waiting is not None:
                    _settle(waiting, outcome, None)

    def _reported(self, execution: str, event: ports.TaskEvent) -> None:
        if not self._deaf:
            self._inputs.append(ports.Report(execution, event))

    def _not_here(self, execution: str, command: PerformTask) -> None:
        if not self._deaf:
            self._inputs.append(ports.NotHere(execution, command))

    # Verbs.

    async def request(
        self, digest: str, workflow: str, start: Start, key: str | None = None, *, active: bool = False
    ) -> ports.Reply:
        """Start an execution. It is durable when this returns."""
        self._refuse_if_over()
        if self.started is not None:
            self.started.add(start.execution)
        self._tickets += 1
        waiting: asyncio.Future[ports.Reply] = self._loop.create_future()
        self._replies[self._tickets] = waiting
        self._requests.append(ports.Request(self._tickets, digest, workflow, start, key, active))
        self._turn_soon()
        reply = await waiting
        if self.started is not None and (reply.refused or reply.outdated or reply.execution != start.execution):
            self.started.forget(start.execution)
        return reply

    async def checkpoint(self, execution: str, event: TaskCheckpointed) -> None:
        """A part of a task is done. It is durable when this returns; `Abandoned`, if nobody waits for the task any more."""
        self._refuse_if_failed()
        if self._deaf:
            raise Abandoned("this worker stops, and another one goes on with the task")
        waiting = self._keeping.wait(self.engine.held.get(execution), event)
        self._reported(execution, event)
        self._turn_soon()
        try:
            await waiting
        finally:
            self._keeping.leave(execution, event)

    async def ended(self, execution: str) -> ExecutionRecord:
        """The record of the execution, once it has ended."""
        self._refuse_if_over()
        held = self.engine.held.get(execution)
        return await self._ends.wait(execution, passes_here=held is not None and held.record.ended_at is None)

    async def taken_in(self, execution: str) -> None:
        """Until its inbox is empty: what has been written to it has had its effect. Not for ever: nobody may have it."""
        until = self._loop.time() + TAKEN_IN_SECONDS
        while self._loop.time() < until and await self.read(lambda store: store.has_mail(execution)):  # noqa: ASYNC110
            await asyncio.sleep(TAKEN_IN_SECONDS / 1_000)

    async def commit(self, item: p.Item) -> p.Outcome:
        """Together with whatever else is to be committed."""
        self._refuse_if_over()
        waiting: asyncio.Future[p.Outcome] = self._loop.create_future()
        self._outcomes[id(item)] = (item, waiting)
        self._give((item,))
        return await waiting

    async def ask(self, question: Callable[[Any], Given]) -> Given:
        """Ask the store, in the writer's thread."""
        self._refuse_if_over()
        waiting: asyncio.Future[Given] = self._loop.create_future()

        def asked(store: Any) -> None:
            try:
                answer = question(store)
            except p.Broken:
                raise
            except Exception as error:  # noqa: BLE001  it belongs to whoever asked
                self._loop.call_soon_threadsafe(_settle, waiting, None, error)
            else:
                self._loop.call_soon_threadsafe(_settle, waiting, answer, None)

        self._asking.add(waiting)
        self._writer.ask(asked)
        try:
            return await waiting
        finally:
            self._asking.discard(waiting)

    async def read(self, question: Callable[[Any], Given]) -> Given:
        """Ask the store, beside whoever writes."""
        return await self._loop.run_in_executor(self._reading, question, self._reader)

    def registered(self, task: str) -> None:
        """There is such a task now. From any thread: a program may register its tasks in another one."""
        self._loop.call_soon_threadsafe(self._registered, task, context=self._context)

    def _registered(self, task: str) -> None:
        self._inputs.append(ports.Registered(task))
        self._say_alive()
        self._turn_soon()

    async def failed(self) -> None:
        """Until nothing can go on. Raises what it is."""
        await self._over.wait()
        self._refuse_if_over()

    def _refuse_if_failed(self) -> None:
        if self._writer.failure is not None:
            raise StoreFailed(f"the store cannot be written: {self._writer.failure}")

    def _refuse_if_over(self) -> None:
        self._refuse_if_failed()
        if self._stopping:
            raise Stopped("the engine is being stopped, and takes nothing more")


def end_process(error: p.Broken) -> None:
    """What is on disk is all that can be relied on, and it is read by whoever comes next: nothing else is safe."""
    sys.stderr.write(f"perdure: {error}\n")
    sys.stderr.flush()
    os._exit(os.EX_IOERR)


def _tell_of(unreadable: tuple[tuple[str, str], ...]) -> None:
    """Once for all that came together: after an upgrade there may be thousands."""
    execution, why = unreadable[0]
    more = f", and {len(unreadable) - 1} more" if len(unreadable) > 1 else ""
    _log.warning(
        "this version of Perdure cannot read execution %s%s, and leaves it to newer workers (%s); "
        "upgrade this one, or look with `perdure doctor` whether the database is damaged",
        execution,
        more,
        why,
    )


def _together(inputs: list[ports.Input]) -> tuple[list[ports.Input], list[ports.Input]]:
    """What has its turn now, and what comes after it."""
    if inputs and isinstance(inputs[0], ports.Answer) and len(inputs[0].items) > TOGETHER:
        first = inputs[0]
        now = ports.Answer(first.items[:TOGETHER], first.outcomes[:TOGETHER])
        later = ports.Answer(first.items[TOGETHER:], first.outcomes[TOGETHER:])
        return [now], [later, *inputs[1:]]
    return (inputs, []) if len(inputs) <= TOGETHER else (inputs[:TOGETHER], inputs[TOGETHER:])


def _settle(waiting: asyncio.Future[Any], answer: Any, error: Exception | None) -> None:
    if waiting.done():
        return
    if error is not None:
        waiting.set_exception(error)
    else:
        waiting.set_result(answer)
