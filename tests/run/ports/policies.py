"""retryPolicy and timeout, in every spelling and every place."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import TEXT
from run.ports.words import action, echo, flow, step, trigger

THREE = {"maxRetries": 2, "backoffMs": 1}


def _flaky(name: str, beside: dict[str, Any], attempts: int | None, **config: Any) -> Case:
    """A task that succeeds with its third attempt; `attempts` is after how many it was given up, if it was."""
    document = flow(action("try", "flaky", {"until": 3}, **beside), **config)
    if attempts is None:
        return Case(f"retry: {name}", document, output={"attempts": 3})
    return Case(f"retry: {name}", document, exit=1, says=(f"attempt {attempts} fails",))


def _hangs(name: str, beside: dict[str, Any], **config: Any) -> Case:
    document = flow(step("wait", "action", {"type": "hangs", **config}, **beside))
    return Case(f"timeout: {name}", document, exit=1, error={"category": "TIMEOUT"}, says=("wait",))


POLICIES: tuple[Case, ...] = (
    *(
        _flaky(f"{' and '.join(policy)} beside the config", {"retryPolicy": policy}, None)
        for policy in (
            THREE,
            {"maxAttempts": 3, "backoffMs": 1},
            {"maxAttempts": 3, "initialInterval": 1, "maxInterval": 5, "backoffMultiplier": 1},
            {"maxAttempts": 3, "delay": 1, "strategy": "fixed"},
        )
    ),
    _flaky("an exponential strategy", {"retryPolicy": {"maxAttempts": 3, "delay": 1, "strategy": "exponential"}}, None),
    _flaky("a duration", {"retryPolicy": {"maxRetries": 2, "backoffMs": "PT0.001S"}}, None),
    Case(
        "retry: in the config",
        flow(step("try", "action", {"type": "flaky", "parameters": {"until": 3}, "retryPolicy": THREE})),
        output={"attempts": 3},
    ),
    Case(
        "retry: in the config, among the parameters",
        flow(step("try", "action", {"type": "flaky", "until": 3, "retryPolicy": THREE})),
        output={"attempts": 3},
    ),
    _flaky("of the workflow", {}, None, retryPolicy=THREE),
    _flaky("none", {}, 1),
    _flaky("not often enough", {"retryPolicy": {"maxRetries": 1, "backoffMs": 1}}, 2),
    _flaky("maxAttempts counts the first", {"retryPolicy": {"maxAttempts": 2, "backoffMs": 1}}, 2),
    _flaky(
        "of the step before that of the workflow",
        {"retryPolicy": {"maxRetries": 0, "backoffMs": 1}},
        1,
        retryPolicy=THREE,
    ),
    _flaky("an error that is to be retried", {"retryPolicy": {**THREE, "retryableErrors": ["RuntimeError"]}}, None),
    _flaky("an error that is not among them", {"retryPolicy": {**THREE, "retryableErrors": ["ValueError"]}}, 1),
    _flaky("an error that is not to be", {"retryPolicy": {**THREE, "nonRetryableErrors": ["RuntimeError"]}}, 1),
    Case(
        "retry: what a task says is not to be retried",
        flow(action("try", "breaks", {"message": "for good"}, retryPolicy={"maxRetries": 3, "backoffMs": 60_000})),
        exit=1,
        error={"retriable": False},
        says=("for good",),
    ),
    Case(
        "retry: before the error port",
        flow(
            action("try", "flaky", {"until": 3}, {"success": "a", "error": "b"}, retryPolicy=THREE),
            echo("a", x="a"),
            echo("b"),
        ),
        output={"x": "a"},
    ),
    Case(
        "retry: then the error port",
        flow(
            action("try", "flaky", {"until": 9}, {"success": "a", "error": "b"}, retryPolicy=THREE),
            echo("a"),
            echo("b", x="b"),
        ),
        output={"x": "b"},
    ),
    _hangs("in the config", {}, timeout=50),
    _hangs("a duration in the config", {}, timeout="PT0.05S"),
    _hangs("beside the config", {"timeout": 50}),
    _hangs("a duration beside it", {"timeout": "PT0.05S"}),
    Case(
        "timeout: tried again",
        flow(action("wait", "hangs", {"until": 2}, timeout=50, retryPolicy={"maxAttempts": 2, "backoffMs": 1})),
        output={"attempts": 2},
    ),
    Case(
        "timeout: by the error port",
        flow(action("wait", "hangs", {}, {"error": "b"}, timeout=50), echo("b", x="late")),
        output={"x": "late"},
    ),
    *(
        Case(
            f"timeout: of the workflow, {timeout}",
            flow(trigger("wait"), action("wait", "hangs", {}), timeout=timeout),
            exit=1,
            error={"category": "TIMEOUT", "timestamp": TEXT},
            view={"status": "failed"},
        )
        for timeout in (100, "PT0.1S")
    ),
    Case(
        "timeout: of the workflow, no error port takes it",
        flow(action("wait", "hangs", {}, {"error": "b"}), echo("b"), timeout=100),
        exit=1,
        error={"category": "TIMEOUT"},
    ),
    Case("timeout: enough of it", flow(echo("a", x=1), timeout=60_000), output={"x": 1}),
)
