"""Variables, which the document and events set; and secrets, which only tasks are given."""

from __future__ import annotations

from run.case import Case
from run.orchestration.words import NO, YES, decides, echo, flow, undoes, waits, ways

VARIABLES: tuple[Case, ...] = (
    Case(
        "variables: of the document",
        flow(echo("a", v="${variables.limit}"), variables={"limit": 3}),
        output={"v": 3},
        view={"state.variables": {"limit": 3}},
    ),
    Case("variables: none", flow(echo("a")), view={"state.variables": {}}),
    Case(
        "variables: decide",
        flow(decides(("workflow.input.n > variables.limit", "yes"), default="no"), YES, NO, variables={"limit": 3}),
        {"n": 5},
        output={"v": "yes"},
    ),
    Case(
        "variables: as they are written",
        flow(echo("a", v="${variables.t}"), variables={"t": "${workflow.input.n}"}),
        output={"v": "${workflow.input.n}"},
    ),
    Case(
        "variables: the input is none",
        flow(echo("a", v="${variables.n ?? 'none'}")),
        {"n": 5},
        output={"v": "none"},
    ),
    Case(
        "variables: the output of a task is none",
        flow(echo("a", "b", n=5), echo("b", v="${variables.n ?? 'none'}")),
        output={"v": "none"},
        view={"state.variables": {}},
    ),
)


def _misused(name: str, document: object, *says: str) -> Case:
    return Case(f"refused: a secret in {name}", document, exit=2, says=("a secret can", *says))


KEY = "${secrets.API_KEY}"

SECRETS: tuple[Case, ...] = (
    Case(
        "secrets: one that is not set",
        flow(echo("a", key=KEY)),
        exit=1,
        says=("API_KEY",),
        view={"state.steps.a.status": "FAILED"},
    ),
    _misused(
        "a condition", flow(echo("a", ways(("secrets.API_KEY == 'x'", "b"))), echo("b")), "/conditions/0/condition"
    ),
    _misused("a decision", flow(decides(("${secrets.API_KEY} == 'x'", "b")), echo("b")), "/conditions/0/condition"),
    _misused("the condition of an event", flow(waits("a", "x", eventCondition="event.payload.k == secrets.API_KEY"))),
    _misused("what an event is taken for", flow(waits("a", "x", eventPayloadMapping={"k": KEY})), "/steps/0"),
    _misused(
        "the condition of a compensation", flow(echo("a"), compensationSteps=[undoes("a", condition="secrets.K == 1")])
    ),
    _misused(
        "what a handler is given",
        flow({**echo("a"), "onFailure": {"handlerStepId": "b", "inputMapping": {"k": KEY}}}, echo("b")),
        "/steps/0/onFailure/inputMapping",
    ),
    Case("refused: a secret as a key", flow(echo("a", x={KEY: 1})), exit=2, says=("secret", "/steps/0/input")),
    Case("refused: a secret in a pipe", flow(echo("a", x="${secrets.API_KEY|upper}")), exit=2, says=("secret",)),
    Case(
        "refused: a secret in plain text",
        flow(echo("a", x=KEY), secrets={"API_KEY": {"value": "sesame"}}),
        exit=2,
        says=("/secrets/API_KEY",),
    ),
)
