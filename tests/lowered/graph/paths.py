"""Paths: where they part, and where they meet."""

from __future__ import annotations

from lowered.base import Lowered
from lowered.checks import begun, ended, facts, warned
from lowered.graph.words import Nodes, drops, graph, nodes, once, seen, sets
from perdure.core import facts as f
from perdure.testing.world import World


def _passed_on_as_differences(world: World) -> None:
    assert seen(world, "a") == [{"draft": True, "n": 1}]
    assert seen(world, "b") == [{"draft": True, "n": 1, "x": [2]}]
    assert [fact.assigned for fact in facts(world, f.StepCompleted, "a")] == [{"x": [2]}]
    (last,) = facts(world, f.StepCompleted, "b")
    assert (last.assigned, last.unassigned, last.output) == ({"n": 3}, ("draft",), None)


LINEAR = Lowered(
    name="graph-linear",
    seed="seed 004 Executor Contract, semantics §4 Context: a node's result is the difference",
    workflow=graph("linear", nodes("a b"), "start > a", "a > b"),
    input={"draft": True, "n": 1},
    script=Nodes({"a": sets(x=[2]), "b": lambda context: {"n": 3, "x": context["x"]}}),
    output={"n": 3, "x": [2]},
    runs=once("start a b"),
    check=_passed_on_as_differences,
)


def _merged_once_after_both(world: World) -> None:
    assert begun(world, "left") == begun(world, "right")
    assert begun(world, "merge") == [max(*ended(world, "left"), *ended(world, "right"))]
    assert seen(world, "merge") == [{"l": 1, "r": 2}]
    warned()(world)


DIAMOND = Lowered(
    name="graph-diamond",
    seed="seed 004 Current Known Limitation, semantics §4 Order: a diamond merges once [70]",
    workflow=graph("diamond", nodes("left right merge"), "start > left right", "left > merge", "right > merge"),
    input={},
    script=Nodes({"left": sets(l=1), "right": sets(r=2), "merge": sets(m=3)}, {"left": 50}),
    output={"l": 1, "r": 2, "m": 3},
    runs=once("start left right merge"),
    check=_merged_once_after_both,
)


def _waited_for_the_longer_arm(world: World) -> None:
    assert begun(world, "merge") == ended(world, "longer")
    assert ended(world, "short")[0] < begun(world, "longer")[0]
    assert seen(world, "merge") == [{"s": 1, "l": 2}]


UNEVEN = Lowered(
    name="graph-uneven-merge",
    seed="semantics §4 Order: an uneven merge waits for the longer arm [70]",
    workflow=graph(
        "uneven",
        nodes("short long longer merge"),
        "start > short long",
        "long > longer",
        "short > merge",
        "longer > merge",
    ),
    input={},
    script=Nodes({"short": sets(s=1), "longer": sets(l=2)}, {"long": 50}),
    output={"s": 1, "l": 2},
    runs=once("start short long longer merge"),
    check=_waited_for_the_longer_arm,
)


def _inner_before_outer(world: World) -> None:
    assert seen(world, "inner") == [{"a": 1, "a1": 1, "a2": 1}]
    assert seen(world, "outer") == [{"a": 1, "a1": 1, "a2": 1, "i": 1, "b": 1}]
    assert begun(world, "inner") == ended(world, "a1")
    assert begun(world, "outer") == ended(world, "b") > ended(world, "inner")


NESTED = Lowered(
    name="graph-nested-diamonds",
    seed="semantics §4 Order [70]",
    workflow=graph(
        "nested",
        nodes("a b a1 a2 inner outer"),
        "start > a b",
        "a > a1 a2",
        "a1 > inner",
        "a2 > inner",
        "inner > outer",
        "b > outer",
    ),
    input={},
    script=Nodes(
        {"a": sets(a=1), "b": sets(b=1), "a1": sets(a1=1), "a2": sets(a2=1), "inner": sets(i=1)},
        {"a1": 40, "b": 500},
    ),
    output={"a": 1, "b": 1, "a1": 1, "a2": 1, "i": 1},
    runs=once("start a b a1 a2 inner outer"),
    check=_inner_before_outer,
)

ENDS_APART = Lowered(
    name="graph-paths-that-end-apart",
    seed="semantics §4 Limit: output = final context, of all paths; Context: an absent key is deleted",
    workflow=graph("apart", nodes("a b"), "start > a b"),
    input={"draft": 1, "kept": 2},
    script=Nodes({"a": drops("draft"), "b": sets(b=3)}, {"b": 50}),
    output={"kept": 2, "b": 3},
    runs=once("start a b"),
)

PATHS = (LINEAR, DIAMOND, UNEVEN, NESTED, ENDS_APART)
