"""Schedules in a database: where each stands, and what it starts. Whoever calls the verbs that write has begun a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

from perdure.model.workflow import Schedule, Workflow
from perdure.store import port as p
from perdure.store.ledger import fired, skipped
from perdure.store.schedules import (
    FORM,
    PauseSchedule,
    ResetSchedule,
    ScheduleRow,
    WriteSchedule,
    activated,
    changed_by,
    no_schedule,
    reset_by,
    rested,
    spec,
    written,
)
from perdure.store.sql.ledger import LedgerWrites
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.statements import Statements

_spec = msgspec.json.Decoder(Schedule)


class SqlSchedules:
    """Through any connection: the one that writes, or another that only asks."""

    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def activate(self, organization: str, workflow: str, digest: str, model: Workflow, at: int) -> None:
        whose = (organization, workflow)
        known = {row.schedule.id: row for row in readable(self.forget(*whose))}
        for row in activated(organization, workflow, digest, model, at, known):
            self._insert(row)

    def _insert(self, row: ScheduleRow) -> None:
        place = (row.next_at, row.last_slot, row.last_execution, row.skipped, int(row.added), row.reset_at)
        whose = (row.organization, row.workflow, row.schedule.id)
        self._sql.run("insert_schedule", (*whose, row.digest, spec(row.schedule), FORM, int(row.paused), *place))

    def rest(self, organization: str, workflow: str) -> None:
        """No version of the workflow is active any more."""
        for row in rested({row.schedule.id: row for row in readable(self.forget(organization, workflow))}):
            self._insert(row)

    def forget(self, organization: str, workflow: str) -> list[tuple[Any, ...]]:
        """What there was."""
        there = self._sql.all("take_schedules", (organization, workflow))
        if there:
            self._sql.run("forget_schedules", (organization, workflow))
        return there

    def fire(self, item: p.Fire, insert: Callable[[p.Pending], object], ledger: LedgerWrites) -> p.Outcome:
        """`insert` writes an execution, if it is not there already, and returns whether it was not."""
        whose = (item.organization, item.workflow, item.schedule)
        found = self._sql.one("move_schedule", (item.next_at, *whose, item.digest, item.place))
        if found is None:
            return p.GuardFailed(p.MOVED_ON)
        last_slot, last_execution, count = found
        for slot, pending in item.starts:
            if not item.overlap and self._is_live(last_execution):
                count += 1
                ledger.log(skipped(item.organization, item.called, pending.start.at, last_execution))
                continue
            is_new = bool(insert(pending))
            last_slot, last_execution, count = slot, pending.record.id, 0
            ledger.log(fired(item.organization, item.called, pending.start.at, pending.record.id, is_new=is_new))
        if item.starts:
            self._sql.run("has_fired", (last_slot, last_execution, count, *whose))
        return p.Committed()

    def _is_live(self, execution: str | None) -> bool:
        found = None if execution is None else self._sql.one("is_live", (execution,))
        return found is not None and bool(found[0])

    def pause(self, item: PauseSchedule, registers: SqlRegisters) -> p.Outcome:
        whose = (item.organization, item.workflow, item.schedule)
        there = next(readable(self._sql.all("take_schedule", whose)), None)
        if there is None:
            return p.Refused(no_schedule(item.workflow, item.schedule))
        if there.paused != item.paused:
            changed = changed_by(item, there)
            self._sql.run("pause_schedule", (int(changed.paused), changed.next_at, *whose))
            registers.enter(item.entry())
        return p.Committed()

    def reset(self, item: ResetSchedule, registers: SqlRegisters) -> p.Outcome:
        started = self._sql.one("started_by_schedules", (item.organization, item.workflow))
        whose = (item.organization, item.workflow, item.schedule)
        row = next(readable(self._sql.all("take_schedule", whose)), None)
        if row is None:
            return p.Refused(no_schedule(item.workflow, item.schedule))
        changed = reset_by(item, row, None if started is None else started[0])
        self._sql.run("reset_schedule", (changed.next_at, changed.last_slot, changed.skipped, changed.reset_at, *whose))
        registers.enter(item.entry(row.next_at))
        return p.Committed()

    def write(self, item: WriteSchedule, registers: SqlRegisters) -> p.Outcome:
        started = self._sql.one("started_by_schedules", (item.organization, item.workflow))
        lacking = registers.lacking(item.organization, item.needs)
        if lacking is not None:
            return p.GuardFailed(lacking)
        whose = (item.organization, item.workflow, item.schedule)
        there = next(readable(self._sql.all("take_schedule", whose)), None)
        found = written(item, there, None if started is None else started[0])
        if isinstance(found, str):
            return p.GuardFailed(found)
        if found is not None:
            self._sql.run("forget_schedule", whose)
            if found.row is not None:
                self._insert(found.row)
            registers.enter(item.entry())
        return p.Committed()

    def of(self, organization: str, after: tuple[str, str], limit: int) -> list[ScheduleRow]:
        return so_many(lambda most: self._sql.all("schedules_of", (organization, *after, most)), limit)

    def one(self, organization: str, workflow: str, id_: str) -> ScheduleRow | None:
        return next(readable(self._sql.all("schedule", (organization, workflow, id_))), None)


def readable(rows: Iterable[tuple[Any, ...]]) -> Iterator[ScheduleRow]:
    """One that is damaged is not there: the doctor says so, and the others go on."""
    for row in rows:
        with suppress(msgspec.DecodeError):
            yield schedule_row(row)


def so_many(asked: Callable[[int], list[tuple[Any, ...]]], limit: int) -> list[ScheduleRow]:
    """Fewer only if there are no more: those that are damaged take nobody's place. `asked`: the first so many."""
    most = limit
    while True:
        rows = asked(most)
        found = list(readable(rows))
        if len(found) >= limit or len(rows) < most:
            return found[:limit]
        most *= 2


def schedule_row(row: tuple[Any, ...]) -> ScheduleRow:
    organization, workflow, digest, written, paused, next_at, last_slot, last_execution, skipped, added, reset_at = row
    return ScheduleRow(
        workflow,
        _spec.decode(written),
        digest,
        next_at,
        organization,
        bool(paused),
        last_slot,
        last_execution,
        skipped,
        bool(added),
        reset_at,
    )
