"""A request to a webhook: what it brings, what it is called, and what of it may be kept."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

from msgspec import Struct

from perdure.expressions.canonical import NotJson, canonical
from perdure.model.values import Json
from perdure.service.credentials import without_credentials
from perdure.service.refusals import BadBody, BadSignature

Headers: TypeAlias = Mapping[str, str] | Iterable[tuple[str, str]]

ID_HEADERS: Final = (
    "webhook-id",
    "svix-id",
    "idempotency-key",
    "x-github-delivery",
    "x-shopify-webhook-id",
    "ce-id",
)
"""Where senders put what names a delivery, the same each time they try."""

ID_LENGTH_MAX: Final = 255
_JSON: Final = re.compile(r"application/(?:[\w.+-]+\+)?json|text/json")
_FORM: Final = "application/x-www-form-urlencoded"
_ONCE: Final = re.compile(r"webhook-|x-hub-signature|stripe-signature|x-slack-|idempotency-key")


class Request(Struct, frozen=True):
    """Names of headers are in lower case."""

    headers: dict[str, str]
    body: bytes
    method: str = "POST"
    query: dict[str, Json] = {}


def request(headers: Headers, body: bytes, method: str, query: Mapping[str, Any] | str | None) -> Request:
    """As a server has it. A header that decides something, and stands there twice, is refused: which one counts is anybody's
    guess.
    """
    found: dict[str, str] = {}
    for name, value in headers.items() if isinstance(headers, Mapping) else headers:
        lower = name.lower()
        if lower in found and _ONCE.match(lower):
            raise BadSignature(f"the header {lower} stands twice in the request; send it once")
        found[lower] = f"{found[lower]}, {value}" if lower in found else value
    asked = _pairs(query) if isinstance(query, str) else dict(query or {})
    return Request(found, body, method.upper(), asked)


def parsed(given: Request) -> Json:
    """JSON, a form, or else text; what is no text, or holds NUL, as base64. No body is an empty object. Raises `BadBody`."""
    if not given.body:
        return {}
    media = given.headers.get("content-type", "").partition(";")[0].strip().lower()
    if _JSON.fullmatch(media) or (not media and given.body.lstrip()[:1] in (b"{", b"[")):
        return _json(given.body)
    try:
        text = given.body.decode()
    except UnicodeDecodeError:
        return b64encode(given.body).decode()
    if media == _FORM:
        return _checked(_pairs(text))
    return b64encode(given.body).decode() if "\0" in text else _checked(text)


def delivery_id(found: Json) -> str | None:
    """Raises `BadBody` for what cannot be one."""
    if found is None or found == "":
        return None
    text = found if isinstance(found, str) else str(found)
    if len(text) > ID_LENGTH_MAX or not text.isprintable():
        raise BadBody(f"the id of the delivery is no text of at most {ID_LENGTH_MAX} characters that can be printed")
    return text


def kept(given: Request, body: Json, token: str) -> dict[str, Json]:
    """What triggerData tells of a request: all of it, without what would let others in."""
    return {
        "method": given.method,
        "headers": _checked(without_credentials(given.headers, token)),
        "query": _checked(without_credentials(given.query, token)),
        "body": body,
    }


def _json(body: bytes) -> Json:
    from perdure.dialects.reading import BadDocument, read  # noqa: PLC0415  whoever takes no webhooks does not wait for it

    try:
        return _checked(read(body).value)
    except BadDocument as error:
        why = error.problems[0].message.replace("the document", "the body")
        raise BadBody(f"the body is not JSON, as its content type says: {why}") from error


def _pairs(text: str) -> dict[str, Json]:
    """A name that stands there several times has all its values."""
    found: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        before = found.get(name)
        if isinstance(before, list):
            before.append(value)
        else:
            found[name] = value if before is None else [before, value]
    return found


def _checked(value: Any) -> Json:
    try:
        return canonical(value)
    except NotJson as error:
        raise BadBody(f"the request cannot be kept: {error}") from error
