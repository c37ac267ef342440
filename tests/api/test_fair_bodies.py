"""Large bodies of one organization do not keep those of another one waiting, whichever way they come in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from threading import Event, Semaphore
from typing import Any

import pytest

from api.house import GREET, house, run, said
from perdure.api import bodies
from perdure.service import deliveries
from perdure.tasks.offload import INLINE_BYTES_MAX

MARK = b"takes long"
FILLING = "x" * (INLINE_BYTES_MAX + 1)
MANY = 8


class Held:
    """Bodies with the mark are read only once `go_on` is set."""

    def __init__(self) -> None:
        self.begun, self.go_on = Semaphore(0), Event()

    def wait(self, body: bytes) -> None:
        if MARK in body:
            self.begun.release()
            assert self.go_on.wait(20)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    found, strict_json, parsed = Held(), bodies.strict_json, deliveries.parsed

    def read(body: bytes) -> Any:
        found.wait(body)
        return strict_json(body)

    def parse(request: Any) -> Any:
        found.wait(request.body)
        return parsed(request)

    monkeypatch.setattr(bodies, "strict_json", read)
    monkeypatch.setattr(deliveries, "parsed", parse)
    yield found
    found.go_on.set()


@pytest.mark.parametrize("way", ["rest", "mcp", "webhook"])
def test_large_bodies_are_read_in_turn_for_each_organization(held: Held, way: str) -> None:
    async def scenario() -> None:
        async with house(needs_key=True) as there:
            keys, hooks = {}, {}
            for organization in ("many", "few"):
                keys[organization] = await there.key("ann", "operator", "editor", organization=organization)
                await there.engine.workflows.save(GREET, organization=organization)
                hooks[organization] = (await there.engine.webhooks.create("greet", organization=organization)).token

            async def start(organization: str, mark: str = "") -> int:
                name = mark + FILLING
                call = {"name": "start_execution", "arguments": {"workflow": "greet", "input": {"name": name}}}
                path, body = {
                    "rest": ("/api/executions", {"name": "greet", "input": {"name": name}}),
                    "mcp": ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
                    "webhook": (f"/hooks/{hooks[organization]}", {"name": name}),
                }[way]
                async with there.ask(None if way == "webhook" else keys[organization]) as client:
                    accepts = {"Accept": "application/json, text/event-stream"}
                    response = await client.post(path, json=body, headers=accepts)
                    assert response.status_code < 300, said(response)
                    return response.status_code

            many = [asyncio.create_task(start("many", MARK.decode())) for _ in range(MANY)]
            for _ in range(3):
                assert await asyncio.to_thread(held.begun.acquire, timeout=20)
            assert not await asyncio.to_thread(held.begun.acquire, timeout=0.1), "one thread is for others"
            await asyncio.wait_for(start("few"), 10)
            held.go_on.set()
            await asyncio.gather(*many)

    run(scenario())
