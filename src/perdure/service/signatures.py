"""Signatures of webhooks, verified over the bytes as they came: Standard Webhooks, and the schemes of some who have their own.

Each scheme says where the signatures stand, what was signed, and when; one function holds them against the secrets.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from perdure.model.values import Json
from perdure.service.errors import Conflict
from perdure.service.refusals import BadSignature, StaleDelivery

SchemeName: TypeAlias = Literal["standard", "github", "stripe", "slack"]
TOLERANCE_SECONDS: Final = 300
WHSEC: Final = "whsec_"
SECRET_BYTES, SECRET_BYTES_MIN, SECRET_BYTES_MAX = 32, 24, 64
"""As Standard Webhooks has them."""

_SIGNATURES_MAX: Final = 20
_SECONDS: Final = re.compile(r"[0-9]{1,12}", re.ASCII)


class Claim(Struct, frozen=True):
    """What a request says of itself. `seconds`: when it was signed, if the scheme tells."""

    message: bytes
    signatures: tuple[bytes, ...]
    seconds: int | None = None


class Scheme(Struct, frozen=True):
    """
    headers      those that it needs, each once
    claim        reads them; None: they make no sense
    key          the bytes that a secret stands for
    delivery_id  what names a delivery, the same each time it is tried, from the headers and the body
    challenge    what is to be answered, if a body is no delivery but asks whether the address is right
    """

    headers: tuple[str, ...]
    claim: Callable[[Mapping[str, str], bytes], Claim | None]
    key: Callable[[str], bytes]
    delivery_id: Callable[[Mapping[str, str], Json], Json]
    challenge: Callable[[Json], str | None] = lambda _: None


def verify(
    scheme: Scheme, headers: Mapping[str, str], body: bytes, secrets: Sequence[str], at: int, tolerance_seconds: int
) -> None:
    """Raises `BadSignature` and `StaleDelivery`. `at` is now, in epoch milliseconds."""
    missing = [name for name in scheme.headers if not headers.get(name)]
    if missing:
        raise BadSignature(f"the request is not signed: it has no header {', '.join(missing)}")
    claim = scheme.claim(headers, body)
    if claim is None:
        raise BadSignature(f"the signature cannot be read, in the headers {', '.join(scheme.headers)}")
    expected = [hmac.digest(scheme.key(secret), claim.message, sha256) for secret in secrets]
    # All of them, whatever comes of it: how long it takes tells nothing.
    fits = [hmac.compare_digest(one, other) for one in expected for other in claim.signatures[:_SIGNATURES_MAX]]
    if not any(fits):
        raise BadSignature("the signature is not one of this webhook, or the body was changed on its way")
    if claim.seconds is not None and abs(at / 1_000 - claim.seconds) > tolerance_seconds:
        raise StaleDelivery(
            f"the request was signed more than {tolerance_seconds} seconds before or after it came; send it anew, and look at "
            "the clocks"
        )


def new_secret() -> str:
    return WHSEC + base64.b64encode(os.urandom(SECRET_BYTES)).decode()


def standard_headers(secret: str, delivery_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """What a sender adds."""
    message = f"{delivery_id}.{seconds}.".encode() + body
    signature = base64.b64encode(hmac.digest(_standard_key(secret), message, sha256)).decode()
    return {"webhook-id": delivery_id, "webhook-timestamp": str(seconds), "webhook-signature": f"v1,{signature}"}


def as_standard(text: str) -> str:
    """A secret of any form, as Standard Webhooks writes them."""
    return WHSEC + base64.b64encode(text.encode()).decode()


def is_standard(secret: str) -> bool:
    """Whether it is `whsec_` and base64, of whatever length."""
    try:
        return secret.startswith(WHSEC) and bool(_standard_key(secret))
    except (binascii.Error, ValueError):
        return False


def check_secret(name: SchemeName, secret: str) -> None:
    """Raises `Conflict`; the secret is never shown."""
    if name != "standard":
        if len(secret) < 8:  # noqa: PLR2004
            raise Conflict("the signing secret has less than 8 characters, which can be guessed; give a longer one")
        return
    try:
        key = _standard_key(secret)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(WHSEC) or not SECRET_BYTES_MIN <= len(key) <= SECRET_BYTES_MAX:
        raise Conflict(
            f"the signing secret is not {WHSEC} and the base64 of {SECRET_BYTES_MIN} to {SECRET_BYTES_MAX} bytes; leave it out, "
            "and one is made"
        )


def _standard_key(secret: str) -> bytes:
    return base64.b64decode(secret.removeprefix(WHSEC), validate=True)


def _standard(headers: Mapping[str, str], body: bytes) -> Claim | None:
    id_, seconds = headers["webhook-id"], _seconds(headers["webhook-timestamp"])
    found = [each.partition(",") for each in headers["webhook-signature"].split()]
    if seconds is None:
        return None
    message = f"{id_}.{headers['webhook-timestamp']}.".encode() + body
    return Claim(message, _decoded(text for version, _, text in found if version == "v1"), seconds)


def _github(headers: Mapping[str, str], body: bytes) -> Claim | None:
    algorithm, _, text = headers["x-hub-signature-256"].partition("=")
    return Claim(body, _from_hex([text])) if algorithm == "sha256" else None


def _stripe(headers: Mapping[str, str], body: bytes) -> Claim | None:
    pairs = [each.strip().partition("=") for each in headers["stripe-signature"].split(",")]
    given = next((value for name, _, value in pairs if name == "t"), "")
    seconds = _seconds(given)
    if seconds is None:
        return None
    return Claim(f"{given}.".encode() + body, _from_hex(value for name, _, value in pairs if name == "v1"), seconds)


def _slack(headers: Mapping[str, str], body: bytes) -> Claim | None:
    given = headers["x-slack-request-timestamp"]
    seconds = _seconds(given)
    version, _, text = headers["x-slack-signature"].partition("=")
    if seconds is None or version != "v0":
        return None
    return Claim(f"v0:{given}:".encode() + body, _from_hex([text]), seconds)


def _seconds(text: str) -> int | None:
    return int(text) if _SECONDS.fullmatch(text) else None


def _decoded(texts: Iterable[str]) -> tuple[bytes, ...]:
    found = []
    for text in texts:
        try:
            found.append(base64.b64decode(text, validate=True))
        except (binascii.Error, ValueError):
            continue  # of another kind, or nonsense: it fits nothing
    return tuple(found)


def _from_hex(texts: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(bytes.fromhex(text) for text in texts if re.fullmatch(r"(?:[0-9a-fA-F]{2}){1,64}", text))


def _in_body(*names: str) -> Callable[[Mapping[str, str], Json], Json]:
    def found(_headers: Mapping[str, str], body: Json) -> Json:
        return next((body[name] for name in names if body.get(name)), None) if isinstance(body, dict) else None

    return found


def _challenge_of_slack(body: Json) -> str | None:
    if not isinstance(body, dict) or body.get("type") != "url_verification":
        return None
    challenge = body.get("challenge")
    return challenge if isinstance(challenge, str) else None


SCHEMES: Final[dict[SchemeName, Scheme]] = {
    "standard": Scheme(
        ("webhook-id", "webhook-timestamp", "webhook-signature"),
        _standard,
        _standard_key,
        lambda headers, _: headers["webhook-id"],
    ),
    "github": Scheme(
        ("x-hub-signature-256",), _github, str.encode, lambda headers, _: headers.get("x-github-delivery")
    ),
    "stripe": Scheme(("stripe-signature",), _stripe, str.encode, _in_body("id")),
    "slack": Scheme(
        ("x-slack-signature", "x-slack-request-timestamp"),
        _slack,
        str.encode,
        _in_body("event_id", "trigger_id"),
        _challenge_of_slack,
    ),
}
