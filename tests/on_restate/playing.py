"""Scenarios on Restate: steered and read through the service, as everywhere; run by the virtual objects."""

from __future__ import annotations

from contextlib import AsyncExitStack

from on_restate.server import Cluster, free_ports
from perdure import Engine
from perdure.core.facts import Fact
from perdure.hosts.restate.host import RestateHost
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


class OnRestate:
    """Keeps the contract of `scenarios.hosts.ScenarioHost`. The engine only asks and tells; it runs nothing."""

    name: Host = "restate"

    def __init__(self, cluster: Cluster, url: str) -> None:
        self._cluster = cluster
        self._host = RestateHost(url, cluster.ingress, f"127.0.0.1:{free_ports(1)[0]}")
        self._engine = Engine(url, works=False)
        self._running = AsyncExitStack()
        self._organization = ""
        self._answering: Answering | None = None
        self._tasks: set[str] = set()

    async def open(self) -> None:
        await self._running.enter_async_context(self._host)
        await self._running.enter_async_context(self._engine)
        await self._host.register(self._cluster.nodes[0].admin)

    async def close(self) -> None:
        await self._running.aclose()

    async def begin(self, scenario: Scenario, answering: Answering) -> None:
        self._organization, self._answering = scenario.name, answering
        for workflow in scenario.workflows:
            for step in workflow.steps:
                if isinstance(step.work, Task) and step.work.task not in self._tasks:
                    self._tasks.add(step.work.task)
                    self._host.tasks.task(step.work.task)(self._call)
        for workflow in reversed(scenario.workflows):
            await self._engine.workflows.save(workflow, organization=scenario.name)

    async def _call(self, given: Json, context: TaskContext) -> Result:
        assert self._answering is not None
        return await self._answering.call(given, context)

    async def start(self, workflow: str, input: Json) -> str:
        return await self._host.start(workflow, input, organization=self._organization)

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

    async def fork(self, execution: str, fork: Fork) -> str:
        raise NotImplementedError("what is forked is not taken up by Restate yet: docs/decisions/0008-restate.md")

    async def rerun(self, execution: str, rerun: Rerun) -> str:
        raise NotImplementedError(
            "what the service starts is not taken up by Restate yet: docs/decisions/0008-restate.md"
        )

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
