"""Schedules on Restate: our store says what is due, and what it starts runs there."""

from __future__ import annotations

import asyncio
from operator import methodcaller
from pathlib import Path

from msgspec.structs import replace

from on_restate.server import Cluster, free_ports
from perdure import Engine
from perdure.clock import now_ms
from perdure.hosts.restate.host import RestateHost
from perdure.model.steps import Compute, EventWait, Step
from perdure.model.workflow import Entry, Schedule, Workflow
from perdure.store.versions import built
from perdure.testing.words import k, x

SOON_SECONDS = 30.0
HOUR_MS = 3_600_000


def test_every_slot_that_was_missed_runs_on_restate_once(one_node: Cluster, tmp_path: Path) -> None:
    now = now_ms()
    hourly = Schedule("s", every_ms=HOUR_MS, end_at=now, catch_up="all")
    alone = replace(hourly, overlap="skip")
    counts = Workflow("counts", (Step("a", Compute(x("input"))),), (Entry("a"),), schedules=(hourly,))
    waits = Workflow("waits", (Step("a", EventWait(k("never"))),), (Entry("a"),), schedules=(alone,))

    async def fired() -> None:
        url = f"sqlite:///{tmp_path}/read.db"
        async with (
            RestateHost(url, one_node.ingress, f"127.0.0.1:{free_ports(1)[0]}") as host,
            Engine(url, works=False) as engine,
        ):
            await host.register(one_node.nodes[0].admin)
            for workflow in (counts, waits):
                await engine.host.shell.ask(methodcaller("keep", built(workflow, "default", now - 5 * HOUR_MS)))
            async with asyncio.timeout(SOON_SECONDS):
                while len([*(await engine.executions.list(status="completed")).items]) < 5:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
                while any(one.next_at is not None for one in (await engine.schedules.list()).items):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            records = (await engine.executions.list()).items
            assert sorted((record.workflow, record.status) for record in records) == [
                *[("counts", "completed")] * 5,
                ("waits", "waiting"),
            ]
            assert {record.trigger for record in records} == {"schedule"}

    asyncio.run(fired())
