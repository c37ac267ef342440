"""Credentials in the headers and the query of a request to a webhook: known by name, removed before anything is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from perdure.expressions.sealing import MASK
from perdure.model.values import Json

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATOR: Final = re.compile(r"[^a-z0-9]+")
_ANYWHERE: Final = re.compile(
    r"authori[sz]ation|cookie|token|secret|signature|passw|passphrase|passcode|credential|session|sessid"
    r"|assertion|jwt|bearer|oidc|saml|client-principal|hmac(?!-?algo)|mtls|dpop|client-?cert|ssl-client|tls-client|ssl-cert"
    r"|plaid-verification|trello-webhook|(?:api|access|private|subscription)-?key"
)
"""In any place of a name. `client-principal` and `oidc` are headers in which a proxy says who a caller is."""

_WORDS: Final = frozenset({"auth", "sig", "otp", "totp", "pwd", "pw", "pswd", "psw", "creds"})
"""Anywhere in a name, as one of its words."""

_NAMES: Final = frozenset({"key", "code", "sign", "pass", "user-pass", "userpass", "api-pass", "code-verifier"})
"""As a whole."""

_ENDS: Final = re.compile(
    r"(?:.*-)?(?:(?:auth|oauth|verification|access|security|device|login|invite)-?code|authorization-code)"
    r"|(?:.*-)?(?:authentication(?:-info)?|cert|certificate)|x-(?:.*-)?sign"
)
_KEYS: Final = re.compile(
    r"(?:.*-)?(?:app|application|client|consumer|server|service|secret|signing|shared|functions?|host|master|account|auth|authentication|webhook|hook|license|encryption|decryption|ssh|pgp"
    r"|gpg|hmac|jwt|admin|root|deploy|write|read|publishable|restricted|sas|storage-account|dev|developer|partner"
    r"|integration|ingest|ingestion|security|x)-?key(?:-?[0-9]+)?"
)
"""Keys that are credentials. Others (`issue_key`, `s3_key`) say what a thing is called."""

_PLAIN: Final = re.compile(r"(?:.*-)?(?:auth-?(?:type|method|scheme|provider|status|required|algo|algorithm)|cert-url)")
"""What is said about credentials, and is none."""

_PARAMETER: Final = re.compile(r"([?&;])([^=&;?#\s\"']{1,200})=([^&;#\s\"']*)")
_USER: Final = re.compile(r"(//[^/\s:@]*):[^/\s@]+@")


def is_credential(name: str) -> bool:
    """Whether a header or a parameter of this name lets its reader in, or proves who sent it."""
    return _names_credential(name) or _names_credential(_CAMEL.sub("-", name))


def _names_credential(name: str) -> bool:
    plain = _SEPARATOR.sub("-", name.lower()).strip("-")
    words = plain.split("-")
    if plain in _NAMES or _ANYWHERE.search(plain) or _ENDS.fullmatch(plain) or _KEYS.fullmatch(plain):
        return True
    return not _WORDS.isdisjoint(words) and _PLAIN.fullmatch(plain) is None


def without_credentials(given: Mapping[str, Any], token: str = "") -> dict[str, Any]:
    """Return headers or parameters without credentials. `token`, that of the webhook itself, is masked in the others, and so
    are parameters and passwords in the URLs that proxies and browsers put into headers.
    """
    return {name: _masked(value, token) for name, value in given.items() if not is_credential(name)}


def scrubbed_trigger_data(data: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return the trigger data of a webhook without credentials; None, if it is something else or there are none."""
    webhook, headers, query = (data.get(name) for name in ("webhook", "headers", "query"))
    if not (isinstance(webhook, dict) and "deliveryId" in webhook and isinstance(headers, dict)):
        return None
    clean = {**data, "headers": without_credentials(headers)}
    if isinstance(query, dict):
        clean["query"] = without_credentials(query)
    return None if clean == data else clean


def removed_names(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[str]:
    """Return the names of what `scrubbed_trigger_data` has removed, or masked a part of."""
    names = []
    for part, kind in (("headers", "header"), ("query", "parameter")):
        given, left = before.get(part), after.get(part)
        if isinstance(given, dict) and isinstance(left, dict):
            names += [f"{kind} {name}" for name in given if name not in left]
            names += [f"{kind} {name} (in part)" for name in left if left[name] != given[name]]
    return names


def _masked(value: Any, token: str) -> Any:
    if isinstance(value, list):
        return [_masked(each, token) for each in value]
    if not isinstance(value, str):
        return value
    text = value.replace(token, MASK) if token else value
    if "=" in text:
        text = _PARAMETER.sub(_mask_parameter, text)
    return _USER.sub(rf"\1:{MASK}@", text) if "@" in text else text


def _mask_parameter(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}={MASK}" if is_credential(unquote_plus(found[2])) else found[0]
