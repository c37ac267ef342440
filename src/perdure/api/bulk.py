"""`/api/bulk`: the same for many executions. First how many it would be, then it is done, page by page."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from perdure.answers.bulk import AllDoneAnswer, PreviewAnswer, all_done_answer, preview_answer
from perdure.api.answering import Answer, describes
from perdure.api.asking import Asked
from perdure.api.given import WHOLE, Body, IdempotencyKey, Time, key_of
from perdure.api.problems import Wrong
from perdure.api.routes import routes
from perdure.model.records import Status
from perdure.service.bulk import Action, Chosen
from perdure.service.paging import LIMIT_MAX

ROUTES = routes("/api/bulk", "bulk")


class FilterBody(Body):
    status: Status | None = None
    workflow: str | None = Field(None, min_length=1, max_length=500)
    correlation_id: str | None = Field(None, max_length=500)
    parent: str | None = Field(None, max_length=500)
    started_after: Time | None = None
    started_before: Time | None = None


class PreviewBody(Body):
    """Which executions: an empty filter means all of them."""

    action: Action
    filter: FilterBody


class BulkBody(PreviewBody):
    """`matched` is what the preview said: if there are more by now, nothing is done. It is looked at with the first page; whoever
    goes on with a `cursor` has begun.
    """

    matched: Annotated[int, Field(ge=0), WHOLE] | None = None
    reason: str = Field("cancelled", min_length=1, max_length=1_000)
    limit: Annotated[int, Field(ge=1, le=LIMIT_MAX), WHOLE] = 100
    cursor: str | None = Field(None, max_length=1_000)


@ROUTES.post("/preview", operation_id="preview_bulk_api_bulk_preview_post", **describes(PreviewAnswer))
async def preview_bulk(asked: Asked, body: PreviewBody) -> Answer:
    """How many executions it would be about, and some of them. Nothing is changed."""
    found = await asked.engine.bulk.preview(body.action, _chosen(body), organization=asked.organization)
    names = await asked.engine.executions.names(found.examples)
    return Answer(preview_answer(found, names))


@ROUTES.post("", operation_id="perform_bulk_api_bulk_post", **describes(AllDoneAnswer))
async def perform_bulk(asked: Asked, body: BulkBody, idempotency_key: IdempotencyKey = None) -> Answer:
    """Do it, to one page of them; what came of each is told. Go on with `next` as the `cursor`. To do it to all there are takes
    `matched`: nobody does that by leaving something out.
    """
    chosen = _chosen(body)
    if body.matched is None and chosen == Chosen():
        message = (
            "this filter means all executions; give a filter, or say how many that is, as the preview does: matched"
        )
        raise Wrong(422, "all_of_them", message)
    done = await asked.engine.bulk.perform(
        body.action,
        chosen,
        matched=body.matched,
        reason=body.reason,
        limit=body.limit,
        cursor=body.cursor,
        organization=asked.organization,
        by=asked.name if asked.actor is None else None,
        idempotency_key=key_of(idempotency_key),
        actor=asked.actor,
        limits=asked.engine.limits,
    )
    answer = Answer(all_done_answer(done))
    answer.is_final = all(each.done for each in done.items)
    return answer


def _chosen(body: PreviewBody) -> Chosen:
    given = body.filter
    return Chosen(
        given.status,
        given.workflow,
        given.correlation_id,
        given.parent,
        given.started_after,
        given.started_before,
    )
