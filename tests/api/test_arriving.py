"""What comes before there is a request: bounded, whoever sends it; and whoever asks as one should notices nothing of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from api.house import JSON, House, house, run
from perdure.api import arriving
from perdure.api.arriving import HEAD_BYTES_MAX, HEAD_LINES_MAX

LINE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


class Connected:
    def __init__(self, taking: asyncio.StreamReader, giving: asyncio.StreamWriter) -> None:
        self._taking, self._giving = taking, giving

    async def send(self, data: bytes) -> None:
        self._giving.write(data)
        await self._giving.drain()

    async def flood(self, part: bytes, size: int) -> int:
        """Until so much is sent, or the other side takes no more of it; how much that was."""
        sent = 0
        with contextlib.suppress(OSError):
            while sent < size:
                await self.send(part)
                sent += len(part)
        return sent

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        head = (await self._taking.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await self._taking.readexactly(int(headers["content-length"]))
        return int(head[0].split()[1]), headers, body

    async def until(self, words: bytes) -> None:
        await self._taking.readuntil(words)

    async def rest(self) -> bytes:
        try:
            return await self._taking.read()
        except ConnectionError:
            return b""

    async def is_closed(self) -> bool:
        try:
            return await self._taking.read() == b""
        except ConnectionError:
            return True

    async def refused(self) -> dict[str, Any]:
        """The problem that it is answered with, before it is closed."""
        status, headers, body = await self.answer()
        problem: dict[str, Any] = json.loads(body)
        assert headers["content-type"] == "application/problem+json"
        assert headers["connection"] == "close"
        assert problem["status"] == status
        assert await self.is_closed()
        return problem

    def close(self) -> None:
        self._giving.close()


@contextlib.asynccontextmanager
async def connected(there: House) -> AsyncIterator[Connected]:
    place = urlsplit(there.url)
    made = Connected(*await asyncio.open_connection(place.hostname, place.port))
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "LAST_SECONDS", 0.02)


@pytest.mark.parametrize(
    "head",
    [
        LINE + b"X: a\r\n" * HEAD_LINES_MAX + b"\r\n",
        LINE + b"X-A: " + b"a" * HEAD_BYTES_MAX + b"\r\n\r\n",
        b"GET /" + b"a" * HEAD_BYTES_MAX + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        LINE + (b"X-A: " + b"a" * 1_000 + b"\r\n") * 70,
    ],
    ids=["lines", "one long", "path", "no end"],
)
def test_a_head_that_is_too_large_is_refused_with_the_limit(head: bytes) -> None:
    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            await client.send(head)
            problem = await client.refused()
            assert (problem["status"], problem["code"]) == (431, "head_too_large")
            assert "200 headers" in problem["detail"]
            assert "65,536 bytes" in problem["detail"]

    run(scenario())


def test_a_head_of_just_the_size_is_read() -> None:
    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            for head in (b"X: a\r\n" * (HEAD_LINES_MAX - 1), b"X-A: " + b"a" * (HEAD_BYTES_MAX - 100) + b"\r\n"):
                await client.send(LINE + head + b"\r\n")
                assert (await client.answer())[0] == 200

    run(scenario())


@pytest.mark.parametrize(
    ("before", "part"),
    [
        (LINE + b"X-A: ", b"a" * 65_536),
        (LINE, b"X: a\r\n" * 10_000),
        (b"", b"\r\n" * 32_768),
        (b"POST /hooks/none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: ", b"a" * 65_536),
        (b"POST /hooks/none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: a\r\n" * 10_000),
        (b"POST /hooks/none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;a=", b"a" * 65_536),
    ],
    ids=["one header", "headers", "empty lines", "one trailer", "trailers", "extension of a chunk"],
)
def test_no_more_is_taken_of_what_has_no_end(before: bytes, part: bytes) -> None:
    """Not as much as could be kept in memory, and more than the buffers of two sockets hold is not sent either."""

    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            await client.send(before)
            assert await client.flood(part, 200_000_000) < 50_000_000
            async with connected(there) as other:
                await other.send(LINE + b"\r\n")
                assert (await other.answer())[0] == 200

    run(scenario())


def test_what_stands_after_a_body_is_no_header() -> None:
    """A key that comes so late was looked for before, by this server or by a proxy in front of it."""

    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            token = await there.key("ada", "admin")
            await client.send(
                b"POST /api/workflows/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                b"Content-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\nAuthorization: Bearer "
                + token.encode()
                + b"\r\n\r\n"
            )
            assert (await client.answer())[0] == 401

    run(scenario())


@pytest.mark.parametrize("begin", [b"", b"\r\n", b"GET", LINE + b"X-A: "], ids=["nothing", "a line", "a word", "half"])
@pytest.mark.parametrize("is_kept_alive", [False, True])
def test_whoever_does_not_come_to_the_end_of_the_head_is_sent_away(
    begin: bytes, is_kept_alive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arriving, "HEAD_SECONDS", 0.05)

    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            if is_kept_alive:
                await client.send(LINE + b"\r\n")
                assert (await client.answer())[0] == 200
            if begin.strip():
                await client.send(begin)
                assert (await client.refused())["code"] == "too_slow"
            elif begin or not is_kept_alive:  # what is kept alive in silence is uvicorn's to close
                await client.send(begin)
                assert await client.is_closed()

    run(scenario())


def test_a_head_in_two_parts_and_an_answer_that_takes_long_are_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr("perdure.api.stream.HEARTBEAT_SECONDS", 0.01)

    async def scenario() -> None:
        async with house() as there:
            token = await there.key("ada", "admin")
            async with connected(there) as client:
                await client.send(b"GET /api/stream HTTP/1.1\r\nHost: x\r\n")
                await client.send(b"Authorization: Bearer " + token.encode() + b"\r\n\r\n" + LINE)
                for _ in range(8):
                    await client.until(b":\n\n")

    run(scenario())


def test_what_is_no_http_is_told_so() -> None:
    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            await client.send(b"\x16\x03\x01 nonsense\r\n\r\n")
            assert (await client.refused())["code"] == "not_http"

    run(scenario())


POST = b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n",
        CHUNKED + b"2\r\n{}}}\r\n0\r\n\r\n",
        CHUNKED + b"-1\r\n{}\r\n0\r\n\r\n",
        CHUNKED + b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        CHUNKED + b"2\n{}\n0\n\n",
        CHUNKED + b"2 \0\r\n{}\r\n0\r\n\r\n",
        POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        POST + b"Content-Length: 2, 2\r\n\r\n{}",
        POST + b"Content-Length: +2\r\n\r\n{}",
        POST + b"Content-Length: -2\r\n\r\n{}",
        POST + b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        POST + b"Content-Length : 2\r\n\r\n{}",
        POST + b"X-A: a\0b\r\nContent-Length: 2\r\n\r\n{}",
        POST + b"Host: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
        POST + b"hOST: evil.example\r\nContent-Length: 2\r\n\r\n{}",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nX-A: a\r\n\r\n",
    ],
    ids=lambda request_: request_.rpartition(b"json\r\n")[2][:60].decode("ascii", "replace"),
)
@pytest.mark.parametrize("in_parts", [False, True])
def test_a_request_whose_framing_or_host_is_ambiguous_is_a_bad_request(request_: bytes, *, in_parts: bool) -> None:
    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            head, end, body = request_.partition(b"\r\n\r\n")
            for part in (head + end, body) if in_parts and body else (request_,):
                await client.send(part)
                await asyncio.sleep(0.02 if in_parts else 0)
            problem = await client.refused()
            assert (problem["status"], problem["code"]) == (400, "not_http"), problem
            async with connected(there) as other:
                await other.send(LINE + b"\r\n")
                assert (await other.answer())[0] == 200

    run(scenario())


def test_a_request_of_http_1_0_needs_no_host() -> None:
    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            await client.send(b"GET /healthz HTTP/1.0\r\n\r\n")
            assert (await client.answer())[0] == 200

    run(scenario())


@pytest.mark.parametrize(
    "broken",
    [
        CHUNKED + b"zz\r\n",
        CHUNKED.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n") + b"zz\r\n",
        LINE + b"Host: y\r\n\r\n",
        b"\x16\x03\x01 nonsense\r\n\r\n",
    ],
    ids=["chunk", "chunk that was not asked for", "two hosts", "no HTTP"],
)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_broken_request_is_answered_after_those_before_it(
    broken: bytes, count: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            await client.send((LINE + b"\r\n") * count + broken)
            for _ in range(count):
                assert (await client.answer())[0] == 200
            assert (await client.refused())["status"] == 400

    run(scenario())
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(
    "head",
    [b"GET /healthz HTTP/1.1\r\nHost: x\r\n", b"POST /hooks/xyz HTTP/1.1\r\nHost: x\r\n"],
    ids=["200", "404"],
)
def test_a_request_that_is_answered_already_gets_no_second_answer(head: bytes) -> None:
    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            await client.send(head + b"Transfer-Encoding: chunked\r\n\r\n")
            assert (await client.answer())[0] in (200, 404)
            await client.send(b"zz\r\n")
            assert await client.is_closed()

    run(scenario())


def test_whoever_takes_nothing_of_an_answer_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "STALLED_SECONDS", 0.02)
    ask = b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"

    async def scenario() -> None:
        async with house() as there, connected(there) as client:
            assert await client.flood(ask * 100, 200_000_000) < 100_000_000

    run(scenario())


def test_with_all_connections_taken_whoever_waits_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a head on each of them locks nobody out."""
    monkeypatch.setenv("PERDURE_CONNECTIONS_MAX", "3")

    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            slow = [await stack.enter_async_context(connected(there)) for _ in range(3)]
            for each in slow:
                await each.send(LINE + b"X-A: ")
            for number in range(2):
                other = await stack.enter_async_context(connected(there))
                await other.send(LINE + b"\r\n")
                assert (await other.answer())[0] == 200
                assert await slow[number].is_closed()
            await slow[2].send(b"1\r\n\r\n")
            assert (await slow[2].answer())[0] == 200

    run(scenario())


