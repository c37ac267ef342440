"""A step is entered: its token is taken, an operation or a scope is opened."""

from __future__ import annotations

from typing import Any, assert_never

from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.folding.arriving import arrive
from perdure.core.folding.basics import after, plus
from perdure.core.folding.frames import in_use
from perdure.core.state import (
    ApprovalOp,
    Asking,
    ChildOp,
    EachScope,
    EventOp,
    LoopScope,
    Op,
    State,
    TaskOp,
    TimerOp,
    Token,
    loops_around,
)


def step_scheduled(state: State, fact: f.StepScheduled) -> State:
    seq = state.seq + 1
    token = state.tokens.get(fact.step) if fact.scope == 0 else None
    op = TaskOp(seq, fact.step, token, fact.scope, fact.item, reserved=fact.reserved, undoes=fact.undoes)
    changes = _opened(state, op)
    changes["busy"] = state.busy + 1
    if fact.reserved:
        changes["reserved"] = plus(state.reserved, fact.reserved)
    return replace(state, seq=seq, at=fact.at, **changes)


def op_opened(state: State, fact: f.TimerOpened | f.WaitOpened | f.ApprovalOpened | f.ChildStarted) -> State:
    seq, step, scope, item = state.seq + 1, fact.step, fact.scope, fact.item
    token = state.tokens.get(step) if scope == 0 else None
    op: Op
    match fact:
        case f.TimerOpened():
            op = TimerOp(seq, step, token, fact.due_at, fact.at, scope, item)
        case f.WaitOpened():
            op = EventOp(seq, step, token, fact.pattern, fact.at, scope, item, fact.due_at)
        case f.ApprovalOpened():
            op = ApprovalOp(seq, step, token, fact.at, scope, item, fact.due_at)
        case f.ChildStarted():
            op = ChildOp(seq, step, token, fact.child, scope, item)
        case _:
            assert_never(fact)
    changes = _opened(state, op)
    if op.due_at is not None:
        changes["dues"] = state.dues.set(seq, op.due_at)
    changes["busy"] = state.busy + isinstance(op, ChildOp)
    changes["asking"] = state.asking + isinstance(op, Asking)
    return replace(state, seq=seq, at=fact.at, **changes)


def _opened(state: State, op: TaskOp | TimerOp | EventOp | ApprovalOp | ChildOp) -> dict[str, Any]:
    if op.scope:
        scope = state.scopes[op.scope]
        assert isinstance(scope, EachScope)
        changes: dict[str, Any] = {"scopes": state.scopes.set(op.scope, handed_out(scope, op.item, 1))}
    elif op.token is None:  # a compensation: it stands outside the graph
        changes = {"running": state.running | 1 << op.step}
    else:
        changes = entered(state, op.step)
        changes["running"] = state.running | 1 << op.step
    changes["ops"] = state.ops.set(op.op, op)
    return changes


def entered(state: State, step: int) -> dict[str, Any]:
    """The token before `step` is taken."""
    bit = 1 << step
    return {
        "tokens": state.tokens.delete(step),
        "forward": state.forward & ~bit,
        "backward": state.backward & ~bit,
        "runs": state.runs.set(step, state.runs.get(step, 0) + 1),
        "entered": state.entered + 1,
    }


def for_each_opened(state: State, fact: f.ForEachOpened) -> State:
    scope = EachScope(step=fact.step, token=state.tokens[fact.step], total=len(fact.items))
    return after(
        state,
        fact,
        scopes=state.scopes.set(state.seq + 1, scope),
        running=state.running | 1 << fact.step,
        **entered(state, fact.step),
    )


def handed_out(scope: EachScope, item: int, in_flight: int) -> EachScope:
    if item in scope.redo:
        redo = tuple(other for other in scope.redo if other != item)
        return replace(scope, redo=redo, in_flight=scope.in_flight + in_flight)
    return replace(scope, cursor=max(scope.cursor, item + 1), in_flight=scope.in_flight + in_flight)


def loop_opened(state: State, fact: f.LoopOpened) -> State:
    """One that goes on becomes the parent. Those that no path is in any more, ended or left, are forgotten."""
    around = next(loops_around(state, state.tokens[fact.step].frame), None)
    parent = around[0] if around is not None and not around[1].complete else 0
    scopes = state.scopes
    if scopes:
        seen = in_use(state)
        for number, other in state.scopes.items():
            if isinstance(other, LoopScope) and number not in seen:
                scopes = scopes.delete(number)
    scope = LoopScope(fact.step, len(fact.items), fact.batch_size, parent)
    return after(state, fact, scopes=scopes.set(state.seq + 1, scope))


def loop_ticked(state: State, fact: f.LoopTicked) -> State:
    scope = state.scopes[fact.scope]
    assert isinstance(scope, LoopScope)
    seq = state.seq + 1
    token = state.tokens[fact.step]
    changes = entered(state, fact.step)
    changes["scopes"] = state.scopes.set(fact.scope, replace(scope, start=fact.start, ticks=scope.ticks + 1))
    changes["last"] = state.last.set(fact.step, seq)
    arrive(state, changes, fact, Token((fact.step,), fact.scope, token.vars, seq, seen=token.seen))
    return replace(state, seq=seq, at=fact.at, **changes)
