"""Requests that carry a key: one answer for all that come with the same key and the same request, for a day.

Whoever is told `Mine` does the work, and then gives the answer, or withdraws if nothing was done. Verbs that are done under a key
have to be idempotent by themselves, as `store.ledger` says: if the process dies in between, the next one does the work again.
Who does not know whether it was done does neither, and the promise is void in time.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from perdure.hosts.embedded import Host
from perdure.ids import derived
from perdure.runtime.waiters import OutcomeUnknown
from perdure.service.errors import Conflict
from perdure.service.given import check_texts
from perdure.store import port as p
from perdure.store.ledger import Answer, Answered, GiveAnswer, PromiseAnswer, Promised, WithdrawPromise, too_long

PROMISE_SECONDS: Final = 60
"""So long a promise holds: after that, the process that made it is taken for dead."""

WORK_SECONDS: Final = 50
"""So long whoever has promised may be at it. What they have sent to the database by then is there when the promise is void."""

KEY_LENGTH_MAX: Final = 200


class Mine(Struct, frozen=True):
    """Nobody has done it. Whoever is told so does, and says what came of it. `key` is what the ledger has it under."""

    organization: str
    key: str
    by: str


class UnderWay(Struct, frozen=True):
    """Somebody is at it. Most of what is done takes no time; if its process has died, its promise is void in the end."""

    retry_after_seconds: int = 1


class Differs(Struct, frozen=True):
    """The key was used for another request."""


Begun: TypeAlias = Mine | Answered | UnderWay | Differs


def request_hash(method: str, route: str, body: bytes) -> str:
    """By which a request is known. `route` is the path with its query: the same body for another thing is another request."""
    digest = sha256()
    for part in (method.encode(), route.encode("utf-8", "replace"), body):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


class Answers:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def begin(
        self,
        key: str,
        request: str,
        *,
        organization: str = "default",
        whose: tuple[str, ...] = (),
        at: int | None = None,
    ) -> Begun:
        """`request` is its hash. `whose` says who uses the key: the same one of somebody else is another. `at` is now, in epoch
        milliseconds. Raises `Conflict` for what is no key.
        """
        check_texts(key=key, organization=organization)
        if not key or len(key) > KEY_LENGTH_MAX or not key.isprintable():
            raise Conflict(
                f"an idempotency key has 1 to {KEY_LENGTH_MAX} characters that can be printed, not {key!r:.300}"
            )
        key = derived(msgspec.json.encode((*whose, key)).decode())
        now = self._host.now_ms() if at is None else at
        by = f"{self._host.shell.worker}/{self._host.fresh_id()}"
        promise = PromiseAnswer(key, request, by, now, now + PROMISE_SECONDS * 1_000, organization)
        while True:
            there = await self._host.read(lambda store: store.answer_of(organization, key), organization)
            told = None if there is None else _told(there, request, now)
            if told is not None:
                return told
            try:
                promised = await self._host.commit(promise)
            except OutcomeUnknown:  # the promise may still be made, and is not kept
                self._host.shell.submit(WithdrawPromise(key, by, organization))
                raise
            if not isinstance(promised, p.Duplicate):
                return Mine(organization, key, by)
            there = await self._host.read(lambda store: store.answer_of(organization, key), organization)
            if isinstance(there, Promised) and there.request == request:
                return UnderWay()  # whatever the clock here says
            # answered or withdrawn in this very moment

    async def give(self, mine: Mine, answer: Answer, *, at: int | None = None) -> bool:
        """Whether it is kept. Not, if somebody else has taken the request over, or if it is too long: then the key is free, and
        whoever comes with it does again what was done, and finds it.
        """
        if too_long(answer) is not None:
            await self.withdraw(mine)
            return False
        given = GiveAnswer(mine.key, mine.by, self._host.now_ms() if at is None else at, answer, mine.organization)
        return isinstance(await self._host.shell.commit(given), p.Committed)

    async def withdraw(self, mine: Mine) -> None:
        """Nothing was done: the key is free again."""
        await self._host.commit(WithdrawPromise(mine.key, mine.by, mine.organization))


def _told(there: Promised | Answered, request: str, now: int) -> Begun | None:
    """None: it may be tried."""
    if there.request != request:
        return Differs()
    if isinstance(there, Answered):
        return there
    return UnderWay() if now < there.until else None
