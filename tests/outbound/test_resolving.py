"""Names whose servers never answer keep their callers waiting for as long as they are given, and nobody else at all."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from perdure.tasks.connecting import CheckedConnections
from perdure.tasks.door import Allowed, Call, Door, Limits, OutboundFailed, OutboundTimedOut
from perdure.tasks.offload import ORGANIZATION
from perdure.tasks.resolving import LOOKUPS_MAX, SystemNames

SOON = 20


class Silent:
    """The resolver of the system; for names that end in .silent it says nothing until the test is over."""

    def __init__(self, ask: Any) -> None:
        self.over, self._ask = threading.Event(), ask

    def __call__(self, host: str, port: int, **more: Any) -> Any:
        if host.endswith(".silent"):
            self.over.wait()
            raise socket.gaierror(socket.EAI_AGAIN, "no answer")
        return self._ask(host, port, **more)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    found = Silent(socket.getaddrinfo)
    monkeypatch.setattr(socket, "getaddrinfo", found)
    yield found
    found.over.set()


@pytest.mark.usefixtures("silent")
def test_silent_names_take_no_thread_that_others_need() -> None:
    async def scenario() -> None:
        door = Door(limits=Limits(connect_ms=50))
        calls = [door.send(Call(f"http://n{number}.silent/")) for number in range(48)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(each) for each in outcomes} == {OutboundTimedOut}
        assert await asyncio.to_thread(lambda: "at once") == "at once"
        assert await SystemNames()("127.0.0.1", 80) == ["127.0.0.1"]

    asyncio.run(asyncio.wait_for(scenario(), SOON))


@pytest.mark.usefixtures("silent")
def test_silent_names_of_one_organization_keep_no_other_waiting() -> None:
    async def look_up(names: SystemNames, organization: str, host: str) -> Any:
        ORGANIZATION.set(organization)
        return await names(host, 80)

    async def scenario() -> None:
        names = SystemNames()
        count = 2 * LOOKUPS_MAX
        silent = [asyncio.create_task(look_up(names, "a", f"n{number}.silent")) for number in range(count)]
        await asyncio.sleep(0)
        for _ in range(3):
            addresses = await asyncio.wait_for(asyncio.create_task(look_up(names, "b", "localhost")), 2)
            assert "127.0.0.1" in addresses
        for each in silent:
            each.cancel()
        await asyncio.gather(*silent, return_exceptions=True)

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_no_more_names_are_asked_for_at_once_than_there_are_places(silent: Silent) -> None:
    async def scenario() -> None:
        names = SystemNames(lookups_max=2)
        asking = [asyncio.create_task(names(f"n{number}.silent", 80)) for number in range(2)]
        await asyncio.sleep(0)  # they have the places
        network = CheckedConnections(Allowed(networks=["127.0.0.0/8"]), names)
        with pytest.raises(Exception, match="not resolved in time"):
            await network.connect_tcp("localhost", 80, 0.05)
        silent.over.set()
        assert all(isinstance(each, OSError) for each in await asyncio.gather(*asking, return_exceptions=True))
        assert "127.0.0.1" in await names("localhost", 80)

    asyncio.run(asyncio.wait_for(scenario(), SOON))


@pytest.mark.usefixtures("silent")
def test_a_loop_that_ends_waits_for_no_name() -> None:
    async def scenario() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(SystemNames()("never.silent", 80), 0.01)

    asyncio.run(scenario())


def test_a_machine_that_has_no_thread_left_is_told_as_a_name_that_cannot_be_resolved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(_self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def scenario() -> None:
        door = Door(resolve=SystemNames(lookups_max=1))
        for _ in range(2):
            with pytest.raises(OutboundFailed, match="can't start new thread"):
                await door.send(Call("http://some.example/"))

    monkeypatch.setattr(threading.Thread, "start", none_left)
    asyncio.run(asyncio.wait_for(scenario(), SOON))
