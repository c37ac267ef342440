"""Who asks, and the sessions of browsers."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from perdure.expressions.times import instant_ms, iso
from perdure.service.acting import Member, Role
from perdure.service.sessions import Session
from perdure.service.shapes import Instant


class WhoAnswer(Struct, frozen=True, rename="camel"):
    """Who asks. `via` says by what, and `id` is the id of that. `csrf_token`: what a page sends as X-CSRF-Token with each change,
    where it asks with the cookie of a session.
    """

    id: str
    via: Literal["session", "key", "dev"]
    organization: str
    member: str
    roles: tuple[Role, ...]
    groups: tuple[str, ...]
    name: str | None
    email: str | None
    csrf_token: str | None
    expires_at: Instant | None


class WaysAnswer(Struct, frozen=True):
    """How one can sign in. `provider`: the path that leads to somebody who knows; null: there is none."""

    key: bool
    provider: str | None


class SessionAnswer(Struct, frozen=True, rename="camel"):
    """A session of a browser. `key`: the id of the key that it was begun by. `issuer`: who has vouched for the member instead."""

    id: str
    organization: str
    member: str
    created_at: Instant
    expires_at: Instant
    key: str | None
    issuer: str | None


def session_answer(each: Session) -> SessionAnswer:
    return SessionAnswer(
        each.id, each.organization, each.member, iso(each.created_at), iso(each.expires_at), each.key, each.issuer
    )


def session_from(answer: SessionAnswer) -> Session:
    return Session(
        answer.id,
        answer.organization,
        answer.member,
        instant_ms(answer.created_at),
        instant_ms(answer.expires_at),
        answer.key,
        answer.issuer,
    )


def who_answer(
    member: Member, id_: str, via: Literal["session", "key"], *, csrf: str | None = None, expires_at: int | None = None
) -> WhoAnswer:
    return WhoAnswer(
        id_,
        via,
        member.organization,
        member.id,
        member.roles,
        member.groups,
        member.name,
        member.email,
        csrf,
        None if expires_at is None else iso(expires_at),
    )


def own_machine_answer(organization: str, name: str) -> WhoAnswer:
    """Where nobody needs to say who they are, whoever asks may do everything."""
    return WhoAnswer(name, "dev", organization, name, ("admin",), (), None, None, None, None)
