"""The context: what a node sees of it, and what becomes of two writes."""

from __future__ import annotations

from typing import Any

from lowered.base import Lowered
from lowered.checks import Check, begun, ended, warned, warnings
from lowered.graph.words import Context, Executor, Nodes, counts, drops, goes_round_twice, graph, nodes, seen, sets
from perdure.testing.world import World


def _only_what_came_before_it(world: World) -> None:
    assert ended(world, "a")[0] < begun(world, "b2")[0], "or it proves nothing"
    assert seen(world, "b2") == [{"s": 0, "b": 2}]
    assert seen(world, "a2") == [{"s": 0, "a": 1}]
    assert seen(world, "merge") == [{"s": 0, "a": 1, "b": 2, "a2": 3, "b2": 4}]


ANCESTORS = Lowered(
    name="graph-branches-see-their-ancestors",
    seed="semantics §4 Order: branches see their ancestors' writes only",
    workflow=graph(
        "ancestors",
        nodes("s a a2 b b2 merge"),
        "start > s",
        "s > a b",
        "a > a2",
        "b > b2",
        "a2 > merge",
        "b2 > merge",
    ),
    input={},
    script=Nodes(
        {"s": sets(s=0), "a": sets(a=1), "b": sets(b=2), "a2": sets(a2=3), "b2": sets(b2=4)},
        {"a": 10, "b": 100, "a2": 500},
    ),
    output={"s": 0, "a": 1, "b": 2, "a2": 3, "b2": 4},
    check=_only_what_came_before_it,
)

BOTH_TIMINGS = ("left", "right")
"""Which arm of a diamond takes longer: what comes of it must not depend on that."""


def _diamond(name: str, slow: str, seed: str, executors: dict[str, Executor], **expected: Any) -> Lowered:
    return Lowered(
        name=f"graph-{name}-{slow}-slow",
        seed=seed,
        workflow=graph("diamond", nodes("left right merge"), "start > left right", "left > merge", "right > merge"),
        script=Nodes(executors, {slow: 80}),
        **expected,
    )


def _merge_saw(expected: Context) -> Check:
    def check(world: World) -> None:
        assert seen(world, "merge") == [expected]
        warned()(world)

    return check


DELETION = tuple(
    _diamond(
        "deletion",
        slow,
        "semantics §4 Context: an absent key is deleted, and stays so when differences merge",
        {"left": drops("draft"), "right": sets(r=1)},
        input={"draft": True, "kept": 2},
        output={"kept": 2, "r": 1},
        check=_merge_saw({"kept": 2, "r": 1}),
    )
    for slow in BOTH_TIMINGS
)

NO_CONFLICT = tuple(
    _diamond(
        "newer-than-its-ancestor",
        slow,
        "semantics §4 Context: only what two branches wrote is a conflict",
        {"left": sets(x="left"), "right": sets(r=1)},
        input={"x": "input"},
        output={"x": "left", "r": 1},
        check=_merge_saw({"x": "left", "r": 1}),
    )
    for slow in BOTH_TIMINGS
)


def _warned_of_the_lost_write(*writers: str) -> Check:
    def check(world: World) -> None:
        (warning,) = warnings(world)
        assert all(repr(word) in warning for word in ("x", *writers)), warning

    return check


def _the_later_in_the_graph_was_kept(world: World) -> None:
    assert seen(world, "merge") == [{"x": "far"}]
    _warned_of_the_lost_write("near", "far")(world)


CONFLICT = tuple(
    Lowered(
        name=f"graph-conflict-{slow}-slow",
        seed="semantics §4 Context: last writer in topological order wins, and a real conflict is a warning",
        workflow=graph(
            "conflict",
            nodes("step near far merge"),
            "start > step near",
            "step > far",
            "far > merge",
            "near > merge",
        ),
        input={"x": "input"},
        script=Nodes({"near": sets(x="near"), "far": sets(x="far")}, {slow: 200}),
        output={"x": "far"},
        check=_the_later_in_the_graph_was_kept,
    )
    for slow in ("near", "far")
)


def _conflict(name: str, executors: dict[str, Executor], slow: str, *edges: str) -> Lowered:
    """`a` and `b` begin together; neither sees what the other writes. `b` comes after `a`."""
    return Lowered(
        name=f"graph-conflict-{name}",
        seed="semantics §4 Context: last writer in topological order wins, and a real conflict is a warning",
        workflow=graph("conflict", nodes("a b merge"), "start > a b", *edges),
        input={"x": "input"},
        script=Nodes({"a": sets(x="a"), "b": sets(x="b"), **executors}, {slow: 80}),
        output={"x": "b"},
        check=_warned_of_the_lost_write("a", "b"),
    )


def _kept_the_later_each_time(world: World) -> None:
    assert [context["x"] for context in seen(world, "merge")] == ["far 1", "far 2"]
    assert len(warnings(world)) == 2


CONFLICT_IN_A_CYCLE = Lowered(
    name="graph-conflict-in-a-cycle",
    seed="semantics §4 Context: last writer in topological order wins, within a pass of a cycle too",
    workflow=graph(
        "conflict-in-a-cycle",
        nodes("head step near far merge exit"),
        "start > head",
        "head > step near",
        "step > far",
        "far > merge",
        "near > merge",
        "merge.again > head",
        "merge.done > exit",
    ),
    input={},
    script=Nodes(
        {
            "head": counts(),
            "near": lambda context: {**context, "x": f"near {context['n']}"},
            "far": lambda context: {**context, "x": f"far {context['n']}"},
            "merge": goes_round_twice,
        },
        {"near": 200},
    ),
    output={"n": 2, "x": "far 2"},
    check=_kept_the_later_each_time,
)


CONFLICTS = (
    # Of two that begin together, the later in the document is the later, as in the seed's walk from one to the next.
    *(_conflict(f"of-equals-{slow}-slow", {}, slow, "a > merge", "b > merge") for slow in ("a", "b")),
    *(_conflict(f"at-the-end-{slow}-slow", {}, slow) for slow in ("a", "b")),
    _conflict("after-a-wait", {"a": sets(x="a", _wait=60)}, "b", "a > merge", "b > merge"),
)

EDGE_NOT_TAKEN = _conflict("beside-an-edge-not-taken", {}, "a", "a.other > b", "a > merge", "b > merge")

ONE_BY_ONE_IS_NO_CONFLICT = Lowered(
    name="graph-sequential-overwrites",
    seed="semantics §4 Order: one by one over one shared context",
    workflow=graph("overwrites", nodes("a b merge"), "start > a b", "a > merge", "b > merge", sequential=True),
    input={},
    script=Nodes({"a": sets(x="a"), "b": sets(x="b")}, {"a": 80}),
    output={"x": "b"},
    check=_merge_saw({"x": "b"}),
)

CONTEXT = (
    ANCESTORS,
    *DELETION,
    *NO_CONFLICT,
    *CONFLICT,
    *CONFLICTS,
    EDGE_NOT_TAKEN,
    CONFLICT_IN_A_CYCLE,
    ONE_BY_ONE_IS_NO_CONFLICT,
)
