"""An execution as the seed's `Execution`: every field, in every state of its life."""

from __future__ import annotations

from typing import Any

import pytest

from dialects.words import graph, model, node, run, view
from lowered.base import T0
from lowered.graph.words import Nodes, breaks, sets
from perdure import dialects
from perdure.core import facts as f
from perdure.dialects import Seen
from perdure.dialects.graph.triggers import depth_of, trigger_of
from perdure.model.failure import Failure
from perdure.model.records import ExecutionRecord, Waiting
from perdure.model.values import Json
from perdure.testing.script import Fixed, TaskAnswer

FIELDS = [
    "id",
    "workflowId",
    "status",
    "inngestEventId",
    "triggerType",
    "triggerDepth",
    "currentNodeId",
    "waitingAtNodeId",
    "nextStepAt",
    "startedAt",
    "completeAt",
    "output",
    "error",
    "errorStack",
]
LINE = graph(
    node("a"), node("wait", "WAIT", {"amount": 1}), node("b"), "start > a", "a > wait", "wait > b", name="line"
)
SCRIPT = Nodes({"a": sets(x=1), "b": sets(y=2)}, {"a": 1_000, "b": 1_000})
HOUR = 3_600_000


def test_an_execution_that_has_completed() -> None:
    found = view(run(LINE, {"_trigger": {"type": "CONTACT_TRIGGER", "depth": 1, "firedAt": "then"}}, SCRIPT))
    assert list(found) == FIELDS
    assert found == {
        "id": "main",
        "workflowId": "line",
        "status": "SUCCESS",
        "inngestEventId": None,
        "triggerType": "CONTACT_TRIGGER",
        "triggerDepth": 1,
        "currentNodeId": None,
        "waitingAtNodeId": None,
        "nextStepAt": None,
        "startedAt": "1970-01-01T00:16:40.000Z",
        "completeAt": "1970-01-01T01:16:42.000Z",
        "output": {"_trigger": {"type": "CONTACT_TRIGGER", "depth": 1, "firedAt": "then"}, "x": 1, "y": 2},
        "error": None,
        "errorStack": None,
    }


def test_an_execution_that_runs_names_the_node_that_it_is_at() -> None:
    found = view(run(LINE, {}, SCRIPT, until=500))
    assert (found["status"], found["currentNodeId"], found["waitingAtNodeId"]) == ("RUNNING", "a", None)
    assert (found["completeAt"], found["output"], found["nextStepAt"]) == (None, None, None)


