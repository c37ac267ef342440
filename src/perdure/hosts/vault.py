"""Secrets as calls need them: found for the organization of an execution, opened, and kept in memory for a few seconds.

What a workflow says itself (`Workflow.secrets`) goes before what its organization has.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from perdure.hosts.envelopes import CannotOpen, KeyNotHere, Keys, about, key_id_of
from perdure.hosts.reading import Read, asked
from perdure.hosts.sealing import KIND as VARIABLE
from perdure.model import codec
from perdure.model.failure import Category, Failure
from perdure.model.secrets import SecretInline, SecretOf, SecretSource, sealed_variable
from perdure.model.values import Json
from perdure.store.questions import Questions
from perdure.store.registers import Card, Registers
from perdure.tasks.disguises import Disguises
from perdure.tasks.sealed import Filled, envelopes, filled, names

REGISTER: Final = "secrets"
WEBHOOKS: Final = "webhooks"
"""The register of webhooks, whose signing secrets are encrypted as secrets are."""

KEPT_SECONDS: Final = 5.0
"""So long an opened secret stays in memory. Whether it still is the one that is meant is asked for each call."""

PAGE: Final = 500
_MODELS_MAX: Final = 200


class WrongKey(CannotOpen, code="wrong_key"):
    """There are secrets in the database that none of the keys opens, which this process was given."""


class NoSecret(Exception):
    """A call cannot be made for want of a secret. `failure` is what becomes of it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class _Wanted(Struct, frozen=True):
    """A secret, as a workflow calls it, and what it is: encrypted, or None if there is none. `of`: of the organization.

    `kind`: of one that is not of the organization, whether it came with the document or was sealed by the execution.
    """

    name: str
    of: str | None
    sealed: str | None
    kind: str = "inline"
    is_variable: bool = False
    """Whether the workflow seals a variable of this name."""


class Vault:
    """`keys` None: nothing can be opened here, and a call that needs a secret fails."""

    def __init__(self, keys: Keys | None, read: Read) -> None:
        self._keys, self._read = keys, read
        self._sources: dict[str, tuple[Mapping[str, SecretSource], Collection[str]]] = {}
        """By digest: models never change."""
        self._opened: dict[tuple[str, str], Disguises] = {}
        """By what it is about, and how it is encrypted: what has been set anew is another one."""

    async def fill(self, execution: str, step: str, given: Json, sealed: Mapping[str, Any]) -> Filled:
        """The input of a call with its secrets in it. Raises `NoSecret`."""
        own = envelopes(sealed)
        wanted = tuple(name for name in names(sealed) if name not in own)
        organization, found = await asked(self._read, "secrets", lambda store: self._found(store, execution, wanted))
        found += [_Wanted(name, None, envelope, VARIABLE) for name, envelope in own.items()]
        who = f"step {step!r}"
        return filled(given, sealed, {each.name: self._value(organization, who, each) for each in found})

    async def values(self, organization: str, who: str, wanted: tuple[str, ...]) -> dict[str, Disguises]:
        """Secrets of an organization itself, for what is no step: `who` needs them. Raises `NoSecret`."""

        def found(store: Questions) -> list[_Wanted]:
            return [_looked_up(store, organization, name, {}) for name in wanted]

        looked_up = await asked(self._read, "secrets", found)
        return {each.name: self._value(organization, who, each) for each in looked_up}

    def forget(self) -> None:
        """What has been opened."""
        self._opened.clear()

    def _found(self, store: Questions, execution: str, wanted: tuple[str, ...]) -> tuple[str, list[_Wanted]]:
        record = store.record(execution)
        assert record is not None, "what is performed has been committed"
        sources = self._sources.get(record.digest)
        if sources is None:
            if len(self._sources) >= _MODELS_MAX:
                self._sources.clear()
            workflow = codec.decode(store.model(record.digest))
            sources = {each.name: each for each in workflow.secrets}, frozenset(workflow.reserved)
            self._sources[record.digest] = sources
        named, reserved = sources
        found = [_looked_up(store, record.organization, name, named) for name in wanted]
        return record.organization, [
            replace(one, is_variable=sealed_variable(one.name) in reserved) if reserved else one for one in found
        ]

    def _value(self, organization: str, who: str, wanted: _Wanted) -> Disguises:
        if wanted.sealed is None:
            raise NoSecret(_missing(organization, who, wanted))
        bound_to = about(
            *((wanted.kind, organization, wanted.name) if wanted.of is None else ("secret", organization, wanted.of))
        )
        place = (bound_to.decode(), wanted.sealed)
        known = self._opened.get(place)
        if known is not None:
            return known
        if self._keys is None:
            raise NoSecret(_no_key(who, wanted))
        try:
            value = Disguises(self._keys.open(wanted.sealed, bound_to))
        except CannotOpen as error:
            raise NoSecret(_not_opened(who, wanted, error)) from error
        self._opened[place] = value
        asyncio.get_running_loop().call_later(KEPT_SECONDS, self._opened.pop, place, None)
        return value


