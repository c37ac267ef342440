"""Scenarios on our own engine, over each of the stores; by one worker, or by two that share a database."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from msgspec import UnsetType

from perdure import Engine
from perdure.core.facts import Fact
from perdure.model.records import ExecutionRecord
from perdure.model.steps import Task
from perdure.model.values import Json
from perdure.service.execution import Execution
from perdure.store.questions import Questions, Wanted
from perdure.tasks.context import TaskContext
from perdure.tasks.results import Result
from scenarios.answering import Answering
from scenarios.scenario import Cancel, Decide, Fork, Host, Publish, Rerun, Retry, Scenario

EXECUTIONS_MAX, FACTS_MAX = 1_000, 10_000


class EngineHost:
    """`workers`: how many share the database. The first starts, the last acts and is asked; each scenario has an organization of
    its own.
    """

    def __init__(self, name: Host, url: str, workers: int = 1) -> None:
        self.name = name
        self._engines = [Engine(url) for _ in range(workers)]
        self._first, self._last = self._engines[0], self._engines[-1]
        self._running = AsyncExitStack()
        self._organization = ""
        self._answering: Answering | None = None
        self._tasks: set[str] = set()
        self.calls = [0] * workers
        """How many tasks each of them has called."""

    async def open(self) -> None:
        for engine in self._engines:
            await self._running.enter_async_context(engine)

    async def close(self) -> None:
        await self._running.aclose()

    async def begin(self, scenario: Scenario, answering: Answering) -> None:
        self._organization, self._answering = scenario.name, answering
        for workflow in scenario.workflows:
            for step in workflow.steps:
                if isinstance(step.work, Task):
                    self._register(step.work.task)
        for workflow in reversed(scenario.workflows):
            await self._first.workflows.save(workflow, organization=scenario.name)

    def _register(self, task: str) -> None:
        if task not in self._tasks:
            self._tasks.add(task)
            for number, engine in enumerate(self._engines):
                engine.task(task)(partial(self._call, number))

    async def _call(self, number: int, given: Json, context: TaskContext) -> Result:
        assert self._answering is not None
        self.calls[number] += 1
        return await self._answering.call(given, context)

    async def store(self) -> Any:
        """What the first worker writes to."""
        return await self._first.host.shell.ask(lambda store: store)

    async def start(self, workflow: str, input: Json) -> str:
        return (await self._first.executions.start(workflow, input, organization=self._organization)).id

    async def publish(self, event: Publish) -> None:
        await self._last.publish(event.type, event.data, id_=event.id, organization=self._organization)

    async def decide(self, execution: str, approval: str, decision: Decide) -> None:
        del execution
        await self._last.decide(
            approval,
            decision.decision,
            by=decision.by,
            comments=decision.comments,
            data=decision.data,
            organization=self._organization,
        )

    async def cancel(self, execution: str, cancel: Cancel) -> None:
        found = await self._get(execution)
        await found.cancel(cancel.reason, by=cancel.by, compensate=cancel.compensate)

    async def retry(self, execution: str, retry: Retry) -> None:
        await (await self._get(execution)).retry(by=retry.by)

    async def fork(self, execution: str, fork: Fork) -> str:
        found = await self._get(execution)
        changed = {} if isinstance(fork.input, UnsetType) else {"input": fork.input}
        new = await found.fork(at_step=fork.at_step, outputs=fork.outputs, variables=fork.variables, **changed)
        return new.id

    async def rerun(self, execution: str, rerun: Rerun) -> str:
        del rerun
        return (await (await self._get(execution)).rerun()).id

    async def executions(self) -> list[ExecutionRecord]:
        wanted = Wanted(self._organization, EXECUTIONS_MAX)
        found = await self._last.host.read(lambda store: store.executions(wanted))
        return [each.record for each in reversed(found)]

    async def facts(self, execution: str) -> list[Fact]:
        def read(store: Questions) -> list[Fact]:
            return [entry.fact for entry in store.history(execution, 0, FACTS_MAX)]  # type: ignore[misc]

        return await self._last.host.read(read)

    async def _get(self, execution: str) -> Execution:
        return await self._last.executions.get(execution, organization=self._organization)
