"""A step ends: its operation is closed and tokens go on, or it is set aside for a retry."""

from __future__ import annotations

from typing import Any

from immutables import Map
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.folding.arriving import arrive, joined
from perdure.core.folding.basics import after, plus
from perdure.core.folding.entering import entered
from perdure.core.state import (
    ApprovalOp,
    ChildOp,
    EachScope,
    EventOp,
    LoopScope,
    Op,
    PauseOp,
    State,
    TaskOp,
    Token,
    Variables,
    Written,
)


def step_completed(state: State, fact: f.StepCompleted) -> State:
    state, token = _left(state, fact)
    seq, step = state.seq + 1, fact.step
    changes: dict[str, Any] = {
        "last": state.last.set(step, seq),
        "completed": state.completed.set(step, seq),
        "last_seq": seq,
    }
    if fact.usage:
        changes["spent"] = plus(state.spent, fact.usage)
    if token is None:  # a compensation, or a late success after the end: nothing goes on
        return after(state, fact, **changes, **undone(state, None))
    frame, scopes = _frame_after(state, fact.scope, token.frame)
    variables = token.vars
    if fact.assigned or fact.unassigned:
        if variables is None:
            changes["vars"] = with_assigned(state.vars, fact, seq)
        else:
            variables = with_assigned(variables, fact, seq)
    onward = Token((step,), frame, variables, seq)
    if fact.hold_until is not None:
        pause = PauseOp(seq, step, onward, fact.hold_until, fact.at, fact.next, fact.again)
        changes["ops"] = state.ops.set(seq, pause)
        changes["running"] = state.running | 1 << step
        changes["dues"] = state.dues.set(seq, fact.hold_until)
    else:
        changes.update(arrive(state, fact.next, fact.again, fact.kept, onward))
    return replace(state, seq=seq, at=fact.at, scopes=scopes, **changes)


def _left(state: State, fact: f.StepCompleted | f.StepFailed) -> tuple[State, Token | None]:
    """The step is no longer open. Its token, unless it stood outside the graph or the execution has ended."""
    if fact.op:
        op = state.ops[fact.op]
        token = op.token
        state = closed(state, op)
        changes: dict[str, Any] = {"running": state.running & ~(1 << op.step)}
    elif fact.scope and isinstance(scope := state.scopes[fact.scope], EachScope):
        token = scope.token
        changes = {"running": state.running & ~(1 << scope.step)}
    elif state.status != "running":  # a compensation whose input could not be computed
        token, changes = None, {}
    else:
        token = state.tokens[fact.step]
        changes = entered(state, fact.step)
    state = replace(state, **changes)
    return state, token if state.status == "running" else None


def closed(state: State, op: Op) -> State:
    """The operation is closed; what it had reserved is free again."""
    changes: dict[str, Any] = {"ops": state.ops.delete(op.op)}
    if isinstance(op, TaskOp | ChildOp):
        changes["busy"] = state.busy - 1
    elif isinstance(op, EventOp | ApprovalOp):
        changes["asking"] = state.asking - 1
    if op.due_at is not None:
        changes["dues"] = state.dues.delete(op.op)
    if isinstance(op, TaskOp) and op.reserved:
        changes["reserved"] = plus(state.reserved, op.reserved, sign=-1)
    return replace(state, **changes)


def _frame_after(state: State, ended: int, frame: int) -> tuple[int, Any]:
    """Which loop control is in after scope `ended`, and the scopes that are left.

    A loop that is done gives way to the one around it; the outermost stays, complete, until another begins.
    """
    if not ended:
        return frame, state.scopes
    scope = state.scopes[ended]
    if isinstance(scope, EachScope):
        return frame, state.scopes.delete(ended)
    if scope.parent:
        return scope.parent, state.scopes.delete(ended)
    return ended, state.scopes.set(ended, replace(scope, start=scope.total, complete=True))


def with_assigned(variables: Variables, fact: f.StepCompleted, seq: int) -> Variables:
    """The variables after what the step set and dropped."""
    changes = dict.fromkeys(fact.assigned or (), Written(seq, fact.step))
    changes.update(dict.fromkeys(fact.unassigned, Written(seq, fact.step, gone=True)))
    return variables.update(changes)


