"""`/api/stream`: what happens, as it happens: server-sent events, which a browser reads with `EventSource`."""

from __future__ import annotations

import asyncio
import contextvars
from typing import Annotated, Any, Final, TypeAlias

from fastapi import FastAPI, Header, Query
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from perdure.api.answering import reference
from perdure.api.asking import Asked, Guard, gone
from perdure.api.problems import Wrong
from perdure.api.problems import schema as problem_schema
from perdure.api.routes import routes
from perdure.errors import PerdureError
from perdure.expressions.wording import nearest
from perdure.hosts.settings import member_streams_max, streams_max
from perdure.service.engine import Engine
from perdure.service.errors import TooMany
from perdure.service.listener import Interest, Listener
from perdure.service.listening import Listening
from perdure.service.quotas import Quota
from perdure.service.telling import TYPES, EventType, StreamEvent
from perdure.settings.environment import environment
from perdure.settings.table import STREAMS
from perdure.store.notices import NOTICES

ROUTES = routes("/api/stream", "stream")
MEDIA_TYPE: Final = "text/event-stream"
HEARTBEAT_SECONDS: Final = 15.0
HEARTBEAT: Final = b":\n\n"
RETRY_MS: Final = 1_000
"""After so long, a browser whose stream has ended asks again."""

SEND_SECONDS: Final = 30.0
"""Whoever takes nothing at all for so long is gone."""

LAST_SECONDS: Final = 1.0
"""So long it has to take what is left, when the stream is over."""

LOOK_SECONDS: Final = 1.0
"""How often it is looked whether those who listen still may, and whether the server is ending."""

BUSY_SECONDS: Final = 5
DIGITS_MAX: Final = 19


_Whose: TypeAlias = tuple[str, str | None]
"""Organization and member; None on one's own machine, where nobody says who they are."""


def frame(type_: str, place: int | None, data: bytes) -> bytes:
    """An event, as the protocol has it. Without a place it has no id, and nobody can go on after it."""
    id_ = b"" if place is None else b"id: %d\n" % place
    return b"%sevent: %s\ndata: %s\n\n" % (id_, type_.encode(), data)


