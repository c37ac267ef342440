"""An engine whose store is in trouble: nothing is lost, everybody is answered, and it says why."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from perdure.hosts import stores
from perdure.model.steps import Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import shell, writer
from perdure.runtime.waiters import OutcomeUnknown, Stopped, StoreFailed
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
    paused, is_in_commit = threading.Event(), threading.Event()
    """A commit that begins while it is paused waits until it is full."""
    tried = 0

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        if self.paused.is_set():
            self.is_in_commit.set()
            assert self.full.wait(SOON)
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
    Troubled.paused, Troubled.is_in_commit = threading.Event(), threading.Event()
    made = Engine()

    @made.task("light")
    async def light(given: Any) -> Any:
        return given

    return made


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


async def commit_under_way(engine: Engine) -> asyncio.Task[str]:
    """The writer is in the middle of a commit: what is asked for now is in flight when the trouble begins."""
    Troubled.paused.set()
    publishing = asyncio.create_task(engine.publish("order.paid", id_="paid-1"))
    assert await asyncio.to_thread(Troubled.is_in_commit.wait, SOON)
    return publishing


async def in_trouble(engine: Engine) -> None:
    Troubled.full.set()
    Troubled.paused.clear()
    while engine.trouble is None:
        await engine.host.shell.read(lambda store: store.record("anything"))


async def until_in_flight(engine: Engine, starts: int) -> None:
    while engine.host.shell._waiters.requests < starts:  # noqa: ASYNC110
        await asyncio.sleep(0.001)


def test_what_was_asked_for_in_trouble_is_done_after_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(PAIR)
            publishing = await commit_under_way(engine)
            starting = [asyncio.create_task(engine.executions.start("pair")) for _ in range(20)]
            await until_in_flight(engine, 20)
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
            with pytest.raises((Stopped, StoreFailed, p.Unavailable)):
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


def test_a_write_that_is_asked_for_in_trouble_is_refused_at_once(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(PAIR)
            await in_trouble(engine)
            for write in (
                engine.executions.start("pair"),
                engine.publish("order.paid"),
                engine.workflows.save(OTHER),
                engine.members.add("ann", roles=("admin",)),
            ):
                with pytest.raises(p.Unavailable, match=f"{NO_ROOM}; nothing was done"):
                    await write
            assert await engine.workflows.list() is not None, "reading goes on"
            Troubled.full.clear()

    run(scenario())


@pytest.mark.parametrize("trouble", ["full", "stalled"])
def test_a_write_in_flight_is_told_that_its_outcome_is_unknown_and_is_found_again_under_its_key(
    engine: Engine, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "OUTCOME_SECONDS", 0.3)
    monkeypatch.setattr(shell, "WATCH_SECONDS", 0.01)

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(PAIR)
            publishing = await commit_under_way(engine)
            start = partial(engine.executions.start, "pair", idempotency_key="order-17")
            starting = asyncio.create_task(start())
            saving = asyncio.create_task(engine.workflows.save(OTHER))
            await until_in_flight(engine, 1)
            if trouble == "full":
                await in_trouble(engine)
            for write in (starting, publishing, saving):
                with pytest.raises((OutcomeUnknown, p.Unavailable), match=r"Idempotency-Key|nothing was done") as told:
                    await write
                if write is publishing:
                    assert type(told.value) is OutcomeUnknown
            with pytest.raises(p.Unavailable):
                await start()
            Troubled.full.set()  # a commit that stalls goes on
            Troubled.paused.clear()
            Troubled.full.clear()
            while engine.trouble is not None or engine.host.shell._writer.stalled_seconds > 0:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            again = await start()
            assert await again.result() == 7
            assert (await start()).id == again.id
            assert len((await engine.executions.list()).items) == 1
            assert [each.event.id for each in (await engine.events.list(type="order.*")).items] == ["paid-1"]

    run(scenario())


def test_a_task_that_writes_waits_until_the_trouble_is_over(engine: Engine) -> None:
    async def scenario() -> None:
        async with engine:
            await in_trouble(engine)
            beat = p.Beat("another", 1)
            writing = asyncio.create_task(engine.host.shell.commit(beat, patient=True))
            await asyncio.sleep(0)
            assert not writing.done()
            Troubled.full.clear()
            assert await writing == p.Committed()

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

    def told_of_it() -> list[logging.LogRecord]:
        """Not of the world's clock, which is far behind that of the engine."""
        return [record for record in caplog.records if record.name != "perdure.tidying"]

    async def scenario() -> None:
        async with Engine(f"sqlite:///{path}") as engine:
            engine.task("light")(lambda given: given)
            while not told_of_it():
                await (await engine.executions.get("newer")).describe()
            await engine.workflows.save(OTHER)
            for _ in range(20):
                assert await (await engine.executions.start("other")).result() == 8

    run(scenario())
    found = begun.ask("SELECT owner, epoch, crashes FROM executions WHERE id = 'newer'")
    assert found == [(None, 2, 1)], "only the death of the worker that had it before counts"
    (told,) = told_of_it()
    assert "cannot read execution newer" in told.message
    begun.close()


def test_a_store_that_cannot_be_trusted_ends_the_process(tmp_path: Path) -> None:
    command = [sys.executable, str(BREAKS), str(tmp_path / "flows.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (os.EX_IOERR, "started\n")
    assert "perdure: a sync failed" in done.stderr
