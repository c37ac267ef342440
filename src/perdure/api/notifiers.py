"""`/api/notifiers`: how people are told of approvals."""

from __future__ import annotations

from pydantic import Field
from starlette.responses import Response

from perdure.answers.organizations import NotifierAnswer, notifier_answer
from perdure.api.answering import Answer, describes, describes_nothing, page
from perdure.api.asking import Asked
from perdure.api.given import Body, Id, Several
from perdure.api.routes import routes
from perdure.service.notifiers import DEFAULT_TOPICS, Kind
from perdure.service.paging import Page

ROUTES = routes("/api/notifiers", "notifiers")


class NotifierBody(Body):
    id: str = Field(min_length=1, max_length=200)
    kind: Kind
    on: Several[str] = DEFAULT_TOPICS
    url: str | None = Field(None, max_length=2_000)
    signing_secret: str | None = Field(None, max_length=500)
    to: Several[str] = ()


@ROUTES.get("", operation_id="list_notifiers_api_notifiers_get", **describes(Page[NotifierAnswer]))
async def list_notifiers(asked: Asked) -> Answer:
    found = await asked.engine.notifiers.list(organization=asked.organization)
    return page(Page(found), notifier_answer)


@ROUTES.post("", operation_id="add_notifier_api_notifiers_post", **describes(NotifierAnswer, 201))
async def add_notifier(asked: Asked, body: NotifierBody) -> Answer:
    """From the next approval on. Admins may."""
    found = await asked.engine.notifiers.add(
        body.id,
        body.kind,
        on=body.on,
        url=body.url,
        signing_secret=body.signing_secret,
        to=body.to,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(notifier_answer(found), 201)


@ROUTES.get("/{notifier}", operation_id="show_notifier_api_notifiers__notifier__get", **describes(NotifierAnswer))
async def show_notifier(asked: Asked, notifier: Id) -> Answer:
    return Answer(notifier_answer(await asked.engine.notifiers.get(notifier, organization=asked.organization)))


@ROUTES.delete("/{notifier}", operation_id="remove_notifier_api_notifiers__notifier__delete", **describes_nothing())
async def remove_notifier(asked: Asked, notifier: Id) -> Response:
    """Admins may."""
    await asked.engine.notifiers.remove(notifier, organization=asked.organization, actor=asked.actor)
    return Response(status_code=204)
