"""Idempotency keys over a client: those that cannot be sent are refused at once, and those that can are the server's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from api.house import GREET, house, run
from api.test_repeating import done, new_ones
from client.cutting import Cut, cutting
from perdure import Client
from perdure.client.execution import Execution
from perdure.service import execution as service
from perdure.service.answers import KEY_LENGTH_MAX, Answers, Begun, UnderWay
from perdure.service.errors import Conflict, OtherRequest

BAD = ("", " ", "\t", " a", "a ", "a\nb", "é", "schlüssel", "鍵", "k" * (KEY_LENGTH_MAX + 1))


@pytest.mark.parametrize("key", BAD)
def test_a_key_that_cannot_be_sent_is_refused_at_once_by_its_name(key: str) -> None:
    async def scenario() -> None:
        async with Client("http://127.0.0.1:1") as client:
            with pytest.raises(Conflict, match=r"^idempotency_key .* cannot be sent.* leave it out"):
                await client.executions.start("greet", idempotency_key=key)
            there = Execution("x", False, "default", client._channel)
            with pytest.raises(Conflict, match=r"^idempotency_key "):
                await there.rerun(idempotency_key=key)
            with pytest.raises(Conflict, match=r"^idempotency_key "):
                await there.fork(at_step="hello", idempotency_key=key)

    run(scenario(), seconds=5)


def test_a_key_with_nul_is_refused_at_once_by_its_name() -> None:
    async def scenario() -> None:
        async with Client("http://127.0.0.1:1") as client:
            with pytest.raises(Conflict, match=r"^idempotency_key .* holds NUL.* remove it"):
                await client.executions.start("greet", idempotency_key="a\x00b")

    run(scenario(), seconds=5)


@pytest.mark.parametrize("key", ["0", "a b", '";,=', "k" * KEY_LENGTH_MAX])
def test_a_key_is_the_same_over_a_client_as_in_the_engine(key: str) -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, Client(there.url) as client:
            await there.engine.workflows.save(GREET)
            first = await client.executions.start("greet", {"name": "Ada"}, idempotency_key=key)
            again = await client.executions.start("greet", {"name": "Ada"}, idempotency_key=key)
            inside = await there.engine.executions.start("greet", {"name": "Ada"}, idempotency_key=key)
            assert [(each.id, each.created) for each in (again, inside)] == [(first.id, False)] * 2

    run(scenario())


AGAIN: dict[str, tuple[str, dict[str, Any]]] = {
    "rerun": ("rerun", {}),
    "rerun from a step": ("rerun", {"from_step": "hello"}),
    "fork": ("fork", {"at_step": "hello", "variables": {"name": "Eve"}}),
}


@pytest.mark.parametrize("cut", ["at once", "after the request", "in the answer"])
@pytest.mark.parametrize("again", AGAIN)
def test_a_new_execution_under_a_key_is_sent_again_after_a_cut_and_is_one(again: str, cut: Cut) -> None:
    verb, given = AGAIN[again]

    async def scenario() -> None:
        async with house(needs_key=False) as there, cutting(int(there.url.rpartition(":")[2]), "", cut, cut) as proxy:
            origin = await done(there)
            async with Client(proxy.url) as client:
                execution = await client.executions.get(origin)
                await client.aclose()
                made = await getattr(execution, verb)(**given, idempotency_key="one")
                assert await new_ones(there, origin) == [made.id]
                same = await getattr(execution, verb)(**given, idempotency_key="one")
                assert (same.id, same.created) == (made.id, False)
                other = await getattr(execution, verb)(**given, idempotency_key="two")
                assert other.created
                assert len(await new_ones(there, origin)) == 2
                with pytest.raises(OtherRequest):
                    await getattr(execution, verb)(**given, input={"name": "Bob"}, idempotency_key="one")

    run(scenario())


def test_what_is_still_under_way_under_its_key_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sends again what a connection broke over may be faster than the server that does it."""
    seen = asyncio.Event()
    rerun, begin = service.Execution.rerun, Answers.begin

    async def slow(*given: Any, **more: Any) -> service.Execution:
        await seen.wait()
        return await rerun(*given, **more)

    async def noted(*given: Any, **more: Any) -> Begun:
        begun = await begin(*given, **more)
        if isinstance(begun, UnderWay):
            seen.set()
        return begun

    monkeypatch.setattr(service.Execution, "rerun", slow)
    monkeypatch.setattr(Answers, "begin", noted)

    async def scenario() -> None:
        async with house(needs_key=False) as there, Client(there.url) as client:
            origin = await done(there)
            execution = await client.executions.get(origin)
            both = await asyncio.gather(*(execution.rerun(idempotency_key="one") for _ in range(2)))
            assert [each.id for each in both] == await new_ones(there, origin) * 2

    run(scenario())
