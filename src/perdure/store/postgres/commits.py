"""Commits beside other workers: what a worker writes that somebody has taken over from is refused, and a lease goes by the clock
of the database.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from perdure.model.records import EventRecord
from perdure.store import port as p
from perdure.store.ledger import PromiseAnswer
from perdure.store.postgres.statements import PostgresStatements
from perdure.store.sql import rows
from perdure.store.sql.commits import Commits, arrived
from perdure.store.sql.ledger import LedgerWrites
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.versions import SqlVersions


class EverybodyMayWait:
    """Keeps the contract of `store.sql.commits.Awaited`. Somebody may begin to wait in a transaction that cannot be seen yet: it
    can only be said whom an event concerns when it is durable.
    """

    def begin(self) -> None: ...

    def forget(self) -> None: ...

    def concerns_anybody(self, organization: str, event_type: str) -> bool:  # noqa: ARG002
        return True


class PostgresCommits(Commits):
    """`barred`: the workers that somebody has taken over from. `lease_ms`: how long a worker lives after a beat, by the clock of
    the database; None: as long as it says itself.
    """

    def __init__(
        self,
        statements: PostgresStatements,
        versions: SqlVersions,
        registers: SqlRegisters,
        ledger: LedgerWrites,
        barred: frozenset[str],
        lease_ms: int | None,
        crashes_max: int = p.CRASHES_MAX,
    ) -> None:
        super().__init__(statements, versions, registers, ledger, EverybodyMayWait(), crashes_max)
        self._barred, self._lease_ms = barred, lease_ms

    def _advance(self, item: p.Advance) -> p.Outcome:
        return p.Fenced() if item.owner in self._barred else super()._advance(item)

    def _hand_over(self, item: p.HandOver) -> p.Outcome:
        return p.Fenced() if item.owner in self._barred else super()._hand_over(item)

    def _park(self, item: p.Park) -> p.Outcome:
        return p.Fenced() if item.owner in self._barred else super()._park(item)

    def _deliver_routed(self, item: p.Route) -> bool:
        """The same, with one statement."""
        event, declined = item.event, rows.text(item.declined) if item.declined else None
        letter = rows.text(arrived(event, item.at, 0))
        given = (list(item.targets), event.id, letter, event.organization, item.after, item.reached, declined)
        moved, delivered, to_claim = self._sql.one("route_event", given)
        self.stirs |= delivered > 0
        if to_claim:
            self.to_do |= p.ToDo.CLAIM
        return bool(moved)

    def _deliver_event(self, executions: Sequence[str], event: EventRecord, at: int, *, found_by: int = 0) -> None:
        """All of them with one statement. Their rows have been taken."""
        if executions:
            letter = rows.text(arrived(event, at, found_by))
            self._sql.run("deliver_event", (list(executions), event.id, letter))
            self.stirs = True

    def _promise(self, item: PromiseAnswer) -> p.Outcome:
        if self._lease_ms is not None:  # whether a promise is void goes by the clock of the database as well
            (now,) = self._sql.one("clock")
            item = replace(item, at=now, until=now + item.until - item.at)
        return super()._promise(item)

    def _beat(self, item: p.Beat) -> None:
        if item.until != p.GONE and self._lease_ms is not None:
            (now,) = self._sql.one("clock")
            item = p.Beat(item.worker, now + self._lease_ms, item.tasks)
        super()._beat(item)
