"""The shell around the engine: how much is begun at once, and what is acknowledged while much is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import calls, carrying, engine, shell, writer
from perdure.service.engine import Engine
from perdure.testing.words import k

SOON = 20
"""Seconds, after which a test gives up. None of them waits for time to pass."""
PAIR = Workflow("pair", (Step("a", Task("work"), (Route(("b",)),)), Step("b", Task("work", k(7)))), (Entry("a"),))

QUICK = Workflow("quick", (Step("a", Task("light", k(7))),), (Entry("a"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def test_no_more_is_begun_at_once_than_can_be_done_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying, "BUSY_MAX", 50)
    made, most = Engine(), 0

    @made.task("work")
    async def work(given: Any) -> Any:
        nonlocal most
        most = max(most, len(made.host.shell.engine.held))
        return given

    async def scenario() -> None:
        async with made:
            await made.workflows.save(PAIR)
            started = await asyncio.gather(*(made.executions.start("pair") for _ in range(1_000)))
            assert await asyncio.gather(*(execution.result() for execution in started)) == [7] * 1_000

    run(scenario())
    assert 10 < most <= 50 + carrying.REQUESTS_TOGETHER


def test_starts_are_acknowledged_also_while_no_more_calls_may_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "CALLS_MAX", 20)
    monkeypatch.setattr(carrying, "BUSY_MAX", 30)
    made, gate = Engine(), asyncio.Event()

    @made.task("work")
    async def work(given: Any) -> Any:
        await gate.wait()
        return given

    async def scenario() -> None:
        async with made:
            await made.workflows.save(PAIR)
            started = await asyncio.gather(*(made.executions.start("pair") for _ in range(200)))
            gate.set()
            assert await asyncio.gather(*(execution.result() for execution in started)) == [7] * 200

    run(scenario())


@pytest.mark.parametrize("url", ["memory://", "sqlite:///{}/flows.db"])
def test_what_comes_beyond_what_may_be_held_waits_in_the_store_and_is_acknowledged(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(shell, "HELD_MAX", 25)
    monkeypatch.setattr(writer, "CLAIM_MAX", 10)
    monkeypatch.setattr(engine.Engine.__init__, "__defaults__", (25,))
    made, gate = Engine(url.format(tmp_path)), asyncio.Event()

    @made.task("work")
    async def work(given: Any) -> Any:
        await gate.wait()
        return given

    async def scenario() -> None:
        async with made:
            await made.workflows.save(PAIR)
            started = await asyncio.gather(*(made.executions.start("pair") for _ in range(100)))
            assert 25 <= len(made.host.shell.engine.held) <= 25 + 10, "one claim may have been under way"
            gate.set()
            assert await asyncio.gather(*(execution.result() for execution in started)) == [7] * 100

    run(scenario())


@pytest.mark.parametrize("url", ["memory://", "sqlite:///{}/flows.db"])
def test_an_organization_that_holds_its_share_does_not_keep_others_from_being_run(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """Neither those that are started here nor those that are claimed."""
    monkeypatch.setattr(shell, "HELD_MAX", 25)
    monkeypatch.setattr(writer, "CLAIM_MAX", 10)
    made, beside, gate = Engine(url.format(tmp_path)), Engine(url.format(tmp_path), works=False), asyncio.Event()

    @made.task("work")
    async def work(given: Any) -> Any:
        await gate.wait()
        return given

    @made.task("light")
    async def light(given: Any) -> Any:
        return given

    async def scenario() -> None:
        async with made, beside:
            await made.workflows.save(PAIR, organization="flood")
            await made.workflows.save(QUICK, organization="other")
            started = await asyncio.gather(*(made.executions.start("pair", organization="flood") for _ in range(100)))
            assert await (await made.executions.start("quick", organization="other")).result() == 7
            if not url.startswith("memory"):
                assert await (await beside.executions.start("quick", organization="other")).result() == 7
            gate.set()
            assert await asyncio.gather(*(execution.result() for execution in started)) == [7] * 100

    run(scenario())


def test_a_start_does_not_wait_for_all_the_starts_of_another_organization() -> None:
    made = Engine()

    async def scenario() -> None:
        async with made:
            for organization in ("flood", "other"):  # their versions are known here from now on
                await made.workflows.save(QUICK, organization=organization)
                await made.executions.start("quick", organization=organization)
            flood = [asyncio.create_task(made.executions.start("quick", organization="flood")) for _ in range(5_000)]
            await asyncio.sleep(0)
            await made.executions.start("quick", organization="other")
            assert sum(task.done() for task in flood) < 500
            await asyncio.gather(*flood)

    run(scenario())


def test_a_start_does_not_wait_for_all_the_events_of_another_organization(tmp_path: Any) -> None:
    made = Engine(f"sqlite:///{tmp_path}/flows.db")

    async def scenario() -> None:
        async with made:
            await made.workflows.save(QUICK, organization="other")
            await made.executions.start("quick", organization="other")
            flood = [
                asyncio.create_task(made.events.send({"type": "order.paid"}, organization="flood"))
                for _ in range(5_000)
            ]
            await asyncio.sleep(0)
            await made.executions.start("quick", organization="other")
            assert sum(task.done() for task in flood) < 2_500
            await asyncio.gather(*flood)

    run(scenario())
