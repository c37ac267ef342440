"""A store in memory: the contract in plain dictionaries. It forgets with the process, and is otherwise like the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, assert_never

from msgspec.structs import replace

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.patterns import matches
from perdure.core.state import FORMAT
from perdure.core.values import Chunk, Consumed, Known, Ref, Within, chunk, consumed_by, scope_of
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord, settled
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.memory import questions, retention, versions
from perdure.store.memory.tables import Row, Tables
from perdure.store.questions import Entry, Found, Look, Questions, Wanted
from perdure.store.versions import Kept, NewVersion, Version, WorkflowRow, built

NOTHING: frozenset[str] = frozenset()


class MemoryStore(Tables):
    """Keeps the contract of `store.port.Store`."""

    # Workflows.

    def save(self, workflow: Workflow, organization: str = "default", at: int = 0) -> str:
        """Make this the active version of its name, which is also its id; its digest."""
        return self.keep(built(workflow, organization, at)).version.digest

    def keep(self, new: NewVersion) -> Kept:
        return versions.keep(self, new)

    def keep_model(self, model: Workflow, dialect: str) -> str:
        return versions.keep_model(self, model, dialect)

    def activate(self, organization: str, workflow: str, version: str) -> Version | None:
        return versions.activate(self, organization, workflow, version)

    def active_version(self, organization: str, ref: str) -> str | None:
        found = self.workflow(organization, ref)
        return None if found is None else found.digest

    def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        return versions.find(self, organization, ref)

    def workflows(self, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
        return versions.page(self, organization, after, limit)

    def version(self, organization: str, workflow: str, version: str) -> Version | None:
        return versions.one(self, organization, workflow, version)

    def version_of(self, organization: str, workflow: str, digest: str, at: int) -> Version | None:
        return versions.with_digest(self, organization, workflow, digest, at)

    def versions_of(self, organization: str, workflow: str) -> list[Version]:
        return versions.newest_first(self, organization, workflow)

    def dialect(self, digest: str) -> str | None:
        return self.dialects.get(digest)

    def model(self, digest: str) -> bytes:
        return self.models[digest]

    # Commits.

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        return [self._commit_one(item) for item in items]

    def _commit_one(self, item: p.Item) -> p.Outcome:
        match item:
            case p.Advance():
                return self._advance(item)
            case p.Create():
                return self._create(item)
            case p.Fork():
                return self._fork(item)
            case p.Deliver():
                return self._deliver(item)
            case p.Publish():
                return self._publish(item.event)
            case p.Route():
                return self._route(item)
            case p.LookedBack():
                return self._looked_back(item)
            case p.Decide():
                return self._decide(item)
            case p.HandOver():
                return self._hand_over(item)
            case p.Beat():
                self._beat(item)
                return p.Committed()
            case _:
                assert_never(item)

    def _beat(self, item: p.Beat) -> None:
        if item.until == p.GONE:
            self.workers.pop(item.worker, None)
            self.tasks.pop(item.worker, None)
        else:
            self.workers[item.worker], self.tasks[item.worker] = item.until, frozenset(item.tasks)

    def _create(self, item: p.Create) -> p.Outcome:
        record = item.pending.record
        key = None if item.key is None else (record.organization, item.key)
        if key is not None and self.keys.get(key, record.id) != record.id:
            return p.Duplicate(self.keys[key])
        if record.id in self.rows:
            return p.Committed() if self._is_sent_again(item) else p.Duplicate(record.id)
        if item.active and self.active.get((record.organization, record.workflow)) != record.digest:
            return p.GuardFailed(p.OUTDATED)
        row = self._insert(item.pending)
        if key is not None:
            self.keys[key] = record.id
        if item.owner is not None:
            row.owner, row.epoch = item.owner, 1
        return p.Committed()

    def _is_sent_again(self, item: p.Create) -> bool:
        execution = item.pending.record.id
        there = self.rows[execution]
        if item.owner is not None:
            return (there.owner, there.epoch, len(there.facts)) == (item.owner, 1, 0)
        keys = [key for (_, key), used_for in self.keys.items() if used_for == execution]
        wanted = [] if item.key is None else [item.key]
        return keys == wanted and p.is_the_same(item.pending, there.record, there.start)

    def _insert(self, pending: p.Pending) -> Row:
        row = Row(pending.record, pending.start, self._next_pos())
        self.rows[pending.record.id] = self.stirring[pending.record.id] = row
        return row

    def _insert_named(self, pending: p.Pending) -> None:
        """One whose workflow may be named by its name."""
        record = pending.record
        if record.id not in self.rows:
            found = self.workflow(record.organization, record.workflow)
            record = record if found is None else replace(record, workflow=found.id)
            self._insert(p.Pending(record, pending.start))

    def _fork(self, item: p.Fork) -> p.Outcome:
        record, origin = item.record, self.rows.get(item.origin)
        if record.id in self.rows:
            return p.Duplicate(record.id)
        mine = origin is not None and origin.record.organization == record.organization
        if origin is None or not mine or not 0 < item.upto <= len(origin.facts):
            return p.Refused(f"there is no execution {item.origin!r} with {item.upto} facts to go on from")
        row = self._insert(p.Pending(record, Start(0, "")))
        row.start, row.epoch = None, 1
        self._append(row, (*origin.facts[: item.upto], *item.facts))
        row.consumed |= origin.consumed
        row.record = replace(record, seq=len(row.facts))
        self._change(row, item.changes)
        self._post(row, p.Message(record.id, item.first, "fork"))
        return p.Committed()

    def _hand_over(self, item: p.HandOver) -> p.Outcome:
        row = self.rows.get(item.execution)
        if row is None or (row.owner, row.epoch) != (item.owner, item.epoch):
            return p.Fenced()
        row.owner, row.handed_over, row.uncalled = None, not item.rests, dict(item.uncalled)
        if item.unreadable is not None:
            self.aside.add((item.owner, item.execution if item.unreadable == "execution" else row.record.digest))
        self.stirring[item.execution] = row
        return p.Committed()

    def _advance(self, item: p.Advance) -> p.Outcome:
        row = self.rows.get(item.execution)
        if row is None:
            return p.Fenced()
        again = len(row.facts) == item.after + len(item.facts)
        if row.owner is None and item.release and again and row.epoch == item.epoch:
            return p.Committed(released=True)  # the answer was lost, and nobody has claimed it since
        if row.owner != item.owner or row.epoch != item.epoch:
            return p.Fenced()
        if len(row.facts) != item.after:
            return p.Committed() if again else p.Fenced()
        for op, _ in item.changes.approvals_settled:
            approval = self._approval(item.execution, op)
            if approval.status != "pending":
                return p.GuardFailed(f"approval {approval.id} is {approval.status}")
        self._append(row, item.facts)
        if item.record.ended_at is not None and row.record.ended_at != item.record.ended_at:
            self.ends.append(item.execution)
        row.record = replace(item.record, seq=len(row.facts))
        row.start, row.handed_over = None, False
        if item.progress:
            row.crashes = 0
        if item.snapshot is not None:
            row.snapshot = (len(row.facts), item.snapshot, item.form)
        self._change(row, item.changes)
        if item.release and not row.inbox:
            row.owner = None
            if not row.record.live:
                del self.stirring[row.record.id]
            return p.Committed(released=True)
        return p.Committed()

    def _append(self, row: Row, facts: tuple[f.Fact, ...]) -> None:
        for fact in facts:
            row.facts.append(fact)
            self.told_max += 1
            self.told.append((self.told_max, row.record.id, len(row.facts)))
            scope = scope_of(fact)
            if scope:
                row.within.setdefault(scope, []).append(fact)
            event_id = consumed_by(fact)
            if event_id is not None:
                row.consumed.add(event_id)

    def _change(self, row: Row, changes: p.Changes) -> None:
        execution = row.record.id
        for pos in changes.seen:
            row.inbox.pop(pos, None)
        for event_id in changes.declined:
            self.deliveries.discard((event_id, execution))
        for op, pattern, look_back in changes.waits_opened:
            row.waits[op] = (pattern, look_back)
        for op in changes.waits_closed:
            row.waits.pop(op, None)
        for approval in changes.approvals_opened:
            self.approvals[approval.id] = approval
            self.approval_ids[execution, approval.op] = approval.id
        for op, to in changes.approvals_overdue:
            approval = self._approval(execution, op)
            self.approvals[approval.id] = replace(approval, overdue=True, escalated_to=to)
        for op, decision in changes.approvals_settled:
            approval = self._approval(execution, op)
            self.approvals[approval.id] = settled(approval, decision)
        for op in changes.approvals_closed:
            approval = self._approval(execution, op)
            if approval.status == "pending":
                self.approvals[approval.id] = settled(approval, None)
        for pending in changes.starts:  # before the messages: one of them may be for a child of this very commit
            self._insert_named(pending)
        for message in changes.messages:
            self._send(message)
        for event in changes.events:
            self._publish(event)

    def _send(self, message: p.Message) -> p.Outcome:
        row = self.rows.get(message.execution)
        if row is None:
            return p.Refused(f"there is no execution {message.execution!r}")
        if message.dedup in row.dedups:
            return p.Duplicate(message.dedup)
        row.dedups.add(message.dedup)
        self._post(row, message)
        return p.Committed()

    def _deliver(self, item: p.Deliver) -> p.Outcome:
        row = self.rows.get(item.message.execution)
        if row is None:
            return p.Refused(f"there is no execution {item.message.execution!r}")
        if not row.record.live and not item.force:
            return p.Refused(f"execution {row.record.id!r} is {row.record.status} and nothing of it is open")
        return self._send(item.message)

    def _publish(self, event: EventRecord) -> p.Outcome:
        key = (event.organization, event.id)
        if key in self.events:
            return p.Duplicate(event.id)
        self.events[key] = replace(event, pos=self._next_pos())
        self.unrouted[key] = None
        return p.Committed()

    def _route(self, item: p.Route) -> p.Outcome:
        key = (item.event.organization, item.event.id)
        if key not in self.unrouted:
            return p.Duplicate(item.event.id)
        for execution in item.targets:
            self._deliver_event(execution, item.event, item.at)
        for pending in item.starts:
            if pending.record.id not in self.rows:
                self._insert(pending)
        if item.declined:
            self.declined[key] = item.declined
        del self.unrouted[key]
        return p.Committed()

    def _looked_back(self, item: p.LookedBack) -> p.Outcome:
        row = self.rows.get(item.execution)
        if row is None:  # forgotten in the meantime
            return p.Committed()
        if item.op in row.waits:
            row.waits[item.op] = (row.waits[item.op][0], False)
        for event in item.events:
            routed = (event.organization, event.id) not in self.unrouted
            self._deliver_event(item.execution, event, item.at, found_by=item.op if routed else 0)
        return p.Committed()

    def _deliver_event(self, execution: str, event: EventRecord, at: int, *, found_by: int = 0) -> None:
        """Once to each execution, until it is declined."""
        row = self.rows.get(execution)
        if row is None:  # forgotten in the meantime
            return
        if (event.id, execution) not in self.deliveries and event.id not in row.consumed and row.record.live:
            self.deliveries.add((event.id, execution))
            arrived = e.EventArrived(max(at, event.at), event, found_by)
            self._post(row, p.Message(execution, arrived, f"event:{event.id}"))

    def _decide(self, item: p.Decide) -> p.Outcome:
        approval = self.approvals.get(item.approval)
        if approval is None or approval.organization != item.organization:
            return p.Refused(f"there is no approval {item.approval!r}")
        if approval.status != "pending":
            if approval.decision == item.decision:
                return p.Duplicate(item.approval)
            return p.GuardFailed(f"approval {approval.id} is {approval.status}, by {approval.decided_by}")
        self.approvals[item.approval], event = p.voted(approval, item)
        if event is not None:
            self._send(p.Message(approval.execution, event, f"approval:{approval.id}"))
        return p.Committed()

    # Questions.

    def claim(self, worker: str, *, now: int, limit: int, form: int = FORMAT) -> list[p.Claim]:
        claims: list[p.Claim] = []
        for row in list(self.stirring.values()):
            if len(claims) == limit:
                break
            taken_over = row.owner is not None
            if taken_over and self.workers.get(row.owner or "", 0) > now:
                continue
            if not (row.inbox or (not self.is_parked(row) and (self._wakes(row, worker, now) or taken_over))):
                continue
            row.crashes += taken_over
            row.owner = None
            if self.is_parked(row) and not row.inbox:
                status = "waiting" if row.record.ended_at is None else row.record.status
                row.record = replace(row.record, status=status, waiting=p.parked(row.crashes, now))
                continue
            if self._is_aside(worker, row) or (self._is_suspect(row) and not row.inbox and self._has_suspect(worker)):
                row.handed_over |= taken_over
                continue
            row.owner, row.epoch = worker, row.epoch + 1
            claims.append(self._claim(row, form))
        return claims

    def is_parked(self, row: Row) -> bool:
        """Whether it has killed so many of its owners that nobody takes it up any more, unless somebody writes to it."""
        return row.crashes >= self.crashes_max

    def _is_aside(self, worker: str, row: Row) -> bool:
        return bool(self.aside) and not self.aside.isdisjoint(((worker, row.record.id), (worker, row.record.digest)))

    def _is_suspect(self, row: Row) -> bool:
        return row.crashes >= p.last_chance(self.crashes_max)

    def _has_suspect(self, worker: str) -> bool:
        return any(row.owner == worker and self._is_suspect(row) for row in self.stirring.values())

    def _wakes(self, row: Row, worker: str, now: int) -> bool:
        wake_at = row.record.wake_at
        return row.record.live and (
            row.start is not None
            or row.handed_over
            or (wake_at is not None and wake_at <= now)
            or not self.tasks.get(worker, NOTHING).isdisjoint(row.uncalled.values())
        )

    def _claim(self, row: Row, form: int) -> p.Claim:
        seq, snapshot, _ = row.snapshot if row.snapshot is not None and row.snapshot[2] == form else (0, None, form)
        uncalled, row.uncalled = tuple(sorted(row.uncalled.items())), {}
        facts = tuple(row.facts[seq:])
        return p.Claim(row.record, row.epoch, row.start, snapshot, facts, _mail(row), uncalled=uncalled)

    def poll(self, worker: str, *, now: int, limit: int) -> p.Polled:
        owned = [row for row in self.stirring.values() if row.owner == worker]
        mail = [(row.record.id, _mail(row)) for row in owned if row.inbox]
        lookbacks = [
            p.LookedBack(row.record.id, op, now, self._events_for(row, pattern))
            for row in self.stirring.values()
            for op, (pattern, pending) in sorted(row.waits.items())  # cancellations first
            if pending
        ]
        events = [self._candidates(self.events[key]) for key in self.unrouted]
        return p.Polled(tuple(mail[:limit]), tuple(lookbacks[:limit]), tuple(events[:limit]))

    def hold(self) -> None:
        """There are no others."""

    def at_hand(self) -> bool:
        return True

    def rest(self) -> None:
        """There are no others."""

    def reader(self) -> Questions:
        return self

    def close(self) -> None:
        """There is nothing to let go of."""

    def has_mail(self, execution: str) -> bool:
        row = self.rows.get(execution)
        return row is not None and bool(row.inbox)

    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        return len(self.ends), [] if pos is None else self.ends[pos:]

    def stirs(self, worker: str, *, now: int) -> bool:
        return bool(self.unrouted) or any(self._row_stirs(row, worker, now) for row in self.stirring.values())

    def _row_stirs(self, row: Row, worker: str, now: int) -> bool:
        if any(looks_back for _, looks_back in row.waits.values()):
            return True
        if row.owner == worker:
            return bool(row.inbox)
        if row.owner is not None:
            return self.workers.get(row.owner, 0) <= now
        return bool(row.inbox) or (
            self._wakes(row, worker, now) and not self.is_parked(row) and not self._is_aside(worker, row)
        )

    def record(self, execution: str) -> ExecutionRecord | None:
        row = self.rows.get(execution)
        return None if row is None else row.record

    def mail(self, worker: str, execution: str) -> tuple[p.Mail, ...]:
        row = self.rows[execution]
        return _mail(row) if row.owner == worker else ()

    def _events_for(self, row: Row, pattern: str) -> tuple[EventRecord, ...]:
        """Events since the execution started that fit, in the order in which they came."""
        return tuple(
            event
            for (organization, _), event in self.events.items()
            if organization == row.record.organization
            and event.pos > row.pos
            and matches(pattern, event.type)
            and event.id not in row.consumed
        )

    def _candidates(self, event: EventRecord) -> p.Candidates:
        executions = tuple(
            execution
            for execution, row in self.stirring.items()
            if row.record.organization == event.organization
            and any(matches(pattern, event.type) for pattern, _ in row.waits.values())
        )
        workflows = tuple(
            (digest, number, id_)
            for (organization, id_), (digest, workflow) in sorted(self.subscriptions.items(), key=itemgetter(0))
            if organization == event.organization
            for number, trigger in enumerate(workflow.starts)
            if matches(trigger.pattern, event.type)
        )
        return p.Candidates(event, executions, workflows)

    def values(self, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
        row = self.rows.get(execution)
        return {} if row is None else {ref: self._value(row, ref) for ref in refs}

    def _value(self, row: Row, ref: Ref) -> Any:
        match ref:
            case int():
                return row.facts[ref - 1]
            case Chunk():
                opened = row.facts[ref.seq - 1]
                assert isinstance(opened, f.LoopOpened | f.ForEachOpened)
                return chunk(opened.items, ref.number)
            case Within():
                return list(row.within.get(ref.scope, ()))
            case Consumed():
                return ref.event_id in row.consumed
            case Known():
                return self.active_version(row.record.organization, ref.workflow) or ""
            case _:
                assert_never(ref)

    # What is asked beside.

    def executions(self, wanted: Wanted) -> list[Found]:
        return questions.executions(self, wanted)

    def history(self, execution: str, after: int, limit: int) -> list[Entry]:
        return questions.history(self, execution, after, limit)

    def history_of_step(self, execution: str, step: int, limit: int) -> list[Entry]:
        return questions.history_of_step(self, execution, step, limit)

    def look(self, execution: str, form: int = FORMAT) -> Look | None:
        return questions.look(self, execution, form)

    def approvals_of(self, execution: str) -> list[ApprovalRecord]:
        return questions.approvals_of(self, execution)

    def living(self, now: int) -> dict[str, frozenset[str]]:
        return questions.living(self, now)

    def next_due(self, now: int, horizon: int, until: int) -> int | None:
        return questions.next_due(self, now, horizon, until)

    def open_count(self) -> int:
        return questions.open_count(self)

    # The feed, and forgetting.

    def feed(self, after: int, limit: int, organization: str | None = None) -> list[p.Told]:
        return retention.feed(self, after, limit, organization)

    def forget(self, ended_before: int, limit: int) -> int:
        return retention.forget(self, ended_before, limit)

    # Helpers.

    def _approval(self, execution: str, op: int) -> ApprovalRecord:
        return self.approvals[self.approval_ids[execution, op]]

    def _post(self, row: Row, message: p.Message) -> None:
        row.inbox[self._next_pos()] = message
        self.stirring[message.execution] = row

    def _next_pos(self) -> int:
        self.pos += 1
        return self.pos


def _mail(row: Row) -> tuple[p.Mail, ...]:
    return tuple(p.Mail(pos, message.event) for pos, message in sorted(row.inbox.items()))
