"""A sender asks whether an address is right, before it sends anything: it has its challenge back, and nothing is started."""

from __future__ import annotations

import hmac
import json
from typing import Any

import pytest

from api.house import house
from perdure import Client
from perdure.clock import now_ms
from perdure.service.refusals import BadSignature, Challenged
from webhooks.words import GRAPH, KEY, engine, run

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
ASKS = {"token": "Jhj5dZrVaK7ZwHHjRyZWjbDl", "challenge": "abc", "type": "url_verification"}


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    seconds = now_ms() // 1_000
    signature = hmac.new(secret.encode(), f"v0:{seconds}:".encode() + body, "sha256").hexdigest()
    return {"X-Slack-Signature": f"v0={signature}", "X-Slack-Request-Timestamp": str(seconds)}


def sent(given: Any, secret: str = SECRET) -> tuple[dict[str, str], bytes]:
    body = json.dumps(given).encode()
    return {"Content-Type": "application/json", **signed(body, secret)}, body


async def started(used: Any) -> tuple[int, int]:
    """How many executions there are, and what the log of triggers has."""
    return len((await used.executions.list()).items), len((await used.triggers.list()).items)


def test_slack_has_its_challenge_back_and_nothing_is_started(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            token: Any = (await used.webhooks.create("hooked", scheme="slack", signing_secret=SECRET)).token
            with pytest.raises(Challenged) as found:
                await used.webhooks.receive(token, *sent(ASKS))
            assert found.value.challenge == "abc"
            assert await started(used) == (0, 0)

    run(scenario())


@pytest.mark.parametrize(
    "given",
    [
        {"type": "event_callback", "challenge": "abc", "event_id": "Ev1"},
        {"type": "url_verification"},
        {"type": "url_verification", "challenge": 7},
    ],
)
def test_what_is_no_challenge_starts_what_the_webhook_is_for(given: Any) -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await used.workflows.save(GRAPH)
            token: Any = (await used.webhooks.create("hooked", scheme="slack", signing_secret=SECRET)).token
            assert (await used.webhooks.receive(token, *sent(given))).created

    run(scenario())


def test_who_has_not_signed_it_has_nothing_back() -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await used.workflows.save(GRAPH)
            token: Any = (await used.webhooks.create("hooked", scheme="slack", signing_secret=SECRET)).token
            with pytest.raises(BadSignature):
                await used.webhooks.receive(token, *sent(ASKS, "another secret"))
            plain: Any = (await used.webhooks.create("hooked")).token
            assert (await used.webhooks.receive(plain, {}, json.dumps(ASKS).encode())).created

    run(scenario())


def test_a_server_answers_with_the_challenge_and_its_client_raises_it() -> None:
    async def scenario() -> None:
        async with house(secret_keys=KEY) as at:
            await at.engine.workflows.save(GRAPH)
            made = await at.engine.webhooks.create("hooked", scheme="slack", signing_secret=SECRET)
            assert made.token is not None
            headers, body = sent(ASKS)
            async with at.ask() as client:
                answer = await client.post(f"/hooks/{made.token}", headers=headers, content=body)
            assert (answer.status_code, answer.json()) == (200, {"challenge": "abc"})
            assert answer.headers["content-type"] == "application/json"
            async with Client(at.url) as remote:
                with pytest.raises(Challenged) as found:
                    await remote.webhooks.receive(made.token, list(headers.items()), body)
            assert found.value.challenge == "abc"
            assert await started(at.engine) == (0, 0)

    run(scenario())
