"""`POST /hooks/{token}`: where calls of webhooks come in. Whoever has the token may, if they sign it where they have to."""

from __future__ import annotations

from starlette.requests import Request

from perdure.answers.triggers import ChallengeAnswer, ReceivedAnswer, received_answer
from perdure.api.answering import MEDIA_TYPE, Answer, describes, reference
from perdure.api.bodies import HOOKS_SLOW_SECONDS, bounded
from perdure.api.given import Id
from perdure.api.routes import routes
from perdure.service.engine import Engine
from perdure.service.receiving import BODY_BYTES_MAX
from perdure.service.refusals import Challenged

ROUTES = routes("/hooks", "hooks")
_ANY = {
    "requestBody": {
        "content": {"*/*": {"schema": {}}},
        "description": "JSON, a form or text; signed as the webhook has it, over the bytes as they are",
    }
}
_ANSWERS = describes(ReceivedAnswer, 202)
_ANSWERS["responses"][200] = {
    "description": "nothing is started: the sender, Slack say, asks whether the address is right, and has its challenge back",
    "content": {MEDIA_TYPE: {"schema": reference(ChallengeAnswer)}},
}


@ROUTES.post("/{token}", operation_id="receive_hooks__token__post", openapi_extra=_ANY, **_ANSWERS)
async def receive(request: Request, token: Id) -> Answer:
    """Start what the webhook is for. The same delivery twice is one execution."""
    engine: Engine = request.app.state.engine
    await engine.webhooks.look(token)  # whoever has none is not read
    try:
        taken = await engine.webhooks.receive(
            token,
            [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw],
            await bounded(request, BODY_BYTES_MAX, HOOKS_SLOW_SECONDS),
            query=request.url.query,
            request_id=request.scope.get("perdure.request_id"),
        )
    except Challenged as asked:
        return Answer(ChallengeAnswer(asked.challenge))
    return Answer(received_answer(taken), 202, {"Location": f"/api/executions/{taken.execution}"})
