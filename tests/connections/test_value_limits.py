"""Messages with very many values or blocks are refused before the protocol's library makes objects of them in the event loop."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from connections.test_http import JSON, said, speaking
from connections.using import Using, address, here, program, using
from perdure.model.values import Json
from perdure.tasks.decoding import has_more_values
from perdure.tasks.failing import NonRetryable
from perdure.tasks.mcp.message_limits import BLOCKS_MAX, VALUES_MAX, excess_of
from stalls import Stall, longest_stall
from tasks.servers import Reply, http_server

SERVER = r"""
import sys, json
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    match request["method"]:
        case "initialize":
            result = {"protocolVersion": request["params"]["protocolVersion"], "capabilities": {"tools": {}},
                      "serverInfo": {"name": "it", "version": "1"}}
        case "tools/list":
            result = {"tools": [{"name": "do", "inputSchema": {"type": "object"}}]}
        case _:
            result = eval(request["params"]["arguments"]["result"])
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}, separators=(",", ":")), flush=True)
"""

HUGE = {
    "structured": '{"content": [], "structuredContent": {"a": [1] * 4_000_000}}',
    "lists": '{"content": [], "structuredContent": {"a": [[]] * 2_600_000}}',
    "meta": '{"content": [], "_meta": {"a": [1] * 4_000_000}}',
    "blocks": '{"content": [{"type": "text", "text": "a"}] * 250_000}',
    "a few too many blocks": '{"content": [{"type": "text", "text": "a"}] * 5_001}',
    "failed": '{"content": [{"type": "text", "text": "a"}] * 250_000, "isError": True}',
    "texts": '{"content": [], "structuredContent": {"a": ["x"] * 1_500_000}}',
}
CPU_SECONDS_MAX = 0.25


async def _outcome(it: Using, **arguments: Json) -> tuple[Any, Stall]:
    async def call() -> Any:
        try:
            return await it.call(**arguments)
        except NonRetryable as error:
            return error

    await it.tools()
    return await longest_stall(call())


def _assert_refused(outcome: tuple[Any, Stall]) -> None:
    error, stall = outcome
    assert isinstance(error, NonRetryable)
    assert error.code == "MCP_INVALID_ANSWER"
    assert f"more than {VALUES_MAX:,} values" in str(error) or f"more than {BLOCKS_MAX:,} blocks" in str(error)
    assert stall.cpu_seconds < CPU_SECONDS_MAX, str(stall)


@pytest.mark.parametrize("kind", HUGE)
def test_a_program_that_answers_with_too_many_values_is_refused(kind: str) -> None:
    _assert_refused(using(program([sys.executable, "-c", SERVER]), lambda it: _outcome(it, result=HUGE[kind])))


@pytest.mark.parametrize("media", ["json", "sse", "sse in many lines, with CRLF"])
@pytest.mark.parametrize("kind", ["structured", "meta", "blocks"])
def test_a_server_that_answers_with_too_many_values_is_refused(kind: str, media: str) -> None:
    huge = eval(HUGE[kind])

    def reply(request: dict[str, Any]) -> Reply:
        body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": huge}, separators=(",", ":")).encode()
        if media == "json":
            return Reply(headers=JSON, body=body)
        if media == "sse":
            return Reply(headers={"content-type": "text/event-stream"}, body=b"data: " + body + b"\n\n")
        lines = body.replace(b"},", b"},\r\ndata: ").replace(b"1,1,1,1,", b"1,1,1,1,\r\ndata: ")[:9_000_000]
        return Reply(headers={"content-type": "text/event-stream"}, body=b"data: " + lines + b"\r\n\r\n")

    with http_server(speaking(reply)) as server:
        outcome = using(address(server.url("/mcp")), _outcome, allowed=here(server.port))
    _assert_refused(outcome)


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "a,[{" * 300_000}]},
        {"content": [{"type": "text", "text": '\\",[' * 300_000}]},
        {"content": [], "structuredContent": {"rows": [1] * 100_000}},
        {"content": [{"type": "text", "text": "a"}] * 1_000},
    ],
)
def test_long_texts_and_large_real_answers_are_let_in(result: dict[str, Any]) -> None:
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()
    assert excess_of(message) is None
    with http_server(speaking(lambda request: said(request, result))) as server:
        value = using(address(server.url("/mcp")), Using.call, allowed=here(server.port))
    assert value == result.get("structuredContent") or value


@pytest.mark.parametrize(("count", "more"), [(VALUES_MAX - 1, False), (VALUES_MAX + 2, True)])
def test_values_are_counted_outside_of_texts(count: int, more: bool) -> None:
    assert has_more_values(json.dumps(['a,\\",[{'] * count).encode(), VALUES_MAX) is more
