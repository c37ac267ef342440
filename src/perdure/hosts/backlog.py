"""What a store still holds that nobody works on now: asked by a worker that is about to end because it has nothing to do.

A question about all organizations, which no list answers; asked in the thread of the writer.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from perdure.store.memory import MemoryStore
from perdure.store.sqlite.store import SqliteStore


class Due(Struct, frozen=True):
    execution: str
    at: int


_NEXT: Final = """
SELECT min(wake_at) FROM executions INDEXED BY executions_wake
WHERE owner IS NULL AND live = 1 AND wake_at > :now AND wake_at <= :until AND (status <> 'waiting' OR wake_at <= :horizon)
"""
_FIRST: Final = """
SELECT id, wake_at FROM executions INDEXED BY executions_wake WHERE owner IS NULL AND live = 1 AND wake_at IS NOT NULL
ORDER BY wake_at LIMIT 1
"""
_OPEN: Final = "SELECT count(*) FROM executions WHERE live = 1 AND ended_at IS NULL"


def next_due(store: MemoryStore | SqliteStore, now: int, horizon: int, until: int) -> int | None:
    """When the next execution wakes that is worth waiting for: any up to `horizon`; up to `until`, those that are not waiting for
    anything but their next attempt.
    """
    if isinstance(store, SqliteStore):
        found: int | None = store.connection.execute(_NEXT, {"now": now, "horizon": horizon, "until": until}).get
        return found
    times = [
        row.record.wake_at
        for row in store.stirring.values()
        if row.owner is None
        and row.record.live
        and row.record.wake_at is not None
        and now < row.record.wake_at <= (horizon if row.record.status == "waiting" else until)
    ]
    return min(times, default=None)


def first_due(store: MemoryStore | SqliteStore) -> Due | None:
    """Which execution wakes first of those that nobody has, and when."""
    if isinstance(store, SqliteStore):
        found = store.connection.execute(_FIRST).fetchone()
        return None if found is None else Due(*found)
    waking = [
        Due(row.record.id, row.record.wake_at)
        for row in store.stirring.values()
        if row.owner is None and row.record.live and row.record.wake_at is not None
    ]
    return min(waking, key=lambda due: due.at, default=None)


def open_count(store: MemoryStore | SqliteStore) -> int:
    """How many executions have not ended."""
    if isinstance(store, SqliteStore):
        count: int = store.connection.execute(_OPEN).get
        return count
    return sum(row.record.live and row.record.ended_at is None for row in store.stirring.values())
