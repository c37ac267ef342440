"""Requests to webhooks: what becomes input, what is kept, what is one delivery, and what is refused."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.model.steps import Compute, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service import deliveries
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, NotFound
from perdure.service.refusals import BadBody, BadSignature, BodyTooLarge, CannotVerify, UnknownWebhook, WebhookRefused
from perdure.service.signatures import standard_headers
from perdure.testing.words import x
from webhooks.words import GRAPH, engine, run

ECHO = Workflow("echo", (Step("s", Compute(x("{input: input, data: trigger.data}"))),), (Entry("s"),))


async def echoed(used: Engine, token: str | None, headers: Any, body: bytes, **more: Any) -> Any:
    assert token is not None
    received = await used.webhooks.receive(token, headers, body, **more)
    return await (await used.executions.get(received.execution)).result()


def test_a_delivery_that_comes_again_with_another_body_is_told_so(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            token: Any = (await used.webhooks.create("hooked")).token
            bodies = (b'{"n": [1, 2.5]}', b'{"n":[1,2.5]}', b'{"n": 2}', b"")
            taken = [await used.webhooks.receive(token, {"Idempotency-Key": "1"}, body) for body in bodies]
            assert [(each.created, each.differs) for each in taken] == [
                *((True, False), (False, False)),
                *((False, True), (False, True)),
            ]

    run(scenario())


def test_a_delivery_that_has_not_begun_is_compared_as_well(sql_url: str) -> None:
    async def scenario() -> None:
        async with engine(sql_url, works=False) as used:
            await used.workflows.save(GRAPH)
            token: Any = (await used.webhooks.create("hooked")).token
            bodies = (b'{"n": 1}', b'{"n": 1}', b'{"n": 2}')
            taken = [await used.webhooks.receive(token, {"Idempotency-Key": "1"}, body) for body in bodies]
            assert [each.differs for each in taken] == [False, False, True]

    run(scenario())


def test_what_is_no_token_and_what_are_no_bytes_is_refused() -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await used.workflows.save(GRAPH)
            token: Any = (await used.webhooks.create("hooked")).token
            odd: list[Any] = [None, 7, ""]
            for one in odd:
                with pytest.raises(UnknownWebhook):
                    await used.webhooks.receive(one, {}, b"{}")
            bodies: list[Any] = ["text", None]
            for body in bodies:
                with pytest.raises(Conflict, match="body is bytes as they came, not"):
                    await used.webhooks.receive(token, {}, body)
                with pytest.raises(Conflict, match="body is bytes as they came, not"):
                    await used.webhooks.signed(token, body)

    run(scenario())


@pytest.mark.parametrize(
    ("content_type", "body", "given"),
    [
        ("application/json", b'{"a": [1, null, "\xc3\xa9"]}', {"a": [1, None, "é"]}),
        ("application/json; charset=utf-8", b"[1]", [1]),
        ("application/vnd.api+json", b'"text"', "text"),
        ("APPLICATION/JSON", b"7", 7),
        ("", b' {"a": 1}', {"a": 1}),
        ("", b"plain", "plain"),
        ("application/x-www-form-urlencoded", b"a=1&b=%C3%A9+x&a=2&c=", {"a": ["1", "2"], "b": "é x", "c": ""}),
        ("text/plain", b'{"a": 1}', '{"a": 1}'),
        ("text/xml", b"<a/>", "<a/>"),
        ("application/octet-stream", b"\xff\x00", "/wA="),
        ("application/json", b"", {}),
    ],
)
def test_the_body_is_the_input(content_type: str, body: bytes, given: Any) -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await used.workflows.save(ECHO)
            token = (await used.webhooks.create("echo")).token
            result = await echoed(used, token, {"Content-Type": content_type} if content_type else {}, body)
            assert result["input"] == result["data"]["body"] == given

    run(scenario())


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b"{"),
        ("application/json", b"nope"),
        ("application/json", b"\xff"),
        ("application/json", b'{"a": 1, "a": 2}'),
        ("application/json", b"[" * 100_000),
        ("application/json", b'{"a": NaN}'),
        ("", b"{nope"),
    ],
)
def test_a_body_that_is_not_what_it_says_is_refused(content_type: str, body: bytes) -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await used.workflows.save(ECHO)
            token = (await used.webhooks.create("echo")).token
            with pytest.raises(BadBody, match="the body is not JSON") as refused:
                await echoed(used, token, {"content-type": content_type}, body)
            assert refused.value.status == 400
            assert (await used.executions.list()).items == ()

    run(scenario())


def test_what_is_kept_of_a_request_has_no_credentials() -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await used.workflows.save(ECHO)
            issued = await used.webhooks.create("echo", scheme="standard")
            assert issued.token is not None
            assert issued.signing_secret is not None
            signed = standard_headers(issued.signing_secret, "m1", now_ms() // 1_000, b"{}")
            headers = [
                *signed.items(),
                ("Authorization", "Bearer credential-1"),
                ("Cookie", "session=credential-2"),
                ("X-Api-Key", "credential-3"),
                ("X-Auth-Token", "credential-4"),
                ("Proxy-Authorization", "credential-5"),
                ("Cf-Access-Jwt-Assertion", "credential-6"),
                ("X-Goog-Iap-Jwt-Assertion", "credential-7"),
                ("X-Amzn-Oidc-Data", "credential-8"),
                ("X-Amzn-Oidc-Accesstoken", "credential-9"),
                ("X-Ms-Token-Aad-Id-Token", "credential-10"),
                ("X-Ms-Client-Principal", "credential-11"),
                ("Referer", f"https://example.com/hooks/{issued.token}"),
                ("User-Agent", "GitHub-Hookshot"),
                ("X-Forwarded-For", "1.2.3.4"),
                ("X-Forwarded-For", "5.6.7.8"),
            ]
            result = await echoed(
                used, issued.token, headers, b"{}", query=f"a=1&token={issued.token}&b={issued.token}"
            )
            told = result["data"]
            assert told["headers"] == {
                "webhook-id": "m1",
                "webhook-timestamp": signed["webhook-timestamp"],
                "referer": "https://example.com/hooks/***",
                "user-agent": "GitHub-Hookshot",
                "x-forwarded-for": "1.2.3.4, 5.6.7.8",
            }
            assert told["query"] == {"a": "1", "b": "***"}
            assert told["webhook"] == {"id": issued.webhook.id, "node": None, "signed": True, "deliveryId": "m1"}
            text = json.dumps(told)
            assert "credential" not in text
            assert issued.token not in text
            assert signed["webhook-signature"] not in text

    run(scenario())


@pytest.mark.parametrize(
    "header", ["Webhook-Id", "Idempotency-Key", "X-GitHub-Delivery", "X-Shopify-Webhook-Id", "svix-id"]
)
def test_a_delivery_that_comes_again_is_one_execution(url: str, header: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            one, other = [(await used.webhooks.create("hooked")).token for _ in range(2)]
            assert one is not None
            assert other is not None
            same = await asyncio.gather(*(used.webhooks.receive(one, {header: "d-1"}, b"{}") for _ in range(8)))
            assert len({each.execution for each in same}) == 1
            assert [each.created for each in same].count(True) == 1
            assert same[0].delivery_id == "d-1"
            assert (await used.webhooks.receive(one, {header: "d-2"}, b"{}")).created
            assert (await used.webhooks.receive(other, {header: "d-1"}, b"{}")).created  # of another webhook
            assert (await used.webhooks.receive(one, {}, b"{}")).created
            assert (await used.webhooks.receive(one, {}, b"{}")).created  # nothing says that it is the same

    run(scenario())


def test_a_signed_delivery_is_known_by_what_was_signed(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            issued = await used.webhooks.create("hooked", scheme="standard")
            assert issued.token is not None
            headers = await used.webhooks.signed(issued.token, b"{}", delivery_id="m1")
            first = await used.webhooks.receive(issued.token, headers, b"{}")
            again = await used.webhooks.receive(issued.token, {**headers, "Idempotency-Key": "another"}, b"{}")
            assert (again.execution, again.created) == (first.execution, False)

    run(scenario())


def test_stripe_names_deliveries_in_the_body_and_github_in_a_header(url: str) -> None:
    async def scenario() -> None:
        import hmac  # noqa: PLC0415

        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            secret = "whsec_of_stripe"
            stripe = (await used.webhooks.create("hooked", scheme="stripe", signing_secret=secret)).token
            assert stripe is not None
            body, seconds = b'{"id": "evt_1"}', now_ms() // 1_000
            signed = hmac.new(secret.encode(), f"{seconds}.".encode() + body, "sha256").hexdigest()
            headers = {"Stripe-Signature": f"t={seconds},v1={signed}"}
            found = [await used.webhooks.receive(stripe, headers, body) for _ in range(2)]
            assert ([each.created for each in found], found[0].delivery_id) == ([True, False], "evt_1")
            made = await used.webhooks.create("hooked", scheme="github")
            assert made.token is not None
            assert made.signing_secret is not None
            digest = hmac.new(made.signing_secret.encode(), body, "sha256").hexdigest()
            headers = {"X-Hub-Signature-256": f"sha256={digest}", "X-GitHub-Delivery": "guid"}
            assert (await used.webhooks.receive(made.token, headers, body)).delivery_id == "guid"

    run(scenario())


def test_what_is_refused_has_started_nothing(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            issued = await used.webhooks.create("hooked", scheme="standard")
            plain = (await used.webhooks.create("hooked")).token
            assert issued.token is not None
            assert plain is not None
            headers = await used.webhooks.signed(issued.token, b"{}")
            twice = [*headers.items(), ("Webhook-Signature", headers["webhook-signature"])]
            cases: list[tuple[type[WebhookRefused], int, Any, Any, bytes]] = [
                (BadSignature, 401, issued.token, {}, b"{}"),
                (BadSignature, 401, issued.token, headers, b"{} "),
                (BadSignature, 401, issued.token, twice, b"{}"),
                (BodyTooLarge, 413, issued.token, headers, b" " * 1_000_001),
                (BodyTooLarge, 413, plain, {}, b" " * 1_000_001),
                (BadBody, 400, plain, {}, b"no object, and a graph needs one"),
                (BadBody, 400, plain, {"idempotency-key": "x" * 256}, b"{}"),
                (BadBody, 400, plain, {"idempotency-key": "a\nb"}, b"{}"),
            ]
            for kind, status, token, given, body in cases:
                with pytest.raises(kind) as refused:
                    await used.webhooks.receive(token, given, body)
                assert refused.value.status == status
            assert (await used.executions.list()).items == ()
            assert (await used.webhooks.receive(plain, {}, b'{"a": "' + b"x" * 999_000 + b'"}')).created

    run(scenario())


def test_without_the_key_a_signed_one_cannot_be_verified_and_the_sender_may_try_again(sql_url: str) -> None:
    async def scenario() -> None:
        async with engine(sql_url) as used:
            await used.workflows.save(GRAPH)
            issued = await used.webhooks.create("hooked", scheme="standard")
            assert issued.token is not None
            headers = await used.webhooks.signed(issued.token, b"{}")
        async with engine(sql_url, secret_keys="") as keyless:
            with pytest.raises(CannotVerify) as refused:
                await keyless.webhooks.receive(issued.token, headers, b"{}")
            assert refused.value.status == 503

    run(scenario())


def test_a_workflow_without_an_active_version_is_not_started(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH, activate=False)
            token = (await used.webhooks.create("hooked")).token
            assert token is not None
            with pytest.raises(NotFound, match="has no active version"):
                await used.webhooks.receive(token, {}, b"{}")

    run(scenario())


def test_a_name_that_stands_in_a_form_very_often_costs_as_much_as_many_names() -> None:
    def seconds(form: str) -> float:
        took = []
        for _ in range(3):
            began = time.process_time()
            found = deliveries.request({}, b"", "POST", form).query
            took.append(time.process_time() - began)
        assert found
        return min(took)

    same, others = "&".join(["a=1"] * 30_000), "&".join(f"a{number}=1" for number in range(30_000))
    assert seconds(same) < 3 * seconds(others)
    assert deliveries.request({}, b"", "POST", "a=1&b=2&a=1&a=").query == {"a": ["1", "1", ""], "b": "2"}
