"""The execution as a whole: how it starts, ends, is taken up again, undone and forked."""

from __future__ import annotations

from typing import assert_never

from immutables import Map
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.folding.basics import after, plus
from perdure.core.folding.leaving import closed, put_back, set_aside
from perdure.core.state import (
    Deadline,
    EachScope,
    Firing,
    Op,
    PauseOp,
    Scope,
    State,
    Token,
    Undoing,
    Variables,
    Written,
    with_derived,
)


def started(state: State, fact: f.ExecutionStarted) -> State:
    first: Variables = Map({name: Written(1, -1) for name in fact.assigned or ()})
    token = Token((), 0, first if fact.flowing else None, 1)
    deadline = None if fact.deadline_ms is None else Deadline(fact.at + fact.deadline_ms)
    return replace(
        state,
        execution=fact.execution,
        seq=1,
        at=fact.at,
        started_at=fact.at,
        depth=fact.depth,
        input_seq=1,
        tokens=Map() if fact.entry is None else Map({fact.entry: token}),
        forward=0 if fact.entry is None else 1 << fact.entry,
        vars=first if not fact.flowing or fact.entry is None else Map(),
        deadline=deadline,
        retries_left=fact.retries_max,
        by=fact.by,
    )


def completed(state: State, fact: f.ExecutionCompleted) -> State:
    seq = state.seq + 1
    return after(
        state,
        fact,
        status="completed",
        ended=seq,
        output_seq=fact.output_seq or seq,
        deadline=None,
        scopes=Map(),
    )


def failed(state: State, fact: f.ExecutionFailed | f.ExecutionRetrying) -> State:
    seq = state.seq + 1
    if isinstance(fact, f.ExecutionFailed) and fact.compensate:
        return _ended_settling(state, fact, "failed")
    state = _stopped(state)
    if isinstance(fact, f.ExecutionRetrying):
        return after(state, fact, retry_at=fact.retry_at, failing=())
    return after(state, fact, status="failed", ended=seq, failing=(), deadline=None, retry_at=None)


def _stopped(state: State) -> State:
    """Nothing is open any more; all of it can be taken up again."""
    for op in state.ops.values():
        state = set_aside(closed(state, op), op)
    scopes = state.scopes
    for number, scope in state.scopes.items():
        if isinstance(scope, EachScope):
            scopes = scopes.set(number, replace(scope, stopped=True, in_flight=0))
    return with_derived(replace(state, scopes=scopes))


def retried(state: State, fact: f.ExecutionRetried) -> State:
    """Stopped tasks run again as the operations they were; stopped scopes go on."""
    by_itself = state.retry_at is not None
    scopes = _resumed(state.scopes)
    ops = state.ops
    reserved = state.reserved
    for op in state.stopped.values():
        if isinstance(op, PauseOp):
            ops = ops.set(op.op, op)
            continue
        ops = ops.set(op.op, replace(op, attempt=op.attempt + 1, failures=0))
        reserved = plus(reserved, op.reserved)
        if op.scope:
            scope = scopes[op.scope]
            assert isinstance(scope, EachScope)
            scopes = scopes.set(op.scope, replace(scope, in_flight=scope.in_flight + 1))
    return with_derived(
        after(
            state,
            fact,
            status="running",
            ended=0,
            entered=0,
            retry_at=None,
            retries_left=state.retries_left - by_itself,
            retried=state.retried + by_itself,
            deadline=None if fact.deadline_at is None else Deadline(fact.deadline_at),
            stopped=Map(),
            scopes=scopes,
            ops=ops,
            reserved=reserved,
        )
    )


def cancelled(state: State, fact: f.ExecutionCancelled) -> State:
    return _ended_settling(state, fact, "cancelled")


def _ended_settling(state: State, fact: f.ExecutionCancelled | f.ExecutionFailed, status: str) -> State:
    """The end, for good: what does not settle is dropped."""
    settling = dict(fact.settling)
    ops: dict[int, Op] = {number: replace(state.ops[number], due_at=due_at) for number, due_at in settling.items()}
    return with_derived(
        after(
            state,
            fact,
            status=status,
            ended=state.seq + 1,
            tokens=Map(),
            ops=Map(ops),
            stopped=Map(),
            scopes=Map({op.scope: state.scopes[op.scope] for op in ops.values() if op.scope}),
            failing=(),
            deadline=None,
            retry_at=None,
            reserved=Map(),
            undoing=Undoing() if fact.compensate else None,
        )
    )


