"""`/api/stream`, over a real socket: what happens, as it happens, and what was missed."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.streams import Heard, Process, Reader, client, reading, served
from perdure.service.engine import Engine
from perdure.service.telling import TYPES
from perdure.tasks.context import TaskContext
from postgres import fresh_schema
from service.words import ASK, adding, begun, sequence

STEPS = 2
EVENTS = 2 + 2 * STEPS
"""Of one execution."""

SECONDS = 90.0


def run(scenario: Any, seconds: float = SECONDS) -> None:
    asyncio.run(asyncio.wait_for(scenario, seconds))


def database(kind: str, folder: Path) -> str:
    return fresh_schema() if kind == "postgres" else f"sqlite:///{folder}/flows.db"


async def worked(engine: Engine, times: int = 1, organization: str = "default", name: str = "sequence") -> None:
    await engine.workflows.save(sequence(STEPS, name), organization)
    started = [await engine.executions.start(name, {"n": 1}, organization=organization) for _ in range(times)]
    await asyncio.gather(*(each.result() for each in started))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked very often whether those who listen still may."""
    monkeypatch.setattr("perdure.api.stream.LOOK_SECONDS", 0.02)


def test_what_happens_is_told_as_it_happens_and_in_order() -> None:
    async def scenario() -> None:
        async with served(adding(Engine())) as there, there.client() as asking, reading(asking) as reader:
            assert reader.response.headers["content-type"].startswith("text/event-stream")
            assert reader.response.headers["cache-control"] == "no-store"
            assert reader.response.headers["x-accel-buffering"] == "no"
            await reader.until("live")
            assert reader.retry is not None
            execution = await begun(there.engine, sequence(STEPS), {"n": 1})
            await reader.until("execution.completed")
            assert [one.type for one in reader.told] == [
                "execution.started",
                *("step.started", "step.completed") * STEPS,
                "execution.completed",
            ]
            assert {one.data["execution"] for one in reader.told} == {execution.id}
            ids = [int(one.id or 0) for one in reader.told]
            assert ids == sorted(set(ids))

    run(scenario())


def test_who_comes_back_with_the_last_id_is_told_what_they_missed() -> None:
    async def scenario() -> None:
        async with served(adding(Engine())) as there, there.client() as asking:
            async with reading(asking) as reader:
                await reader.until("live")
                await worked(there.engine)
                await reader.until("step.completed")
                last = reader.last_id
            await worked(there.engine)
            async with reading(asking, after=last) as again, reading(asking, "?after=0") as whole:
                await again.until("live")
                await whole.until("live")
                assert len(whole.told) == 2 * EVENTS
                assert again.told == [one for one in whole.told if int(one.id or 0) > int(last)]
            async with reading(asking, "?after=0", after=whole.last_id) as browser:  # it keeps its address
                await browser.until("live")
                assert browser.told == []

    run(scenario())


@pytest.mark.parametrize("given", ["x", "-1", "1.5", "1 OR 1=1", "9" * 19, "9" * 60, "\u0663"])
def test_an_id_that_is_none_is_refused(given: str) -> None:
    async def scenario() -> None:
        async with served(Engine()) as there, there.client() as asking:
            asked = [await asking.get("/api/stream", params={"after": given})]
            asked += [await asking.get("/api/stream", headers={b"Last-Event-ID": given.encode()})]
            for answer in asked:
                assert answer.status_code == 400
                assert answer.json()["code"] == "bad_last_event_id"

    run(scenario())


@pytest.mark.parametrize(
    ("query", "status", "code", "words"),
    [
        ("?types=execution.complete", 400, "no_such_type", "did you mean 'execution.completed'?"),
        ("?types=,", 400, "no_such_type", "leave it out"),
        ("?workflow=nowhere", 404, "workflow_not_found", "nowhere"),
        ("?execution=nowhere", 404, "execution_not_found", "nowhere"),
    ],
)
def test_what_cannot_be_listened_to_is_refused(query: str, status: int, code: str, words: str) -> None:
    async def scenario() -> None:
        async with served(Engine()) as there, there.client() as asking:
            answer = await asking.get(f"/api/stream{query}")
            assert (answer.status_code, answer.json()["code"]) == (status, code)
            assert words in answer.json()["detail"]

    run(scenario())


