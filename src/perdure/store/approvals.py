"""Approvals as every store keeps them: what may be done to one, which are wanted, and where one of them is found.

The row is the arbiter. Who may decide at all is the service's business; what is decided here is decided inside of the
transaction: one decision, one vote for each, nothing from whoever must not.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.expressions.times import iso
from perdure.model.asking import handed_to
from perdure.model.records import ApprovalRecord
from perdure.model.values import Json
from perdure.store.registers import APPROVALS, WriteCard

Standing: TypeAlias = Literal["pending", "approved", "rejected", "closed"]

STANDINGS: Final[tuple[tuple[Standing, int], ...]] = (
    ("pending", 0),
    ("pending", 1),
    ("approved", 0),
    ("rejected", 0),
    ("closed", 0),
)
"""How an approval stands, and whether it is late: open and overdue."""

KEY_MAX: Final = 200
"""So much of a text an approval is found by. No index takes texts of any length."""


class TakeOn(Struct, frozen=True, gc=False, omit_defaults=True):
    """Somebody takes an approval on: nobody else decides it, until they let go of it. Refused: there is none such.

    GuardFailed: it is not open, several people have to vote on it, or another one has it; with `over`, it is taken from them.
    """

    approval: str
    at: int
    by: str
    organization: str = "default"
    over: bool = False
    writer: str = ""
    """Whose chain of the audit it goes to, if to any."""


class LetGo(Struct, frozen=True, gc=False, omit_defaults=True):
    """Whoever has taken it on does so no more. With `over`, whoever that is. GuardFailed: it is not theirs, or not open."""

    approval: str
    at: int
    by: str
    organization: str = "default"
    over: bool = False
    writer: str = ""


class GiveLink(Struct, frozen=True, gc=False, omit_defaults=True):
    """Somebody is given a link to an approval, by which they decide it once. Kept is what the audit says of it: a link is made
    for somebody by somebody, and whoever has it decides in that name. Refused: there is none such. GuardFailed: nobody decides it
    any more.
    """

    approval: str
    at: int
    by: str
    link: str
    member: str
    until: int
    organization: str = "default"
    writer: str = ""


def link_audited(item: GiveLink) -> WriteCard:
    details = {"link": item.link, "member": item.member, "until": item.until}
    return WriteCard(
        APPROVALS,
        item.approval,
        None,
        item.at,
        item.by,
        "approval.linked",
        item.organization,
        details=details,
        writer=item.writer,
    )


def useless(approval: ApprovalRecord, item: GiveLink) -> str | None:
    """Why nothing could be decided by the link, if so."""
    if approval.status != "pending":
        return decided_before(approval)
    if settled_by_time(approval, item.at):
        return _too_late(approval)
    return _starter(approval, item.member) if barred(approval, item.member) else None


def claim_audited(before: ApprovalRecord, item: TakeOn | LetGo) -> WriteCard:
    """What the audit says of it: who has it now, or let go of it, and who had it before."""
    action = "approval.claimed" if isinstance(item, TakeOn) else "approval.released"
    details = None if before.claimed_by is None else {"before": before.claimed_by}
    return WriteCard(
        APPROVALS,
        item.approval,
        None,
        item.at,
        item.by,
        action,
        item.organization,
        details=details,
        writer=item.writer,
    )


def marked_overdue(approval: ApprovalRecord, to: Json, at: int) -> ApprovalRecord:
    return replace(approval, overdue=True, escalated_to=to, overdue_at=at)


def taken_on(approval: ApprovalRecord, item: TakeOn) -> ApprovalRecord | str:
    """The approval after it; or why not."""
    if approval.status != "pending":
        return decided_before(approval)
    if approval.votes_required > 1:
        return f"approval {approval.id} needs {approval.votes_required} votes, and nobody can take it on alone; vote"
    if barred(approval, item.by):
        return _starter(approval, item.by)
    if settled_by_time(approval, item.at):
        return _too_late(approval)
    if approval.claimed_by not in (None, item.by) and not item.over:
        return _of_another(approval)
    if approval.claimed_by == item.by:
        return approval
    return replace(approval, claimed_by=item.by, claimed_at=item.at)


def let_go(approval: ApprovalRecord, item: LetGo) -> ApprovalRecord | str:
    if approval.status != "pending":
        return decided_before(approval)
    if approval.claimed_by not in (None, item.by) and not item.over:
        return _of_another(approval)
    return replace(approval, claimed_by=None, claimed_at=None)


def against(approval: ApprovalRecord, by: str, data: Json, at: int, *, over: bool) -> str | None:
    """Why a vote on an approval that is open does not count, if so. `over`: also where somebody else has taken it on."""
    if settled_by_time(approval, at):
        return _too_late(approval)
    if barred(approval, by):
        return _starter(approval, by)
    if approval.asked.fixed and changes(approval, data):
        return (
            f"approval {approval.id} does not let its data be changed: decide on it as it is, or set allowDataModification "
            "in the workflow"
        )
    if approval.claimed_by not in (None, by) and not over:
        return _of_another(approval)
    return None


def settled_by_time(approval: ApprovalRecord, at: int) -> bool:
    """Whether time has decided, also if no worker has come by since to write it down."""
    if approval.due_at is None or approval.on_timeout in ("stay", "escalate"):
        return False
    return approval.over or at > approval.due_at


def told_that_it_is_over(approval: ApprovalRecord | None, at: int, organization: str) -> ApprovalRecord | None:
    """The approval after somebody was refused because time has decided: that stands, whatever is still on its way. None: it is as
    it was.
    """
    if approval is None or approval.organization != organization or approval.status != "pending" or approval.over:
        return None
    return replace(approval, over=True) if settled_by_time(approval, at) else None


def changes(approval: ApprovalRecord, data: Json) -> bool:
    """Whether it is other data than was submitted."""
    return data is not None and not same(data, approval.request)


def same(one: Json, other: Json) -> bool:
    """As JSON has it: true is not 1, and 1.0 is."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def barred(approval: ApprovalRecord, by: str) -> bool:
    """Whether it is one's own."""
    return approval.asked.apart and approval.asked.started_by == by


