"""Commits, one item after the other: each is all or nothing, and each is answered. What is decided here is decided inside of
the transaction of the one connection that writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, assert_never

from msgspec.structs import replace

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.values import consumed_by, scope_of
from perdure.model.records import EventRecord, Waiting
from perdure.store import port as p
from perdure.store.approvals import GiveLink, LetGo, TakeOn
from perdure.store.happened import EVENT_ITSELF
from perdure.store.ledger import GiveAnswer, LogTrigger, PromiseAnswer, UseKey, WithdrawPromise, started_by
from perdure.store.notices import NOTIFIERS, NOTIFIERS_MAX, is_wanted
from perdure.store.registers import WriteCard
from perdure.store.schedules import PauseSchedule, ResetSchedule, WriteSchedule
from perdure.store.sql import rows
from perdure.store.sql.approvals import SqlApprovals
from perdure.store.sql.ledger import LedgerWrites
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.statements import Statements
from perdure.store.sql.versions import SqlVersions

COMMITTED, RELEASED = p.Committed(), p.Committed(released=True)
NO_START = Start(0, "")
"""Of an execution that begins with a history."""


class Awaited(Protocol):
    """What anybody waits for, or is started by."""

    def begin(self) -> None:
        """A transaction has begun."""
        ...

    def forget(self) -> None:
        """Something is waited for that was not."""
        ...

    def concerns_anybody(self, organization: str, event_type: str) -> bool:
        """Whether the event has to be routed. True, where that cannot be known yet."""
        ...


def arrived(event: EventRecord, at: int, found_by: int) -> e.EventArrived:
    """What an execution is told that an event is delivered to."""
    return e.EventArrived(max(at, event.at), event, found_by)


class Commits:
    """The items of one transaction. Facts, and the events that executions publish, are written together at its end; and what
    others write of the ledger as well.
    """

    def __init__(
        self,
        statements: Statements,
        versions: SqlVersions,
        registers: SqlRegisters,
        ledger: LedgerWrites,
        awaited: Awaited,
        crashes_max: int = p.CRASHES_MAX,
    ) -> None:
        self._crashes_max = crashes_max
        self._sql, self._versions, self._registers, self._awaited = statements, versions, registers, awaited
        self._ledger = ledger
        self._approvals = SqlApprovals(statements, registers)
        awaited.begin()
        self._facts: list[tuple[Any, ...]] = []
        self._events: list[tuple[Any, ...]] = []
        self.size = 0
        """Approximate size of what has been written and is to be written, in characters of JSON."""
        self.stirs = False
        """Whether there may be something to claim or to poll because of this transaction."""
        self.to_do = p.ToDo.NOTHING
        """What there surely is of it."""
        self.unreadable: list[tuple[str, int | str]] = []
        """Workers, and the execution or the version that each cannot read."""
        self._appended: set[str] = set()
        """Executions whose facts wait to be written."""

    def finish(self) -> None:
        self._write_facts()
        self._sql.all_of("insert_event", self._events)
        self._ledger.finish()

    def _write_facts(self) -> None:
        self._sql.all_of("insert_fact", self._facts)
        self._facts.clear()
        self._appended.clear()

    def one(self, item: p.Item) -> p.Outcome:
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
                return self._publish(item)
            case p.Route():
                return self._route(item)
            case p.LookedBack():
                return self._looked_back(item)
            case p.Decide():
                return self._decide(item)
            case GiveLink():
                return self._approvals.link(item)
            case TakeOn() | LetGo():
                return self._approvals.claim(item)
            case p.HandOver():
                return self._hand_over(item)
            case p.Park():
                return self._park(item)
            case p.Decline():
                return self._decline(item)
            case p.Reroute():
                return self._reroute(item)
            case p.Beat():
                self._beat(item)
                return p.Committed()
            case WriteCard():
                return self._registers.write(item)
            case p.Fire():
                self.stirs = True  # there may be more slots
                return self._versions.schedules.fire(item, self._insert, self._ledger)
            case PauseSchedule():
                self.stirs = True
                return self._versions.schedules.pause(item, self._registers)
            case ResetSchedule():
                self.stirs = True
                return self._versions.schedules.reset(item, self._registers)
            case WriteSchedule():
                self.stirs = True
                return self._versions.schedules.write(item, self._registers)
            case PromiseAnswer():
                return self._promise(item)
            case GiveAnswer() | WithdrawPromise() | LogTrigger() | UseKey():
                return self._ledger.write(item)
            case _:
                assert_never(item)

    def _hand_over(self, item: p.HandOver) -> p.Outcome:
        handed = self._sql.one("hand_over", (item.execution, item.owner, item.epoch, item.rests))
        if handed is None:
            return p.Fenced()
        self.stirs = True
        eid, digest = handed
        self._sql.all_of("insert_uncalled", [(eid, op, task) for op, task in item.uncalled])
        if item.unreadable is not None:
            self.unreadable.append((item.owner, eid if item.unreadable == "execution" else digest))
        return p.Committed()

    def _park(self, item: p.Park) -> p.Outcome:
        waiting = rows.text(Waiting("operator", "", item.at, on=item.reason))
        whose = (item.execution, item.owner, item.epoch)
        parked = self._sql.one("park_owned", (waiting, self._crashes_max, item.at, *whose))
        if parked is None:
            return p.Fenced()
        (eid,) = parked
        self._sql.all_of("insert_uncalled", [(eid, op, task) for op, task in item.uncalled])
        return p.Committed()

    def _decline(self, item: p.Decline) -> p.Outcome:
        reasons = rows.text(((EVENT_ITSELF, item.reason),))
        if self._sql.one("decline_event", (reasons, item.organization, item.event)) is None:
            return p.Duplicate(item.event)
        self._registers.enter(p.decline_entry(item))
        return p.Committed()

    def _reroute(self, item: p.Reroute) -> p.Outcome:
        if self._sql.one("reroute_event", (item.organization, item.event)) is None:
            known = self._sql.one("is_routed", (item.organization, item.event))
            return p.no_event(item.event) if known is None else p.not_declined(item.event)
        self._say(item.audit)
        self.stirs = True
        self.to_do |= p.ToDo.POLL
        return p.Committed()

    def _beat(self, item: p.Beat) -> None:
        if item.until == p.GONE:
            self._sql.run("forget_worker", (item.worker,))
        else:
            self._sql.run("beat", (item.worker, item.until, rows.text(item.tasks)))
            self.stirs |= bool(item.tasks)  # something may wait for one of them

    def _create(self, item: p.Create) -> p.Outcome:
        record = item.pending.record
        used = None if item.key is None else self._key_used(record.organization, item.key, record.id)
        if used not in (None, record.id):
            return p.Duplicate(used)
        is_outdated = item.active and not self._is_active(item.version)
        if not is_outdated and self._insert(item.pending, item.owner):
            if item.model is not None:
                self._versions.keep_model(record.digest, item.model.data, item.model.dialect)
            self._say(item.audit)
            if item.note is not None:
                self._ledger.log(started_by(item.note, record.id))
            return COMMITTED
        if item.key is not None and used is None:
            self._sql.run("forget_key", (record.organization, item.key))
        there = self._sql.one("record", (record.id,))
        if there is None:
            return p.GuardFailed(p.OUTDATED)
        return COMMITTED if self._is_sent_again(item, there) else p.Duplicate(record.id)

    def _key_used(self, organization: str, key: str, execution: str) -> str | None:
        """The execution that the key was used for. None: nobody has used it, and now it is this one's."""
        if self._sql.one("insert_key", (organization, key, execution)) is not None:
            return None
        (used,) = self._sql.one("key_of", (organization, key))
        return str(used)

    def _is_sent_again(self, item: p.Create, there: tuple[Any, ...]) -> bool:
        execution = item.pending.record.id
        if item.owner is not None:
            return self._sql.one("untouched", (execution, item.owner)) is not None
        keys = [key for (key,) in self._sql.all("keys_for", (execution,))]
        wanted = [] if item.key is None else [item.key]
        _, _, start, *record = there
        return keys == wanted and p.is_the_same(item.pending, rows.execution(tuple(record)), rows.start_of(start))

    def _is_active(self, version: p.VersionGuard) -> bool:
        organization, ref, workflow, digest = version
        found = self._sql.one("active", {"organization": organization, "ref": ref})
        return found is not None and tuple(found) == (digest, workflow)

    def _insert(self, pending: p.Pending, owner: str | None = None) -> bool:
        """Whether it was not there, and now is."""
        *row, start = rows.new_execution(pending, owner)
        self.stirs |= owner is None
        begins = rows.text(start)
        self.size += len(begins)
        return self._sql.changed("insert_execution", (*row, begins)) > 0

    def _insert_started_by(self, event: EventRecord, pending: p.Pending) -> None:
        """What came after the event that starts it may be for it, however long nobody has routed that."""
        *row, start = rows.new_execution(pending, None)
        self.stirs = True
        self._sql.run("insert_started_by", (*row, rows.text(start), event.id))

    def _insert_named(self, pending: p.Pending) -> None:
        """One whose workflow may be named by its name."""
        record = pending.record
        found = self._sql.one("active", {"organization": record.organization, "ref": record.workflow})
        if found is not None and found[1] != record.workflow:
            pending = p.Pending(replace(record, workflow=found[1]), pending.start)
        self._insert(pending)

    def _fork(self, item: p.Fork) -> p.Outcome:
        record = item.record
        if self._sql.one("row_for_mail", (record.id,)) is not None:
            return p.Duplicate(record.id)
        self._write_facts()  # those of the origin may be among them
        origin = self._sql.one("origin", (item.origin, record.organization))
        if origin is None or not 0 < item.upto <= origin[1]:
            return p.Refused(f"there is no execution {item.origin!r} with {item.upto} facts to go on from")
        used = None if item.key is None else self._key_used(record.organization, item.key, record.id)
        if used is not None:
            return p.Duplicate(used)
        *row, _ = rows.new_execution(p.Pending(record, NO_START), None)
        self._sql.run("insert_execution", (*row, None))
        (eid, _) = self._sql.one("eid_of", (record.id,))
        for query in ("copy_history", "copy_payloads", "copy_consumed"):
            self._sql.run(query, {"eid": eid, "origin": origin[0], "upto": item.upto})
        self._sql.run("forked", (eid, item.upto + len(item.facts)))
        self._append(eid, p.Advance(record.id, "", 1, item.upto, item.facts, record, item.changes))
        self._post(eid, item.first)
        self._say(item.audit)
        return p.Committed()

    def _say(self, audit: WriteCard | None) -> None:
        if audit is not None:
            self._registers.enter(audit)

    def _advance(self, item: p.Advance) -> p.Outcome:
        changes = item.changes
        if item.execution in self._appended:  # how far its history goes is asked for
            self._write_facts()
        whose = (item.execution, item.owner, item.epoch)
        if changes.approvals_settled:
            _, seq, _ = self._sql.one("ownership", whose) or (0, -1, None)
            for op, _ in changes.approvals_settled if seq == item.after else ():
                approval = self._approvals.of(item.execution, op)
                if approval.status != "pending":
                    return p.GuardFailed(f"approval {approval.id} is {approval.status}")
        seen = self._sql.all("seen", (rows.text(changes.seen), *whose, item.after)) if changes.seen else ()
        found = self._row_written(item, len(seen))
        if found is None:
            return self._sent_again(item)
        eid, owner = found
        self._append(eid, item)
        if item.release and changes.messages:
            return RELEASED if self._sql.one("release", (eid,)) is not None else COMMITTED
        return RELEASED if owner is None else COMMITTED

    def _row_written(self, item: p.Advance, seen: int) -> tuple[int, str | None] | None:
        """None: it is not the owner's any more, or has been written already. Else its place, and whose it is now."""
        r, seq = item.record, item.after + len(item.facts)
        whose = (item.execution, item.owner, item.epoch, item.after)
        found: tuple[int, str | None] | None
        if item.quiet and not item.release and not item.changes.seen:
            found = self._sql.one("owned_after", whose)
            return found
        waiting, output, error = rows.optional(r.waiting), rows.optional(r.output), rows.optional(r.error)
        release = item.release and not item.changes.messages  # one of them may be for itself
        now = (r.status, r.live, r.wake_at, seq, waiting, output, error, r.ended_at, seen, item.progress, release)
        found = self._sql.one("advance", (*now, *whose, p.committed_at(item)))
        return found

    def _sent_again(self, item: p.Advance) -> p.Outcome:
        """Nobody else can have written in this epoch: what is there already is this very commit."""
        _, seq, owner = self._sql.one("epoch", (item.execution, item.epoch)) or (0, -1, None)
        if seq != item.after + len(item.facts) or owner not in (item.owner, None):
            return p.Fenced()
        if owner is None and not item.release:
            return p.Fenced()
        return p.Committed(released=owner is None)

    def _append(self, eid: int, item: p.Advance) -> None:
        """The facts of an execution whose row has been written, and what changes beside."""
        seq = item.after
        self._appended.add(item.execution)
        for fact in item.facts:
            seq += 1
            kind, data = rows.KINDS[type(fact)], rows.encoded(fact)
            parts = 0
            if kind.has_items or len(data) > rows.PIECE_MAX:
                self.size += len(data)
                data, parts = self._put_apart(eid, seq, fact, data)
            scope = scope_of(fact) or None if kind.has_scope else None
            self.size += len(data)
            self._facts.append((eid, seq, kind.name, scope, parts, data))
            if kind.consumes:
                event_id = consumed_by(fact)
                if event_id is not None:
                    self._sql.run("insert_consumed", (eid, event_id))
        self.stirs |= item.release and item.record.wake_at is not None
        if item.snapshot is not None:
            self._sql.run("snapshot", (eid, seq, item.form, item.snapshot))
        if item.changes is not p.NO_CHANGES:
            self._change(eid, item)

    def _put_apart(self, eid: int, seq: int, fact: f.Fact, data: str) -> tuple[str, int]:
        """What is long or is read piece by piece. What is left of it, and how many pieces."""
        data, pieces = rows.fact_pieces(fact, data)
        for number, piece in enumerate(pieces):
            self._sql.run("insert_payload", (eid, seq, number, piece))
        return data, len(pieces)

    def _change(self, eid: int, item: p.Advance) -> None:
        organization, changes = item.record.organization, item.changes
        for event_id in changes.declined:
            self._sql.run("undeliver", (eid, event_id))
        for wait in changes.waits_opened:
            self._sql.run("open_wait", rows.opened_wait(eid, organization, wait))
            self._awaited.forget()
            self.stirs = True
        for op in changes.waits_closed:
            self._sql.run("close_wait", (eid, op))
        self._approvals.change(eid, item)
        for pending in changes.starts:  # before the messages: one of them may be for a child of this very commit
            self._insert_named(pending)
        for message in changes.messages:
            self._send(message)
        self._events.extend(self._row(event) for event in changes.events)
        for notice in changes.notices:
            self._give_notice(notice)

    def _give_notice(self, notice: p.Notice) -> None:
        record = notice.pending.record
        if is_wanted(notice.topic, self._registers.cards(record.organization, NOTIFIERS, "", NOTIFIERS_MAX)):
            self._versions.keep_model(record.digest, notice.model.data, notice.model.dialect)
            self._insert(notice.pending)

    def _send(self, message: p.Message) -> p.Outcome:
        row = self._sql.one("row_for_mail", (message.execution,))
        if row is None:
            return p.Refused(f"there is no execution {message.execution!r}")
        if self._sql.one("insert_dedup", (row[0], message.dedup)) is None:
            return p.Duplicate(message.dedup)
        self._post(row[0], message.event)
        return p.Committed()

    def _post(self, eid: int, event: e.Event) -> None:
        self._sql.run("insert_mail", (eid, rows.text(event)))
        self._sql.run("count_mail", (eid,))
        self.stirs = True

    def _deliver(self, item: p.Deliver) -> p.Outcome:
        row = self._sql.one("row_for_mail", (item.message.execution,))
        if row is None:
            return p.Refused(f"there is no execution {item.message.execution!r}")
        eid, live, status = row
        guarded = None if item.version is None else self._guarded(eid, item)
        if guarded is not None:
            return guarded
        if not live and not item.force:
            return p.Refused(f"execution {item.message.execution!r} is {status} and nothing of it is open")
        sent = self._send(item.message)
        if isinstance(sent, p.Committed):
            self._say(item.audit)
        return sent

    def _guarded(self, eid: int, item: p.Deliver) -> p.Outcome | None:
        """Sent again because the answer was lost, it is not held against it that it is there."""
        if self._sql.one("has_had", (eid, item.message.dedup)) is not None:
            return p.Duplicate(item.message.dedup)
        if item.message.execution in self._appended:
            self._write_facts()
        return p.guarded(item.version, *self._sql.one("version", (eid,)))

    def _promise(self, item: PromiseAnswer) -> p.Outcome:
        return self._ledger.write(item)

    def _publish(self, item: p.Publish) -> p.Outcome:
        row = self._row(item.event)
        if not self._sql.changed("insert_event", row):
            return p.Duplicate(item.event.id)
        if item.note is not None:
            self._ledger.log(item.note)
        if not row[3]:
            self.to_do |= p.ToDo.POLL
        return p.Committed()

    def _row(self, event: EventRecord) -> tuple[str, str, str, bool, str]:
        routed = not self._awaited.concerns_anybody(event.organization, event.type)
        self.stirs |= not routed
        data = rows.text(event)
        self.size += len(data)
        return (event.organization, event.id, event.type, routed, data)

    def _route(self, item: p.Route) -> p.Outcome:
        if not self._deliver_routed(item):
            return p.Duplicate(item.event.id)
        self.stirs |= item.reached is not None
        others = {place for place, ref, id_ in item.meant if self._means_another(item.event.organization, ref, id_)}
        for place, pending in enumerate(item.starts):
            if place not in others:
                self._insert_started_by(item.event, pending)
        return p.Committed()

    def _deliver_routed(self, item: p.Route) -> bool:
        """Whether it was not routed as far, and now is: it is delivered to those that it has reached by that."""
        whose = (item.event.organization, item.event.id, item.after)
        if item.reached is not None:
            moved = self._sql.one("reached", (item.reached, *whose))
        else:
            moved = self._sql.one("routed", (rows.text(item.declined) if item.declined else None, *whose))
        if moved is not None:
            self._deliver_event(item.targets, item.event, item.at)
        return moved is not None

    def _means_another(self, organization: str, ref: str, workflow: str) -> bool:
        found = self._sql.one("active", {"organization": organization, "ref": ref})
        return found is not None and found[1] != workflow

    def _looked_back(self, item: p.LookedBack) -> p.Outcome:
        row = self._sql.one("row_for_mail", (item.execution,))
        if row is None:  # forgotten in the meantime
            return p.Committed()
        self._sql.run("looked_back", (row[0], item.op))
        for event in item.events:
            found = self._sql.one("is_routed", (event.organization, event.id))
            routed = found is not None and found[0]
            self._deliver_event((item.execution,), event, item.at, found_by=item.op if routed else 0)
        return p.Committed()

    def _deliver_event(self, executions: Sequence[str], event: EventRecord, at: int, *, found_by: int = 0) -> None:
        """Once to each execution, until it is declined."""
        letter = arrived(event, at, found_by)
        for execution in executions:
            eid, live, _ = self._sql.one("row_for_mail", (execution,)) or (0, False, "forgotten in the meantime")
            if not live or self._sql.one("is_consumed", (eid, event.id)) is not None:
                continue
            if self._sql.one("insert_delivery", (eid, event.id)) is not None:
                self._post(eid, letter)

    def _decide(self, item: p.Decide) -> p.Outcome:
        outcome, told = self._approvals.decide(item)
        if told is not None:
            self._send(told)
            if item.notice is not None:
                self._give_notice(item.notice)
        return outcome
