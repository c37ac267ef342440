"""Items that cannot be stored cost the others of their batch a few transactions, however many they are."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from perdure.hosts.stores import Opened
from perdure.model.records import EventRecord
from perdure.runtime import ports, writer
from perdure.runtime.writer import Writer
from perdure.store import port as p
from perdure.store.memory import MemoryStore
from perdure.store.postgres.store import PostgresStore
from perdure.store.sqlite.store import SqliteStore
from poison.injection import SOON, Fault, break_postgres, break_sqlite, until
from poison.test_batches import VALUE_ERRORS, batch, engine_on, parked
from postgres import fresh_schema
from store.words import ANN, COMMITTED, T0, pending

MANY = 400
BAD = 20


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(writer, "PAUSE_SECONDS_MAX", 0.01)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    made: Opened = (
        SqliteStore(str(tmp_path / "flows.db")) if request.param == "sqlite" else PostgresStore(fresh_schema())
    )
    yield made
    made.close()


def count_calls(store: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the transactions of a store: how many items each has."""
    calls: list[int] = []

    def counted(commit: Callable[..., Any]) -> Callable[..., Any]:
        def call(items: Sequence[p.Item], *given: Any) -> Any:
            calls.append(len(items))
            return commit(items, *given)

        return call

    monkeypatch.setattr(store, "commit", counted(store.commit))
    monkeypatch.setattr(store, "commit_apart", counted(store.commit_apart))
    return calls


def write(store: p.Store, items: tuple[p.Item, ...]) -> list[p.Outcome]:
    delivered: Queue[list[ports.Input]] = Queue()
    at_work = Writer(store, ANN, delivered.put, lambda: T0, lambda _: None, works=False)
    at_work.start()
    at_work.submit(items)
    outcomes: list[p.Outcome] = []
    while len(outcomes) < len(items):
        for given in delivered.get(timeout=SOON):
            assert isinstance(given, ports.Answer)
            outcomes += given.outcomes
    at_work.stop()
    at_work.join(SOON)
    return outcomes


def publishes(count: int, is_bad: Callable[[int], bool]) -> tuple[p.Item, ...]:
    return tuple(
        p.Publish(EventRecord(f"e{number}", "paid\ud800" if is_bad(number) else "paid", T0)) for number in range(count)
    )


@pytest.mark.parametrize("bad", [1, BAD, MANY])
def test_bad_items_cost_three_transactions(store: Opened, bad: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_calls(store, monkeypatch)

    def is_bad(number: int) -> bool:
        return number % (MANY // bad) == 0

    outcomes = write(store, publishes(MANY, is_bad))
    assert [isinstance(outcome, p.Refused) for outcome in outcomes] == [is_bad(number) for number in range(MANY)]
    assert {outcome for outcome in outcomes if not isinstance(outcome, p.Refused)} <= {COMMITTED}
    assert calls == [MANY, MANY, bad]
    again = store.commit(publishes(MANY, lambda _: False))
    assert sum(isinstance(outcome, p.Duplicate) for outcome in again) == MANY - bad, "all others are written"


def test_an_id_that_cannot_be_stored_is_found_too(store: Opened) -> None:
    """Its row cannot even be locked beforehand."""
    items = (*publishes(2, lambda _: False), p.HandOver("x\ud800", ANN, 1), p.HandOver("y", ANN, 1))
    committed, _, refused, fenced = write(store, items)
    assert committed == COMMITTED
    assert isinstance(refused, p.Refused)
    assert isinstance(fenced, p.Fenced)


@pytest.mark.parametrize("kept", ["sqlite", "postgres"])
def test_an_item_that_heals_at_its_second_try_is_not_parked(kept: str, tmp_path: Path) -> None:
    """It fails in its batch, in its group and alone, and then no more."""
    engine, gate = engine_on(f"sqlite:///{tmp_path}/flows.db" if kept == "sqlite" else fresh_schema())
    fault = Fault(VALUE_ERRORS["ValueError"], times=3)

    async def scenario() -> None:
        async with engine:
            if kept == "sqlite":
                await break_sqlite(engine, fault)
            else:
                await break_postgres(engine, "22021", times=3)
            executions = await batch(engine, gate)
            for execution in executions:
                await execution.result()
            assert await parked(engine) == []
            assert engine.host.shell.counts.parked == 0

    asyncio.run(asyncio.wait_for(scenario(), SOON))
    assert fault.left == (0 if kept == "sqlite" else 3)


def test_a_reason_does_not_quote_our_statements() -> None:
    engine, gate = engine_on(fresh_schema())

    async def scenario() -> None:
        async with engine:
            await break_postgres(engine, "22021")
            await batch(engine, gate)

            async def is_parked() -> bool:
                return bool(await parked(engine))

            await until(is_parked)
            (one,) = await parked(engine)
            assert one.waiting is not None
            assert one.waiting.on is not None
            assert "injected" in one.waiting.on
            assert "CONTEXT" not in one.waiting.on
            assert "\n" not in one.waiting.on

    asyncio.run(asyncio.wait_for(scenario(), SOON))


@pytest.mark.parametrize("how", ["together", "one by one"])
def test_a_batch_that_is_too_large_for_postgres_is_written_in_parts(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p, "BATCH_BYTES_MAX", 100_000)
    store = PostgresStore(fresh_schema())
    calls = count_calls(store, monkeypatch)
    text = '"' * 20_000  # 40,000 characters of JSON
    items: tuple[p.Item, ...] = (
        tuple(p.Create(pending(f"e{number}", input=text), ANN) for number in range(10))
        if how == "together"
        else tuple(p.Publish(EventRecord(f"e{number}", "paid", T0, text)) for number in range(10))
    )
    assert write(store, items) == [COMMITTED] * 10
    assert calls == [10, 3, 7, 3, 4, 3, 1]
    store.close()


class Weak(MemoryStore):
    """Takes no more than so many items in one transaction, and says only that it is unavailable."""

    items_max = 3
    is_away = False

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[int] = []
        self.tries = 0
        self.tried_often = threading.Event()

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        self.tries += 1
        if self.tries > 3 * writer.FAILURES_TO_SPLIT:
            self.tried_often.set()
        if self.is_away or len(items) > self.items_max:
            raise p.Unavailable("a message is too long, or a statement has taken too long")
        if items:
            self.taken.append(len(items))
        return super().commit(items)


def test_a_batch_that_a_store_never_takes_is_split_and_nothing_is_refused() -> None:
    store = Weak()
    assert write(store, tuple(p.Create(pending(f"e{number}"), ANN) for number in range(10))) == [COMMITTED] * 10
    assert store.taken == [2, 3, 2, 3]


def test_a_batch_is_not_split_while_the_store_is_away() -> None:
    store = Weak()
    store.is_away, store.items_max = True, 100

    def come_back() -> None:
        assert store.tried_often.wait(SOON)
        store.is_away = False

    back = threading.Thread(target=come_back)
    back.start()
    assert write(store, tuple(p.Create(pending(f"e{number}"), ANN) for number in range(10))) == [COMMITTED] * 10
    back.join(SOON)
    assert store.taken == [10]


def test_a_batch_that_has_taken_too_long_is_split_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SECONDS_TO_SPLIT", -1.0)
    store = Weak()
    begun = time.monotonic()
    assert write(store, tuple(p.Create(pending(f"e{number}"), ANN) for number in range(6))) == [COMMITTED] * 6
    assert store.taken == [3, 3]
    assert store.tries == 4, f"one that fails, an empty one and two halves, in {time.monotonic() - begun:.1f} s"
