"""Webhooks as registers keep them: a card for each token, by its hash."""

from __future__ import annotations

import secrets as chance
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from perdure.hosts.vault import PAGE, WEBHOOKS
from perdure.service.signatures import SchemeName
from perdure.store.questions import Questions
from perdure.store.registers import Card

TOKEN: Final = "whk_"  # noqa: S105
TOKEN_BYTES: Final = 32


class Webhook(Struct, frozen=True):
    """What may be known of one. `scheme` None: it is not signed, and whoever has the token can use it. `tokens` and `secrets`:
    how many count by now. `name` is that of the workflow.
    """

    id: str
    workflow: str
    node: str | None
    scheme: SchemeName | None
    created_at: int
    created_by: str
    tokens: int = 1
    secrets: int = 0
    name: str | None = None

    @property
    def signed(self) -> bool:
        return self.scheme is not None


class Issued(Struct, frozen=True):
    """A webhook with what is shown once: its token, and its signing secret if it was made here."""

    webhook: Webhook
    token: str | None = None
    signing_secret: str | None = None

    def __repr__(self) -> str:
        return f"Issued({self.webhook!r})"


def new_token() -> str:
    return TOKEN + chance.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """The id of its card. Whoever reads that cannot make the token from it."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def counts(data: Mapping[str, Any], at: int) -> bool:
    until: int | None = data.get("until")
    return until is None or at < until


def webhook_of(datas: Iterable[dict[str, Any]], at: int, name: str | None = None) -> Webhook:
    several = list(datas)
    first = several[0]
    secrets = max(sum(counts(each, at) for each in data["signing"]) for data in several)
    return Webhook(
        first["id"],
        first["workflow"],
        first["node"],
        first["scheme"],
        first["createdAt"],
        first["createdBy"],
        len(several),
        secrets,
        name,
    )


def cards_of(store: Questions, organization: str) -> list[Card]:
    found: list[Card] = []
    while some := store.cards(organization, WEBHOOKS, found[-1].id if found else "", PAGE):
        found += some
    return found
