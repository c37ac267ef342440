"""What is small on its way and large when it is unpacked comes to nobody, through whichever client."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib

import httpx2
import pytest

from llm.words import asking, ports
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed
from perdure.tasks.door import Allowed, Call, Door, Limits, ResponseTooLarge
from tasks.servers import Reply, http_server

LOOPBACK = Allowed(networks=["127.0.0.1/32"])
MEGABYTE = 1024 * 1024
LARGE = 32 * MEGABYTE
PACKED = gzip.compress(bytes(LARGE))
BOMBS = {
    "gzip": PACKED,
    "x-gzip": PACKED,
    "deflate": zlib.compress(bytes(LARGE)),
    "gzip, gzip": gzip.compress(PACKED),
    "gzip, deflate, gzip": gzip.compress(zlib.compress(PACKED)),
    "identity, gzip": PACKED,
}


async def by_a_client_of_others(door: Door, url: str) -> bytes:
    async with httpx2.AsyncClient(transport=door.transport(), trust_env=False) as client:
        return (await client.get(url)).content


async def by_the_door(door: Door, url: str) -> bytes:
    return (await door.send(Call(url))).body


@pytest.mark.parametrize("get", [by_a_client_of_others, by_the_door])
@pytest.mark.parametrize("encoding", BOMBS)
def test_a_bomb_does_not_go_off(get: object, encoding: str) -> None:
    """Nor is it held in memory as a whole before it is refused."""
    assert callable(get)
    with http_server(Reply(headers={"content-encoding": encoding}, body=BOMBS[encoding])) as server:
        tracemalloc.start()
        try:
            coming = get(Door(LOOPBACK, Limits(response_bytes_max=MEGABYTE)), server.url())
            if encoding == "x-gzip":
                assert asyncio.run(coming) == PACKED  # as it came: nobody here knows that word
            else:
                with pytest.raises(ResponseTooLarge):
                    asyncio.run(coming)
            assert tracemalloc.get_traced_memory()[1] < LARGE / 4
        finally:
            tracemalloc.stop()


def test_what_is_packed_and_small_comes_unpacked() -> None:
    reply = Reply(headers={"content-encoding": "gzip"}, body=gzip.compress(b"small"))
    with http_server(reply) as server:
        assert asyncio.run(by_a_client_of_others(Door(LOOPBACK), server.url())) == b"small"


@pytest.mark.parametrize(("status", "reason"), [(200, "larger than 10485760 bytes"), (400, "was answered with 400")])
def test_a_model_whose_answer_is_a_bomb_fails_and_no_more(
    monkeypatch: pytest.MonkeyPatch, status: int, reason: str
) -> None:
    with http_server(Reply(status, headers={"content-encoding": "gzip, gzip"}, body=BOMBS["gzip, gzip"])) as server:
        for name, value in {"API_KEY": "sk-1234567890", "MODEL": "m", "BASE_URL": server.url("/v1")}.items():
            monkeypatch.setenv(f"OPENAI_{name}", value)

        async def scenario() -> None:
            async with Engine("memory://") as engine:
                execution = await engine.executions.start(ports(asking()), {})
                with pytest.raises(ExecutionFailed, match=reason):
                    await asyncio.wait_for(execution.result(), 30)

        asyncio.run(scenario())