def test_only_what_is_asked_for_is_told() -> None:
    async def scenario() -> None:
        async with served(adding(Engine())) as there, there.client() as asking:
            first = await begun(there.engine, sequence(STEPS, "first"), {"n": 1})
            await first.result()
            await worked(there.engine, name="second")
            queries = {
                "?types=execution.*": 4,
                "?types=step.completed,%20execution.failed": 2 * STEPS,
                "?workflow=first": EVENTS,
                f"?execution={first.id}": EVENTS,
                f"?workflow=second&execution={first.id}": 0,
            }
            for query, count in queries.items():
                async with reading(asking, query, after="0") as reader:
                    await reader.until("live")
                    assert len(reader.told) == count, query

    run(scenario())


def test_nobody_hears_of_another_organization(at_once: None) -> None:
    async def scenario() -> None:
        async with served(adding(Engine()), needs_key=True) as there:
            async with there.client() as nobody:
                assert (await nobody.get("/api/stream")).status_code == 401
            ada, bob = [
                await there.key(name, "viewer", organization=organization)
                for name, organization in (("ada", "acme"), ("bob", "globex"))
            ]
            async with (
                there.client(ada) as acme,
                there.client(bob) as globex,
                reading(acme) as ours,
                reading(globex) as theirs,
            ):
                await ours.until("live")
                await theirs.until("live")
                await worked(there.engine, 1, "acme")
                await ours.until("execution.completed")
                await worked(there.engine, 1, "globex")
                await theirs.until("execution.completed")
                assert len(theirs.told) == len(ours.told) == EVENTS
                async with reading(globex, after="0") as whole:
                    await whole.until("live")
                    assert whole.told == theirs.told
                one = ours.told[0].data["execution"]
                assert (await globex.get(f"/api/stream?execution={one}")).status_code == 404

    run(scenario())


def test_who_may_not_any_more_hears_nothing_any_more(at_once: None) -> None:
    async def scenario() -> None:
        async with served(adding(Engine()), needs_key=True) as there:
            ada, bob = await there.key("ada", "viewer"), await there.key("bob", "viewer")
            async with (
                there.client(ada) as first,
                there.client(bob) as second,
                reading(first) as revoked,
                reading(second) as other,
            ):
                await revoked.until("live")
                await other.until("live")
                await there.engine.keys.revoke(ada.split("_")[1])
                assert [one.type for one in await revoked.to_its_end()] == ["live"]
                await worked(there.engine)
                await other.until("execution.completed")
                assert (await first.get("/api/stream")).status_code == 401

    run(scenario())


def test_a_server_that_ends_ends_its_streams(at_once: None) -> None:
    async def scenario() -> None:
        began = time.monotonic()
        async with contextlib.AsyncExitStack() as reads:
            async with served(adding(Engine())) as there:
                asking = await reads.enter_async_context(there.client())
                readers = [await reads.enter_async_context(reading(asking)) for _ in range(5)]
                for reader in readers:
                    await reader.until("live")
            for reader in readers:
                assert [one.type for one in await reader.to_its_end()] == ["live"]
        assert time.monotonic() - began < 9, "it has waited for them"

    run(scenario())


def test_there_are_so_many_streams_of_an_organization_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_STREAMS_MAX", "2")

    async def scenario() -> None:
        async with served(Engine()) as there, there.client() as asking:
            async with reading(asking) as first, reading(asking) as second:
                await first.until("live")
                await second.until("live")
                refused = await asking.get("/api/stream")
                assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
                assert int(refused.headers["retry-after"]) > 0
            await _until_one_is_let_in(asking)

    run(scenario())


