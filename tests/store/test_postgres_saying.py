"""What is said to Postgres at once: what goes wrong in the middle of it harms nothing that comes after."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.errors import DivisionByZero

from perdure.core.commands import OpenWait
from perdure.store import port as p
from perdure.store.postgres.database import Connected, brisk_transaction
from perdure.store.postgres.saying import say
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from store.words import ANN, T0, advance, deliver, fact, held, pending

PREPARED_AFTER = 5
"""So often psycopg says a statement before it has it prepared."""


@pytest.fixture
def url() -> str:
    return fresh_schema()


@pytest.fixture
def opened(url: str) -> Iterator[InspectedPostgres]:
    store = InspectedPostgres(url, lease_ms=None)
    yield store
    store.close()


def test_what_goes_wrong_first_is_raised_and_the_rest_is_not_done(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        connection.execute("CREATE TABLE said (word text)")
        wrong = [("INSERT INTO said VALUES ('one')", ()), ("SELECT 1 / 0", ()), ("INSERT INTO said VALUES ('two')", ())]
        with pytest.raises(DivisionByZero):
            say(connection, wrong)
        assert connection.execute("SELECT count(*) FROM said").fetchone() == (0,)
    assert caplog.records == []


def test_a_look_that_was_disturbed_while_it_was_being_prepared_is_followed_by_others(
    opened: InspectedPostgres, url: str
) -> None:
    held(opened)
    for _ in range(PREPARED_AFTER):
        opened.poll(ANN, now=T0, limit=10)
    asking = opened.connected().info.backend_pid
    with psycopg.connect(url) as in_the_way, psycopg.connect(url, autocommit=True) as other:
        in_the_way.execute("LOCK TABLE events IN ACCESS EXCLUSIVE MODE")
        disturbing = threading.Thread(target=_cancel, args=(other, asking))
        disturbing.start()
        with pytest.raises(p.Unavailable):
            opened.poll(ANN, now=T0, limit=10)
        disturbing.join()
    assert [opened.poll(ANN, now=T0, limit=10).mail for _ in range(PREPARED_AFTER + 2)] == [()] * (PREPARED_AFTER + 2)


def _cancel(other: psycopg.Connection, backend: int) -> None:
    _until_it_waits(other, backend)
    other.execute("SELECT pg_cancel_backend(%s)", (backend,))


def _until_it_waits(watching: psycopg.Connection, backend: int) -> None:
    waits = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
    while watching.execute(waits, (backend,)).fetchone() != (True,):
        pass


def test_two_that_stood_in_each_others_way_try_again_at_once(opened: InspectedPostgres, url: str) -> None:
    for execution in ("a", "b"):
        held(opened, execution)
    with psycopg.connect(url) as other:
        other.execute("SET deadlock_timeout = '10min'")  # so it is not this one that is ended
        other.execute("INSERT INTO idempotency (organization, key, execution) VALUES ('default', 'k', 'somebody')")
        opened.connected.tell(("SET deadlock_timeout = '20ms'", ()))
        backend = opened.connected().info.backend_pid
        circle = threading.Thread(target=_take, args=(other, url, backend))
        circle.start()
        items: list[p.Item] = [deliver("x", "a"), deliver("y", "b"), p.Create(pending("new"), None, key="k")]
        outcomes = opened.commit(items)
        circle.join()
    assert outcomes == [p.Committed(), p.Committed(), p.Duplicate("somebody")]
    assert opened.connected().info.backend_pid != backend, "it was ended, and has come again"


def _take(other: psycopg.Connection, url: str, backend: int) -> None:
    """What the other one has, once that waits for what this one has."""
    with psycopg.connect(url, autocommit=True) as watching:
        _until_it_waits(watching, backend)
    other.execute("SELECT 1 FROM executions WHERE id = 'a' FOR UPDATE")
    other.commit()


def test_whoever_stops_in_the_middle_of_a_transaction_is_cut_off(url: str) -> None:
    store = InspectedPostgres(url, lease_ms=None)
    held(store)
    stopped = Connected(url, lease_ms=50)

    def stop_in_the_middle() -> None:
        with brisk_transaction(stopped):
            stopped.ask(("SELECT pg_advisory_xact_lock_shared(1)", ()))
            while store.ask("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 1"):
                pass

    with pytest.raises(psycopg.Error):
        stop_in_the_middle()
    assert stopped.ask(("SELECT 1", ()))[0].fetchone() == (1,)
    store.close()
    stopped.close()


def test_an_execution_that_is_advanced_after_it_was_looked_back_for_keeps_its_order(opened: InspectedPostgres) -> None:
    held(opened)
    opens = p.Changes(waits_opened=(OpenWait(1, "order.paid", look_back=True),))
    assert opened.commit([advance(fact(), changes=opens)]) == [p.Committed()]
    again = advance(fact(), after=1, changes=opens)
    assert opened.commit([p.LookedBack("e1", 1, T0, ()), again]) == [p.Committed(), p.Committed()]
    assert [found.op for found in opened.poll(ANN, now=T0, limit=5).lookbacks] == [1]
