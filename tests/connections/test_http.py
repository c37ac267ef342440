"""Servers by HTTP leave through the one door, and what they answer that is none of the protocol's business is contained."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from connections.documents import calling
from connections.using import Using, address, here, using
from perdure import Engine
from perdure.service.connections import Unreachable
from perdure.service.errors import ExecutionFailed
from perdure.tasks.addresses import Allowed
from perdure.tasks.door import Door
from perdure.tasks.failing import NonRetryable, Retryable, failure_of
from perdure.tasks.limits import Limits
from perdure.tasks.mcp.pool import Pool
from stalls import Stall, longest_stall
from tasks.servers import HttpServer, Received, Reply, http_server

JSON = {"content-type": "application/json"}
TOO_MANY = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32050,"message":"too many"}}'
TOOL = {"name": "do", "inputSchema": {"type": "object"}}


def speaking(call: Callable[[dict[str, Any]], Reply]) -> Callable[[Received], Reply]:
    """A server of MCP whose calls are answered so."""

    def reply(received: Received) -> Reply:
        if received.method != "POST":
            return Reply(405)
        request = json.loads(received.body)
        match request.get("method"):
            case "initialize":
                info = {"name": "it", "version": "1"}
                version = request["params"]["protocolVersion"]
                return said(request, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
            case "tools/list":
                return said(request, {"tools": [TOOL]})
            case "tools/call":
                return call(request)
            case _:
                return Reply(202)

    return reply


def said(request: dict[str, Any], result: Any, **more: Any) -> Reply:
    body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
    return Reply(headers={**JSON, **more}, body=body)


def fine(request: dict[str, Any]) -> Reply:
    return said(request, {"content": [{"type": "text", "text": "fine"}]})


def refused(server: HttpServer, **options: Any) -> NonRetryable | Retryable:
    async def play(it: Using) -> NonRetryable | Retryable:
        try:
            answer = await it.call(seconds=5.0)
        except (NonRetryable, Retryable) as error:
            return error
        raise AssertionError(answer)

    return using(address(server.url("/mcp")), play, **{"allowed": here(server.port), **options})


@pytest.mark.parametrize(
    ("reply", "code", "said_"),
    [
        (Reply(401), "MCP_NOT_ALLOWED", "answered with 401; look at the headers of the connection"),
        (Reply(403, JSON, b"{}"), "MCP_NOT_ALLOWED", "answered with 403"),
        (Reply(307, {"location": "/other"}), "MCP_NOT_ALLOWED", "answered with 307, a redirect, which is not followed"),
        (Reply(302, {"location": "http://169.254.169.254/"}), "MCP_NOT_ALLOWED", "a redirect"),
        (Reply(503), "MCP_UNAVAILABLE", "answered with 503"),
        (Reply(429, {"retry-after": "7"}), "MCP_UNAVAILABLE", "answered with 429"),
        (Reply(429, JSON, b'{"error":"rate limited"}'), "MCP_UNAVAILABLE", "answered with 429"),
        (Reply(503, JSON, b"["), "MCP_UNAVAILABLE", "answered with 503"),
        (Reply(429, JSON, TOO_MANY), "MCP_ERROR", "is answered with an error: too many (-32050)"),
        (
            Reply(422, JSON, b'{"detail":"no"}'),
            "MCP_REFUSED",
            "answered with 422; is this the address that speaks MCP?",
        ),
        (Reply(503, JSON, b"x" * 2_000), "MCP_TOO_LARGE", "answered with more than 1,000 bytes"),
        (Reply(405), "MCP_REFUSED", "answered with 405; is this the address that speaks MCP?"),
        (
            Reply(200, {"content-type": "text/html"}, b"<p>hello</p>"),
            "MCP_REFUSED",
            "Unexpected content type: text/html",
        ),
        (Reply(200, JSON, b"{"), "MCP_REFUSED", "Failed to parse JSON response"),
        (Reply(200, JSON, b"x" * 2_000), "MCP_TOO_LARGE", "answered with more than 1,000 bytes"),
        (
            Reply(200, {"content-type": "text/event-stream"}, b"data: " + b"x" * 2_000),
            "MCP_TOO_LARGE",
            "more than 1,000",
        ),
        (Reply(200, {"content-type": "text/event-stream"}, b""), "MCP_UNAVAILABLE", "the server ended while the tool"),
        (
            Reply(200, {**JSON, "content-encoding": "gzip"}, gzip.compress(b"x" * 10**6)),
            "MCP_INVALID_ANSWER",
            "compressed",
        ),
        (Reply(202), "MCP_REFUSED", "202 Accepted"),
    ],
)
def test_what_is_no_answer_fails_the_call(reply: Reply, code: str, said_: str) -> None:
    with http_server(speaking(lambda _: reply)) as server:
        error = refused(server, limits=Limits(response_bytes_max=1_000))
    assert (error.code, said_ in str(error)) == (code, True), str(error)


@pytest.mark.parametrize(("headers", "body"), [({}, b""), (JSON, b'{"error":"rate limited"}')])
def test_who_asks_to_come_back_later_is_asked_later(headers: dict[str, str], body: bytes) -> None:
    with http_server(speaking(lambda _: Reply(503, {"retry-after": "7", **headers}, body))) as server:
        assert failure_of(refused(server)).retry_after_ms == 7_000


def test_one_call_that_fails_leaves_the_session_to_the_others() -> None:
    replies = iter([Reply(500), None, Reply(200, JSON, b"{"), None])

    def call(request: dict[str, Any]) -> Reply:
        return next(replies) or fine(request)

    async def play(it: Using) -> list[Any]:
        return [await _outcome(it) for _ in range(4)]

    with http_server(speaking(call)) as server:
        outcomes = using(address(server.url("/mcp")), play, allowed=here(server.port))
        begun = [each for each in server.received if b'"initialize"' in each.body]
    assert outcomes == ["McpUnavailable", "fine", "McpRefused", "fine"]
    assert len(begun) == 1


def test_an_error_of_the_tool_that_speaks_of_a_session_is_not_a_session_that_was_lost() -> None:
    def call(request: dict[str, Any]) -> Reply:
        error = {"code": -32602, "message": "argument checkout_session is required, or an unknown session was given"}
        return Reply(400, JSON, json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}).encode())

    with http_server(with_sessions(call)) as server:
        error = refused(server)
        calls = [each for each in server.received if b'"tools/call"' in each.body]
        begun = [each for each in server.received if b'"initialize"' in each.body]
    assert (error.code, "argument checkout_session is required" in str(error)) == ("MCP_REFUSED", True), str(error)
    assert (len(calls), len(begun)) == (1, 1)


@pytest.mark.parametrize(
    "lost",
    [
        Reply(404),
        Reply(400, {"content-type": "text/plain"}, b"Unknown or expired session"),
        Reply(400, JSON, b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32050, "message": "Missing session ID"}}'),
    ],
)
def test_a_session_that_was_lost_is_opened_anew_under_the_calls_in_flight(lost: Reply) -> None:
    """The call that is under way on the lost session is answered, and each was made once."""
    arrived, go_on = threading.Event(), threading.Event()
    losses = iter([lost])

    def call(request: dict[str, Any]) -> Reply:
        if request["params"]["arguments"].get("slow"):
            arrived.set()
            go_on.wait(20)
            return fine(request)
        return next(losses, None) or fine(request)

    async def play(it: Using) -> list[Any]:
        slow = asyncio.create_task(it.call(slow=True))
        await asyncio.to_thread(arrived.wait, 20)
        quick = await it.call()
        go_on.set()
        return [quick, await slow]

    with http_server(with_sessions(call)) as server:
        try:
            outcomes = using(address(server.url("/mcp")), play, allowed=here(server.port))
        finally:
            go_on.set()
        calls = [each for each in server.received if b'"tools/call"' in each.body]
        begun = [each for each in server.received if b'"initialize"' in each.body]
    assert (outcomes, len(calls), len(begun)) == (["fine", "fine"], 3, 2)


_LISTS = (
    b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "no", "data": [' + b"[]," * 2_900_000 + b"[]]}}"
)


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("media", "body", "code"),
    [
        ("text/plain", b"invalid " * 1_200_000, "MCP_REFUSED"),
        ("application/json", _LISTS, "MCP_INVALID_ANSWER"),
        ("application/json", b"[" + b"[]," * 3_000_000 + b"[]]", "MCP_REFUSED"),
    ],
    ids=["words", "error", "lists"],
)
def test_a_large_error_does_not_stop_the_loop(status: int, media: str, body: bytes, code: str) -> None:
    async def play(it: Using) -> tuple[str | None, Stall]:
        await it.tools()
        return await longest_stall(outcome(it))

    async def outcome(it: Using) -> str | None:
        with pytest.raises(NonRetryable) as failed:
            await it.call(seconds=60.0)
        return failed.value.code

    with http_server(with_sessions(lambda _: Reply(status, {"content-type": media}, body))) as server:
        found, stall = using(address(server.url("/mcp")), play, allowed=here(server.port))
    assert found == code
    assert stall.cpu_seconds < 0.3, stall


def test_a_pool_that_closes_does_not_wait_for_calls_of_a_session_that_was_lost() -> None:
    arrived, go_on = threading.Event(), threading.Event()
    losses = iter([Reply(404)])

    def call(request: dict[str, Any]) -> Reply:
        if request["params"]["arguments"].get("slow"):
            arrived.set()
            go_on.wait(20)
            return fine(request)
        return next(losses, None) or fine(request)

    async def play(it: Using) -> str:
        slow = asyncio.create_task(it.call(slow=True, seconds=15.0))
        await asyncio.to_thread(arrived.wait, 20)
        await it.call()
        await it.pool.close()
        with pytest.raises(Retryable) as ended:
            await slow
        return str(ended.value.code)

    with http_server(with_sessions(call)) as server:
        try:
            assert using(address(server.url("/mcp")), play, allowed=here(server.port)) == "MCP_UNAVAILABLE"
        finally:
            go_on.set()


def with_sessions(call: Callable[[dict[str, Any]], Reply]) -> Callable[[Received], Reply]:
    """A server that gives each that begins a session of its own."""
    plain, numbers = speaking(call), itertools.count(1)

    def reply(received: Received) -> Reply:
        told = plain(received)
        if b'"initialize"' not in received.body:
            return told
        return Reply(told.status, {**told.headers, "mcp-session-id": str(next(numbers))}, told.body)

    return reply


async def _outcome(it: Using) -> Any:
    try:
        return await it.call()
    except (NonRetryable, Retryable) as error:
        return type(error).__name__


def test_a_server_that_hangs_is_not_waited_for_longer_than_its_time() -> None:
    with http_server(speaking(lambda _: Reply(200, JSON, b"{", announce=False, hang=True))) as server:

        async def play(it: Using) -> str:
            with pytest.raises(Retryable, match=r"has not answered within 0\.3 seconds") as late:
                await it.call(seconds=0.3)
            return str(late.value.code)

        assert using(address(server.url("/mcp")), play, allowed=here(server.port)) == "MCP_TIMEOUT"


def test_cookies_are_not_kept_and_nothing_is_asked_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    async def play(it: Using) -> None:
        for _ in range(2):
            assert await it.call() == "fine"

    def call(request: dict[str, Any]) -> Reply:
        told = fine(request)
        return Reply(headers={**told.headers, "set-cookie": "a=b"}, body=told.body)

    with http_server(speaking(call)) as server:
        using(address(server.url("/mcp")), play, allowed=here(server.port))
        assert not [each for each in server.received if "cookie" in each.headers]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "127.1", "0x7f000001", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]"]
)
def test_what_is_not_public_is_not_called(host: str) -> None:
    """The canary hears nothing."""
    with http_server(speaking(fine)) as canary:
        url = canary.url("/mcp", host=host)

        async def scenario() -> None:
            async with Engine() as engine:
                await engine.connections.add("api", url)
                execution = await engine.executions.start(calling("api/do"), {})
                with pytest.raises(ExecutionFailed) as failed:
                    await execution.result()
                failure = failed.value.failure
                assert failure is not None
                assert (failure.code, failure.retriable) == ("OUTBOUND_REFUSED", False)

        asyncio.run(scenario())
        assert canary.received == []


def test_what_is_kept_in_is_told_at_once_however_often_it_is_asked_for() -> None:
    """Whoever cannot be reached is spared for longer each time; here nobody has to be."""

    async def scenario() -> None:
        async with Engine() as engine:
            await engine.connections.add("api", "http://127.0.0.1:9/mcp")
            async with asyncio.timeout(5):
                for _ in range(20):
                    with pytest.raises(Unreachable, match="may not be called"):
                        await engine.connections.tools("api")

    asyncio.run(scenario())


def test_a_name_that_changes_its_mind_does_not_lead_elsewhere() -> None:
    """Resolved once for each connection, judged, and called by the address that was judged."""
    answers = iter([["127.0.0.1"], *([["10.0.0.1"]] * 100)])

    async def resolve(host: str, port: int) -> list[str]:
        return next(answers)

    async def scenario(url: str, port: int) -> None:
        door = Door(Allowed([], [f"mcp.example:{port}"]), Limits(connect_ms=300), resolve=resolve)
        pool = Pool(lambda: door, Limits())
        with pytest.raises(Retryable, match="cannot be reached"):
            # The name itself is allowed; the second answer leads to where nobody listens, and never to the canary.
            await pool.use(
                ("default", "it"), address(url, connect_ms=300), None, lambda it: it.call("do", {}, "k", 0.5)
            )
        await pool.close()

    with http_server(speaking(fine)) as server:
        asyncio.run(scenario(server.url("/mcp", host="mcp.example"), server.port))
        assert len(server.received) <= 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "internal"},
        {"Content-Length": "0", "Transfer-Encoding": "chunked"},
        {"Connection": "upgrade"},
        {"Upgrade": "h2c"},
        {"Proxy-Authorization": "x"},
        {"X-Token": "a\r\nHost: internal"},
    ],
)
def test_headers_that_the_door_refuses_do_not_leave_by_a_connection(headers: dict[str, str]) -> None:
    """A secret may hold what nobody could see when the connection was written down."""
    with http_server(speaking(fine)) as server:

        async def play(it: Using) -> str | None:
            with pytest.raises(NonRetryable) as refused_:
                await it.call()
            assert "a\r\n" not in str(refused_.value)
            return refused_.value.code

        connection = address(server.url("/mcp"), headers=headers)
        assert using(connection, play, allowed=here(server.port)) == "OUTBOUND_REFUSED"
        assert server.received == []


def test_a_header_may_say_more_than_ascii() -> None:
    with http_server(speaking(fine)) as server:

        async def play(it: Using) -> None:
            assert await it.call() == "fine"

        using(address(server.url("/mcp"), headers={"X-Shop": "Möbel"}), play, allowed=here(server.port))
        assert {each.headers["x-shop"].encode("latin-1").decode() for each in server.received} == {"Möbel"}


def test_the_operator_allows_what_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    with http_server(speaking(fine)) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine() as engine:
                await engine.connections.add("api", server.url("/mcp"))
                assert await (await engine.executions.start(calling("api/do"), {})).result() == "fine"

        asyncio.run(scenario())
