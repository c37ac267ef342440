"""Other workflows: run by a node, or started by what happens."""

from __future__ import annotations

from typing import Any

from lowered.base import Happening, Lowered, k, main, obj, x
from lowered.checks import alone, begun, facts, inputs, skipped, the_other, the_start
from lowered.graph.words import Nodes, breaks, built_in, graph, node, nodes, once, sets
from lowered.outside import LATER
from perdure.core import facts as f
from perdure.model.steps import Child, Compute, SetVariables
from perdure.model.values import Constant, Object
from perdure.model.workflow import EventStart, Workflow
from perdure.testing.world import World

FIRED = Object(
    (
        (Constant("type"), x("trigger.type")),
        (Constant("depth"), x("execution.depth")),
        (Constant("firedAt"), x("execution.startedAt")),
    )
)
"""`_trigger` of a start that the engine makes itself."""

HELPER = graph("helper", (built_in("start", SetVariables((("_trigger", FIRED),))), node("help")), "start > help")


def _runs(name: str, seed: str, workflow: str, script: Nodes, *, wait: bool, **expected: Any) -> Lowered:
    call = Child(k(workflow), obj(n=x("vars.n")), wait=wait)
    return Lowered(
        name=f"graph-{name}",
        seed=seed,
        workflow=graph(
            "caller", (*nodes("after"), built_in("run", call, called=x("output"))), "start > run", "run > after"
        ),
        input={"n": 5},
        others=(HELPER,),
        script=script,
        **expected,
    )


def _waited_for_its_output(world: World) -> None:
    helper = the_other(world, "helper")
    assert (helper.parent, helper.depth) == ("main", 1)
    assert inputs(world, "helper") == [{"n": 5}]
    first = the_start(world, helper.id)
    called = {"n": 5, "helped": True, "_trigger": {"type": first.trigger, "depth": 1, "firedAt": first.at}}
    assert main(world).output == {"n": 5, "called": called}
    assert begun(world, "after")[0] >= facts(world, f.ExecutionCompleted, execution=helper.id)[0].at


RUN_AND_WAIT = _runs(
    "run-workflow-and-wait",
    "semantics §4 RUN_WORKFLOW wait: its output; Start: _trigger is set by the engine on starts it makes itself",
    "helper",
    Nodes({"help": sets(helped=True)}),
    wait=True,
    check=_waited_for_its_output,
)


def _did_not_wait(world: World) -> None:
    helper = the_other(world, "helper")
    assert main(world).output == {"n": 5, "called": helper.id}
    assert (helper.parent, helper.depth, helper.status) == ("main", 1, "completed")
    assert facts(world, f.ExecutionCompleted)[0].at < facts(world, f.ExecutionCompleted, execution=helper.id)[0].at


RUN = _runs(
    "run-workflow",
    "semantics §4 RUN_WORKFLOW: wait false by default, the child's id",
    "helper",
    Nodes({"help": sets(helped=True)}, {"help": 60_000}),
    wait=False,
    runs=once("start run after"),
    check=_did_not_wait,
)

RUN_FAILS = _runs(
    "run-workflow-that-fails",
    "semantics §4 RUN_WORKFLOW wait, Failure",
    "helper",
    Nodes({"help": breaks("no help")}),
    wait=True,
    status="failed",
    error="no help",
)

RUN_UNKNOWN = _runs(
    "run-unknown-workflow-and-wait",
    "semantics §0 Errors: a message says what failed, with what",
    "nobody",
    Nodes({}),
    wait=True,
    status="failed",
    error="'nobody'",
    runs=once("start run"),
)

RUN_UNKNOWN_NO_WAIT = _runs(
    "run-unknown-workflow",
    "semantics §4 RUN_WORKFLOW: the child's id; an id that no execution has is none",
    "nobody",
    Nodes({}),
    wait=False,
    status="failed",
    error="'nobody'",
    runs=once("start run"),
)


TOO_DEEP = (
    _runs(
        "depth-3-skips",
        "seed 004 Trigger Depth Contract, semantics §4 Depth ≥ 3 skips; §0: recorded, does not fail the parent",
        "helper",
        Nodes({}),
        wait=False,
        start={"depth": 3},
        runs=once("start run after"),
        check=skipped("3", "depth", step="run"),
    ),
    _runs(
        "depth-3-fails-waiting",
        "semantics §0 Chains and depth: a called child beyond the limit, wait: true fails the calling step",
        "helper",
        Nodes({}),
        wait=True,
        status="failed",
        error="limit of 3",
        start={"depth": 3},
        runs=once("start run"),
        check=alone,
    ),
)


def _down_to_depth_three(world: World) -> None:
    assert [row.record.depth for row in world.store.rows.values()] == [0, 1, 2, 3]
    assert inputs(world, "circle") == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert all(row.record.status == "completed" for row in world.store.rows.values())


