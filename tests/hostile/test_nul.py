"""U+0000, which Postgres does not store in text: refused where it comes in, U+FFFD in what calls and expressions return."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.house import GREET, database, house
from perdure.model.steps import Compute, Route, Step, Task
from perdure.model.values import Array, Constant, Expression
from perdure.model.workflow import Entry, Workflow
from perdure.service.describing import Described
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, Refused
from perdure.service.execution import Execution
from perdure.tasks.results import Result

SECRET_KEY = bytes(range(32)).hex()
CALLS = Workflow(
    "calls",
    (Step("call", Task("odd"), (Route(("after",)),)), Step("after", Compute(Expression("steps.call.output")))),
    (Entry("call"),),
)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return database(tmp_path, request.param)


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


async def ended_of(execution: Execution) -> Described:
    await execution.ended()
    return await execution.describe()


async def works(engine: Engine) -> None:
    """A workflow runs to its end: the engine lives."""
    await engine.workflows.save(GREET)
    execution = await engine.executions.start("greet", {"name": "Ada"})
    assert (await ended_of(execution)).status == "completed"


async def are_refused(calls: Sequence[Coroutine[Any, Any, Any]]) -> None:
    for number, call in enumerate(calls):
        try:
            await call
        except (Conflict, Refused):
            continue
        pytest.fail(f"call {number} is not refused")


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        ("\0", "\ufffd"),
        ({"a\0": ["\0", {"b": "x\0y"}]}, {"a\ufffd": ["\ufffd", {"b": "x\ufffdy"}]}),
        (Result({"a": "\0"}, meta={"b": "\0"}), {"a": "\ufffd"}),
        ("\\u0000", "\\u0000"),
    ],
)
def test_a_nul_in_the_result_of_a_task_becomes_u_fffd(url: str, answer: Any, output: Any) -> None:
    async def scenario() -> None:
        engine = Engine(url)

        @engine.task("odd")
        async def odd(given: Any) -> Any:
            return answer

        async with engine:
            await engine.workflows.save(CALLS)
            execution = await engine.executions.start("calls")
            ended = await ended_of(execution)
            assert (ended.status, ended.output) == ("completed", output)
            await works(engine)

    run(scenario())


@pytest.mark.parametrize("port", ["\0", "a\ud800"])
def test_a_port_that_cannot_be_stored_fails_the_step(url: str, port: str) -> None:
    async def scenario() -> None:
        engine = Engine(url)

        @engine.task("odd")
        async def odd(given: Any) -> Any:
            return Result(1, port)

        async with engine:
            await engine.workflows.save(CALLS)
            ended = await ended_of(await engine.executions.start("calls"))
            assert ended.status == "failed"
            assert ended.error is not None
            assert "NUL or a lone surrogate" in ended.error.message
            await works(engine)

    run(scenario())


COMPUTED: dict[str, dict[str, Any]] = {
    "a workflow to run": {
        "name": "odd",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            {"id": "it", "type": "RUN_WORKFLOW", "data": {"workflowId": "{{ 'x\\0' }}", "wait": True}},
        ],
        "connections": [{"fromNodeId": "start", "toNodeId": "it"}],
    },
    "the type of an event": {
        "slug": "odd",
        "name": "odd",
        "steps": [
            {
                "stepSlug": "it",
                "stepType": "action",
                "config": {"type": "event", "eventType": "a.{{ '\\0' }}", "payload": {"key": "{{ '\\0' }}"}},
            }
        ],
    },
    "a pattern to wait for": {
        "name": "odd",
        "version": "1.0.0",
        "steps": [
            {
                "stepId": "it",
                "type": "EVENT_WAIT",
                "eventPattern": "a.${ '\\0' }",
                "timeout": 50,
                "transitions": {"default": None},
            }
        ],
        "startStep": "it",
    },
}


@pytest.mark.parametrize("what", COMPUTED)
def test_a_computed_nul_never_reaches_the_database(url: str, what: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(COMPUTED[what], name="odd")
            ended = await ended_of(await engine.executions.start("odd"))
            assert ended.status in ("completed", "failed")
            for event in (await engine.events.list()).items:
                assert "\0" not in event.event.type + str(event.event.data)
            await works(engine)

    run(scenario())


def test_a_literal_nul_in_a_document_or_a_model_is_refused_at_its_place(url: str) -> None:
    model = Workflow("odd", (Step("a", Compute(Array((Constant(1), Constant("a\0"))))),), (Entry("a"),))
    escaped = Workflow("fine", (Step("a", Compute(Constant("\\u0000"))),), (Entry("a"),))

    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused) as refused:
                await engine.workflows.save(model)
            assert [(each.type, each.path) for each in refused.value.problems] == [
                ("not_a_character", "/steps/0/work/output/items/1/value")
            ]
            with pytest.raises(Refused):
                await engine.workflows.save(Workflow("a\0b", model.steps[:1], model.entries))
            await engine.workflows.save(escaped)
            for place in ("name", "id"):
                with pytest.raises(Refused, match="NUL"):
                    await engine.workflows.save({**GREET, place: "a\0"})
            with pytest.raises(Refused, match="NUL"):
                await engine.workflows.save(GREET, name="a\0")
            await works(engine)

    run(scenario())


def test_a_nul_in_an_argument_is_refused_by_its_name(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, secret_keys=SECRET_KEY) as engine:
            await engine.workflows.save(GREET)
            calls: list[Coroutine[Any, Any, Any]] = [
                engine.workflows.show("a\0"),
                engine.executions.get("a\0"),
                engine.executions.start("greet", correlation_id="a\0"),
                engine.executions.start("greet", idempotency_key="a\0"),
                engine.executions.start("a\0"),
                engine.executions.list(correlation_id="a\0"),
                engine.executions.list(workflow="a\0"),
                engine.approvals.get("a\0"),
                engine.events.get("a\0"),
                engine.events.list(type="a\0"),
                engine.schedules.get("a\0"),
                engine.webhooks.create("a\0"),
                engine.webhooks.remove("a\0"),
                engine.keys.create("a\0"),
                engine.members.get("a\0"),
                engine.members.add("a\0"),
                engine.members.add("a", name="a\0"),
                engine.members.add("a", groups=["a\0"]),
                engine.members.add("a", email="a\0@example.com"),
                engine.members.change("a\0", roles=["viewer"]),
                engine.organizations.change("a\0", name="a"),
                engine.executions.find("a\0"),
                engine.executions.find("a", organization="a\0"),
                engine.notifiers.add("a\0", "log"),
                engine.connections.add("a\0", "https://example.com"),
                engine.secrets.set("TOKEN", "a\0"),
                engine.secrets.set("A\0", "a"),
                engine.events.send({"type": "a\0"}),
                engine.events.send({"type": "a", "id": "a\0"}),
                engine.events.send({"type": "a", "correlationId": "a\0"}),
                engine.triggers.list(subject="a\0"),
            ]
            await are_refused(calls)
            await works(engine)

    run(scenario())


def test_an_organization_or_a_time_of_another_type_is_refused_by_its_name(url: str) -> None:
    """They ended the engine, or were errors of the driver."""

    async def scenario() -> None:
        async with Engine(url) as engine:
            missing: Any = None
            await engine.workflows.save(GREET)
            calls: list[Coroutine[Any, Any, Any]] = [
                engine.publish("a", 1, organization=missing),
                engine.events.send({"type": "a"}, organization=missing),
                engine.workflows.save(GREET, organization=missing),
                engine.executions.start("greet", organization=missing),
                engine.executions.list(started_after=True),
                engine.triggers.list(since=True),
                engine.notifiers.add("a", "log", on="opened"),
            ]
            await are_refused(calls)
            await works(engine)

    run(scenario())


def test_a_nul_in_a_value_given_from_python_becomes_u_fffd(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(GREET)
            execution = await engine.executions.start("greet", {"name": "\0"}, trigger_data={"a\0": "\0"})
            ended = await ended_of(execution)
            assert ended.output["greeting"] == "Hello \ufffd!"
            sent = await engine.events.send(
                {"type": "a", "payload": {"a\0": "\0"}, "metadata": {"correlationId": "\0"}}
            )
            event = (await engine.events.get(sent.id)).event
            assert (event.data, event.correlation_id) == ({"a\ufffd": "\ufffd"}, "\ufffd")

    run(scenario())


@pytest.mark.parametrize(
    "place",
    [
        "/api/workflows/a%00b",
        "/api/executions/%00",
        "/api/executions?workflow=%00",
        "/a/%00",
        "/hooks/%00",
        "/%00",
        "/api/session/oidc/callback?state=%00&code=a",
    ],
)
def test_a_nul_in_a_path_or_a_query_is_a_bad_request(url: str, place: str) -> None:
    async def scenario() -> None:
        async with house(url) as there, there.ask(await there.key("ada", "admin")) as client:
            for method in ("GET", "POST", "DELETE"):
                response = await client.request(method, place)
                assert response.status_code == 400, (method, response.text)
                told = msgspec.json.decode(response.content)
                assert (told["code"], "NUL" in told["detail"]) == ("cannot_be_kept", True)

    run(scenario())


@pytest.mark.parametrize("cookie", ['"\\000"', '"a\\000b"', '"\\355\\240\\200"', "x" * 4_000])
def test_a_cookie_that_is_no_session_is_as_none(url: str, cookie: str) -> None:
    """The parser of cookies turns octal escapes into the characters."""

    async def scenario() -> None:
        async with house(url) as there:
            key = await there.key("ada", "admin")
            sent = {"Cookie": f"__Host-perdure={cookie}; __Host-perdure-oidc={cookie}"}
            async with there.ask(**sent) as client:
                assert (await client.post("/api/session", json={"key": key})).status_code == 200
                assert (await client.get("/api/session")).status_code == 401
            async with there.ask(key, **sent) as client:
                assert (await client.delete("/api/session")).status_code == 204

    run(scenario())


def test_a_nul_in_the_body_of_a_webhook_never_reaches_the_database(url: str) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    shows = Compute(Expression("{input: input, headers: trigger.data.headers, query: trigger.data.query}"))
    hooked = Workflow("hooked", (Step("a", shows),), (Entry("a"),))

    async def scenario() -> None:
        async with house(url, secret_keys=SECRET_KEY) as there, there.ask() as client:
            await there.engine.workflows.save(hooked)
            created = await there.engine.webhooks.create("hooked")
            assert created.token is not None
            place = f"/hooks/{created.token}"
            sent = await client.post(place, content=b"a%00=b%00&c=1", headers=form)
            assert sent.status_code == 202, sent.text
            execution = await there.engine.executions.get(msgspec.json.decode(sent.content)["id"])
            assert (await ended_of(execution)).output["input"] == {"a\ufffd": "b\ufffd", "c": "1"}
            text = await client.post(place, content=b"a\0b", headers={"Content-Type": "text/plain"})
            execution = await there.engine.executions.get(msgspec.json.decode(text.content)["id"])
            assert (await ended_of(execution)).output["input"] == "YQBi"
            refused = await client.post(
                place, content=b'{"a": "\\u0000"}', headers={"Content-Type": "application/json"}
            )
            assert refused.status_code == 400, refused.text
            assert (await client.post(f"{place}?a=%00", content=b"{}")).status_code == 400
            received = await there.engine.webhooks.receive(created.token, {"x-a": "\0"}, b"{}", query={"q\0": "\0"})
            execution = await there.engine.executions.get(received.execution)
            told = (await ended_of(execution)).output
            assert told["headers"] == {"x-a": "\ufffd"}
            assert told["query"] == {"q\ufffd": "\ufffd"}

    run(scenario())
