"""What is alike in a transaction is written together, in one statement: new executions, and plain steps of executions that this
worker owns. While it runs, the interpreter is free for others.

Writing together is only faster. Either all of it can be written, or none of it is, and the items are committed one after the
other, which alone decides what is refused and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
import msgspec

from perdure.store import port as p
from perdure.store.sqlite import rows
from perdure.store.sqlite.commits import COMMITTED
from perdure.store.sqlite.database import queries

EIDS_MAX = 100_000
EID_STEP = 1 << 20
"""Executions that are created within a millisecond have numbers beside each other, and room between processes."""

NUL = "\\u0000"
"""SQLite ends a text that it takes out of JSON where it holds this."""

RELEASED = p.Committed(released=True)
_encoder = msgspec.json.Encoder()


class NotAll(Exception):
    """Something could not be written, and nothing is."""


class Batch:
    """Rows of one transaction that are written together, and the items that are not, with their places."""

    def __init__(self, count: int) -> None:
        self.outcomes: list[p.Outcome] = [COMMITTED] * count
        self.others: list[tuple[int, p.Item]] = []
        self.versions: dict[tuple[str, str, str], None] = {}
        self.executions: list[tuple[Any, ...]] = []
        self.quiet: list[tuple[Any, ...]] = []
        self.loud: list[tuple[Any, ...]] = []
        self.facts: list[tuple[Any, ...]] = []
        self.events: list[tuple[Any, ...]] = []
        self.released: list[int] = []
        self.stirs = False
        """Whether there is something to claim because of it."""

    def write(self, connection: apsw.Connection) -> None:
        """Raises `NotAll` if not all of it can be written."""
        versions, executions, events = _json(tuple(self.versions)), _json(self.executions), _json(self.events)
        if NUL in executions or NUL in events:
            raise NotAll
        steps = (_json(self.quiet), _json(self.loud), _json(self.facts))
        given = (versions, executions, *steps, events, _json(self.released))
        try:
            connection.execute(queries("together.sql")["write"], given)
        except apsw.ConstraintError as error:
            raise NotAll from error

    def write_executions(self, connection: apsw.Connection) -> None:
        """Only the new executions, and not again: what others there are may be for them."""
        if self.executions:
            alone = Batch(0)
            alone.versions, alone.executions, self.versions, self.executions = self.versions, self.executions, {}, []
            alone.write(connection)


class Together:
    """Remembers the numbers of the executions that are advanced, so that they need not be looked up."""

    def __init__(self, connection: apsw.Connection, chance: int) -> None:
        for name in ("tables", "view", "trigger"):
            connection.execute(queries("together.sql")[name])
        self._eids: dict[str, int] = {}
        self._last = chance % EID_STEP

    def know(self, execution: str, eid: int) -> None:
        if len(self._eids) >= EIDS_MAX:
            self._eids.clear()
        self._eids[execution] = eid

    def batch(self, items: Sequence[p.Item]) -> Batch | None:
        """None: there is nothing to write together, or some execution occurs twice and the order matters."""
        batch = Batch(len(items))
        advanced: set[str] = set()
        for place, item in enumerate(items):
            if type(item) is p.Advance:
                if item.execution in advanced:
                    return None
                advanced.add(item.execution)
                if self._add_step(batch, place, item):
                    continue
            elif type(item) is p.Create and item.key is None:
                self._add_execution(batch, item)
                continue
            batch.others.append((place, item))
        return batch if len(batch.others) < len(items) else None

    def _add_execution(self, batch: Batch, item: p.Create) -> None:
        record = item.pending.record
        if item.active:
            batch.versions[record.organization, record.workflow, record.digest] = None
        self._last = (self._last + 1) % EID_STEP
        eid = record.started_at * EID_STEP + self._last
        batch.executions.append(rows.new_execution(eid, item.pending, item.owner))
        if item.owner is None:
            batch.stirs = True
        else:
            self.know(record.id, eid)

    def _add_step(self, batch: Batch, place: int, item: p.Advance) -> bool:
        """Whether it is a plain one: it changes nothing but its own row and history, and may publish its own end."""
        eid, changes = self._eids.get(item.execution), item.changes
        if eid is None or item.snapshot is not None or not all(map(_is_plain, item.facts)):
            return False
        if changes is not p.NO_CHANGES and not _only_tells_of_itself(changes):
            return False
        seq = item.after
        for fact in item.facts:
            seq += 1
            batch.facts.append((eid, seq, rows.KINDS[type(fact)].name, 0, fact))
        place_of = (eid, item.execution, item.owner, item.epoch, item.after, seq)
        if item.quiet:
            batch.quiet.append(place_of)
        else:
            r = item.record
            now = (r.status, r.live, r.wake_at, r.waiting, r.output, r.error, r.ended_at, item.progress)
            batch.loud.append(place_of + now)
        for event in changes.events:
            batch.events.append((event.organization, event.id, event.type, event.type.split(".", 1)[0], event))
        if item.release:
            batch.released.append(eid)
            batch.outcomes[place] = RELEASED
            batch.stirs |= item.record.wake_at is not None
        return True


def _json(value: Any) -> str:
    return _encoder.encode(value).decode()


def _is_plain(fact: Any) -> bool:
    kind = rows.KINDS[type(fact)]
    return not kind.has_items and not kind.has_scope and not (kind.consumes and fact.event_id is not None)


def _only_tells_of_itself(changes: p.Changes) -> bool:
    """That may be routed a moment later; what somebody publishes is not to wait."""
    return changes == p.Changes(events=changes.events) and all(event.told_by is not None for event in changes.events)
