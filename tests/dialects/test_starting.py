"""How an execution begins: its entry, its first context, and what starts it."""

from __future__ import annotations

from typing import Any

import pytest

from dialects.words import compiled, graph, model, node, output, run, told, view, warned
from lowered.checks import started, the_other, the_start, warnings
from lowered.graph.words import Nodes
from perdure.core import facts as f
from perdure.expressions.language import compile_value
from perdure.model.values import Json
from perdure.testing.script import Fixed
from perdure.testing.world import World

FIRED_AT = "1970-01-01T00:16:40.000Z"


def marks(name: str) -> dict[str, Json]:
    return node(name, "SET", {"values": {"way": name}})


# Entry.


def way(document: Json, given: Json = None, **start: Any) -> str | None:
    found: str | None = output(document, given, **start).get("way")
    return found


def test_one_root_is_the_entry_whatever_its_type_and_place() -> None:
    document = {"nodes": [marks("b"), marks("a")], "connections": [{"fromNodeId": "a", "toNodeId": "b"}]}
    assert way(document, {}) == "b"
    assert model(document).entries[0].step == "a"


def test_of_several_roots_a_trigger_is_preferred_and_the_others_are_reported() -> None:
    document = graph(marks("early"), node("t", "MANUAL_TRIGGER"), marks("a"), "t > a")
    assert way(document, {}) == "a"
    assert warned(document)["other_root"].step == "early"


def test_without_a_trigger_the_first_root_is_the_entry() -> None:
    document = {"nodes": [marks("a"), marks("b")], "connections": []}
    assert way(document, {}) == "a"
    assert warned(document)["other_root"].step == "b"


def test_without_a_root_the_first_node_is_the_entry() -> None:
    document = {
        "nodes": [
            node("check", "IF_ELSE", {"expression": "n < 3"}),
            node("add", "SET", {"values": {"n": "{{n + 1}}"}}),
        ],
        "connections": [
            {"fromNodeId": "check", "fromOutput": "true", "toNodeId": "add"},
            {"fromNodeId": "add", "toNodeId": "check"},
        ],
    }
    assert output(document, {"n": 0}) == {"n": 3}


MANY = graph(
    node("manual", "MANUAL_TRIGGER"),
    node("hook", "WEBHOOK_TRIGGER"),
    node("clock", "SCHEDULE_TRIGGER"),
    node("one", "WORKFLOW_TRIGGER", {"workflowId": "one"}),
    node("two", "WORKFLOW_TRIGGER", {"workflowId": "two"}),
    node("event", "EVENT_TRIGGER", {"eventPattern": "order.*"}),
    *(marks(f"of-{name}") for name in ("manual", "hook", "clock", "one", "two", "event")),
    *(f"{name} > of-{name}" for name in ("manual", "hook", "clock", "one", "two", "event")),
    name="many",
)


def completed(name: str, event_type: str = "workflow.completed") -> dict[str, Json]:
    return {"trigger": "event", "trigger_data": {"type": event_type, "payload": {"workflowId": "wf_1", "name": name}}}


@pytest.mark.parametrize(
    ("given", "start", "expected"),
    [
        ({}, {}, "manual"),
        ({}, {"trigger": "api"}, "manual"),
        ({}, {"trigger": "webhook"}, "hook"),
        ({}, {"trigger": "schedule"}, "clock"),
        ({}, {"trigger": "chain"}, "one"),
        ({}, completed("one"), "one"),
        ({}, completed("two"), "two"),
        ({}, completed("three"), "manual"),
        ({}, completed("x", "order.paid"), "event"),
        ({"_trigger": {"type": "WEBHOOK_TRIGGER"}}, {}, "hook"),
        ({"_trigger": {"type": "SCHEDULE_TRIGGER", "depth": 1}}, {}, "clock"),
        ({"_trigger": {"type": "UNHEARD_OF"}}, {}, "manual"),
        ({"_trigger": "odd"}, {}, "manual"),
        ({"_trigger": {"type": "WEBHOOK_TRIGGER"}}, {"trigger": "schedule"}, "clock"),
        ({"_trigger": {"type": "WEBHOOK_TRIGGER"}}, completed("x", "workflows/execute.workflow"), "hook"),
    ],
)
def test_of_several_triggers_the_one_that_fired_is_the_entry_else_the_first(
    given: Json, start: dict[str, Any], expected: str
) -> None:
    assert way(MANY, given, **start) == f"of-{expected}"


