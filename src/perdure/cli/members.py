"""`perdure members`, `perdure audit`: who belongs to an organization, and who did what."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from msgspec import UNSET

from perdure.answers.organizations import audit_answer, member_answer
from perdure.cli.engines import keeping, looking
from perdure.cli.groups import group
from perdure.cli.options import AsJson, Cursor, Limit, Organization
from perdure.cli.pages import tell_page, tell_removed
from perdure.cli.saying import print_json, refusal
from perdure.cli.where import HERE, Where
from perdure.cli.wording import as_text
from perdure.hosts.vault import WEBHOOKS
from perdure.service.acting import Member
from perdure.service.engine import Engine
from perdure.service.keys import KEYS
from perdure.service.paging import Page
from perdure.service.sessions import SESSIONS
from perdure.service.times import local_time
from perdure.store.registers import AuditEntry

MEMBERS = group("members", "Who belongs to an organization, with which roles and groups.")
AUDIT = group("audit", "Who changed what, and when.")

MemberId = Annotated[str, Parameter(name="ID", help="the member")]
Roles = Annotated[
    tuple[str, ...],
    Parameter(name="--role", metavar="ROLE", help="viewer, operator, editor, approver, admin; repeatable"),
]
Groups = Annotated[
    tuple[str, ...],
    Parameter(name="--group", metavar="NAME", help="a group that approvals can be asked of; repeatable"),
]
As = Annotated[str | None, Parameter(name="--as", metavar="MEMBER", help="who acts: an admin (default: the program)")]
Email = Annotated[str | None, Parameter(metavar="ADDRESS", help="where they are told of approvals")]
Name = Annotated[str | None, Parameter(metavar="TEXT", help="what they are called")]


@MEMBERS.command(name="list")
def list_(
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The members of an organization.

    Example: perdure members list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[Member]:
        return await engine.members.list(organization=organization, limit=limit, cursor=cursor)

    headings = ("ID", "ROLES", "GROUPS", "E-MAIL", "NAME")
    empty = "there are no members; whoever has the database may do everything"
    return tell_page(looking(where, ask), headings, _row, member_answer, empty=empty, as_json=json)


@MEMBERS.command(name="add")
def add(
    member: MemberId,
    /,
    *,
    roles: Roles = ("viewer",),
    groups: Groups = (),
    email: Email = None,
    name: Name = None,
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Add a member.

    Example: perdure members add ann --role approver --group finance --email ann@example.com --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> Member:
        return await engine.members.add(
            member, roles=roles, groups=groups, email=email, name=name, organization=organization, actor=as_
        )

    return _tell(keeping(where, tell), "is a member now", as_json=json)


@MEMBERS.command(name="set")
def set_(
    member: MemberId,
    /,
    *,
    roles: Roles = (),
    groups: Groups = (),
    no_groups: Annotated[bool, Parameter(help="take them out of every group")] = False,
    email: Email = None,
    name: Name = None,
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Change a member. Roles and groups that are given are the only ones then; what is not given stays.

    Example: perdure members set ann --role approver --role editor --db sqlite:///flows.db
    """
    if not (roles or groups or no_groups) and email is None and name is None:
        raise refusal(
            "invalid_option", "nothing to change is given: say --role, --group, --no-groups, --email or --name"
        )

    async def tell(engine: Engine) -> Member:
        return await engine.members.change(
            member,
            roles=roles or UNSET,
            groups=() if no_groups else groups or UNSET,
            email=UNSET if email is None else email or None,
            name=UNSET if name is None else name or None,
            organization=organization,
            actor=as_,
        )

    return _tell(looking(where, tell), "is changed", as_json=json)


@MEMBERS.command(name="remove")
def remove(
    member: MemberId,
    /,
    *,
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Remove a member. The last admin stays.

    Example: perdure members remove ann --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> None:
        await engine.members.remove(member, organization=organization, actor=as_)

    looking(where, tell)
    return tell_removed(member, "is no member any more", as_json=json)


@AUDIT.command(name="list")
def audit(
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Who changed what, the newest first. `perdure doctor` looks whether any of it was tampered with.

    Example: perdure audit list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[AuditEntry]:
        return await engine.audit.list(organization=organization, limit=limit, cursor=cursor)

    headings = ("WHEN", "WHO", "WHAT", "WHOM", "DETAILS")
    empty = "nothing has been changed"
    return tell_page(looking(where, ask), headings, _entry_row, audit_answer, empty=empty, as_json=json)


def _tell(member: Member, said: str, *, as_json: bool) -> int:
    if as_json:
        print_json(member_answer(member))
        return 0
    groups = f", in {', '.join(member.groups)}" if member.groups else ""
    print(f"{member.id} {said}: {', '.join(member.roles) or 'no role'}{groups}")
    return 0


def _row(each: Member) -> tuple[str, ...]:
    return (each.id, ", ".join(each.roles), ", ".join(each.groups), each.email or "", each.name or "")


def _entry_row(each: AuditEntry) -> tuple[str, ...]:
    return (local_time(each.at), each.by, each.action, _whom(each), as_text(each.details))


def _whom(each: AuditEntry) -> str:
    """As people know it: cards of webhooks, keys and sessions are named by the hash of a token, which says nothing to anybody."""
    if each.register in (WEBHOOKS, KEYS, SESSIONS) and isinstance(each.details, dict):
        return str(each.details.get("id", each.subject))
    return each.subject
