"""Sleeps: for so long, or until an instant."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import NUMBER, Holding
from run.phases.words import calls, echo, flow, gives, sleeps

PAST = "2020-01-01T00:00:00Z"
FUTURE = "2199-01-01T00:00:00Z"


def _slept(name: str, ms: Any, sleep: dict[str, Any], given: Any = None) -> Case:
    return Case(
        f"sleep: {name}",
        flow(sleeps("nap", **sleep)),
        given,
        output={"slept": True, "ms": ms},
        view={"steps.nap.status": "completed"},
    )


def _waits(name: str, sleep: dict[str, Any], given: Any = None) -> Case:
    """It is not waited for to the end."""
    return Case(
        f"sleep: {name}",
        flow(sleeps("nap", **sleep), echo("next")),
        given,
        exit=3,
        ran=("nap",),
        view={"status": "running", "steps.nap.status": "running", "completedAt": None},
        waits={"kind": "timer", "step": "nap"},
        arguments=("--timeout", "0"),
    )


def _fails(name: str, sleep: dict[str, Any], given: Any, *says: str) -> Case:
    return Case(
        f"sleep: {name}",
        flow(sleeps("nap", **sleep)),
        given,
        exit=1,
        view={"steps.nap.status": "failed", "error": Holding(*says)},
    )


def _refused(name: str, sleep: Any, *says: str) -> Case:
    return Case(
        f"refused: sleep, {name}", flow({"name": "nap", "sleep": sleep}), exit=2, says=("/steps/0/0/sleep", *says)
    )


SLEEPS: tuple[Case, ...] = (
    _slept("ms", 5, {"ms": 5}),
    _slept("no time at all", 0, {"ms": 0}),
    _slept("half a millisecond", NUMBER, {"ms": 0.5}),
    _slept("a duration", 2, {"ms": "PT0.002S"}),
    _slept("until the past", 0, {"until": PAST}),
    _slept("until beats ms", 0, {"until": PAST, "ms": 3_600_000}),
    _slept("until a moment in milliseconds, long ago", 0, {"until": 1_000}),
    _slept("ms, a ref", 3, {"ms": "@input.ms"}, {"ms": 3}),
    _slept("ms, a ref to less than no time", 0, {"ms": "@input.ms"}, {"ms": -5}),
    _slept("ms, a ref to a duration", 3, {"ms": "@input.ms"}, {"ms": "PT0.003S"}),
    _slept("until, a ref", 0, {"until": "@input.at"}, {"at": PAST}),
    _slept("until, a ref with a text around it", 0, {"until": "20@input.rest"}, {"rest": "20-01-01"}),
    Case(
        "sleep: until what a step has answered",
        flow(gives("job", {"readyAt": PAST}), sleeps("nap", until="@job.output.readyAt"), calls("echo", "c")),
        output={"slept": True, "ms": 0},
    ),
    _waits("long", {"ms": 3_600_000}),
    _waits("a long duration", {"ms": "P3D"}),
    _waits("until the future", {"until": FUTURE}),
    _waits("until the future beats no time", {"until": FUTURE, "ms": 0}),
    _waits("until the future, a ref", {"until": "@input.at"}, {"at": FUTURE}),
    _fails("a ref to what is no time", {"ms": "@input.ms"}, {"ms": "soon"}, "nap", "soon"),
    _fails("a ref to what is not there", {"until": "@input.at"}, {}, "nap", "'until' is undefined (@input.at)"),
    _fails("a ref to null", {"until": "@input.at"}, {"at": None}, "nap", "'until' is null"),
    _fails("a ref to an object", {"ms": "@input.ms"}, {"ms": {}}, "nap"),
    _refused("neither ms nor until", {}, "a sleep needs 'ms'", "'until'"),
    _refused("both null", {"ms": None, "until": None}, "a sleep needs 'ms'"),
    _refused("ms that is no time", {"ms": "soon"}, "/ms", "'soon'", "PT5M"),
    _refused("ms that is a flag", {"ms": True}, "/ms"),
    _refused("ms that is less than nothing", {"ms": -1}, "/ms", "from 0 up"),
    _refused("until that is no instant", {"until": "tomorrow"}, "/until", "'tomorrow'", "2026-11-15T10:00:00Z"),
    _refused("until a day that is none", {"until": "2026-02-30"}, "/until"),
    _refused("until that is a list", {"until": []}, "/until"),
)
