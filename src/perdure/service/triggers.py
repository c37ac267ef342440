"""The log of triggers: what came in from outside, or when its time had come, and what became of it.

What is accepted is written with what it starts. What is not is written by itself, and not each time: after as many rows as an
organization has for an outcome in a minute, one row in a second says how many there were.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from perdure.hosts.embedded import Host
from perdure.service import paging
from perdure.service.acting import MEMBERS, Actor, acting
from perdure.service.errors import Conflict
from perdure.service.given import check_numbers, check_texts
from perdure.service.paging import LIMIT, Page
from perdure.store.ledger import ROWS_A_MINUTE, LogTrigger, TriggerEntry, TriggerOutcome, WantedTriggers
from perdure.store.questions import Questions

OUTCOMES: Final[tuple[str, ...]] = get_args(TriggerOutcome)
MINUTE_SECONDS: Final = 60.0
AGAIN_SECONDS: Final = 1.0
TALLIES_MAX: Final = 10_000


class Incoming(Struct, frozen=True):
    """A request from outside, which limits count and the log tells of, as a server calls it. A program that embeds an engine and
    speaks for itself has none.
    """

    request_id: str | None = None
    traceparent: str | None = None
    """Of which trace it is, as W3C Trace Context has it; one that is none is left out."""


class _Tally:
    """What of one outcome of an organization has come in this minute."""

    def __init__(self, now: float) -> None:
        self.since = self.told_at = now
        self.told = self.untold = 0


class Tallies:
    """Which of those that come too often are written, and for how many each stands. Time is in seconds."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str], _Tally] = {}

    def told(self, item: LogTrigger, now: float) -> LogTrigger | None:
        """What is to be written; None: it is told with the next that is."""
        key = (item.organization, item.outcome)
        tally = self._tallies.get(key)
        if tally is None:
            if len(self._tallies) >= TALLIES_MAX:
                self._tallies.clear()
            tally = self._tallies[key] = _Tally(now)
        if now - tally.since >= MINUTE_SECONDS:
            tally.since, tally.told = now, 0
        if tally.told >= ROWS_A_MINUTE and now - tally.told_at < AGAIN_SECONDS:
            tally.untold += item.times
            return None
        times, tally.untold = item.times + tally.untold, 0
        tally.told, tally.told_at = tally.told + 1, now
        return replace(item, times=times)


class Triggers:
    """`seconds` is a clock that only goes forward."""

    def __init__(self, host: Host, seconds: Callable[[], float] = time.monotonic) -> None:
        self._host, self._seconds = host, seconds
        self._tallies = Tallies()

    async def list(
        self,
        *,
        organization: str = "default",
        outcome: TriggerOutcome | None = None,
        subject: str | None = None,
        since: int | None = None,
        until: int | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
        actor: Actor = None,
    ) -> Page[TriggerEntry]:
        """The newest first. `subject` is the id of a webhook, the type of an event, or a schedule, as `workflow/schedule`. Times
        are epoch milliseconds, from the one on, before the other. An actor has to be a member.
        """
        check_texts(organization=organization, outcome=outcome, subject=subject)
        check_numbers(since=since, until=until)
        if outcome is not None and outcome not in OUTCOMES:
            raise Conflict(f"{outcome!r} is no outcome of a trigger; say one of {', '.join(OUTCOMES)}")
        (before,) = (None,) if cursor is None else paging.place(cursor, tuple[int])
        count = paging.checked(limit)
        wanted = WantedTriggers(organization, count + 1, before, outcome, subject, since, until)

        def look(store: Questions) -> list[TriggerEntry]:
            if not isinstance(actor, str) or store.cards(organization, MEMBERS, "", 1):
                acting(store, organization, actor)
            return store.triggers(wanted)

        found = await self._host.read(look, organization)
        return Page(tuple(found[:count]), paging.cursor(found[count - 1].place) if len(found) > count else None)

    async def note(self, item: LogTrigger) -> None:
        """What was not accepted, and why. It is durable when this returns, or told with the next one."""
        told = self._tallies.told(item, self._seconds())
        if told is not None:
            await self._host.commit(told)
