"""The log of triggers at a server: what came in from outside, or when its time had come, and what became of it."""

from __future__ import annotations

from perdure.answers.triggers import TriggerAnswer, trigger_from
from perdure.client.channel import Channel, Query
from perdure.client.pages import bounds, page
from perdure.expressions.times import iso
from perdure.service.given import check_numbers
from perdure.service.paging import LIMIT, Page
from perdure.store.ledger import TriggerEntry, TriggerOutcome


class Triggers:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def list(
        self,
        *,
        outcome: TriggerOutcome | None = None,
        subject: str | None = None,
        since: int | None = None,
        until: int | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> Page[TriggerEntry]:
        """The newest first, as `Engine.triggers.list` tells them."""
        check_numbers(since=since, until=until)
        query: Query = {
            "outcome": outcome,
            "subject": subject,
            "since": None if since is None else iso(since),
            "until": None if until is None else iso(until),
            **bounds(limit, cursor),
        }
        return await page(self._channel, "triggers", shape=TriggerAnswer, read=trigger_from, query=query)
