"""SET, MERGE and triggers, compiled and run; and what no node can work with."""

from __future__ import annotations

import pytest

from dialects.words import alone, graph, node, output, told
from lowered.base import T0
from perdure.model.values import Json


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("plain", "plain"),
        (7, 7),
        (None, None),
        ("{{user.name}}", "Ann"),
        ("{{ user }}", {"name": "Ann"}),
        ("Hello {{user.name}}!", "Hello Ann!"),
        ("{{missing}}-{{user}}", '-{"name":"Ann"}'),
        (["{{n}}", {"{{user.name}}": "{{n + 1}}"}, "{{missing}}"], [2, {"Ann": 3}, None]),
        ({"a": "{{missing}}", "b": "{{n}}"}, {"b": 2}),
        ("\\{{n}}", "{{n}}"),
        ("{{input}}", "the key, not the start"),
        ("{{steps.x}}", "a key too"),
        ("{{items|map('id')|join('+')}}", "1+2"),
        ("{{items.filter(i => i.id > n - 1).length}}", 1),
        ("{{now}}", "1970-01-01T00:16:40.000Z"),
        ("{{nowMs}}", T0),
        ("{{evil}}", "{{n}}"),
    ],
)
def test_set_renders_its_templates_over_the_context(template: Json, value: Json) -> None:
    context = {
        "user": {"name": "Ann"},
        "n": 2,
        "items": [{"id": 1}, {"id": 2}],
        "input": "the key, not the start",
        "steps": {"x": "a key too"},
        "evil": "{{n}}",
    }
    assert output(alone("SET", {"values": {"result": template}}), context)["result"] == value


def test_set_sees_what_it_has_just_set_and_leaves_out_what_is_undefined() -> None:
    data = {"values": {"a": "{{n + 1}}", "b": "{{a * 2}}", "n": "{{missing}}", "dotted.key": 1}}
    assert output(alone("SET", data), {"n": 1, "a": 0}) == {"n": 1, "a": 2, "b": 4, "dotted.key": 1}


@pytest.mark.parametrize("type_", ["MERGE", "MANUAL_TRIGGER", "WEBHOOK_TRIGGER", "EVENT_TRIGGER"])
def test_some_nodes_leave_the_context_alone(type_: str) -> None:
    document = graph(node("start", "MANUAL_TRIGGER"), node("it", type_, {}), "start > it")
    assert output(document, {"x": [1]}) == {"x": [1]}


def test_a_diamond_of_built_in_nodes_merges_once() -> None:
    document = graph(
        node("a", "SET", {"values": {"a": 1}}),
        node("b", "SET", {"values": {"b": 2}}),
        node("m", "MERGE", {"mode": "combine"}),
        node("sum", "SET", {"values": {"sum": "{{a + b}}"}}),
        "start > a b",
        "a > m",
        "b > m",
        "m > sum",
    )
    assert output(document, {}) == {"a": 1, "b": 2, "sum": 3}


@pytest.mark.parametrize(
    ("type_", "data", "path", "words"),
    [
        ("SET", {}, "", "'values' is missing"),
        ("SET", {"values": [1]}, "/values", "an object"),
        ("SET", {"values": {"_branch": "x"}}, "/values/_branch", "belongs to the engine"),
        ("SET", {"values": {"{{n}}": 1}}, "/values/{{n}}", "write it out"),
        ("SET", {"values": {"a": "{{secrets.KEY}}"}}, "/values/a", "a secret can only stand in"),
        ("SET", {"values": {"a": {"b": ["{{1 +}}"]}}}, "/values/a/b/0", ""),
        ("SET", {"values": {"a/b": "x {{ y"}}, "/values/a~1b", "not closed"),
        ("WORK", {"a": "{{ x | nopipe }}"}, "/a", "nopipe"),
        ("WORK", {"a": "{{ secrets.KEY|upper }}"}, "/a", "secret"),
        ("WORK", {"{{secrets.KEY}}": 1}, "", "name of a property"),
        ("HTTP_REQUEST", {"endpoint": "https://x"}, "", "'variableName' is missing"),
        ("HTTP_REQUEST", {"variableName": "v"}, "", "'endpoint' is missing"),
        ("HTTP_REQUEST", {"variableName": "_wait", "endpoint": "x"}, "/variableName", "belongs to the engine"),
        ("HTTP_REQUEST", {"variableName": "v", "endpoint": 7}, "/endpoint", "a text"),
        ("HTTP_REQUEST", {"variableName": "v", "endpoint": "x", "method": "PSOT"}, "/method", "did you mean"),
        ("HTTP_REQUEST", {"variableName": "v", "endpoint": "x", "body": 1, "json": 2}, "/json", "not both"),
        ("RUN_WORKFLOW", {}, "", "'workflowId' is missing"),
        ("RUN_WORKFLOW", {"workflowId": "x", "wait": "yes"}, "/wait", "true or false"),
        ("RUN_WORKFLOW", {"workflowId": "x", "input": "{{secrets.KEY}}"}, "/input", "secret"),
        ("WORKFLOW_TRIGGER", {}, "", "'workflowId' is missing"),
        ("CODE", {"variableName": "x"}, "", "'code' is missing"),
        ("WAIT", {"amount": "soon"}, "/amount", "'amount'"),
        ("WAIT", {"amount": True}, "/amount", "'amount'"),
        ("WAIT", {"amount": {"a": 1}}, "/amount", "'amount'"),
        ("WAIT", {"amount": 1e300}, "/amount", "years 0 to 9999"),
        ("WAIT", {"amount": 1, "unit": "fortnights"}, "/unit", "one of seconds"),
        ("WAIT", {"amount": 1, "unit": "minuts"}, "/unit", "did you mean 'minutes'?"),
        ("WAIT_UNTIL", {}, "", "'timestamp' is missing"),
        ("WAIT_UNTIL", {"timestamp": "tomorrow"}, "/timestamp", "instant"),
        ("WAIT_UNTIL", {"timestamp": True}, "/timestamp", "'timestamp'"),
        ("WAIT_UNTIL", {"timestamp": "2026-13-01"}, "/timestamp", "in no calendar"),
    ],
)
def test_data_that_a_node_cannot_work_with_is_told(type_: str, data: Json, path: str, words: str) -> None:
    document = graph(node("start", "MANUAL_TRIGGER"), node("it", type_, data), "start > it")
    problem = told(document)[f"/nodes/1/data{path}"]
    assert words in problem.message, problem.message
    assert problem.step == "it"


def test_where_in_a_text_an_expression_is_wrong_is_told_in_words() -> None:
    problem = told(alone("SET", {"values": {"a": "some text {{ 1 + }} more"}}))["/nodes/1/data/values/a"]
    assert "character" in problem.message
    assert problem.line is None
