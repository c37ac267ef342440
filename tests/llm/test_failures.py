"""A provider that fails, says no, says nothing, or says nonsense."""

from __future__ import annotations

import asyncio
import json
from email.utils import formatdate
from typing import Any

import pytest

from llm.conftest import Spoken
from llm.model import KEY, Call, Replies, Says
from llm.tooling import Tools
from llm.words import Came, asking, come, ports, ran, running, until
from perdure import Engine
from perdure.core import facts as f
from stalls import Stall, longest_stall

TWICE: dict[str, Any] = {"retryPolicy": {"maxAttempts": 2, "backoffMs": 1}}
FINE = Says("Fine.")


def refused(status: int, message: str = "no", **headers: str) -> Replies:
    return Replies(status, {"error": {"message": message, "type": "x"}}, headers)


def asked_with(url: str, **config: Any) -> Came:
    return ran(url, ports(asking(**config)))


@pytest.mark.parametrize(
    ("first", "code"),
    [
        (refused(429), "HTTP_429"),
        (refused(500), "HTTP_500"),
        (refused(503, "overloaded"), "HTTP_503"),
        (Replies(502, b"<html>bad gateway</html>", {"Content-Type": "text/html"}), "HTTP_502"),
        (Replies(200, {"choices": [{"message": {"content": "x" * 9_000}}]}, cut=True), "NETWORK"),
        (Replies(200, {"object": "list", "data": []}), "NO_COMPLETION"),
        (Replies(200, {"choices": []}), "NO_COMPLETION"),
        (Replies(200, {"choices": [{}]}), "NO_COMPLETION"),
        (Replies(200, {"choices": [{"message": {"content": 7}}]}), "NO_COMPLETION"),
        (Replies(200, {"choices": "none"}), "NO_COMPLETION"),
        (Replies(200, [1]), "NO_COMPLETION"),
        (Replies(200, b"hello"), "NO_COMPLETION"),
        (Replies(200, b""), "NO_COMPLETION"),
        (Replies(200, b"[" * 100_000), "NO_COMPLETION"),
        (Replies(200, b'{"choices": [{"message": {"content": "\\ud800"}}]}'), "NO_COMPLETION"),
        (Replies(204, b""), "NO_COMPLETION"),
    ],
)
def test_what_may_pass_is_tried_again_by_the_policy_of_the_step(
    url: str, spoken: Spoken, first: Replies, code: str
) -> None:
    model = spoken(first, Says('"Fine."'))
    assert asked_with(url, **TWICE, outputFormat="json").data() == "Fine."
    assert len(model.asked) == 2
    spoken(first)
    failed = asked_with(url)
    assert (failed.status, failed.code) == ("failed", code)
    assert failed.error.retriable


@pytest.mark.parametrize(
    ("reply", "code", "says"),
    [
        (refused(401, "Incorrect key"), "HTTP_401", "OPENAI_API_KEY"),
        (refused(403), "HTTP_403", "OPENAI_API_KEY"),
        (refused(400, "no such model"), "HTTP_400", "no such model"),
        (refused(404, "no such page"), "HTTP_404", "no such page"),
        (Replies(302, b"", {"Location": "http://127.0.0.1:1/"}), "HTTP_302", "302"),
    ],
)
def test_what_would_only_be_said_again_is_not_asked_again(
    url: str, spoken: Spoken, reply: Replies, code: str, says: str
) -> None:
    model = spoken(reply)
    came = asked_with(url, **TWICE)
    assert (came.status, came.code) == ("failed", code)
    assert says in came.error.message
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "body",
    [b'{"error": [' + b"[]," * 3_000_000 + b"[]]}", b'{"error": "' + b"x" * 9_000_000 + b'"}'],
    ids=["lists", "text"],
)
@pytest.mark.parametrize("status", [400, 503])
def test_a_large_error_does_not_stop_the_loop(url: str, spoken: Spoken, status: int, body: bytes) -> None:
    spoken(Replies(status, body))

    async def scenario() -> tuple[Came, Stall]:
        async with Engine(url) as engine:
            return await longest_stall(come(await engine.executions.start(ports(asking()), None)))

    came, stall = asyncio.run(scenario())
    assert came.code == f"HTTP_{status}"
    assert len(came.error.message) < 700
    assert stall.cpu_seconds < 0.3, stall


def test_the_key_is_in_no_message_also_if_the_provider_repeats_it(url: str, spoken: Spoken) -> None:
    spoken(refused(401, f"Incorrect API key provided: {KEY}. You can find yours on our page."))
    came = asked_with(url)
    assert KEY not in repr(came)
    assert "Incorrect API key provided: ***." in came.error.message


@pytest.mark.parametrize(
    ("headers", "least_ms"),
    [
        ({"Retry-After": "3600"}, 3_600_000),
        ({"retry-after-ms": "90000"}, 90_000),
        (
            {"Retry-After": formatdate(1_800_000_600, usegmt=True), "Date": formatdate(1_800_000_000, usegmt=True)},
            600_000,
        ),
    ],
)
def test_who_says_when_to_come_again_is_waited_for(
    url: str, spoken: Spoken, headers: dict[str, str], least_ms: int
) -> None:
    spoken(refused(429, "slow down", **headers))

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(ports(asking(**TWICE)))

            async def retrying() -> Any:
                entries = (await execution.history()).items
                return next((entry.fact for entry in entries if isinstance(entry.fact, f.StepRetrying)), None)

            fact = await until(retrying)
            assert fact.due_at - fact.at >= least_ms
            assert fact.due_at - fact.at <= least_ms + 1_000
            await execution.cancel()

    running(scenario())


