"""`/metrics` of a server that runs, as a program reads it."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.house import ASK, GREET, House, database, house, run, said

FAILS: dict[str, Any] = {
    "name": "fails",
    "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, {"id": "boom", "type": "BOOM"}],
    "connections": [{"fromNodeId": "start", "toNodeId": "boom"}],
}


class Scrape:
    """What was told: by name and labels."""

    def __init__(self, text: str) -> None:
        families = list(text_string_to_metric_families(text))
        self.kinds = {family.name: family.type for family in families}
        self.samples = {
            (sample.name, *sorted(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        }

    def __call__(self, name: str, **labels: str) -> float:
        return self.samples[name, *sorted(labels.items())]


async def scraped(client: httpx2.AsyncClient) -> Scrape:
    response = await client.get("/metrics")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/plain; version=")
    return Scrape(response.text)


def register(there: House) -> None:
    @there.engine.node("BOOM")
    async def boom(params: Any) -> Any:
        raise ValueError("no")


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_what_was_done_is_counted_exactly(tmp_path: Path, kind: str) -> None:
    async def scenario() -> None:
        async with house(database(tmp_path, kind), needs_key=False) as there, there.ask() as client:
            register(there)
            for document in (GREET, ASK, FAILS):
                assert (await client.post("/api/workflows", json=document)).status_code == 201
            for name, count in (("greet", 5), ("fails", 2), ("refund", 3)):
                for _ in range(count):
                    answer = await client.post("/api/executions", json={"name": name, "input": {"name": "x"}})
                    await client.get(f"/api/executions/{said(answer)['id']}?wait=10")
            told = await scraped(client)
            assert told("perdure_executions_started_total") == 10
            assert told("perdure_executions_ended_total", status="completed") == 5
            assert told("perdure_executions_ended_total", status="failed") == 2
            assert told("perdure_executions_ended_total", status="cancelled") == 0
            assert told("perdure_attempts_ended_total", outcome="failed") == 2
            assert told("perdure_steps_ended_total", outcome="failed") == 2
            assert told("perdure_executions_open") == 3
            assert told("perdure_approvals_pending") == 3
            assert told("perdure_database_up") == 1
            starts = {"route": "/api/executions", "method": "POST"}
            assert told("perdure_http_requests_total", **starts, status="201") == 10
            assert told("perdure_http_request_duration_seconds_count", **starts) == 10
            assert told("perdure_http_request_duration_seconds_bucket", **starts, le="+Inf") == 10
            assert told("perdure_commit_duration_seconds_count") == told("perdure_commit_items_count") > 0
            assert told("perdure_commit_items_sum") >= 10

    run(scenario())


def test_two_servers_of_one_process_count_for_themselves() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as one, house(needs_key=False) as other:
            async with one.ask() as client:
                await client.post("/api/workflows", json=GREET)
                await client.post("/api/executions", json={"name": "greet", "input": {}})
            async with other.ask() as client:
                told = await scraped(client)
            assert told("perdure_executions_started_total") == 0
            assert not [each for each in told.samples if each[0] == "perdure_http_requests_total"]

    run(scenario())


def test_whatever_is_asked_for_there_are_no_more_numbers_than_routes() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            secret = secrets.token_hex(8)
            for n in range(1_000):
                await client.request(("GET", "POST", "PROPFIND")[n % 3], f"/{secret}/{secrets.token_hex(4)}")
            for n in range(50):
                await client.get(f"/api/executions/{secret}{n}")
                await client.post(f"/hooks/{secret}{n}", json={})
            response = await client.get("/metrics")
            assert secret not in response.text
            told = Scrape(response.text)
            counted = [each for each in told.samples if each[0] == "perdure_http_requests_total"]
            assert len(counted) == 5, counted
            assert told("perdure_http_requests_total", route="other", method="other", status="404") == 333
            assert told("perdure_http_requests_total", route="/hooks/{token}", method="POST", status="404") == 50

    run(scenario())


def test_nothing_is_named_that_belongs_to_anybody() -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("ada", "admin", organization="acme-corp")
            async with there.ask(token) as client:
                assert (await client.post("/api/workflows", json=ASK)).status_code == 201
                await client.post("/api/executions", json={"name": "refund"})
            async with there.ask() as client:
                text = (await client.get("/metrics")).text
            for name in ("acme-corp", "refund", "ada", "finance", token):
                assert name not in text

    run(scenario())


def test_with_a_key_of_the_operator_nobody_else_may_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_METRICS_KEY", "scrape-me")

    async def scenario() -> None:
        async with house() as there:
            for token, status in ((None, 401), ("prd_nonsense", 401), ("scrape-mé", 401), ("scrape-me", 200)):
                headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
                async with there.ask() as client:
                    assert (await client.get("/metrics", headers=headers)).status_code == status  # type: ignore[arg-type]

    run(scenario())


def test_many_who_scrape_at_once_ask_the_database_once() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            asked = 0
            backlog = there.engine.host.backlog

            async def counted(limit: int) -> Any:
                nonlocal asked
                asked += 1
                return await backlog(limit)

            there.engine.host.backlog = counted  # type: ignore[method-assign]
            await asyncio.gather(*(scraped(client) for _ in range(20)))
            assert asked == 1

    run(scenario())


def test_metrics_that_are_open_by_setting_are_so_behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_METRICS_OPEN", "1")

    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            assert (await client.get("/metrics", headers={"Host": "flows.example.com"})).status_code == 200

    run(scenario())
