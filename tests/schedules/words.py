"""Short words for worlds with schedules."""

from __future__ import annotations

from typing import Any

from perdure.core.facts import ExecutionStarted
from perdure.expressions.times import instant_ms
from perdure.model.steps import Compute, Step, Timer
from perdure.model.values import Constant
from perdure.model.workflow import Entry, Schedule, Workflow
from perdure.store.schedules import ScheduleRow
from perdure.testing.world import World

MINUTE, HOUR = 60_000, 3_600_000


def ticks(*schedules: Schedule, takes_ms: int = 0, name: str = "tick", **more: Any) -> Workflow:
    """A workflow that takes so long and is started by these."""
    work = Timer(Constant(takes_ms)) if takes_ms else Compute(Constant("done"))
    return Workflow(name, (Step("a", work),), (Entry("a"),), schedules=schedules, **more)


def run_until(world: World, time: int) -> None:
    """Somebody is awake until then."""
    world.until = time
    world.run()
    world.now = max(world.now, time)


def asleep_until(world: World, time: int) -> None:
    """Nobody is."""
    world.now = time


def fired(world: World) -> list[tuple[int, int]]:
    """(slot, when its execution was started), in the order of their slots."""
    found = []
    for row in world.store.rows.values():
        started = row.facts[0] if row.facts else None
        if isinstance(started, ExecutionStarted) and started.trigger == "schedule":
            found.append((slot_of(started), started.at))
    return sorted(found)


def slots(world: World) -> list[int]:
    return [slot for slot, _ in fired(world)]


def slot_of(started: ExecutionStarted) -> int:
    return instant_ms(started.trigger_data["slot"])


def standing(world: World, schedule: str = "s", workflow: str = "tick") -> ScheduleRow:
    return world.store.schedules["default", workflow, schedule]
