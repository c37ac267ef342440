"""Starts at 64 connections while the server is killed twice and, on Postgres, the database crashes once: nothing that was
acknowledged is lost, and all of it completes.

With PERDURE_PATIENCE=1 it takes 60 seconds; without it 9.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from api.house import GREET, run
from perdure.service.engine import Engine
from postgres import start as start_postgres
from postgres import stop as stop_postgres

SECONDS = 60.0 if os.environ.get("PERDURE_PATIENCE") == "1" else 9.0
CONNECTIONS = 64
PAUSE_SECONDS = 0.05


class Outages:
    """A server process on one port, and the database under it."""

    def __init__(self, url: str, folder: Path, data: Path | None) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url, self._log, self._data = url, folder / "server.log", data
        self._server: subprocess.Popen[bytes] | None = None

    def start_server(self) -> None:
        command = [sys.executable, "-m", "perdure", "serve", "--port", str(self.port), "--db", self.url]
        settings = {**os.environ, "PERDURE_LEASE_SECONDS": "1", "PERDURE_RATE_PER_MINUTE": "0"}
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(command, env=settings, stdout=log, stderr=log)

    def kill_server(self) -> None:
        assert self._server is not None
        assert self._server.poll() is None, f"the server ended by itself: {self._log.read_text()[-2_000:]}"
        self._server.send_signal(signal.SIGKILL)
        self._server.wait()

    def crash_database(self) -> bool:
        """Stop Postgres as a crash would, and start it again. False: the database is a file."""
        if self._data is None:
            return False
        stop_postgres(self._data, "immediate")
        start_postgres(self._data, self._data.parent)
        return True

    def stop_server(self) -> None:
        if self._server is not None and self._server.poll() is None:
            self._server.terminate()
            assert self._server.wait(60) == 0, self._log.read_text()[-2_000:]


@pytest.fixture(params=["sqlite", "postgres"])
def outages(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Outages]:
    if request.param == "sqlite":
        found = Outages(f"sqlite:///{tmp_path}/flows.db", tmp_path, None)
        yield found
        found.stop_server()
        return
    with tempfile.TemporaryDirectory(prefix="perdure-outage-") as folder:
        sockets = Path(folder)
        sockets.chmod(0o755)
        start_postgres(sockets / "data", sockets)
        found = Outages(f"postgresql://postgres@/postgres?host={folder}", tmp_path, sockets / "data")
        try:
            yield found
            found.stop_server()
        finally:
            stop_postgres(sockets / "data", "immediate")


def test_no_acknowledged_start_is_lost(outages: Outages) -> None:
    async def scenario() -> None:
        token = await _prepare(outages.url)
        await _start(outages)
        over = asyncio.Event()
        clients = [asyncio.create_task(_start_executions(outages.port, token, over)) for _ in range(CONNECTIONS)]
        crashed = False
        for outage in (outages.kill_server, outages.crash_database, outages.kill_server):
            await asyncio.sleep(SECONDS / 4)
            crashed |= bool(await asyncio.to_thread(outage))
            if outage == outages.kill_server:
                await _start(outages)
        await asyncio.sleep(SECONDS / 4)
        over.set()
        acknowledged = {execution for each in await asyncio.gather(*clients) for execution in each}
        statuses = await _wait_until_ended(outages.url)
        lost = [execution for execution in acknowledged if execution not in statuses]
        counts = Counter(statuses.get(execution, "lost") for execution in acknowledged)
        print(
            f"\n{len(acknowledged):,} starts acknowledged in {SECONDS:.0f} s at {CONNECTIONS} connections, 2 kills of the "
            f"server, {'1 crash' if crashed else 'no crash'} of the database: {len(lost)} lost, "
            f"{len(acknowledged) - counts['completed']} not completed"
        )
        assert acknowledged
        assert counts == {"completed": len(acknowledged)}

    run(scenario(), 20 * SECONDS + 300)


async def _prepare(url: str) -> str:
    async with Engine(url) as engine:
        await engine.workflows.save(GREET)
        await engine.members.add("load", roles=["operator", "viewer"])
        return (await engine.keys.create("load")).token


async def _start(outages: Outages) -> None:
    """Start a server and wait until it serves: one that cannot reach its database at the start ends, as it should."""
    outages.start_server()
    async with httpx2.AsyncClient(trust_env=False) as client, asyncio.timeout(60):
        while True:
            try:
                await client.get(f"http://127.0.0.1:{outages.port}/healthz")
            except httpx2.TransportError:
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return


async def _start_executions(port: int, token: str, over: asyncio.Event) -> list[str]:
    """Start executions one after the other; return the ids that were acknowledged."""
    acknowledged: list[str] = []
    headers = {"Authorization": f"Bearer {token}"}
    base = f"http://127.0.0.1:{port}"
    async with httpx2.AsyncClient(base_url=base, headers=headers, timeout=10, trust_env=False) as client:
        while not over.is_set():
            try:
                answer = await client.post("/api/executions", json={"name": "greet", "input": {"name": "Ada"}})
            except httpx2.TransportError:
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            if answer.status_code == 201:
                acknowledged.append(answer.json()["id"])
            else:
                assert answer.status_code == 503, answer.text
                await asyncio.sleep(PAUSE_SECONDS)
    return acknowledged


async def _wait_until_ended(url: str) -> dict[str, str]:
    """Wait until no execution is open; return the status of each."""
    async with Engine(url, works=False) as engine:
        async with asyncio.timeout(SECONDS + 120):
            for status in ("pending", "running", "waiting"):
                while (await engine.executions.list(status=status, limit=1)).items:  # noqa: ASYNC110
                    await asyncio.sleep(PAUSE_SECONDS)
        statuses: dict[str, str] = {}
        cursor = None
        while True:
            page = await engine.executions.list(limit=500, cursor=cursor)
            statuses |= {record.id: record.status for record in page.items}
            cursor = page.next
            if cursor is None:
                return statuses
