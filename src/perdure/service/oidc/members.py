"""Which member it is of whom a provider speaks.

First whoever has the id `oidc:SUBJECT`; then the one whose e-mail address it is, if the provider says that it is theirs. The
subject alone is never the id of a member: who may choose their name at the provider would choose `ops`. Whoever is nobody here is
refused, or made a member, if the operator has said with which role.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase
from typing import Final

from perdure.service.acting import Member, find_member
from perdure.service.engine import Engine
from perdure.service.errors import Refused
from perdure.service.members import every_member
from perdure.service.oidc.claims import Claims
from perdure.service.oidc.refusals import SignInRefused
from perdure.service.oidc.settings import CREATE, OidcSettings
from perdure.store.questions import Questions

PREFIX: Final = "oidc:"
_ASCII_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


async def member_of(engine: Engine, settings: OidcSettings, claims: Claims) -> Member:
    """With the groups that the provider says, if it is asked for them. Raises `SignInRefused`."""
    organization = settings.organization
    found = await engine.host.read(lambda store: _find(store, organization, claims), organization)
    try:
        if found is None:
            return await _made(engine, settings, claims)
        if claims.groups is not None and set(claims.groups) != set(found.groups):
            return await engine.members.change(found.id, groups=claims.groups, organization=organization)
    except Refused as error:
        raise SignInRefused(f"what the provider says of them cannot be kept: {error}") from error
    return found


def _find(store: Questions, organization: str, claims: Claims) -> Member | None:
    by_subject = find_member(store, organization, f"{PREFIX}{claims.subject}")
    if by_subject is not None or claims.email is None:
        return by_subject
    email = _comparable(claims.email)
    found = [each for each in every_member(store, organization) if _comparable(each.email or "") == email]
    if len(found) > 1:
        raise SignInRefused("several members have this e-mail address; an admin can change that")
    return found[0] if found else None


def _comparable(email: str) -> str:
    """Return the address in lower case if it is ASCII. Beyond ASCII, Unicode's rules make different characters equal, and so the
    addresses of different people: a local part with another character stays as it is, and of a domain only the ASCII letters
    are lowered.
    """
    local, at, domain = email.rpartition("@")
    return f"{local.translate(_ASCII_LOWER) if local.isascii() else local}{at}{domain.translate(_ASCII_LOWER)}"


async def _made(engine: Engine, settings: OidcSettings, claims: Claims) -> Member:
    if settings.create is None:
        raise SignInRefused(
            "nobody here has this e-mail address, or the provider does not say that it is theirs; an admin can add them, "
            f"also as {PREFIX}SUBJECT, and the operator can have them made ({CREATE})"
        )
    return await engine.members.add(
        f"{PREFIX}{claims.subject}",
        roles=[settings.create],
        groups=claims.groups or (),
        email=claims.email,
        name=claims.name,
        organization=settings.organization,
    )
