"""An execution as the seed's `Execution`: all of its fields, and cleared when it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from perdure.core import facts as f
from perdure.dialects.graph.triggers import MANUAL, trigger_of
from perdure.dialects.port import Seen
from perdure.expressions.times import iso
from perdure.model.records import ExecutionRecord, Status, Waiting
from perdure.model.values import Json
from perdure.model.workflow import Workflow

_STATUS: Final[dict[Status, str]] = {
    "pending": "RUNNING",
    "running": "RUNNING",
    "waiting": "WAITING",
    "completed": "SUCCESS",
    "failed": "FAILED",
    "cancelled": "FAILED",
}
_ENTERED: Final = (f.StepScheduled, f.TimerOpened, f.WaitOpened, f.ApprovalOpened, f.ChildStarted)


def view(seen: Seen) -> dict[str, Json]:
    record = seen.record
    started = next((fact for fact in seen.facts if isinstance(fact, f.ExecutionStarted)), None)
    trigger_type, trigger_depth = (MANUAL, record.depth) if started is None else trigger_of(started)
    is_over = record.status in {"completed", "failed", "cancelled"}
    waiting = _waiting(record)
    error, stack = _error(record)
    return {
        "id": record.id,
        "workflowId": record.workflow,
        "status": _STATUS[record.status],
        "inngestEventId": None if started is None else started.event_id,
        "triggerType": trigger_type,
        "triggerDepth": trigger_depth,
        "currentNodeId": None if is_over else _current(seen.facts, seen.workflow, record),
        "waitingAtNodeId": None if waiting is None else waiting.step,
        "nextStepAt": None if waiting is None else _iso(waiting.until),
        "startedAt": _iso(record.started_at),
        "completeAt": _iso(record.ended_at) if is_over else None,
        "output": record.output if record.status == "completed" else None,
        "error": error,
        "errorStack": stack,
    }


def _waiting(record: ExecutionRecord) -> Waiting | None:
    """What it waits for at a node. What waits for an operator waits at none."""
    waiting = record.waiting if record.status == "waiting" else None
    return None if waiting is None or not waiting.step else waiting


def _error(record: ExecutionRecord) -> tuple[str | None, str | None]:
    if record.status == "cancelled":
        return "canceled", None
    if record.status != "failed" or record.error is None:
        return None, None
    return record.error.message, record.error.stack


def _current(facts: Sequence[f.Fact], workflow: Workflow, record: ExecutionRecord) -> str | None:
    """The node that it waits at; else the one that was entered last."""
    waiting = _waiting(record)
    if waiting is not None:
        return waiting.step
    for fact in reversed(facts):
        on_the_spot = isinstance(fact, f.StepCompleted | f.StepFailed) and not fact.op
        if isinstance(fact, _ENTERED) or (on_the_spot and isinstance(fact, f.StepCompleted | f.StepFailed)):
            step = workflow.steps[fact.step]
            return step.part_of or step.id
    return None


def _iso(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)
