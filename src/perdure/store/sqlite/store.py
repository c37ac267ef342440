"""The contract of `store.port` in a SQLite file. One connection writes, and everything that is decided here is decided inside
of its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, assert_never

import apsw
from msgspec.structs import replace

from perdure.core import events as e
from perdure.core.patterns import matches
from perdure.core.state import FORMAT
from perdure.core.values import Chunk, Consumed, Known, Ref, Within, consumed_by, scope_of
from perdure.model import codec
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord, settled
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.sqlite import rows
from perdure.store.sqlite.database import connect, migrate, queries, transaction
from perdure.store.sqlite.errors import translated

LOOK_MS = 500
"""How often it looks for owners that have died."""


class SqliteStore:
    """Keeps the contract of `store.port.Store`. `alive` says whether a worker lives; by default its lease does."""

    def __init__(
        self,
        path: str,
        *,
        crashes_max: int = p.CRASHES_MAX,
        alive: Callable[[str, int], bool] | None = None,
        vfs: str | None = None,
    ) -> None:
        self.connection: apsw.Connection = connect(path, vfs)
        migrate(self.connection)
        self._crashes_max = crashes_max
        self._alive = alive or self._has_lease
        self._sql = queries()
        self._looked_at = 0
        self._facts: list[tuple[int, int, str, int | None, int, str]] = []
        """The facts of the transaction that is under way: they are written together, at its end."""
        self._patterns: dict[str, list[str]] = {}
        """What is waited for in an organization, as far as this transaction has asked."""

    def close(self) -> None:
        self.connection.close()

    def _run(self, query: str, parameters: Any = ()) -> apsw.Cursor:
        return self.connection.execute(self._sql[query], parameters)

    def _one(self, query: str, parameters: Any = ()) -> Any:
        """The one row that there is; None if there is none."""
        return self._run(query, parameters).fetchone()

    def _all(self, query: str, parameters: Any = ()) -> list[Any]:
        return self._run(query, parameters).fetchall()

    # Workflows.

    def save(self, workflow: Workflow, organization: str = "default") -> str:
        """Make this the active version of its name; its digest."""
        digest = codec.digest(workflow)
        with transaction(self.connection):
            self._run("insert_model", (digest, codec.encode(workflow)))
            self._run("activate", (organization, workflow.name, digest))
            self._run("unsubscribe", (organization, workflow.name))
            for number, trigger in enumerate(workflow.starts):
                self._run("subscribe", (organization, workflow.name, number, digest, trigger.pattern))
        return digest

    @translated()
    def active_version(self, organization: str, name: str) -> str | None:
        found = self._one("active", (organization, name))
        return None if found is None else str(found[0])

    @translated()
    def model(self, digest: str) -> bytes:
        found = self._one("model", (digest,))
        if found is None:
            raise KeyError(digest)
        return bytes(found[0])

    # Commits.

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        with transaction(self.connection):
            self._facts.clear()
            self._patterns.clear()
            outcomes = [self._commit_one(item) for item in items]
            if self._facts:
                self.connection.executemany(self._sql["insert_fact"], self._facts)
        return outcomes

    def _commit_one(self, item: p.Item) -> p.Outcome:
        match item:
            case p.Advance():
                return self._advance(item)
            case p.Create():
                return self._create(item)
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
            case p.Beat():
                self._run("beat", (item.worker, item.until))
                return p.Committed()
            case _:
                assert_never(item)

    def _create(self, item: p.Create) -> p.Outcome:
        record = item.pending.record
        used = None if item.key is None else self._one("key_of", (record.organization, item.key))
        if used is None and self._insert(item.pending, item.owner):
            if item.key is not None:
                self._run("insert_key", (record.organization, item.key, record.id))
            return p.Committed()
        existing = record.id if used is None else used[0]
        again = existing == record.id and (used is None) == (item.key is None) and self._has_just_begun(item)
        return p.Committed() if again else p.Duplicate(existing)

    def _has_just_begun(self, item: p.Create) -> bool:
        """Only whoever sent it can have it in this epoch, and nothing has come of it: the answer was lost."""
        found = self._one("ownership", (item.pending.record.id, item.owner, 1))
        return found is not None and found[1] == 0

    def _insert(self, pending: p.Pending, owner: str | None = None) -> bool:
        """Whether it was not there."""
        r = pending.record
        row = (
            r.id,
            r.organization,
            r.workflow,
            r.digest,
            r.status,
            r.live,
            r.wake_at,
            owner,
            0 if owner is None else 1,
        )
        origin = (r.trigger, r.correlation_id, r.parent, r.parent_op, r.depth, r.started_at, rows.text(pending.start))
        return self._one("insert_execution", row + origin) is not None

    def _advance(self, item: p.Advance) -> p.Outcome:
        changes, record = item.changes, item.record
        seen = 0
        if changes.seen or changes.approvals_settled:
            eid, seq, _ = self._one("ownership", (item.execution, item.owner, item.epoch)) or (0, -1, None)
            if seq == item.after:
                for op, _ in changes.approvals_settled:
                    approval = self._approval(item.execution, op)
                    if approval.status != "pending":
                        return p.GuardFailed(f"approval {approval.id} is {approval.status}")
                seen = sum(self._one("seen", (pos, eid)) is not None for pos in changes.seen)
        found = self._one(
            "advance",
            (
                record.status,
                record.live,
                record.wake_at,
                item.after + len(item.facts),
                rows.optional(record.waiting),
                rows.optional(record.output),
                rows.optional(record.error),
                record.ended_at,
                seen,
                item.progress,
                item.execution,
                item.owner,
                item.epoch,
                item.after,
            ),
        )
        if found is None:
            return self._sent_again(item)
        (eid,) = found
        self._append(eid, item)
        if changes is not p.NO_CHANGES:
            self._change(eid, item.execution, record.organization, changes)
        if item.release and self._one("release", (eid,)) is not None:
            return p.Committed(released=True)
        return _COMMITTED

    def _sent_again(self, item: p.Advance) -> p.Outcome:
        """Nobody else can have written in this epoch: what is there already is this very commit."""
        _, seq, owner = self._one("epoch", (item.execution, item.epoch)) or (0, -1, None)
        if seq != item.after + len(item.facts) or owner not in (item.owner, None):
            return p.Fenced()
        if owner is None and not item.release:
            return p.Fenced()
        return p.Committed(released=owner is None)

    def _append(self, eid: int, item: p.Advance) -> None:
        seq = item.after
        for fact in item.facts:
            seq += 1
            data, pieces = rows.fact_pieces(fact)
            self._facts.append((eid, seq, str(fact.__struct_config__.tag), scope_of(fact) or None, len(pieces), data))
            for number, piece in enumerate(pieces):
                self._run("insert_payload", (eid, seq, number, piece))
            event_id = consumed_by(fact)
            if event_id is not None:
                self._run("insert_consumed", (eid, event_id))
        if item.snapshot is not None:
            self._run("snapshot", (eid, seq, item.form, item.snapshot))

    def _change(self, eid: int, execution: str, organization: str, changes: p.Changes) -> None:
        for event_id in changes.declined:
            self._run("undeliver", (eid, event_id))
        for op, pattern, look_back in changes.waits_opened:
            self._run("open_wait", (eid, op, organization, pattern, look_back))
            self._patterns.clear()
        for op in changes.waits_closed:
            self._run("close_wait", (eid, op))
        for approval in changes.approvals_opened:
            row = (approval.id, eid, approval.op, approval.organization, approval.status, rows.text(approval))
            self._run("insert_approval", row)
        for op, to in changes.approvals_overdue:
            self._keep(replace(self._approval(execution, op), overdue=True, escalated_to=to))
        for op, decision in changes.approvals_settled:
            self._keep(settled(self._approval(execution, op), decision))
        for op in changes.approvals_closed:
            approval = self._approval(execution, op)
            if approval.status == "pending":
                self._keep(settled(approval, None))
        for pending in changes.starts:  # before the messages: one of them may be for a child of this very commit
            self._insert(pending)
        for message in changes.messages:
            self._send(message)
        for event in changes.events:
            self._publish(event)

    def _send(self, message: p.Message) -> p.Outcome:
        row = self._one("row_for_mail", (message.execution,))
        if row is None:
            return p.Refused(f"there is no execution {message.execution!r}")
        if self._one("insert_dedup", (row[0], message.dedup)) is None:
            return p.Duplicate(message.dedup)
        self._post(row[0], message.event)
        return p.Committed()

    def _post(self, eid: int, event: e.Event) -> None:
        self._run("insert_mail", (eid, rows.text(event)))
        self._run("count_mail", (eid,))

    def _deliver(self, item: p.Deliver) -> p.Outcome:
        row = self._one("row_for_mail", (item.message.execution,))
        if row is None:
            return p.Refused(f"there is no execution {item.message.execution!r}")
        _, live, status = row
        if not live and not item.force:
            return p.Refused(f"execution {item.message.execution!r} is {status} and nothing of it is open")
        return self._send(item.message)

    def _publish(self, event: EventRecord) -> p.Outcome:
        routed = not self._concerns_anybody(event)
        row = (event.organization, event.id, event.type, routed, rows.text(event))
        return p.Duplicate(event.id) if self._one("insert_event", row) is None else p.Committed()

    def _concerns_anybody(self, event: EventRecord) -> bool:
        """Most events concern nobody: executions tell of themselves. Those need not be routed; who waits later looks back."""
        patterns = self._patterns.get(event.organization)
        if patterns is None:
            waited = self._all("patterns", {"organization": event.organization})
            started = self._all("subscribed_patterns", (event.organization,))
            patterns = self._patterns[event.organization] = [pattern for (pattern,) in (*waited, *started)]
        return any(matches(pattern, event.type) for pattern in patterns)

    def _route(self, item: p.Route) -> p.Outcome:
        declined = rows.text(item.declined) if item.declined else None
        if self._one("routed", (declined, item.event.organization, item.event.id)) is None:
            return p.Duplicate(item.event.id)
        for execution in item.targets:
            self._deliver_event(execution, item.event, item.at)
        for pending in item.starts:
            self._insert(pending)
        return p.Committed()

    def _looked_back(self, item: p.LookedBack) -> p.Outcome:
        row = self._one("row_for_mail", (item.execution,))
        assert row is not None, item.execution
        self._run("looked_back", (row[0], item.op))
        for event in item.events:
            found = self._one("is_routed", (event.organization, event.id))
            routed = found is not None and found[0]
            self._deliver_event(item.execution, event, item.at, found_by=item.op if routed else 0)
        return p.Committed()

    def _deliver_event(self, execution: str, event: EventRecord, at: int, *, found_by: int = 0) -> None:
        """Once to each execution, until it is declined."""
        row = self._one("row_for_mail", (execution,))
        assert row is not None, execution
        eid, live, _ = row
        if not live or self._one("is_consumed", (eid, event.id)) is not None:
            return
        if self._one("insert_delivery", (eid, event.id)) is not None:
            self._post(eid, e.EventArrived(max(at, event.at), event, found_by))

    def _decide(self, item: p.Decide) -> p.Outcome:
        found = self._one("approval", (item.approval,))
        if found is None:
            return p.Refused(f"there is no approval {item.approval!r}")
        approval = rows.approval(found[0])
        if approval.status != "pending":
            if approval.decision == item.decision:
                return p.Duplicate(item.approval)
            return p.GuardFailed(f"approval {approval.id} is {approval.status}, by {approval.decided_by}")
        voted, event = p.voted(approval, item)
        if event is not None:
            self._send(p.Message(approval.execution, event, f"approval:{approval.id}"))
        self._keep(voted)
        return p.Committed()

    def _keep(self, approval: ApprovalRecord) -> None:
        self._run("update_approval", (approval.status, rows.text(approval), approval.id))

    def _approval(self, execution: str, op: int) -> ApprovalRecord:
        found = self._one("approval_of", (execution, op))
        assert found is not None, (execution, op)
        return rows.approval(found[0])

    # Questions.

    def claim(self, worker: str, *, now: int, limit: int, form: int = FORMAT) -> list[p.Claim]:
        with transaction(self.connection):
            chosen = dict.fromkeys(self._abandoned(now, limit))
            for query, parameters in (
                ("ready", (self._crashes_max, limit)),
                ("due", (now, self._crashes_max, limit)),
            ):
                if len(chosen) < limit:
                    chosen.update(dict.fromkeys(eid for (eid,) in self._all(query, parameters)))
            return [self._take(worker, eid, form) for eid in list(chosen)[:limit]]

    def _abandoned(self, now: int, limit: int) -> list[int]:
        """Executions whose owner is dead. One that has killed too many is parked, unless somebody has written to it."""
        found: list[int] = []
        for (owner,) in self._all("owners"):
            if self._alive(owner, now):
                continue
            for (eid,) in self._all("owned_by", (owner, limit - len(found))):
                crashes, mail = self._one("crashed", (eid,))
                if crashes >= self._crashes_max and not mail:
                    self._run("park", (eid,))
                else:
                    found.append(eid)
        return found

    def _has_lease(self, worker: str, now: int) -> bool:
        found = self._one("lease", (worker,))
        return found is not None and found[0] > now

    def _take(self, worker: str, eid: int, form: int) -> p.Claim:
        row = self._one("take", (worker, eid))
        assert row is not None, eid
        _, epoch, start, *record = row
        seq, snapshot = self._one("snapshot_of", (eid, form)) or (0, None)
        facts = tuple(self._fact_of(eid, fact) for fact in self._all("facts_after", (eid, seq)))
        return p.Claim(rows.execution(tuple(record)), epoch, rows.start_of(start), snapshot, facts, self._mail(eid))

    def _fact_of(self, eid: int, row: tuple[Any, ...]) -> Any:
        seq, parts, data = row
        return rows.fact_of(data, [piece for (piece,) in self._all("payload", (eid, seq))] if parts else [])

    def _mail(self, eid: int) -> tuple[p.Mail, ...]:
        return tuple(p.Mail(pos, rows.event_of(data)) for pos, data in self._all("mail_of", (eid,)))

    @translated()
    def poll(self, worker: str, *, now: int, limit: int) -> p.Polled:
        mail = [(execution, self._mail(eid)) for eid, execution in self._all("owned_with_mail", (worker, limit))]
        lookbacks = [
            p.LookedBack(execution, op, now, self._events_for(eid, organization, born, pattern))
            for eid, op, pattern, execution, organization, born in self._all("lookbacks", (limit,))
        ]
        events = [
            self._candidates(rows.event_record(data, pos), organization, type_)
            for pos, organization, type_, data in self._all("unrouted", (limit,))
        ]
        return p.Polled(tuple(mail), tuple(lookbacks), tuple(events))

    @translated()
    def stirs(self, worker: str, *, now: int) -> bool:
        found = self._one("stirs", {"worker": worker, "now": now, "crashes": self._crashes_max})
        return bool(found[0]) or self._somebody_died(worker, now)

    def _somebody_died(self, worker: str, now: int) -> bool:
        """Asked less often: it looks at each owner."""
        if now < self._looked_at + LOOK_MS:
            return False
        self._looked_at = now
        return any(owner != worker and not self._alive(owner, now) for (owner,) in self._all("owners"))

    @translated()
    def record(self, execution: str) -> ExecutionRecord | None:
        found = self._one("record", (execution,))
        return None if found is None else rows.execution(tuple(found[3:]))

    @translated()
    def mail(self, worker: str, execution: str) -> tuple[p.Mail, ...]:
        found = self._one("owner_of", (execution,))
        return () if found is None or found[1] != worker else self._mail(found[0])

    def _events_for(self, eid: int, organization: str, born: int, pattern: str) -> tuple[EventRecord, ...]:
        """Events since the execution started that fit, in the order in which they came."""
        return tuple(
            rows.event_record(data, pos)
            for pos, type_, data in self._all("events_since", (organization, born, eid))
            if matches(pattern, type_)
        )

    def _candidates(self, event: EventRecord, organization: str, type_: str) -> p.Candidates:
        patterns = [
            pattern for (pattern,) in self._all("patterns", {"organization": organization}) if matches(pattern, type_)
        ]
        executions = dict.fromkeys(
            execution for pattern in patterns for (execution,) in self._all("waiting_for", (organization, pattern))
        )
        workflows = tuple(
            (digest, number)
            for digest, number, pattern in self._all("subscribed", (organization,))
            if matches(pattern, type_)
        )
        return p.Candidates(event, tuple(executions), workflows)

    @translated()
    def values(self, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
        found = self._one("eid_of", (execution,))
        assert found is not None, execution
        eid, organization = found
        return {ref: self._value(eid, organization, ref) for ref in refs}

    def _value(self, eid: int, organization: str, ref: Ref) -> Any:
        match ref:
            case int():
                row = self._one("fact", (eid, ref))
                assert row is not None, ref
                return self._fact_of(eid, row)
            case Chunk():
                piece = self._one("payload_part", (eid, ref.seq, ref.number))
                return [] if piece is None else rows.items_of(piece[0])
            case Within():
                return [self._fact_of(eid, row) for row in self._all("facts_within", (eid, ref.scope))]
            case Consumed():
                return self._one("is_consumed", (eid, ref.event_id)) is not None
            case Known():
                known = self._one("active", (organization, ref.workflow))
                return "" if known is None else known[0]
            case _:
                assert_never(ref)


_COMMITTED = p.Committed()