def test_an_execution_that_waits_names_the_node_and_the_time() -> None:
    found = view(run(LINE, {}, SCRIPT, until=HOUR // 2))
    assert (found["status"], found["currentNodeId"], found["waitingAtNodeId"]) == ("WAITING", "wait", "wait")
    assert found["nextStepAt"] == "1970-01-01T01:16:41.000Z"
    assert (found["completeAt"], found["output"], found["error"]) == (None, None, None)


def test_an_execution_that_has_resumed_has_cleared_what_it_waited_for() -> None:
    found = view(run(LINE, {}, SCRIPT, until=HOUR + 1_500))
    assert (found["status"], found["currentNodeId"]) == ("RUNNING", "b")
    assert (found["waitingAtNodeId"], found["nextStepAt"]) == (None, None)


def test_of_two_waits_the_one_that_wakes_first_is_named() -> None:
    document = graph(node("long", "WAIT", {"amount": 5}), node("short", "WAIT", {"amount": 2}), "start > long short")
    found = view(run(document, {}, until=HOUR))
    assert (found["waitingAtNodeId"], found["nextStepAt"]) == ("short", "1970-01-01T02:16:40.000Z")


def test_an_execution_that_has_failed_says_why_and_clears_the_rest() -> None:
    broken = Fixed({"a": TaskAnswer(error=Failure("boom", stack="Traceback: …", retriable=False))})
    found = view(run(LINE, {}, broken))
    assert (found["status"], found["error"], found["errorStack"]) == ("FAILED", "boom", "Traceback: …")
    assert (found["currentNodeId"], found["waitingAtNodeId"], found["nextStepAt"]) == (None, None, None)
    assert (found["completeAt"], found["output"]) == ("1970-01-01T00:16:40.010Z", None)


def test_an_execution_that_was_cancelled_has_failed_as_canceled() -> None:
    world = run(LINE, {}, SCRIPT, until=HOUR // 2)
    world.cancel("main")
    world.run()
    found = view(world)
    assert (found["status"], found["error"], found["errorStack"]) == ("FAILED", "canceled", None)
    assert (found["currentNodeId"], found["waitingAtNodeId"], found["nextStepAt"]) == (None, None, None)
    assert found["completeAt"] is not None


def test_a_retried_execution_runs_again() -> None:
    world = run(LINE, {}, Nodes({"a": breaks("boom")}))
    assert view(world)["status"] == "FAILED"
    world.script = SCRIPT
    world.retry("main")
    world.run()
    found = view(world)
    assert (found["status"], found["error"], found["output"]) == ("SUCCESS", None, {"x": 1, "y": 2})


def test_what_has_not_begun_is_shown_as_running() -> None:
    record = ExecutionRecord("e1", "line", "d", T0, status="pending", depth=2)
    found = dialects.view("graph", Seen(record, (), model(LINE)))
    assert (found["status"], found["triggerType"], found["triggerDepth"]) == ("RUNNING", "MANUAL_TRIGGER", 2)
    assert (found["currentNodeId"], found["inngestEventId"]) == (None, None)


def test_waiting_for_a_person_or_an_event_is_waiting_too() -> None:
    record = ExecutionRecord("e1", "line", "d", T0, status="waiting", waiting=Waiting("approval", "a", T0))
    found = dialects.view("graph", Seen(record, (), model(LINE)))
    assert (found["status"], found["waitingAtNodeId"], found["nextStepAt"]) == ("WAITING", "a", None)


@pytest.mark.parametrize(
    ("given", "start", "expected"),
    [
        ({}, {}, ("MANUAL_TRIGGER", 0)),
        (None, {}, ("MANUAL_TRIGGER", 0)),
        ([1], {}, ("MANUAL_TRIGGER", 0)),
        ({"_trigger": None}, {}, ("MANUAL_TRIGGER", 0)),
        ({"_trigger": {"type": 7, "depth": "2"}}, {}, ("MANUAL_TRIGGER", 0)),
        ({"_trigger": {"type": "", "depth": True}}, {}, ("MANUAL_TRIGGER", 0)),
        ({"_trigger": {"type": "X", "depth": 2.0}}, {}, ("X", 2)),
        ({"_trigger": {"type": "X", "depth": -2}}, {}, ("X", 0)),
        ({"_trigger": {"type": "X", "depth": 2}}, {"trigger": "schedule", "depth": 1}, ("SCHEDULE_TRIGGER", 1)),
        ({}, {"trigger": "chain", "depth": 1}, ("WORKFLOW_TRIGGER", 1)),
        ({}, {"trigger": "event"}, ("EVENT_TRIGGER", 0)),
        ({}, {"trigger": "event", "trigger_data": {"type": "workflow.completed"}, "depth": 3}, ("WORKFLOW_TRIGGER", 3)),
        ({"_trigger": {"type": "X"}}, {"trigger": "api", "depth": 3}, ("X", 3)),
    ],
)
def test_what_started_an_execution_and_how_deep(given: Json, start: dict[str, Any], expected: tuple[str, int]) -> None:
    assert trigger_of(f.ExecutionStarted(T0, "main", "d", input=given, **start)) == expected


def test_how_deep_an_input_says_that_it_is() -> None:
    assert depth_of({"_trigger": {"depth": 3}}) == dialects.depth("graph", {"_trigger": {"depth": 3}}) == 3
    assert depth_of({"_trigger": {"depth": float("inf")}}) == depth_of("x") == 0
