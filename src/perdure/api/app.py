"""The server as one ASGI application over an engine that runs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from perdure.answers.problems import ProblemDetails
from perdure.api import (
    approvals,
    bulk,
    connections,
    events,
    executions,
    health,
    hooks,
    links,
    metrics,
    notifiers,
    oidc,
    people,
    schedules,
    secrets,
    session,
    stream,
    triggers,
    webhooks,
    workflows,
)
from perdure.api.answering import components
from perdure.api.asking import Guard
from perdure.api.browsers import COOKIE
from perdure.api.component_names import rename_components
from perdure.api.door import Door
from perdure.api.examples.table import exemplify
from perdure.api.failures import Failures
from perdure.api.mcp.endpoint import PATH, Endpoint
from perdure.api.mistakes import mistakes
from perdure.api.problems import Wrong, wrong
from perdure.api.repeating import describe_key
from perdure.api.routes import PUBLIC
from perdure.api.stream import Streams
from perdure.errors import TOLD_MAX, PerdureError
from perdure.service.engine import Engine
from perdure.version import VERSION

ABOUT = "Workflows that last: saved, started, looked at, decided. Errors are `application/problem+json`; lists have cursors."
ROUTERS = (
    executions.ROUTES,  # they are gone through in turn, and these are asked for most
    workflows.ROUTES,
    bulk.ROUTES,
    approvals.ROUTES,
    events.ROUTES,
    triggers.ROUTES,
    schedules.ROUTES,
    webhooks.ROUTES,
    connections.ROUTES,
    secrets.ROUTES,
    notifiers.ROUTES,
    people.MEMBERS,
    people.KEYS,
    people.AUDIT,
    session.ROUTES,
    oidc.ROUTES,
    session.LISTED,
    hooks.ROUTES,
    links.ROUTES,
    stream.ROUTES,
    health.ROUTES,
    metrics.ROUTES,
)
_METHOD = 405
UNTOLD: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False}
"""What is traced and counted is so by the engine, which knows what a request is about."""


def application(engine: Engine, *, needs_key: bool = True) -> FastAPI:
    """`needs_key`: False on one's own machine, where any caller may do everything in the organization `default`."""
    app = FastAPI(
        title="Perdure",
        version=VERSION,
        description=ABOUT,
        redirect_slashes=False,  # it would lead to wherever the Host says
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        telemetry=UNTOLD,
    )
    app.state.engine, app.state.guard = engine, Guard(engine, needs_key=needs_key)
    app.state.failures, app.state.oidc = Failures(), oidc.oidc(engine.host.public_url)
    app.state.ending, app.state.is_followed = asyncio.Event(), False
    app.state.streams = Streams(app)
    app.state.metrics = metrics.Metrics(app, needs_key=needs_key)
    for each in ROUTERS:
        app.router.routes.extend(each.routes)
    mcp = Endpoint(engine, app.state.guard, needs_key=needs_key, ending=app.state.ending)
    app.router.routes.append(Route(PATH, mcp))
    app.add_exception_handler(Wrong, _wrong)
    app.add_exception_handler(PerdureError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_middleware(Door, own_machine=not needs_key, requests=app.state.metrics.requests)
    document = openapi(app)
    app.openapi = lambda: document  # type: ignore[method-assign]

    encoded = json.dumps(document).encode()  # once: anybody may ask, again and again

    @app.get("/api/openapi.json", include_in_schema=False)
    async def describe() -> Response:
        return Response(encoded, media_type="application/json")

    return app


def openapi(app: FastAPI) -> dict[str, Any]:
    """What the routes say of themselves, with the shapes of our answers, and who may ask."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= components(app.routes, ProblemDetails)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    document["components"]["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "bearerFormat": "prd_…"},
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": COOKIE,
            "description": "of POST /api/session; all but GET need the csrfToken of GET /api/session as X-CSRF-Token",
        },
    }
    document["security"] = [{"key": []}, {"session": []}]
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            route["responses"].pop("422", None)  # it is a problem, like every other
            if path in PUBLIC:
                route.setdefault("security", [])
            else:
                describe_key(method.upper(), path, route)
    exemplify(document)
    return rename_components(document)


async def _wrong(request: Request, error: Exception) -> Response:
    assert isinstance(error, Wrong)
    return error.answer(request_id(request))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, PerdureError)
    return wrong(error).answer(request_id(request))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = mistakes(request, error)
    detail = "; ".join(f"{each.path}: {each.message}" if each.path else each.message for each in problems[:TOLD_MAX])
    return Wrong(422, "invalid_request", detail, problems=problems).answer(request_id(request))


async def _http(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses: paths and methods that there are not."""
    assert isinstance(error, HTTPException)
    words = {404: "there is nothing at this path", 405: "this path does not take that method"}
    codes = {404: "no_such_path", 405: "no_such_method"}
    detail = words.get(error.status_code, str(error.detail))
    code = codes.get(error.status_code, "refused")
    headers = {**(error.headers or {})}
    if error.status_code == _METHOD:
        headers["Allow"] = ", ".join(_methods(request))
    return Wrong(error.status_code, code, detail, headers=headers).answer(request_id(request))


def _methods(request: Request) -> list[str]:
    """What the path takes, by all routes that are called as the first one that fits."""
    fitting = [
        route
        for route in request.app.routes
        if isinstance(route, APIRoute) and route.matches(request.scope)[0] is not Match.NONE
    ]
    found = {method for route in fitting if route.path == fitting[0].path for method in route.methods or ()}
    return sorted(found)


def request_id(request: Request) -> str | None:
    found: str | None = request.scope.get("perdure.request_id")
    return found