def pause_ended(state: State, fact: f.PauseEnded) -> State:
    op = state.ops[fact.op]
    assert isinstance(op, PauseOp)
    state = closed(state, op)
    state = replace(state, running=state.running & ~(1 << op.step))
    onward = replace(op.token, since=state.seq + 1)
    return after(state, fact, **arrive(state, op.next, op.again, fact.kept, onward))


def step_failed(state: State, fact: f.StepFailed) -> State:
    if not fact.handled:
        return _step_stopped(state, fact)
    state, token = _left(state, fact)
    changes: dict[str, Any] = {"last": state.last.set(fact.step, state.seq + 1)}
    if fact.usage:
        changes["spent"] = plus(state.spent, fact.usage)
    if token is None:
        return after(state, fact, **changes, **undone(state, fact.step))
    if fact.scope:
        state = _without_items(state, fact.scope)
    scopes = state.scopes.delete(fact.scope) if fact.scope else state.scopes
    frame = token.frame
    if fact.loop:
        loop = scopes[fact.loop]
        assert isinstance(loop, LoopScope)
        scopes, frame = scopes.set(fact.loop, replace(loop, errors=loop.errors + 1)), fact.loop
    onward = Token((fact.step,), frame, token.vars, state.seq + 1)
    changes.update(arrive(state, fact.next, fact.again, fact.kept, onward))
    return after(state, fact, scopes=scopes, **changes)


def _step_stopped(state: State, fact: f.StepFailed) -> State:
    """The execution will fail with this step. What a retry needs to go on from here is kept."""
    seq = state.seq + 1
    changes: dict[str, Any] = {"failing": (*state.failing, seq), "last": state.last.set(fact.step, seq)}
    if fact.usage:
        changes["spent"] = plus(state.spent, fact.usage)
    if fact.op:
        op = state.ops[fact.op]
        state = closed(state, op)
        changes["running"] = state.running & ~(1 << op.step)
        state = set_aside(state, op)
    elif fact.scope:
        for op in _items_in_flight(state, fact.scope):
            state = set_aside(closed(state, op), op)
        scope = state.scopes[fact.scope]
        changes["running"] = state.running & ~(1 << scope.step)
        changes["scopes"] = state.scopes.set(fact.scope, replace(scope, stopped=True, in_flight=0))
    else:
        changes["entered"] = state.entered + 1
    return after(state, fact, **changes)


def set_aside(state: State, op: Op) -> State:
    """A task or a pause is taken up again as it is; of anything else the token, or the item, waits to be entered anew."""
    if isinstance(op, TaskOp):
        return replace(state, stopped=state.stopped.set(op.op, replace(op, due_at=None)))
    if isinstance(op, PauseOp):
        return replace(state, stopped=state.stopped.set(op.op, op))
    if op.scope:
        scope = state.scopes[op.scope]
        assert isinstance(scope, EachScope)
        redo = replace(scope, redo=(*scope.redo, op.item), in_flight=scope.in_flight - 1)
        return replace(state, scopes=state.scopes.set(op.scope, redo))
    assert op.token is not None
    return put_back(state, op.step, op.token)


def put_back(state: State, step: int, token: Token) -> State:
    bit = 1 << step
    token = joined(state, token, state.tokens.get(step, token), ())
    return replace(
        state,
        tokens=state.tokens.set(step, token),
        forward=state.forward | bit if token.forward else state.forward,
        backward=state.backward if token.forward else state.backward | bit,
    )


def undone(state: State, failed: int | None) -> dict[str, Any]:
    """One more step of the compensation is over."""
    undoing = state.undoing
    if undoing is None or undoing.phase != "running":
        return {}
    failures = undoing.failed if failed is None else (*undoing.failed, failed)
    return {"undoing": replace(undoing, done=undoing.done + 1, failed=failures)}


def _without_items(state: State, scope: int) -> State:
    """Nothing of this forEach will be taken up again."""
    for op in _items_in_flight(state, scope):
        state = closed(state, op)
    return replace(state, stopped=Map({op.op: op for op in state.stopped.values() if op.scope != scope}))


def _items_in_flight(state: State, scope: int) -> list[Op]:
    each = state.scopes[scope]
    if not isinstance(each, EachScope) or not each.in_flight:
        return []
    return [op for op in state.ops.values() if op.scope == scope]
