"""`perdure approvals`: what people are asked, and what they say."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from msgspec import Struct

from perdure.answers.approvals import link_answer
from perdure.cli.approving import columns, counted, happened, shown
from perdure.cli.engines import is_remote, looking
from perdure.cli.expiring import Expires, expires_at, lifetime_ms
from perdure.cli.files import given_input
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsJson, Cursor, Limit, Organization
from perdure.cli.pages import tell_page
from perdure.cli.saying import print_json, refusal
from perdure.cli.tables import fields
from perdure.cli.where import HERE, Where
from perdure.cli.wording import printable
from perdure.service.acting import PROGRAM
from perdure.service.approvals import ApprovalEvent, ApprovalItem
from perdure.service.engine import Engine
from perdure.service.errors import NotFound
from perdure.service.links import ApprovalLink
from perdure.service.paging import Page
from perdure.service.times import local_time
from perdure.settings.table import PUBLIC

APPROVALS = group("approvals", "What people are asked: list it, show it, take it on, decide it.")

ApprovalId = Annotated[str, Parameter(name="ID", help="the approval")]
As = Annotated[
    str | None,
    Parameter(
        name="--as",
        metavar="MEMBER",
        help="who acts: a member, required where there are any; in an organization without members, any name",
    ),
]
AsSystem = Annotated[
    bool,
    Parameter(
        name="--as-system",
        negative="",
        help="act as the operator of the database instead of a member; the audit has it as `program`",
    ),
]
Comments = Annotated[
    str | None, Parameter(metavar="TEXT", allow_leading_hyphen=True, help="why, for whoever looks later")
]
Data = Annotated[
    str | None,
    Parameter(
        metavar="JSON|@FILE", allow_leading_hyphen=True, help="what was submitted, changed; where that is allowed"
    ),
]


class _Voter(Struct, frozen=True):
    """Who acts, as it was typed: a member, the operator of the database, or neither."""

    as_: str | None
    as_system: bool

    @property
    def name(self) -> str:
        """As whom it is recorded."""
        return self.as_ or PROGRAM

    async def options(self, engine: Engine, organization: str) -> dict[str, Any]:
        """What `engine.approvals` is told of who acts. The key says who asks a server. Where there are members, one of them acts,
        or the operator says so: a vote must not be nobody's by an option that was forgotten.
        """
        if self.as_system and self.as_ is not None:
            raise refusal("invalid_option", "--as and --as-system exclude each other; say who acts by one of them")
        if self.as_system and is_remote(engine):
            raise refusal("invalid_option", "--as-system needs --db: the API key says who acts on a server")
        if self.as_system or (self.as_ is None and is_remote(engine)):
            return {}
        has_members = (await engine.members.list(organization=organization, limit=1)).items
        if self.as_ is not None:
            return {"actor": self.as_} if has_members else {"by": self.as_}
        if has_members:
            raise refusal(
                "missing_option",
                f"organization {organization!r} has members: say which one acts with --as MEMBER, or act as the operator of the "
                "database with --as-system",
            )
        return {}


@APPROVALS.command(name="list")
def list_(
    *,
    status: Annotated[
        Literal["pending", "approved", "rejected", "closed", "all"],
        Parameter(help="how they stand (default: pending)"),
    ] = "pending",
    assignee: Annotated[
        str | None,
        Parameter(name="--for", metavar="MEMBER", help="only what this member is asked, also by their groups"),
    ] = None,
    overdue: Annotated[bool, Parameter(help="only those whose time is over, as workers have marked them")] = False,
    workflow: Annotated[str | None, Parameter(metavar="NAME|ID", help="only of this workflow")] = None,
    execution: Annotated[str | None, Parameter(metavar="ID", help="only of this execution")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """What people are asked, the newest first.

    Example: perdure approvals list --for ann --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> tuple[Page[ApprovalItem], str]:
        page = await engine.approvals.list(
            organization=organization,
            status=None if status == "all" else status,
            assignee=assignee,
            overdue=overdue,
            workflow=workflow,
            execution=execution,
            limit=limit,
            cursor=cursor,
        )
        return page, "" if page.items else await _stranger(engine, assignee, organization)

    page, why = looking(where, ask)
    headings, line = columns(page.items)
    empty = f"there are no such approvals{why}"
    return tell_page(page, headings, line, lambda item: item, empty=empty, as_json=json)


async def _stranger(engine: Engine, name: str | None, organization: str) -> str:
    """That there is no such member, where there are any: the name may be misspelt."""
    if name is None or not (await engine.members.list(organization=organization, limit=1)).items:
        return ""
    try:
        await engine.members.get(name, organization=organization)
    except NotFound as error:
        return f"; {error}"
    return ""


