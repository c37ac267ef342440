"""Forgetting what has long ended. In memory, it may look at everything."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.model.records import EventRecord, ExecutionRecord
from perdure.store.memory.tables import Row, Tables
from perdure.store.port import Tally


def ended(tables: Tables, before: int, statuses: Sequence[str]) -> list[ExecutionRecord]:
    """What may be forgotten, the first to end first."""
    found = [row.record for row in tables.rows.values() if _may_be_forgotten(tables, row, before)]
    wanted = [record for record in found if not statuses or record.status in statuses]
    return sorted(wanted, key=lambda record: record.ended_at or 0)


def forget(
    tables: Tables,
    ended_before: int,
    limit: int,
    events_before: int | None,
    statuses: Sequence[str],
    tally: Tally,
) -> int:
    chosen = {record.id for record in ended(tables, ended_before, statuses)[:limit]}
    _forget(tables, chosen)
    tally.executions += len(chosen)
    if statuses:
        return len(chosen)
    before = ended_before if events_before is None else events_before
    events = _forget_events(tables, before, limit, whatever_looks_back=events_before is not None)
    models = 0 if chosen or events else _forget_models(tables)
    tally.events += events
    tally.models += models
    return len(chosen) + events + models


def _may_be_forgotten(tables: Tables, row: Row, ended_before: int) -> bool:
    record = row.record
    if record.live or row.owner is not None or row.inbox or row.crashes >= tables.crashes_max:
        return False
    if record.ended_at is None or record.ended_at >= ended_before:
        return False
    if record.id == next(reversed(tables.rows)) or (tables.told and record.id == tables.told[-1][1]):
        return False
    parent = tables.rows.get(record.parent or "")
    return not (parent is not None and parent.record.live) and not any(
        child.record.live and child.record.parent_op and child.record.parent == record.id
        for child in tables.stirring.values()
    )


def _forget(tables: Tables, gone: set[str]) -> None:
    for pos, execution, _ in tables.told:
        if execution in gone:
            organization = tables.rows[execution].record.organization
            tables.forgotten[organization] = max(pos, tables.forgotten.get(organization, 0))
    tables.rows = {execution: row for execution, row in tables.rows.items() if execution not in gone}
    tables.told = [told for told in tables.told if told[1] not in gone]
    tables.keys = {key: execution for key, execution in tables.keys.items() if execution not in gone}
    tables.deliveries = {delivery for delivery in tables.deliveries if delivery[1] not in gone}
    for asked in [key for key in tables.approval_ids if key[0] in gone]:
        id_ = tables.approval_ids.pop(asked)
        del tables.approvals[id_], tables.approval_places[id_]


def _forget_events(tables: Tables, before: int, limit: int, *, whatever_looks_back: bool) -> int:
    newest = max((event.pos for event in tables.events.values()), default=0)
    chosen = [
        key
        for key, event in tables.events.items()
        if key not in tables.unrouted
        and event.at < before
        and event.pos < newest
        and (whatever_looks_back or not _looked_back_to(tables, event))
    ][:limit]
    for key in chosen:
        del tables.events[key]
        tables.declined.pop(key, None)
    return len(chosen)


def _looked_back_to(tables: Tables, event: EventRecord) -> bool:
    """Whether an execution is older than it that can still wait for one; a failed one can, once retried."""
    return any(
        row.record.organization == event.organization
        and row.born < event.pos
        and row.record.status not in ("completed", "cancelled")
        for row in tables.rows.values()
    )


def _forget_models(tables: Tables) -> int:
    """With the versions that were a model alone: no document, not active, not the newest."""
    used = {row.record.digest for row in tables.rows.values()}
    for known in tables.versions.values():
        used |= {each.digest for each in known if each.status == "active" or each.document is not None}
        used.add(known[-1].digest)
    unused = tables.models.keys() - used
    for digest in unused:
        del tables.models[digest]
        tables.dialects.pop(digest, None)
    for whose, known in tables.versions.items():
        tables.versions[whose] = [each for each in known if each.digest not in unused]
    return len(unused)
