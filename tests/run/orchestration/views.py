"""The execution as the seed's `WorkflowInstance`, field by field."""

from __future__ import annotations

from run.case import Case
from run.expected import ABSENT, NUMBER, TEXT, Anything, Holding
from run.orchestration.words import breaks, decides, echo, flow, step, waits

FIELDS = [
    *("id", "workflowDefinitionId", "status", "input", "state", "version", "startedAt", "updatedAt", "completedAt"),
    *("correlation_id", "correlationId", "cancelation", "cancellation", "compensationState"),
    *("state.variables", "state.currentStepId", "state.steps", "state.waitingForEvent"),
]
ISO = Holding("T", "Z")

VIEWS: tuple[Case, ...] = (
    Case("view: every field is there", flow(echo("a")), view=dict.fromkeys(FIELDS, Anything())),
    Case(
        "view: one that has completed",
        flow(echo("a", "b", x=1), echo("b", y=2)),
        {"who": "Ada"},
        view={
            "id": TEXT,
            "workflowDefinitionId": TEXT,
            "status": "COMPLETED",
            "input": {"who": "Ada"},
            "output": {"y": 2},
            "error": None,
            "version": NUMBER,
            "startedAt": ISO,
            "updatedAt": ISO,
            "completedAt": ISO,
            "correlationId": None,
            "correlation_id": None,
            "cancellation": None,
            "cancelation": None,
            "compensationState": None,
            "state": {
                "variables": {},
                "currentStepId": None,
                "waitingForEvent": None,
                "steps": {
                    "a": {
                        "status": "COMPLETED",
                        "input": {"x": 1},
                        "output": {"x": 1},
                        "startedAt": ISO,
                        "completedAt": ISO,
                    },
                    "b": {
                        "status": "COMPLETED",
                        "input": {"y": 2},
                        "output": {"y": 2},
                        "startedAt": ISO,
                        "completedAt": ISO,
                    },
                },
            },
        },
    ),
    Case(
        "view: one that waits",
        flow(
            echo("a", "w", x=1),
            waits("w", "order.*", eventCondition="${event.payload.orderId} == ${workflow.input.orderId}"),
        ),
        {"orderId": 17},
        exit=3,
        view={
            "status": "WAITING_FOR_EVENT",
            "completedAt": None,
            "output": None,
            "state.currentStepId": "w",
            "state.waitingForEvent": {
                "eventPattern": "order.*",
                "eventCondition": "${event.payload.orderId} == ${workflow.input.orderId}",
                "since": ISO,
            },
            "state.steps.w": {"status": "RUNNING", "startedAt": ISO},
        },
        waits={"kind": "event", "step": "w", "on": "order.*", "until": ABSENT},
    ),
    Case(
        "view: one that waits without a condition",
        flow(waits("w", "paid")),
        exit=3,
        view={"state.waitingForEvent": {"eventPattern": "paid", "since": ISO}},
    ),
    Case(
        "view: a pattern that is computed",
        flow(waits("w", "order.${workflow.input.id}.paid")),
        {"id": 17},
        exit=3,
        view={"state.waitingForEvent.eventPattern": "order.17.paid"},
    ),
    Case(
        "view: one that waits for a person",
        flow(step("ask", "HUMAN_TASK", taskDefinition={"title": "Look at it", "assigneeRole": "finance"})),
        exit=3,
        view={
            "status": "WAITING_FOR_EVENT",
            "state.currentStepId": "ask",
            "state.steps.ask.status": "RUNNING",
            "state.waitingForEvent": None,
        },
        waits={"kind": "approval"},
    ),
    Case(
        "view: steps that have not run are not there",
        flow(decides(("true", "b")), echo("a"), echo("b")),
        ran=("gate", "b"),
        view={"state.steps.a": ABSENT},
    ),
    Case(
        "view: a handler's parts are not steps",
        flow(breaks("pay", onFailure={"handlerStepId": "b", "inputMapping": {"x": 1}}), echo("b")),
        ran=("pay", "b"),
    ),
    Case(
        "view: a decision was done on the spot",
        flow(echo("a", "gate", n=1), decides(("true", "END"))),
        view={"state.steps.gate": {"status": "COMPLETED", "output": {"n": 1}, "startedAt": ISO, "completedAt": ISO}},
    ),
    Case(
        "view: the version grows with all that is recorded",
        flow(echo("a")),
        view={"version": 4},
    ),
)
