"""An execution as the seed's `WorkflowInstance`. Times are ISO 8601."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from perdure.core import facts as f
from perdure.dialects.orchestration.states import States, error_info
from perdure.dialects.port import Seen
from perdure.expressions.times import iso
from perdure.model.records import ExecutionRecord, Status
from perdure.model.steps import EventWait
from perdure.model.values import Expression, Json
from perdure.model.workflow import Workflow

_STATUS: Final[dict[Status, str]] = {
    "pending": "CREATED",
    "running": "RUNNING",
    "waiting": "WAITING_FOR_EVENT",
    "completed": "COMPLETED",
    "failed": "FAILED",
    "cancelled": "CANCELLED",
}
_OVER: Final = ("completed", "failed", "cancelled")
HISTORY: Final = {
    "execution.started": "WORKFLOW_STARTED",
    "execution.completed": "WORKFLOW_COMPLETED",
    "execution.failed": "WORKFLOW_FAILED",
    "execution.cancelled": "WORKFLOW_CANCELLED",
    "execution.retried": "WORKFLOW_RETRIED",
    "step.scheduled": "STEP_STARTED",
    "step.completed": "STEP_COMPLETED",
    "step.failed": "STEP_FAILED",
    "step.retrying": "STEP_RETRYING",
    "wait.opened": "WAITING_FOR_EVENT",
    "approval.opened": "WAITING_FOR_EVENT",
    "compensation.planned": "COMPENSATION_STARTED",
    "compensation.finished": "COMPENSATION_COMPLETED",
}
"""What the seed's family calls what happened."""


def view(seen: Seen) -> dict[str, Json]:
    record = seen.record
    started = next((fact for fact in seen.facts if isinstance(fact, f.ExecutionStarted)), None)
    states = States(seen.workflow).take_all(seen.facts)
    cancellation = _cancellation(seen.facts)
    last_at = seen.facts[-1].at if seen.facts else record.started_at
    return {
        "id": record.id,
        "workflowDefinitionId": record.workflow,
        "workflowVersion": seen.version,
        "status": status_of(record),
        "input": states.input,
        "state": {
            "variables": states.variables,
            "currentStepId": None if record.status in _OVER else states.current(record),
            "steps": states.steps(),
            "waitingForEvent": _waiting_for(seen, states),
        },
        "version": len(seen.facts),
        "startedAt": iso(record.started_at),
        "updatedAt": iso(max(last_at, record.ended_at or 0)),
        "completedAt": iso(record.ended_at) if record.status in _OVER and record.ended_at is not None else None,
        "correlationId": record.correlation_id,
        "correlation_id": record.correlation_id,
        "cancellation": cancellation,
        "cancelation": cancellation,
        "compensationState": _compensation(seen.facts, seen.workflow),
        "output": record.output if record.status == "completed" else None,
        "error": error_info(record.error, record.ended_at) if record.status == "failed" else None,
        "triggerEventId": None if started is None else started.event_id,
    }


def status_of(record: ExecutionRecord) -> str:
    """To wait for a time is to run."""
    waiting = record.waiting
    is_timer = record.status == "waiting" and waiting is not None and waiting.kind not in ("event", "approval")
    return "RUNNING" if is_timer else _STATUS[record.status]


def _waiting_for(seen: Seen, states: States) -> Json:
    """The event that it waits for, if that is what it waits for."""
    waiting = seen.record.waiting if seen.record.status == "waiting" else None
    if waiting is None or waiting.kind != "event":
        return None
    wait = next((wait for wait in states.waits if states.name(wait.step) == waiting.step), None)
    if wait is None:
        return None
    told = {"eventPattern": wait.pattern, "since": iso(wait.at)}
    work = seen.workflow.steps[wait.step].work
    if isinstance(work, EventWait) and isinstance(work.condition, Expression):
        told["eventCondition"] = dict(seen.workflow.written).get(work.condition.source, work.condition.source)
    return told


def _cancellation(facts: Sequence[f.Fact]) -> Json:
    fact = next((fact for fact in reversed(facts) if isinstance(fact, f.ExecutionCancelled)), None)
    if fact is None:
        return None
    told = {"reason": fact.reason, "requestedBy": fact.by, "requestedAt": iso(fact.at), "source": fact.source}
    return told if fact.event_id is None else {**told, "eventId": fact.event_id}


def _compensation(facts: Sequence[f.Fact], workflow: Workflow) -> Json:
    began = next(
        (fact for fact in facts if isinstance(fact, f.ExecutionCancelled | f.ExecutionFailed) and fact.compensate), None
    )
    if began is None:
        return None
    plan: list[str] = []
    unknown: list[str] = []
    completed: list[str] = []
    failed: list[Json] = []
    finished: f.CompensationFinished | None = None
    for fact in facts[facts.index(began) :]:
        match fact:
            case f.CompensationPlanned():
                plan = [workflow.steps[by].id for by, _ in fact.plan]
                unknown = [workflow.steps[step].id for step in fact.unknown]
            case f.StepCompleted() if workflow.steps[fact.step].id in plan:
                completed.append(workflow.steps[fact.step].id)
            case f.StepFailed() if workflow.steps[fact.step].id in plan:
                step = workflow.steps[fact.step].id
                failed.append({"stepId": step, "error": fact.error.message, "timestamp": iso(fact.at)})
            case f.CompensationFinished():
                finished = fact
            case _:
                pass
    status = "IN_PROGRESS" if finished is None else "COMPLETED_WITH_ERRORS" if finished.failed else "COMPLETED"
    told = {"status": status, "startedAt": iso(began.at), "plan": plan, "completed": completed, "failed": failed}
    if unknown:
        told["unknown"] = unknown
    return told if finished is None else {**told, "completedAt": iso(finished.at)}
