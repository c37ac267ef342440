"""Servers that stream, in this process and in one of their own; and those who read their streams."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import msgspec
from msgspec import Struct

from perdure.api.server import listening, serve
from perdure.service.engine import Engine

SECONDS = 20.0


class Heard(Struct, frozen=True):
    type: str
    id: str | None
    data: Any


class Reader:
    """Reads one stream, event by event."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self.heard: list[Heard] = []
        self.comments = 0
        self.retry: int | None = None
        self._lines = response.aiter_lines()

    async def next(self) -> Heard | None:
        """None: it has ended."""
        found: dict[str, str] = {}
        async for line in self._lines:
            if line.startswith(":"):
                self.comments += 1
            elif line:
                name, _, value = line.partition(": ")
                found[name] = value
            elif "data" in found:
                self.heard.append(Heard(found["event"], found.get("id"), msgspec.json.decode(found["data"])))
                return self.heard[-1]
            elif "retry" in found:
                self.retry = int(found.pop("retry"))
        return None

    async def until(self, type_: str, count: int = 1) -> list[Heard]:
        async with asyncio.timeout(SECONDS):
            while self.types.count(type_) < count:
                assert await self.next() is not None, self.types
        return self.heard

    async def to_its_end(self) -> list[Heard]:
        async with asyncio.timeout(SECONDS):
            while await self.next() is not None:
                pass
        return self.heard

    @property
    def types(self) -> list[str]:
        return [one.type for one in self.heard]

    @property
    def told(self) -> list[Heard]:
        return [one for one in self.heard if one.type not in ("live", "behind", "gap", "dropped")]

    @property
    def last_id(self) -> str:
        """What a browser would come back with."""
        return [one.id for one in self.heard if one.id is not None][-1]


class Served(Struct):
    engine: Engine
    url: str

    def client(self, token: str | None = None) -> httpx2.AsyncClient:
        return client(self.url, token)

    async def key(self, member: str, *roles: str, organization: str = "default") -> str:
        await self.engine.members.add(member, roles=roles, organization=organization)
        return (await self.engine.keys.create(member, organization=organization)).token


def client(url: str, token: str | None = None) -> httpx2.AsyncClient:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    limits = httpx2.Limits(max_connections=None)
    return httpx2.AsyncClient(base_url=url, headers=headers, timeout=SECONDS, trust_env=False, limits=limits)


@contextlib.asynccontextmanager
async def served(engine: Engine, *, needs_key: bool = False) -> AsyncIterator[Served]:
    """At its end the server is told to end, as by a signal."""
    with contextlib.closing(listening("127.0.0.1", 0)) as place:
        async with engine:
            serving = asyncio.create_task(serve(engine, place, needs_key=needs_key))
            try:
                yield Served(engine, f"http://127.0.0.1:{place.getsockname()[1]}")
            finally:
                serving.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await serving


@contextlib.asynccontextmanager
async def reading(asking: httpx2.AsyncClient, query: str = "", *, after: str | None = None) -> AsyncIterator[Reader]:
    headers = {} if after is None else {"Last-Event-ID": after}
    async with asking.stream("GET", f"/api/stream{query}", headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        yield Reader(response)


class Process:
    """A server with a worker, in a process of its own, on a port that stays the same."""

    def __init__(self, database: str) -> None:
        self._database = database
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        command = ("-m", "perdure", "dev", "--no-examples", "--db", self._database, "--port", str(self._port))
        environment = {**os.environ, "PERDURE_LEASE_SECONDS": "1"}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *command, stderr=asyncio.subprocess.PIPE, env=environment
        )
        assert self._process.stderr is not None
        assert b"perdure on" in await asyncio.wait_for(self._process.stderr.readline(), SECONDS)

    async def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None
