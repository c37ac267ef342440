"""The task `http` against a real server."""

from __future__ import annotations

import asyncio
import json
from email.utils import formatdate
from typing import Any

import pytest

from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks import NonRetryable, Retryable, TaskContext, call, failure_of
from perdure.tasks.answers import retry_after_ms
from perdure.tasks.builtin import TaskSettings, builtins
from perdure.tasks.calling import InvalidInput
from perdure.tasks.door import Allowed, Answer, Door, Limits, OutboundRefused, OutboundTimedOut
from tasks.servers import HttpServer, Received, Reply, http_server, trusting_tls

NOW_MS = 1_800_000_000_000
CONTEXT = TaskContext(execution_id="e1", step="notify", attempt=1, idempotency_key="e1:7")
REGISTRY = builtins(
    TaskSettings(now_ms=lambda: NOW_MS), door=Door(Allowed(hosts=["127.0.0.1"]), Limits(), ssl_context=trusting_tls())
)


def performed(given: Json, task: str = "http") -> Any:
    found = REGISTRY.find(task)
    assert found is not None
    return asyncio.run(call(found, given, CONTEXT)).data


def asked(server: HttpServer, **given: Json) -> Received:
    performed({"url": server.url("/path?a=1"), **given})
    return server.received[-1]


def test_the_answer_is_status_headers_and_parsed_body() -> None:
    with http_server(
        Reply(201, {"Content-Type": "application/json; charset=utf-8", "X-A": "b"}, b'{"n": [1, 2.5]}')
    ) as server:
        result = performed({"url": server.url()})
    assert result["status"] == 201
    assert result["body"] == {"n": [1, 2.5]}
    assert result["headers"]["x-a"] == "b"
    assert set(result) == {"status", "headers", "body"}
    json.dumps(result)


@pytest.mark.parametrize(
    ("media", "body", "expected"),
    [
        ("application/problem+json", b'{"a": null}', {"a": None}),
        ("application/json", b'{"a\\u0000": ["\\u0000"]}', {"a\ufffd": ["\ufffd"]}),
        ("application/json", b"not json", "not json"),
        ("application/json", b"[" * 100_000, "[" * 100_000),
        ("application/json", b"", None),
        ("text/html; charset=utf-8", "<p>Zoë".encode(), "<p>Zoë"),
        ("text/plain; charset=latin-1", "Zoë".encode("latin-1"), "Zoë"),
        ("application/xml", b"<a/>", "<a/>"),
        ("image/svg+xml", b"<svg/>", "<svg/>"),
        (None, b"plain", "plain"),
    ],
)
def test_bodies_of_text_come_as_text_and_json_as_its_value(media: str | None, body: bytes, expected: Json) -> None:
    with http_server(Reply(headers={"content-type": media} if media else {}, body=body)) as server:
        result = performed({"url": server.url()})
    assert result["body"] == expected
    assert "base64" not in result


@pytest.mark.parametrize(
    ("media", "body"),
    [
        ("image/png", b"text, they say"),
        ("application/octet-stream", b"\x00\xff"),
        ("text/plain", b"\xff\xfe\xfd"),
        ("text/plain; charset=base64", b"eA=="),
        ("text/plain; charset=no-such", b"x"),
        ('text/plain; charset="utf-8', b"a\0b"),
        (None, b"\xff\x00"),
    ],
)  # fmt: skip
def test_what_is_not_text_comes_in_base64_and_says_so(media: str | None, body: bytes) -> None:
    with http_server(Reply(headers={"content-type": media} if media else {}, body=body)) as server:
        result = performed({"url": server.url()})
    assert result["base64"] is True
    assert isinstance(result["body"], str)


def test_method_headers_query_and_json_are_sent() -> None:
    with http_server() as server:
        received = asked(
            server,
            method="put",
            headers={"X-Text": "t", "X-Number": 5, "X-Flag": True, "X-None": None},
            query={"q": "a b&c", "list": [1, 2], "yes": True, "none": None},
            json={"deep": ["é"]},
        )
    assert received.method == "PUT"
    assert received.path == "/path?a=1&q=a+b%26c&list=1&list=2&yes=true"
    assert {name: received.headers.get(name) for name in ("x-text", "x-number", "x-flag", "x-none")} == {
        "x-text": "t", "x-number": "5", "x-flag": "true", "x-none": None,
    }  # fmt: skip
    assert json.loads(received.body) == {"deep": ["é"]}
    assert received.headers["content-type"] == "application/json"


def test_a_body_is_text_if_it_is_text_and_json_otherwise() -> None:
    with http_server() as server:
        text = asked(server, body="hällo")
        value = asked(server, body={"event": "done"})
        own = asked(server, body="<a/>", headers={"content-type": "application/xml"})
        null = asked(server, json=None)
    assert (text.method, text.body, text.headers["content-type"]) == (
        "POST",
        "hällo".encode(),
        "text/plain; charset=utf-8",
    )
    assert (value.method, value.body, value.headers["content-type"]) == (
        "POST",
        b'{"event":"done"}',
        "application/json",
    )
    assert own.headers["content-type"] == "application/xml"
    assert null.body == b"null"


