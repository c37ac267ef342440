"""Requests that carry an `Idempotency-Key`: the same key and the same request are answered once and told again.

A start has its key in the database, in the same transaction as the execution, and needs none of this. What else is asked by POST
and PATCH is answered here: whoever comes first does it, whoever comes again within a day is told the same. A key is that of the
member who uses it, with the roles that they have: others know nothing of it, and what they ask for is asked whether they may.

What was refused has done nothing, and may be tried again under its key. Of everything else that goes wrong nobody knows what it
has done: the key stays promised, until the promise is void. The request is done again then, and finds what is done already; a
rerun and a fork have the key in their own transaction too.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from perdure.api.asking import Asking
from perdure.api.given import KEY_ABOUT, KEY_HEADER, key_of, key_sent
from perdure.api.problems import FAILED, Wrong, status_of
from perdure.errors import PerdureError
from perdure.service.answers import KEY_LENGTH_MAX, PROMISE_SECONDS, WORK_SECONDS, Differs, Mine, UnderWay, request_hash
from perdure.store.ledger import Answer, Answered

_log: Final = logging.getLogger("perdure.api")
METHODS: Final = frozenset({"POST", "PATCH"})
EXACT: Final = frozenset({"/api/executions"})
"""A start: the store itself knows the key."""

SHOWN_ONCE: Final = frozenset(
    {"/api/keys", "/api/webhooks", "/api/webhooks/{webhook}/rotate", "/api/approvals/{approval}/links"}
)
"""Their answers hold what nobody may keep, and so they cannot be told again."""

KEPT: Final = ("etag", "location")
"""Headers that belong to an answer."""

REPLAYED: Final = {"Idempotent-Replayed": "true"}


async def answered_once(
    asking: Asking, request: Request, path: str, handle: Callable[[], Awaitable[Response]]
) -> Response:
    """`path` is that of the route, without its values."""
    given = key_sent(request.headers)
    if given is None or request.method not in METHODS or path in EXACT:
        return await handle()
    if path in SHOWN_ONCE:
        raise Wrong(
            400, "bad_idempotency_key", "what this answers is shown once, and cannot be told again; leave the key out"
        )
    key = key_of(given)
    assert key is not None
    answers, whole = asking.engine.answers, f"{request.url.path}?{request.url.query}"
    hashed = request_hash(request.method, whole, await request.body())
    until = asyncio.get_running_loop().time() + WORK_SECONDS
    match await answers.begin(key, hashed, organization=asking.organization, whose=_whose(asking)):
        case Answered() as found:
            told = found.answer
            return Response(told.body, told.status, {**dict(told.headers), **REPLAYED}, told.content_type)
        case UnderWay() as found:
            wait = {"Retry-After": str(found.retry_after_seconds)}
            raise Wrong(409, "under_way", "the first request with this key is still under way; try again", headers=wait)
        case Differs():
            raise Wrong(422, "other_request", "this Idempotency-Key stands for another request; use another key")
        case mine:
            return await _first(asking, mine, handle, until)


def _whose(asking: Asking) -> tuple[str, ...]:
    """Who has less roles, by another key of the same member say, may not be told what the others were. Nobody is somebody too."""
    actor = asking.actor
    return () if actor is None else (actor.id, str(actor.since), *sorted(actor.roles))


def describe_key(method: str, path: str, operation: dict[str, Any]) -> None:
    """The OpenAPI document has the header wherever it is heeded; some routes say so themselves."""
    given = operation.setdefault("parameters", [])
    if method in METHODS and path not in SHOWN_ONCE and all(each["name"].lower() != KEY_HEADER for each in given):
        schema = {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH_MAX}
        given.append(
            {"name": KEY_HEADER, "in": "header", "required": False, "description": KEY_ABOUT, "schema": schema}
        )


async def _first(asking: Asking, mine: Mine, handle: Callable[[], Awaitable[Response]], until: float) -> Response:
    answers = asking.engine.answers
    try:
        response = await _in_time(handle, until)
    except Exception as error:
        if _has_done_nothing(error):
            await _written(answers.withdraw(mine))
        raise
    if not getattr(response, "is_final", True):  # what is done is found again by its own key, or as it stands
        await _written(answers.withdraw(mine))
        return response
    headers = tuple((name, response.headers[name]) for name in KEPT if name in response.headers)
    body = bytes(response.body)
    await _written(answers.give(mine, Answer(response.status_code, body, response.media_type or "", headers)))
    return response


async def _written(writing: Awaitable[object]) -> None:
    """As far as it can be: what came of the request is so in any case, and whoever asked is told it."""
    try:
        await writing
    except PerdureError as error:
        _log.warning("what came of a request with an Idempotency-Key could not be kept: %s", error)


async def _in_time(handle: Callable[[], Awaitable[Response]], until: float) -> Response:
    """Nobody is at it any more when the promise is void, and somebody else may be."""
    try:
        async with asyncio.timeout_at(until) as time:
            return await handle()
    except TimeoutError as error:
        if not time.expired():
            raise
        wait = {"Retry-After": str(PROMISE_SECONDS - WORK_SECONDS)}
        detail = (
            f"what is asked under a key has to be done within {WORK_SECONDS:g} seconds, and some of this may be; "
            "go on with the same request, or ask for less at once"
        )
        raise Wrong(503, "took_too_long", detail, headers=wait) from error


def _has_done_nothing(error: Exception) -> bool:
    """Whether it is a refusal, which comes before anything is written."""
    match error:
        case Wrong():
            return error.status < FAILED
        case HTTPException():
            return error.status_code < FAILED
        case PerdureError():
            return status_of(error)[0] < FAILED
        case _:
            return isinstance(error, RequestValidationError)
