"""Schedules as a store keeps them: a row for each schedule of an active version, with the first slot that nobody has dealt with.

Whoever fires a schedule finds its row where they saw it and moves it on, with what is started, in one commit: another one who
saw the same finds it elsewhere. A row is made and changed where a version becomes active.

Other schedules are added to a workflow, and stand in none of its versions. They start the active one, whichever that is; while
none is, they start nothing.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import count
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.core.schedules import next_slot, resumed
from perdure.expressions.times import iso
from perdure.model.workflow import Schedule, Workflow
from perdure.store.registers import Needs, WriteCard

FORM = 1
"""Of what is written of a schedule. One of another form is not offered: whoever wrote it means more by it than is known here."""

REGISTER = "schedules"
"""Under which the audit has what was done to them."""


class ScheduleRow(Struct, frozen=True, omit_defaults=True):
    """
    digest          of the version that it starts
    next_at         the first slot that nobody has dealt with; None: there is none any more
    last_slot       the last that has started an execution, which is `last_execution`
    skipped         so many slots since then have started none, because that one had not ended
    added           to the workflow, and in none of its versions
    reset_at        when it was reset last; None: never. The ids of what it starts follow from it
    """

    workflow: str
    schedule: Schedule
    digest: str
    next_at: int | None
    organization: str = "default"
    paused: bool = False
    last_slot: int | None = None
    last_execution: str | None = None
    skipped: int = 0
    added: bool = False
    reset_at: int | None = None


class PauseSchedule(Struct, frozen=True, gc=False, omit_defaults=True):
    """Let a schedule start nothing until it is resumed, or resume it; and say in the audit who did. One that is so already stays
    so, and nothing is said. Refused: there is no such schedule.

    skip_missed  resumed, it does not make up for what it has not started, also if it is to start all
    """

    workflow: str
    schedule: str
    paused: bool
    at: int
    by: str
    organization: str = "default"
    skip_missed: bool = False
    writer: str = ""

    def entry(self) -> WriteCard:
        """What the audit is to say."""
        return WriteCard(
            REGISTER,
            f"{self.workflow}/{self.schedule}",
            None,
            self.at,
            self.by,
            "schedule.paused" if self.paused else "schedule.resumed",
            self.organization,
            details={"skipMissed": True} if self.skip_missed else None,
            writer=self.writer,
        )


class ResetSchedule(Struct, frozen=True, gc=False, omit_defaults=True):
    """Let a schedule go on with its first slot after `at`, wherever it stands, and say in the audit who did.

    A wrong clock may have moved it into the future. What it started for slots after `at` does not keep these from starting
    something. If it is paused, it stays so. Refused: there is no such schedule.
    """

    workflow: str
    schedule: str
    at: int
    by: str
    organization: str = "default"
    writer: str = ""

    def entry(self, place: int | None) -> WriteCard:
        """Return what the audit is to say. `place`: where the schedule stood."""
        return WriteCard(
            REGISTER,
            f"{self.workflow}/{self.schedule}",
            None,
            self.at,
            self.by,
            "schedule.reset",
            self.organization,
            details={"nextAt": place},
            writer=self.writer,
        )


class WriteSchedule(Struct, frozen=True, gc=False, omit_defaults=True):
    """Add a schedule to a workflow, change one that was added, or take it away (`after` is None); and say so in the audit.

    before  as it has to be by now; None: there must be none of this id
    needs   as in `WriteCard`

    Sent again because the answer was lost, it is answered as if it had just been committed. GuardFailed: it is not as it was, or
    a card is not; or the schedule stands in the document; or one is added to a workflow that has no active version.
    """

    workflow: str
    schedule: str
    before: Schedule | None
    after: Schedule | None
    at: int
    by: str
    organization: str = "default"
    needs: Needs = ()
    writer: str = ""

    def entry(self) -> WriteCard:
        """What the audit is to say."""
        done = "added" if self.before is None else "removed" if self.after is None else "changed"
        return WriteCard(
            REGISTER,
            f"{self.workflow}/{self.schedule}",
            None,
            self.at,
            self.by,
            f"schedule.{done}",
            self.organization,
            writer=self.writer,
        )


class Rewritten(Struct, frozen=True):
    """What becomes of a schedule. `row` None: it is taken away."""

    row: ScheduleRow | None


def written(item: WriteSchedule, there: ScheduleRow | None, digest: str | None) -> Rewritten | str | None:
    """What `item` does, or why it cannot; None: it is done already. `digest`: of the active version."""
    if there is not None and not there.added:
        return in_the_document(item.workflow, item.schedule)
    found = None if there is None else there.schedule
    if found == item.after:
        return None
    if found != item.before:
        return f"schedule {item.workflow}/{item.schedule} is not as it was any more; look again"
    if item.after is None:
        return Rewritten(None)
    if there is None and digest is None:
        return f"workflow {item.workflow!r} has no active version that a schedule could start; activate one first"
    if there is None:
        place = next_slot(item.after, item.at)
        return Rewritten(ScheduleRow(item.workflow, item.after, digest or "", place, item.organization, added=True))
    place = None if digest is None else next_slot(item.after, item.at)
    return Rewritten(replace(there, schedule=item.after, next_at=place, skipped=0))


def in_the_document(workflow: str, schedule: str) -> str:
    return (
        f"schedule {workflow}/{schedule} stands in the document of its workflow: "
        "save a version with another one, or pause it"
    )


def no_schedule(workflow: str, schedule: str) -> str:
    return f"workflow {workflow!r} has no schedule {schedule!r}, or not any more"


def activated(
    organization: str, workflow: str, digest: str, model: Workflow, at: int, known: Mapping[str, ScheduleRow]
) -> list[ScheduleRow]:
    """The rows of a version that becomes active, given those that there were by their ids. A schedule that is as it was keeps its
    place; another begins now. One that is paused stays so, and what it has started last may still run. Those that were added
    stay, and go on if they rested.
    """
    added = {id_: row for id_, row in known.items() if row.added}
    named = {schedule.id for schedule in model.schedules}
    rows = [
        _row(organization, workflow, digest, each, at, None if each.id in added else known.get(each.id))
        for each in model.schedules
    ]
    for id_, row in added.items():
        free = _free(id_, {*named, *added} - {id_}) if id_ in named else id_
        schedule = replace(row.schedule, id=free)
        place = next_slot(schedule, at) if row.next_at is None else row.next_at
        rows.append(replace(row, schedule=schedule, digest=digest, next_at=place))
    return rows


def _free(id_: str, taken: Container[str]) -> str:
    """What an added schedule is called from now on, where a document has one of its id."""
    return next(name for name in (f"{id_}-{number}" for number in count(2)) if name not in taken)


def rested(known: Mapping[str, ScheduleRow]) -> list[ScheduleRow]:
    """What is left of a workflow's schedules when no version of it is active any more: those that were added, which rest."""
    return [replace(row, next_at=None) for row in known.values() if row.added]


