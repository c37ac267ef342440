"""What an execution starts itself, and how it goes on: RUN_WORKFLOW, cycles, joins."""

from __future__ import annotations

from typing import Any

from dialects.words import graph, node, output, run
from lowered.base import T0
from lowered.checks import inputs, skipped, the_other
from lowered.graph.words import Nodes, sets
from perdure.core import facts as f
from perdure.model.values import Json
from perdure.testing.world import World

FIRED_AT = "1970-01-01T00:16:40.000Z"


def marks(name: str) -> dict[str, Json]:
    return node(name, "SET", {"values": {"way": name}})


HELPER = graph(marks("help"), "start > help", name="helper")


def runs(data: Json, given: Json = None, **start: Any) -> World:
    document = graph(node("it", "RUN_WORKFLOW", data), marks("after"), "start > it", "it > after", name="caller")
    return run(document, {"n": 5} if given is None else given, None, HELPER, **start)


def test_a_workflow_is_run_and_not_waited_for() -> None:
    world = runs({"workflowId": "helper", "input": {"n": "{{n + 1}}"}, "variableName": "child"})
    helper = the_other(world, "helper")
    assert world.store.rows["main"].record.output == {"n": 5, "child": helper.id, "way": "after"}
    assert inputs(world, "helper") == [{"n": 6}]
    assert (helper.parent, helper.depth) == ("main", 1)


def test_a_workflow_is_run_and_its_output_is_waited_for() -> None:
    world = runs({"workflowId": "{{'help' + 'er'}}", "wait": True, "variableName": "result"})
    trigger = {"type": "WORKFLOW_TRIGGER", "depth": 1, "firedAt": FIRED_AT}
    assert world.store.rows["main"].record.output["result"] == {"way": "help", "_trigger": trigger}
    assert inputs(world, "helper") == [{}]


def test_without_a_name_the_result_is_not_kept() -> None:
    world = runs({"workflowId": "helper", "wait": True})
    assert world.store.rows["main"].record.output == {"n": 5, "way": "after"}


def test_at_depth_three_nothing_is_run_and_an_execution_that_does_not_wait_goes_on() -> None:
    world = runs({"workflowId": "helper", "wait": False, "variableName": "r"}, depth=3)
    skipped("3", "depth", step="it")(world)
    assert world.store.rows["main"].record.output == {"n": 5, "r": None, "way": "after"}


def test_at_depth_three_a_node_that_waits_for_its_workflow_fails() -> None:
    record = runs({"workflowId": "helper", "wait": True, "variableName": "r"}, depth=3).store.rows["main"].record
    assert record.error is not None
    assert record.error.code == "DEPTH"


def test_a_workflow_that_does_not_exist_fails_the_node() -> None:
    record = runs({"workflowId": "nobody"}).store.rows["main"].record
    assert record.error is not None
    assert "'nobody'" in record.error.message


def test_a_cycle_really_loops_and_the_limit_ends_it() -> None:
    document = graph(
        node("add", "SET", {"values": {"n": "{{(n ?? 0) + 1}}"}}),
        node("check", "IF_ELSE", {"expression": "n < 10"}),
        "start > add",
        "add > check",
        "check.true > add",
    )
    assert output(document, {}) == {"n": 10}
    short = run({**document, "settings": {"maxNodes": 20}}, {}).store.rows["main"].record
    assert short.error is not None
    assert "20" in short.error.message
    assert output({**document, "settings": {"maxNodes": 21}}, {}) == {"n": 10}


def test_join_any_does_not_wait_for_the_others() -> None:
    document = graph(node("fast"), node("slow"), node("m", join="any"), "start > fast slow", "fast > m", "slow > m")
    world = run(document, {}, Nodes({"fast": sets(a=1), "slow": sets(_branch="nowhere")}, {"slow": 500}))
    (entered,) = [
        fact.at for fact in world.store.rows["main"].facts if isinstance(fact, f.StepScheduled) and fact.step == 3
    ]
    assert entered == T0 + 10


def test_sequential_walks_one_by_one_over_one_context() -> None:
    document = graph(node("a"), node("b"), "start > a b", settings={"sequential": True})
    world = run(document, {}, Nodes({"a": sets(a=1), "b": sets(b=2)}))
    calls = [fact for fact in world.store.rows["main"].facts if isinstance(fact, f.StepScheduled)]
    assert [call.input["context"] for call in calls] == [{}, {"a": 1}]
    assert [call.at for call in calls] == [T0, T0 + 10]
