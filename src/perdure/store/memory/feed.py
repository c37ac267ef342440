"""The feed in memory: all facts by their position. Whoever writes does so in another thread, and may forget meanwhile."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter

from perdure.store.feed import LOOKED_AT, Fed, Told, glimpse
from perdure.store.memory.tables import Tables


def after(tables: Tables, place: int, limit: int, organization: str | None) -> Fed:
    told: list[Told] = []
    reached = place
    for one in islice(_told(tables, place), None if organization is None else LOOKED_AT):
        if len(told) == limit:
            break
        reached = one.pos
        if organization in (None, one.organization):
            told.append(one)
    return Fed(told, reached)


def _told(tables: Tables, place: int) -> Iterator[Told]:
    told = tables.told
    for pos, execution, seq in islice(told, bisect_right(told, place, key=itemgetter(0)), None):
        row = tables.rows.get(execution)
        if row is not None:
            record, fact = row.record, row.facts[seq - 1]
            kind = str(fact.__struct_config__.tag)
            yield Told(pos, execution, record.organization, record.workflow, record.digest, seq, kind, glimpse(fact))
