"""Timers: wait for a time, whatever happens in between."""

from __future__ import annotations

from perdure.core import facts as f
from perdure.core.draft import Draft
from perdure.core.moments import after, instant
from perdure.core.moves import Done, Move
from perdure.core.seat import Seat
from perdure.core.state import TimerOp
from perdure.errors import EvaluationError
from perdure.model.steps import Timer
from perdure.model.values import Json, Value


def begin(draft: Draft, seat: Seat, work: Timer) -> Move | None:
    until = instant(draft.at, _optional(draft, seat, work.until, "until"), "until")
    if until is None:
        until = after(draft.at, _optional(draft, seat, work.delay_ms, "delay"), "delay")
    if until is None:
        given = (("until", work.until), ("delay", work.delay_ms))
        told = " and ".join(_lacking(draft, seat, name, value) for name, value in given if value is not None)
        raise EvaluationError(f"a timer needs a delay or an instant: {told}")
    if until <= draft.at:
        return Done(_output(0))
    draft.record(f.TimerOpened(draft.at, seat.node.number, until, seat.scope, seat.item))
    return None


def due(op: TimerOp) -> Move:
    return Done(_output(op.due_at - op.since), op=op.op)


def _optional(draft: Draft, seat: Seat, value: Value | None, what: str) -> Json:
    return None if value is None else draft.evaluate_time(value, what, seat)


def _lacking(draft: Draft, seat: Seat, name: str, value: Value) -> str:
    missing = ", ".join(draft.missing(value, seat))
    return f"{name!r} is undefined ({missing})" if missing else f"{name!r} is null"


def _output(ms: int) -> Json:
    return {"slept": True, "ms": ms}
