"""One virtual object for each execution: Restate hands it one event at a time, and keeps what it writes and sends.

Rules of this file:
1. A turn is a function of what the object holds and of its event. So Restate may make it again, and it comes to the same; what
   does not follow from these (the clock, what a name means) goes through the journal.
2. What others rely on (waits and approvals) is in our store before anything is performed that follows from it. The rest of what
   there is to read follows in its order, and nobody waits for it.
3. Facts and state are written before anything is sent.
"""

from __future__ import annotations

from datetime import timedelta

import msgspec
from msgspec.structs import replace
from restate import ObjectContext, VirtualObject
from restate.context import RunOptions

from perdure.clock import now_ms
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core.state import BLANK, State, TaskOp, from_json, to_json, wake_at
from perdure.core.values import Known, Ref, Takes
from perdure.hosts.restate import shelf
from perdure.hosts.restate.library import Library
from perdure.hosts.restate.messages import (
    BYTES,
    EPOCH,
    EXECUTION,
    OWNER,
    RECORD,
    TASK,
    Begin,
    Call,
    Control,
    Delivery,
    Outcome,
    Wake,
    Written,
    decoded,
    encoded,
)
from perdure.hosts.restate.policies import FORGOTTEN, PATIENT
from perdure.model.failure import Category, refusal
from perdure.runtime import writes
from perdure.runtime.held import Batch, Held, Incoming
from perdure.runtime.inputs import inputs_of
from perdure.runtime.uncalled import is_wanted, never_called_event
from perdure.store.port import Advance, Changes, Pending

AGAIN_MS = 200
"""So long an execution waits for what has to come first, and is on its way."""


