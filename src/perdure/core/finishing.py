"""A step ends: what is recorded of it, and where control goes. Nothing is entered here; `core.playing` does that."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.draft import Draft
from perdure.core.folding.leaving import with_assigned
from perdure.core.meeting import meet
from perdure.core.moments import instant
from perdure.core.moves import Broken, Done
from perdure.core.program import Way, loop_work
from perdure.core.scope import error_value, results
from perdure.core.seat import Seat
from perdure.core.state import LoopScope, PauseOp, State, loops_around
from perdure.errors import EvaluationError
from perdure.expressions.faults import InternalExpressionError
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.expressions.wording import kind
from perdure.model.failure import Category, Failure, refusal
from perdure.model.values import Json


def finish(draft: Draft, seat: Seat, done: Done) -> None:
    """The step, or the item, is done."""
    output = None if done.output is UNDEFINED else done.output
    if done.port is None and seat.node.step.port is not None:
        done = replace(done, port=seat.node.step.port)
    if seat.scope:
        draft.record(
            f.ItemCompleted(
                at=draft.at,
                step=seat.node.number,
                scope=seat.scope,
                item=seat.item,
                op=done.op,
                output=output,
                meta=done.meta,
                usage=done.usage,
                event_id=done.event_id,
            )
        )
        return None
    if draft.state.status != "running":  # a late success, or a compensation: nothing follows from it
        draft.record(
            f.StepCompleted(draft.at, seat.node.number, done.op, output, done.port, done.meta, usage=done.usage)
        )
        return None
    try:
        fact, warnings = _completion(draft, seat, done, output)
    except EvaluationError as error:
        failure = refusal(f"step {seat.node.step.id!r}: {error}", code="EXPRESSION")
        return fail(draft, seat, Broken(failure, done.usage, done.op, _each(done), done.event_id))
    if isinstance(fact, Failure):
        return fail(draft, seat, Broken(fact, done.usage, done.op, _each(done), done.event_id))
    draft.record(fact)
    for warning in warnings:
        draft.record(warning)
    if done.publishes is not None:
        draft.command(done.publishes)
    return None


def _each(done: Done) -> int:
    """The forEach that ends with the step; a loop goes on, whatever its last tick ran into."""
    return 0 if done.total is None else done.scope


def _completion(
    draft: Draft, seat: Seat, done: Done, output: Json
) -> tuple[f.StepCompleted | Failure, Sequence[f.Warned]]:
    """What is recorded of a step that is done, or why it is not. Its mappings come first, then its routes see them."""
    node, step = seat.node, seat.node.step
    decided = (_look if node.looks_at_itself else _glance)(draft, seat, done, output)
    if isinstance(decided, Failure):
        return decided, ()
    way = decided.way
    fact = f.StepCompleted(
        at=draft.at,
        step=node.number,
        op=done.op,
        output=output if step.keep_output else None,
        port=done.port,
        meta=done.meta if decided.meta is None else decided.meta,
        assigned=decided.assigned or None,
        unassigned=decided.unassigned,
        next=() if way is None else way.next,
        again=() if way is None else way.again,
        hold_until=decided.hold_until,
        label=decided.label,
        usage=done.usage,
        event_id=done.event_id,
        scope=done.scope,
        total=done.total if step.keep_output else None,
    )
    if decided.hold_until is None and seat.token.vars is not None:
        seq = draft.state.seq + 1
        past = with_assigned(seat.token.vars, fact, seq), seat.token.seen.set(node.number, seq)
        kept, clashes = meet(draft, node.number, past, (*fact.next, *fact.again))
        return replace(fact, kept=kept), [*decided.warnings, *clashes]
    return fact, decided.warnings


class _Decided(Struct):
    """What follows from the outcome of a step: collected here until it stands in a fact."""

    assigned: Json = None
    unassigned: tuple[str, ...] = ()
    meta: Json = None
    way: Way | None = None
    hold_until: int | None = None
    label: str | None = None
    warnings: Sequence[f.Warned] = ()


def _glance(draft: Draft, seat: Seat, done: Done, output: Json) -> _Decided | Failure:
    """The common case: nothing is computed, the port alone says which way to go."""
    del output
    way, _ = choose(draft, seat, seat.node.ways, (done.port,), {})
    decided = _Decided(done.assigned, way=way)
    if way is not None:
        return decided
    return _unless_routed(draft, seat, (done.port,), decided) or decided


def _look(draft: Draft, seat: Seat, done: Done, output: Json) -> _Decided | Failure:
    """Compute the mappings and routes of a step, which may read its own outcome and what it has just assigned."""
    step, state = seat.node.step, draft.state
    if done.total is not None:
        output = results(draft, done.scope, done.total)
        draft.satisfied()
    extra: dict[str, Json] = {"output": output, "meta": done.meta, "port": done.port, "event": done.event}
    if done.scope and done.total is None:
        loop = state.scopes[done.scope]
        assert isinstance(loop, LoopScope)
        seat = draft.as_if_in(seat, done.scope, replace(loop, start=loop.total, complete=True))
    draft.outcome_now = (seat.node.number, {"status": "completed", "output": output, "port": done.port})
    try:
        decided = _Decided(dict(done.assigned or {}))
        if step.meta is not None:
            decided.meta = {**_object(done.meta, "meta"), **_object(draft.evaluate(step.meta, seat, **extra), "meta")}
        if step.assign is not None:
            decided.assigned.update(_object(draft.evaluate(step.assign, seat, **extra), "assign"))
        if step.unassign is not None:
            decided.unassigned = _names(draft.evaluate(step.unassign, seat, **extra))
        draft.overlay = {**decided.assigned, **dict.fromkeys(decided.unassigned, UNDEFINED)}
        ports = (done.port, *(draft.evaluate(port, seat, **extra) for port in step.ports))
        decided.way, decided.warnings = choose(draft, seat, seat.node.ways, ports, extra)
        if step.pause_until is not None:
            decided.hold_until = _instant_ahead(
                draft, draft.evaluate_time(step.pause_until, "pause_until", seat, **extra)
            )
        if step.pause_label is not None and decided.hold_until is not None:
            label = draft.evaluate(step.pause_label, seat, **extra)
            decided.label = None if label is UNDEFINED or label is None else str(label)
    finally:
        draft.outcome_now, draft.state = None, state
        draft.overlay = {}
    return _unless_routed(draft, seat, ports, decided) or decided


def _unless_routed(draft: Draft, seat: Seat, ports: tuple[Json, ...], decided: _Decided) -> Failure | None:
    """What an outcome that no route fits means. A step without routes ends its path, whatever it answers."""
    if decided.way is not None or not seat.node.ways or seat.node.step.unrouted == "end":
        return None
    message = _unrouted(seat, ports)
    if seat.node.step.unrouted == "fail":
        return refusal(message, code="UNROUTED", category=Category.PERMANENT)
    decided.warnings = [*decided.warnings, f.Warned(draft.at, seat.node.number, message)]
    return None


def choose(
    draft: Draft, seat: Seat, ways: tuple[Way, ...], ports: tuple[Json, ...], extra: dict[str, Json]
) -> tuple[Way | None, list[f.Warned]]:
    """The first way that fits. A condition that cannot be computed is false, and a warning. Raises `InternalExpressionError`:
    nobody can say which way is the right one.
    """
    warnings: list[f.Warned] = []
    for way in ways:
        if way.port is not None and way.port not in ports:
            continue
        if way.when is None:
            return way, warnings
        try:
            if truthy(draft.evaluate(way.when, seat, **extra)):
                return way, warnings
        except InternalExpressionError:
            raise
        except EvaluationError as error:
            message = f"a condition could not be computed and counts as false: {error}"
            warnings.append(f.Warned(draft.at, seat.node.number, message))
    return None, warnings


def fail(draft: Draft, seat: Seat, broken: Broken) -> None:
    """The step, or the item, failed for good: on to a route for errors, back to a loop, or the execution fails."""
    error, number = broken.error, seat.node.number
    if seat.scope:
        each = seat.node.step.each
        draft.record(
            f.ItemFailed(
                at=draft.at,
                step=number,
                scope=seat.scope,
                item=seat.item,
                error=error,
                op=broken.op,
                passed=each is not None and each.on_error == "continue",
                usage=broken.usage,
                event_id=broken.event_id,
            )
        )
        return
    fact = f.StepFailed(
        draft.at, number, error, broken.op, usage=broken.usage, scope=broken.scope, event_id=broken.event_id
    )
    if draft.state.status != "running":
        draft.record(replace(fact, handled=True))
        return
    names = (*error.names, "error")
    value = error_value(error)
    draft.outcome_now = (number, {"status": "failed", "error": value})
    try:
        way, warnings = choose(draft, seat, seat.node.error_ways, names, {"error": value})
    except InternalExpressionError as internal:  # then nothing handles the failure of the step
        message = f"the condition of a route for errors could not be computed: {internal}"
        draft.record(fact)
        draft.record(f.Warned(draft.at, number, message))
        return
    finally:
        draft.outcome_now = None
    fact = _back_to_loop(draft, seat, fact) if way is None else _by_way(fact, way)
    if fact.handled and seat.token.vars is not None:
        kept, clashes = meet(draft, number, (seat.token.vars, seat.token.seen), (*fact.next, *fact.again))
        fact, warnings = replace(fact, kept=kept), [*warnings, *clashes]
    draft.record(fact)
    for warning in warnings:
        draft.record(warning)


def _by_way(fact: f.StepFailed, way: Way) -> f.StepFailed:
    return replace(fact, handled=True, next=way.next, again=way.again)


def _back_to_loop(draft: Draft, seat: Seat, fact: f.StepFailed) -> f.StepFailed:
    """A loop that goes on after errors takes control back; the loops inside it are left."""
    left: list[int] = []
    for frame, loop in loops_around(draft.state, seat.token.frame):
        goes_on = loop_work(draft.program.nodes[loop.step]).continue_on_error
        if goes_on and not loop.complete and loop.step != fact.step:
            if left:
                draft.record(f.LoopsLeft(draft.at, tuple(left)))
            return replace(_by_way(fact, draft.program.way_back(fact.step, loop.step)), loop=frame)
        left.append(frame)
    return fact


def end_pause(draft: Draft, op: PauseOp) -> None:
    """Control, held after the step completed, goes on."""
    kept: f.Kept = ()
    warnings: list[f.Warned] = []
    if op.token.vars is not None:
        kept, warnings = meet(draft, op.step, (op.token.vars, op.token.seen), (*op.next, *op.again))
    draft.record(f.PauseEnded(draft.at, op.op, kept))
    for warning in warnings:
        draft.record(warning)


def is_idle(state: State) -> bool:
    """Nothing is open and nothing waits to be entered."""
    return not state.ops and not state.tokens and not state.running


def _object(value: Json, what: str) -> dict[str, Json]:
    if value is UNDEFINED or value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise EvaluationError(f"{what} must be an object, not {kind(value)}")


def _names(value: Json) -> tuple[str, ...]:
    if value is UNDEFINED or value is None:
        return ()
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise EvaluationError(f"unassign must be a list of names, not {value!r}")


def _instant_ahead(draft: Draft, value: Json) -> int | None:
    """The instant if it lies ahead; the past, null and undefined are no wait."""
    found = instant(draft.at, value, "pause_until")
    return None if found is None or found <= draft.at else found


def _unrouted(seat: Seat, ports: tuple[Json, ...]) -> str:
    if not any(way.port for way in seat.node.ways):
        return f"none of the conditions of step {seat.node.step.id!r} holds, and it has no way on for that"
    answered = ", ".join(repr(port) for port in ports if port is not None and port is not UNDEFINED)
    known = ", ".join(repr(way.port) for way in seat.node.ways if way.port is not None)
    return (
        f"step {seat.node.step.id!r} answered on port {answered or 'none'}, which leads nowhere; "
        f"its ports are {known or 'none'}"
    )
