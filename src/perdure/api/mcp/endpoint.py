"""`/mcp`: who asks, before anything else is looked at.

Every request is whole: who asks is said by its key, and nothing of it is kept after its answer. So it does not matter which of
several servers is asked, and a client notices nothing of a restart.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from perdure.api.asking import Guard
from perdure.api.problems import Wrong
from perdure.service.engine import Engine

if TYPE_CHECKING:
    from perdure.api.mcp.messages import Messages

PATH: Final = "/mcp"


class Endpoint:
    """An ASGI application for one path. `ending`: set when the server is about to end."""

    def __init__(self, engine: Engine, guard: Guard, *, needs_key: bool, ending: asyncio.Event) -> None:
        self._engine, self._guard, self._needs_key, self._ending = engine, guard, needs_key, ending
        self._messages: Messages | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `Wrong`, as every route does."""
        scope = {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}
        request = Request(scope, receive)
        asked = await self._guard.admit(request, keys_only=True)
        if request.method != "POST":
            raise Wrong(
                405,
                "no_such_method",
                "messages are sent here with POST; there is no stream to listen to, and no session to end",
                headers={"Allow": "POST"},
            )
        if self._messages is None:
            self._messages = await asyncio.to_thread(self._begin)
        await self._messages.answer(asked, request, send)

    def _begin(self) -> Messages:
        """A server that no agent asks need not wait for the library, and one that is asked does not stand still for it."""
        from perdure.api.mcp.messages import Messages  # noqa: PLC0415

        return Messages(self._engine, needs_key=self._needs_key, ending=self._ending)
