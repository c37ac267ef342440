"""The names that expressions can read, and what they mean here.

input          what the execution was started with
trigger        {type, data, eventId}: what started it
execution      {id, organization, workflow, version, depth, startedAt, correlationId, parent, startedBy, metadata}
steps.<id>     {status, output, meta, port, error, at}: the last outcome of a step
last           the same of the step that led here, with its `step`
latest         the same of that step, or if it failed of the one that completed last
names.<name>   a name that is looked for in one place after the other, as the workflow says
came           the ids of the steps that led here
vars.<name>    a variable, as this path sees it
loop           {owner, items, state, batch, item, index, parent, errors}: the innermost loop around this step
item, index    of a forEach
local.<name>   a name that this step gave itself
cancellation   {reason, by, source, at, eventId}
now            the time of the event that is being handled, in epoch milliseconds
output, meta, port, error, event, undone
               where they make sense: the outcome of this step, the event that came, the step to undo

Only what an expression reads is put into its scope, and only that is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from perdure.core import facts as f
from perdure.core.program import Bound, Program
from perdure.core.seat import Seat
from perdure.core.state import LoopScope, State, Written
from perdure.expressions.protocol import UNDEFINED, Path
from perdure.model.failure import Failure
from perdure.model.values import Json, Value


class Reader(Protocol):
    """What a scope is built from: a transition in the making. What it does not have at hand, it notes."""

    program: Program
    state: State
    at: int
    overlay: dict[str, Json]
    outcome_now: tuple[int, dict[str, Json]] | None

    def fact(self, seq: int) -> Any: ...

    def items(self, seq: int, start: int, stop: int) -> list[Json]: ...

    def within(self, number: int) -> list[Any]: ...

    def evaluate(self, value: Value, seat: Seat | None = None, **extra: Json) -> Json: ...

    def satisfied(self) -> None: ...


def build(draft: Reader, bound: Bound, seat: Seat | None, extra: dict[str, Json]) -> dict[str, Json]:
    """The scope of one value: what it reads, as seen from `seat`."""
    into: dict[str, Json] = {}
    for path in bound.reads:
        root = path[0]
        if root == "names":
            _name(draft, seat, path, extra, into)
        else:
            _read(draft, seat, path, extra, into)
    draft.satisfied()
    return into


def _read(draft: Reader, seat: Seat | None, path: Path, extra: dict[str, Json], into: dict[str, Json]) -> None:
    root = path[0]
    if root in extra:
        into[root] = extra[root]
    elif root == "local":
        _local(draft, seat, extra, into)
    elif root in _ROOTS:
        _ROOTS[root](draft, seat, path, into)


def _name(draft: Reader, seat: Seat | None, path: Path, extra: dict[str, Json], into: dict[str, Json]) -> None:
    """The first place that has the name decides, whatever it has there; a place that is no object has none."""
    found = into.setdefault("names", {})
    for name in path[1:2]:
        for place in draft.program.lookup:
            within: dict[str, Json] = {}
            _read(draft, seat, (*place, name), extra, within)
            held: Json = within
            for part in place:
                held = held.get(part) if isinstance(held, dict) else None
            if isinstance(held, dict) and name in held:
                found[name] = held[name]
                break


def error_value(error: Failure) -> dict[str, Json]:
    """A failure as expressions see it."""
    value: dict[str, Json] = {
        "message": error.message,
        "category": str(error.category),
        "code": error.code,
        "retriable": error.retriable,
        "details": error.details,
    }
    return value if error.origin is None else {**value, "executionId": error.origin}


def outcome(draft: Reader, step: int, seq: int) -> dict[str, Json]:
    """The outcome of `step` that fact `seq` recorded."""
    match draft.fact(seq):
        case f.StepCompleted() as fact:
            output = fact.output if fact.total is None else results(draft, fact.scope, fact.total)
            done = {"status": "completed", "output": output, "port": fact.port, "at": fact.at}
            return done if fact.meta is None else {**done, "meta": fact.meta}
        case f.StepFailed() as fact:
            return {"status": "failed", "error": error_value(fact.error), "at": fact.at}
        case f.LoopTicked() as fact:
            tick = draft.state.scopes.get(fact.scope)
            view = loop_output(draft, fact.scope, tick) if isinstance(tick, LoopScope) else None
            ticked = {"status": "running", "output": view, "port": "loop", "at": fact.at}
            if isinstance(tick, LoopScope) and tick.errors:
                ticked["meta"] = {"errors": loop_errors(draft, fact.scope)}
            return ticked
        case f.ExecutionForked() as fact:
            return {"status": "completed", "output": fact.outputs[step], "at": fact.at}
        case _:  # it has to be loaded first
            return {}


def loop_output(draft: Reader, number: int, scope: LoopScope) -> dict[str, Json]:
    """What a tick of a loop answers with: {state, batch, item}."""
    view: dict[str, Json] = {"state": loop_state(scope), "batch": None}
    if not scope.complete:
        stop = min(scope.start + scope.batch_size, scope.total)
        items = draft.items(number, scope.start, stop)
        view["batch"] = {
            "index": scope.ticks - 1,
            "size": stop - scope.start,
            "items": items,
            "startIndex": scope.start,
            "endIndex": stop - 1,
        }
        if scope.batch_size == 1 and items:
            view["item"] = items[0]
    return view


def loop_state(scope: LoopScope) -> dict[str, Json]:
    """Ticks before the one that is out; at the end, all of them."""
    before = scope.ticks if scope.complete else scope.ticks - 1
    return {
        "currentIndex": scope.start,
        "totalItems": scope.total,
        "iterations": before,
        "batchesProcessed": before,
        "isComplete": scope.complete,
    }


def loop_errors(draft: Reader, number: int) -> list[Json]:
    return [error_value(fact.error) for fact in draft.within(number)]


def results(draft: Reader, number: int, total: int) -> list[Json]:
    """The output of a forEach: positional, null where an item failed."""
    results: list[Json] = [None] * total
    for fact in draft.within(number):
        if isinstance(fact, f.ItemCompleted):
            results[fact.item] = fact.output
    return results


def _input(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del seat, path
    fact = draft.fact(draft.state.input_seq)
    if fact is not None:
        into["input"] = fact.input


def _trigger(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del seat, path
    fact = draft.fact(1)
    if fact is not None:
        into["trigger"] = {"type": fact.trigger, "data": fact.trigger_data, "eventId": fact.event_id}


def _execution(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del seat, path
    fact = draft.fact(1)
    if fact is not None:
        into["execution"] = {
            "id": draft.state.execution,
            "organization": fact.organization,
            "workflow": draft.program.workflow.name,
            "version": fact.version,
            "depth": draft.state.depth,
            "startedAt": draft.state.started_at,
            "correlationId": fact.correlation_id,
            "parent": fact.parent,
            "startedBy": draft.state.by,
            "metadata": fact.metadata,
        }


def _steps(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del seat
    found = into.setdefault("steps", {})
    last = draft.state.last
    numbers = draft.program.number
    for name in path[1:2] or map(draft.program.name, last):
        step = numbers.get(name)
        if step is not None:
            part = _failed_part(draft, name, last.get(step, 0))
            step = step if part is None else part
        if step is not None and step in last:
            found[name] = outcome(draft, step, last[step])
    if draft.outcome_now is not None:
        own = draft.program.name(draft.outcome_now[0])
        if own in path[1:2] or len(path) == 1:
            found[own] = draft.outcome_now[1]


def _failed_part(draft: Reader, name: str, since: int) -> int | None:
    """A step fails in a part of it: the last of its parts that has, since it was itself done."""
    newer = [part for part in draft.program.parts_of.get(name, ()) if draft.state.last.get(part, 0) > since]
    newer.sort(key=lambda part: draft.state.last[part], reverse=True)
    return next((part for part in newer[:1] if isinstance(draft.fact(draft.state.last[part]), f.StepFailed)), None)


def _last(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del path
    if seat is None:
        step = None if not draft.state.last_seq else _step_of(draft.fact(draft.state.last_seq))
    else:
        step = seat.token.came[-1] if seat.token.came else None
    if step is not None:
        into["last"] = {"step": draft.program.name(step), **outcome(draft, step, draft.state.last[step])}


def _latest(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del path
    for step in _newest_first(draft, seat):
        if step in draft.program.parts:
            continue
        seq = draft.state.last[step]
        if isinstance(draft.fact(seq), f.StepFailed):
            continue
        into["latest"] = {"step": draft.program.name(step), **outcome(draft, step, seq)}
        return


def _newest_first(draft: Reader, seat: Seat | None) -> Iterator[int]:
    """Steps with an outcome. Mostly it is the one that led here."""
    if seat is not None and seat.token.came:
        yield seat.token.came[-1]
    last = draft.state.last
    yield from sorted(last, key=lambda step: 0 if _is_edited(draft, last[step]) else last[step], reverse=True)


def _is_edited(draft: Reader, seq: int) -> bool:
    """What a fork put in the place of an output was not done then."""
    return isinstance(draft.fact(seq), f.ExecutionForked)


def _step_of(fact: Any) -> int | None:
    return None if fact is None else fact.step


def _came(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del path
    into["came"] = [] if seat is None else [draft.program.name(step) for step in seat.token.came]


def _vars(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    variables = draft.state.vars if seat is None or seat.token.vars is None else seat.token.vars
    found = into.setdefault("vars", {})
    names = path[1:2] or tuple(sorted(variables, key=lambda name: (variables[name].seq, name)))
    for name in names:
        written = variables.get(name)
        if written is not None and not written.gone:
            _variable(draft, name, written, found)
    for name, value in draft.overlay.items():
        if value is UNDEFINED:
            found.pop(name, None)
        elif name in names or len(path) == 1:
            found[name] = value


def _variable(draft: Reader, name: str, written: Written, found: dict[str, Json]) -> None:
    fact = draft.fact(written.seq)
    if fact is not None:
        found[name] = fact.assigned[name]


def _loop(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    frame = 0 if seat is None else seat.token.frame
    view = _loop_view(draft, frame, path[1:])
    if view is not None:
        into["loop"] = {**into.get("loop", {}), **view}


def _loop_view(draft: Reader, number: int, path: Path) -> dict[str, Json] | None:
    scope = draft.state.scopes.get(number)
    return _view_of(draft, number, scope, path) if isinstance(scope, LoopScope) else None


def _view_of(draft: Reader, number: int, scope: LoopScope, path: Path) -> dict[str, Json]:
    view = {"owner": draft.program.name(scope.step), **loop_output(draft, number, scope)}
    if "item" in view:
        view["index"] = scope.start
    if not path or path[0] == "items":
        view["items"] = draft.items(number, 0, scope.total)
    if scope.errors and (not path or path[0] == "errors"):
        view["errors"] = loop_errors(draft, number)
    if scope.parent and (not path or path[0] == "parent"):
        view["parent"] = _loop_view(draft, scope.parent, path[1:])
    return view


def _item(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del path
    if seat is not None and seat.scope:
        found = draft.items(seat.scope, seat.item, seat.item + 1)
        if found:
            into["item"] = found[0]


def _index(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del draft, path
    if seat is not None and seat.scope:
        into["index"] = seat.item


def _local(draft: Reader, seat: Seat | None, extra: dict[str, Json], into: dict[str, Json]) -> None:
    """Compute the names of the step itself, as of the same time as the value that reads them."""
    if seat is not None and seat.node.step.locals is not None and "local" not in into:
        moment = {"now": extra["now"]} if "now" in extra else {}
        into["local"] = draft.evaluate(seat.node.step.locals, seat, local={}, **moment)


def _cancellation(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del seat, path
    if draft.state.status == "cancelled":
        fact = draft.fact(draft.state.ended)
        if fact is not None:
            into["cancellation"] = {
                "reason": fact.reason,
                "by": fact.by,
                "source": fact.source,
                "at": fact.at,
                "eventId": fact.event_id,
            }


def _now(draft: Reader, seat: Seat | None, path: Path, into: dict[str, Json]) -> None:
    del seat, path
    into["now"] = draft.at


_ROOTS: dict[str, Callable[[Reader, Seat | None, Path, dict[str, Json]], None]] = {
    "input": _input,
    "trigger": _trigger,
    "execution": _execution,
    "steps": _steps,
    "last": _last,
    "latest": _latest,
    "came": _came,
    "vars": _vars,
    "loop": _loop,
    "item": _item,
    "index": _index,
    "cancellation": _cancellation,
    "now": _now,
}