def _looked_up(store: Registers, organization: str, name: str, sources: Mapping[str, SecretSource]) -> _Wanted:
    match sources.get(name):
        case SecretInline(cipher_text=cipher_text):
            return _Wanted(name, None, cipher_text)
        case SecretOf(secret=secret):
            of = secret
        case None:
            of = name
    card = store.card(organization, REGISTER, of)
    return _Wanted(name, of, None if card is None else card.data["sealed"])


def _missing(organization: str, who: str, wanted: _Wanted) -> Failure:
    called = "" if wanted.of == wanted.name else f" (which this workflow calls {wanted.name!r})"
    or_seal = "; or seal it in a step before this one" if wanted.is_variable else ""
    return Failure(
        f"{who} needs the secret {wanted.of!r}{called}, which organization {organization!r} does not have; set it, "
        f"perdure secrets set {wanted.of}, and {_again(who)}{or_seal}",
        category=Category.SECURITY,
        code="MISSING_SECRET",
        retriable=False,
    )


def _no_key(who: str, wanted: _Wanted) -> Failure:
    return Failure(
        f"{who} needs the secret {wanted.name!r}, and this worker has no key to open it; start workers with "
        f"PERDURE_SECRET_KEY or PERDURE_SECRET_KEY_FILE, and {_again(who)}",
        category=Category.SECURITY,
        code="NO_SECRET_KEY",
        retriable=False,
    )


def _again(who: str) -> str:
    """A connection is also opened for whoever only looks at its tools."""
    return "retry the execution" if who.startswith("step ") else "try again"


def _not_opened(who: str, wanted: _Wanted, error: CannotOpen) -> Failure:
    # Another worker may have the key: while keys are changed, not all of them have the same.
    return Failure(
        f"{who} needs the secret {wanted.name!r}, which cannot be opened: {error}",
        category=Category.SECURITY,
        code="SECRET_NOT_OPENED",
        retriable=isinstance(error, KeyNotHere),
    )


def require_keys(store: Registers, keys: Keys) -> None:
    """Raises `WrongKey` if there are secrets that none of the keys opens: whoever starts with these was given the wrong ones."""
    locked = Counter(key for _, _, sealed in encrypted(store) if (key := _key_id(sealed)) not in keys.ids)
    if locked:
        told = ", ".join(f"{count} with key {key}" for key, count in sorted(locked.items()))
        raise WrongKey(
            f"the database holds what the keys of {keys.place} ({', '.join(keys.ids)}) do not open: {told}; add the "
            "missing key after the others, with a comma. Without any key the engine starts as well, and only what needs a "
            "secret fails"
        )


def encrypted(store: Registers) -> Iterator[tuple[Card, str, str]]:
    """Everything that is encrypted in the database, of all organizations: its card, what it is called, and the text."""
    for register in (REGISTER, WEBHOOKS):
        after = ("", "")
        while some := store.all_cards(register, after, PAGE):
            for card in some:
                yield from ((card, name, sealed) for name, sealed in sealed_in(card))
            after = (some[-1].organization, some[-1].id)


def secret_names(store: Registers, organization: str) -> tuple[str, ...]:
    found: list[str] = []
    while some := store.cards(organization, REGISTER, found[-1] if found else "", PAGE):
        found += [card.id for card in some]
    return tuple(found)


def sealed_in(card: Card) -> Iterator[tuple[str, str]]:
    """What is encrypted in a card, by name: a secret, or the signing secrets of a webhook."""
    if card.register == REGISTER:
        yield card.id, card.data["sealed"]
    for each in card.data.get("signing", ()):
        yield each["name"], each["sealed"]


def _key_id(sealed: str) -> str:
    try:
        return key_id_of(sealed)
    except CannotOpen:
        return "?"
