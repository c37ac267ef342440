"""Approvals in a database: opened, handed on, taken on, decided, and found by whoever is asked."""

from __future__ import annotations

from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from perdure.model.records import ApprovalRecord, settled
from perdure.store import port as p
from perdure.store import voting
from perdure.store.approvals import (
    FoundApproval,
    GiveLink,
    LetGo,
    TakeOn,
    WantedApprovals,
    claim_audited,
    is_asked,
    key,
    let_go,
    link_audited,
    marked_overdue,
    places,
    sought,
    standings,
    taken_on,
    told_that_it_is_over,
    useless,
)
from perdure.store.sql import rows
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.statements import Statements

ALWAYS = (1 << 63) - 1


class SqlApprovals:
    """What is written, inside of the transaction of the one connection that writes."""

    def __init__(self, statements: Statements, registers: SqlRegisters) -> None:
        self._sql, self._registers = statements, registers

    def change(self, eid: int, item: p.Advance) -> None:
        execution, changes, at = item.execution, item.changes, p.committed_at(item)
        for approval in changes.approvals_opened:
            self._open(eid, approval)
            self._audit(approval, item)
        for op, to in changes.approvals_overdue:
            self._keep(marked_overdue(self.of(execution, op), to, at))
        for op, decision in changes.approvals_settled:
            approval = settled(self.of(execution, op), decision, at)
            self._keep(approval)
            self._audit(approval, item)
        for op in changes.approvals_closed:
            approval = self.of(execution, op)
            if approval.status == "pending":
                self._keep(settled(approval, None, at))

    def decide(self, item: p.Decide) -> tuple[p.Outcome, p.Message | None]:
        """What came of a vote, and what to tell the execution."""
        approval = self._by_id(item.approval)
        outcome = voting.ruled(approval, item)
        if outcome is not None:
            self._keep_over(approval, item)
            return outcome, None
        assert approval is not None
        voted, event = voting.voted(approval, item)
        self._keep(voted)
        if item.writer:
            self._registers.enter(voting.audited(item, voted))
        told = None if event is None else p.Message(approval.execution, event, f"approval:{approval.id}")
        return p.Committed(), told

    def claim(self, item: TakeOn | LetGo) -> p.Outcome:
        approval = self._by_id(item.approval)
        if approval is None or approval.organization != item.organization:
            return voting.no_approval(item.approval)
        after = taken_on(approval, item) if isinstance(item, TakeOn) else let_go(approval, item)
        if isinstance(after, str):
            self._keep_over(approval, item)
            return p.GuardFailed(after)
        if after != approval:
            self._keep(after)
            if item.writer:
                self._registers.enter(claim_audited(approval, item))
        return p.Committed()

    def link(self, item: GiveLink) -> p.Outcome:
        approval = self._by_id(item.approval)
        if approval is None or approval.organization != item.organization:
            return voting.no_approval(item.approval)
        reason = useless(approval, item)
        if reason is not None:
            return p.GuardFailed(reason)
        if item.writer:
            self._registers.enter(link_audited(item))
        return p.Committed()

    def _keep_over(self, approval: ApprovalRecord | None, item: p.Decide | TakeOn | LetGo) -> None:
        over = told_that_it_is_over(approval, item.at, item.organization)
        if over is not None:
            self._keep(over)

    def of(self, execution: str, op: int) -> ApprovalRecord:
        found = self._sql.one("approval_of", (execution, op))
        assert found is not None, (execution, op)
        return rows.approval(found[0])

    def _by_id(self, id_: str) -> ApprovalRecord | None:
        found = self._sql.one("approval", (id_,))
        return None if found is None else rows.approval(found[0])

    def _open(self, eid: int, approval: ApprovalRecord) -> None:
        asked = (approval.id, eid, approval.op, approval.organization, approval.status, rows.text(approval))
        by = places(approval)
        where = (by.member, by.role, by.handed, by.late, by.claimed, by.resource_type, by.resource_id)
        self._sql.run("insert_approval", (*asked, approval.workflow, *where))

    def _audit(self, approval: ApprovalRecord, item: p.Advance) -> None:
        if voting.is_decided_by_time(approval, item):
            self._registers.enter(voting.audited_of_time(approval, item))

    def _keep(self, approval: ApprovalRecord) -> None:
        by = places(approval)
        self._sql.run(
            "update_approval", (approval.status, rows.text(approval), by.handed, by.late, by.claimed, approval.id)
        )


class SqlApprovalQuestions:
    """What is asked, beside whoever writes. Each list goes by one index, in the order in which approvals were opened: one for
    every way to stand and every name that they are found by. They are put together here, and none is read beyond the page.
    """

    def __init__(self, statements: Statements) -> None:
        self._sql = statements

    def approval(self, organization: str, id_: str) -> ApprovalRecord | None:
        found = self._sql.one("approval_by_id", (organization, id_))
        return None if found is None else rows.approval(found[0])

    def wanted(self, wanted: WantedApprovals) -> list[FoundApproval]:
        """Who has started some of them may not decide those, which no index knows: then there is more to read."""
        found: list[FoundApproval] = []
        more: WantedApprovals | None = wanted
        while more is not None and len(found) < wanted.limit:
            there = self._next(more)
            found += [each for each in there if is_asked(each.record, wanted.mine)]
            more = replace(more, before=there[-1].place, limit=more.limit * 2) if len(there) == more.limit else None
        return found[: wanted.limit]

    def _next(self, wanted: WantedApprovals) -> list[FoundApproval]:
        lists = [
            self._sql.all(query, {**given, "status": status, "late": late})
            for query, given in _lists(wanted)
            for status, late in standings(wanted)
        ]
        ordered = groupby(merge(*lists, reverse=True), key=itemgetter(0))  # one may be in several
        return [FoundApproval(pos, rows.approval(next(same)[1])) for pos, same in islice(ordered, wanted.limit)]


def _lists(wanted: WantedApprovals) -> list[tuple[str, dict[str, Any]]]:
    """The lists that have the least to go through."""
    given = {
        "organization": wanted.organization,
        "before": ALWAYS if wanted.before is None else wanted.before,
        "limit": wanted.limit,
        "workflow": wanted.workflow,
        "execution": wanted.execution,
        "by": None if wanted.mine is None else key(wanted.mine.member),
        "type": None if wanted.resource is None else key(wanted.resource[0]),
        "thing": None if wanted.resource is None else key(wanted.resource[1]),
    }
    if wanted.execution is not None:
        return [("approvals_by_execution", given)]
    if wanted.mine is not None:
        return [(f"approvals_by_{kind}", {**given, "name": name}) for kind, name in sought(wanted.mine)]
    if wanted.resource is not None:
        return [("approvals_by_resource", given)]
    if wanted.workflow is not None:
        return [("approvals_by_workflow", given)]
    return [("approvals_by_status", given)]
