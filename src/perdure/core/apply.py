"""The fold: state and one fact make the next state.

Rules of this file:
1. It is total and evaluates nothing. What was decided stands in the fact; here it only takes effect.
2. It is all that replay calls. `advance` makes its own states with it too, so live state and replayed state are one.
3. It knows no program: a fact carries every number that is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any, assert_never

from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.folding import attempts, entering, leaving, whole
from perdure.core.folding.basics import after
from perdure.core.folding.frames import leave_loops
from perdure.core.state import BLANK, Deadline, State


def fold(facts: Iterable[f.Fact], state: State = BLANK) -> State:
    """The state after `facts`."""
    return reduce(apply, facts, state)


def apply(state: State, fact: f.Fact) -> State:
    """The state after one more fact. The commonest come first."""
    match fact:
        case f.StepCompleted():
            return leaving.step_completed(state, fact)
        case f.StepScheduled():
            return entering.step_scheduled(state, fact)
        case f.ExecutionStarted():
            return whole.started(state, fact)
        case f.ExecutionCompleted():
            return whole.completed(state, fact)
        case f.ItemCompleted() | f.ItemFailed():
            return attempts.item_ended(state, fact)
        case f.LoopTicked():
            return entering.loop_ticked(state, fact)
        case f.StepFailed():
            return leaving.step_failed(state, fact)
        case f.TimerOpened() | f.WaitOpened() | f.ApprovalOpened() | f.ChildStarted():
            return entering.op_opened(state, fact)
        case f.ForEachOpened():
            return entering.for_each_opened(state, fact)
        case f.LoopOpened():
            return entering.loop_opened(state, fact)
        case f.LoopsLeft():
            return _loops_left(state, fact)
        case f.PauseEnded():
            return leaving.pause_ended(state, fact)
        case f.StepCheckpointed() | f.StepRetrying() | f.StepAttempted() | f.StepLost():
            return attempts.attempt_changed(state, fact)
        case f.ApprovalOverdue():
            return attempts.op_replaced(state, fact, replace(state.ops[fact.op], due_at=None))
        case f.ExecutionForked():
            return whole.forked(state, fact)
        case f.ExecutionFailed() | f.ExecutionRetrying():
            return whole.failed(state, fact)
        case f.ExecutionRetried():
            return whole.retried(state, fact)
        case f.ExecutionCancelled():
            return whole.cancelled(state, fact)
        case f.DeadlineMoved():
            return after(state, fact, deadline=Deadline(fact.due_at, fact.left_ms))
        case f.CompensationPlanned() | f.CompensationFinished():
            return whole.undoing_changed(state, fact)
        case f.ChainPlanned() | f.ChainAdvanced() | f.ChainFailed():
            return whole.chain_changed(state, fact)
        case f.ChainSkipped() | f.Warned():
            return after(state, fact)
        case _:
            assert_never(fact)


def _loops_left(state: State, fact: f.LoopsLeft) -> State:
    changes: dict[str, Any] = {}
    leave_loops(state, changes, fact.scopes)
    return after(state, fact, **changes)
