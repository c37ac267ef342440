"""Tools: what a model asks for is called step by step, it is told what came of it, and nothing else is called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm.conftest import Spoken
from llm.model import Answer, Asked, Call, Replies, Says
from llm.tooling import Tools
from llm.words import SCHEMA, Came, asking, come, ports, ran, running, step
from perdure import Engine
from perdure.dialects import compile as compiled
from perdure.dialects.conversing import PARTS

EVERY = ["add", "crm.find", "break"]
DONE = Says("Done.", tokens=(30, 2))


@pytest.fixture
def tools() -> Tools:
    return Tools()


def conversed(url: str, registers: Tools, /, **config: Any) -> Came:
    return ran(url, ports(asking(**{"tools": EVERY, **config})), None, registers)


def test_tools_are_called_round_by_round_and_what_they_answer_is_told(url: str, spoken: Spoken, tools: Tools) -> None:
    model = spoken(
        Says(calls=[Call("crm_find", {"id": 7})], tokens=(10, 3)),
        Says("Now I add.", calls=[Call("add", {"a": 2, "b": 3}, "x9")], tokens=(20, 4)),
        DONE,
    )
    came = conversed(url, tools)
    assert came.data() == "Done."
    assert tools.calls == [("crm.find", {"id": 7}), ("add", (2, 3))]
    assert came.llm()["usage"] == {"promptTokens": 60, "completionTokens": 9, "totalTokens": 69}
    prompt, *turns = model.asked[2].messages
    assert prompt == {"role": "user", "content": "How are you?"}
    assert [turn["role"] for turn in turns] == ["assistant", "tool", "assistant", "tool"]
    asked, told, again, sum_ = turns
    assert asked["tool_calls"][0]["function"] == {"name": "crm_find", "arguments": '{"id": 7}'}
    assert told == {"role": "tool", "tool_call_id": "call_1", "content": '{"name":"Zoë 7"}'}
    assert (again["content"], again["tool_calls"][0]["id"]) == ("Now I add.", "x9")
    assert sum_ == {"role": "tool", "tool_call_id": "x9", "content": "5"}


def test_the_model_is_told_what_each_tool_is_for_and_what_it_takes(url: str, spoken: Spoken, tools: Tools) -> None:
    model = spoken(DONE)
    own = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    conversed(url, tools, tools=["add", {"name": "crm.find", "description": "Finds customers.", "parameters": own}])
    first, second = (tool["function"] for tool in model.asked[0].body["tools"])
    assert first["name"] == "add"
    assert first["parameters"]["type"] == "object"
    assert first["parameters"]["properties"]["a"] == {"type": "integer"}
    assert second == {"name": "crm_find", "description": "Finds customers.", "parameters": own}
    assert model.asked[0].body["tool_choice"] == "auto"


def test_several_calls_at_once_are_made_in_the_order_of_the_model(url: str, spoken: Spoken, tools: Tools) -> None:
    calls = [Call("crm_find", {"id": 1}), Call("add", {"a": 1}), Call("crm_find", {"id": 2}), Call("add", {"a": 2})]
    model = spoken(Says(calls=calls), DONE)
    conversed(url, tools)
    assert tools.calls == [("crm.find", {"id": 1}), ("add", (1, 0)), ("crm.find", {"id": 2}), ("add", (2, 0))]
    answers = [turn for turn in model.asked[1].messages if turn["role"] == "tool"]
    assert [answer["tool_call_id"] for answer in answers] == ["call_1", "call_2", "call_3", "call_4"]
    assert [answer["content"] for answer in answers] == ['{"name":"Zoë 1"}', "1", '{"name":"Zoë 2"}', "2"]


def test_a_tool_that_fails_is_no_failure_of_the_step(url: str, spoken: Spoken, tools: Tools) -> None:
    model = spoken(Says(calls=[Call("break"), Call("add", {"a": 4})]), DONE)
    came = conversed(url, tools)
    assert came.data() == "Done."
    assert model.asked[1].told == ["error: the shop is closed", "4"]


def test_a_tool_that_fails_does_not_go_by_the_error_port_nor_end_a_tick(url: str, spoken: Spoken, tools: Tools) -> None:
    spoken(script=lambda asked: Says(calls=[Call("break")]) if asked.roles == ["user"] else DONE)
    document = ports(
        step("loop", "each", {"loop": "ask", "done": "end"}, items="{{ input }}", continueOnError=True),
        asking(tools=["break"], then={"success": "each", "error": "bad"}),
        step("action", "bad", {}, type="log", message="bad"),
    )
    came = ran(url, document, [1, 2], tools)
    assert came.status == "completed"
    assert "bad" not in came.view["variables"]["steps"]
    assert came.data() == "Done."
    assert len(tools.calls) == 2


@pytest.mark.parametrize(
    "name", ["forbidden", "crm.find", "nothing", "", "llm", "__proto__", "constructor", "x" * 5_000]
)
def test_what_is_not_in_the_list_is_not_called(url: str, spoken: Spoken, tools: Tools, name: str) -> None:
    model = spoken(Says(calls=[Call(name, {"a": 1}), Call("add", {"a": 1})]), DONE)
    came = conversed(url, tools)
    assert came.data() == "Done."
    assert tools.names == ["add"]
    told = model.asked[1].told
    assert told[0].startswith("error: there is no tool")
    assert "there are add, crm_find, break" in told[0]
    assert len(told[0]) < 500
    assert told[1] == "1"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("{a: 1}", "are not JSON"),
        ('{"a": 1', "are not JSON"),
        ("[1]", "have to be an object"),
        ('"a"', "have to be an object"),
        ("[" * 5_000, "are not JSON"),
        ('{"a": "1"}', "/a: "),
        ("", '"a" is a required property'),
        ('{"b": 1}', '"a" is a required property'),
    ],
)
def test_arguments_that_do_not_fit_are_not_called_with(
    url: str, spoken: Spoken, tools: Tools, arguments: str, why: str
) -> None:
    model = spoken(Says(calls=[Call("add", arguments)]), DONE)
    conversed(url, tools)
    assert tools.calls == []
    (told,) = model.asked[1].told
    assert told.startswith("error: the arguments of add")
    assert why in told


def test_a_model_that_never_ends_to_ask_for_tools_is_stopped(url: str, spoken: Spoken, tools: Tools) -> None:
    model = spoken(Says(calls=[Call("add", {"a": 1})]))
    came = conversed(url, tools, maxToolRounds=3)
    assert (came.status, came.code) == ("failed", "TOOL_LIMIT")
    assert "maxToolRounds" in came.error.message
    assert len(tools.calls) == 3
    assert [asked.body["tool_choice"] for asked in model.asked] == ["auto", "auto", "auto", "none"]


def test_a_model_without_tools_that_asks_for_one_is_not_believed(url: str, spoken: Spoken, tools: Tools) -> None:
    spoken(Says(calls=[Call("add", {"a": 1})]))
    came = conversed(url, tools, tools=[])
    assert (came.status, came.code) == ("failed", "TOOL_LIMIT")
    assert tools.calls == []


def test_more_calls_at_once_than_there_may_be_are_refused_and_told(url: str, spoken: Spoken, tools: Tools) -> None:
    model = spoken(Says(calls=[Call("add", {"a": number}, f"c{number}") for number in range(40)]), DONE)
    conversed(url, tools)
    assert [given for _, (given, _) in tools.calls] == list(range(32))
    told = {turn["tool_call_id"]: turn["content"] for turn in model.asked[1].messages if turn["role"] == "tool"}
    assert len(told) == 40
    assert "32 calls at once are the most" in told["c39"]


def test_json_and_tools_go_together_and_the_one_repair_is_kept(url: str, spoken: Spoken, tools: Tools) -> None:
    model = spoken(
        Says(calls=[Call("add", {"a": 1})]), Says("no"), Says(calls=[Call("add", {"a": 2})]), Says('{"score": 1}')
    )
    came = conversed(url, tools, outputSchema=SCHEMA)
    assert came.data() == {"score": 1}
    assert model.asked[3].roles == [
        *("system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool"),
    ]
    spoken(Says(calls=[Call("add", {"a": 1})]), Says("no"), Says(calls=[Call("add", {"a": 2})]), Says("no"))
    came = conversed(url, tools, outputSchema=SCHEMA)
    assert came.code == "INVALID_ANSWER"


def test_a_step_may_have_many_tools(url: str, spoken: Spoken) -> None:
    called: list[str] = []
    names = [f"a-tool-with-a-rather-long-name-number-{number}" for number in range(100)]

    def prepare(engine: Any) -> None:
        for name in names:
            engine.task(name)(lambda _, name=name: called.append(name))

    model = spoken(Says(calls=[Call(names[99]), Call(names[0])]), DONE)
    came = ran(url, ports(asking(slug="a_step_with_a_rather_long_name_as_well", tools=names)), None, prepare)
    assert came.status == "completed"
    assert called == [names[99], names[0]]
    assert len(model.asked[0].body["tools"]) == 100


def test_two_steps_with_tools_do_not_mix_what_was_said(url: str, spoken: Spoken, tools: Tools) -> None:
    def script(asked: Asked) -> Says:
        last = asked.messages[-1]
        return Says(calls=[Call("add", {"a": asked.number})]) if last["role"] == "user" else Says(last["content"])

    model = spoken(script=script)
    came = ran(url, ports(asking("First", "one", tools=["add"]), asking("Second", "two", tools=["add"])), None, tools)
    assert (came.data("one"), came.data("two")) == ("1", "3")
    assert [asked.roles for asked in model.asked] == [["user"], ["user", "assistant", "tool"]] * 2


def test_each_pass_of_a_loop_begins_anew(url: str, spoken: Spoken, tools: Tools) -> None:
    def script(asked: Asked) -> Says:
        last = asked.messages[-1]
        if last["role"] == "user" and "fit" not in last["content"]:
            return Says(calls=[Call("add", {"a": int(last["content"])})], tokens=(5, 5))
        return Says("no" if last["role"] == "tool" else json.dumps({"score": 0.5}), tokens=(5, 5))

    model = spoken(script=script)
    document = ports(
        step("loop", "each", {"loop": "ask", "done": "end"}, items="{{ input }}"),
        asking("{{ loop.item }}", tools=["add"], outputSchema=SCHEMA, then={"success": "each"}),
    )
    came = ran(url, document, [7, 8, 9], tools)
    assert came.status == "completed"
    begun = [asked for asked in model.asked if asked.roles == ["system", "user"]]
    assert [asked.messages[-1]["content"] for asked in begun] == ["7", "8", "9"]
    assert len(model.asked) == 9
    assert tools.calls == [("add", (7, 0)), ("add", (8, 0)), ("add", (9, 0))]
    assert came.llm()["usage"]["totalTokens"] == 30


def test_a_pass_whose_question_fails_does_not_keep_the_next_from_asking(url: str, spoken: Spoken, tools: Tools) -> None:
    def script(asked: Asked) -> Answer:
        last = asked.messages[-1]
        if last["role"] == "user":
            return Says(calls=[Call("add", {"a": int(last["content"])})])
        return Replies(400) if last["content"] == "8" else Says(last["content"])

    model = spoken(script=script)
    document = ports(
        step("loop", "each", {"loop": "ask", "done": "end"}, items="{{ input }}", continueOnError=True),
        asking("{{ loop.item }}", tools=["add"], then={"success": "each"}),
    )
    came = ran(url, document, [7, 8, 9], tools)
    assert came.status == "completed"
    assert came.data() == "9"
    assert [asked.roles for asked in model.asked] == [["user"], ["user", "assistant", "tool"]] * 3


def test_a_tool_without_an_id_is_answered_all_the_same(url: str, spoken: Spoken, tools: Tools) -> None:
    bare = {"choices": [{"message": {"tool_calls": [{"function": {"name": "add", "arguments": {"a": 3}}}]}}]}
    model = spoken(Says(more=bare), DONE)
    conversed(url, tools)
    assert tools.calls == [("add", (3, 0))]
    assert model.asked[1].told == ["3"]


def test_templates_in_arguments_are_text(url: str, spoken: Spoken, tools: Tools) -> None:
    spoken(Says(calls=[Call("crm_find", {"id": "{{ secrets.KEY }} ${ 1 + 1 }", "{{ 1 }}": "@ref"})]), DONE)
    conversed(url, tools)
    assert tools.calls == [("crm.find", {"id": "{{ secrets.KEY }} ${ 1 + 1 }", "{{ 1 }}": "@ref"})]


@pytest.mark.parametrize(
    "tool",
    [
        "llm",
        {"name": "llm"},
        {"toolName": "llm", "connectionId": "local"},
        "local/llm",
        "node:http",
        "perdure.transform",
    ],
)
def test_what_steps_are_made_of_is_no_tool(tool: Any) -> None:
    found = compiled(ports(asking(tools=["add", tool])))
    assert [(problem.type, problem.path) for problem in found.problems] == [("not_a_tool", "/steps/0/config/tools/1")]


ROWS = [{"id": number, "name": "x", "more": [1, 2]} for number in range(3_000)]


@pytest.mark.parametrize(
    "value", ["y" * 1_200_000, list(range(30_000)), ROWS, None], ids=["text", "array", "rows", "nothing"]
)
@pytest.mark.parametrize("calls", [1, 4])
def test_what_a_tool_answers_may_be_large(url: str, spoken: Spoken, value: Any, calls: int) -> None:
    def prepare(engine: Any) -> None:
        engine.task("big")(lambda _: value)

    def script(asked: Asked) -> Answer:
        return Says(calls=[Call("big", id=f"c{number}") for number in range(calls)]) if asked.number < 3 else DONE

    model = spoken(script=script)
    came = ran(url, ports(asking(tools=["big"])), None, prepare)
    assert (came.status, came.data()) == ("completed", "Done.")
    told = model.asked[2].told
    whole = json.dumps(value, separators=(",", ":"))
    assert len(told) == 2 * calls
    if len(whole) <= 200_000:
        assert set(told) == {whole}
    else:
        assert {text[:200_000] for text in told} == {whole[:200_000]}
        assert all(text.endswith(f"the first 200,000 of {len(whole):,} characters]") for text in told)


def test_a_step_that_is_told_more_and_more_goes_on(url: str, spoken: Spoken) -> None:
    def prepare(engine: Any) -> None:
        engine.task("big")(lambda _: "y" * 250_000)

    def script(asked: Asked) -> Answer:
        return Says(calls=[Call("big", id=f"c{number}") for number in range(16)]) if asked.number < 3 else DONE

    model = spoken(script=script)
    came = ran(url, ports(asking(tools=["big"])), None, prepare)
    assert (came.status, came.data()) == ("completed", "Done.")
    assert sum(map(len, model.asked[2].told)) < 4_100_000
    assert all(len(text) > 1_000 for text in model.asked[2].told)


def test_a_failed_question_that_is_tried_again_by_hand_is_told_what_tools_have_said(
    url: str, spoken: Spoken, tools: Tools
) -> None:
    model = spoken(Says(calls=[Call("add", {"a": 1})]), Replies(400), DONE)

    async def scenario() -> Came:
        engine = Engine(url)
        tools(engine)
        async with engine:
            execution = await engine.executions.start(ports(asking(tools=["add"])))
            assert (await come(execution)).code == "HTTP_400"
            await execution.retry()
            return await come(execution)

    assert running(scenario()).data() == "Done."
    assert model.asked[1].messages == model.asked[2].messages
    assert len(tools.calls) == 1


def test_a_step_is_said_to_fail_in_whatever_part_it_failed_in() -> None:
    document = ports(asking(tools=EVERY, tokenBudget=9, onBudget="approve", approverRole="r"))
    workflow = compiled(document).workflow
    assert workflow is not None
    parts = {step.id.removeprefix("ask/") for step in workflow.steps if step.part_of == "ask"}
    assert {part for part in parts if not part.startswith("tool-")} == set(PARTS)


def test_a_nullable_argument_of_a_tool_may_be_null(url: str, spoken: Spoken) -> None:
    given: list[Any] = []

    def prepare(engine: Any) -> None:
        engine.task("note")(lambda value: given.append(value))

    parameters = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "nullable": True}}}
    spoken(Says(calls=[Call("note", {"text": None})]), DONE)
    came = ran(url, ports(asking(tools=[{"name": "note", "parameters": parameters}])), None, prepare)
    assert came.status == "completed"
    assert given == [{"text": None}]
