"""Requests that carry an `Idempotency-Key`: the same key and the same request are answered once and told again.

A start has its key in the database, in the same transaction as the execution, and needs none of this. What else is asked by POST
and PATCH is answered here: whoever comes first does it, whoever comes again within a day is told the same. What was refused has
done nothing, and may be tried again under its key. Should the process die between what it did and its answer, the request is done
again when the promise is void: most verbs find that it is done already; a rerun or a fork is made once more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from perdure.api.asking import Asking
from perdure.api.given import KEY_ABOUT, KEY_MAX, key_of
from perdure.api.problems import Wrong
from perdure.service.answers import Differs, Mine, UnderWay, request_hash
from perdure.store.ledger import Answer, Answered

HEADER: Final = "idempotency-key"
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
    given = request.headers.get(HEADER)
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
    match await answers.begin(key, hashed, organization=asking.organization):
        case Answered() as found:
            told = found.answer
            return Response(told.body, told.status, {**dict(told.headers), **REPLAYED}, told.content_type)
        case UnderWay() as found:
            wait = {"Retry-After": str(found.retry_after_seconds)}
            raise Wrong(409, "under_way", "the first request with this key is still under way; try again", headers=wait)
        case Differs():
            raise Wrong(422, "other_request", "this Idempotency-Key stands for another request; use another key")
        case mine:
            return await _first(asking, mine, handle)


def describe_key(method: str, path: str, operation: dict[str, Any]) -> None:
    """The OpenAPI document has the header wherever it is heeded. Of a start, its route has said so itself."""
    if method in METHODS and path not in SHOWN_ONCE | EXACT:
        schema = {"type": "string", "minLength": 1, "maxLength": KEY_MAX}
        header = {"name": HEADER, "in": "header", "required": False, "description": KEY_ABOUT, "schema": schema}
        operation.setdefault("parameters", []).append(header)


async def _first(asking: Asking, mine: Mine, handle: Callable[[], Awaitable[Response]]) -> Response:
    answers = asking.engine.answers
    try:
        response = await handle()
    except BaseException:
        await answers.withdraw(mine)
        raise
    headers = tuple((name, response.headers[name]) for name in KEPT if name in response.headers)
    body = bytes(response.body)
    await answers.give(mine, Answer(response.status_code, body, response.media_type or "", headers))
    return response
