"""Slots: when a schedule starts executions, and what comes of those that nobody was there for.

Rules of this file:
1. Which slots there are follows from the schedule alone; which of them start something, from that, from the first slot that
   nobody has dealt with, and from the time. Who was awake when does not matter.
2. A slot is dealt with when its time has come, never before.
"""

from __future__ import annotations

from msgspec import Struct

from perdure.expressions.times import LAST_MS
from perdure.model.cron import next_ms
from perdure.model.workflow import Schedule

LATE_MS = 60_000
"""With `catch_up` "none", a slot that is later than this starts nothing any more."""


class Due(Struct, frozen=True):
    """`slots` that start an execution now, in order, and the first that nobody has dealt with after that."""

    slots: tuple[int, ...]
    next_at: int | None


def next_slot(schedule: Schedule, after: int) -> int | None:
    """The first slot after a moment, if there is one. None is after the year 9999, where instants cannot be written."""
    if schedule.start_at is not None:
        after = max(after, schedule.start_at - 1)
    if schedule.every_ms is not None:
        begin = schedule.start_at or 0
        found: int | None = begin + ((after - begin) // schedule.every_ms + 1) * schedule.every_ms
    else:
        assert schedule.cron is not None, schedule
        found = next_ms(schedule.cron, schedule.timezone, after)
    end = LAST_MS if schedule.end_at is None else min(schedule.end_at, LAST_MS)
    return found if found is None or found <= end else None


def due(schedule: Schedule, place: int, now: int, limit: int) -> Due:
    """What is to be started now, given the first slot that nobody has dealt with. At most `limit`: the others come next time."""
    if place > now:
        return Due((), place)
    if schedule.catch_up == "all":
        slots = [place]
        following = next_slot(schedule, place)
        while following is not None and following <= now and len(slots) < limit:
            slots.append(following)
            following = next_slot(schedule, following)
        return Due(tuple(slots), following)
    last = _last(schedule, place, now)
    is_missed = schedule.catch_up == "none" and now - last > LATE_MS
    return Due(() if is_missed else (last,), next_slot(schedule, last))


def resumed(schedule: Schedule, place: int | None, now: int, *, skip_missed: bool) -> int | None:
    """Where a schedule goes on that was paused. What it was not to start then is not made up for, unless it is to start all."""
    if place is None or place > now or (schedule.catch_up == "all" and not skip_missed):
        return place
    return next_slot(schedule, now)


def _last(schedule: Schedule, slot: int, now: int) -> int:
    """The last slot up to now, given one: however many there are, it does not take long."""
    end = now
    while slot < end:  # the last one is in [slot, end]
        middle = (slot + end) // 2
        following = next_slot(schedule, middle)
        if following is not None and following <= now:
            slot = following
        else:
            end = middle
    return slot
