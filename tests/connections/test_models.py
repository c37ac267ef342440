"""Language models that call tools of connections: those of the list, with what their server says of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from connections.servers import connected, everything, hostile
from llm.model import Answer, Call, Model, Says, model
from llm.words import asking, come, ports
from perdure import Engine
from perdure.dialects import compile as compiled
from perdure.dialects import requirements
from perdure.model.catalog import Catalog, TaskSchema


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with ExitStack() as open_:

        def speak(*answers: Answer) -> Model:
            speaking = open_.enter_context(model(*answers))
            for name, value in speaking.environment.items():
                monkeypatch.setenv(name, value)
            return speaking

        yield speak


def conversed(document: dict[str, Any], **connections: Any) -> Any:
    import asyncio  # noqa: PLC0415

    async def scenario() -> Any:
        async with Engine(connections=connections) as engine:
            return await come(await engine.executions.start(document))

    return asyncio.run(scenario())


def test_a_model_calls_a_tool_of_a_connection(spoken: Any) -> None:
    told = spoken(Says(calls=[Call("get-sum", {"a": 2, "b": 3})]), Says("Five."))
    document = ports(asking(tools=[{"connectionId": "every", "toolName": "get-sum"}]))
    came = conversed(document, every=connected(everything()))
    assert came.data() == "Five."
    (offered,) = told.asked[0].body["tools"]
    assert offered["function"]["description"] == "Returns the sum of two numbers"
    assert sorted(offered["function"]["parameters"]["properties"]) == ["a", "b"]
    assert told.asked[1].told == ['"The sum of 2 and 3 is 5."']


def test_a_connection_alone_is_all_of_its_tools(spoken: Any) -> None:
    told = spoken(Says(calls=[Call("echo", {"message": "hi"})]), Says("Done."))
    came = conversed(ports(asking(tools=[{"connectionId": "every"}])), every=connected(everything()))
    assert came.data() == "Done."
    names = [tool["function"]["name"] for tool in told.asked[0].body["tools"]]
    assert {"echo", "get-sum", "get-structured-content"} <= set(names)
    assert told.asked[1].told == ['"Echo: hi"']


def test_what_does_not_fit_the_schema_of_a_tool_is_told_to_the_model_and_not_called(spoken: Any) -> None:
    told = spoken(Says(calls=[Call("get-sum", {"a": "two"})]), Says("Sorry."))
    document = ports(asking(tools=[{"connectionId": "every", "toolName": "get-sum"}]))
    assert conversed(document, every=connected(everything())).data() == "Sorry."
    assert told.asked[1].told[0].startswith("error: ")


def test_a_tool_that_fails_is_told_to_the_model(spoken: Any) -> None:
    told = spoken(Says(calls=[Call("do", {})]), Says("It failed."))
    document = ports(asking(tools=[{"connectionId": "it", "toolName": "do"}]))
    assert conversed(document, it=connected(hostile("is error"))).data() == "It failed."
    assert told.asked[1].told == ["error: the tool 'do' of the connection 'it' failed: there is no such customer"]


def test_what_a_document_needs_names_its_tools() -> None:
    asks = asking(tools=["add", {"connectionId": "fs"}, {"connectionId": "crm", "toolName": "find"}])
    action = {
        "stepSlug": "call",
        "stepType": "action",
        "config": {"type": "platform_integration", "connectionId": "crm", "toolName": "list"},
    }
    found = requirements(ports(asks, action))
    assert found.tools == (("fs", "*"), ("crm", "find"), ("crm", "list"))
    assert found.tasks == ("llm", "add")


def test_a_connection_whose_tools_nobody_knows_keeps_the_step_from_being_activated() -> None:
    document = ports(asking(tools=[{"connectionId": "fs"}]))
    found = compiled(document, Catalog(unavailable=(("fs", "it is down"),)))
    assert [(each.type, each.path) for each in found.obstacles] == [("unknown_tools", "/steps/0/config/tools/0")]
    assert "the model would be given none: it is down" in found.obstacles[0].message
    assert compiled(document, Catalog((TaskSchema("a", "fs"),))).obstacles == ()


def test_too_many_tools_are_told() -> None:
    catalog = Catalog(tuple(TaskSchema(f"t{number}", "fs") for number in range(200)))
    (problem,) = compiled(ports(asking(tools=[{"connectionId": "fs"}])), catalog).problems
    assert "there are 200 tools; the most is 128; name those it needs" in problem.message


def test_two_tools_of_one_name_are_told() -> None:
    catalog = Catalog((TaskSchema("find", "a"), TaskSchema("find", "b")))
    document = ports(asking(tools=[{"connectionId": "a"}, {"connectionId": "b"}]))
    (problem,) = compiled(document, catalog).problems
    assert problem.type == "duplicate_id"
