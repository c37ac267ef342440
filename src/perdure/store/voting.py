"""How votes count: what a vote changes, what comes of the one that settles an approval, and what the audit says of it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec.structs import replace

from perdure.core.events import ApprovalDecided
from perdure.model.records import ApprovalRecord, settled
from perdure.model.values import Json
from perdure.store import port as p
from perdure.store.approvals import against, changes, decided_before, same
from perdure.store.registers import APPROVALS, WriteCard

Decision: TypeAlias = Literal["approve", "reject"]


def ruled(approval: ApprovalRecord | None, vote: p.Decide) -> p.Duplicate | p.GuardFailed | p.Refused | None:
    """Why a vote changes nothing, if so."""
    if approval is None or approval.organization != vote.organization:
        return no_approval(vote.approval)
    if approval.status != "pending":
        return (
            p.Duplicate(vote.approval)
            if approval.decision == vote.decision
            else p.GuardFailed(decided_before(approval))
        )
    if vote.link and vote.link in approval.used:
        return p.GuardFailed(f"this link to approval {approval.id} is used up: a vote was cast by it, and that stands")
    reason = against(approval, vote.by, vote.data, vote.at, over=vote.over)
    return None if reason is None else p.GuardFailed(reason)


def no_approval(id_: str) -> p.Refused:
    return p.Refused(f"there is no approval {id_!r}")


def audited(vote: p.Decide, after: ApprovalRecord) -> WriteCard:
    """What the audit says of a vote. There is no card."""
    what = "voted" if after.status == "pending" else after.status
    details = {"decision": vote.decision, "comments": vote.comments, "changed": vote.data is not None}
    details |= {"link": vote.link} if vote.link else {}
    return WriteCard(
        APPROVALS,
        vote.approval,
        None,
        vote.at,
        vote.by,
        f"approval.{what}",
        vote.organization,
        details=details,
        writer=vote.writer,
    )


def is_decided_by_time(approval: ApprovalRecord, item: p.Advance) -> bool:
    """Whether a commit writes down what time has decided. A fork (by nobody) only repeats what was."""
    return approval.decision is not None and approval.decided_by == "system" and bool(item.owner and item.facts)


def audited_of_time(approval: ApprovalRecord, item: p.Advance) -> WriteCard:
    """What the audit says then; it is entered when a worker writes it, and counts from the due date."""
    details = {"decision": approval.decision, "decidedAt": approval.decided_at}
    return WriteCard(
        APPROVALS,
        approval.id,
        None,
        item.facts[-1].at,
        "system",
        f"approval.{approval.status}",
        approval.organization,
        details=details,
        writer=item.owner,
    )


def agree(one: tuple[Decision, Json], other: tuple[Decision, Json]) -> bool:
    """Whether two votes, each with the data it wants if not as submitted, count together. Who approves, approves that very data:
    nobody's vote counts for what they have not seen. A rejection is one whatever else it proposes.
    """
    (decision, data), (decision_of_other, data_of_other) = one, other
    return decision == decision_of_other and (decision == "reject" or same(data, data_of_other))


def voted(approval: ApprovalRecord, vote: p.Decide) -> tuple[ApprovalRecord, ApprovalDecided | None]:
    """A pending approval after a vote, and what to tell the execution if this is the one that settles it."""
    others = tuple(one for one in approval.votes if one[0] != vote.by)
    said = tuple(one for one in approval.said if one[0] != vote.by)
    changed = tuple(one for one in approval.changed if one[0] != vote.by)
    approval = replace(
        approval,
        votes=(*others, (vote.by, vote.decision)),
        said=(*said, (vote.by, vote.at, vote.comments)),
        changed=(*changed, (vote.by, vote.data)) if changes(approval, vote.data) else changed,
        used=(*approval.used, vote.link) if vote.link else approval.used,
    )
    wants = dict(approval.changed)
    mine = (vote.decision, wants.get(vote.by))
    if sum(agree(mine, (decision, wants.get(by))) for by, decision in approval.votes) < approval.votes_required:
        return approval, None
    approval = replace(
        settled(approval, vote.decision, vote.at),
        decided_by=vote.by,
        decided_at=max(vote.at, approval.opened_at),
        comments=vote.comments,
        data=vote.data,
    )
    return approval, ApprovalDecided(vote.at, approval.op, vote.decision, vote.by, vote.comments, vote.data)
