"""`/api/session`: a browser signs in, asks who it is, and signs out. `/api/sessions`: those that there are."""

from __future__ import annotations

import logging
from typing import Any, Final

from fastapi import FastAPI
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from perdure.answers.sessions import (
    SessionAnswer,
    WaysAnswer,
    WhoAnswer,
    own_machine_answer,
    session_answer,
    who_answer,
)
from perdure.api.answering import Answer, describes, describes_nothing, page
from perdure.api.asking import HELP, Asked, Asking, Guard, unknown
from perdure.api.browsers import COOKIE, cleared, cookie, session_of
from perdure.api.failures import Failures
from perdure.api.given import Body, Id
from perdure.api.routes import routes
from perdure.service.engine import Engine
from perdure.service.paging import Page
from perdure.service.sessions import IssuedSession, csrf_token

ROUTES = routes("/api/session", "session")
LISTED = routes("/api/sessions", "session")
WHO_ASKS: Final[dict[str, Any]] = {"security": [{"key": []}, {"session": []}]}
"""Anybody may sign in; who one is, is told only to who is somebody."""

SET_COOKIE: Final = {"Set-Cookie": f"`{COOKIE}`, which is the session: Secure, HttpOnly, SameSite=Lax, Path=/"}
KEY_MAX: Final = 200
_log: Final = logging.getLogger("perdure.api")


class SignInBody(Body):
    key: str = Field(min_length=1, max_length=KEY_MAX, description="`prd_…`")


@ROUTES.post("", operation_id="sign_in_api_session_post", **describes(WhoAnswer, headers=SET_COOKIE))
async def sign_in(request: Request, body: SignInBody) -> Answer:
    """Sign in with a key. The session that the browser has had is over then."""
    engine, guard, failures = _parts(request.app)
    guard.pages.require_own(request)
    address = address_of(request)
    issued = await engine.sessions.sign_in(body.key)
    if issued is None:
        failures.failed(address)
        _log.warning("a sign-in from %s was refused: no such key", address)
        raise unknown(f"there is no such key, or not any more; {HELP}")
    failures.succeeded(address)
    await end_former(engine, request)
    session = issued.session
    told = who_answer(
        issued.caller.member, session.id, "session", csrf=csrf_token(issued.token), expires_at=session.expires_at
    )
    return Answer(told, headers=begins(issued))


@ROUTES.get("/ways", operation_id="ways_api_session_ways_get", **describes(WaysAnswer))
async def ways(request: Request) -> Answer:
    """How one can sign in here."""
    return Answer(WaysAnswer(True, None if request.app.state.oidc is None else f"{ROUTES.prefix}/oidc"))


@ROUTES.get("", operation_id="who_api_session_get", openapi_extra=WHO_ASKS, **describes(WhoAnswer))
async def who(request: Request) -> Answer:
    """Who asks: by the cookie of a session, by a key, or as anybody does on their own machine."""
    _, guard, _ = _parts(request.app)
    return Answer(_told(await guard.admit(request), session_of(request)))


@ROUTES.delete("", operation_id="sign_out_api_session_delete", openapi_extra=WHO_ASKS, **describes_nothing())
async def sign_out(request: Request) -> Response:
    """The session of the browser is over. Whoever asks with a key has none, and nothing ends."""
    engine, guard, _ = _parts(request.app)
    asking, token = await guard.admit(request), session_of(request)
    if asking.session is None or token is None:
        return Response(status_code=204)
    await engine.sessions.sign_out(token)
    return Response(status_code=204, headers={"Set-Cookie": cleared(COOKIE)})


@LISTED.get("", operation_id="list_sessions_api_sessions_get", **describes(Page[SessionAnswer]))
async def list_sessions(asked: Asked) -> Answer:
    """Your own; as an admin, all. Never what browsers ask with."""
    return page(await asked.engine.sessions.list(organization=asked.organization, actor=asked.actor), session_answer)


@LISTED.delete("/{session}", operation_id="end_session_api_sessions__session__delete", **describes_nothing())
async def end_session(asked: Asked, session: Id) -> Response:
    """Whoever has it has to sign in again."""
    await asked.engine.sessions.end(session, organization=asked.organization, actor=asked.actor)
    return Response(status_code=204)


def begins(issued: IssuedSession) -> dict[str, str]:
    return {"Set-Cookie": cookie(COOKIE, issued.token)}


async def end_former(engine: Engine, request: Request) -> None:
    """What a browser had before it signed in counts no more: somebody else may have put it there."""
    former = session_of(request)
    if former is not None:
        await engine.sessions.sign_out(former)


def address_of(request: Request) -> str:
    return "" if request.client is None else request.client.host


def _parts(app: FastAPI) -> tuple[Engine, Guard, Failures]:
    return app.state.engine, app.state.guard, app.state.failures


def _told(asking: Asking, token: str | None) -> WhoAnswer:
    caller, session = asking.caller, asking.session
    if caller is None:
        return own_machine_answer(asking.organization, asking.name)
    if session is None:
        assert caller.key is not None
        return who_answer(caller.member, caller.key, "key")
    assert token is not None
    return who_answer(caller.member, session.id, "session", csrf=csrf_token(token), expires_at=session.expires_at)
