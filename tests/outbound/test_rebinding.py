"""Names whose addresses change from one question to the next, and names that have a forbidden address among others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from connections.using import address
from outbound.canary import PUBLIC, Canary, Watch
from outbound.clients import CLIENTS
from perdure.tasks.door import Allowed, Call, Door, OutboundFailed, OutboundRefused
from perdure.tasks.failing import NonRetryable
from perdure.tasks.limits import Limits
from perdure.tasks.mcp.pool import Pool
from tasks.servers import Reply, http_server

EACH = 240
MANY = 2_000
ANSWERS: dict[str, Callable[[int], Sequence[str]]] = {
    "public-first": lambda times: [PUBLIC] if times == 1 else ["127.0.0.1"],
    "every-other": lambda times: [PUBLIC] if times % 2 else ["127.0.0.1"],
    "inside-first": lambda times: ["127.0.0.1"] if times % 2 else [PUBLIC],
    "every-third": lambda times: ["::1"] if times % 3 == 0 else [PUBLIC],
    "both": lambda _: [PUBLIC, "127.0.0.1"],
    "both-turned": lambda _: ["127.0.0.1", PUBLIC],
    "hidden-among-many": lambda _: [*([PUBLIC] * 20), "127.0.0.2"],
    "dressed": lambda times: [PUBLIC] if times % 2 else ["::ffff:127.0.0.1"],
    "any": lambda times: [PUBLIC] if times % 2 else ["0.0.0.0"],
    "six": lambda _: ["2606:4700::1111", "::1"],
}


def named(port: int, count: int) -> tuple[list[str], dict[str, Callable[[int], Sequence[str]]]]:
    kinds = list(ANSWERS)
    hosts = {f"{kinds[number % len(kinds)]}-{number}.example": kinds[number % len(kinds)] for number in range(count)}
    return [f"http://{host}:{port}/" for host in hosts], {host: ANSWERS[kind] for host, kind in hosts.items()}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_name_that_changes_its_mind_leads_nobody_inside(client: str, canary: Canary, watch: Watch) -> None:
    """Whoever asks twice, once to judge and once to connect, would find the canary."""
    urls, watch.names = named(canary.port, EACH)

    came = asyncio.run(CLIENTS[client](urls))

    assert (canary.heard, watch.wrongly) == ([], [])
    assert all(each.is_failure for each in came)
    assert {"both", "both-turned", "six", "hidden-among-many", "inside-first"} <= {
        url.removeprefix("http://").rpartition("-")[0] for url, each in zip(urls, came, strict=True) if each.is_refused
    }
    assert {(PUBLIC, canary.port)} == set(watch.tried)  # what was judged is what was called
    assert len(watch.asked) == EACH


def test_two_thousand_calls_of_such_names_lead_nobody_inside(canary: Canary, watch: Watch) -> None:
    urls, watch.names = named(canary.port, len(ANSWERS))

    async def scenario() -> list[BaseException | object]:
        door = Door()
        calls = [door.send(Call(urls[number % len(urls)])) for number in range(MANY)]
        return list(await asyncio.gather(*calls, return_exceptions=True))

    kinds = {type(each) for each in asyncio.run(scenario())}
    assert kinds == {OutboundRefused, OutboundFailed}
    assert sum(watch.asked.values()) == MANY  # once for each connection
    assert (canary.heard, watch.wrongly) == ([], [])


def test_a_connection_that_is_opened_again_is_judged_again(canary: Canary, watch: Watch) -> None:
    """The server was where it may be when the session began; then its name leads elsewhere, and its session is over."""
    moved: list[bool] = []
    watch.names["mcp.example"] = lambda _: ["127.0.0.2"] if moved else ["127.0.0.1"]

    async def scenario(port: int) -> str:
        door = Door(Allowed(networks=["127.0.0.1/32"]))
        pool = Pool(lambda: door, Limits())
        there = address(f"http://mcp.example:{port}/mcp")
        for turn in range(2):
            moved.extend([True] * turn)
            try:
                await pool.use(("default", "it"), there, None, lambda it: it.call("do", {}, "k", 5))
            except NonRetryable as error:
                said = f"{error.code}: {error}"
        await pool.close()
        return said

    with http_server(Reply(404)) as server:
        watch.expected = {server.port}
        said = asyncio.run(scenario(server.port))
    assert said.startswith("OUTBOUND_REFUSED")
    assert "'mcp.example' resolves to 127.0.0.2, a loopback address" in said
    assert (canary.heard, watch.tried) == ([], [])
    assert watch.asked == {"mcp.example": 2}
