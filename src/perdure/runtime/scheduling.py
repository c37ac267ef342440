"""What a schedule starts now: the executions of its slots whose time has come, and where it stands after that."""

from __future__ import annotations

from perdure.core.advance import Start
from perdure.core.schedules import due
from perdure.expressions.times import iso
from perdure.ids import derived
from perdure.model.cron import on_the_wall
from perdure.runtime.writes import pending
from perdure.store.port import Fire, Pending
from perdure.store.schedules import ScheduleRow

SLOTS_MAX = 100
"""So many slots of one schedule are dealt with in one commit. If there are more, the next ones follow."""


def fire(row: ScheduleRow, now: int) -> Fire | None:
    """The commit that fires a schedule. None: its time has not come, by this clock."""
    if row.next_at is None or row.next_at > now:
        return None
    found = due(row.schedule, row.next_at, now, SLOTS_MAX)
    return Fire(
        row.workflow,
        row.schedule.id,
        row.digest,
        row.next_at,
        found.next_at,
        tuple((slot, _start(row, slot, now)) for slot in found.slots),
        row.schedule.overlap == "allow",
        row.organization,
    )


def _start(row: ScheduleRow, slot: int, now: int) -> Pending:
    schedule = row.schedule
    data = {
        "schedule": schedule.id,
        "slot": iso(slot),
        "scheduledAt": on_the_wall(schedule.timezone, slot),
        "timezone": schedule.timezone,
        "firedAt": iso(now),
    }
    named = (row.organization, row.workflow, schedule.id, slot)
    start = Start(
        at=now,
        execution=derived(*named) if row.reset_at is None else derived(*named, f"reset {row.reset_at}"),
        input={} if schedule.input is None else schedule.input,
        organization=row.organization,
        trigger="schedule",
        trigger_data=data,
    )
    return pending(start, row.workflow, row.digest)
