"""Connections that one caller keeps open do not keep others out: they are dropped first, and there are quotas."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
from collections.abc import Awaitable

import httpx2
import pytest

from api.house import ASK, GREET, House, house, run, said
from api.test_arriving import Connected, connected
from perdure.api import arriving, bodies, hooks, routes
from perdure.hosts import settings
from tasks.servers import Received, Reply, http_server

MOST = 20
SIGN_IN = b"POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"


@pytest.fixture(autouse=True)
def _little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_CONNECTIONS_MAX", str(MOST))


async def many(
    there: House, stack: contextlib.AsyncExitStack, said_by_each: bytes, count: int = MOST
) -> list[Connected]:
    found = [await stack.enter_async_context(connected(there)) for _ in range(count)]
    for each in found:
        await each.send(said_by_each)
    return found


async def statuses(there: House, key: str, count: int = MOST // 2) -> set[int]:
    async with there.ask(key) as client:
        answers = await asyncio.gather(*(client.get("/api/workflows") for _ in range(count)))
        return {answer.status_code for answer in answers}


def test_bodies_of_strangers_that_are_not_complete_are_dropped_for_those_who_come() -> None:
    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            key = await there.key("ada", "viewer")
            await many(there, stack, SIGN_IN, 2 * MOST)
            assert await statuses(there, key) == {200}

    run(scenario())


def test_the_body_of_a_stranger_has_to_come_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "STRANGERS_SLOW_SECONDS", 0.05)

    async def scenario() -> None:
        async with house() as there, connected(there) as stranger:
            await stranger.send(SIGN_IN)
            status, _, body = await stranger.answer()
            assert (status, b"too_slow" in body) == (408, True)

    run(scenario())
    assert bodies.STRANGERS_SLOW_SECONDS < bodies.SLOW_SECONDS


def test_bodies_of_a_member_that_are_not_complete_are_dropped_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "SLOW_SECONDS", 0.3)

    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            slow, key = await there.key("eve", "editor"), await there.key("ada", "viewer")
            head = SIGN_IN.replace(b"/api/session", b"/api/workflows")
            head = head.replace(b"Host: x\r\n", b"Host: x\r\nAuthorization: Bearer %s\r\n" % slow.encode())
            await many(there, stack, head)
            await asyncio.sleep(0.4)
            assert await statuses(there, key) == {200}

    run(scenario())


def test_those_who_do_not_read_their_answers_are_dropped_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "SLOW_SECONDS", 0.3)

    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            key = await there.key("ada", "viewer")
            asks = b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 100
            await many(there, stack, asks)
            async with asyncio.timeout(20):  # until what they have asked for is there, and not taken
                while not await _is_answered(there, key):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)

    run(scenario())


async def _is_answered(there: House, key: str) -> bool:
    try:
        return await statuses(there, key) == {200}
    except httpx2.HTTPError:
        return False


def test_waits_have_a_quota_of_the_organization_and_of_the_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_CONNECTIONS_MAX", "1000")
    monkeypatch.setenv("PERDURE_WAITS_MAX", "10")

    async def scenario() -> None:
        async with house() as there:
            eve, ada = await there.key("eve", "operator", "editor"), await there.key("ada", "viewer")
            async with there.ask(eve) as client, there.ask(ada) as other:
                await client.post("/api/workflows", json=ASK)
                started = said(await client.post("/api/executions", json={"name": "refund"}))
                path = f"/api/executions/{started['id']}?wait=30&until=ended"
                waiting = [asyncio.create_task(client.get(path)) for _ in range(2)]
                await _until_open(there, 2)
                refused = await client.get(path)
                assert refused.status_code == 429
                assert int(refused.headers["retry-after"]) > 0
                assert "PERDURE_WAITS_MAX" in said(refused)["detail"]
                assert (await client.get(path.partition("?")[0])).status_code == 200, "only who waits is counted"
                others = [asyncio.create_task(other.get(path)) for _ in range(2)]
                await _until_open(there, 4)
                await client.post(f"/api/executions/{started['id']}/cancel", json={})
                ended = await asyncio.gather(*waiting, *others)
                assert {each.status_code for each in ended} == {200}
                assert (await client.get(path)).status_code == 200, "there is room again"

    run(scenario())


@pytest.mark.parametrize("asks", ["accept", "list", "save", "start"])
def test_requests_that_wait_for_the_tools_of_a_server_are_counted_as_waits(
    monkeypatch: pytest.MonkeyPatch, asks: str
) -> None:
    """An editor may add a server that never lists its tools."""
    monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", "127.0.0.1")
    monkeypatch.setenv("PERDURE_WAITS_MAX", "10")
    document = {
        "name": "calls",
        "nodes": [
            {"id": "a", "type": "MCP_TOOL", "data": {"connectionId": "slow", "toolName": "find", "variableName": "x"}}
        ],
        "connections": [],
    }

    async def scenario(port: int) -> None:
        async with house() as there:
            eve, ada = await there.key("eve", "editor", "operator"), await there.key("ada", "viewer")
            async with there.ask(eve) as client:
                added = {"name": "slow", "url": f"http://127.0.0.1:{port}/mcp", "connectMs": 2_000, "callMs": 3_600_000}
                assert (await client.post("/api/connections", json=added)).status_code == 201

                def request() -> Awaitable[httpx2.Response]:
                    match asks:
                        case "accept":
                            return client.post("/api/connections/slow/tools")
                        case "list":
                            return client.get("/api/connections/slow/tools")
                        case "save":
                            return client.post("/api/workflows", json=document)
                        case _:
                            return client.post("/api/executions", json={"document": document})

                waiting = [asyncio.ensure_future(request()) for _ in range(2)]
                await _until_open(there, 2)
                refused = await request()
                assert refused.status_code == 429, refused.text
                assert "PERDURE_WAITS_MAX" in said(refused)["detail"]
                assert await statuses(there, ada) == {200}
                for each in waiting:
                    each.cancel()
                await asyncio.gather(*waiting, return_exceptions=True)
                async with asyncio.timeout(20):
                    while there.engine.limits.open_requests.count:  # noqa: ASYNC110
                        await asyncio.sleep(0.01)

    with http_server(_never_lists) as server:
        run(scenario(server.port))


def _never_lists(received: Received) -> Reply:
    """A server of MCP that opens sessions and is silent when it is asked for its tools."""
    asked = json.loads(received.body) if received.body else {}
    match asked.get("method"):
        case "initialize":
            told = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}}
            result = told | {"serverInfo": {"name": "slow", "version": "1"}}
            body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()
            return Reply(headers={"content-type": "application/json"}, body=body)
        case "tools/list":
            return Reply(200, {"content-type": "application/json"}, b"{", announce=False, hang=True)
        case _:
            return Reply(202 if asked else 405)


def test_the_waits_of_an_organization_are_those_of_all_its_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_CONNECTIONS_MAX", "1000")
    monkeypatch.setenv("PERDURE_WAITS_MAX", "3")
    monkeypatch.setenv("PERDURE_MEMBER_WAITS_MAX", "2")

    async def scenario() -> None:
        async with house() as there:
            eve, ada = await there.key("eve", "operator", "editor"), await there.key("ada", "viewer")
            async with there.ask(eve) as client, there.ask(ada) as other:
                await client.post("/api/workflows", json=ASK)
                started = said(await client.post("/api/executions", json={"name": "refund"}))
                path = f"/api/executions/{started['id']}?wait=30&until=ended"
                waiting = [asyncio.create_task(each.get(path)) for each in (client, client, other)]
                await _until_open(there, 3)
                refused = await other.get(path)
                assert refused.status_code == 429
                assert "organization" in said(refused)["detail"]
                there.engine.limits.waits.take("another organization", "someone")
                await client.post(f"/api/executions/{started['id']}/cancel", json={})
                await asyncio.gather(*waiting)

    run(scenario())


async def _until_open(there: House, count: int) -> None:
    waits = there.engine.limits.open_requests
    while waits.count < count:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def test_waits_of_all_organizations_leave_a_quarter_of_the_connections() -> None:
    async def scenario() -> None:
        async with house() as there:
            for number in range(MOST * 3 // 4):
                there.engine.limits.waits.take(f"organization-{number}", "someone")
            key = await there.key("ada", "operator", "editor")
            async with there.ask(key) as client:
                await client.post("/api/workflows", json=ASK)
                started = said(await client.post("/api/executions", json={"name": "refund"}))
                assert (await client.get(f"/api/executions/{started['id']}?wait=1")).status_code == 429

    run(scenario())


@pytest.mark.parametrize("count", [1, MOST * 7 // 10])
def test_uploads_of_a_member_are_not_dropped_for_strangers(count: int) -> None:
    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            key, body = await there.key("ed", "editor"), b'{"name":"x","nodes":[],"connections":[]}'
            head = SIGN_IN.replace(b"/api/session", b"/api/workflows").replace(b": 100", b": %d" % len(body))
            head = head.replace(b"Host: x\r\n", b"Host: x\r\nAuthorization: Bearer %s\r\n" % key.encode())
            members = await many(there, stack, head.removesuffix(b"{") + body[:10], count)
            await asyncio.sleep(1.2 * arriving.SLOW_SECONDS)
            for _ in range(2 * MOST):
                await many(there, stack, SIGN_IN, 1)
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.1)
            for member in members:
                await member.send(body[10:])
                assert (await member.answer())[0] in {200, 201, 422}

    run(scenario())


def test_an_idle_connection_of_a_member_is_not_dropped_for_strangers() -> None:
    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            key = await there.key("ada", "viewer")
            asks = b"GET /api/workflows HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n" % key.encode()
            member = await stack.enter_async_context(connected(there))
            await member.send(asks)
            assert (await member.answer())[0] == 200
            await asyncio.sleep(1.2 * arriving.SLOW_SECONDS)
            await many(there, stack, SIGN_IN, 2 * MOST)
            await asyncio.sleep(0.1)
            await member.send(asks)
            assert (await member.answer())[0] == 200

    run(scenario())


def test_the_limit_of_files_bounds_connections_waits_and_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4_096))
    asked = {"PERDURE_CONNECTIONS_MAX": "2000"}
    given = settings.limits(asked)
    assert settings.connections_max(asked) == 192
    assert given.open_requests_max == 144
    assert given.waits_max == settings.streams_max(asked) == 48
    assert (given.member_waits_max, settings.member_streams_max(asked)) == (9, 9)
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))
    settings.allow_files(asked)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    settings.allow_files(asked)
    assert raised == [(2_667, 4_096)]
    assert settings.limits(asked).waits_max == settings.WAITS_MAX


def test_the_body_of_a_webhook_has_to_come_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "HOOKS_SLOW_SECONDS", 0.05)

    async def scenario() -> None:
        async with house() as there, connected(there) as sender:
            key = await there.key("ed", "editor")
            async with there.ask(key) as client:
                await client.post("/api/workflows", json=GREET)
                token = said(await client.post("/api/webhooks", json={"workflow": "greet"}))["token"]
            await sender.send(SIGN_IN.replace(b"/api/session", f"/hooks/{token}".encode()))
            status, _, body = await sender.answer()
            assert (status, b"too_slow" in body) == (408, True)

    run(scenario())
    assert bodies.STRANGERS_SLOW_SECONDS < bodies.HOOKS_SLOW_SECONDS < bodies.SLOW_SECONDS
