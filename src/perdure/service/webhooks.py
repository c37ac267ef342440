"""Webhooks: URLs by which others start a workflow. The token in it is shown once; what is kept is its hash.

A webhook is one or more cards, one for each token that counts: while a token is changed, there are two. Signing secrets are
encrypted as all secrets are. `receiving.py` has what becomes of requests.
"""

from __future__ import annotations

import secrets as chance
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from perdure.expressions.wording import nearest
from perdure.hosts.embedded import Host
from perdure.hosts.envelopes import about
from perdure.hosts.vault import WEBHOOKS
from perdure.model.values import Json
from perdure.service import signatures
from perdure.service.acting import EDITORS, Actor, Member, acting_as, by, needs, plain
from perdure.service.errors import Conflict, NotFound
from perdure.service.given import check_texts
from perdure.service.hooks import Issued, Webhook, cards_of, counts, new_token, token_hash, webhook_of
from perdure.service.receiving import Receiver
from perdure.service.secrets import Secrets
from perdure.service.signatures import SCHEMES, SchemeName
from perdure.service.workflows import Workflows
from perdure.store.questions import Questions
from perdure.store.registers import Card, WriteCard

HOUR_MS: Final = 3_600_000
KEEP_HOURS: Final = 24.0
KEEP_HOURS_MAX: Final = 24 * 365
"""So long what is replaced counts as well: senders have to be told."""


class SigningData(Struct, frozen=True, rename="camel"):
    """A signing secret in the card of a webhook. `until`: the end of one that was replaced."""

    name: str
    number: int
    sealed: str
    added_at: int
    until: int | UnsetType = UNSET


class WebhookData(Struct, frozen=True, rename="camel"):
    """Data of the card of a token of a webhook. `until`: the end of one that was replaced."""

    id: str
    workflow: str
    node: str | None
    scheme: SchemeName | None
    created_at: int
    created_by: str
    signing: tuple[SigningData, ...] = ()
    until: int | UnsetType = UNSET


