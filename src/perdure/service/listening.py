"""Listening to what happens: one follower of the history for all who listen, and for each of them a bounded queue, its listener.

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
from collections.abc import Iterable, Iterator
from typing import Final

from perdure.hosts.embedded import Host
from perdure.service.listener import Encoded, Interest, Key, Listener, encode
from perdure.service.telling import Happening, Names, Teller, published
from perdure.store.notices import NOTICES
from perdure.store.port import Unavailable
from perdure.store.questions import Questions
from perdure.tasks.context import Published

LOOK_SECONDS: Final = 0.05
TROUBLED_SECONDS: Final = 1.0
PAGE: Final = 500
SAID_MAX: Final = 1_000
"""So much of what tasks publish is kept for a moment; what comes beyond that is not told."""

_log: Final = logging.getLogger("perdure.stream")


class Listening:
    """All who listen in this process. `encoded` makes of an event what readers take."""

    def __init__(self, host: Host, encoded: Encoded) -> None:
        self._host, self.encoded = host, encoded
        self._listeners: set[Listener] = set()
        self._wanting: dict[Key, dict[Listener, None]] = {}
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
                frame = self.encoded(each.event.type, each.place, encode(each.event))
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
            self._said.append((told, self._host.now_ms()))
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


def _say_if_failed(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _log.error("what happens cannot be followed", exc_info=task.exception())
