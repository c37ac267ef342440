"""The execution in the dialect's own shape, field by field."""

from __future__ import annotations

from run.case import Case
from run.expected import ABSENT, NUMBER, TEXT, Anything, Holding
from run.ports.words import action, breaks, condition, echo, flow, step, trigger

FIELDS = [
    "organizationId",
    "wfDefinitionId",
    "status",
    "currentStepSlug",
    "waitingFor",
    "startedAt",
    "updatedAt",
    "completedAt",
    "componentWorkflowId",
    "variables",
    "workflowConfig",
    "stepsConfig",
    "input",
    "output",
    "triggeredBy",
    "triggerData",
    "metadata",
]


VIEWS: tuple[Case, ...] = (
    Case("every field is there", flow(trigger("a"), echo("a")), {"x": 1}, view=dict.fromkeys(FIELDS, Anything())),
    Case(
        "the fields of an execution that has completed",
        flow(echo("a", "b", y="{{x}}"), echo("b", z=2)),
        {"x": 1},
        view={
            "organizationId": "default",
            "status": "completed",
            "waitingFor": None,
            "startedAt": NUMBER,
            "updatedAt": NUMBER,
            "completedAt": NUMBER,
            "componentWorkflowId": TEXT,
            "input": {"x": 1},
            "output": {"z": 2},
            "triggeredBy": "manual",
            "triggerData": None,
            "error": None,
        },
    ),
    Case(
        "the variables, key by key",
        flow(echo("a", "b", y="{{x}}"), echo("b", z=2), variables={"limit": 7}),
        {"x": 1},
        view={
            "variables": {
                "steps": {
                    "a": {"stepType": "action", "name": "A", "output": {"type": "action", "data": {"y": 1}}},
                    "b": {"stepType": "action", "name": "B", "output": {"type": "action", "data": {"z": 2}}},
                },
                "lastOutput": {"type": "action", "data": {"z": 2}},
                "organizationId": "default",
                "input": {"x": 1},
                "x": 1,
                "limit": 7,
            },
        },
    ),
    Case(
        "the entry of a trigger",
        flow(trigger()),
        view={
            "variables.steps.start.stepType": "trigger",
            "variables.steps.start.name": "Start",
            "variables.steps.start.output.type": "trigger",
            "variables.steps.start.output.data": "Trigger executed successfully",
            "variables.steps.start.output.meta.trigger.type": "manual",
            "variables.steps.start.output.meta.trigger.receivedAt": TEXT,
        },
    ),
    Case(
        "the entry of a condition",
        flow(condition("{{x}} > 1", leads={"default": "end"})),
        {"x": 2},
        view={
            "variables.steps.gate": {
                "stepType": "condition",
                "name": "Gate",
                "output": {"type": "condition", "data": True, "meta": {"expression": "{{x}} > 1"}},
            },
        },
    ),
    Case(
        "a step without a name goes by its slug",
        flow(step("send_it", "action", {"type": "echo"}, name=None)),
        view={"variables.steps.send_it.name": "send_it"},
    ),
    Case(
        "a result with meta",
        flow(action("a", "leave", {"data": 1, "meta": {"m": 2}})),
        view={"variables.lastOutput": {"type": "action", "data": 1, "meta": {"m": 2}}},
    ),
    Case(
        "what it was configured with",
        flow(echo("a", x="{{x}}"), variables={"limit": 7}, retryPolicy={"maxRetries": 1, "backoffMs": 5}),
        view={
            "workflowConfig": {"variables": {"limit": 7}, "retryPolicy": {"maxRetries": 1, "backoffMs": 5}},
            "stepsConfig": {"a": {"type": "echo", "parameters": {"x": "{{x}}"}}},
        },
    ),
    Case(
        "the fields of an execution that has failed",
        flow(echo("a", "break"), breaks()),
        exit=1,
        view={
            "status": "failed",
            "error": Holding("no more stock"),
            "output": None,
            "completedAt": NUMBER,
            "currentStepSlug": "break",
            "waitingFor": None,
        },
    ),
    Case(
        "nothing has run yet",
        flow(breaks()),
        {"x": 1},
        exit=1,
        view={"variables": {"steps": {}, "lastOutput": None, "organizationId": "default", "input": {"x": 1}, "x": 1}},
    ),
    Case(
        "no loop and no secrets where there are none",
        flow(echo("a")),
        view={"variables.loop": ABSENT, "variables.secrets": ABSENT},
    ),
)
