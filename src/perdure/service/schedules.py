"""Schedules: those of the active versions and those that were added, when they come round, and stopping them for a while.

A schedule is called `workflow/schedule`, where the workflow is named by its id or its name; if it has only one, by the workflow
alone.
"""

from __future__ import annotations

import secrets as chance
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from perdure.core.schedules import next_slot
from perdure.errors import UnknownWorkflow
from perdure.expressions.times import LAST_MS
from perdure.expressions.wording import nearest
from perdure.hosts.embedded import Host
from perdure.hosts.refusing import refuse_input
from perdure.model.values import Json
from perdure.model.workflow import Schedule
from perdure.service import documents, paging
from perdure.service.acting import EDITORS, OPERATORS, Actor, Member, acting_as, allowed, by, needs
from perdure.service.errors import Ambiguous, Conflict, NotFound, WorkflowNotFound
from perdure.service.given import check_texts
from perdure.service.paging import LIMIT, Page
from perdure.service.scheduling import changed, read
from perdure.store.questions import Questions
from perdure.store.schedules import PauseSchedule, ResetSchedule, ScheduleRow, WriteSchedule, in_the_document

COUNT_MAX = 1_000
"""So many times are told at once."""

ADD: Final = "add schedules"
CHANGE: Final = "change schedules"
REMOVE: Final = "remove schedules"


class ScheduleView(Struct, frozen=True):
    """
    name            of its workflow
    next_at         its next slot; in the past, if it is due and nobody has fired it yet; None: it has ended
    last_slot       the last that has started an execution, which is `last_execution`
    skipped         so many slots since then have started none, because that one had not ended
    added           by somebody, and not by the document
    """

    id: str
    workflow_id: str
    name: str
    schedule: Schedule
    next_at: int | None
    paused: bool = False
    last_slot: int | None = None
    last_execution: str | None = None
    skipped: int = 0
    added: bool = False


