"""`Engine.run` fails for an unknown task also after another worker has come upon it, and has left it to those that have it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from perdure import Engine
from perdure.model.steps import Child, Route, Step, Task, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import writer
from perdure.runtime.started import Started
from perdure.service.errors import ExecutionFailed
from perdure.testing.words import k

SOON = 20
ELSEWHERE_SECONDS = 1.5
"""For so long, only the other worker takes anything up after it was let go."""

WAITS = Workflow("waits", (Step("w", Timer(k(200)), (Route(("a",)),)), Step("a", Task("nowhere"))), (Entry("w"),))
CALLS = Workflow("calls", (Step("w", Timer(k(200)), (Route(("a",)),)), Step("a", Child(k("waits")))), (Entry("w"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Workers, and until when they alone claim."""
    alone: dict[str, float] = {}
    claim = writer.Writer._claim

    def claim_later(self: writer.Writer, *given: Any) -> Any:
        if any(worker != self._worker and time.monotonic() < until for worker, until in alone.items()):
            return []
        return claim(self, *given)

    monkeypatch.setattr(writer.Writer, "_claim", claim_later)
    return alone


@pytest.mark.parametrize("workflow", [WAITS, CALLS], ids=["itself", "child"])
def test_what_rests_at_another_worker_is_taken_up_and_fails(
    sql_url: str, claims: dict[str, float], workflow: Workflow
) -> None:
    async def scenario() -> None:
        async with Engine(sql_url) as other:
            await other.workflows.save(WAITS)
            await other.workflows.save(CALLS)
            claims[other.host.shell.worker] = time.monotonic() + ELSEWHERE_SECONDS
            with pytest.raises(ExecutionFailed, match="there is no task 'nowhere' here"):
                await asyncio.to_thread(Engine(sql_url).run, workflow)

    run(scenario())


def test_what_another_worker_can_call_is_left_to_it(sql_url: str, claims: dict[str, float]) -> None:
    async def scenario() -> None:
        async with Engine(sql_url) as other:
            claims[other.host.shell.worker] = time.monotonic() + ELSEWHERE_SECONDS
            running = asyncio.create_task(asyncio.to_thread(Engine(sql_url).run, WAITS))
            await asyncio.sleep(0.5)
            other.task("nowhere")(lambda _: 7)
            assert await running == 7

    run(scenario())


def test_of_many_that_are_open_each_has_its_turn() -> None:
    started = Started(lambda _: pytest.fail("it reads"), with_children=False)
    for number in range(5):
        started.add(str(number))
    assert [started.some(2) for _ in range(3)] == [["0", "1"], ["2", "3"], ["4", "0"]]
    assert len(started) == 5