def test_without_a_body_http_gets_and_a_webhook_posts() -> None:
    with http_server() as server:
        performed({"url": server.url()})
        performed({"url": server.url()}, "webhook")
        performed({"url": server.url(), "body": None})
        performed({"url": server.url(), "method": "GET"}, "webhook")
    assert [each.method for each in server.received] == ["GET", "POST", "GET", "GET"]


def test_what_changes_something_carries_the_key_of_the_operation() -> None:
    with http_server() as server:
        asked(server, json={})
        asked(server, method="GET")
        asked(server, json={}, headers={"Idempotency-Key": "mine"})
    assert [each.headers.get("idempotency-key") for each in server.received] == ["e1:7", None, "mine"]


@pytest.mark.parametrize("status", [301, 400, 401, 404, 410, 422, 429, 500, 503])
def test_a_status_is_a_result_unless_asked_otherwise(status: int) -> None:
    with http_server(Reply(status, {"location": "http://127.0.0.1:1/"})) as server:
        assert performed({"url": server.url()})["status"] == status
        assert performed({"url": server.url(), "failOnError": False})["status"] == status


@pytest.mark.parametrize(
    ("status", "retriable"),
    [
        (302, False),
        (400, False),
        (404, False),
        (408, True),
        (410, False),
        (429, True),
        (500, True),
        (501, False),
        (503, True),
    ],
)
def test_fail_on_error_makes_it_a_failure_with_its_code(status: int, retriable: bool) -> None:
    reply = Reply(status, {"content-type": "application/json"}, b'{"why": "because"}')
    with http_server(reply) as server, pytest.raises((NonRetryable, Retryable)) as caught:
        performed({"url": server.url("/private?token=secret"), "failOnError": True})
    failure = failure_of(caught.value)
    assert (failure.code, failure.retriable) == (f"HTTP_{status}", retriable)
    assert failure.details["body"] == {"why": "because"}
    assert f"was answered with {status}" in failure.message
    assert "secret" not in failure.message


def test_fail_on_error_leaves_success_alone() -> None:
    with http_server(Reply(204)) as server:
        assert performed({"url": server.url(), "failOnError": True})["status"] == 204


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("fail_on_error", [None, True])
def test_a_server_that_says_when_to_come_back_is_retried_then(status: int, fail_on_error: bool | None) -> None:
    with http_server(Reply(status, {"Retry-After": "7"})) as server:
        with pytest.raises(Retryable) as caught:
            performed({"url": server.url(), "failOnError": fail_on_error})
        assert performed({"url": server.url(), "failOnError": False})["status"] == status
    assert caught.value.retry_after_ms == 7000
    failure = failure_of(caught.value)
    assert failure.retry_after_ms == 7000
    assert (failure.category, failure.code) == (Category.TRANSIENT, f"HTTP_{status}")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "0"}, 0),
        ({"retry-after": " 120 "}, 120_000),
        ({"retry-after": "99999999999999"}, 86_400_000),
        ({"retry-after": formatdate(NOW_MS / 1000 + 30, usegmt=True)}, 30_000),
        ({"retry-after": formatdate(NOW_MS / 1000 - 30, usegmt=True)}, 0),
        ({"retry-after": formatdate(1_000_060, usegmt=True), "date": formatdate(1_000_000, usegmt=True)}, 60_000),
        ({"retry-after": "Wed, 21 Oct 9999 07:28:00 -0000"}, 86_400_000),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "1.5"}, None),
        ({"retry-after": "²"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(headers: dict[str, str], expected: int | None) -> None:
    assert retry_after_ms(Answer(429, headers, b""), NOW_MS) == expected


@pytest.mark.parametrize("timeout", [100, 99.5, "PT0.1S"])
def test_a_timeout_is_milliseconds_or_a_duration(timeout: Json) -> None:
    slow = Reply(headers={"content-length": "9"}, announce=False, hang=True)
    with http_server(slow) as server, pytest.raises(OutboundTimedOut):
        performed({"url": server.url(), "timeout": timeout})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"url": 5},
        {"url": "http://127.0.0.1", "timeout": 0},
        {"url": "http://127.0.0.1", "timeout": -1},
        {"url": "http://127.0.0.1", "timeout": "soon"},
        {"url": "http://127.0.0.1", "body": "a", "json": 1},
        {"url": "http://127.0.0.1", "headers": {"a": {}}},
        {"url": "http://127.0.0.1", "headers": "a: b"},
        "http://127.0.0.1",
        None,
    ],
)
def test_an_input_that_makes_no_sense_is_refused(given: Json) -> None:
    with pytest.raises(InvalidInput):
        performed(given)


@pytest.mark.parametrize("headers", [{"x": "a\r\nHost: b"}, {"x\r\ny": "1"}, {"Host": "b"}])
def test_headers_cannot_be_injected(headers: Json) -> None:
    with http_server() as server:
        with pytest.raises(OutboundRefused):
            performed({"url": server.url(), "headers": headers})
        assert server.received == []


def test_the_task_goes_through_the_door() -> None:
    for task in ("http", "webhook"):
        with pytest.raises(OutboundRefused, match="loopback"):
            performed({"url": "http://localhost:80/", "query": {"a": "b"}}, task)


def test_the_schema_of_the_input_can_be_shown_at_save() -> None:
    found = REGISTRY.find("http")
    assert found is not None
    assert {"url", "method", "headers", "query", "body", "json", "timeout", "failOnError"} == set(
        found.input_schema["$defs"]["HttpInput"]["properties"]
    )
