"""Secrets of an organization: set, listed, removed, and their key changed. Nobody can read one here: only calls of tasks do."""

from __future__ import annotations

import re
from operator import methodcaller
from typing import Any, Final

from msgspec import Struct

from perdure.expressions.wording import nearest
from perdure.hosts.embedded import Host
from perdure.hosts.envelopes import MAKE_ONE, CannotOpen, Keys, about, key_id_of
from perdure.hosts.vault import REGISTER, WEBHOOKS, encrypted, require_keys, sealed_in, secret_names
from perdure.model.problem import Problem
from perdure.model.secrets import VALUE_BYTES_MAX
from perdure.model.values import Json
from perdure.service import paging
from perdure.service.acting import EDITORS, Actor, acting_as, by, needs, plain
from perdure.service.errors import Conflict, NotFound, Refused
from perdure.service.given import check_texts, is_whole, name_unstorable
from perdure.service.paging import LIMIT, Page
from perdure.settings.table import SECRET_KEY
from perdure.store import port as p
from perdure.store.registers import Card, WriteCard

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
TRIES: Final = 20


_ROTATED: Final = {REGISTER: "secret.rotated", WEBHOOKS: "webhook.rotated"}
"""Audit actions, by register."""


class Secret(Struct, frozen=True):
    """What may be known of a secret. `set_at` is when its value was given, not when that was wrapped anew."""

    name: str
    key_id: str
    set_at: int
    set_by: str


class SecretData(Struct, frozen=True, rename="camel"):
    """Data of the card of a secret."""

    sealed: str
    set_at: int
    set_by: str


class Rotated(Struct, frozen=True):
    """How many cards were wrapped anew, how many had been, and (organization, name, why) of those that cannot be."""

    key_id: str
    rotated: int
    current: int
    failed: tuple[tuple[str, str, str], ...] = ()


