"""The contract of `store.port` in Postgres: many workers, each with one connection that writes and one that listens."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from psycopg import errors

from perdure.core.state import FORMAT
from perdure.core.values import Ref
from perdure.model.records import ExecutionRecord
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.ledger import LedgerBounds, LedgerForgotten
from perdure.store.postgres import order
from perdure.store.postgres.commits import PostgresCommits
from perdure.store.postgres.database import (
    TRANSACTION_MS,
    Connected,
    brisk_transaction,
    migrate,
    stepwise_transaction,
    transaction,
)
from perdure.store.postgres.errors import VALUE_ERRORS, translated, value_error
from perdure.store.postgres.presence import PostgresPresence
from perdure.store.postgres.reader import PostgresReader
from perdure.store.postgres.statements import PostgresStatements, statements
from perdure.store.postgres.together import Batch, places_apart, together
from perdure.store.questions import Questions
from perdure.store.registers import Doer
from perdure.store.sql.claiming import Claiming
from perdure.store.sql.ledger import LedgerRetention, LedgerWrites
from perdure.store.sql.plain import NotAll
from perdure.store.sql.reading import Reading
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.retention import Bounds, Retention
from perdure.store.sql.schedules import SqlSchedules
from perdure.store.sql.scrubbing import Scrubbing
from perdure.store.sql.versions import SqlVersions
from perdure.store.versions import Kept, NewVersion, NotAllowed, Taken, Version, built

ALONE_MAX = 0
"""Up to so many items are committed one after the other."""

NO_LONGER = (
    f"SELECT set_config('transaction_timeout', '{TRANSACTION_MS}', false) "
    "WHERE current_setting('server_version_num')::integer >= 170000"
)

NAMED = "SELECT set_config('application_name', left('perdure ' || current_schema(), 63), false)"
"""Whoever writes here is known by it: `cut_off` asks for it."""

ROUTED_TO_NOBODY = 2_000
"""So many events are found at once that concern nobody."""

ROUTE_SECONDS = 0.02
"""How often it looks whom that concerns which executions tell of themselves."""

NOTHING_DUE = -1
"""Before every time that something can be due at."""

TRIES = 5
"""So often two that stood in each other's way try again at once."""


Changed = TypeVar("Changed")


