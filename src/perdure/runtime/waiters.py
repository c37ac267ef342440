"""Who waits here for something that the store has to answer: a start, an item, a question, an end, a checkpoint. Each is told
once; if nothing can go on, all of them are told that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from perdure.core.facts import Fact
from perdure.errors import PerdureError
from perdure.model.records import ExecutionRecord
from perdure.runtime import ports
from perdure.runtime.counts import Counts
from perdure.runtime.ends import Ends
from perdure.runtime.halts import Halts
from perdure.runtime.held import Held
from perdure.runtime.keeping import Keeping
from perdure.runtime.started import Started
from perdure.store import port as p


class StoreFailed(PerdureError, code="store_failed"):
    """The store cannot be written. Nothing that was acknowledged is lost; start again when its cause is gone."""


class Stopped(PerdureError, code="stopped"):
    """The engine has been stopped before it could answer. What it has not acknowledged may or may not have been done."""


class OutcomeUnknown(PerdureError, code="outcome_unknown"):
    """The store has not confirmed a write in time. It may still be done: repeat it with the same idempotency key."""


class Waiters:
    """`ends`, `halts` and `keeping` have those who wait for an end, a halt, or a checkpoint."""

    def __init__(self, ends: Ends) -> None:
        self._loop = asyncio.get_running_loop()
        self.ends, self.halts, self.keeping, self.counts = ends, Halts(), Keeping(), Counts()
        self.started: Started | None = None
        """Where somebody wants to know."""
        self.on_ended: list[Callable[[ExecutionRecord], object]] = []
        """Who is told of each execution that ends here, when that is durable."""
        self.on_committed: list[Callable[[p.Advance], object]] = []
        """Who is told of all that becomes durable here, fact by fact."""
        self.over = asyncio.Event()
        """Set when nothing can go on."""
        self._replies: dict[int, asyncio.Future[ports.Reply]] = {}
        self._outcomes: dict[int, tuple[p.Item, asyncio.Future[p.Outcome]]] = {}
        """By the identity of the item."""
        self._asking: set[asyncio.Future[Any]] = set()
        self._patient: set[asyncio.Future[Any]] = set()

    @property
    def requests(self) -> int:
        """How many wait for a start."""
        return len(self._replies)

    def for_reply(self, ticket: int) -> asyncio.Future[ports.Reply]:
        waiting = self._replies[ticket] = self._loop.create_future()
        return waiting

    def for_outcome(self, item: p.Item, *, patient: bool = False) -> asyncio.Future[p.Outcome]:
        """`patient`: it waits as long as the store is in trouble."""
        waiting: asyncio.Future[p.Outcome] = self._loop.create_future()
        self._outcomes[id(item)] = (item, waiting)
        if patient:
            self._be_patient(waiting)
        return waiting

    def for_answer(self, *, patient: bool = True) -> asyncio.Future[Any]:
        """To a question. It is told by whoever asks for it."""
        waiting: asyncio.Future[Any] = self._loop.create_future()
        self._asking.add(waiting)
        waiting.add_done_callback(self._asking.discard)
        if patient:
            self._be_patient(waiting)
        return waiting

    def _be_patient(self, waiting: asyncio.Future[Any]) -> None:
        self._patient.add(waiting)
        waiting.add_done_callback(self._patient.discard)

    def give_up(self, error: OutcomeUnknown) -> None:
        """Tell all that wait for a write, but for those that are patient. What they asked for may still be done."""
        waiting: list[asyncio.Future[Any]] = [*self._replies.values(), *self._asking]
        waiting += [outcome for _, outcome in self._outcomes.values()]
        for each in waiting:
            if each not in self._patient:
                settle(each, None, error)

    def replied(self, reply: ports.Reply) -> None:
        waiting = self._replies.pop(reply.ticket, None)
        if waiting is not None:
            settle(waiting, reply, None)

    def refuse(self, ticket: int, error: PerdureError) -> None:
        """Nothing comes of a start."""
        settle(self._replies.pop(ticket), None, error)

    def answered(self, answer: ports.Answer, held: Mapping[str, Held]) -> None:
        """`held` is what the engine holds after it."""
        for item, outcome in zip(answer.items, answer.outcomes, strict=True):
            if type(item) is p.Advance:
                if type(outcome) is p.Committed:
                    self._committed(item)
                if self.keeping:
                    self.keeping.answered(item, outcome, held.get(item.execution))
                if item.record.ended_at is not None and type(outcome) is p.Committed:
                    self.ends.ended(item.record)
                    for told in self.on_ended:
                        told(item.record)
            else:
                if type(item) is p.Park and type(outcome) is p.Committed:
                    self._parked(item.execution)
                elif type(item) is p.Decline and type(outcome) is p.Committed:
                    self.counts.declined += 1
                if type(item) is p.Fork and type(outcome) is p.Committed:
                    self._count(item.facts)
                _, waiting = self._outcomes.pop(id(item), (None, None))
                if waiting is not None:
                    settle(waiting, outcome, None)

    def _committed(self, item: p.Advance) -> None:
        self._count(item.facts)
        if self.started is not None:
            self.started.advanced(item)
        if self.halts:
            self.halts.committed(item.record)
        for told in self.on_committed:
            told(item)

    def _parked(self, execution: str) -> None:
        self.counts.parked += 1
        self.halts.halted(execution)
        self.keeping.abandon(execution)

    def _count(self, durable: Iterable[Fact]) -> None:
        facts = self.counts.facts
        for fact in durable:
            facts[type(fact)] += 1

    def fail(self, error: PerdureError) -> None:
        outcomes = [outcome for _, outcome in self._outcomes.values()]
        waiting: list[asyncio.Future[Any]] = [*self._replies.values(), *outcomes, *self._asking]
        for one in waiting:
            settle(one, None, error)
        self.ends.fail(error)
        self.keeping.fail(error)
        self.over.set()


def settle(waiting: asyncio.Future[Any], answer: Any, error: Exception | None) -> None:
    if waiting.done():
        return
    if error is not None:
        waiting.set_exception(error)
    else:
        waiting.set_result(answer)
