"""Who acts, and what they may do.

An actor is a member of an organization. None is the program itself, which may do everything: whoever embeds an engine needs no
members. What members may do follows from their roles:

viewer    look at everything but the audit
operator  also start what is saved; cancel, retry, run again, fork and refire executions; send events; pause and resume schedules
editor    also all that an operator may; save, activate and deactivate workflows, and run documents that nobody has saved: what
          these need comes with it, schedules, secrets, webhooks and connections
approver  also decide approvals that are asked of nobody in particular
admin     everything: members, notifiers, the name of the organization, the audit; also what others have taken on

A document that is not saved can use every secret of the organization, so that to run one takes what it takes to save one.

Whoever has looked already, for each request say, gives the `Member`, who is believed as they are: nothing is read for it. A name
is looked up, with one read. What changes what an organization keeps is written only if the member is still at that revision.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.hosts.embedded import Host
from perdure.model.values import Json
from perdure.service.errors import Conflict, Forbidden
from perdure.service.given import check_texts
from perdure.store.questions import Questions
from perdure.store.registers import Card

MEMBERS: Final = "members"
PROGRAM: Final = "program"
"""As whom the program itself is recorded."""

Role: TypeAlias = Literal["viewer", "operator", "editor", "approver", "admin"]
ROLES: Final[tuple[str, ...]] = get_args(Role)
OPERATORS: Final[tuple[Role, ...]] = ("operator", "editor")
EDITORS: Final[tuple[Role, ...]] = ("editor",)
"""Who may do what is theirs, beside admins."""

COVERED: Final[dict[Role, tuple[Role, ...]]] = {
    "viewer": ("viewer",),
    "operator": ("operator", "viewer"),
    "editor": ("editor", "operator", "viewer"),
    "approver": ("approver", "viewer"),
    "admin": ("admin", "editor", "operator", "approver", "viewer"),
}
"""What somebody may be limited to who has a role: whoever may do more can do less."""


class Member(Struct, frozen=True):
    """A person, or a program that acts like one. `groups` are free names, which approvals can be asked of. `since`: when they
    were added; what somebody else of that id had before them is not theirs. `scopes`: what the key that they ask with is limited
    to, and so `roles` are; none: to nothing. `until`: when what they ask with ends, and every key that they make with it.
    """

    id: str
    organization: str
    roles: tuple[Role, ...] = ()
    groups: tuple[str, ...] = ()
    email: str | None = None
    name: str | None = None
    revision: int = 0
    changed_at: int = 0
    since: int = 0
    scopes: tuple[Role, ...] = ()
    until: int | None = None

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles

    def may_end(self, scopes: tuple[Role, ...]) -> bool:
        """What is limited to these: a key for looking must not lock out the one for everything."""
        return not self.scopes or (bool(scopes) and set(scopes) <= set(self.scopes))

    def limited(self, scopes: tuple[Role, ...], until: int | None = None) -> Member:
        """As whom they act with a key of these scopes, which ends then."""
        covered = {less for role in self.roles for less in COVERED[role]}
        roles = tuple(role for role in scopes if role in covered) if scopes else self.roles
        return replace(self, roles=roles, scopes=scopes, until=until)


Actor: TypeAlias = Member | str | None
"""Who acts: a member, by their id or as they were found; None is the program."""


class MemberData(Struct, frozen=True, omit_defaults=True):
    """What the card of a member holds."""

    roles: tuple[Role, ...] = ()
    groups: tuple[str, ...] = ()
    email: str | None = None
    name: str | None = None
    since: int = 0


def plain(data: Struct) -> Json:
    """As it is read from a store: what is written again is known by it."""
    found: Json = msgspec.json.decode(msgspec.json.encode(data))
    return found


def member_of(card: Card) -> Member:
    data = msgspec.convert(card.data, MemberData)
    return Member(
        card.id,
        card.organization,
        data.roles,
        data.groups,
        data.email,
        data.name,
        card.revision,
        card.changed_at,
        data.since,
    )


def find_member(store: Questions, organization: str, id_: str) -> Member | None:
    card = store.card(organization, MEMBERS, id_)
    return None if card is None else member_of(card)


def acting(store: Questions, organization: str, actor: Actor) -> Member | None:
    """The member who acts; None, if it is the program. Raises `Forbidden`: there is no such member."""
    if actor is None or isinstance(actor, Member):
        return _of(organization, actor)
    check_texts(actor=actor)
    member = find_member(store, organization, actor)
    if member is None:
        raise _no_member(organization, actor)
    return member


def acting_admin(store: Questions, organization: str, actor: Actor, what: str) -> Member | None:
    """The same, who has to be an admin for `what`."""
    return _with_one_of((), acting(store, organization, actor), what)


def acting_as(store: Questions, organization: str, actor: Actor, roles: tuple[Role, ...], what: str) -> Member | None:
    """The same, who has to have one of these roles for `what`, or be an admin. Where an organization has no members, people have
    names even so: whoever is named is the program, which says so in the audit.
    """
    if isinstance(actor, str):
        check_texts(actor=actor)
        if not store.cards(organization, MEMBERS, "", 1):
            return None
    return _with_one_of(roles, acting(store, organization, actor), what)


async def allowed(host: Host, organization: str, actor: Actor, roles: tuple[Role, ...], what: str) -> Member | None:
    """The same as `acting_as`, where nothing else is to be read: only for a name the store is asked."""
    if actor is None or isinstance(actor, Member):
        return _with_one_of(roles, _of(organization, actor), what)
    check_texts(organization=organization)
    return await host.read(lambda store: acting_as(store, organization, actor, roles, what), organization)


def _of(organization: str, member: Member | None) -> Member | None:
    if member is not None and member.organization != organization:
        raise _no_member(organization, member.id)
    return member


def _no_member(organization: str, name: str) -> Forbidden:
    return Forbidden(f"{name!r} is no member of organization {organization!r}; an admin can add them")


def _with_one_of(roles: tuple[Role, ...], member: Member | None, what: str) -> Member | None:
    able: tuple[Role, ...] = (*roles, "admin")
    if member is not None and not set(able) & set(member.roles):
        has = ", ".join(member.roles) or "no role"
        raise Forbidden(
            f"{member.id} may not {what}: that takes the role {' or '.join(able)}, and {member.id} has {has}; ask an admin"
        )
    return member


def needs(member: Member | None) -> tuple[tuple[str, str, int], ...]:
    """That who acts is still who they were, when it is written. Who was never on a card cannot be changed there."""
    return () if member is None or not member.revision else ((MEMBERS, member.id, member.revision),)


def by(actor: Actor) -> str:
    """As whom they are recorded."""
    if actor is None:
        return PROGRAM
    return actor.id if isinstance(actor, Member) else actor


def in_whose_name(actor: Actor, name: str | None) -> str | None:
    """Who does it: whoever acts, or whom the program names. None: nobody is named."""
    if actor is None:
        return name
    if name not in (None, by(actor)):
        raise Conflict(
            f"{by(actor)!r} acts for themselves; leave out by={name!r}, which the program says who has no actor"
        )
    return by(actor)
