"""Requests with an `Idempotency-Key`: done once, whatever goes wrong in between, and told only to whoever asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import Response

from api.house import ASK, GREET, House, database, house, run, said
from perdure.api.asking import Asking
from perdure.api.problems import Wrong
from perdure.api.repeating import answered_once
from perdure.clock import now_ms
from perdure.service.answers import PROMISE_SECONDS, Answers
from perdure.service.execution import Execution
from perdure.store.port import Unavailable
from service.words import waiting

KEY = {"Idempotency-Key": "1"}


async def done(there: House) -> str:
    """An execution that has ended."""
    await there.engine.workflows.save(GREET)
    execution = await there.engine.executions.start("greet", {"name": "Ada"})
    await execution.result()
    return execution.id


async def new_ones(there: House, origin: str) -> list[str]:
    return [each.id for each in (await there.engine.executions.list(parent=origin)).items]


def failing_once(monkeypatch: pytest.MonkeyPatch, owner: type, verb: str, error: Exception) -> None:
    whole: Callable[..., Awaitable[Any]] = getattr(owner, verb)
    failures = [error]

    async def failing(*given: Any, **more: Any) -> Any:
        if failures:
            raise failures.pop()
        return await whole(*given, **more)

    monkeypatch.setattr(owner, verb, failing)


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every promise is void."""
    monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: now_ms() + PROMISE_SECONDS * 1_000)


@pytest.mark.parametrize("error", [Unavailable("the disk is full"), RuntimeError("a bug")])
@pytest.mark.parametrize(
    ("verb", "body"), [("rerun", {}), ("rerun", {"fromStep": "hello"}), ("fork", {"atStep": "hello"})]
)
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_what_fails_after_it_was_done_is_not_done_again(
    kind: str, verb: str, body: Any, error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with house(database(tmp_path, kind)) as there, there.ask(await there.key("ada", "operator")) as client:
            origin = await done(there)
            ask = f"/api/executions/{origin}/{verb}"
            failing_once(monkeypatch, Execution, "describe", error)
            failed = await client.post(ask, json=body, headers=KEY)
            assert failed.status_code == (503 if isinstance(error, Unavailable) else 500)
            again = await client.post(ask, json=body, headers=KEY)
            assert (again.status_code, said(again)["code"]) == (409, "under_way")
            later(monkeypatch)
            told = await client.post(ask, json=body, headers=KEY)
            assert (told.status_code, told.headers["idempotent-replayed"]) == (201, "true")
            assert await new_ones(there, origin) == [said(told)["id"]]
            other = await client.post(ask, json=body, headers={"Idempotency-Key": "2"})
            assert said(other)["id"] != said(told)["id"]
            assert "idempotent-replayed" not in other.headers

    run(scenario())


def test_what_is_cancelled_stays_promised() -> None:
    async def scenario() -> None:
        async with house() as there:
            asking, begun = Asking(there.engine), asyncio.Event()

            async def handle() -> Response:
                begun.set()
                await asyncio.Event().wait()
                raise AssertionError

            first = asyncio.create_task(answered_once(asking, request(), "/api/bulk", handle))
            await begun.wait()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            with pytest.raises(Wrong) as refused:
                await answered_once(asking, request(), "/api/bulk", handle)
            assert refused.value.code == "under_way"

    run(scenario())


def request() -> Request:
    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"host", b"localhost"), (b"idempotency-key", b"1")]
    scope = {"type": "http", "method": "POST", "path": "/api/bulk", "query_string": b"", "headers": headers}
    return Request(scope, receive)


def test_nobody_is_at_it_any_more_when_the_promise_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hanging(*_: Any) -> Any:
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            origin = await done(there)
            with monkeypatch.context() as patched:
                patched.setattr("perdure.api.repeating.WORK_SECONDS", 0.05)
                patched.setattr(Execution, "describe", hanging)
                failed = await client.post(f"/api/executions/{origin}/rerun", headers=KEY)
            assert (failed.status_code, said(failed)["code"]) == (503, "took_too_long")
            assert 0 < int(failed.headers["retry-after"].partition(".")[0]) <= PROMISE_SECONDS
            again = await client.post(f"/api/executions/{origin}/rerun", headers=KEY)
            assert said(again)["code"] == "under_way"

    run(scenario())


def test_who_is_answered_is_answered_also_if_that_cannot_be_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            origin = await done(there)
            failing_once(monkeypatch, Answers, "give", Unavailable("the disk is full"))
            assert (await client.post(f"/api/executions/{origin}/rerun", headers=KEY)).status_code == 201
            failing_once(monkeypatch, Answers, "withdraw", Unavailable("the disk is full"))
            refused = await client.post("/api/executions/nobody/rerun", headers={"Idempotency-Key": "2"})
            assert refused.status_code == 404

    with caplog.at_level(logging.WARNING, "perdure.api"):
        run(scenario())
    assert caplog.text.count("could not be kept: the disk is full") == 2


