"""What is alike in a transaction is written together: new executions, and plain steps of executions that this worker owns, with
the letters that they have read and the waits that have ended by that.

Writing together is only faster. Either all of it can be written, or none of it is, and the items are committed one after the
other, which alone decides what is refused and why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import psycopg

from perdure.core.values import consumed_by
from perdure.store import port as p
from perdure.store.ledger import started_by
from perdure.store.postgres.lists import NoList, booleans, numbers, texts
from perdure.store.postgres.statements import statements
from perdure.store.sql import rows
from perdure.store.sql.commits import COMMITTED, RELEASED
from perdure.store.sql.ledger import trigger_row
from perdure.store.sql.plain import NotAll, is_nearly_plain, is_quiet

NOT_ALL = "PD001"
"""The error that our function raises."""

APART: Final = (p.Route, p.Beat)
"""Items that keep the others from being written together, although they concern none of them but by the mail of an execution."""

T, N, B = texts, numbers, booleans
VERSIONS = (T, T, T, T)
EXECUTIONS = (T, T, T, T, T, B, N, T, N, T, T, T, N, N, N, T)
QUIET = (T, T, N, N)
LOUD = (T, T, N, N, N, T, B, N, T, T, T, N, B, B, N, N)
FACTS = (T, N, T, T)
KEYS = (T, T, T)
SEEN = CLOSED = LOOKED_BACK = (T, N)
OPENED = (T, N, T, T, B, N, T, T)
CONSUMED = (T, T)
EVENTS = (T, T, T, T)
LOGGED = (T, N, T, T, T, T, T, T, T, N, N)
"""Of what the columns are that our function takes, table by table."""


class Batch:
    """Rows of one transaction that are written together."""

    def __init__(self, count: int) -> None:
        self.outcomes: list[p.Outcome] = [COMMITTED] * count
        self.size = 0
        """Approximate size of the rows, in characters of JSON."""
        self.owners: dict[str, None] = {}
        self.versions: dict[p.VersionGuard, None] = {}
        self.executions: list[tuple[Any, ...]] = []
        self.quiet: list[tuple[Any, ...]] = []
        self.loud: list[tuple[Any, ...]] = []
        self.facts: list[tuple[Any, ...]] = []
        self.seen: list[tuple[Any, ...]] = []
        self.closed: list[tuple[Any, ...]] = []
        self.opened: list[tuple[Any, ...]] = []
        self.looked_back: list[tuple[Any, ...]] = []
        self.keys: list[tuple[Any, ...]] = []
        self.consumed: list[tuple[Any, ...]] = []
        self.events: list[tuple[Any, ...]] = []
        self.logged: list[tuple[Any, ...]] = []
        self.stirs = self.tells = False
        """Whether there may be something to claim or to poll because of it; and whether others should know."""
        self.to_do = p.ToDo.NOTHING
        """What there surely is of it."""

    def write(self, connection: psycopg.Connection[Any]) -> None:
        """Raises `NotAll` if not all of it can be written."""
        tables = (
            (VERSIONS, list(self.versions)),
            (EXECUTIONS, self.executions),
            (KEYS, self.keys),
            (QUIET, self.quiet),
            (LOUD, sorted(self.loud)),  # by id: in the order of `order.py`
            (FACTS, self.facts),
            (SEEN, self.seen),
            (CLOSED, self.closed),
            (CONSUMED, self.consumed),
            (OPENED, self.opened),
            (LOOKED_BACK, self.looked_back),
            (EVENTS, self.events),
            (LOGGED, self.logged),
        )
        try:
            lists = [column for kinds, table in tables for column in _columns(kinds, table)]
            given = (texts(list(self.owners)), *lists, self.tells)
        except NoList as error:
            raise NotAll from error
        try:
            connection.execute(statements("together.sql")["write"].text, given)
        except psycopg.IntegrityError as error:
            raise NotAll from error
        except psycopg.Error as error:
            if error.sqlstate == NOT_ALL:
                raise NotAll from error
            raise


def _columns(kinds: tuple[Callable[[Any], str], ...], table: Sequence[tuple[Any, ...]]) -> list[str]:
    if not table:
        return ["{}"] * len(kinds)
    return [kind(column) for kind, column in zip(kinds, zip(*table, strict=True), strict=True)]


def together(items: Sequence[p.Item], alone_max: int) -> Batch | None:
    """None: there are few, one of them is not alike, or the order matters: an execution occurs twice. Raises `BatchTooLarge`."""
    if len(items) <= alone_max:
        return None
    batch = Batch(len(items))
    advanced: set[str] = set()
    looked_back: set[str] = set()
    for place, item in enumerate(items):
        if type(item) is p.Advance:
            if item.execution in advanced or item.execution in looked_back or not _add_step(batch, place, item):
                return None
            advanced.add(item.execution)
        elif type(item) is p.Create and item.model is None and item.audit is None:
            _add_execution(batch, item)
        elif type(item) is p.LookedBack and not item.events and item.execution not in advanced:
            looked_back.add(item.execution)
            batch.looked_back.append((item.execution, item.op))
        else:
            return None
        if batch.size > p.BATCH_BYTES_MAX and place + 1 < len(items):
            raise p.BatchTooLarge(place + 1)
    return batch


def places_apart(items: Sequence[p.Item], alone_max: int) -> tuple[list[int], list[int]] | None:
    """Return the places of routed events and heartbeats, and those of all other items, if there are both and the others may be
    written together. Events are routed first, so none may be for an execution that is new, or be published in the same batch.
    """
    apart = [place for place, item in enumerate(items) if type(item) in APART]
    if not apart or len(items) - len(apart) <= alone_max:
        return None
    targets: set[str] = set()
    routed: set[str] = set()
    created: set[str] = set()
    published: set[str] = set()
    for item in items:
        if type(item) is p.Route:
            targets.update(item.targets)
            routed.add(item.event.id)
        elif type(item) is p.Create:
            created.add(item.pending.record.id)
        elif type(item) is p.Advance:
            published.update(event.id for event in item.changes.events)
        elif type(item) not in (p.Beat, p.LookedBack):
            return None
    if targets & created or routed & published:
        return None
    return apart, [place for place, item in enumerate(items) if type(item) not in APART]


def _add_execution(batch: Batch, item: p.Create) -> None:
    record = item.pending.record
    if item.active:
        batch.versions[item.version] = None
    *row, start = rows.new_execution(item.pending, item.owner)
    begins = rows.text(start)
    batch.size += len(begins)
    batch.executions.append((*row, begins))
    if item.key is not None:
        batch.keys.append((record.organization, item.key, record.id))
    if item.note is not None:
        batch.logged.append(trigger_row(started_by(item.note, record.id)))
    if item.owner is None:
        batch.stirs = batch.tells = True


def _add_step(batch: Batch, place: int, item: p.Advance) -> bool:
    """Whether it could be added."""
    if not is_nearly_plain(item):
        return False
    batch.owners[item.owner] = None
    execution, seq, changes = item.execution, item.after, item.changes
    for fact in item.facts:
        seq += 1
        kind, data = rows.KINDS[type(fact)], rows.encoded(fact)
        if kind.is_special or len(data) > rows.PIECE_MAX:
            return False
        batch.size += len(data)
        batch.facts.append((execution, seq, kind.name, data))
        event_id = consumed_by(fact) if kind.consumes else None
        if event_id is not None:
            batch.consumed.append((execution, event_id))
    if is_quiet(item):
        batch.quiet.append((execution, item.owner, item.epoch, item.after))
        return True
    r, step = item.record, (execution, item.owner, item.epoch, item.after, seq)
    words = (rows.optional(r.waiting), rows.optional(r.output), rows.optional(r.error))
    batch.size += sum(len(word) for word in words if word is not None)
    now = (r.status, r.live, r.wake_at, *words, r.ended_at, item.progress, item.release, len(changes.seen))
    batch.loud.append((*step, *now, p.committed_at(item)))
    batch.seen.extend((execution, place) for place in changes.seen)
    batch.closed.extend((execution, op) for op in changes.waits_closed)
    for wait in changes.waits_opened:
        batch.opened.append(rows.opened_wait(execution, r.organization, wait))
        batch.stirs = True
        if wait.look_back:
            batch.to_do |= p.ToDo.POLL
    for event in changes.events:
        data = rows.text(event)
        batch.size += len(data)
        batch.events.append((event.organization, event.id, event.type, data))
    if item.release:
        batch.outcomes[place] = RELEASED
        batch.stirs |= item.record.wake_at is not None
    return True
