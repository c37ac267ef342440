"""Perdure in a Python program: a store, a worker on it and its tasks, opened and closed together. The service has the verbs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, closing, contextmanager
from operator import methodcaller
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from perdure.clock import Clock
from perdure.errors import PerdureError, UnknownWorkflow
from perdure.expressions.language import compile_value
from perdure.hosts.behalf import current, on_behalf_of, refuse_others
from perdure.hosts.connections import Connections, Waiting
from perdure.hosts.conversations import Conversations
from perdure.hosts.envelopes import Keys, new_key, read_keys
from perdure.hosts.given_connections import GivenConnections, given_connections
from perdure.hosts.idle import Idle, Tally, until_idle
from perdure.hosts.monitor import Monitor
from perdure.hosts.owners import Owners
from perdure.hosts.performing import Performer, UnknownTasks, is_tool
from perdure.hosts.sealing import Sealing
from perdure.hosts.settings import given_keys, integrity_check_ms, kept, lease_ms, public_url_of, task_settings
from perdure.hosts.signals import unless_told_to_end
from perdure.hosts.stores import opened, sqlite_path
from perdure.hosts.threads import Threads
from perdure.hosts.tracing.tracer import tracer
from perdure.hosts.vault import Vault, require_keys
from perdure.hosts.wanted_tools import WantedTools
from perdure.model import codec
from perdure.model.catalog import ALL_TOOLS, called
from perdure.model.executors import SEAL
from perdure.model.inputs import Inputs
from perdure.runtime.conditions import Conditions
from perdure.runtime.fresh import FreshIds
from perdure.runtime.inputs import inputs_of
from perdure.runtime.retention_guard import RetentionGuard, newest_evidence_ms
from perdure.runtime.shell import Shell
from perdure.runtime.started import Started
from perdure.runtime.tidying import Kept, tidy
from perdure.settings.environment import environment
from perdure.store import port as p
from perdure.store.questions import Backlog, Due, Questions
from perdure.store.versions import WorkflowRow
from perdure.tasks.builtin import builtins
from perdure.tasks.context import Published
from perdure.tasks.registry import Registry
from perdure.tasks.sandbox import Sandbox
from perdure.tasks.transform import Transform

DAY_MS = 86_400_000
CLOCK_READS = 3
"""How often the clock of the database is read at the start: one answer may be slow."""

APART_MAX = 2
"""So much is computed at once beside everything else: it takes its turns with that, and is not to take all of them."""

Answer = TypeVar("Answer")


class Conflict(PerdureError, code="conflict"):
    """What was asked for does not go with how things stand."""


class NotStorable(Conflict, code="not_storable"):
    """A value does not fit into the database: it is too long for an index, say. Nothing is kept."""


MEMORY: Final = "memory://"


class Active(Struct, frozen=True):
    """The active version of a workflow: the id of that, its model, and the dialect it was written in."""

    id: str
    digest: str
    dialect: str


class Host:
    """`url`: `sqlite:///path`, `postgresql://user@host/database`, or `memory://`, which forgets with the process.

    `crashes_max`: an execution whose owners have died so many times in a row, without any progress, is not taken up again.
    `keep_days`: what ended longer ago is forgotten, with all that belongs to it; None: as PERDURE_KEEP_EXECUTIONS says, which
    keeps everything where it is not set.
    `keep_events_days`: events that came longer ago are forgotten, and nobody can look back to them; None: as PERDURE_KEEP_EVENTS
    says, and where that is not set, those that nobody can look back to, when what ended at that time is.
    `unknown_tasks`: a step whose task is not here waits for a worker that has it, or fails at once where there is no other;
    `fail_own` fails that of what is started here, and leaves what that starts in turn to others who use this database. None: it
    waits; on `memory://`, which no other worker can use, it fails, unless it is a tool of a connection that can still be added.
    `secret_keys`: as PERDURE_SECRET_KEY has them, which is used if nothing is given; an empty text: none.
    `connections`: those of the operator to servers of MCP, a file or what it holds; they are there for every organization.
    `public_url`: where people reach it, which links begin with; None: as PERDURE_PUBLIC_URL says. Empty: nobody knows.
    `works`: False only asks, starts and tells, and leaves it to others to run and to forget what there is.
    """

    def __init__(
        self,
        url: str = MEMORY,
        *,
        crashes_max: int = p.CRASHES_MAX,
        keep_days: float | None = None,
        keep_events_days: float | None = None,
        unknown_tasks: UnknownTasks | None = None,
        works: bool = True,
        secret_keys: str | None = None,
        connections: GivenConnections = None,
        public_url: str | None = None,
    ) -> None:
        self._url = url
        self.public_url = public_url_of(environment()) if public_url is None else public_url
        self._operators = given_connections(connections)
        self.keys = _keys(url, secret_keys)
        self._works, self._is_alone = works, url == MEMORY
        self._is_default, self._fails_tools = unknown_tasks is None, unknown_tasks is not None
        self._unknown_tasks: UnknownTasks = unknown_tasks or ("fail" if self._is_alone else "wait")
        self._fails_children = False
        """Whether unknown tasks of children fail where no other worker has them."""
        self.crashes_max = self._crashes_max = crashes_max
        self._kept = _kept(kept(environment()) if works else Kept(), keep_days, keep_events_days)
        self._shell: Shell | None = None
        self.clock = Clock()
        self._wanted: WantedTools | None = None
        self._guard: RetentionGuard | None = None
        said = Conversations(lambda asked: self.shell.read(asked), self._commit_patiently, self._name, self.now_ms)
        self.settings = task_settings(environment())
        self.sandbox = Sandbox(self.settings.sandbox_processes, requires_all=self.settings.sandbox_requires_all)
        self._owners = Owners(lambda asked: self.shell.read(asked))
        transform = Transform(self.sandbox, self._owners.organization)
        own = builtins(self.settings, conversations=said, transform=transform)
        own.task(SEAL)(Sealing(self.keys, self._owners.organization).perform)
        self.tasks = Registry(own, added=self._registered)
        self.on_published: list[Callable[[Published], object]] = []
        """Who is told what tasks and nodes publish while they run: functions, called in the loop of the engine."""
        self._performer = Performer(self.tasks, self.on_published, self.now_ms)
        self._running: AsyncExitStack | None = None
        """What has to be done when it ends, the last that was begun first."""
        self.fresh_id = FreshIds(self.now_ms)
        self._versions: dict[tuple[str, str], Active] = {}
        """Active versions by organization and workflow id, as of the last look."""
        self._ids: dict[tuple[str, str], str] = {}
        """Workflow ids by organization and the id or name that they were looked up by."""
        self._lookups: dict[tuple[str, str], asyncio.Future[tuple[WorkflowRow | None, str | None]]] = {}
        """Reads that have not begun, by organization and reference."""
        self._grace_seconds = 0.0
        self.waiting: Waiting | None = None
        """Counts what waits for the tools of a server."""

    def now_ms(self) -> int:
        """Return the time that decides what is due: that of the database, where it has a clock."""
        return self.clock.now_ms()

    @property
    def fails_unknown_tasks(self) -> bool:
        return self._unknown_tasks != "wait"

    @contextmanager
    def failing_own_unknown_tasks(self) -> Iterator[None]:
        """Fail unknown tasks of what is started here while this lasts, unless the program has said what becomes of them. Those of
        what that starts in turn fail too, unless another worker has them: the caller would wait for ever.
        """
        before = self._unknown_tasks
        self._fails_children = self._is_default and before == "wait"
        self._unknown_tasks = "fail_own" if self._fails_children else before
        self._fails_tools = True
        try:
            yield
        finally:
            self._unknown_tasks, self._fails_tools, self._fails_children = before, not self._is_default, False

    def _names(self) -> tuple[str, ...]:
        """What this process can call: its tasks, and of its operator's connections those tools that somebody waits for. That it
        has the connections themselves is for whoever wants to know why something waits.
        """
        wanted = () if self._wanted is None else self._wanted.names
        return (*self.tasks.names(), *(called(ALL_TOOLS, name) for name in self._operators), *wanted)

    def connections_changed(self) -> None:
        """Something may wait for what an organization has connected."""
        if self._wanted is not None:
            self._wanted.look_soon()

    async def _commit_patiently(self, item: p.Item) -> p.Outcome:
        """For tasks: they wait until the store is out of trouble."""
        return await self.shell.commit(item, patient=True)

    def _name(self) -> str:
        return self.shell.worker

    def _registered(self, name: str) -> None:
        if self._shell is not None:
            self._shell.registered(name)

    @property
    def shell(self) -> Shell:
        if self._shell is None:
            raise Conflict("the engine does not run; use it as `async with engine:`")
        return self._shell

    async def __aenter__(self) -> Self:
        """Without a pause: nothing ends here before whoever enters can listen for it."""
        if self._shell is not None:
            raise Conflict("the engine runs already; make another one on the same url, or use this one after its end")
        self._versions.clear()
        self._ids.clear()
        self._lookups.clear()
        self._grace_seconds = 0.0
        async with AsyncExitStack() as begun:  # what fails here leaves nothing behind
            self._shell = self._begin(begun)
            self._running = begun.pop_all()
        return self

    def _begin(self, begun: AsyncExitStack) -> Shell:
        self.clock = Clock()
        self.fresh_id = FreshIds(self.now_ms)
        worker = f"{os.uname().nodename}-{os.getpid()}-{self.fresh_id()[-8:]}"
        lease = lease_ms(environment())
        store, locks = opened(self._url, self._crashes_max, lease, self.clock)
        begun.callback(store.close)
        for _ in range(CLOCK_READS):
            self.clock.measure(store.database_ms)
        newest = newest_evidence_ms(store, self.now_ms(), lease)  # before this process writes
        if self.keys is not None:
            with closing(store.reader()) as reader:
                require_keys(reader, self.keys)
        if locks is not None and self._works:
            locks.hold(worker)
            begun.callback(locks.let_go, worker)
        begun.callback(self._owners.forget)
        begun.push_async_callback(self.sandbox.close)
        begun.callback(self._performer.close)
        self._apart = Threads(APART_MAX, f"perdure-apart-{worker}", lambda: current() or "")
        begun.callback(self._apart.shutdown, cancel_futures=True)
        traced = tracer(environment(), self._performer.perform)
        perform = self._performer.perform if traced is None else traced.perform
        shell = Shell(
            store,
            worker,
            compile_value,
            perform,
            self._names,
            works=self._works,
            lease_ms=lease,
            clock=self.clock,
            organization=current,
        )
        if self.fails_unknown_tasks and not (self._is_alone and self._is_default):
            shell.started = Started(shell.read, with_children=self._unknown_tasks == "fail" or self._fails_children)
        self.vault = Vault(self.keys, shell.read)
        begun.callback(self.vault.forget)
        self.connections = Connections(
            self._operators,
            self.settings,
            shell.read,
            self._commit_patiently,
            self.vault,
            lambda: worker,
            self.now_ms,
            self.waiting,
        )
        begun.push_async_callback(self.connections.close)
        fails = self.fails_unknown if self.fails_unknown_tasks else None
        self._performer.open(shell.checkpoint, fails, self.vault.fill, self.connections.task, shell.engine.organization)
        begun.callback(shell.end)
        self._guard = guard = RetentionGuard(shell, newest)
        shell.write_first(guard)
        if traced is not None:
            traced.follow(shell)
            begun.push_async_callback(traced.close)
        shell.start()
        begun.push_async_callback(self._stop, shell)
        self._wanted = WantedTools(shell, self.connections, lease / 3_000) if self._works else None
        if self._wanted is not None:
            begun.push_async_callback(_cancelled, asyncio.create_task(self._wanted.watch()))
        interval = integrity_check_ms(environment())
        self.monitor = Monitor(shell, sqlite_path(self._url), interval, checks=self._works)
        begun.push_async_callback(_cancelled, asyncio.create_task(self.monitor.watch()))
        if self._works or self._kept != Kept():
            tidying = asyncio.create_task(tidy(shell.ask, self.now_ms, self._kept, guard, shell.counts.deleted))
            begun.push_async_callback(_cancelled, tidying)
        return shell

    async def trusts_clock(self) -> bool:
        """Return whether no process has found its clock wrong: otherwise nothing is deleted because its time is over."""
        return self._guard is not None and await self._guard.trusts_clock()

    async def fails_unknown(self, execution: str, task: str) -> bool:
        """Whether an execution fails because a task is not here. All that is in memory was started by this process."""
        if self._is_alone and self._unknown_tasks == "fail":
            return self._fails_tools or not is_tool(task)
        started = self.shell.started
        if started is None or not await started.has(execution):
            return False
        return not (self._fails_children and await self._is_elsewhere(task))

    async def _is_elsewhere(self, task: str) -> bool:
        """Return whether another living worker has a task."""
        here, now = self.shell.worker, self.now_ms()
        living = await self.shell.read(methodcaller("living", now))
        return any(task in tasks for worker, tasks in living.items() if worker != here)

    async def _stop(self, shell: Shell) -> None:
        await shell.stop(self._grace_seconds)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop in order, also if this is cancelled; cancelled once more, it ends at once. Either way nothing is left behind."""
        if self._running is None:
            raise Conflict("the engine does not run; use it as `async with engine:`")
        running, self._running = self._running, None
        stopping = asyncio.ensure_future(running.aclose())
        try:
            await _seen_through(stopping)
        finally:
            self._shell = None

    def end_within(self, grace_seconds: float) -> None:
        """When it ends, tasks under way have this time to end."""
        self._grace_seconds = grace_seconds

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written for now, if so: a full disk, say. It goes on by itself when there is room again."""
        return self.shell.trouble

    @property
    def conditions(self) -> Conditions:
        """What degrades this process without stopping it."""
        return self.shell.conditions

    async def serve(self, grace_seconds: float = 10.0) -> None:
        """Work until SIGTERM or SIGINT. Then nothing more is begun, and what runs has this time to end."""
        await unless_told_to_end(self.shell.failed())
        self._grace_seconds = grace_seconds

    async def run_until_idle(self, *, horizon_seconds: float = 0.0, grace_seconds: float = 10.0) -> Idle:
        """Work until nothing is ready, no task runs and nothing is due within the horizon; or until SIGTERM or SIGINT.

        What waits for people, events or a later time is left as it is. A next attempt within a minute is waited for.
        """
        shell, tally = self.shell, Tally()
        shell.on_ended.append(tally)
        try:
            told = await unless_told_to_end(shell.failed(), self._until_idle(int(horizon_seconds * 1_000)))
        finally:
            shell.on_ended.remove(tally)
        self._grace_seconds = grace_seconds
        return await tally.told(shell, interrupted=told)

    async def _until_idle(self, horizon_ms: int) -> None:
        if self._wanted is not None:  # what waits for a tool that is here is to be done
            await self._wanted.look()
        await until_idle(self.shell, horizon_ms)

    async def next_due(self) -> Due | None:
        """Which execution wakes first of those that no worker has, and when."""
        return await self.read(lambda store: store.first_due())

    async def backlog(self, limit: int) -> Backlog:
        """How much there is to do, of all organizations, counted up to a limit."""
        return await self.read(lambda store: store.backlog(self.now_ms(), limit))

    async def version(self, ref: str, organization: str) -> Active:
        """Return the active version of a workflow, by id or name, as far as this process knows. A start is refused as outdated if
        another version is active by now, or if the name means another workflow.
        """
        known = self._versions.get((organization, self._ids.get((organization, ref), ref)))
        return known or await self.read_version(ref, organization)

    async def read_version(self, ref: str, organization: str) -> Active:
        """Return the version of a workflow that is active now, by id or name. Raises `UnknownWorkflow`."""
        found, dialect = await self._look_up(ref, organization)
        if found is None:
            raise UnknownWorkflow(f"there is no workflow {ref!r} in organization {organization!r}; save it first")
        if found.digest is None:
            raise UnknownWorkflow(f"workflow {ref!r} has no active version; activate one of its versions first")
        known = Active(found.id, found.digest, dialect or found.dialect)
        self._versions[organization, found.id] = known
        self._ids[organization, ref] = found.id
        return known

    async def _look_up(self, ref: str, organization: str) -> tuple[WorkflowRow | None, str | None]:
        """Read a workflow from the store. Callers share a read that has not begun: thousands of starts by name are one read."""
        refuse_others(organization)
        key = (organization, ref)

        def read(store: Questions) -> tuple[WorkflowRow | None, str | None]:
            self._lookups.pop(
                key, None
            )  # in a thread of the readers: later callers must see what is written from now on
            return self._with_dialect(store, organization, ref)

        def forget(ended: asyncio.Future[Any]) -> None:
            if self._lookups.get(key) is ended:  # it never began
                del self._lookups[key]
            if not ended.cancelled():
                ended.exception()  # all its callers may have gone

        lookup = self._lookups.get(key)
        if lookup is None:
            lookup = self._lookups[key] = asyncio.ensure_future(self.read(read, organization))
            lookup.add_done_callback(forget)
        return await asyncio.shield(lookup)

    def _with_dialect(self, store: Questions, organization: str, ref: str) -> tuple[WorkflowRow | None, str | None]:
        """A workflow, and the dialect of its active version: the newest may have another one."""
        found = store.workflow(organization, ref)
        if found is None or found.digest is None:
            return found, None
        known = self._versions.get((organization, found.id))
        return found, known.dialect if known is not None and known.digest == found.digest else store.dialect(
            found.digest
        )

    async def inputs(self, digest: str, model: p.Model | None = None) -> Inputs:
        """What this version can be started with. Once it was started here, that is at hand, compiled; else its model is read."""
        program = self.shell.engine.programs.get(digest)
        if program is not None:
            return inputs_of(program)
        data = model.data if model is not None else await self.shell.read(lambda store: _model(store, digest))
        return Inputs(None if data is None else codec.input_schema(data))

    def forget_version(self, workflow: str, organization: str) -> None:
        """Another version of the workflow with this id may be active."""
        self._versions.pop((organization, workflow), None)

    async def commit(self, item: p.Item) -> p.Outcome:
        """Together with whatever else is to be committed. Raises `Conflict` if it does not go with how things stand."""
        return _accepted(await self.shell.commit(item))

    async def commit_all(self, items: Iterable[p.Item]) -> list[p.Outcome]:
        """Together: in one transaction, if there are not thousands of them. Raises `Conflict` as `commit` does."""
        return [_accepted(outcome) for outcome in await self.shell.commit_all(tuple(items))]

    async def apart(self, compute: Callable[[], Answer]) -> Answer:
        """Compute what takes long in a thread, so that everything else has its turn meanwhile."""
        self.shell  # noqa: B018  it has to run
        return await asyncio.get_running_loop().run_in_executor(self._apart, compute)

    def on_behalf_of(self, organization: str) -> AbstractContextManager[None]:
        """Whatever is read within is this organization's. What asks for another one's, or everybody's, raises."""
        return on_behalf_of(organization)

    async def read(self, question: Callable[[Questions], Answer], organization: str | None = None) -> Answer:
        """Ask the store, beside whoever writes, for what is one organization's: of others, it then finds nothing where the
        database can see to that. None: for what is everybody's, which is not for those who ask on behalf of one.
        """
        refuse_others(organization)
        return await self.shell.read(question, organization)


