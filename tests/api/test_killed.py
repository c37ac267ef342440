"""A server that is killed again and again under clients that try again: whatever it has said to be started is, once, and ends."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx2
import pytest

from api.house import GREET, database, run
from api.measuring import TESTS
from perdure.service.engine import Engine

PATIENT = bool(os.environ.get("PERDURE_PATIENCE"))
KILLS = 100 if PATIENT else 6
CLIENTS = 16


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_start_that_was_acknowledged_ends_and_none_is_made_twice(kind: str, tmp_path: Path) -> None:
    url = database(tmp_path, kind)
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PERDURE_LEASE_SECONDS": "1"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    async def scenario() -> None:
        token = await _ready(url)
        command = [sys.executable, "-m", "api.victim", url, str(port), str(KILLS), "17"]
        with subprocess.Popen(  # noqa: ASYNC220
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as victims:
            assert victims.stdout is not None
            assert victims.stdin is not None
            over = asyncio.Event()
            clients = [asyncio.create_task(_client(number, port, token, over)) for number in range(CLIENTS)]
            killed = await asyncio.to_thread(lambda: [victims.stdout.readline().strip() for _ in range(KILLS + 1)])  # type: ignore[union-attr]
            assert killed == [f"killed {number + 1}" for number in range(KILLS)] + ["lives"]
            over.set()
            told = [pair for each in await asyncio.gather(*clients) for pair in each]
            await _all_ended(url, told, port, token)
            victims.stdin.close()
            assert victims.wait(30) == 0
        print(f"\n{len(told):,} starts were acknowledged over {KILLS} kills")

    run(scenario(), 900)


async def _ready(url: str) -> str:
    engine = Engine(url)
    async with engine:
        await engine.workflows.save(GREET)
        await engine.members.add("load", roles=["operator", "viewer"])
        return (await engine.keys.create("load")).token


async def _client(number: int, port: int, token: str, over: asyncio.Event) -> list[tuple[str, str]]:
    """Starts one after the other, each until it was told that it is started. What it was told, by its key."""
    told: list[tuple[str, str]] = []
    headers = {"Authorization": f"Bearer {token}"}
    base = f"http://127.0.0.1:{port}"
    async with httpx2.AsyncClient(base_url=base, headers=headers, timeout=5, trust_env=False) as client:
        while not over.is_set():
            key = f"order-{number}-{len(told)}"
            body = {"name": "greet", "input": {"name": key}, "correlationId": key}
            while True:
                try:
                    answer = await client.post("/api/executions", json=body, headers={"Idempotency-Key": key})
                except httpx2.TransportError:
                    await asyncio.sleep(0.02)
                    continue
                if answer.status_code == 201:
                    break
                assert answer.status_code == 503, answer.text
            told.append((key, answer.json()["id"]))
    return told


async def _all_ended(url: str, told: list[tuple[str, str]], port: int, token: str) -> None:
    assert told
    engine = Engine(url, works=False)
    async with engine:
        for _, execution in told:
            found = await engine.executions.get(execution)
            await asyncio.wait_for(found.ended(), 60)
        keys: Counter[str | None] = Counter()
        cursor = None
        while True:
            page = await engine.executions.list(limit=500, cursor=cursor)
            keys.update(record.correlation_id for record in page.items)
            assert {record.status for record in page.items} == {"completed"}
            cursor = page.next
            if cursor is None:
                break
        assert set(keys.values()) == {1}, [key for key, count in keys.items() if count > 1]
        assert {key for key, _ in told} == set(keys), "what was acknowledged is there, and nothing else"
        assert len({execution for _, execution in told}) == len(told)
    async with httpx2.AsyncClient(trust_env=False) as client:
        ready = await client.get(f"http://127.0.0.1:{port}/readyz")
        assert ready.status_code == 200, ready.text
