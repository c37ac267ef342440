"""Whose word is taken for who somebody is: what the operator decides, in the environment of the server.

PERDURE_OIDC_ISSUER              the provider, exactly as it calls itself: https://id.example.com
PERDURE_OIDC_CLIENT_ID           what this server is called there
PERDURE_OIDC_CLIENT_SECRET       and what it proves that with; or PERDURE_OIDC_CLIENT_SECRET_FILE, a file that has it
PERDURE_OIDC_ORGANIZATION        to which those who sign in so belong (default)
PERDURE_OIDC_CREATE              the role with which somebody is made a member who is none; without it, they are refused
PERDURE_OIDC_GROUPS_CLAIM        the claim of the ID token that has the groups of the member, which it sets at each sign-in
PERDURE_OIDC_SCOPES              what is asked for, with blanks between (openid email profile)
PERDURE_OIDC_ALLOW_ADDRESSES     where the provider may be beyond the public internet, as in PERDURE_ALLOW_ADDRESSES
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Final, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from perdure.hosts.settings import PUBLIC, BadSetting, allowed_addresses, public_url
from perdure.service.acting import ROLES, Role
from perdure.tasks.addresses import ALLOW, Allowed

PREFIX: Final = "PERDURE_OIDC_"
ISSUER, CLIENT_ID, SECRET = f"{PREFIX}ISSUER", f"{PREFIX}CLIENT_ID", f"{PREFIX}CLIENT_SECRET"
SECRET_FILE, CREATE, ADDRESSES = f"{SECRET}_FILE", f"{PREFIX}CREATE", f"{PREFIX}ALLOW_ADDRESSES"
CALLBACK: Final = "/api/session/oidc/callback"
SCOPES: Final = ("openid", "email", "profile")


class OidcSettings(Struct, frozen=True):
    """`redirect_uri`: where the provider sends browsers back to. `allowed`: what may be called beyond public addresses."""

    issuer: str
    client_id: str
    client_secret: str
    redirect_uri: str
    organization: str = "default"
    create: Role | None = None
    groups_claim: str | None = None
    scopes: tuple[str, ...] = SCOPES
    allowed: Allowed | None = None

    def __repr__(self) -> str:
        return f"OidcSettings({self.issuer!r}, {self.client_id!r})"


def oidc_settings(environment: Mapping[str, str]) -> OidcSettings | None:
    """None: nobody signs in so. Raises `BadSetting`."""
    issuer = _text(environment, ISSUER)
    if not issuer:
        lost = sorted(name for name in environment if name.startswith(PREFIX) and environment[name].strip())
        if lost:
            raise BadSetting(
                f"{lost[0]} is set, and {ISSUER} is not; write whose word is taken: https://id.example.com"
            )
        return None
    addresses = _text(environment, ADDRESSES)
    _check_issuer(issuer, addresses)
    client_id, public = _text(environment, CLIENT_ID), public_url(environment)
    if not client_id:
        raise BadSetting(f"{CLIENT_ID} is not set; write what this server is called at {issuer}")
    if not public:
        raise BadSetting(f"{PUBLIC} is not set; write where browsers reach this server: {issuer} sends them back there")
    everywhere = ",".join(filter(None, (_text(environment, ALLOW), addresses)))
    return OidcSettings(
        issuer,
        client_id,
        _secret(environment),
        f"{public}{CALLBACK}",
        _text(environment, f"{PREFIX}ORGANIZATION") or "default",
        _role(environment),
        _text(environment, f"{PREFIX}GROUPS_CLAIM") or None,
        _scopes(environment),
        allowed_addresses(everywhere, ADDRESSES),
    )


def _text(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, "").strip()


def _check_issuer(issuer: str, addresses: str) -> None:
    try:
        url = urlsplit(issuer)
        name = url.hostname
    except ValueError:
        url, name = urlsplit(""), None
    if url.scheme not in ("http", "https") or not name or url.query or url.fragment or url.username is not None:
        raise BadSetting(f"{ISSUER} is {issuer!r}; write the URL of the provider, as https://id.example.com")
    named = {word.strip().lower() for word in addresses.split(",")}
    if url.scheme == "http" and not _is_loopback(name) and not {name, url.netloc.lower()} & named:
        raise BadSetting(
            f"{ISSUER} is {issuer!r}: whoever is on the way could say who somebody is; write https://, or name "
            f"{url.netloc} in {ADDRESSES} as well"
        )


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _secret(environment: Mapping[str, str]) -> str:
    given, file = _text(environment, SECRET), _text(environment, SECRET_FILE)
    if given and file:
        raise BadSetting(f"{SECRET} and {SECRET_FILE} are both set; which one is meant? unset the other")
    if file:
        try:
            given = Path(file).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadSetting(f"{SECRET_FILE} ({file}) cannot be read: {error}") from error
    if not given or not given.isascii() or not given.isprintable():
        raise BadSetting(f"{SECRET} is not set, or not plain text; write what the provider has given this server")
    return given


def _role(environment: Mapping[str, str]) -> Role | None:
    given = _text(environment, CREATE)
    if not given:
        return None
    known: dict[str, Role] = {role: role for role in get_args(Role)}
    if given not in known:
        raise BadSetting(f"{CREATE} is {given!r}; write one of {', '.join(ROLES)}, or unset it")
    return known[given]


def _scopes(environment: Mapping[str, str]) -> tuple[str, ...]:
    given = tuple(_text(environment, f"{PREFIX}SCOPES").split()) or SCOPES
    return given if "openid" in given else ("openid", *given)
