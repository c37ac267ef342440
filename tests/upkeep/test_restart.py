"""A server that is restarted under clients that never try again: not one of them notices.

With PERDURE_PATIENCE=1 it is restarted 20 times; without it 5.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from api.house import ASK, GREET, database, run
from perdure.service.engine import Engine

RESTARTS = 20 if os.environ.get("PERDURE_PATIENCE") == "1" else 5
CLIENTS = 8
BETWEEN_STARTS = 30
"""So many starts are answered between one restart and the next."""

SERVE = [sys.executable, "-m", "perdure", "serve", "--port", "0"]
READY, TAKEN, FAILED = "; Ctrl-C stops it", "has taken over", "this one goes on as before"


SLEEP = {
    "name": "sleep",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "rest", "type": "WAIT", "data": {"amount": 3_600}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "rest"}],
}


class Server:
    """A server and its successors, which write into one file."""

    def __init__(self, process: subprocess.Popen[bytes], said: Path) -> None:
        self.process, self._said = process, said
        self.pid = process.pid

    def text(self) -> str:
        return self._said.read_text()

    async def until(self, words: str, times: int = 1) -> str:
        async with asyncio.timeout(90):
            while self.text().count(words) < times:
                assert self.process.poll() is None or times > 1 or words in self.text(), self.text()
                await asyncio.sleep(0.02)
        return self.text()

    async def url(self) -> str:
        found = re.search(r"perdure on (http://\S+:\d+),", await self.until(READY))
        assert found is not None
        return found[1]

    async def restart(self, number: int) -> None:
        """The `number`th of them."""
        os.kill(self.pid, signal.SIGHUP)
        told = re.findall(r"process (\d+) has taken over", await self.until(TAKEN, number))
        self.pid = int(told[-1])

    async def gone(self, pid: int) -> None:
        async with asyncio.timeout(60):
            while _lives(pid):
                self.process.poll()
                await asyncio.sleep(0.02)


@asynccontextmanager
async def server(folder: Path, url: str, *more: str, **settings: str) -> AsyncIterator[Server]:
    async with serving([*SERVE, "--db", url, *more], folder, (), **settings) as found:
        yield found


@asynccontextmanager
async def serving(
    command: list[str], folder: Path, pass_fds: tuple[int, ...], **settings: str
) -> AsyncIterator[Server]:
    said = folder / "said.txt"
    with said.open("wb") as out:
        process = subprocess.Popen(  # noqa: ASYNC220
            command,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            pass_fds=pass_fds,
        )
    found = Server(process, said)
    try:
        yield found
    finally:
        for pid in {found.pid, process.pid}:
            if _lives(pid):
                os.kill(pid, signal.SIGTERM)
            await found.gone(pid)
        process.wait(60)


def _lives(pid: int) -> bool:
    """Also one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def key(url: str) -> str:
    engine = Engine(url)
    async with engine:
        for document in (GREET, ASK, SLEEP):
            await engine.workflows.save(document)
        await engine.members.add("load", roles=["operator", "viewer"])
        return (await engine.keys.create("load")).token


class Client:
    """Starts one execution after the other, over one connection for as long as the server keeps it, and never tries again."""

    def __init__(self, base: str, token: str, name: str) -> None:
        self._base, self._name = base, name
        self._headers = {"Authorization": f"Bearer {token}"}
        self.started: list[str] = []

    async def go_on(self, over: asyncio.Event) -> None:
        limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1)
        async with httpx2.AsyncClient(
            base_url=self._base, headers=self._headers, timeout=30, trust_env=False, limits=limits
        ) as client:
            while not over.is_set():
                id_ = f"{self._name}-{len(self.started)}"
                body = {"name": "greet", "input": {"name": id_}, "correlationId": id_}
                answer = await client.post("/api/executions", json=body)
                assert answer.status_code == 201, answer.text
                self.started.append(id_)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_no_request_is_dropped_while_a_server_is_restarted_again_and_again(kind: str, tmp_path: Path) -> None:
    url = database(tmp_path, kind)

    async def scenario() -> None:
        token = await key(url)
        async with server(tmp_path, url, PERDURE_LEASE_SECONDS="2") as served:
            base, over = await served.url(), asyncio.Event()
            clients = [Client(base, token, f"c{number}") for number in range(CLIENTS)]
            going = [asyncio.create_task(each.go_on(over)) for each in clients]
            for number in range(RESTARTS):
                wanted = sum(len(each.started) for each in clients) + BETWEEN_STARTS
                while sum(len(each.started) for each in clients) < wanted:
                    assert not any(each.done() for each in going), [each.exception() for each in going if each.done()]
                    await asyncio.sleep(0.01)
                before = served.pid
                await served.restart(number + 1)
                await served.gone(before)
            over.set()
            await asyncio.gather(*going)
            started = [id_ for each in clients for id_ in each.started]
            await _all_ended_once(url, started)
        print(f"\n{len(started):,} starts through {RESTARTS} restarts")

    run(scenario(), 600)


