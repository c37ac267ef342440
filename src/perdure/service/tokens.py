"""What keys and sessions have in common: how tokens are made, how their cards are found, and how long it is believed what one was
found to be.

A token is an id, which people call it by, and a secret of 256 bits. It is kept nowhere: the id of its card has its hash, and
whoever reads that can ask nothing with it.
"""

from __future__ import annotations

import secrets as chance
import string
import time
from collections.abc import Awaitable, Callable, Iterator
from hashlib import sha256
from typing import Final, Generic, TypeVar

import msgspec
from msgspec import Struct

from perdure.hosts.vault import PAGE
from perdure.store.questions import Questions
from perdure.store.registers import Card

ID_LENGTH, SECRET_LENGTH = 10, 43
LETTERS: Final = string.ascii_letters + string.digits
SMALL: Final = string.ascii_lowercase + string.digits
TRUSTED_SECONDS: Final = 1.0
"""So long it is believed what a token was found to be: whoever ends one in another process waits no longer than that."""

TRUSTED_MAX: Final = 10_000
LOOKED_AT: Final = 20
"""So many cards are looked at whenever another one is written, whether they are over."""

ROUNDS_MAX: Final = 10_000

Found = TypeVar("Found")
Data = TypeVar("Data")


def new_id() -> str:
    return "".join(chance.choice(SMALL) for _ in range(ID_LENGTH))


def new_secret() -> str:
    return "".join(chance.choice(LETTERS) for _ in range(SECRET_LENGTH))


def token_hash(token: str) -> str:
    """What its card is found by. Whoever reads that cannot make the token from it."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def every_card(
    store: Questions, organization: str, register: str, shape: type[Data], *, under: str = ""
) -> Iterator[tuple[Card, Data]]:
    """Those whose ids begin with `under`, with what they hold."""
    after = under
    while some := store.cards(organization, register, after, LOOKED_AT if under else PAGE):
        for card in some:
            if not card.id.startswith(under):
                return
            yield card, msgspec.convert(card.data, shape)
        after = some[-1].id


class Rounds:
    """Looks at the cards of a register, a few at a time, and when it is through, from the beginning. So what is over is found,
    and nobody waits for a look at all that there is.
    """

    def __init__(self, register: str) -> None:
        self._register = register
        self._after: dict[str, str] = {}
        """By organization: which card was looked at last."""

    def next(self, store: Questions, organization: str, shape: type[Data]) -> list[tuple[Card, Data]]:
        found = store.cards(organization, self._register, self._after.pop(organization, ""), LOOKED_AT)
        if len(found) == LOOKED_AT:
            if len(self._after) >= ROUNDS_MAX:
                self._after.clear()
            self._after[organization] = found[-1].id
        return [(card, msgspec.convert(card.data, shape)) for card in found]


class _Kept(Struct, Generic[Found], frozen=True):
    at: float
    over: int
    found: Found | None


class Trusted(Generic[Found]):
    """What tokens were found to be, by what their cards are found by. That nobody has one is remembered as well.

    How long it is believed goes by a clock that only goes forward (`seconds`): if that of the machine is set back, nothing is
    believed for longer.
    """

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._kept: dict[str, _Kept[Found]] = {}
        self._forgotten = 0

    async def find(self, id_: str, now: int, look: Callable[[], Awaitable[tuple[Found | None, int]]]) -> Found | None:
        """`look` finds it, and until when at most it is so, in epoch milliseconds."""
        kept = self._kept.get(id_)
        if kept is not None and self._seconds() - kept.at < TRUSTED_SECONDS and now < kept.over:
            return kept.found
        at, forgotten = self._seconds(), self._forgotten
        found, over = await look()
        if forgotten == self._forgotten:  # else it may have been looked at before it ended
            self._kept.pop(id_, None)
            if len(self._kept) >= TRUSTED_MAX:
                del self._kept[next(iter(self._kept))]
            self._kept[id_] = _Kept(at, over, found)
        return found

    def forget(self, id_: str) -> None:
        """It has ended, and that is durable."""
        self._forgotten += 1
        self._kept.pop(id_, None)

    def forget_all(self) -> None:
        """Somebody may not do any more what they might, or is gone, and that is durable."""
        self._forgotten += 1
        self._kept.clear()
