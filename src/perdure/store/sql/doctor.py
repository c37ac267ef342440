"""Whether a database keeps what is promised: the invariants as questions, asked of one moment, beside whoever works on it.

It never writes. Answers are counted as they come and the first few are kept, so that it needs no more memory for a million
executions than for ten. What is each database's own, a `Patient` tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from perdure.store.notices import NOTICES
from perdure.store.schedules import describe_lead
from perdure.store.sql import complaints as c
from perdure.store.sql import rows
from perdure.store.sql.chains import broken_chains
from perdure.store.sql.refolding import Refolding
from perdure.store.sql.schedules import readable
from perdure.store.sql.statements import Statements

SHOWN_MAX = 5
MINUTE_MS = 60_000

Alive: TypeAlias = Callable[[str], bool | None]
"""Whether a worker lives; None: its lease says."""


class Finding(Struct, frozen=True):
    """Answers to one question: how many, and the first of them as (whose it is, what is wrong)."""

    complaint: c.Complaint
    count: int
    examples: tuple[tuple[str, str], ...]


class Counts(Struct, frozen=True):
    """What there is. Times are milliseconds since 1970. `log_bytes`: what is written ahead, where that is the database's own."""

    statuses: dict[str, int]
    live: int
    parked: int
    owned: int
    workers_alive: int
    workers_dead: int
    unrouted: int
    unrouted_since: int | None
    folded: int
    database_bytes: int
    log_bytes: int | None

    @property
    def executions(self) -> int:
        return sum(self.statuses.values())


class Checked(Struct, frozen=True):
    """An integrity check: when it began, in epoch milliseconds, and what it found damaged."""

    at: int
    problems: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()


class Report(Struct, frozen=True):
    """`findings` in the order of their questions: what is broken before what needs attention. `database`: how people call it. No
    counts: it is damaged.
    """

    database: str
    counts: Counts | None
    findings: tuple[Finding, ...]
    checked: Checked | None = None
    """The last integrity check in the background, where there was one."""

    @property
    def broken(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.complaint.severity == "broken")

    @property
    def attention(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.complaint.severity == "attention")


class Patient(Protocol):
    """A database at one moment. `sql` has the questions by the names of their complaints, and what `Refolding` asks. By
    `damage_errors` it says that it cannot be read.
    """

    @property
    def name(self) -> str: ...

    @property
    def sql(self) -> Statements: ...

    @property
    def damage_errors(self) -> tuple[type[Exception], ...]: ...

    def damage(self, *, quick: bool) -> Iterable[tuple[str, str]]:
        """What it finds damaged itself: where, and what is wrong."""
        ...

    def apart(self) -> Iterable[tuple[str, str]]:
        """What is missing that would keep readers of one organization from the rows of others, where the database has it."""
        ...

    def bytes(self) -> tuple[int, int | None]:
        """How large it is, and what is written ahead of it."""
        ...


class Examination:
    """`leases_at`: the time that leases go by. `crashes_max`: so many deaths in a row park an execution."""

    def __init__(self, patient: Patient, *, now: int, leases_at: int, crashes_max: int, alive: Alive) -> None:
        self._patient, self._sql = patient, patient.sql
        self._now, self._leases_at, self._crashes_max, self._alive = now, leases_at, crashes_max, alive
        self._found: dict[str, tuple[c.Complaint, int, list[tuple[str, str]]]] = {}

    def report(self, *, quick: bool) -> Report:
        """Ask everything. `quick`: without folding the histories."""
        counts = None
        try:
            self._note(c.DAMAGED, self._patient.damage(quick=quick))
            if not self._found:
                counts = self._examined(quick=quick)
        except self._patient.damage_errors as error:
            self._note(c.DAMAGED, [(self._patient.name, str(error).strip())])
        found = [Finding(complaint, count, tuple(some)) for complaint, count, some in self._found.values()]
        return Report(
            self._patient.name, counts, tuple(sorted(found, key=lambda one: one.complaint.severity != "broken"))
        )

    def _examined(self, *, quick: bool) -> Counts:
        workers = self._sql.all("workers", (self._leases_at - MINUTE_MS,))
        alive = [worker for worker, _ in workers if self._lives(worker)]
        dead = [(worker, count) for worker, count in workers if count and worker not in alive]
        self._questions(alive)
        for worker, count in dead:
            self._dead_owner(worker, count)
        self._note(c.SCHEDULE_AHEAD, self._schedules_ahead())
        self._note(c.BROKEN_CHAIN, broken_chains(self._sql))
        self._note(c.NOT_APART, self._patient.apart())
        refolding = Refolding(self._sql, self._crashes_max)
        if not quick:
            for complaint, execution, text in refolding.findings():
                self._note(complaint, [(execution, text)])
        return self._counts(len(alive), len(dead), refolding.folded)

    def _lives(self, worker: str) -> bool:
        try:
            held = self._alive(worker)
        except PermissionError:  # nobody has said that it is dead
            return True
        return self._sql.one("lease", (worker, self._leases_at)) is not None if held is None else held

    def _questions(self, alive: list[str]) -> None:
        given = {
            "crashes": self._crashes_max,
            "minute_ago": self._now - MINUTE_MS,
            "minute_ahead": self._now + MINUTE_MS,
            "idle": not alive,
            "alive": rows.text(alive),
            "notices": NOTICES,
        }
        for complaint in c.QUESTIONS:
            self._note(complaint, self._sql.each(complaint.check, given))

    def _schedules_ahead(self) -> Iterator[tuple[str, str]]:
        """A worker may be ahead of this clock by a little."""
        for row in readable(self._sql.each("active_schedules")):
            lead = describe_lead(row, self._now + MINUTE_MS)
            if lead is not None:
                yield f"schedule {row.workflow}/{row.schedule.id}", f"{lead}; in {row.organization}"

    def _dead_owner(self, owner: str, count: int) -> None:
        some = [(execution, f"owned by {owner}") for (execution,) in self._sql.all("owned_by", (owner, SHOWN_MAX))]
        self._note(c.DEAD_OWNER, some)
        complaint, shown, examples = self._found[c.DEAD_OWNER.check]
        self._found[c.DEAD_OWNER.check] = (complaint, shown - len(some) + count, examples)

    def _note(self, complaint: c.Complaint, answers: Iterable[Any]) -> None:
        _, count, examples = self._found.get(complaint.check, (complaint, 0, []))
        for whose, text in answers:
            count += 1
            if len(examples) < SHOWN_MAX:
                examples.append((str(whose), str(text)))
        if count:
            self._found[complaint.check] = (complaint, count, examples)

    def _counts(self, alive: int, dead: int, folded: int) -> Counts:
        statuses = self._sql.all("statuses", (self._crashes_max,))
        unrouted, since = self._sql.one("oldest_unrouted")
        database_bytes, log_bytes = self._patient.bytes()
        return Counts(
            statuses={status: count for status, count, *_ in statuses},
            live=sum(row[2] for row in statuses),
            parked=sum(row[3] for row in statuses),
            owned=sum(row[4] for row in statuses),
            workers_alive=alive,
            workers_dead=dead,
            unrouted=unrouted,
            unrouted_since=since,
            folded=folded,
            database_bytes=database_bytes,
            log_bytes=log_bytes,
        )