@pytest.mark.parametrize(
    ("verb", "body", "status"),
    [("fork", {"atStep": "nowhere"}, 404), ("fork", {}, 422), ("refire", {}, 409)],
)
def test_what_was_refused_leaves_the_key_free(verb: str, body: Any, status: int) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            origin = await done(there)
            for _ in range(2):
                refused = await client.post(f"/api/executions/{origin}/{verb}", json=body, headers=KEY)
                assert refused.status_code == status, refused.text
            assert (await client.post(f"/api/executions/{origin}/rerun", headers=KEY)).status_code == 201

    run(scenario())


def test_an_answer_is_told_only_to_who_asked() -> None:
    async def scenario() -> None:
        async with house() as there:
            admin, viewer = await there.key("ann", "admin", "viewer"), await there.key("vic", "viewer")
            limited = (await there.engine.keys.create("ann", scopes=["viewer"])).token
            body = {"id": "bob", "roles": ["viewer"]}
            made = await add(there, admin, body)
            assert made.status_code == 201
            for token in (viewer, limited):
                assert (await add(there, token, body)).status_code == 403
            again = await add(there, admin, body)
            assert (again.status_code, again.content, again.headers["idempotent-replayed"]) == (
                201,
                made.content,
                "true",
            )

    run(scenario())


async def add(there: House, token: str, body: Any) -> httpx2.Response:
    async with there.ask(token) as client:
        return await client.post("/api/members", json=body, headers=KEY)


def test_a_key_is_that_of_the_member_who_uses_it() -> None:
    async def scenario() -> None:
        async with house() as there:
            tokens = [await there.key(name, "admin") for name in ("ann", "bob")]
            for name, token in zip(("eve", "sue"), tokens, strict=True):
                assert (await add(there, token, {"id": name, "roles": ["viewer"]})).status_code == 201
            for token in tokens:
                refused = await add(there, token, {"id": "joe", "roles": ["viewer"]})
                assert (refused.status_code, said(refused)["code"]) == (422, "other_request")

    run(scenario())


def test_two_members_who_use_one_key_have_an_execution_each() -> None:
    async def scenario() -> None:
        async with house() as there:
            origin = await done(there)
            for name in ("ann", "bob"):
                async with there.ask(await there.key(name, "operator")) as client:
                    assert (await client.post(f"/api/executions/{origin}/rerun", headers=KEY)).status_code == 201
            assert len(await new_ones(there, origin)) == 2

    run(scenario())


def test_a_bulk_that_comes_again_runs_none_again_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            origin = await done(there)
            started_before = "2999-01-01T00:00:00Z"
            body = {"action": "rerun", "filter": {"workflow": "greet", "startedBefore": started_before}}
            failing_once(monkeypatch, Answers, "give", Unavailable("the disk is full"))
            first = said(await client.post("/api/bulk", json=body, headers=KEY))
            assert [each["execution"] for each in first["items"]] == [origin]
            later(monkeypatch)
            await client.post("/api/bulk", json=body, headers=KEY)
            assert await new_ones(there, origin) == [first["items"][0]["new"]]

    run(scenario())


def limited_to(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setenv("PERDURE_OPEN_EXECUTIONS_MAX", str(count))


def test_a_start_that_comes_again_is_not_refused_by_the_limit_that_it_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            await there.engine.workflows.save(ASK)
            first, again = [
                await client.post("/api/executions", json={"name": "refund"}, headers=KEY) for _ in range(2)
            ]
            assert (first.status_code, again.status_code, first.content) == (201, 201, again.content)
            assert (await client.post("/api/executions", json={"name": "refund"})).status_code == 429

    limited_to(monkeypatch, 1)
    run(scenario())


@pytest.mark.parametrize(("verb", "body"), [("rerun", {}), ("rerun", {"fromStep": "ask"}), ("fork", {"atStep": "ask"})])
def test_a_rerun_that_comes_again_is_not_refused_by_the_limit_that_it_filled(
    verb: str, body: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            await there.engine.workflows.save(ASK)
            origin = await there.engine.executions.start("refund")
            ask = f"/api/executions/{origin.id}/{verb}"
            await waiting(origin)
            failing_once(monkeypatch, Answers, "give", Unavailable("the disk is full"))
            assert (await client.post(ask, json=body, headers=KEY)).status_code == 201
            later(monkeypatch)
            assert (await client.post(ask, json=body, headers=KEY)).status_code == 201
            other = await client.post(ask, json=body, headers={"Idempotency-Key": "2"})
            assert (other.status_code, other.headers["retry-after"]) == (429, "5")

    limited_to(monkeypatch, 2)
    run(scenario())


def test_what_many_are_run_again_as_counts_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            await there.engine.workflows.save(ASK)
            for _ in range(8):
                await (await there.engine.executions.start("refund")).cancel()
            told = said(await client.post("/api/bulk", json={"action": "rerun", "filter": {"workflow": "refund"}}))
            assert sum(each["done"] for each in told["items"]) == 3
            assert "may have 3 open executions" in next(each["error"] for each in told["items"] if not each["done"])

    limited_to(monkeypatch, 3)
    run(scenario())