@APPROVALS.command(name="show")
def show(
    approval: ApprovalId,
    /,
    *,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """One approval: what is to be decided, by whom, and what was said.

    Example: perdure approvals show ID --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> ApprovalItem:
        return await engine.approvals.get(approval, organization=organization)

    item = looking(where, ask)
    if json:
        print_json(item)
        return 0
    print(fields(shown(item)))
    if item.status == "pending":
        who = ("--as", "MEMBER") if where.at() is None else ()  # the key says who asks a server
        typed = ("approvals", "approve", item.id, *who)
        print(f"\ndecide it: {hint(*typed, where=where, organization=organization)}, or reject")
    return 0


@APPROVALS.command(name="history")
def history(
    approval: ApprovalId,
    /,
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """What happened to it, the oldest first: who took it on, let go of it and voted, also what they changed later.

    Example: perdure approvals history ID --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[ApprovalEvent]:
        return await engine.approvals.history(approval, organization=organization, limit=limit, cursor=cursor)

    page = looking(where, ask)
    empty = "there is no more of it"
    return tell_page(page, ("AT", "BY", "WHAT", ""), happened, lambda item: item, empty=empty, as_json=json)


@APPROVALS.command(name="approve")
def approve(
    approval: ApprovalId,
    /,
    *,
    as_: As = None,
    as_system: AsSystem = False,
    comments: Comments = None,
    data: Data = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Approve it. Whoever is asked may, or an admin.

    Example: perdure approvals approve ID --as ann --comments "fine" --db sqlite:///flows.db
    """
    voter = _Voter(as_, as_system)
    return _decide("approve", approval, voter, comments, data, organization, where, as_json=json)


@APPROVALS.command(name="reject")
def reject(
    approval: ApprovalId,
    /,
    *,
    as_: As = None,
    as_system: AsSystem = False,
    comments: Comments = None,
    data: Data = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Reject it. Whoever is asked may, or an admin.

    Example: perdure approvals reject ID --as ann --comments "too much" --db sqlite:///flows.db
    """
    voter = _Voter(as_, as_system)
    return _decide("reject", approval, voter, comments, data, organization, where, as_json=json)


@APPROVALS.command(name="claim")
def claim(
    approval: ApprovalId,
    /,
    *,
    as_: As = None,
    as_system: AsSystem = False,
    over: Annotated[bool, Parameter(help="also from whoever has it; an admin may")] = False,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Take it on: nobody else decides it meanwhile, but an admin.

    Example: perdure approvals claim ID --as ann --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> ApprovalItem:
        who = await _Voter(as_, as_system).options(engine, organization)
        return await engine.approvals.claim(approval, over=over, organization=organization, **who)

    item = looking(where, tell)
    return _tell(item, f"{item.claimed_by} has taken it on", as_json=json)


@APPROVALS.command(name="release")
def release(
    approval: ApprovalId,
    /,
    *,
    as_: As = None,
    as_system: AsSystem = False,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Let go of it, so that others can decide it.

    Example: perdure approvals release ID --as ann --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> ApprovalItem:
        who = await _Voter(as_, as_system).options(engine, organization)
        return await engine.approvals.release(approval, organization=organization, **who)

    return _tell(looking(where, tell), "whoever is asked can decide it", as_json=json)


@APPROVALS.command(name="link")
def link(
    approval: ApprovalId,
    /,
    *,
    member: Annotated[
        str | None,
        Parameter(
            name="--as", metavar="MEMBER", help="in whose name it decides (with --server: yours, unless you say)"
        ),
    ] = None,
    expires: Expires = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Make a link by which somebody decides it, once, in a browser. It counts for a week, and is shown once.

    Example: perdure approvals link ID --as ann --db sqlite:///flows.db
    """
    lasts_ms = lifetime_ms(expires)

    async def make(engine: Engine) -> ApprovalLink:
        return await engine.approvals.link(
            approval, member=member, expires_at=expires_at(engine, lasts_ms), organization=organization
        )

    made = looking(where, make)
    if json:
        print_json(link_answer(made))
        return 0
    print(made.url)
    print(
        f"it decides in the name of {made.member}, once, until {local_time(made.expires_at)}; it is not shown again",
        file=sys.stderr,
    )
    if made.url.startswith("/"):
        print(f"it comes after the URL of your server, which {PUBLIC.name} says, if it is set", file=sys.stderr)
    return 0


def _decide(
    decision: Literal["approve", "reject"],
    approval: str,
    voter: _Voter,
    comments: str | None,
    data: str | None,
    organization: str,
    where: Where,
    *,
    as_json: bool,
) -> int:
    changed = given_input(data, "--data")

    async def tell(engine: Engine) -> tuple[ApprovalItem, str]:
        who = await voter.options(engine, organization)
        item = await engine.approvals.decide(
            approval, decision, comments=comments, data=changed, organization=organization, **who
        )
        if item.status == "pending":
            return item, f"the vote is kept; {counted(item, voter.name, decision, changed)}"
        follows = await _goes_on(engine, item, organization, where)
        if not is_remote(engine) and item.decided_by != voter.name:  # a server knows who asks, and we do not
            at = "" if item.decided_at is None else f", {local_time(item.decided_at)}"
            return item, f"it was {item.status} before, by {item.decided_by}{at}: this changes nothing; {follows}"
        return item, f"it is {item.status}, by {item.decided_by}; {follows}"

    item, said = looking(where, tell)
    return _tell(item, said, as_json=as_json)


async def _goes_on(engine: Engine, item: ApprovalItem, organization: str, where: Where) -> str:
    """What follows from a decision: it can come too late for anything, or be an old one that is asked for again."""
    execution = await engine.executions.get(item.workflow_execution_id, organization=organization)
    status = (await execution.describe()).status
    if status in ("completed", "failed", "cancelled"):
        return f"its execution is {status}, and nothing more follows from it"
    if any(each.what == "cancel" for each in await execution.requested()):
        return "but its execution is to be cancelled, and nothing follows from it"
    return f"a worker goes on with it, {hint('worker', where=where)}"


def _tell(item: ApprovalItem, said: str, *, as_json: bool) -> int:
    if as_json:
        print_json(item)
    else:
        print(printable(f"{item.id}: {said}"))
    return 0
