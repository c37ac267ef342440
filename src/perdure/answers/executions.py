"""Executions: in lists, in full, and what happened in them."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from perdure.dialects.firing import Fired, Firing
from perdure.expressions.times import iso
from perdure.model.records import ExecutionRecord, Status
from perdure.model.values import Json
from perdure.service.describing import FailureAnswer, WaitingAnswer, failure_answer, waiting_answer
from perdure.service.history import HistoryEntry
from perdure.service.progress import StepProgress, StepStatus
from perdure.service.requests import Requested
from perdure.service.shapes import Instant, at, if_any
from perdure.service.steps import StepDetail
from perdure.service.why import Kind, WaitDetail, Why


class ListedExecution(Struct, frozen=True, kw_only=True):
    """In a list. `name` is that of its workflow, or the id of that, if it was not saved."""

    id: str
    workflow_id: str
    name: str
    organization: str
    status: Status
    output: Json
    error: FailureAnswer | None
    waiting_for: WaitingAnswer | None
    triggered_by: str
    correlation_id: str | None
    parent: str | None
    depth: int
    started_at: Instant
    ended_at: Instant | None


class AttemptAnswer(Struct, frozen=True):
    number: int
    started_at: Instant
    ended_at: Instant | None
    error: FailureAnswer | None
    item: int | UnsetType = UNSET


class StepAnswer(Struct, frozen=True):
    """One step of an execution. `view` is the step in the words of its dialect, where that has some."""

    step: str
    status: StepStatus
    runs: int
    attempts: tuple[AttemptAnswer, ...]
    input: Json
    output: Json
    error: FailureAnswer | None
    started_at: Instant | None
    ended_at: Instant | None
    cut: bool | UnsetType = UNSET
    view: Json = UNSET


class ProgressAnswer(Struct, frozen=True):
    """How one step stands, in a list."""

    step: str
    status: StepStatus
    runs: int
    attempts: int
    started_at: Instant
    ended_at: Instant | None
    until: Instant | None
    done: int | None
    total: int | None
    note: str | None
    error: FailureAnswer | None


class EntryAnswer(Struct, frozen=True, kw_only=True):
    """A fact of the history. `name` is what its dialect calls it, where it does."""

    seq: int
    at: Instant
    kind: str
    step: str | None
    name: str | UnsetType = UNSET
    data: dict[str, Json]


class WaitAnswer(Struct, frozen=True):
    """One thing that is waited for; of a child, also what that one waits for."""

    kind: Kind
    step: str
    since: Instant
    until: Instant | None
    on: str | None
    note: str | UnsetType = UNSET
    attempt: int | UnsetType = UNSET
    waits: tuple[WaitAnswer, ...] | UnsetType = UNSET


class RequestedAnswer(Struct, frozen=True):
    """What somebody has asked of an execution, and no worker has taken up yet."""

    what: Literal["cancel", "retry", "refire"]
    at: Instant
    by: str
    reason: str | None


class WhyAnswer(Struct, frozen=True):
    id: str
    status: Status
    sentence: str
    waits: tuple[WaitAnswer, ...]
    requested: tuple[RequestedAnswer, ...]


class FiringAnswer(Struct, frozen=True):
    id: str
    workflow: str
    status: Fired
    executions: tuple[str, ...]
    skipped_items: tuple[int, ...]
    reason: str | None


def listed_execution(record: ExecutionRecord, name: str | None) -> ListedExecution:
    return ListedExecution(
        id=record.id,
        workflow_id=record.workflow,
        name=name or record.workflow,
        organization=record.organization,
        status=record.status,
        output=record.output,
        error=failure_answer(record.error, record.ended_at),
        waiting_for=waiting_answer(record.waiting if record.status == "waiting" else None),
        triggered_by=record.trigger,
        correlation_id=record.correlation_id,
        parent=record.parent,
        depth=record.depth,
        started_at=iso(record.started_at),
        ended_at=at(record.ended_at),
    )


def step_answer(detail: StepDetail, view: Json = None) -> StepAnswer:
    attempts = tuple(
        AttemptAnswer(
            each.number,
            iso(each.started_at),
            at(each.ended_at),
            failure_answer(each.error, each.ended_at),
            if_any(each.item),
        )
        for each in detail.attempts
    )
    return StepAnswer(
        detail.step,
        detail.status,
        detail.runs,
        attempts,
        detail.input,
        detail.output,
        failure_answer(detail.error, detail.ended_at),
        at(detail.started_at),
        at(detail.ended_at),
        True if detail.cut else UNSET,
        if_any(view),
    )


def progress_answer(step: StepProgress) -> ProgressAnswer:
    return ProgressAnswer(
        step.step,
        step.status,
        step.runs,
        step.attempt,
        iso(step.started_at),
        at(step.ended_at),
        at(step.until),
        None if step.total is None else step.done,
        step.total,
        step.note or None,
        failure_answer(step.error, step.ended_at),
    )


def entry_answer(entry: HistoryEntry) -> EntryAnswer:
    name = if_any(entry.name)
    return EntryAnswer(seq=entry.seq, at=iso(entry.at), kind=entry.kind, step=entry.step, name=name, data=entry.data)


def wait_answer(wait: WaitDetail) -> WaitAnswer:
    return WaitAnswer(
        wait.kind,
        wait.step,
        iso(wait.since),
        at(wait.until),
        wait.on,
        wait.note or UNSET,
        if_any(wait.attempt),
        UNSET if wait.why is None else tuple(wait_answer(each) for each in wait.why.waits),
    )


def requested_answer(asked: Requested) -> RequestedAnswer:
    return RequestedAnswer(asked.what, iso(asked.at), asked.by, asked.reason or None)


def why_answer(execution: str, why: Why) -> WhyAnswer:
    waits = tuple(wait_answer(wait) for wait in why.waits)
    return WhyAnswer(execution, why.status, why.sentence, waits, tuple(map(requested_answer, why.requested)))


def firing_answer(firing: Firing) -> FiringAnswer:
    return FiringAnswer(firing.id, firing.workflow, firing.status, firing.ids, firing.skipped, firing.reason)
