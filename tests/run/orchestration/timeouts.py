"""EVENT_WAIT: what follows when no event comes in time."""

from __future__ import annotations

from run.case import Case
from run.expected import Holding
from run.orchestration.words import NO, YES, calls, decides, echo, flow, waits

SHORT = {"eventTimeout": {"duration": 1, "timeoutHandlerStepId": "late"}}
LATE = echo("late", v="late", code="${error.code}", stood="${steps.w.status}")

TIMEOUTS: tuple[Case, ...] = (
    Case(
        "wait: a pattern that comes to nothing",
        flow(waits("w", "${workflow.input.pattern}", "yes"), YES),
        exit=1,
        error={"message": Holding("'w'", "the pattern of an event must be a text that is not empty, not undefined")},
    ),
    Case(
        "wait: its time is over, and a handler takes over",
        flow(waits("w", "paid", "yes", **SHORT), LATE, YES),
        output={"v": "late", "code": "TIMEOUT", "stood": "FAILED"},
        view={
            "state.steps.w.status": "FAILED",
            "state.steps.w.error.code": "TIMEOUT",
            "state.steps.w.error.category": "TIMEOUT",
            "state.waitingForEvent": None,
        },
    ),
    Case(
        "wait: a handler that leads back",
        flow(
            waits("w", "paid", **SHORT),
            echo("late", "gate", n="${(steps.late.output.n ?? 0) + 1}"),
            decides(("steps.late.output.n < 3", "w"), default="END"),
        ),
        output={"n": 3},
    ),
    Case(
        "wait: its time is over, and nobody handles it",
        flow(waits("w", "paid", eventTimeout={"duration": "PT0.001S"})),
        exit=1,
        error={"code": "TIMEOUT", "category": "TIMEOUT"},
        view={"status": "FAILED", "state.steps.w.status": "FAILED", "error.code": "TIMEOUT"},
        says=("paid", "w"),
    ),
    Case(
        "wait: `timeout` of the step",
        flow(waits("w", "paid", "yes", timeout=1), YES),
        exit=1,
        error={"code": "TIMEOUT", "category": "TIMEOUT"},
    ),
    Case(
        "wait: `eventTimeout` before `timeout`",
        flow(waits("w", "paid", timeout="P3D", **SHORT), LATE),
        output={"v": "late", "code": "TIMEOUT", "stood": "FAILED"},
    ),
    Case(
        "wait: the key TIMEOUT",
        flow(waits("w", "paid", {"default": "yes", "TIMEOUT": "no"}, timeout=1), YES, NO),
        output={"v": "no"},
    ),
    Case(
        "wait: `onFailure` of its time",
        flow(waits("w", "paid", "yes", timeout=1, onFailure="no"), YES, NO),
        output={"v": "no"},
    ),
    Case(
        "wait: its handler before `onFailure`",
        flow(waits("w", "paid", onFailure="no", **SHORT), LATE, NO),
        output={"v": "late", "code": "TIMEOUT", "stood": "FAILED"},
    ),
    Case(
        "wait: a duration that is computed",
        flow(
            waits("w", "paid", eventTimeout={"duration": "${workflow.input.ms}", "timeoutHandlerStepId": "late"}), LATE
        ),
        {"ms": 1},
        output={"v": "late", "code": "TIMEOUT", "stood": "FAILED"},
    ),
    Case(
        "wait: a handler that is the end",
        flow(
            calls("echo", "a", "w", input={"x": 1}),
            waits("w", "paid", eventTimeout={"duration": 1, "timeoutHandlerStepId": "END"}),
        ),
        output={"x": 1},
        view={"status": "COMPLETED", "state.steps.w.status": "FAILED"},
    ),
)