HOOKS = graph(
    node("first", "WEBHOOK_TRIGGER"),
    node("second", "WEBHOOK_TRIGGER"),
    node("manual", "MANUAL_TRIGGER"),
    *(marks(f"of-{name}") for name in ("first", "second", "manual")),
    *(f"{name} > of-{name}" for name in ("first", "second", "manual")),
    name="hooks",
)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ({"trigger": "webhook", "trigger_data": {"webhook": {"node": "second"}}}, "second"),
        ({"trigger": "webhook", "trigger_data": {"webhook": {"node": "first"}}}, "first"),
        ({"trigger": "webhook", "trigger_data": {"webhook": {"node": "gone"}}}, "first"),
        ({"trigger": "webhook", "trigger_data": {"webhook": {}}}, "first"),
        ({"trigger": "webhook"}, "first"),
        ({"trigger": "api", "trigger_data": {"webhook": {"node": "second"}}}, "manual"),
    ],
)
def test_of_several_webhooks_the_one_that_was_called_is_the_entry(start: dict[str, Any], expected: str) -> None:
    assert way(HOOKS, {}, **start) == f"of-{expected}"


def test_a_webhook_is_no_reason_to_warn() -> None:
    assert "trigger_not_built" not in warned(HOOKS)


def test_a_node_that_is_no_trigger_may_begin_and_is_given_a_clean_context() -> None:
    document = {"nodes": [node("a")], "connections": []}
    world = run(document, {"x": 1, "_branch": "b", "_wait": {"seconds": 5}}, Nodes({"a": lambda context: {**context}}))
    (fact,) = [fact for fact in world.store.rows["main"].facts if isinstance(fact, f.StepScheduled)]
    assert fact.input["context"] == {"x": 1}
    fired = run(document, {"x": 1}, Nodes({}), trigger="schedule").store.rows["main"].record.output
    assert fired == {"x": 1, "_trigger": {"type": "SCHEDULE_TRIGGER", "depth": 0, "firedAt": FIRED_AT}}


# The first context.


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"x": 1}, {"x": 1}),
        (None, {}),
        ({}, {}),
        ({"_branch": "a", "_wait": {"seconds": 1}, "_waitUntil": {"timestamp": "x"}, "x": 1}, {"x": 1}),
        ({"_branch": None}, {}),
        ({"_trigger": {"type": "MANUAL_TRIGGER", "depth": 2}}, {"_trigger": {"type": "MANUAL_TRIGGER", "depth": 2}}),
    ],
)
@pytest.mark.parametrize("document", [graph(node("start", "MANUAL_TRIGGER")), graph(name="empty") | {"nodes": []}])
def test_the_input_is_the_first_context_without_control_keys_which_are_warned_of(
    document: Json, given: Json, expected: Json
) -> None:
    world = run(document, given)
    assert world.store.rows["main"].record.output == expected
    control = [key for key in ("_branch", "_wait", "_waitUntil") if key in (given or {})]
    assert len(warnings(world)) == len(control)
    assert all(repr(key) in warning for key, warning in zip(control, warnings(world), strict=True))


@pytest.mark.parametrize(
    ("start", "type_"),
    [
        ({"trigger": "schedule"}, "SCHEDULE_TRIGGER"),
        ({"trigger": "webhook"}, "WEBHOOK_TRIGGER"),
        ({"trigger": "chain", "depth": 2}, "WORKFLOW_TRIGGER"),
        (completed("x", "order.paid"), "EVENT_TRIGGER"),
        (completed("x"), "WORKFLOW_TRIGGER"),
    ],
)
def test_a_start_that_the_engine_makes_tells_of_itself_in_the_context(start: dict[str, Any], type_: str) -> None:
    trigger = {"type": type_, "depth": start.get("depth", 0), "firedAt": FIRED_AT}
    given = {"x": 1, "_trigger": {"type": "OTHER", "depth": 9}, "_branch": "b"}
    assert output(graph(), given, **start) == {"x": 1, "_trigger": trigger}
    found = view(run(graph(), given, **start))
    assert (found["triggerType"], found["triggerDepth"]) == (type_, start.get("depth", 0))


