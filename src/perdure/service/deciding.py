"""Who may decide an approval, and how an approval is told: the record of seed 001, in its own words."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from perdure.model.asking import OnTimeout, Priority, handed_to
from perdure.model.records import ApprovalRecord
from perdure.model.values import Json
from perdure.service.acting import Member
from perdure.service.errors import Conflict, Forbidden
from perdure.store.approvals import Standing
from perdure.store.voting import agree

Decision = Literal["approve", "reject"]

_DECISIONS: dict[str, Decision] = {
    "approve": "approve",
    "approved": "approve",
    "reject": "reject",
    "rejected": "reject",
}


class Vote(Struct, frozen=True, rename="camel"):
    """What somebody said. Without a time: an older version did not keep it. `modified_data`: what they want it changed to."""

    by: str
    decision: Decision
    at: int | None = None
    comments: str | None = None
    modified_data: Json = None


class ApprovalItem(Struct, frozen=True, rename="camel"):
    """An approval. As JSON its names are those of seed 001; times are milliseconds since 1970.

    status       closed: its execution has ended or gone on without it
    assigned_at  since when somebody in particular is asked, or has taken it on
    reviewed_at  when a person decided; what time has decided, nobody has reviewed
    overdue      its time was over before anybody decided, and a worker has marked it so, and handed it on if it had to
    escalate_to  to whom it will be handed on; None also where the workflow finds that out when its time is over
    started_by   who has started its execution, if that is known; with separation_of_duties they must not decide it
    """

    id: str
    organization_id: str
    workflow_execution_id: str
    wf_execution_id: str
    workflow_id: str
    step_slug: str
    status: Standing
    submitted_data: Json
    resource_id: str
    deeplink: str
    created_at: int
    approver_member_id: str | None = None
    approver_role: str | None = None
    decision: Decision | None = None
    decided_by: str | None = None
    comments: str | None = None
    modified_data: Json = None
    reviewed_at: int | None = None
    decided_at: int | None = None
    assigned_at: int | None = None
    claimed_by: str | None = None
    resource_type: str | None = None
    route_hint: str | None = None
    priority: Priority = "medium"
    due_date: int | None = None
    overdue: bool = False
    on_timeout: OnTimeout = "stay"
    escalate_to: Json = None
    escalated_to: Json = None
    votes_required: int = 1
    votes: tuple[Vote, ...] = ()
    separation_of_duties: bool = False
    started_by: str | None = None
    allow_data_modification: bool = True
    metadata: Json = None

    def agreeing(self, vote: Vote) -> int:
        """How many votes count together, this one among them."""
        return sum(agree((vote.decision, vote.modified_data), (one.decision, one.modified_data)) for one in self.votes)


def told(record: ApprovalRecord, public_url: str) -> ApprovalItem:
    asked = record.asked
    decided_at = None if record.decided_at is None else max(record.decided_at, record.opened_at)
    is_assigned = asked.member is not None or asked.role is not None
    return ApprovalItem(
        id=record.id,
        organization_id=record.organization,
        workflow_execution_id=record.execution,
        wf_execution_id=record.execution,
        workflow_id=record.workflow,
        step_slug=record.step,
        status=record.status,
        submitted_data=record.request,
        resource_id=asked.resource_id or record.execution,
        deeplink=deeplink(public_url, record.id),
        created_at=record.opened_at,
        approver_member_id=asked.member,
        approver_role=asked.role,
        decision=record.decision,
        decided_by=record.decided_by,
        comments=record.comments,
        modified_data=record.data,
        reviewed_at=None if record.decided_by == "system" else decided_at,
        decided_at=decided_at,
        assigned_at=record.claimed_at or (record.opened_at if is_assigned else None),
        claimed_by=record.claimed_by,
        resource_type=asked.resource_type,
        route_hint=asked.route_hint,
        priority=asked.priority,
        due_date=record.due_at,
        overdue=record.overdue,
        on_timeout=record.on_timeout,
        escalate_to=record.escalate_to,
        escalated_to=record.escalated_to,
        votes_required=record.votes_required,
        votes=_votes(record),
        separation_of_duties=asked.apart,
        started_by=asked.started_by,
        allow_data_modification=not asked.fixed,
        metadata=asked.metadata,
    )


def _votes(record: ApprovalRecord) -> tuple[Vote, ...]:
    said = {by: (at, comments) for by, at, comments in record.said}
    changed = dict(record.changed)
    votes = []
    for by, decision in record.votes:
        at, comments = said.get(by, (None, None))
        votes.append(Vote(by, decision, at, comments, changed.get(by)))
    return tuple(votes)


def deeplink(public_url: str, approval: str) -> str:
    """Where a person decides it. Where the public URL is not known, what comes after it."""
    return f"{public_url}/approvals/{approval}"


def decision_of(given: str) -> Decision:
    found = _DECISIONS.get(given)
    if found is None:
        raise Conflict(f"{given!r} is no decision; say approve or reject")
    return found


def refuse_unless_asked(record: ApprovalRecord, member: Member | None, what: str) -> None:
    """Only who is asked decides: the member, whoever is in the group, whom it was handed to; or an admin. If nobody in particular
    is asked, whoever may approve.
    """
    if member is None or is_asked(record, member):
        return
    if not _may_decide(member):
        limit = ", ".join(member.scopes)
        raise Forbidden(
            f"{member.id} may not {what} approval {record.id} with this key, which is limited to {limit}: that takes one that is "
            "not limited, or has approver among its scopes"
        )
    raise Forbidden(f"{member.id} may not {what} approval {record.id}: {who_is_asked(record)} may, or an admin")


def is_asked(record: ApprovalRecord, member: Member) -> bool:
    """Whether this one may decide it. Admins are asked everything."""
    if member.is_admin:
        return True
    if not _may_decide(member):
        return False
    asked, (handed_member, handed_role) = record.asked, handed_to(record.escalated_to)
    if member.id in (asked.member, handed_member):
        return True
    if any(role is not None and role in member.groups for role in (asked.role, handed_role)):
        return True
    return asked.member is None and asked.role is None and "approver" in member.roles


def _may_decide(member: Member) -> bool:
    """Whoever makes a key for looking alone does not mean that it decides what its member, or a group of theirs, is asked."""
    return not member.scopes or "approver" in member.scopes or "admin" in member.scopes


def who_is_asked(record: ApprovalRecord) -> str:
    asked, (member, role) = record.asked, handed_to(record.escalated_to)
    names = [name for name in dict.fromkeys((asked.member, member)) if name is not None]
    groups = [f"whoever is in the group {name!r}" for name in dict.fromkeys((asked.role, role)) if name is not None]
    anybody = ["whoever has the role approver"] if asked.member is None and asked.role is None else []
    return ", ".join([*names, *groups, *anybody])