def decided_before(approval: ApprovalRecord) -> str:
    """What was decided first: by whom, and when."""
    if approval.status == "closed":
        return (
            f"approval {approval.id} is closed: its execution has ended or gone on without it, and nobody asks any more"
        )
    at = "" if approval.decided_at is None else f" at {iso(approval.decided_at)}"
    return f"approval {approval.id} is {approval.status} already, by {approval.decided_by}{at}; that stands"


def _too_late(approval: ApprovalRecord) -> str:
    assert approval.due_at is not None
    settled = {"approve": "it is approved", "reject": "it is rejected"}.get(approval.on_timeout, "its step fails")
    return (
        f"approval {approval.id} was to be decided until {iso(approval.due_at)}, and its time is over: {settled} by onTimeout, "
        "as soon as a worker goes on with it"
    )


def _starter(approval: ApprovalRecord, by: str) -> str:
    return f"{by} has started what approval {approval.id} is about, and may not decide it; somebody else has to"


def _of_another(approval: ApprovalRecord) -> str:
    at = "" if approval.claimed_at is None else f" at {iso(approval.claimed_at)}"
    return f"{approval.claimed_by} has taken approval {approval.id} on{at}; they decide it, or let go of it, or an admin does"


class Asker(Struct, frozen=True):
    """Whose approvals: those of a member, of whoever has one of the roles, and with `anybody` of nobody in particular. What
    somebody else has taken on is not among them, nor what they may not decide because they have started it.
    """

    member: str
    roles: tuple[str, ...] = ()
    anybody: bool = False


class WantedApprovals(Struct, frozen=True, omit_defaults=True):
    """Which approvals, the newest first. `before` is a place in that order."""

    organization: str
    limit: int
    before: int | None = None
    status: Standing | None = None
    overdue: bool = False
    mine: Asker | None = None
    workflow: str | None = None
    execution: str | None = None
    resource: tuple[str, str] | None = None
    """(type, id) of what they are about."""


class FoundApproval(Struct, frozen=True):
    """An approval, and its place in the order in which they were opened."""

    place: int
    record: ApprovalRecord


class Places(Struct, frozen=True):
    """By what an approval is found."""

    member: str | None
    role: str | None
    handed: str | None
    late: int
    claimed: str | None
    resource_type: str | None
    resource_id: str


def places(approval: ApprovalRecord) -> Places:
    asked = approval.asked
    return Places(
        key(asked.member),
        key(asked.role),
        handed_key(approval.escalated_to),
        int(approval.status == "pending" and approval.overdue),
        key(approval.claimed_by),
        key(asked.resource_type),
        key(asked.resource_id) or approval.execution,
    )


def key(text: str | None) -> str | None:
    """What an index can hold of it. Not every database has a character for zero."""
    return None if text is None else text.replace("\0", "\ufffd")[:KEY_MAX]


def handed_key(escalated_to: Json) -> str | None:
    member, role = handed_to(escalated_to)
    if member is None and role is None:
        return None
    sort, name = ("?", member) if member == role else ("m", member) if member is not None else ("r", role)
    return key(f"{sort}:{name}")


def sought(mine: Asker) -> list[tuple[Literal["member", "role", "handed", "nobody"], str]]:
    """By what the approvals of somebody are found: each a list of its own, in one order."""
    roles = [key(role) or "" for role in mine.roles]
    member = key(mine.member) or ""
    handed = [f"m:{member}", f"?:{member}", *(f"{sort}:{role}" for role in roles for sort in "r?")]
    nobody: list[tuple[Literal["nobody"], str]] = [("nobody", "")] if mine.anybody else []
    return [
        ("member", member),
        *(("role", role) for role in roles),
        *(("handed", (key(one) or "")) for one in handed),
        *nobody,
    ]


def is_asked(approval: ApprovalRecord, mine: Asker | None) -> bool:
    """Whether it is among those of somebody."""
    if mine is None:
        return True
    by = places(approval)
    if by.claimed not in (None, key(mine.member)) or barred(approval, mine.member):
        return False
    nobody = "" if by.member is None and by.role is None else None
    there = {"member": by.member, "role": by.role, "handed": by.handed, "nobody": nobody}
    return any(there[kind] == name for kind, name in sought(mine))


def standings(wanted: WantedApprovals) -> list[tuple[Standing, int]]:
    """The ways to stand that are wanted."""
    return [
        (status, late) for status, late in STANDINGS if wanted.status in (None, status) and (late or not wanted.overdue)
    ]


class ApprovalQuestions(Protocol):
    """What every reader answers about approvals."""

    def approval(self, organization: str, id_: str) -> ApprovalRecord | None: ...

    def approvals_wanted(self, wanted: WantedApprovals) -> list[FoundApproval]:
        """The newest first."""
        ...
