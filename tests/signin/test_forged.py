"""What does not prove who somebody is: tokens, answers and ways back that are not as they should be. Nobody is signed in by any."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from hmac import new as hmac
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from api.house import House, run, said
from perdure.clock import now_ms
from perdure.service.oidc.flow import Flow, Flows
from signin.browser import COOKIE, Browser, browser
from signin.provider import CLIENT_ID, CLIENT_SECRET, CURVED, OWN, Claims, Provider, house_of, provider, signed, went

FLOW = "__Host-perdure-oidc"
STRANGER = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
NOW = now_ms() // 1_000


def part(value: Any) -> str:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(text).decode().rstrip("=")


def unsigned(claims: Claims, alg: str, signature: str = "") -> str:
    return f"{part({'alg': alg, 'kid': 'one', 'typ': 'JWT'})}.{part(claims)}.{signature}"


def by_what_is_published(claims: Claims, key: bytes) -> str:
    """Signed with what everybody can read, as if it were a secret that both sides have."""
    body = f"{part({'alg': 'HS256', 'kid': 'one'})}.{part(claims)}"
    return f"{body}.{part(hmac(key, body.encode(), sha256).digest())}"


def changed_after(claims: Claims) -> str:
    header, _, signature = signed(claims).split(".")
    return f"{header}.{part({**claims, 'email': 'root@example.com'})}.{signature}"


def own_key_inside(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "jwk": STRANGER.as_dict(private=False)}, claims, STRANGER)


def without(*names: str) -> Callable[[Claims], Claims]:
    return lambda claims: {name: value for name, value in claims.items() if name not in names}


def saying(**other: Any) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, **other}


CLAIMS: dict[str, Callable[[Claims], Claims]] = {
    "another issuer": saying(iss="https://evil.example"),
    "the issuer with a slash": lambda claims: {**claims, "iss": f"{claims['iss']}/"},
    "no issuer": without("iss"),
    "several issuers": lambda claims: {**claims, "iss": [claims["iss"]]},
    "for somebody else": saying(aud="another-client"),
    "for somebody whose name begins alike": saying(aud=f"{CLIENT_ID}-2"),
    "for nobody": without("aud"),
    "for an empty list": saying(aud=[]),
    "for many, and none is meant": saying(aud=[CLIENT_ID, "other"]),
    "for many, and another is meant": saying(aud=[CLIENT_ID, "other"], azp="other"),
    "another is meant": saying(azp="other"),
    "over": saying(exp=NOW - 3_600),
    "over without end": without("exp"),
    "over at a time that is none": saying(exp="tomorrow"),
    "not yet": saying(nbf=NOW + 3_600),
    "from the future": saying(iat=NOW + 3_600),
    "never made": without("iat"),
    "another nonce": saying(nonce="n"),
    "no nonce": without("nonce"),
    "an empty nonce": saying(nonce=""),
    "a nonce that is none": saying(nonce=None),
    "about nobody": without("sub"),
    "about nothing": saying(sub=""),
    "about a number": saying(sub=7),
    "about what cannot be seen": saying(sub="a\x00b"),
    "about very much": saying(sub="a" * 256),
    "about another access token": saying(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
}
TOKENS: dict[str, Callable[[Claims], str]] = {
    "alg none": lambda claims: unsigned(claims, "none"),
    "alg None": lambda claims: unsigned(claims, "None"),
    "alg nothing": lambda claims: unsigned(claims, ""),
    "alg none, with a signature": lambda claims: unsigned(claims, "none", signed(claims).split(".")[2]),
    "without its signature": lambda claims: signed(claims).rpartition(".")[0] + ".",
    "HS256 with the public key": lambda claims: by_what_is_published(claims, OWN.as_pem(private=False)),
    "HS256 with the public key as JSON": lambda claims: by_what_is_published(
        claims, json.dumps(OWN.as_dict(private=False)).encode()
    ),
    "HS256 with the secret of the client": lambda claims: by_what_is_published(claims, CLIENT_SECRET.encode()),
    "HS256 with nothing": lambda claims: by_what_is_published(claims, b""),
    "another key of the same name": lambda claims: signed(claims, STRANGER),
    "a key that nobody knows": lambda claims: signed(claims, STRANGER, kid="unknown"),
    "a key that it brings along": own_key_inside,
    "a key from elsewhere": lambda claims: signed(claims, STRANGER, jku="https://evil.example/jwks"),
    "the key of another algorithm": lambda claims: signed(claims, OWN, alg="RS512"),
    "another kind of key": lambda claims: signed(claims, CURVED, alg="ES256"),
    "an access token": lambda claims: signed(claims, OWN, typ="at+jwt"),
    "changed after it was signed": changed_after,
    "what must be understood and is not": lambda claims: unsigned_crit(claims),
    "no token": lambda _: "no token",
    "nothing": lambda _: "",
    "two dots": lambda _: "..",
    "not JSON": lambda _: f"{part({'alg': 'RS256', 'kid': 'one'})}.{part(b'{')}.{part(b'x')}",
    "a list": lambda _: jwt.encode({"alg": "RS256", "kid": "one"}, [], OWN),  # type: ignore[arg-type]
    "very long": lambda claims: signed({**claims, "x": "y" * 40_000}),
}


def unsigned_crit(claims: Claims) -> str:
    body = f"{part({'alg': 'RS256', 'kid': 'one', 'crit': ['exp2'], 'exp2': 1})}.{part(claims)}"
    from joserfc._rfc7518.jws_algs import RSAAlgModel  # noqa: PLC0415

    return f"{body}.{part(RSAAlgModel(256, None).sign(body.encode(), OWN))}"
