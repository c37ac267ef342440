"""What is alike in a transaction is written together: new executions, and steps of executions that this worker owns.

Writing together is only faster. Whether every row could be written is told by one count; if not, all of it is undone, and done
again one after the other, which alone decides what is refused and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from perdure.store import port as p
from perdure.store.sqlite import rows
from perdure.store.sqlite.commits import COMMITTED, Commits
from perdure.store.sqlite.statements import Statements

EIDS_MAX = 100_000
RELEASED = p.Committed(released=True)


class NotAll(Exception):
    """Some row could not be written, and it is not known which."""


class Plan(Struct, frozen=True, gc=False):
    """Items and their places in the list that is to be committed, by how they are written."""

    creates: list[p.Create]
    others: list[tuple[int, p.Item]]
    advances: list[p.Advance]
    places: list[int]
    """Of the advances."""


class Together:
    """Remembers the numbers of the executions that are advanced, so that they need not be looked up."""

    def __init__(self, statements: Statements) -> None:
        self._sql = statements
        self._eids: dict[str, int] = {}

    def know(self, execution: str, eid: int) -> None:
        if len(self._eids) >= EIDS_MAX:
            self._eids.clear()
        self._eids[execution] = eid

    def plan(self, items: Sequence[p.Item]) -> Plan | None:
        """None: some execution occurs twice, and the order matters."""
        plan = Plan([], [], [], [])
        created: set[str] = set()
        advanced: set[str] = set()
        for place, item in enumerate(items):
            if type(item) is p.Advance:
                if item.execution in advanced:
                    return None
                advanced.add(item.execution)
                if _is_plain(item) and (item.execution in self._eids or item.execution in created):
                    plan.advances.append(item)
                    plan.places.append(place)
                    continue
            elif type(item) is p.Create and item.key is None:
                created.add(item.pending.record.id)
                plan.creates.append(item)
                continue
            plan.others.append((place, item))
        return plan if len(plan.creates) + len(plan.advances) > 1 else None

    def commit(self, plan: Plan, count: int, commits: Commits) -> list[p.Outcome]:
        """New executions come first: whatever else there is may be for them."""
        outcomes: list[p.Outcome] = [COMMITTED] * count
        if plan.creates:
            self._create(plan.creates, commits)
        for place, item in plan.others:
            outcomes[place] = commits.one(item)
        if plan.advances:
            for place, outcome in zip(plan.places, self._advance(plan.advances, commits), strict=True):
                outcomes[place] = outcome
        commits.finish()
        return outcomes

    def _create(self, items: list[p.Create], commits: Commits) -> None:
        for record in {_version(item): item.pending.record for item in items if item.active}.values():
            if not commits.is_active(record):
                raise NotAll
        eid, born = self._sql.one("last")
        given: list[Any] = []
        for item in items:
            eid += 1
            given += rows.new_execution(eid, born, item.pending, item.owner)
            if item.owner is None:
                commits.stirs = True
            else:
                self.know(item.pending.record.id, eid)
        if self._sql.many("insert_executions", rows.EXECUTION, given) != len(items):
            raise NotAll

    def _advance(self, items: list[p.Advance], commits: Commits) -> list[p.Outcome]:
        eids = [self._eids[item.execution] for item in items]
        quiet: list[Any] = []
        others: list[Any] = []
        released: list[int] = []
        for eid, item in zip(eids, items, strict=True):
            place = (eid, item.execution, item.owner, item.epoch, item.after, item.after + len(item.facts))
            if item.quiet:
                quiet += place
            else:
                others += place + _changing(item)
            if item.release:
                released.append(eid)
        if self._sql.many("advance_quietly", 6, quiet) + self._sql.many("advance_many", 14, others) != len(items):
            raise NotAll
        for eid, item in zip(eids, items, strict=True):
            commits.append(eid, item)
        if not released:
            return [COMMITTED] * len(items)
        let_go = self._release(released)
        return [self._let_go(item) if eid in let_go else COMMITTED for eid, item in zip(eids, items, strict=True)]

    def _let_go(self, item: p.Advance) -> p.Outcome:
        del self._eids[item.execution]
        return RELEASED

    def _release(self, eids: list[int]) -> set[int]:
        """Those that have mail are kept."""
        given = (msgspec.json.encode(eids).decode(),)
        self._sql.run("release_many", given)
        if self._sql.connection.changes() == len(eids):
            return set(eids)
        (kept,) = self._sql.one("kept", given)
        return set(eids).difference(msgspec.json.decode(kept))


def _is_plain(item: p.Advance) -> bool:
    """Whether it depends on nothing but the row of its execution, and reads nothing of its inbox."""
    return not item.changes.seen and not item.changes.approvals_settled


def _version(item: p.Create) -> tuple[str, str, str]:
    record = item.pending.record
    return record.organization, record.workflow, record.digest


def _changing(item: p.Advance) -> tuple[Any, ...]:
    r = item.record
    waiting, output, error = rows.optional(r.waiting), rows.optional(r.output), rows.optional(r.error)
    return (r.status, r.live, r.wake_at, waiting, output, error, r.ended_at, item.progress)
