"""Downtimes: what is started after each of them is what the policy says of the slots that had passed, counted one by one.

With PERDURE_PATIENCE=1 there are a thousand schedules, each with downtimes from a second to a day; without it a hundred.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from random import Random
from typing import Literal

from perdure.core.schedules import due, next_slot
from perdure.model.workflow import Schedule
from schedules.oracle import Fields

CASES = 1_000 if os.environ.get("PERDURE_PATIENCE") == "1" else 100
MINUTE = 60_000
BEGIN = 1_767_225_600_000
"""2026, in UTC."""

SPAN = 4 * 1_440
CRONS = ("* * * * *", "*/7 * * * *", "0 * * * *", "30 */5 * * *", "15 3 * * *", "0 0 2 * *", "5,50 8-17 * * FRI,SAT")


def slots_of(schedule: Schedule) -> list[int]:
    """Minute by minute."""
    if schedule.every_ms is not None:
        begin = schedule.start_at or 0
        found = [at for n in range(SPAN) if ((at := BEGIN + n * MINUTE) - begin) % schedule.every_ms == 0]
    else:
        fits = Fields(schedule.cron or "")
        found = [at for n in range(SPAN) if fits(datetime.fromtimestamp((at := BEGIN + n * MINUTE) / 1_000, UTC))]
    return [at for at in found if (schedule.start_at or 0) <= at <= (schedule.end_at or at)]


def made(chance: Random) -> Schedule:
    start = BEGIN + chance.randrange(SPAN // 4) * MINUTE if chance.random() < 0.3 else None
    end = BEGIN + chance.randrange(SPAN // 2, SPAN) * MINUTE if chance.random() < 0.3 else None
    policies: tuple[Literal["one", "none", "all"], ...] = ("one", "none", "all")
    policy = chance.choice(policies)
    if chance.random() < 0.3:
        return Schedule(
            "s", every_ms=chance.choice((1, 5, 60, 1_440)) * MINUTE, start_at=start, end_at=end, catch_up=policy
        )
    return Schedule("s", cron=chance.choice(CRONS), start_at=start, end_at=end, catch_up=policy)


def expected(schedule: Schedule, passed: list[int], now: int) -> list[int]:
    if schedule.catch_up == "all":
        return passed
    return [slot for slot in passed[-1:] if schedule.catch_up == "one" or now - slot <= MINUTE]


def started(schedule: Schedule, place: int | None, now: int, limit: int) -> tuple[list[int], int | None]:
    """All that is started now, some at a time."""
    found: list[int] = []
    while place is not None and place <= now:
        what = due(schedule, place, now, limit)
        found += what.slots
        place = what.next_at
    return found, place


def test_after_each_downtime_the_policy_is_kept() -> None:
    seen = {"one": 0, "none": 0, "all": 0}
    for case in range(CASES):
        chance = Random(case)
        schedule, now = made(chance), BEGIN + chance.randrange(MINUTE)
        slots, place = slots_of(schedule), next_slot(schedule, BEGIN - 1)
        dealt_with = BEGIN - 1
        while now < BEGIN + SPAN * MINUTE:
            passed = [slot for slot in slots if dealt_with < slot <= now]
            found, place = started(schedule, place, now, chance.choice((1, 3, 100)))
            assert found == expected(schedule, passed, now), (case, schedule, now)
            seen[schedule.catch_up] += len(passed) > 1
            dealt_with = now
            now += int(10 ** chance.uniform(3, 8))  # from a second to a day and more
    assert all(count > CASES / 10 for count in seen.values()), seen
