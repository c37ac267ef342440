"""An execution as the record of the seeds: the union of what both have in `wfExecutions`. Times are epoch milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from perdure.core import facts as f
from perdure.core.steps.approval import approval_id
from perdure.dialects.faults import Faults
from perdure.dialects.port import Seen
from perdure.dialects.ports.document import parts, read_document
from perdure.dialects.ports.variables import Titles, Variables
from perdure.model.records import ExecutionRecord, Status
from perdure.model.steps import Approval
from perdure.model.values import Json
from perdure.model.workflow import Workflow

_STATUS: Final[dict[Status, str]] = {
    "pending": "pending",
    "running": "running",
    "waiting": "running",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "failed",
}
_WAITS: Final = ("approval", "event", "timer")
_ENTERED: Final = (f.StepScheduled, f.TimerOpened, f.WaitOpened, f.ApprovalOpened, f.ChildStarted, f.ForEachOpened)
HISTORY: Final = {
    "execution.started": "workflow_started",
    "approval.opened": "workflow_waiting",
    "wait.opened": "workflow_waiting",
    "timer.opened": "workflow_waiting",
    "execution.completed": "workflow_completed",
    "execution.failed": "workflow_failed",
    "execution.cancelled": "workflow_failed",
}
"""What the seed calls what happened."""


def view(seen: Seen) -> dict[str, Json]:
    record = seen.record
    started = next((fact for fact in seen.facts if isinstance(fact, f.ExecutionStarted)), None)
    document = _document(seen, started)
    config, steps_config = _configs(document)
    variables = Variables(seen.workflow, titles(document)).take_all(seen.facts).told()
    is_over = record.status in {"completed", "failed", "cancelled"}
    return {
        "id": record.id,
        "organizationId": record.organization,
        "wfDefinitionId": None if seen.version is None or _inline(started) is not None else record.workflow,
        "status": _STATUS[record.status],
        "currentStepSlug": _current(seen.facts, seen.workflow, record),
        "waitingFor": _waiting_for(record),
        "startedAt": record.started_at,
        "updatedAt": max(seen.facts[-1].at if seen.facts else record.started_at, record.ended_at or 0),
        "completedAt": record.ended_at if is_over else None,
        "componentWorkflowId": record.id,
        "variables": variables,
        "workflowConfig": config,
        "stepsConfig": steps_config,
        "input": variables.get("input"),
        "output": record.output if record.status == "completed" else None,
        "error": _error(record),
        "triggeredBy": record.trigger,
        "triggerData": None if started is None else started.trigger_data,
        "metadata": _metadata(seen, started),
    }


def step_view(seen: Seen, slug: str) -> dict[str, Json]:
    """One step of it, as `StepExecutionResult` has it."""
    started = next((fact for fact in seen.facts if isinstance(fact, f.ExecutionStarted)), None)
    told = titles(_document(seen, started))
    entry = Variables(seen.workflow, told).take_all(seen.facts).told()["steps"].get(slug)
    number = next((number for number, step in enumerate(seen.workflow.steps) if step.id == slug), None)
    own = {number, *(n for n, step in enumerate(seen.workflow.steps) if step.part_of == slug)}
    ended = next(
        (
            fact
            for fact in reversed(seen.facts)  # it fails with a part of it, and is done when it is itself
            if (isinstance(fact, f.StepFailed) and fact.step in own)
            or (isinstance(fact, f.StepCompleted | f.LoopTicked) and fact.step == number)
        ),
        None,
    )
    error = ended.error.message if isinstance(ended, f.StepFailed) else None
    output = None if entry is None else entry["output"]
    told_of = {} if output is None else output
    meta = told_of.get("meta")
    return {
        "stepSlug": slug,
        "stepType": told.types.get(slug),
        "name": told.names.get(slug, slug),
        "success": None if ended is None else error is None,
        "port": _port(ended),
        "output": output,
        "error": error,
        "threadId": meta.get("threadId") if isinstance(meta, dict) else None,
        "approvalTaskId": _approval(seen, own),
    }


def titles(document: Json) -> Titles:
    """Of what was never kept, nobody knows them any more."""
    steps = () if document is None else read_document(document, Faults()).steps
    return Titles({step.slug: step.type for step in steps}, {step.slug: step.name for step in steps})


def inline_metadata(value: Json) -> dict[str, Json]:
    """What an execution keeps of a document that is not kept itself."""
    template, _, listed, _ = parts(value)
    config = {key: part for key, part in template.items() if key not in ("steps", "stepsConfig", "dialect")}
    return {"isInlineExecution": True, "workflowConfig": config, "stepsConfig": listed}


def _document(seen: Seen, started: f.ExecutionStarted | None) -> Json:
    """What it runs: what came with it, else what was saved."""
    inline = _inline(started)
    return seen.document if inline is None else inline


def _inline(started: f.ExecutionStarted | None) -> dict[str, Json] | None:
    kept = None if started is None else started.metadata
    return kept if isinstance(kept, dict) and kept.get("isInlineExecution") is True else None


def _configs(document: Json) -> tuple[Json, Json]:
    """The config of the workflow, and of each step."""
    if document is None:
        return None, None
    read = read_document(document, Faults())
    return read.config.given, {step.slug: step.config.given for step in read.steps}


def _waiting_for(record: ExecutionRecord) -> str | None:
    waiting = record.waiting if record.status == "waiting" else None
    return waiting.kind if waiting is not None and waiting.kind in _WAITS else None


def _error(record: ExecutionRecord) -> str | None:
    if record.status == "cancelled":
        return "canceled"
    return None if record.status != "failed" or record.error is None else record.error.message


def _current(facts: Sequence[f.Fact], workflow: Workflow, record: ExecutionRecord) -> str | None:
    """The step that it waits at; else the one that was entered last."""
    waiting = record.waiting if record.status == "waiting" else None
    if waiting is not None and waiting.step:
        return _own(workflow, next(step for step in workflow.steps if step.id == waiting.step).id)
    for fact in reversed(facts):
        if isinstance(fact, (*_ENTERED, f.StepCompleted, f.StepFailed, f.LoopTicked)):
            return _own(workflow, workflow.steps[fact.step].id)
    return None


def _own(workflow: Workflow, step_id: str) -> str:
    step = next(step for step in workflow.steps if step.id == step_id)
    return step.part_of or step.id


def _metadata(seen: Seen, started: f.ExecutionStarted | None) -> dict[str, Json]:
    kept = started.metadata if started is not None and isinstance(started.metadata, dict) else {}
    decided = [
        fact.port
        for fact in seen.facts
        if isinstance(fact, f.StepCompleted) and fact.op and _is_approval(seen.workflow, fact.step)
    ]
    return {**kept, **({"resumeWithPort": decided[-1]} if decided else {})}


def _is_approval(workflow: Workflow, step: int) -> bool:
    return isinstance(workflow.steps[step].work, Approval)


def _port(ended: f.StepCompleted | f.StepFailed | f.LoopTicked | None) -> str | None:
    match ended:
        case f.LoopTicked():
            return "loop"
        case f.StepCompleted():
            return ended.port
        case f.StepFailed() if ended.handled and not ended.loop:
            return "error"
        case _:
            return None


def _approval(seen: Seen, own: set[int | None]) -> str | None:
    """The last that was asked of people here, whether or not they have decided."""
    for op in range(len(seen.facts), 0, -1):
        fact = seen.facts[op - 1]
        if isinstance(fact, f.ApprovalOpened) and fact.step in own:
            return approval_id(seen.record.id, op)
    return None
