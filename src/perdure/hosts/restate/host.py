"""One process on Restate: it serves the objects and services that Restate calls, and forwards what is told to our store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

import httpx2
import restate
from hypercorn.asyncio import serve
from hypercorn.config import Config

from perdure.clock import now_ms
from perdure.core.advance import Start
from perdure.core.events import TaskCheckpointed
from perdure.errors import PerdureError, UnknownWorkflow
from perdure.hosts.connections import Connections
from perdure.hosts.given_connections import GivenConnections, given_connections
from perdure.hosts.owners import Owners
from perdure.hosts.performing import Performer
from perdure.hosts.refusing import refuse_input
from perdure.hosts.restate.calling import Calling
from perdure.hosts.restate.executions import Executions
from perdure.hosts.restate.forwarding import Forwarder
from perdure.hosts.restate.ingress import Ingress
from perdure.hosts.restate.library import Library
from perdure.hosts.restate.messages import EXECUTION, Begin, Delivery, encoded
from perdure.hosts.restate.recording import Recording
from perdure.hosts.settings import given_keys, lease_ms, task_settings
from perdure.hosts.stores import opened
from perdure.hosts.vault import Vault, require_keys
from perdure.model.values import Json
from perdure.runtime.fresh import FreshIds
from perdure.runtime.inputs import inputs_of
from perdure.runtime.writes import pending
from perdure.settings.environment import environment
from perdure.store import port as p
from perdure.tasks.builtin import builtins
from perdure.tasks.context import Published
from perdure.tasks.registry import Registry
from perdure.tasks.sandbox import Sandbox
from perdure.tasks.transform import Transform

GRACE_SECONDS = 1.0
"""So long a turn that is under way has to end. Restate makes it again, elsewhere."""


class NotRegistered(PerdureError, code="not_registered"):
    """Restate does not take this process for one of its own."""


class RestateHost:
    """`url`: the database that workflows are in, and what there is to read. `ingress`: the nodes of Restate, by their URLs.
    `bind`: where this process listens for Restate, `127.0.0.1:9080`. `forwards`: False leaves that to another process.
    `secret_keys`: as PERDURE_SECRET_KEY has them, which is used if nothing is given; an empty text: none.
    `connections`: those of the operator to servers of MCP, a file or what it holds.
    """

    def __init__(
        self,
        url: str,
        ingress: Sequence[str],
        bind: str,
        *,
        forwards: bool = True,
        secret_keys: str | None = None,
        connections: GivenConnections = None,
    ) -> None:
        self._url, self._bind, self._forwards = url, bind, forwards
        self._settings = task_settings(environment())
        self._connections = given_connections(connections)
        self._sandbox = Sandbox(self._settings.sandbox_processes, requires_all=self._settings.sandbox_requires_all)
        owners = Owners(lambda asked: self.library.read(asked))
        self.tasks = Registry(builtins(self._settings, transform=Transform(self._sandbox, owners.organization)))
        self.on_published: list[Callable[[Published], object]] = []
        self._ingress_urls = ingress
        self._keys = given_keys(secret_keys, environment())
        self._fresh_id = FreshIds(now_ms)
        self._running: AsyncExitStack | None = None

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as begun:  # what fails here leaves nothing behind
            store, _ = opened(self._url, p.CRASHES_MAX, lease_ms(environment()))
            begun.callback(store.close)
            self.library = Library(store)
            begun.callback(self.library.close)
            if self._keys is not None:
                keys = self._keys
                await self.library.read(lambda reader: require_keys(reader, keys))
            self._ingress = Ingress(self._ingress_urls)
            begun.push_async_callback(self._ingress.close)
            begun.push_async_callback(self._sandbox.close)
            performer = Performer(self.tasks, self.on_published)
            vault = Vault(self._keys, self.library.read)
            library, settings = self.library, self._settings
            connections = Connections(
                self._connections, settings, library.read, library.commit_one, vault, lambda: self._bind
            )
            begun.push_async_callback(connections.close)
            performer.open(self._checkpoint, None, vault.fill, connections.task)
            begun.callback(performer.close)
            await self._serve(begun, performer)
            if self._forwards:
                _until_closed(begun, Forwarder(self.library, self._ingress).run())
            self._running = begun.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._running is not None
        await self._running.aclose()

    async def _serve(self, begun: AsyncExitStack, performer: Performer) -> None:
        services = (
            Executions(self.library).object,
            Recording(self.library).object,
            Calling(performer).service,
        )
        config = Config()
        config.bind = [self._bind]
        config.graceful_timeout = GRACE_SECONDS
        config.errorlog = logging.getLogger("perdure.restate.http")
        ended = asyncio.Event()
        app: Any = _with_lifespan(restate.app(services))
        serving = asyncio.create_task(serve(app, config, shutdown_trigger=ended.wait))

        async def end() -> None:
            ended.set()
            await serving

        begun.push_async_callback(end)

    async def register(self, admin: str) -> None:
        """Have Restate call this process. Once for each address is enough; again is the same."""
        async with httpx2.AsyncClient(timeout=30.0, trust_env=False) as client:
            given = {"uri": f"http://{self._bind}", "force": True}
            answer = await client.post(f"{admin}/deployments", json=given)
        if not answer.is_success:
            raise NotRegistered(
                f"Restate at {admin} does not take http://{self._bind}: {answer.status_code} {answer.text}"
            )

    async def start(
        self, workflow: str, input: Json = None, *, organization: str = "default", trigger: str = "api"
    ) -> str:
        """Start the active version of a workflow, by its id or its name. When this returns, it is durable and can be read.
        Raises `Refused` for an input that does not fit.
        """
        found = await self.library.workflow(organization, workflow)
        if found is None or found.digest is None:
            raise UnknownWorkflow(
                f"there is no active workflow {workflow!r} in organization {organization!r}; save it first"
            )
        refuse_input(inputs_of(await self.library.program(found.digest)).problems(input))
        start = Start(now_ms(), self._fresh_id(), input, organization, trigger=trigger)
        data = encoded(Begin(pending(start, found.id, found.digest)))
        await self._ingress.call(EXECUTION, start.execution, "begin", data, f"begin:{start.execution}")
        return start.execution

    async def _checkpoint(self, execution: str, event: TaskCheckpointed) -> None:
        """A part of a task is done, and that is durable when this returns."""
        key = f"part:{execution}:{event.op}:{event.attempt}:{event.name}:{event.n}"
        await self._ingress.call(EXECUTION, execution, "deliver", encoded(Delivery(event)), key)


def _with_lifespan(app: Any) -> Any:
    """Who serves asks whether there is something to do before and after; there is not, and Restate's SDK does not say so."""

    async def asked(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    return asked


def _until_closed(begun: AsyncExitStack, work: Any) -> None:
    task = asyncio.create_task(work)

    async def cancelled() -> None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    begun.push_async_callback(cancelled)
