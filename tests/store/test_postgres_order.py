"""Several that write to one Postgres take the rows that they share in one order, and never wait for each other in a circle."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from perdure.model.workflow import Schedule, Workflow
from perdure.store import port as p
from perdure.store.versions import built
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from store.words import ANN, BOB, COMMITTED, T0, advance, approval, deliver, event, fact, held, one, vote, waiting

SOON_SECONDS = 10.0
EVENT, ASKED = "events WHERE id = 'ev1'", "approvals WHERE id = 'e1-ask-1'"


SCHEDULE = "schedules WHERE id = '{}'"


def execution(id_: str) -> str:
    return f"executions WHERE id = '{id_}'"


@pytest.fixture
def url() -> str:
    return fresh_schema()


@pytest.fixture
def store(url: str) -> Iterator[InspectedPostgres]:
    with closing(InspectedPostgres(url, lease_ms=None)) as store:
        yield store


def is_taken(url: str, rows: str) -> bool:
    with psycopg.connect(url) as other:
        try:
            found = other.execute(f"SELECT 1 FROM {rows} FOR UPDATE NOWAIT").fetchall()
        except psycopg.errors.LockNotAvailable:
            return True
        assert found, rows
        return False


def taken_while_it_waits(url: str, store: InspectedPostgres, items: list[p.Item], waits: str, other: str) -> bool:
    """Whether `other` is taken while the commit of these items waits for what somebody else has."""
    outcomes: list[p.Outcome] = []
    with psycopg.connect(url) as somebody:
        somebody.execute(f"SELECT 1 FROM {waits} FOR UPDATE")
        commit = threading.Thread(target=lambda: outcomes.extend(store.commit(items)))
        commit.start()
        try:
            _until_it_waits(url, commit)
            return is_taken(url, other)
        finally:
            somebody.rollback()
            commit.join()
            assert len(outcomes) == len(items)


def _until_it_waits(url: str, commit: threading.Thread) -> None:
    until = time.monotonic() + SOON_SECONDS
    with psycopg.connect(url, autocommit=True) as looking:
        while not looking.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall():
            assert commit.is_alive(), "it did not wait"
            assert time.monotonic() < until, "it does not wait"


def test_who_routes_an_event_takes_no_execution_before_it(url: str, store: InspectedPostgres) -> None:
    waiting(store, (1, "order.*", False))
    one(store, p.Publish(event()))
    items: list[p.Item] = [deliver(), p.Route(event(), T0, ("e1",), ())]
    assert not taken_while_it_waits(url, store, items, waits=EVENT, other=execution("e1"))


def test_who_settles_an_approval_takes_no_execution_before_it(url: str, store: InspectedPostgres) -> None:
    held(store)
    assert one(store, advance(fact(), changes=p.Changes(approvals_opened=(approval(),)))) == COMMITTED
    settles = advance(fact(), after=1, changes=p.Changes(approvals_settled=((1, "reject"),)))
    assert not taken_while_it_waits(url, store, [settles], waits=ASKED, other=execution("e1"))


def test_who_decides_approvals_takes_them_in_one_order(url: str, store: InspectedPostgres) -> None:
    held(store)
    asked = (approval(1), approval(2))
    assert one(store, advance(fact(), changes=p.Changes(approvals_opened=asked))) == COMMITTED
    items: list[p.Item] = [vote("ann", asked="e1-ask-2"), vote("ann", asked="e1-ask-1")]
    other = "approvals WHERE id = 'e1-ask-2'"
    assert not taken_while_it_waits(url, store, items, waits=ASKED, other=other)


def test_who_writes_to_executions_takes_them_in_one_order(url: str, store: InspectedPostgres) -> None:
    held(store, "e1", owner=BOB)
    held(store, "e2", owner=BOB)
    items: list[p.Item] = [deliver("to the second", "e2"), deliver("to the first", "e1")]
    assert not taken_while_it_waits(url, store, items, waits=execution("e1"), other=execution("e2"))


def test_who_writes_to_another_execution_takes_its_own_in_order(url: str, store: InspectedPostgres) -> None:
    held(store, "e2")
    held(store, "e1", owner=BOB)
    tells = p.Changes(messages=(deliver("done", "e1").message,))
    items: list[p.Item] = [advance(fact(), execution="e2", owner=ANN, changes=tells)]
    assert not taken_while_it_waits(url, store, items, waits=execution("e1"), other=execution("e2"))


def test_what_is_written_together_is_taken_in_one_order(url: str, store: InspectedPostgres) -> None:
    held(store, "e1")
    held(store, "e2")
    items: list[p.Item] = [advance(fact(), execution="e2"), advance(fact(), execution="e1")]
    assert not taken_while_it_waits(url, store, items, waits=execution("e1"), other=execution("e2"))


def test_what_is_taken_in_order_is_written(store: InspectedPostgres) -> None:
    waiting(store, (1, "order.*", False))
    one(store, p.Publish(event()))
    outcomes = store.commit([deliver(), p.Route(event(), T0, ("e1",), ()), p.Route(event(), T0, ("e1",), ())])
    assert outcomes == [COMMITTED, COMMITTED, p.Duplicate("ev1")]


def test_schedules_come_in_their_order_and_before_all_else(url: str, store: InspectedPostgres) -> None:
    every = [Schedule(name, every_ms=1_000) for name in ("b", "a")]
    store.keep(built(Workflow("orders", schedules=tuple(every)), "default", T0))
    held(store)
    rows = {row.schedule.id: row for row in store.poll(ANN, now=T0 + 1_000, limit=10).schedules}
    fires: list[p.Item] = [p.Fire("orders", name, rows[name].digest, T0 + 1_000, T0 + 2_000) for name in ("b", "a")]
    items = [advance(fact()), *fires]
    assert not taken_while_it_waits(url, store, items, SCHEDULE.format("a"), SCHEDULE.format("b"))
    again = [advance(fact(), after=1), *fires]
    assert not taken_while_it_waits(url, store, again, SCHEDULE.format("a"), execution("e1"))
