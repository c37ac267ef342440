"""Semantics §1 Routing, Errors, Retry."""

from __future__ import annotations

from typing import Any

from lowered.base import HOUR, T0, Happening, Lowered, obj, x
from lowered.checks import (
    announced,
    attempts,
    backed_off,
    calls,
    ended_after,
    every,
    facts,
    failed_with,
    is_running,
    moments,
    outcome,
    warned,
)
from lowered.outside import answer, broken, retry
from lowered.ports.words import action, on, step, workflow
from perdure.core import facts as f
from perdure.model.failure import Category
from perdure.model.steps import Retry, Route, Task
from perdure.model.values import EMPTY
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed, TaskAnswer
from perdure.testing.world import World


def _looked_up(name: str, answered: str | None, *routes: Route, **more: Any) -> tuple[Workflow, Fixed]:
    marks = [action(target, "mark", obj(at=target)) for target in dict.fromkeys(t for r in routes for t in r.to)]
    found = workflow(name, action("ask", "ask", EMPTY, *routes, **more), *marks)
    return found, Fixed({"ask": TaskAnswer(output="asked", port=answered)})


def _routed(name: str, seed: str, answered: str | None, to: str | None, *routes: Route, **more: Any) -> Lowered:
    """A step that answers on a port, and which step that leads to."""
    model, script = _looked_up(name, answered, *routes, unrouted=more.pop("unrouted", "warn"))
    return Lowered(
        name=f"ports-{name}",
        seed=seed,
        workflow=model,
        script=script,
        output="asked" if to is None else {"at": to},
        runs={"ask": 1} if to is None else {"ask": 1, to: 1},
        **{"check": warned(), **more},
    )


def _timed_out_once(world: World) -> None:
    (retrying,) = facts(world, f.StepRetrying)
    assert (retrying.at, retrying.error.code, retrying.error.category) == (T0 + 5_000, "TIMEOUT", "TIMEOUT")


def _retried_by_ann(world: World) -> None:
    assert [fact.by for fact in facts(world, f.ExecutionRetried)] == ["ann"]
    assert moments(world, f.ExecutionFailed) == [T0 + 2_030]