class PostgresStore:
    """Keeps the contract of `store.port.Store`. `lease_ms`: how long a worker lives after a beat, by the clock of the database;
    None: by the clock of the caller, and as long as it says.
    """

    def __init__(
        self,
        url: str,
        *,
        crashes_max: int = p.CRASHES_MAX,
        lease_ms: int | None = p.LEASE_MS,
        alone_max: int = ALONE_MAX,
        seconds: Callable[[], float] = time.monotonic,
        takes_due: Callable[[], bool] = lambda: True,
    ) -> None:
        """`takes_due`: whether this process takes up what is due by its time."""
        self._takes_due = takes_due
        self._url, self._alone_max, self._lease_ms = url, alone_max, lease_ms
        self.connected, self._listening = Connected(url, lease_ms or p.LEASE_MS), Connected(url)
        try:
            with translated():
                migrate(self.connected)
                self.connected.close()
                functions = (statements("together.sql")[name].text for name in ("function", "sharing", "routing"))
                self.connected.setup += [NAMED, NO_LONGER, *functions]
                (schema,) = self._fetched("SELECT current_schema()")
        except BaseException:
            self.connected.close()
            raise
        self._listening.setup.append(f'LISTEN "perdure_{schema}"')
        self._seconds, self._route_at = seconds, 0.0
        self._has_told = False
        """Whether executions have told of themselves since it was looked at whom that concerns."""
        self._sql = PostgresStatements(self.connected)
        self._reading = Reading(self._sql)
        schedules = SqlSchedules(PostgresStatements(self.connected, "schedules.sql"))
        self._registers = SqlRegisters(PostgresStatements(self.connected, "registers.sql"))
        self._versions = SqlVersions(PostgresStatements(self.connected, "workflows.sql"), schedules, self._registers)
        self._ledger = PostgresStatements(self.connected, "ledger.sql")
        presence = PostgresPresence(self._sql, self._listening, seconds, lease_ms=lease_ms)
        self._claiming = Claiming(self._sql, self._reading, crashes_max, presence, seconds)

    def _fetched(self, sql: str) -> Any:
        return self.connected().execute(sql).fetchone()

    def close(self) -> None:
        self.connected.close()
        self._listening.close()

    def reader(self) -> Questions:
        return PostgresReader(self._url, by_its_clock=self._lease_ms is not None)

    # Workflows.

    def save(self, workflow: Workflow, organization: str = "default", at: int = 0) -> str:
        """Make this the active version of its name, which is also its id; its digest."""
        kept = self.keep(built(workflow, organization, at))
        assert isinstance(kept, Kept), "nobody else gives a version its name, and nobody in particular does it"
        return kept.version.digest

    def keep(self, new: NewVersion) -> Kept | Taken | NotAllowed:
        return self._changed(new.organization, new.workflow, lambda: self._versions.keep(new))

    def activate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        which = (organization, workflow, version, at, by)
        return self._changed(organization, workflow, lambda: self._versions.activate(*which))

    def deactivate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        which = (organization, workflow, version, at, by)
        return self._changed(organization, workflow, lambda: self._versions.deactivate(*which))

    def _changed(self, organization: str, workflow: str, change: Callable[[], Changed]) -> Changed:
        """What comes of a change to a workflow. When its next slot is may be another by then; those who wait for the time have to
        know.
        """

        def changed() -> Changed:
            with self.connected().transaction():
                self._sql.run("share_workflow", (f"{organization}/{workflow}",))
                self._claiming.stir()
                self._sql.run("notify")
                return change()

        return _tried(changed)

    def active_version(self, organization: str, ref: str) -> str | None:
        with translated():
            return self._reading.active_version(organization, ref)

    def model(self, digest: str) -> bytes:
        with translated():
            return self._reading.model(digest)

    # Commits.

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        """Routed events and heartbeats are written first, in a transaction of their own, so that new executions and steps beside
        them are written together. If only the first transaction is committed, all items are sent again, which changes nothing of
        what is there.
        """
        places = places_apart(items, self._alone_max)
        if places is None:
            return _tried(partial(self._commit, items))
        outcomes: dict[int, p.Outcome] = {}
        for part in places:
            some = [items[place] for place in part]
            outcomes.update(zip(part, _tried(partial(self._commit, some)), strict=True))
        return [outcomes[place] for place in range(len(items))]

    def _commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        batch = together(items, self._alone_max)
        if batch is not None:
            try:
                return self._commit_together(batch)
            except NotAll:
                pass
        owners = _owners(items)
        with brisk_transaction(self.connected):
            self._sql.begin()
            barred = frozenset(owner for (owner,) in self._sql.all("share", (owners,))) if owners else frozenset()
            order.take(self._sql, items)
            commits = self._commits(barred)
            outcomes: list[p.Outcome] = []
            for item in items:
                outcomes.append(commits.one(item))
                if commits.size > p.BATCH_BYTES_MAX and len(outcomes) < len(items):
                    raise p.BatchTooLarge(len(outcomes))
            commits.finish()
            if commits.stirs:
                self._sql.run("notify")
        self._claiming.set_aside(commits.unreadable)
        if commits.stirs:
            self._claiming.stir(commits.to_do)
        return outcomes

    def commit_apart(self, items: Sequence[p.Item], group: int = p.SAVEPOINT_ITEMS) -> list[p.Outcome | Exception]:
        return _tried(lambda: self._commit_apart(items, group))

    def _commit_apart(self, items: Sequence[p.Item], group: int) -> list[p.Outcome | Exception]:
        outcomes: list[p.Outcome | Exception] = []
        written: list[PostgresCommits] = []
        owners = _owners(items)
        with stepwise_transaction(self.connected):
            self._sql.begin()
            barred = frozenset(owner for (owner,) in self._sql.all("share", (owners,))) if owners else frozenset()
            try:
                with self.connected().transaction():
                    order.take(self._sql, items)
            except (*VALUE_ERRORS, *p.DATA_ERRORS):  # an id that cannot be stored: each group takes its own rows
                pass
            for begin in range(0, len(items), group):
                outcomes += self._commit_group(items[begin : begin + group], barred, written)
            if any(commits.stirs for commits in written):
                self._sql.run("notify")
        for commits in written:
            self._claiming.set_aside(commits.unreadable)
            if commits.stirs:
                self._claiming.stir(commits.to_do)
        return outcomes

    def _commit_group(
        self, items: Sequence[p.Item], barred: frozenset[str], written: list[PostgresCommits]
    ) -> list[p.Outcome | Exception]:
        """Write some items in a savepoint; each in one of its own, if their values cannot be stored."""
        commits = self._commits(barred)
        try:
            with self.connected().transaction():
                order.take(self._sql, items)
                outcomes = [commits.one(item) for item in items]
                commits.finish()
        except (*VALUE_ERRORS, *p.DATA_ERRORS) as error:
            if len(items) == 1:
                return [value_error(error) if isinstance(error, VALUE_ERRORS) else error]
            return [outcome for item in items for outcome in self._commit_group((item,), barred, written)]
        written.append(commits)
        return [*outcomes]

    def _commits(self, barred: frozenset[str]) -> PostgresCommits:
        tables = (self._sql, self._versions, self._registers, LedgerWrites(self._ledger))
        return PostgresCommits(*tables, barred, self._lease_ms, self._claiming.crashes_max)

    def _commit_together(self, batch: Batch) -> list[p.Outcome]:
        batch.write(self.connected())
        self._has_told |= bool(batch.events)
        if batch.stirs:
            self._claiming.stir(batch.to_do)
        return batch.outcomes

    def hold(self) -> None:
        """Everybody writes when they like."""

    @property
    def stirred(self) -> bool:
        return self._claiming.stirred

    def at_hand(self) -> bool:
        return False  # a server that does not answer would stop the thread that asks: the event loop

    def rest(self) -> None:
        """Nobody waits for a turn."""

    # Claims and questions.

    def claim(
        self, worker: str, *, now: int, limit: int, form: int = FORMAT, but_not: Collection[str] = ()
    ) -> list[p.Claim]:
        with translated(), brisk_transaction(self.connected):
            barred = ("barred", ([worker],))  # until all that it owned is somebody else's
            claims = self._claiming.claim(
                worker,
                now=now,
                limit=limit,
                form=form,
                but_not=but_not,
                unless=barred,
                due_until=self._due_until(now),
            )
        self._claiming.swept()
        return claims

    def poll(self, worker: str, *, now: int, limit: int) -> p.Polled:
        due_until = self._due_until(now)
        try:
            with translated():
                first = ("route_to_nobody", (ROUTED_TO_NOBODY,))
                return self._reading.poll(worker, now=now, limit=limit, first=first, due_until=due_until)
        except p.DATA_ERRORS:
            return self._reading.poll_apart(worker, now=now, limit=limit, guard=translated, due_until=due_until)

    def _due_until(self, now: int) -> int:
        return now if self._takes_due() else NOTHING_DUE

    def stirs(self, worker: str, *, now: int) -> p.ToDo:
        """What was just told most often concerns nobody: then there is nothing to look for."""
        with translated():
            if self._has_told and self._seconds() >= self._route_at:
                self._has_told, self._route_at = False, self._seconds() + ROUTE_SECONDS
                (is_left,) = self._sql.one("route_to_nobody", (ROUTED_TO_NOBODY,))
                if is_left:
                    self._claiming.stir()
            return self._claiming.stirs(worker, now=now, due_until=self._due_until(now))

    def record(self, execution: str) -> ExecutionRecord | None:
        with translated():
            return self._reading.record(execution)

    def mail(self, worker: str, execution: str) -> tuple[p.Mail, ...]:
        with translated():
            return self._reading.mail(worker, execution)

    def values(self, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
        with translated():
            return self._reading.values(execution, refs)

    def database_ms(self) -> int | None:
        with translated():
            return int(self._sql.one("clock")[0])

    def newest_ms(self) -> int | None:
        with translated():
            return self._reading.newest_ms()

    def last_lease_ms(self, now: int) -> int | None:
        with translated():
            return self._claiming.last_lease_ms(now)

    def forgettable(self, ended_before: int, statuses: Sequence[str] = ()) -> int:
        sql = PostgresStatements(self.connected, "retention.sql")
        bounds = Bounds(ended_before, None, 0, self._claiming.crashes_max, tuple(statuses))
        with translated():
            return Retention(sql, lambda: transaction(self.connected), bounds).count()

    def forget(
        self,
        ended_before: int,
        limit: int,
        events_before: int | None = None,
        statuses: Sequence[str] = (),
        tally: p.Tally | None = None,
    ) -> int:
        sql = PostgresStatements(self.connected, "retention.sql")
        bounds = Bounds(ended_before, events_before, limit, self._claiming.crashes_max, tuple(statuses))
        with translated():
            return Retention(sql, lambda: transaction(self.connected), bounds, tally).forget()

    def scrub_triggers(self, after: int, limit: int, scrub: p.Scrub, *, write: bool) -> p.Scrubbed:
        sql = PostgresStatements(self.connected, "scrubbing.sql")
        with translated():
            return Scrubbing(sql, lambda: transaction(self.connected), scrub).batch(after, limit, write=write)

    def forget_ledger(self, bounds: LedgerBounds) -> LedgerForgotten:
        with translated():
            return LedgerRetention(self._ledger, lambda: transaction(self.connected), bounds).forget()


def _owners(items: Sequence[p.Item]) -> list[str]:
    return list(dict.fromkeys(item.owner for item in items if isinstance(item, p.Advance | p.HandOver | p.Park)))


def _tried(write: Callable[[], Changed]) -> Changed:
    with translated():
        for _ in range(TRIES - 1):
            try:
                return write()
            except (errors.DeadlockDetected, errors.SerializationFailure):
                continue
        return write()
