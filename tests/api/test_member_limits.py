"""Limits of one member and of one key, beside those of their organization; and who may read the metrics."""

from __future__ import annotations

import contextlib

import pytest

from api.house import GREET, House, house, run, said
from perdure.api.server import answering, listening
from perdure.service.engine import Engine


async def started(there: House, key: str, count: int) -> list[int]:
    """The status of each of so many starts."""
    async with there.ask(key) as client:
        return [(await client.post("/api/executions", json={"name": "greet"})).status_code for _ in range(count)]


async def make_workflow(there: House) -> None:
    async with there.ask(await there.key("author", "editor")) as client:
        assert (await client.post("/api/workflows", json=GREET)).status_code == 201


def test_a_member_has_a_rate_of_its_own_with_all_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_MEMBER_RATE_PER_MINUTE", "5")
    monkeypatch.setenv("PERDURE_KEY_RATE_PER_MINUTE", "0")

    async def scenario() -> None:
        async with house() as there:
            await make_workflow(there)
            first, other = await there.key("eve", "operator"), await there.key("ada", "operator")
            second = (await there.engine.keys.create("eve")).token
            assert await started(there, first, 4) == [201] * 4
            assert await started(there, second, 2) == [201, 429]
            assert await started(there, other, 5) == [201] * 5
            async with there.ask(first) as client:
                refused = await client.post("/api/executions", json={"name": "greet"})
                assert int(refused.headers["retry-after"]) > 0
                assert "rate limit exceeded: 5 starts and events per minute for member 'eve'" in said(refused)["detail"]
                event = await client.post("/api/events", json={"type": "order.paid"})
                assert event.status_code == 429, "events are counted with starts"

    run(scenario())


def test_a_key_has_a_rate_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_KEY_RATE_PER_MINUTE", "3")

    async def scenario() -> None:
        async with house() as there:
            await make_workflow(there)
            first = await there.key("eve", "operator")
            second = (await there.engine.keys.create("eve")).token
            assert await started(there, first, 4) == [201, 201, 201, 429]
            assert await started(there, second, 3) == [201] * 3

    run(scenario())


def test_what_one_rate_refuses_takes_nothing_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_RATE_PER_MINUTE", "10")
    monkeypatch.setenv("PERDURE_MEMBER_RATE_PER_MINUTE", "2")

    async def scenario() -> None:
        async with house() as there:
            await make_workflow(there)
            eve, ada = await there.key("eve", "operator"), await there.key("ada", "operator")
            assert await started(there, eve, 20) == [201] * 2 + [429] * 18
            assert await started(there, ada, 2) == [201] * 2

    run(scenario())


def test_by_default_one_member_leaves_a_fifth_of_the_rate_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_RATE_PER_MINUTE", "10")

    async def scenario() -> None:
        async with house() as there:
            await make_workflow(there)
            eve, ada = await there.key("eve", "operator"), await there.key("ada", "operator")
            assert await started(there, eve, 9) == [201] * 8 + [429]
            assert await started(there, ada, 3) == [201] * 2 + [429]

    run(scenario())


def test_streams_of_a_member_have_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_MEMBER_STREAMS_MAX", "1")

    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            client = await stack.enter_async_context(there.ask(await there.key("eve", "viewer")))
            stream = await stack.enter_async_context(client.stream("GET", "/api/stream"))
            assert stream.status_code == 200
            refused = await client.get("/api/stream")
            assert (refused.status_code, said(refused)["code"]) == (429, "too_many_streams")

    run(scenario())


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize(
    ("needs_key", "settings", "key", "status"),
    [
        (True, {}, None, 401),
        (True, {"PERDURE_METRICS_OPEN": "1"}, None, 200),
        (True, {"PERDURE_METRICS_KEY": "scrape-me"}, None, 401),
        (True, {"PERDURE_METRICS_KEY": "scrape-me"}, "scrape-me", 200),
        (True, {"PERDURE_METRICS_KEY": "scrape-me", "PERDURE_METRICS_OPEN": "1"}, None, 401),
        (False, {}, None, 200),
        (False, {"PERDURE_METRICS_OPEN": "0"}, None, 401),
        (False, {"PERDURE_METRICS_KEY": "scrape-me"}, None, 401),
    ],
)
def test_metrics_are_closed_where_keys_are_needed(
    host: str,
    needs_key: bool,
    settings: dict[str, str],
    key: str | None,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    async def scenario() -> None:
        engine = Engine("memory://")
        with contextlib.closing(listening(host, 0)) as place:
            async with engine, answering(engine, place, needs_key=needs_key):
                there = House(engine, f"http://127.0.0.1:{place.getsockname()[1]}")
                async with there.ask(key) as client:
                    answer = await client.get("/metrics")
                    assert answer.status_code == status
                    if status == 401:
                        assert "PERDURE_METRICS_KEY" in said(answer)["detail"]

    run(scenario())
