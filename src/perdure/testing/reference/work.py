"""What each kind of work comes to under a script, and after how long, worked out without the core.

The script says at once what the world will answer, so nothing has to be waited for: retries, timeouts, votes and due dates
are sums. An event is heard only by the step that it is meant for.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED
from perdure.model import steps as m
from perdure.model.failure import Category, Failure
from perdure.model.values import Json, Value
from perdure.testing.reference.paths import variables
from perdure.testing.script import Place

NEVER = float("inf")


class Done(Struct):
    output: Json = None
    port: str | None = None
    meta: Json = None
    assigned: dict[str, Json] = {}


Coming: TypeAlias = tuple[float | None, Done | Failure | None]
"""How long it takes (None: it is over on the spot) and what it comes to."""


class Broken(EvaluationError, code="broken"):
    """The work failed for good; it holds the failure."""


def failure_of(error: EvaluationError) -> Failure:
    found: Failure = (error if isinstance(error, Broken) else broken("EXPRESSION")).args[0]
    return found


def broken(code: str, category: Category = Category.VALIDATION) -> Broken:
    """A failure of the engine's own, which has its code for a message."""
    return Broken(Failure(code, category, code, retriable=False))


class Seat:
    """Where the work is done, and what it sees of the execution from there."""

    def __init__(self, of: Any, token: Any) -> None:
        self.of, self.token, self.now, self.script = of, token, of.now, of.script

    def value(self, value: Value, **extra: Json) -> Any:
        return self.of.value(value, self.token, **extra)

    def holds(self, condition: Value | None, **extra: Json) -> bool:
        return bool(self.of.holds(condition, self.token, **extra))

    def place(self) -> Place:
        """Which piece of work it is. A step is opened once more, unless its forEach has been."""
        step = self.token.step.id
        self.of.opened[step] += not self.token.whole
        return Place(self.of.workflow.name, step, self.of.opened[step], self.token.item)


def coming(seat: Seat, work: m.Work) -> Coming:
    match work:
        case m.Compute():
            return None, Done(_json(seat, work.output))
        case m.Condition():
            if not isinstance(found := _json(seat, work.test), bool | None):
                raise broken("NOT_BOOLEAN")
            return None, Done(bool(found), "true" if found else "false")
        case m.SetVariables():
            return _set_variables(seat, work)
        case m.Publish():
            kind, _ = _text(seat, work.type), _json(seat, work.data)
            return None, Done({"eventId": "event", "type": kind})
        case m.Fail():
            return None, Failure(str(seat.value(work.message)), work.category, work.code, retriable=False)
        case m.Task():
            return _task(seat, work)
        case m.Timer():
            return _timer(seat, work)
        case m.EventWait():
            return _event_wait(seat, work)
        case m.Approval():
            return _approval(seat, work)
        case m.Child():
            return _child(seat, work)
        case m.Loop():
            raise TypeError("a loop is control, not work")


def _set_variables(seat: Seat, work: m.SetVariables) -> Coming:
    found: dict[str, Json] = {}
    for name, value in work.values:
        new = seat.value(value, vars=variables(seat.token) | found)
        found |= {} if new is UNDEFINED else {name: new}
    return None, Done(found, assigned=found)


def _task(seat: Seat, work: m.Task) -> Coming:
    given, retry, taken = _json(seat, work.input), work.retry, 0.0
    place, failures = seat.place(), 0
    while True:
        answer = seat.script.task(replace(place, failures=failures), given)
        late = work.timeout_ms is not None and work.timeout_ms < answer.after_ms
        taken += min(answer.after_ms, work.timeout_ms or NEVER)
        error = Failure("TIMEOUT", Category.TIMEOUT, "TIMEOUT") if late else answer.error
        if error is None:
            return taken, Done(answer.output, answer.port)
        failures, names = failures + 1, set(error.names)
        fits = not names & set(retry.never) and (not retry.only or names & set(retry.only))
        if not error.retriable or not fits or failures >= retry.attempts_max:
            return taken, error
        taken += int(min(retry.delay_ms * retry.multiplier ** (failures - 1), retry.delay_max_ms))


def _timer(seat: Seat, work: m.Timer) -> Coming:
    until = _time(seat, work.until)
    if until is None:
        delay = _time(seat, work.delay_ms)
        if delay is None:
            raise EvaluationError
        until = seat.now + delay
    wait = max(until - seat.now, 0)
    return wait or None, Done({"slept": True, "ms": wait})


def _event_wait(seat: Seat, work: m.EventWait) -> Coming:
    _text(seat, work.pattern)
    limit = _time(seat, work.timeout_ms)
    limit = NEVER if limit is None else limit
    place = seat.place()
    answer, late = seat.script.event(place), seat.of.late
    seat.of.unclear |= seat.now < late.get(place.step, 0)  # it may hear the event that an earlier wait did not stay for
    if answer:
        event = {"payload": answer.data}
        if answer.after_ms < limit and seat.holds(work.condition, event=event):
            output = answer.data if work.output is None else seat.value(work.output, event=event)
            return answer.after_ms, Done(None if output is UNDEFINED else output)
        late[place.step] = seat.now + answer.after_ms
    return limit, broken("TIMEOUT", Category.TIMEOUT).args[0]


def _approval(seat: Seat, work: m.Approval) -> Coming:
    request, due, place = _json(seat, work.request), _time(seat, work.due_at), seat.place()
    answer, decided, decision, by = seat.script.approval(place), NEVER, "", ""
    if answer and len(answer.voters) >= work.votes_required:
        decided, decision = seat.now + answer.after_ms, answer.decision
        by = answer.voters[work.votes_required - 1]
    if due is not None and due <= decided:
        if work.on_timeout == "fail":
            return due - seat.now, broken("TIMEOUT", Category.TIMEOUT).args[0]
        if work.on_timeout in ("approve", "reject"):
            decided, decision, by = due, work.on_timeout, "system"
    status = "approved" if decision == "approve" else "rejected"
    output = {"approvalId": f"approval of {place.step}", "status": status, "decision": decision, "decidedBy": by}
    return decided - seat.now, Done({**output, "comments": None, "submittedData": request}, status)


def _child(seat: Seat, work: m.Child) -> Coming:
    workflow, given = _text(seat, work.workflow), _json(seat, work.input)
    if seat.of.depth >= seat.of.workflow.depth_max:
        if work.wait:
            raise broken("DEPTH")
        return None, Done(None)
    if workflow not in seat.of.workflows:
        raise broken("UNKNOWN_WORKFLOW")
    child = seat.of.child(workflow, given, seat.place())
    if not work.wait:
        return None, Done(child.name)
    if child.error is None:
        return child.now - seat.now if child.status == "completed" else NEVER, Done(child.output)
    return child.now - seat.now, replace(child.error, retriable=False, origin=child.error.origin or child.name)


def _json(seat: Seat, value: Value | None) -> Any:
    found = None if value is None else seat.value(value)
    return None if found is UNDEFINED else found


def _time(seat: Seat, value: Value | None) -> Any:
    found = _json(seat, value)
    if isinstance(found, bool) or not isinstance(found, int | float | None):
        raise EvaluationError
    return found


def _text(seat: Seat, value: Value) -> str:
    if isinstance(found := seat.value(value), str) and found:
        return found
    raise EvaluationError
