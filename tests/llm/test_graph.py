"""The LLM node of graphs: `context[variableName] = {text | object, usage}`."""

from __future__ import annotations

from typing import Any

import pytest

from llm.conftest import Spoken
from llm.model import Asked, Call, Says
from llm.tooling import Tools
from llm.words import SCHEMA, ran

TRIGGER = {"id": "start", "type": "MANUAL_TRIGGER"}
USAGE = {"promptTokens": 5, "completionTokens": 2, "totalTokens": 7}


def node(id_: str = "ask", name: str = "said", **data: Any) -> dict[str, Any]:
    return {"id": id_, "type": "LLM", "data": {"variableName": name, "userPrompt": "How is {{ who }}?", **data}}


def graph(nodes: list[dict[str, Any]], *edges: tuple[str, str]) -> dict[str, Any]:
    connections = [{"fromNodeId": before, "toNodeId": after} for before, after in edges]
    return {"name": "graph", "nodes": nodes, "connections": connections}


def context(url: str, document: Any, given: Any = None, tools: Tools | None = None) -> dict[str, Any]:
    came = ran(url, document, {"who": "Zoë"} if given is None else given, tools or Tools())
    assert came.status == "completed", came.error
    found: dict[str, Any] = came.described.record.output
    return found


@pytest.mark.parametrize(
    ("data", "text", "found"),
    [
        ({}, "Fine.", {"text": "Fine."}),
        ({"tokenBudget": 9_000}, "Fine.", {"text": "Fine."}),
        ({"outputFormat": "json", "outputSchema": SCHEMA}, '{"score": 1}', {"object": {"score": 1}}),
    ],
)
def test_the_answer_is_in_the_context(url: str, spoken: Spoken, data: Any, text: str, found: Any) -> None:
    model = spoken(Says(text, tokens=(5, 2)))
    last = {"id": "last", "type": "SET", "data": {"values": {"copy": "{{ said }}"}}}
    came = context(url, graph([TRIGGER, node(**data), last], ("start", "ask"), ("ask", "last")))
    assert came["said"] == {**found, "usage": USAGE}
    assert came["copy"] == came["said"]
    assert came["who"] == "Zoë"
    assert model.asked[0].messages[-1]["content"] == "How is Zoë?"


@pytest.mark.parametrize("data", [{}, {"tools": ["add"]}])
def test_it_may_be_the_first_node(url: str, spoken: Spoken, data: Any) -> None:
    spoken(Says("Fine.", tokens=(5, 2)))
    assert context(url, graph([node(**data)]))["said"] == {"text": "Fine.", "usage": USAGE}


def test_with_tools_usage_is_of_all_rounds(url: str, spoken: Spoken) -> None:
    tools = Tools()
    spoken(Says(calls=[Call("add", {"a": 5})], tokens=(5, 2)), Says("It is 5.", tokens=(5, 2)))
    came = context(url, graph([TRIGGER, node(tools=["add"])], ("start", "ask")), None, tools)
    assert came["said"] == {"text": "It is 5.", "usage": {name: 2 * count for name, count in USAGE.items()}}
    assert tools.calls == [("add", (5, 0))]


@pytest.mark.parametrize("data", [{}, {"tools": ["add"]}, {"outputFormat": "json"}])
def test_in_a_diamond_each_has_its_own_conversation(url: str, spoken: Spoken, data: Any) -> None:
    def script(asked: Asked) -> Says:
        prompt = next(message["content"] for message in asked.messages if message["role"] == "user")
        if "tools" in asked.body and asked.messages[-1]["role"] == "user":
            return Says(calls=[Call("add", {"a": int(prompt)})], tokens=(5, 2))
        return Says(f'"{prompt}"', tokens=(5, 2))

    tools = Tools()
    spoken(script=script)
    nodes = [TRIGGER, node("l", "left", userPrompt="1", **data), node("r", "right", userPrompt="2", **data)]
    last = node("end", "both", userPrompt="{{ left.text ?? left.object }}{{ right.text ?? right.object }}")
    edges = (("start", "l"), ("start", "r"), ("l", "end"), ("r", "end"))
    came = context(url, graph([*nodes, last], *edges), None, tools)
    part = "object" if "outputFormat" in data else "text"
    said = {"text": ('"1"', '"2"'), "object": ("1", "2")}[part]
    assert (came["left"][part], came["right"][part]) == said
    assert came["both"]["text"] == f'"{said[0]}{said[1]}"'
    assert sorted(tools.calls) == ([("add", (1, 0)), ("add", (2, 0))] if "tools" in data else [])


def test_a_failure_is_that_of_the_node(url: str, spoken: Spoken) -> None:
    spoken(Says("no"))
    came = ran(url, graph([TRIGGER, node(outputFormat="json")], ("start", "ask")), {})
    assert (came.status, came.code) == ("failed", "INVALID_ANSWER")