class Webhooks:
    def __init__(self, host: Host, workflows: Workflows, secrets: Secrets, receiver: Receiver) -> None:
        self._host, self._workflows, self._secrets = host, workflows, secrets
        self.receive, self.signed, self.look = receiver.receive, receiver.signed, receiver.look

    async def create(
        self,
        workflow: str,
        *,
        node: str | None = None,
        scheme: SchemeName | None = None,
        signing_secret: str | None = None,
        organization: str = "default",
        actor: Actor = None,
    ) -> Issued:
        """For a workflow, by its id or its name; where several of its nodes are started by webhooks, for one of them.

        With a `scheme` (standard, github, stripe, slack) requests have to be signed, by a secret that is made here, or by the one
        that the sender gave. Without one the token alone counts. An actor has to be an editor.
        """
        check_texts(workflow=workflow, node=node, organization=organization)
        who = await self._who(organization, actor)
        found = await self._workflows.show(workflow, organization=organization)
        nodes = () if found.requires is None else found.requires.webhooks
        at, id_ = self._host.now_ms(), f"wh_{chance.token_hex(8)}"
        chosen, wanted = _node(node, nodes, found.name), _scheme(scheme, signing_secret)
        data: Any = plain(WebhookData(id_, found.id, chosen, wanted, at, who.name))
        made = None
        if data["scheme"] is not None:
            made = signing_secret or signatures.new_secret()
            data["signing"] = [self._signing(data, made, organization, at, 1)]
        token = new_token()
        await self._write(token_hash(token), data, organization, who, "webhook.created", after=0)
        return Issued(webhook_of([data], at, found.name), token, None if signing_secret is not None else made)

    async def list(self, *, organization: str = "default", workflow: str | None = None) -> tuple[Webhook, ...]:
        """The newest first. `workflow` is an id or a name."""
        check_texts(organization=organization, workflow=workflow)
        at = self._host.now_ms()

        def look(store: Questions) -> tuple[Webhook, ...]:
            row = None if workflow is None else store.workflow(organization, workflow)
            wanted = workflow if row is None else row.id
            cards = cards_of(store, organization)
            by_id: dict[str, list[dict[str, Any]]] = {}
            for card in cards:
                if counts(card.data, at) and wanted in (None, card.data["workflow"]):
                    by_id.setdefault(card.data["id"], []).append(card.data)
            rows = {id_: store.workflow(organization, id_) for id_ in {each[0]["workflow"] for each in by_id.values()}}
            names = {id_: row.name for id_, row in rows.items() if row is not None}
            found = [webhook_of(datas, at, names.get(datas[0]["workflow"])) for datas in by_id.values()]
            return tuple(sorted(found, key=lambda each: (-each.created_at, each.id)))

        return await self._host.read(look, organization)

    async def rotate(
        self,
        id_: str,
        what: Literal["token", "signing"] = "token",
        *,
        signing_secret: str | None = None,
        keep_hours: float = KEEP_HOURS,
        organization: str = "default",
        actor: Actor = None,
    ) -> Issued:
        """Give it another token, or another signing secret. The one of before counts as well for so many hours.

        An actor has to be an editor.
        """
        check_texts(id_=id_, organization=organization)
        if not keep_hours <= KEEP_HOURS_MAX:
            raise Conflict(f"keep_hours is at most {KEEP_HOURS_MAX:,}, a year, not {keep_hours:g}")
        who = await self._who(organization, actor)
        cards = await self._found(id_, organization)
        at = self._host.now_ms()
        until = at + int(max(keep_hours, 0.0) * HOUR_MS)
        if what == "token":
            return await self._new_token(cards, organization, who, at, until)
        return await self._new_signing(cards, signing_secret, organization, who, at, until)

    async def remove(self, id_: str, *, organization: str = "default", actor: Actor = None) -> None:
        """Its tokens count no more. An actor has to be an editor. Raises `NotFound`."""
        check_texts(id_=id_, organization=organization)
        who = await self._who(organization, actor)
        for card in await self._found(id_, organization):
            await self._write(card.id, None, organization, who, "webhook.removed", details=card.data)

    async def _who(self, organization: str, actor: Actor) -> _Who:
        may = await self._host.read(
            lambda store: acting_as(store, organization, actor, EDITORS, "change webhooks"), organization
        )
        return _Who(by(actor), may)

    def _signing(self, data: dict[str, Any], secret: str, organization: str, at: int, number: int) -> dict[str, Json]:
        name = f"{data['id']}/{number}"
        sealed = self._secrets.keys().seal(secret, about("webhook", organization, name))
        signing: dict[str, Json] = msgspec.to_builtins(SigningData(name, number, sealed, at))
        return signing

    async def _new_token(self, cards: Sequence[Card], organization: str, who: _Who, at: int, until: int) -> Issued:
        """The new one comes first: whatever happens then, one of them counts."""
        newest = max(cards, key=lambda card: card.data.get("until", until))
        trusts_clock = await self._host.trusts_clock()
        token = new_token()
        data = {name: value for name, value in newest.data.items() if name != "until"}
        await self._write(token_hash(token), data, organization, who, "webhook.rotated", after=0)
        for card in cards:
            ends = {**card.data, "until": min(until, card.data.get("until", until))}
            kept = ends if counts(ends, at) or not trusts_clock else None
            await self._write(card.id, kept, organization, who, "webhook.rotated", after=card.revision, details=ends)
        return Issued(await self._told(data["id"], organization), token)

    async def _new_signing(
        self, cards: Sequence[Card], given: str | None, organization: str, who: _Who, at: int, until: int
    ) -> Issued:
        name: SchemeName | None = cards[0].data["scheme"]
        if name is None:
            raise Conflict(
                f"webhook {cards[0].data['id']} is not signed; make another one with a scheme, and remove it"
            )
        if given is None and name in ("slack", "stripe"):
            raise Conflict(f"{name} makes the signing secret itself; give the new one")
        secret = given or signatures.new_secret()
        signatures.check_secret(name, secret)
        trusts_clock = await self._host.trusts_clock()
        for card in cards:
            before = [{**each, "until": min(until, each.get("until", until))} for each in card.data["signing"]]
            number = 1 + max(each["number"] for each in card.data["signing"])
            first = self._signing(card.data, secret, organization, at, number)
            data = {**card.data, "signing": [first, *(each for each in before if counts(each, at) or not trusts_clock)]}
            await self._write(card.id, data, organization, who, "webhook.rotated", after=card.revision)
        return Issued(await self._told(cards[0].data["id"], organization), None, None if given is not None else secret)

    async def _told(self, id_: str, organization: str) -> Webhook:
        found = await self.list(organization=organization)
        return next(each for each in found if each.id == id_)

    async def _found(self, id_: str, organization: str) -> Sequence[Card]:
        cards = await self._host.read(lambda store: cards_of(store, organization), organization)
        found = [card for card in cards if card.data["id"] == id_]
        if not found:
            known = (card.data["id"] for card in cards)
            hint = nearest(id_, known) or "; `perdure webhooks list` shows those that there are"
            raise NotFound(f"there is no webhook {id_!r} in organization {organization!r}{hint}")
        return found

    async def _write(
        self,
        id_: str,
        data: dict[str, Json] | None,
        organization: str,
        who: _Who,
        action: str,
        *,
        after: int | None = None,
        details: dict[str, Json] | None = None,
    ) -> None:
        about_it = details or data or {}
        told = {name: about_it.get(name) for name in ("id", "workflow", "node", "scheme")}
        worker, needed = self._host.shell.worker, needs(who.member)
        await self._host.commit(
            WriteCard(
                WEBHOOKS, id_, data, self._host.now_ms(), who.name, action, organization, after, told, worker, needed
            )
        )


class _Who(Struct, frozen=True):
    """Who acts, as the audit calls them; and as the member who has to be so still when it is written, if it is one."""

    name: str
    member: Member | None


def _node(given: str | None, nodes: tuple[str, ...], workflow: str) -> str | None:
    """The one that is meant. A workflow that says nothing of webhooks can be started by one as well."""
    if given is None:
        if len(nodes) > 1:
            raise Conflict(
                f"several nodes of {workflow!r} are started by webhooks: {', '.join(nodes)}; say which, by `node`"
            )
        return nodes[0] if nodes else None
    if given not in nodes:
        there = nearest(given, nodes) or (f"; there are {', '.join(nodes)}" if nodes else "; it has none")
        raise NotFound(f"{given!r} is no node of {workflow!r} that is started by webhooks{there}")
    return given


def _scheme(scheme: SchemeName | None, secret: str | None) -> SchemeName | None:
    if scheme is None and secret is not None:
        scheme = "standard"
    if scheme is None:
        return None
    if scheme not in SCHEMES:
        raise Conflict(f"{scheme!r} is no way to sign{nearest(scheme, SCHEMES)}; there are {', '.join(SCHEMES)}")
    if secret is not None:
        signatures.check_secret(scheme, secret)
    elif scheme in ("slack", "stripe"):  # to GitHub, one gives the secret
        raise Conflict(f"{scheme} makes the signing secret itself; give it")
    return scheme
