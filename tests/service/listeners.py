"""Those who listen, in tests: what they take is read again, event by event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import Struct

from perdure.service.engine import Engine
from perdure.service.listener import Interest, Listener
from perdure.service.listening import Listening

SECONDS = 20.0


class Heard(Struct, frozen=True):
    type: str
    place: int | None
    data: dict[str, Any]


def encoded(type_: str, place: int | None, data: bytes) -> bytes:
    return msgspec.json.encode({"type": type_, "place": place, "data": msgspec.Raw(data)}) + b"\n"


class Ear:
    """One who listens, and what it has heard."""

    def __init__(self, listening: Listening, listener: Listener) -> None:
        self._listening, self.listener = listening, listener
        self.heard: list[Heard] = []
        self.is_over = False

    async def take(self, seconds: float = SECONDS) -> list[Heard]:
        """What comes next."""
        taken = await self.listener.take(seconds)
        self.is_over = taken is None
        some = [msgspec.json.decode(line, type=Heard) for line in (taken or b"").splitlines()]
        self.heard += some
        return some

    async def until(self, type_: str, count: int = 1) -> list[Heard]:
        """Until it has heard so many of this type; all that it has heard."""
        async with asyncio.timeout(SECONDS):
            while self.types.count(type_) < count:
                assert not self.is_over, self.types
                await self.take()
        return self.heard

    @property
    def types(self) -> list[str]:
        return [one.type for one in self.heard]

    @property
    def told(self) -> list[Heard]:
        """Without what it was told of itself."""
        return [one for one in self.heard if one.type not in ("live", "behind", "gap", "dropped")]

    def leave(self) -> None:
        self._listening.leave(self.listener)


class Room:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.listening = Listening(engine.host, encoded)

    async def ear(self, organization: str = "default", *, after: int | None = None, **interest: Any) -> Ear:
        """One who listens from now on, or from a place."""
        wanted = Interest(organization, **interest)
        return Ear(self.listening, await self.listening.listen(wanted, after))


@asynccontextmanager
async def room(engine: Engine) -> AsyncIterator[Room]:
    async with engine:
        found = Room(engine)
        try:
            yield found
        finally:
            await found.listening.close()
