"""`/api/secrets`: set, listed, removed. Nobody can read one here."""

from __future__ import annotations

from pydantic import Field
from starlette.responses import Response

from perdure.answers.organizations import SecretAnswer, secret_answer
from perdure.api.answering import Answer, describes, describes_nothing, page
from perdure.api.asking import Asked
from perdure.api.given import Body, Cursor, Id, Limit
from perdure.api.routes import routes
from perdure.model.secrets import VALUE_BYTES_MAX
from perdure.service.paging import LIMIT, Page

ROUTES = routes("/api/secrets", "secrets")


class SecretBody(Body):
    value: str = Field(min_length=1, max_length=VALUE_BYTES_MAX)


@ROUTES.get("", operation_id="list_secrets_api_secrets_get", **describes(Page[SecretAnswer]))
async def list_secrets(asked: Asked, limit: Limit = LIMIT, cursor: Cursor = None) -> Answer:
    """By name. Never their values."""
    found = await asked.engine.secrets.list(organization=asked.organization, limit=limit, cursor=cursor)
    return page(found, secret_answer)


@ROUTES.put("/{name}", operation_id="set_secret_api_secrets__name__put", **describes(SecretAnswer))
async def set_secret(asked: Asked, name: Id, body: SecretBody) -> Answer:
    """Encrypt and keep it, in place of what was there. Editors may."""
    found = await asked.engine.secrets.set(name, body.value, organization=asked.organization, actor=asked.actor)
    return Answer(secret_answer(found))


@ROUTES.delete("/{name}", operation_id="remove_secret_api_secrets__name__delete", **describes_nothing())
async def remove_secret(asked: Asked, name: Id) -> Response:
    """Calls that need it fail from now on. Editors may."""
    await asked.engine.secrets.remove(name, organization=asked.organization, actor=asked.actor)
    return Response(status_code=204)