def _row(
    organization: str, workflow: str, digest: str, schedule: Schedule, at: int, there: ScheduleRow | None
) -> ScheduleRow:
    if there is None:
        return ScheduleRow(workflow, schedule, digest, next_slot(schedule, at), organization)
    if spec(there.schedule) == spec(schedule):
        return replace(there, digest=digest)
    return replace(there, schedule=schedule, digest=digest, next_at=next_slot(schedule, at), skipped=0)


def changed_by(item: PauseSchedule, there: ScheduleRow) -> ScheduleRow:
    if item.paused:
        return replace(there, paused=True)
    place = resumed(there.schedule, there.next_at, item.at, skip_missed=item.skip_missed)
    return replace(there, paused=False, next_at=place)


def reset_by(item: ResetSchedule, there: ScheduleRow, digest: str | None) -> ScheduleRow:
    """`digest`: of the active version; while there is none, a schedule rests."""
    place = None if digest is None else next_slot(there.schedule, item.at)
    last_slot = None if there.last_slot is not None and there.last_slot > item.at else there.last_slot
    return replace(there, next_at=place, last_slot=last_slot, skipped=0, reset_at=item.at)


def describe_lead(row: ScheduleRow, now: int) -> str | None:
    """Say in which way a schedule is ahead of `now`, as after a wrong clock; None if it is not."""
    if row.last_slot is not None and row.last_slot > now:
        return f"its last slot, {iso(row.last_slot)}, lies in the future"
    expected = next_slot(row.schedule, now)
    if expected is None or (row.next_at is not None and row.next_at <= expected):
        return None
    if row.next_at is None:
        return f"it has ended, and its next slot would be {iso(expected)}"
    return f"it goes on at {iso(row.next_at)}, and its next slot is {iso(expected)}"


def spec(schedule: Schedule) -> str:
    return msgspec.json.encode(schedule).decode()


class ScheduleQuestions(Protocol):
    """What every reader answers about schedules."""

    def schedules_of(self, organization: str, after: tuple[str, str], limit: int) -> list[ScheduleRow]:
        """By workflow and id; those after (workflow, id)."""
        ...

    def schedule(self, organization: str, workflow: str, id_: str) -> ScheduleRow | None: ...
