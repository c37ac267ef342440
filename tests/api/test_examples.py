"""The OpenAPI document has an example of everything that is sent and answered, and each of them is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from api.house import house, run
from api.test_matrix import furnish
from perdure.api.app import application
from perdure.api.examples.table import EXAMPLES, PROBLEMS
from perdure.api.problems import MEDIA_TYPE as PROBLEM
from perdure.api.repeating import EXACT, SHOWN_ONCE
from perdure.api.routes import PUBLIC
from perdure.client.stream import _frame
from perdure.service.engine import Engine

DOCUMENT: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(application(Engine()).openapi()))
FORM = {400, 405, 406, 413, 415, 422}
"""What says that a request is none that could ever be taken."""


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def successes(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for status, answer in operation["responses"].items():
        if status.startswith(("2", "3")):
            yield from answer.get("content", {}).values()


def bodies(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from operation.get("requestBody", {}).get("content", {}).items()


def fits(schema: dict[str, Any], value: Any) -> list[str]:
    """All that is wrong with it."""
    whole = {**schema, "components": DOCUMENT["components"]}
    validator = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    return [f"{list(each.instance_path)}: {each.message}" for each in validator.iter_errors(value)]


def test_the_table_has_every_operation_and_no_other() -> None:
    assert set(EXAMPLES) == {name for name, _ in operations()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_body_and_every_answer_has_an_example_that_is_one(name: str) -> None:
    operation = dict(operations())[name]
    contents = [*(content for _, content in bodies(operation)), *successes(operation)]
    for content in contents:
        assert "example" in content, name
        assert fits(content["schema"], content["example"]) == [], name
    assert bool(contents) == (EXAMPLES[name] != type(EXAMPLES[name])()), f"{name} has an example of nothing"
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            assert "example" in parameter, (name, parameter["name"])
        if "example" in parameter:
            assert fits(parameter["schema"], parameter["example"]) == [], (name, parameter["name"])


def test_what_a_stream_tells_is_an_event_of_a_stream() -> None:
    *_, lines, rest = EXAMPLES["GET /api/stream"].answer.split("\n\n")
    frame = _frame(lines.encode())
    assert frame is not None
    assert (rest, frame.type) == ("", "approval.opened")
    assert fits({"$ref": "#/components/schemas/StreamEvent"}, msgspec.json.decode(frame.data)) == []


def test_every_problem_has_an_example_that_all_share() -> None:
    shared = DOCUMENT["components"]["examples"]
    assert shared == PROBLEMS
    for each in shared.values():
        assert fits({"$ref": "#/components/schemas/ProblemDetails"}, each["value"]) == []
    for name, operation in operations():
        for status, answer in operation["responses"].items():
            for media_type, content in answer.get("content", {}).items():
                if media_type == PROBLEM:
                    (one,) = content["examples"].values()
                    value = shared[one["$ref"].removeprefix("#/components/examples/")]["value"]
                    assert str(value["status"])[0] == status[0], name


def test_no_example_of_a_body_is_refused_for_its_form() -> None:
    """What it names may not be there, and it may come too late; but it is what the operation takes."""

    async def scenario() -> None:
        async with house() as there:
            things = await furnish(there, "default")
            token, sent = await there.key("ada", "admin", "editor", "approver"), 0
            things.of["token"] = (await there.engine.webhooks.create("hooked")).token or ""
            async with there.ask(token) as client:
                for name, operation in operations():
                    method, path = name.split()
                    for media_type, content in bodies(operation):
                        response = await client.request(
                            method,
                            things.path(path),
                            content=msgspec.json.encode(content["example"]),
                            headers={"Content-Type": media_type.replace("*/*", "application/json")},
                        )
                        assert response.status_code not in FORM, (name, response.text)
                        assert response.status_code < 500, (name, response.text)
                        sent += 1
            assert sent > 30

    run(scenario())


def test_a_key_is_described_wherever_it_is_heeded() -> None:
    for name, operation in operations():
        method, path = name.split()
        told = [each for each in operation.get("parameters", ()) if each["name"] == "idempotency-key"]
        heeded = method in ("POST", "PATCH") and path not in PUBLIC | SHOWN_ONCE
        assert len(told) == heeded, name
    assert {name.split()[1] for name, _ in operations()} >= EXACT