async def _all_ended_once(url: str, started: list[str]) -> None:
    engine = Engine(url, works=False)
    found: Counter[str | None] = Counter()
    async with engine, asyncio.timeout(120):
        cursor = None
        while True:
            page = await engine.executions.list(limit=500, cursor=cursor)
            for record in page.items:
                await (await engine.executions.get(record.id)).ended()
                found[record.correlation_id] += 1
            cursor = page.next
            if cursor is None:
                break
        page = await engine.executions.list(limit=1, status="failed")
        assert not page.items
    assert found == Counter(started)


TASK = """
from perdure import task

@task("rest")
def rest(input):
    return input
"""


def test_a_successor_that_cannot_start_changes_nothing(tmp_path: Path) -> None:
    url = database(tmp_path, "sqlite")
    tasks = tmp_path / "tasks.py"
    tasks.write_text(TASK)

    async def scenario() -> None:
        token = await key(url)
        async with server(tmp_path, url, "--tasks", str(tasks)) as served:
            base = await served.url()
            tasks.write_text("raise ValueError('half an upgrade')")
            os.kill(served.pid, signal.SIGHUP)
            said = await served.until(FAILED)
            assert "half an upgrade" in said
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(base_url=base, headers=headers, trust_env=False, timeout=30) as client:
                assert (await client.post("/api/executions", json={"name": "greet"})).status_code == 201
                assert (await client.get("/readyz")).status_code == 200
                tasks.write_text(TASK)
                await served.restart(1)
                # over the same connection, to the one that is about to end; or it has, and the client has noticed
                last = await client.get("/readyz")
                assert (last.status_code, last.headers.get("connection", "close")) == (200, "close")
                assert "connection" not in (await client.get("/readyz")).headers

    run(scenario(), 120)


def test_what_waits_and_what_listens_is_ended_in_order(tmp_path: Path) -> None:
    """Whoever waits is answered how it stands; a stream ends, and is resumed at the successor where it was."""
    url = database(tmp_path, "sqlite")

    async def scenario() -> None:
        token = await key(url)
        async with server(tmp_path, url) as served:
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(
                base_url=await served.url(), headers=headers, trust_env=False, timeout=30
            ) as client:
                started = (await client.post("/api/executions", json={"name": "sleep"})).json()["id"]
                streamed = asyncio.create_task(_streamed(client, {}))
                waiting = asyncio.create_task(client.get(f"/api/executions/{started}?wait=60"))
                (await client.post("/api/executions", json={"name": "greet"})).raise_for_status()  # those came before
                before = served.pid
                await served.restart(1)
                answer = await waiting
                assert (answer.status_code, answer.json()["status"]) == (200, "waiting")
                last = await streamed
                assert last
                await served.gone(before)
                again = (await client.post("/api/executions", json={"name": "greet"})).json()["id"]
                async with client.stream("GET", "/api/stream", headers={"Last-Event-ID": last}) as stream:
                    async for line in stream.aiter_lines():
                        if again in line:
                            break

    run(scenario(), 120)


async def _streamed(client: httpx2.AsyncClient, headers: dict[str, str]) -> str:
    """The id of the last event, when it has ended in order."""
    last = ""
    async with client.stream("GET", "/api/stream?after=0", headers=headers) as stream:
        assert stream.status_code == 200
        async for line in stream.aiter_lines():
            if line.startswith("id: "):
                last = line.removeprefix("id: ")
    return last


ACTIVATED = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.execve(sys.executable, [sys.executable, *sys.argv[2:]], {**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())})
"""
"""What systemd does before it runs a command."""


def test_a_socket_of_systemd_is_served_and_it_is_told_who_is_there(tmp_path: Path) -> None:
    url = database(tmp_path, "sqlite")
    place = tmp_path / "notify"

    async def scenario() -> None:
        await key(url)
        with (
            socket.create_server(("127.0.0.1", 0)) as listened,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told,
        ):
            told.bind(str(place))
            told.settimeout(60)
            number, port = listened.fileno(), listened.getsockname()[1]
            command = [sys.executable, "-c", ACTIVATED, str(number), "-m", "perdure", "serve", "--db", url]
            async with serving(command, tmp_path, (number,), NOTIFY_SOCKET=str(place)) as served:
                assert await asyncio.to_thread(told.recv, 100) == b"READY=1"
                assert await served.url() == f"http://127.0.0.1:{port}"
                await served.restart(1)
                assert await asyncio.to_thread(told.recv, 100) == f"MAINPID={served.pid}".encode()
                await served.gone(served.process.pid)
                async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
                    assert (await client.get("/readyz")).status_code == 200

    run(scenario(), 120)


def test_a_server_on_every_address_says_that_links_have_none(tmp_path: Path) -> None:
    url = database(tmp_path, "sqlite")

    async def scenario() -> None:
        token = await key(url)
        async with server(tmp_path, url, "--host", "0.0.0.0") as served:
            port = (await served.url()).rpartition(":")[2]
            assert "set PERDURE_PUBLIC_URL to the one people use" in served.text()
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False, timeout=30
            ) as client:
                await client.post("/api/executions", json={"name": "refund"})
                async with asyncio.timeout(30):
                    while not (found := (await client.get("/api/approvals")).json()["items"]):  # noqa: ASYNC110
                        await asyncio.sleep(0.05)
                assert found[0]["deeplink"] == f"/approvals/{found[0]['id']}"

    run(scenario(), 120)
