"""The contract of `store.port` in a SQLite file. One connection writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import apsw

from perdure.core.state import FORMAT
from perdure.core.values import Ref
from perdure.model.records import ExecutionRecord
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.ledger import LedgerBounds, LedgerForgotten
from perdure.store.questions import Questions
from perdure.store.registers import Doer
from perdure.store.sql.claiming import Claiming
from perdure.store.sql.commits import Commits
from perdure.store.sql.ledger import LedgerRetention, LedgerWrites
from perdure.store.sql.plain import NotAll
from perdure.store.sql.reading import Reading
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.retention import Bounds, Retention
from perdure.store.sql.schedules import SqlSchedules
from perdure.store.sql.scrubbing import Scrubbing
from perdure.store.sql.versions import SqlVersions
from perdure.store.sqlite.awaited import Awaited
from perdure.store.sqlite.database import Checkpoints, connect, migrate, roll_back, stretch_log, transaction
from perdure.store.sqlite.errors import translated
from perdure.store.sqlite.locks import WorkerLocks, workers_folder
from perdure.store.sqlite.presence import SqlitePresence
from perdure.store.sqlite.reader import SqliteReader
from perdure.store.sqlite.statements import SqliteStatements
from perdure.store.sqlite.together import Batch, prepare, together
from perdure.store.sqlite.turns import Turns
from perdure.store.versions import Kept, NewVersion, NotAllowed, Taken, Version, built

ALONE_MAX = 3
"""Up to so many items are committed one after the other: to write them together would not be quicker."""


class SqliteStore:
    """Keeps the contract of `store.port.Store`. `locks` say whether a worker lives; where they cannot, its lease does.
    `seconds` is a clock that only goes forward, for how often it looks at what.
    """

    def __init__(
        self,
        path: str,
        *,
        crashes_max: int = p.CRASHES_MAX,
        locks: WorkerLocks | None = None,
        vfs: str | None = None,
        alone_max: int = ALONE_MAX,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path, self._vfs, self._alone_max = path, vfs, alone_max
        self.connection: apsw.Connection = connect(path, vfs)
        try:
            self._turns = None if path == ":memory:" else Turns(workers_folder(path))
            with self._turn():
                migrate(self.connection)
                if path != ":memory:" and vfs is None:
                    stretch_log(self.connection, path)
        except BaseException:
            self.connection.close()
            raise
        self.checkpoints = Checkpoints(self.connection)
        self._sql = SqliteStatements(self.connection)
        prepare(self.connection)
        self._reading = Reading(self._sql)
        self._awaited = Awaited(self._sql)
        schedules = SqlSchedules(SqliteStatements(self.connection, "schedules.sql"))
        self._registers = SqlRegisters(SqliteStatements(self.connection, "registers.sql"))
        self._versions = SqlVersions(SqliteStatements(self.connection, "workflows.sql"), schedules, self._registers)
        self._ledger = SqliteStatements(self.connection, "ledger.sql")
        presence = SqlitePresence(self._sql, locks)
        self._claiming = Claiming(self._sql, self._reading, crashes_max, presence, seconds)

    def close(self) -> None:
        self.connection.close()
        if self._turns is not None:
            self._turns.close()

    def reader(self) -> Questions:
        return SqliteReader(self._path, self._vfs)

    # Workflows.

    def save(self, workflow: Workflow, organization: str = "default", at: int = 0) -> str:
        """Make this the active version of its name, which is also its id; its digest."""
        kept = self.keep(built(workflow, organization, at))
        assert isinstance(kept, Kept), "nobody else gives a version its name, and nobody in particular does it"
        return kept.version.digest

    def keep(self, new: NewVersion) -> Kept | Taken | NotAllowed:
        self._awaited.forget()  # what it is started by
        self._claiming.stir()  # it may be due at once
        with self._turn(), transaction(self.connection):
            return self._versions.keep(new)

    def activate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        self._awaited.forget()
        self._claiming.stir()
        with self._turn(), transaction(self.connection):
            return self._versions.activate(organization, workflow, version, at, by)

    def deactivate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        self._awaited.forget()
        self._claiming.stir()
        with self._turn(), transaction(self.connection):
            return self._versions.deactivate(organization, workflow, version, at, by)

    @translated()
    def active_version(self, organization: str, ref: str) -> str | None:
        return self._reading.active_version(organization, ref)

    @translated()
    def model(self, digest: str) -> bytes:
        return self._reading.model(digest)

    # Commits.

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        batch = together(items, self._alone_max)
        if batch is not None:
            try:
                return self._commit_together(batch)
            except NotAll:
                pass
        commits = self._commits()
        with self._turn(), transaction(self.connection):
            outcomes = [commits.one(item) for item in items]
            commits.finish()
        self._claiming.set_aside(commits.unreadable)
        self._committed(stirs=commits.stirs, to_do=commits.to_do)
        return outcomes

    def commit_apart(self, items: Sequence[p.Item], group: int = p.SAVEPOINT_ITEMS) -> list[p.Outcome | Exception]:
        outcomes: list[p.Outcome | Exception] = []
        written: list[Commits] = []
        with self._turn(), transaction(self.connection):
            for begin in range(0, len(items), group):
                outcomes += self._commit_group(items[begin : begin + group], written)
        for commits in written:
            self._claiming.set_aside(commits.unreadable)
            self._committed(stirs=commits.stirs, to_do=commits.to_do)
        return outcomes

    def _commit_group(self, items: Sequence[p.Item], written: list[Commits]) -> list[p.Outcome | Exception]:
        """Write some items in a savepoint; each in one of its own, if their values cannot be stored."""
        commits = self._commits()
        try:
            with translated(), self.connection:
                outcomes = [commits.one(item) for item in items]
                commits.finish()
        except p.DATA_ERRORS as error:
            if len(items) == 1:
                return [error]
            return [outcome for item in items for outcome in self._commit_group((item,), written)]
        written.append(commits)
        return [*outcomes]

    def _commit_together(self, batch: Batch) -> list[p.Outcome]:
        if not batch.others:
            with self._turn(), translated():
                roll_back(self.connection)
                batch.write(self.connection)  # a statement by itself is a transaction
            self._committed(stirs=batch.stirs or self._concerns_anybody(batch))
            return batch.outcomes
        commits = self._commits()
        with self._turn(), transaction(self.connection):
            batch.write_executions(self.connection)
            for place, item in batch.others:
                batch.outcomes[place] = commits.one(item)
            commits.finish()
            batch.write(self.connection)
        self._claiming.set_aside(commits.unreadable)
        stirs = batch.stirs or commits.stirs or self._concerns_anybody(batch)
        self._committed(stirs=stirs, to_do=commits.to_do)
        return batch.outcomes

    def _concerns_anybody(self, batch: Batch) -> bool:
        """Whether something that a batch tells of is to be routed. Mostly nobody waits for it: then nobody has to look for all
        that there may be to do, which costs as much as to write a tenth of the batch.
        """
        return bool(batch.events) and self._sql.one("has_unrouted") is not None

    def _commits(self) -> Commits:
        tables = (self._sql, self._versions, self._registers, LedgerWrites(self._ledger))
        return Commits(*tables, self._awaited, self._claiming.crashes_max)

    def _committed(self, *, stirs: bool, to_do: p.ToDo = p.ToDo.NOTHING) -> None:
        if stirs:
            self._claiming.stir(to_do)
        self.checkpoints.after_commit()

    def _turn(self) -> AbstractContextManager[None]:
        return nullcontext() if self._turns is None else self._turns

    def hold(self) -> None:
        if self._turns is not None:
            self._turns.hold()

    @property
    def stirred(self) -> bool:
        return self._claiming.stirred

    def at_hand(self) -> bool:
        return self._turns is None or self._turns.at_hand()

    def rest(self) -> None:
        if self._turns is not None:
            self._turns.rest()

    # Claims and questions.

    def claim(
        self, worker: str, *, now: int, limit: int, form: int = FORMAT, but_not: Collection[str] = ()
    ) -> list[p.Claim]:
        with self._turn(), transaction(self.connection):
            claims = self._claiming.claim(worker, now=now, limit=limit, form=form, but_not=but_not)
        self._claiming.swept()
        return claims

    def poll(self, worker: str, *, now: int, limit: int) -> p.Polled:
        try:
            with translated():
                return self._reading.poll(worker, now=now, limit=limit)
        except p.DATA_ERRORS:
            return self._reading.poll_apart(worker, now=now, limit=limit, guard=translated)

    @translated()
    def stirs(self, worker: str, *, now: int) -> p.ToDo:
        return self._claiming.stirs(worker, now=now)

    @translated()
    def record(self, execution: str) -> ExecutionRecord | None:
        return self._reading.record(execution)

    @translated()
    def mail(self, worker: str, execution: str) -> tuple[p.Mail, ...]:
        return self._reading.mail(worker, execution)

    @translated()
    def values(self, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
        return self._reading.values(execution, refs)

    def database_ms(self) -> int | None:
        return None

    @translated()
    def newest_ms(self) -> int | None:
        return self._reading.newest_ms()

    @translated()
    def last_lease_ms(self, now: int) -> int | None:
        return self._claiming.last_lease_ms(now)

    @translated()
    def forgettable(self, ended_before: int, statuses: Sequence[str] = ()) -> int:
        sql = SqliteStatements(self.connection, "retention.sql")
        bounds = Bounds(ended_before, None, 0, self._claiming.crashes_max, tuple(statuses))
        return Retention(sql, self._transaction, bounds).count()

    @translated()  # not all of it is within a transaction
    def forget(
        self,
        ended_before: int,
        limit: int,
        events_before: int | None = None,
        statuses: Sequence[str] = (),
        tally: p.Tally | None = None,
    ) -> int:
        sql = SqliteStatements(self.connection, "retention.sql")
        bounds = Bounds(ended_before, events_before, limit, self._claiming.crashes_max, tuple(statuses))
        with self._turn():
            return Retention(sql, lambda: transaction(self.connection), bounds, tally).forget()

    @translated()
    def scrub_triggers(self, after: int, limit: int, scrub: p.Scrub, *, write: bool) -> p.Scrubbed:
        sql = SqliteStatements(self.connection, "scrubbing.sql")
        return Scrubbing(sql, self._transaction, scrub).batch(after, limit, write=write)

    @translated()
    def forget_ledger(self, bounds: LedgerBounds) -> LedgerForgotten:
        return LedgerRetention(self._ledger, self._transaction, bounds).forget()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._turn(), transaction(self.connection):
            yield
