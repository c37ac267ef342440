"""The order in which a transaction takes what others may write as well: cards, workflows, schedules, events, approvals,
executions, each in the order of their ids; at its end, rows of the ledger (`sql/ledger.py`). Whoever keeps to it never waits in a
circle, which the server would find out after a second, and only by ending one of those in it.

Whoever saves or activates a version has its workflow to itself before all of this, and only that one; then it goes by the same
order. Each process has its own chain of the audit, and nobody else waits for that.

Not in it is what two write at one time only if something is sent twice: keys of requests and of starts, events by their ids, and
models. If they wait in a circle for that, one of them begins again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from perdure.store import port as p
from perdure.store.approvals import GiveLink, LetGo, TakeOn
from perdure.store.ledger import GiveAnswer, LogTrigger, PromiseAnswer, UseKey, WithdrawPromise
from perdure.store.postgres.statements import PostgresStatements
from perdure.store.registers import WriteCard
from perdure.store.schedules import PauseSchedule, ResetSchedule, WriteSchedule
from perdure.store.sql.registers import Place, in_order, needed


class Rows:
    """What the items of a transaction are going to write."""

    def __init__(self, items: Sequence[p.Item]) -> None:
        self.cards: set[Place] = set()
        self.workflows: dict[tuple[str, str], None] = {}
        self.schedules: dict[tuple[str, str, str], None] = {}
        self.events: dict[tuple[str, str], None] = {}
        self.approvals: dict[str, None] = {}
        self.approvals_of: dict[tuple[str, int], None] = {}
        """Approvals that are named by their execution and operation."""
        self.executions: dict[str, None] = {}
        for item in items:
            self._add(item)

    @property
    def are_several(self) -> bool:
        return (
            len(self.cards)
            + len(self.workflows)
            + len(self.schedules)
            + len(self.events)
            + 2 * len(self.approvals)
            + len(self.approvals_of)
            + len(self.executions)
            > 1
        )

    def _add(self, item: p.Item) -> None:
        match item:
            case p.Advance():
                self._add_step(item)
            case p.HandOver() | p.Park():
                self._add_executions((item.execution,))
            case p.Deliver():
                self._add_executions((item.message.execution,))
            case p.LookedBack():
                self._add_executions((item.execution,))
            case p.Route():
                self.events[item.event.organization, item.event.id] = None
                self._add_executions(item.targets)
            case p.Decline() | p.Reroute():
                self.events[item.organization, item.event] = None
            case p.Fire() | PauseSchedule():
                self.schedules[item.organization, item.workflow, item.schedule] = None
            case ResetSchedule():
                self.workflows[item.organization, item.workflow] = None
                self.schedules[item.organization, item.workflow, item.schedule] = None
            case WriteSchedule():
                self.cards.update(needed(item.organization, item.needs))
                self.workflows[item.organization, item.workflow] = None
                self.schedules[item.organization, item.workflow, item.schedule] = None
            case WriteCard():
                self.cards.update(((item.register, item.organization, item.id), *needed(item.organization, item.needs)))
            case p.Decide():  # it also tells the execution
                self.approvals[item.approval] = None
            case TakeOn() | LetGo() | GiveLink():
                self.approvals[item.approval] = None
            case p.Create() | p.Fork() | p.Publish():  # what is new is nobody else's yet
                pass
            case p.Beat() | PromiseAnswer() | GiveAnswer() | WithdrawPromise():  # its own
                pass
            case LogTrigger() | UseKey():  # at the end
                pass
            case _:
                assert_never(item)

    def _add_step(self, item: p.Advance) -> None:
        changes = item.changes
        if not item.quiet or item.release or changes is not p.NO_CHANGES:
            self._add_executions((item.execution,))
        self._add_executions(message.execution for message in changes.messages)
        asked = (*(op for op, _ in (*changes.approvals_overdue, *changes.approvals_settled)), *changes.approvals_closed)
        for op in asked:
            self.approvals_of[item.execution, op] = None

    def _add_executions(self, executions: Iterable[str]) -> None:
        self.executions.update(dict.fromkeys(executions))


def take(sql: PostgresStatements, items: Sequence[p.Item]) -> None:
    """Take the rows of these items, in order; a single one is taken when it is written."""
    rows = Rows(items)
    if not rows.are_several:
        return
    if rows.cards:
        sql.run("take_cards", (in_order(rows.cards),))
    if rows.workflows:
        sql.run("take_workflows", tuple(map(list, zip(*rows.workflows, strict=True))))
    if rows.schedules:
        sql.run("take_several_schedules", tuple(map(list, zip(*rows.schedules, strict=True))))
    if rows.events:
        sql.run("take_events", ([one for one, _ in rows.events], [id_ for _, id_ in rows.events]))
    eids: list[int] = []
    if rows.approvals or rows.approvals_of:
        of, ops = [one for one, _ in rows.approvals_of], [op for _, op in rows.approvals_of]
        eids = [eid for (eid,) in sql.all("take_approvals", (list(rows.approvals), of, ops))]
    if rows.executions or eids:
        sql.run("take_executions", (list(rows.executions), eids))
