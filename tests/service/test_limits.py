"""How much an organization may bring from outside: the rate, by a clock that the test has, and what is open."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from perdure.hosts.settings import Limits as Given
from perdure.hosts.settings import limits
from perdure.model.steps import EventWait, Step
from perdure.model.values import Constant
from perdure.model.workflow import Entry, Workflow
from perdure.service import limits as limiting
from perdure.service.engine import Engine
from perdure.service.errors import TooMany
from perdure.service.limits import Bucket, Limits
from perdure.settings.setting import BadSetting

WAITS = Workflow("waits", (Step("a", EventWait(Constant("never.comes"))),), (Entry("a"),))


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, 20))


def test_a_bucket_holds_a_minute_and_fills_up_evenly() -> None:
    bucket = Bucket(120, 0.0)
    assert [bucket.take(1, 0.0) for _ in range(121)] == [*([0.0] * 120), 0.5]
    assert bucket.take(1, 0.5) == 0.0
    assert bucket.take(1, 0.5) == 0.5
    assert bucket.take(120, 30.0) == pytest.approx(30.5)
    assert bucket.take(120, 60.5) == 0.0
    assert not bucket.is_full(120.0)
    assert bucket.is_full(120.5)


def test_what_is_more_than_a_bucket_takes_all_of_it() -> None:
    bucket = Bucket(60, 0.0)
    assert bucket.take(1_000, 0.0) == 0.0
    assert bucket.take(1, 0.0) == 1.0
    assert bucket.take(1_000, 59.0) == 1.0
    assert bucket.take(1_000, 60.0) == 0.0


def test_a_clock_that_is_set_back_gives_and_takes_nothing() -> None:
    bucket = Bucket(60, 100.0)
    bucket.take(60, 100.0)
    assert bucket.take(1, 50.0) == 1.0


def test_who_brings_too_much_is_told_when_to_come_again() -> None:
    clock = Clock()
    limited = Limits(Engine().host, Given(60), clock)
    for _ in range(60):
        limited.arrive("default")
    with pytest.raises(
        TooMany, match=r"rate limit exceeded: 60 starts and events per minute for .*; retry in 1 s"
    ) as refused:
        limited.arrive("default")
    assert refused.value.retry_after_seconds == 1
    limited.arrive("acme")
    with pytest.raises(TooMany) as refused:
        limited.arrive("default", 30)
    assert refused.value.retry_after_seconds == 30
    clock.now += 30
    limited.arrive("default", 30)


def test_without_a_limit_everybody_comes() -> None:
    limited = Limits(Engine().host, Given(0), Clock())
    limited.arrive("default", 1_000_000)


def test_organizations_that_have_not_come_for_long_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiting, "BUCKETS_MAX", 3)
    clock = Clock()
    limited = Limits(Engine().host, Given(60), clock)
    for whose in ("a", "b"):
        limited.arrive(whose, 60)
    clock.now += 59
    limited.arrive("c", 30)
    clock.now += 1
    limited.arrive("d")  # a and b are full again, and make room
    limited.arrive("c", 30)
    with pytest.raises(TooMany):
        limited.arrive("c", 30)


def test_what_is_open_keeps_more_from_starting(url: str) -> None:
    async def scenario() -> None:
        clock = Clock()
        async with Engine(url) as engine:
            limited = Limits(engine.host, Given(0, 2), clock)
            await engine.workflows.save(WAITS)
            await limited.start("default")
            first = await engine.executions.start("waits")
            await limited.start("default")
            await engine.executions.start("waits")
            for _ in range(2):
                with pytest.raises(TooMany, match="may have 2 open executions") as refused:
                    await limited.start("default")
                assert refused.value.retry_after_seconds == 5
                clock.now += 1  # the first time it was counted here, the second in the store
            await limited.start("acme")
            await first.cancel()
            await engine.host.shell.ended(first.id)
            clock.now += 1
            await limited.start("default")

    run(scenario())


def test_who_come_at_once_are_counted_each(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            limited = Limits(engine.host, Given(0, 3), Clock())
            found = await asyncio.gather(*(limited.start("default") for _ in range(8)), return_exceptions=True)
            assert [each is None for each in found].count(True) == 3

    run(scenario())


def test_what_comes_again_takes_no_room_and_is_counted_as_what_has_come(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            limited = Limits(engine.host, Given(3, 2), Clock())
            await engine.workflows.save(WAITS)
            first = await engine.executions.start("waits", idempotency_key="k", limits=limited)
            again = await engine.executions.start("waits", idempotency_key="k", limits=limited)
            assert (again.id, again.created) == (first.id, False)
            await engine.executions.start("waits", idempotency_key="l", limits=limited)
            with pytest.raises(TooMany, match="may have 2 open executions"):
                await engine.executions.start("waits", idempotency_key="m", limits=limited)
            with pytest.raises(TooMany, match="rate limit exceeded: 3 starts"):
                await engine.executions.start("waits", idempotency_key="k", limits=limited)

    run(scenario())


def test_what_is_let_in_is_counted_before_the_store_is_asked_again() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            limited = Limits(engine.host, Given(0, 3), Clock())
            for _ in range(3):
                await limited.start("default")
            with pytest.raises(TooMany):
                await limited.start("default")

    run(scenario())


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, Given(60_000, 0, 48_000, 48_000, 500, 100, 1_500)),
        (
            {"PERDURE_RATE_PER_MINUTE": " 600 ", "PERDURE_OPEN_EXECUTIONS_MAX": "5"},
            Given(600, 5, 480, 480, 500, 100, 1_500),
        ),
        (
            {"PERDURE_RATE_PER_MINUTE": "0", "PERDURE_OPEN_EXECUTIONS_MAX": ""},
            Given(0, 0, 0, 0, 500, 100, 1_500),
        ),
        (
            {
                "PERDURE_MEMBER_RATE_PER_MINUTE": "70",
                "PERDURE_WAITS_MAX": "20",
                "PERDURE_CONNECTIONS_MAX": "100",
            },
            Given(60_000, 0, 70, 70, 20, 4, 75),
        ),
        (
            {
                "PERDURE_MEMBER_RATE_PER_MINUTE": "0",
                "PERDURE_KEY_RATE_PER_MINUTE": "9",
                "PERDURE_MEMBER_WAITS_MAX": "3",
            },
            Given(60_000, 0, 0, 9, 500, 3, 1_500),
        ),
    ],
)
def test_limits_are_read_from_the_environment(environment: dict[str, str], found: Given) -> None:
    assert limits(environment) == found


@pytest.mark.parametrize("given", ["-1", "many", "1.5", "1e3", "²", "9999999999"])
@pytest.mark.parametrize("name", ["PERDURE_RATE_PER_MINUTE", "PERDURE_OPEN_EXECUTIONS_MAX"])
def test_what_is_no_limit_is_refused_by_its_name(name: str, given: str) -> None:
    with pytest.raises(BadSetting, match=f"{name} is .*; write a whole number, or 0 for no limit"):
        limits({name: given})