def test_an_input_of_any_size_is_taken_as_it_is() -> None:
    large = {"text": "x" * 3_000_000, "n": 1}
    assert output(graph(marks("a"), "start > a"), large) == {**large, "way": "a"}


def test_an_input_that_is_no_object_fails_the_execution_and_says_so() -> None:
    record = run(graph(), [1]).store.rows["main"].record
    assert record.error is not None
    assert "must be an object" in record.error.message


# Events.


def published(document: Json, *events: tuple[str, Json], others: tuple[Json, ...] = ()) -> World:
    """The documents are saved and `idle` is run; then the events happen."""
    world = World(compile_value, Fixed())
    for each in (document, *others):
        world.store.save(model(each))
    for event_type, data in events:
        world.publish(event_type, data)
    world.run()
    return world


def test_the_seeds_event_starts_the_workflow_that_it_names() -> None:
    document = graph(marks("a"), "start > a", name="seeded", id="wf-17")
    data = {"initialData": {"x": 1, "_trigger": {"type": "CONTACT_TRIGGER", "depth": 2, "firedAt": "then"}}}
    world = published(
        document,
        ("workflows/execute.workflow", {"workflowId": "seeded", **data}),
        ("workflows/execute.workflow", {"workflowId": "wf-17"}),
        ("workflows/execute.workflow", {"workflowId": "another", **data}),
        ("workflows/execute.workflow", None),
    )
    first, second = started(world, "seeded")
    assert first.output == {**data["initialData"], "way": "a"}
    assert second.output == {"way": "a"}
    seen = view(world, first.id)
    assert (seen["triggerType"], seen["triggerDepth"]) == ("CONTACT_TRIGGER", 2)
    assert seen["inngestEventId"] == the_start(world, first.id).event_id is not None


def test_an_id_that_the_document_does_not_know_can_be_given() -> None:
    world = World(compile_value, Fixed())
    world.store.save(model(graph(name="seeded"), id="wf_abc"))
    world.publish("workflows/execute.workflow", {"workflowId": "wf_abc", "initialData": {"x": 1}})
    world.run()
    assert [record.output for record in started(world)] == [{"x": 1}]


def test_an_event_trigger_is_started_by_what_fits_its_pattern() -> None:
    document = graph(node("on", "EVENT_TRIGGER", {"eventPattern": "order.*"}), marks("a"), "on > a", name="orders")
    world = published(document, ("order.paid", {"id": 7}), ("user.made", {"id": 8}))
    (record,) = started(world)
    assert record.output == {
        "id": 7,
        "way": "a",
        "_trigger": {"type": "EVENT_TRIGGER", "depth": 0, "firedAt": FIRED_AT},
    }


def test_a_workflow_trigger_is_started_by_a_completion_with_its_output() -> None:
    listener = graph(node("t", "WORKFLOW_TRIGGER", {"workflowId": "source"}), marks("b"), "t > b", name="listener")
    deaf = graph(node("t", "WORKFLOW_TRIGGER", {"workflowId": "nobody"}), name="deaf")
    world = run(graph(marks("a"), "start > a", name="source"), {"x": 1}, None, listener, deaf)
    record = the_other(world, "listener")
    trigger = {"type": "WORKFLOW_TRIGGER", "depth": 1, "firedAt": FIRED_AT}
    assert record.output == {"x": 1, "way": "b", "_trigger": trigger}
    assert (view(world, record.id)["triggerType"], view(world, record.id)["triggerDepth"]) == ("WORKFLOW_TRIGGER", 1)


def test_completions_trigger_each_other_down_to_the_limit() -> None:
    chain = [graph(node("t", "WORKFLOW_TRIGGER", {"workflowId": f"w{n - 1}"}), name=f"w{n}") for n in range(1, 6)]
    world = run(graph(name="w0"), {}, None, *chain)
    assert [row.record.depth for row in world.store.rows.values()] == [0, 1, 2, 3]


def test_a_trigger_that_names_no_workflow_is_a_problem() -> None:
    assert told(graph(node("t", "WORKFLOW_TRIGGER")))["/nodes/0/data"].field == "workflowId"
    assert "/nodes/0/data/eventPattern" in told(graph(node("t", "EVENT_TRIGGER", {"eventPattern": 7})))


def test_the_model_of_a_document_is_always_the_same() -> None:
    assert compiled(MANY) == compiled(MANY)
