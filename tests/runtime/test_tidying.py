"""Tidying goes on whatever goes wrong, until the engine is over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from perdure.runtime import tidying
from perdure.runtime.tidying import Kept, tidy
from perdure.runtime.waiters import Stopped
from perdure.store.ledger import DAY_MS, LogTrigger, PromiseAnswer, UseKey
from perdure.store.memory import MemoryStore
from perdure.store.port import Unavailable


def tidied(*answers: int | Exception) -> None:
    """Until the engine has been stopped, after these answers of the store."""
    left = [*answers, Stopped("the engine has been stopped")]

    def ask(question: Callable[[Any], int]) -> Awaitable[int]:
        del question
        answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        answer = left.pop(0)
        if isinstance(answer, Exception):
            answered.set_exception(answer)
        else:
            answered.set_result(answer)
        return answered

    with pytest.raises(Stopped):
        asyncio.run(asyncio.wait_for(tidy(ask, lambda: 0, Kept(0)), 10))
    assert left == []


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(tidying, "LOOK_SECONDS", 0.0)


def test_a_store_that_is_unavailable_is_asked_again() -> None:
    tidied(Unavailable("there is no room on the disk"), 3, 0, 0, Unavailable("still none"), 0)


def test_what_nobody_has_thought_of_is_told_and_does_not_end_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "perdure.tidying"):
        tidied(ZeroDivisionError("what?"), 3, ZeroDivisionError("again?"), 0)
    assert ["could not be forgotten" in record.message for record in caplog.records] == [True, True]


def test_what_is_old_in_the_ledger_goes_also_where_everything_else_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    store, asked = MemoryStore(), 0
    store.commit([UseKey("a", 0), LogTrigger(0, "hook", "wh_1"), PromiseAnswer("k", "hash", "request-1", 0, 1)])
    monkeypatch.setattr(store, "forget", None)  # it would fail

    async def ask(question: Callable[[Any], int]) -> int:
        nonlocal asked
        asked += 1
        if asked == 3:
            raise Stopped("the engine has been stopped")
        return question(store)

    with pytest.raises(Stopped):
        asyncio.run(asyncio.wait_for(tidy(ask, lambda: 401 * DAY_MS, Kept()), 10))
    assert (store.key_uses("default"), store.triggered, store.answers) == ({}, [], {})


def test_all_organizations_are_looked_at_before_it_rests_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few at once, and without looking at the executions each time."""
    monkeypatch.setattr(tidying, "LOOK_SECONDS", 1_000.0)
    store, looks = MemoryStore(), 0
    store.commit([LogTrigger(400 * DAY_MS, "hook", "wh_1", organization=f"o{n:03}") for n in range(100)])
    store.commit([LogTrigger(0, "hook", "wh_1", organization="zzz")])
    forget = store.forget

    def counted(*given: Any) -> int:
        nonlocal looks
        looks += 1
        return forget(*given)

    monkeypatch.setattr(store, "forget", counted)

    async def ask(question: Callable[[Any], int]) -> int:
        if len(store.triggered) == 100:
            raise Stopped("the engine has been stopped")
        return question(store)

    with pytest.raises(Stopped):
        asyncio.run(asyncio.wait_for(tidy(ask, lambda: 401 * DAY_MS, Kept(0)), 10))
    assert looks == 0


def test_what_was_deleted_is_logged_also_when_it_ends_within_the_hour(caplog: pytest.LogCaptureFixture) -> None:
    """Rows of the ledger, too, at the default level."""
    store = MemoryStore()

    async def ask(question: Callable[[Any], int]) -> int:
        return question(store)

    async def use_keys(*keys: str) -> None:
        store.commit([UseKey(key, 0) for key in keys])
        while store.key_uses("default"):  # noqa: ASYNC110
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)

    async def scenario() -> None:
        tidying_ = asyncio.create_task(tidy(ask, lambda: 401 * DAY_MS, Kept()))
        async with asyncio.timeout(10):
            await use_keys("a")
            assert len(caplog.records) == 1
            await use_keys("b", "c")
            assert len(caplog.records) == 1
        tidying_.cancel()
        with pytest.raises(asyncio.CancelledError):
            await tidying_

    with caplog.at_level(logging.WARNING, "perdure.tidying"):
        asyncio.run(scenario())
    what = "rows of the ledger (answers, triggers, uses of keys)"
    assert [record.message for record in caplog.records] == [f"retention has deleted {n} {what}" for n in (1, 2)]
