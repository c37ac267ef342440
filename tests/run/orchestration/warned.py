"""Documents that can run, and what is said about them all the same."""

from __future__ import annotations

from typing import Any

from run.case import Warned
from run.orchestration.words import beside, breaks, calls, decides, echo, flow, step, undoes, waits, ways


def _named(written: str, *says: str, **definition: Any) -> Warned:
    """A name in the input of a task, after a step `reserve`."""
    document = flow(echo("reserve", "b"), echo("b", v=f"${{{written}}}"), **definition)
    return Warned(f"a name: {written}", document, says=("/steps/1/input/v", *says))


def _condition(written: str, *says: str) -> Warned:
    document = flow(echo("a", ways((written, "b"), default="b")), echo("b"))
    return Warned(f"a condition: {written}", document, says=("/steps/0/transitions/conditions/0/condition", *says))


BOUNDED = {"eventTimeout": {"duration": "P3D"}}

WARNED: tuple[Warned, ...] = (
    Warned("nothing to say", flow(echo("a", "b", x="${workflow.input.x}"), echo("b")), silent=True),
    Warned(
        "nothing to say of keys that name outcomes",
        flow(echo("a", {"PAID": "b", "default": "b"}), echo("b")),
        silent=True,
    ),
    Warned(
        "nothing to say of keys beside a default that is null",
        flow(echo("a", {"PAID": "b", "next": "b", "default": None}), echo("b")),
        silent=True,
    ),
    Warned(
        "nothing to say of both decisions of a person",
        flow(
            step("a", "HUMAN_TASK", {"APPROVED": "b", "REJECTED": None}, taskDefinition={"assignee": "ann"}),
            echo("b"),
        ),
        silent=True,
    ),
    Warned(
        "nothing to say of a key of one's own that names no step",
        flow({**echo("a", "b"), "then": "have a rest"}, echo("b")),
        silent=True,
    ),
    Warned("nothing to say of a wait with an end", flow(waits("w", "paid", **BOUNDED)), silent=True),
    Warned("nothing to say of a wait that `timeout` ends", flow(waits("w", "paid", timeout="P1D")), silent=True),
    Warned(
        "nothing to say of handlers", flow(breaks("a", onFailure="b"), echo("b", v="${error.message}")), silent=True
    ),
    Warned(
        "nothing to say of variables that events set",
        flow(
            waits("w", "paid", "b", eventPayloadMapping={"total": "amount"}, **BOUNDED),
            echo("b", v="${variables.total}"),
        ),
        silent=True,
    ),
    Warned(
        "nothing to say of a step in a branch after another",
        flow(beside("both", one=[echo("a"), echo("b")], two=[echo("c")])),
        silent=True,
    ),
    Warned("no steps", {"dialect": "orchestration", "name": "case", "steps": []}, says=("there are no steps",)),
    Warned(
        "a key that is misspelt",
        {**flow(echo("a")), "compensationStep": []},
        says=("/compensationStep", "compensationSteps"),
    ),
    Warned(
        "a key of a step that is misspelt",
        flow({**echo("a"), "retrypolicy": {}}),
        says=("/steps/0/retrypolicy", "retryPolicy"),
    ),
    Warned("a key of a wait on a task", flow({**echo("a"), "onFailur": "b"}), says=("/steps/0/onFailur", "onFailure")),
    Warned(
        "a key of a timeout that is misspelt",
        flow(waits("w", "paid", "b", eventTimeout={"duration": 5, "timeoutHandlerStepID": "b"}), echo("b")),
        says=("/steps/0/eventTimeout/timeoutHandlerStepID", "timeoutHandlerStepId"),
    ),
    Warned(
        "a key of a condition that is misspelt",
        flow(echo("a", {"conditions": [{"condition": "true", "nextStep": "b", "nextstep": "b"}]}), echo("b")),
        says=("/steps/0/transitions/conditions/0/nextstep", "nextStep"),
    ),
    Warned(
        "a key of a trigger that means nothing",
        flow(echo("a"), triggers=[{"eventPattern": "x", "condition": "true"}]),
        says=("/triggers/0/condition", "eventCondition"),
    ),
    Warned(
        "a key of another type of step",
        flow({**echo("a"), "eventTimeout": {"duration": 5}}),
        says=("/steps/0/eventTimeout", "on a step of type TASK", "EVENT_WAIT"),
    ),
    Warned(
        "a task on a wait",
        flow(waits("w", "x", taskId="echo", **BOUNDED)),
        says=("/steps/0/taskId", "on a step of type EVENT_WAIT", "TASK"),
    ),
    Warned(
        "where it leads, by another key beside transitions",
        flow({**echo("a", "b"), "nextStep": "b"}, echo("b")),
        says=("/steps/0/nextStep", "transitions", "default"),
    ),
    Warned(
        "a default that is misspelt",
        flow(echo("a", {"defualt": "b"}), echo("b")),
        says=("/steps/0/transitions/defualt", "the name of an outcome", "did you mean 'default'"),
    ),
    Warned(
        "nobody in particular is asked",
        flow(step("ask", "HUMAN_TASK", taskDefinition={"title": "Look"})),
        says=("/steps/0/taskDefinition", "name assignee or assigneeRole"),
    ),
    Warned(
        "braces of other dialects",
        flow(echo("a", v=["{{ workflow.input.x }}"], w="Dear {{name}}")),
        says=("/steps/0/input/v/0", "write ${workflow.input.x}"),
    ),
    Warned("nothing to say of other braces", flow(echo("a", w="Dear {{name}}")), silent=True),
    Warned("a task that nobody has", flow(calls("quantum", "a")), says=("/steps/0/taskId", "quantum")),
    Warned("a task that is misspelt", flow(calls("ecko", "a")), says=("ecko", "did you mean 'echo'")),
    Warned(
        "a step that nothing leads to", flow(echo("a"), echo("b")), says=("/steps/1/stepId", "nothing leads to 'b'")
    ),
    Warned(
        "steps that only lead to one another",
        flow(echo("a"), echo("b", "c"), echo("c", "b")),
        says=("nothing leads to 'b'", "nothing leads to 'c'"),
    ),
    Warned(
        "a step of a branch that nothing leads to",
        flow(beside("both", one=[echo("a", "END"), echo("b")])),
        says=("/steps/0/branches/0/steps/1", "nothing leads to 'b'"),
    ),
    Warned(
        "a wait that nothing ends",
        flow(waits("w", "paid")),
        says=("/steps/0/eventPattern", "waits for ever", "eventTimeout"),
    ),
    Warned(
        "a decision that decides nothing",
        flow(step("gate", "DECISION")),
        says=("/steps/0/transitions", "decides nothing"),
    ),
    Warned(
        "a compensation for what is not there",
        flow(echo("reserve"), compensationSteps=[undoes("reserv")]),
        says=("/compensationSteps/0/compensationFor", "there is no step 'reserv'", "did you mean 'reserve'"),
    ),
    Warned(
        "two compensations for one step",
        flow(echo("a"), compensationSteps=[undoes("a"), {**undoes("a"), "stepId": "again"}]),
        says=("/compensationSteps/1/compensationFor", "'undo_a'", "never runs"),
    ),
    Warned(
        "a handler that takes no input",
        flow(
            breaks("a", onFailure={"handlerStepId": "gate", "inputMapping": {"x": 1}}),
            decides(("true", "END")),
        ),
        says=("/steps/1/type", "inputMapping", "only a TASK"),
    ),
    Warned(
        "an inputMapping without a handler",
        flow(breaks("a", onFailure={"action": "continue", "inputMapping": {"x": 1}})),
        says=("/steps/0/onFailure/inputMapping", "handlerStepId"),
    ),
    Warned(
        "an action that retries",
        flow(breaks("a", onFailure={"action": "retry"})),
        says=("/steps/0/onFailure/action", "retryPolicy"),
    ),
    Warned(
        "a template in the variables", flow(echo("a"), variables={"x": "${now}"}), says=("/variables", "as they are")
    ),
    _condition("'PAID'", "one value"),
    _condition("output.total + 5", "a number or a text"),
    _condition("[output.paid]", "an array or an object"),
    _condition("-output.total", "a number"),
    _condition("ouput.paid == true", "did you mean output"),
    _condition("input.total > steps.rserve.output.total", "there is no step 'rserve'"),
    _named("steps.reserv.output", "there is no step 'reserv'", "did you mean 'reserve'"),
    _named("steps.reserve.outputs", "a step has no 'outputs'", "did you mean 'output'"),
    _named("steps.reserve.total", "a step has no 'total'", "steps.reserve.output"),
    _named("reserve.output", "did you mean steps.reserve"),
    _named("step.reserve.output", "did you mean steps"),
    _named("workflow.inputs.x", "workflow has no 'inputs'", "did you mean 'input'"),
    _named("workflow.state.step.reserve", "workflow.state has no 'step'", "did you mean 'steps'"),
    _named("workflow.instance.startetAt", "workflow.instance has no 'startetAt'", "did you mean 'startedAt'"),
    _named("workflow.cancellation.reasons", "workflow.cancellation has no 'reasons'", "did you mean 'reason'"),
    _named("variable.x", "there is no 'variable' here", "did you mean variables"),
    _named("variables.limitt", "nobody sets the variable 'limitt'", "did you mean 'limit'", variables={"limit": 3}),
    _named("workflow.variables.limitt", "nobody sets the variable 'limitt'", variables={"limit": 3}),
    *(
        Warned(
            f"an id with a hyphen: {written}",
            flow(echo("take-stock", "b"), echo("b", v=f"${{{written}}}")),
            says=("/steps/1/input/v", "'take-stock' is a step", "did you mean steps['take-stock'].output?"),
            never=("workflow.input",),
        )
        for written in ("take-stock", "take-stock.total")
    ),
    Warned(
        "an id with a hyphen in a condition",
        flow(echo("take-stock", ways(("take-stock.n > 1", "b"), default="b")), echo("b")),
        says=("/steps/0/transitions/conditions/0/condition", "did you mean steps['take-stock'].output?"),
        never=("workflow.input",),
    ),
    _named("orderId", "there is no 'orderId' here", "did you mean workflow.input.orderId"),
    Warned(
        "a name in a path without ${ }",
        flow(echo("reserve", "b"), echo("b", v="workflow.steps.reserv.output")),
        says=("/steps/1/input/v", "there is no step 'reserv'"),
    ),
    Warned(
        "a name in a compensation",
        flow(echo("a"), compensationSteps=[undoes("a", input={"x": "${steps.b.output}"})]),
        says=("/compensationSteps/0/input/x", "there is no step 'b'"),
    ),
    Warned(
        "a name in what a handler is given",
        flow(breaks("a", onFailure={"handlerStepId": "b", "inputMapping": {"x": "${stps.a.error}"}}), echo("b")),
        says=("/steps/0/onFailure/inputMapping/x", "did you mean steps"),
    ),
    Warned(
        "a name in the condition of an event",
        flow(waits("w", "paid", eventCondition="evnt.payload.id == 1", **BOUNDED)),
        says=("/steps/0/eventCondition", "did you mean event"),
    ),
    Warned(
        "an event where none is known",
        flow(waits("w", "paid", "gate", **BOUNDED), decides(("event.payload.ok", "b"), default="END"), echo("b")),
        says=("/steps/1/transitions/conditions/0/condition", "only known where it is waited for", "steps.w.output"),
    ),
    Warned(
        "an event that started all",
        flow(echo("a", v="${event.payload.n}"), triggers=[{"eventPattern": "x"}]),
        says=("/steps/0/input/v", "workflow.trigger.event"),
    ),
    Warned(
        "an event in the wait's own transitions",
        flow(waits("w", "paid", ways(("event.payload.ok", "END"), default="END"), **BOUNDED)),
        silent=True,
    ),
    Warned(
        "a part of an event that is not there",
        flow(waits("w", "paid", eventCondition="event.orderId == 1", **BOUNDED)),
        says=("/steps/0/eventCondition", "event.payload.orderId"),
    ),
    Warned(
        "a part of an event that is not there, in a cancellation",
        flow(echo("a"), cancellationTriggers=[{"eventPattern": "x", "eventCondition": "event.orderId == 1"}]),
        says=("/cancellationTriggers/0/eventCondition", "event.payload.orderId"),
    ),
    Warned(
        "a part of an event that is not there, in a trigger",
        flow(echo("a"), triggers=[{"eventPattern": "x", "eventCondition": "event.orderId == 1"}]),
        says=("/triggers/0/eventCondition", "event.payload.orderId"),
    ),
)
