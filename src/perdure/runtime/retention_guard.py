"""Retention guard: keeps a wrong clock from deleting what is not old.

Nothing is deleted by its age
1. in the first minutes of a process;
2. while this host's clock differs from the database's by more than a few seconds;
3. if at opening the clock was more than a day ahead of the newest stored row, or has gone forward by more than a day since:
   until the process has run for a day after that, or an operator has run `perdure db forget`. A database that was idle for a
   longer time looks the same.

The hold of rule 3 is a card in the database: rows that were written by a wrong clock would make it look right to the next
process. Every process honours the card; `perdure db forget` or a day of uptime removes it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar

from perdure.clock import Clock, steady_ms
from perdure.expressions.times import iso
from perdure.runtime.clock_watch import describe_skew
from perdure.runtime.conditions import Conditions
from perdure.store import port as p
from perdure.store.ledger import DAY_MS
from perdure.store.registers import WriteCard

START_SECONDS = 300.0
"""No retention for this long after the start of a process."""

TRUST_SECONDS: Final = 86_400.0
"""After this uptime a clock is trusted that seemed to be ahead."""

AHEAD_MAX_MS: Final = DAY_MS
SKEW_MAX_MS: Final = 5_000
"""Maximum difference from the database's clock."""

HELD: Final = "retention_held"
"""Code of the condition."""

REGISTER: Final = "retention"
CARD: Final = "hold"
ORGANIZATION: Final = "default"
"""Where the hold is stored."""

WRITER: Final = "perdure"
_MS: Final = 1_000
_log = logging.getLogger("perdure.tidying")

Answer = TypeVar("Answer")


class Access(Protocol):
    """The part of a worker that the guard needs."""

    @property
    def worker(self) -> str: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def conditions(self) -> Conditions: ...

    def read(self, question: Callable[[Any], Any], organization: str | None = None) -> Awaitable[Any]: ...

    def commit(self, item: p.Item) -> Awaitable[p.Outcome]: ...


class RetentionGuard:
    """Says whether, and as of when, things may be deleted by their age. `newest_ms`: as `Store.newest_ms` at opening."""

    def __init__(
        self,
        shell: Access,
        newest_ms: int | None,
        *,
        start_seconds: float | None = None,
        seconds: Callable[[], float] = time.monotonic,
        steady: Callable[[], int] = steady_ms,
    ) -> None:
        self._shell, self._clock, self._seconds, self._steady = shell, shell.clock, seconds, steady
        self._start_seconds = START_SECONDS if start_seconds is None else start_seconds
        self._began = seconds()
        now = self._clock.now_ms()
        self._base = now - steady()
        """From the steady clock to the time that was trusted last."""
        self._held_at: float | None = None
        """Since when retention has been held in this process, by `seconds`."""
        self._reason: str | None = None
        """Why this process has to store a hold."""
        self._is_skewed = False
        if newest_ms is not None and now - newest_ms > AHEAD_MAX_MS:
            days = (now - newest_ms) / DAY_MS
            self._reason = (
                f"the clock ({iso(now)}) is {days:.1f} days ahead of the newest stored row ({iso(newest_ms)})"
            )

    @property
    def pause_seconds(self) -> float:
        """How long it has to be waited at least for the first minutes to be over."""
        return max(self._began + self._start_seconds - self._seconds(), 0.0)

    async def permit(self) -> int | None:
        """Return the time by which things are old; None if nothing may be deleted now."""
        now = self._clock.now_ms()
        drift = now - self._steady() - self._base
        if drift > AHEAD_MAX_MS:
            self._reason = f"the clock has gone forward by {drift / DAY_MS:.1f} days, to {iso(now)}"
        if drift > AHEAD_MAX_MS or drift < 0:
            self._base += drift
        if self._reason is not None:
            await self._hold(self._reason, now)
            self._reason = None
        if self.pause_seconds > 0 or self._differs():
            return None
        return now if await self._is_released(now) else None

    @property
    def first_write(self) -> WriteCard | None:
        """The hold that has to be stored before this process writes anything: its rows would make a wrong clock look right."""
        return None if self._reason is None else self._item(self._reason, self._clock.now_ms())

    async def _hold(self, reason: str, now: int) -> None:
        await self._shell.commit(self._item(reason, now))
        self._report(reason)

    def _item(self, reason: str, now: int) -> WriteCard:
        data = {"since": iso(now), "reason": reason}
        return WriteCard(
            REGISTER,
            CARD,
            data,
            now,
            WRITER,
            "retention.held",
            ORGANIZATION,
            after=0,
            details=data,
            writer=self._shell.worker,
        )

    def _report(self, reason: str) -> None:
        self._held_at = self._seconds()
        said = (
            f"retention is off, and nothing is deleted: {reason}. Check the clock. Retention goes on when this process has run "
            "for 24 hours, or at once after `perdure db forget --older-than …`"
        )
        self._shell.conditions.set(HELD, said)
        _log.error("%s", said)

    def _differs(self) -> bool:
        """Whether this host and its database disagree about the time."""
        skew = self._clock.skew_ms or 0
        is_skewed = abs(skew) > SKEW_MAX_MS
        if is_skewed and not self._is_skewed:
            _log.error("retention is off, and nothing is deleted: %s", describe_skew(skew))
        self._is_skewed = is_skewed
        return is_skewed

    async def _is_released(self, now: int) -> bool:
        card = await self._shell.read(lambda store: store.card(ORGANIZATION, REGISTER, CARD))
        if card is None:
            if self._held_at is not None:
                _log.warning("retention goes on: `perdure db forget` or another process has ended the hold")
            self._end()
            return True
        if self._held_at is None:
            self._report(str(card.data.get("reason", "a hold is stored in the database")))
        assert self._held_at is not None
        if self._seconds() - self._held_at < TRUST_SECONDS:
            return False
        await self._shell.commit(release(now, WRITER, self._shell.worker))
        _log.warning("retention goes on: this process has run for 24 hours by the same clock")
        self._end()
        return True

    def _end(self) -> None:
        self._held_at = None
        self._shell.conditions.clear(HELD)


def release(now: int, by: str, writer: str) -> WriteCard:
    """Return the item that ends a hold."""
    return WriteCard(REGISTER, CARD, None, now, by, "retention.released", ORGANIZATION, writer=writer)
