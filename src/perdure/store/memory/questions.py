"""What may be asked of executions, in memory: it may look at everything. Whoever writes does so in another thread: what is gone
through is copied first.
"""

from __future__ import annotations

from itertools import islice
from typing import get_args

from perdure.core import facts as f
from perdure.core.events import Event
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord
from perdure.store.happened import Happened, decline_reason
from perdure.store.memory.tables import Row, Tables
from perdure.store.questions import Backlog, Due, Entry, Found, Look, Unrouted, Wanted

WHOLE = tuple(fact for fact in get_args(f.Fact) if str(fact.__struct_config__.tag).startswith("execution."))
"""The facts about an execution as a whole."""


def executions(tables: Tables, wanted: Wanted) -> list[Found]:
    rows = sorted(tables.rows.copy().values(), key=lambda row: row.pos, reverse=True)
    found = (Found(row.pos, row.record) for row in rows if _is_wanted(row, wanted))
    return list(islice(found, wanted.limit))


def _is_wanted(row: Row, wanted: Wanted) -> bool:
    record = row.record
    return (
        record.organization == wanted.organization
        and (wanted.before is None or row.pos < wanted.before)
        and wanted.status in (None, record.status)
        and wanted.workflow in (None, record.workflow)
        and record.workflow != wanted.hidden
        and wanted.correlation_id in (None, record.correlation_id)
        and wanted.parent in (None, record.parent)
        and _started_within(record, wanted)
    )


def _started_within(record: ExecutionRecord, wanted: Wanted) -> bool:
    after, before = wanted.started_after, wanted.started_before
    return (after is None or record.started_at >= after) and (before is None or record.started_at < before)


def history(tables: Tables, execution: str, after: int, limit: int) -> list[Entry]:
    row = tables.rows.get(execution)
    if row is None:
        return []
    return [_entry(seq, fact) for seq, fact in enumerate(row.facts[after : after + limit], after + 1)]


def history_of_step(tables: Tables, execution: str, step: int, limit: int) -> list[Entry]:
    row = tables.rows.get(execution)
    if row is None:
        return []
    own = {seq for seq, fact in enumerate(row.facts, 1) if getattr(fact, "step", None) == step}
    facts = list(enumerate(row.facts, 1))
    about = [
        seq
        for seq, fact in facts
        if seq in own or isinstance(fact, WHOLE) or (not hasattr(fact, "step") and getattr(fact, "op", 0) in own)
    ]
    entering = [seq for seq, fact in facts if seq in own and _is_outside(fact)]
    wanted = {*about[-limit:], *entering[-limit:]}
    return [_entry(seq, fact) for seq, fact in facts if seq in wanted]


def _is_outside(fact: f.Fact) -> bool:
    """Not of one item of a forEach, or of one round of a loop."""
    return isinstance(fact, f.ForEachOpened | f.LoopOpened) or not getattr(fact, "scope", 0)


def look(tables: Tables, execution: str, form: int) -> Look | None:
    row = tables.rows.get(execution)
    if row is None:
        return None
    seq, snapshot, _ = row.snapshot if row.snapshot is not None and row.snapshot[2] == form else (0, None, form)
    return Look(
        row.record,
        row.start,
        snapshot,
        tuple(row.facts[seq:]),
        row.owner,
        row.crashes,
        len(row.inbox),
        tuple(row.uncalled.items()),
    )


def unseen(tables: Tables, execution: str) -> list[Event]:
    row = tables.rows.get(execution)
    return [] if row is None else [message.event for _, message in sorted(row.inbox.copy().items())]


def ids_beginning(tables: Tables, organization: str, prefix: str, limit: int) -> list[str]:
    rows = tables.rows.copy().values()
    found = (row.record.id for row in rows if row.record.organization == organization)
    return sorted(id_ for id_ in found if id_.startswith(prefix))[:limit]


def approvals_of(tables: Tables, execution: str) -> list[ApprovalRecord]:
    found = [approval for approval in list(tables.approvals.values()) if approval.execution == execution]
    return sorted((one for one in found if one.status == "pending"), key=lambda approval: approval.op)


