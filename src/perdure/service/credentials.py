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
    r"authori[sz]ation|authentica|cookie|token|secret|signature|passw|passphrase|passcode|credential|session|sessid"
    r"|assertion|jwt|bearer|oidc|saml|client-principal|hmac|mtls|dpop|client-?cert|ssl-client|tls-client|ssl-cert"
    r"|(?:api|access|private|signing|shared|subscription|functions?|master|account|auth|webhook|license)-?key"
)
"""In any place of a name. `client-principal` and `oidc` are headers in which a proxy says who a caller is."""

_WORDS: Final = frozenset({"auth", "sig", "cert", "certificate", "otp", "totp", "pwd", "creds"})
"""Anywhere in a name, as one of its words."""

_NAMES: Final = frozenset({"key", "code", "sign", "pass", "pin", "sid"})
"""Alone."""

_CODES: Final = re.compile(r"(?:auth|oauth|verification|access|security|device|login|invite)-code")
_KEYS: Final = re.compile(
    r"(?:.*-)?(?:idempotency|routing|partition|message|deduplication|dedup|sort|cache|primary|foreign|public|correlation"
    r"|event|object|group|order|ordering)-key"
)
"""Names that end in `key` and are no credentials; every other one is."""

_PARAMETER: Final = re.compile(r"([?&;])([^=&;?#\s\"']{1,200})=([^&;#\s\"']*)")
_USER: Final = re.compile(r"(//[^/\s:@]*):[^/\s@]+@")


def is_credential(name: str) -> bool:
    """Whether a header or a parameter of this name lets its reader in, or proves who sent it."""
    return _names_credential(name) or _names_credential(_CAMEL.sub("-", name))


def _names_credential(name: str) -> bool:
    plain = _SEPARATOR.sub("-", name.lower()).strip("-")
    words = plain.split("-")
    if plain in _NAMES or not _WORDS.isdisjoint(words) or _ANYWHERE.search(plain) or _CODES.fullmatch(plain):
        return True
    return words[-1] in ("key", "apikey") and _KEYS.fullmatch(plain) is None


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
