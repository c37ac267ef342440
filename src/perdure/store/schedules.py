"""Schedules as a store keeps them: a row for each schedule of an active version, with the first slot that nobody has dealt with.

Whoever fires a schedule finds its row where they saw it and moves it on, with what is started, in one commit: another one who
saw the same finds it elsewhere. A row is made and changed where a version becomes active.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.core.schedules import next_slot, resumed
from perdure.model.workflow import Schedule, Workflow
from perdure.store.registers import WriteCard

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


def no_schedule(workflow: str, schedule: str) -> str:
    return f"workflow {workflow!r} has no schedule {schedule!r}, or not any more"


def activated(
    organization: str, workflow: str, digest: str, model: Workflow, at: int, known: Mapping[str, ScheduleRow]
) -> list[ScheduleRow]:
    """The rows of a version that becomes active, given those that there were by their ids. A schedule that is as it was keeps its
    place; another begins now. One that is paused stays so, and what it has started last may still run.
    """
    return [_row(organization, workflow, digest, schedule, at, known.get(schedule.id)) for schedule in model.schedules]


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


def spec(schedule: Schedule) -> str:
    return msgspec.json.encode(schedule).decode()


class ScheduleQuestions(Protocol):
    """What every reader answers about schedules."""

    def schedules_of(self, organization: str, after: tuple[str, str], limit: int) -> list[ScheduleRow]:
        """By workflow and id; those after (workflow, id)."""
        ...

    def schedule(self, organization: str, workflow: str, id_: str) -> ScheduleRow | None: ...
