"""A warning that concerns many steps in the same way is given once, and lists the steps."""

from __future__ import annotations

from itertools import pairwise

import pytest

from perdure import dialects
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.values import Json

STEPS = [f"s{number}" for number in range(1, 12)]


def _ports(type_: str, key: str = "") -> Json:
    steps = []
    for number, slug in enumerate(STEPS, 1):
        config = {"type": type_, "parameters": {"key": key} if key else {}}
        ways = {"success": STEPS[number]} if number < len(STEPS) else {}
        steps.append({"stepSlug": slug, "stepType": "action", "config": config, "nextSteps": ways})
    return {"name": "many", "steps": steps}


def _orchestration(task: str) -> Json:
    last = len(STEPS) - 1
    steps = [
        {
            "stepId": id_,
            "type": "TASK",
            "taskId": task,
            "transitions": {"default": None if at == last else STEPS[at + 1]},
        }
        for at, id_ in enumerate(STEPS)
    ]
    return {"name": "many", "version": "1.0.0", "steps": steps}


def _graph(type_: str) -> Json:
    nodes = [{"id": id_, "type": type_} for id_ in STEPS]
    pairs = pairwise(STEPS)
    return {"name": "many", "nodes": nodes, "connections": [{"fromNodeId": a, "toNodeId": b} for a, b in pairs]}


def _tools() -> Json:
    config = {"type": "mcp", "connectionId": "crm", "toolName": "find"}
    return {
        "name": "many",
        "steps": [
            {"stepSlug": slug, "stepType": "action", "config": config, "nextSteps": {"success": after}}
            for slug, after in zip(STEPS, [*STEPS[1:], "end"], strict=True)
        ],
    }


@pytest.mark.parametrize(
    ("document", "name"),
    [
        pytest.param(_ports("quantum"), "quantum", id="ports"),
        pytest.param(_orchestration("quantum"), "quantum", id="orchestration"),
        pytest.param(_graph("QUANTUM"), "QUANTUM", id="graph"),
        pytest.param(_tools(), "find", id="tools"),
    ],
)
def test_a_task_that_is_not_registered_is_one_warning_with_its_steps(document: Json, name: str) -> None:
    compiled = dialects.compile(document)
    assert not compiled.problems
    (warning,) = [warning for warning in compiled.warnings if warning.type == "unknown_task"]
    assert repr(name) in warning.message
    assert warning.message.endswith("(11 steps: s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11)")
    assert warning.step == "s1"
    assert "/0/" in warning.path


@pytest.mark.parametrize(("count", "end"), [(20, ", s20)"), (23, ", s20, … and 3 more)")])
def test_twenty_steps_are_listed(count: int, end: str) -> None:
    slugs = [f"s{number}" for number in range(1, count + 1)]
    steps = [
        {"stepSlug": slug, "stepType": "action", "config": {"type": "quantum"}, "nextSteps": {"success": after}}
        for slug, after in zip(slugs, [*slugs[1:], "end"], strict=True)
    ]
    (warning,) = dialects.compile({"name": "many", "steps": steps}).warnings
    assert f"({count} steps: s1, s2" in warning.message
    assert warning.message.endswith(end)


def test_two_tasks_are_two_warnings_and_one_step_is_not_listed() -> None:
    document = _ports("quantum")
    document["steps"][3]["config"]["type"] = "entangle"
    messages = [one.message for one in dialects.compile(document).warnings if one.type == "unknown_task"]
    assert len(messages) == 2
    assert "(10 steps: s1, s2, s3, s5" in messages[0]
    assert "'entangle'" in messages[1]
    assert "steps:" not in messages[1]


def test_a_secret_that_is_not_set_is_one_warning_with_its_steps() -> None:
    catalog = Catalog((TaskSchema("send"),), secrets=("OTHER",))
    compiled = dialects.compile(_ports("send", "{{ secrets.CRM_KEY }}"), catalog)
    (warning,) = [warning for warning in compiled.warnings if warning.type == "unknown_secret"]
    assert "'CRM_KEY'" in warning.message
    assert "(11 steps: s1" in warning.message


@pytest.mark.parametrize("type_", ["send_sms", "create_order", "sync_invoices"])
def test_a_task_that_is_like_no_other_has_no_suggestion(type_: str) -> None:
    catalog = Catalog(tuple(map(TaskSchema, ("send_email", "create_user", "sync_products", "cancel_order"))))
    messages = [one.message for one in dialects.compile(_ports(type_), catalog).warnings]
    assert messages
    assert not any("did you mean" in message for message in messages)


@pytest.mark.parametrize("type_", ["HTTP", "http", "EMAIL", "send_sms"])
def test_a_task_that_is_no_executor_is_not_suggested_for_a_node(type_: str) -> None:
    tasks = (*map(TaskSchema, ("http", "email", "send_sms")), TaskSchema("node:SEND_MMS"))
    (warning,) = dialects.compile(_graph(type_), Catalog(tasks)).warnings
    assert warning.type == "unknown_task"
    assert ("did you mean 'SEND_MMS'" in warning.message) == (type_ == "send_sms")
    assert ("did you mean" in warning.message) == (type_ == "send_sms")


def test_a_node_by_its_id_is_no_key_of_the_context() -> None:
    nodes: list[Json] = [
        {"id": "fetch", "type": "SET", "data": {"values": {"found": 1}}},
        {"id": "gate", "type": "IF_ELSE", "data": {"expression": "found > 0"}},
        {"id": "own", "type": "OWN"},
        {
            "id": "out",
            "type": "SET",
            "data": {"values": {"a": "{{fetch}}", "b": "{{gate.x}}", "c": "{{own}} {{found}}"}},
        },
    ]
    order = [node["id"] for node in nodes]
    connections = [{"fromNodeId": a, "toNodeId": b} for a, b in pairwise(order) if a != "gate"]
    connections.append({"fromNodeId": "gate", "fromOutput": "true", "toNodeId": "own"})
    compiled = dialects.compile({"name": "g", "nodes": nodes, "connections": connections})
    assert {one.path: one.message for one in compiled.warnings if one.type == "unknown_name"} == {
        "/nodes/3/data/values/a": "the context has no 'fetch', unless the input has a key of that name: 'fetch' is a node, which "
        "writes the key 'found': did you mean 'found'?",
        "/nodes/3/data/values/b": "the context has no 'gate', unless the input has a key of that name: 'gate' is a node, which "
        "writes no key",
        "/nodes/3/data/values/c": "the context has no 'own', unless the input or an executor brings a key of that name: 'own' is a "
        "node, and what a node writes stands under the keys that its executor returns",
    }
