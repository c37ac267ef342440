"""`/api/webhooks`: addresses that others can call to start a workflow. `hooks.py` is where these calls come in."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from perdure.answers.triggers import WebhookAnswer, issued_answer, webhook_answer
from perdure.api.answering import Answer, describes, describes_nothing, page
from perdure.api.asking import Asked
from perdure.api.given import Body, Id
from perdure.api.routes import routes
from perdure.service.paging import Page
from perdure.service.signatures import SchemeName
from perdure.service.webhooks import KEEP_HOURS_MAX

ROUTES = routes("/api/webhooks", "webhooks")


class WebhookBody(Body):
    """With a `scheme`, requests have to be signed, by a secret that is made here, or by the one that the sender gave."""

    workflow: str = Field(min_length=1, max_length=500)
    node: str | None = Field(None, max_length=500)
    scheme: SchemeName | None = None
    signing_secret: str | None = Field(None, max_length=1_000)


class RotateBody(Body):
    """Another token, or another signing secret. What was before counts as well for so many hours."""

    what: Literal["token", "signing"] = "token"
    signing_secret: str | None = Field(None, max_length=1_000)
    keep_hours: float = Field(24.0, ge=0, le=KEEP_HOURS_MAX)


@ROUTES.get("", operation_id="list_webhooks_api_webhooks_get", **describes(Page[WebhookAnswer]))
async def list_webhooks(
    asked: Asked, workflow: Annotated[str | None, Query(max_length=500, description="by its id or its name")] = None
) -> Answer:
    """The newest first. Never their tokens."""
    found = await asked.engine.webhooks.list(organization=asked.organization, workflow=workflow)
    return page(Page(found), webhook_answer)


@ROUTES.post("", operation_id="create_webhook_api_webhooks_post", **describes(WebhookAnswer, 201))
async def create_webhook(asked: Asked, body: WebhookBody) -> Answer:
    """Its `token` is in the answer, and nowhere else: calls go to `/hooks/{token}`. Editors may."""
    issued = await asked.engine.webhooks.create(
        body.workflow,
        node=body.node,
        scheme=body.scheme,
        signing_secret=body.signing_secret,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(issued_answer(issued), 201)


@ROUTES.post(
    "/{webhook}/rotate", operation_id="rotate_webhook_api_webhooks__webhook__rotate_post", **describes(WebhookAnswer)
)
async def rotate_webhook(asked: Asked, webhook: Id, body: RotateBody | None = None) -> Answer:
    """Editors may."""
    given = RotateBody() if body is None else body
    issued = await asked.engine.webhooks.rotate(
        webhook,
        given.what,
        signing_secret=given.signing_secret,
        keep_hours=given.keep_hours,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(issued_answer(issued))


@ROUTES.delete("/{webhook}", operation_id="remove_webhook_api_webhooks__webhook__delete", **describes_nothing())
async def remove_webhook(asked: Asked, webhook: Id) -> Response:
    """Its tokens count no more. Editors may."""
    await asked.engine.webhooks.remove(webhook, organization=asked.organization, actor=asked.actor)
    return Response(status_code=204)
