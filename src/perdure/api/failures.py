"""Sign-ins that have failed, counted by where they come from: whoever guesses has to wait. Who has a good key never has: behind a
proxy all come from one address, and nobody there keeps the others out.

What is counted is bounded: of very many addresses those are forgotten first that have waited longest. A network that is handed
out as one (/64 of IPv6) counts as one address.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import Final

from perdure.service.errors import TooMany
from perdure.service.limits import Bucket

PER_MINUTE: Final = 20
ADDRESSES_MAX: Final = 10_000


class Failures:
    """`seconds` is a clock that only goes forward."""

    def __init__(self, per_minute: int = PER_MINUTE, seconds: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._seconds = per_minute, seconds
        self._buckets: dict[str, Bucket] = {}

    def failed(self, address: str) -> None:
        """A sign-in has failed. Raises `TooMany`, if too many have by now."""
        place, now = _network(address), self._seconds()
        bucket = self._buckets.pop(place, None) or Bucket(self._per_minute, now)
        if len(self._buckets) >= ADDRESSES_MAX:
            del self._buckets[next(iter(self._buckets))]
        self._buckets[place] = bucket  # the last of all now
        wait = bucket.take(1, now)
        if wait:
            raise TooMany(f"too many sign-ins from here have failed; try again in {ceil(wait)} s", ceil(wait))

    def succeeded(self, address: str) -> None:
        self._buckets.pop(_network(address), None)


def _network(address: str) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), 64), strict=False))
