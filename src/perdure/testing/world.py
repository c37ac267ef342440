"""A world under a virtual clock: workers, a store, tasks, people and events, in one thread and without waiting.

Everything that happens is decided by the script and by the faults that a test asks for, so that every run can be
repeated. Time only passes when nothing can be done now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Literal, TypeAlias, assert_never, cast

from msgspec.structs import replace

from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.expressions.protocol import Compile
from perdure.ids import derived
from perdure.model.failure import Category, Failure
from perdure.model.records import ApprovalRecord, EventRecord
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.runtime import ports
from perdure.runtime.engine import Engine
from perdure.store import port as s
from perdure.store.memory import MemoryStore
from perdure.testing.inspected import Inspected
from perdure.testing.script import Place, Script

ROUNDS_MAX = 20_000

Point: TypeAlias = Literal["before commit", "after commit", "after perform", "after claim"]
"""Where a worker may be stopped: what it would commit is lost; it is committed and nobody is told; effects are out."""


class Crash(Exception):
    """The worker dies here."""


class Worker:
    """A process: an engine, what it has been told and not yet taken in, and the tasks that it runs."""

    def __init__(self, name: str, compile_: Compile) -> None:
        self.name = name
        self.engine = Engine(name, compile_)
        self.inputs: list[ports.Input] = []
        self.tasks: list[tuple[int, int, str, ports.TaskEvent]] = []
        self.wake_at: int | None = None


class World:
    """`hook` is called at every point where a worker may be stopped, and may raise `Crash`."""

    def __init__(
        self,
        compile_: Compile,
        script: Script,
        hook: Callable[[Point], None] = lambda _: None,
        workers: int = 1,
        crashes_max: int = 1_000,
        store: MemoryStore | Inspected | None = None,
    ) -> None:
        self.now = 1_000_000
        # Whichever it is, it is looked into in the same way.
        self.store = MemoryStore(crashes_max) if store is None else cast("MemoryStore", store)
        self.script = script
        self.hook = hook
        self.effects: Counter[tuple[str, int]] = Counter()
        """How often which attempt of which idempotency key was seen outside."""
        self.acknowledged: list[str] = []
        self.fencing_faults: list[str] = []
        """Commits that were accepted from a worker that was no longer the owner."""
        self.crashes = 0
        self.until: int | None = None
        """So far time passes; None: as far as there is something to do, but for schedules, which may have no end."""
        self._epochs: dict[str, int] = {}
        self.compile = compile_
        self._names = 0
        self._ticks = 0
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._expected: set[str] = set()
        self._due_by_key: dict[tuple[str, int], int] = {}
        self._limit_by_key: dict[tuple[str, int], int] = {}
        self._attempts: dict[tuple[str, int], int] = {}
        self.silent: set[tuple[str, int, str, int]] = set()
        """Tasks that run and will never answer: execution, operation, worker and attempt. A worker that was paused may begin its
        attempt after another one has taken over, so that there may be several of one operation.
        """
        self._unanswered: dict[str, ports.Request] = {}
        self.workers = [self.spawn() for _ in range(workers)]

    # The outside.

    def start(self, workflow: Workflow, given: Json = None, *, execution: str = "main", **more: Json) -> str:
        """Ask the first worker for an execution, again and again until it is acknowledged."""
        digest = self.store.save(workflow)
        start = Start(self.now, execution, given, **more)
        request = ports.Request(len(self._unanswered), digest, workflow.name, start)
        self._unanswered[execution] = request
        self._request(request)
        return execution

    def _request(self, request: ports.Request) -> None:
        """Until it is answered: at once if the worker dies, and every minute in case it was lost."""
        if request.start.execution in self._unanswered:
            self.workers[0].inputs.append(request)
            self.at(self.now + 60_000, lambda: self._request(request))

    def at(self, time: int, action: Callable[[], None]) -> None:
        """Let something happen outside at this time."""
        self._ticks += 1
        heappush(self._agenda, (time, self._ticks, action))

    def deliver(
        self, execution: str, event: e.Event, dedup: str, *, force: bool = False, version: int | None = None
    ) -> s.Outcome:
        return self.store.commit([s.Deliver(s.Message(execution, event, dedup), force, version)])[0]

    def cancel(self, execution: str, *, compensate: bool = True, version: int | None = None) -> s.Outcome:
        event = e.CancelRequested(self.now, "no longer wanted", "ann", "USER", compensate=compensate, version=version)
        return self.deliver(execution, event, f"cancel:{self.now}", version=version)

    def retry(self, execution: str, *, version: int | None = None) -> s.Outcome:
        event = e.RetryRequested(self.now, "ann", version)
        return self.deliver(execution, event, f"retry:{self.now}", force=True, version=version)

    def publish(self, event_type: str, data: Json = None, event_id: str | None = None) -> s.Outcome:
        event_id = event_id or derived("outside", event_type, self.now, len(self.store.events))
        return self.store.commit([s.Publish(EventRecord(event_id, event_type, self.now, data))])[0]

    # Workers.

    def spawn(self) -> Worker:
        self._names += 1
        worker = Worker(f"worker-{self._names}", self.compile)
        self.store.commit([s.Beat(worker.name, 1 << 60)])
        return worker

    def kill(self, worker: Worker) -> None:
        """The process is gone, its lock is free, and another one takes its place."""
        self.crashes += 1
        self.store.commit([s.Beat(worker.name, 0)])
        self.workers[self.workers.index(worker)] = self.spawn()
        self.workers[0].inputs.extend(self._unanswered.values())

    def turn(self, worker: Worker) -> None:
        """One turn of one worker: decide, perform, commit, ask.

        What a turn performs and answers must not depend on what the same turn commits, so it comes first here.
        """
        inputs, worker.inputs = worker.inputs, []
        try:
            out = worker.engine.turn(self.now, inputs)
            worker.wake_at = out.wake_at
            for reply in out.replies:
                self.acknowledged.append(reply.execution)
                self._unanswered.pop(reply.execution, None)
            for perform in out.performs:
                self._perform(worker, perform)
            if out.performs:
                self.hook("after perform")
            if out.commits:
                self.hook("before commit")
                outcomes = self.store.commit(out.commits)
                self._watch(out.commits, outcomes)
                self.hook("after commit")
                worker.inputs.append(ports.Answer(out.commits, tuple(outcomes)))
            worker.inputs.extend(self._answer(worker, query) for query in out.queries)
            if out.look_beyond:
                events = self.store.poll(worker.name, now=self.now, limit=out.look_beyond).events
                worker.inputs.append(s.Polled((), (), events))
        except Crash:
            self.kill(worker)

    def poll(self, worker: Worker) -> bool:
        """Ask the store for work. Whether there was any."""
        try:
            claims = self.store.claim(worker.name, now=self.now, limit=16)
            if claims:
                self.hook("after claim")
                worker.inputs.append(ports.Claimed(tuple(claims)))
            polled = self.store.poll(worker.name, now=self.now, limit=16)
            found = bool(polled.mail or polled.lookbacks or polled.events or polled.schedules)
            if found:
                worker.inputs.append(polled)
            return found or bool(claims)
        except Crash:
            self.kill(worker)
            return True

    def _answer(self, worker: Worker, query: ports.Query) -> ports.Input:
        match query:
            case ports.FetchValues():
                values = dict(self.store.values(query.execution, query.refs))
                return ports.Fetched(query.execution, query.epoch, values)
            case ports.FetchModel():
                return ports.ModelFetched(query.digest, self.store.model(query.digest))
            case ports.FetchMail():
                mail = self.store.mail(worker.name, query.execution)
                return s.Polled(((query.execution, mail),), (), ())
            case _:
                assert_never(query)

    # Tasks.

    def _perform(self, worker: Worker, perform: ports.Perform) -> None:
        command = perform.command
        if isinstance(command, c.AbandonTask):
            self._abandon(worker, perform.execution, command.op)
            return
        self.effects[command.key, command.attempt] += 1
        self._attempts[perform.execution, command.op] = command.attempt
        place = self.place(perform.execution, command.op)
        answer = self.script.task(place, command.input)
        # Who is called again under the same key answers, or is too late, when it would have been: its work went on
        # while the caller died. So a crash shifts no time, and the end can be compared with that of a calm world.
        due = self._due_by_key.setdefault((command.key, place.failures), self.now + answer.after_ms)
        known = {(name, n) for name, n, _ in command.checkpoints}
        for name, n, value in answer.checkpoints:
            if (name, n) not in known:
                checkpoint = e.TaskCheckpointed(0, command.op, command.attempt, name, n, value)
                self._later(worker, perform.execution, self.now, checkpoint)
        if answer.error is not None:
            failed = e.TaskFailed(0, command.op, command.attempt, answer.error, answer.usage)
            self._later(worker, perform.execution, due, failed)
        elif not answer.silent:
            done = e.TaskCompleted(0, command.op, command.attempt, answer.output, answer.port, usage=answer.usage)
            self._later(worker, perform.execution, due, done)
        if answer.silent and command.timeout_ms is None:
            self.silent.add((perform.execution, command.op, worker.name, command.attempt))
        if command.timeout_ms is not None:
            limit = self._limit_by_key.setdefault((command.key, place.failures), self.now + command.timeout_ms)
            if answer.silent or due > limit:
                error = Failure(f"{command.step} took too long", Category.TIMEOUT, "TIMEOUT")
                self._later(worker, perform.execution, limit, e.TaskFailed(0, command.op, command.attempt, error))

    def _abandon(self, worker: Worker, execution: str, op: int) -> None:
        """A task that is told to stop stops, unless what it does is already decided."""
        for _, _, running, event in worker.tasks:
            if running == execution and event.op == op:
                return
        error = Failure("told to stop", Category.PERMANENT, "ABANDONED", retriable=False)
        attempt = self._attempts.get((execution, op))
        if attempt is not None:
            self._later(worker, execution, self.now, e.TaskFailed(0, op, attempt, error))

    def _later(self, worker: Worker, execution: str, due: int, event: ports.TaskEvent) -> None:
        self._ticks += 1
        heappush(worker.tasks, (max(due, self.now), self._ticks, execution, event))

    def place(self, execution: str, op: int) -> Place:
        """Which piece of work an operation is, in words that do not depend on what befell it."""
        row = self.store.rows[execution]
        opened = row.facts[op - 1]
        step = opened.step  # type: ignore[union-attr]
        scope = getattr(opened, "scope", 0)
        last = scope or op
        entered = (f.StepScheduled, f.TimerOpened, f.WaitOpened, f.ApprovalOpened, f.ChildStarted, f.ForEachOpened)
        run = sum(
            isinstance(fact, entered) and fact.step == step and not getattr(fact, "scope", 0)
            for fact in row.facts[:last]
        )
        failures = sum(isinstance(fact, f.StepRetrying) and fact.op == op for fact in row.facts)
        workflow = row.record.workflow
        program = self._step_names(row.record.digest)
        return Place(workflow, program[step], run, getattr(opened, "item", -1), failures)

    def _step_names(self, digest: str) -> list[str]:
        workflow = next(w for d, w in self.store.subscriptions.values() if d == digest)
        return [step.id for step in workflow.steps]

    # People and events.

    def _watch(self, items: tuple[s.Item, ...], outcomes: list[s.Outcome]) -> None:
        for item, outcome in zip(items, outcomes, strict=True):
            if isinstance(item, s.Advance) and isinstance(outcome, s.Committed):
                self._fence(item)
                for approval in item.changes.approvals_opened:
                    self._ask(approval)
                for wait in item.changes.waits_opened:
                    if wait.op > 0:
                        self._expect(item.execution, wait.op, wait.pattern)

    def _fence(self, item: s.Advance) -> None:
        known = self._epochs.get(item.execution, 0)
        if item.epoch < known:
            self.fencing_faults.append(f"{item.execution}: epoch {item.epoch} wrote after {known}")
        self._epochs[item.execution] = max(known, item.epoch)

    def _ask(self, approval: ApprovalRecord) -> None:
        answer = self.script.approval(self.place(approval.execution, approval.op))
        if answer is not None and approval.id not in self._expected:
            self._expected.add(approval.id)
            for voter in answer.voters:
                vote = s.Decide(approval.id, 0, voter, answer.decision)
                self.at(self.now + answer.after_ms, lambda vote=vote: self._vote(vote))  # type: ignore[misc]

    def _vote(self, vote: s.Decide) -> None:
        self.store.commit([s.Decide(vote.approval, self.now, vote.by, vote.decision)])

    def _expect(self, execution: str, op: int, pattern: str) -> None:
        place = self.place(execution, op)
        answer = self.script.event(place)
        if answer is None:
            return
        event_id = derived("event", place.workflow, execution, place.step, place.run, place.item)
        event_type = pattern.replace("**", "any").replace("*", "any")

        def come() -> None:
            self.publish(event_type, answer.data, event_id)

        self.at(self.now + answer.after_ms, come)

    # Time.

    def run(self) -> None:
        """Until nothing can happen any more."""
        for _ in range(ROUNDS_MAX):
            if not self.step():
                return
        live = [row for row in self.store.rows.values() if row.record.live]
        last = [f"{row.record.id} ({[type(fact).__name__ for fact in row.facts[-3:]]})" for row in live]
        raise AssertionError(f"the world does not come to rest in {ROUNDS_MAX} rounds; live: {', '.join(last)}")

    def step(self) -> bool:
        """Whatever can be done now; else let time pass. False: nothing will ever happen again."""
        busy = [w for w in self.workers if w.inputs or (w.wake_at is not None and w.wake_at <= self.now)]
        if busy:
            for worker in busy:
                self.turn(worker)
            return True
        found = [self.poll(worker) for worker in list(self.workers)]
        return any(found) or self._pass_time()

    def _pass_time(self) -> bool:
        times = [worker.tasks[0][0] for worker in self.workers if worker.tasks]
        times += [worker.wake_at for worker in self.workers if worker.wake_at is not None]
        times += [
            row.record.wake_at
            for row in self.store.rows.values()
            if row.record.live
            and row.owner is None
            and row.record.wake_at is not None
            and not self.store.is_parked(row)
        ]
        times += [self._agenda[0][0]] if self._agenda else []
        if self.until is not None:
            rows = self.store.schedules.values()
            times += [row.next_at for row in rows if row.next_at is not None and not row.paused]
        if not times or (self.until is not None and min(times) > self.until):
            return False
        self.now = max(self.now, min(times))
        while self._agenda and self._agenda[0][0] <= self.now:
            heappop(self._agenda)[2]()
        for worker in self.workers:
            while worker.tasks and worker.tasks[0][0] <= self.now:
                _, _, execution, event = heappop(worker.tasks)
                worker.inputs.append(ports.Report(execution, _stamped(event, self.now)))
        return True


def _stamped(event: ports.TaskEvent, now: int) -> ports.TaskEvent:
    return replace(event, at=now)
