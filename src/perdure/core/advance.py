"""Decide what one event means. The only way into the core for something that happened.

Rules of this file:
1. An event about something that is not open, or not the current attempt, changes nothing: no fact, no command.
2. A decision is made once, here; what it was stands in the facts.
3. Whatever cannot be decided without a value that was not passed is answered with `NeedValues`, and nothing has happened.
"""

from __future__ import annotations

from typing import TypeVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import chains, ending
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.draft import Draft, Transition, Wanting
from perdure.core.finishing import end_pause
from perdure.core.patterns import matches
from perdure.core.playing import feed_all, play, play_move
from perdure.core.program import Program
from perdure.core.state import BLANK, ApprovalOp, ChildOp, EventOp, Op, PauseOp, State, TaskOp, TimerOp
from perdure.core.steps import approval, child, task, timer
from perdure.core.steps import event as event_wait
from perdure.core.values import NO_VALUES, NeedValues, Values
from perdure.errors import EvaluationError
from perdure.expressions.faults import InternalExpressionError
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.model.failure import Category, Failure, refusal
from perdure.model.values import Json
from perdure.model.workflow import Entry


class Start(Struct, frozen=True, omit_defaults=True):
    """What an execution is started with. `deadline_ms` of None: the workflow's own."""

    at: int
    execution: str
    input: Json = None
    organization: str = "default"
    version: str | None = None
    trigger: str = "manual"
    trigger_data: Json = None
    event_id: str | None = None
    correlation_id: str | None = None
    parent: str | None = None
    depth: int = 0
    deadline_ms: int | None = None
    retries_max: int = 0
    by: str | None = None
    """Who starts it. What it starts in turn is started by the same."""
    metadata: Json = None
    traceparent: str | None = None


def start(
    program: Program, request: Start, values: Values = NO_VALUES, unfit: Failure | None = None
) -> Transition | NeedValues:
    """Begin an execution. `unfit` says why it cannot, if whoever begins it has found that out: it is there, and has failed."""
    draft = Draft(program, BLANK, values, request.at)
    workflow = program.workflow
    deadline_ms = workflow.deadline_ms if request.deadline_ms is None else request.deadline_ms
    started = f.ExecutionStarted(
        at=request.at,
        execution=request.execution,
        workflow=program.digest,
        organization=request.organization,
        version=request.version,
        input=request.input,
        trigger=request.trigger,
        trigger_data=request.trigger_data,
        event_id=request.event_id,
        correlation_id=request.correlation_id,
        parent=request.parent,
        depth=request.depth,
        deadline_ms=deadline_ms,
        retries_max=request.retries_max,
        flowing=program.flowing,
        by=request.by,
        metadata=request.metadata,
        traceparent=request.traceparent,
    )
    try:
        started = replace(started, entry=_entry(program, started))
    except InternalExpressionError as error:
        message = f"the condition of an entry could not be computed: {error}"
        unfit = unfit or refusal(message, code="EXPRESSION")
    assigned, problem = _initial(program, started, unfit)
    dropped = [name for name in workflow.reserved if name in (assigned or ())]
    if dropped:
        assigned = {name: value for name, value in assigned.items() if name not in dropped}
    draft.record(started if assigned is None else replace(started, assigned=assigned))
    for name in dropped:
        draft.record(f.Warned(draft.at, -1, f"{name!r} in the first variables belongs to the engine, and was left out"))
    ending.open_cancels(draft, look_back=True)
    if problem is not None:
        ending.fail(draft, problem)
    try:
        play(draft)
        ending.settle(draft)
    except Wanting as wanting:
        return NeedValues(wanting.refs)
    return draft.transition()


def advance(program: Program, state: State, event: e.Event, values: Values = NO_VALUES) -> Transition | NeedValues:
    """Decide what one event means. An event nobody waits for (late, duplicate) changes nothing."""
    draft = Draft(program, state, values, event.at)
    try:
        _decide(draft, event)
        if draft.facts or isinstance(event, e.Continued):
            play(draft)
            ending.settle(draft)
    except Wanting as wanting:
        return NeedValues(wanting.refs)
    return draft.transition()


def _decide(draft: Draft, event: e.Event) -> None:
    match event:
        case e.TaskCompleted():
            op = _attempt(draft, event.op, event.attempt)
            if op is not None:
                play_move(draft, draft.seat(op), task.completed(op, event))
        case e.TaskFailed():
            op = _attempt(draft, event.op, event.attempt)
            if op is not None:
                play_move(draft, draft.seat(op), task.failed(draft, op, event))
        case e.AttemptLost():
            op = _attempt(draft, event.op, event.attempt)
            if op is not None:
                task.lost(draft, op, event)
        case e.TaskCheckpointed():
            op = _attempt(draft, event.op, event.attempt)
            if op is not None:
                task.checkpointed(draft, op, event)
        case e.TimeReached():
            _time_reached(draft)
        case e.Continued():
            feed_all(draft)
        case e.EventArrived():
            _event_arrived(draft, event)
        case e.ApprovalDecided():
            asked = _open(draft, event.op, ApprovalOp)
            if asked is not None:
                play_move(draft, draft.seat(asked), approval.decided(draft, asked, event))
        case e.ChildEnded():
            started = _open(draft, event.op, ChildOp)
            if started is not None:
                play_move(draft, draft.seat(started), child.ended(started, event))
        case e.ChainDue():
            chains.fire(draft, event.number)
        case e.ChainRequested():
            chains.request(draft, event.number)
        case e.CancelRequested():
            if not ending.is_outdated(draft, event):
                ending.cancel(draft, event)
        case e.RetryRequested():
            if not ending.is_outdated(draft, event):
                _retry(draft, event.by)
        case _:
            assert_never(event)