def test_with_everybody_being_answered_only_whoever_asks_how_it_is_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_CONNECTIONS_MAX", "2")
    monkeypatch.setenv("PERDURE_STREAMS_MAX", "2")
    monkeypatch.setenv("PERDURE_MEMBER_STREAMS_MAX", "2")
    monkeypatch.setattr(arriving, "ALWAYS_MAX", 2)

    async def scenario() -> None:
        async with house() as there, contextlib.AsyncExitStack() as stack:
            token = await there.key("ada", "admin")
            for _ in range(2):
                stream = await stack.enter_async_context(connected(there))
                await stream.send(
                    f"GET /api/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
                )
                await stream.until(b"event: live\n")
            async with connected(there) as other:
                await other.send(b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
                problem = await other.refused()
                assert (problem["status"], problem["code"]) == (503, "too_many_connections")
                assert "PERDURE_CONNECTIONS_MAX" in problem["detail"]
            async with connected(there) as health:
                await health.send(LINE + b"\r\n")
                assert (await health.answer())[0] == 200

    run(scenario())


def test_requests_one_after_the_other_share_a_connection() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, connected(there) as client:
            body = b'{"type": "order.paid", "payload": {}}'
            host = urlsplit(there.url).netloc.encode()
            post = b"POST /api/events HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (
                *(host, JSON["Content-Type"].encode(), len(body)),
                body,
            )
            for _ in range(20):
                await client.send(post)
                status, _, told = await client.answer()
                assert status < 300, told
            await client.send(post * 5)
            assert [(await client.answer())[0] < 300 for _ in range(5)] == [True] * 5

    run(scenario())
