"""`/api/triggers`: the log of what came in from outside, or when its time had come, and what became of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from perdure.answers.triggers import TriggerAnswer, trigger_answer
from perdure.api.answering import Answer, describes, page
from perdure.api.asking import Asked
from perdure.api.given import Cursor, Limit, Time
from perdure.api.routes import routes
from perdure.service.paging import LIMIT, Page
from perdure.store.ledger import TriggerOutcome

ROUTES = routes("/api/triggers", "triggers")


@ROUTES.get("", operation_id="list_trigger_log_api_triggers_get", **describes(Page[TriggerAnswer]))
async def list_trigger_log(
    asked: Asked,
    outcome: TriggerOutcome | None = None,
    subject: Annotated[
        str | None, Query(max_length=500, description="a webhook, the type of an event, or `workflow/schedule`")
    ] = None,
    since: Time | None = None,
    until: Time | None = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> Answer:
    """The newest first."""
    found = await asked.engine.triggers.list(
        organization=asked.organization,
        outcome=outcome,
        subject=subject,
        since=since,
        until=until,
        limit=limit,
        cursor=cursor,
    )
    return page(found, trigger_answer)
