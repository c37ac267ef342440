"""One item of a batch cannot be stored: it alone is refused, and only if it is at fault."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import apsw
import pytest

from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import writer
from perdure.service.engine import Engine
from perdure.service.execution import Execution
from perdure.store.postgres.doctor import examine as examine_postgres
from perdure.store.sqlite.doctor import examine as examine_sqlite
from perdure.testing.words import x
from poison.injection import MARKER, SOON, Fault, break_postgres, break_sqlite, mend, until
from postgres import fresh_schema

BATCH = 200
ECHO = Workflow("echo", (Step("a", Task("echo", x("input"))),), (Entry("a"),))

VALUE_ERRORS: dict[str, Callable[[], Exception]] = {
    "ValueError": lambda: ValueError("injected"),
    "TypeError": lambda: TypeError("injected"),
    "OverflowError": lambda: OverflowError("injected"),
    "UnicodeError": lambda: UnicodeEncodeError("utf-8", "\ud800", 0, 1, "injected"),
    "TooBigError": lambda: apsw.TooBigError("injected"),
}
OTHER_ERRORS: dict[str, Callable[[], Exception]] = {
    "FullError": lambda: apsw.FullError("injected"),
    "BusyError": lambda: apsw.BusyError("injected"),
    "LockedError": lambda: apsw.LockedError("injected"),
    "IOError": lambda: apsw.IOError("injected"),
    "NoMemError": lambda: apsw.NoMemError("injected"),
    "ReadOnlyError": lambda: apsw.ReadOnlyError("injected"),
    "PermissionsError": lambda: apsw.PermissionsError("injected"),
}
VALUE_STATES = {"22021": "encoding", "22P05": "NUL in JSON", "22003": "out of range", "54000": "too long for an index"}
OTHER_STATES = {
    "08006": "connection",
    "40001": "serialization",
    "40P01": "deadlock",
    "55P03": "lock",
    "57014": "cancelled",
    "53100": "disk full",
    "53200": "memory",
    "42501": "permission",
    "25006": "read only",
}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(writer, "PAUSE_SECONDS_MAX", 0.01)


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def engine_on(url: str) -> tuple[Engine, asyncio.Event]:
    """Its task answers with what it is given, once the gate is open: so all of them are committed together."""
    engine, gate = Engine(url), asyncio.Event()

    @engine.task("echo")
    async def echo(given: Any) -> Any:
        await gate.wait()
        return MARKER if given == 77 else given

    return engine, gate


async def batch(engine: Engine, gate: asyncio.Event) -> list[Execution]:
    await engine.workflows.save(ECHO)
    executions = [await engine.executions.start("echo", number) for number in range(BATCH)]
    gate.set()
    return executions


async def parked(engine: Engine) -> list[Any]:
    page = await engine.executions.list(status="waiting", limit=BATCH)
    return [item for item in page.items if item.waiting is not None and item.waiting.kind == "operator"]


async def only_the_one_at_fault_is_parked(engine: Engine, executions: list[Execution], says: str) -> None:
    async def is_parked() -> bool:
        return len(await parked(engine)) == 1

    await until(is_parked)
    results = [await each.result() for number, each in enumerate(executions) if number != 77]
    assert results == [number for number in range(BATCH) if number != 77]
    (found,) = await parked(engine)
    assert found.id == executions[77].id
    assert found.waiting.on is not None
    assert says in found.waiting.on
    why = await executions[77].why()
    assert any(says in wait.note for wait in why.waits)
    assert engine.host.shell.engine.held == {}, "what is parked is dropped from memory"
    assert engine.trouble is None


@pytest.mark.parametrize("error", VALUE_ERRORS)
def test_a_value_that_sqlite_cannot_store_parks_one_of_200_executions(error: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db"
    engine, gate = engine_on(url)
    fault = Fault(VALUE_ERRORS[error])

    async def scenario() -> None:
        async with engine:
            await break_sqlite(engine, fault)
            await only_the_one_at_fault_is_parked(engine, await batch(engine, gate), "injected")
            tries = fault.raised
            await mend(engine)
            (found,) = await parked(engine)
            execution = await engine.executions.get(found.id)
            await execution.retry()
            assert await execution.result() == MARKER
            assert 3 <= tries <= 20, "the batch is halved, not taken apart item by item"

    run(scenario())
    assert examine_sqlite(f"{tmp_path}/flows.db", now=1).broken == ()


@pytest.mark.parametrize("error", OTHER_ERRORS)
def test_an_error_of_the_file_parks_nothing(error: str, tmp_path: Path) -> None:
    engine, gate = engine_on(f"sqlite:///{tmp_path}/flows.db")
    fault = Fault(OTHER_ERRORS[error], times=7)

    async def scenario() -> None:
        async with engine:
            await break_sqlite(engine, fault)
            executions = await batch(engine, gate)
            results = [await each.result() for each in executions]
            assert results == [MARKER if number == 77 else number for number in range(BATCH)]
            assert await parked(engine) == []
            assert fault.raised == 7

    run(scenario())


@pytest.mark.parametrize("state", VALUE_STATES)
def test_a_value_that_postgres_cannot_store_parks_one_of_200_executions(state: str) -> None:
    url = fresh_schema()
    engine, gate = engine_on(url)

    async def scenario() -> None:
        async with engine:
            await break_postgres(engine, state)
            await only_the_one_at_fault_is_parked(engine, await batch(engine, gate), "injected")
            await mend(engine)
            (found,) = await parked(engine)
            execution = await engine.executions.get(found.id)
            await execution.retry()
            assert await execution.result() == MARKER

    run(scenario())
    assert examine_postgres(url, now=1).broken == ()


@pytest.mark.parametrize("state", OTHER_STATES)
def test_an_error_of_the_server_parks_nothing(state: str) -> None:
    engine, gate = engine_on(fresh_schema())

    async def scenario() -> None:
        async with engine:
            await break_postgres(engine, state, times=7)
            executions = await batch(engine, gate)
            results = [await each.result() for each in executions]
            assert results == [MARKER if number == 77 else number for number in range(BATCH)]
            assert await parked(engine) == []

    run(scenario())


def broken_for_good(url: str, tmp_path: Path) -> Callable[[Engine], Coroutine[Any, Any, None]]:
    async def break_(engine: Engine) -> None:
        if url.startswith("sqlite"):
            await break_sqlite(engine, Fault(VALUE_ERRORS["ValueError"]))
        else:
            await break_postgres(engine, "22021")

    return break_


@pytest.mark.parametrize("kept", ["sqlite", "postgres"])
def test_what_is_parked_stays_so_after_a_restart_and_can_be_cancelled(kept: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db" if kept == "sqlite" else fresh_schema()
    break_ = broken_for_good(url, tmp_path)
    ids: list[str] = []

    async def first() -> None:
        engine, gate = engine_on(url)
        async with engine:
            await break_(engine)
            executions = await batch(engine, gate)
            await only_the_one_at_fault_is_parked(engine, executions, "injected")
            ids.append(executions[77].id)

    async def second() -> None:
        engine, gate = engine_on(url)
        gate.set()
        async with engine:
            if kept == "sqlite":  # a temporary trigger is gone with its connection
                await break_(engine)
            assert await engine.executions.start("echo", 5) is not None
            (found,) = await parked(engine)
            execution = await engine.executions.get(ids[0])
            assert found.id == execution.id
            counted = engine.host.shell.counts.parked
            await execution.retry()  # the cause is still there

            async def is_parked_again() -> bool:
                return engine.host.shell.counts.parked > counted

            await until(is_parked_again)
            await execution.cancel("not worth it")

            async def is_cancelled() -> bool:
                return (await execution.describe()).status == "cancelled"

            await until(is_cancelled)

    run(first())
    run(second())
    report = examine_sqlite(f"{tmp_path}/flows.db", now=1) if kept == "sqlite" else examine_postgres(url, now=1)
    assert report.broken == ()


@pytest.mark.parametrize("kept", ["sqlite", "postgres"])
def test_the_doctor_tells_why_an_execution_is_parked(kept: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/flows.db" if kept == "sqlite" else fresh_schema()
    break_ = broken_for_good(url, tmp_path)

    async def scenario() -> None:
        engine, gate = engine_on(url)
        async with engine:
            await break_(engine)
            await only_the_one_at_fault_is_parked(engine, await batch(engine, gate), "injected")

    run(scenario())
    report = examine_sqlite(f"{tmp_path}/flows.db", now=1) if kept == "sqlite" else examine_postgres(url, now=1)
    assert report.broken == ()
    assert report.counts is not None
    assert report.counts.parked == 1
    (found,) = [finding for finding in report.attention if finding.complaint.check == "parked"]
    assert "injected" in found.examples[0][1]
