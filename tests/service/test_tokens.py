"""How long it is believed what a token was found to be."""

from __future__ import annotations

import asyncio

import pytest

from perdure.service.keys import NEVER
from perdure.service.tokens import TRUSTED_SECONDS, Trusted


class Seconds:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Looking:
    """Answers with how often it was asked."""

    def __init__(self, over: int = NEVER) -> None:
        self.times, self.over = 0, over

    async def __call__(self) -> tuple[int, int]:
        self.times += 1
        return self.times, self.over


def test_it_is_believed_for_a_second_whatever_the_clock_of_the_machine_says() -> None:
    async def scenario() -> None:
        seconds, look = Seconds(), Looking()
        trusted = Trusted[int](seconds)
        assert await trusted.find("a", 7_200_000, look) == 1
        seconds.now += TRUSTED_SECONDS / 2
        for now in (7_200_500, 3_600_000, 14_400_000):
            assert await trusted.find("a", now, look) == 1
        seconds.now += TRUSTED_SECONDS / 2
        assert await trusted.find("a", 3_600_000, look) == 2

    asyncio.run(scenario())


def test_what_has_a_time_is_not_believed_beyond_it() -> None:
    async def scenario() -> None:
        trusted, look = Trusted[int](Seconds()), Looking(over=1_000)
        assert [await trusted.find("a", now, look) for now in (999, 999, 1_000)] == [1, 1, 2]

    asyncio.run(scenario())


def test_what_was_looked_at_before_it_ended_is_not_believed_after_it() -> None:
    async def scenario() -> None:
        trusted, look, gate = Trusted[int](Seconds()), Looking(), asyncio.Event()

        async def slow() -> tuple[int, int]:
            await gate.wait()
            return await look()

        asked = asyncio.create_task(trusted.find("a", 0, slow))
        await asyncio.sleep(0)
        trusted.forget("a")
        gate.set()
        assert await asked == 1
        assert await trusted.find("a", 0, look) == 2

    asyncio.run(scenario())


def test_of_very_many_those_are_forgotten_that_were_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.service.tokens.TRUSTED_MAX", 3)

    async def scenario() -> None:
        trusted, look = Trusted[int](Seconds()), Looking()
        for id_ in "abcd":
            await trusted.find(id_, 0, look)
        assert [await trusted.find(id_, 0, look) for id_ in "bcda"] == [2, 3, 4, 5]

    asyncio.run(scenario())
