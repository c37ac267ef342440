"""`/api/session/oidc`: a browser goes to the provider, comes back, and is signed in. Where the operator has named none: 404."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import FastAPI, Query
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from perdure.api.browsers import cleared, cookie
from perdure.api.failures import Failures
from perdure.api.problems import Wrong
from perdure.api.problems import schema as problem_schema
from perdure.api.routes import routes
from perdure.api.session import address_of, begins, end_former
from perdure.clock import now_ms
from perdure.service.engine import Engine
from perdure.service.oidc.flow import LASTS_MS, Flows
from perdure.service.oidc.members import member_of
from perdure.service.oidc.places import is_own_path
from perdure.service.oidc.refusals import ProviderFailed, SignInRefused
from perdure.service.oidc.settings import ISSUER, OidcSettings, oidc_settings
from perdure.settings.environment import environment
from perdure.settings.setting import BadSetting

if TYPE_CHECKING:
    from perdure.service.oidc.provider import Provider

ROUTES = routes("/api/session/oidc", "session")
COOKIE: Final = "__Host-perdure-oidc"
REDIRECTS: Final[dict[str, Any]] = {
    "status_code": 302,
    "response_class": Response,
    "response_model": None,
    "responses": {
        302: {
            "description": "the browser goes on",
            "headers": {"Location": {"description": "to where", "schema": {"type": "string"}}},
        },
        "4XX": problem_schema(),
        "5XX": problem_schema(),
    },
}
_log: Final = logging.getLogger("perdure.api")


FAILED_PER_MINUTE: Final = 300
"""So many from one address may bring what the provider does not know, before it is spared. Keys are counted apart."""


class Oidc(Struct, frozen=True):
    settings: OidcSettings
    provider: Provider
    flows: Flows
    failures: Failures


def oidc(public_url: str) -> Oidc | None:
    """As the operator has it in the environment. None: nobody signs in so. Raises `BadSetting`."""
    settings = oidc_settings(environment(), public_url)
    if settings is None:
        return None
    try:
        from perdure.service.oidc.provider import Provider  # noqa: PLC0415  only who asks for it has the library
    except ImportError as error:
        raise BadSetting(f"{ISSUER} is set, and takes a library: pip install 'perdure[oidc]'") from error
    return Oidc(settings, Provider(settings), Flows(settings.client_secret), Failures(FAILED_PER_MINUTE))


@ROUTES.get("", operation_id="go_api_session_oidc_get", **REDIRECTS)
async def go(
    request: Request,
    next: Annotated[str, Query(max_length=1_000, description="the path to come to in the end")] = "/",
) -> Response:
    """To the provider, which finds out who it is."""
    there = _there(request.app)
    if not is_own_path(next):
        raise Wrong(400, "bad_next", "next is a path of this server, as /executions?status=running")
    flow = there.flows.begin(next, now_ms())
    try:
        away = await there.provider.away(flow)
    except ProviderFailed as error:
        raise _failed(error) from error
    kept = cookie(COOKIE, there.flows.signed(flow), LASTS_MS // 1_000)
    return Response(status_code=302, headers={"Location": away, "Set-Cookie": kept})


@ROUTES.get("/callback", operation_id="come_back_api_session_oidc_callback_get", **REDIRECTS)
async def come_back(
    request: Request,
    state: Annotated[str, Query(max_length=1_000)] = "",
    code: Annotated[str, Query(max_length=4_000)] = "",
    error: Annotated[str, Query(max_length=1_000, description="what the provider says instead of a code")] = "",
    iss: Annotated[str | None, Query(max_length=1_000, description="who says so (RFC 9207)")] = None,
) -> Response:
    """From the provider. Whoever it vouches for is signed in, and goes to where they wanted."""
    there = _there(request.app)
    engine: Engine = request.app.state.engine
    try:
        flow = there.flows.back(request.cookies.get(COOKIE), state, now_ms())
        _require_code(there.settings, iss, error, code)
        there.failures.failed(address_of(request))  # unless it turns out to be good
        there.flows.use(flow, now_ms())
        claims = await there.provider.claims(flow, code)
        member = await member_of(engine, there.settings, claims)
        issued = await engine.sessions.sign_in_member(
            member.id, issuer=there.settings.issuer, organization=member.organization
        )
    except SignInRefused as refused:
        _log.warning("a sign-in by %s from %s was refused: %s", there.settings.issuer, address_of(request), refused)
        raise Wrong(403, "sign_in_refused", str(refused), headers={"Set-Cookie": cleared(COOKIE)}) from refused
    except ProviderFailed as failed:
        raise _failed(failed) from failed
    there.failures.succeeded(address_of(request))
    await end_former(engine, request)
    response = Response(status_code=302, headers={"Location": flow.next, **begins(issued)})
    response.headers.append("Set-Cookie", cleared(COOKIE))
    return response


def _require_code(settings: OidcSettings, iss: str | None, error: str, code: str) -> None:
    if iss is not None and iss != settings.issuer:
        raise SignInRefused("another provider than that of this server says so")
    if error:
        raise SignInRefused(f"the provider says: {error[:100]!r}")
    if not code:
        raise SignInRefused("the provider has sent no code")


def _there(app: FastAPI) -> Oidc:
    found: Oidc | None = app.state.oidc
    if found is None:
        raise Wrong(404, "no_provider", f"nobody signs in here by a provider; the operator can name one ({ISSUER})")
    return found


def _failed(error: ProviderFailed) -> Wrong:
    _log.warning("the provider of sign-ins: %s", error)
    return Wrong(
        503,
        "provider_failed",
        "the provider cannot be asked for now; the log of the server has more",
        headers={"Retry-After": "5"},
    )
