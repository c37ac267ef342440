"""One execution in the hands of its owner: its state, the events that wait for it, and the commit that is under way.

At most one commit is under way. What it makes true is not true until it is durable: no command is performed before, and
if the commit is refused, all of it is forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.core import events as e
from perdure.core.advance import Start, advance, start
from perdure.core.commands import Command, Finish, PerformTask
from perdure.core.draft import Transition
from perdure.core.facts import Fact
from perdure.core.outstanding import in_flight, is_calling
from perdure.core.program import Program
from perdure.core.readiness import has_ready
from perdure.core.standing import standing
from perdure.core.state import State, is_live, wake_at
from perdure.core.values import Consumed, Known, NeedValues, Ref, Takes, Within, consumed_by, scope_of
from perdure.model.failure import Category, Failure
from perdure.model.records import ExecutionRecord
from perdure.model.values import Json
from perdure.runtime.inputs import unfit
from perdure.store.port import Claim, Uncalled

FACTS_AT_HAND = 256
"""How many recent facts are kept, so that most steps read what they need without asking the store."""

BYTES_AT_HAND = 256 * 1024 * 1024
"""So much all of them may weigh, as JSON, in equal shares for the executions that are held. What is beyond that is asked for."""

_encode = msgspec.json.Encoder().encode
_UNSTORABLE = Failure(
    "the execution cannot begin: the first steps lead to values that the database cannot store",
    Category.VALIDATION,
    "UNSTORABLE",
    retriable=False,
)


class Incoming(Struct, frozen=True, gc=False):
    """An event to deal with; `pos` is its place in the inbox, if it came that way."""

    event: e.Event
    pos: int | None = None


class Batch(Struct, frozen=True, gc=False):
    """What one commit will make true."""

    state: State
    facts: tuple[Fact, ...]
    commands: tuple[Command, ...]
    dealt_with: tuple[Incoming, ...] = ()
    seen: tuple[int, ...] = ()
    """Places in the inbox."""
    declined: tuple[str, ...] = ()
    begins: bool = False
    """Whether the start is among it."""


class HeldExecutions(dict[str, "Held"]):
    """Executions that a worker owns, by id, counted by organization."""

    def __init__(self) -> None:
        super().__init__()
        self._count_of: dict[str, int] = {}

    def __setitem__(self, execution: str, held: Held) -> None:
        if execution not in self:
            organization = held.record.organization
            self._count_of[organization] = self._count_of.get(organization, 0) + 1
        super().__setitem__(execution, held)

    def __delitem__(self, execution: str) -> None:
        organization = self[execution].record.organization
        super().__delitem__(execution)
        count = self._count_of[organization] - 1
        if count:
            self._count_of[organization] = count
        else:
            del self._count_of[organization]

    def count_of(self, organization: str) -> int:
        return self._count_of.get(organization, 0)

    def count_by_organization(self) -> tuple[tuple[str, int], ...]:
        """From any thread: a dictionary is copied in one step."""
        return tuple(self._count_of.copy().items())


class Held:
    """An execution that this worker owns."""

    __slots__ = (
        "epoch",
        "gathered",
        "has_committed",
        "is_start_refused",
        "known_mail",
        "lacking",
        "loaned",
        "one_by_one",
        "program",
        "queue",
        "record",
        "recovering",
        "snapshot_at",
        "start",
        "state",
        "timer_at",
        "uncalled",
        "under_way",
        "values",
        "wanted",
    )

    def __init__(self, record: ExecutionRecord, epoch: int, program: Program, state: State) -> None:
        self.record = record
        self.epoch = epoch
        self.program = program
        self.state = state
        self.queue: deque[Incoming] = deque()
        self.start: Start | None = None
        self.under_way: Batch | None = None
        self.wanted: frozenset[Ref] = frozenset()
        """Values that have to be loaded before it can go on."""
        self.recovering = False
        """Taken over or newly claimed: what is to be performed follows from the state, not from the next commit."""
        self.values: dict[Ref, Any] = {}
        self.gathered = 0
        """What the values weigh that have come since they were last weighed."""
        self.loaned: set[Ref] = set()
        """Values that the next commit may change: what a scope holds, which events have been consumed."""
        self.known_mail: set[int] = set()
        self.snapshot_at = 0
        """The number of facts that the last durable snapshot holds."""
        self.has_committed = False
        """Whether the row in the store is what `record` says, written in this epoch with progress: it counts no crashes."""
        self.timer_at: int | None = None
        """When the engine is going to wake it."""
        self.lacking: dict[int, PerformTask] = {}
        """Operations whose tasks this worker does not have, and what it was to call."""
        self.one_by_one = False
        """Whether each event is committed alone: several of them together could not be stored."""
        self.is_start_refused = False
        """Whether what the start leads to cannot be stored: it begins only to fail."""
        self.uncalled: Uncalled = ()
        """While it recovers: what the owners before this one could not call."""

    def add_mail(self, pos: int, event: e.Event) -> None:
        if pos not in self.known_mail:
            self.known_mail.add(pos)
            self.queue.append(Incoming(event, pos))
            if type(event) is e.EventArrived:  # the store delivers nothing that has been consumed: nobody has to ask
                consumed = Consumed(event.event.id)
                self.values.setdefault(consumed, False)
                self.loaned.add(consumed)

    def lend(self, values: dict[Ref, Any]) -> None:
        """Values that it asked for."""
        self.values.update(values)
        loaned = {ref for ref in values if isinstance(ref, Within | Consumed | Known | Takes)}
        self.loaned |= loaned
        self.gathered += _weight([value for ref, value in values.items() if ref not in loaned])
        self.wanted = frozenset()

    def decide(self) -> Batch | None:
        """Deal with all events that wait, as far as the values at hand allow. None: there is nothing to commit."""
        state = self.state
        decided: list[Transition] = []
        if self.start is not None:
            refused = _UNSTORABLE if self.is_start_refused else unfit(self.program, self.start.input)
            begun = start(self.program, self.start, self.values, refused)
            if isinstance(begun, NeedValues):
                self.wanted = begun.refs
                return None
            state = self._take(begun)
            decided.append(begun)
        begins = self.start is not None
        dealt_with: list[Incoming] = []
        seen: list[int] = []
        declined: list[str] = []
        queue = self.queue
        while queue and not (self.one_by_one and decided):
            event, pos = queue[0].event, queue[0].pos
            transition = advance(self.program, state, event, self.values)
            if isinstance(transition, NeedValues):
                if not any(one.facts for one in decided):  # else the commit goes first: what is loaded must be no older
                    self.wanted = transition.refs
                break
            state = self._take(transition)
            decided.append(transition)
            dealt_with.append(queue.popleft())
            if pos is not None:
                seen.append(pos)
            if type(event) is e.EventArrived:
                declined.extend(_declined(event, transition.facts))
        facts, commands = (decided[0].facts, decided[0].commands) if len(decided) == 1 else _joined(decided)
        if not facts and not seen:
            return None
        return Batch(state, facts, commands, tuple(dealt_with), tuple(seen), tuple(declined), begins)

    def _take(self, transition: Transition) -> State:
        state, facts, values = transition.state, transition.facts, self.values
        seq = state.seq - len(facts)
        for fact in facts:
            seq += 1
            values[seq] = fact
            if self.loaned:
                self._keep_up(fact)
        return state

    def _keep_up(self, fact: Fact) -> None:
        """What is on loan must know of a fact that no store knows yet."""
        inside = self.values.get(Within(scope_of(fact)))
        if inside is not None:
            inside.append(fact)
        event_id = consumed_by(fact)
        if event_id is not None:
            self.values[Consumed(event_id)] = True
            self.loaned.add(Consumed(event_id))

    def _return_loans(self) -> None:
        for ref in self.loaned:
            self.values.pop(ref, None)
        self.loaned.clear()

    def roll_back(self) -> None:
        """The commit was refused: what it would have made true is forgotten, its events wait again."""
        batch = self.under_way
        assert batch is not None
        self.under_way = None
        for seq in range(self.state.seq + 1, batch.state.seq + 1):
            self.values.pop(seq, None)
        self._return_loans()
        self.queue.extendleft(reversed(batch.dealt_with))

    def settle(self, bytes_max: int = BYTES_AT_HAND) -> Batch:
        """The commit is durable. So much may be kept at hand."""
        batch = self.under_way
        assert batch is not None
        self.under_way = None
        self.state = batch.state
        self.start = None
        if self.loaned:
            self._return_loans()
        if self.known_mail:
            self.known_mail.difference_update(batch.seen)
        if len(self.values) > FACTS_AT_HAND:
            self._forget()
        self.gathered += _weight(batch.facts)
        if self.gathered > bytes_max:  # and not each time: to weigh them costs as much as to write them
            self._forget_heavy(bytes_max)
        return batch

    def _forget(self) -> None:
        """Keep the first fact, and the latest."""
        while len(self.values) > FACTS_AT_HAND:
            oldest = next(ref for ref in self.values if ref != 1)
            del self.values[oldest]

    def _forget_heavy(self, bytes_max: int) -> None:
        """Keep the first fact, and of the others what there is room for, the latest before the older."""
        values, self.gathered = self.values, 0
        kept: set[Ref] = set()
        for ref in (1, *reversed(values)):
            weight = _weight((values.get(ref),))
            if ref not in kept and weight <= bytes_max:
                bytes_max -= weight
                kept.add(ref)
        self.values = {ref: value for ref, value in values.items() if ref in kept}

    def described(self, batch: Batch, now: int) -> ExecutionRecord:
        """The record after the batch. Most steps change nothing of it but the number of facts, which the store knows: then it is
        the one from before.
        """
        state, before, due = batch.state, self.record, wake_at(batch.state)
        if self.has_committed and state.busy and state.status == before.status == "running" and due == before.wake_at:
            return before
        status, waiting = standing(self.program, state)
        record = replace(before, status=status, live=is_live(state), waiting=waiting, wake_at=due, seq=state.seq)
        if state.status == "running" and record.ended_at is None:
            return record
        output, error = self._outcome(batch)
        return replace(record, output=output, error=error, ended_at=self._ended_at(batch, now))

    def _outcome(self, batch: Batch) -> tuple[Json, Failure | None]:
        if batch.state.status == "running":
            return None, None
        for command in reversed(batch.commands):
            if isinstance(command, Finish):
                return command.output, command.error
        return self.record.output, self.record.error

    def _ended_at(self, batch: Batch, now: int) -> int | None:
        """What fails again in the very moment in which it is retried has ended anew."""
        if batch.state.status == "running":
            return None
        ends = self.record.ended_at is None or any(isinstance(command, Finish) for command in batch.commands)
        return now if ends else self.record.ended_at

    def is_idle_after(self, state: State) -> bool:
        """Whether nothing of it needs a worker: no attempt under way, nothing ready, no chain to fire."""
        return (
            not is_calling(state)
            and not any(not firing.failed for firing in state.chains.values())
            and not has_ready(self.program, state)
        )


def _weight(values: Iterable[Any]) -> int:
    try:
        return len(_encode(tuple(values)))
    except (TypeError, ValueError, OverflowError):  # only a store in memory keeps what JSON cannot
        return len(repr(values))


def _joined(decided: list[Transition]) -> tuple[tuple[Fact, ...], tuple[Command, ...]]:
    facts = tuple(fact for one in decided for fact in one.facts)
    return facts, tuple(command for one in decided for command in one.commands)


def _declined(event: e.EventArrived, facts: tuple[Fact, ...]) -> list[str]:
    if any(consumed_by(fact) == event.event.id for fact in facts):
        return []
    return [event.event.id]


def recovered(program: Program, state: State, claim: Claim, now: int) -> Held:
    """An execution just claimed.

    Mail comes first: an event that was there in time is not too late because nobody looked. Then what is due is due. Then
    the attempts that were under way are lost: after what may have ended the execution, so that nothing is called again
    for one that is over. What nobody has called yet is not lost: it is called, after all that.
    """
    held = Held(claim.record, claim.epoch, program, state)
    held.recovering = True
    held.start = claim.start
    held.snapshot_at = state.seq - len(claim.facts)
    held.values.update(enumerate(claim.facts, state.seq - len(claim.facts) + 1))
    held.gathered = _weight(claim.facts)
    for mail in claim.mail:
        held.add_mail(mail.pos, mail.event)
    due = wake_at(state)
    if due is not None and due <= now:
        held.queue.append(Incoming(e.TimeReached(now)))
    held.uncalled, uncalled = claim.uncalled, dict(claim.uncalled)
    for op in in_flight(state):
        if op.op not in uncalled:
            held.queue.append(Incoming(e.AttemptLost(now, op.op, op.attempt)))
    return held
