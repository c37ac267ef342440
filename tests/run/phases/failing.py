"""Phases that run side by side, and what becomes of one in which something fails."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import ABSENT, TEXT, Holding
from run.phases.words import breaks, calls, each, echo, flow, gives, sleeps


def _attempts(name: str, retry: Any, attempts: int, *, until: int = 9, **more: Any) -> Case:
    """Of a step that fails until its so-manieth attempt."""
    fails = until > attempts
    given = {"until": until, **more}
    return Case(
        f"retry: {name}",
        flow(calls("flaky", "a", input=given, **({} if retry is None else {"retry": retry}))),
        exit=1 if fails else 0,
        view={
            "steps.a.status": "failed",
            "error": f"a: attempt {attempts} fails",
            "steps.a.attempts": attempts if attempts > 1 else ABSENT,
        }
        if fails
        else {"output": {"attempts": until}, "steps.a.attempts": until},
    )


PHASES: tuple[Case, ...] = (
    Case(
        "phase: several at once, and the next after all of them",
        flow(
            gives("a", {"data": "raw"}),
            [echo(name, data="@a.data", x=name) for name in "bcde"],
            echo("f", fromB="@b.x", fromE="@e.output.x", original="@a.output.data"),
        ),
        output={"fromB": "b", "fromE": "e", "original": "raw"},
        ran=("a", "b", "c", "d", "e", "f"),
        view={"steps.a.phase": 0, "steps.e.phase": 1, "steps.f.phase": 2},
    ),
    Case(
        "phase: several to begin with",
        flow([gives("a", 1), gives("b", 2)], [gives("c", 3), echo("d", x="@a", y="@b")]),
        output={"c": 3, "d": {"x": 1, "y": 2}},
        view={"steps.b.phase": 0, "steps.d.phase": 1},
    ),
    Case(
        "phase: what a step is told of",
        flow(echo("a", x=1)),
        view={
            "status": "completed",
            "steps.a": {
                "status": "completed",
                "phase": 0,
                "startedAt": TEXT,
                "completedAt": TEXT,
                "input": {"x": 1},
                "output": {"x": 1},
            },
            "startedAt": Holding("T", "Z"),
            "completedAt": Holding("T", "Z"),
            "triggerDepth": 0,
            "parentExecutionId": None,
            "triggerStatus": ABSENT,
            "triggeredExecutionIds": ABSENT,
            "error": None,
        },
    ),
    Case(
        "failure: siblings run to their end, and nothing after them",
        flow(
            [
                breaks("a", "no disk"),
                gives("b", 2),
                sleeps("c", ms=5),
                calls("flaky", "d", input={"until": 2}, retry={"backoffMs": 1}),
            ],
            echo("next"),
        ),
        exit=1,
        ran=("a", "b", "c", "d"),
        view={
            "status": "failed",
            "error": "a: no disk",
            "steps.a.status": "failed",
            "steps.a.error": "no disk",
            "steps.a.output": ABSENT,
            "steps.b.status": "completed",
            "steps.c.output": {"slept": True, "ms": 5},
            "steps.d.output": {"attempts": 2},
        },
    ),
    Case(
        "failure: of several, each by its name",
        flow([breaks("A", "no disk"), gives("B", 1), breaks("C", "no net")], echo("next")),
        exit=1,
        ran=("A", "B", "C"),
        view={"error": "A: no disk; C: no net", "steps.A.error": "no disk", "steps.C.error": "no net"},
        says=("A: no disk; C: no net",),
    ),
    Case(
        "failure: of one alone, by its name as well",
        flow([breaks("A", "no disk"), gives("B", 1)], echo("next")),
        exit=1,
        view={"error": "A: no disk", "steps.A.error": "no disk"},
        error={"message": "A: no disk"},
    ),
    Case(
        "failure: of the first phase, and the second is not begun", flow(breaks("a"), gives("b", 1)), exit=1, ran=("a",)
    ),
    Case(
        "failure: its code and its kind",
        flow(calls("breaks", "a", input={"message": "no", "code": "DECLINED"})),
        exit=1,
        error={"code": "DECLINED", "category": "PERMANENT", "message": "a: no"},
    ),
    Case(
        "failure: what is no JSON",
        flow(calls("not_json", "a", input={})),
        exit=1,
        view={"steps.a.status": "failed"},
        error={"category": "VALIDATION"},
    ),
    _attempts("absent, one attempt", None, 1),
    _attempts("present, three attempts", {"backoffMs": 1}, 3),
    _attempts("empty is three, too, and the last is in time", {"delay": 1}, 3, until=3),
    _attempts("maxAttempts", {"maxAttempts": 2, "backoffMs": 1}, 2),
    _attempts("maxAttempts 1", {"maxAttempts": 1}, 1),
    _attempts("maxRetries is one more", {"maxRetries": 1, "backoffMs": 1}, 2),
    _attempts("maxRetries 0", {"maxRetries": 0}, 1),
    _attempts("delay and strategy", {"maxAttempts": 4, "delay": 1, "strategy": "fixed"}, 4),
    _attempts(
        "initialInterval, maxInterval and backoffMultiplier",
        {"maxAttempts": 3, "initialInterval": "PT0.001S", "maxInterval": 2, "backoffMultiplier": 3},
        3,
    ),
    _attempts(
        "retryableErrors that name it", {"maxAttempts": 3, "backoffMs": 1, "retryableErrors": ["BUSY"]}, 3, code="BUSY"
    ),
    _attempts(
        "retryableErrors that do not", {"maxAttempts": 3, "backoffMs": 1, "retryableErrors": ["LOST"]}, 1, code="BUSY"
    ),
    _attempts(
        "nonRetryableErrors that name it",
        {"maxAttempts": 3, "backoffMs": 1, "nonRetryableErrors": ["BUSY"]},
        1,
        code="BUSY",
    ),
    _attempts("that helps", {"maxAttempts": 3, "backoffMs": 1}, 3, until=2),
    Case(
        "retry: not of what says that it does not help",
        flow(breaks("a", retry={"maxAttempts": 3, "backoffMs": 1})),
        exit=1,
        view={"steps.a.attempts": ABSENT, "error": "a: the card was declined"},
    ),
    Case(
        "retry: of each item",
        flow(each("@input", "flaky", input={"until": "@item"}, retry={"maxAttempts": 3, "backoffMs": 1})),
        [1, 3, 2],
        output=[{"attempts": 1}, {"attempts": 3}, {"attempts": 2}],
        view={
            "steps.each.iterations.0.attempts": ABSENT,
            "steps.each.iterations.1.attempts": 3,
            "steps.each.iterations.2.attempts": 2,
        },
    ),
    Case(
        "timeout: of a step that hangs",
        flow(calls("hangs", "a", input={}, timeout=20)),
        exit=1,
        error={"code": "TIMEOUT", "category": "TIMEOUT"},
        view={"error": Holding("20")},
    ),
    Case(
        "timeout: as a duration",
        flow(calls("hangs", "a", input={}, timeout="PT0.02S")),
        exit=1,
        error={"code": "TIMEOUT"},
    ),
    Case(
        "timeout: is retried",
        flow(calls("hangs", "a", input={"until": 2}, timeout=50, retry={"maxAttempts": 2, "backoffMs": 1})),
        output={"attempts": 2},
        view={"steps.a.attempts": 2},
    ),
    Case(
        "timeout: of the whole",
        flow(calls("hangs", "a", input={}), timeout=50),
        exit=1,
        error={"code": "TIMEOUT"},
        view={"steps.a.status": "cancelled"},
    ),
    Case(
        "timeout: one item's fails the step",
        flow(each("@input", "hangs", timeout=20)),
        [1],
        exit=1,
        view={"steps.each.iterations.0.status": "failed"},
        error={"code": "TIMEOUT"},
    ),
)

REFUSED: tuple[Case, ...] = (
    *(
        Case(
            f"refused: retry, {name}",
            flow({**echo("a"), "retry": retry}),
            exit=2,
            says=(f"/steps/0/0/retry{path}", *says),
        )
        for name, retry, path, says in (
            ("a number", 3, "", ("an object, not 3",)),
            ("no attempts", {"maxAttempts": 0}, "/maxAttempts", ("from 1 up",)),
            ("attempts and retries", {"maxAttempts": 1, "maxRetries": 1}, "/maxRetries", ("not both",)),
            ("less than no time", {"backoffMs": -1}, "/backoffMs", ("milliseconds",)),
            ("a strategy that is none", {"strategy": "linear"}, "/strategy", ("exponential, fixed",)),
            ("errors that are a text", {"retryableErrors": "BUSY"}, "/retryableErrors", ("an array",)),
        )
    ),
    Case(
        "refused: retry of a sleep",
        flow({**sleeps(ms=1), "retry": {}}),
        exit=2,
        says=("/steps/0/0/retry", "only a tool step can be retried", "a sleep"),
    ),
)
