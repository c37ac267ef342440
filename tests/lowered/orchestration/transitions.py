"""Next step: outcome keys, conditions, default."""

from __future__ import annotations

from typing import Any

from lowered.base import Lowered, obj, x
from lowered.checks import calls, every, failed_with, warned
from lowered.orchestration.words import decision, task, to, workflow
from lowered.outside import answer
from perdure.model.steps import Compute, Step
from perdure.model.values import EMPTY, Json
from perdure.testing.script import Fixed

CREDIT = workflow(
    "credit",
    task(
        "score",
        obj(amount=x("input.amount")),
        to("blocked", key="FRAUD"),
        to("manual", when="output.amount.toFixed(2) > 1000"),
        to("senior", when="output.amount.toFixed(2) > 100"),
        to("auto"),
    ),
    *(task(step, obj(by=step)) for step in ("blocked", "manual", "senior", "auto")),
)


def _credit(name: str, seed: str, scored: Json, taken: str, *warnings: str) -> Lowered:
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=CREDIT,
        input={"amount": 1},
        script=Fixed({"score": answer(scored)}),
        output={"by": taken},
        runs={"score": 1, taken: 1},
        check=every(calls("score", {"amount": 1}), warned(*warnings)),
    )


def _decided(name: str, seed: str, amount: int, **more: Any) -> Lowered:
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=workflow(
            "decision",
            task("load", obj(amount=x("input.amount")), to("decide")),
            decision("decide", to("small", when="input.amount < 10"), to("big", when="last.output.amount > 1000")),
            task("small", obj(by="small")),
            task("big", obj(by="big")),
        ),
        input={"amount": amount},
        **more,
    )


TRANSITIONS = (
    _credit(
        "first-true-condition-wins",
        "seed 002 WorkflowStep.transitions.conditions; semantics §2 Next step: first true wins",
        {"amount": 5_000},
        "manual",
    ),
    _credit("second-condition", "semantics §2 Next step: conditions in order", {"amount": 500}, "senior"),
    _credit("default-transition", "semantics §2 Next step: then default", {"amount": 100}, "auto"),
    _credit(
        "outcome-key-beats-conditions",
        "semantics §2 Next step: an outcome key (the task's `outcome`) comes before the conditions",
        {"amount": 5_000, "outcome": "FRAUD"},
        "blocked",
    ),
    _credit(
        "status-as-outcome-key",
        "semantics §2 Next step: matched against the task's outcome, status or error code",
        {"amount": 5_000, "outcome": "SCORED", "status": "FRAUD"},
        "blocked",
    ),
    _credit(
        "condition-that-throws-is-false",
        "semantics §2 Next step: a condition that throws is false, and logged",
        {"amount": "a lot"},
        "auto",
        "output.amount.toFixed(2) > 1000",
        "output.amount.toFixed(2) > 100",
    ),
    _decided(
        "decision",
        "seed 002 DECISION; semantics §2 Output: of the step that completed last",
        5_000,
        output={"by": "big"},
        runs={"load": 1, "decide": 1, "big": 1},
    ),
    _decided(
        "decision-without-match",
        "semantics §2 Next step: a DECISION with no match and no default fails",
        100,
        status="failed",
        error="'decide'",
        runs={"load": 1, "decide": 1},
        check=failed_with("UNROUTED", "decide"),
    ),
    Lowered(
        name="orchestration-choice",
        seed="semantics §2: CHOICE (`choices`, `default`) is accepted as well",
        workflow=workflow(
            "choice",
            Step("pick", Compute(), (to("air", when="input.express"), to("sea")), unrouted="fail"),
            task("air", obj(by="air")),
            task("sea"),
        ),
        input={"express": False},
        # A TASK without input gets {}.
        output={},
        runs={"pick": 1, "sea": 1},
        check=calls("sea", {}),
    ),
    # The state is written first, then the next step is determined: a step's own routes see its own outcome.
    Lowered(
        name="orchestration-condition-on-the-step-itself",
        seed="semantics §2 Scope: `workflow.state`, `steps.<id>`; the conditions of a step look at what it has just done",
        workflow=workflow(
            "itself",
            task(
                "count",
                EMPTY,
                to("count", when="steps.count.output.n < 2"),
                to("last", when="steps.count.output.n == 2"),
            ),
            task("last", obj(by="last")),
        ),
        script=Fixed({"count": [answer({"n": 1}), answer({"n": 2})]}),
        output={"by": "last"},
        runs={"count": 2, "last": 1},
    ),
)
