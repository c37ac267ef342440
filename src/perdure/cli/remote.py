"""A server as commands ask it: the verbs of an engine. Whose it is and who acts is left out, for the key says so."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, Self

from perdure.cli.where import Server

DEADLINE_SECONDS: Final = 5.0
"""Whoever types waits no longer for a server that is not there."""


class Remote:
    """What a command calls on an engine, as far as a client has it."""

    def __init__(self, server: Server) -> None:
        from perdure.client.client import Client  # noqa: PLC0415  what speaks HTTP takes its time to import

        self._client = Client(server.url, server.key, deadline_seconds=DEADLINE_SECONDS)
        self.on_published: list[Callable[[Any], object]] = []
        """What tasks publish while they run is told where they run."""

    def __getattr__(self, name: str) -> _Verbs:
        return _Verbs(getattr(self._client, name))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()


class _Verbs:
    """A part of a client, or an execution."""

    def __init__(self, inside: Any) -> None:
        self._inside = inside

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._inside, name)
        if not inspect.isroutine(verb):
            return verb

        def called(*given: Any, organization: str = "default", actor: None = None, **named: Any) -> Any:
            del organization, actor
            answer = verb(*given, **named)
            return _wrapped(answer) if inspect.iscoroutine(answer) else answer

        return called


async def _wrapped(answer: Awaitable[Any]) -> Any:
    from perdure.client.execution import Execution  # noqa: PLC0415

    found = await answer
    return _Verbs(found) if isinstance(found, Execution) else found
