"""Whether a database keeps what is promised: the invariants as questions, asked of one moment, beside whoever works on it.

It reads with a connection of its own and never writes. Answers are counted as they come and the first few are kept, so that
it needs no more memory for a million executions than for ten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw
from msgspec import Struct

from perdure.store import port as p
from perdure.store.sql import complaints as c
from perdure.store.sql import rows
from perdure.store.sql.refolding import Refolding
from perdure.store.sqlite.database import queries
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.read_only import CannotRead, connect_to_read
from perdure.store.sqlite.statements import SqliteStatements

SHOWN_MAX = 5
MINUTE_MS = 60_000


class Finding(Struct, frozen=True):
    """Answers to one question: how many, and the first of them as (whose it is, what is wrong)."""

    complaint: c.Complaint
    count: int
    examples: tuple[tuple[str, str], ...]


class Counts(Struct, frozen=True):
    """What there is. Times are milliseconds since 1970."""

    statuses: dict[str, int]
    live: int
    parked: int
    owned: int
    workers_alive: int
    workers_dead: int
    unrouted: int
    unrouted_since: int | None
    folded: int
    file_bytes: int
    wal_bytes: int

    @property
    def executions(self) -> int:
        return sum(self.statuses.values())


class Report(Struct, frozen=True):
    """`findings` in the order of their questions: what is broken before what needs attention. No counts: the file is damaged."""

    path: str
    counts: Counts | None
    findings: tuple[Finding, ...]

    @property
    def broken(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.complaint.severity == "broken")

    @property
    def attention(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.complaint.severity == "attention")


def examine(
    path: str,
    *,
    now: int,
    quick: bool = False,
    crashes_max: int = p.CRASHES_MAX,
    alive: Callable[[str], bool | None] | None = None,
) -> Report:
    """Ask everything. `quick`: without folding the histories. `alive` says whether a worker lives; by default its lock does.
    Where there is none, its lease says.
    """
    try:
        connection = connect_to_read(path)
    except apsw.CorruptError as error:  # it does not even say what is in it
        return Report(path, None, (Finding(c.DAMAGED, 1, ((path, str(error)),)),))
    try:
        return _Examination(connection, path, now, crashes_max, alive or WorkerLocks(path).alive).report(quick=quick)
    except (apsw.IOError, apsw.FullError, apsw.BusyError) as error:
        raise CannotRead(
            f"{path} cannot be read to its end: {error}; look at the disk that it is on, and at the one for temporary files"
        ) from error
    finally:
        connection.close()


class _Examination:
    def __init__(
        self, connection: apsw.Connection, path: str, now: int, crashes_max: int, alive: Callable[[str], bool | None]
    ) -> None:
        self._connection, self._path, self._now, self._alive = connection, path, now, alive
        self._crashes_max = crashes_max
        self._sql = queries("doctor.sql")
        self._found: dict[str, tuple[c.Complaint, int, list[tuple[str, str]]]] = {}

    def report(self, *, quick: bool) -> Report:
        try:
            self._integrity(quick=quick)
            counts = None if self._found else self._examined(quick=quick)
        except apsw.CorruptError as error:
            self._note(c.DAMAGED, [(self._path, str(error))])
            counts = None
        found = [Finding(complaint, count, tuple(some)) for complaint, count, some in self._found.values()]
        return Report(self._path, counts, tuple(sorted(found, key=lambda one: one.complaint.severity != "broken")))

    def _integrity(self, *, quick: bool) -> None:
        pragma = "quick_check" if quick else "integrity_check"
        told = (text for (text,) in self._connection.execute(f"PRAGMA {pragma}") if text != "ok")
        self._note(c.DAMAGED, ((self._path, text) for text in told))
        broken = self._connection.execute("PRAGMA foreign_key_check")
        self._note(c.DAMAGED, ((table, f"row {row} points to nothing in {other}") for table, row, other, _ in broken))

    def _examined(self, *, quick: bool) -> Counts:
        self._connection.execute(self._sql["views"])
        workers = self._ask("workers", (self._now - MINUTE_MS,))
        alive = [worker for worker, _ in workers if self._lives(worker)]
        dead = [(worker, count) for worker, count in workers if count and worker not in alive]
        self._questions(alive)
        for worker, count in dead:
            self._dead_owner(worker, count)
        refolding = Refolding(SqliteStatements(self._connection, "queries.sql", "doctor.sql"), self._crashes_max)
        if not quick:
            for complaint, execution, text in refolding.findings():
                self._note(complaint, [(execution, text)])
        return self._counts(len(alive), len(dead), refolding.folded)

    def _lives(self, worker: str) -> bool:
        try:
            held = self._alive(worker)
        except PermissionError:  # nobody has said that it is dead
            return True
        return bool(self._ask("lease", (worker, self._now))) if held is None else held

    def _questions(self, alive: list[str]) -> None:
        given = {
            "crashes": self._crashes_max,
            "minute_ago": self._now - MINUTE_MS,
            "idle": not alive,
            "alive": rows.text(alive),
        }
        for complaint in c.QUESTIONS:
            sql = self._sql[complaint.check]
            self._note(complaint, self._connection.execute(sql, {k: v for k, v in given.items() if f":{k}" in sql}))

    def _dead_owner(self, owner: str, count: int) -> None:
        some = [(execution, f"owned by {owner}") for (execution,) in self._ask("owned_by", (owner, SHOWN_MAX))]
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

    def _ask(self, query: str, parameters: Any = ()) -> list[Any]:
        return self._connection.execute(self._sql[query], parameters).fetchall()

    def _counts(self, alive: int, dead: int, folded: int) -> Counts:
        statuses = self._ask("statuses", (self._crashes_max,))
        ((unrouted, since),) = self._ask("oldest_unrouted")
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
            file_bytes=_size(self._path),
            wal_bytes=_size(f"{self._path}-wal"),
        )


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0
