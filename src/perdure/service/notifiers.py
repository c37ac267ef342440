"""Notifiers: how the people of an organization are told of approvals. A line in the log, a call of a webhook, or e-mail.

What a webhook is signed with is not kept here, only where it is to be found: `env:PERDURE_NOTIFIER_…`, a variable in the
environment of the workers; or `secret:NAME`, a secret of the organization.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from perdure.expressions.wording import nearest, shown
from perdure.hosts.embedded import Host
from perdure.model.problem import Problem
from perdure.service.acting import Actor, acting, acting_admin, by, needs, plain
from perdure.service.errors import Conflict, NotFound, Refused
from perdure.service.given import check_texts
from perdure.service.members import EMAIL, NAME_MAX
from perdure.store import port as p
from perdure.store.notices import NOTIFIERS, NOTIFIERS_MAX, TOPICS
from perdure.store.questions import Questions
from perdure.store.registers import Card, WriteCard

Kind: TypeAlias = Literal["log", "webhook", "email"]
KINDS: Final[tuple[str, ...]] = get_args(Kind)
DEFAULT_TOPICS: Final = ("opened", "escalated")
SECRET: Final = re.compile(r"env:PERDURE_NOTIFIER_\w+|secret:[^\s:]+")


class NotifierData(Struct, frozen=True, omit_defaults=True):
    """What the card of a notifier holds.

    on              topics: opened, overdue, escalated, decided
    url             of a webhook
    signing_secret  where to find what it is signed with, in the form of Standard Webhooks
    to              addresses of e-mail; without them, those of the people who are asked
    """

    kind: Kind
    on: tuple[str, ...] = ()
    url: str | None = None
    signing_secret: str | None = None
    to: tuple[str, ...] = ()


class Notifier(Struct, frozen=True):
    id: str
    organization: str
    kind: Kind
    on: tuple[str, ...]
    url: str | None = None
    signing_secret: str | None = None
    to: tuple[str, ...] = ()
    revision: int = 0
    changed_at: int = 0


class Notifiers:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def add(
        self,
        id: str,
        kind: Kind,
        *,
        on: Iterable[str] = DEFAULT_TOPICS,
        url: str | None = None,
        signing_secret: str | None = None,
        to: Iterable[str] = (),
        organization: str = "default",
        actor: Actor = None,
    ) -> Notifier:
        """From the next approval on. An actor has to be an admin. Raises `Refused` with all that is wrong; `Conflict` if there is
        one with this id.
        """
        check_texts(id=id, url=url, signing_secret=signing_secret, organization=organization)
        if isinstance(on, str) or isinstance(to, str):
            raise Conflict("on and to are lists of texts; write on=['opened']")
        data = _checked(id, NotifierData(kind, tuple(on), url, signing_secret, tuple(to)))

        def look(store: Questions) -> tuple[tuple[str, str, int], ...]:
            may = acting_admin(store, organization, actor, "add notifiers")
            if len(store.cards(organization, NOTIFIERS, "", NOTIFIERS_MAX)) >= NOTIFIERS_MAX:
                raise Conflict(f"an organization has at most {NOTIFIERS_MAX} notifiers; remove one first")
            return needs(may)

        needed = await self._host.read(look, organization)
        outcome = await self._write(organization, id, data, "notifier.added", actor, 0, needed)
        if isinstance(outcome, p.GuardFailed):
            there = await self._host.read(lambda store: store.card(organization, NOTIFIERS, id), organization)
            taken = f"there is a notifier {id!r} in organization {organization!r} already; remove it first"
            raise Conflict(outcome.reason if there is None else taken)
        return await self.get(id, organization=organization)

    async def remove(self, id: str, *, organization: str = "default", actor: Actor = None) -> None:
        """What is on its way is not sent any more. Raises `NotFound`."""
        check_texts(id=id, organization=organization)
        card, needed = await self._host.read(
            lambda store: (
                _there(store, organization, id),
                needs(acting_admin(store, organization, actor, "remove notifiers")),
            ),
            organization,
        )
        outcome = await self._write(organization, id, None, "notifier.removed", actor, card.revision, needed)
        if isinstance(outcome, p.GuardFailed):
            raise Conflict(outcome.reason)

    async def get(self, id: str, *, organization: str = "default", actor: Actor = None) -> Notifier:
        """Raises `NotFound`."""
        check_texts(id=id, organization=organization)

        def look(store: Questions) -> Notifier:
            acting(store, organization, actor)
            return notifier_of(_there(store, organization, id))

        return await self._host.read(look, organization)

    async def list(self, *, organization: str = "default", actor: Actor = None) -> tuple[Notifier, ...]:
        """All of them, in the order of their ids: there are few."""
        check_texts(organization=organization)

        def look(store: Questions) -> tuple[Notifier, ...]:
            acting(store, organization, actor)
            return every_notifier(store, organization)

        return await self._host.read(look, organization)

    async def _write(
        self,
        organization: str,
        id_: str,
        data: NotifierData | None,
        action: str,
        actor: Actor,
        after: int,
        needed: tuple[tuple[str, str, int], ...],
    ) -> p.Outcome:
        new = None if data is None else plain(data)
        item = WriteCard(
            NOTIFIERS,
            id_,
            new,
            self._host.now_ms(),
            by(actor),
            action,
            organization,
            after,
            new,
            self._host.shell.worker,
            needed,
        )
        return await self._host.shell.commit(item)


def every_notifier(store: Questions, organization: str) -> tuple[Notifier, ...]:
    return tuple(notifier_of(card) for card in store.cards(organization, NOTIFIERS, "", NOTIFIERS_MAX))


def notifier_of(card: Card) -> Notifier:
    data = msgspec.convert(card.data, NotifierData)
    return Notifier(
        card.id,
        card.organization,
        data.kind,
        data.on,
        data.url,
        data.signing_secret,
        data.to,
        card.revision,
        card.changed_at,
    )


def _there(store: Questions, organization: str, id_: str) -> Card:
    card = store.card(organization, NOTIFIERS, id_)
    if card is None:
        known = [notifier.id for notifier in every_notifier(store, organization)]
        hint = nearest(id_, known) or "; `perdure notifiers list` shows those that there are"
        raise NotFound(f"there is no notifier {id_!r} in organization {organization!r}{hint}")
    return card


def _checked(id_: str, data: NotifierData) -> NotifierData:
    """All that is wrong with it at once."""
    problems: list[Problem] = []

    def tell(type_: str, field: str, message: str) -> None:
        problems.append(Problem(type_, message, f"/{field}"))

    if not id_ or id_ != id_.strip() or len(id_) > NAME_MAX or not id_.isprintable():
        tell("invalid_name", "id", f"the id of a notifier has 1 to {NAME_MAX} characters that can be seen")
    if data.kind not in KINDS:
        tell("unknown_kind", "kind", f"{shown(data.kind)} is no kind of notifier; say one of {', '.join(KINDS)}")
    for topic in data.on:
        if topic not in TOPICS:
            said = f"{shown(topic)} is nothing to be told of; say some of {', '.join(TOPICS)}"
            tell("unknown_topic", "on", f"{said}{nearest(topic, TOPICS)}")
    if not data.on:
        tell("no_topic", "on", f"it would tell of nothing; say some of {', '.join(TOPICS)}")
    if (data.url is None) == (data.kind == "webhook"):
        tell("url", "url", "a webhook needs a url, and nothing else has one")
    elif data.url is not None and not _is_url(data.url):
        tell(
            "url",
            "url",
            f"{shown(data.url)} is no URL that can be called; write https://… without a user or a password",
        )
    if data.signing_secret is not None and (data.kind != "webhook" or not SECRET.fullmatch(data.signing_secret)):
        message = (
            "a webhook says where its signing secret is to be found, and not the secret: write env:PERDURE_NOTIFIER_… for a "
            "variable in the environment of the workers, or secret:NAME for a secret of the organization"
        )
        tell("signing_secret", "signing_secret", message)
    if data.to and data.kind != "email":
        tell("to", "to", "only e-mail has addresses")
    for address in data.to:
        if not EMAIL.fullmatch(address):
            tell("invalid_email", "to", f"{shown(address)} is no e-mail address; write one like ann@example.com")
    if problems:
        raise Refused(problems, what="the notifier cannot be kept so")
    return data


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and "@" not in parts.netloc
            and text.isprintable()
            and " " not in text
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False
