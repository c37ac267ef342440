"""How an execution stands, in the canonical words: its status, and what it waits for."""

from __future__ import annotations

from perdure.core.program import Program
from perdure.core.state import ApprovalOp, EventOp, PauseOp, State, TimerOp
from perdure.model.records import Status, Waiting


def standing(program: Program, state: State) -> tuple[Status, Waiting | None]:
    """Waiting only if nothing runs or is ready; a backoff counts as running. Of several waits, the one that wakes first."""
    if state.status != "running" or state.busy or state.forward | state.backward or state.retry_at is not None:
        return state.status, None
    first: Waiting | None = None
    for number in sorted(state.ops):
        wait = _waiting(program, state, number)
        if wait is not None and (first is None or _wakes(wait) < _wakes(first)):
            first = wait
    return ("running", None) if first is None else ("waiting", first)


def _waiting(program: Program, state: State, number: int) -> Waiting | None:
    op = state.ops[number]
    match op:
        case TimerOp() | PauseOp():
            return Waiting("timer", program.name(op.step), op.since, op.due_at)
        case EventOp():
            return Waiting("event", program.name(op.step), op.since, op.due_at, op.pattern)
        case ApprovalOp():
            return Waiting("approval", program.name(op.step), op.since, op.due_at)
        case _:
            return None


def _wakes(waiting: Waiting) -> float:
    return float("inf") if waiting.until is None else waiting.until
