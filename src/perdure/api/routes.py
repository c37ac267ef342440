"""How a request comes to its handler: first who asks, then what they send, and only then the handler."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from perdure.api.asking import Asking, Guard
from perdure.api.bodies import STRANGERS_BYTES_MAX, STRANGERS_SLOW_SECONDS, StrictRequest, require_body, require_json
from perdure.api.parameters import known_of, refuse_unknown
from perdure.api.repeating import answered_once
from perdure.service.stack_traces import visible_to

PUBLIC: Final = frozenset(
    {
        *("/healthz", "/readyz", "/metrics", "/hooks/{token}", "/a/{token:path}", "/api/openapi.json"),
        *("/api/session", "/api/session/ways", "/api/session/oidc", "/api/session/oidc/callback"),
    }
)
"""The paths that anybody may ask for. A test holds the routes against this list."""


class Route(APIRoute):
    """FastAPI reads a body before it looks at who sent it. Here nothing is read of whoever may not ask."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        is_public, has_body = self.path in PUBLIC, self.body_field is not None
        known = known_of(self)
        is_optional = has_body and not self.body_field.field_info.is_required()  # type: ignore[union-attr]

        async def admitted(request: Request) -> Response:
            strict = StrictRequest(request.scope, request.receive)
            if is_public:
                strict.bytes_max, strict.slow_seconds = STRANGERS_BYTES_MAX, STRANGERS_SLOW_SECONDS
            else:
                guard: Guard = request.app.state.guard
                strict.state.asking = await guard.admit(strict)
                refuse_unknown(strict, known)
            if has_body and (await strict.body() or not is_optional):
                require_body(strict, await strict.body())
                require_json(strict)
                await strict.json()  # an empty body is none, and no JSON either
            if is_public:
                return await handle(strict)
            asking: Asking = strict.state.asking
            with asking.engine.host.on_behalf_of(asking.organization), visible_to(admin=asking.is_admin):
                return await answered_once(asking, strict, self.path, lambda: handle(strict))

        return admitted


def routes(prefix: str, tag: str) -> APIRouter:
    return APIRouter(prefix=prefix, tags=[tag], route_class=Route)
