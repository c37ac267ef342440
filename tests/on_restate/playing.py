"""Scenarios on Restate: steered and read through the service, as everywhere; run by the virtual objects."""

from __future__ import annotations

from contextlib import AsyncExitStack

from on_restate.server import Cluster, free_ports
from perdure import Engine
from perdure.hosts.restate.host import RestateHost
from perdure.model.values import Json
from scenarios.scenario import Fork, Host, Rerun
from scenarios.steering import KEY, Steered


class OnRestate(Steered):
    """The engine only asks and tells; it runs nothing."""

    name: Host = "restate"

    def __init__(self, cluster: Cluster, url: str) -> None:
        super().__init__(Engine(url, works=False, secret_keys=KEY))
        self._cluster = cluster
        self._host = RestateHost(url, cluster.ingress, f"127.0.0.1:{free_ports(1)[0]}", secret_keys=KEY)
        self._running = AsyncExitStack()

    async def open(self) -> None:
        await self._running.enter_async_context(self._host)
        await self._running.enter_async_context(self._engine)
        await self._host.register(self._cluster.nodes[0].admin)

    async def close(self) -> None:
        await self._running.aclose()

    def _register(self, task: str) -> None:
        self._host.tasks.task(task)(self._call)

    async def start(self, workflow: str, input: Json) -> str:
        return await self._host.start(workflow, input, organization=self._organization)

    async def fork(self, execution: str, fork: Fork) -> str:
        raise NotImplementedError("what is forked is not taken up by Restate yet: docs/decisions/0008-restate.md")

    async def rerun(self, execution: str, rerun: Rerun) -> str:
        raise NotImplementedError(
            "what the service starts is not taken up by Restate yet: docs/decisions/0008-restate.md"
        )
