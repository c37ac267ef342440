"""What happened to an approval, in its order. It is put together from what is durable already: the record, and the audit, which
has every vote as it was cast, also one that was changed later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from perdure.model.records import ApprovalRecord
from perdure.model.values import Json
from perdure.service.deciding import Decision
from perdure.store.questions import Questions
from perdure.store.registers import AuditEntry

What: TypeAlias = Literal["opened", "claimed", "released", "voted", "decided", "overdue", "escalated", "closed"]

SYSTEM: Final = "system"
ENTRIES: Final = 500
"""So many entries of the audit are read at a time."""


class ApprovalEvent(Struct, frozen=True, rename="camel"):
    """Something that happened to an approval; its `id` tells it from what else did. Times are milliseconds since 1970.

    at        None: an older version did not keep it
    by        `system` is the engine: an execution asks, or its time is over
    decision  what was voted for, or decided; `modified`: with other data than was submitted
    to        to whom it was handed on
    """

    id: str
    what: What
    at: int | None
    by: str
    decision: Decision | None = None
    comments: str | None = None
    modified: bool = False
    to: Json = None


def history(store: Questions, record: ApprovalRecord) -> list[ApprovalEvent]:
    """The oldest first. What people did stands in the order in which it was entered, whatever their clocks said."""
    entries = list(_entries(store, record))
    done = [(entry.at, event) for entry in entries for event in _done(entry)]
    latest, placed = record.opened_at, []
    for at, event in [*_unentered(record, entries), *done]:
        latest = max(latest, at)
        placed.append((latest, event))
    ordered = sorted([*placed, *_by_itself(record)], key=lambda each: each[0])
    return [ApprovalEvent("opened", "opened", record.opened_at, SYSTEM), *(event for _, event in ordered)]


_Placed: TypeAlias = tuple[int, ApprovalEvent]


def _entries(store: Questions, record: ApprovalRecord) -> Iterator[AuditEntry]:
    after, is_more = 0, True
    while is_more:
        found = store.audit_of_approval(record.organization, record.id, after, ENTRIES)
        yield from found
        is_more = len(found) == ENTRIES
        after = found[-1].place if found else after


def _done(entry: AuditEntry) -> Iterator[ApprovalEvent]:
    """What an entry says. Links are for admins, who read the audit itself."""
    id_, said = f"audit-{entry.place}", _details(entry)
    match entry.action:
        case "approval.claimed":
            yield ApprovalEvent(id_, "claimed", entry.at, entry.by)
        case "approval.released":
            yield ApprovalEvent(id_, "released", entry.at, entry.by)
        case "approval.voted":
            yield _vote(id_, entry, said)
        case "approval.approved" | "approval.rejected":
            if entry.by != SYSTEM:
                yield _vote(f"{id_}-vote", entry, said)
            at = said.get("decidedAt", entry.at)
            yield ApprovalEvent(id_, "decided", at, entry.by, said.get("decision"), said.get("comments"))
        case _:
            return


def _vote(id_: str, entry: AuditEntry, said: dict[str, Any]) -> ApprovalEvent:
    modified = said.get("changed") is True
    return ApprovalEvent(id_, "voted", entry.at, entry.by, said.get("decision"), said.get("comments"), modified)


def _unentered(record: ApprovalRecord, entries: list[AuditEntry]) -> Iterator[_Placed]:
    """What the record knows, and the audit does not have under its id: a fork begins with what was decided before it."""
    entered = {(entry.by, entry.at) for entry in entries}
    said, changed = {by: (at, comments) for by, at, comments in record.said}, dict(record.changed)
    for by, decision in record.votes:
        at, comments = said.get(by, (None, None))
        if at is None or (by, at) not in entered:
            voted = ApprovalEvent(f"vote-{by}", "voted", at, by, decision, comments, by in changed)
            yield record.opened_at if at is None else at, voted
    if record.decision is not None and not any(entry.action in _DECIDED for entry in entries):
        at = (
            None if record.decided_at is None else max(record.decided_at, record.opened_at)
        )  # a fork takes decisions on
        by = record.decided_by or SYSTEM
        decided = ApprovalEvent("decided", "decided", at, by, record.decision, record.comments)
        yield record.opened_at if at is None else at, decided


_DECIDED: Final = ("approval.approved", "approval.rejected")


def _by_itself(record: ApprovalRecord) -> Iterator[_Placed]:
    """What time and the execution did."""
    if record.overdue:
        at = record.due_at if record.overdue_at is None else record.overdue_at
        place = record.opened_at if at is None else at
        yield place, ApprovalEvent("overdue", "overdue", at, SYSTEM)
        if record.escalated_to is not None:
            yield place, ApprovalEvent("escalated", "escalated", at, SYSTEM, to=record.escalated_to)
    if record.status == "closed":
        yield (
            _END if record.closed_at is None else record.closed_at,
            ApprovalEvent("closed", "closed", record.closed_at, SYSTEM),
        )


_END: Final = 1 << 63


def _details(entry: AuditEntry) -> dict[str, Any]:
    return entry.details if isinstance(entry.details, dict) else {}
