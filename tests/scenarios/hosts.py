"""What can run a scenario: the seam between the suite and a host."""

from __future__ import annotations

from typing import Protocol

from perdure.core.facts import Fact
from perdure.model.records import ExecutionRecord
from perdure.model.values import Json
from scenarios.answering import Answering
from scenarios.scenario import Cancel, Decide, Fork, Host, Publish, Rerun, Retry, Scenario


class ScenarioHost(Protocol):
    """Opened once, then one scenario after the other, then closed. What scenarios do must not be seen by others: each has its own
    organization, say. The task of every step of every workflow is `Answering.call`, under whatever name the step calls it.
    """

    name: Host

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def begin(self, scenario: Scenario, answering: Answering) -> None:
        """Have its workflows there, each by its name, and its tasks answered."""
        ...

    async def start(self, workflow: str, input: Json) -> str:
        """The id of the new execution, which is durable. Who asks is "api"."""
        ...

    async def publish(self, event: Publish) -> None: ...

    async def decide(self, execution: str, approval: str, decision: Decide) -> None:
        """`approval` is the id of it: `core.steps.approval.approval_id(execution, op)`."""
        ...

    async def cancel(self, execution: str, cancel: Cancel) -> None: ...

    async def retry(self, execution: str, retry: Retry) -> None: ...

    async def fork(self, execution: str, fork: Fork) -> str: ...

    async def rerun(self, execution: str, rerun: Rerun) -> str: ...

    async def executions(self) -> list[ExecutionRecord]:
        """All that there are of this scenario, children included, in the order in which they were made; as they are by now."""
        ...

    async def facts(self, execution: str) -> list[Fact]:
        """Its history, from the first fact on."""
        ...
