"""Perdure in a Python program: `Engine("sqlite:///flows.db")`. What the command line and the API do goes through here as well."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from perdure.hosts.embedded import Host
from perdure.hosts.idle import Idle
from perdure.hosts.settings import limits, session_ms
from perdure.model.values import Json
from perdure.service.acting import Actor
from perdure.service.answers import Answers
from perdure.service.approvals import Approvals
from perdure.service.bulk import Bulk
from perdure.service.connections import Connections
from perdure.service.describing import Described
from perdure.service.documents import Given
from perdure.service.errors import Conflict
from perdure.service.events import Events
from perdure.service.execution import Execution
from perdure.service.executions import Executions
from perdure.service.given import check_texts
from perdure.service.key_uses import KeyUses
from perdure.service.keys import Keys
from perdure.service.limits import Limits
from perdure.service.links import Links
from perdure.service.members import Members
from perdure.service.missing_tasks import take_up_missing
from perdure.service.notifiers import Notifiers
from perdure.service.notifying import Notifying
from perdure.service.organizations import Audit, Organizations
from perdure.service.receiving import Receiver
from perdure.service.schedules import Schedules
from perdure.service.secrets import Secrets
from perdure.service.sessions import Sessions
from perdure.service.triggers import Triggers
from perdure.service.webhooks import Webhooks
from perdure.service.workflows import Workflows
from perdure.settings.environment import environment
from perdure.store.questions import Due
from perdure.tasks.context import Published
from perdure.tasks.registry import Registry

__all__ = ["Described", "Engine", "Execution"]

Function = TypeVar("Function", bound=Callable[..., Any])


class Engine:
    """`url`: `sqlite:///path`, `postgresql://user@host/database`, or `memory://`, which forgets with the process.

    The options are those of `hosts.embedded.Host`: `crashes_max`, `keep_days`, `keep_events_days`, `works`,
    `unknown_tasks`, `secret_keys`, `connections`, `public_url`.
    """

    def __init__(self, url: str = "memory://", **options: Any) -> None:
        self.host = Host(url, **options)
        self.workflows = Workflows(self.host)
        self.executions = Executions(self.host)
        self.bulk = Bulk(self.host, self.executions)
        self.limits = Limits(self.host, limits(environment()))
        self.host.waiting = self.limits.waiting
        self.triggers = Triggers(self.host)
        self.events = Events(self.host, self.limits, self.triggers)
        self.schedules = Schedules(self.host)
        self.links = Links(self.host)
        self.approvals = Approvals(self.host, self.links)
        self.members = Members(self.host)
        self.keys = Keys(self.host)
        self.sessions = Sessions(self.host, self.keys, session_ms(environment()))
        self.members.on_changed += (self.keys.look_again, self.sessions.look_again)
        self.organizations = Organizations(self.host)
        self.audit = Audit(self.host)
        self.notifiers = Notifiers(self.host)
        self.secrets = Secrets(self.host)
        Notifying(self.host, self.secrets, self.links).register()
        self.connections = Connections(self.host)
        receiver = Receiver(self.host, self.executions, self.secrets, self.limits, self.triggers)
        self.webhooks = Webhooks(self.host, self.workflows, self.secrets, receiver)
        self.answers = Answers(self.host)
        self.key_uses = KeyUses(self.host)
        self._taking_up: asyncio.Task[None] | None = None

    @property
    def tasks(self) -> Registry:
        """What steps can call."""
        return self.host.tasks

    def task(self, name: str, **options: Any) -> Callable[[Function], Function]:
        """Register a function as a task: `(input)` or `(input, ctx)`, sync or async. Its type hints are its schemas.

        The options are those of `Registry.task`: `input_schema`, `output_schema`, `heartbeat_seconds`.
        """
        return self.tasks.task(name, **options)

    def node(
        self, type_: str, *, heartbeat_seconds: float | None = None, trigger: bool = False
    ) -> Callable[[Function], Function]:
        """Register a function as the executor of the nodes of a type: `(params) -> context`, sync or async.

        With `trigger`, graphs begin with nodes of this type rather than with others.
        """
        return self.tasks.node(type_, heartbeat_seconds=heartbeat_seconds, trigger=trigger)

    @property
    def on_published(self) -> list[Callable[[Published], object]]:
        """Who is told what tasks and nodes publish while they run: functions, called in the loop of the engine."""
        return self.host.on_published

    async def __aenter__(self) -> Self:
        await self.host.__aenter__()
        if self.host.shell.started is not None:
            self._taking_up = asyncio.create_task(take_up_missing(self.host, self.host.shell.started))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        taking_up, self._taking_up = self._taking_up, None
        if taking_up is not None:
            taking_up.cancel()
            await asyncio.wait([taking_up])
        await self.host.__aexit__(kind, error, trace)

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written for now, if so: a full disk, say. It goes on by itself when there is room again."""
        return self.host.trouble

    @property
    def conditions(self) -> dict[str, str]:
        """Active conditions that degrade this process without stopping it: code to reason."""
        return self.host.conditions.active()

    async def serve(self, grace_seconds: float = 10.0) -> None:
        """Work until SIGTERM or SIGINT. Then nothing more is begun, and what runs has this time to end."""
        await self.host.serve(grace_seconds)

    async def run_until_idle(self, *, horizon_seconds: float = 0.0, grace_seconds: float = 10.0) -> Idle:
        """Work until nothing is ready, no task runs and nothing is due within the horizon; or until SIGTERM or SIGINT.

        What waits for people, events or a later time is left as it is. A next attempt within a minute is waited for.
        """
        return await self.host.run_until_idle(horizon_seconds=horizon_seconds, grace_seconds=grace_seconds)

    async def next_due(self) -> Due | None:
        """Which execution wakes first of those that no worker has, and when; of all organizations."""
        return await self.host.next_due()

    async def publish(
        self,
        type_: str,
        data: Json = None,
        *,
        id_: str | None = None,
        organization: str = "default",
        actor: Actor = None,
    ) -> str:
        """Tell whoever waits for such an event. The id of it: the same id twice is one event. An actor has to be an operator or
        an editor.
        """
        check_texts(type_=type_, id_=id_, organization=organization)
        event = {"type": type_, "payload": data} | ({} if id_ is None else {"id": id_})
        return (await self.events.send(event, organization=organization, actor=actor)).id

    async def decide(
        self,
        approval: str,
        decision: Literal["approve", "reject"],
        *,
        by: str,
        comments: str | None = None,
        data: Json = None,
        organization: str = "default",
    ) -> None:
        """Vote on an approval in somebody's name, without members: `approvals.decide` looks at who may."""
        await self.approvals.decide(approval, decision, by=by, comments=comments, data=data, organization=organization)

    def run(self, given: Given, input: Json = None) -> Json:
        """The synchronous one-liner: start a document, which is not saved, or a workflow by its name; its result.

        A step whose task is not registered fails at once, unless the engine was made with `unknown_tasks="wait"`.
        """
        if _a_loop_runs():
            raise Conflict(
                "engine.run() waits, and would stop the event loop that runs here; write `async with engine:` and await "
                "`engine.executions.start(…)` and `execution.result()`"
            )
        return asyncio.run(self._once(given, input))

    async def _once(self, given: Given, input: Json) -> Json:
        with self.host.failing_own_unknown_tasks():
            async with self:
                execution = await self.executions.start(given, input, triggered_by="manual")
                return await execution.result()


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
