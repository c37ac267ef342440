"""Forgetting what has long ended, a little at a time, and the feed: all facts by their position.

A position is never given again, so that whoever follows the feed can go on from the last one it has seen: the newest fact, the
newest event and the newest execution stay, however old they are.
"""

from __future__ import annotations

from typing import Any

import apsw

from perdure.store.sqlite.database import queries, transaction

FACTS_MAX = 20_000
"""So many facts, about, are deleted in one transaction: others want to write too."""

LOOKED_AT = 10
"""For each event that may be forgotten, so many are looked at."""

NEWEST = (1 << 63) - 1

_BELONGINGS = (
    *("forget_history", "forget_payloads", "forget_snapshot", "forget_consumed", "forget_dedups", "forget_deliveries"),
    *("forget_approvals", "forget_waits", "forget_uncalled", "forget_mail", "forget_keys", "forget_execution"),
)


def forget(connection: apsw.Connection, *, ended_before_ms: int, limit: int, crashes_max: int) -> int:
    """Forget at most `limit` executions that ended before, as many events, and models out of use. How many; 0: all is done."""
    return _Retention(connection, ended_before_ms, limit, crashes_max).forget()


def feed(connection: apsw.Connection, after: int, limit: int, organization: str | None = None) -> list[Any]:
    """Rows (pos, eid, execution, organization, seq, kind, parts, data) after a position."""
    sql = queries("retention.sql")
    if organization is None:
        return connection.execute(sql["feed"], (after, limit)).fetchall()
    return connection.execute(sql["feed_of"], (after, organization, limit)).fetchall()


class _Retention:
    def __init__(self, connection: apsw.Connection, before: int, limit: int, crashes_max: int) -> None:
        self._connection, self._before, self._limit, self._crashes_max = connection, before, limit, crashes_max
        self._sql = queries("retention.sql")

    def forget(self) -> int:
        with transaction(self._connection):
            forgotten = self._executions()
        with transaction(self._connection):
            forgotten += self._events()
            self._run("forget_workers", (self._before,))
        return forgotten or self._models()

    def _executions(self) -> int:
        given = {"before": self._before, "crashes": self._crashes_max, "limit": self._limit}
        count = facts = 0
        for eid, seq in self._all("ended", given):
            if facts >= FACTS_MAX:
                break
            for query in _BELONGINGS:
                self._run(query, (eid,))
            count, facts = count + 1, facts + seq
        return count

    def _events(self) -> int:
        owned = [self._number("looked_back_to_by", owner) for (owner,) in self._all("owners")]
        forgotten = 0
        for (organization,) in self._all("organizations"):
            floor = min(self._number("looked_back_to", organization), *owned, NEWEST)
            given = {
                "organization": organization,
                "floor": floor,
                "before": self._before,
                "limit": self._limit - forgotten,
                "looked_at": self._limit * LOOKED_AT,
            }
            forgotten += len(self._all("forget_events", given))
        return forgotten

    def _models(self) -> int:
        """Few: only versions that are not active. Whether an execution has one is asked before anybody is kept from writing."""
        forgotten = 0
        for (digest,) in self._all("models_out_of_use"):
            ((in_use, last),) = self._all("models_in_use", (digest,))
            if not in_use:
                with transaction(self._connection):
                    gone = self._all("forget_model", {"digest": digest, "last": last})
                    if gone:
                        self._run("forget_versions", (digest,))
                forgotten += len(gone)
        return forgotten

    def _number(self, query: str, about: str) -> int:
        found = self._all(query, {"about": about})
        return NEWEST if not found or found[0][0] is None else int(found[0][0])

    def _run(self, query: str, parameters: Any = ()) -> apsw.Cursor:
        return self._connection.execute(self._sql[query], parameters)

    def _all(self, query: str, parameters: Any = ()) -> list[Any]:
        return self._run(query, parameters).fetchall()
