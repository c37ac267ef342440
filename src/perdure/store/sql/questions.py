"""What may be asked of executions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import msgspec
from msgspec.structs import asdict

from perdure.core.events import Event
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord
from perdure.store import port as p
from perdure.store.happened import Happened, decline_reason
from perdure.store.port import Unreadable
from perdure.store.questions import Backlog, Due, Entry, Found, Look, Unrouted, Wanted
from perdure.store.sql import rows
from perdure.store.sql.reading import Reading
from perdure.store.sql.statements import Statements

ALWAYS = (1 << 63) - 1
LAST = "\U0010ffff"
"""No character comes after it."""


class SqlQuestions:
    """`at_one_moment` is a transaction in which nothing changes. `lives` says whether a worker does, given until when its lease
    goes and what time it is.
    """

    def __init__(
        self,
        statements: Statements,
        reading: Reading,
        at_one_moment: Callable[[], AbstractContextManager[object]],
        lives: Callable[[str, int, int], bool],
    ) -> None:
        self._sql = statements
        self._reading, self._at_one_moment, self._worker_lives = reading, at_one_moment, lives

    def executions(self, wanted: Wanted) -> list[Found]:
        given = asdict(wanted)
        given["before"] = ALWAYS if wanted.before is None else wanted.before
        given["started_after"] = 0 if wanted.started_after is None else wanted.started_after
        given["started_before"] = ALWAYS if wanted.started_before is None else wanted.started_before
        places = [eid for (eid,) in self._sql.all(_index(wanted), given)]
        return [Found(eid, rows.execution(tuple(row))) for eid, *row in self._sql.all("records", (rows.text(places),))]

    def history(self, execution: str, after: int, limit: int) -> list[Entry]:
        eid = self._eid(execution)
        return [] if eid is None else [self._entry(eid, row) for row in self._sql.all("history", (eid, after, limit))]

    def history_of_step(self, execution: str, step: int, limit: int) -> list[Entry]:
        eid = self._eid(execution)
        if eid is None:
            return []
        found = self._sql.all("history_of_step", {"eid": eid, "step": step, "limit": limit})
        return [self._entry(eid, row) for row in reversed(found)]

    def look(self, execution: str, form: int) -> Look | None:
        """Its parts are read one after the other, but at one moment."""
        with self._at_one_moment():
            record = self._reading.record(execution)
            if record is None:
                return None
            eid, owner, crashes, mail, start = self._sql.one("standing", (execution,))
            seq, snapshot = self._sql.one("snapshot", (eid, form)) or (0, None)
            facts = self._reading.facts_after(eid, seq)
            found = facts if isinstance(facts, Unreadable) else tuple(facts)
            uncalled = tuple(self._sql.all("uncalled", (eid,)))
            return Look(record, rows.start_of(start), snapshot, found, owner, crashes, mail, uncalled)

    def unseen(self, execution: str) -> list[Event]:
        eid = self._eid(execution)
        mail = () if eid is None else self._reading.inboxes([eid]).get(eid, ())
        return [] if isinstance(mail, Unreadable) else [each.event for each in mail]

    def ids_beginning(self, organization: str, prefix: str, limit: int) -> list[str]:
        return [id_ for (id_,) in self._sql.all("ids_beginning", (organization, prefix, prefix + LAST, limit))]

    def approvals_of(self, execution: str) -> list[ApprovalRecord]:
        return [rows.approval(data) for (data,) in self._sql.all("approvals_of", (execution,))]

    def event(self, organization: str, id_: str) -> Happened | None:
        found = self._sql.one("event", (organization, id_))
        return None if found is None else _happened(found)

    def happened(self, organization: str, before: int | None, limit: int) -> list[Happened]:
        return [_happened(row) for row in self._sql.all("happened", (organization, before or ALWAYS, limit))]

    def taken_by(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        return self._records([eid for (eid,) in self._sql.all("taken_by", (id_, organization, limit))])

    def told_to(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        return self._records([eid for (eid,) in self._sql.all("told_to", (id_, organization, limit))])

    def _records(self, eids: list[int]) -> list[ExecutionRecord]:
        """In the order in which they came."""
        found = self._sql.all("records", (rows.text(eids),))
        return [rows.execution(tuple(row)) for _, *row in reversed(found)]

    def living(self, now: int) -> dict[str, frozenset[str]]:
        known = self._sql.all("workers")
        return {worker: rows.names(tasks) for worker, until, tasks in known if self._worker_lives(worker, until, now)}

    def wanted_tools(self, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
        return [(organization, task) for organization, task in self._sql.all("wanted_tools", (*after, limit))]

    def waiting_for(self, organization: str, task: str, limit: int) -> list[str]:
        return [id_ for (id_,) in self._sql.all("waiting_for", (task, organization, limit))]

    def next_due(self, now: int, horizon: int, until: int) -> int | None:
        found: int | None = self._sql.one("next_due", {"now": now, "horizon": horizon, "until": until})[0]
        return found

    def first_due(self) -> Due | None:
        found = self._sql.one("first_due")
        return None if found is None else Due(*found)

    def open_count(self) -> int:
        return int(self._sql.one("open_count")[0])

    def oldest_unrouted(self) -> Unrouted | None:
        found = self._sql.one("oldest_unrouted")
        if found is None:
            return None
        pos, data = found
        try:
            return Unrouted(pos, rows.event_record(data, pos).at)
        except p.DATA_ERRORS:
            return Unrouted(pos, None)

    def backlog(self, now: int, limit: int) -> Backlog:
        return Backlog(*self._sql.one("backlog", {"now": now, "limit": limit}))

    def open_count_of(self, organization: str, limit: int) -> int:
        return int(self._sql.one("open_count_of", {"organization": organization, "limit": limit})[0])

    def _eid(self, execution: str) -> int | None:
        found = self._sql.one("whose", (execution,))
        return None if found is None else int(found[0])

    def _entry(self, eid: int, row: tuple[Any, ...]) -> Entry:
        seq, kind, parts, data = row
        try:
            return Entry(seq, kind, self._reading.fact_of(eid, (seq, parts, data)))
        except msgspec.DecodeError as error:
            return Entry(seq, kind, Unreadable(str(error)))


def _happened(row: tuple[int, str, str, str, bool, str | None, str]) -> Happened:
    """An event whose data is damaged is listed with what its row says of it."""
    pos, id_, type_, organization, routed, declined, data = row
    reasons = () if declined is None else msgspec.json.decode(declined, type=tuple[tuple[str, str], ...])
    try:
        record = rows.event_record(data, pos)
    except p.DATA_ERRORS:
        record = EventRecord(id_, type_, 0, organization=organization, pos=pos)
    return Happened(record, bool(routed) and decline_reason(reasons) is None, reasons)


def _index(wanted: Wanted) -> str:
    """The list that has the least to go through."""
    if wanted.parent is not None:
        return "by_parent"
    if wanted.correlation_id is not None:
        return "by_correlation"
    if wanted.status is not None:
        return "by_status"
    if wanted.workflow is not None:
        return "by_workflow"
    if wanted.started_after is not None or wanted.started_before is not None:
        return "by_time"
    return "all_of_them"
