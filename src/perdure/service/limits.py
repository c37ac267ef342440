"""How much an organization may bring from outside: events, and executions that are started, run again or forked, over webhooks,
the API and MCP. What a program that embeds an engine does itself is not counted, nor what follows from something else: what
schedules, events and chains start, also if a chain is fired again.

The rate is a bucket of tokens for each organization, for each of its members and for each key: it holds what may come in a
minute, and fills up evenly. Each process has buckets of its own: an organization that comes to three servers may bring three
times as much. How many executions are open is counted in the database, for all processes together, and looked at again after a
second, so that it may be a little more than the most. Events are taken however many are open: somebody may wait for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import Final

from perdure.hosts.behalf import current_caller
from perdure.hosts.embedded import Host
from perdure.hosts.settings import Limits as Given
from perdure.service.errors import TooMany
from perdure.service.quotas import OpenRequests, Quota
from perdure.settings.table import WAITS

COUNT_SECONDS: Final = 1.0
"""So long a count of what is open is believed."""

OPEN_SECONDS: Final = 5
"""When to look again whether something has ended: nobody knows."""

BUCKETS_MAX: Final = 10_000
"""Of so many organizations, those are forgotten that have not come for a minute."""


class Bucket:
    """Tokens for one minute, of which each takes one. Time is in seconds."""

    def __init__(self, per_minute: int, now: float) -> None:
        self._capacity, self._a_second = float(per_minute), per_minute / 60
        self._tokens, self._at = self._capacity, now

    def take(self, count: int, now: float) -> float:
        """0: taken. Else nothing is, and so many seconds later there will be enough. What is more than all of it takes all."""
        wait = self.seconds_until(count, now)
        if not wait:
            self._tokens -= min(float(count), self._capacity)
        return wait

    def seconds_until(self, count: int, now: float) -> float:
        """Return how long it takes until so many can be taken; 0: now."""
        self._fill(now)
        return max(min(float(count), self._capacity) - self._tokens, 0.0) / self._a_second

    def is_full(self, now: float) -> bool:
        self._fill(now)
        return self._tokens >= self._capacity

    def _fill(self, now: float) -> None:
        self._tokens = min(self._tokens + max(now - self._at, 0.0) * self._a_second, self._capacity)
        self._at = now


class Limits:
    """`seconds` is a clock that only goes forward."""

    def __init__(self, host: Host, given: Given, seconds: Callable[[], float] = time.monotonic) -> None:
        self._host, self._given, self._seconds = host, given, seconds
        self._buckets: dict[tuple[str, ...], Bucket] = {}
        """By organization; by organization and member; by organization, member and key."""
        self._open: dict[str, tuple[float, int]] = {}
        """Of each organization: when it was counted, and how many there are with those let in since."""

        self.open_requests = OpenRequests(given.open_requests_max)
        """Those that wait, and live streams."""
        self.waits = Quota(
            "requests that wait",
            WAITS.name,
            organization_max=given.waits_max,
            member_max=given.member_waits_max,
            total=self.open_requests,
        )

    @contextmanager
    def waiting(self, organization: str) -> Iterator[None]:
        """Count a request that waits for a server of others, while this lasts. Work that no request waits for is not counted."""
        caller = current_caller()
        if caller is None:
            yield
            return
        with self.waits.taken(organization, caller.member):
            yield

    def arrive(self, organization: str, count: int = 1) -> None:
        """So many have come from outside; of which member and with which key, the context of the request knows. Nothing is taken
        of any rate, unless all of them allow it. Raises `TooMany`.
        """
        now, given, caller = self._seconds(), self._given, current_caller()
        of_organization = f"organization {organization!r}"
        limited: list[tuple[tuple[str, ...], int, str]] = [((organization,), given.rate_per_minute, of_organization)]
        if caller is not None:
            of_member = (organization, caller.member)
            limited.append((of_member, given.member_rate_per_minute, f"member {caller.member!r}"))
            if caller.key is not None:
                limited.append(((*of_member, caller.key), given.key_rate_per_minute, f"key {caller.key!r}"))
        buckets = [(self._bucket(key, rate, now), rate, whose) for key, rate, whose in limited if rate]
        for bucket, rate, whose in buckets:
            wait = bucket.seconds_until(count, now)
            if wait:
                raise TooMany(
                    f"rate limit exceeded: {rate:,} starts and events per minute for {whose}; retry in {ceil(wait)} s",
                    ceil(wait),
                )
        for bucket, _, _ in buckets:
            bucket.take(count, now)

    def _bucket(self, key: tuple[str, ...], rate: int, now: float) -> Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            self._make_room(now)
            bucket = self._buckets[key] = Bucket(rate, now)
        return bucket

    async def start(self, organization: str, key: str | None = None) -> None:
        """An execution is to be started from outside, under its idempotency key if it has one. One that is there already takes
        no room: whoever asks again is told of it, also if it was the last that could be started. Raises `TooMany`.
        """
        most = self._given.open_executions_max
        takes_room = most > 0 and not (key is not None and await self._is_there(organization, key))
        if takes_room and await self._open_count(organization, most) >= most:
            raise TooMany(
                f"organization {organization!r} may have {most:,} open executions, and has them; "
                "end or cancel some, or try again later",
                OPEN_SECONDS,
            )
        self.arrive(organization)
        if takes_room:
            at, count = self._open[organization]
            self._open[organization] = (at, count + 1)

    async def _is_there(self, organization: str, key: str) -> bool:
        return await self._host.read(lambda store: store.started_under(organization, key), organization) is not None

    async def _open_count(self, organization: str, most: int) -> int:
        at, count = self._open.get(organization, (-COUNT_SECONDS, 0))
        now = self._seconds()
        if now - at >= COUNT_SECONDS:
            found = await self._host.read(lambda store: store.open_count_of(organization, most), organization)
            if self._open.get(organization, (at, count)) == (
                at,
                count,
            ):  # else somebody has counted meanwhile, and let some in
                if len(self._open) >= BUCKETS_MAX:
                    self._open.clear()
                self._open[organization] = (now, found)
        return self._open[organization][1]

    def _make_room(self, now: float) -> None:
        if len(self._buckets) >= BUCKETS_MAX:
            self._buckets = {whose: each for whose, each in self._buckets.items() if not each.is_full(now)}
