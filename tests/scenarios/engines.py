"""Scenarios on our own engine, over each of the stores; by one worker, or by two that share a database."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from msgspec import UnsetType

from perdure import Engine
from perdure.model.values import Json
from perdure.tasks.context import TaskContext
from perdure.tasks.results import Result
from scenarios.scenario import Fork, Host, Rerun
from scenarios.steering import KEY, Steered


class EngineHost(Steered):
    """`workers`: how many share the database. The first starts, the last acts and is asked."""

    def __init__(self, name: Host, url: str, workers: int = 1) -> None:
        self.name = name
        self._engines = [Engine(url, secret_keys=KEY) for _ in range(workers)]
        super().__init__(self._engines[-1])
        self._first = self._engines[0]
        self._running = AsyncExitStack()
        self.calls = [0] * workers
        """How many tasks each of them has called."""

    async def open(self) -> None:
        for engine in self._engines:
            await self._running.enter_async_context(engine)

    async def close(self) -> None:
        await self._running.aclose()

    def _register(self, task: str) -> None:
        for number, engine in enumerate(self._engines):
            engine.task(task)(partial(self._counted, number))

    async def _counted(self, number: int, given: Json, context: TaskContext) -> Result:
        self.calls[number] += 1
        return await self._call(given, context)

    async def store(self) -> Any:
        """What the first worker writes to."""
        return await self._first.host.shell.ask(lambda store: store)

    async def start(self, workflow: str, input: Json) -> str:
        return (await self._first.executions.start(workflow, input, organization=self._organization)).id

    async def fork(self, execution: str, fork: Fork) -> str:
        found = await self._get(execution)
        changed = {} if isinstance(fork.input, UnsetType) else {"input": fork.input}
        new = await found.fork(at_step=fork.at_step, outputs=fork.outputs, variables=fork.variables, **changed)
        return new.id

    async def rerun(self, execution: str, rerun: Rerun) -> str:
        del rerun
        return (await (await self._get(execution)).rerun()).id
