"""One who listens: what it wants, how far it has got, and what waits to be taken by it.

Whoever comes with a place goes through what has happened since at its own pace, and is told how far it is where that takes long:
it may have to come back before it is through. Then it joins the others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from perdure.service.telling import TYPES, EventType, Happening, StreamEvent, Teller
from perdure.store.notices import NOTICES

QUEUE_MAX: Final = 2_000
QUEUE_BYTES_MAX: Final = 4_000_000
"""So much may wait for one reader. What waits for several is there once."""

Encoded: TypeAlias = Callable[[str, int | None, bytes], bytes]
"""Of a type, a place and JSON, what readers take."""

Key: TypeAlias = tuple[str, str, str, str]
"""Under which those who want an event are found."""

encode: Final = msgspec.json.Encoder().encode


class Interest(Struct, frozen=True):
    """What somebody wants to be told. What the engine does by itself (`perdure:notices`) is told if it is named."""

    organization: str = "default"
    types: frozenset[EventType] = frozenset(TYPES)
    workflow: str | None = None
    execution: str | None = None

    def places(self) -> Iterator[Key]:
        """Where it is looked for."""
        for type_ in self.types:
            yield (self.organization, type_, self.workflow or "", self.execution or "")

    def wants(self, event: StreamEvent) -> bool:
        return (
            event.type in self.types
            and self.workflow in (None, event.workflow)
            and self.execution in (None, event.execution)
            and (event.workflow != NOTICES or self.workflow is not None or self.execution is not None)
        )


class Standing(Struct, frozen=True, omit_defaults=True):
    """What a listener is told of itself. `live`: all up to `place` has been told. `behind`: the same, and there is more to come.
    `gap`: of what happened after `after` and up to `place`, something has been forgotten; or `after` is no place of this
    database. `dropped`: it was too slow, and has got to `place`.
    """

    place: str
    after: str | None = None


class Others(Protocol):
    """Those who listen together, as each of them knows them. `place`: all up to here has been handed out."""

    place: int
    encoded: Encoded

    def enroll(self, listener: Listener) -> None: ...

    def part(self, listener: Listener) -> None: ...

    async def page(self, listener: Listener, after: int) -> tuple[int, list[Happening], int]: ...


class Listener:
    """One who listens. `take` again and again, until it says that it is over; and then `leave`."""

    def __init__(self, others: Others, interest: Interest, teller: Teller) -> None:
        self.interest, self.teller = interest, teller
        self._others = others
        self._reached = 0
        """What stands up to here has been told, or waits to be."""
        self._got_to = 0
        """What stands up to here has been taken."""
        self._said = 0
        """The last place that its reader knows."""
        self._gap = 0
        self._queue: deque[tuple[int | None, bytes]] = deque()
        self._waiting_bytes = 0
        self._stirred, self._ended = asyncio.Event(), asyncio.Event()
        self._is_live = self._is_dropped = self._is_over = False

    async def take(self, seconds: float) -> bytes | None:
        """What there is to tell, as soon as there is something; how far it is, or nothing, if there is none in so many seconds.
        None: it is over.
        """
        if self._is_over:
            return None
        if not self._is_live:
            return await self._caught_up(seconds)
        try:
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
        except TimeoutError:
            if not self._stirred.is_set():
                return self._quiet()
        self._stirred.clear()
        return self._taken()

    async def ended(self) -> None:
        """Until nothing more is told, whoever takes it or not."""
        await self._ended.wait()

    # Of those who listen together.

    def begin(self, after: int, known: int) -> None:
        """Go on after a place, if it is one: `known` is the last."""
        self._reached = self._got_to = self._said = after
        if after > known:
            self.join(self._others.place, self._standing("gap", Standing(_text(known), _text(after)), known))

    def join(self, place: int, first: bytes = b"") -> None:
        """All up to this place has been told."""
        self._reached = place
        self._is_live = True
        self._queue.append((place, first + self._standing("live", Standing(_text(place)), place)))
        self._others.enroll(self)
        self._stirred.set()

    def put(self, place: int | None, frame: bytes) -> None:
        if place is not None and place <= self._reached:
            return
        self._waiting_bytes += len(frame)
        if len(self._queue) >= QUEUE_MAX or self._waiting_bytes > QUEUE_BYTES_MAX:
            self._is_dropped = True
            self._queue.clear()
            self._others.part(self)
        else:
            self._queue.append((place, frame))
        self._stirred.set()

    def end(self) -> None:
        self._is_over = True
        self._queue.clear()
        self._stirred.set()
        self._ended.set()

    # Of itself.

    async def _caught_up(self, seconds: float) -> bytes | None:
        """What happened since its place, a page at a time. When there is no more, it joins the others. There may be very much of
        others among which there is nothing for it: how far it is by then is worth to be known, as when it is quiet.
        """
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        while True:
            after, floor = self._reached, self._others.place
            forgotten, happened, reached = await self._others.page(self, after)
            if self._is_over:
                return None
            frames = [
                self._others.encoded(each.event.type, each.place, encode(each.event))
                for each in happened
                if self.interest.wants(each.event)
            ]
            if forgotten > max(after, self._gap):
                self._gap = forgotten
                frames.insert(0, self._standing("gap", Standing(_text(forgotten), _text(after)), None))
            self._reached = self._got_to = reached if reached > after else max(after, floor)
            if self._others.place <= self._reached:
                self.join(self._reached)
                frames += [frame for _, frame in self._queue]
                self._queue.clear()
                self._stirred.clear()
                self._said = self._reached
            if frames:
                return b"".join(frames)
            if clock() >= until:
                return self._standing("behind", Standing(_text(self._reached)), self._reached)

    def _taken(self) -> bytes | None:
        if self._is_over:
            return None
        if self._is_dropped:
            self._is_over = True
            return self._standing("dropped", Standing(_text(self._got_to)), self._got_to)
        frames = [frame for _, frame in self._queue]
        for place, _ in self._queue:
            self._got_to = self._got_to if place is None else place
        self._said = self._got_to
        self._queue.clear()
        self._waiting_bytes = 0
        return b"".join(frames)

    def _quiet(self) -> bytes:
        """It has heard nothing for a while. How far it is by now is worth to be known: it need not go through all that again."""
        if self._others.place <= self._said:
            return b""
        self._got_to = self._said = self._others.place
        return self._standing("live", Standing(_text(self._got_to)), self._got_to)

    def _standing(self, type_: str, standing: Standing, place: int | None) -> bytes:
        return self._others.encoded(type_, place, encode(standing))


def _text(place: int) -> str:
    """As JSON has it: a place may be larger than the numbers of JavaScript are exact."""
    return str(place)
