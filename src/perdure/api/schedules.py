"""`/api/schedules`: when they come round, and stopping them for a while."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from perdure.answers.triggers import Coming, ScheduleAnswer, coming_answer, schedule_answer
from perdure.api.answering import Answer, describes, page
from perdure.api.asking import Asked
from perdure.api.given import LIMIT_DEFAULT, Body, Cursor, Id, Limit
from perdure.api.routes import routes
from perdure.service.paging import Page
from perdure.service.schedules import COUNT_MAX

ROUTES = routes("/api/schedules", "schedules")


class ResumeBody(Body):
    """`skipMissed`: what passed while it was paused is not made up for."""

    skip_missed: bool = False


@ROUTES.get("", **describes(Page[ScheduleAnswer]))
async def list_schedules(asked: Asked, limit: Limit = LIMIT_DEFAULT, cursor: Cursor = None) -> Answer:
    """Those of the active versions, by workflow."""
    found = await asked.engine.schedules.list(organization=asked.organization, limit=limit, cursor=cursor)
    return page(found, schedule_answer)


@ROUTES.get("/{workflow}", **describes(ScheduleAnswer))
async def find_schedule(asked: Asked, workflow: Id) -> Answer:
    """By its workflow alone, if that has only one; also by `workflow/schedule`, with the `/` between them as `%2F`."""
    return Answer(schedule_answer(await asked.engine.schedules.get(workflow, organization=asked.organization)))


@ROUTES.get("/{workflow}/{schedule}", **describes(ScheduleAnswer))
async def show_schedule(asked: Asked, workflow: Id, schedule: Id) -> Answer:
    found = await asked.engine.schedules.get(f"{workflow}/{schedule}", organization=asked.organization)
    return Answer(schedule_answer(found))


@ROUTES.get("/{workflow}/{schedule}/next", **describes(Coming))
async def next_times(
    asked: Asked, workflow: Id, schedule: Id, count: Annotated[int, Query(ge=1, le=COUNT_MAX)] = 5
) -> Answer:
    """The next times at which it starts something."""
    ref = f"{workflow}/{schedule}"
    found = await asked.engine.schedules.get(ref, organization=asked.organization)
    times = await asked.engine.schedules.next(ref, count=count, organization=asked.organization)
    return Answer(coming_answer(found, times))


@ROUTES.post("/{workflow}/{schedule}/pause", **describes(ScheduleAnswer))
async def pause_schedule(asked: Asked, workflow: Id, schedule: Id) -> Answer:
    """It starts nothing until it is resumed, also in later versions of its workflow."""
    ref = f"{workflow}/{schedule}"
    found = await asked.engine.schedules.pause(ref, organization=asked.organization, actor=asked.actor)
    return Answer(schedule_answer(found))


@ROUTES.post("/{workflow}/{schedule}/resume", **describes(ScheduleAnswer))
async def resume_schedule(asked: Asked, workflow: Id, schedule: Id, body: ResumeBody | None = None) -> Answer:
    """It goes on with the next slot."""
    found = await asked.engine.schedules.resume(
        f"{workflow}/{schedule}",
        skip_missed=body is not None and body.skip_missed,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(schedule_answer(found))
