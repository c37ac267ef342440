"""Documents that take long are compiled beside everything else, some at a time."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from api.house import GREET, house, run, said
from perdure.hosts.embedded import APART_MAX
from perdure.service import documents
from perdure.service.apart import is_small
from perdure.service.engine import Engine
from service.words import running, sequence


def large(name: str = "large", count: int = 200) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = [
        {"id": f"n{number}", "type": "SET", "data": {"values": {"n": number}}} for number in range(count)
    ]
    links = [{"fromNodeId": "start", "toNodeId": "n0"}] + [
        {"fromNodeId": f"n{number}", "toNodeId": f"n{number + 1}"} for number in range(count - 1)
    ]
    return {"name": name, "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, *nodes], "connections": links}


class Threads:
    """In which threads documents were looked at, and in how many at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: set[str] = set()
        self.at_once = self._now = 0
        self._lock = threading.Lock()
        for name in ("validated", "requirements"):
            monkeypatch.setattr(documents, name, self._noted(getattr(documents, name)))

    def _noted(self, function: Any) -> Any:
        def noted(*given: Any, **more: Any) -> Any:
            with self._lock:
                self.seen.add(threading.current_thread().name.rpartition("-")[0])
                self._now += 1
                self.at_once = max(self.at_once, self._now)
            try:
                return function(*given, **more)
            finally:
                with self._lock:
                    self._now -= 1

        return noted

    @property
    def are_apart(self) -> bool:
        seen, self.seen = self.seen, set()
        return bool(seen) and all(name.startswith("perdure-apart") for name in seen)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Threads:
    return Threads(monkeypatch)


def test_what_is_large_is_looked_at_in_a_thread(threads: Threads) -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            assert not (await engine.workflows.check(large())).problems
            assert threads.are_apart
            await engine.workflows.save(large())
            assert threads.are_apart
            await engine.workflows.activate("large", "1")
            assert threads.are_apart
            await engine.workflows.show("large")
            assert threads.are_apart
            await (await engine.executions.start(large("other"))).ended()
            assert threads.are_apart
            await engine.workflows.save(GREET)
            assert not threads.are_apart

    running(scenario)


def test_a_server_that_validates_what_is_large_answers_meanwhile(threads: Threads) -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            answers = await asyncio.gather(
                *(client.post("/api/workflows/validate", json=large(f"w{number}")) for number in range(6))
            )
            assert all(said(each)["valid"] for each in answers)
            assert threads.are_apart
            assert threads.at_once <= APART_MAX

    run(scenario())


@pytest.mark.parametrize(
    ("given", "small"),
    [
        (GREET, True),
        (large(), False),
        ("{}", True),
        (b" " * 20_000, False),
        ({"name": "x" * 20_000}, False),
        (sequence(10), True),
        (sequence(60), False),
    ],
    ids=["few nodes", "many nodes", "a text", "a long text", "a long name", "few steps", "many steps"],
)
def test_what_is_small(given: Any, small: bool) -> None:
    assert is_small(given) is small
