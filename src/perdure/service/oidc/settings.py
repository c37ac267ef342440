"""Whose word is taken for who somebody is: what the operator decides, in the environment. `perdure.settings` has the
table.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from perdure.hosts.settings import allowed_addresses, public_url_of
from perdure.service.acting import ROLES, Role
from perdure.settings import table
from perdure.settings.setting import AnySetting, BadSetting
from perdure.tasks.addresses import Allowed

PREFIX: Final = "PERDURE_OIDC_"
ISSUER, CLIENT_ID, SECRET = table.OIDC_ISSUER.name, table.OIDC_CLIENT_ID.name, table.OIDC_SECRET.name
CREATE, ADDRESSES = table.OIDC_CREATE.name, table.OIDC_ADDRESSES.name
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


def oidc_settings(environment: Mapping[str, str], public: str | None = None) -> OidcSettings | None:
    """None: nobody signs in so. `public`: where browsers reach the server, if that is known otherwise. Raises `BadSetting`."""
    issuer = _text(environment, table.OIDC_ISSUER)
    if not issuer:
        lost = sorted(name for name in environment if name.startswith(PREFIX) and environment[name].strip())
        if lost:
            raise BadSetting(
                f"{lost[0]} is set, and {ISSUER} is not; write whose word is taken: https://id.example.com"
            )
        return None
    addresses = _text(environment, table.OIDC_ADDRESSES)
    _check_issuer(issuer, addresses)
    client_id, public = _text(environment, table.OIDC_CLIENT_ID), public or public_url_of(environment)
    if not client_id:
        raise BadSetting(f"{CLIENT_ID} is not set; write what this server is called at {issuer}")
    if not public:
        raise BadSetting(
            f"{table.PUBLIC.name} is not set; write where browsers reach this server: {issuer} sends them back there"
        )
    everywhere = ",".join(filter(None, (_text(environment, table.ALLOW), addresses)))
    return OidcSettings(
        issuer,
        client_id,
        _secret(environment),
        f"{public}{CALLBACK}",
        _text(environment, table.OIDC_ORGANIZATION) or "default",
        _role(environment),
        _text(environment, table.OIDC_GROUPS) or None,
        _scopes(environment),
        allowed_addresses(everywhere, table.OIDC_ADDRESSES),
    )


def _text(environment: Mapping[str, str], setting: AnySetting) -> str:
    return setting.text(environment) or ""


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
    given = _text(environment, table.OIDC_SECRET)
    if not given or not given.isascii() or not given.isprintable():
        raise BadSetting(f"{SECRET} is not set, or not plain text; write what the provider has given this server")
    return given


def _role(environment: Mapping[str, str]) -> Role | None:
    given = _text(environment, table.OIDC_CREATE)
    if not given:
        return None
    known: dict[str, Role] = {role: role for role in get_args(Role)}
    if given not in known:
        raise BadSetting(f"{CREATE} is {given!r}; write one of {', '.join(ROLES)}, or unset it")
    return known[given]


def _scopes(environment: Mapping[str, str]) -> tuple[str, ...]:
    given = tuple(_text(environment, table.OIDC_SCOPES).split()) or SCOPES
    return given if "openid" in given else ("openid", *given)
