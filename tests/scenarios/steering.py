"""Scenarios are steered and read through the service, whoever runs them."""

from __future__ import annotations

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
from scenarios.scenario import Cancel, Decide, Publish, Retry, Scenario

EXECUTIONS_MAX, FACTS_MAX = 1_000, 10_000
KEY = bytes(range(32)).hex()
"""What secrets are encrypted with."""


class Steered:
    """Acts through an engine and asks it; each scenario has an organization of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._organization = ""
        self._answering: Answering | None = None
        self._tasks: set[str] = set()

    async def begin(self, scenario: Scenario, answering: Answering) -> None:
        self._organization, self._answering = scenario.name, answering
        works = [step.work for workflow in scenario.workflows for step in workflow.steps]
        tasks = {work.task for work in works if isinstance(work, Task)}
        for task in sorted(tasks - self._tasks):
            self._tasks.add(task)
            self._register(task)
        for name, value in scenario.secrets.items():
            await self._engine.secrets.set(name, value, organization=scenario.name)
        for workflow in reversed(scenario.workflows):
            await self._engine.workflows.save(workflow, organization=scenario.name)

    def _register(self, task: str) -> None:
        """Whoever is to run it calls `_call` for this task."""
        raise NotImplementedError

    async def _call(self, given: Json, context: TaskContext) -> Result:
        assert self._answering is not None
        return await self._answering.call(given, context)

    async def publish(self, event: Publish) -> None:
        await self._engine.publish(event.type, event.data, id_=event.id, organization=self._organization)

    async def decide(self, execution: str, approval: str, decision: Decide) -> None:
        del execution
        await self._engine.decide(
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

    async def executions(self) -> list[ExecutionRecord]:
        wanted = Wanted(self._organization, EXECUTIONS_MAX)
        found = await self._engine.host.read(lambda store: store.executions(wanted))
        return [each.record for each in reversed(found)]

    async def facts(self, execution: str) -> list[Fact]:
        def read(store: Questions) -> list[Fact]:
            return [entry.fact for entry in store.history(execution, 0, FACTS_MAX)]  # type: ignore[misc]

        return await self._engine.host.read(read)

    async def _get(self, execution: str) -> Execution:
        return await self._engine.executions.get(execution, organization=self._organization)
