"""`perdure schedules`: what starts by itself, and when."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from perdure.answers.triggers import schedule_answer
from perdure.cli.engines import looking
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsJson, AsOperator, Cursor, Limit, Organization
from perdure.cli.pages import tell_page
from perdure.cli.saying import print_json
from perdure.cli.tables import table
from perdure.cli.timetable import ScheduleId, add_command, change_command, local, remove_command
from perdure.cli.where import HERE, Where
from perdure.cli.wording import printable
from perdure.expressions.times import iso
from perdure.model.cron import on_the_wall
from perdure.model.workflow import Schedule
from perdure.service.engine import Engine
from perdure.service.paging import Page
from perdure.service.schedules import ScheduleView

SCHEDULES = group(
    "schedules",
    "List schedules, see when they start executions, add, change and remove some, pause, resume and reset them.",
)

SCHEDULES.command(add_command, name="add")
SCHEDULES.command(change_command, name="change")
SCHEDULES.command(remove_command, name="remove")


@SCHEDULES.command(name="list")
def list_(
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The schedules of active workflows: when each comes next, and what it has started last.

    Example: perdure schedules list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[ScheduleView]:
        return await engine.schedules.list(organization=organization, limit=limit, cursor=cursor)

    headings = ("ID", "WORKFLOW", "WHEN", "ZONE", "NEXT", "LAST", "LAST EXECUTION", "STATE")
    empty = "there are no schedules: no active workflow has one, and none was added (perdure schedules add)"
    return tell_page(looking(where, ask), headings, _row, schedule_answer, empty=empty, as_json=json)


@SCHEDULES.command(name="next")
def next_(
    schedule: ScheduleId,
    /,
    *,
    count: Annotated[int, Parameter(name="--count", metavar="N", help="how many, 1 to 1000 (default: 5)")] = 5,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The next times at which it starts an execution, by the clock of its time zone and in UTC.

    Example: perdure schedules next nightly-report --count 10 --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> tuple[ScheduleView, tuple[int, ...]]:
        found = await engine.schedules.get(schedule, organization=organization)
        return found, await engine.schedules.next(found.id, count=count, organization=organization)

    found, times = looking(where, ask)
    zone = found.schedule.timezone
    if json:
        items = [{"at": iso(at), "local": on_the_wall(zone, at)} for at in times]
        print_json({"id": found.id, "timezone": zone, "paused": found.paused, "items": items})
        return 0
    if not times:
        print(printable(f"{found.id} has ended, and starts nothing any more"))
        return 0
    print(table((zone, "UTC"), [(on_the_wall(zone, at), iso(at)) for at in times]))
    if found.paused:
        resume = hint("schedules", "resume", found.id, where=where, organization=organization)
        print(printable(f"it is paused, and starts nothing until it is resumed: {resume}"))
    return 0


@SCHEDULES.command(name="pause")
def pause(
    schedule: ScheduleId,
    /,
    *,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Let it start nothing until it is resumed. What it has started goes on.

    Example: perdure schedules pause nightly-report --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> ScheduleView:
        return await engine.schedules.pause(schedule, actor=as_, organization=organization)

    found = looking(where, tell)
    if json:
        print_json(schedule_answer(found))
        return 0
    resume = hint("schedules", "resume", found.id, where=where, organization=organization)
    print(printable(f"{found.id} is paused, and starts nothing until it is resumed: {resume}"))
    return 0


@SCHEDULES.command(name="resume")
def resume(
    schedule: ScheduleId,
    /,
    *,
    skip_missed: Annotated[
        bool, Parameter(help="do not make up for what passed meanwhile, also if it is to catch up with all")
    ] = False,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Let it start executions again, from its next time on.

    Example: perdure schedules resume nightly-report --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> ScheduleView:
        return await engine.schedules.resume(schedule, actor=as_, skip_missed=skip_missed, organization=organization)

    found = looking(where, tell)
    if json:
        print_json(schedule_answer(found))
        return 0
    coming = "it has ended" if found.next_at is None else f"next: {local(found, found.next_at)}"
    print(printable(f"{found.id} starts executions again; {coming}"))
    return 0


@SCHEDULES.command(name="reset")
def reset(
    schedule: ScheduleId,
    /,
    *,
    as_: AsOperator = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Let a schedule begin at now, which a wrong clock has moved into the future. No slot is started twice.

    Example: perdure schedules reset nightly-report --db sqlite:///flows.db
    """

    async def tell(engine: Engine) -> ScheduleView:
        return await engine.schedules.reset(schedule, actor=as_, organization=organization)

    found = looking(where, tell)
    if json:
        print_json(schedule_answer(found))
        return 0
    coming = "it has ended" if found.next_at is None else f"next: {local(found, found.next_at)}"
    print(printable(f"{found.id} begins at now; {coming}"))
    return 0


def _row(each: ScheduleView) -> tuple[str, ...]:
    return (
        each.id,
        each.name,
        _when(each.schedule),
        each.schedule.timezone,
        "-" if each.next_at is None else local(each, each.next_at),
        "-" if each.last_slot is None else local(each, each.last_slot),
        each.last_execution or "-",
        _state(each),
    )


def _state(each: ScheduleView) -> str:
    if each.paused:
        return "paused"
    if each.next_at is None:
        return "ended"
    return f"active, {each.skipped} skipped: the last one still runs" if each.skipped else "active"


def _when(schedule: Schedule) -> str:
    if schedule.every_ms is None:
        return schedule.cron or "-"
    seconds, rest = divmod(schedule.every_ms, 1_000)
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if not rest and seconds % unit == 0:
            return f"every {seconds // unit} {name}"
    return f"every {schedule.every_ms / 1_000:g} s"
