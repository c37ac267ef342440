"""One turn after the other: what has happened is carried to the engine, and what it says to the writer and to the tasks."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context

from perdure.core.commands import AbandonTask, PerformTask
from perdure.expressions import faults
from perdure.fair_queue import FairQueue, slots_for
from perdure.runtime import ports
from perdure.runtime.calls import Calls, Perform
from perdure.runtime.engine import Engine
from perdure.runtime.gathering import Gathering
from perdure.runtime.turning import Turning
from perdure.runtime.waiters import StoreFailed, Waiters
from perdure.runtime.writer import POLL_MAX, Writer
from perdure.store import port as p
from perdure.store.port import Store

TOGETHER = 96
"""So many inputs have their turn together."""

REQUESTS_TOGETHER = 64
"""So many starts are among them."""

BUSY_MAX = 500
"""While so much is on its way, nothing more is begun: each step of what has begun waits for a step of all the others. A hundred
thousand starts at once must not keep it from its turn.
"""

SLEEP_SECONDS_MAX = 1.0
"""Maximum sleep until an alarm. The loop sleeps by a clock that stands still while the machine is suspended."""

BUSY_SHARED_MAX = 40
"""The same while several organizations start executions, or have some claimed. What is on its way is done before a new start,
whichever organization it is of; so less is on its way then.
"""

POLL_SHARED_MAX = 64
"""Events, letters and the like that are looked for at a time, for the same reason: they are written one by one."""

STARVED_SECONDS = 0.005
"""Maximum time without a start while some wait, however much is on its way."""

SHARED_SECONDS = 1.0
"""Time for which that holds after it was last seen."""

LAST_WORDS_SECONDS = 2.0
"""Timeout for writing why the process ends."""

_log = logging.getLogger("perdure.engine")


class Carrier:
    """`waiters` are told what came of what they asked for. `now` is the clock. At most `held_max` executions are held: none, if
    it only carries what others ask for.
    """

    def __init__(
        self,
        store: Store,
        engine: Engine,
        perform: Perform,
        waiters: Waiters,
        now: Callable[[], int],
        *,
        held_max: int,
    ) -> None:
        self._engine, self._waiters, self._now = engine, waiters, now
        self._held_max = slots_for(held_max)
        self._inputs: list[ports.Input] = []
        self._requests: FairQueue[ports.Request | tuple[p.Item, ...]] = FairQueue()
        """Starts that have not been taken in, and items from outside that the writer has not been given."""
        self._is_shared, self._busy_max = False, BUSY_MAX
        self._last_organization: str | None = None
        """That of the last start or claim."""
        self._shared_until = 0.0
        self._served_at = 0.0
        """When a start last had its turn."""
        self._is_deaf = False
        """Nothing that a task says is taken in any more."""
        self._takes_work = True
        context = copy_context()
        self.turning = Turning(self._turn, context)
        self.calls = Calls(perform, self.report, self._not_here, self.turning.now, now, context)
        self.writer = Writer(
            store, engine.worker, self.turning.arrive, now, end_process, works=held_max > 0, counts=waiters.counts
        )
        self.writer.crowded = engine.crowded
        self._seconds = asyncio.get_running_loop().time
        self._gathering = Gathering(self.writer, self._seconds)

    @property
    def is_still(self) -> bool:
        """Whether nothing is on its way here and no task runs."""
        if self.calls or self._requests or self._waiters.requests or not self.is_written:
            return False
        held = self._engine.held.values()
        return not any(one.under_way or one.queue or one.wanted or one.recovering for one in held)

    @property
    def is_written(self) -> bool:
        """Whether nothing is on its way to the store, or back."""
        return not (self.turning.arrived or self._inputs or self._gathering.unanswered or self._engine.fetching)

    def take(self, *inputs: ports.Input) -> None:
        """They have their turn soon."""
        self._inputs.extend(inputs)
        self.turning.soon()

    def request(self, request: ports.Request) -> None:
        organization = request.start.organization
        if organization != self._last_organization:
            self._see_organization(organization)
        self._requests.append(organization, request)
        self.turning.soon()

    def _see_organization(self, organization: str) -> None:
        """Note that this start or claim is not of the same organization as the one before."""
        if self._last_organization is not None:
            self._shared_until = self._seconds() + SHARED_SECONDS
            self._is_shared, self._busy_max = True, min(BUSY_SHARED_MAX, BUSY_MAX)
            self.writer.poll_max = POLL_SHARED_MAX
        self._last_organization = organization

    def offer(self, items: tuple[p.Item, ...], organization: str) -> None:
        """Write items from outside. While there is no room for more, organizations take turns."""
        if organization and organization != self._last_organization:
            self._see_organization(organization)
        if self._requests or self._room() <= 0:
            self._requests.append(organization, items)
            self.turning.soon()
        else:
            self.give(items)

    def give(self, items: tuple[p.Item, ...]) -> None:
        """To the writer, beside what the engine says."""
        self._gathering.unanswered += len(items)
        self.writer.submit(items)

    def take_no_more_work(self) -> tuple[ports.Request, ...]:
        """Those who have asked for a start that has not been taken in, and will not be."""
        self._takes_work = False
        self.writer.capacity = 0
        return self.withdraw_requests()

    def withdraw_requests(self) -> tuple[ports.Request, ...]:
        """Return the starts that have not been taken in, and forget them. Items that wait for their turn are handed to the
        writer.
        """
        left = self._requests.clear()
        for waiting in left:
            if isinstance(waiting, tuple):
                self.give(waiting)
        return tuple(waiting for waiting in left if not isinstance(waiting, tuple))

    def listen_no_more(self) -> None:
        self._is_deaf = True

    @property
    def listens(self) -> bool:
        return not self._is_deaf

    def report(self, execution: str, event: ports.TaskEvent) -> None:
        if not self._is_deaf:
            self._waiters.counts.heard[type(event)] += 1
            self._inputs.append(ports.Report(execution, event))

    def _not_here(self, execution: str, command: PerformTask) -> None:
        if not self._is_deaf:
            self._inputs.append(ports.NotHere(execution, command))

    def flush(self) -> None:
        self._gathering.flush()

    # Turns.

    def _turn(self) -> float | None:
        """What goes wrong here is a bug, after which nothing can be relied on but what is on the disk: everybody is told."""
        try:
            return self._turn_once()
        except Exception as error:
            _log.exception("the engine has failed")
            self.writer.failure = error
            self._waiters.fail(StoreFailed(f"the engine has failed: {error}"))
            raise

    def _turn_once(self) -> float | None:
        """In how many seconds the next one is due, if nothing happens before."""
        arrived = self.turning.arrived
        while arrived:
            self._inputs.extend(arrived.popleft())
        if self.writer.failure is not None:
            self._waiters.fail(StoreFailed(f"the store cannot be written: {self.writer.failure}"))
        wake_at = self._decide()
        if len(self._inputs) == 1:  # what was written at once
            wake_at = self._decide()
        if self._inputs or self._starts() > 0:
            return 0.0
        return None if wake_at is None else min(max(wake_at - self._now(), 0) / 1_000, SLEEP_SECONDS_MAX)

    def _decide(self) -> int | None:
        """One turn of the engine; when the next is due, if nothing happens before."""
        inputs = self._next()
        out = self._engine.turn(self._now(), inputs)
        for reply in out.replies:
            self._waiters.replied(reply)
        for given in inputs:
            if isinstance(given, ports.Answer):
                self._gathering.unanswered -= len(given.items)
                self._waiters.answered(given, self._engine.held)
            elif isinstance(given, ports.Claimed):
                for claim in given.claims:
                    if claim.record.organization != self._last_organization:
                        self._see_organization(claim.record.organization)
        if out.unreadable:
            _tell_of(out.unreadable)
        for perform in out.performs:
            if isinstance(perform.command, AbandonTask):
                self.calls.abandon(perform.execution, perform.command.op)
            else:
                self.calls.call(perform.execution, perform.command, self._engine.organization(perform.execution))
        room = min(self._held_max - len(self._engine.held), max(self._room() - len(out.commits), 1))
        self.writer.capacity = room if self._takes_work else 0  # before it is told to go on
        self._submit(out)
        for warning in out.warnings:
            _log.warning("%s", warning)
        for message, error in out.errors:
            _log.error("%s", message, exc_info=error)
        if out.look_beyond:
            self._look_beyond(out.look_beyond)
        return out.wake_at

    def _look_beyond(self, count: int) -> None:
        """Ask the store for more unrouted events than the writer does."""

        def look(store: Store) -> None:
            try:
                polled = store.poll(self._engine.worker, now=self._now(), limit=count)
            except p.Unavailable:  # the writer says so, and the engine asks again
                return
            self.turning.arrive([p.Polled((), (), polled.events, poisoned=polled.poisoned)])

        self.writer.ask(look)

    def _submit(self, out: ports.Output) -> None:
        """To the writer; but what is all there is to do is written here and now."""
        gathering = self._gathering
        if not out.commits and not out.queries and not gathering:
            self.writer.heard()
            return
        gathering.unanswered += len(out.commits)
        if len(self._engine.held) <= 1 and not (out.queries or self._inputs or self._requests or gathering):
            outcomes = self.writer.at_once(out.commits)
            if outcomes is not None:
                self._inputs.append(ports.Answer(out.commits, tuple(outcomes)))
                return
        gathering.add(out.commits, out.queries, len(self._inputs) + self.calls.beginning)

    def _next(self) -> list[ports.Input]:
        """What has its turn now."""
        now, self._inputs = _together(self._inputs)
        for _ in range(self._starts(len(now))):
            waiting = self._requests.pop()
            self._served_at = self._seconds()
            if isinstance(waiting, tuple):
                self.give(waiting)
            else:
                now.append(waiting)
        return now

    def _starts(self, beside: int = 0) -> int:
        """How many have their turn now, beside so many others. A fifth of the room is for what wakes up."""
        if not self._requests:
            return 0
        room = self._room() - beside - self._busy_max // 5
        least = (
            1 if self._seconds() > self._served_at + STARVED_SECONDS else 0
        )  # steps of what runs must not keep starts out
        return min(REQUESTS_TOGETHER, len(self._requests), max(room, least))

    def _room(self) -> int:
        """How much more may be begun. Calls that wait for something are not on their way."""
        coming = len(self._inputs) + self.calls.beginning + self._engine.fetching
        if self._is_shared and not self._requests and self._seconds() > self._shared_until:
            self._is_shared, self._busy_max, self._last_organization = False, BUSY_MAX, None
            self.writer.poll_max = POLL_MAX
        return self._busy_max - self._gathering.unanswered - coming


def end_process(error: p.Broken) -> None:
    """What is on disk is all that can be relied on, and it is read by whoever comes next: nothing else is safe. A pipe that is
    not read does not keep the process from ending.
    """
    writing = threading.Thread(target=print, args=(f"perdure: {error}",), kwargs={"file": sys.stderr, "flush": True})
    writing.daemon = True
    writing.start()
    writing.join(LAST_WORDS_SECONDS)
    os._exit(os.EX_IOERR)


def _log_expression_error(source: str, error: Exception) -> None:
    _log.error("internal error in the expression %.200s", source, exc_info=error)


faults.observers.append(_log_expression_error)


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
