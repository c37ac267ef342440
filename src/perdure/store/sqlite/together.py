"""What is alike in a transaction is written together, in one statement: new executions, and plain steps of executions that this
worker owns. While it runs, the interpreter is free for others.

Writing together is only faster. Either all of it can be written, or none of it is, and the items are committed one after the
other, which alone decides what is refused and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from perdure.store import port as p
from perdure.store.sql import rows
from perdure.store.sql.commits import COMMITTED, RELEASED
from perdure.store.sql.plain import NotAll, is_plain, is_quiet
from perdure.store.sqlite.database import queries

NUL = "\\u0000"
"""SQLite ends a text that it takes out of JSON where it holds this."""


class Batch:
    """Rows of one transaction that are written together, and the items that are not, with their places."""

    def __init__(self, count: int) -> None:
        self.outcomes: list[p.Outcome] = [COMMITTED] * count
        self.others: list[tuple[int, p.Item]] = []
        self.versions: dict[p.VersionGuard, None] = {}
        self.executions: list[tuple[Any, ...]] = []
        self.quiet: list[tuple[Any, ...]] = []
        self.loud: list[tuple[Any, ...]] = []
        self.facts: list[tuple[Any, ...]] = []
        self.data = bytearray()
        """The JSON of the facts, one after the other: in here it need not be read once more to be written."""
        self.events: list[tuple[Any, ...]] = []
        self.stirs = False
        """Whether there is something to claim because of it."""

    def write(self, connection: apsw.Connection) -> None:
        """Raises `NotAll` if not all of it can be written."""
        versions, executions, events = (
            rows.text(tuple(self.versions)),
            rows.text(self.executions),
            rows.text(self.events),
        )
        if NUL in versions or NUL in executions or NUL in events:
            raise NotAll
        steps = (rows.text(self.quiet), rows.text(self.loud), rows.text(self.facts))
        given = (versions, executions, *steps, self.data, events)
        try:
            connection.execute(queries("together.sql")["write"], given)
        except (apsw.ConstraintError, apsw.TooBigError) as error:
            raise NotAll from error

    def write_executions(self, connection: apsw.Connection) -> None:
        """Only the new executions, and not again: what others there are may be for them."""
        if self.executions:
            alone = Batch(0)
            alone.versions, alone.executions, self.versions, self.executions = self.versions, self.executions, {}, []
            alone.write(connection)


def prepare(connection: apsw.Connection) -> None:
    """Once for each connection."""
    for name in ("tables", "view", "trigger"):
        connection.execute(queries("together.sql")[name])


def together(items: Sequence[p.Item], alone_max: int) -> Batch | None:
    """None: there are so few that they are quicker alone, or the order matters: an execution occurs twice, or is copied."""
    if len(items) <= alone_max:
        return None
    batch = Batch(len(items))
    advanced: set[str] = set()
    for place, item in enumerate(items):
        if type(item) is p.Advance:
            if item.execution in advanced:
                return None
            advanced.add(item.execution)
            if _add_step(batch, place, item):
                continue
        elif type(item) is p.Create and _is_plain(item):
            _add_execution(batch, item)
            continue
        elif type(item) is p.Fork:  # it copies what may be among the steps
            return None
        batch.others.append((place, item))
    return batch if len(items) - len(batch.others) > alone_max else None


def _is_plain(item: p.Create) -> bool:
    """It is an execution and nothing beside it."""
    return item.key is None and item.model is None and item.audit is None and item.note is None


def _add_execution(batch: Batch, item: p.Create) -> None:
    if item.active:
        batch.versions[item.version] = None
    batch.executions.append(rows.new_execution(item.pending, item.owner))
    batch.stirs |= item.owner is None


def _add_step(batch: Batch, place: int, item: p.Advance) -> bool:
    """Whether it could be added."""
    if not is_plain(item):
        return False
    execution, seq, facts, data = item.execution, item.after, batch.facts, batch.data
    mark = len(facts)
    begin = end = len(data)
    for fact in item.facts:
        seq += 1
        kind = rows.KINDS[type(fact)]
        rows.encode_into(fact, data, -1)
        start, end = end, len(data)
        is_apart = kind.is_special or end - start > rows.PIECE_MAX
        if is_apart or (kind.consumes and fact.event_id is not None):  # type: ignore[union-attr]
            del facts[mark:]
            del data[begin:]
            return False
        facts.append((execution, seq, kind.name, start + 1, end - start))
    if is_quiet(item):
        batch.quiet.append((execution, item.owner, item.epoch, item.after))
        return True
    r, step = item.record, (execution, item.owner, item.epoch, item.after, seq)
    now = (r.status, r.live, r.wake_at, r.waiting, r.output, r.error, r.ended_at, item.progress, item.release)
    batch.loud.append((*step, *now, p.committed_at(item)))
    for event in item.changes.events:
        batch.events.append((event.organization, event.id, event.type, event.type.split(".", 1)[0], event))
    if item.release:
        batch.outcomes[place] = RELEASED
        batch.stirs |= item.record.wake_at is not None
    return True
