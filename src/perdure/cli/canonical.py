"""What programs read, where the service has not said it already."""

from __future__ import annotations

from typing import Any

import msgspec

from perdure.dialects.firing import Firing
from perdure.expressions.times import iso
from perdure.model.records import ExecutionRecord
from perdure.service.describing import Described, failure
from perdure.service.history import HistoryEntry
from perdure.service.progress import StepProgress
from perdure.service.requests import Requested
from perdure.service.steps import StepDetail
from perdure.service.why import WaitDetail
from perdure.service.workflows import WorkflowSummary, WorkflowVersion


def workflow_as_json(summary: WorkflowSummary) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(summary)
    return {**told, "changed_at": iso(summary.changed_at)}


def version_as_json(version: WorkflowVersion, *, brief: bool = False) -> dict[str, Any]:
    """`brief`: without the document."""
    told: dict[str, Any] = msgspec.to_builtins(version)
    told["created_at"] = iso(version.created_at)
    if brief:
        del told["document"], told["requires"]
    return told


def record_as_json(record: ExecutionRecord, name: str | None) -> dict[str, Any]:
    """An execution in a list. `name` is that of its workflow, if it was saved."""
    waits = record.waiting if record.status == "waiting" else None
    told = Described(record, name or record.workflow, None, "", waits).canonical()
    return {
        key: value for key, value in told.items() if key not in ("version", "dialect", "origin", "execution_version")
    }


def step_as_json(detail: StepDetail) -> dict[str, Any]:
    attempts = [
        {
            "number": attempt.number,
            "started_at": iso(attempt.started_at),
            "ended_at": _at(attempt.ended_at),
            "error": None if attempt.error is None else failure(attempt.error, attempt.ended_at),
            **({} if attempt.item is None else {"item": attempt.item}),
        }
        for attempt in detail.attempts
    ]
    return {
        "step": detail.step,
        "status": detail.status,
        "runs": detail.runs,
        "attempts": attempts,
        "input": detail.input,
        "output": detail.output,
        "error": None if detail.error is None else failure(detail.error, detail.ended_at),
        "started_at": _at(detail.started_at),
        "ended_at": _at(detail.ended_at),
        **({"cut": True} if detail.cut else {}),
    }


def progress_as_json(step: StepProgress) -> dict[str, Any]:
    """A step in a list."""
    return {
        "step": step.step,
        "status": step.status,
        "runs": step.runs,
        "attempts": step.attempt,
        "started_at": iso(step.started_at),
        "ended_at": _at(step.ended_at),
        "until": _at(step.until),
        "done": None if step.total is None else step.done,
        "total": step.total,
        "note": step.note or None,
        "error": None if step.error is None else failure(step.error, step.ended_at),
    }


def entry_as_json(entry: HistoryEntry) -> dict[str, Any]:
    told = {"seq": entry.seq, "at": iso(entry.at), "kind": entry.kind, "step": entry.step}
    return {**told, **({} if entry.name is None else {"name": entry.name}), "data": entry.data}


def wait_as_json(wait: WaitDetail) -> dict[str, Any]:
    """With the members that are always there; of a child, also why that one waits."""
    told = {"kind": wait.kind, "step": wait.step, "since": iso(wait.since), "until": _at(wait.until), "on": wait.on}
    more: dict[str, Any] = {"note": wait.note or None, "attempt": wait.attempt}
    if wait.why is not None:
        more["waits"] = [wait_as_json(each) for each in wait.why.waits]
    return {**told, **{name: value for name, value in more.items() if value is not None}}


def request_as_json(asked: Requested) -> dict[str, Any]:
    return {"what": asked.what, "at": iso(asked.at), "by": asked.by, "reason": asked.reason or None}


def firing_as_json(firing: Firing) -> dict[str, Any]:
    told = {"id": firing.id, "workflow": firing.workflow, "status": firing.status, "executions": firing.ids}
    return {**told, "skipped_items": firing.skipped, "reason": firing.reason}


def _at(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)
