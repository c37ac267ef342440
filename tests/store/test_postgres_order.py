"""Several that write to one Postgres take the rows that they share in one order, and never wait for each other in a circle."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from msgspec.structs import replace

from perdure.model.workflow import Schedule, Workflow
from perdure.store import port as p
from perdure.store.ledger import MINUTE_MS, ROWS_A_MINUTE, LogTrigger, UseKey
from perdure.store.registers import Doer, WriteCard
from perdure.store.schedules import WriteSchedule
from perdure.store.versions import Kept, built
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


@contextmanager
def waiting_for(url: str, store: InspectedPostgres, items: list[p.Item], taken: str) -> Iterator[None]:
    """While the commit of these items waits for what somebody else has taken."""
    outcomes: list[p.Outcome] = []
    with psycopg.connect(url) as somebody:
        somebody.execute(taken)
        commit = threading.Thread(target=lambda: outcomes.extend(store.commit(items)))
        commit.start()
        try:
            _until_it_waits(url, commit)
            yield
        finally:
            somebody.rollback()
            commit.join()
            assert len(outcomes) == len(items)


def taken_while_it_waits(url: str, store: InspectedPostgres, items: list[p.Item], waits: str, other: str) -> bool:
    """Whether `other` is taken while the commit of these items waits for a row that somebody else has."""
    with waiting_for(url, store, items, f"SELECT 1 FROM {waits} FOR UPDATE"):
        return is_taken(url, other)


def _until_it_waits(url: str, commit: threading.Thread, waiting: int = 1) -> None:
    until = time.monotonic() + SOON_SECONDS
    with psycopg.connect(url, autocommit=True) as looking:
        while len(looking.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall()) < waiting:
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


# Cards, workflows, and the ledger.


def card(id_: str, *needs: str) -> WriteCard:
    return WriteCard(
        "notes", id_, {}, T0, "user:ann", "note.written", needs=tuple(("members", each, 0) for each in needs)
    )


def lock_of(member: str) -> str:
    return f"worker_lock('card:members:default:{member}')"


def take_lock(member: str) -> str:
    return f"SELECT pg_advisory_xact_lock({lock_of(member)})"


def is_locked(url: str, member: str) -> bool:
    with psycopg.connect(url) as other:
        return other.execute(f"SELECT pg_try_advisory_xact_lock({lock_of(member)})").fetchall() == [(False,)]


def test_cards_are_taken_in_one_order(url: str, store: InspectedPostgres) -> None:
    items: list[p.Item] = [card("one", "ops"), card("two", "ann")]
    with waiting_for(url, store, items, take_lock("ann")):
        assert not is_locked(url, "ops")


def test_cards_come_before_all_else(url: str, store: InspectedPostgres) -> None:
    store.keep(built(Workflow("orders"), "default", T0))
    held(store, owner=BOB)
    needs = (("members", "ann", 0),)
    adds = WriteSchedule("orders", "a", None, Schedule("a", every_ms=1_000), T0, "user:ann", needs=needs)
    with waiting_for(url, store, [deliver(), adds], take_lock("ann")):
        assert not is_taken(url, execution("e1"))
        assert not is_taken(url, "workflows")


def test_workflows_come_before_their_schedules(url: str, store: InspectedPostgres) -> None:
    store.keep(built(Workflow("orders"), "default", T0))
    there = [Schedule(name, every_ms=1_000) for name in ("a", "b")]
    store.commit([WriteSchedule("orders", each.id, None, each, T0, "user:ann") for each in there])
    changes: list[p.Item] = [WriteSchedule("orders", each.id, each, None, T0, "user:ann") for each in there]
    assert not taken_while_it_waits(url, store, changes, waits="workflows", other="schedules")


def test_uses_of_keys_are_written_in_one_order_and_after_all_else(url: str, store: InspectedPostgres) -> None:
    held(store, owner=BOB)
    store.commit([UseKey("a", T0), UseKey("b", T0)])
    a, b = "key_uses WHERE id = 'a'", "key_uses WHERE id = 'b'"
    uses: list[p.Item] = [UseKey("b", T0 + MINUTE_MS), UseKey("a", T0 + MINUTE_MS)]
    assert not taken_while_it_waits(url, store, uses, waits=a, other=b)
    assert not taken_while_it_waits(url, store, [*uses, deliver()], waits=execution("e1"), other=b)


def test_what_is_counted_on_rows_of_the_log_is_written_in_one_order_and_after_all_else(
    url: str, store: InspectedPostgres
) -> None:
    held(store, owner=BOB)
    for whose in ("acme", "default"):
        store.commit([LogTrigger(T0, "hook", "wh", "rejected", organization=whose)] * ROWS_A_MINUTE)
    last = "trigger_log WHERE pos = (SELECT max(pos) FROM trigger_log WHERE organization = '{}')"
    acme, default = last.format("acme"), last.format("default")
    more: list[p.Item] = [LogTrigger(T0, "hook", "wh", "rejected", organization=each) for each in ("default", "acme")]
    assert not taken_while_it_waits(url, store, more, waits=acme, other=default)
    assert not taken_while_it_waits(url, store, [*more, deliver()], waits=execution("e1"), other=acme)
    assert store.ask("SELECT times FROM trigger_log WHERE times > 1") == [(3,), (3,)]


def test_a_version_that_was_kept_in_a_circle_is_kept_again(url: str) -> None:
    """Whoever writes otherwise than in order has taken the workflow, and wants a card that is taken by whoever keeps the version."""
    with closing(InspectedPostgres(f"{url}%20-cdeadlock_timeout%3D10ms", lease_ms=None)) as store:
        store.keep(built(Workflow("orders"), "default", T0))
        for member in ("ann", "ops"):
            one(store, WriteCard("members", member, {}, T0, "user:ann", "member.added"))
        by = Doer("user:ann", needs=(("members", "ann", 1), ("members", "ops", 1)))
        kept: list[object] = []
        keeps = threading.Thread(
            target=lambda: kept.append(
                store.keep(replace(built(Workflow("orders", steps_max=5), "default", T0), by=by))
            )
        )
        with psycopg.connect(url) as between, psycopg.connect(f"{url}%20-cdeadlock_timeout%3D1min") as otherwise:
            between.execute(take_lock("ops"))
            otherwise.execute("SELECT 1 FROM workflows FOR UPDATE")
            keeps.start()
            _until_it_waits(url, keeps)
            wants = threading.Thread(target=lambda: otherwise.execute(take_lock("ann")))
            wants.start()
            _until_it_waits(url, wants, waiting=2)
            between.rollback()
            wants.join()
            otherwise.rollback()
            keeps.join()
        assert isinstance(kept[0], Kept)
