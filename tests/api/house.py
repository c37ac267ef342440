"""A server that runs, on loopback, in the process of the test; and callers of all kinds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from msgspec import Struct

from perdure.api.server import answering, listening
from perdure.service.engine import Engine
from postgres import fresh_schema

GREET: dict[str, Any] = {
    "name": "greet",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "hello", "type": "SET", "data": {"values": {"greeting": "Hello {{name}}!"}}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "hello"}],
}


class House(Struct):
    """`ask` is a client of nobody in particular; `of` one with a key."""

    engine: Engine
    url: str

    @contextlib.asynccontextmanager
    async def ask(self, token: str | None = None, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
        given = headers if token is None else {"Authorization": f"Bearer {token}", **headers}
        async with httpx2.AsyncClient(base_url=self.url, headers=given, timeout=20, trust_env=False) as client:
            yield client

    async def key(self, member: str, *roles: str, organization: str = "default", **more: Any) -> str:
        """A member with these roles, and a key of theirs."""
        await self.engine.members.add(member, roles=roles, organization=organization)
        return (await self.engine.keys.create(member, organization=organization, **more)).token


@contextlib.asynccontextmanager
async def house(url: str = "memory://", *, needs_key: bool = True, **options: Any) -> AsyncIterator[House]:
    engine = Engine(url, **options)
    with contextlib.closing(listening("127.0.0.1", 0)) as place:
        async with engine, answering(engine, place, needs_key=needs_key):
            yield House(engine, f"http://127.0.0.1:{place.getsockname()[1]}")


def database(tmp_path: Path, kind: str) -> str:
    """The URL of an empty database of this kind."""
    match kind:
        case "sqlite":
            return f"sqlite:///{tmp_path}/flows.db"
        case "postgres":
            return fresh_schema()
        case _:
            return "memory://"


def run(scenario: Coroutine[Any, Any, None], seconds: float = 60) -> None:
    asyncio.run(asyncio.wait_for(scenario, seconds))


def said(response: httpx2.Response) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(response.content)
    return found


JSON = {"Content-Type": "application/json"}

ASK: dict[str, Any] = {
    "name": "refund",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "ask", "type": "APPROVAL", "data": {"approverRole": "finance", "title": "Refund"}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "ask"}],
}
