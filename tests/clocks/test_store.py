"""What a store on Postgres leaves to others while the clock of its host is far off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from perdure.model.workflow import Schedule, Workflow
from perdure.store import port as p
from perdure.store.postgres.store import PostgresStore
from perdure.store.versions import NewVersion
from postgres import fresh_schema
from store.words import ANN, T0, advance, deliver, fact, one, pending, running

MINUTE = 60_000


class Host:
    takes_due = True


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def store(host: Host) -> Iterator[Any]:
    opened = PostgresStore(fresh_schema(), lease_ms=None, seconds=lambda: 0.0, takes_due=lambda: host.takes_due)
    with closing(opened):
        yield opened


def _asleep(store: Any, execution: str, wake_at: int) -> None:
    one(store, p.Create(pending(execution), ANN))
    record = running(execution, 1, wake_at=wake_at)
    one(store, advance(fact(), execution=execution, record=record, release=True))


def test_what_is_due_is_left_and_what_has_mail_is_taken(store: Any, host: Host) -> None:
    _asleep(store, "due", T0)
    _asleep(store, "told", T0)
    host.takes_due = False
    assert store.claim(ANN, now=T0 + 1, limit=10) == []
    store.stirs(ANN, now=T0 + 1)
    assert p.ToDo.CLAIM not in store.stirs(ANN, now=T0 + 1)
    one(store, deliver(execution="told"))
    assert p.ToDo.CLAIM in store.stirs(ANN, now=T0 + 1)
    assert [claim.record.id for claim in store.claim(ANN, now=T0 + 1, limit=10)] == ["told"]
    host.takes_due = True
    assert "due" in [claim.record.id for claim in store.claim(ANN, now=T0 + 1, limit=10)]


def test_a_schedule_that_is_due_is_left(store: Any, host: Host) -> None:
    store.keep(NewVersion("tick", Workflow("tick", schedules=(Schedule("s", every_ms=MINUTE),)), "model", T0))
    host.takes_due = False
    assert store.poll(ANN, now=T0 + MINUTE, limit=10).schedules == ()
    host.takes_due = True
    assert len(store.poll(ANN, now=T0 + MINUTE, limit=10).schedules) == 1


def test_a_store_tells_the_time_of_its_database(store: Any) -> None:
    (expected,) = store._fetched("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
    assert 0 <= store.database_ms() - expected < 10_000