ROUTING = (
    _routed(
        "port-exact-beats-alias",
        "semantics §1 Routing: exactly, then its alias, then default",
        "onSuccess",
        "exact",
        on("onSuccess", "exact"),
        on("success", "alias"),
        on(None, "fallback"),
    ),
    # The map names onApprove and default; the compiler adds the names that onApprove is an alias of.
    _routed(
        "port-alias-beats-default",
        "semantics §1 Routing: approved = onApprove = approve",
        "approve",
        "yes",
        on("onApprove", "yes"),
        on("approved", "yes"),
        on("approve", "yes"),
        on(None, "fallback"),
    ),
    _routed(
        "port-default",
        "semantics §1 Routing: default is looked up last",
        "odd",
        "fallback",
        on("success", "usual"),
        on(None, "fallback"),
    ),
    _routed(
        "port-success-is-what-a-task-returns-on",
        "semantics §1 Routing: a task's return value is output.data on port success",
        None,
        "usual",
        on("success", "usual"),
        on(None, "fallback"),
    ),
    _routed(
        "port-unrouted-completes",
        "seed 000 §7; semantics §1 Routing: nothing found completes with a warning in the history",
        "surprise",
        None,
        on("success", "usual"),
        check=warned("'surprise'"),
    ),
    Lowered(
        name="ports-port-unrouted-strict",
        seed="semantics §1 Routing: config.strictPorts makes it a failure",
        workflow=_looked_up("strict", None, on("success", "usual"), unrouted="fail")[0],
        script=Fixed({"ask": TaskAnswer(output="asked", port="surprise")}),
        status="failed",
        error="'surprise'",
        runs={"ask": 1},
        check=failed_with("UNROUTED", "ask"),
    ),
    _routed(
        "port-strict-without-a-map",
        "semantics §1 Routing: an empty or absent map always ends normally, strictPorts or not",
        "surprise",
        None,
        unrouted="fail",
    ),
    Lowered(
        name="ports-error-port",
        seed="semantics §1 Errors: a failing step with an error port (here onFailure) does not fail the execution",
        workflow=workflow(
            "error port",
            action("charge", "charge", EMPTY, on("success", "ship"), on_error=(on(None, "refund"),)),
            action("ship", "ship"),
            action("refund", "refund", obj(why=x("steps.charge.error.code"), said=x("steps.charge.error.message"))),
        ),
        script=Fixed({"charge": broken("DECLINED", Category.BUSINESS)}),
        output={"why": "DECLINED", "said": "DECLINED came back"},
        runs={"charge": 1, "refund": 1},
        check=every(outcome("charge", status="failed"), warned(), announced("started", "completed")),
    ),
    Lowered(
        name="ports-default-is-no-error-port",
        seed="semantics §1 Errors: a failing step fails the execution, unless its map has an error port",
        workflow=workflow("no error port", action("charge", "charge", EMPTY, on(None, "ship")), action("ship", "ship")),
        script=Fixed({"charge": broken("DECLINED")}),
        status="failed",
        error="DECLINED came back",
        runs={"charge": 1},
        check=failed_with("DECLINED", "charge"),
    ),
    Lowered(
        name="ports-retries-then-success",
        seed="semantics §0 Retry: maxRetries 2 is 3 attempts, 1 s and 2 s apart, plus up to 10 %; one idempotency key",
        workflow=workflow(
            "retries",
            step("call", Task("call", obj(id=x("input.id")), Retry(attempts_max=3, delay_ms=1_000)), on("success")),
        ),
        input={"id": 7},
        script=Fixed({"call": [broken(), broken(), answer("third")]}),
        happenings=(Happening(500, is_running),),
        output="third",
        runs={"call": 1},
        check=every(calls("call", {"id": 7}), backed_off(1_000, 2_000), attempts("call", 3)),
    ),
    Lowered(
        name="ports-non-retryable-error",
        seed="semantics §0 Retry: a task can raise a non-retryable error; no further attempt, whatever the policy",
        workflow=workflow("final", step("call", Task("call", retry=Retry(attempts_max=5)), on("success"))),
        script=Fixed({"call": [broken("BAD_REQUEST", retriable=False), answer("never")]}),
        status="failed",
        error="BAD_REQUEST came back",
        runs={"call": 1},
        check=every(failed_with("BAD_REQUEST", "call"), attempts("call", 1), ended_after(10)),
    ),
    Lowered(
        name="ports-step-timeout-is-retried",
        seed="semantics §0 Timeouts: the attempt fails with TIMEOUT and is retried by its policy",
        workflow=workflow(
            "slow", step("call", Task("call", retry=Retry(attempts_max=2), timeout_ms=5_000), on("success"))
        ),
        script=Fixed({"call": [TaskAnswer(silent=True), answer("in time")]}),
        output="in time",
        runs={"call": 1},
        check=every(_timed_out_once, attempts("call", 2)),
    ),
    Lowered(
        name="ports-late-answer-of-a-timed-out-attempt",
        seed="semantics §0 Timeouts; architecture 3: a late attempt 1 is told from attempt 2 and changes nothing",
        workflow=workflow(
            "late",
            step(
                "call",
                Task("call", retry=Retry(attempts_max=2, delay_ms=500, jitter=0), timeout_ms=5_000),
                on("success"),
            ),
        ),
        script=Fixed({"call": [answer("done", 6_000), answer("done", 3_000)]}),
        output="done",
        runs={"call": 1},
        check=every(_timed_out_once, attempts("call", 2), ended_after(8_500)),
    ),
    Lowered(
        name="ports-retry-of-a-failed-execution",
        seed="semantics §0 Status: a retry continues from the failed step; Durability: with the same idempotency key",
        # Two attempts before the failure and two after the retry: what is outside counts the failed ones.
        workflow=workflow(
            "retry",
            action("before", "before", obj(n=1), on("success", "call")),
            step("call", Task("call", retry=Retry(attempts_max=2, delay_ms=2_000, jitter=0)), on("success", "after")),
            action("after", "after", obj(got=x("last.output"), first=x("steps.before.output.n"))),
        ),
        script=Fixed({"call": [broken(), broken(), answer("at last")]}),
        happenings=(Happening(HOUR, retry),),
        output={"got": "at last", "first": 1},
        runs={"before": 1, "call": 1, "after": 1},
        check=every(_retried_by_ann, attempts("call", 4), calls("before", {"n": 1}), calls("call", {})),
    ),
)
