"""Quotas for requests that stay open: waits for executions, and live streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from perdure.service.errors import TooMany
from perdure.settings.table import CONNECTIONS

RETRY_SECONDS = 5


class OpenRequests:
    """Number of open requests of all kinds and organizations, in one process."""

    def __init__(self, most: int) -> None:
        self.most, self.count = most, 0


class Quota:
    """Number of open requests of one kind of each organization and of each of its members, in one process. `total` is what
    several quotas share. `kind` names the requests in messages, and `setting` what raises the maximum.
    """

    def __init__(self, kind: str, setting: str, *, organization_max: int, member_max: int, total: OpenRequests) -> None:
        self._kind, self._setting = kind, setting
        self._organization_max, self._member_max, self._total = organization_max, member_max, total
        self._counts: Counter[tuple[str, str | None]] = Counter()
        """By organization and member; None: all members of the organization."""

    @contextmanager
    def taken(self, organization: str, member: str | None) -> Iterator[None]:
        """Count one while this lasts. Raises `TooMany`."""
        self.take(organization, member)
        try:
            yield
        finally:
            self.free(organization, member)

    def take(self, organization: str, member: str | None) -> None:
        """`member`: None on one's own machine, where nobody says who they are. Raises `TooMany`."""
        if self._counts[organization, None] >= self._organization_max:
            self._refuse(f"organization {organization!r} has {self._organization_max} {self._kind} open")
        if member is not None and self._counts[organization, member] >= self._member_max:
            self._refuse(f"{member} has {self._member_max} {self._kind} open, the maximum for one member")
        if self._total.count >= self._total.most:
            raise TooMany(
                f"{self._total.most} requests stay open on this server; try again later, or let the operator raise "
                f"{CONNECTIONS.name}",
                RETRY_SECONDS,
            )
        self._total.count += 1
        self._counts.update(_keys(organization, member))

    def free(self, organization: str, member: str | None) -> None:
        self._total.count -= 1
        for key in _keys(organization, member):
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]

    def _refuse(self, why: str) -> None:
        raise TooMany(f"{why}; try again later, or let the operator raise {self._setting}", RETRY_SECONDS)


def _keys(organization: str, member: str | None) -> list[tuple[str, str | None]]:
    return [(organization, None)] if member is None else [(organization, None), (organization, member)]
