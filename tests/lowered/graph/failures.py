"""Failure: what was started ends, nothing new begins, and a retry goes on from there."""

from __future__ import annotations

from lowered.base import Lowered, main
from lowered.checks import attempts, ended, moments
from lowered.graph.words import Nodes, breaks, counts, graph, handled, nodes, once, seen, sets
from lowered.outside import repaired_and_retried
from perdure.core import facts as f
from perdure.testing.world import World

FAILING = graph(
    "failing", nodes("bad slow after merge"), "start > bad slow", "slow > after", "bad > merge", "after > merge"
)


def _drained(world: World) -> None:
    assert moments(world, f.ExecutionFailed) == ended(world, "slow")
    assert main(world).failed_steps == ("bad",)


FAILURE = Lowered(
    name="graph-failure-drains",
    seed="semantics §4 Failure: started siblings finish, nothing new starts, then FAILED",
    workflow=FAILING,
    input={},
    script=Nodes({"bad": breaks("boom"), "slow": sets(s=1)}, {"slow": 100}),
    status="failed",
    error="boom",
    runs=once("start bad slow"),
    check=_drained,
)


def _went_on_where_it_failed(world: World) -> None:
    assert seen(world, "after") == [{"s": 1}]
    assert seen(world, "merge") == [{"s": 1, "b": 2}]
    for name, times in {"bad": 2, "slow": 1, "after": 1, "merge": 1}.items():
        attempts(name, times)(world)


RETRIED = Lowered(
    name="graph-failure-retried",
    seed="semantics §0 Status: a retry continues from the failed steps; §4 Failure: what was not started is started now",
    workflow=FAILING,
    input={},
    script=FAILURE.script,
    happenings=(repaired_and_retried(Nodes({"bad": sets(b=2)})),),
    output={"s": 1, "b": 2},
    runs=once("start bad slow after merge"),
    check=_went_on_where_it_failed,
)


def _finished_before_the_limit_failed_it(world: World) -> None:
    assert main(world).outcomes.get("slow", {}).get("status") == "completed"
    assert moments(world, f.ExecutionFailed) == ended(world, "slow")


LIMIT_DRAINS = Lowered(
    name="graph-limit-drains",
    seed="semantics §4 Failure: started siblings finish; Limit: the 51st fails",
    workflow=graph("limit", nodes("spin slow"), "start > spin slow", "spin > spin"),
    input={},
    script=Nodes({"spin": counts(), "slow": sets(s=1)}, {"slow": 10_000}),
    status="failed",
    error="50",
    runs={"start": 1, "slow": 1, "spin": 48},
    check=_finished_before_the_limit_failed_it,
)

ERROR = {"message": "boom", "code": None, "nodeId": "bad"}
HANDLING = graph(
    "handling",
    (*nodes("slow mend good merge"), *handled("bad", "mend")),
    "start > bad slow",
    "bad > good",
    "good > merge",
    "mend > merge",
    "slow > merge",
)


def _met_once_after_the_slower_arm(world: World) -> None:
    assert seen(world, "mend") == [{"error": ERROR}]
    assert seen(world, "merge") == [{"error": ERROR, "m": 1, "s": 2}]


ERROR_OUTPUT = Lowered(
    name="graph-error-output",
    seed="semantics §4 Failure: a connection from output `error` is taken when the node has failed after its retries",
    workflow=HANDLING,
    input={},
    script=Nodes({"bad": breaks("boom"), "slow": sets(s=2), "mend": sets(m=1)}, {"slow": 100}),
    output={"error": ERROR, "m": 1, "s": 2},
    runs=once("start bad bad/error mend slow merge"),
    check=_met_once_after_the_slower_arm,
)


def _did_not_fail_again(world: World) -> None:
    for name, times in {"bad": 1, "mend": 2, "slow": 1, "merge": 1}.items():
        attempts(name, times)(world)


HANDLER_RETRIED = Lowered(
    name="graph-error-output-handler-retried",
    seed="semantics §0 Status: a retry continues from the failed steps, here from the handler of a failure",
    workflow=HANDLING,
    input={},
    script=Nodes({"bad": breaks("boom"), "slow": sets(s=2), "mend": breaks("too bad")}),
    happenings=(repaired_and_retried(Nodes({"mend": sets(m=1)})),),
    output={"error": ERROR, "m": 1, "s": 2},
    runs=once("start bad bad/error mend slow merge"),
    check=_did_not_fail_again,
)

FAILURES = (FAILURE, RETRIED, LIMIT_DRAINS, ERROR_OUTPUT, HANDLER_RETRIED)
