"""Forgetting what has long ended, a little at a time.

A position in the feed is never given again, so that whoever follows it can go on from the last one it has seen: the newest
fact, the newest event and the newest execution stay, however old they are.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from msgspec import Struct

from perdure.store.port import Tally
from perdure.store.sql import rows
from perdure.store.sql.statements import Statements

FACTS_EACH, FACTS_LEAST = 10, 500
"""So many facts for each execution, and at least so many, are deleted in one transaction: others want to write too. A longer
execution goes at once for whoever asks for it, and its facts part by part.
"""

LOOKED_AT = 10
"""For each event that may be forgotten, so many are looked at."""

NEWEST = (1 << 63) - 1
ENDED = ("completed", "failed", "cancelled")

_MANY = ("forget_history", "forget_payloads", "forget_consumed", "forget_dedups", "forget_deliveries")
"""What there can be very much of."""

_ITSELF = (
    *("forget_snapshot", "forget_approvals", "forget_waits", "forget_uncalled", "forget_mail", "forget_keys"),
    "forget_execution",
)


class Bounds(Struct, frozen=True):
    """What may be forgotten, as `Store.forget` says, and how much of it at once."""

    ended_before_ms: int
    events_before_ms: int | None
    limit: int
    crashes_max: int
    statuses: tuple[str, ...] = ()


class Retention:
    """`transaction` begins one, `sql` writes in it."""

    def __init__(
        self,
        sql: Statements,
        transaction: Callable[[], AbstractContextManager[object]],
        bounds: Bounds,
        tally: Tally | None = None,
    ) -> None:
        self._sql, self._transaction, self._tally = sql, transaction, Tally() if tally is None else tally
        self._before, self._limit, self._crashes_max = bounds.ended_before_ms, bounds.limit, bounds.crashes_max
        self._events_before, self._statuses = bounds.events_before_ms, bounds.statuses
        self._facts_max = max(FACTS_LEAST, bounds.limit * FACTS_EACH)

    def count(self) -> int:
        """How many executions could be forgotten now."""
        return int(self._sql.all("count_ended", self._given())[0][0])

    def forget(self) -> int:
        """At most `limit` executions that ended before, as many events, and models out of use. How many; 0: all is done."""
        with self._transaction():
            forgotten = self._part()
            executions = 0 if forgotten else self._executions()
        self._tally.executions += executions
        forgotten += executions
        if self._statuses or forgotten >= self._limit:  # whoever asks again comes to the rest
            return forgotten
        with self._transaction():
            events = self._events()
            self._sql.run("forget_workers", (self._before,))
        self._tally.events += events
        forgotten += events
        return forgotten or self._models()

    def _given(self) -> dict[str, Any]:
        return {
            "before": self._before,
            "crashes": self._crashes_max,
            "statuses": rows.text(self._statuses or ENDED),
        }

    def _part(self) -> int:
        """Of what was too long to go at once, some more. Whether there was something."""
        ((eid,),) = self._sql.all("left")
        if eid is None:
            return 0
        ((seq,),) = self._sql.all("part", {"eid": eid, "limit": self._facts_max})
        if seq is not None:
            self._sql.run("forget_part_of_payloads", {"eid": eid, "seq": seq})
            self._sql.run("forget_part_of_history", {"eid": eid, "seq": seq})
        else:
            self._sql.each_of_all((*_MANY, "forget_leaving"), [(eid,)])
        return 1

    def _executions(self) -> int:
        chosen: list[int] = []
        facts = 0
        for eid, seq in self._sql.all("ended", {**self._given(), "limit": self._limit}):
            if chosen and facts + seq > self._facts_max:
                break
            chosen.append(eid)
            facts += seq
        if chosen:
            self._sql.run("note_forgotten", (rows.text(chosen),))
            what = ("leave",) if facts > self._facts_max else _MANY
            self._sql.each_of_all((*what, *_ITSELF), [(eid,) for eid in chosen])
        return len(chosen)

    def _events(self) -> int:
        owned = [self._number("looked_back_to_by", owner) for (owner,) in self._sql.all("owners")]
        forgotten = 0
        for (organization,) in self._sql.all("organizations"):
            looked_back_to = min(self._number("looked_back_to", organization), *owned, NEWEST)
            given = {
                "organization": organization,
                "floor": looked_back_to if self._events_before is None else NEWEST,
                "before": self._before if self._events_before is None else self._events_before,
                "limit": self._limit - forgotten,
                "looked_at": self._limit * LOOKED_AT,
            }
            forgotten += len(self._sql.all("forget_events", given))
        return forgotten

    def _models(self) -> int:
        """Few: only versions that are not active. Whether an execution has one is asked before anybody is kept from writing."""
        forgotten = 0
        for (digest,) in self._sql.all("models_out_of_use"):
            ((in_use, last),) = self._sql.all("models_in_use", (digest,))
            if not in_use:
                with self._transaction():
                    gone = self._sql.all("forget_model", {"digest": digest, "last": last})
                    if gone:
                        self._sql.run("forget_versions", (digest,))
                forgotten += len(gone)
                self._tally.models += len(gone)
        return forgotten

    def _number(self, query: str, about: str) -> int:
        found = self._sql.all(query, {"about": about})
        return NEWEST if not found or found[0][0] is None else int(found[0][0])
