"""The engine of one worker, without input or output: `turn(now, inputs)` says what to commit, to ask and to perform.

Rules of this file:
1. Nothing is performed, and nobody is answered, before the commit it belongs to is durable.
2. A commit that is fenced means that the execution is somebody else's: all of it is dropped.
3. Whatever is lost with the process follows from the store: claims, mail, lookbacks and unrouted events are asked for
   again and again, and there is no recovery but the ordinary claim.

No coroutine, no thread, no clock: a shell drives it in the real world, a simulation in a virtual one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, assert_never

from msgspec import DecodeError
from msgspec.structs import replace

from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.apply import fold
from perdure.core.outstanding import in_flight, outstanding
from perdure.core.program import Program
from perdure.core.state import BLANK, TaskOp, from_json, to_json
from perdure.core.values import NeedValues
from perdure.expressions.protocol import Compile
from perdure.fair_queue import has_share
from perdure.runtime import ports, routing, scheduling, writes
from perdure.runtime.alarms import Alarms
from perdure.runtime.faults import error_text, is_storable
from perdure.runtime.held import BYTES_AT_HAND, Batch, Held, HeldExecutions, Incoming, recovered
from perdure.runtime.lacking import never_called, waits_for_tasks
from perdure.runtime.uncalled import is_wanted, never_called_event
from perdure.runtime.versions import Versions
from perdure.store import port as store
from perdure.store.ledger import LogTrigger
from perdure.store.notices import NOTICES
from perdure.store.schedules import ScheduleRow
from perdure.tasks.registry import save_again, worker_with

HELD_MAX = 4_000
"""Maximum number of executions of one organization that are held at once; the others wait in the store, which costs nothing. If
several organizations compete, each has less (`fair_queue.has_share`).
"""

LOOK_BEYOND_MS = 1_000
"""How often it looks beyond events that it cannot route, at most; less often if there are more than so many."""

SNAPSHOT_FACTS = 1_000
"""A snapshot is taken after so many facts, and on going idle after a tenth of them."""


class Engine:
    """What one worker knows: the executions it holds and the programs it has built."""

    def __init__(self, worker: str, compile_: Compile, held_max: int = HELD_MAX) -> None:
        self.worker = worker
        self._held_max = held_max
        self.held = HeldExecutions()
        self._versions = Versions(compile_)
        self.programs: Mapping[str, Program] = self._versions.programs
        self._alarms = Alarms(self.held)
        self._requests: dict[str, tuple[Held | None, list[ports.Request]]] = {}
        """Which executions are being created, and who waits for that."""
        self._missing: set[str] = set()
        """Tasks that were to be called and are not here: said once, however many need them."""
        self._broken_schedules: dict[tuple[str, str, str], int | None] = {}
        """Schedules whose slots cannot be computed, and where each stands: reported once."""
        self._declining: set[tuple[str, str]] = set()
        """Events that are being declined: they are asked for again until that is durable."""
        self._beyond = self._look_beyond_at = 0
        """How many unrouted events it has asked for, because it could route none of those at the head; and when it asks again."""
        self._out = _Out()

    def turn(self, now: int, inputs: Sequence[ports.Input]) -> ports.Output:
        """Take in what has happened, decide, and say what to do."""
        self._out = _Out()
        touched: dict[str, None] = {}
        for given in inputs:
            for execution in self._take(now, given):
                touched[execution] = None
        for due in self._alarms.due(now):
            _add_once(due, e.TimeReached(now))
            touched[due.record.id] = None
        for execution in touched:
            held = self.held.get(execution)
            if held is not None:
                try:
                    self._pump(now, held)
                except Exception as error:  # noqa: BLE001  one execution must not end the worker
                    self._park_after_error(now, held, error)
        return self._out.output(self._alarms.next)

    def organization(self, execution: str) -> str:
        """Return the organization of an execution that is held; empty, if it is not."""
        held = self.held.get(execution)
        return "" if held is None else held.record.organization

    def crowded(self) -> tuple[str, ...]:
        """Return the organizations that hold their share here, of which no more executions are claimed. From any thread."""
        taken, most = len(self.held), self._held_max
        if taken <= most // 2:
            return ()
        return tuple(
            organization for organization, count in self.held.count_by_organization() if has_share(count, taken, most)
        )

    @property
    def fetching(self) -> int:
        """How many inputs wait for a version."""
        return self._versions.fetching

    def hand_over(self) -> tuple[store.HandOver, ...]:
        """All that is this worker's: what it holds, and what it has claimed and could not begin with."""
        claimed = [
            (claim.record.id, claim.epoch, claim.uncalled)
            for given in self._versions.waiting
            if isinstance(given, ports.Claimed)
            for claim in given.claims
        ]
        held = [(held.record.id, held.epoch, never_called(held)) for held in self.held.values()]
        return tuple(
            store.HandOver(execution, self.worker, epoch, uncalled=uncalled)
            for execution, epoch, uncalled in (*held, *claimed)
        )

    # Taking in.

    def _take(self, now: int, given: ports.Input) -> Iterable[str]:
        match given:
            case ports.Report():
                held = self.held.get(given.execution)
                if held is None:
                    return ()
                held.queue.append(Incoming(given.event))
                return (given.execution,)
            case ports.Answer():
                return self._answered(now, given)
            case ports.NotHere():
                return self._not_here(given)
            case ports.Registered():
                return self._registered(given.task)
            case ports.Request():
                return self._requested(now, given)
            case ports.Claimed():
                return [execution for claim in given.claims for execution in self._claimed(now, claim)]
            case store.Polled():
                return self._polled(now, given)
            case ports.Fetched():
                return self._fetched(now, given)
            case ports.ModelFetched():
                return self._model_fetched(now, given)
            case _:
                assert_never(given)

    def _program(self, digest: str, then: ports.Input) -> Program | None:
        """The program, or None: `then` is taken in again when its model is here."""
        program = self.programs.get(digest)
        if program is None and self._versions.wait(digest, then):
            self._out.queries.append(ports.FetchModel(digest))
        return program

    def _model_fetched(self, now: int, fetched: ports.ModelFetched) -> Iterable[str]:
        """Of a version that cannot be read, whoever asked is told, and what was claimed is left to others."""
        arrived = self._versions.arrive(fetched.digest, fetched.model)
        waiting = arrived.waiting
        if arrived.unreadable is not None:
            claimed: list[ports.Input] = [later for later in waiting if isinstance(later, ports.Claimed)]
            if not claimed:  # else it is told of what was claimed
                self._out.warnings.append(
                    f"this worker cannot read the workflow with the digest {fetched.digest}: {arrived.unreadable}. What is to "
                    "be done for it waits for one that can; start a worker of the newest version in use"
                )
            for later in waiting:
                if isinstance(later, ports.Request):
                    why = arrived.unreadable
                    self._out.replies.append(
                        ports.Reply(later.ticket, later.start.execution, created=False, refused=why)
                    )
            waiting = claimed
        return [execution for later in waiting for execution in self._take(now, later)]

    def _requested(self, now: int, request: ports.Request) -> Iterable[str]:
        if request.model is not None and request.digest not in self.programs:  # nobody needs to be asked for it
            self._versions.wait(request.digest, request)
            return self._model_fetched(now, ports.ModelFetched(request.digest, request.model.data))
        program = self._program(request.digest, request)
        if program is None:
            return ()
        execution = request.start.execution
        if execution in self._requests:
            self._requests[execution][1].append(request)
            return ()
        if execution in self.held:
            self._out.replies.append(ports.Reply(request.ticket, execution, created=False))
            return ()
        pending = writes.pending(request.start, request.workflow, request.digest)
        with_it = (request.key, request.active, request.model, request.audit, request.note, request.name)
        count = self.held.count_of(request.start.organization)
        if has_share(count, len(self.held), self._held_max):  # it is claimed when there is room
            self._out.commits.append(store.Create(pending, None, *with_it))
            self._requests[execution] = (None, [request])
            return ()
        self._out.commits.append(store.Create(pending, self.worker, *with_it))
        held = Held(pending.record, 1, program, BLANK)
        held.start = request.start
        self.held[execution] = held
        self._requests[execution] = (held, [request])
        return (execution,)

    def _claimed(self, now: int, claim: store.Claim) -> Iterable[str]:
        execution, epoch, digest = claim.record.id, claim.epoch, claim.record.digest
        if claim.unreadable is not None:
            self._leave_to_others(execution, epoch, "execution", claim.unreadable, claim.uncalled)
            return ()
        if digest in self._versions.unreadable:
            self._leave_to_others(execution, epoch, "version", self._versions.unreadable[digest], claim.uncalled)
            return ()
        program = self._program(digest, ports.Claimed((claim,)))
        if program is None:
            return ()
        try:
            state = BLANK if claim.snapshot is None else from_json(claim.snapshot)
        except DecodeError as error:
            self._leave_to_others(execution, epoch, "execution", f"its snapshot: {error}", claim.uncalled)
            return ()
        try:
            held = recovered(program, fold(claim.facts, state), claim, now)
        except Exception as error:  # noqa: BLE001  a bug, or a history that no program can have written
            self._out.errors.append((f"execution {execution} is parked: its history cannot be replayed", error))
            reason = internal_error_reason(error)
            self._out.commits.append(store.Park(execution, self.worker, epoch, now, reason, claim.uncalled))
            return ()
        self.held[execution] = held
        self._alarms.set(held)
        return (execution,)

    def _leave_to_others(
        self,
        execution: str,
        epoch: int,
        unreadable: Literal["execution", "version"],
        why: str,
        uncalled: store.Uncalled,
    ) -> None:
        """This program cannot read it, and a newer one may. It is as it was, and its worker has not died of it."""
        self._out.commits.append(store.HandOver(execution, self.worker, epoch, unreadable, uncalled))
        self._out.unreadable.append((execution, why))

    def _not_here(self, given: ports.NotHere) -> Iterable[str]:
        """A task that this worker does not have. It has not been called, and another worker may have it."""
        held, command = self.held.get(given.execution), given.command
        op = None if held is None else held.state.ops.get(command.op)
        if held is None or not isinstance(op, TaskOp) or op.attempt != command.attempt:
            return ()
        if not is_wanted(held.state, op):  # it was given up while it was being found out
            _add_never_called(held, op)
            return (given.execution,)
        if command.task not in self._missing:
            self._missing.add(command.task)
            self._out.warnings.append(
                f"execution {given.execution} waits for a worker that has the task {command.task!r}, and so do all others that "
                f"call it; register it here, or start a worker that has it: {worker_with(command.task)}{save_again(command.task)}"
            )
        held.lacking[command.op] = command
        return (given.execution,)

    def _registered(self, task: str) -> Iterable[str]:
        """What is held because of something else can be called here now. The store offers the rest."""
        self._missing.discard(task)
        found = [held for held in self.held.values() if task in (each.task for each in held.lacking.values())]
        for held in found:
            for command in [each for each in held.lacking.values() if each.task == task]:
                del held.lacking[command.op]
                self._call(held, command)
        return [held.record.id for held in found]

    def lacking(self) -> list[tuple[str, str]]:
        """Executions that are held because of something else, and the tasks that they wait for as well."""
        return [(held.record.id, each.task) for held in self.held.values() for each in held.lacking.values()]

    def _hand_to_those_who_can(self, held: Held) -> None:
        """Nothing of it can be done here. The store keeps it until a worker comes that has one of the tasks; this one, say."""
        if waits_for_tasks(held):
            del self.held[held.record.id]
            uncalled = never_called(held)
            self._out.commits.append(
                store.HandOver(held.record.id, self.worker, held.epoch, uncalled=uncalled, rests=True)
            )

    def _drop(self, held: Held) -> None:
        """It is somebody else's now. Nobody waits for what it has called."""
        del self.held[held.record.id]
        for op in in_flight(held.state):
            self._out.performs.append(ports.Perform(held.record.id, c.AbandonTask(op.op)))

    def _park(self, now: int, held: Held, reason: str, error: BaseException | None = None) -> None:
        """Take an execution out of service and drop it. An operator retries or cancels it."""
        execution = held.record.id
        if self.held.get(execution) is not held:
            return
        self._drop(held)
        self._out.errors.append((f"execution {execution} is parked: {reason}", error))
        uncalled = tuple((op, task) for op, task in never_called(held) if is_storable(task))
        self._out.commits.append(store.Park(execution, self.worker, held.epoch, now, reason, uncalled))

    def _park_after_error(self, now: int, held: Held | None, error: Exception) -> None:
        if held is not None:
            self._park(now, held, internal_error_reason(error), error)
        else:  # it has been let go of: whoever claims it finds out
            self._out.errors.append(("an execution that has been released met an internal error", error))

    def _fetched(self, now: int, fetched: ports.Fetched) -> Iterable[str]:
        held = self.held.get(fetched.execution)
        if held is None or held.epoch != fetched.epoch:
            return ()
        if fetched.failure is not None:
            self._park(now, held, f"a value that it needs cannot be fetched: {fetched.failure}")
            return ()
        unreadable = next((one for one in fetched.values.values() if type(one) is store.Unreadable), None)
        if unreadable is not None:
            self._drop(held)
            self._leave_to_others(fetched.execution, held.epoch, "execution", unreadable.why, never_called(held))
            return ()
        held.lend(fetched.values)
        return (fetched.execution,)

    def _polled(self, now: int, polled: store.Polled) -> Iterable[str]:
        touched: list[str] = []
        for execution, mail in polled.mail:
            held = self.held.get(execution)
            if held is None:
                continue
            if isinstance(mail, store.Unreadable):
                self._drop(held)
                self._leave_to_others(execution, held.epoch, "execution", mail.why, never_called(held))
                continue
            for message in mail:
                held.add_mail(message.pos, message.event)
            self._alarms.set(held)
            touched.append(execution)
        self._out.commits.extend(polled.lookbacks)
        aside = 0
        held_up: set[tuple[str, str]] = set()
        for candidates in polled.events:
            unknown = [digest for digest, *_ in candidates.workflows if digest not in self.programs]
            source = (candidates.event.organization, candidates.event.source)
            if not self._versions.unreadable.keys().isdisjoint(unknown):
                aside += 1  # whoever can read it will route it
            elif unknown:
                again = store.Polled((), (), (candidates,))
                self._program(unknown[0], again)
                held_up.add(source)
            elif source not in held_up:  # else it comes after those before it, and is asked for again
                self._route(now, candidates)
        for organization, event, reason in polled.poisoned:
            self._decline(now, organization, event, reason)
        if aside:
            self._set_aside(now, aside, is_all=aside == len(polled.events))
        for row in polled.schedules:
            self._fire(now, row)
        return touched

    def _route(self, now: int, candidates: store.Candidates) -> None:
        event = candidates.event
        if (event.organization, event.id) in self._declining:
            return
        try:
            route, faults = routing.route(candidates, self.programs, now)
        except Exception as error:  # noqa: BLE001  one event must not end the worker
            self._decline(now, event.organization, event.id, internal_error_reason(error), error)
            return
        for workflow, fault in faults:
            self._out.errors.append((f"event {event.id} starts no execution of workflow {workflow}", fault))
        self._out.commits.append(route)

    def _decline(
        self, now: int, organization: str, event: str, reason: str, error: BaseException | None = None
    ) -> None:
        if (organization, event) in self._declining:
            return
        self._declining.add((organization, event))
        self._out.errors.append((f"event {event} is declined: {reason}", error))
        self._out.commits.append(store.Decline(organization, event, now, reason, self.worker))

    def _fire(self, now: int, row: ScheduleRow) -> None:
        called = (row.organization, row.workflow, row.schedule.id)
        if self._broken_schedules.get(called) == row.next_at:
            return
        try:
            fired = scheduling.fire(row, now)
        except Exception as error:  # noqa: BLE001  one schedule must not end the worker; doctor tells that it is late
            self._broken_schedules[called] = row.next_at
            self._out.errors.append((f"schedule {row.workflow}/{row.schedule.id} cannot be computed", error))
            return
        if fired is not None:
            self._out.commits.append(fired)

    def _set_aside(self, now: int, count: int, *, is_all: bool) -> None:
        """Events that cannot be routed here stay unrouted, at the head of all. Where nothing else is to be seen, look further:
        what is behind them must not wait for them.
        """
        if not is_all:  # there may be more behind what could be routed
            self._look_beyond_at = now
            return
        if count >= self._beyond:  # all that it has asked for
            self._beyond = 2 * count
            self._out.warnings.append(
                f"{count} events or more wait for a worker that can read the workflows that they may start; those behind them go "
                "on. Start a worker of the newest version in use"
            )
        elif now < self._look_beyond_at:
            return
        self._look_beyond_at = now + max(LOOK_BEYOND_MS, self._beyond)
        self._out.look_beyond = self._beyond

    # Deciding.

    def _pump(self, now: int, held: Held) -> None:
        """Decide what can be decided, and commit it; one commit at a time."""
        if held.under_way is not None or held.wanted:
            return
        batch = held.decide()
        if held.wanted:
            self._out.queries.append(ports.FetchValues(held.record.id, held.epoch, held.wanted))
        if batch is None:
            self._perform_outstanding(now, held)
            if not held.queue and not held.wanted and not held.recovering:
                if held.is_idle_after(held.state):
                    self._let_go(held)
                elif held.lacking:
                    self._hand_to_those_who_can(held)
            return
        held.under_way = batch
        self._submit(now, held, batch)

    def _submit(self, now: int, held: Held, batch: Batch) -> None:
        record = held.described(batch, now)
        name = held.program.workflow.name
        changes = writes.changes(
            record, batch.commands, at=batch.state.at, seen=batch.seen, declined=batch.declined, name=name
        )
        if held.start is not None and record.workflow != NOTICES:
            changes = writes.with_events(changes, (writes.lifecycle(record, "started", record.started_at, name),))
        idle = not held.queue and not held.wanted and held.is_idle_after(batch.state)
        since = batch.state.seq - held.snapshot_at
        take_snapshot = since >= SNAPSHOT_FACTS or (idle and since >= SNAPSHOT_FACTS // 10)
        self._out.commits.append(
            store.Advance(
                held.record.id,
                self.worker,
                held.epoch,
                held.state.seq,
                batch.facts,
                record,
                changes,
                idle,
                _gets_somewhere(batch.facts),
                to_json(batch.state) if take_snapshot else None,
                quiet=record is held.record,
                at=now,
            )
        )

    # Answers.

    def _answered(self, now: int, answer: ports.Answer) -> list[str]:
        touched: list[str] = []
        for item, outcome in zip(answer.items, answer.outcomes, strict=True):
            if isinstance(item, store.Advance):
                try:
                    is_touched = self._advanced(now, item, outcome)
                except Exception as error:  # noqa: BLE001  one execution must not end the worker
                    self._park_after_error(now, self.held.get(item.execution), error)
                    continue
                if is_touched:
                    touched.append(item.execution)
            elif isinstance(item, store.Create):
                self._created(item, outcome)
            elif type(item) is store.Decline:
                self._declining.discard((item.organization, item.event))
            elif type(outcome) is store.Refused:
                self._refused(now, item, outcome.reason)
        return touched

    def _refused(self, now: int, item: store.Item, reason: str) -> None:
        """An item of the engine cannot be stored. Only what it is about is affected."""
        match item:
            case store.Route():
                self._decline(now, item.event.organization, item.event.id, reason)
            case store.LookedBack():
                self._look_back_apart(now, item, reason)
            case store.Fire():
                self._skip_slots(item, reason)
            case store.HandOver() if item.uncalled:
                storable = tuple((op, task) for op, task in item.uncalled if is_storable(task))
                self._out.errors.append((f"execution {item.execution} is parked: {reason}", None))
                self._out.commits.append(store.Park(item.execution, self.worker, item.epoch, now, reason, storable))
            case store.Park() if item.uncalled:  # else the execution would stay with this worker, which has dropped it
                self._out.commits.append(replace(item, uncalled=()))
            case _:
                pass

    def _look_back_apart(self, now: int, item: store.LookedBack, reason: str) -> None:
        """Show a wait the events before it one by one. The one that cannot be stored is left out."""
        if len(item.events) > 1:
            self._out.commits.extend(replace(item, events=(event,)) for event in item.events)
            return
        self._out.commits.append(replace(item, events=()))
        for event in item.events:
            self._decline(now, event.organization, event.id, reason)

    def _skip_slots(self, item: store.Fire, reason: str) -> None:
        """Start the executions of a schedule one slot at a time. The one that cannot be stored is left out, and logged."""
        if not item.starts:
            self._out.errors.append((f"schedule {item.called} cannot be moved on: {reason}", None))
            return
        if len(item.starts) > 1:
            (slot, _), *_ = later = item.starts[1:]
            self._out.commits.append(replace(item, next_at=slot, starts=item.starts[:1]))
            self._out.commits.append(replace(item, place=slot, starts=later))
            return
        ((slot, pending),) = item.starts
        self._out.errors.append((f"schedule {item.called} starts nothing for its slot {slot}: {reason}", None))
        self._out.commits.append(replace(item, starts=()))
        self._out.commits.append(
            LogTrigger(pending.start.at, "schedule", item.called, "rejected", reason, organization=item.organization)
        )

    def _created(self, item: store.Create, outcome: store.Outcome) -> None:
        execution = item.pending.record.id
        held, requests = self._requests.pop(execution)
        created = isinstance(outcome, store.Committed)
        existing = outcome.existing if isinstance(outcome, store.Duplicate) else execution
        refused = outcome.reason if isinstance(outcome, store.Refused) else None
        if not created and held is not None and self.held.get(execution) is held:  # else claimed in the meantime
            del self.held[execution]
        outdated = isinstance(outcome, store.GuardFailed)
        for number, request in enumerate(requests):  # the others asked for what the first had asked for
            first = created and number == 0
            self._out.replies.append(
                ports.Reply(request.ticket, existing, created=first, refused=refused, outdated=outdated)
            )

    def _advanced(self, now: int, item: store.Advance, outcome: store.Outcome) -> bool:
        """Whether there is something to decide now."""
        held = self.held.get(item.execution)
        if held is None or held.epoch != item.epoch or held.under_way is None:
            return False
        match outcome:
            case store.Committed():
                batch = held.settle(BYTES_AT_HAND // len(self.held))
                held.record = item.record
                held.has_committed = held.has_committed or item.progress
                if item.snapshot is not None:
                    held.snapshot_at = batch.state.seq
                if outcome.released:
                    del self.held[item.execution]
                self._alarms.set(held)
                if held.recovering:
                    self._perform_outstanding(now, held)
                else:
                    self._perform(held, batch.commands)
                if item.release and not outcome.released:
                    self._out.queries.append(ports.FetchMail(item.execution))
                return bool(held.queue) or held.recovering or bool(held.lacking)
            case store.GuardFailed():
                # What it did not know is in its inbox, and comes first. Time comes back by itself, after that.
                held.roll_back()
                held.queue = deque(i for i in held.queue if not isinstance(i.event, e.TimeReached))
                self._out.queries.append(ports.FetchMail(item.execution))
                return False
            case store.Refused():
                return self._decide_apart(now, held, outcome.reason)
            case _:
                self._drop(held)
                return False

    def _decide_apart(self, now: int, held: Held, reason: str) -> bool:
        """A commit of several events cannot be stored: commit each alone, so that only the one at fault stops. A cancellation
        goes first: it needs nothing of what the others bring. Whether there is something to decide now.
        """
        batch = held.under_way
        assert batch is not None
        held.roll_back()
        cancels = [each for each in held.queue if isinstance(each.event, e.CancelRequested)]
        if len(batch.dealt_with) + batch.begins > 1:
            others = [each for each in held.queue if not isinstance(each.event, e.CancelRequested)]
            held.queue, held.one_by_one = deque((*cancels, *others)), True
            return True
        if batch.begins and cancels and not held.is_start_refused:
            held.is_start_refused = True  # it cannot begin, and so it cannot be cancelled either: it fails
            return True
        self._park(now, held, f"{reason}; correct its input or its workflow, then retry or cancel it")
        return False

    def _perform_outstanding(self, now: int, held: Held) -> None:
        """Just claimed: perform what the state implies, once all that it found is dealt with; attempts were lost, say."""
        if not held.recovering or held.queue or held.wanted or held.under_way is not None:
            return
        commands = outstanding(held.program, held.state, held.values)
        if isinstance(commands, NeedValues):
            held.wanted = commands.refs
            self._out.queries.append(ports.FetchValues(held.record.id, held.epoch, held.wanted))
            return
        held.recovering, held.uncalled = False, ()
        self._perform(held, commands)
        if held.queue:
            self._pump(now, held)

    def _call(self, held: Held, command: c.PerformTask) -> None:
        """Call a task, unless the same commit already gave it up. Then it was never called, and so has not to settle; but
        an attempt before it that was lost may have had its effect.
        """
        op = held.state.ops.get(command.op)
        if not isinstance(op, TaskOp):
            return
        if is_wanted(held.state, op):
            self._out.performs.append(ports.Perform(held.record.id, command))
        else:
            _add_never_called(held, op)

    def _abandon(self, held: Held, command: c.AbandonTask) -> None:
        if held.lacking.pop(command.op, None) is None:
            self._out.performs.append(ports.Perform(held.record.id, command))
            return
        op = held.state.ops.get(command.op)
        if isinstance(op, TaskOp):  # it has to settle
            _add_never_called(held, op)

    def _let_go(self, held: Held) -> None:
        """Claimed for nothing: give it back."""
        if held.under_way is not None or held.record.id not in self.held:
            return
        held.under_way = Batch(held.state, (), ())
        self._out.commits.append(
            store.Advance(
                held.record.id,
                self.worker,
                held.epoch,
                held.state.seq,
                (),
                held.record,
                release=True,
                progress=False,
            )
        )

    def _perform(self, held: Held, commands: Iterable[c.Command]) -> None:
        at = held.state.at
        for command in commands:
            match command:
                case c.PerformTask():
                    self._call(held, command)
                case c.AbandonTask():
                    self._abandon(held, command)
                case c.Continue():
                    _add_once(held, e.Continued(at))
                case c.FireChain():
                    _add_once(held, e.ChainDue(at, command.number))
                case _:
                    pass


class _Out:
    """What a turn has said so far."""

    def __init__(self) -> None:
        self.commits: list[store.Item] = []
        self.queries: list[ports.Query] = []
        self.performs: list[ports.Perform] = []
        self.replies: list[ports.Reply] = []
        self.unreadable: list[tuple[str, str]] = []
        self.look_beyond = 0
        self.warnings: list[str] = []
        self.errors: list[tuple[str, BaseException | None]] = []

    def output(self, wake_at_: int | None) -> ports.Output:
        return ports.Output(
            tuple(self.commits),
            tuple(self.queries),
            tuple(self.performs),
            tuple(self.replies),
            wake_at_,
            tuple(self.unreadable),
            self.look_beyond,
            tuple(self.warnings),
            tuple(self.errors),
        )


def internal_error_reason(error: BaseException) -> str:
    return f"internal error ({error_text(error)}); the log of the worker has the details"


def _gets_somewhere(facts: tuple[f.Fact, ...]) -> bool:
    """Whether there is anything but the loss of attempts."""
    return bool(facts) and (type(facts[0]) is not f.StepLost or any(type(fact) is not f.StepLost for fact in facts))


def _add_never_called(held: Held, op: TaskOp) -> None:
    held.queue.append(Incoming(never_called_event(held.state, op)))


def _add_once(held: Held, event: e.Event) -> None:
    if not any(incoming.event == event for incoming in held.queue):
        held.queue.append(Incoming(event))
