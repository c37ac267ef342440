"""Cycles and the limit."""

from __future__ import annotations

from typing import Any

from lowered.base import Lowered, main
from lowered.checks import Check, warned
from lowered.graph.words import Nodes, built_in, counts, goes_round_twice, graph, if_else, node, nodes, seen, sets, walk
from perdure.model.steps import Compute
from perdure.model.workflow import Workflow
from perdure.testing.world import World


def _cycle(limit: int, **expected: Any) -> Lowered:
    """Eight node executions: the trigger, three passes of two, and the exit."""
    return Lowered(
        name=f"graph-cycle-within-{limit}",
        seed="semantics §4 Cycles: they really loop, each pass counts toward the limit [71]; Limit: the trigger counts",
        workflow=graph(
            "cycle",
            (*nodes("work exit"), if_else("vars.n < 3")),
            "start > work",
            "work > check",
            "check.true > work",
            "check.false > exit",
            steps_max=limit,
        ),
        input={},
        script=Nodes({"work": counts(), "exit": sets(done=True)}),
        **expected,
    )


def _names_the_limit(limit: str, name: str) -> Check:
    def check(world: World) -> None:
        message = main(world).error["message"]
        assert limit in message, message
        assert repr(name) in message, message
        assert sum(main(world).runs.values()) == int(limit)

    return check


ENDLESS = Lowered(
    name="graph-endless-cycle",
    seed="seed 004 Runtime Safety Limits, semantics §4 Limit: the 51st fails; §0 Limits name themselves [75]",
    workflow=graph("endless", nodes("spin"), "start > spin", "spin > spin"),
    input={},
    script=Nodes({"spin": counts()}),
    status="failed",
    runs={"start": 1, "spin": 49},
    check=_names_the_limit("50", "spin"),
)


def _line(length: int) -> Workflow:
    names = [f"n{number}" for number in range(2, length + 1)]
    edges = [f"{one} > {other}" for one, other in zip(["start", *names], names, strict=False)]
    return graph("line", tuple(built_in(name, Compute()) for name in ["start", *names]), *edges)


FIFTY = Lowered(
    name="graph-fifty-nodes",
    seed="seed 004 MAX_NODES_PER_EXECUTION = 50",
    workflow=_line(50),
    input={"x": 1},
    output={"x": 1},
    runs=dict.fromkeys(["start", *(f"n{number}" for number in range(2, 51))], 1),
)

FIFTY_ONE = Lowered(
    name="graph-fifty-first-node",
    seed="semantics §4 Limit: the 51st fails [75]",
    workflow=_line(51),
    input={},
    status="failed",
    check=_names_the_limit("50", "n51"),
)


def _went_round_twice(world: World) -> None:
    assert walk(world) == ["p", "q", "r", "p", "q", "r", "exit"]
    assert seen(world, "q") == [{"p": 1}, {"p": 2, "q": 1}]


BACK_EDGE = Lowered(
    name="graph-back-edge-holds-nothing-up",
    seed="semantics §4 Cycles: an edge that closes a cycle never holds up a join",
    # q is activated with p, and could still lead to p through r: who waited for that would wait for ever.
    workflow=graph(
        "two-ways-in",
        nodes("p q r exit"),
        "start > p q",
        "p > q",
        "q > r",
        "r.again > p",
        "r.done > exit",
    ),
    input={},
    script=Nodes(
        {
            "p": counts("p"),
            "q": counts("q"),
            "r": lambda context: {**context, "_branch": "again" if context["p"] < 2 else "done"},
        },
    ),
    output={"p": 2, "q": 2},
    runs={"start": 1, "p": 2, "q": 2, "r": 2, "exit": 1},
    check=_went_round_twice,
)


def _merged_once_a_pass(world: World) -> None:
    assert seen(world, "merge") == [{"n": 1, "a": 10, "b": 100}, {"n": 2, "a": 20, "b": 200}]
    assert walk(world) == ["head", "a", "b", "merge", "head", "a", "b", "merge", "exit"]
    warned()(world)


PARALLEL_BODY = Lowered(
    name="graph-cycle-with-parallel-body",
    seed="semantics §4 Cycles: the target of a back edge, and what follows, runs again",
    workflow=graph(
        "body",
        nodes("head a b merge exit"),
        "start > head",
        "head > a b",
        "a > merge",
        "b > merge",
        "merge.again > head",
        "merge.done > exit",
    ),
    input={},
    script=Nodes(
        {
            "head": counts(),
            "a": lambda context: {**context, "a": 10 * context["n"]},
            "b": lambda context: {**context, "b": 100 * context["n"]},
            "merge": goes_round_twice,
        },
        {"a": 70},
    ),
    output={"n": 2, "a": 20, "b": 200},
    check=_merged_once_a_pass,
)


def _logged_once_at_the_end(world: World) -> None:
    assert walk(world)[-2:] in (["log", "exit"], ["exit", "log"])
    assert seen(world, "log") == [{"n": 3}]
    warned()(world)


TWO_WAYS_BACK = Lowered(
    name="graph-two-ways-back",
    seed="architecture 11: a node activated by a back edge waits until its cycle is quiet; two activations are one",
    workflow=graph(
        "two-ways-back", nodes("head a b"), "start > head", "head > a b", "a.again > head", "b.again > head"
    ),
    input={},
    script=Nodes({"head": counts(), "a": goes_round_twice, "b": goes_round_twice}, {"b": 80}),
    output={"n": 2},
    runs={"start": 1, "head": 2, "a": 2, "b": 2},
)

BESIDE_A_CYCLE = Lowered(
    name="graph-path-beside-a-cycle",
    seed="semantics §4 Order: it runs when no live node can still reach it; two activations of a waiting node are one",
    workflow=graph(
        "beside",
        (*nodes("work log exit"), if_else("vars.n < 3")),
        "start > work",
        "work > check log",
        "check.true > work",
        "check.false > exit",
    ),
    input={},
    script=Nodes({"work": counts()}),
    output={"n": 3},
    runs={"start": 1, "work": 3, "check": 3, "log": 1, "exit": 1},
    check=_logged_once_at_the_end,
)

NO_ROOT = Lowered(
    name="graph-no-root",
    seed="seed 004 Entry Node Selection: if none, the first node in the list",
    workflow=graph("ring", (node("a"), node("b")), "a > b", "b > a"),
    input={},
    script=Nodes({"a": counts(), "b": lambda context: {**context, "_branch": "main" if context["n"] < 3 else "out"}}),
    output={"n": 3},
    runs={"a": 3, "b": 3},
)

CYCLES = (
    _cycle(8, output={"n": 3, "done": True}, runs={"start": 1, "work": 3, "check": 3, "exit": 1}),
    _cycle(7, status="failed", runs={"start": 1, "work": 3, "check": 3}, check=_names_the_limit("7", "exit")),
    ENDLESS,
    FIFTY,
    FIFTY_ONE,
    BACK_EDGE,
    PARALLEL_BODY,
    TWO_WAYS_BACK,
    BESIDE_A_CYCLE,
    NO_ROOT,
)
