"""Who acts, and what they may do.

An actor is a member of an organization, by id. None is the program itself, which may do everything: whoever embeds an engine
needs no members. What members may do follows from their roles:

viewer    look at everything
operator  also start, cancel and retry executions, pause and resume schedules
editor    also all that an operator may, and change workflows, with the secrets and the webhooks that these need
approver  also decide approvals that are asked of nobody in particular
admin     everything; also what others have taken on
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from perdure.model.values import Json
from perdure.service.errors import Forbidden
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


class Member(Struct, frozen=True):
    """A person, or a program that acts like one. `groups` are free names, which approvals can be asked of."""

    id: str
    organization: str
    roles: tuple[Role, ...] = ()
    groups: tuple[str, ...] = ()
    email: str | None = None
    name: str | None = None
    revision: int = 0
    changed_at: int = 0

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles


class MemberData(Struct, frozen=True, omit_defaults=True):
    """What the card of a member holds."""

    roles: tuple[Role, ...] = ()
    groups: tuple[str, ...] = ()
    email: str | None = None
    name: str | None = None


def plain(data: Struct) -> Json:
    """As it is read from a store: what is written again is known by it."""
    found: Json = msgspec.json.decode(msgspec.json.encode(data))
    return found


def member_of(card: Card) -> Member:
    data = msgspec.convert(card.data, MemberData)
    return Member(
        card.id, card.organization, data.roles, data.groups, data.email, data.name, card.revision, card.changed_at
    )


def find_member(store: Questions, organization: str, id_: str) -> Member | None:
    card = store.card(organization, MEMBERS, id_)
    return None if card is None else member_of(card)


def acting(store: Questions, organization: str, actor: str | None) -> Member | None:
    """The member who acts; None, if it is the program. Raises `Forbidden`: there is no such member."""
    if actor is None:
        return None
    member = find_member(store, organization, actor)
    if member is None:
        raise Forbidden(f"{actor!r} is no member of organization {organization!r}; an admin can add them")
    return member


def acting_admin(store: Questions, organization: str, actor: str | None, what: str) -> Member | None:
    """The same, who has to be an admin for `what`."""
    return _with_one_of((), acting(store, organization, actor), what)


def acting_as(
    store: Questions, organization: str, actor: str | None, roles: tuple[Role, ...], what: str
) -> Member | None:
    """The same, who has to have one of these roles for `what`, or be an admin. Where an organization has no members, people have
    names even so: whoever is named is the program, which says so in the audit.
    """
    if actor is not None and not store.cards(organization, MEMBERS, "", 1):
        return None
    return _with_one_of(roles, acting(store, organization, actor), what)


def _with_one_of(roles: tuple[Role, ...], member: Member | None, what: str) -> Member | None:
    able: tuple[Role, ...] = (*roles, "admin")
    if member is not None and not set(able) & set(member.roles):
        has = ", ".join(member.roles) or "no role"
        raise Forbidden(
            f"{member.id} may not {what}: that takes the role {' or '.join(able)}, and {member.id} has {has}; ask an admin"
        )
    return member


def needs(member: Member | None) -> tuple[tuple[str, str, int], ...]:
    """That who acts is still who they were, when it is written."""
    return () if member is None else ((MEMBERS, member.id, member.revision),)


def by(actor: str | None) -> str:
    return PROGRAM if actor is None else actor
