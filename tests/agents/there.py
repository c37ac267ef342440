"""A server on loopback in the process of the test, and clients of the SDK that speak to it over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Iterator
from itertools import pairwise
from typing import Any

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Tool
from msgspec import Struct

from perdure.api.app import application
from perdure.api.server import listening
from perdure.service.engine import Engine

MODES = ("legacy", "2026-07-28")
"""Both ways in which clients speak: with a handshake before, and each request by itself."""

ACCEPTS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class There(Struct):
    engine: Engine
    url: str
    app: Any

    async def key(self, member: str, *roles: str, organization: str = "default", groups: tuple[str, ...] = ()) -> str:
        """A member with these roles, and a key of theirs."""
        await self.engine.members.add(member, roles=roles, groups=groups, organization=organization)
        return (await self.engine.keys.create(member, organization=organization)).token

    @contextlib.asynccontextmanager
    async def http(self, token: str | None = None, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
        given = headers if token is None else {"Authorization": f"Bearer {token}", **headers}
        async with httpx2.AsyncClient(base_url=self.url, headers=given, timeout=30, trust_env=False) as client:
            yield client

    @contextlib.asynccontextmanager
    async def agent(self, token: str | None = None, mode: Any = "legacy") -> AsyncIterator[Client]:
        async with self.http(token) as http:
            transport = streamable_http_client(f"{self.url}/mcp", http_client=http)
            async with Client(transport, mode=mode, cache=None) as client:
                yield client


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def there(url: str = "memory://", *, needs_key: bool = True, **options: Any) -> AsyncIterator[There]:
    engine = Engine(url, **options)
    with contextlib.closing(listening("127.0.0.1", 0)) as place:
        async with engine:
            app = application(engine, needs_key=needs_key)
            server = _Server(uvicorn.Config(app, lifespan="off", log_config=None, ws="none"))
            running = asyncio.create_task(server.serve([place]))
            try:
                yield There(engine, f"http://127.0.0.1:{place.getsockname()[1]}", app)
            finally:
                server.should_exit = True
                await running


def run(scenario: Coroutine[Any, Any, None], seconds: float = 60) -> None:
    asyncio.run(asyncio.wait_for(scenario, seconds))


async def all_tools(client: Client) -> dict[str, Tool]:
    found: dict[str, Tool] = {}
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        found |= {each.name: each for each in page.tools}
        cursor = page.next_cursor
        if cursor is None:
            return found


def text(result: CallToolResult) -> str:
    return "\n".join(each.text for each in result.content if each.type == "text")


def graph(name: str, *nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A document of the dialect graph: a start, and these one after the other."""
    ids = ["start", *(each["id"] for each in nodes)]
    return {
        "name": name,
        "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, *nodes],
        "connections": [{"fromNodeId": one, "toNodeId": other} for one, other in pairwise(ids)],
        **more,
    }


def greet(name: str = "greet", **more: Any) -> dict[str, Any]:
    return graph(name, {"id": "hello", "type": "SET", "data": {"values": {"greeting": "Hello {{name}}!"}}}, **more)


def refund(name: str = "refund") -> dict[str, Any]:
    return graph(name, {"id": "ask", "type": "APPROVAL", "data": {"approverRole": "finance", "title": "Refund"}})
