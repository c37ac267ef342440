"""`perdure keys`: what programs and people ask a server with."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from perdure.answers.organizations import issued_key_answer, key_answer
from perdure.cli.engines import keeping, looking
from perdure.cli.expiring import Expires, expires_at, lifetime_ms
from perdure.cli.groups import group
from perdure.cli.options import AsJson, Organization
from perdure.cli.pages import tell_page, tell_removed
from perdure.cli.saying import print_json, refusal
from perdure.cli.where import HERE, Where
from perdure.service.engine import Engine
from perdure.service.errors import NotFound
from perdure.service.keys import IssuedKey, Key
from perdure.service.paging import Page
from perdure.service.times import local_time

KEYS = group("keys", "Keys that a server is asked with: made, listed, revoked.")
As = Annotated[str | None, Parameter(name="--as", metavar="MEMBER", help="who acts: an admin (default: the program)")]


@KEYS.command
def create(
    member: Annotated[str, Parameter(name="MEMBER", help="whose key it is")],
    /,
    *,
    roles: Annotated[
        tuple[str, ...],
        Parameter(
            name="--role", metavar="ROLE", help="add the member with this role, if there is none yet; repeatable"
        ),
    ] = (),
    scopes: Annotated[
        tuple[str, ...],
        Parameter(name="--scope", metavar="ROLE", help="limit the key to this role of its member; repeatable"),
    ] = (),
    expires: Expires = None,
    name: Annotated[str | None, Parameter(metavar="TEXT", help="what it is for")] = None,
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Make a key for a member. It is shown once.

    Example: perdure keys create ops --role admin --db sqlite:///flows.db
    """
    lasts_ms = lifetime_ms(expires)

    async def make(engine: Engine) -> IssuedKey:
        if roles:
            await _add_or_agree(engine, member, roles, organization, as_)
        return await engine.keys.create(
            member,
            scopes=scopes,
            expires_at=expires_at(engine, lasts_ms),
            name=name,
            organization=organization,
            actor=as_,
        )

    issued = keeping(where, make)
    if json:
        print_json(issued_key_answer(issued))
        return 0
    print(issued.token)
    key = issued.key
    limit = f", for {', '.join(key.scopes)} alone" if key.scopes else ""
    over = "" if key.expires_at is None else f", until {local_time(key.expires_at)}"
    print(f"{key.id} is a key of {key.member}{limit}{over}; it is not shown again", file=sys.stderr)
    return 0


async def _add_or_agree(
    engine: Engine, member: str, roles: tuple[str, ...], organization: str, as_: str | None
) -> None:
    """Raises `Refusal`, if they are there with other roles: whoever types these believes that the key has them."""
    try:
        found = await engine.members.get(member, organization=organization)
    except NotFound:
        await engine.members.add(member, roles=roles, organization=organization, actor=as_)
        return
    if set(found.roles) != set(roles):
        have = ", ".join(found.roles) or "no role"
        raise refusal(
            "other_roles",
            f"{member} is there already, with {have}: leave --role out, and limit the key with --scope ROLE if it is to do "
            "less; `perdure members set` changes what a member may do",
        )


@KEYS.command(name="list")
def list_(*, organization: Organization = "default", where: Where = HERE, json: AsJson = False) -> int:
    """The keys of an organization, without what they are asked with.

    Example: perdure keys list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[Key]:
        return await engine.keys.list(organization=organization)

    headings = ("ID", "MEMBER", "SCOPES", "MADE", "EXPIRES", "LAST USED", "NAME")
    return tell_page(looking(where, ask), headings, _row, key_answer, empty="there are no keys", as_json=json)


@KEYS.command
def revoke(
    key: Annotated[str, Parameter(name="ID", help="the key, as `keys list` calls it")],
    /,
    *,
    as_: As = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Refuse every request with it from now on; servers that run know it within a second.

    Example: perdure keys revoke ID --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> None:
        await engine.keys.revoke(key, organization=organization, actor=as_)

    looking(where, tell)
    return tell_removed(key, "counts no more", as_json=json)


def _row(key: Key) -> tuple[str, ...]:
    expires = "never" if key.expires_at is None else local_time(key.expires_at)
    used = "never" if key.last_used_at is None else local_time(key.last_used_at)
    scopes = ", ".join(key.scopes) or "all"
    return (key.id, key.member, scopes, local_time(key.created_at), expires, used, key.name or "")
