"""An execution as it is described: its record, what it is a run of, and the JSON that programs read."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from perdure.expressions.times import instant_ms, iso
from perdure.model.failure import Category, Failure
from perdure.model.records import ExecutionRecord, Status, Waiting
from perdure.model.values import Json
from perdure.service.shapes import Instant, at, if_any, ms, or_none
from perdure.service.stack_traces import visible_stack
from perdure.store.questions import Questions
from perdure.store.versions import MODEL


class _Named(Struct):
    name: str


_named = msgspec.json.Decoder(_Named)


class FailureAnswer(Struct, frozen=True):
    """An error as semantics §0 has it. `executionId` is the execution that it arose in, if a called workflow has failed."""

    message: str
    category: str
    retriable: bool
    code: str | UnsetType = UNSET
    details: Json = UNSET
    stackTrace: str | UnsetType = UNSET  # noqa: N815
    timestamp: Instant | UnsetType = UNSET
    executionId: str | UnsetType = UNSET  # noqa: N815


class WaitingAnswer(Struct, frozen=True):
    kind: Literal["approval", "event", "timer", "operator"]
    step: str
    since: Instant
    until: Instant | UnsetType = UNSET
    on: str | UnsetType = UNSET


class ExecutionAnswer(Struct, frozen=True, kw_only=True):
    """In the words that all dialects share. `version` is null for what was run without being saved; `origin` is the execution
    that it is a rerun or a fork of. `execution_version` is the number of its facts: what `If-Match` is about.
    """

    id: str
    workflow_id: str
    name: str
    version: str | None
    dialect: str
    organization: str
    status: Status
    output: Json
    error: FailureAnswer | None
    waiting_for: WaitingAnswer | None
    triggered_by: str
    correlation_id: str | None
    parent: str | None
    origin: str | None
    depth: int
    started_at: Instant
    ended_at: Instant | None
    execution_version: int


class Described(Struct, frozen=True):
    """`name` and `version` are those of the workflow; `version` is None for what was run without being saved. `origin` is the
    execution that it is a rerun or a fork of; another `parent` has started it. The execution itself is at the version that is the
    number of its facts: whoever says `if_version` means that.
    """

    record: ExecutionRecord
    name: str
    version: str | None
    dialect: str
    waiting_for: Waiting | None
    origin: str | None = None

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def execution_version(self) -> int:
        return self.record.seq

    @property
    def status(self) -> Status:
        return self.record.status

    @property
    def output(self) -> Json:
        return self.record.output

    @property
    def error(self) -> Failure | None:
        return self.record.error

    def canonical(self) -> dict[str, Any]:
        """In the words that all dialects share."""
        told: dict[str, Any] = msgspec.to_builtins(execution_answer(self))
        return told


def failure_answer(error: Failure | None, ended_at: int | None) -> FailureAnswer | None:
    if error is None:
        return None
    return FailureAnswer(
        error.message,
        str(error.category),
        error.retriable,
        if_any(error.code),
        if_any(error.details),
        if_any(visible_stack(error.stack)),
        if_any(at(ended_at)),
        if_any(error.origin),
    )


def failure_from(answer: FailureAnswer | None) -> Failure | None:
    """But for what is not told: the name of what was raised, and when to try again."""
    if answer is None:
        return None
    known = next((each for each in Category if each == answer.category), Category.UNKNOWN)
    return Failure(
        answer.message,
        known,
        or_none(answer.code),
        answer.retriable,
        or_none(answer.details),
        or_none(answer.stackTrace),
        origin=or_none(answer.executionId),
    )


def waiting_answer(found: Waiting | None) -> WaitingAnswer | None:
    if found is None:
        return None
    until = if_any(at(found.until))
    return WaitingAnswer(found.kind, found.step, iso(found.since), until, if_any(found.on))


def waiting_from(answer: WaitingAnswer | None) -> Waiting | None:
    if answer is None:
        return None
    return Waiting(answer.kind, answer.step, instant_ms(answer.since), ms(answer.until), or_none(answer.on))


def execution_answer(described: Described) -> ExecutionAnswer:
    record = described.record
    return ExecutionAnswer(
        id=record.id,
        workflow_id=record.workflow,
        name=described.name,
        version=described.version,
        dialect=described.dialect,
        organization=record.organization,
        status=record.status,
        output=record.output,
        error=failure_answer(record.error, record.ended_at),
        waiting_for=waiting_answer(described.waiting_for),
        triggered_by=record.trigger,
        correlation_id=record.correlation_id,
        parent=record.parent,
        origin=described.origin,
        depth=record.depth,
        started_at=iso(record.started_at),
        ended_at=at(record.ended_at),
        execution_version=record.seq,
    )


def described_from(answer: ExecutionAnswer) -> Described:
    """But for what only the engine needs of its record: which model it runs, when it wakes."""
    waiting = waiting_from(answer.waiting_for)
    record = ExecutionRecord(
        answer.id,
        answer.workflow_id,
        "",
        instant_ms(answer.started_at),
        organization=answer.organization,
        status=answer.status,
        live=answer.ended_at is None,
        waiting=waiting,
        seq=answer.execution_version,
        output=answer.output,
        error=failure_from(answer.error),
        trigger=answer.triggered_by,
        correlation_id=answer.correlation_id,
        parent=answer.parent,
        depth=answer.depth,
        ended_at=ms(answer.ended_at),
    )
    return Described(record, answer.name, answer.version, answer.dialect, waiting, answer.origin)


def described(store: Questions, record: ExecutionRecord) -> Described:
    version = store.version_of(record.organization, record.workflow, record.digest, record.started_at)
    waits, origin = record.waiting if record.status == "waiting" else None, _origin(store, record)
    if version is not None:
        return Described(record, version.name, version.version, version.dialect, waits, origin)
    return Described(record, name_of_model(store, record), None, store.dialect(record.digest) or MODEL, waits, origin)


def _origin(store: Questions, record: ExecutionRecord) -> str | None:
    """What an execution has started is one deeper than it is; what was made from it is not."""
    parent = None if record.parent is None or record.parent_op else store.record(record.parent)
    return parent.id if parent is not None and record.depth <= parent.depth else None


def name_of(store: Questions, record: ExecutionRecord) -> str:
    """What it is a run of is called, also if that was never saved."""
    version = store.version_of(record.organization, record.workflow, record.digest, record.started_at)
    return name_of_model(store, record) if version is None else version.name


def name_of_model(store: Questions, record: ExecutionRecord) -> str:
    try:
        return _named.decode(store.model(record.digest)).name
    except (KeyError, msgspec.DecodeError):  # it has been forgotten, or only a newer version can read it
        return record.workflow
