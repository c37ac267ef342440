"""Claims: executions that are ready, due or abandoned become those of a worker."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from math import inf

from perdure.store import port as p
from perdure.store.sqlite import rows
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.reading import Reading
from perdure.store.sqlite.statements import Statements

LOOK_SECONDS = 0.02
"""How often it looks whether another process has written."""

DEATHS_SECONDS = 0.5
"""How often it looks for workers that have died."""

NEVER = 1 << 62

BEGINNING: tuple[int, bytes | None] = (0, None)
"""Where the facts begin of which there is no snapshot."""


class Claiming:
    """`locks` say whether a worker lives; where they cannot, its lease does.

    `now` is the time of day, and says what is due. How often something is looked at goes by `seconds`, a clock that nobody sets.
    """

    def __init__(
        self,
        statements: Statements,
        reading: Reading,
        crashes_max: int,
        locks: WorkerLocks | None,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sql, self._reading = statements, reading
        self.crashes_max = crashes_max
        self._locks = locks
        self._seconds = seconds
        self._stirred = True
        """Whether there may be something to claim or to poll."""
        self._version = -1
        self._look_at = self._deaths_at = -inf
        """When it looks again whether another process has written, and for workers that have died."""
        self._sweeps = True
        """Whether there may be something that dead workers have left."""
        self._due_at = NEVER
        """When the next execution is due that nobody owns."""

    def claim(self, worker: str, *, now: int, limit: int, form: int) -> list[p.Claim]:
        """Inside of a transaction."""
        chosen = dict.fromkeys(self._abandoned(now, limit))
        if chosen:  # whoever died may have had more
            self._deaths_at = -inf
        suspect = p.last_chance(self.crashes_max)
        for query, parameters in (("ready", (suspect, limit)), ("due", (now, suspect, limit))):
            if len(chosen) < limit:
                chosen.update(dict.fromkeys(eid for (eid,) in self._sql.all(query, parameters)))
        if len(chosen) < limit:
            chosen.update(dict.fromkeys(self._one_suspect(worker, now, suspect)))
        claims = self._take(worker, list(chosen)[:limit], form)
        if self._sweeps:
            self._sweep(now)
            self._sweeps = False
        return claims

    def _one_suspect(self, worker: str, now: int, suspect: int) -> list[int]:
        """None, if the worker has one. Whether it has is asked last: it may hold thousands, and suspects are rare."""
        found = self._sql.all("suspect_ready", (suspect, self.crashes_max))
        found = found or self._sql.all("suspect_due", (now, suspect, self.crashes_max))
        if found and self._sql.one("holds_suspect", (worker, suspect)) is None:
            return [eid for (eid,) in found]
        return []

    def _abandoned(self, now: int, limit: int) -> list[int]:
        """Executions whose owner is dead. One that has killed too many is parked, unless somebody has written to it; one that is
        about to waits until it can have a worker without others like it.
        """
        found: list[int] = []
        for (owner,) in self._sql.all("owners"):
            if self._lives(owner, now):
                continue
            self._sweeps = True
            for (eid,) in self._sql.all("owned_by", (owner, limit - len(found))):
                crashes, mail = self._sql.one("crashed", (eid,))
                if mail or crashes < p.last_chance(self.crashes_max):
                    found.append(eid)
                elif crashes < self.crashes_max:
                    self._sql.run("queue", (eid,))
                else:
                    self._sql.run("park", (rows.text(p.parked(crashes, now)), eid))
        return found

    def _sweep(self, now: int) -> None:
        """Forget workers that died, or were cut off, and own nothing any more. One that lives after all says so again."""
        for (worker,) in self._sql.all("workers_without_executions"):
            if not self._lives(worker, now):
                self._sql.run("forget_worker", (worker,))
        if self._locks is not None:
            self._locks.sweep({worker for (worker,) in self._sql.all("workers")})

    def _lives(self, worker: str, now: int) -> bool:
        held = None
        if self._locks is not None:
            with suppress(OSError):  # a file that cannot be looked at says nothing
                held = self._locks.alive(worker)
        return self._has_lease(worker, now) if held is None else held

    def _has_lease(self, worker: str, now: int) -> bool:
        found = self._sql.one("lease", (worker,))
        return found is not None and found[0] > now

    def _take(self, worker: str, eids: list[int], form: int) -> list[p.Claim]:
        """All of them with one statement for each kind of row."""
        if not eids:
            return []
        given = rows.text(eids)
        taken = {row[0]: row for row in self._sql.all("take", (worker, given))}
        snapshots = {eid: (seq, data) for eid, seq, data in self._sql.all("snapshots_of", (given, form))}
        facts = self._reading.facts_after({eid: snapshots.get(eid, BEGINNING)[0] for eid in eids})
        mail = self._reading.inboxes(eids)
        claims = []
        for eid in eids:
            _, epoch, start, *columns = taken[eid]
            record = rows.execution(tuple(columns))
            _, snapshot = snapshots.get(eid, BEGINNING)
            claims.append(
                p.Claim(record, epoch, rows.start_of(start), snapshot, tuple(facts[eid]), tuple(mail.get(eid, ())))
            )
        return claims

    def stir(self) -> None:
        """There is something to claim or to poll."""
        self._stirred = True

    def stirs(self, worker: str, *, now: int) -> bool:
        """Mostly without a look: this process knows what it has written, and whether another one has written at all."""
        seconds = self._seconds()
        if not self._stirred and seconds < self._look_at and now < self._due_at:
            return False
        self._look_at = seconds + LOOK_SECONDS
        self._stirred |= now >= self._due_at or self._has_been_written()  # until a look says otherwise
        if not self._stirred and seconds < self._deaths_at:
            return False
        suspect = p.last_chance(self.crashes_max)
        found = self._sql.one("stirs", {"worker": worker, "now": now, "crashes": suspect})
        self._stirred = (
            bool(found[0]) or bool(self._one_suspect(worker, now, suspect)) or self._somebody_died(worker, now, seconds)
        )
        if not self._stirred:
            (self._due_at,) = self._sql.one("next_due", (suspect, NEVER))
        return self._stirred

    def _has_been_written(self) -> bool:
        """By another process."""
        version = int(self._sql.connection.pragma("data_version"))
        written = version != self._version
        self._version = version
        return written

    def _somebody_died(self, worker: str, now: int, seconds: float) -> bool:
        """Asked less often: it looks at each worker."""
        if seconds < self._deaths_at:
            return False
        self._deaths_at = seconds + DEATHS_SECONDS
        if self._locks is not None:
            self._locks.keep()
        known = {*self._sql.all("owners"), *self._sql.all("workers")}
        died = any(one != worker and not self._lives(one, now) for (one,) in known)
        self._sweeps |= died
        return died
