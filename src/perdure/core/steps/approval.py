"""Approvals: people decide, once, or time does."""

from __future__ import annotations

from typing import Literal, assert_never

from perdure.core import facts as f
from perdure.core.commands import EscalateApproval, OpenApproval, SettleApproval
from perdure.core.draft import Draft
from perdure.core.events import ApprovalDecided
from perdure.core.moments import instant
from perdure.core.moves import Broken, Done, Move
from perdure.core.seat import Seat
from perdure.core.state import ApprovalOp
from perdure.core.steps.asking import asked
from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED
from perdure.ids import derived
from perdure.model.failure import Category, Failure
from perdure.model.steps import Approval
from perdure.model.values import Json, sources

Decision = Literal["approve", "reject"]


def approval_id(execution: str, op: int) -> str:
    return derived(execution, "approval", op)


def begin(draft: Draft, seat: Seat, work: Approval) -> Move | None:
    request = draft.evaluate(work.request, seat)
    due_at = None
    if work.due_at is not None:
        due_at = instant(draft.at, draft.evaluate_time(work.due_at, "dueDate", seat), "dueDate")
    request = None if request is UNDEFINED else request
    who, warnings = asked(draft, seat, work)
    if work.due_at is not None and due_at is None:
        warnings.append("dueDate came to nothing; its time is never over")
    for warning in warnings:
        draft.record(f.Warned(draft.at, seat.node.number, warning))
    draft.record(f.ApprovalOpened(draft.at, seat.node.number, request, due_at, seat.scope, seat.item, who))
    op = draft.state.seq
    draft.command(
        OpenApproval(
            op,
            approval_id(draft.state.execution, op),
            draft.program.known_as(seat.node.number),
            request,
            due_at,
            work.votes_required,
            who,
            work.on_timeout,
            _known_already(draft, seat, work),
        )
    )
    return None


def decided(draft: Draft, op: ApprovalOp, event: ApprovalDecided) -> Move:
    return _done(draft, op, event.decision, event.by, event.comments, event.data)


def due(draft: Draft, op: ApprovalOp) -> Move | None:
    """Nobody decided in time."""
    work = draft.program.nodes[op.step].step.work
    assert isinstance(work, Approval)
    match work.on_timeout:
        case "stay":
            draft.record(f.ApprovalOverdue(draft.at, op.op))
            draft.command(EscalateApproval(op.op))
            return None
        case "escalate":
            to = _escalate_to(draft, op, work)
            draft.record(f.ApprovalOverdue(draft.at, op.op, to))
            draft.command(EscalateApproval(op.op, to))
            return None
        case "fail":
            draft.command(SettleApproval(op.op))
            message = f"nobody decided the approval of step {draft.program.known_as(op.step)!r} in time"
            return Broken(Failure(message, Category.TIMEOUT, "TIMEOUT", retriable=False), op=op.op)
        case "approve" | "reject":
            move = _done(draft, op, work.on_timeout, "system", None, None)
            draft.command(SettleApproval(op.op, work.on_timeout))
            return move
        case _:
            assert_never(work.on_timeout)


def _known_already(draft: Draft, seat: Seat, work: Approval) -> Json:
    """To whom it will be handed on, where the workflow names them: what it computes, it computes when the time is over."""
    if work.escalate_to is None or any(sources(work.escalate_to)):
        return None
    return draft.evaluate(work.escalate_to, seat)


def _escalate_to(draft: Draft, op: ApprovalOp, work: Approval) -> Json:
    """To whom; nobody, if that cannot be told: the approval must not be lost over it."""
    assert work.escalate_to is not None
    try:
        to = draft.evaluate(work.escalate_to, draft.seat(op))
    except EvaluationError as error:
        draft.record(f.Warned(draft.at, op.step, f"escalate_to could not be computed: {error}"))
        return None
    return None if to is UNDEFINED else to


def _done(draft: Draft, op: ApprovalOp, decision: Decision, by: str, comments: str | None, data: Json) -> Move:
    opened = draft.fact(op.op)
    draft.satisfied()
    status = "approved" if decision == "approve" else "rejected"
    output = {
        "approvalId": approval_id(draft.state.execution, op.op),
        "status": status,
        "decision": decision,
        "decidedBy": by,
        "comments": comments,
        "submittedData": opened.request,
    }
    if data is not None:
        output["modifiedData"] = data
    return Done(output, port=status, op=op.op)
