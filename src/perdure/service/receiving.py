"""Requests to webhooks: whose they are, whether they may, and the execution that they start.

Between a token that never was and one that is gone, nobody is told a difference.
"""

from __future__ import annotations

import secrets as chance
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from perdure.hosts.embedded import Host
from perdure.hosts.envelopes import CannotOpen, about
from perdure.hosts.vault import WEBHOOKS
from perdure.model.values import Json
from perdure.service import deliveries, signatures
from perdure.service.deliveries import Headers, Request
from perdure.service.errors import Conflict, NotFound, Refused, TooMany
from perdure.service.executions import Executions
from perdure.service.given import DELIVERIES, check_bytes, check_texts
from perdure.service.hooks import counts, token_hash
from perdure.service.limits import Limits
from perdure.service.refusals import (
    BadBody,
    BodyTooLarge,
    CannotVerify,
    Challenged,
    UnknownWebhook,
    WebhookRefused,
)
from perdure.service.repeating import has_other_input
from perdure.service.secrets import Secrets
from perdure.service.signatures import SCHEMES, TOLERANCE_SECONDS
from perdure.service.triggers import Triggers
from perdure.store.ledger import LogTrigger, bounded
from perdure.store.registers import Card
from perdure.tasks.offload import run_by_size, working_for

BODY_BYTES_MAX: Final = 1_000_000


class Received(Struct, frozen=True):
    """`created` is False if this delivery had come before; `differs`: it had another body then, which is what was started."""

    execution: str
    created: bool
    delivery_id: str | None = None
    differs: bool = False


class _Arrived(Struct, frozen=True):
    """What a request brings: what its sender calls it, its body, and what is told of all of it."""

    delivery: str | None
    body: Json
    told: dict[str, Json]


class Receiver:
    def __init__(
        self, host: Host, executions: Executions, secrets: Secrets, limits: Limits, triggers: Triggers
    ) -> None:
        self._host, self._executions, self._secrets = host, executions, secrets
        self._limits, self._triggers = limits, triggers

    async def receive(
        self,
        token: str,
        headers: Headers,
        body: bytes,
        *,
        method: str = "POST",
        query: Mapping[str, Any] | str | None = None,
        at: int | None = None,
        request_id: str | None = None,
    ) -> Received:
        """A request has come: start the workflow. It is durable when this returns.

        The body is the input (JSON, a form, else text), the request without its credentials is `triggerData`. The same delivery
        twice is one execution. Raises what `refusals.py` lists, or `TooMany`, and has then started nothing. The log of triggers
        tells of all but challenges and what belongs to nobody; the request has this id there. `at` is now, in milliseconds.
        """
        now = self._host.now_ms() if at is None else at
        card = await self._card(token, now)
        check_bytes(body=body)
        check_texts(request_id=request_id)
        note = LogTrigger(now, "hook", card.data["id"], request=bounded(request_id), organization=card.organization)
        try:
            request = deliveries.request(headers, body, method, query)
            with working_for(card.organization):
                arrived = await run_by_size(len(body), lambda: self._arrived(card, token, request, now))
                note = replace(note, delivery=arrived.delivery)
                received = await self._started(card, arrived, note)
        except TooMany as error:
            await self._triggers.note(replace(note, outcome="rate_limited", reason=bounded(str(error))))
            raise
        except Challenged:
            raise
        except (WebhookRefused, NotFound, Conflict) as error:
            await self._triggers.note(replace(note, outcome="rejected", reason=bounded(str(error))))
            raise
        if not received.created:
            await self._triggers.note(replace(note, outcome="duplicate", execution=received.execution))
        return received

    async def look(self, token: str) -> None:
        """Whether there is such a webhook, before anything of a request is read. Raises `UnknownWebhook`."""
        await self._card(token, self._host.now_ms())

    def _arrived(self, card: Card, token: str, given: Request, now: int) -> _Arrived:
        """What a request brings, if it may."""
        body = given.body
        if len(body) > BODY_BYTES_MAX:
            raise BodyTooLarge(f"the body has {len(body):,} bytes, and {BODY_BYTES_MAX:,} is the most that is taken")
        scheme = None if card.data["scheme"] is None else SCHEMES[card.data["scheme"]]
        if scheme is not None:
            signatures.verify(scheme, given.headers, body, self._opened(card, now), now, TOLERANCE_SECONDS)
        parsed = deliveries.parsed(given)
        challenge = None if scheme is None else scheme.challenge(parsed)
        if challenge is not None:
            raise Challenged(challenge)
        named = (
            next((given.headers[name] for name in deliveries.ID_HEADERS if given.headers.get(name)), None)
            if scheme is None
            else scheme.delivery_id(given.headers, parsed)
        )
        return _Arrived(deliveries.delivery_id(named), parsed, deliveries.kept(given, parsed, token))

    async def signed(self, token: str, body: bytes, *, delivery_id: str | None = None) -> dict[str, str]:
        """The headers that a sender would add, to try it out. Nothing, if requests need no signature."""
        check_bytes(body=body)
        card = await self._card(token, self._host.now_ms())
        if card.data["scheme"] is None:
            return {}
        if card.data["scheme"] != "standard":
            raise Conflict(
                f"only Standard Webhooks are signed here, and this one is {card.data['scheme']}; add its headers"
            )
        secret = self._opened(card, self._host.now_ms())[0]
        id_ = delivery_id or f"msg_{chance.token_hex(12)}"
        return signatures.standard_headers(secret, id_, self._host.now_ms() // 1_000, body)

    async def _card(self, token: object, at: int) -> Card:
        if not isinstance(token, str) or not token:
            raise UnknownWebhook
        card = await self._host.read(lambda store: store.card_anywhere(WEBHOOKS, token_hash(token)))
        if card is None or not counts(card.data, at):
            raise UnknownWebhook
        return card

    async def _started(self, card: Card, arrived: _Arrived, note: LogTrigger) -> Received:
        data, delivery, body = card.data, arrived.delivery, arrived.body
        webhook = {"id": data["id"], "node": data["node"], "signed": data["scheme"] is not None, "deliveryId": delivery}
        try:
            execution = await self._executions.start(
                data["workflow"],
                body,
                organization=card.organization,
                idempotency_key=None if delivery is None else f"{DELIVERIES}{data['id']}:{delivery}",
                triggered_by="webhook",
                trigger_data={"webhook": webhook, **arrived.told},
                differs=True,
                note=note,
                limits=self._limits,
            )
        except Refused as error:
            raise BadBody(f"the workflow cannot be started with this body: {error.problems[0].message}") from error
        differs = not execution.created and await self._host.read(
            lambda store: has_other_input(store, execution.id, body), card.organization
        )
        return Received(execution.id, execution.created, delivery, differs)

    def _opened(self, card: Card, at: int) -> list[str]:
        """The newest first."""
        found = []
        for each in card.data["signing"]:
            if counts(each, at):
                bound_to = about("webhook", card.organization, each["name"])
                try:
                    found.append(self._secrets.keys().open(each["sealed"], bound_to))
                except (CannotOpen, Conflict) as error:
                    raise CannotVerify(
                        f"the signing secret of webhook {card.data['id']} cannot be opened: {error}"
                    ) from error
        return found
