"""The feed, by the places of facts in the history of all."""

from __future__ import annotations

from typing import Any

from perdure.store.feed import LOOKED_AT, Fed, Glimpse, Told, glimpse_in
from perdure.store.port import Unreadable
from perdure.store.sql.statements import Statements


class SqlFeed:
    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def after(self, place: int, limit: int, organization: str | None) -> Fed:
        if organization is None:
            told = self._told("feed", (place, limit))
            return Fed(told, told[-1].pos if told else place)
        (reached,) = self._sql.one("feed_reached", (place, LOOKED_AT))
        if reached is None:
            return Fed([], place)
        told = self._told("feed_of", (place, reached, organization, limit))
        return Fed(told, told[-1].pos if len(told) == limit else reached)

    def _told(self, query: str, given: tuple[Any, ...]) -> list[Told]:
        return [
            Told(pos, execution, organization, workflow, digest, seq, kind, self._glimpse(eid, seq, data))
            for pos, eid, execution, organization, workflow, digest, seq, kind, data in self._sql.all(query, given)
        ]

    def _glimpse(self, eid: int, seq: int, data: str) -> Glimpse | Unreadable:
        """What is kept apart is only read where nothing else of the fact is there."""
        return glimpse_in(data or "".join(piece for (piece,) in self._sql.all("payload", (eid, seq))))

    def forgotten_up_to(self, organization: str) -> int:
        found = self._sql.one("forgotten_up_to", (organization,))
        return 0 if found is None else int(found[0])