def event(tables: Tables, organization: str, id_: str) -> Happened | None:
    found = tables.events.get((organization, id_))
    return None if found is None else _happened(tables, found)


def happened(tables: Tables, organization: str, before: int | None, limit: int) -> list[Happened]:
    found = [each for each in reversed(list(tables.events.copy().values())) if each.organization == organization]
    return [_happened(tables, each) for each in found if before is None or each.pos < before][:limit]


def _happened(tables: Tables, event: EventRecord) -> Happened:
    key = (event.organization, event.id)
    declined = tables.declined.get(key, ())
    return Happened(event, key not in tables.unrouted and decline_reason(declined) is None, declined)


def taken_by(tables: Tables, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
    return [row.record for row in _of(tables, organization) if id_ in row.consumed][:limit]


def told_to(tables: Tables, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
    return [row.record for row in _of(tables, organization) if (id_, row.record.id) in tables.deliveries][:limit]


def _of(tables: Tables, organization: str) -> list[Row]:
    rows = [row for row in tables.rows.copy().values() if row.record.organization == organization]
    return sorted(rows, key=lambda row: row.pos)


def living(tables: Tables, now: int) -> dict[str, frozenset[str]]:
    alive = sorted(worker for worker, until in list(tables.workers.items()) if until > now)
    return {worker: tables.tasks.get(worker, frozenset()) for worker in alive}


def wanted_tools(tables: Tables, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
    rows = list(tables.stirring.values())
    found = {(row.record.organization, task) for row in rows for task in list(row.uncalled.values()) if "/" in task}
    return sorted(each for each in found if each > after)[:limit]


def waiting_for(tables: Tables, organization: str, task: str, limit: int) -> list[str]:
    rows = [row for row in _of(tables, organization) if row.owner is None and not row.inbox]
    return [row.record.id for row in rows if task in row.uncalled.values()][:limit]


def next_due(tables: Tables, now: int, horizon: int, until: int) -> int | None:
    times = [
        row.record.wake_at
        for row in list(tables.stirring.values())
        if row.owner is None
        and row.record.live
        and row.record.wake_at is not None
        and now < row.record.wake_at <= (horizon if row.record.status == "waiting" else until)
    ]
    return min(times, default=None)


def first_due(tables: Tables) -> Due | None:
    waking = [
        Due(row.record.id, row.record.wake_at)
        for row in list(tables.stirring.values())
        if row.owner is None and row.record.live and row.record.wake_at is not None
    ]
    return min(waking, key=lambda due: due.at, default=None)


def open_count(tables: Tables) -> int:
    return sum(row.record.live and row.record.ended_at is None for row in list(tables.stirring.values()))


def oldest_unrouted(tables: Tables) -> Unrouted | None:
    first = next(iter(tables.unrouted), None)
    return None if first is None else Unrouted(tables.events[first].pos, tables.events[first].at)


def backlog(tables: Tables, now: int, limit: int) -> Backlog:
    rows = list(tables.stirring.values())
    free = [row.record for row in rows if row.owner is None and row.record.live]
    waking = [each.wake_at for each in free if each.wake_at is not None]
    return Backlog(
        open=min(open_count(tables), limit),
        ready=min(sum(row.owner is None and bool(row.inbox or row.start or row.handed_over) for row in rows), limit),
        timed=min(len(waking), limit),
        overdue=min(sum(at <= now for at in waking), limit),
        approvals=min(sum(each.status == "pending" for each in list(tables.approvals.values())), limit),
        unrouted=min(len(tables.unrouted), limit),
        oldest_due_at=min(waking, default=None),
    )


def open_count_of(tables: Tables, organization: str, limit: int) -> int:
    records = [row.record for row in list(tables.stirring.values())]
    mine = [each for each in records if each.organization == organization]
    return min(sum(each.live and each.ended_at is None for each in mine), limit)


def _entry(seq: int, fact: f.Fact) -> Entry:
    return Entry(seq, str(fact.__struct_config__.tag), fact)