@pytest.mark.parametrize("config", [{}, {"outputFormat": "json"}])
def test_a_model_that_never_answers_has_the_time_of_the_step(url: str, spoken: Spoken, config: dict[str, Any]) -> None:
    spoken(Replies(hang=True), Says("1"))
    came = asked_with(url, timeout=150, **config)
    assert (came.status, came.code) == ("failed", "TIMEOUT")
    spoken(Replies(hang=True), Says("1"))
    assert asked_with(url, timeout=150, **TWICE, **config).status == "completed"


def test_an_answer_that_is_too_large_is_not_let_in(url: str, spoken: Spoken) -> None:
    model = spoken(Says("x" * 11_000_000))
    came = asked_with(url, **TWICE)
    assert came.status == "failed"
    assert "larger than" in came.error.message
    assert len(model.asked) == 1


def test_nobody_there_is_said_with_the_address(url: str, spoken: Spoken, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken(FINE)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    came = asked_with(url)
    assert (came.status, came.code) == ("failed", "NETWORK")
    assert "http://127.0.0.1:1/v1 cannot be reached" in came.error.message


def test_an_address_that_is_none_is_said_by_the_name_of_its_setting(
    url: str, spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken(FINE)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:99999999/v1")
    came = asked_with(url)
    assert (came.status, came.code) == ("failed", "BAD_SETTING")
    assert "OPENAI_BASE_URL" in came.error.message


def test_only_the_address_that_is_named_may_be_called(url: str, spoken: Spoken) -> None:
    model = spoken(FINE)
    other = {
        "stepSlug": "fetch",
        "stepType": "action",
        "config": {"type": "http", "url": model.url.replace("127.0.0.1", "localhost")},
    }
    came = ran(url, ports(asking(), other))
    assert came.data() == "Fine."
    assert came.status == "failed"
    assert len(model.asked) == 1


def test_a_question_that_was_asked_again_is_the_same_question(url: str, spoken: Spoken) -> None:
    model = spoken(refused(500), FINE)
    asked_with(url, **TWICE)
    first, second = model.asked
    assert first.body == second.body
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]


def test_without_a_model_the_step_waits_for_a_worker_that_has_one(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(ports(asking()))

            async def why() -> bool:
                return "llm" in json.dumps(str(await execution.why()))

            await asyncio.wait_for(until(why), 5)

    running(scenario())


def test_half_a_key_is_in_no_message_either(url: str, spoken: Spoken) -> None:
    spoken(refused(400, "x" * 490 + KEY))
    assert KEY[:6] not in repr(asked_with(url))


@pytest.mark.parametrize("config", [{}, {"outputFormat": "json"}, {"tools": ["crm.find"]}])
@pytest.mark.parametrize(
    "said",
    [
        Says(f'"your key is {KEY}"'),
        Says(more={"choices": [{"message": {"content": None, "refusal": "x" * 490 + KEY}}]}),
        Says(more={"model": KEY}, text='"Fine."'),
        Says(calls=[Call("crm_find", {"id": KEY})]),
    ],
    ids=["answer", "refusal", "model", "call"],
)
def test_a_model_that_knows_the_key_does_not_tell_it(
    url: str, spoken: Spoken, said: Says, config: dict[str, Any]
) -> None:
    spoken(said, Says('"Done."'))
    tools = Tools()
    came = ran(url, ports(asking(**config)), None, tools)
    assert KEY[:6] not in repr(came)
    assert KEY not in repr(tools.calls)


def test_who_is_let_in_at_the_address_is_not_said(url: str, spoken: Spoken, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken(FINE)
    for address in ("http://bob:hunter2@127.0.0.1:1/v1", "http://bob:hunter2@127.0.0.1:99999999/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        came = asked_with(url)
        assert came.status == "failed"
        assert "hunter2" not in repr(came)


@pytest.mark.parametrize("config", [{}, {"tokenBudget": 100_000}])
@pytest.mark.parametrize(
    ("said", "code"),
    [
        (Says("", finish="content_filter", tokens=(20, 10)), "CONTENT_FILTER"),
        (Says("Well, the", finish="content_filter", tokens=(20, 10)), "CONTENT_FILTER"),
        (Says("", tokens=(20, 10)), "EMPTY_ANSWER"),
        (Says(" \n", tokens=(20, 10)), "EMPTY_ANSWER"),
        (Says(None, finish="length", tokens=(20, 10)), "EMPTY_ANSWER"),
    ],
)
def test_nothing_is_no_answer(url: str, spoken: Spoken, said: Says, code: str, config: dict[str, Any]) -> None:
    model = spoken(said)
    came = asked_with(url, **TWICE, **config)
    assert (came.status, came.code) == ("failed", code)
    assert len(model.asked) == 1
