"""`POST /hooks/{token}`: where calls of webhooks come in. Whoever has the token may, if they sign it where they have to."""

from __future__ import annotations

from starlette.requests import Request

from perdure.answers.triggers import ReceivedAnswer, received_answer
from perdure.api.answering import Answer, describes
from perdure.api.bodies import bounded
from perdure.api.given import Id
from perdure.api.routes import routes
from perdure.service.engine import Engine
from perdure.service.receiving import BODY_BYTES_MAX

ROUTES = routes("/hooks", "hooks")
_ANY = {
    "requestBody": {
        "content": {"*/*": {"schema": {}}},
        "description": "JSON, a form or text; signed as the webhook has it, over the bytes as they are",
    }
}


@ROUTES.post("/{token}", openapi_extra=_ANY, **describes(ReceivedAnswer, 202))
async def receive(request: Request, token: Id) -> Answer:
    """Start what the webhook is for. The same delivery twice is one execution."""
    engine: Engine = request.app.state.engine
    await engine.webhooks.look(token)  # whoever has none is not read
    taken = await engine.webhooks.receive(
        token,
        [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw],
        await bounded(request, BODY_BYTES_MAX),
        query=request.url.query,
        request_id=request.scope.get("perdure.request_id"),
    )
    return Answer(received_answer(taken), 202, {"Location": f"/api/executions/{taken.execution}"})
