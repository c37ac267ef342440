"""Claims: executions that are ready, due or abandoned become those of a worker."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from itertools import zip_longest
from math import inf
from typing import Any, Protocol

from msgspec.structs import replace

from perdure.store import port as p
from perdure.store.schedules import FORM
from perdure.store.sql import rows
from perdure.store.sql.aside import Aside
from perdure.store.sql.reading import Reading, mail_in
from perdure.store.sql.statements import Statements

LOOK_SECONDS = 0.02
"""How often it looks whether another process has written."""

DEATHS_SECONDS = 0.5
"""How often it looks for workers that have died."""

NEVER = 1 << 62

WORK = ("ready", "due", "callable")
SUSPECTS = ("suspect_ready", "suspect_due", "suspect_callable")
"""What asks for executions that there is something to do for; and for such as may have killed workers."""

IN_TURN = (("ready_organizations", "ready_of"), ("due_organizations", "due_of"))
"""Queries for the organizations that something is to be done for, and for the executions of one of them."""

ORGANIZATIONS_MAX = 32
"""Maximum number of organizations that share one claim; the next ones share the next claim."""


class Presence(Protocol):
    """Who else works on the database."""

    def dead(self, workers: Iterable[str], now: int) -> list[str]:
        """Those of them that do not live."""
        ...

    def cut_off(self) -> None:
        """Somebody is dead: nobody is to wait for what they have begun to write."""
        ...

    def bar(self, worker: str) -> bool:
        """Keep a dead worker from writing until this transaction ends. False: it may be writing at this moment."""
        ...

    def show_oneself(self) -> None:
        """Others are to see that this one lives."""
        ...

    def clear_away(self, known: frozenset[str]) -> None:
        """What is left of workers but for these."""
        ...

    def has_been_written(self) -> bool:
        """Whether another process may have, since it was asked last."""
        ...


class Claiming:
    """`now` is the time of day, and says what is due. How often something is looked at goes by `seconds`, a clock that nobody
    sets.
    """

    def __init__(
        self,
        statements: Statements,
        reading: Reading,
        crashes_max: int,
        presence: Presence,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sql, self._reading = statements, reading
        self.crashes_max = crashes_max
        self._presence = presence
        self._seconds = seconds
        self._aside = Aside(seconds)
        self.stirred = True
        """Whether there may be something to claim or to poll."""
        self._to_do = p.ToDo.NOTHING
        """What there surely is, so that nobody has to look."""
        self._look_at = self._deaths_at = -inf
        """When it looks again whether another process has written, and for workers that have died."""
        self._sweeps = True
        """Whether there may be something that dead workers have left."""
        self._known: frozenset[str] | None = None
        """The workers whose files stay, if the others may go."""
        self._after = {query: "" for _, query in IN_TURN}
        """The last organization that had its share of a claim, of what was ready and of what was due."""
        self._held_several: set[str] = set()
        """Dead workers that held several executions, not all of which have been taken over yet."""
        self._watched: dict[int, tuple[str, int, float]] = {}
        """Executions taken over whose earlier owners have died: by whom, in which epoch, and until when they are watched."""
        self._due_at = NEVER
        """When the next execution is due that nobody owns."""

    def last_lease_ms(self, now: int) -> int | None:
        """Return the time until which a living worker has said last that it lives. A host that has no end tells no time."""
        leases = {worker: until for worker, until in self._sql.all("leases") if until < NEVER}
        dead = set(self._presence.dead(leases, now))
        return max((until for worker, until in leases.items() if worker not in dead), default=None)

    def claim(
        self,
        worker: str,
        *,
        now: int,
        limit: int,
        form: int,
        but_not: Collection[str] = (),
        unless: tuple[str, Any] | None = None,
        due_until: int | None = None,
    ) -> list[p.Claim]:
        """Inside of a transaction; `swept` comes after it. `unless`: what is asked that must find nothing. `due_until`: what is
        due later is left; `now` by default. `but_not`: organizations of which nothing is claimed.
        """
        self._known = None  # of one that failed
        self._forget_deaths()
        given = {**self._bounds(worker, now if due_until is None else due_until), "limit": limit}
        asked = [(query, given) for query in (*WORK, *SUSPECTS)]
        owners, *found = self._sql.several(("owners", ()), *asked, *([unless] if unless else []))
        if unless and found.pop():
            return []
        chosen: dict[int, None] = {}
        dead = self._presence.dead((owner for (owner,) in owners), now)
        if dead:  # what they had does not hide what is ready
            chosen = dict.fromkeys(self._abandoned(worker, dead, now, max(limit // 2, 1), but_not))
            found = self._sql.several(*asked)  # what they had may be among it now
        if chosen:  # whoever died may have had more
            self._deaths_at = -inf
        chosen.update(dict.fromkeys(self._shared(found[: len(WORK)], given, limit, but_not)))
        if len(chosen) < limit:
            suspects = next(filter(None, found[len(WORK) :]), [])
            if suspects and not self._holds_suspect(worker):
                chosen.update(dict.fromkeys(eid for (eid,) in suspects))
        claims = self._take(worker, list(chosen)[:limit], form)
        if self._sweeps:
            self._sweep(now)
            self._sweeps = False
        return claims

    def _shared(
        self, found: list[list[tuple[int, str]]], given: dict[str, Any], limit: int, but_not: Collection[str]
    ) -> list[int]:
        """Return what to claim of what was `found`, the oldest first. If there is more than the limit, each organization has its
        share first, however much others have.
        """
        in_order = [row for rows_ in found for row in rows_]
        if len(in_order) < limit and not but_not:
            return [eid for eid, _ in in_order]
        count = min(max(limit // 2, 1), ORGANIZATIONS_MAX)
        asked: list[tuple[str, Any]] = []
        for organizations_query, query in IN_TURN:
            after = {"after": self._after[query], "count": count}
            organizations = [organization for (organization,) in self._sql.all(organizations_query, after)]
            self._after[query] = organizations[-1] if len(organizations) == count else ""
            asked += [(query, {**given, "organization": each}) for each in organizations if each not in but_not]
        share = max(limit // max(len(asked), 1), 1)
        shares = self._sql.several(*((query, {**of, "share": share}) for query, of in asked)) if asked else []
        if len(found[-1]) >= limit:
            shares.append(self._sql.all("callable_in_turn", {**given, "limit": max(limit // 3, 1)}))
        in_turn = [row for rows_ in zip_longest(*shares) for row in rows_ if row is not None]
        return [eid for eid, organization in (*in_turn, *in_order) if organization not in but_not]

    def _bounds(self, worker: str, due_until: int) -> dict[str, Any]:
        """What the queries ask by: until when something is due, after how many deaths it is a suspect or parked, and what the
        worker cannot read.
        """
        suspect = p.last_chance(self.crashes_max)
        asked = {"worker": worker, "now": due_until, "suspect": suspect, "crashes": self.crashes_max, "form": FORM}
        return asked | self._aside.parameters(worker)

    def _holds_suspect(self, worker: str) -> bool:
        """Then it takes no other. It is asked last: a worker may hold thousands, and suspects are rare."""
        return self._sql.one("holds_suspect", (worker, p.last_chance(self.crashes_max))) is not None

    def _abandoned(
        self, worker: str, dead: list[str], now: int, limit: int, but_not: Collection[str] = ()
    ) -> list[int]:
        """Executions whose owner is dead. One that has killed too many is parked, unless somebody has written to it; one that is
        about to waits until it can have a worker without others like it, and one that this worker cannot read for another one. So
        does one of an organization that has its share here.
        """
        found: list[int] = []
        aside = self._aside.of(worker)
        self._sweeps = True
        for owner in dead:
            if owner != worker and not self._presence.bar(owner):
                continue
            if self._sql.one("owns_several", (owner,)) is not None:
                self._held_several.add(owner)
            alone, room = owner not in self._held_several, limit - len(found)
            bounds = {"alone": int(alone), "crashes": self.crashes_max, "deaths": p.deaths_max(self.crashes_max)}
            left = self._sql.all("owned_by", (owner, room))
            if len(left) < room:
                self._held_several.discard(owner)
            for (eid,) in left:
                crashes, deaths, mail, digest, organization = self._sql.one("crashed", {**bounds, "eid": eid})
                if crashes >= self.crashes_max and not mail:
                    self._sql.run("park", (rows.text(p.parked(deaths, now)), now, eid))
                elif (
                    (crashes >= p.last_chance(self.crashes_max) and not mail)
                    or not aside.isdisjoint((eid, digest))
                    or organization in but_not
                ):
                    self._sql.run("queue", (eid,))
                else:
                    found.append(eid)
        return found

    def _forget_deaths(self) -> None:
        """Forget the deaths of the earlier owners of what a worker has held for a minute: it is no suspect any more."""
        seconds = self._seconds()
        for eid, (worker, epoch, until) in list(self._watched.items()):
            if until > seconds:
                break  # in the order in which they were taken
            del self._watched[eid]
            self._sql.run("forget_deaths", (eid, worker, epoch))

    def _sweep(self, now: int) -> None:
        """Forget workers that died, or were cut off, and own nothing any more. One that lives after all says so again."""
        idle = self._sql.all("workers_without_executions")
        for worker in self._presence.dead((worker for (worker,) in idle), now):
            self._sql.run("forget_worker", (worker,))
        self._known = frozenset(worker for (worker,) in (*self._sql.all("workers"), *self._sql.all("owners")))
        self._held_several &= self._known

    def swept(self) -> None:
        """What has been claimed is durable: now the files of the dead may go, whose locks told everybody that they are."""
        if self._known is not None:
            self._presence.clear_away(self._known)
        self._known = None

    def _take(self, worker: str, eids: list[int], form: int) -> list[p.Claim]:
        """All of them with one statement for each kind of row."""
        if not eids:
            return []
        given = rows.text(eids)
        taken, snapshots, history, letters, tasks = self._sql.several(
            ("take", (worker, given)),
            ("snapshots_of", (given, form)),
            ("facts_since_snapshots", (given, form)),
            ("mail_of", (given,)),
            ("take_uncalled", (given,)),
        )
        row_of = {row[0]: row for row in taken}
        until = self._seconds() + p.HELD_MS / 1_000
        for eid, epoch, _, crashes, *_ in taken:
            if crashes:
                self._watched.pop(eid, None)
                self._watched[eid] = (worker, epoch, until)
        snapshot_of = dict(snapshots)
        facts_of: dict[int, list[Any]] = {}
        for eid, *fact in history:
            facts_of.setdefault(eid, []).append(fact)
        mail = mail_in(letters)
        uncalled: dict[int, dict[int, str]] = {}
        for eid, op, task in tasks:
            uncalled.setdefault(eid, {})[op] = task
        claims = [
            _claim(
                row_of[eid],
                snapshot_of.get(eid),
                self._reading.facts_of(eid, facts_of.get(eid, ())),
                mail.get(eid, ()),
            )
            for eid in eids
        ]
        if not uncalled:
            return claims
        each = zip(eids, claims, strict=True)
        return [replace(claim, uncalled=tuple(sorted(uncalled.get(eid, {}).items()))) for eid, claim in each]

    def set_aside(self, unreadable: Iterable[tuple[str, int | str]]) -> None:
        """Workers, and the execution or the version that each cannot read."""
        for worker, what in unreadable:
            self._aside.put(worker, what)

    def stir(self, to_do: p.ToDo = p.ToDo.NOTHING) -> None:
        """There may be something to claim or to poll; surely what is `to_do`."""
        self.stirred = True
        self._to_do |= to_do

    def stirs(self, worker: str, *, now: int, due_until: int | None = None) -> p.ToDo:
        """Mostly without a look: this process knows what it has written, and whether another one has written at all."""
        seconds, due_until = self._seconds(), now if due_until is None else due_until
        to_do, self._to_do = self._to_do, p.ToDo.NOTHING
        forgets = bool(self._watched) and next(iter(self._watched.values()))[2] <= seconds
        self.stirred |= forgets
        if to_do and seconds < self._look_at:  # what else there is, it looks for after that
            return to_do
        if not self.stirred and seconds < self._look_at and due_until < self._due_at:
            return p.ToDo.NOTHING
        self._look_at = seconds + LOOK_SECONDS
        self.stirred |= due_until >= self._due_at or self._presence.has_been_written()  # until a look says otherwise
        if not self.stirred and seconds < self._deaths_at:
            return p.ToDo.NOTHING
        given = self._bounds(worker, due_until)
        work, suspects, polls = self._sql.one("stirs", given)
        died = self._somebody_died(worker, now, seconds)
        claims = died or forgets or work or (suspects and not self._holds_suspect(worker))
        self.stirred = bool(claims or polls)
        if not self.stirred:
            (self._due_at,) = self._sql.one("next_due", {**given, "never": NEVER})
        return (p.ToDo.CLAIM if claims else p.ToDo.NOTHING) | (p.ToDo.POLL if polls else p.ToDo.NOTHING)

    def _somebody_died(self, worker: str, now: int, seconds: float) -> bool:
        """Asked less often: it looks at each worker."""
        if seconds < self._deaths_at:
            return False
        self._deaths_at = seconds + DEATHS_SECONDS
        self._presence.show_oneself()
        owners, workers = self._sql.several(("owners", ()), ("workers", ()))
        died = bool(self._presence.dead({one for (one,) in (*owners, *workers)} - {worker}, now))
        if died:
            self._sweeps = True
            self._presence.cut_off()
        return died


def _claim(
    row: tuple[Any, ...],
    snapshot: bytes | None,
    facts: list[Any] | p.Unreadable,
    mail: tuple[p.Mail, ...] | p.Unreadable,
) -> p.Claim:
    _, epoch, start, _, *columns = row
    try:
        record, begins, unreadable = rows.execution(tuple(columns)), rows.start_of(start), None
    except p.DATA_ERRORS as error:
        record, begins, unreadable = rows.identity(tuple(columns)), None, str(error)
    if isinstance(facts, p.Unreadable):
        return p.Claim(record, epoch, begins, None, (), unreadable=facts.why)
    if isinstance(mail, p.Unreadable):
        return p.Claim(record, epoch, begins, None, (), unreadable=mail.why)
    return p.Claim(record, epoch, begins, snapshot, tuple(facts), mail, unreadable)
