"""An execution as it is described: its record, what it is a run of, and the JSON that programs read."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from perdure.expressions.times import iso
from perdure.model.failure import Failure
from perdure.model.records import ExecutionRecord, Status, Waiting
from perdure.model.values import Json
from perdure.store.questions import Questions
from perdure.store.versions import MODEL


class _Named(Struct):
    name: str


_named = msgspec.json.Decoder(_Named)


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
        record = self.record
        return {
            "id": record.id,
            "workflow_id": record.workflow,
            "name": self.name,
            "version": self.version,
            "dialect": self.dialect,
            "organization": record.organization,
            "status": record.status,
            "output": record.output,
            "error": None if record.error is None else failure(record.error, record.ended_at),
            "waiting_for": None if self.waiting_for is None else waiting(self.waiting_for),
            "triggered_by": record.trigger,
            "correlation_id": record.correlation_id,
            "parent": record.parent,
            "origin": self.origin,
            "depth": record.depth,
            "started_at": iso(record.started_at),
            "ended_at": None if record.ended_at is None else iso(record.ended_at),
            "execution_version": record.seq,
        }


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


def failure(error: Failure, at: int | None) -> dict[str, Any]:
    """An error as semantics §0 has it."""
    told: dict[str, Any] = {"message": error.message, "category": str(error.category), "retriable": error.retriable}
    more = {"code": error.code, "details": error.details, "stackTrace": error.stack}
    told |= {name: value for name, value in more.items() if value is not None}
    return told if at is None else told | {"timestamp": iso(at)}


def waiting(found: Waiting) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": found.kind, "step": found.step, "since": iso(found.since)}
    if found.until is not None:
        told["until"] = iso(found.until)
    return told if found.on is None else told | {"on": found.on}
