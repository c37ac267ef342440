"""Stores over SQL that can be looked into as the one in memory can: what worlds, summaries and invariants ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.commands import OpenWait
from perdure.model import codec
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.schedules import ScheduleRow
from perdure.store.sql import rows
from perdure.store.sql.claiming import Claiming
from perdure.store.sql.reading import Reading
from perdure.store.sql.schedules import schedule_row
from perdure.store.sql.statements import queries
from perdure.store.sqlite.store import SqliteStore


class Row(Struct, frozen=True):
    """One execution and all that belongs to it, as it is now."""

    record: ExecutionRecord
    start: Start | None
    facts: list[f.Fact]
    snapshot: tuple[int, bytes, int] | None
    owner: str | None
    epoch: int
    crashes: int
    inbox: dict[int, p.Message]
    waits: dict[int, OpenWait]


class _Rows(Mapping[str, Row]):
    """Read anew each time."""

    def __init__(self, store: Inspected) -> None:
        self._store = store

    def __len__(self) -> int:
        return int(self._store.ask("SELECT count(*) FROM executions")[0][0])

    def __iter__(self) -> Iterator[str]:
        return iter([id_ for (id_,) in self._store.ask("SELECT id FROM executions ORDER BY eid")])

    def __getitem__(self, execution: str) -> Row:
        store = self._store
        found = store.ask(store.queries["record"], (execution,))
        if not found:
            raise KeyError(execution)
        eid, epoch, start, *record = found[0]
        ((owner, crashes),) = store.ask("SELECT owner, crashes FROM executions WHERE eid = ?", (eid,))
        snapshot = store.ask("SELECT seq, data, form FROM snapshots WHERE eid = ?", (eid,))
        return Row(
            record=rows.execution(tuple(record)),
            start=rows.start_of(start),
            facts=store.facts(eid),
            snapshot=tuple(snapshot[0]) if snapshot else None,
            owner=owner,
            epoch=epoch,
            crashes=crashes,
            inbox={
                pos: p.Message(execution, rows.event_of(data), "")
                for pos, data in store.ask("SELECT pos, data FROM inbox WHERE eid = ? ORDER BY pos", (eid,))
            },
            waits={
                op: OpenWait(op, pattern, bool(look_back), place, key)
                for op, pattern, look_back, place, key in store.ask(
                    "SELECT op, pattern, look_back, place, key FROM waits WHERE eid = ?", (eid,)
                )
            },
        )


class Inspected:
    """`ask` puts a question of one's own. `queries` are those of the store, by name."""

    queries: Mapping[str, str]
    _claiming: Claiming
    _reading: Reading

    def ask(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        raise NotImplementedError

    @property
    def rows(self) -> Mapping[str, Row]:
        return _Rows(self)

    @property
    def approvals(self) -> dict[str, ApprovalRecord]:
        found = self.ask(
            "SELECT approval_items.id, data FROM approval_items JOIN executions USING (eid) ORDER BY eid, op"
        )
        return {id_: rows.approval(data) for id_, data in found}

    @property
    def events(self) -> dict[tuple[str, str], EventRecord]:
        found = self.ask("SELECT organization, id, pos, data FROM events ORDER BY pos")
        return {(organization, id_): rows.event_record(data, pos) for organization, id_, pos, data in found}

    @property
    def declined(self) -> dict[tuple[str, str], Any]:
        found = self.ask("SELECT organization, id, declined FROM events WHERE declined IS NOT NULL")
        return {(organization, id_): rows.pairs(data) for organization, id_, data in found}

    @property
    def subscriptions(self) -> dict[tuple[str, str], tuple[str, Workflow]]:
        """Every version, by its name and digest."""
        found = self.ask("SELECT digest, data FROM models")
        return {(digest, digest): (digest, codec.decode(data)) for digest, data in found}

    @property
    def schedules(self) -> dict[tuple[str, str, str], ScheduleRow]:
        found = [
            schedule_row(row)
            for row in self.ask(
                "SELECT organization, workflow, digest, spec, paused, next_at, last_slot, last_execution, skipped, added, "
                "reset_at FROM schedules ORDER BY workflow, id"
            )
        ]
        return {(row.organization, row.workflow, row.schedule.id): row for row in found}

    def is_parked(self, row: Row) -> bool:
        return row.crashes >= self._claiming.crashes_max

    def facts(self, eid: int) -> list[f.Fact]:
        found = self._reading.facts_after(eid, 0)
        assert not isinstance(found, p.Unreadable), found.why
        return found


class InspectedSqlite(Inspected, SqliteStore):
    queries = queries("perdure.store.sqlite", "queries.sql")

    def ask(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        return self.connection.execute(sql, parameters).fetchall()
