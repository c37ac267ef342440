"""Claims in memory: executions that are ready, due or abandoned become those of a worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from msgspec.structs import replace

from perdure.store import port as p
from perdure.store.memory import schedules
from perdure.store.memory.reading import mail_of
from perdure.store.memory.tables import Row, Tables

NOTHING: frozenset[str] = frozenset()


def claim(
    tables: Tables, worker: str, *, now: int, limit: int, form: int, but_not: Collection[str] = ()
) -> list[p.Claim]:
    claims: list[p.Claim] = []
    owned = Counter(row.owner for row in tables.stirring.values())
    # Those that are about to be parked first, while it is known what else their owners held.
    for row in sorted(tables.stirring.in_turn(), key=lambda row: -row.crashes if row.owner is not None else 0):
        if len(claims) == limit:
            break
        taken_over = row.owner is not None
        if taken_over and tables.workers.get(row.owner or "", 0) > now:
            continue
        if not (_has_news(row) or (not is_parked(tables, row) and (_wakes(tables, row, worker, now) or taken_over))):
            continue
        if taken_over:
            below = p.counts_below(tables.crashes_max, alone=owned[row.owner] == 1)
            row.crashes += row.crashes + 1 < below or row.epoch % p.DEATHS_IN_COMPANY == 0
        row.owner = None
        if is_parked(tables, row) and not row.inbox:
            status = "waiting" if row.record.ended_at is None else row.record.status
            row.record = replace(row.record, status=status, waiting=p.parked(row.crashes, now))
            continue
        if (
            _is_aside(tables, worker, row)
            or row.record.organization in but_not
            or (_is_suspect(tables, row) and not row.inbox and _has_suspect(tables, worker))
        ):
            row.handed_over |= taken_over
            continue
        row.owner, row.epoch, row.unread = worker, row.epoch + 1, frozenset()
        claims.append(_claim(row, form))
    return claims


def stirs(tables: Tables, worker: str, *, now: int) -> p.ToDo:
    rows = tables.stirring.values()
    polls = tables.unrouted or schedules.due(tables, now, 1) or any(_is_polled(row, worker) for row in rows)
    claims = any(_is_claimed(tables, row, worker, now) for row in rows)
    return (p.ToDo.CLAIM if claims else p.ToDo.NOTHING) | (p.ToDo.POLL if polls else p.ToDo.NOTHING)


def _is_polled(row: Row, worker: str) -> bool:
    return any(wait.look_back for wait in row.waits.values()) or (row.owner == worker and bool(row.inbox))


def _is_claimed(tables: Tables, row: Row, worker: str, now: int) -> bool:
    if row.owner is not None:
        return row.owner != worker and tables.workers.get(row.owner, 0) <= now
    return _has_news(row) or (
        _wakes(tables, row, worker, now) and not is_parked(tables, row) and not _is_aside(tables, worker, row)
    )


def _has_news(row: Row) -> bool:
    """Whether a letter wakes it: one that came since it was parked, if it was."""
    return not row.unread.issuperset(row.inbox) if row.unread else bool(row.inbox)


def is_parked(tables: Tables, row: Row) -> bool:
    """Whether it has killed so many of its owners that nobody takes it up any more, unless somebody writes to it."""
    return row.crashes >= tables.crashes_max


def _is_aside(tables: Tables, worker: str, row: Row) -> bool:
    return bool(tables.aside) and not tables.aside.isdisjoint(((worker, row.record.id), (worker, row.record.digest)))


def _is_suspect(tables: Tables, row: Row) -> bool:
    return row.crashes >= p.last_chance(tables.crashes_max)


def _has_suspect(tables: Tables, worker: str) -> bool:
    return any(row.owner == worker and _is_suspect(tables, row) for row in tables.stirring.values())


def _wakes(tables: Tables, row: Row, worker: str, now: int) -> bool:
    wake_at = row.record.wake_at
    return row.record.live and (
        row.start is not None
        or row.handed_over
        or (wake_at is not None and wake_at <= now)
        or not tables.tasks.get(worker, NOTHING).isdisjoint(row.uncalled.values())
    )


def _claim(row: Row, form: int) -> p.Claim:
    seq, snapshot, _ = row.snapshot if row.snapshot is not None and row.snapshot[2] == form else (0, None, form)
    uncalled, row.uncalled = tuple(sorted(row.uncalled.items())), {}
    facts = tuple(row.facts[seq:])
    return p.Claim(row.record, row.epoch, row.start, snapshot, facts, mail_of(row), uncalled=uncalled)
