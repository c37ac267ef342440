"""Requests that carry an idempotency key: a server knows them again by it, so that they may be sent twice."""

from __future__ import annotations

from typing import Final

from perdure.client.channel import Answered
from perdure.service.answers import KEY_LENGTH_MAX
from perdure.service.errors import Conflict
from perdure.service.given import check_texts

SHOWN_MAX: Final = 80


def key_header(idempotency_key: str | None) -> dict[str, str]:
    """None: it has none. Raises `Conflict` for one that would not arrive, or not as the same.

    HTTP takes blanks off the ends of a header, and says of no byte beyond ASCII which character it is: what curl sends as UTF-8,
    a server reads as Latin-1, and two programs that mean the same key would have two.
    """
    if idempotency_key is None:
        return {}
    check_texts(idempotency_key=idempotency_key)
    is_bare = idempotency_key == idempotency_key.strip()
    is_shown = idempotency_key.isascii() and idempotency_key.isprintable()
    if not (is_bare and is_shown and 1 <= len(idempotency_key) <= KEY_LENGTH_MAX):
        raise Conflict(
            f"idempotency_key {idempotency_key[:SHOWN_MAX]!r} cannot be sent: it has 1 to {KEY_LENGTH_MAX} characters of ASCII "
            "that can be shown, and no blank at its ends; write it so, or leave it out"
        )
    return {"Idempotency-Key": idempotency_key}


def is_replayed(answer: Answered) -> bool:
    """Whether it was done before, under its key."""
    return answer.headers.get("idempotent-replayed") == "true"