def test_one_member_has_only_a_share_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may only look cannot take the streams of everybody."""
    monkeypatch.setenv("PERDURE_STREAMS_MAX", "10")

    async def scenario() -> None:
        async with served(Engine(), needs_key=True) as there:
            viewer, admin = await there.key("vera", "viewer"), await there.key("ada", "admin")
            async with there.client(viewer) as asking, there.client(admin) as other:
                async with reading(asking) as first, reading(asking) as second:
                    await first.until("live")
                    await second.until("live")
                    refused = await asking.get("/api/stream")
                    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
                    assert "vera has 2 streams" in refused.json()["detail"]
                    async with reading(other) as third:
                        await third.until("live")
                await _until_one_is_let_in(asking)

    run(scenario())


async def _until_one_is_let_in(asking: httpx2.AsyncClient) -> None:
    """That somebody is gone is noticed a moment later."""
    while True:
        async with asking.stream("GET", "/api/stream") as response:
            if response.status_code == 200:
                return


def test_who_hears_nothing_is_told_that_the_stream_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.api.stream.HEARTBEAT_SECONDS", 0.01)

    async def scenario() -> None:
        async with served(adding(Engine())) as there, there.client() as asking, reading(asking) as reader:
            await reader.until("live")
            hearing = asyncio.create_task(reader.until("execution.completed"))
            while reader.comments < 3:  # noqa: ASYNC110  they come by themselves
                await asyncio.sleep(0)
            await worked(there.engine)
            await hearing
            assert len(reader.told) == EVENTS

    run(scenario())


def test_approvals_and_what_tasks_publish_are_told() -> None:
    engine = Engine()

    @engine.task("add")
    async def add(given: Any, ctx: TaskContext) -> Any:
        ctx.publish({"percent": 50}, channel="progress")
        return 1

    async def scenario() -> None:
        async with served(engine) as there, there.client() as asking, reading(asking) as reader:
            await reader.until("live")
            await begun(engine, ASK, {"n": 1})
            await reader.until("approval.opened")
            approval = reader.told[-1].data["approval"]
            decided = await asking.post(f"/api/approvals/{approval}/decision", json={"decision": "approve"})
            assert decided.status_code == 200
            await reader.until("approval.decided")
            await worked(engine)
            await reader.until("published", STEPS)
            told = next(one for one in reader.told if one.type == "published")
            assert (told.id, told.data["data"], told.data["channel"]) == (None, {"percent": 50}, "progress")

    run(scenario())


LARGE = "x" * 60_000
MANY = 300


def test_who_does_not_read_is_dropped_and_the_others_go_on() -> None:
    """More is told than the network and the queue hold; then it reads all that there was, and that it was too slow."""
    engine, heard = Engine(), asyncio.Queue[None]()

    @engine.task("add")
    async def add(given: Any, ctx: TaskContext) -> Any:
        for _ in range(MANY):
            ctx.publish(LARGE)
            await heard.get()
        return 1

    async def scenario() -> None:
        async with served(engine) as there, there.client() as asking, reading(asking) as reader:
            await reader.until("live")
            slow, (taking, giving) = await _not_reading(there.url)
            working = asyncio.create_task(worked(engine))
            while "execution.completed" not in reader.types:
                if (await _next(reader)).type == "published":
                    heard.put_nowait(None)
            await working
            assert len([one for one in reader.told if one.type != "published"]) == EVENTS
            read = await asyncio.wait_for(taking.read(), SECONDS)
            assert read.count(LARGE.encode()) < STEPS * MANY
            ending = read.rsplit(b"\n\n", 2)[-2]
            assert b"event: dropped" in ending
            place = ending.split(b"id: ")[1].split(b"\n")[0].decode()
            async with reading(asking, after=place) as back:
                await back.until("live")
                kept = [one for one in reader.told if one.id is not None]
                assert back.told == [one for one in kept if int(one.id or 0) > int(place)]
            giving.close()
            slow.close()

    run(scenario())


async def _next(reader: Reader) -> Heard:
    found = await reader.next()
    assert found is not None, reader.types
    return found


async def _not_reading(url: str) -> tuple[socket.socket, tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A stream that nobody reads, but for its first line."""
    host, port = url.removeprefix("http://").split(":")
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    found.setblocking(False)
    await asyncio.get_running_loop().sock_connect(found, (host, int(port)))
    taking, giving = await asyncio.open_connection(sock=found, limit=1_024)
    giving.write(f"GET /api/stream HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
    assert b"200" in await taking.readline()
    return found, (taking, giving)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_after_a_kill_of_the_server_nothing_is_lost_and_nothing_told_twice(kind: str, tmp_path: Path) -> None:
    process = Process(database(kind, tmp_path))
    document = {
        "name": "count",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            {"id": "set", "type": "SET", "data": {"values": {"n": 1}}},
        ],
        "connections": [{"fromNodeId": "start", "toNodeId": "set"}],
    }
    heard: list[Heard] = []
    kills, each = 3, 10

    async def listen(done: int) -> None:
        """As a browser does: it comes back, with the last id that it has."""
        while sum(one.type == "execution.completed" for one in heard) < done:
            last = next((one.id for one in reversed(heard) if one.id is not None), "0")
            with contextlib.suppress(httpx2.TransportError):
                async with client(process.url) as asking, reading(asking, after=last) as reader:
                    while await reader.next() is not None:
                        heard.append(reader.heard[-1])
                        if sum(one.type == "execution.completed" for one in heard) >= done:
                            return

    async def scenario() -> None:
        started: list[str] = []
        await process.start()
        try:
            async with client(process.url) as asking:
                assert (await asking.post("/api/workflows", json=document)).status_code == 201
            for number in range(kills + 1):
                listening = asyncio.create_task(listen((number + 1) * each))
                async with client(process.url) as asking:
                    for _ in range(each):
                        answer = await asking.post("/api/executions", json={"workflowId": "count"})
                        assert answer.status_code == 201, answer.text
                        started.append(answer.json()["id"])
                if number < kills:
                    await process.kill()
                    await process.start()
                await listening
            async with client(process.url) as asking, reading(asking, after="0") as whole:
                await whole.until("live")
            told = [one for one in heard if one.type != "live"]
            assert [one.id for one in told] == [one.id for one in whole.told]
            assert told == whole.told
            ended = [one.data["execution"] for one in told if one.type == "execution.completed"]
            assert sorted(ended) == sorted(started)
        finally:
            await process.kill()

    run(scenario(), 240)


