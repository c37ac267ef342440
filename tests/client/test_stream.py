"""The stream, heard by a client: what happens, as it happens; and after the connection was cut, or the server killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from api.house import ASK, GREET, house, run
from client.serving import Served
from perdure import Client, NoServer, SyncClient, Unauthorized
from perdure.client import stream as module
from perdure.client.stream import Heard
from perdure.errors import PerdureError
from perdure.service.errors import NotFound, TooMany

OF_A_GREETING = ["execution.started", "step.completed", "step.completed", "execution.completed"]


def listened(client: Client, **wanted: Any) -> Any:
    return aclosing(cast("Any", client.stream(**wanted)))


async def until(heard: AsyncIterator[Heard], type_: str) -> list[Heard]:
    """What comes, up to the first of a type."""
    found: list[Heard] = []
    async with asyncio.timeout(20):
        async for each in heard:
            found.append(each)
            if each.type == type_:
                return found
    raise AssertionError("it has no end")


def types(found: list[Heard]) -> list[str]:
    return [each.type for each in found]


def test_what_happens_is_told_and_what_happened_after_a_place() -> None:
    async def scenario() -> None:
        async with house() as there, Client(there.url, await there.key("ada", "admin")) as client:
            await client.workflows.save(GREET)
            async with listened(client) as told:
                assert types(await until(told, "live")) == ["live"]
                execution = await client.executions.start("greet", {"name": "Ada"})
                found = await until(told, "execution.completed")
            assert types(found) == OF_A_GREETING
            assert {each.event.execution for each in found if each.event is not None} == {execution.id}
            places = [each.place or 0 for each in found]
            assert places == sorted(set(places))
            async with listened(client, after=found[1].place) as told:
                assert await until(told, "execution.completed") == found[2:]
            async with listened(client, after=0, types=["execution.*"], workflow="greet") as told:
                assert types(await until(told, "live")) == ["execution.started", "execution.completed", "live"]
            other = await client.executions.start("greet", {"name": "Eve"})
            await other.result()
            async with listened(client, after=0, execution=other.id) as told:
                assert types(await until(told, "live")) == [*OF_A_GREETING, "live"]

    run(scenario())


def test_what_cannot_be_heard_is_told_as_an_engine_tells_it() -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("ada", "admin")
            refused: list[tuple[str | None, dict[str, Any], type[PerdureError]]] = [
                (None, {}, Unauthorized),
                (token, {"workflow": "nothing"}, PerdureError),
                (token, {"execution": "nothing"}, NotFound),
                (token, {"types": ["nothing.*"]}, PerdureError),
            ]
            for key, wanted, kind in refused:
                async with Client(there.url, key) as client, listened(client, **wanted) as told:
                    with pytest.raises(kind):
                        await anext(told)

    run(scenario())


def test_a_key_that_does_not_count_any_more_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.api.stream.LOOK_SECONDS", 0.02)

    async def scenario() -> None:
        async with house() as there:
            token = await there.key("ada", "admin")
            async with Client(there.url, token) as client, listened(client) as told:
                await until(told, "live")
                (key,) = (await there.engine.keys.list()).items
                await there.engine.keys.revoke(key.id)
                with pytest.raises(Unauthorized):
                    await until(told, "gap")

    run(scenario())


@asynccontextmanager
async def stuttering(port: int, cut_bytes: int) -> AsyncIterator[str]:
    """Something before a server that cuts each connection after so many bytes of its answer."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, to_them = await asyncio.open_connection("127.0.0.1", port)
        to_them.write(await reader.readuntil(b"\r\n\r\n"))
        left = cut_bytes
        while left > 0 and (part := await theirs.read(min(left, 100))):
            writer.write(part)
            left -= len(part)
        await writer.drain()
        writer.close()
        to_them.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("cut_bytes", [900, 1_111, 1_500])
