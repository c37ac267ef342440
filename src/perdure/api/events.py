"""`/api/events`: sent, listed, and whom each of them woke."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request

from perdure.answers.triggers import AllSent, EventAnswer, SeenAnswer, event_answer, seen_answer, sent_answer
from perdure.api.answering import Answer, describes, page
from perdure.api.asking import Asked
from perdure.api.bodies import read_json, require_json
from perdure.api.cloud_events import is_binary, read_binary
from perdure.api.given import Cursor, Id, Limit, Traceparent
from perdure.api.routes import routes
from perdure.service.paging import LIMIT, Page
from perdure.service.triggers import Incoming

ROUTES = routes("/api/events", "events")
_PLAIN: dict[str, Any] = {"type": "object", "description": "a CloudEvent, or one with a `type` and a `payload`"}
_EVENTS: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"anyOf": [_PLAIN, {"type": "array", "items": _PLAIN, "maxItems": 1_000}]},
            },
            "application/cloudevents+json": {"schema": _PLAIN},
            "application/cloudevents-batch+json": {"schema": {"type": "array", "items": _PLAIN}},
        },
    }
}


@ROUTES.post("", operation_id="send_events_api_events_post", openapi_extra=_EVENTS, **describes(AllSent, 202))
async def send_events(asked: Asked, request: Request, traceparent: Traceparent = None) -> Answer:
    """Tell whoever waits for such an event, or is started or cancelled by it: one, or a list of them.

    Of a list, all are written together, or none is. Only those with an id that another source has used already come after that.
    What was not answered can be sent again: what has an id is there once.
    """
    body = await request.body()
    if is_binary(request.headers):
        events = [await read_binary(request, body)]
    else:
        require_json(request)
        given = await read_json(body)
        events = given if isinstance(given, list) else [given]
    sent = await asked.engine.events.send_all(
        events,
        organization=asked.organization,
        incoming=Incoming(request.scope.get("perdure.request_id"), traceparent),
        actor=asked.actor,
    )
    return Answer(AllSent(tuple(map(sent_answer, sent))), 202)


@ROUTES.get("", operation_id="list_events_api_events_get", **describes(Page[EventAnswer]))
async def list_events(
    asked: Asked,
    type: Annotated[str | None, Query(max_length=500, description="may be a pattern, as order.*")] = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> Answer:
    """The newest first. Where few of very many fit, a page may be short and have a next one."""
    found = await asked.engine.events.list(organization=asked.organization, type=type, limit=limit, cursor=cursor)
    return page(found, event_answer)


@ROUTES.get("/{event}", operation_id="show_event_api_events__event__get", **describes(SeenAnswer))
async def show_event(asked: Asked, event: Id) -> Answer:
    """An event, and what came of it."""
    return Answer(seen_answer(await asked.engine.events.get(event, organization=asked.organization)))


@ROUTES.post(
    "/{event}/reroute", operation_id="reroute_event_api_events__event__reroute_post", **describes(SeenAnswer, 202)
)
async def reroute_event(asked: Asked, event: Id) -> Answer:
    """Route a declined event again (requires role operator or editor)."""
    seen = await asked.engine.events.reroute(event, organization=asked.organization, actor=asked.actor)
    return Answer(seen_answer(seen), 202)
