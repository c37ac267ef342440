"""A step ends: its operation is closed and tokens go on, or it is set aside for a retry."""

from __future__ import annotations

from typing import Any

from immutables import Map
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.folding.arriving import arrive, joined
from perdure.core.folding.basics import after, plus
from perdure.core.folding.entering import entered
from perdure.core.folding.frames import leave_loops
from perdure.core.state import (
    Asking,
    Busy,
    EachScope,
    LoopScope,
    Op,
    PauseOp,
    State,
    TaskOp,
    Token,
    Variables,
    Written,
    has_seen,
)


def step_completed(state: State, fact: f.StepCompleted) -> State:
    seq, step = state.seq + 1, fact.step
    token, changes = _left(state, fact)
    changes["last"] = state.last.set(step, seq)
    changes["completed"] = state.completed.set(step, seq)
    changes["last_seq"] = seq
    if fact.usage:
        changes["spent"] = plus(state.spent, fact.usage)
    if token is None:  # a compensation, or a late success after the end: nothing goes on
        return after(state, fact, **changes, **undone(state, failed=False))
    frame, variables = token.frame, token.vars
    if fact.scope:
        frame = _frame_after(state, changes, fact.scope, frame)
    if fact.assigned or fact.unassigned:
        if variables is None:
            changes["vars"] = _without_gone(with_assigned(state.vars, fact, seq), fact)
        else:
            variables = with_assigned(variables, fact, seq)
    seen = token.seen if variables is None else token.seen.set(step, seq)
    onward = Token((step,), frame, variables, seq, seen=seen)
    if fact.hold_until is None:
        arrive(state, changes, fact, onward, fact.kept)
    else:
        _hold(state, changes, PauseOp(seq, step, onward, fact.hold_until, fact.at, fact.next, fact.again, fact.label))
    return replace(state, seq=seq, at=fact.at, **changes)


def _hold(state: State, changes: dict[str, Any], pause: PauseOp) -> None:
    """The step has completed, and stays open until control goes on."""
    changes["ops"] = changes.get("ops", state.ops).set(pause.op, pause)
    changes["running"] = changes.get("running", state.running) | 1 << pause.step
    changes["dues"] = changes.get("dues", state.dues).set(pause.op, pause.due_at)


def _left(state: State, fact: f.StepCompleted | f.StepFailed) -> tuple[Token | None, dict[str, Any]]:
    """The step is no longer open. Its token, unless it stood outside the graph or the execution has ended."""
    if fact.op:
        op = state.ops[fact.op]
        token = op.token
        changes = closing(state, op)
        changes["running"] = state.running & ~(1 << op.step)
    elif fact.scope and isinstance(scope := state.scopes[fact.scope], EachScope):
        token = scope.token
        changes = {"running": state.running & ~(1 << scope.step)}
    elif state.status != "running":  # a compensation whose input could not be computed
        return None, {}
    else:
        token = state.tokens[fact.step]
        changes = entered(state, fact.step)
    return token if state.status == "running" else None, changes


def closed(state: State, op: Op) -> State:
    return replace(state, **closing(state, op))


def closing(state: State, op: Op) -> dict[str, Any]:
    """What changes when the operation is closed; what it had reserved is free again."""
    changes: dict[str, Any] = {"ops": state.ops.delete(op.op)}
    if isinstance(op, Busy):
        changes["busy"] = state.busy - 1
    elif isinstance(op, Asking):
        changes["asking"] = state.asking - 1
    if op.due_at is not None:
        changes["dues"] = state.dues.delete(op.op)
    if isinstance(op, TaskOp) and op.reserved:
        changes["reserved"] = plus(state.reserved, op.reserved, sign=-1)
    return changes


def _frame_after(state: State, changes: dict[str, Any], ended: int, frame: int) -> int:
    """Which loop control is in after scope `ended`, which is no longer open.

    A loop that is done gives way to the one around it; the outermost stays, complete, until another begins.
    """
    scope = state.scopes[ended]
    if isinstance(scope, EachScope):
        changes["scopes"] = state.scopes.delete(ended)
        return frame
    if scope.parent:
        leave_loops(state, changes, (ended,))
        return scope.parent
    changes["scopes"] = state.scopes.set(ended, replace(scope, start=scope.total, complete=True))
    return ended


def with_assigned(variables: Variables, fact: f.StepCompleted, seq: int) -> Variables:
    """The variables after what the step set and dropped."""
    changes = dict.fromkeys(fact.assigned or (), Written(seq, fact.step))
    changes.update(dict.fromkeys(fact.unassigned, Written(seq, fact.step, gone=True)))
    return variables.update(changes)


def _without_gone(variables: Variables, fact: f.StepCompleted) -> Variables:
    """Where all share one set there is no other path to tell that a variable was dropped."""
    for name in fact.unassigned:
        variables = variables.delete(name)
    return variables


def pause_ended(state: State, fact: f.PauseEnded) -> State:
    op = state.ops[fact.op]
    assert isinstance(op, PauseOp)
    changes = closing(state, op)
    changes["running"] = state.running & ~(1 << op.step)
    arrive(state, changes, op, replace(op.token, since=state.seq + 1), fact.kept)
    return after(state, fact, **changes)


def step_failed(state: State, fact: f.StepFailed) -> State:
    if not fact.handled:
        return _step_stopped(state, fact)
    if fact.scope:
        state = _without_items(state, fact.scope)
    token, changes = _left(state, fact)
    changes["last"] = state.last.set(fact.step, state.seq + 1)
    if fact.usage:
        changes["spent"] = plus(state.spent, fact.usage)
    if token is None:
        return after(state, fact, **changes, **undone(state, failed=True))
    scopes = state.scopes.delete(fact.scope) if fact.scope else state.scopes
    frame = token.frame
    if fact.loop:
        loop = scopes[fact.loop]
        assert isinstance(loop, LoopScope)
        scopes, frame = scopes.set(fact.loop, replace(loop, errors=loop.errors + 1)), fact.loop
    changes["scopes"] = scopes
    onward = Token((fact.step,), frame, token.vars, state.seq + 1, seen=token.seen)
    arrive(state, changes, fact, onward, fact.kept)
    return after(state, fact, **changes)


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
    elif not fact.refused:  # done on the spot: its token stays where it is
        changes["entered"] = state.entered + 1
        changes["runs"] = state.runs.set(fact.step, state.runs.get(fact.step, 0) + 1)
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
    there = state.tokens.get(step, token)
    token = joined(state, token, there, _newer(token, there))
    return replace(
        state,
        tokens=state.tokens.set(step, token),
        forward=state.forward | bit if token.forward else state.forward & ~bit,
        backward=state.backward & ~bit if token.forward else state.backward | bit,
    )


def _newer(token: Token, there: Token) -> tuple[str, ...]:
    """The writes of a path that has seen what the other has, and the other not what it has.

    Which write came after which is in the tokens; nothing is decided here.
    """
    if token.vars is None or there.vars is None:
        return ()
    return tuple(
        name
        for name, written in token.vars.items()
        if name in there.vars and has_seen(token.seen, there.vars[name]) and not has_seen(there.seen, written)
    )


def undone(state: State, *, failed: bool) -> dict[str, Any]:
    """One more step of the compensation is over."""
    undoing = state.undoing
    if undoing is None or undoing.phase != "running":
        return {}
    failures = (*undoing.failed, undoing.done) if failed else undoing.failed
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
