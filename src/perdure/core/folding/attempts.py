"""Attempts of an operation, and the items of a forEach."""

from __future__ import annotations

from typing import Any, assert_never

from immutables import Map
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.folding.basics import after, plus
from perdure.core.folding.entering import handed_out
from perdure.core.folding.leaving import closed, closing, set_aside
from perdure.core.state import EachScope, Op, State, TaskOp


def item_ended(state: State, fact: f.ItemCompleted | f.ItemFailed) -> State:
    scope = state.scopes[fact.scope]
    assert isinstance(scope, EachScope)
    seq = state.seq + 1
    op = state.ops.get(fact.op)
    if op is None:
        scope = handed_out(scope, fact.item, 0)
    else:
        state = closed(state, op)
        scope = replace(scope, in_flight=scope.in_flight - 1)
    if isinstance(fact, f.ItemFailed) and not fact.passed:
        scope = replace(scope, failed=scope.failed or seq)
        if isinstance(op, TaskOp):
            state = set_aside(state, op)
        else:
            scope = replace(scope, redo=(*scope.redo, fact.item))
    changes: dict[str, Any] = {"scopes": state.scopes.set(fact.scope, scope)}
    if fact.usage:
        changes["spent"] = plus(state.spent, fact.usage)
    return after(state, fact, **changes)


def attempt_changed(state: State, fact: f.StepCheckpointed | f.StepRetrying | f.StepAttempted | f.StepLost) -> State:
    op = state.ops[fact.op]
    if isinstance(fact, f.StepLost) and fact.final:
        return _given_up(state, fact, op)
    assert isinstance(op, TaskOp)
    match fact:
        case f.StepCheckpointed():
            made = (op.checkpoints or Map()).set(f"{fact.name}#{fact.n}", state.seq + 1)
            return op_replaced(state, fact, replace(op, checkpoints=made))
        case f.StepRetrying():
            spent = tuple(plus(Map(op.spent), fact.usage).items()) if fact.usage else op.spent
            changed = replace(op, attempt=fact.attempt, failures=op.failures + 1, due_at=fact.due_at, spent=spent)
            if fact.usage:
                state = replace(state, spent=plus(state.spent, fact.usage))
            return op_replaced(state, fact, changed)
        case f.StepAttempted():
            return op_replaced(state, fact, replace(op, attempt=fact.attempt, due_at=None))
        case f.StepLost():
            return op_replaced(state, fact, replace(op, attempt=fact.attempt + 1))
        case _:
            assert_never(fact)


def _given_up(state: State, fact: f.StepLost, op: Op) -> State:
    """The execution has ended, and nobody will ever know what became of this attempt."""
    undoing = state.undoing
    assert undoing is not None
    changes = closing(state, op)
    if op.step not in undoing.unknown:
        changes["undoing"] = replace(undoing, unknown=(*undoing.unknown, op.step))
    if not op.scope:
        changes["running"] = state.running & ~(1 << op.step)
    return after(state, fact, **changes)


def op_replaced(state: State, fact: f.Fact, op: Op) -> State:
    dues = state.dues
    if op.due_at is not None:
        dues = dues.set(op.op, op.due_at)
    elif op.op in dues:
        dues = dues.delete(op.op)
    return after(state, fact, ops=state.ops.set(op.op, op), dues=dues)
