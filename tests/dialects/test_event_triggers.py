"""EVENT_TRIGGER and WORKFLOW_TRIGGER: what starts a graph, and what is told of what never will."""

from __future__ import annotations

import pytest

from dialects.words import compiled, graph, node, told, warned
from lowered.checks import started
from perdure.expressions.language import compile_value
from perdure.model.values import Json
from perdure.testing.script import Fixed
from perdure.testing.world import World


def on(**data: Json) -> dict[str, Json]:
    return {"name": "on", "nodes": [node("t", "EVENT_TRIGGER", data)], "connections": []}


def starts(document: Json, *events: tuple[str, Json]) -> list[Json]:
    """What those come to that the events start."""
    world = World(compile_value, Fixed())
    found = compiled(document).workflow
    assert found is not None
    world.store.save(found)
    for event_type, payload in events:
        world.publish(event_type, payload)
    world.run()
    return [record.output for record in started(world)]


PAID = (("order.paid", {"n": 5}), ("order.paid", {"n": 500}), ("order.paid", None))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("event.payload.n > 100", [500]),
        ("{{event.payload.n}} > 100", [500]),
        ("{{ event.payload.n > 100 }}", [500]),
        ("event.type == 'order.paid' && event.payload != null", [5, 500]),
        ("event.payload.n.trim() == ''", []),
        ("{{json event.payload.n}} == '500'", [500]),
        ("{{{event.payload.n}}} > 100", [500]),
        (None, [5, 500, None]),
    ],
)
def test_an_event_starts_what_its_condition_lets_it(condition: str | None, expected: list[Json]) -> None:
    document = on(eventPattern="order.paid", condition=condition)
    assert warned(document) == {}
    assert [output.get("n") for output in starts(document, *PAID)] == expected


def test_of_several_triggers_with_one_pattern_the_one_whose_condition_holds_is_the_entry() -> None:
    def of(name: str, condition: str) -> list[Json]:
        trigger = node(name, "EVENT_TRIGGER", {"eventPattern": "order.*", "condition": condition})
        return [trigger, node(f"by-{name}", "SET", {"values": {"by": name}})]

    nodes = [*of("odd", "event.payload.n.trim()"), *of("large", "event.payload.n > 100"), *of("small", "true")]
    names = ("odd", "large", "small")
    connections = [{"fromNodeId": name, "toNodeId": f"by-{name}"} for name in names]
    document = {"name": "several", "nodes": nodes, "connections": connections}
    assert [output["by"] for output in starts(document, *PAID[:2])] == ["small", "large"]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("amount > 100", "there is no 'amount' here, only the event; did you mean event.payload.amount?"),
        ("event.payload.n >", ""),
        ("event.payload.key == secrets.KEY", "a secret can stand alone"),
        ("secrets.KEY", "a secret can only stand"),
        ({"field": "n", "operator": "eq"}, "must be a text that is not empty, not an object"),
        ("", "must be a text that is not empty"),
        ("{{#if event.payload.n}}true{{/if}}", "the Handlebars block {{#if}} is not supported"),
        ("{{uppercase event.type}} == 'A'", "the Handlebars helper 'uppercase' is not supported"),
        ("{{json amount}} == '1'", "did you mean event.payload.amount?"),
    ],
)
def test_a_condition_that_cannot_be_judged_is_a_problem_with_its_place(condition: Json, words: str) -> None:
    document = on(eventPattern="order.paid", condition=condition)
    assert words in told(document)["/nodes/0/data/condition"].message
    assert len(compiled(document).problems) == 1


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("event.paylod.n > 1", "an event has no 'paylod'; did you mean 'payload'?"),
        ("event.amount > 1", "an event has no 'amount'; did you mean event.payload.amount?"),
    ],
)
def test_a_part_that_events_do_not_have_is_warned_of(condition: str, words: str) -> None:
    warning = warned(on(eventPattern="order.paid", condition=condition))["unknown_name"]
    assert (warning.message, warning.path) == (words, "/nodes/0/data/condition")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("order..paid", "no event fits the pattern 'order..paid': it has an empty word"),
        (".paid", "it has an empty word"),
        ("order paid", "it has a blank"),
        ("order.pa*", "it has 'pa*'; a * or # stands for whole words"),
        ("{{foo}}", "it is not computed; write it out"),
    ],
)
def test_a_pattern_that_nothing_can_fit_is_a_problem(pattern: str, words: str) -> None:
    problem = told(on(eventPattern=pattern))["/nodes/0/data/eventPattern"]
    assert words in problem.message
    assert (problem.type, problem.step) == ("invalid_pattern", "t")


def test_what_means_nothing_at_a_trigger_is_warned_of() -> None:
    warnings = warned(on(evntPattern="order.paid"))
    assert "did you mean 'eventPattern'?" in warnings["unknown_key"].message
    assert "no event starts an execution here" in warnings["no_event"].message
    assert warned(on(eventPattern="a", label="Paid")) == {}
    assert warned(on(eventPattern="a", colour=1))["unknown_key"].path == "/nodes/0/data/colour"


def test_a_workflow_that_waits_for_its_own_completion_is_warned_of() -> None:
    for name in ("me", "wf-1"):
        document = graph(node("t", "WORKFLOW_TRIGGER", {"workflowId": name}), name="me", id="wf-1")
        assert warned(document)["own_completion"].path == "/nodes/0/data/workflowId"
    assert warned(graph(node("t", "WORKFLOW_TRIGGER", {"workflowId": "other"}), name="me")) == {}


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{event.type}}", "the payload of the event that starts it is the context, and nothing else of the event"),
        ("for {{event.payload.orderId}}", "did you mean 'orderId'?"),
    ],
)
def test_a_template_that_reads_the_event_is_told_what_there_is_instead(template: str, words: str) -> None:
    trigger, reads = (
        node("t", "EVENT_TRIGGER", {"eventPattern": "a"}),
        node("s", "SET", {"values": {"seen": template}}),
    )
    edges = [{"fromNodeId": "t", "toNodeId": "s"}]
    warning = warned({"nodes": [trigger, reads], "connections": edges})["unknown_name"]
    assert words in warning.message
    assert warning.path == "/nodes/1/data/values/seen"
    sets = node("t", "SET", {"values": {"event": {"type": 1}}})
    assert warned({"nodes": [sets, reads], "connections": edges}) == {}
