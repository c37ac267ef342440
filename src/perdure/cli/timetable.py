"""`perdure schedules add|change|remove`: schedules beside those that stand in documents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from perdure.answers.triggers import schedule_answer
from perdure.cli.engines import looking
from perdure.cli.files import given_input
from perdure.cli.hints import hint
from perdure.cli.options import AsEditor, AsJson, Organization
from perdure.cli.pages import tell_removed
from perdure.cli.saying import print_json
from perdure.cli.where import HERE, Where
from perdure.cli.wording import printable
from perdure.model.cron import on_the_wall
from perdure.service.engine import Engine
from perdure.service.schedules import ScheduleView

ScheduleId = Annotated[
    str, Parameter(name="ID", help="the schedule, workflow/schedule; or a workflow, if it has only one")
]
Cron = Annotated[
    str | None,
    Parameter(name="--schedule", metavar="CRON", help="when, as a cron expression: '0 7 * * MON-FRI', @daily"),
]
Every = Annotated[str | None, Parameter(name="--every", metavar="DURATION", help="how often, as PT5M or P1D")]
Zone = Annotated[
    str | None, Parameter(name="--timezone", metavar="ZONE", help="whose clock, as Europe/Berlin (default: UTC)")
]
Start = Annotated[str | None, Parameter(name="--start", metavar="TIME", help="not before this, as 2026-12-01T00:00")]
End = Annotated[str | None, Parameter(name="--end", metavar="TIME", help="not after this")]
CatchUp = Annotated[
    Literal["one", "none", "all"] | None,
    Parameter(name="--catch-up", help="what comes of times that nobody was there for (default: one)"),
]
Overlap = Annotated[
    Literal["allow", "skip"] | None,
    Parameter(name="--overlap", help="whether it starts another while the last still runs (default: allow)"),
]
Input = Annotated[
    str | None, Parameter(name="--input", metavar="JSON|@FILE", help="what it starts executions with (default: {})")
]


def add_command(
    workflow: Annotated[str, Parameter(name="WORKFLOW", help="what it starts, by id or name")],
    /,
    *,
    schedule: Cron = None,
    every: Every = None,
    timezone: Zone = None,
    start: Start = None,
    end: End = None,
    catch_up: CatchUp = None,
    overlap: Overlap = None,
    input: Input = None,
    id: Annotated[
        str | None, Parameter(name="--id", metavar="NAME", help="what it is called (default: one is made)")
    ] = None,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Start a workflow at times that do not stand in its document. It starts whichever version is active.

    Example: perdure schedules add daily-report --schedule '0 7 * * MON-FRI' --timezone Europe/Berlin --db sqlite:///flows.db
    """
    given = _given(schedule, every, timezone, start, end, catch_up, overlap, input)

    async def tell(engine: Engine) -> ScheduleView:
        return await engine.schedules.add(workflow, given, id=id, actor=as_, organization=organization)

    found = looking(where, tell)
    return _tell(found, f"{found.id} is added", where, organization, as_json=json)


def change_command(
    schedule_id: ScheduleId,
    /,
    *,
    schedule: Cron = None,
    every: Every = None,
    timezone: Zone = None,
    start: Start = None,
    end: End = None,
    catch_up: CatchUp = None,
    overlap: Overlap = None,
    input: Input = None,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Change one that was added; what is not said stays. Those of documents are changed there.

    Example: perdure schedules change daily-report/mornings --schedule '30 6 * * *' --db sqlite:///flows.db
    """
    given = _given(schedule, every, timezone, start, end, catch_up, overlap, input)

    async def tell(engine: Engine) -> ScheduleView:
        return await engine.schedules.change(schedule_id, given, actor=as_, organization=organization)

    found = looking(where, tell)
    return _tell(found, f"{found.id} is changed", where, organization, as_json=json)


def remove_command(
    schedule: ScheduleId,
    /,
    *,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Take one away that was added. What it has started goes on.

    Example: perdure schedules remove daily-report/mornings --db sqlite:///flows.db
    """

    async def forget(engine: Engine) -> None:
        await engine.schedules.remove(schedule, actor=as_, organization=organization)

    looking(where, forget)
    return tell_removed(schedule, "is removed", as_json=json)


def _given(
    schedule: str | None,
    every: str | None,
    timezone: str | None,
    start: str | None,
    end: str | None,
    catch_up: str | None,
    overlap: str | None,
    input: str | None,
) -> dict[str, Any]:
    """What was said, in the words of documents."""
    said = {
        "schedule": schedule,
        "every": every,
        "timezone": timezone,
        "start": start,
        "end": end,
        "catchUp": catch_up,
        "overlap": overlap,
        "input": given_input(input),
    }
    return {key: value for key, value in said.items() if value is not None}


def _tell(found: ScheduleView, done: str, where: Where, organization: str, *, as_json: bool) -> int:
    if as_json:
        print_json(schedule_answer(found))
        return 0
    coming = "it starts nothing: its time is over" if found.next_at is None else f"next: {local(found, found.next_at)}"
    more = hint("schedules", "next", found.id, where=where, organization=organization)
    print(printable(f"{done}; {coming}; more: {more}"))
    return 0


def local(each: ScheduleView, at: int) -> str:
    """By the clock of its time zone."""
    return on_the_wall(each.schedule.timezone, at)
