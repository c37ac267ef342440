"""Listening to what happens: one follower of the history for all who listen, and a bounded queue for each of them.

1. While anybody listens, one task asks the store what has happened since, and hands each event to those who want it. What it
   costs does not grow with those who do not: they are found by what they want. An event is encoded once.
2. Nobody is waited for. Whoever does not take what there is in time is told so, and is out; they come back with the place that
   they got to.
3. Whoever comes with a place is told first, at their own pace, what has happened since, and then joins the others: there is no
   moment at which something could be missed, or told twice.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from perdure.clock import now_ms
from perdure.hosts.embedded import Host
from perdure.service.telling import TYPES, EventType, Happening, Names, StreamEvent, Teller, published
from perdure.store.notices import NOTICES
from perdure.store.port import Unavailable
from perdure.store.questions import Questions
from perdure.tasks.context import Published

LOOK_SECONDS: Final = 0.05
TROUBLED_SECONDS: Final = 1.0
PAGE: Final = 500
QUEUE_MAX: Final = 2_000
QUEUE_BYTES_MAX: Final = 4_000_000
"""So much may wait for one reader. What waits for several is there once."""

SAID_MAX: Final = 1_000
"""So much of what tasks publish is kept for a moment; what comes beyond that is not told."""

Encoded: TypeAlias = Callable[[str, int | None, bytes], bytes]
"""Of a type, a place and JSON, what readers take."""

_Key: TypeAlias = tuple[str, str, str, str]
_log: Final = logging.getLogger("perdure.stream")
_encode: Final = msgspec.json.Encoder().encode


class Interest(Struct, frozen=True):
    """What somebody wants to be told. What the engine does by itself (`perdure:notices`) is told if it is named."""

    organization: str = "default"
    types: frozenset[EventType] = frozenset(TYPES)
    workflow: str | None = None
    execution: str | None = None

    def places(self) -> Iterator[_Key]:
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
    """What a listener is told of itself. `live`: all up to `place` has been told. `gap`: of what happened after `after` and up
    to `place`, something has been forgotten; or `after` is no place of this database. `dropped`: it was too slow, and has got
    to `place`.
    """

    place: str
    after: str | None = None


class Listening:
    """Who listens in this process. `encoded` makes of an event what readers take."""

    def __init__(self, host: Host, encoded: Encoded) -> None:
        self._host, self.encoded = host, encoded
        self._listeners: set[Listener] = set()
        self._wanting: dict[_Key, dict[Listener, None]] = {}
        self._live: dict[str, int] = {}
        """Of each organization, how many are in it."""
        self.place = 0
        """All up to here has been handed out."""
        self._ready = asyncio.Event()
        self._stirred = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._names = Names()
        self._teller = Teller(self._names)
        self._said: deque[tuple[Published, int]] = deque(maxlen=SAID_MAX)
        self._owners: OrderedDict[str, tuple[str, str]] = OrderedDict()

    @property
    def count(self) -> int:
        return len(self._listeners)

    @property
    def is_following(self) -> bool:
        return self._following is not None

    async def listen(self, interest: Interest, after: int | None = None) -> Listener:
        """From now on, or from what happened after a place. Whoever listens has to `leave`."""
        listener = Listener(self, interest, Teller(self._names))
        self._listeners.add(listener)
        try:
            await self._followed()
            if after is None:
                listener.join(self.place)
            else:
                listener.begin(after, await self._host.shell.read(lambda store: store.feed_place()))
        except BaseException:
            self.leave(listener)
            raise
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)
        self.part(listener)
        listener.end()
        if not self._listeners:
            self._stirred.set()  # there is nobody to follow for

    async def close(self) -> None:
        """All who listen are at their end."""
        for listener in tuple(self._listeners):
            self.leave(listener)
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)

    # Of listeners.

    def enroll(self, listener: Listener) -> None:
        """From now on it is handed what happens after `place`."""
        organization = listener.interest.organization
        self._live[organization] = self._live.get(organization, 0) + 1
        for key in listener.interest.places():
            self._wanting.setdefault(key, {})[listener] = None

    def part(self, listener: Listener) -> None:
        organization, was_live = listener.interest.organization, False
        for key in listener.interest.places():
            wanting = self._wanting.get(key, {})
            if listener in wanting:
                del wanting[listener]
                was_live = True
            if not wanting:
                self._wanting.pop(key, None)
        if was_live:
            self._live[organization] -= 1
            if not self._live[organization]:
                del self._live[organization]

    async def page(self, listener: Listener, after: int) -> tuple[int, list[Happening], int]:
        """What happened after a place: how far its organization has forgotten, what it is told, and how far that goes."""
        organization, teller = listener.interest.organization, listener.teller

        def look(store: Questions) -> tuple[int, list[Happening], int]:
            fed = store.feed(after, PAGE, organization)
            happened = list(teller.told(store, fed.told, (organization,)))
            return store.forgotten_up_to(organization), happened, fed.reached

        return await self._host.shell.read(look)

    # Following.

    async def _followed(self) -> None:
        """Until the follower knows where it stands."""
        if self._following is None:
            self._ready.clear()
            # of nobody's request: it looks at what happens in all organizations
            self._following = asyncio.create_task(self._follow(), context=contextvars.Context())
            self._following.add_done_callback(_say_if_failed)
        following = self._following
        ready = asyncio.ensure_future(self._ready.wait())
        try:
            await asyncio.wait([ready, following], return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if following.done():
            raise Unavailable("what happens cannot be followed for now")

    async def _follow(self) -> None:
        self._host.on_published.append(self._hear)
        try:
            await self._begin()
            while self._listeners:
                if not await self._look():
                    await self._pause(LOOK_SECONDS)
        finally:
            self._following = None
            self._said.clear()
            self._host.on_published.remove(self._hear)
            for listener in tuple(self._listeners):
                self.leave(listener)

    async def _begin(self) -> None:
        while self._listeners:
            try:
                self.place = await self._host.shell.read(lambda store: store.feed_place())
            except Unavailable:
                await self._pause(TROUBLED_SECONDS)
            else:
                self._ready.set()
                return

    async def _look(self) -> bool:
        """Whether there may be more."""
        whose, said, copied = frozenset(self._live), tuple(self._said), self._teller.copied
        after = self.place
        if not whose:
            return False

        def look(store: Questions) -> tuple[list[Happening], int, int]:
            fed = store.feed(after, PAGE)
            happened = list(self._teller.told(store, fed.told, whose))
            happened += self._published(store, said)
            return happened, len(fed.told), fed.reached

        try:
            happened, count, reached = await self._host.shell.read(look)
        except Unavailable:
            await self._pause(TROUBLED_SECONDS)
            return False
        if not self._live.keys() <= whose:  # somebody has joined in whose organization nobody had listened
            self._teller.copied = copied
            return True
        for _ in said:
            self._said.popleft()
        self._hand_out(happened)
        self.place = reached
        return count == PAGE

    def _hand_out(self, happened: Iterable[Happening]) -> None:
        for each in happened:
            wanting = list(self._wanted_by(each))
            if wanting:
                frame = self.encoded(each.event.type, each.place, _encode(each.event))
                for listener in wanting:
                    listener.put(each.place, frame)

    def _wanted_by(self, happening: Happening) -> Iterator[Listener]:
        organization, event = happening.organization, happening.event
        for workflow in {"", event.workflow}:
            for execution in ("", event.execution):
                if workflow or execution or event.workflow != NOTICES:
                    yield from self._wanting.get((organization, event.type, workflow, execution), ())

    # What tasks publish.

    def _hear(self, told: Published) -> None:
        if len(self._said) < SAID_MAX:
            self._said.append((told, now_ms()))
            self._stirred.set()

    def _published(self, store: Questions, said: Iterable[tuple[Published, int]]) -> Iterator[Happening]:
        for told, at in said:
            owner = self._owners.get(told.execution_id)
            if owner is None:
                record = store.record(told.execution_id)
                if record is None:
                    continue
                owner = self._owners[told.execution_id] = (record.organization, record.workflow)
                if len(self._owners) > SAID_MAX:
                    self._owners.popitem(last=False)
            yield published(told, *owner, at)

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
        except TimeoutError:
            pass
        self._stirred.clear()


class Listener:
    """One who listens. `take` again and again, until it says that it is over; and then `leave`."""

    def __init__(self, listening: Listening, interest: Interest, teller: Teller) -> None:
        self.interest, self.teller = interest, teller
        self._listening = listening
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
        """What there is to tell, as soon as there is something; nothing, if there is none in so many seconds. None: it is
        over.
        """
        if self._is_over:
            return None
        if not self._is_live:
            return await self._caught_up()
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
            self.join(self._listening.place, self._standing("gap", Standing(_text(known), _text(after)), known))

    def join(self, place: int, first: bytes = b"") -> None:
        """All up to this place has been told."""
        self._reached = place
        self._is_live = True
        self._queue.append((place, first + self._standing("live", Standing(_text(place)), place)))
        self._listening.enroll(self)
        self._stirred.set()

    def put(self, place: int | None, frame: bytes) -> None:
        if place is not None and place <= self._reached:
            return
        self._waiting_bytes += len(frame)
        if len(self._queue) >= QUEUE_MAX or self._waiting_bytes > QUEUE_BYTES_MAX:
            self._is_dropped = True
            self._queue.clear()
            self._listening.part(self)
        else:
            self._queue.append((place, frame))
        self._stirred.set()

    def end(self) -> None:
        self._is_over = True
        self._queue.clear()
        self._stirred.set()
        self._ended.set()

    # Of itself.

    async def _caught_up(self) -> bytes | None:
        """What happened since its place, a page at a time. When there is no more, it joins the others."""
        while True:
            after, floor = self._reached, self._listening.place
            forgotten, happened, reached = await self._listening.page(self, after)
            if self._is_over:
                return None
            frames = [
                self._listening.encoded(each.event.type, each.place, _encode(each.event))
                for each in happened
                if self.interest.wants(each.event)
            ]
            if forgotten > max(after, self._gap):
                self._gap = forgotten
                frames.insert(0, self._standing("gap", Standing(_text(forgotten), _text(after)), None))
            self._reached = self._got_to = reached if reached > after else max(after, floor)
            if self._listening.place <= self._reached:
                self.join(self._reached)
                frames += [frame for _, frame in self._queue]
                self._queue.clear()
                self._stirred.clear()
                self._said = self._reached
            if frames:
                return b"".join(frames)

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
        if self._listening.place <= self._said:
            return b""
        self._got_to = self._said = self._listening.place
        return self._standing("live", Standing(_text(self._got_to)), self._got_to)

    def _standing(self, type_: str, standing: Standing, place: int | None) -> bytes:
        return self._listening.encoded(type_, place, _encode(standing))


def _text(place: int) -> str:
    """As JSON has it: a place may be larger than the numbers of JavaScript are exact."""
    return str(place)


def _say_if_failed(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _log.error("what happens cannot be followed", exc_info=task.exception())
