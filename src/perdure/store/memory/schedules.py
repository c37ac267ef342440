"""Schedules in memory: where each stands, and what it starts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from operator import attrgetter, itemgetter

from msgspec.structs import replace

from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.ledger import fired, skipped
from perdure.store.memory import ledger, registers
from perdure.store.memory.tables import Tables, in_turn
from perdure.store.schedules import (
    PauseSchedule,
    ResetSchedule,
    ScheduleRow,
    WriteSchedule,
    activated,
    changed_by,
    no_schedule,
    reset_by,
    rested,
    written,
)


def activate(tables: Tables, organization: str, workflow: str, digest: str, model: Workflow, at: int) -> None:
    known = forget(tables, organization, workflow)
    for row in activated(organization, workflow, digest, model, at, known):
        tables.schedules[organization, workflow, row.schedule.id] = row


def rest(tables: Tables, organization: str, workflow: str) -> None:
    """No version of the workflow is active any more."""
    for row in rested(forget(tables, organization, workflow)):
        tables.schedules[organization, workflow, row.schedule.id] = row


def forget(tables: Tables, organization: str, workflow: str) -> dict[str, ScheduleRow]:
    """What there was, by id."""
    known = {place[2]: row for place, row in tables.schedules.items() if place[:2] == (organization, workflow)}
    for id_ in known:
        del tables.schedules[organization, workflow, id_]
    return known


def due(tables: Tables, now: int, limit: int) -> list[ScheduleRow]:
    """Those whose time has come, the longest due of each organization first."""
    found = [
        (row.next_at, row)
        for row in tables.schedules.values()
        if not row.paused and row.next_at is not None and row.next_at <= now
    ]
    ordered = [row for _, row in sorted(found, key=itemgetter(0))]
    return ordered if len(ordered) <= limit else list(islice(in_turn(ordered, attrgetter("organization")), limit))


def fire(tables: Tables, item: p.Fire, insert: Callable[[p.Pending], object]) -> p.Outcome:
    key = (item.organization, item.workflow, item.schedule)
    row = tables.schedules.get(key)
    if row is None or row.paused or (row.next_at, row.digest) != (item.place, item.digest):
        return p.GuardFailed(p.MOVED_ON)
    row = replace(row, next_at=item.next_at)
    for slot, pending in item.starts:
        if not item.overlap and _is_live(tables, row.last_execution):
            row = replace(row, skipped=row.skipped + 1)
            ledger.log(tables, skipped(item.organization, item.called, pending.start.at, row.last_execution))
            continue
        is_new = pending.record.id not in tables.rows
        if is_new:
            insert(pending)
        row = replace(row, last_slot=slot, last_execution=pending.record.id, skipped=0)
        ledger.log(tables, fired(item.organization, item.called, pending.start.at, pending.record.id, is_new=is_new))
    tables.schedules[key] = row
    return p.Committed()


def _is_live(tables: Tables, execution: str | None) -> bool:
    found = None if execution is None else tables.rows.get(execution)
    return found is not None and found.record.live


def pause(tables: Tables, item: PauseSchedule) -> p.Outcome:
    key = (item.organization, item.workflow, item.schedule)
    row = tables.schedules.get(key)
    if row is None:
        return p.Refused(no_schedule(item.workflow, item.schedule))
    if row.paused != item.paused:
        tables.schedules[key] = changed_by(item, row)
        registers.enter(tables, item.entry())
    return p.Committed()


def reset(tables: Tables, item: ResetSchedule) -> p.Outcome:
    key = (item.organization, item.workflow, item.schedule)
    row = tables.schedules.get(key)
    if row is None:
        return p.Refused(no_schedule(item.workflow, item.schedule))
    tables.schedules[key] = reset_by(item, row, tables.active.get((item.organization, item.workflow)))
    registers.enter(tables, item.entry(row.next_at))
    return p.Committed()


def write(tables: Tables, item: WriteSchedule) -> p.Outcome:
    lacking = registers.lacking(tables, item.organization, item.needs)
    if lacking is not None:
        return p.GuardFailed(lacking)
    key = (item.organization, item.workflow, item.schedule)
    found = written(item, tables.schedules.get(key), tables.active.get((item.organization, item.workflow)))
    if isinstance(found, str):
        return p.GuardFailed(found)
    if found is not None:
        tables.schedules.pop(key, None)
        if found.row is not None:
            tables.schedules[key] = found.row
        registers.enter(tables, item.entry())
    return p.Committed()


def page(tables: Tables, organization: str, after: tuple[str, str], limit: int) -> list[ScheduleRow]:
    found = [(key[1:], row) for key, row in tables.schedules.copy().items() if key[0] == organization]
    return [row for place, row in sorted(found, key=itemgetter(0)) if place > after][:limit]
