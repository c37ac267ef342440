"""The records that store, views and service share. They say what is so; how it is kept is the store's business."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.model.asking import NOBODY, Asked, OnTimeout
from perdure.model.failure import Failure
from perdure.model.values import Json

Status: TypeAlias = Literal["pending", "running", "waiting", "completed", "failed", "cancelled"]


class EventRecord(Struct, frozen=True, gc=False, omit_defaults=True):
    """Something that happened, for whoever waits for it. `pos` is its place in the order of arrival."""

    id: str
    type: str
    at: int
    data: Json = None
    source: str = ""
    organization: str = "default"
    correlation_id: str | None = None
    depth: int | None = None
    """How deep in a chain of starts the execution was that published it; None: it came from outside."""
    told_by: str | None = None
    """The workflow, if one of its executions tells of itself by it."""
    metadata: Json = None
    """What else its sender says of it: when it happened, what it is about."""
    pos: int = 0


class Waiting(Struct, frozen=True, gc=False, omit_defaults=True):
    """What an execution waits for, since when, and until when if there is an end to it.

    operator  it has killed its workers, and somebody has to look at it
    """

    kind: Literal["approval", "event", "timer", "operator"]
    step: str
    since: int
    until: int | None = None
    on: str | None = None


class ExecutionRecord(Struct, frozen=True, gc=False, omit_defaults=True):
    """One run of one version of a workflow. `live`: work is open, whatever the status."""

    id: str
    workflow: str
    digest: str
    started_at: int
    organization: str = "default"
    status: Status = "pending"
    live: bool = True
    waiting: Waiting | None = None
    wake_at: int | None = None
    seq: int = 0
    output: Json = None
    error: Failure | None = None
    trigger: str = "manual"
    correlation_id: str | None = None
    parent: str | None = None
    parent_op: int = 0
    depth: int = 0
    ended_at: int | None = None


class ApprovalRecord(Struct, frozen=True, gc=False, omit_defaults=True):
    """A question to people. The record is the arbiter: one decision, taken while it is pending.

    workflow    that of the execution, by id
    on_timeout  what becomes of it when its time is over; to whom it will be handed on, if that is known before
    said        (by, at, comments) of each vote, in the order of `votes`
    changed     (by, data) of each vote for other data than was submitted
    claimed_by  who has taken it on, and when; nobody else decides it meanwhile, but an admin
    over        somebody has been told that its time is over: so it is, also for who was in time and comes after that
    used        the links that votes were cast by: each counts once
    overdue_at  when it was marked overdue, and closed_at when nobody asked any more; None: not, or an older version has done so
    """

    id: str
    execution: str
    op: int
    step: str
    request: Json
    opened_at: int
    organization: str = "default"
    due_at: int | None = None
    overdue: bool = False
    escalated_to: Json = None
    votes_required: int = 1
    votes: tuple[tuple[str, Literal["approve", "reject"]], ...] = ()
    status: Literal["pending", "approved", "rejected", "closed"] = "pending"
    decision: Literal["approve", "reject"] | None = None
    decided_by: str | None = None
    decided_at: int | None = None
    comments: str | None = None
    data: Json = None
    asked: Asked = NOBODY
    workflow: str = ""
    said: tuple[tuple[str, int, str | None], ...] = ()
    claimed_by: str | None = None
    claimed_at: int | None = None
    on_timeout: OnTimeout = "stay"
    escalate_to: Json = None
    changed: tuple[tuple[str, Json], ...] = ()
    over: bool = False
    used: tuple[str, ...] = ()
    overdue_at: int | None = None
    closed_at: int | None = None


def settled(approval: ApprovalRecord, decision: Literal["approve", "reject"] | None, at: int) -> ApprovalRecord:
    """The approval after the engine has settled it, with a decision, which counts from the due date, or without."""
    if decision is None:
        return replace(approval, status="closed", closed_at=at)
    status: Literal["approved", "rejected"] = "approved" if decision == "approve" else "rejected"
    decided_at = max(approval.due_at or at, approval.opened_at)  # a fork may open it after its due date
    return replace(approval, status=status, decision=decision, decided_by="system", decided_at=decided_at)
