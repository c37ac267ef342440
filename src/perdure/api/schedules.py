"""`/api/schedules`: when they come round, adding some, and stopping them for a while."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from perdure.answers.triggers import Coming, ScheduleAnswer, coming_answer, schedule_answer
from perdure.api.answering import Answer, describes, describes_nothing, page
from perdure.api.asking import Asked
from perdure.api.given import WHOLE, Body, Cursor, Id, Limit
from perdure.api.routes import routes
from perdure.service.paging import LIMIT, Page
from perdure.service.schedules import COUNT_MAX

ROUTES = routes("/api/schedules", "schedules")


class ResumeBody(Body):
    """`skipMissed`: what passed while it was paused is not made up for."""

    skip_missed: bool = False


class TimesBody(Body):
    """In the words of documents: `schedule` is a cron expression; `every` is a duration like PT5M, or milliseconds."""

    schedule: Annotated[str, Field(max_length=1_000, examples=["0 7 * * MON-FRI"])] | None = None
    every: Annotated[str, Field(max_length=100)] | Annotated[int, Field(ge=1), WHOLE] | None = None
    timezone: Annotated[str, Field(max_length=100, examples=["Europe/Berlin"])] | None = None
    start: Annotated[str, Field(max_length=100)] | None = None
    end: Annotated[str, Field(max_length=100)] | None = None
    catch_up: Literal["one", "none", "all"] | None = None
    overlap: Literal["allow", "skip"] | None = None
    input: dict[str, Any] | None = None

    def given(self) -> dict[str, Any]:
        """What was said, null too."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class AddBody(TimesBody):
    """`workflow` by id or name. `id`: what the schedule is called; with one, to add it twice is to add it once."""

    workflow: Annotated[str, Field(min_length=1, max_length=500, examples=["daily-report"])]
    id: Annotated[str, Field(min_length=1, max_length=100, examples=["mornings"])] | None = None

    def given(self) -> dict[str, Any]:
        said = super().given()
        return {key: value for key, value in said.items() if key not in ("workflow", "id") and value is not None}


@ROUTES.get("", operation_id="list_schedules_api_schedules_get", **describes(Page[ScheduleAnswer]))
async def list_schedules(asked: Asked, limit: Limit = LIMIT, cursor: Cursor = None) -> Answer:
    """Those of the active versions, by workflow."""
    found = await asked.engine.schedules.list(organization=asked.organization, limit=limit, cursor=cursor)
    return page(found, schedule_answer)


@ROUTES.post("", operation_id="add_schedule_api_schedules_post", **describes(ScheduleAnswer, 201))
async def add_schedule(asked: Asked, body: AddBody) -> Answer:
    """Add one to a workflow, beside those of its document. It starts whichever version is active."""
    found = await asked.engine.schedules.add(
        body.workflow, body.given(), id=body.id, organization=asked.organization, actor=asked.actor
    )
    return Answer(schedule_answer(found), 201)


@ROUTES.get("/{workflow}", operation_id="find_schedule_api_schedules__workflow__get", **describes(ScheduleAnswer))
async def find_schedule(asked: Asked, workflow: Id) -> Answer:
    """By its workflow alone, if that has only one; also by `workflow/schedule`, with the `/` between them as `%2F`."""
    return Answer(schedule_answer(await asked.engine.schedules.get(workflow, organization=asked.organization)))


@ROUTES.get(
    "/{workflow}/{schedule}",
    operation_id="show_schedule_api_schedules__workflow___schedule__get",
    **describes(ScheduleAnswer),
)
async def show_schedule(asked: Asked, workflow: Id, schedule: Id) -> Answer:
    found = await asked.engine.schedules.get(f"{workflow}/{schedule}", organization=asked.organization)
    return Answer(schedule_answer(found))


@ROUTES.patch(
    "/{workflow}/{schedule}",
    operation_id="change_schedule_api_schedules__workflow___schedule__patch",
    **describes(ScheduleAnswer),
)
async def change_schedule(asked: Asked, workflow: Id, schedule: Id, body: TimesBody) -> Answer:
    """Change one that was added; null takes a field away. Those of documents are changed there."""
    found = await asked.engine.schedules.change(
        f"{workflow}/{schedule}", body.given(), organization=asked.organization, actor=asked.actor
    )
    return Answer(schedule_answer(found))


@ROUTES.delete(
    "/{workflow}/{schedule}",
    operation_id="remove_schedule_api_schedules__workflow___schedule__delete",
    **describes_nothing(),
)
async def remove_schedule(asked: Asked, workflow: Id, schedule: Id) -> Response:
    """Take one away that was added; what it has started goes on. Editors may."""
    ref = f"{workflow}/{schedule}"
    await asked.engine.schedules.remove(ref, organization=asked.organization, actor=asked.actor)
    return Response(status_code=204)


@ROUTES.get(
    "/{workflow}/{schedule}/next",
    operation_id="next_times_api_schedules__workflow___schedule__next_get",
    **describes(Coming),
)
async def next_times(
    asked: Asked, workflow: Id, schedule: Id, count: Annotated[int, Query(ge=1, le=COUNT_MAX)] = 5
) -> Answer:
    """The next times at which it starts something."""
    ref = f"{workflow}/{schedule}"
    found = await asked.engine.schedules.get(ref, organization=asked.organization)
    times = await asked.engine.schedules.next(ref, count=count, organization=asked.organization)
    return Answer(coming_answer(found, times))


@ROUTES.post(
    "/{workflow}/{schedule}/pause",
    operation_id="pause_schedule_api_schedules__workflow___schedule__pause_post",
    **describes(ScheduleAnswer),
)
async def pause_schedule(asked: Asked, workflow: Id, schedule: Id) -> Answer:
    """It starts nothing until it is resumed, also in later versions of its workflow."""
    ref = f"{workflow}/{schedule}"
    found = await asked.engine.schedules.pause(ref, organization=asked.organization, actor=asked.actor)
    return Answer(schedule_answer(found))


@ROUTES.post(
    "/{workflow}/{schedule}/resume",
    operation_id="resume_schedule_api_schedules__workflow___schedule__resume_post",
    **describes(ScheduleAnswer),
)
async def resume_schedule(asked: Asked, workflow: Id, schedule: Id, body: ResumeBody | None = None) -> Answer:
    """It goes on with the next slot."""
    found = await asked.engine.schedules.resume(
        f"{workflow}/{schedule}",
        skip_missed=body is not None and body.skip_missed,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(schedule_answer(found))


@ROUTES.post(
    "/{workflow}/{schedule}/reset",
    operation_id="reset_schedule_api_schedules__workflow___schedule__reset_post",
    **describes(ScheduleAnswer),
)
async def reset_schedule(asked: Asked, workflow: Id, schedule: Id) -> Answer:
    """Let a schedule begin at now, which a wrong clock has moved into the future (requires role operator or editor)."""
    ref = f"{workflow}/{schedule}"
    found = await asked.engine.schedules.reset(ref, organization=asked.organization, actor=asked.actor)
    return Answer(schedule_answer(found))
