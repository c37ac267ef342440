"""When retention may delete: after the first minutes, by a clock that can be trusted."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perdure.clock import CONFIRM_MS, Clock
from perdure.runtime.conditions import Conditions
from perdure.runtime.retention_guard import (
    CARD,
    HELD,
    ORGANIZATION,
    REGISTER,
    START_SECONDS,
    TRUST_SECONDS,
    RetentionGuard,
    release,
)
from perdure.runtime.tidying import Kept, tidy
from perdure.runtime.waiters import OutcomeUnknown
from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.store.memory import MemoryStore

BEGIN, DAY_MS = 1_800_000_000_000, 86_400_000


class Worker:
    """One worker on a store in memory, by clocks that the test sets."""

    worker = "worker-1"

    def __init__(self, store: MemoryStore | None = None, shift: int = 0) -> None:
        self.store, self.conditions = store or MemoryStore(), Conditions()
        self.elapsed, self.shift, self.skew = 0, shift, 0
        self.clock = Clock(lambda: BEGIN + self.elapsed + self.shift, lambda: self.elapsed)

    def guard(self, newest: int | None) -> RetentionGuard:
        return RetentionGuard(self, newest, seconds=lambda: self.elapsed / 1_000, steady=lambda: self.elapsed)

    async def read(self, question: Callable[[Any], Any], organization: str | None = None) -> Any:
        del organization
        return question(self.store)

    async def commit(self, item: p.Item) -> p.Outcome:
        return self.store.commit([item])[0]

    def after(self, seconds: float) -> None:
        self.elapsed += int(seconds * 1_000)


def permitted(guard: RetentionGuard) -> int | None:
    return asyncio.run(guard.permit())


@pytest.mark.parametrize("newest", [None, BEGIN, BEGIN - DAY_MS, BEGIN + 400 * DAY_MS])
def test_nothing_goes_in_the_first_minutes_and_then_what_is_old(newest: int | None) -> None:
    worker = Worker()
    guard = worker.guard(newest)
    worker.after(START_SECONDS - 1)
    assert permitted(guard) is None
    assert guard.pause_seconds == 1
    worker.after(1)
    assert permitted(guard) == BEGIN + worker.elapsed
    assert worker.conditions.active() == {}
    assert guard.pause_seconds == 0


def test_a_clock_a_day_ahead_is_trusted_after_a_day_of_uptime(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker()
    guard = worker.guard(BEGIN - 100 * DAY_MS)
    assert permitted(guard) is None
    assert "100.0 days ahead of the newest stored row" in worker.conditions.active()[HELD]
    worker.after(TRUST_SECONDS - 1)
    assert permitted(guard) is None
    assert [record.levelno for record in caplog.records] == [logging.ERROR], "it is said once"
    worker.after(1)
    assert permitted(guard) == BEGIN + worker.elapsed
    assert worker.conditions.active() == {}
    assert permitted(worker.guard(BEGIN + worker.elapsed)) is None, "the next one has its first minutes"
    assert worker.store.card("default", "retention", "hold") is None


def test_a_hold_outlives_its_process_and_ends_by_an_operator() -> None:
    """The next process finds rows by the same clock, and nothing unusual but the hold."""
    first = Worker()
    assert permitted(first.guard(BEGIN - 100 * DAY_MS)) is None
    second = Worker(first.store)
    guard = second.guard(BEGIN)
    second.after(START_SECONDS)
    assert permitted(guard) is None
    assert "100.0 days ahead" in second.conditions.active()[HELD]
    first.store.commit([release(BEGIN, "ann", "cli")])
    assert permitted(guard) == BEGIN + second.elapsed
    assert second.conditions.active() == {}


def test_a_clock_that_goes_forward_by_more_than_a_day_while_it_runs_is_held() -> None:
    worker = Worker()
    guard = worker.guard(BEGIN)
    worker.after(START_SECONDS)
    assert permitted(guard) is not None
    worker.shift = 100 * DAY_MS
    assert permitted(guard) == BEGIN + worker.elapsed, "the clock does not follow yet"
    worker.after(CONFIRM_MS / 1_000)
    assert permitted(guard) is None
    assert "gone forward by 100.0 days" in worker.conditions.active()[HELD]
    worker.after(TRUST_SECONDS)
    assert permitted(guard) == BEGIN + worker.elapsed + worker.shift


def test_a_clock_that_goes_back_and_forward_again_is_held() -> None:
    worker = Worker(shift=100 * DAY_MS)
    guard = worker.guard(None)
    worker.after(START_SECONDS)
    assert permitted(guard) is not None
    for shift in (0, 100 * DAY_MS):
        worker.shift = shift
        worker.clock.now_ms()
        worker.after(CONFIRM_MS / 1_000)
        found = permitted(guard)
        assert found == (BEGIN + worker.elapsed if shift == 0 else None)


def test_nothing_goes_while_host_and_database_disagree(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker()
    worker.clock.measure(lambda: BEGIN + worker.elapsed)
    guard = worker.guard(BEGIN)
    worker.after(START_SECONDS)
    expected = {0: True, 4_000: True, 6_000: False, -6_000: False, 100 * DAY_MS: False, 1_000: True}
    for shift, is_permitted in expected.items():
        worker.shift = shift
        assert permitted(guard) == (BEGIN + worker.elapsed if is_permitted else None), "it goes by the database"
    assert caplog.text.count("retention is off") == 1


def test_a_process_that_only_writes_stores_the_hold_before_its_first_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are as new as the wrong clock says, so that the next worker would believe that clock."""
    url = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.events.send({"type": "order.placed", "payload": {}})
        monkeypatch.setattr("perdure.clock.wall_ns", lambda: time.time_ns() + 100 * 86_400 * 1_000_000_000)
        async with Engine(url, works=False) as client:
            await client.executions.list()
            assert await _hold(client) is None, "nothing was written"
            await client.events.send({"type": "order.placed", "payload": {}})
            assert await _hold(client) is not None
        async with Engine(url, keep_days=90) as engine:
            assert await _hold(engine) is not None

    asyncio.run(asyncio.wait_for(scenario(), 30))