class Secrets:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def set(self, name: str, value: str, *, organization: str = "default", actor: Actor = None) -> Secret:
        """Encrypt and keep it, in place of what was there. It is durable when this returns. An actor has to be an editor."""
        check_texts(organization=organization)
        may = await self._host.read(
            lambda store: acting_as(store, organization, actor, EDITORS, "set secrets"), organization
        )
        _check(name, value)
        keys, at = self.keys(), self._host.now_ms()
        sealed = keys.seal(value, about("secret", organization, name))
        data = plain(SecretData(sealed, at, by(actor)))
        write = WriteCard(
            REGISTER,
            name,
            data,
            at,
            by(actor),
            "secret.set",
            organization,
            details={"keyId": keys.current},
            writer=self._host.shell.worker,
            needs=needs(may),
        )
        await self._host.commit(write)
        return Secret(name, keys.current, at, by(actor))

    async def list(
        self, *, organization: str = "default", limit: int = LIMIT, cursor: str | None = None
    ) -> Page[Secret]:
        """By name. Never their values."""
        check_texts(organization=organization)
        (after,) = ("",) if cursor is None else paging.place(cursor, tuple[str])
        count = paging.checked(limit)
        found = await self._host.read(lambda store: store.cards(organization, REGISTER, after, count + 1), organization)
        more = paging.cursor(found[count - 1].id) if len(found) > count else None
        return Page(tuple(map(_secret, found[:count])), more)

    async def remove(self, name: str, *, organization: str = "default", actor: Actor = None) -> None:
        """Calls that need it fail from now on. An actor has to be an editor. Raises `NotFound`."""
        check_texts(name=name, organization=organization)
        may = await self._host.read(
            lambda store: acting_as(store, organization, actor, EDITORS, "remove secrets"), organization
        )
        if await self._host.read(lambda store: store.card(organization, REGISTER, name), organization) is None:
            known = await self._host.read(lambda store: secret_names(store, organization), organization)
            hint = nearest(name, known) or "; `perdure secrets list` shows those that there are"
            raise NotFound(f"there is no secret {name!r} in organization {organization!r}{hint}")
        write = WriteCard(
            REGISTER,
            name,
            None,
            self._host.now_ms(),
            by(actor),
            "secret.removed",
            organization,
            writer=self._host.shell.worker,
            needs=needs(may),
        )
        await self._host.commit(write)

    async def rotate(self, *, actor: Actor = None) -> Rotated:
        """Wrap everything that is encrypted in the database, of all organizations, with the current key. Card by card, each
        durable by itself: cut off anywhere, it is run again and goes on. Meanwhile everything opens, with the keys of before.
        An actor has to be an admin of each organization that has members.
        """
        keys = self.keys()
        await self._host.read(lambda store: require_keys(store, keys))
        cards = await self._host.read(lambda store: {_place(card): card for card, _, _ in encrypted(store)})
        organizations = sorted({card.organization for card in cards.values()})
        what = "change the key of secrets"
        await self._host.read(lambda store: [acting_as(store, each, actor, (), what) for each in organizations])
        rotated, current, failed = 0, 0, []
        for card in cards.values():
            try:
                made = await self._rotated(card, keys, by(actor))
            except CannotOpen as error:
                failed.append((card.organization, card.id, str(error)))
                continue
            rotated, current = rotated + made, current + (not made)
        return Rotated(keys.current, rotated, current, tuple(failed))

    def encrypt(self, name: str, value: str, *, organization: str = "default") -> dict[str, Json]:
        """For a document that brings its own: `settings.secrets: {NAME: …}`. It opens in this organization and under this name
        alone. Nothing is kept, and the engine need not run.
        """
        check_texts(organization=organization)
        _check(name, value)
        keys = self.keys()
        sealed = keys.seal(value, about("inline", organization, name))
        return {"kind": "inlineEncrypted", "cipherText": sealed, "keyId": keys.current}

    async def to_sign_with(self, organization: str, name: str) -> str | None:
        """What the engine itself signs with, for the moment of signing; None: there is none. Raises `CannotOpen`."""
        card = await self._host.read(lambda store: store.card(organization, REGISTER, name), organization)
        return None if card is None else self.keys().open(card.data["sealed"], about("secret", organization, name))

    def keys(self) -> Keys:
        """Raises `Conflict` if there is none."""
        if self._host.keys is None:
            raise Conflict(
                f"there is no key to encrypt with: set {SECRET_KEY.name}, or {SECRET_KEY.file} to a file that has it; {MAKE_ONE}"
            )
        return self._host.keys

    async def _rotated(self, card: Card, keys: Keys, who: str) -> bool:
        """Whether there was something to do. Who changes the card meanwhile wins, and it is looked at again."""
        for _ in range(TRIES):
            wrapped = {
                name: keys.wrapped_anew(sealed, bound_to(card, name))
                for name, sealed in sealed_in(card)
                if key_id_of(sealed) != keys.current
            }
            if not wrapped:
                return False
            write = WriteCard(
                card.register,
                card.id,
                _with(card, wrapped),
                self._host.now_ms(),
                who,
                _ROTATED[card.register],
                card.organization,
                card.revision,
                {"keyId": keys.current},
                self._host.shell.worker,
            )
            if isinstance(await self._host.shell.commit(write), p.Committed):
                return True
            place = (card.organization, card.register, card.id)
            there = await self._host.read(methodcaller("card", *place), card.organization)
            if there is None:
                return False
            card = there
        raise Conflict(f"{card.id!r} is being changed all the time by others; run it again")


def bound_to(card: Card, name: str) -> bytes:
    """What a value in a card is about."""
    return about(card.register.removesuffix("s"), card.organization, name)


def _with(card: Card, wrapped: dict[str, str]) -> dict[str, Any]:
    """The card, with these values wrapped anew."""
    if card.register == REGISTER:
        return {**card.data, "sealed": wrapped[card.id]}
    signing = [{**each, "sealed": wrapped.get(each["name"], each["sealed"])} for each in card.data["signing"]]
    return {**card.data, "signing": signing}


def _place(card: Card) -> tuple[str, str, str]:
    return card.register, card.organization, card.id


def _secret(card: Card) -> Secret:
    return Secret(card.id, key_id_of(card.data["sealed"]), card.data["setAt"], card.data["setBy"])


def _check(name: str, value: str) -> None:
    """Raises `Refused`; the value is never shown."""
    problems = []
    if not NAME.fullmatch(name):
        told = "a name is letters, digits and _, does not begin with a digit, and has at most 100 characters"
        problems.append(Problem("invalid_name", f"{name!r} is no name for a secret: {told}", field="name"))
    if not value:
        problems.append(
            Problem("empty_value", "the value is empty; a secret has at least one character", field="value")
        )
    elif not is_whole(value):
        message = f"the value holds {name_unstorable(value)}, which cannot be kept"
        problems.append(Problem("not_a_character", message, field="value"))
    elif len(value.encode()) > VALUE_BYTES_MAX:
        problems.append(Problem("too_long", f"the value has more than {VALUE_BYTES_MAX:,} bytes", field="value"))
    if problems:
        raise Refused(problems, what="the secret cannot be set")