def test_it_is_come_back_to_wherever_the_connection_breaks(cut_bytes: int) -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there:
            await there.engine.workflows.save(GREET)
            for _ in range(3):
                await (await there.engine.executions.start("greet", {"name": "Ada"})).result()
            port = int(there.url.rpartition(":")[2])
            async with stuttering(port, cut_bytes) as url, Client(url) as client, listened(client, after=0) as told:
                found = await until(told, "live")
            assert types(found) == [*OF_A_GREETING * 3, "live"]

    run(scenario())


def test_how_long_it_was_quiet_does_not_count_against_whoever_comes_back() -> None:
    """The time to come back in begins when the connection breaks."""

    async def scenario() -> None:
        async with house(needs_key=False) as there:
            port, writers = int(there.url.rpartition(":")[2]), list[asyncio.StreamWriter]()

            async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                theirs, to_them = await asyncio.open_connection("127.0.0.1", port)
                writers.extend((writer, to_them))
                to_them.write(await reader.readuntil(b"\r\n\r\n"))
                while part := await theirs.read(1_000):
                    writer.write(part)

            async with await asyncio.start_server(handle, "127.0.0.1", 0) as proxy:
                url = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
                async with Client(url, deadline_seconds=0.03) as client, listened(client) as told:
                    await until(told, "live")
                    await asyncio.sleep(0.05)
                    for each in writers:
                        each.transport.abort()
                    assert types(await until(told, "live")) == ["live"]
                for each in writers:
                    each.transport.abort()

    run(scenario())


def test_a_server_that_is_killed_and_comes_back_is_heard_again(tmp_path: Path) -> None:
    server = Served(tmp_path, "--no-examples")
    server.start()

    async def scenario() -> None:
        async with Client(server.url) as client:
            await client.workflows.save(ASK)
            async with listened(client) as told:
                await until(told, "live")
                first = await client.executions.start("refund", {})
                before = await until(told, "approval.opened")
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
                await first.cancel()
                after = await until(told, "execution.cancelled")
            events = [each for each in before + after if each.event is not None]
            assert types(events) == ["execution.started", "step.completed", "approval.opened", "execution.cancelled"]

    try:
        run(scenario())
    finally:
        server.kill()


def test_nobody_there_is_said_in_time_and_so_is_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_STREAMS_MAX", "1")

    async def scenario() -> None:
        async with Client("http://127.0.0.1:1", deadline_seconds=0.1) as client, listened(client) as told:
            with pytest.raises(NoServer, match="nobody answers there"):
                await anext(told)
        async with (
            house(needs_key=False) as there,
            Client(there.url, deadline_seconds=0.1) as client,
            listened(client) as told,
            listened(client) as other,
        ):
            await until(told, "live")
            with pytest.raises(TooMany):
                await anext(other)

    run(scenario())


def test_what_this_version_does_not_know_is_left_out() -> None:
    assert module._frame(b"retry: 1000") is None
    assert module._frame(b":") is None
    unknown = module._frame(b'id: 7\nevent: moon.risen\ndata: {"type":"moon.risen"}')
    assert unknown is not None
    assert (unknown.place, module._heard(unknown, "there")) == (7, None)
    event = (
        b'{"type":"published","at":"2026-11-17T09:00:00.000Z","execution":"x","workflow":"w","moon":1,"data":"a: b"}'
    )
    known = module._frame(b"event: published\ndata: " + event)
    assert known is not None
    heard = module._heard(known, "there")
    assert heard is not None
    assert heard.event is not None
    assert (heard.place, heard.event.data) == (None, "a: b")


def test_who_waits_hears_it_one_after_the_other(tmp_path: Path) -> None:
    server = Served(tmp_path, "--no-examples")
    server.start()
    try:
        with SyncClient(server.url) as client:
            client.workflows.save(GREET)
            client.executions.start("greet", {"name": "Ada"}).result()
            found = []
            for each in client.stream(after=0):
                found.append(each.type)
                if each.type == "live":
                    break
            assert found == [*OF_A_GREETING, "live"]
    finally:
        server.kill()
