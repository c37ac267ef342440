"""On Postgres many write at once, and who began first may commit last. Nothing of it is skipped by whoever follows the feed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from store.words import advance, fact, held, one


@pytest.fixture
def url() -> str:
    return fresh_schema()


@pytest.fixture
def store(url: str) -> Iterator[InspectedPostgres]:
    with closing(InspectedPostgres(url, lease_ms=None)) as store:
        yield store


def test_what_commits_while_another_is_under_way_is_told_after_that(url: str, store: InspectedPostgres) -> None:
    held(store)
    with closing(store.reader()) as asked, psycopg.connect(url) as slow:
        one(store, advance(fact("before")))
        place = asked.feed(0, 10).reached
        slow.execute("SELECT pg_current_xact_id()")
        one(store, advance(fact("after"), after=1))
        assert asked.feed(place, 10).told == asked.feed(place, 10, "default").told == []
        assert asked.feed_place() < place_of_the_last(url)
        slow.rollback()
        assert [told.seq for told in asked.feed(place, 10).told] == [2]
        assert [told.seq for told in asked.feed(place, 10, "default").told] == [2]
        assert asked.feed_place() >= place_of_the_last(url)


def test_who_commits_late_is_told_of_and_in_order(url: str, store: InspectedPostgres) -> None:
    """The late one writes the fact itself: nothing may have been told by then that stands behind it."""
    held(store, "e1")
    held(store, "e2")
    with closing(store.reader()) as asked, psycopg.connect(url) as slow:
        slow.execute(
            "INSERT INTO history (pos, eid, seq, kind, data) SELECT place_of(pg_current_xact_id()) + 1, eid, 1, 'warning', "
            """'{"kind":"warning","at":1,"step":0,"message":"late"}' FROM executions WHERE id = 'e1'"""
        )
        one(store, advance(fact("early"), execution="e2"))
        first = asked.feed(0, 10)
        slow.commit()
        told = [*first.told, *asked.feed(first.reached, 10).told]
        assert [each.execution for each in told] == ["e1", "e2"]
        assert told[0].pos < told[1].pos


def place_of_the_last(url: str) -> int:
    with psycopg.connect(url) as looking:
        found = looking.execute("SELECT max(pos) FROM history").fetchone()
        assert found is not None
        return int(found[0])
