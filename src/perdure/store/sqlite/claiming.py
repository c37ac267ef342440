"""Claims: executions that are ready, due or abandoned become those of a worker."""

from __future__ import annotations

from collections.abc import Callable

from perdure.store import port as p
from perdure.store.sqlite import rows
from perdure.store.sqlite.reading import Reading
from perdure.store.sqlite.statements import Statements
from perdure.store.sqlite.together import Together

LOOK_MS = 500
"""How often it looks for owners that have died."""


class Claiming:
    """`alive` says whether a worker lives; by default its lease does."""

    def __init__(
        self,
        statements: Statements,
        reading: Reading,
        together: Together,
        crashes_max: int,
        alive: Callable[[str, int], bool] | None,
    ) -> None:
        self._sql, self._reading, self._together = statements, reading, together
        self.crashes_max = crashes_max
        self._alive = alive or self._has_lease
        self._looked_at = 0

    def claim(self, worker: str, *, now: int, limit: int, form: int) -> list[p.Claim]:
        """Inside of a transaction."""
        chosen = dict.fromkeys(self._abandoned(now, limit))
        for query, parameters in (("ready", (self.crashes_max, limit)), ("due", (now, self.crashes_max, limit))):
            if len(chosen) < limit:
                chosen.update(dict.fromkeys(eid for (eid,) in self._sql.all(query, parameters)))
        return [self._take(worker, eid, form) for eid in list(chosen)[:limit]]

    def _abandoned(self, now: int, limit: int) -> list[int]:
        """Executions whose owner is dead. One that has killed too many is parked, unless somebody has written to it."""
        found: list[int] = []
        for (owner,) in self._sql.all("owners"):
            if self._alive(owner, now):
                continue
            for (eid,) in self._sql.all("owned_by", (owner, limit - len(found))):
                crashes, mail = self._sql.one("crashed", (eid,))
                if crashes >= self.crashes_max and not mail:
                    self._sql.run("park", (eid,))
                else:
                    found.append(eid)
        return found

    def _has_lease(self, worker: str, now: int) -> bool:
        found = self._sql.one("lease", (worker,))
        return found is not None and found[0] > now

    def _take(self, worker: str, eid: int, form: int) -> p.Claim:
        row = self._sql.one("take", (worker, eid))
        assert row is not None, eid
        _, epoch, start, *columns = row
        record = rows.execution(tuple(columns))
        self._together.know(record.id, eid)
        seq, snapshot = self._sql.one("snapshot_of", (eid, form)) or (0, None)
        facts = self._reading.facts_after(eid, seq)
        return p.Claim(record, epoch, rows.start_of(start), snapshot, facts, self._reading.inbox(eid))

    def stirs(self, worker: str, *, now: int) -> bool:
        found = self._sql.one("stirs", {"worker": worker, "now": now, "crashes": self.crashes_max})
        return bool(found[0]) or self._somebody_died(worker, now)

    def _somebody_died(self, worker: str, now: int) -> bool:
        """Asked less often: it looks at each owner."""
        if now < self._looked_at + LOOK_MS:
            return False
        self._looked_at = now
        return any(owner != worker and not self._alive(owner, now) for (owner,) in self._sql.all("owners"))
