"""Executions that ask a model, run again from a step, and shown: a step with parts is one step to whoever runs it again."""

from __future__ import annotations

from typing import Any

from llm.conftest import Spoken
from llm.model import Says
from llm.words import asking, come, ports, running
from perdure import Engine
from perdure.dialects import compile as compiled

JSON: dict[str, Any] = {"outputFormat": "json"}
TWO = ports(asking("First?", "one", **JSON), asking("Then {{ lastOutput.data.n }}?", "two", **JSON))


def test_a_step_that_asked_asks_again_and_what_was_before_it_does_not(url: str, spoken: Spoken) -> None:
    model = spoken(*(Says(f'{{"n": {n}}}') for n in range(1, 5)))

    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await engine.executions.start(TWO)
            assert await first.result() == {"n": 2}
            again = await come(await first.rerun(from_step="two"))
            assert (again.data("one"), again.data("two")) == ({"n": 1}, {"n": 3})
            forked = await come(await first.fork(at_step="two", outputs={"one": {"n": 7}}))
            assert (forked.data("one"), forked.data("two")) == ({"n": 7}, {"n": 4})

    running(scenario())
    assert [asked.body["messages"][-1]["content"] for asked in model.asked] == [
        "First?",
        "Then 1?",
        "Then 1?",
        "Then 7?",
    ]


def test_parts_that_only_compute_are_not_shown(url: str, spoken: Spoken) -> None:
    spoken(Says('{"n": 1}'), Says('{"n": 2}'))

    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(TWO)
            await execution.result()
            shown = (await execution.progress()).steps
            assert list(shown) == ["one/ask", "one", "two/ask", "two"]
            told = await execution.step_view("two")
            assert (told["success"], told["port"], told["output"]["data"]) == (True, "success", {"n": 2})

    running(scenario())


def test_a_node_cannot_have_the_id_of_a_part() -> None:
    nodes = [
        {"id": "a", "type": "LLM", "data": {"variableName": "said", "userPrompt": "?", "outputFormat": "json"}},
        {"id": "a/ask", "type": "SET", "data": {"values": {"x": 1}}},
    ]
    found = compiled({"nodes": nodes, "connections": [{"fromNodeId": "a", "toNodeId": "a/ask"}]})
    assert [(problem.type, problem.step) for problem in found.problems] == [("duplicate_id", "a/ask")]
