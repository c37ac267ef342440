"""The workloads on our own engine, over a SQLite file whose every commit is synced."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw

from perdure.bench.driving import Load, drive
from perdure.bench.results import Run, Settings
from perdure.bench.settings import SYNCHRONOUS
from perdure.bench.workloads import LIGHT, LIGHT_NODE, Workload, light_answer, sequence
from perdure.errors import PerdureError
from perdure.model.values import Json
from perdure.service.engine import Engine
from perdure.tasks import NodeParams
from perdure.version import VERSION

WARM_UP = Load(concurrency=20, seconds=0, steps_each=5)


class Miscounted(PerdureError, code="miscounted"):
    """An execution did not make the steps that it has: no figure comes of such a run."""


class Bench:
    """An engine on a new file, warmed up. `calls`: how often the light task was called."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.calls = 0

        @engine.task(LIGHT)
        async def light(given: Any) -> Any:  # noqa: ARG001  as light as a task can be, here and with the peers
            self.calls += 1
            return light_answer()

        @engine.node(LIGHT_NODE)
        async def light_node(params: NodeParams) -> Any:
            self.calls += 1
            return {**params.context, **light_answer()}

    async def once(self, workload: Workload) -> Json:
        execution = await self.engine.executions.start(workload.reference, workload.input)
        return await execution.result()

    async def drive(self, workload: Workload, concurrency: int, seconds: float) -> Run:
        await self.engine.workflows.save(workload.workflow)
        before = self.calls
        run = await drive(lambda: self.once(workload), Load(concurrency, seconds, workload.steps))
        if self.calls - before != run.steps:
            raise Miscounted(f"{workload.name}: {self.calls - before} calls of its task, and {run.steps} were due")
        return run

    async def settings(self) -> Settings:
        """As the connection that writes has them."""
        ask = self.engine.host.shell.ask
        journal = await ask(lambda store: store.connection.pragma("journal_mode"))
        synchronous = await ask(lambda store: store.connection.pragma("synchronous"))
        return Settings(VERSION, apsw.sqlite_lib_version(), journal, SYNCHRONOUS[synchronous])


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="perdure-", dir=folder) as fresh:
        bench = Bench(Engine(f"sqlite:///{fresh}/flows.db"))
        async with bench.engine:
            await bench.drive(sequence(WARM_UP.steps_each), WARM_UP.concurrency, WARM_UP.seconds)
            yield bench


def measured(workload: Workload, concurrency: int, seconds: float, folder: Path) -> tuple[Run, Settings]:
    """One run on a new file."""

    async def run() -> tuple[Run, Settings]:
        async with opened(folder) as bench:
            return await bench.drive(workload, concurrency, seconds), await bench.settings()

    return asyncio.run(run())
