"""An ID token: whether it is the provider's, for this server, of now, and for the browser that asked.

It has to be signed with a key that the provider publishes for that, by an algorithm with two keys: with one that both sides know,
what is published would do to sign. What the token itself says of keys (`jwk`, `jku`, `x5u`) is not looked at.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from authlib.oidc.core import CodeIDToken
from joserfc.errors import BadSignatureError, InvalidKeyCurveError, InvalidKeyTypeError, JoseError, SecurityWarning
from joserfc.jwk import JWKRegistry, Key, RSAKey
from joserfc.jws import CompactSignature, extract_compact
from joserfc.jwt import decode

from perdure.service.oidc.claims import Claims
from perdure.service.oidc.refusals import SignInRefused
from perdure.service.oidc.settings import OidcSettings

ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
KINDS: Final = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
LEEWAY_SECONDS: Final = 60
"""So much clocks may differ."""

TOKEN_MAX: Final = 32_000
SUBJECT_MAX: Final = 255
RSA_BITS_MIN: Final = 2_048


class UnknownKey(SignInRefused, code="unknown_key"):
    """No known key has signed it: the provider may have a new one, under a new name or under the same."""


def keys_of(published: Any) -> list[Key]:
    """The keys for signatures among what a provider publishes. What is not understood is left out."""
    found: list[Key] = []
    listed = published.get("keys") if isinstance(published, dict) else None
    for each in listed if isinstance(listed, list) else ():
        if not isinstance(each, dict) or each.get("kty") not in KINDS.values() or each.get("use", "sig") != "sig":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SecurityWarning)  # of keys that are too short, which are left out below
            try:
                key = JWKRegistry.import_key({name: each[name] for name in each if name in _PUBLIC})
            except (JoseError, ValueError, TypeError, KeyError):
                continue
        if not (isinstance(key, RSAKey) and key.public_key.key_size < RSA_BITS_MIN):
            found.append(key)
    return found


_PUBLIC: Final = frozenset({"kty", "kid", "use", "alg", "crv", "x", "y", "n", "e"})


def checked(
    token: str, keys: Sequence[Key], settings: OidcSettings, *, nonce: str, access_token: str | None, now_ms: int
) -> Claims:
    """Raises `SignInRefused`; `UnknownKey`, if it could be good with other keys."""
    header = _header(token)
    key = _key(header, keys)
    try:
        found = decode(token, key, algorithms=ALGORITHMS)
        claims = CodeIDToken(
            found.claims,
            found.header,
            {
                "iss": {"essential": True, "value": settings.issuer},
                "aud": {"essential": True, "value": settings.client_id},
                "sub": {"essential": True},
                "exp": {"essential": True},
                "iat": {"essential": True},
            },
            {"nonce": nonce, "client_id": settings.client_id, "access_token": access_token},
        )
        claims.validate(now=now_ms // 1_000, leeway=LEEWAY_SECONDS)
    except BadSignatureError as error:
        raise UnknownKey("invalid ID token: its signature does not match the key") from error
    except (InvalidKeyCurveError, InvalidKeyTypeError) as error:
        raise UnknownKey("invalid ID token: its algorithm does not fit the key of that name") from error
    except (JoseError, ValueError, TypeError, KeyError, UnicodeError, RecursionError) as error:
        raise SignInRefused(f"invalid ID token: {_said(error)}") from error
    return _claims(found.claims, settings.groups_claim)


def _header(token: str) -> dict[str, Any]:
    if len(token) > TOKEN_MAX or not token.isascii():
        raise SignInRefused("invalid ID token: it is too long, or no token")
    try:
        found: CompactSignature = extract_compact(token.encode())
        header = dict(found.headers())
    except (JoseError, ValueError, TypeError, KeyError, UnicodeError, RecursionError) as error:
        raise SignInRefused("invalid ID token: it is no signed token") from error
    alg, type_ = header.get("alg"), header.get("typ", "JWT")
    if alg not in ALGORITHMS:
        raise SignInRefused(f"invalid ID token: {str(alg)[:20]!r} is no algorithm that proves who signed it")
    if not isinstance(type_, str) or type_.upper() != "JWT":
        raise SignInRefused(f"invalid ID token: it is of type {str(type_)[:20]!r}")
    return header


def _key(header: dict[str, Any], keys: Sequence[Key]) -> Key:
    """The one that is meant. Without a name it has to be the only one of its kind."""
    alg, kid = header["alg"], header.get("kid")
    kind = KINDS[alg[:2]]
    fitting = [key for key in keys if key.key_type == kind and key.alg in (None, alg) and kid in (None, key.kid)]
    if len(fitting) != 1:
        raise UnknownKey("invalid ID token: it is signed with a key that the provider does not publish")
    return fitting[0]


def _claims(found: dict[str, Any], groups_claim: str | None) -> Claims:
    subject, email, name = found["sub"], found.get("email"), found.get("name")
    if not subject or len(subject) > SUBJECT_MAX or not subject.isprintable():
        raise SignInRefused("invalid ID token: it does not say who it is about")
    is_theirs = found.get("email_verified") is True and isinstance(email, str)
    groups = None if groups_claim is None else _groups(found.get(groups_claim, []), groups_claim)
    return Claims(subject, email if is_theirs else None, name if isinstance(name, str) else None, groups)


def _groups(given: Any, claim: str) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(msgspec.convert(given, list[str])))
    except msgspec.ValidationError as error:
        raise SignInRefused(f"the claim {claim!r} of the ID token is no list of groups") from error


def _said(error: Exception) -> str:
    """What of it may be told: which claim it is, and never what is in it."""
    claim = getattr(error, "claim", None)
    return f"its claim {claim!r} is wrong" if isinstance(claim, str) else type(error).__name__
