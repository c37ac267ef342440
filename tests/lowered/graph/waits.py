"""Waits: of one path, and of the whole execution."""

from __future__ import annotations

from lowered.base import HOUR, T0, Lowered, k
from lowered.checks import Check, begun, ended, facts, moments
from lowered.graph.words import Nodes, built_in, graph, nodes, once, seen, sets, waited
from perdure.core import facts as f
from perdure.model.steps import Timer
from perdure.testing.world import World


def _held_nobody_else_up(world: World) -> None:
    (pause,) = facts(world, f.PauseEnded)
    (done,) = facts(world, f.StepCompleted, "a")
    assert pause.at == done.at + 24 * HOUR
    assert begun(world, "a2") == [pause.at]
    assert begun(world, "b2") == ended(world, "b") < [done.at + HOUR]
    assert begun(world, "merge") == ended(world, "a2")
    assert seen(world, "merge") == [{"a": 1, "b": 2}]


def _one_branch_waits(name: str, seed: str, check: Check) -> Lowered:
    return Lowered(
        name=f"graph-{name}",
        seed=seed,
        workflow=graph("wait", nodes("a a2 b b2 merge"), "start > a b", "a > a2", "a2 > merge", "b > b2", "b2 > merge"),
        input={},
        script=Nodes({"a": sets(a=1, _wait=24 * 3600), "b": sets(b=2)}),
        output={"a": 1, "b": 2},
        check=check,
    )


WAIT_IN_ONE_BRANCH = _one_branch_waits(
    "wait-in-one-branch",
    "seed 004 _wait, semantics §4 Control keys: a wait in one branch does not hold up the others [73]",
    _held_nobody_else_up,
)

WAITING_BEFORE_A_JOIN = _one_branch_waits(
    "waiting-before-a-join",
    "seed 004 WAITING, semantics §0 Status: waiting if nothing runs or is ready",
    waited((1, "timer a")),
)

WAIT_ALONE = Lowered(
    name="graph-wait",
    seed="seed 004 Execution Record Lifecycle: WAITING at the node, then RUNNING again",
    workflow=graph("wait", nodes("a b"), "start > a", "a > b"),
    input={},
    script=Nodes({"a": sets(x=1, _wait=24 * 3600)}),
    output={"x": 1},
    runs=once("start a b"),
    check=waited((1, "timer a")),
)


def _waited_until(instant: int | None) -> Check:
    def check(world: World) -> None:
        pauses = moments(world, f.PauseEnded)
        assert pauses == ([] if instant is None else [instant])
        assert begun(world, "b") == (ended(world, "a") if instant is None else [instant])

    return check


def _wait_until(name: str, instant: int | None, **control: int) -> Lowered:
    return Lowered(
        name=f"graph-wait-until-{name}",
        seed="seed 004 _waitUntil, semantics §4 Control keys: _wait, then _waitUntil; past = no wait [73]",
        workflow=graph("wait-until", nodes("a b"), "start > a", "a > b"),
        input={},
        script=Nodes({"a": sets(x=1, **control)}),
        output={"x": 1},
        runs=once("start a b"),
        check=_waited_until(instant),
    )


TWO_WAITS = Lowered(
    name="graph-two-waits",
    seed="semantics §0 Status: with several waits the view names the one that wakes first",
    workflow=graph("two-waits", nodes("long short"), "start > long short"),
    input={},
    script=Nodes({"long": sets(_wait=48 * 3600), "short": sets(_wait=24 * 3600)}),
    output={},
    runs=once("start long short"),
    check=waited((1, "timer short"), (36, "timer long")),
)

WAIT_NODE = Lowered(
    name="graph-wait-node",
    seed="semantics §4 WAIT {amount: 2, unit: hours}: waits, and leaves the context alone",
    workflow=graph("wait-node", (*nodes("b"), built_in("wait", Timer(k(2 * HOUR)))), "start > wait", "wait > b"),
    input={"x": 1},
    script=Nodes({}),
    output={"x": 1},
    runs=once("start wait b"),
    check=waited((1, "timer wait")),
)

WAITS = (
    WAIT_IN_ONE_BRANCH,
    WAITING_BEFORE_A_JOIN,
    WAIT_ALONE,
    _wait_until("an-instant", T0 + HOUR, _waitUntil=T0 + HOUR),
    _wait_until("the-past", None, _waitUntil=T0 - 1),
    _wait_until("after-a-wait", T0 + HOUR, _wait=60, _waitUntil=T0 + HOUR),
    TWO_WAITS,
    WAIT_NODE,
)