class Schedules:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def list(
        self, *, organization: str = "default", limit: int = LIMIT, cursor: str | None = None
    ) -> Page[ScheduleView]:
        """By workflow and schedule."""
        check_texts(organization=organization)
        after = ("", "") if cursor is None else paging.place(cursor, tuple[str, str])
        count = paging.checked(limit)

        def look(store: Questions) -> Page[ScheduleView]:
            found = store.schedules_of(organization, after, count + 1)
            last = found[count - 1] if len(found) > count else None
            more = None if last is None else paging.cursor(last.workflow, last.schedule.id)
            return Page(tuple(_view(store, row) for row in found[:count]), more)

        return await self._host.read(look, organization)

    async def get(self, ref: str, *, organization: str = "default") -> ScheduleView:
        """Raises `NotFound`."""
        check_texts(schedule=ref, organization=organization)
        return await self._host.read(lambda store: _view(store, _found(store, organization, ref)), organization)

    async def next(
        self, ref: str, *, count: int = 5, after: int | None = None, organization: str = "default"
    ) -> tuple[int, ...]:
        """The next times at which it starts executions, after now or another moment, unless it is paused by then."""
        if not 1 <= count <= COUNT_MAX:
            raise Conflict(f"it tells 1 to {COUNT_MAX} times at once, not {count}; ask again after the last of them")
        found = await self.get(ref, organization=organization)
        place = self._host.now_ms() if after is None else after
        if found.next_at is not None:  # what was dealt with does not come again
            place = max(place, found.next_at - 1)
        times: list[int] = []
        while len(times) < count and found.next_at is not None:
            following = next_slot(found.schedule, place)
            if following is None:
                break
            times.append(following)
            place = following
        return tuple(times)

    async def add(
        self,
        workflow: str,
        given: Mapping[str, Json],
        *,
        id: str | None = None,
        organization: str = "default",
        actor: Actor = None,
    ) -> ScheduleView:
        """Add a schedule to a workflow, beside those of its document: `given` has the fields that it would have there, `schedule`
        or `every`, and `timezone`, `start`, `end`, `catchUp`, `overlap`, `input`. It starts whichever version is active; while
        none is, nothing. With an `id`, adding the same one twice is adding it once. An actor has to be an editor.
        """
        check_texts(workflow=workflow, id=id, organization=organization)
        who = await allowed(self._host, organization, actor, EDITORS, ADD)
        schedule = read(given, f"s-{chance.token_hex(4)}" if id is None else id)
        found = await self._startable(workflow, schedule, organization)
        there = await self._host.read(lambda store: store.schedule(organization, found, schedule.id), organization)
        if there is not None and (there.schedule != schedule or not there.added):
            raise Conflict(
                f"workflow {workflow!r} has a schedule {schedule.id!r} already; change that, or choose another id"
            )
        return await self._write(found, None, schedule, organization, actor, who)

    async def change(
        self, ref: str, changes: Mapping[str, Json], *, organization: str = "default", actor: Actor = None
    ) -> ScheduleView:
        """Change some fields of one that was added; null takes one away. If it is another one then, it begins now. An actor has
        to be an editor.
        """
        who = await allowed(self._host, organization, actor, EDITORS, CHANGE)
        found = await self._added(ref, organization)
        schedule = changed(found.schedule, changes)
        await self._startable(found.workflow_id, schedule, organization, may_rest=True)
        if schedule == found.schedule:
            return found
        return await self._write(found.workflow_id, found.schedule, schedule, organization, actor, who)

    async def remove(self, ref: str, *, organization: str = "default", actor: Actor = None) -> None:
        """Take one away that was added; what it has started goes on. An actor has to be an editor."""
        who = await allowed(self._host, organization, actor, EDITORS, REMOVE)
        found = await self._added(ref, organization)
        await self._commit(found.workflow_id, found.schedule, None, organization, actor, who)

    async def _added(self, ref: str, organization: str) -> ScheduleView:
        found = await self.get(ref, organization=organization)
        if not found.added:
            raise Conflict(in_the_document(found.name, found.schedule.id))
        return found

    async def _startable(self, workflow: str, schedule: Schedule, organization: str, *, may_rest: bool = False) -> str:
        """The id of the workflow, which can be started with the input of this schedule."""
        try:
            version = await self._host.read_version(workflow, organization)
        except UnknownWorkflow as error:
            if may_rest:
                return workflow
            raise WorkflowNotFound(str(error)) from error
        given = {} if schedule.input is None else schedule.input
        inputs = await self._host.inputs(version.digest)
        refuse_input((*documents.input_problems(version.dialect, given), *inputs.problems(given)))
        return version.id

    async def _write(
        self,
        workflow: str,
        before: Schedule | None,
        after: Schedule,
        organization: str,
        actor: Actor,
        who: Member | None,
    ) -> ScheduleView:
        await self._commit(workflow, before, after, organization, actor, who)
        return await self.get(f"{workflow}/{after.id}", organization=organization)

    async def _commit(
        self,
        workflow: str,
        before: Schedule | None,
        after: Schedule | None,
        organization: str,
        actor: Actor,
        who: Member | None,
    ) -> None:
        one = after or before
        assert one is not None
        writer = self._host.shell.worker
        item = WriteSchedule(
            workflow, one.id, before, after, self._host.now_ms(), by(actor), organization, needs(who), writer
        )
        await self._host.commit(item)

    async def pause(self, ref: str, *, organization: str = "default", actor: Actor = None) -> ScheduleView:
        """It starts nothing until it is resumed, also in later versions of its workflow. What it has started goes on.

        An actor has to be an operator or an editor.
        """
        return await self._set(ref, organization, actor, paused=True)

    async def resume(
        self, ref: str, *, skip_missed: bool = False, organization: str = "default", actor: Actor = None
    ) -> ScheduleView:
        """It goes on with the next slot. Those that passed while it was paused are only made up for by a schedule that is to
        catch up with all, and not with `skip_missed`. An actor has to be an operator or an editor.
        """
        return await self._set(ref, organization, actor, paused=False, skip_missed=skip_missed)

    async def reset(self, ref: str, *, organization: str = "default", actor: Actor = None) -> ScheduleView:
        """Let a schedule begin at now: its next slot is the first after this moment. That is for one that a wrong clock has moved
        into the future. Executions that it has started stay, and no slot is started twice. Requires the role operator or editor.
        """
        check_texts(organization=organization)
        what = "reset schedules"
        await self._host.read(lambda store: acting_as(store, organization, actor, OPERATORS, what), organization)
        found = await self.get(ref, organization=organization)
        named = (found.workflow_id, found.schedule.id)
        await self._host.commit(
            ResetSchedule(*named, self._host.now_ms(), by(actor), organization, self._host.shell.worker)
        )
        return await self.get(found.id, organization=organization)

    async def _set(
        self, ref: str, organization: str, actor: Actor, *, paused: bool, skip_missed: bool = False
    ) -> ScheduleView:
        check_texts(organization=organization)
        what = "pause schedules" if paused else "resume schedules"
        await self._host.read(lambda store: acting_as(store, organization, actor, OPERATORS, what), organization)
        found = await self.get(ref, organization=organization)
        await self._host.commit(
            PauseSchedule(
                found.workflow_id,
                found.schedule.id,
                paused,
                self._host.now_ms(),
                by(actor),
                organization,
                skip_missed,
                self._host.shell.worker,
            )
        )
        return await self.get(found.id, organization=organization)


def _found(store: Questions, organization: str, ref: str) -> ScheduleRow:
    """By workflow and schedule: either may have a `/` in it."""
    for place in [place for place, character in enumerate(ref) if character == "/"]:
        workflow = store.workflow(organization, ref[:place])
        found = None if workflow is None else store.schedule(organization, workflow.id, ref[place + 1 :])
        if found is not None:
            return found
    workflow = store.workflow(organization, ref)
    if workflow is None:
        rows = store.schedules_of(organization, ("", ""), paging.LIMIT_MAX)
        known = [called for row in rows for called in (_id(row), f"{_view(store, row).name}/{row.schedule.id}")]
        hint = nearest(ref, known) or "; `perdure schedules list` shows those that there are"
        raise NotFound(f"there is no schedule {ref!r} in organization {organization!r}{hint}")
    rows = store.schedules_of(organization, (workflow.id, ""), paging.LIMIT_MAX)
    rows = [row for row in rows if row.workflow == workflow.id]
    if not rows:
        raise NotFound(f"workflow {ref!r} has no schedule in its active version")
    if len(rows) > 1:
        raise Ambiguous(f"workflow {ref!r} has several schedules: {', '.join(map(_id, rows))}; name one of them")
    return rows[0]


def _view(store: Questions, row: ScheduleRow) -> ScheduleView:
    workflow = store.workflow(row.organization, row.workflow)
    name = row.workflow if workflow is None else workflow.name
    past = (row.paused, row.last_slot, row.last_execution, row.skipped, row.added)
    is_over = row.next_at is not None and row.next_at > LAST_MS  # older versions stored slots after the year 9999
    return ScheduleView(_id(row), row.workflow, name, row.schedule, None if is_over else row.next_at, *past)


def _id(row: ScheduleRow) -> str:
    return f"{row.workflow}/{row.schedule.id}"
