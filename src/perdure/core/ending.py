"""How an execution ends: completed, failed, cancelled; and how a failed one is taken up again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from perdure.core import chains, compensation
from perdure.core import facts as f
from perdure.core.commands import AbandonTask, CancelChild, CloseApproval, CloseWait, Finish, OpenWait, PerformTask
from perdure.core.draft import Draft
from perdure.core.events import CancelRequested, RetryRequested
from perdure.core.finishing import is_idle
from perdure.core.readiness import has_ready
from perdure.core.scope import outcome
from perdure.core.state import ApprovalOp, ChildOp, EachScope, EventOp, Op, PauseOp, State, TaskOp, TimerOp
from perdure.core.steps.task import again, delay_ms
from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.times import add_ms
from perdure.model.failure import Category, Failure, refusal
from perdure.model.steps import Retry, Task
from perdure.model.values import Json

SELF_RETRY = Retry(delay_ms=5_000, jitter=0)
"""How long an execution waits before it retries itself: 5 s, doubling, at most 5 min."""

COMBINED_LENGTH_MAX = 4_000
"""Maximum length of a message that combines several failures. Parents combine it with others again."""


def settle(draft: Draft) -> None:
    """What the state now implies for the execution as a whole. The last act of every transition."""
    state = draft.state
    if state.status == "running" and state.retry_at is None:
        if state.failing:
            _settle_failing(draft)
        elif is_idle(state):
            _complete(draft)
    if draft.state.undoing is not None:
        compensation.proceed(draft)
    _move_deadline(draft)


def fail(draft: Draft, error: Failure, steps: tuple[int, ...] = ()) -> None:
    """The execution fails, or will retry itself. What is open is given up."""
    state, workflow = draft.state, draft.program.workflow
    if state.retries_left and error.retriable:
        give_up(draft, state.ops.values())
        retry_at = add_ms(draft.at, delay_ms(SELF_RETRY, state.retried + 1))
        draft.record(f.ExecutionRetrying(draft.at, error, retry_at, steps))
        return
    compensate = workflow.compensate_on_failure and bool(workflow.compensations)
    settling = _settling(draft) if compensate else ()
    give_up(draft, state.ops.values())
    _close_cancels(draft)
    draft.record(f.ExecutionFailed(draft.at, error, steps, compensate, settling))
    draft.command(Finish("failed", error=error))


def is_outdated(draft: Draft, request: CancelRequested | RetryRequested) -> bool:
    """Whether it was asked of another version than this one: then it changes nothing, and that is told. After a completion there
    is nothing to be told.
    """
    now = draft.state.seq
    if request.version in (None, now):
        return False
    if draft.state.status != "completed":
        what = "a cancellation" if isinstance(request, CancelRequested) else "a retry"
        message = f"{what} by {request.by} was asked for version {request.version}, and came at version {now}: it changed nothing"
        draft.record(f.Warned(draft.at, -1, message))
    return True


def cancel(draft: Draft, event: CancelRequested) -> None:
    """Cancelled at once. What runs is told; what has been done is undone, if that is asked for."""
    if draft.state.status != "running":
        return
    compensate = event.compensate and bool(draft.program.workflow.compensations)
    settling = _settling(draft) if compensate else ()
    give_up(draft, draft.state.ops.values())
    _close_cancels(draft)
    draft.record(
        f.ExecutionCancelled(draft.at, event.reason, event.by, event.source, event.event_id, compensate, settling)
    )
    error = refusal(event.reason or "cancelled", code="CANCELLED", category=Category.BUSINESS)
    draft.command(Finish("cancelled", error=error))


def retry(draft: Draft, by: str) -> None:
    """A failed execution goes on from where it failed, unless it is being undone, or could not even begin."""
    state = draft.state
    due = state.retry_at is not None
    if not due and (state.status != "failed" or state.undoing is not None or not state.runs):
        return
    commands = [again(draft, op, op.attempt + 1) for op in state.stopped.values() if isinstance(op, TaskOp)]
    deadline = deadline_at(draft)
    if due:  # by itself, within the time it was given
        deadline = None if state.deadline is None else state.deadline.due_at
    draft.record(f.ExecutionRetried(draft.at, by, deadline))
    for command in commands:
        draft.command(command)
    if not due:
        open_cancels(draft)


def give_up(draft: Draft, ops: Iterable[Op]) -> None:
    """Nobody waits for these any more: tell those who work on them. A call that was not made yet is not made."""
    for op in ops:
        match op:
            case TaskOp():
                if not draft.withdraw_call(op.op) and op.due_at is None:
                    draft.command(AbandonTask(op.op))
            case ChildOp():
                draft.command(CancelChild(op.op, op.child))
            case EventOp():
                draft.command(CloseWait(op.op))
            case ApprovalOp():
                draft.command(CloseApproval(op.op))
            case TimerOp() | PauseOp():
                pass
            case _:
                assert_never(op)


def deadline_at(draft: Draft) -> int | None:
    """A fresh deadline, from now."""
    allowed = deadline_ms(draft)
    return None if allowed is None else add_ms(draft.at, allowed)


def deadline_ms(draft: Draft) -> int | None:
    """How long it may take, as its start says."""
    started = draft.fact(1)
    draft.satisfied()
    allowed: int | None = started.deadline_ms
    return allowed


def _settle_failing(draft: Draft) -> None:
    state = draft.state
    if draft.program.workflow.on_failure == "drain" and _is_working(state):
        return
    failures = [draft.fact(seq) for seq in state.failing]
    draft.satisfied()
    failures.sort(key=lambda fact: fact.step)
    steps = tuple(fact.step for fact in failures)
    fail(draft, _combined(draft, failures), steps)


def _is_working(state: State) -> bool:
    """Whether a step that was started has not ended. One that only pauses has."""
    return any(not isinstance(op, PauseOp) for op in state.ops.values()) or any(
        isinstance(scope, EachScope) and not scope.stopped for scope in state.scopes.values()
    )


def _combined(draft: Draft, failures: list[f.StepFailed]) -> Failure:
    first = failures[0].error
    if len(failures) == 1 and (not draft.program.workflow.names_failed or first.origin is not None):
        return first
    message = "; ".join(f"{draft.program.name(fact.step)}: {fact.error.message}" for fact in failures)
    if len(message) > COMBINED_LENGTH_MAX:
        message = f"{message[: COMBINED_LENGTH_MAX - 1]}…"
    retriable = all(fact.error.retriable for fact in failures)
    return replace(first, message=message, retriable=retriable)


def _complete(draft: Draft) -> None:
    state, workflow = draft.state, draft.program.workflow
    output: Json = None
    output_seq = 0
    if workflow.output is not None:
        try:
            output = draft.evaluate(workflow.output)
        except EvaluationError as error:
            fail(draft, refusal(f"the output could not be computed: {error}", code="EXPRESSION"))
            return
        output = None if output is UNDEFINED else output
    elif state.last_seq:
        output_seq = state.last_seq
        last = draft.fact(output_seq)
        output = None if last is None else outcome(draft, last.step, output_seq)["output"]
        draft.satisfied()
    _close_cancels(draft)
    recorded = None if output_seq else output
    draft.record(f.ExecutionCompleted(draft.at, recorded, output_seq))
    draft.command(Finish("completed", output=output))
    chains.plan(draft, output)


def _settling(draft: Draft) -> tuple[tuple[int, int], ...]:
    """The attempts in flight whose end decides what has to be undone, and how long to wait for each.

    Of a task that this very transition asked for nobody will report. It has done nothing, unless an attempt before it was
    given up: nobody knows what that has done, and there is nothing to wait for.
    """
    asked = {command.op for command in draft.commands if isinstance(command, PerformTask)}
    found: list[tuple[int, int]] = []
    for op in draft.state.ops.values():
        wait_ms = draft.program.workflow.settle_ms
        if isinstance(op, TaskOp) and op.op in asked:
            if op.failures < op.attempt - 1:
                found.append((op.op, draft.at))
        elif isinstance(op, TaskOp) and op.due_at is None:
            work = draft.program.nodes[op.step].step.work
            assert isinstance(work, Task)
            found.append((op.op, add_ms(draft.at, work.timeout_ms or wait_ms)))
        elif isinstance(op, ChildOp):
            found.append((op.op, add_ms(draft.at, wait_ms)))
    return tuple(sorted(found))


def _close_cancels(draft: Draft) -> None:
    for number in range(len(draft.program.workflow.cancels)):
        draft.command(CloseWait(-1 - number))


def open_cancels(draft: Draft, *, look_back: bool = False) -> None:
    """`look_back`: an event may have come after the start was accepted, and before it began."""
    for number, cancel_ in enumerate(draft.program.workflow.cancels):
        draft.command(OpenWait(-1 - number, cancel_.pattern, look_back, *draft.key(cancel_.condition)))


def _move_deadline(draft: Draft) -> None:
    """Stop the clock while people and events are all that is waited for; start it again after."""
    state = draft.state
    deadline = state.deadline
    if deadline is None or not draft.program.workflow.deadline_pauses:
        return
    asking = bool(state.asking) and not state.busy and not has_ready(draft.program, state)
    if asking and deadline.due_at is not None:
        draft.record(f.DeadlineMoved(draft.at, left_ms=deadline.due_at - draft.at))
    elif not asking and deadline.left_ms is not None:
        draft.record(f.DeadlineMoved(draft.at, due_at=add_ms(draft.at, deadline.left_ms)))