def forked(state: State, fact: f.ExecutionForked) -> State:
    """A copy of another execution goes on under its own name, with nothing open that is not its own.

    What its origin has completed is not the fork's to undo.
    """
    seq = state.seq + 1
    state = _stopped(state)
    ops: dict[int, Op] = {}
    for op in state.stopped.values():
        if isinstance(op, PauseOp):
            ops[op.op] = op
        elif op.scope:
            scope = state.scopes[op.scope]
            assert isinstance(scope, EachScope)
            redo = replace(scope, redo=(*scope.redo, op.item))
            state = replace(state, scopes=state.scopes.set(op.scope, redo))
        elif op.token is not None:
            state = put_back(state, op.step, op.token)
    scopes = _resumed(state.scopes)
    edits: Variables = Map({name: Written(seq, -1) for name in fact.assigned or ()})
    tokens = state.tokens
    if fact.steps is not None:
        own = (state.vars, state.seen) if fact.flowing else (None, Map())
        first = next(iter(tokens.values()), Token((), 0, own[0], seq, seen=own[1]))
        tokens = Map(dict.fromkeys(fact.steps, Token((), 0, first.vars, seq, seen=first.seen)))
        scopes, ops = Map(), {}
    for step, token in tokens.items():
        tokens = tokens.set(step, _edited(token, edits))
    ops = {number: replace(op, token=_edited(op.token, edits)) if op.token else op for number, op in ops.items()}
    for number, scope in scopes.items():
        if isinstance(scope, EachScope):
            scopes = scopes.set(number, replace(scope, token=_edited(scope.token, edits)))
    last = state.last
    for step in fact.outputs:
        last = last.set(step, seq)
    return with_derived(
        after(
            state,
            fact,
            execution=fact.execution,
            status="running",
            started_at=fact.at,
            by=state.by if fact.by is None else fact.by,
            input_seq=seq if fact.edited_input else state.input_seq,
            output_seq=0,
            stopped=Map(),
            ops=Map(ops),
            scopes=scopes,
            tokens=tokens,
            vars=state.vars.update(edits),
            last=last,
            completed=Map(),
            entered=0,
            failing=(),
            retry_at=None,
            ended=0,
            undoing=None,
            chains=Map(),
            deadline=None if fact.deadline_at is None else Deadline(fact.deadline_at),
        )
    )


def _edited(token: Token, edits: Variables) -> Token:
    """Where variables flow, each path carries its own."""
    return token if token.vars is None else replace(token, vars=token.vars.update(edits))


def _resumed(scopes: Map[int, Scope]) -> Map[int, Scope]:
    for number, scope in scopes.items():
        if isinstance(scope, EachScope):
            scopes = scopes.set(number, replace(scope, stopped=False, failed=0))
    return scopes


def undoing_changed(state: State, fact: f.CompensationPlanned | f.CompensationFinished) -> State:
    assert state.undoing is not None
    if isinstance(fact, f.CompensationPlanned):
        return after(state, fact, undoing=replace(state.undoing, phase="running", plan=fact.plan))
    return after(state, fact, undoing=replace(state.undoing, phase="done"))


def chain_changed(state: State, fact: f.ChainPlanned | f.ChainAdvanced | f.ChainFailed) -> State:
    chains = state.chains
    match fact:
        case f.ChainPlanned():
            if fact.total:
                chains = chains.set(fact.number, Firing(state.seq + 1, fact.total))
        case f.ChainAdvanced():
            firing = chains[fact.number]
            if fact.cursor == firing.total:
                chains = chains.delete(fact.number)
            else:
                first = firing.unfit_seq or (state.seq + 1 if fact.unfit else 0)
                unfit = firing.unfit + len(fact.unfit)
                chains = chains.set(fact.number, replace(firing, cursor=fact.cursor, unfit=unfit, unfit_seq=first))
        case f.ChainFailed():
            firing = chains.get(fact.number, Firing(state.seq + 1, 0))
            chains = chains.set(fact.number, replace(firing, failed=True))
        case _:
            assert_never(fact)
    return after(state, fact, chains=chains)
