"""How votes count: what a vote changes, what comes of the one that settles an approval, and what the audit says of it."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.core.events import ApprovalDecided
from perdure.model.records import ApprovalRecord, settled
from perdure.store import port as p
from perdure.store.approvals import against, changes, decided_before, same
from perdure.store.registers import WriteCard


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
    reason = against(approval, vote.by, vote.data, vote.at, over=vote.over)
    return None if reason is None else p.GuardFailed(reason)


def no_approval(id_: str) -> p.Refused:
    return p.Refused(f"there is no approval {id_!r}")


def audited(vote: p.Decide, after: ApprovalRecord) -> WriteCard:
    """What the audit says of a vote. There is no card."""
    what = "voted" if after.status == "pending" else after.status
    details = {"decision": vote.decision, "comments": vote.comments, "changed": vote.data is not None}
    return WriteCard(
        "approvals",
        vote.approval,
        None,
        vote.at,
        vote.by,
        f"approval.{what}",
        vote.organization,
        details=details,
        writer=vote.writer,
    )


def agreeing(approval: ApprovalRecord, by: str) -> list[str]:
    """Whose votes count together with that of `by`, theirs among them. Who approves, approves that very data: nobody's vote
    counts for what they have not seen. A rejection is one whatever else it proposes.
    """
    decisions, changed = dict(approval.votes), dict(approval.changed)
    return [
        voter
        for voter, decision in approval.votes
        if decision == decisions[by] and (decision == "reject" or same(changed.get(voter), changed.get(by)))
    ]


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
    )
    if len(agreeing(approval, vote.by)) < approval.votes_required:
        return approval, None
    approval = replace(
        settled(approval, vote.decision),
        decided_by=vote.by,
        decided_at=vote.at,
        comments=vote.comments,
        data=vote.data,
    )
    return approval, ApprovalDecided(vote.at, approval.op, vote.decision, vote.by, vote.comments, vote.data)
