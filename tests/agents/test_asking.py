"""What comes before the protocol: who asks, under which name, from where, and with what."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
from typing import Any

import pytest
from mcp import MCPError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, Tool
from starlette.requests import Request

from agents.there import ACCEPTS, MODES, greet, run, text, there
from perdure.api.given import Body
from perdure.api.mcp.fixed import FIXED, Fixed
from perdure.api.mcp.places import Places
from perdure.api.mcp.telling import answered

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def test_whoever_has_no_key_is_not_answered() -> None:
    async def scenario() -> None:
        async with there() as house:
            token = await house.key("bot", "viewer")
            mistyped = token[:-1] + ("a" if token[-1] != "a" else "b")
            for given in ({}, {"Authorization": "Bearer " + mistyped}, {"Authorization": "Basic YTpi"}):
                async with house.http(**given) as client:
                    refused = await client.post("/mcp", json=LIST, headers=ACCEPTS)
                    assert refused.status_code == 401
                    assert refused.headers["www-authenticate"].startswith("Bearer")
            async with house.http(token) as client:
                assert (await client.post("/mcp", json=LIST, headers=ACCEPTS)).status_code == 200
                (key,) = (await house.engine.keys.list()).items
                await house.engine.keys.revoke(key.id)
                assert (await client.post("/mcp", json=LIST, headers=ACCEPTS)).status_code == 401

    run(scenario())


def test_nothing_of_a_body_is_read_before_it_is_known_who_asks() -> None:
    async def scenario() -> None:
        async with there() as house:
            host, port = house.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 1000000\r\n\r\n".encode())
            assert b"401" in await asyncio.wait_for(reader.readline(), 10)
            writer.close()

    run(scenario())


def test_there_is_no_stream_to_listen_to_and_no_session_to_end() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house, house.http() as client:
            for method in ("GET", "DELETE", "PUT"):
                refused = await client.request(method, "/mcp", headers=ACCEPTS)
                assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
            begun = await client.post("/mcp", json=LIST, headers=ACCEPTS)
            assert "mcp-session-id" not in begun.headers

    run(scenario())


def test_a_page_from_elsewhere_and_a_foreign_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_PUBLIC_URL", "https://flows.example.com")

    async def scenario() -> None:
        async with there() as house:
            token = await house.key("bot", "viewer")
            own = {"Host": "flows.example.com"}
            for headers, status in (
                ({}, 200),
                (own, 200),
                ({"Host": "flows.example.com:8443"}, 200),
                ({**own, "Origin": "https://flows.example.com"}, 200),
                ({**own, "Origin": "https://evil.example.com"}, 403),
                ({"Host": "evil.example.com"}, 421),
                ({"Host": "flows.example.com.evil.com"}, 421),
                ({"Host": "localhost.evil.com:80"}, 421),
            ):
                async with house.http(token) as client:
                    found = await client.post("/mcp", json=LIST, headers={**ACCEPTS, **headers})
                    assert found.status_code == status, headers
                    if status == 421:
                        assert "ask it https://flows.example.com" in found.json()["detail"]

    run(scenario())


def test_on_ones_own_machine_only_its_own_names_count() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            for headers in ({"Host": "evil.example.com"}, {"Origin": "https://evil.example.com"}):
                async with house.http() as client:
                    found = await client.post("/mcp", json=LIST, headers={**ACCEPTS, **headers})
                    assert found.status_code == 403

    run(scenario())


def settings(public: str, host: str, *, needs_key: bool) -> TransportSecuritySettings:
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [(b"host", host.encode())]}
    return Places(public, needs_key).settings(Request(scope))


def test_which_names_are_known() -> None:
    unknown = settings("http://0.0.0.0:8400", "perdure:8400", needs_key=True)
    assert unknown.allowed_hosts == ["perdure:8400"]
    assert unknown.allowed_origins == ["http://perdure:8400", "https://perdure:8400"]
    assert "perdure:8400" not in settings("", "perdure:8400", needs_key=False).allowed_hosts
    assert "[fe80::1]:*" in settings("http://[fe80::1]:8400", "other", needs_key=True).allowed_hosts
    assert all(
        settings(public, "other", needs_key=key).enable_dns_rebinding_protection
        for public in ("", "https://flows.example.com")
        for key in (True, False)
    )


DEEP = "[" * 200 + "]" * 200
NINES = "9" * 5_000
CALL = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": %s}}'


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b"", {400}),
        (b"{", {400}),
        (b"\xff\xfe", {400}),
        (b"[]", {400}),
        (b"4", {400}),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', {400}),
        (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', {400}),
        ((CALL % f'{{"a": {DEEP}}}').encode(), {400}),
        ((CALL % '{"a": NaN}').encode(), {400}),
        ((CALL % '{"a": 1e999}').encode(), {400}),
        ((CALL % f'{{"a": {NINES}}}').encode(), {400}),
        ((CALL % '{"a": "\\ud800"}').encode(), {400}),
        ((CALL % json.dumps({"a": [0] * 100_001})).encode(), {413}),
        (b"x" * 2_000_001, {413}),
        ((CALL % "4").encode(), {200, 400}),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', {200, 400, 404}),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', {202, 400}),
    ],
    ids=range(17),
)
def test_hostile_bodies_are_refused_and_start_nothing(version: str, body: bytes, statuses: set[int]) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house, house.http() as client:
            await house.engine.workflows.save(greet())
            headers = {**ACCEPTS, "MCP-Protocol-Version": version}
            found = await client.post("/mcp", content=body, headers=headers)
            assert found.status_code in statuses, found.text
            if found.status_code == 200:
                assert '"error"' in found.text
            async with house.agent() as agent:
                assert not (await agent.call_tool("perdure_list_executions", {})).structured_content["items"]

    run(scenario())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Encoding": "gzip"}, 415),
        ({"Accept": "text/html"}, 406),
        ({"MCP-Protocol-Version": "1999-01-01"}, 400),
        ({"Mcp-Session-Id": "somebody-elses"}, 200),
    ],
)
def test_headers_that_do_not_fit_are_refused(headers: dict[str, str], status: int) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house, house.http() as client:
            body = json.dumps(LIST).encode()
            given = gzip.compress(body) if "Content-Encoding" in headers else body
            found = await client.post("/mcp", content=given, headers={**ACCEPTS, **headers})
            assert found.status_code == status, found.text

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_arguments_with_hostile_values_are_kept_as_they_are(mode: str) -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            await house.engine.workflows.save(greet())
            given: dict[str, Any] = {"name": "'; DROP TABLE x; -- {{secrets.KEY}}", "__proto__": {"a": 1}, "_meta": 1}
            async with house.agent(mode=mode) as client:
                told = await client.call_tool("greet", given)
                assert told.structured_content["output"]["greeting"] == f"Hello {given['name']}!"
                deep: Any = 1
                for _ in range(90):
                    deep = [deep]
                assert not (await client.call_tool("greet", {"name": deep})).is_error

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_what_nobody_has_foreseen_is_told_to_the_log_alone(
    mode: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> CallToolResult:
        raise RuntimeError("the password is 1234")

    tool = Tool(name="perdure_broken", input_schema={"type": "object"})
    monkeypatch.setitem(FIXED, "perdure_broken", Fixed(tool, Body, broken))

    async def scenario() -> None:
        async with there(needs_key=False) as house, house.agent(mode=mode) as client:
            with pytest.raises(MCPError, match="its log has more under the request id") as told:
                await client.call_tool("perdure_broken", {})
            assert "1234" not in str(told.value)
            assert "the password is 1234" in caplog.text

    run(scenario())


def test_an_answer_that_is_too_large_says_so() -> None:
    told = answered({"items": ["x" * 1_000] * 1_100})
    assert told.is_error
    assert "ask for fewer, with limit" in text(told)


def test_other_paths_are_as_before() -> None:
    async def scenario() -> None:
        async with there() as house, house.http() as client:
            assert (await client.get("/healthz")).status_code == 200
            assert "/mcp" not in (await client.get("/api/openapi.json")).json()["paths"]

    run(scenario())


def test_a_server_that_no_agent_asks_does_not_wait_for_the_library() -> None:
    program = "import sys, perdure.api.app; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