CIRCLE = Lowered(
    name="graph-runs-itself",
    seed="seed 004 Trigger Depth Contract: incremented with every start, skipped at 3",
    workflow=graph(
        "circle",
        (built_in("start", Compute()), built_in("again", Child(k("circle"), obj(n=x("vars.n + 1")), wait=False))),
        "start > again",
    ),
    input={"n": 0},
    check=_down_to_depth_three,
)


def _after(workflow: str) -> EventStart:
    """A WORKFLOW_TRIGGER."""
    condition = x(f"event.payload.name == {workflow!r}")
    return EventStart("workflow.completed", condition, input=x("event.payload.output"))


def _listener(name: str, workflow: str) -> Workflow:
    return graph(name, (built_in("start", Compute()),), starts=(_after(workflow),))


def _started_once_by_its_completion(world: World) -> None:
    assert [row.record.workflow for row in world.store.rows.values()] == ["source", "listener"]
    assert inputs(world, "listener") == [{"x": 1, "y": 2}]
    listener = the_other(world, "listener")
    assert (listener.status, listener.output) == ("completed", {"x": 1, "y": 2})
    assert (listener.trigger, listener.started_at) == ("event", facts(world, f.ExecutionCompleted)[0].at)


WORKFLOW_TRIGGER = Lowered(
    name="graph-workflow-trigger",
    seed="semantics §4 WORKFLOW_TRIGGER: its output is the context; §0: a workflow is never started by its own event",
    # `source` names itself too, and `deaf` a workflow that never ran.
    workflow=graph("source", nodes("a"), "start > a", starts=(_after("source"),)),
    input={"x": 1},
    others=(_listener("listener", "source"), _listener("deaf", "nobody")),
    script=Nodes({"a": sets(y=2)}),
    output={"x": 1, "y": 2},
    check=_started_once_by_its_completion,
)


FAILED_SOURCE = Lowered(
    name="graph-workflow-trigger-of-a-failure",
    seed="semantics §4 WORKFLOW_TRIGGER: starts when that workflow completes",
    workflow=WORKFLOW_TRIGGER.workflow,
    input={"x": 1},
    others=WORKFLOW_TRIGGER.others,
    script=Nodes({"a": breaks("no")}),
    status="failed",
    check=alone,
)


def _one_deeper_each_time(world: World) -> None:
    records = [row.record for row in world.store.rows.values()]
    assert [(record.workflow, record.depth) for record in records] == [("w0", 0), ("w1", 1), ("w2", 2), ("w3", 3)]
    assert [record.parent for record in records] == [None, *(record.id for record in records[:-1])]


TRIGGER_DEPTH = Lowered(
    name="graph-workflow-trigger-depth",
    seed="seed 004 Trigger Depth Contract, semantics §0: every started execution records parent and depth; ≥ 3 skips",
    workflow=graph("w0", (built_in("start", Compute()),)),
    input={},
    others=tuple(_listener(f"w{number}", f"w{number - 1}") for number in range(1, 6)),
    check=_one_deeper_each_time,
)


def _execute(world: World) -> None:
    world.publish("workflows/execute.workflow", {"workflowId": "seeded", "initialData": {"x": 2}}, "inngest-1")
    world.publish("workflows/execute.workflow", {"workflowId": "another", "initialData": {"x": 3}}, "inngest-2")


def _started_by_the_seeds_event(world: World) -> None:
    assert inputs(world, "seeded") == [{"x": 2}]
    seeded = the_other(world, "seeded")
    assert seeded.output == {"x": 2, "a": 1}
    first = the_start(world, seeded.id)
    assert (first.event_id, first.trigger) == ("inngest-1", "event")


SEEDS_EVENT = Lowered(
    name="graph-started-by-the-seeds-event",
    seed="seed 004 Event Contract, semantics §4 Start: {workflowId, initialData} is accepted as an event that starts it",
    workflow=graph(
        "seeded",
        nodes("a"),
        "start > a",
        starts=(
            EventStart(
                "workflows/execute.workflow",
                x("event.payload.workflowId == 'seeded'"),
                input=x("event.payload.initialData"),
            ),
        ),
    ),
    input={"x": 1},
    script=Nodes({"a": sets(a=1)}),
    happenings=(Happening(LATER, _execute),),
    output={"x": 1, "a": 1},
    check=_started_by_the_seeds_event,
)

CHILDREN = (
    RUN_AND_WAIT,
    RUN,
    RUN_FAILS,
    RUN_UNKNOWN,
    RUN_UNKNOWN_NO_WAIT,
    *TOO_DEEP,
    CIRCLE,
    WORKFLOW_TRIGGER,
    FAILED_SOURCE,
    TRIGGER_DEPTH,
    SEEDS_EVENT,
)
