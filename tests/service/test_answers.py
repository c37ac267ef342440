"""Requests that carry a key: one answer for all of them, also if a process dies in between."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import psycopg
import pytest

from perdure.clock import now_ms
from perdure.service.answers import PROMISE_SECONDS, Differs, Mine, UnderWay, request_hash
from perdure.service.engine import Engine
from perdure.service.errors import Conflict
from perdure.store.ledger import BODY_BYTES_MAX, Answer, Answered
from postgres import fresh_schema

SAID = Answer(201, b'{"id": "e1"}', "application/json", (("location", "/api/executions/e1"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, 30))


async def mine(engine: Engine, key: str = "k", request: str = "hash", **more: Any) -> Mine:
    begun = await engine.answers.begin(key, request, **more)
    assert isinstance(begun, Mine)
    return begun


def test_the_first_does_the_work_and_all_others_are_told_what_came_of_it(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            begun = await asyncio.gather(*(engine.answers.begin("k", "hash") for _ in range(20)))
            (first,) = [each for each in begun if isinstance(each, Mine)]
            assert [each for each in begun if each != first] == [UnderWay(1)] * 19
            assert await engine.answers.begin("k", "other") == Differs()
            assert await engine.answers.give(first, SAID, at=7)
            for _ in range(2):
                assert await engine.answers.begin("k", "hash") == Answered("hash", SAID, 7)
            assert await engine.answers.begin("k", "other") == Differs()
            await mine(engine, organization="acme")

    run(scenario())


def test_where_nothing_was_done_the_key_is_free_again(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.answers.withdraw(await mine(engine))
            await mine(engine, request="other")

    run(scenario())


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_what_a_dead_process_had_promised_is_taken_over_and_done_again(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine("memory://" if kind == "memory" else f"sqlite:///{tmp_path}/flows.db") as engine:
            at = now_ms()
            dead = await mine(engine, at=at)
            assert await engine.answers.begin("k", "hash", at=at + PROMISE_SECONDS * 1_000 - 1) == UnderWay(1)
            assert await engine.answers.begin("k", "other", at=at + PROMISE_SECONDS * 1_000) == Differs()
            heir = await mine(engine, at=at + PROMISE_SECONDS * 1_000)
            assert not await engine.answers.give(dead, Answer(500, b"late"))
            await engine.answers.withdraw(dead)
            assert await engine.answers.give(heir, SAID, at=9)
            assert await engine.answers.begin("k", "hash") == Answered("hash", SAID, 9)

    run(scenario())


def test_on_postgres_a_promise_holds_by_the_clock_of_the_database() -> None:
    async def scenario() -> None:
        url = fresh_schema()
        async with Engine(url) as engine:
            dead, far = await mine(engine), now_ms() + 10 * PROMISE_SECONDS * 1_000
            assert await engine.answers.begin("k", "hash", at=far) == UnderWay(1)
            with psycopg.connect(url) as other:
                other.execute("UPDATE answers SET until = until - 60000")
            await mine(engine, at=far)
            assert not await engine.answers.give(dead, SAID)

    run(scenario())


def test_an_answer_that_is_too_long_is_not_kept_and_the_key_is_free() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            assert not await engine.answers.give(await mine(engine), Answer(200, b"x" * (BODY_BYTES_MAX + 1)))
            await mine(engine)

    run(scenario())


@pytest.mark.parametrize("key", ["", "x" * 256, "a\0", "a\nb", "\ud800"])
def test_what_is_no_key_is_refused(key: str) -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            with pytest.raises(Conflict):
                await engine.answers.begin(key, "hash")

    run(scenario())


def test_a_request_is_known_by_its_method_its_route_and_its_body() -> None:
    given = [
        ("POST", "/a", b"b"),
        ("PUT", "/a", b"b"),
        ("POST", "/ab", b""),
        ("POST", "/", b"ab"),
        ("POST", "/a?b", b"b"),
    ]
    assert len({request_hash(*each) for each in given}) == len(given)
    assert request_hash("POST", "/a", b"b") == request_hash("POST", "/a", b"b")


def test_when_a_key_was_used_is_said_once_a_minute(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            now = now_ms()
            for later in (0, 59_999, 60_000, 30_000):
                await engine.key_uses.used("key_1", at=now + later)
            await engine.key_uses.used("key_1", organization="acme", at=now)
            assert await engine.key_uses.list() == {"key_1": now + 60_000}
            assert await engine.key_uses.list(organization="acme") == {"key_1": now}

    run(scenario())
