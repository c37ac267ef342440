"""Retention guard: keeps a wrong clock from deleting what is not old.

Nothing is deleted by its age
1. in the first minutes of a process;
2. while this host's clock differs from the database's by more than a few seconds;
3. if at opening the clock was more than a day ahead of the newest stored row, or has gone forward by more than a day since:
   until the process has run for a day after that, or an operator has run `perdure db forget --trust-clock`. A database that
   was idle for a longer time looks the same.

The hold of rule 3 is a card in the database: rows that were written by a wrong clock would make it look right to the next
process. So it is committed with the first rows that this process writes by such a clock, or before them, also by a process that
only asks. Every process honours the card; `perdure db forget --trust-clock` or a day of uptime removes it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from threading import Lock
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

from perdure.clock import Clock, steady_ms
from perdure.expressions.times import iso
from perdure.runtime.clock_watch import describe_skew
from perdure.runtime.conditions import Conditions
from perdure.store import port as p
from perdure.store.ledger import DAY_MS
from perdure.store.registers import Card, WriteCard

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


class HoldData(Struct, frozen=True):
    """Data of the card that holds retention."""

    since: str
    reason: str


class RetentionGuard:
    """Says whether, and as of when, things may be deleted by their age. `newest_ms`: as `newest_evidence_ms` at opening."""

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
        self._lock = Lock()
        self._reason: str | None = None
        """Why this process holds retention, until it has reported it."""
        self._unwritten: WriteCard | None = None
        """The hold, until it is stored."""
        self._is_skewed = False
        if newest_ms is not None and now - newest_ms > AHEAD_MAX_MS:
            self._has_to_hold(describe_lead(now, newest_ms), now)

    @property
    def pause_seconds(self) -> float:
        """How long it has to be waited at least for the first minutes to be over."""
        return max(self._began + self._start_seconds - self._seconds(), 0.0)

    async def permit(self) -> int | None:
        """Return the time by which things are old; None if nothing may be deleted now."""
        item, reason, now = self.first_write(), self._reason, self._clock.now_ms()
        if item is not None:
            await self._shell.commit(item)
            self.has_written(item)
        if reason is not None:
            self._report(reason)
            self._reason = None
        if self.pause_seconds > 0 or self._differs():
            return None
        return now if await self._is_released(now) else None

    async def trusts_clock(self) -> bool:
        """Return whether no process has found its clock wrong. Only then are keys and sessions deleted that have expired; unlike
        retention, that does not wait for the first minutes after the start.
        """
        if self.first_write() is not None or abs(self._clock.skew_ms or 0) > SKEW_MAX_MS:
            return False
        return await self._stored_hold() is None

    def first_write(self) -> WriteCard | None:
        """Return the hold, if it has to be stored before this process writes anything else: its rows would make a wrong clock
        look right. Safe to call from any thread.
        """
        with self._lock:
            now = self._clock.now_ms()
            drift = now - self._steady() - self._base
            if drift > AHEAD_MAX_MS:
                self._has_to_hold(f"the clock has gone forward by {drift / DAY_MS:.1f} days, to {iso(now)}", now)
            if drift > AHEAD_MAX_MS or drift < 0:
                self._base += drift
            return self._unwritten

    def has_written(self, item: p.Item) -> None:
        with self._lock:
            if self._unwritten is item:
                self._unwritten = None

    def _has_to_hold(self, reason: str, now: int) -> None:
        data = msgspec.to_builtins(HoldData(iso(now), reason))
        self._reason = reason
        self._unwritten = WriteCard(
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
            "for 24 hours, or at once after `perdure db forget --older-than … --trust-clock`"
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
        card = await self._stored_hold()
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

    async def _stored_hold(self) -> Card | None:
        card: Card | None = await self._shell.read(lambda store: store.card(ORGANIZATION, REGISTER, CARD))
        return card

    def _end(self) -> None:
        self._held_at = None
        self._shell.conditions.clear(HELD)


def describe_lead(now: int, newest_ms: int, whose: str = "") -> str:
    """Say by how much a clock is ahead of the newest stored row."""
    days = (now - newest_ms) / DAY_MS
    return f"the clock{whose} ({iso(now)}) is {days:.1f} days ahead of the newest stored row ({iso(newest_ms)})"


class Witness(Protocol):
    """The part of a store that knows when something was written last."""

    def newest_ms(self) -> int | None: ...

    def last_lease_ms(self, now: int) -> int | None: ...


def newest_evidence_ms(store: Witness, now: int, lease_ms: int) -> int | None:
    """Return the time of the newest stored row, or of the last heartbeat of a living worker, if that is newer. None: nothing is
    stored.
    """
    newest, lease = store.newest_ms(), store.last_lease_ms(now)
    return newest if newest is None or lease is None else max(newest, lease - lease_ms)


def release(now: int, by: str, writer: str) -> WriteCard:
    """Return the item that ends a hold."""
    return WriteCard(REGISTER, CARD, None, now, by, "retention.released", ORGANIZATION, writer=writer)
