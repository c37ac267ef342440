"""What may be asked of approvals, in memory: it may look at everything."""

from __future__ import annotations

from itertools import islice

from perdure.model.records import ApprovalRecord
from perdure.store.approvals import FoundApproval, WantedApprovals, is_asked, key, places, standings
from perdure.store.memory.tables import Tables


def wanted(tables: Tables, wanted: WantedApprovals) -> list[FoundApproval]:
    every = sorted(((place, id_) for id_, place in tables.approval_places.copy().items()), reverse=True)
    there = ((place, tables.approvals[id_]) for place, id_ in every if id_ in tables.approvals)
    found = (FoundApproval(place, record) for place, record in there if _is_wanted(place, record, wanted))
    return list(islice(found, wanted.limit))


def _is_wanted(place: int, record: ApprovalRecord, wanted: WantedApprovals) -> bool:
    by = places(record)
    return (
        record.organization == wanted.organization
        and (wanted.before is None or place < wanted.before)
        and (record.status, by.late) in standings(wanted)
        and wanted.workflow in (None, record.workflow)
        and wanted.execution in (None, record.execution)
        and (wanted.resource is None or tuple(map(key, wanted.resource)) == (by.resource_type, by.resource_id))
        and is_asked(record, wanted.mine)
    )
