"""Settings: how a node joins, one by one, and which node comes first."""

from __future__ import annotations

from lowered.base import HOUR, Lowered
from lowered.checks import begun, ended, facts, moments
from lowered.graph.words import Nodes, breaks, built_in, drops, graph, node, nodes, once, seen, sets, waited, walk
from perdure.core import facts as f
from perdure.model.steps import Compute
from perdure.model.workflow import Entry
from perdure.testing.world import World


def _did_not_wait_for_the_slow_one(world: World) -> None:
    assert begun(world, "first") == ended(world, "fast") < ended(world, "slow")
    assert seen(world, "first") == [{"f": 1}]
    assert facts(world, f.ExecutionCompleted)[0].at == ended(world, "slow")[0]


JOIN_ANY = Lowered(
    name="graph-join-any",
    seed='semantics §4 Order: a node may say join: "any"',
    workflow=graph(
        "any",
        (*nodes("fast slow"), node("first", join="any")),
        "start > fast slow",
        "fast > first",
        "slow > first",
    ),
    input={},
    # The slow one never arrives, but could: who joined all would wait for it.
    script=Nodes({"fast": sets(f=1), "slow": sets(s=2, _branch="nowhere")}, {"slow": 100}),
    output={"f": 1, "s": 2},
    runs=once("start fast slow first"),
    check=_did_not_wait_for_the_slow_one,
)

SEQUENTIAL = ("start > a b", "a > c", "b > d", "c > merge", "d > merge")


def _one_by_one_over_one_context(world: World) -> None:
    assert walk(world) == ["a", "b", "c", "d", "merge"]
    for one, other in zip("abcd", ("b", "c", "d", "merge"), strict=True):
        assert begun(world, other) == ended(world, one)
    assert seen(world, "b") == [{"a": 1}]
    assert seen(world, "c") == [{"a": 1, "b": 2}]
    assert seen(world, "d") == [{"b": 2}]
    assert seen(world, "merge") == [{"b": 2, "d": 4}]


ONE_BY_ONE = Lowered(
    name="graph-sequential",
    seed="semantics §4 Order: settings.sequential gives the seed's one-by-one walk over one shared context",
    workflow=graph("sequential", nodes("a b c d merge"), *SEQUENTIAL, sequential=True),
    input={},
    script=Nodes({"a": sets(a=1), "b": sets(b=2), "c": drops("a"), "d": sets(d=4)}, {"a": 90, "c": 50}),
    output={"b": 2, "d": 4},
    runs=once("start a b c d merge"),
    check=_one_by_one_over_one_context,
)


SEQUENTIAL_FAILURE = Lowered(
    name="graph-sequential-failure",
    seed="semantics §4 Failure: nothing new starts, though it was activated before",
    workflow=graph("sequential-failure", nodes("a b c d merge"), *SEQUENTIAL, sequential=True),
    input={},
    script=Nodes({"a": breaks("no")}),
    status="failed",
    error="no",
    runs=once("start a"),
)


def _everybody_waited(world: World) -> None:
    assert begun(world, "b") == moments(world, f.PauseEnded) == [ended(world, "a")[0] + 24 * HOUR]


SEQUENTIAL_WAIT = Lowered(
    name="graph-sequential-wait",
    seed="seed 004 _wait: the one walker sleeps; seeds-origin D: waits block the whole execution",
    workflow=graph("sequential-wait", nodes("a b c d merge"), *SEQUENTIAL, sequential=True),
    input={},
    script=Nodes({"a": sets(_wait=24 * 3600)}),
    output={},
    runs=once("start a b c d merge"),
    check=_everybody_waited,
)

SEQUENTIAL_WAITING = Lowered(
    name="graph-sequential-waiting",
    seed="seed 004 WAITING, semantics §0 Status: waiting if nothing runs or is ready",
    workflow=SEQUENTIAL_WAIT.workflow,
    input={},
    script=SEQUENTIAL_WAIT.script,
    output={},
    check=waited((1, "timer a")),
)


def _entry(trigger: str, taken: str) -> Lowered:
    """Roots: two triggers, each with a subtree of its own, and a node that is no trigger."""
    roots = (built_in("manual", Compute()), built_in("hook", Compute()), node("orphan"))
    return Lowered(
        name=f"graph-entry-of-{trigger}",
        seed="seed 004 Entry Node Selection, semantics §4 Entry: the trigger's own root, else the first [74]",
        workflow=graph(
            "entries",
            (*roots, node("a"), node("b")),
            "manual > a",
            "hook > b",
            "orphan > b",
            entries=(Entry("manual", "manual"), Entry("hook", "webhook")),
        ),
        input={},
        script=Nodes({"a": sets(way="manual"), "b": sets(way="hook")}),
        start={"trigger": trigger},
        output={"way": taken},
        runs=once("manual a" if taken == "manual" else "hook b"),
    )


SETTINGS = (
    JOIN_ANY,
    ONE_BY_ONE,
    SEQUENTIAL_FAILURE,
    SEQUENTIAL_WAIT,
    SEQUENTIAL_WAITING,
    _entry("manual", "manual"),
    _entry("webhook", "hook"),
    _entry("schedule", "manual"),
)