def _accepted(outcome: p.Outcome) -> p.Outcome:
    if isinstance(outcome, p.GuardFailed | p.Refused):
        raise refusal_of(outcome.reason)
    return outcome


def refusal_of(reason: str) -> Conflict:
    """Return the error for what the store has refused."""
    return NotStorable(reason) if reason.startswith(p.CANNOT_BE_STORED) else Conflict(reason)


def _model(store: Questions, digest: str) -> bytes | None:
    try:
        return store.model(digest)
    except KeyError:  # forgotten in this very moment: whoever starts it finds out
        return None


def _kept(found: Kept, days: float | None, events_days: float | None) -> Kept:
    """What a program gives, else what was found."""
    if days is not None:
        found = replace(found, executions=int(days * DAY_MS))
    return found if events_days is None else replace(found, events=int(events_days * DAY_MS))


def _keys(url: str, given: str | None) -> Keys | None:
    """What forgets with the process may have a key that nobody else knows."""
    keys = given_keys(given, environment())
    return read_keys(new_key()) if keys is None and url == MEMORY else keys


async def _seen_through(stopping: asyncio.Future[None]) -> None:
    """Whoever is cancelled meanwhile is so afterwards; the second time, what is waited for is cancelled too."""
    try:
        await asyncio.shield(stopping)
    except asyncio.CancelledError:
        try:
            await asyncio.wait([stopping])
        except asyncio.CancelledError:
            stopping.cancel()
            await asyncio.wait([stopping])  # not for long: it has only to let go
        raise


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
