"""The names that expressions know."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import TEXT, Holding
from run.orchestration.words import NO, YES, breaks, calls, decides, echo, flow, undoes, ways

ISO = Holding("T", "Z")
DEFINITION: dict[str, Any] = {
    "id": "order-1",
    "name": "orders",
    "version": "2.1.0",
    "variables": {"limit": 3, "who": {"name": "Ada"}},
}


def _named(source: str, value: Any, *, second: str = "") -> Case:
    """After a step `a` that came to `{"n": 5}` and one `pay` that failed."""
    document = flow(
        echo("a", "pay", n=5),
        breaks("pay", onFailure="b"),
        calls("echo", "b", input={"v": f"${{{source}}}"}),
        compensationSteps=[undoes("a")],
        **DEFINITION,
    )
    output = {} if value is _NOTHING else {"v": value}
    return Case(f"name: {source}{second}", document, {"x": [1, 2]}, output=output)


_NOTHING = object()
A = {"status": "COMPLETED", "output": {"n": 5}, "completedAt": ISO}
PAY = {"status": "FAILED", "error": {"message": Holding("declined")}, "completedAt": ISO}

NAMES: tuple[Case, ...] = (
    _named("workflow.input.x", [1, 2]),
    _named("workflow.input", {"x": [1, 2]}),
    _named("input.x", [1, 2]),
    _named("workflow.variables.limit", 3),
    _named("workflow.state.variables.limit", 3),
    _named("workflow.instance.state.variables.who.name", "Ada"),
    _named("variables.who", {"name": "Ada"}),
    _named("variables", {"limit": 3, "who": {"name": "Ada"}}),
    _named("steps.a.output.n", 5),
    _named("steps['a'].output['n']", 5),
    _named("steps.a.output?.n", 5),
    _named("workflow.steps.a.output.n", 5),
    _named("workflow.state.steps.a.output.n", 5),
    _named("workflow.instance.state.steps.a.output.n", 5),
    _named("steps.a.status", "COMPLETED"),
    _named("steps.pay.status", "FAILED"),
    _named("steps.a.completedAt", ISO),
    _named("steps.a.error", _NOTHING),
    _named("steps.a.error === undefined || steps.a.error === null", True),
    _named("steps.pay.error.message", Holding("declined")),
    _named("steps.pay.error.code", "DECLINED"),
    _named("steps.pay.output", _NOTHING),
    _named("steps.a.startedAt", _NOTHING),
    _named("steps.a", A),
    _named("Object.keys(steps).sort().slice(0, 2)", ["a", "pay"]),
    _named("Object.keys(workflow.state.steps).includes('undo_a')", False),
    _named("error.code", "DECLINED"),
    _named("error.category", "PERMANENT"),
    _named("workflow.id", "order-1"),
    _named("workflow.name", "orders"),
    _named("workflow.version", "2.1.0"),
    _named("workflow.instance.id", TEXT),
    _named("workflow.instance.workflowDefinitionId", TEXT),
    _named("workflow.instance.startedAt", ISO),
    _named("workflow.instance.input.x[1]", 2),
    _named("workflow.instance.organizationId", "default"),
    _named("workflow.instance.correlationId", _NOTHING),
    _named("workflow.cancellation", _NOTHING),
    _named("workflow.cancellation.reason", _NOTHING),
    _named("workflow.trigger.type", "manual"),
    _named("workflow.state.currentStepId", "b"),
    _named("Object.keys(workflow.state).sort()", ["currentStepId", "steps", "variables"]),
    _named("workflow.input.x.length + steps.a.output.n * variables.limit", 17),
    _named("event", _NOTHING),
    _named("now > 0", True),
    _named("nowMs > 1600000000000", True),
    _named("now", ISO),
    Case(
        "name: output in the step's own transitions",
        flow(echo("a", ways(("output.n == 5 && steps.a.output.n == 5", "yes"), default="no"), n=5), YES, NO),
        output={"v": "yes"},
    ),
    Case(
        "name: the status of a step in its own transitions",
        flow(echo("a", ways(("steps.a.status == 'COMPLETED'", "yes"), default="no")), YES, NO),
        output={"v": "yes"},
    ),
    Case(
        "name: a step that has not run has no status",
        flow(decides(("steps.yes.status === undefined && !steps.yes", "yes"), default="no"), YES, NO),
        output={"v": "yes"},
    ),
    Case(
        "name: a step with a dash",
        flow(echo("fetch-users", "b", n=1), echo("b", v="${steps['fetch-users'].output.n}")),
        output={"v": 1},
    ),
    Case(
        "name: a path without ${ } to a step with a dash",
        flow(echo("fetch-users", "b", n=1), echo("b", v="workflow.state.steps.fetch-users.output.n")),
        output={"v": 1},
    ),
    Case(
        "name: a step called like what an object has",
        flow(echo("length", "b", n=1), echo("b", v="${steps.length.output.n}")),
        output={"v": 1},
    ),
    Case(
        "name: an arrow's own names are its own",
        flow(echo("a", v="${workflow.input.map(variables => variables.n)}")),
        [{"n": 1}],
        output={"v": [1]},
    ),
)
