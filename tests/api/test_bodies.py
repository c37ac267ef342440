"""What is sent: bounded before it is read, and read strictly."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.house import GREET, JSON, house, run, said
from perdure.api.bodies import BODY_BYTES_MAX, NODES_MAX, STRANGERS_BYTES_MAX, has_more_than
from perdure.api.mistakes import MISTAKES_MAX
from stalls import longest_stall

DEEP = b'{"name": "greet", "input": ' + b"[" * 200 + b"]" * 200 + b"}"
TWICE = b'{"name": "greet", "name": "other"}'
MANY = b'{"name": "greet", "input": [' + b"1," * NODES_MAX + b"1]}"
REFUSED: tuple[tuple[str, bytes, dict[str, str], int], ...] = (
    ("not JSON", b"{nope", JSON, 400),
    ("empty", b"", JSON, 400),
    ("a key twice", TWICE, JSON, 400),
    ("too deep", DEEP, JSON, 400),
    ("no number", b'{"name": "greet", "input": NaN}', JSON, 400),
    ("not UTF-8", b'{"name": "\xff"}', JSON, 400),
    ("a NUL", b'{"name": "greet", "input": "\\u0000"}', JSON, 400),
    ("half a character", b'{"name": "greet", "input": "\\ud800"}', JSON, 400),
    ("too many values", MANY, JSON, 413),
    ("too large", b'"' + b"a" * BODY_BYTES_MAX + b'"', JSON, 413),
    ("no content type", b'{"name": "greet"}', {}, 415),
    ("a form", b"name=greet", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ("text", b'{"name": "greet"}', {"Content-Type": "text/plain"}, 415),
    ("a file", b"--x\r\n\r\n--x--", {"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ("compressed", b"\x1f\x8b", {**JSON, "Content-Encoding": "gzip"}, 415),
    ("a list", b"[]", JSON, 422),
    ("a field too many", b'{"name": "greet", "nme": 1}', JSON, 422),
    ("another type", b'{"name": 1}', JSON, 422),
)


@pytest.mark.parametrize("path", ["/api/executions", "/api/workflows", "/api/workflows/validate", "/api/events"])
def test_what_cannot_be_read_is_refused_and_nothing_is_done(path: str) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            await client.post("/api/workflows", json=GREET)
            for what, body, headers, status in REFUSED:
                if status == 422 and path != "/api/executions":
                    continue
                response = await client.post(path, content=body, headers=headers)
                assert response.status_code == status, (what, response.text)
                assert response.headers["content-type"] == "application/problem+json"
                assert said(response)["status"] == status
            assert said(await client.get("/api/executions"))["items"] == []
            assert said(await client.get("/api/events"))["items"] == []
            assert len(said(await client.get("/api/workflows"))["items"]) == 1

    run(scenario())


def test_a_body_without_an_end_is_not_kept() -> None:
    """Whoever does not say how much comes is cut off where it is too much."""

    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:

            async def endless() -> Any:
                for _ in range(1_000):
                    yield b"a" * 65_536

            try:
                response = await client.post("/api/executions", content=endless(), headers=JSON)
            except httpx2.TransportError:
                return  # it was answered and closed before all was sent
            assert response.status_code == 413

    run(scenario())


def test_nothing_is_read_of_whoever_may_not_ask() -> None:
    """A stranger is told so before a byte of what they send is looked at."""

    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            for body in (b"{nope", MANY, b""):
                assert (await client.post("/api/executions", content=body, headers=JSON)).status_code == 401

    run(scenario())


def test_all_that_is_wrong_is_said_at_once_with_its_place() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            body = {"id": "", "roles": ["king", 3], "grups": [], "email": 7}
            errors = said(await client.post("/api/members", json=body))["errors"]
            assert {each["path"] for each in errors} == {"/id", "/roles/0", "/roles/1", "/grups", "/email"}
            bad = said(await client.get("/api/executions", params={"limit": 0, "status": "odd"}))
            assert {each["field"] for each in bad["errors"]} == {"limit", "status"}
            assert (await client.get("/api/executions", params={"cursor": "nonsense"})).status_code == 400

    run(scenario())


def test_of_very_many_mistakes_only_some_are_told() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            many = {f"k{number}": 1 for number in range(90_000)}
            (told,) = said(await client.post("/api/executions", json=many))["errors"]
            assert "there are 90,000 fields here" in told["message"]
            assert "workflowId" in told["message"]
            wrong = said(await client.post("/api/members", json={"id": "bo", "roles": [7] * 1_000}))["errors"]
            assert len(wrong) == MISTAKES_MAX + 1
            assert wrong[-1]["message"] == f"and {1_000 - MISTAKES_MAX} more like these"

    run(scenario())


def test_of_somebody_who_has_not_said_who_they_are_little_is_read() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            for size, status in ((STRANGERS_BYTES_MAX - 50, 422), (STRANGERS_BYTES_MAX + 1, 413)):
                body = b'{"key": "' + b"a" * size + b'"}'
                response = await client.post("/api/session", content=body, headers=JSON)
                assert response.status_code == status
            assert "16,384 bytes" in said(response)["detail"]

    run(scenario())


def test_without_the_token_of_a_webhook_nothing_is_read() -> None:
    """Who has none is told so before the body has come, which never does."""

    async def scenario() -> None:
        async with house() as there:
            place = urlsplit(there.url)
            taking, giving = await asyncio.open_connection(place.hostname, place.port)
            giving.write(b"POST /hooks/bogus HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n")
            assert await asyncio.wait_for(taking.readline(), 10) == b"HTTP/1.1 404 Not Found\r\n"
            giving.close()

    run(scenario())


def test_every_answer_has_an_id_and_what_browsers_need() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            for path in ("/healthz", "/api/executions", "/nowhere"):
                response = await client.get(path, headers={"X-Request-Id": "mine-1"})
                assert response.headers["x-request-id"] == "mine-1"
                assert response.headers["x-content-type-options"] == "nosniff"
            odd = await client.get("/nowhere", headers={"X-Request-Id": "a b\tc"})
            assert odd.headers["x-request-id"] != "a b\tc"
            assert said(odd)["requestId"] == odd.headers["x-request-id"]
            wrong = await client.put("/api/executions")
            assert (wrong.status_code, "GET" in wrong.headers["allow"]) == (405, True)

    run(scenario())


def test_on_ones_own_machine_pages_from_elsewhere_are_strangers() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there:
            async with there.ask() as client:
                assert (await client.get("/api/workflows")).status_code == 200
                own = {"Origin": there.url}
                assert (await client.post("/api/workflows", json=GREET, headers=own)).status_code == 201
            cross = {"Sec-Fetch-Site": "cross-site"}
            async with there.ask(**cross) as client:
                assert (await client.get("/healthz")).status_code == 200, "a link may lead here"
            for headers in (
                {"Host": "evil.example"},
                {"Origin": "https://evil.example"},
                {"Host": "["},
                {"Host": "localhost:port"},
                {"Origin": "http://["},
                {"Origin": "null"},
                cross,
                {"Sec-Fetch-Site": "same-site"},
            ):
                async with there.ask(**headers) as client:
                    response = await client.post("/api/executions", json={"name": "greet"})
                    assert response.status_code == 403, headers
            assert (await there.engine.executions.list()).items == ()

    run(scenario())


TEXTS = st.text(st.sampled_from(',[]{}"\\ ä'), max_size=5)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS, lambda inside: st.lists(inside) | st.dictionaries(TEXTS, inside), max_leaves=30
)


def counted(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(counted, inside))


@given(VALUES, st.sampled_from([None, 1]))
def test_values_are_counted_before_they_are_made(value: Any, indent: int | None) -> None:
    body, count = json.dumps(value, indent=indent).encode(), counted(value)
    assert (has_more_than(body, count), has_more_than(body, count - 1)) == (False, True)


def test_a_whole_number_may_have_a_point_and_half_of_one_is_none() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            for limit, status in ((3, 200), (3.0, 200), (3.5, 422), (0.0, 422), ("3", 422), (True, 422)):
                body: Any = {"action": "cancel", "filter": {"status": "running"}, "limit": limit}
                assert (await client.post("/api/bulk", json=body)).status_code == status, limit

    run(scenario())


@pytest.mark.parametrize("path", ["/api/executions", "/api/events", "/api/workflows/validate"])
def test_a_large_body_is_not_read_in_the_loop(path: str) -> None:
    """As many objects as a body may have, in a place where each of them is kept, or nothing is known of them."""
    many = [{"abcdef": 1}] * (NODES_MAX // 2 - 100)
    bodies = {
        "/api/executions": {"name": "greet", "input": {"name": "x", "many": many}},
        "/api/events": {"type": "much", "source": "test", "data": many},
        "/api/workflows/validate": {"many": many},
    }

    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            await client.post("/api/workflows", json=GREET)
            body = json.dumps(bodies[path]).encode()
            answer, stall = await longest_stall(client.post(path, content=body, headers=JSON))
            print(f"\n{path}: {answer.status_code}, {stall}")
            assert answer.status_code in (200, 201, 202), answer.text[:500]
            assert stall.cpu_seconds < 0.1, stall

    run(scenario())
