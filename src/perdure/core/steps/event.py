"""Waits for events: pattern, condition, timeout."""

from __future__ import annotations

from perdure.core import facts as f
from perdure.core.commands import CloseWait, OpenWait
from perdure.core.draft import Draft
from perdure.core.events import EventArrived
from perdure.core.moments import after
from perdure.core.moves import Broken, Done, Move, invalid
from perdure.core.patterns import matches
from perdure.core.seat import Seat
from perdure.core.state import EventOp
from perdure.core.steps.immediate import text
from perdure.errors import EvaluationError
from perdure.expressions.faults import InternalExpressionError
from perdure.expressions.keys import key_in
from perdure.expressions.protocol import truthy
from perdure.model.failure import Category, Failure
from perdure.model.records import EventRecord
from perdure.model.steps import EventWait
from perdure.model.values import Json, Value


def begin(draft: Draft, seat: Seat, work: EventWait) -> Move | None:
    pattern = text(draft.evaluate(work.pattern, seat), "the pattern of an event")
    due_at = None
    if work.timeout_ms is not None:
        due_at = after(draft.at, draft.evaluate_time(work.timeout_ms, "timeout", seat), "timeout")
    key = draft.key(work.condition, seat)
    draft.record(f.WaitOpened(draft.at, seat.node.number, pattern, due_at, seat.scope, seat.item))
    op = draft.state.seq
    draft.command(OpenWait(op, pattern, work.lookback, *key))
    return None


def arrived(draft: Draft, op: EventOp, arrived_: EventArrived) -> Move | None:
    """The event ends the wait, if it fits; else the wait goes on."""
    event = arrived_.event
    if not matches(op.pattern, event.type):
        return None
    seat = draft.seat(op)
    work = seat.node.step.work
    assert isinstance(work, EventWait)
    if arrived_.found_by and not work.lookback:
        return None
    value = event_value(event)
    try:
        if not holds(draft, seat, work.condition, value):
            return None
    except InternalExpressionError as error:
        draft.command(CloseWait(op.op))
        broken = invalid(f"step {seat.node.step.id!r}: {error}", code="EXPRESSION")
        return Broken(broken.error, op=op.op, event_id=event.id)
    draft.command(CloseWait(op.op))
    if work.output is None:
        return Done(event.data, event_id=event.id, event=value, op=op.op)
    try:
        output = draft.evaluate(work.output, seat, event=value)
    except EvaluationError as error:
        broken = invalid(f"step {seat.node.step.id!r}: {error}", code="EXPRESSION")
        return Broken(broken.error, op=op.op, event_id=event.id)
    return Done(output, event_id=event.id, event=value, op=op.op)


def due(draft: Draft, op: EventOp) -> Move:
    draft.command(CloseWait(op.op))
    step = draft.program.name(op.step)
    assert op.due_at is not None
    message = (
        f"step {step!r} waited for an event {op.pattern!r} and none that fits came "
        f"within its timeout of {op.due_at - op.since} ms"
    )
    return Broken(Failure(message, Category.TIMEOUT, "TIMEOUT", retriable=False), op=op.op)


def holds(draft: Draft, seat: Seat | None, condition: Value | None, event: Json) -> bool:
    """Whether the condition is true of the event. One that cannot be computed is false, and a warning. Raises
    `InternalExpressionError` for that of a wait.
    """
    if condition is None:
        return True
    try:
        return truthy(draft.evaluate(condition, seat, event=event))
    except EvaluationError as error:
        if seat is not None and isinstance(error, InternalExpressionError):
            raise
        step = -1 if seat is None else seat.node.number
        message = f"the condition on an event could not be computed and counts as false: {error}"
        draft.record(f.Warned(draft.at, step, message))
        return False


def may_be_for(wait: OpenWait, event: EventRecord) -> bool:
    """Whether an event of the right type has the key that is waited for; True also where only the condition can tell."""
    return not wait.place or key_in(event_value(event), wait.place) in (None, wait.key)


def event_value(event: EventRecord) -> Json:
    """An event as expressions see it."""
    seen = {
        "id": event.id,
        "type": event.type,
        "source": event.source,
        "at": event.at,
        "correlationId": event.correlation_id,
        "payload": event.data,
    }
    return seen if event.metadata is None else {**seen, "metadata": event.metadata}
