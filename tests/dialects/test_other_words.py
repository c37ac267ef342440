"""Documents in the words of other editors: one problem for all of them, and they are read as they are meant."""

from __future__ import annotations

import pytest

from dialects.words import compiled, node
from perdure import dialects
from perdure.model.values import Json
from run.orchestration.words import beside, breaks, echo, flow, waits


def document(*connections: Json) -> Json:
    nodes = [node("start", "MANUAL_TRIGGER"), *(node(name, "SET", {"values": {}}) for name in ("a", "b"))]
    return {"name": "graph", "nodes": nodes, "connections": list(connections)}


@pytest.mark.parametrize(
    ("source", "target", "output"),
    [("source", "target", "sourceHandle"), ("from", "to", "output"), ("sourceNodeId", "targetNodeId", "sourceHandle")],
)
def test_other_words_for_the_ends_of_connections_are_one_problem(source: str, target: str, output: str) -> None:
    found = compiled(document({source: "start", target: "a", output: "main"}, {source: "a", target: "b"}))
    (problem,) = found.problems
    assert (problem.type, problem.path) == ("unknown_key", f"/connections/0/{source}")
    for word in (f"{source!r}", f"{target!r}", "'fromNodeId'", "'toNodeId'", "2 connections"):
        assert word in problem.message
    assert found.warnings == ()


def test_what_else_is_wrong_with_them_is_told_too() -> None:
    found = compiled(document({"source": "start", "target": "c"}))
    assert [(each.type, each.path) for each in found.problems] == [
        ("unknown_node", "/connections/0/target"),
        ("unknown_key", "/connections/0/source"),
    ]


def test_a_connection_without_ends_is_told_as_before() -> None:
    found = compiled(document({"fromNodeId": "start"}, {"source": "start", "fromNodeId": "start"}))
    assert [(each.type, each.field) for each in found.problems] == [("missing_field", "toNodeId")] * 2


def test_a_step_after_a_timeout_in_other_words_is_one_problem_and_no_warning() -> None:
    found = dialects.compile(flow(waits("w", "paid", eventTimeout={"duration": 1, "next": "late"}), echo("late")))
    assert [each.path for each in found.problems] == ["/steps/0/eventTimeout/next"]
    assert [each.type for each in found.warnings if each.type != "unknown_task"] == []


def test_a_handler_that_is_refused_is_not_said_to_be_unreachable_too() -> None:
    both = beside("both", "last", one=[breaks("a", onFailure="late")], two=[breaks("b", onFailure="late")])
    found = dialects.compile(flow(both, echo("late"), echo("last")))
    assert [each.type for each in found.problems] == ["unknown_step"] * 2
    assert [each.type for each in found.warnings if each.type != "unknown_task"] == []
