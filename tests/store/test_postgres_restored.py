"""A database whose stored transaction numbers are ahead of those of its server, as after a restore, goes on behind them."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from perdure.store import port as p
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from store.words import COMMITTED, event, one

AHEAD = 5_000_000_000


def numbers_of(url: str) -> tuple[int, int, bool]:
    """The newest stored number, the next one, and whether a snapshot of now has seen the newest."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT (SELECT max(pos) >> 24 FROM events), base_place() >> 24, "
            "pg_visible_in_snapshot((SELECT transaction_of(max(pos)) FROM events), seen_now())"
        ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1]), bool(row[2])


def test_new_positions_lie_behind_the_stored_ones(caplog: pytest.LogCaptureFixture) -> None:
    url = fresh_schema()
    with closing(InspectedPostgres(url, lease_ms=None)) as store:
        assert one(store, p.Publish(event("first"))) == COMMITTED
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE events SET pos = pos + (%s::bigint << 24)", (AHEAD,))
    for number in range(2):  # the second opening has nothing left to do
        caplog.clear()
        with closing(InspectedPostgres(url, lease_ms=None)) as store:
            assert ("restored from another server" in caplog.text) == (number == 0)
            stored, following, has_seen = numbers_of(url)
            assert stored >= AHEAD
            assert following > stored
            assert has_seen
            assert one(store, p.Publish(event(f"later-{number}"))) == COMMITTED
    with psycopg.connect(url) as connection:
        ids = connection.execute("SELECT id FROM events ORDER BY pos").fetchall()
    assert ids == [("first",), ("later-0",), ("later-1",)]