@pytest.mark.parametrize("works", [True, False])
def test_the_hold_is_stored_with_the_first_row_by_a_time_that_was_followed(
    works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the process ends before its next round of retention, and by a process that only asks."""
    url = f"sqlite:///{tmp_path}/flows.db"
    monkeypatch.setattr("perdure.clock.CONFIRM_MS", 50)
    wall = [time.time_ns]
    monkeypatch.setattr("perdure.clock.wall_ns", lambda: wall[0]())

    async def scenario() -> None:
        async with Engine(url, works=works) as engine:
            await engine.events.send({"type": "order.placed", "payload": {}})
            wall[0] = lambda: time.time_ns() + 100 * 86_400 * 1_000_000_000
            before = engine.host.now_ms()
            await engine.events.send({"type": "order.placed", "payload": {}})
            assert await _hold(engine) is None, "the jump is not followed yet"
            await _until(lambda: engine.host.now_ms() > before + DAY_MS)
            await engine.events.send({"type": "order.placed", "payload": {}})
            assert await _hold(engine) is not None
        async with Engine(url, keep_days=90) as engine:
            assert await _hold(engine) is not None

    asyncio.run(asyncio.wait_for(scenario(), 30))


def test_a_living_worker_shows_that_an_idle_database_has_no_wrong_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker by another clock shows nothing, nor does one that has left."""
    url = f"sqlite:///{tmp_path}/flows.db"
    ahead = [100]
    monkeypatch.setattr("perdure.clock.wall_ns", lambda: time.time_ns() + ahead[0] * 86_400 * 1_000_000_000)

    async def send(*, is_held: bool) -> None:
        async with Engine(url, works=False) as client:
            await client.events.send({"type": "order.placed", "payload": {}})
            assert (await _hold(client) is not None) == is_held

    async def scenario() -> None:
        ahead[0] = 0
        await send(is_held=False)
        ahead[0] = 3
        async with Engine(url) as server:
            await _until(lambda: HELD in server.conditions)
            await server.host.shell.commit(release(server.host.now_ms(), "ann", "cli"))
            await send(is_held=False)
            ahead[0] = 100
            await send(is_held=True)
            await server.host.shell.commit(release(server.host.now_ms(), "ann", "cli"))
        ahead[0] = 200
        await send(is_held=True)

    asyncio.run(asyncio.wait_for(scenario(), 30))


async def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110  no event tells it
        await asyncio.sleep(0.01)


async def _hold(engine: Engine) -> Any:
    return await engine.host.read(lambda store: store.card(ORGANIZATION, REGISTER, CARD))


def test_tidying_survives_a_write_whose_outcome_is_unknown() -> None:
    asked: list[int] = []

    class Guard:
        pause_seconds = 0.001

        async def permit(self) -> int | None:
            asked.append(1)
            if len(asked) == 1:
                raise OutcomeUnknown("the database has not confirmed it")
            return None

    async def ask(question: Any) -> Any:
        raise AssertionError(question)

    async def scenario() -> None:
        tidying = asyncio.create_task(tidy(ask, lambda: 0, Kept(), Guard()))  # type: ignore[arg-type]
        async with asyncio.timeout(10):
            while len(asked) < 2:
                assert not tidying.done(), tidying.exception()
                await asyncio.sleep(0.001)
        tidying.cancel()

    asyncio.run(scenario())
