"""Executors and requests: what they are given, and what their answers do."""

from __future__ import annotations

import pytest

from dialects.words import alone, graph, node, output, run, warned, work_of
from lowered.base import T0
from lowered.checks import facts, given, stood
from lowered.graph.words import Nodes, sets
from perdure.core import facts as f
from perdure.model.catalog import Catalog, TaskSchema
from perdure.testing.script import Fixed, TaskAnswer

HOUR = 3_600_000


ANSWERED = Fixed({"it": TaskAnswer(output={"status": 201, "headers": {"a": "b"}, "body": {"id": 7}})})


def test_an_executor_is_given_its_data_rendered_the_context_and_its_id() -> None:
    data = {"to": "{{user}}", "text": "Hi {{user}}", "n": 7, "key": "{{secrets.KEY}}", "deep": [{"a": "{{user}}"}]}
    world = run(alone("WORK", data), {"user": "Ann"}, Nodes({"it": sets(done=True)}))
    rendered = {"to": "Ann", "text": "Hi Ann", "n": 7, "key": "***", "deep": [{"a": "Ann"}]}
    assert given(world, "it") == [{"context": {"user": "Ann"}, "data": rendered, "nodeId": "it"}]
    (fact,) = facts(world, f.StepScheduled, "it")
    assert list(fact.sealed) == ["/data/key"]
    assert world.store.rows["main"].record.output == {"user": "Ann", "done": True}


@pytest.mark.parametrize("type_", ["ENRICH", "my-own.type"])
def test_every_other_type_is_a_task_of_its_name(type_: str) -> None:
    assert work_of(alone(type_, {"a": 1})).task == f"node:{type_}"


def test_an_executor_that_is_registered_is_nothing_to_warn_of() -> None:
    assert "unknown_task" in warned(alone("ENRICH"))
    assert warned(alone("ENRICH"), catalog=Catalog((TaskSchema("node:ENRICH"),))) == {}
    assert "unknown_task" in warned(alone("ENRICH"), catalog=Catalog((TaskSchema("node:ENRICH", "elsewhere"),)))


def test_waits_and_branches_that_an_executor_asks_for() -> None:
    document = graph(node("a"), node("b"), node("c"), "start > a", "a.left > b", "a.right > c")
    answer = {"set": {"x": 1}, "unset": [], "wait": 3600, "until": 0, "label": "an hour of rest"}
    world = run(document, {}, Fixed({"a": TaskAnswer(output=answer, port="right")}), until=HOUR // 2)
    waiting = world.store.rows["main"].record.waiting
    assert waiting is not None
    assert (waiting.step, waiting.on) == ("a", "an hour of rest")
    assert stood(world, T0 + HOUR // 2) == ("waiting", "timer a")
    world.run()
    assert [fact.step for fact in facts(world, f.StepScheduled)] == [1, 3]


def test_of_several_outputs_without_main_none_is_the_default() -> None:
    document = graph(node("a"), node("b"), node("c"), "start > a", "a.left > b", "a.right > c")
    assert len(facts(run(document, {}, Nodes({})), f.StepScheduled)) == 1
    single = graph(node("a"), node("b"), "start > a", "a.left > b")
    assert len(facts(run(single, {}, Nodes({})), f.StepScheduled)) == 2


def test_which_input_got_which_value() -> None:
    document = graph(
        node("a"),
        node("b", "SET", {"values": {"b": 2}}),
        node("c"),
        node("http", "HTTP_REQUEST", {"variableName": "h", "endpoint": "https://x"}),
        node("join"),
        "start > a b c http",
        "a > join:left",
        "b > join:right",
        "c.never > join:other",
        "http > join:right",
    )
    answers: dict[str, TaskAnswer | list[TaskAnswer]] = {
        "a": TaskAnswer(output={"set": {"a": 1}, "unset": [], "wait": 0, "until": 0}),
        "c": TaskAnswer(output={"set": {"c": 3}, "unset": [], "wait": 0, "until": 0}, port="elsewhere"),
        "http": TaskAnswer(50, output={"status": 200, "headers": {}, "body": 5}),
        "join": TaskAnswer(output={"set": {}, "unset": [], "wait": 0, "until": 0}),
    }
    (call,) = given(run(document, {}, Fixed(answers)), "join")
    response = {"httpResponse": {"status": 200, "headers": {}, "data": 5}}
    assert call["inputs"] == {"left": {"a": 1}, "right": {"b": 2, "h": response}}


def test_two_outputs_of_one_node_reach_two_inputs() -> None:
    for score, handle in ((70, "pass"), (30, "fail")):
        document = graph(
            node("check", "IF_ELSE", {"expression": "score >= 50"}),
            node("it"),
            "start > check",
            "check.true > it:pass",
            "check.false > it:fail",
        )
        assert [call["inputs"] for call in given(run(document, {"score": score}, Nodes({})), "it")] == [{handle: {}}]


def test_without_named_inputs_nothing_is_told_of_them() -> None:
    assert "inputs" not in given(run(alone("WORK"), {}, Nodes({})), "it")[0]


def test_a_request_is_sent_as_the_task_http_takes_it() -> None:
    data = {
        "variableName": "order",
        "endpoint": "https://api.example.com/{{id}}",
        "method": "post",
        "headers": {"authorization": "Bearer {{secrets.KEY}}", "x": "{{id}}"},
        "query": {"q": "{{id}}"},
        "body": {"id": "{{id}}"},
        "failOnError": True,
        "timeout": 5_000,
    }
    world = run(alone("HTTP_REQUEST", data), {"id": 7}, ANSWERED)
    assert given(world, "it") == [
        {
            "url": "https://api.example.com/7",
            "method": "post",
            "headers": {"authorization": "Bearer ***", "x": 7},
            "query": {"q": 7},
            "body": {"id": 7},
            "failOnError": True,
            "timeout": 5_000,
        }
    ]
    answer = {"status": 201, "headers": {"a": "b"}, "data": {"id": 7}}
    assert world.store.rows["main"].record.output == {"id": 7, "order": {"httpResponse": answer}}
    assert work_of(alone("HTTP_REQUEST", data)).timeout_ms == 5_000


def test_only_what_is_given_is_sent() -> None:
    world = run(alone("HTTP_REQUEST", {"variableName": "r", "endpoint": "https://x", "body": None}), {}, ANSWERED)
    assert given(world, "it") == [{"url": "https://x"}]


def test_an_answer_in_base64_says_so() -> None:
    answer = TaskAnswer(output={"status": 200, "headers": {}, "body": "AA==", "base64": True})
    found = output(alone("HTTP_REQUEST", {"variableName": "r", "endpoint": "https://x"}), {}, Fixed({"it": answer}))
    assert found["r"]["httpResponse"]["base64"] is True
