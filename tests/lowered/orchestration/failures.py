"""Task failure: retries → outcome key for the error code → onFailure → FAILED."""

from __future__ import annotations

from typing import Any

from lowered.base import MINUTE, Lowered, obj, x
from lowered.checks import announced, attempts, backed_off, every, failed_with, outcome
from lowered.orchestration.words import on_code, task, to, workflow
from lowered.outside import answer, broken
from perdure.model.failure import Category
from perdure.model.steps import Compute, Retry, Route, Step
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed, TaskAnswer


def _pay(*on_error: Route, retry: Retry | None = None) -> Workflow:
    return workflow(
        "pay",
        task(
            "charge",
            obj(amount=x("input.amount")),
            to("paid", key="PAID"),
            to("later", when="input.patient"),
            to("ship"),
            retry=retry or Retry(),
            on_error=on_error,
        ),
        # onFailure: {handlerStepId: "apologize", inputMapping: {why: "${steps.charge.error.message}", amount: …}}
        Step(
            "charge.onFailure",
            Compute(obj(why=x("steps.charge.error.message"), amount=x("input.amount"))),
            (to("apologize"),),
        ),
        *(task(step, obj(by=step)) for step in ("paid", "later", "ship", "declined")),
        task("apologize", x("last.step == 'charge.onFailure' ? last.output : undefined")),
    )


def _paying(name: str, seed: str, model: Workflow, answers: TaskAnswer | list[TaskAnswer], **more: Any) -> Lowered:
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=model,
        input={"amount": 5, "patient": False, **more.pop("given", {})},
        script=Fixed({"charge": answers}),
        **more,
    )


DECLINED, HANDLER, TWICE = on_code("DECLINED", "declined"), to("charge.onFailure"), Retry(attempts_max=2)

FAILURES = (
    _paying(
        "on-failure-handler",
        "semantics §2 Task failure: retries, then onFailure {handlerStepId, inputMapping}",
        _pay(DECLINED, HANDLER, retry=TWICE),
        broken("DOWN"),
        output={"why": "DOWN came back", "amount": 5},
        runs={"charge": 1, "charge.onFailure": 1, "apologize": 1},
        check=every(backed_off(1_000), outcome("charge", status="failed", error={"code": "DOWN"})),
    ),
    _paying(
        "error-code-as-outcome-key",
        "semantics §2 Task failure: retries → outcome key for the error code → onFailure",
        _pay(DECLINED, HANDLER, retry=TWICE),
        broken("DECLINED", Category.BUSINESS),
        output={"by": "declined"},
        runs={"charge": 1, "declined": 1},
        check=every(backed_off(1_000), attempts("charge", 2)),
    ),
    _paying(
        "error-category-is-no-outcome-key",
        "semantics §2 Next step: matched against the error code",
        _pay(on_code("BUSINESS", "declined"), HANDLER),
        broken("DECLINED", Category.BUSINESS),
        output={"why": "DECLINED came back", "amount": 5},
        runs={"charge": 1, "charge.onFailure": 1, "apologize": 1},
    ),
    # Everything but the outcome keys: there is no outcome.
    _paying(
        "on-failure-continue",
        "semantics §2 Task failure: onFailure: continue goes on by conditions and default",
        _pay(to("later", when="input.patient"), to("ship")),
        broken("DOWN"),
        given={"patient": True},
        output={"by": "later"},
        runs={"charge": 1, "later": 1},
        check=every(outcome("charge", status="failed"), announced("started", "completed")),
    ),
    _paying(
        "no-handler",
        "semantics §2 Task failure: → FAILED",
        _pay(DECLINED),
        broken("DOWN"),
        status="failed",
        error="DOWN came back",
        runs={"charge": 1},
        check=every(failed_with("DOWN", "charge"), announced("started", "failed")),
    ),
    _paying(
        "retry-by-category",
        "semantics §0 Retry: initialInterval by backoffMultiplier^(n-1), at most maxInterval; retryableErrors by category",
        _pay(
            retry=Retry(attempts_max=4, delay_ms=1_000, multiplier=3, delay_max_ms=2_000, only=("TRANSIENT", "LOCKED"))
        ),
        [broken("DOWN"), broken("LOCKED", Category.BUSINESS), answer({"outcome": "PAID"})],
        output={"by": "paid"},
        runs={"charge": 1, "paid": 1},
        check=every(backed_off(1_000, 2_000), attempts("charge", 3)),
    ),
    _paying(
        "retry-fixed",
        "semantics §0 Retry: {maxAttempts, delay: PT5M, strategy: fixed}; the last of three attempts fails it",
        _pay(retry=Retry(attempts_max=3, delay_ms=5 * MINUTE, multiplier=1)),
        broken("DOWN"),
        status="failed",
        runs={"charge": 1},
        check=every(backed_off(5 * MINUTE, 5 * MINUTE), failed_with("DOWN", "charge"), attempts("charge", 3)),
    ),
    _paying(
        "not-retryable",
        "semantics §0 Retry: an error that retryableErrors does not list is not retried",
        _pay(DECLINED, retry=Retry(attempts_max=4, only=("TRANSIENT",))),
        [broken("DECLINED", Category.BUSINESS), answer({"outcome": "PAID"})],
        output={"by": "declined"},
        runs={"charge": 1, "declined": 1},
        check=backed_off(),
    ),
    _paying(
        "never-retried",
        "semantics §0 Retry: nonRetryableErrors wins over retryableErrors",
        _pay(retry=Retry(attempts_max=4, only=("TRANSIENT",), never=("DECLINED",))),
        [broken("DECLINED", Category.TRANSIENT), answer({"outcome": "PAID"})],
        status="failed",
        error="DECLINED came back",
        runs={"charge": 1},
        check=backed_off(),
    ),
)
