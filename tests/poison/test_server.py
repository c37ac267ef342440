"""A real server in trouble: what clients, probes and the doctor are told."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import resource
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

import postgres
from api.house import GREET, house
from operations.processes import Process, running
from perdure import Client
from perdure.api import health
from perdure.hosts import monitor
from perdure.hosts.monitor import UNROUTED, Monitor
from perdure.model.records import EventRecord
from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.runtime import shell
from perdure.runtime.readers import READERS_MAX
from perdure.runtime.waiters import OutcomeUnknown
from perdure.store import port as p
from poison.injection import SOON, until
from stalls import longest_stall

EVENT = {"type": "order.paid"}
NO_LIMIT = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def serving(tmp_path: Path) -> Any:
    return running(tmp_path, "dev", "--db", f"sqlite:///{tmp_path}/flows.db", "--port", "0", "--no-examples")


def limit_files(process: Process, size: int) -> None:
    """As if the disk were full: nothing can be written beyond this size."""
    limit = NO_LIMIT if size < 0 else (size, resource.RLIM_INFINITY)
    resource.prlimit(process._running.pid, resource.RLIMIT_FSIZE, limit)


def until_ready(client: httpx2.Client, status: int) -> None:
    end = time.monotonic() + SOON
    while client.get("/readyz").status_code != status:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_server_whose_disk_is_full_answers_at_once_and_finds_a_start_again_under_its_key(tmp_path: Path) -> None:
    with serving(tmp_path) as process, httpx2.Client(base_url=process.url(), timeout=SOON) as client:
        assert client.post("/api/workflows", json=GREET).status_code == 201
        start = {"workflowId": "greet", "input": {}}
        keyed = {"Idempotency-Key": "order-17"}
        limit_files(process, 4_096)
        began = time.monotonic()
        first = client.post("/api/executions", json=start, headers=keyed)
        assert first.status_code == 503, first.text
        assert first.json()["code"] in ("outcome_unknown", "unavailable")
        assert first.headers["retry-after"]
        assert time.monotonic() - began < 15
        if first.json()["code"] == "outcome_unknown":
            assert "Repeat with the same Idempotency-Key" in first.json()["detail"]
        until_ready(client, 503)
        for path, body in (
            ("/api/executions", start),
            ("/api/events", {"type": "order.paid"}),
            ("/api/workflows", GREET),
            ("/api/members", {"id": "ann", "roles": ["admin"]}),
        ):
            began = time.monotonic()
            answer = client.post(path, json=body)
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), answer.text
            assert answer.headers["retry-after"]
            assert time.monotonic() - began < 3
        assert client.get("/api/executions").status_code == 200, "reading goes on"
        limit_files(process, -1)
        until_ready(client, 200)
        again = client.post("/api/executions", json=start, headers=keyed)
        assert again.status_code in (200, 201), again.text
        assert client.post("/api/executions", json=start, headers=keyed).json()["id"] == again.json()["id"]
        assert len(client.get("/api/executions").json()["items"]) == 1


class Stopped:
    """A process that was stopped in the middle of a write: it holds the lock."""

    def __init__(self, database: Path) -> None:
        self._descriptor = os.open(Path(f"{database}.workers") / "writing.lock", os.O_RDWR)

    def __enter__(self) -> None:
        end = time.monotonic() + SOON
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                assert time.monotonic() < end
            else:
                return

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def test_a_database_that_answers_nothing_is_unavailable_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "STALLED_SECONDS", 0.2)
    monkeypatch.setattr(shell, "OUTCOME_SECONDS", 0.5)
    monkeypatch.setattr(health, "READ_SECONDS", 0.1)

    async def scenario() -> None:
        async with house(f"sqlite:///{tmp_path}/flows.db", needs_key=False) as there, there.ask() as client:
            assert (await client.post("/api/workflows", json=GREET)).status_code == 201
            running, goes_on, hung = there.engine.host.shell, threading.Event(), threading.Semaphore(0)

            def hang(_: Any) -> bool:
                hung.release()
                return goes_on.wait(SOON)

            try:
                hanging = [asyncio.ensure_future(running.read(hang, f"o{n % 2}")) for n in range(2 * READERS_MAX)]
                hanging.append(asyncio.ensure_future(running.ask(hang)))
                for _ in range(READERS_MAX + 1):  # every thread of the database, before anything is asked
                    assert await asyncio.to_thread(hung.acquire, timeout=SOON)
                keyed = {"Idempotency-Key": "order-17"}
                start = client.post("/api/executions", json={"name": "greet"}, headers=keyed)
                answers = await asyncio.gather(
                    start, client.get("/api/workflows"), client.post("/api/events", json=EVENT)
                )
                assert {(each.status_code, each.json()["code"]) for each in answers} <= {
                    (503, "unavailable"),
                    (503, "outcome_unknown"),
                }
                assert (await client.get("/readyz")).status_code == 503
                began = time.monotonic()
                again = await client.post("/api/executions", json={"name": "greet"}, headers=keyed)
                assert (again.status_code, again.json()["code"]) == (503, "unavailable")
                assert time.monotonic() - began < 0.5, "at once"
            finally:
                goes_on.set()
            await asyncio.gather(*hanging, return_exceptions=True)

            async def is_ready() -> bool:
                return bool((await client.get("/readyz")).json().get("status") == "ready")

            await until(is_ready)
            started = await client.post("/api/executions", json={"name": "greet"}, headers=keyed)
            assert started.status_code == 201, started.text

    run(scenario())


class HangingPostgres:
    """Processes of a server that get no time: it takes what is sent, and does not answer. They go on
    after ten seconds, even if the event loop of the test waits for them."""

    def __init__(self, data: Path) -> None:
        postmaster = int((data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        self._processes = [postmaster, *map(int, children)]
        self._end = threading.Timer(10, self._send, [signal.SIGCONT])

    def __enter__(self) -> None:
        self._end.start()
        self._send(signal.SIGSTOP)

    def __exit__(self, *_: object) -> None:
        self._end.cancel()
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)


@pytest.fixture
def postgres_of_its_own() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="perdure-hang-"))
    folder.chmod(0o755)
    postgres.start(folder / "data", folder, postgres.UNSYNCED)
    yield folder
    postgres.stop(folder / "data", "immediate")
    shutil.rmtree(folder)


def test_a_postgres_that_hangs_stops_no_event_loop_and_starts_are_answered(
    postgres_of_its_own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "STALLED_SECONDS", 0.2)
    monkeypatch.setattr(shell, "OUTCOME_SECONDS", 0.5)
    monkeypatch.setattr(health, "READ_SECONDS", 0.1)

    async def scenario() -> None:
        url = f"postgresql://postgres@/postgres?host={postgres_of_its_own}"
        async with house(url, needs_key=False) as there, there.ask() as client:
            assert (await client.post("/api/workflows", json=GREET)).status_code == 201
            keyed, greet = {"Idempotency-Key": "order-17"}, {"name": "greet"}
            assert (await client.post("/api/executions", json=greet)).status_code == 201
            await asyncio.sleep(0.3)
            there.engine.host.shell._writer._seconds = 0.000_3  # as on a disk that is quick
            with HangingPostgres(postgres_of_its_own / "data"):
                began = time.monotonic()
                first, stall = await longest_stall(client.post("/api/executions", json=greet, headers=keyed))
                assert (first.status_code, first.json()["code"]) == (503, "outcome_unknown"), first.text
                assert int(first.headers["retry-after"]) > 0
                assert time.monotonic() - began < 5
                assert stall.seconds < 1, stall
                began = time.monotonic()
                refused = await client.post("/api/executions", json=greet)
                assert (refused.status_code, refused.json()["code"]) == (503, "unavailable"), refused.text
                assert time.monotonic() - began < 0.5, "at once"

            async def is_ready() -> bool:
                return bool((await client.get("/readyz")).json().get("status") == "ready")

            await until(is_ready)
            again = await client.post("/api/executions", json=greet, headers=keyed)
            assert again.status_code in (200, 201), again.text
            assert len((await client.get("/api/executions")).json()["items"]) == 2

    run(scenario())


def test_long_reads_are_not_given_up_while_short_ones_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "STALLED_SECONDS", 0.1)
    monkeypatch.setattr(shell, "OUTCOME_SECONDS", 0.2)

    async def scenario() -> None:
        async with house(f"sqlite:///{tmp_path}/flows.db") as there:
            running, goes_on = there.engine.host.shell, threading.Event()
            long = asyncio.ensure_future(running.read(lambda _: goes_on.wait(SOON)))
            stalled = asyncio.ensure_future(running.ask(lambda _: goes_on.wait(SOON)))
            await asyncio.sleep(1.5)
            goes_on.set()
            assert await long
            assert await stalled

    run(scenario())


def test_a_server_that_waits_for_the_lock_of_a_stopped_process_is_degraded_and_answers(tmp_path: Path) -> None:
    with serving(tmp_path) as process, httpx2.Client(base_url=process.url(), timeout=SOON) as client:
        assert client.post("/api/workflows", json=GREET).status_code == 201
        assert client.post("/api/executions", json={"workflowId": "greet"}).status_code == 201
        answers: list[httpx2.Response] = []
        keyed = {"Idempotency-Key": "order-17"}

        def start() -> None:
            with httpx2.Client(base_url=process.url(), timeout=SOON) as other:
                answers.append(other.post("/api/executions", json={"workflowId": "greet"}, headers=keyed))

        with Stopped(tmp_path / "flows.db"):
            thread = threading.Thread(target=start)
            thread.start()
            end = time.monotonic() + SOON
            ready = client.get("/readyz")
            while ready.json()["status"] != "degraded":
                assert (ready.status_code, time.monotonic() < end) == (200, True)
                time.sleep(0.05)
                ready = client.get("/readyz")
            assert ready.json()["reasons"][0].startswith("store_stalled: a database write has been running")
            thread.join(SOON)
            assert (answers[0].status_code, answers[0].json()["code"]) == (503, "outcome_unknown"), answers[0].text
            refused = client.post("/api/executions", json={"workflowId": "greet"})
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        end = time.monotonic() + SOON
        while client.get("/readyz").json().get("status") != "ready":
            assert time.monotonic() < end
            time.sleep(0.05)
        again = client.post("/api/executions", json={"workflowId": "greet"}, headers=keyed)
        assert again.headers["idempotent-replayed"] == "true", (
            "it has been started meanwhile, and is found under its key"
        )
        assert len(client.get("/api/executions").json()["items"]) == 2


def test_a_client_raises_that_the_outcome_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house("memory://", needs_key=False) as there, Client(str(there.url)) as client:

            async def unknown(*_: Any, **__: Any) -> Any:
                raise OutcomeUnknown("its outcome is unknown")

            monkeypatch.setattr(there.engine.host.shell, "request", unknown)
            await client.workflows.save(GREET)
            with pytest.raises(OutcomeUnknown, match="its outcome is unknown"):
                await client.executions.start("greet")

    run(scenario())


def test_events_that_stay_unrouted_while_workers_live_degrade_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker cannot read the version that the event may start: nothing routes it."""
    started = Workflow("started", (Step("a", Task("echo")),), (Entry("a"),), starts=(EventStart("order"),))
    assert monitor.UNROUTED_SECONDS == 60

    async def scenario() -> None:
        async with house(f"sqlite:///{tmp_path}/flows.db", needs_key=False) as there, there.ask() as client:
            engine = there.engine
            watch = Monitor(engine.host.shell, None, 1, unrouted_seconds=0.2)
            monkeypatch.setattr(engine.host, "monitor", watch)
            await watch.look()
            assert UNROUTED not in engine.conditions
            await engine.workflows.save(started)

            def damage(store: Any) -> None:
                store.connection.execute("UPDATE models SET data = CAST('{' AS BLOB)")

            await engine.host.shell.ask(damage)
            await engine.host.shell.commit(p.Publish(EventRecord("e1", "order", 1)))

            async def is_told() -> bool:
                await watch.look()
                return UNROUTED in engine.conditions

            await until(is_told)
            ready = await client.get("/readyz")
            assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
            assert ready.json()["reasons"][0].startswith("events_unrouted: events have not been routed for")
            metrics = (await client.get("/metrics")).text
            assert 'perdure_condition{code="events_unrouted"} 1.0' in metrics
            assert "perdure_events_oldest_unrouted_seconds" in metrics
            await engine.host.shell.commit(p.Decline("default", "e1", 1, "by hand"))

            async def is_over() -> bool:
                await watch.look()
                return UNROUTED not in engine.conditions

            await until(is_over)

    run(scenario())
