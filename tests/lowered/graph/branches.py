"""Branches: by which output a node goes on."""

from __future__ import annotations

from msgspec.structs import replace

from lowered.base import Lowered, obj, x
from lowered.checks import given
from lowered.graph.words import Nodes, built_in, graph, if_else, node, nodes, once, sets
from perdure.model.steps import Compute, Step
from perdure.model.values import Json
from perdure.testing.world import World


def _if_else(score: int, taken: str) -> Lowered:
    """The merge lies behind a branch that is not taken, whichever it is."""
    return Lowered(
        name=f"graph-if-else-{taken}",
        seed="seed 004 _branch, semantics §4 IF_ELSE; Order: a merge behind a branch not taken does not hang",
        workflow=graph(
            "if-else",
            (*nodes("true false"), if_else("vars.score >= 50"), node("merge")),
            "start > check",
            "check.true > true",
            "check.false > false",
            "true > merge",
            "false > merge",
        ),
        input={"score": score},
        script=Nodes({"true": sets(taken="true"), "false": sets(taken="false"), "merge": sets(merged=True)}),
        output={"score": score, "taken": taken, "merged": True},
        runs=once(f"start check {taken} merge"),
    )


def _switch(plan: str, taken: str) -> Lowered:
    """cases {gold: fast, silver: slow}, default: rest."""
    choice = Step(
        "switch",
        Compute(x("vars.plan")),
        ports=(x("output == 'gold' ? 'fast' : output == 'silver' ? 'slow' : 'rest'"),),
    )
    return Lowered(
        name=f"graph-switch-{plan}",
        seed="semantics §4 SWITCH: branch = output of the case, else default",
        workflow=graph(
            "switch",
            (*nodes("fast slow rest"), choice),
            "start > switch",
            "switch.fast > fast",
            "switch.slow > slow",
            "switch.rest > rest",
        ),
        input={"plan": plan},
        script=Nodes({name: sets(way=name) for name in ("fast", "slow", "rest")}),
        output={"plan": plan, "way": taken},
        runs=once(f"start switch {taken}"),
    )


BRANCH_NOWHERE = Lowered(
    name="graph-branch-to-nowhere",
    seed="semantics §4 Branch: an output without edges ends the path, and the execution can still succeed [72]",
    workflow=graph("nowhere", nodes("a b"), "start > a", "a > b"),
    input={},
    script=Nodes({"a": sets(x=1, _branch="nowhere")}),
    output={"x": 1},
    runs=once("start a"),
)

DEFAULT_OUTPUT = Lowered(
    name="graph-default-output",
    seed="semantics §4 Branch: not set → main, else source-1, else the only output [72]",
    workflow=graph(
        "handles",
        nodes("both editor single end other"),
        "start > both",
        "both.error > other",
        "both.main > editor",
        "editor.error > other",
        "editor.source-1 > single",
        "single.out > end",
    ),
    input={},
    script=Nodes({}),
    output={},
    runs=once("start both editor single end"),
)


def _was_given(world: World, expected: Json) -> None:
    assert [call["inputs"] for call in given(world, "join")] == [expected]


INPUTS = Lowered(
    name="graph-inputs-by-handle",
    seed="seed 004 toInput, semantics §4 Order: which input got which value",
    workflow=graph(
        "inputs",
        (
            built_in("start", Compute()),
            *(replace(node(name), keep_output=True) for name in ("a", "b", "c")),
            node(
                "join",
                inputs={
                    "inputs": obj(
                        left=x("'a' in came ? steps.a.output.set : undefined"),
                        right=x("'b' in came ? steps.b.output.set : undefined"),
                        other=x("'c' in came ? steps.c.output.set : undefined"),
                    )
                },
            ),
        ),
        "start > a b c",
        "a > join",
        "b > join",
        "c > join",
    ),
    input={},
    script=Nodes({"a": sets(a=1), "b": sets(b=2), "c": sets(c=3, _branch="nowhere")}, {"a": 30}),
    output={"a": 1, "b": 2, "c": 3},
    check=lambda world: _was_given(world, {"left": {"a": 1}, "right": {"b": 2}}),
)

BRANCHES = (
    _if_else(70, "true"),
    _if_else(30, "false"),
    _switch("gold", "fast"),
    _switch("silver", "slow"),
    _switch("tin", "rest"),
    BRANCH_NOWHERE,
    DEFAULT_OUTPUT,
    INPUTS,
)
