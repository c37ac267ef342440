"""What happens at a server, as it happens: its stream, which is come back to by itself, at the place that was got to.

Nothing is lost and nothing told twice, whoever breaks the connection. Types and fields that this version does not know are left
out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Final

import msgspec
from msgspec import Struct

from perdure.client.channel import Asking, Broken, Channel, Query, api, backoff, retry_after
from perdure.client.errors import NoServer, ServerFailed
from perdure.service.given import check_numbers
from perdure.service.listener import Standing
from perdure.service.telling import TYPES, StreamEvent

MEDIA_TYPE: Final = "text/event-stream"
LIVE, GAP = "live", "gap"
FRAME_END: Final = b"\n\n"
QUIET_SECONDS: Final = 45.0
"""Three times what a server says nothing for: whoever is silent for longer is gone."""

_event: Final = msgspec.json.Decoder(StreamEvent)
_standing: Final = msgspec.json.Decoder(Standing)


class Heard(Struct, frozen=True):
    """Something that was told. `event` is what happened; None: it is about the stream itself. `place`: to go on after it; None:
    it is not kept, as what tasks publish.

    live   all up to `place` has been told
    gap    of what happened after `after`, something has been forgotten; load anew what you show
    """

    type: str
    place: int | None
    event: StreamEvent | None = None
    after: int | None = None


class Listened(Struct, frozen=True):
    """What somebody wants to be told."""

    types: tuple[str, ...]
    workflow: str | None
    execution: str | None


async def stream(
    channel: Channel, wanted: Listened, after: int | None, *, deadline_seconds: float
) -> AsyncIterator[Heard]:
    check_numbers(after=after)
    types = ",".join(wanted.types) or None
    query: Query = {"types": types, "workflow": wanted.workflow, "execution": wanted.execution}
    place, failures = after, 0
    until: float | None = None  # if there is no connection, by when there has to be one
    while True:
        last = {} if place is None else {"Last-Event-ID": str(place)}
        asking = Asking("GET", api("stream"), query, headers={"Accept": MEDIA_TYPE, **last})
        pause, rest = 0.0, b""
        try:
            async with aclosing(channel.parts(asking, MEDIA_TYPE, quiet_seconds=QUIET_SECONDS)) as parts:
                async for part in parts:
                    failures, until = 0, None
                    *whole, rest = (rest + part).split(FRAME_END)  # one that is cut off is told again
                    for frame in filter(None, map(_frame, whole)):
                        place = frame.place if frame.place is not None else place
                        heard = _heard(frame, channel.url)
                        if heard is not None:
                            yield heard
        except Broken as broken:
            pause = 0.0 if broken.answer is None else retry_after(broken.answer)
            until = time.monotonic() + deadline_seconds if until is None else until
            if time.monotonic() + pause >= until:
                if broken.answer is not None:
                    channel.succeeded(broken.answer)
                raise NoServer(f"{channel.url} cannot be asked: {broken.said}") from None
        await asyncio.sleep(max(pause, backoff(failures)))
        failures += 1


class _Frame(Struct, frozen=True):
    type: str
    place: int | None
    data: bytes


def _frame(lines: bytes) -> _Frame | None:
    """None: it is no event, but how long to wait, say, or that the server is still there."""
    fields = dict(line.split(b": ", 1) for line in lines.split(b"\n") if b": " in line and not line.startswith(b":"))
    if b"event" not in fields or b"data" not in fields:
        return None
    return _Frame(fields[b"event"].decode(), int(fields[b"id"]) if b"id" in fields else None, fields[b"data"])


def _heard(frame: _Frame, where: str) -> Heard | None:
    """None: there is nothing to tell of it. Who was too slow comes back by themselves."""
    try:
        if frame.type in (LIVE, GAP):
            standing = _standing.decode(frame.data)
            return Heard(frame.type, int(standing.place), after=None if standing.after is None else int(standing.after))
        if frame.type not in TYPES:
            return None
        return Heard(frame.type, frame.place, _event.decode(frame.data))
    except msgspec.DecodeError as error:
        raise ServerFailed(
            f"{where} tells what this version cannot read ({error}); is it as new as this one?"
        ) from None
