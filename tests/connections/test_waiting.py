"""Executions that wait for a tool: whoever has the connection takes them up, however late it comes, and nobody else does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from connections.documents import calling, parallel
from connections.servers import OverHttp, connected, hostile, plain
from connections.using import until
from perdure import Engine
from perdure.hosts import wanted_tools
from perdure.hosts.connections import REGISTER
from perdure.service.execution import Execution
from perdure.store.registers import WriteCard

SOON = 10


@pytest.fixture(autouse=True)
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_LEASE_SECONDS", "1")


@pytest.fixture
def shared(url: str) -> str:
    if url == "memory://":
        pytest.skip("nobody else can reach it")
    return url


def test_a_worker_that_has_the_connection_takes_up_what_waits_for_it(shared: str) -> None:
    async def scenario() -> None:
        async with Engine(shared) as first:
            execution = await first.executions.start(calling(), {"n": 7})
            await _waits(first, execution)
            async with Engine(shared, connections={"it": connected(hostile("well"))}) as second:
                there = await second.executions.get(execution.id)
                assert (await there.result())["given"] == {"n": 7}

    asyncio.run(scenario())


def test_what_was_left_by_a_process_that_has_gone_is_taken_up(shared: str) -> None:
    async def scenario() -> None:
        async with Engine(shared) as first:
            execution = await first.executions.start(calling(), {"n": 7})
            await _waits(first, execution)
        async with Engine(shared, connections={"it": connected(hostile("well"))}) as second:
            assert (await (await second.executions.get(execution.id)).result())["given"] == {"n": 7}

    asyncio.run(scenario())


def test_a_connection_that_is_added_later_is_used_by_what_waits_for_it(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two organizations, by the one that it belongs to."""
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine(url) as engine:
                mine = await engine.executions.start(calling("api/add"), {"a": 1, "b": 2})
                others = await engine.executions.start(calling("api/add"), {"a": 1, "b": 2}, organization="other")
                await _waits(engine, mine)
                await _waits(engine, others)
                await engine.connections.add("api", server.url)
                assert await mine.result() == {"result": 3}
                await _waits(engine, others)
                await engine.connections.add("api", server.url, organization="other")
                assert await others.result() == {"result": 3}

        asyncio.run(scenario())


@pytest.mark.parametrize("url", ["memory"], indirect=True)
def test_what_others_wait_for_in_vain_keeps_nobody_waiting(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is more of it than is looked at in one go."""
    monkeypatch.setattr(wanted_tools, "WANTED_MAX", 1)
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine(url) as engine:
                for tool in ("nowhere/a", "nowhere/b"):
                    await _waits(engine, await engine.executions.start(calling(tool), {}, organization="acme"))
                mine = await engine.executions.start(calling("api/add"), {"a": 1, "b": 2}, organization="zoo")
                await _waits(engine, mine)
                await engine.connections.add("api", server.url, organization="zoo")
                async with asyncio.timeout(SOON):
                    assert await mine.result() == {"result": 3}

        asyncio.run(scenario())


@pytest.mark.parametrize("url", ["memory"], indirect=True)
def test_a_connection_that_cannot_be_read_is_told_of_and_looked_at_again(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As after somebody has gone back to a version that does not know it."""
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine(url) as engine:
                execution = await engine.executions.start(calling("api/add"), {"a": 1, "b": 2})
                await _waits(engine, execution)
                unread = WriteCard(REGISTER, "api", {"connection": {"type": "smoke"}}, 1, "ann", "connection.added")
                await engine.host.commit(unread)
                async with asyncio.timeout(SOON):
                    await until(lambda: "it cannot be seen which tools are waited for" in caplog.text)
                await engine.connections.remove("api")
                await engine.connections.add("api", server.url)
                async with asyncio.timeout(SOON):
                    assert await execution.result() == {"result": 3}

        asyncio.run(scenario())


def test_by_another_process_too(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine(shared) as worker, Engine(shared, works=False) as other:
                execution = await worker.executions.start(calling("api/add"), {"a": 1, "b": 2})
                await _waits(worker, execution)
                await other.connections.add("api", server.url)
                assert await execution.result() == {"result": 3}

        asyncio.run(scenario())


def test_one_that_is_held_because_of_something_else_calls_it_as_soon_as_it_can(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two branches: one waits for the tool, and the other runs until that has been called."""
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            engine = Engine(url)
            may_end = asyncio.Event()
            document = _two_branches()

            @engine.node("WAIT_FOR_IT")
            async def wait_for_it(params: Any) -> dict[str, Any]:
                await may_end.wait()
                return dict(params.context)

            async with engine:
                saved = await engine.workflows.save(document)
                execution = await engine.executions.start(saved.id, {})
                await until(engine.host.shell.engine.lacking)
                await engine.connections.add("api", server.url)
                await until(lambda: not engine.host.shell.engine.lacking())
                may_end.set()
                assert (await execution.result())["call0"] == {"result": 3}

        asyncio.run(scenario())


def _two_branches() -> dict[str, Any]:
    document = parallel(1, "api", "add", {"a": 1, "b": 2})
    del document["nodes"][1]["data"]["input"]["n"]
    document["nodes"].append({"id": "other", "type": "WAIT_FOR_IT", "data": {}})
    document["connections"].append({"fromNodeId": "start", "toNodeId": "other"})
    document["connections"].append({"fromNodeId": "other", "toNodeId": "all"})
    return document


def test_who_works_until_nothing_is_left_to_do_calls_it(shared: str) -> None:
    async def scenario() -> None:
        async with Engine(shared) as first:
            started = [await first.executions.start(calling(), {"n": n}) for n in range(5)]
            for execution in started:
                await _waits(first, execution)
        async with Engine(shared, connections={"it": connected(hostile("well"))}) as second:
            idle = await second.run_until_idle()
            assert idle.completed == 5

    asyncio.run(scenario())


def test_why_says_what_is_waited_for_and_what_is_being_called(url: str) -> None:
    async def scenario() -> None:
        given = {"it": connected(hostile("never answers a call"))}
        async with Engine(url, connections=given) as engine:
            waits = await engine.executions.start(calling("fs/read"), {})
            await _waits(engine, waits)
            (wait,) = (await waits.why()).waits
            assert (wait.kind, wait.on) == ("missing_task", "fs/read")
            assert "`perdure worker --connections FILE (or --tasks FILE)`" in (await waits.why()).sentence
            calls = await engine.executions.start(calling(name="other"), {})
            while not (await calls.why()).waits:  # noqa: ASYNC110  nobody here is told
                await asyncio.sleep(0.01)
            (wait,) = (await calls.why()).waits
            assert (wait.kind, wait.note) == ("task", "it/do")

    asyncio.run(scenario())


def test_a_connection_that_is_removed_is_waited_for(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine(url) as engine:
                await engine.connections.add("api", server.url)
                done = await engine.executions.start(calling("api/add"), {"a": 1, "b": 2})
                assert await done.result() == {"result": 3}
                await engine.connections.remove("api")
                execution = await engine.executions.start(calling("api/add"), {"a": 1, "b": 2})
                await _waits(engine, execution)

        asyncio.run(scenario())


async def _waits(engine: Engine, execution: Execution) -> None:
    """For a worker that has the task: nobody holds it."""
    while True:
        look = await engine.host.read(lambda store: store.look(execution.id))
        if look is not None and look.owner is None and look.uncalled:
            return
        await asyncio.sleep(0.01)
