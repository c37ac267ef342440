"""How an execution stands, in the canonical words: its status, and what it waits for."""

from __future__ import annotations

from typing import assert_never

from perdure.core.program import Program
from perdure.core.readiness import has_ready
from perdure.core.state import ApprovalOp, Busy, EventOp, Op, PauseOp, State, TimerOp
from perdure.model.records import Status, Waiting


def standing(program: Program, state: State) -> tuple[Status, Waiting | None]:
    """Waiting only if nothing runs or is ready; a backoff counts as running. Of several waits, the one that wakes first."""
    if state.status != "running" or state.busy or state.retry_at is not None or has_ready(program, state):
        return state.status, None
    waits = [_waiting(program, op) for _, op in sorted(state.ops.items())]
    return ("waiting", min(waits, key=_wakes)) if waits else ("running", None)


def _waiting(program: Program, op: Op) -> Waiting:
    assert not isinstance(op, Busy), "it would be busy"
    match op:
        case TimerOp():
            return Waiting("timer", program.known_as(op.step), op.since, op.due_at)
        case PauseOp():
            return Waiting("timer", program.known_as(op.step), op.since, op.due_at, op.label)
        case EventOp():
            return Waiting("event", program.known_as(op.step), op.since, op.due_at, op.pattern)
        case ApprovalOp():
            return Waiting("approval", program.known_as(op.step), op.since, op.due_at)
        case _:
            assert_never(op)


def _wakes(waiting: Waiting) -> float:
    return float("inf") if waiting.until is None else waiting.until
