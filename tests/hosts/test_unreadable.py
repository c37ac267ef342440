"""Workflows of a newer version of Perdure beside an older worker: what is theirs waits, and nothing else does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import apsw
import pytest

from perdure.model import codec
from perdure.model.steps import EventWait, Step, Task
from perdure.model.workflow import FORMAT_MAX, Entry, EventStart, Workflow
from perdure.runtime import engine as runtime
from perdure.runtime import writer
from perdure.service.engine import Engine
from perdure.testing.words import k

SOON = 20
"""Seconds, after which a test gives up. None of them waits for time to pass."""
NEWER = Workflow(
    "newer", (Step("a", Task("done")),), (Entry("a"),), format=FORMAT_MAX + 1, starts=(EventStart("order.placed"),)
)
WAITS = Workflow("waits", (Step("a", EventWait(k("paid"))),), (Entry("a"),))
STARTED = Workflow("started", (Step("a", Task("done")),), (Entry("a"),), starts=(EventStart("paid"),))


def counting(url: str, count: int) -> tuple[Engine, list[str], asyncio.Event]:
    """An engine, the executions that have called its task, and whether it was called so many times."""
    engine, seen, enough = Engine(url), [], asyncio.Event()

    @engine.task("done")
    async def done(given: Any, ctx: Any) -> Any:
        seen.append(ctx.execution_id)
        if len(seen) == count:
            enough.set()

    return engine, seen, enough


@pytest.mark.parametrize("kept", ["memory", "sqlite"])
def test_events_that_only_a_newer_worker_can_route_do_not_keep_the_others_from_their_way(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writer, "CLAIM_MAX", 5)
    monkeypatch.setattr(runtime, "LOOK_BEYOND_MS", 50)
    url = "memory://" if kept == "memory" else f"sqlite:///{tmp_path}/flows.db"
    engine, _, enough = counting(url, 31)

    async def scenario() -> None:
        async with engine:
            for workflow in (NEWER, WAITS, STARTED):
                await engine.workflows.save(workflow)
            execution = await engine.executions.start("waits")
            for number in range(23):
                await engine.publish("order.placed", id_=f"placed-{number}")
            await engine.publish("paid", {"n": 1})
            assert await execution.result() == {"n": 1}
            for _ in range(30):
                again = await engine.executions.start("waits")
                await engine.publish("paid")
                await again.result()
            await enough.wait()

    asyncio.run(asyncio.wait_for(scenario(), SOON))
    assert "cannot read the workflow with the digest" in caplog.text
    assert "events or more wait for a worker that can read the workflows that they may start" in caplog.text
    assert len(caplog.records) < 8, "it is not said again and again"
    if kept == "sqlite":
        assert_not_lost(tmp_path / "flows.db", monkeypatch)


def assert_not_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that can read it routes them, each once."""
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM events WHERE routed = 0").fetchall() == [(23,)]
    connection.close()
    monkeypatch.setattr(codec, "FORMAT_MAX", FORMAT_MAX + 1)
    engine, seen, enough = counting(f"sqlite:///{path}", 23)

    async def scenario() -> None:
        async with engine:
            await enough.wait()

    asyncio.run(asyncio.wait_for(scenario(), SOON))
    assert len(set(seen)) == len(seen) == 23
