"""Whatever an orchestration document holds, compiling it never raises, and what it accepts is a model that can run and be shown."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.changing import changes_are_judged, seen
from dialects.test_fuzz import SLOW, judged, leaves, written
from dialects.words import KNOWN
from perdure import dialects
from perdure.model.values import Json
from run.orchestration.booking import booking
from run.orchestration.documents import SEED
from run.orchestration.words import beside, breaks, decides, echo, flow, step, undoes, waits, ways

TYPES: Final = ("TASK", "EVENT_WAIT", "DECISION", "CHOICE", "HUMAN_TASK", "PARALLEL", "task", "LOOP")
KEYS: Final = (
    *("input", "taskId", "retryPolicy", "timeout", "transitions", "onFailure", "default", "conditions", "condition"),
    *("nextStep", "eventPattern", "eventCondition", "eventTimeout", "duration", "timeoutHandlerStepId", "lookback"),
    *(
        "eventPayloadMapping",
        "choices",
        "branches",
        "steps",
        "stepId",
        "type",
        "name",
        "taskDefinition",
        "assigneeRole",
    ),
    *("dueIn", "handlerStepId", "inputMapping", "action", "errorHandler", "errorCode", "nextStepId", "maxAttempts"),
    *("delay", "compensationFor", "reason", "shouldCompensate", "correlationKey", "enabled", "triggerType", "APPROVED"),
)
TEXTS: Final = (
    *("s0", "s1", "s2", "u0", "END", "end", "continue", "stop", "echo", "http", "order.*", "**", "a..b", "P3D", "TASK"),
    *("${workflow}", "${workflow.state}", "${workflow.instance.state.steps.s0}", "${steps}", "${steps.s0.status}"),
    *("${steps['s-1'].output}", "${variables}", "${event.payload.x}", "${error.code}", "${output.x}", "${now + 1}"),
    *(
        "workflow.input.items.0",
        "workflow.state.steps.s-1.output",
        "workflow.input['a b'][0]",
        "workflow.",
        "${",
        "${}",
    ),
    *("event.payload.x", "$.a-b[0]", "$", "${secrets.KEY}", "output.x > 1", "${output.x} == '${a}'", "1 +", "s0.x"),
)
values = st.recursive(
    leaves | st.sampled_from(TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | written, inner, max_size=4)
    ),
    max_leaves=12,
)
target = st.sampled_from(("s0", "s1", "s2", "END", "", None))
steps_of_any_type = st.tuples(
    st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), values, max_size=5), target, values
)
GOOD: Final = {
    "seed": SEED,
    "booking": booking(compensateOnFailure=True, cancellationTriggers=[{"eventPattern": "stop", "reason": "x"}]),
    "handled": flow(
        breaks("pay", onFailure={"handlerStepId": "tell", "inputMapping": {"why": "${error.message}", "n": 1}}),
        echo("tell", "gate", own="workflow.state.steps.pay.error"),
        decides(("steps.tell.output.n == 1", None), default="END"),
    ),
    "beside": flow(
        beside("both", "w", one=[echo("a"), beside("inner", x=[echo("b", "END")], y=[])], two=[waits("c", "x")]),
        waits("w", "order.*", eventPayloadMapping={"n": "order.lines[0].n"}, eventTimeout={"duration": 5}),
        compensationSteps=[undoes("a", condition="output.x == 1")],
    ),
    "asked": flow(
        step("ask", "HUMAN_TASK", {"APPROVED": "yes", "default": "END"}, taskDefinition={"dueIn": "P1D"}),
        echo("yes", v="${steps.ask.output.decision} ${variables.limit}"),
        variables={"limit": 3},
        triggers=[{"eventPattern": "a", "inputMapping": {"x": "event.payload.x"}, "correlationKey": "order-id"}],
    ),
}


@SLOW
@given(st.lists(steps_of_any_type, max_size=4), values, values, values)
def test_steps_of_every_type_with_anything_in_them_are_compiled_or_refused(
    steps: Any, triggers: Json, cancels: Json, undoing: Json
) -> None:
    made = [
        {
            "transitions": {"default": to, "PAID": to, "conditions": more},
            **fields,
            "stepId": f"s{number}",
            "type": type_,
        }
        for number, (type_, fields, to, more) in enumerate(steps)
    ]
    document = {
        "dialect": "orchestration",
        "name": "any",
        "steps": made,
        "triggers": [triggers],
        "variables": undoing,
        "cancellationTriggers": [cancels],
        "compensationSteps": [{**undoes("s0"), "input": undoing}],
    }
    judged(dialects.compile(document, KNOWN))
    dialects.requirements(document)


@SLOW
@given(st.lists(st.tuples(values, values), min_size=1, max_size=3), values)
def test_whatever_tasks_are_given_what_compiles_runs(steps: Any, undoing: Json) -> None:
    """Each leads to the next."""
    made = [
        step(f"s{number}", "TASK", ways(default=f"s{number + 1}"), taskId="echo", input=given_, onFailure=on_failure)
        for number, (given_, on_failure) in enumerate(steps)
    ]
    document = flow(*made, echo(f"s{len(made)}"), compensationSteps=[undoes("s0", input=undoing)])
    compiled = dialects.compile(document, KNOWN)
    judged(compiled)
    if compiled.workflow is not None:
        seen(compiled.workflow, document, "orchestration")


@SLOW
@given(values, values, values)
def test_a_document_of_any_shape_is_compiled_or_refused(first: Json, second: Json, more: Json) -> None:
    for document in (
        {"steps": [{"stepId": "a", "type": first}, second], "version": more},
        {"steps": [{"stepId": first, "type": "TASK", "taskId": second, "transitions": more}]},
        {"dialect": "orchestration", "steps": first, "triggers": second, "compensationSteps": more},
        {"steps": [{"stepId": "a", "type": "PARALLEL", "branches": [first, {"steps": second}]}], "secrets": more},
    ):
        judged(dialects.compile(document, KNOWN))
        dialects.requirements(document)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_document_with_something_changed_is_compiled_or_refused(name: str) -> None:
    changes_are_judged(name, GOOD[name], TEXTS, "orchestration")
