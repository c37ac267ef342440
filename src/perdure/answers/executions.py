"""Executions: in lists, in full, and what happened in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from perdure.dialects.firing import Fired, Firing
from perdure.expressions.times import instant_ms, iso
from perdure.model.records import ExecutionRecord, Status
from perdure.model.values import Json
from perdure.service.describing import (
    ExecutionAnswer,
    FailureAnswer,
    WaitingAnswer,
    failure_answer,
    failure_from,
    waiting_answer,
    waiting_from,
)
from perdure.service.history import HistoryEntry, fact_from
from perdure.service.progress import StepProgress, StepStatus
from perdure.service.requests import Requested
from perdure.service.shapes import Instant, at, if_any, ms, or_none
from perdure.service.stack_traces import visible_data
from perdure.service.steps import Attempt, StepDetail
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

    id: str
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

    id: str
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
    """A fact of the history. `name` is what its dialect calls it, where it does; `inner`: it is about a part of a step that only
    computes.
    """

    id: str
    seq: int
    at: Instant
    kind: str
    step: str | None
    name: str | UnsetType = UNSET
    data: dict[str, Json]
    inner: bool | UnsetType = UNSET


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
    """`attended`: whether any worker lives that could go on with it."""

    id: str
    status: Status
    sentence: str
    waits: tuple[WaitAnswer, ...]
    requested: tuple[RequestedAnswer, ...]
    attended: bool = True


class Started(Struct, frozen=True):
    """An execution that is durable now. How it stands by the time of the answer, it tells itself. `componentWorkflowId` is what
    its host calls it, which is its own id unless another engine runs it.
    """

    id: str
    status: Literal["pending"]
    organization: str
    correlation_id: str | None
    component_workflow_id: str = field(name="componentWorkflowId")


class Steered(ExecutionAnswer, frozen=True, kw_only=True):
    """`noted`: it was asked for, and no worker has taken it up yet."""

    noted: bool


class FiringAnswer(Struct, frozen=True):
    id: str
    workflow: str
    status: Fired
    executions: tuple[str, ...]
    skipped_items: tuple[int, ...]
    reason: str | None


class Refired(Struct, frozen=True):
    id: str
    triggers: tuple[FiringAnswer, ...]


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


def record_from(answer: ListedExecution) -> ExecutionRecord:
    """But for what only the engine needs of it: which model it runs, when it wakes, how many facts it has."""
    return ExecutionRecord(
        answer.id,
        answer.workflow_id,
        "",
        instant_ms(answer.started_at),
        organization=answer.organization,
        status=answer.status,
        live=answer.ended_at is None,
        waiting=waiting_from(answer.waiting_for),
        output=answer.output,
        error=failure_from(answer.error),
        trigger=answer.triggered_by,
        correlation_id=answer.correlation_id,
        parent=answer.parent,
        depth=answer.depth,
        ended_at=ms(answer.ended_at),
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


def step_from(answer: StepAnswer) -> StepDetail:
    attempts = (
        Attempt(
            each.number, instant_ms(each.started_at), ms(each.ended_at), failure_from(each.error), or_none(each.item)
        )
        for each in answer.attempts
    )
    return StepDetail(
        answer.step,
        answer.status,
        answer.runs,
        tuple(attempts),
        answer.input,
        answer.output,
        failure_from(answer.error),
        ms(answer.started_at),
        ms(answer.ended_at),
        answer.cut is True,
    )


def progress_answer(step: StepProgress) -> ProgressAnswer:
    return ProgressAnswer(
        step.step,
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


def progress_from(answer: ProgressAnswer) -> StepProgress:
    """But for whether its failure was dealt with, which is not told."""
    return StepProgress(
        answer.step,
        answer.status,
        instant_ms(answer.started_at),
        ms(answer.ended_at),
        answer.attempts,
        answer.runs,
        ms(answer.until),
        answer.note or "",
        failure_from(answer.error),
        answer.done or 0,
        answer.total,
    )


def entry_answer(entry: HistoryEntry) -> EntryAnswer:
    return EntryAnswer(
        id=str(entry.seq),
        seq=entry.seq,
        at=iso(entry.at),
        kind=entry.kind,
        step=entry.step,
        name=if_any(entry.name),
        data=visible_data(entry.data),
        inner=True if entry.inner else UNSET,
    )


def entries_from(answers: Iterable[EntryAnswer], places: dict[str, int]) -> tuple[HistoryEntry, ...]:
    """`places`: what steps are numbered by, the same for all pages of one history."""
    return tuple(
        HistoryEntry(
            each.seq,
            instant_ms(each.at),
            each.kind,
            each.step,
            each.data,
            fact_from(each.kind, instant_ms(each.at), each.data, places),
            or_none(each.name),
            each.inner is True,
        )
        for each in answers
    )


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


def wait_from(answer: WaitAnswer) -> WaitDetail:
    """Of a child, its sentence is the note, and its status is not told."""
    note = or_none(answer.note) or ""
    why = None if isinstance(answer.waits, UnsetType) else Why("waiting", note, tuple(map(wait_from, answer.waits)))
    return WaitDetail(
        answer.kind,
        answer.step,
        instant_ms(answer.since),
        ms(answer.until),
        answer.on,
        note,
        or_none(answer.attempt),
        why,
    )


def requested_answer(asked: Requested) -> RequestedAnswer:
    return RequestedAnswer(asked.what, iso(asked.at), asked.by, asked.reason or None)


def requested_from(answer: RequestedAnswer) -> Requested:
    return Requested(answer.what, instant_ms(answer.at), answer.by, answer.reason or "")


def why_answer(execution: str, why: Why) -> WhyAnswer:
    waits = tuple(wait_answer(wait) for wait in why.waits)
    requested = tuple(map(requested_answer, why.requested))
    return WhyAnswer(execution, why.status, why.sentence, waits, requested, why.attended)


def why_from(answer: WhyAnswer) -> Why:
    waits, requested = tuple(map(wait_from, answer.waits)), tuple(map(requested_from, answer.requested))
    return Why(answer.status, answer.sentence, waits, requested, answer.attended)


def firing_answer(firing: Firing) -> FiringAnswer:
    return FiringAnswer(firing.id, firing.workflow, firing.status, firing.ids, firing.skipped, firing.reason)


def firing_from(answer: FiringAnswer) -> Firing:
    return Firing(answer.id, answer.workflow, answer.status, answer.executions, answer.skipped_items, answer.reason)
