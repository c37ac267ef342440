"""How an approval is told to people: in a line, in full, and how far its votes have come."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perdure.cli.wording import as_text
from perdure.clock import now_ms
from perdure.model.asking import handed_to
from perdure.model.values import Json
from perdure.service.approval_history import ApprovalEvent
from perdure.service.deciding import ApprovalItem, Decision, Vote
from perdure.service.times import local_time
from perdure.service.titles import given_title

_WHEN_DUE = {"stay": "it stays open, marked overdue", "fail": "its step fails"} | {
    "approve": "it is approved, by system",
    "reject": "it is rejected, by system",
}


def columns(items: Sequence[ApprovalItem]) -> tuple[tuple[str, ...], Callable[[ApprovalItem], tuple[str, ...]]]:
    """The headings of a list, and the line of each. Titles have a column where there are any."""
    headings = ("ID", "IS", "ASKED", "DUE", "PRIORITY", "STEP")
    if not any(map(given_title, items)):
        return headings, _line
    return (*headings, "TITLE"), lambda item: (*_line(item), given_title(item) or "")


def _line(item: ApprovalItem) -> tuple[str, ...]:
    due = "" if item.due_date is None else local_time(item.due_date)
    return (item.id, _standing(item), _asked(item), due, item.priority, item.step_slug)


def happened(event: ApprovalEvent) -> tuple[str, ...]:
    at = "" if event.at is None else local_time(event.at)
    changed = "with other data" if event.modified else ""
    to = f"to {_whom(event.to)}" if event.to is not None else ""
    details = ", ".join(each for each in (event.decision or "", changed, to, event.comments or "") if each)
    return (at, event.by, event.what, details)


def shown(item: ApprovalItem) -> list[tuple[str, str]]:
    return [
        ("id", item.id),
        ("title", given_title(item) or ""),
        ("is", _standing(item)),
        ("asked", _asked(item)),
        ("not asked", _apart(item)),
        ("step", item.step_slug),
        ("started by", item.started_by or ""),
        ("execution", item.workflow_execution_id),
        ("about", f"{item.resource_type} {item.resource_id}" if item.resource_type else ""),
        ("priority", item.priority),
        ("opened", local_time(item.created_at)),
        ("due", "" if item.due_date is None else local_time(item.due_date)),
        ("when due", "" if item.due_date is None else _when_due(item)),
        ("handed to", _whom(item.escalated_to)),
        ("votes", _votes(item) if item.votes_required > 1 else ""),
        ("votes required", str(item.votes_required) if item.votes_required > 1 else ""),
        ("decided by", item.decided_by or ""),
        ("decided", "" if item.decided_at is None else local_time(item.decided_at)),
        ("comments", item.comments or ""),
        ("submitted", as_text(item.submitted_data)),
        ("changed to", as_text(item.modified_data)),
        ("metadata", as_text(item.metadata)),
        ("link", item.deeplink),
    ]


def counted(item: ApprovalItem, by: str, decision: Decision, data: Json) -> str:
    """How far the votes of those who agree with `by` have come, who has just said so. Approvals of other data do not add up."""
    mine = next((vote for vote in item.votes if vote.by == by), Vote(by, decision, modified_data=data))
    against = sum(vote.decision != mine.decision for vote in item.votes)
    agreeing = item.agreeing(mine)
    apart = len(item.votes) - against - agreeing
    as_what = (
        "" if mine.decision == "reject" else " it as submitted" if mine.modified_data is None else " it so changed"
    )
    told = [f"{agreeing} of {item.votes_required} needed to {mine.decision}{as_what}"]
    if apart:
        told.append(f"{apart} to approve other data")
    if against:
        told.append(f"{against} {'to approve' if mine.decision == 'reject' else 'against'}")
    return ", ".join(told)


def _standing(item: ApprovalItem) -> str:
    """Its time is over by the clock: a worker that marks it so may come much later."""
    is_late = item.overdue or (item.due_date is not None and item.due_date < now_ms())
    return "overdue" if item.status == "pending" and is_late else item.status


def _asked(item: ApprovalItem) -> str:
    if item.claimed_by is not None:
        return f"{item.claimed_by} (has taken it on)"
    named = [item.approver_member_id, f"group {item.approver_role}" if item.approver_role else None]
    return ", ".join(name for name in named if name) or "whoever may approve"


def _apart(item: ApprovalItem) -> str:
    """Whom the separation of duties keeps from deciding."""
    if not item.separation_of_duties:
        return ""
    if item.started_by is None:
        return (
            "whoever started it (separation of duties); nobody is known to have, and so it keeps nobody from deciding"
        )
    return f"{item.started_by}, who started it (separation of duties)"


def _when_due(item: ApprovalItem) -> str:
    if item.on_timeout != "escalate":
        return _WHEN_DUE[item.on_timeout]
    return f"it is handed to {_whom(item.escalate_to) or 'whom the workflow names then'}"


def _whom(handed: Json) -> str:
    member, role = handed_to(handed)
    if member is not None and member == role:
        return f"{member}, a member or a group"
    return member or (f"group {role}" if role else as_text(handed))


def _votes(item: ApprovalItem) -> str:
    return "; ".join(
        f"{vote.by}: {vote.decision}"
        f"{'' if vote.modified_data is None else f', changed to {as_text(vote.modified_data)}'}"
        f"{f', {vote.comments}' if vote.comments else ''}"
        for vote in item.votes
    )
