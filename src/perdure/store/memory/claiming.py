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
    if not limit:
        return claims
    _forget_deaths(tables, now)
    abandoned = _release_abandoned(tables, now)
    suspects = {row.record.id for row in tables.stirring.values() if _is_suspect(tables, row) and not row.inbox}

    def order(row: Row) -> tuple[bool, int]:
        """What dead workers had first, suspects last: the one first that has been alone with the fewest dead workers."""
        execution = row.record.id
        return (True, row.deaths_alone) if execution in suspects else (False, execution not in abandoned)

    taken_over = 0
    ready = any(_is_ready_beside(tables, row, worker, now, abandoned) for row in tables.stirring.values())
    most_abandoned = max(limit // 2, 1) if ready else limit
    for row in sorted(tables.stirring.in_turn(), key=order):
        if len(claims) == limit:
            break
        if row.owner is not None or (row.record.id in abandoned and taken_over == most_abandoned):
            continue
        if not (_has_news(row) or (not is_parked(tables, row) and _wakes(tables, row, worker, now))):
            continue
        if (
            _is_aside(tables, worker, row)
            or row.record.organization in but_not
            or (row.record.id in suspects and _has_suspect(tables, worker))
        ):
            continue
        taken_over += row.record.id in abandoned
        row.owner, row.epoch, row.unread, row.claimed_at = worker, row.epoch + 1, frozenset(), now
        claims.append(_claim(row, form))
    return claims


def _is_ready_beside(tables: Tables, row: Row, worker: str, now: int, abandoned: Collection[str]) -> bool:
    """Return whether something is ready that no dead worker had."""
    if row.owner is not None or row.record.id in abandoned:
        return False
    return _has_news(row) or (not is_parked(tables, row) and _wakes(tables, row, worker, now))


def _release_abandoned(tables: Tables, now: int) -> frozenset[str]:
    """Count the deaths of workers for all that they held, park what has had too many, and return the ids of the rest."""
    abandoned = [
        row
        for row in tables.stirring.values()
        if row.owner is not None
        and tables.workers.get(row.owner, 0) <= now
        and (_has_news(row) or not is_parked(tables, row))
    ]
    held = Counter(row.owner for row in tables.stirring.values())
    for row in abandoned:
        _count_death(tables, row, alone=held[row.owner] == 1)
        row.owner, row.handed_over = None, True
        if is_parked(tables, row) and not row.inbox:
            row.handed_over = False
            status = "waiting" if row.record.ended_at is None else row.record.status
            row.record = replace(row.record, status=status, waiting=p.parked(row.deaths, now))
    return frozenset(row.record.id for row in abandoned)


def _count_death(tables: Tables, row: Row, *, alone: bool) -> None:
    """Count the death of the owner. It parks the execution after so many owners that held nothing else, or many more in all."""
    if row.crashes == 0:
        row.deaths = row.deaths_alone = 0
    row.deaths += 1
    row.deaths_alone += alone
    most = tables.crashes_max
    if row.crashes >= most:
        row.crashes += 1
    elif row.deaths_alone >= most or row.deaths >= p.deaths_max(most):
        row.crashes = row.deaths
    elif row.crashes + 1 < most:
        row.crashes += 1


def _forget_deaths(tables: Tables, now: int) -> None:
    """Forget the deaths of the earlier owners of what a worker has held for a minute: it is no suspect any more."""
    for row in tables.stirring.values():
        if _has_outlived_deaths(tables, row, now):
            row.crashes = 0


def _has_outlived_deaths(tables: Tables, row: Row, now: int) -> bool:
    if row.owner is None or not row.crashes or row.claimed_at is None:
        return False
    return now - row.claimed_at >= p.HELD_MS and tables.workers.get(row.owner, 0) > now


def stirs(tables: Tables, worker: str, *, now: int) -> p.ToDo:
    rows = tables.stirring.values()
    polls = tables.unrouted or schedules.due(tables, now, 1) or any(_is_polled(row, worker) for row in rows)
    claims = any(_is_claimed(tables, row, worker, now) for row in rows)
    return (p.ToDo.CLAIM if claims else p.ToDo.NOTHING) | (p.ToDo.POLL if polls else p.ToDo.NOTHING)


def _is_polled(row: Row, worker: str) -> bool:
    return any(wait.look_back for wait in row.waits.values()) or (row.owner == worker and bool(row.inbox))


def _is_claimed(tables: Tables, row: Row, worker: str, now: int) -> bool:
    if _has_outlived_deaths(tables, row, now):
        return True
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
    return row.handed_over or (
        row.record.live
        and (
            row.start is not None
            or (wake_at is not None and wake_at <= now)
            or not tables.tasks.get(worker, NOTHING).isdisjoint(row.uncalled.values())
        )
    )


def _claim(row: Row, form: int) -> p.Claim:
    seq, snapshot, _ = row.snapshot if row.snapshot is not None and row.snapshot[2] == form else (0, None, form)
    uncalled, row.uncalled = tuple(sorted(row.uncalled.items())), {}
    facts = tuple(row.facts[seq:])
    return p.Claim(row.record, row.epoch, row.start, snapshot, facts, mail_of(row), uncalled=uncalled)
