"""Commits in memory, one item after the other: each is all or nothing, and each is answered."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.values import consumed_by, scope_of
from perdure.model.records import ApprovalRecord, EventRecord, Waiting, settled
from perdure.store import port as p
from perdure.store import voting
from perdure.store.approvals import (
    GiveLink,
    LetGo,
    TakeOn,
    claim_audited,
    let_go,
    link_audited,
    marked_overdue,
    taken_on,
    told_that_it_is_over,
    useless,
)
from perdure.store.happened import EVENT_ITSELF
from perdure.store.ledger import GiveAnswer, LogTrigger, PromiseAnswer, UseKey, WithdrawPromise, started_by
from perdure.store.memory import ledger, registers, schedules, versions
from perdure.store.memory.tables import Row, Tables
from perdure.store.notices import NOTIFIERS, NOTIFIERS_MAX, is_wanted
from perdure.store.registers import WriteCard
from perdure.store.schedules import PauseSchedule, ResetSchedule, WriteSchedule


def commit_one(tables: Tables, item: p.Item) -> p.Outcome:
    match item:
        case p.Advance():
            return _advance(tables, item)
        case p.Create():
            return _create(tables, item)
        case p.Fork():
            return _fork(tables, item)
        case p.Deliver():
            return _deliver(tables, item)
        case p.Publish():
            return _publish(tables, item.event, item.note)
        case p.Route():
            return _route(tables, item)
        case p.LookedBack():
            return _looked_back(tables, item)
        case GiveLink():
            return _link(tables, item)
        case TakeOn() | LetGo():
            return _claim(tables, item)
        case p.Decide():
            return _decide(tables, item)
        case p.HandOver():
            return _hand_over(tables, item)
        case p.Park():
            return _park(tables, item)
        case p.Decline():
            return _decline(tables, item)
        case p.Reroute():
            return _reroute(tables, item)
        case p.Beat():
            _beat(tables, item)
            return p.Committed()
        case WriteCard():
            return registers.write(tables, item)
        case p.Fire():
            return schedules.fire(tables, item, lambda pending: _insert(tables, pending))
        case WriteSchedule():
            return schedules.write(tables, item)
        case PauseSchedule():
            return schedules.pause(tables, item)
        case ResetSchedule():
            return schedules.reset(tables, item)
        case PromiseAnswer() | GiveAnswer() | WithdrawPromise() | LogTrigger() | UseKey():
            return ledger.write(tables, item)
        case _:
            assert_never(item)


def _beat(tables: Tables, item: p.Beat) -> None:
    if item.until == p.GONE:
        tables.workers.pop(item.worker, None)
        tables.tasks.pop(item.worker, None)
    else:
        tables.workers[item.worker], tables.tasks[item.worker] = item.until, frozenset(item.tasks)


def _create(tables: Tables, item: p.Create) -> p.Outcome:
    record = item.pending.record
    key = None if item.key is None else (record.organization, item.key)
    if key is not None and tables.keys.get(key, record.id) != record.id:
        return p.Duplicate(tables.keys[key])
    if record.id in tables.rows:
        return p.Committed() if _is_sent_again(tables, item) else p.Duplicate(record.id)
    if item.active and not versions.is_active(tables, item.version):
        return p.GuardFailed(p.OUTDATED)
    row = _insert(tables, item.pending)
    if item.model is not None:
        versions.keep_model(tables, record.digest, item.model.data, item.model.dialect)
    if key is not None:
        tables.keys[key] = record.id
    if item.owner is not None:
        row.owner, row.epoch = item.owner, 1
    _say(tables, item.audit)
    if item.note is not None:
        ledger.log(tables, started_by(item.note, record.id))
    return p.Committed()


def _is_sent_again(tables: Tables, item: p.Create) -> bool:
    execution = item.pending.record.id
    there = tables.rows[execution]
    if item.owner is not None:
        return (there.owner, there.epoch, len(there.facts)) == (item.owner, 1, 0)
    keys = [key for (_, key), used_for in tables.keys.items() if used_for == execution]
    wanted = [] if item.key is None else [item.key]
    return keys == wanted and p.is_the_same(item.pending, there.record, there.start)


def _insert(tables: Tables, pending: p.Pending, born: int | None = None) -> Row:
    pos = _next_pos(tables)
    row = Row(pending.record, pending.start, pos, pos if born is None else born)
    tables.rows[pending.record.id] = tables.stirring[pending.record.id] = row
    return row


def _insert_named(tables: Tables, pending: p.Pending) -> None:
    """One whose workflow may be named by its name."""
    record = pending.record
    if record.id not in tables.rows:
        found = versions.find(tables, record.organization, record.workflow)
        record = record if found is None else replace(record, workflow=found.id)
        _insert(tables, p.Pending(record, pending.start))


def _fork(tables: Tables, item: p.Fork) -> p.Outcome:
    record, origin = item.record, tables.rows.get(item.origin)
    if record.id in tables.rows:
        return p.Duplicate(record.id)
    mine = origin is not None and origin.record.organization == record.organization
    if origin is None or not mine or not 0 < item.upto <= len(origin.facts):
        return p.Refused(f"there is no execution {item.origin!r} with {item.upto} facts to go on from")
    if item.key is not None:
        used = tables.keys.setdefault((record.organization, item.key), record.id)
        if used != record.id:
            return p.Duplicate(used)
    row = _insert(tables, p.Pending(record, Start(0, "")))
    row.start, row.epoch = None, 1
    _append(tables, row, (*origin.facts[: item.upto], *item.facts))
    row.consumed |= origin.consumed
    row.record = replace(record, seq=len(row.facts))
    _change(tables, row, item)
    _post(tables, row, p.Message(record.id, item.first, "fork"))
    _say(tables, item.audit)
    return p.Committed()


def _say(tables: Tables, audit: WriteCard | None) -> None:
    if audit is not None:
        registers.enter(tables, audit)


def _hand_over(tables: Tables, item: p.HandOver) -> p.Outcome:
    row = tables.rows.get(item.execution)
    if row is None or (row.owner, row.epoch) != (item.owner, item.epoch):
        return p.Fenced()
    row.owner, row.handed_over, row.uncalled = None, not item.rests, dict(item.uncalled)
    if item.unreadable is not None:
        tables.aside.add((item.owner, item.execution if item.unreadable == "execution" else row.record.digest))
    tables.stirring[item.execution] = row
    return p.Committed()


def _park(tables: Tables, item: p.Park) -> p.Outcome:
    row = tables.rows.get(item.execution)
    if row is None or (row.owner, row.epoch) != (item.owner, item.epoch):
        return p.Fenced()
    row.owner, row.handed_over, row.uncalled = None, False, dict(item.uncalled)
    row.crashes, row.unread = max(row.crashes, tables.crashes_max), frozenset(row.inbox)
    status = "waiting" if row.record.ended_at is None else row.record.status
    row.record = replace(row.record, status=status, waiting=Waiting("operator", "", item.at, on=item.reason))
    return p.Committed()


def _decline(tables: Tables, item: p.Decline) -> p.Outcome:
    key = (item.organization, item.event)
    if key not in tables.unrouted:
        return p.Duplicate(item.event)
    del tables.unrouted[key]
    tables.declined[key] = ((EVENT_ITSELF, item.reason),)
    registers.enter(tables, p.decline_entry(item))
    return p.Committed()


def _reroute(tables: Tables, item: p.Reroute) -> p.Outcome:
    key = (item.organization, item.event)
    if key not in tables.events:
        return p.no_event(item.event)
    if not any(workflow == EVENT_ITSELF for workflow, _ in tables.declined.get(key, ())):
        return p.not_declined(item.event)
    del tables.declined[key]
    tables.unrouted[key] = None
    _say(tables, item.audit)
    return p.Committed()


def _advance(tables: Tables, item: p.Advance) -> p.Outcome:
    row = tables.rows.get(item.execution)
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
        approval = _approval(tables, item.execution, op)
        if approval.status != "pending":
            return p.GuardFailed(f"approval {approval.id} is {approval.status}")
    _append(tables, row, item.facts)
    if item.record.ended_at is not None and row.record.ended_at != item.record.ended_at:
        tables.ends.append(item.execution)
    row.record = replace(item.record, seq=len(row.facts))
    row.start, row.handed_over = None, False
    if item.progress:
        row.crashes = 0
    if item.snapshot is not None:
        row.snapshot = (len(row.facts), item.snapshot, item.form)
    _change(tables, row, item)
    if item.release and not row.inbox:
        row.owner = None
        if not row.record.live:
            del tables.stirring[row.record.id]
        return p.Committed(released=True)
    return p.Committed()


def _append(tables: Tables, row: Row, facts: tuple[f.Fact, ...]) -> None:
    for fact in facts:
        row.facts.append(fact)
        tables.told_max += 1
        tables.told.append((tables.told_max, row.record.id, len(row.facts)))
        scope = scope_of(fact)
        if scope:
            row.within.setdefault(scope, []).append(fact)
        event_id = consumed_by(fact)
        if event_id is not None:
            row.consumed.add(event_id)


def _change(tables: Tables, row: Row, item: p.Advance | p.Fork) -> None:
    execution, changes, at = row.record.id, item.changes, p.committed_at(item)
    for pos in changes.seen:
        row.inbox.pop(pos, None)
    for event_id in changes.declined:
        tables.deliveries.discard((event_id, execution))
    for wait in changes.waits_opened:
        row.waits[wait.op] = wait
    for op in changes.waits_closed:
        row.waits.pop(op, None)
    for approval in changes.approvals_opened:
        tables.approvals[approval.id] = approval
        tables.approval_ids[execution, approval.op] = approval.id
        tables.approvals_opened += 1
        tables.approval_places[approval.id] = tables.approvals_opened
        _audit(tables, approval, item)
    for op, to in changes.approvals_overdue:
        approval = _approval(tables, execution, op)
        tables.approvals[approval.id] = marked_overdue(approval, to, at)
    for op, decision in changes.approvals_settled:
        approval = _approval(tables, execution, op)
        tables.approvals[approval.id] = settled(approval, decision, at)
        _audit(tables, tables.approvals[approval.id], item)
    for op in changes.approvals_closed:
        approval = _approval(tables, execution, op)
        if approval.status == "pending":
            tables.approvals[approval.id] = settled(approval, None, at)
    for pending in changes.starts:  # before the messages: one of them may be for a child of this very commit
        _insert_named(tables, pending)
    for message in changes.messages:
        _send(tables, message)
    for event in changes.events:
        _publish(tables, event)
    for notice in changes.notices:
        _give_notice(tables, notice)


def _give_notice(tables: Tables, notice: p.Notice) -> None:
    record = notice.pending.record
    if record.id not in tables.rows and is_wanted(
        notice.topic, registers.page(tables, record.organization, NOTIFIERS, "", NOTIFIERS_MAX)
    ):
        versions.keep_model(tables, record.digest, notice.model.data, notice.model.dialect)
        _insert(tables, notice.pending)


def _send(tables: Tables, message: p.Message) -> p.Outcome:
    row = tables.rows.get(message.execution)
    if row is None:
        return p.Refused(f"there is no execution {message.execution!r}")
    if message.dedup in row.dedups:
        return p.Duplicate(message.dedup)
    row.dedups.add(message.dedup)
    _post(tables, row, message)
    return p.Committed()


def _deliver(tables: Tables, item: p.Deliver) -> p.Outcome:
    row = tables.rows.get(item.message.execution)
    if row is None:
        return p.Refused(f"there is no execution {item.message.execution!r}")
    if item.version is not None:
        if item.message.dedup in row.dedups:  # sent again because the answer was lost
            return p.Duplicate(item.message.dedup)
        guarded = p.guarded(item.version, len(row.facts), len(row.inbox))
        if guarded is not None:
            return guarded
    if not row.record.live and not item.force:
        return p.Refused(f"execution {row.record.id!r} is {row.record.status} and nothing of it is open")
    sent = _send(tables, item.message)
    if isinstance(sent, p.Committed):
        _say(tables, item.audit)
    return sent


def _publish(tables: Tables, event: EventRecord, note: LogTrigger | None = None) -> p.Outcome:
    key = (event.organization, event.id)
    if key in tables.events:
        return p.Duplicate(event.id)
    tables.events[key] = replace(event, pos=_next_pos(tables))
    tables.unrouted[key] = None
    if note is not None:
        ledger.log(tables, note)
    return p.Committed()


def _route(tables: Tables, item: p.Route) -> p.Outcome:
    key = (item.event.organization, item.event.id)
    if key not in tables.unrouted or tables.reached.get(key, 0) != item.after:
        return p.Duplicate(item.event.id)
    for execution in item.targets:
        _deliver_event(tables, execution, item.event, item.at)
    others = {place for place, ref, id_ in item.meant if _means_another(tables, item.event.organization, ref, id_)}
    for place, pending in enumerate(item.starts):
        if place not in others and pending.record.id not in tables.rows:
            _insert(tables, pending, tables.events[key].pos)
    if item.reached is not None:
        tables.reached[key] = item.reached
        return p.Committed()
    if item.declined:
        tables.declined[key] = item.declined
    del tables.unrouted[key]
    tables.reached.pop(key, None)
    return p.Committed()


def _means_another(tables: Tables, organization: str, ref: str, workflow: str) -> bool:
    found = versions.find(tables, organization, ref)
    return found is not None and found.id != workflow


def _looked_back(tables: Tables, item: p.LookedBack) -> p.Outcome:
    row = tables.rows.get(item.execution)
    if row is None:  # forgotten in the meantime
        return p.Committed()
    if item.op in row.waits:
        row.waits[item.op] = replace(row.waits[item.op], look_back=False)
    for event in item.events:
        routed = (event.organization, event.id) not in tables.unrouted
        _deliver_event(tables, item.execution, event, item.at, found_by=item.op if routed else 0)
    return p.Committed()


def _deliver_event(tables: Tables, execution: str, event: EventRecord, at: int, *, found_by: int = 0) -> None:
    """Once to each execution, until it is declined."""
    row = tables.rows.get(execution)
    if row is None:  # forgotten in the meantime
        return
    if (event.id, execution) not in tables.deliveries and event.id not in row.consumed and row.record.live:
        tables.deliveries.add((event.id, execution))
        arrived = e.EventArrived(max(at, event.at), event, found_by)
        _post(tables, row, p.Message(execution, arrived, f"event:{event.id}"))


def _decide(tables: Tables, item: p.Decide) -> p.Outcome:
    approval = tables.approvals.get(item.approval)
    outcome = voting.ruled(approval, item)
    if outcome is not None:
        _keep_over(tables, approval, item)
        return outcome
    assert approval is not None
    tables.approvals[item.approval], event = voting.voted(approval, item)
    if item.writer:
        registers.enter(tables, voting.audited(item, tables.approvals[item.approval]))
    if event is not None:
        _send(tables, p.Message(approval.execution, event, f"approval:{approval.id}"))
        if item.notice is not None:
            _give_notice(tables, item.notice)
    return p.Committed()


def _audit(tables: Tables, approval: ApprovalRecord, item: p.Advance | p.Fork) -> None:
    if isinstance(item, p.Advance) and voting.is_decided_by_time(approval, item):
        registers.enter(tables, voting.audited_of_time(approval, item))


def _claim(tables: Tables, item: TakeOn | LetGo) -> p.Outcome:
    approval = tables.approvals.get(item.approval)
    if approval is None or approval.organization != item.organization:
        return voting.no_approval(item.approval)
    after = taken_on(approval, item) if isinstance(item, TakeOn) else let_go(approval, item)
    if isinstance(after, str):
        _keep_over(tables, approval, item)
        return p.GuardFailed(after)
    if after != approval:
        tables.approvals[after.id] = after
        if item.writer:
            registers.enter(tables, claim_audited(approval, item))
    return p.Committed()


def _link(tables: Tables, item: GiveLink) -> p.Outcome:
    approval = tables.approvals.get(item.approval)
    if approval is None or approval.organization != item.organization:
        return voting.no_approval(item.approval)
    reason = useless(approval, item)
    if reason is not None:
        return p.GuardFailed(reason)
    if item.writer:
        registers.enter(tables, link_audited(item))
    return p.Committed()


def _keep_over(tables: Tables, approval: ApprovalRecord | None, item: p.Decide | TakeOn | LetGo) -> None:
    over = told_that_it_is_over(approval, item.at, item.organization)
    if over is not None:
        tables.approvals[over.id] = over


def _approval(tables: Tables, execution: str, op: int) -> ApprovalRecord:
    return tables.approvals[tables.approval_ids[execution, op]]


def _post(tables: Tables, row: Row, message: p.Message) -> None:
    row.inbox[_next_pos(tables)] = message
    tables.stirring[message.execution] = row


def _next_pos(tables: Tables) -> int:
    tables.pos += 1
    return tables.pos
