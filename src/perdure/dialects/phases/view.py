"""An execution as seed 003 tells of it: what each step came to, and what its triggers have started. Times are ISO 8601."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from perdure.dialects.firing import Firing, awaited, firings, together
from perdure.dialects.phases.runs import Run, Runs
from perdure.dialects.port import Seen
from perdure.expressions.times import iso
from perdure.model.records import Status
from perdure.model.steps import Compute
from perdure.model.values import Json
from perdure.model.workflow import SCHEMAS, Workflow

_STATUS: Final[dict[Status, str]] = {
    "pending": "pending",
    "running": "running",
    "waiting": "running",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}


def view(seen: Seen) -> dict[str, Json]:
    record = seen.record
    runs = Runs(seen.workflow).take_all(seen.facts)
    error = record.error.message if record.error is not None and record.status == "failed" else None
    return {
        "id": record.id,
        "workflowId": record.workflow,
        "workflowVersion": seen.version,
        "status": _STATUS[record.status],
        "input": runs.input,
        "output": record.output if record.status == "completed" else None,
        "error": error,
        "steps": steps(seen.workflow, runs.by_name()),
        "startedAt": iso(record.started_at),
        "completedAt": None if record.ended_at is None else iso(record.ended_at),
        "correlationId": record.correlation_id,
        "parentExecutionId": record.parent,
        "triggerDepth": record.depth,
        **_triggers(seen),
        SCHEMAS: seen.workflow.schemas or {},
    }


def _triggers(seen: Seen) -> dict[str, Json]:
    """Nothing, if there are none, or none of them will ever fire: it failed, or was cancelled."""
    record, workflow = seen.record, seen.workflow
    has_ended = record.status in ("completed", "failed", "cancelled")
    fired = firings(record.id, workflow, seen.facts) if has_ended else awaited(workflow)
    if not fired:
        return {}
    return {
        "triggerStatus": together(fired),
        "triggeredExecutionIds": [id_ for firing in fired for id_ in firing.ids],
        "triggerResults": [_result(firing) for firing in fired],
    }


def _result(firing: Firing) -> dict[str, Json]:
    found: dict[str, Json] = {
        "triggerId": firing.id,
        "workflowId": firing.workflow,
        "status": firing.status,
        "executionIds": firing.ids,
    }
    if firing.skipped:
        found["skippedItems"] = firing.skipped
    if firing.reason is not None:
        found["error" if firing.status == "failed" else "reason"] = firing.reason
    return found


def steps(workflow: Workflow, runs: Mapping[str, Run]) -> dict[str, Json]:
    """Those that were entered, by name. Barriers are nobody's steps."""
    phases = phases_of(workflow)
    return {name: run.told(phases[name]) for name, run in runs.items() if name in phases}


def phases_of(workflow: Workflow) -> dict[str, int]:
    """The phase of each step: they are in order, and lead on together."""
    found: dict[str, int] = {}
    phase, leads = -1, None
    for step in workflow.steps:
        if isinstance(step.work, Compute):
            leads = None
            continue
        phase += step.routes != leads
        leads = step.routes
        found[step.id] = phase
    return found
