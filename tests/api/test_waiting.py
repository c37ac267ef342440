"""`?wait=`: answered when there is something to say, and not asked for by anybody who is gone."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from msgspec.structs import replace

from api.house import ASK, House, house, run, said
from client.test_broken import port_of
from perdure import Client
from perdure.client.channel import Answered, Asking, Channel
from perdure.client.execution import LOOK_SECONDS_MAX, pause

PATIENCE = 0.05


async def _asking(there: House) -> str:
    """An execution that waits for somebody."""
    await there.engine.workflows.save(ASK)
    execution = await there.engine.executions.start("refund")
    while (await execution.describe()).status != "waiting":  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    return execution.id


async def _decide(there: House) -> None:
    (approval,) = (await there.engine.approvals.list(status="pending")).items
    await there.engine.decide(approval.id, "approve", by="ada")


def test_who_waits_for_the_end_is_answered_when_it_has_ended() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            place = f"/api/executions/{await _asking(there)}"
            assert said(await client.get(place, params={"wait": 20}))["status"] == "waiting"
            ended = asyncio.create_task(client.get(place, params={"wait": 20, "until": "ended"}))
            await asyncio.wait([ended], timeout=PATIENCE)
            assert not ended.done()
            await _decide(there)
            assert said(await ended)["status"] == "completed"
            assert (await client.get(place, params={"wait": 20, "until": "tomorrow"})).status_code == 422

    run(scenario())


def test_whoever_hangs_up_is_not_waited_for() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there:
            execution = await _asking(there)
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(there.url))
            writer.write(b"GET /api/executions/%s?wait=60&until=ended HTTP/1.1\r\n" % execution.encode())
            writer.write(b"Host: 127.0.0.1\r\n\r\n")
            halts = there.engine.host.shell.halts
            while not halts:  # noqa: ASYNC110  until it waits
                await asyncio.sleep(0.001)
            writer.close()
            while halts:  # noqa: ASYNC110  nobody does any more
                await asyncio.sleep(0.001)
            assert not await reader.read()

    run(scenario())


def test_who_waits_is_answered_when_the_server_ends() -> None:
    async def scenario() -> None:
        async with httpx2.AsyncClient(timeout=20, trust_env=False) as client:
            async with house(needs_key=False) as there:
                place = f"{there.url}/api/executions/{await _asking(there)}?wait=60&until=ended"
                waits = asyncio.create_task(client.get(place))
                while not there.engine.host.shell.halts:  # noqa: ASYNC110  until it waits
                    await asyncio.sleep(0.001)
            assert said(await waits)["status"] == "waiting"

    run(scenario(), 10)


@pytest.mark.parametrize("answers_early", [False, True])
def test_a_client_that_waits_for_the_end_does_not_ask_again_and_again(
    answers_early: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not while an approval is open; nor where a server cannot wait, as one that is about to end."""
    asked = 0
    ask = Channel.ask

    async def counted(self: Channel, asking: Asking) -> Answered:
        nonlocal asked
        asked += 1
        return await ask(self, replace(asking, query={}) if answers_early else asking)

    monkeypatch.setattr(Channel, "ask", counted)

    async def scenario() -> None:
        nonlocal asked
        async with house(needs_key=False) as there, Client(there.url) as client:
            execution = await client.executions.get(await _asking(there))
            asked = 0
            result = asyncio.create_task(execution.result())
            await asyncio.wait([result], timeout=2 * PATIENCE)
            assert 1 <= asked <= 2
            await _decide(there)
            await result

    run(scenario())


def test_pauses_grow_and_have_an_end() -> None:
    assert pause(1) < pause(2) <= pause(10_000) == LOOK_SECONDS_MAX