@pytest.mark.flat
def test_five_hundred_may_listen() -> None:
    """Ten times as many who listen cost ten times as much to tell, at most twice that."""
    few, many, executions = 50, 500, 20

    async def scenario() -> None:
        async with served(adding(Engine())) as there:
            await there.engine.workflows.save(sequence(STEPS))
            ratio = 0.0
            for _ in range(3):
                seconds = {count: await _burst(there.engine, there.url, count, executions) for count in (few, many)}
                ratio = seconds[many] / seconds[few]
                told = many * executions * EVENTS
                print(
                    f"\n{told:,} events to {many} listeners: {seconds[many]:.2f} s, {told / seconds[many]:,.0f}/s, {ratio:.1f}"
                )
                if ratio <= 2 * many / few:
                    return
            pytest.fail(f"ten times as many cost {ratio:.1f} times as much")

    run(scenario())


async def _burst(engine: Engine, url: str, count: int, executions: int) -> float:
    """So many listen while so many executions run; the seconds until all have heard everything."""
    host, port = url.removeprefix("http://").split(":")
    listeners = []
    for _ in range(count):
        taking, giving = await asyncio.open_connection(host, int(port))
        giving.write(f"GET /api/stream HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        await taking.readuntil(b"event: live\n")
        listeners.append((taking, giving))
    began = time.perf_counter()
    hearing = asyncio.gather(*(_heard(taking, executions) for taking, _ in listeners))
    await worked(engine, executions)
    heard = await hearing
    seconds = time.perf_counter() - began
    assert len(set(heard)) == 1, "all have heard the same"
    assert heard[0] == executions * EVENTS
    for _, giving in listeners:
        giving.close()
        await giving.wait_closed()
    return seconds


async def _heard(taking: asyncio.StreamReader, executions: int) -> int:
    """How many events, until so many executions have completed."""
    events = completed = 0
    while completed < executions:
        piece = await taking.readuntil(b"event: ")
        type_ = await taking.readuntil(b"\n")
        assert piece
        events += type_ != b"live\n"
        assert type_ != b"dropped\n"
        completed += type_ == b"execution.completed\n"
    return events


def test_the_page_names_every_type_and_no_other() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "stream.md").read_text()
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`([a-z.]+)`", "".join(rows))) == sorted(TYPES)
