"""The shell around the engine: one worker in an asyncio loop, which comes, does what it is asked for, and goes.

The engine decides, the writer writes, tasks run as coroutines or in threads; `carrying.py` carries between them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from perdure.clock import Clock
from perdure.core.advance import Start
from perdure.core.events import TaskCheckpointed
from perdure.expressions.protocol import Compile
from perdure.model.records import ExecutionRecord
from perdure.runtime import ports
from perdure.runtime.calls import Perform
from perdure.runtime.carrying import Carrier
from perdure.runtime.clock_watch import ClockWatch
from perdure.runtime.conditions import Conditions
from perdure.runtime.ends import Ends
from perdure.runtime.engine import HELD_MAX, Engine
from perdure.runtime.faults import is_storable
from perdure.runtime.readers import Readers
from perdure.runtime.started import Started
from perdure.runtime.waiters import OutcomeUnknown, Stopped, StoreFailed, Waiters, settle
from perdure.runtime.writer import FirstWrites
from perdure.store import port as p
from perdure.store.ledger import LogTrigger
from perdure.store.port import Store
from perdure.store.registers import WriteCard
from perdure.tasks.failing import Abandoned

TAKEN_IN_SECONDS = 5.0
DRAIN_SECONDS = 5.0
"""So long a worker that stops waits for what it has submitted."""

WATCH_SECONDS = 0.25
STALLED_SECONDS = 2.0
"""Time after which a write that has not come to its end degrades the worker."""

OUTCOME_SECONDS = 5.0
"""Time after which those who wait for such a write are told that its outcome is unknown."""

STALLED, LOOKUP_FAILED = "store_stalled", "work_lookup_failed"
"""Codes of conditions."""

Given = TypeVar("Given")


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
        lease_ms: int = p.LEASE_MS,
        clock: Clock | None = None,
        organization: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`tasks` are those that `perform` has. `clock` decides what is due. `organization` returns that on whose behalf the
        caller asks, if it is known.
        """
        self._organization = organization
        self.worker, self.works, self._tasks, self._lease_ms = worker, works, tasks, lease_ms
        self._loop = asyncio.get_running_loop()
        self.conditions = Conditions()
        """What degrades this worker for now."""
        self.clock = Clock() if clock is None else clock
        self._clock_watch = ClockWatch(self.clock, self.conditions)
        self._unreadable: str | None = None
        """Why nothing can be read for now."""
        self._probe: asyncio.Task[Any] | None = None
        """A short read, while others take long."""
        self._tickets = 0
        self._is_stopping = self._is_closed = False
        """It takes nothing more; it has handed over what it had."""
        held_max = HELD_MAX if works else 0
        self.engine = Engine(worker, compile_, held_max)
        self._readers = Readers(store.reader, worker, organization)
        try:
            self._waiters = Waiters(Ends(self.read, self._readers.place()))
        except BaseException:
            self._readers.close()
            raise
        self.halts = self._waiters.halts
        """Who wants to know when an execution may have come to a halt."""
        self.on_ended = self._waiters.on_ended
        """Who is told of each execution that ends here, when that is durable."""
        self.on_committed, self.counts = self._waiters.on_committed, self._waiters.counts
        """Who is told of all that becomes durable here; and how much of it there was."""
        self._carrier = Carrier(store, self.engine, perform, self._waiters, self.clock.now_ms, held_max=held_max)
        self._calls, self._writer, self._turning = self._carrier.calls, self._carrier.writer, self._carrier.turning

    @property
    def started(self) -> Started | None:
        """What was asked to be started here, where somebody wants to know."""
        return self._waiters.started

    @started.setter
    def started(self, started: Started | None) -> None:
        self._waiters.started = started

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written for now."""
        return self._writer.trouble

    @property
    def is_still(self) -> bool:
        """Whether nothing is on its way here and no task runs."""
        return self._carrier.is_still

    @property
    def calls_count(self) -> int:
        """How many tasks run or are about to."""
        return len(self._calls)

    def write_first(self, first_writes: FirstWrites) -> None:
        """Before this is started: what `first_writes` returns is written before, or with, each commit."""
        self._writer.first_writes = first_writes

    # Coming and going.

    def start(self) -> None:
        """Whatever comes of it, it has to be ended."""
        self._writer.start()
        self._waiters.ends.start()
        self._watch()
        self._beat()

    def _beat(self) -> None:
        """Whoever only asks has to know the time, too."""
        self._say_alive()
        if not self._is_stopping and self._writer.failure is None:
            self._writer.ask(self._clock_watch.measure)
            self._loop.call_later(self._lease_ms / 3_000, self._beat)

    def _say_alive(self) -> None:
        if self.works and not self._is_stopping:
            tasks = tuple(task for task in self._tasks() if is_storable(task))
            self._carrier.give((p.Beat(self.worker, self.clock.now_ms() + self._lease_ms, tasks),))

    def _watch(self) -> None:
        """Look whether the writer gets anywhere."""
        if self._is_closed:
            return
        stalled = self._writer.stalled_seconds
        if stalled < STALLED_SECONDS or self.trouble is not None:
            self.conditions.clear(STALLED)
        else:
            self.conditions.set(STALLED, _stall_reason(stalled))
        if stalled >= OUTCOME_SECONDS:
            self._give_up(self.trouble or _stall_reason(stalled))
        self._watch_reads(stalled)
        failure = self._writer.lookup_failure
        if failure is None:
            self.conditions.clear(LOOKUP_FAILED)
        else:
            self.conditions.set(LOOKUP_FAILED, f"polling for work failed and is retried: {failure}")
        self._loop.call_later(WATCH_SECONDS, self._watch)

    def _watch_reads(self, stalled: float) -> None:
        """Give reads up that get no answer from the database. Some take long; so it has to be that short ones, too, and the
        writer get none.
        """
        silent = self._readers.silent_seconds
        if silent < STALLED_SECONDS:
            self._unreadable = None
            return
        if self._probe is None or self._probe.done():
            self._probe = asyncio.ensure_future(self._readers.ask(lambda store: store.has_mail("")))
            self._probe.add_done_callback(_ignore)
            self._writer.ask(self._clock_watch.measure)
        elif silent >= OUTCOME_SECONDS and (stalled >= STALLED_SECONDS or self.trouble is not None):
            reason = self.trouble or f"the database has answered nothing for {silent:.0f} seconds"
            self._unreadable = f"{reason}; nothing was done, try again"
            self._readers.give_up(OUTCOME_SECONDS, p.Unavailable(self._unreadable))

    def _give_up(self, reason: str) -> None:
        """Tell those who wait for a write. What has not been handed to the writer is not done."""
        for request in self._carrier.withdraw_requests():
            self._waiters.refuse(request.ticket, p.Unavailable(f"{reason}; nothing was done, try again"))
        self._waiters.give_up(
            OutcomeUnknown(
                f"the database has not confirmed this request for {OUTCOME_SECONDS:.0f} seconds ({reason}); its outcome is "
                "unknown. Repeat with the same Idempotency-Key: it is done once. Without a key, look whether it was done "
                "before you repeat it: a repetition may do it a second time"
            )
        )

    async def stop(self, grace_seconds: float = 0.0) -> None:
        """Begin nothing more. Tasks under way have some time to end; then they are let go, and whoever takes over calls them
        again. All that was submitted is written, and what is held is handed over, so that nobody has to find out. However it
        ends, cancelled or not, `end` has to come after it.
        """
        self._is_stopping = True
        for request in self._carrier.take_no_more_work():
            self._waiters.refuse(request.ticket, Stopped("the engine has been stopped"))
        await self._calls.stop(grace_seconds, self._carrier.listen_no_more)
        self._carrier.flush()
        await self._written()
        self._close()
        await asyncio.to_thread(self._writer.join)
        await self._waiters.ends.stop()

    def _close(self) -> None:
        """No more turns. What this worker has is handed over, after all that it has submitted."""
        self._is_stopping = self._is_closed = True
        self._carrier.listen_no_more()
        self._turning.close()
        self._carrier.flush()
        self._writer.submit((*self.engine.hand_over(), p.Beat(self.worker, p.GONE)))
        self._writer.stop()

    def end(self) -> None:
        """Leave nothing behind: no thread, no connection, nobody who waits. If it has not been stopped in order, tasks have no
        time to end, and only what is being written is waited for.
        """
        if not self._is_closed:
            self._calls.close()
            self._close()
        self._waiters.ends.close()
        self._waiters.fail(Stopped("the engine has been stopped"))
        if self._writer.ident is not None:  # else it could not be started
            self._writer.join()
        self._readers.close()

    async def _written(self) -> None:
        """Until nothing is on its way to the store; not for ever, if the store is in trouble."""
        until = self._loop.time() + DRAIN_SECONDS
        heard: asyncio.Future[None] = self._loop.create_future()  # the writer may be in the middle of a claim

        def hear(_: Any) -> None:
            self._loop.call_soon_threadsafe(settle, heard, None, None)

        self._writer.ask(hear)
        while self._loop.time() < until and self._writer.failure is None:
            if heard.done() and self._carrier.is_written:
                return
            await asyncio.sleep(0.001)

    # Verbs.

    async def request(
        self,
        digest: str,
        workflow: str,
        start: Start,
        key: str | None = None,
        *,
        active: bool = False,
        model: p.Model | None = None,
        audit: WriteCard | None = None,
        note: LogTrigger | None = None,
        name: str | None = None,
    ) -> ports.Reply:
        """Start an execution. It is durable when this returns, and so are its model, what the audit says and what the log of
        triggers says of it, if they come with it.
        """
        self._refuse_if_unavailable()
        started = self.started
        if started is not None:
            started.add(start.execution)
        self._tickets += 1
        waiting = self._waiters.for_reply(self._tickets)
        asked = ports.Request(self._tickets, digest, workflow, start, key, active, model, audit, note, name)
        self._carrier.request(asked)
        reply = await waiting
        if started is not None and (reply.refused or reply.outdated or reply.execution != start.execution):
            started.forget(start.execution)
        return reply

    async def checkpoint(self, execution: str, event: TaskCheckpointed) -> None:
        """A part of a task is done. It is durable when this returns; `Abandoned`, if nobody waits for the task any more."""
        self._refuse_if_failed()
        if not self._carrier.listens:
            raise Abandoned("this worker stops, and another one goes on with the task")
        keeping = self._waiters.keeping
        waiting = keeping.wait(self.engine.held.get(execution), event)
        self._carrier.report(execution, event)
        self._turning.soon()
        try:
            await waiting
        finally:
            keeping.leave(execution, event)

    async def ended(self, execution: str) -> ExecutionRecord:
        """The record of the execution, once it has ended."""
        self._refuse_if_over()
        held = self.engine.held.get(execution)
        return await self._waiters.ends.wait(execution, passes_here=held is not None and held.record.ended_at is None)

    async def taken_in(self, execution: str, version: int | None = None) -> None:
        """Until its inbox is empty: what has been written to it has had its effect; or until it is beyond a version that was
        asked for, which decides about it. Not for ever: nobody may have it.
        """

        def is_waited_for(store: Any) -> bool:
            record = None if version is None else store.record(execution)
            return bool(store.has_mail(execution)) and (record is None or record.seq == version)

        until = self._loop.time() + TAKEN_IN_SECONDS
        while self._loop.time() < until and await self.read(is_waited_for):  # noqa: ASYNC110
            await asyncio.sleep(TAKEN_IN_SECONDS / 1_000)

    async def commit(self, item: p.Item, *, patient: bool = False) -> p.Outcome:
        """Together with whatever else is to be committed. While the store is in trouble, raises `Unavailable` at once, and
        `OutcomeUnknown` for what is under way; a `patient` one waits until the trouble is over.
        """
        self._refuse_if_unavailable(patient=patient)
        waiting = self._waiters.for_outcome(item, patient=patient)
        self._carrier.offer((item,), self._organization() or _organization_of(item))
        return await waiting

    def submit(self, item: p.Item) -> None:
        """Commit an item after all that was submitted before it. Nobody waits for its outcome."""
        if self._writer.failure is None and not self._is_stopping:
            self._carrier.give((item,))

    async def commit_all(self, items: tuple[p.Item, ...]) -> list[p.Outcome]:
        """In one transaction, as far as they are no more than belong into one. What cannot be written at all is refused by
        itself. Raises as `commit` does.
        """
        self._refuse_if_unavailable()
        waiting = [self._waiters.for_outcome(item) for item in items]
        if items:
            self._carrier.offer(items, self._organization() or _organization_of(items[0]))
        return await asyncio.gather(*waiting)

    async def ask(self, question: Callable[[Any], Given], *, patient: bool = True) -> Given:
        """Ask the store, in the writer's thread. `patient` as in `commit`."""
        self._refuse_if_unavailable(patient=patient)
        waiting: asyncio.Future[Given] = self._waiters.for_answer(patient=patient)

        def asked(store: Any) -> None:
            try:
                answer = question(store)
            except p.Broken:
                raise
            except Exception as error:  # noqa: BLE001  it belongs to whoever asked
                self._loop.call_soon_threadsafe(settle, waiting, None, error)
            else:
                self._loop.call_soon_threadsafe(settle, waiting, answer, None)

        self._writer.ask(asked)
        return await waiting

    async def read(self, question: Callable[[Any], Given], organization: str | None = None) -> Given:
        """Ask the store, beside whoever writes; on behalf of one organization, or of nobody in particular."""
        if self._unreadable is not None:
            raise p.Unavailable(self._unreadable)
        return await self._readers.ask(question, organization)

    def registered(self, task: str) -> None:
        """There is such a task now. From any thread: a program may register its tasks in another one."""
        self._loop.call_soon_threadsafe(self._registered, task)

    def _registered(self, task: str) -> None:
        self._carrier.take(ports.Registered(task))
        self._say_alive()

    async def failed(self) -> None:
        """Until nothing can go on. Raises what it is."""
        await self._waiters.over.wait()
        self._refuse_if_over()

    def _refuse_if_failed(self) -> None:
        if self._writer.failure is not None:
            raise StoreFailed(f"the store cannot be written: {self._writer.failure}")

    def _refuse_if_over(self) -> None:
        self._refuse_if_failed()
        if self._is_stopping:
            raise Stopped("the engine is being stopped, and takes nothing more")

    def refuse_if_unavailable(self) -> None:
        """Raise what a start would, without a read before it."""
        self._refuse_if_unavailable()

    def _refuse_if_unavailable(self, *, patient: bool = False) -> None:
        self._refuse_if_over()
        if patient:
            return
        if self.trouble is not None:
            raise p.Unavailable(f"{self.trouble}; nothing was done, try again")
        stalled = self._writer.stalled_seconds
        if stalled >= OUTCOME_SECONDS:
            raise p.Unavailable(f"{_stall_reason(stalled)}; nothing was done, try again")


def _ignore(probe: asyncio.Task[Any]) -> None:
    """An answer is all that counts, also an error."""
    if not probe.cancelled():
        probe.exception()


def _stall_reason(seconds: float) -> str:
    return (
        f"a database write has been running for {seconds:.0f} seconds; another process may hold its lock, or the "
        "disk or the server may be slow"
    )


def _organization_of(item: p.Item) -> str:
    """Return the organization that an item names; empty, if it names none."""
    named = item.event if isinstance(item, p.Publish) else item
    organization: str = getattr(named, "organization", "")
    return organization
