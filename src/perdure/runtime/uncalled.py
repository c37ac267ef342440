"""Calls that the very commit that asked for them has given up."""

from __future__ import annotations

from perdure.core.events import AttemptLost, TaskFailed
from perdure.core.state import State, TaskOp
from perdure.model.failure import NEVER_CALLED


def is_wanted(state: State, op: TaskOp) -> bool:
    """Whether somebody still wants the result of a call."""
    return state.status == "running" or op.undoes is not None


def never_called_event(state: State, op: TaskOp) -> TaskFailed | AttemptLost:
    """It was given up before it was called; but an attempt before it that was lost may have had its effect."""
    if op.failures != op.attempt - 1:
        return AttemptLost(state.at, op.op, op.attempt)
    return TaskFailed(state.at, op.op, op.attempt, NEVER_CALLED)
