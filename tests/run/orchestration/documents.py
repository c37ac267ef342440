"""What a document may hold, and what is wrong with one: all of it, each with its path."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import TEXT
from run.orchestration.words import breaks, calls, echo, flow, step, undoes, waits, ways

SEED = {
    "id": "order-fulfilment",
    "name": "Order fulfilment",
    "description": "Takes an order to its customer",
    "version": "1.0.0",
    "steps": [
        {
            "stepId": "reserve",
            "type": "TASK",
            "taskId": "echo",
            "input": {"sku": "${workflow.input.sku}"},
            "retryPolicy": {"maxAttempts": 3, "initialInterval": 1},
            "timeout": 30_000,
            "transitions": {"default": "check", "conditions": []},
        },
        {
            "stepId": "check",
            "type": "DECISION",
            "transitions": {
                "default": "manual",
                "conditions": [{"condition": "output.sku == 'A1'", "nextStep": "ship"}],
            },
        },
        {"stepId": "ship", "type": "TASK", "taskId": "echo", "input": {"shipped": True}},
        {"stepId": "manual", "type": "TASK", "taskId": "echo", "input": {"shipped": False}},
    ],
    "triggers": [{"eventPattern": "order.placed"}],
    "cancellationTriggers": [{"eventPattern": "order.cancelled", "reason": "by customer", "shouldCompensate": True}],
    "compensationSteps": [{"stepId": "undo", "compensationFor": "reserve", "type": "TASK", "taskId": "echo"}],
    "uiComponents": [{"componentId": "order-form", "type": "FORM"}],
}


def _refused(name: str, document: Any, *says: str) -> Case:
    return Case(f"refused: {name}", document, exit=2, says=says)


def _step(name: str, given: Any, *says: str) -> Case:
    return _refused(name, {"name": "case", "steps": [echo("a", "b"), given, echo("b")]}, *says)


DOCUMENTS: tuple[Case, ...] = (
    Case("all that the seed has", SEED, {"sku": "A1"}, output={"shipped": True}, ran=("reserve", "check", "ship")),
    Case("by its name alone", {"dialect": "orchestration", **flow(echo("a", x=1))}, output={"x": 1}),
    Case("without a name", {"steps": [echo("a", x=1)]}, output={"x": 1}, view={"workflowDefinitionId": TEXT}),
    Case("what others keep in a document is theirs", {**flow(echo("a", x=1)), "x-team": "ops"}, output={"x": 1}),
    Case("notes on a step are no one's business", flow({**echo("a", x=1), "metadata": {"x": 1}, "color": "red"})),
    Case("transitions that are a step's id", flow({**echo("a"), "transitions": "b"}, echo("b", x=1)), output={"x": 1}),
    _refused("steps that are no list", {"dialect": "orchestration", "name": "case", "steps": 3}, "/steps", "array"),
    _refused("no steps at all", {"dialect": "orchestration", "name": "case"}, "'steps' is missing"),
    _step("a step that is none", 7, "/steps/1", "a step is an object, not a number"),
    _step("no id", {"type": "TASK", "taskId": "echo"}, '"/steps/1"', "'stepId' is missing"),
    _step("an id that is misspelt", {"stepID": "x", "type": "TASK", "taskId": "echo"}, "is 'stepID' meant for it?"),
    _step("an id that is empty", {**echo("x"), "stepId": ""}, "/steps/1/stepId", "a text that is not empty"),
    _step("an id with a slash", echo("x/y"), "/steps/1/stepId", "'x/y' is no id", "without '/'"),
    _step("an id twice", echo("a"), "/steps/1/stepId", "two steps have the id 'a'", "/steps/0"),
    _step("no type", {"stepId": "x", "taskId": "echo"}, '"/steps/1"', "'type' is missing"),
    _step("a type that is none", step("x", "TSAK"), "/steps/1/type", "TSAK", "did you mean 'TASK'", "EVENT_WAIT"),
    _step("a type in small letters", step("x", "task", taskId="echo"), "/steps/1/type", "did you mean 'TASK'"),
    _step("no task", step("x", "TASK"), '"/steps/1"', "'taskId' is missing"),
    _step("no pattern", step("x", "EVENT_WAIT"), '"/steps/1"', "'eventPattern' is missing"),
    _step("a pattern that nothing fits", waits("x", "order.p*"), "/steps/1/eventPattern", "'p*'", "whole words"),
    _step("transitions that are a number", {**echo("x"), "transitions": 5}, "/steps/1/transitions", "an object"),
    _step("a target that is a number", echo("x", {"default": 5}), "/steps/1/transitions/default", "the id of a step"),
    _step(
        "a target that is nowhere",
        echo("x", "bb"),
        "/steps/1/transitions/default",
        "there is no step 'bb'",
        "did you mean 'b'",
        "write END or null",
    ),
    _step(
        "a condition without a target",
        echo("x", {"conditions": [{"condition": "true"}]}),
        "/steps/1/transitions/conditions/0",
        "'nextStep' is missing",
    ),
    _step(
        "a target without a condition",
        echo("x", {"conditions": [{"nextStep": "b"}]}),
        "/steps/1/transitions/conditions/0",
        "'condition' is missing",
    ),
    _step(
        "a condition that is no expression",
        echo("x", ways(("output. >", "b"))),
        "/steps/1/transitions/conditions/0/condition",
    ),
    _step("an input that is no expression", echo("x", v=["${1 +}"]), "/steps/1/input/v/0"),
    _step("an outcome to nowhere", echo("x", {"PAID": "c"}), "/steps/1/transitions/PAID", "there is no step 'c'"),
    _step("a handler that is nowhere", breaks("x", onFailure="bb"), "/steps/1/onFailure", "did you mean 'b'"),
    _step(
        "a handler by its key",
        breaks("x", onFailure={"handlerStepId": "zz"}),
        "/steps/1/onFailure/handlerStepId",
        "there is no step 'zz'",
    ),
    _step(
        "a timeout's handler that is nowhere",
        waits("x", "paid", eventTimeout={"duration": "P1D", "timeoutHandlerStepId": "late"}),
        "/steps/1/eventTimeout/timeoutHandlerStepId",
        "there is no step 'late'",
    ),
    _step(
        "a duration that is none",
        waits("x", "paid", eventTimeout={"duration": "3 days"}),
        "/steps/1/eventTimeout/duration",
        "a duration like PT5M, not '3 days'",
    ),
    _step(
        "a timeout without its duration",
        waits("x", "paid", eventTimeout={"timeoutHandlerStepId": "b"}),
        "/steps/1/eventTimeout",
        "'duration' is missing",
    ),
    _step(
        "a timeout of a task that is none",
        calls("echo", "x", timeout=-5),
        "/steps/1/timeout",
        "more than 0 milliseconds",
    ),
    _step(
        "a retry that contradicts itself",
        calls("echo", "x", retryPolicy={"maxRetries": 1, "maxAttempts": 1}),
        "/steps/1/retryPolicy/maxRetries",
        "not both",
    ),
    _step(
        "a path into a payload that is none",
        waits("x", "paid", eventPayloadMapping={"total": "order total"}),
        "/steps/1/eventPayloadMapping/total",
        "is no path into the payload",
    ),
    _step("a lookback that is none", waits("x", "paid", lookback="some"), "/steps/1/lookback", "one of all, none"),
    _step(
        "a step with a dash, as a name",
        echo("x", v="${steps.fetch-users.output}"),
        "/steps/1/input/v",
        "steps['fetch-users']",
    ),
    _refused(
        "a pattern of a trigger that is computed",
        flow(echo("a"), triggers=[{"eventPattern": "order.${x}"}]),
        "/triggers/0/eventPattern",
        "is not computed",
    ),
    _refused("a trigger without a pattern", flow(echo("a"), triggers=[{}]), "/triggers/0", "'eventPattern' is missing"),
    _refused("a trigger that is a text", flow(echo("a"), triggers=["order.placed"]), "/triggers/0", "is an object"),
    _refused(
        "a condition of a trigger over what is not there yet",
        flow(echo("a"), triggers=[{"eventPattern": "x", "eventCondition": "workflow.input.x == 1"}]),
        "/triggers/0/eventCondition",
        "only the event",
    ),
    _refused(
        "a trigger that would cancel",
        flow(echo("a"), triggers=[{"eventPattern": "x", "triggerType": "CANCEL"}]),
        "/triggers/0/triggerType",
        "cancellationTriggers",
    ),
    _refused(
        "a cancellation without a pattern",
        flow(echo("a"), cancellationTriggers=[{"reason": "x"}]),
        "/cancellationTriggers/0",
        "'eventPattern' is missing",
    ),
    _refused(
        "a compensation without its step",
        flow(echo("a"), compensationSteps=[{"stepId": "u", "taskId": "echo"}]),
        "/compensationSteps/0",
        "'compensationFor' is missing",
    ),
    _refused(
        "a compensation of another type",
        flow(echo("a"), compensationSteps=[{**undoes("a"), "type": "DECISION"}]),
        "/compensationSteps/0/type",
        "one of TASK",
    ),
    _refused(
        "a compensation with the id of a step",
        flow(echo("a"), compensationSteps=[{**undoes("a"), "stepId": "a"}]),
        "/compensationSteps/0/stepId",
        "two steps have the id 'a'",
    ),
    _refused(
        "all that is wrong, at once",
        {
            "name": "case",
            "steps": [
                step("a", "TASKS", "zz"),
                calls("echo", "b", "zz", timeout="soon"),
                waits("c", "x..y", ways(("1 +", "b"))),
            ],
            "triggers": [{"eventPattern": ""}],
            "compensationSteps": [{"stepId": "u"}],
        },
        "/steps/0/type",
        "/steps/1/transitions/default",
        "/steps/1/timeout",
        "/steps/2/eventPattern",
        "/steps/2/transitions/conditions/0/condition",
        "/triggers/0/eventPattern",
        "/compensationSteps/0",
    ),
    _refused("a status that is none", flow(echo("a"), status="actve"), "/status", "did you mean 'active'"),
    _refused("variables that are a list", flow(echo("a"), variables=[1]), "/variables", "must be an object"),
)