AnyOp = TypeVar("AnyOp", bound=Op)


def _open(draft: Draft, number: int, kind: type[AnyOp]) -> AnyOp | None:
    op = draft.state.ops.get(number)
    return op if isinstance(op, kind) else None


def _attempt(draft: Draft, number: int, attempt: int) -> TaskOp | None:
    """The task whose attempt this is, if it is under way: not an earlier one, not one that is yet to come."""
    op = draft.state.ops.get(number)
    if not isinstance(op, TaskOp) or op.attempt != attempt:
        return None
    backing_off = op.due_at is not None and draft.state.status == "running"
    return None if backing_off else op


def _time_reached(draft: Draft) -> None:
    """Everything that is due has its turn, in the order in which it became due; the deadline ends it."""
    state = draft.state
    deadline = state.deadline.due_at if state.deadline is not None and state.status == "running" else None
    if deadline is not None and deadline > draft.at:
        deadline = None
    due: list[tuple[int, int]] = [(at, number) for number, at in state.dues.items() if at <= draft.at]
    if state.retry_at is not None and state.retry_at <= draft.at:
        due.append((state.retry_at, 0))
    for at, number in sorted(due):
        if deadline is not None and at >= deadline:
            break
        op = draft.state.ops.get(number)
        if not number:
            _retry(draft, "policy")
        elif op is not None:
            _due(draft, op)
    if deadline is not None and draft.state.status == "running":
        message = f"the execution took longer than its timeout of {ending.deadline_ms(draft)} ms"
        ending.fail(draft, Failure(message, Category.TIMEOUT, "TIMEOUT", retriable=False))


def _due(draft: Draft, op: Op) -> None:
    seat = draft.seat(op)
    match op:
        case TaskOp():
            task.due(draft, op)
        case ChildOp():  # it was given time to settle, and did not
            draft.record(f.StepLost(draft.at, op.op, 1, final=True))
        case TimerOp():
            play_move(draft, seat, timer.due(op))
        case PauseOp():
            end_pause(draft, op)
        case EventOp():
            play_move(draft, seat, event_wait.due(draft, op))
        case ApprovalOp():
            play_move(draft, seat, approval.due(draft, op))
        case _:
            assert_never(op)


def _event_arrived(draft: Draft, event: e.EventArrived) -> None:
    """Once per execution: the first cancellation that it fits, else the oldest wait."""
    record = event.event
    if draft.state.status != "running" or draft.has_consumed(record.id):
        return
    value = event_wait.event_value(record)
    for cancel in draft.program.workflow.cancels if event.found_by <= 0 else ():
        if matches(cancel.pattern, record.type) and event_wait.holds(draft, None, cancel.condition, value):
            request = e.CancelRequested(event.at, cancel.reason, "system", "EVENT", record.id, cancel.compensate)
            ending.cancel(draft, request)
            return
    waits = sorted(number for number, op in draft.state.ops.items() if isinstance(op, EventOp))
    for number in waits:
        op = draft.state.ops[number]
        assert isinstance(op, EventOp)
        move = event_wait.arrived(draft, op, event)
        if move is not None:
            play_move(draft, draft.seat(op), move)
            return


def _retry(draft: Draft, by: str) -> None:
    before = draft.state.seq
    ending.retry(draft, by)
    if draft.state.seq != before:
        feed_all(draft)


def _entry(program: Program, started: f.ExecutionStarted) -> int | None:
    """The step to begin with; None: there is nothing to do."""
    entries = program.workflow.entries
    chosen = next((entry for entry in entries if _fits(program, entry, started)), entries[0] if entries else None)
    return None if chosen is None else program.number[chosen.step]


def _fits(program: Program, entry: Entry, started: f.ExecutionStarted) -> bool:
    if entry.trigger is not None and entry.trigger != started.trigger:
        return False
    if entry.when is None:
        return entry.trigger is not None
    draft = Draft(program, BLANK, NO_VALUES, started.at)
    draft.record(started)
    try:
        return truthy(draft.evaluate(entry.when))
    except InternalExpressionError:
        raise
    except EvaluationError:
        return False


def _initial(program: Program, started: f.ExecutionStarted, unfit: Failure | None) -> tuple[Json, Failure | None]:
    """The first variables, computed from the start alone; or why there is no beginning with it."""
    value = program.workflow.initial
    if value is None or unfit is not None:
        return None, unfit
    draft = Draft(program, BLANK, NO_VALUES, started.at)
    draft.record(started)
    try:
        result = draft.evaluate(value)
    except EvaluationError as error:
        return None, refusal(f"the first variables could not be computed: {error}", code="EXPRESSION")
    if result is UNDEFINED or result is None:
        return None, None
    if not isinstance(result, dict):
        return None, refusal("the first variables must be an object", code="EXPRESSION")
    return result, None
