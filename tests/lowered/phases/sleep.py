"""Sleep: for so long, or until an instant."""

from __future__ import annotations

from lowered.base import T0, Lowered, k, x
from lowered.checks import Check, begun, ended, facts, given, stood
from lowered.outside import answer
from lowered.phases.words import phases, ran, tool
from perdure.core import facts as f
from perdure.model.steps import Step, Timer
from perdure.model.values import Value
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed
from perdure.testing.world import World


def _sleep(**timer: Value) -> Workflow:
    return phases(
        "job",
        (tool("start-job", task="api/start"),),
        (Step("wait", Timer(**timer)),),
        (tool("check-status", task="api/status"),),
    )


SLEEP_RAN = ran("start-job", "wait", "check-status", barriers=3)


def _slept(ms: int) -> Check:
    def check(world: World) -> None:
        (opened,) = facts(world, f.TimerOpened)
        assert begun(world, "check-status")[0] == opened.due_at == opened.at + ms
        assert given(world, "check-status") == [{"slept": True, "ms": ms}]
        assert stood(world, opened.at + ms // 2) == ("waiting", "timer wait")

    return check


SLEEP_MS = Lowered(
    name="phases-sleep-ms",
    seed="seed 003 §4 Sleep/Wait, semantics §3 sleep [67]",
    workflow=_sleep(delay_ms=k(3_600_000)),
    output={"slept": True, "ms": 3_600_000},
    runs=SLEEP_RAN,
    check=_slept(3_600_000),
)


def _awake_at_the_instant(world: World) -> None:
    (opened,) = facts(world, f.TimerOpened)
    assert opened.due_at == T0 + 7_200_000
    _slept(opened.due_at - opened.at)(world)


SLEEP_UNTIL = Lowered(
    name="phases-sleep-until-beats-ms",
    seed="semantics §3 sleep: until beats ms, and may be a ref [67]",
    workflow=_sleep(delay_ms=k(5_000), until=x('steps["start-job"].output.readyAt')),
    script=Fixed({"start-job": answer({"readyAt": T0 + 7_200_000})}),
    runs=SLEEP_RAN,
    check=_awake_at_the_instant,
)


def _did_not_sleep(world: World) -> None:
    assert facts(world, f.TimerOpened) == []
    assert begun(world, "check-status")[0] == ended(world, "start-job")[0]


SLEEP_PAST = Lowered(
    name="phases-sleep-until-the-past",
    seed="semantics §3 sleep: past = no wait, whatever ms says [67]",
    workflow=_sleep(delay_ms=k(5_000), until=x("input.until")),
    input={"until": T0 - 1},
    output={"slept": True, "ms": 0},
    runs=SLEEP_RAN,
    check=_did_not_sleep,
)

SLEEPS = (SLEEP_MS, SLEEP_UNTIL, SLEEP_PAST)