class Streams:
    """All that are open in this process. One task looks after them while there are any."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        engine: Engine = app.state.engine
        self._listening = Listening(engine.host, frame)
        self._quota = Quota(
            "streams",
            STREAMS.name,
            organization_max=streams_max(environment()),
            member_max=member_streams_max(environment()),
            total=engine.limits.open_requests,
        )
        self._open: dict[Listener, tuple[Request, _Whose]] = {}
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    async def open(self, request: Request, interest: Interest, after: int | None) -> Listener:
        """Raises `Wrong`, if there are too many of its organization, or if there is to be no other."""
        state = self._app.state
        if (
            state.ending.is_set() and not state.is_followed
        ):  # else it begins, and ends soon: a browser comes back by itself
            raise Wrong(503, "ending", "the server is about to end; another one takes over", headers=_retry(1))
        organization, member = interest.organization, request.state.asking.actor
        whose: _Whose = (organization, None if member is None else member.id)
        try:
            self._quota.take(*whose)
        except TooMany as error:
            raise _too_many(str(error)) from error
        try:
            listener = await self._listening.listen(interest, after)
        except BaseException:
            self._quota.free(*whose)
            raise
        self._open[listener] = request, whose
        if self._looking is None:
            # on behalf of nobody: whose a key is, is asked of all
            self._looking = asyncio.create_task(self._look(), context=contextvars.Context())
        return listener

    def close(self, listener: Listener) -> None:
        found = self._open.pop(listener, None)
        if found is not None:
            self._quota.free(*found[1])
        self._listening.leave(listener)

    async def _look(self) -> None:
        try:
            while self._open:
                await asyncio.sleep(LOOK_SECONDS)
                for listener, (request, _) in tuple(self._open.items()):
                    if self._app.state.ending.is_set() or not await self._may(request, listener):
                        self._listening.leave(listener)
        finally:
            self._looking = None

    async def _may(self, request: Request, listener: Listener) -> bool:
        """What a key was found to be is believed for a moment: many streams with one key are one question."""
        guard: Guard = self._app.state.guard
        try:
            return (await guard.admit(request)).organization == listener.interest.organization
        except Wrong:
            return False
        except PerdureError:  # the database is away: nobody is sent away for that
            return True


class EventStream(Response):
    """Until it is over, or whoever reads is gone."""

    media_type = MEDIA_TYPE

    def __init__(self, streams: Streams, listener: Listener) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._streams, self._listener = streams, listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        telling = asyncio.create_task(self._tell(send))
        others = [asyncio.create_task(gone(receive)), asyncio.create_task(self._listener.ended())]
        try:
            await asyncio.wait([telling, *others], return_when=asyncio.FIRST_COMPLETED)
            if not others[0].done():
                await asyncio.wait([telling], timeout=LAST_SECONDS)
        finally:
            self._streams.close(self._listener)
            for task in (telling, *others):
                task.cancel()
            await asyncio.gather(telling, *others, return_exceptions=True)
        error = None if telling.cancelled() else telling.exception()
        if error is not None and not isinstance(error, TimeoutError | OSError | PerdureError):
            raise error

    async def _tell(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        told: bytes | None = b"retry: %d\n\n" % RETRY_MS
        while told is not None:
            async with asyncio.timeout(SEND_SECONDS):
                await send({"type": "http.response.body", "body": told or HEARTBEAT, "more_body": True})
            told = await self._listener.take(HEARTBEAT_SECONDS)
        await send({"type": "http.response.body", "body": b""})


_TOLD: Final = {"type": "string", "contentMediaType": MEDIA_TYPE, "contentSchema": reference(StreamEvent)}
DESCRIBED: dict[str, Any] = {
    "status_code": 200,
    "response_class": EventStream,
    "response_model": None,
    "responses": {
        200: {
            "description": "events, of which each has this as its data; beside them `live`, `behind`, `gap` and `dropped`",
            "content": {MEDIA_TYPE: {"schema": _TOLD}},
        },
        "4XX": problem_schema(),
        "5XX": problem_schema(),
    },
}


@ROUTES.get("", operation_id="listen_api_stream_get", **DESCRIBED)
async def listen(
    asked: Asked,
    request: Request,
    types: Annotated[
        str | None, Query(max_length=1_000, description="only these, with commas: `execution.*,step.failed`")
    ] = None,
    workflow: Annotated[str | None, Query(max_length=500, description="by its id or its name")] = None,
    execution: Annotated[str | None, Query(max_length=500)] = None,
    after: Annotated[
        str | None, Query(max_length=100, description="go on after this id; 0: from the beginning of what is kept")
    ] = None,
    last_event_id: Annotated[
        str | None, Header(description="go on after this id; a browser that comes back says it by itself")
    ] = None,
) -> Response:
    """What happens in the organization, as it happens: executions, steps, approvals, and what tasks publish.

    Whoever comes back with the id of the last event that they got is told all that they missed. Whoever is too slow is told so
    (`dropped`), and comes back. If something that they missed has been forgotten, `gap` comes first.
    """
    wanted = _types(types)
    place = _place(last_event_id) if last_event_id else _place(after)
    if workflow not in (None, NOTICES):
        workflow = (await asked.engine.workflows.show(workflow, organization=asked.organization)).id
    if execution is not None:
        execution = (await asked.engine.executions.get(execution, organization=asked.organization)).id
    streams: Streams = request.app.state.streams
    interest = Interest(asked.organization, wanted, workflow, execution)
    return EventStream(streams, await streams.open(request, interest, place))


def _types(given: str | None) -> frozenset[EventType]:
    """Raises `Wrong`."""
    words = [word.strip() for word in (given or "*").split(",") if word.strip()]
    found = {word: {each for each in TYPES if _fits(word, each)} for word in words}
    for word, each in found.items():
        if not each:
            raise Wrong(400, "no_such_type", f"there are no events of type {word[:80]!r}{nearest(word, TYPES)}")
    if not found:
        raise Wrong(400, "no_such_type", "types names no type; leave it out for all of them")
    return frozenset[EventType]().union(*found.values())


def _fits(word: str, type_: EventType) -> bool:
    return word == type_ or (word.endswith("*") and type_.startswith(word[:-1]))


def _place(given: str | None) -> int | None:
    """Raises `Wrong`."""
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) <= DIGITS_MAX and int(given) < 1 << 63):
        raise Wrong(400, "bad_last_event_id", f"Last-Event-ID is the id of an event that was told, not {given[:80]!r}")
    return int(given)


def _too_many(why: str) -> Wrong:
    return Wrong(429, "too_many_streams", f"{why}; or share one stream", headers=_retry(BUSY_SECONDS))


def _retry(seconds: int) -> dict[str, str]:
    return {"Retry-After": str(seconds)}
