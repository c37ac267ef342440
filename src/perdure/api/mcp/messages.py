"""A message of somebody who is known: whether it comes from where it may, is JSON, and not too much; then the protocol has it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import PARSE_ERROR
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Send

from perdure.answers.problems import problem_answer
from perdure.api.asking import Asking
from perdure.api.bodies import BODY_BYTES_MAX, bounded, read_json, require_json
from perdure.api.mcp.catalog import Catalog
from perdure.api.mcp.places import Places
from perdure.api.mcp.serving import Serving
from perdure.api.problems import Wrong
from perdure.service.engine import Engine
from perdure.service.stack_traces import visible_to


class Messages:
    """`ending`: set when the server is about to end."""

    def __init__(self, engine: Engine, *, needs_key: bool, ending: asyncio.Event) -> None:
        self._ending = ending
        self._catalog = Catalog(engine)
        self._places = Places(engine.host.public_url, needs_key)

    async def answer(self, asked: Asking, request: Request, send: Send) -> None:
        """Raises `Wrong`."""
        places = self._places.settings(request)
        await self._places.refuse_strangers(request, places)
        require_json(request)
        body = await bounded(request, BODY_BYTES_MAX)
        try:
            await read_json(body)
        except Wrong as error:
            await _unread(error)(request.scope, request.receive, send)
            return
        serving = Serving(asked, self._catalog, request.scope.get("perdure.request_id", ""), self._ending)
        manager = StreamableHTTPSessionManager(
            serving.server(), stateless=True, security_settings=places, max_request_body_size=BODY_BYTES_MAX
        )
        # For this request alone: what it has begun ends with it.
        with asked.engine.host.on_behalf_of(asked.organization), visible_to(admin=asked.is_admin):
            async with manager.run():
                await manager.handle_request(request.scope, _again(body, request.receive), send)


def _again(body: bytes, receive: Receive) -> Receive:
    """What has been read, to be read once more; then whatever comes."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def given() -> Message:
        return parts.pop() if parts else await receive()

    return given


def _unread(error: Wrong) -> Response:
    """No message could be read, so that the answer is to none."""
    told: dict[str, Any] = {"code": error.code, "errors": tuple(map(problem_answer, error.problems))}
    answer = {"jsonrpc": "2.0", "id": None, "error": {"code": PARSE_ERROR, "message": error.detail, "data": told}}
    return Response(msgspec.json.encode(answer), error.status, media_type="application/json")