class Executions:
    """`object` is what Restate calls."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.object = VirtualObject(
            EXECUTION, enable_lazy_state=True, journal_retention=FORGOTTEN, invocation_retry_policy=PATIENT
        )
        self.object.handler("begin", input_serde=BYTES, output_serde=BYTES)(self._begin)
        self.object.handler("deliver", input_serde=BYTES, output_serde=BYTES)(self._deliver)
        self.object.handler("wake", input_serde=BYTES, output_serde=BYTES)(self._wake)

    async def _begin(self, ctx: ObjectContext, given: bytes) -> bytes:
        """Once: what has begun stays as it is."""
        if await shelf.read_control(ctx) is None:
            pending = decoded(Begin, given).pending
            held = Held(pending.record, EPOCH, await self._library.program(pending.record.digest), BLANK)
            held.start = pending.start
            await self._turn(ctx, held, None, pending)
        return b""

    async def _deliver(self, ctx: ObjectContext, given: bytes) -> bytes:
        """Something has happened."""
        control, delivery = await shelf.read_control(ctx), decoded(Delivery, given)
        if control is not None:
            await self._take(ctx, control, Incoming(delivery.event, delivery.pos))
        elif delivery.pos is not None:  # a child that somebody has found before it began
            ctx.generic_send(EXECUTION, "deliver", given, ctx.key(), timedelta(milliseconds=AGAIN_MS))
        return b""

    async def _wake(self, ctx: ObjectContext, given: bytes) -> bytes:
        """A timer. One that is no longer right changes nothing; if another is, it is set."""
        control = await shelf.read_control(ctx)
        if control is None:
            return b""
        if control.wake == decoded(Wake, given).due:
            control = replace(control, wake=None)
        now = int(await ctx.time() * 1_000)
        due = wake_at(from_json(control.state))
        if due is not None and due <= now:
            await self._take(ctx, control, Incoming(e.TimeReached(now)))
        else:
            control, wake = _with_timer(control, due)
            shelf.write_control(ctx, control)
            _set_timer(ctx, wake)
        return b""

    async def _take(self, ctx: ObjectContext, control: Control, incoming: Incoming) -> None:
        program = await self._library.program(control.record.digest)
        held = Held(control.record, EPOCH, program, from_json(control.state))
        held.queue.append(incoming)
        await self._turn(ctx, held, control)

    async def _turn(
        self, ctx: ObjectContext, held: Held, control: Control | None, itself: Pending | None = None
    ) -> None:
        """Decide, write, send."""
        ids: dict[str, str] = {}
        batch = held.decide()
        while held.wanted:
            held.lend(await self._values(ctx, held, control, ids))
            batch = held.decide()
        if batch is None:
            if (
                control is not None and control.wake is None and wake_at(held.state) is not None
            ):  # a timer that came early
                control, wake = _with_timer(control, wake_at(held.state))
                shelf.write_control(ctx, control)
                _set_timer(ctx, wake)
            return
        record, name = held.described(batch, batch.state.at), held.program.workflow.name
        changes = writes.changes(
            record, batch.commands, at=batch.state.at, seen=batch.seen, declined=batch.declined, name=name
        )
        if held.start is not None:
            changes = writes.with_events(changes, (writes.lifecycle(record, "started", record.started_at, name),))
        children = tuple(_named(pending, ids) for pending in changes.starts)
        advance = Advance(
            record.id,
            OWNER,
            EPOCH,
            held.state.seq,
            batch.facts,
            record,
            replace(changes, starts=(), messages=(), notices=()),
        )
        if await _written(ctx, Written(advance, itself, children)) == "guarded":
            # What comes first is in the inbox of the store, and on its way. Time comes back by itself, after that.
            assert control is not None
            shelf.write_control(ctx, control)  # of its timers, the one that brought this is gone
            ctx.generic_send(EXECUTION, "wake", encoded(Wake(0)), record.id, timedelta(milliseconds=AGAIN_MS))
            return
        within = {} if control is None else control.within
        within = await shelf.count_within(ctx, batch.facts, held.state.seq, batch.state, within)
        shelf.write_facts(ctx, batch.facts, held.state.seq)
        after = Control(record, msgspec.Raw(to_json(batch.state)), None if control is None else control.wake, within)
        after, wake = _with_timer(after, wake_at(batch.state))
        shelf.write_control(ctx, after)
        _set_timer(ctx, wake)
        for pending in children:
            ctx.generic_send(EXECUTION, "begin", encoded(Begin(pending)), pending.record.id)
        for message in changes.messages:
            ctx.generic_send(EXECUTION, "deliver", encoded(Delivery(message.event)), message.execution)
        await _perform(ctx, record.id, held.state, batch)

    async def _values(
        self, ctx: ObjectContext, held: Held, control: Control | None, ids: dict[str, str]
    ) -> dict[Ref, object]:
        found = await shelf.read_values(ctx, control, held.wanted)
        for ref in sorted((ref for ref in held.wanted if isinstance(ref, Known)), key=lambda ref: ref.workflow):
            id_, digest = await self._meant(ctx, held.record.organization, ref.workflow)
            ids[ref.workflow], found[ref] = id_, digest
        for wanted in held.wanted:
            if isinstance(wanted, Takes):  # a model never changes
                found[wanted] = inputs_of(await self._library.program(wanted.digest))
        return found

    async def _meant(self, ctx: ObjectContext, organization: str, ref: str) -> tuple[str, str]:
        """The id of the workflow that a name stands for, and the digest of its active version; in the journal, because another
        version may be active by the next time.
        """

        async def find() -> bytes:
            found = await self._library.workflow(organization, ref)
            return encoded(("", "") if found is None else (found.id, found.digest or ""))

        data = await ctx.run_typed("what a workflow's name means", find, RunOptions(serde=BYTES))
        return decoded(tuple[str, str], data)


async def _written(ctx: ObjectContext, written: Written) -> Outcome:
    """Have it written to our store: now, if others rely on it, or after what has been sent there before."""
    data = encoded(written)
    if not _is_relied_on(written):
        ctx.generic_send(RECORD, "write", data, written.advance.execution)
        return "committed"
    answer = await ctx.generic_call(RECORD, "write", data, written.advance.execution)
    return decoded(Outcome, answer)  # type: ignore[arg-type]


def _is_relied_on(written: Written) -> bool:
    """An event must find the wait, a person the approval, and whoever starts an execution the record of it."""
    changes: Changes = written.advance.changes
    return bool(
        written.itself is not None
        or written.children
        or changes.waits_opened
        or changes.approvals_opened
        or changes.approvals_overdue
        or changes.approvals_settled
    )


def _with_timer(control: Control, due: int | None) -> tuple[Control, int | None]:
    """The time for which a timer has to be set, if none is under way that comes before it."""
    if due is None or (control.wake is not None and control.wake <= due):
        return control, None
    return replace(control, wake=due), due


def _set_timer(ctx: ObjectContext, due: int | None) -> None:
    """Restate keeps the time that it comes to, not the delay, and does not hold the one of a replay against it."""
    if due is not None:
        delay = timedelta(milliseconds=max(due - now_ms(), 0))
        ctx.generic_send(EXECUTION, "wake", encoded(Wake(due)), ctx.key(), delay)


def _named(pending: Pending, ids: dict[str, str]) -> Pending:
    """A child names its workflow by id or by name, and is kept by id."""
    record = pending.record
    return Pending(replace(record, workflow=ids.get(record.workflow) or record.workflow), pending.start)


async def _perform(ctx: ObjectContext, execution: str, before: State, batch: Batch) -> None:
    """After all that it follows from is written."""
    state, calls = batch.state, []
    for command in batch.commands:
        match command:
            case c.PerformTask():
                op = state.ops.get(command.op)
                if command.secret_input and isinstance(op, TaskOp) and is_wanted(state, op):
                    _tell_itself(ctx, _not_sent(command, state.at))
                elif isinstance(op, TaskOp) and is_wanted(state, op):
                    calls.append((op.op, ctx.generic_send(TASK, "call", encoded(Call(execution, command)))))
                elif isinstance(op, TaskOp):  # the same turn has given it up
                    _tell_itself(ctx, never_called_event(state, op))
            case c.AbandonTask():
                called = await ctx.get(f"k:{command.op}", BYTES)
                if called is not None:
                    ctx.cancel_invocation(called.decode())
            case c.Continue():
                _tell_itself(ctx, e.Continued(state.at))
            case c.FireChain():
                _tell_itself(ctx, e.ChainDue(state.at, command.number))
            case _:
                pass
    for number, op in before.ops.items():
        if isinstance(op, TaskOp) and number not in state.ops and number not in state.stopped:
            ctx.clear(f"k:{number}")
    for number, sent in calls:
        ctx.set(f"k:{number}", (await sent.invocation_id()).encode(), BYTES)


def _not_sent(command: c.PerformTask, at: int) -> e.TaskFailed:
    """Fail a call whose input must not be stored: Restate's journal would hold it."""
    step = command.step.partition("/")[0]
    message = (
        f"step {step!r} seals a variable ('secure'), which is not supported on Restate; set it as a secret instead"
    )
    failure = refusal(message, code="NOT_SUPPORTED", category=Category.PERMANENT)
    return e.TaskFailed(at, command.op, command.attempt, failure)


def _tell_itself(ctx: ObjectContext, event: e.Event) -> None:
    ctx.generic_send(EXECUTION, "deliver", encoded(Delivery(event)), ctx.key())
