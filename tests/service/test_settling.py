"""Waiting for an execution: until it has ended or waits for somebody, and at little cost meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from perdure.model.steps import Step, Task
from perdure.model.workflow import Workflow
from perdure.runtime.readers import Readers
from perdure.service import settling
from perdure.service.engine import Engine
from perdure.service.settling import Patience, settled
from service.words import ASK, PAID, PARENT, adding, begun, one, running, sequence, waiting

NEVER = 1_000.0
SLOW = one(Step("slow", Task("slow")), "slow")
MISSING = one(Step("missing", Task("nobody-has-it")), "missing")


def patient() -> Patience:
    return Patience(asyncio.Event().wait)


def slow(engine: Engine) -> asyncio.Event:
    """A task that takes until this is set."""
    may_end = asyncio.Event()

    @engine.task("slow")
    async def task(given: Any) -> None:
        await may_end.wait()

    return may_end


@pytest.fixture
def looks_never(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it is not told, it does not find out."""
    monkeypatch.setattr(settling, "LOOK_SECONDS", NEVER)


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """All that the store is asked, beside whoever writes."""
    asked: list[object] = []
    ask = Readers.ask

    async def counted(self: Readers, question: Callable[[Any], Any], *more: Any) -> Any:
        asked.append(question)
        return await ask(self, question, *more)

    monkeypatch.setattr(Readers, "ask", counted)
    return asked


@pytest.mark.parametrize("workflow", [ASK, PAID, PARENT], ids=lambda each: each.name)
@pytest.mark.usefixtures("looks_never")
def test_who_waits_is_told_when_it_waits_for_somebody(url: str, workflow: Workflow) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(ASK)
            execution = await begun(engine, workflow, {"n": 1})
            await settled(engine.host, execution, NEVER, patient())
            assert (await execution.why()).needs_somebody
            await settled(engine.host, execution, NEVER, patient())
            assert not engine.host.shell.halts

    running(scenario)


@pytest.mark.usefixtures("looks_never")
def test_who_waits_is_told_of_the_end(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, sequence(3), {"n": 1})
            await settled(engine.host, execution, NEVER, patient())
            assert (await execution.describe()).status == "completed"

    running(scenario)


def test_what_nobody_tells_is_looked_for(url: str) -> None:
    """A task that nobody has is no wait of the execution's own; and what another process has, is not told here."""

    async def scenario() -> None:
        async with Engine(url, unknown_tasks="wait") as engine:
            execution = await begun(engine, MISSING)
            await settled(engine.host, execution, NEVER, patient())
            assert (await execution.why()).needs_somebody

    running(scenario)


@pytest.mark.usefixtures("looks_never")
def test_who_waits_for_the_end_waits_also_for_somebody(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await begun(engine, ASK, {"n": 1})
            waits = asyncio.create_task(settled(engine.host, execution, NEVER, patient(), "ended"))
            await waiting(execution)
            (approval,) = (await engine.approvals.list(status="pending")).items
            assert not waits.done()
            await engine.decide(approval.id, "approve", by="ada")
            await waits
            assert (await execution.describe()).status == "completed"

    running(scenario)


@pytest.mark.usefixtures("looks_never")
def test_nobody_waits_on_when_it_is_over() -> None:
    async def scenario() -> None:
        engine = Engine()
        may_end, over = slow(engine), asyncio.Event()
        async with engine:
            execution = await begun(engine, SLOW)
            waits = asyncio.create_task(settled(engine.host, execution, NEVER, Patience(over.wait)))
            await settled(engine.host, execution, 0.02, patient())
            assert not waits.done()
            over.set()
            await waits
            may_end.set()

    running(scenario)


def test_it_is_looked_ever_less_often(questions: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(settling, "LOOK_MORE", 100.0)

    async def scenario() -> None:
        engine = Engine()
        may_end = slow(engine)
        async with engine:
            execution = await begun(engine, SLOW)
            waits = asyncio.gather(*(settled(engine.host, execution, 0.05, patient()) for _ in range(20)))
            questions.clear()
            await waits
            assert len(questions) <= 20 * 3 + 5, "their looks, and those of the engine for all"
            may_end.set()

    running(scenario)


def test_five_hundred_who_wait_for_an_end_ask_for_it_together(questions: list[object]) -> None:
    async def scenario() -> None:
        engine = Engine()
        may_end = slow(engine)
        async with engine:
            execution = await begun(engine, SLOW)
            waits = [
                asyncio.create_task(settled(engine.host, execution, NEVER, patient(), "ended")) for _ in range(500)
            ]
            await settled(engine.host, execution, 0.1, patient(), "ended")
            questions.clear()
            await settled(engine.host, execution, 0.1, patient(), "ended")
            assert len(questions) < 10
            may_end.set()
            await asyncio.gather(*waits)

    running(scenario)


def test_what_happens_meanwhile_is_reported_to_the_end(url: str) -> None:
    async def scenario() -> None:
        told: list[str] = []

        async def report(number: float, words: str) -> None:
            told.append(words)

        async with adding(Engine(url)) as engine:
            execution = await begun(engine, sequence(2), {"n": 1})
            await settled(engine.host, execution, NEVER, Patience(asyncio.Event().wait, report))
            assert told[-1] == "execution.completed"

    running(scenario)
