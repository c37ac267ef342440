"""An engine whose store is in trouble: nothing is lost, everybody is answered, and it says why."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from perdure.hosts import stores
from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import shell, writer
from perdure.runtime.waiters import Stopped, StoreFailed
from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.store.memory import MemoryStore
from perdure.testing import Fixed, TaskAnswer, World, compile_value
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.words import k

SOON = 10
"""Seconds, after which a test gives up. None of them waits for time to pass."""
NO_ROOM = "there is no room on the disk"
BREAKS = Path(__file__).parent / "breaks.py"
OTHER = Workflow("other", (Step("b", Task("light", k(8))),), (Entry("b"),))
PAIR = Workflow("pair", (Step("a", Task("light"), (Route(("b",)),)), Step("b", Task("light", k(7)))), (Entry("a"),))


class Troubled(MemoryStore):
    """Cannot be written while it is `full`."""

    full = threading.Event()
    tried = 0

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        if self.full.is_set():
            type(self).tried += 1
            raise p.Unavailable(NO_ROOM)
        return super().commit(items)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(stores, "MemoryStore", Troubled)
    monkeypatch.setattr(writer, "PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(writer, "PAUSE_SECONDS_MAX", 0.005)
    monkeypatch.setattr(shell, "DRAIN_SECONDS", 0.01)
    Troubled.full, Troubled.tried = threading.Event(), 0
    made = Engine()

    @made.task("light")
    async def light(given: Any) -> Any:
        return given

    return made


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


async def in_trouble(engine: Engine) -> None:
    Troubled.full.set()
    while engine.trouble is None:
        await engine.host.shell.read(lambda store: store.record("anything"))


def test_what_was_asked_for_in_trouble_is_done_after_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(PAIR)
            starting = [asyncio.create_task(engine.executions.start("pair")) for _ in range(20)]
            publishing = asyncio.create_task(engine.publish("order.paid", id_="paid-1"))
            await in_trouble(engine)
            assert engine.trouble == NO_ROOM
            Troubled.full.clear()
            assert [await (await start).result() for start in starting] == [7] * 20
            assert await publishing == "paid-1"
            assert engine.trouble is None

    run(scenario())


def test_what_runs_goes_on_after_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(PAIR)
            executions = [await engine.executions.start("pair") for _ in range(20)]
            await in_trouble(engine)
            tried = Troubled.tried
            while Troubled.tried < tried + 5:
                await executions[0].describe()
            Troubled.full.clear()
            assert [await execution.result() for execution in executions] == [7] * 20

    run(scenario())


def test_an_engine_that_is_stopped_in_trouble_ends_and_tells_everybody(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(PAIR)
            Troubled.full.set()
            starting = asyncio.create_task(engine.executions.start("pair"))
            publishing = asyncio.create_task(engine.publish("order.paid"))
            await in_trouble(engine)
            asking = asyncio.create_task(engine.workflows.save(PAIR))
            await asyncio.sleep(0)
        for waiting in (starting, publishing, asking):
            with pytest.raises((Stopped, StoreFailed)):
                await waiting

    run(scenario())


def test_who_asks_a_store_that_has_failed_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = threading.Event()

    def commit(self: Troubled, items: Sequence[p.Item]) -> list[p.Outcome]:
        if failing.is_set():
            raise ZeroDivisionError("what?")
        return MemoryStore.commit(self, items)

    monkeypatch.setattr(Troubled, "commit", commit)

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(PAIR)
            failing.set()
            with pytest.raises(StoreFailed, match="the store cannot be written: what"):
                await engine.executions.start("pair")
            with pytest.raises(StoreFailed):
                await engine.publish("order.paid")
            with pytest.raises(StoreFailed):
                await engine.workflows.save(PAIR)

    run(scenario())


NEWER_FACT = """UPDATE history SET data = '{"kind":"from.the.future"}' WHERE seq = 2"""
NEWER_MODEL = """UPDATE models SET data = CAST('{"name":"pair","format":99}' AS BLOB)"""


@pytest.mark.parametrize("newer", [NEWER_FACT, NEWER_MODEL])
def test_what_a_newer_version_has_written_is_left_to_it_and_everything_else_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, newer: str
) -> None:
    path = tmp_path / "flows.db"
    begun = InspectedSqlite(str(path))
    world = World(compile_value, Fixed({"a": TaskAnswer(60_000)}), store=begun)
    world.start(PAIR, execution="newer")
    while not world.workers[0].tasks:
        assert world.step()
    begun.commit([p.Beat(world.workers[0].name, 0)])
    begun.connection.execute(newer)

    async def scenario() -> None:
        async with Engine(f"sqlite:///{path}") as engine:
            engine.task("light")(lambda given: given)
            while not caplog.records:
                await (await engine.executions.get("newer")).describe()
            await engine.workflows.save(OTHER)
            for _ in range(20):
                assert await (await engine.executions.start("other")).result() == 8

    run(scenario())
    found = begun.ask("SELECT owner, epoch, crashes FROM executions WHERE id = 'newer'")
    assert found == [(None, 2, 1)], "only the death of the worker that had it before counts"
    (told,) = caplog.records
    assert "cannot read execution newer" in told.message
    begun.close()


def test_a_store_that_cannot_be_trusted_ends_the_process(tmp_path: Path) -> None:
    command = [sys.executable, str(BREAKS), str(tmp_path / "flows.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (os.EX_IOERR, "started\n")
    assert "perdure: a sync failed" in done.stderr
