"""What a store in memory keeps: plain dictionaries, which those who test look into. It does nothing by itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.commands import OpenWait
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.ledger import Answered, Promised, TriggerEntry
from perdure.store.registers import AuditEntry, Card
from perdure.store.schedules import ScheduleRow
from perdure.store.versions import Version

Item = TypeVar("Item")


class Row:
    """One execution and all that belongs to it."""

    def __init__(self, record: ExecutionRecord, start: Start, pos: int, born: int) -> None:
        self.record = record
        self.start: Start | None = start
        self.pos = pos
        self.born = born
        """What came after it may be for this execution."""
        self.facts: list[f.Fact] = []
        self.snapshot: tuple[int, bytes, int] | None = None
        """After how many facts, what, and in which form."""
        self.owner: str | None = None
        self.epoch = 0
        self.crashes = 0
        self.deaths = self.deaths_alone = 0
        """Deaths of owners in a row, and those of owners that held nothing else; of no meaning while `crashes` is zero."""
        self.claimed_at: int | None = None
        self.handed_over = False
        self.uncalled: dict[int, str] = {}
        """Operation → the task that its last owner did not have."""
        self.inbox: dict[int, p.Message] = {}
        self.unread: frozenset[int] = frozenset()
        """Letters that were there when it was parked: they do not wake it."""
        self.dedups: set[str] = set()
        self.within: dict[int, list[f.Fact]] = {}
        self.consumed: set[str] = set()
        self.waits: dict[int, OpenWait] = {}
        """By operation. `look_back`: whether it still has to."""


class Stirring(dict[str, Row]):
    """The rows that are live or have mail: what claiming and routing look at."""

    def __init__(self) -> None:
        super().__init__()
        self._by_organization: dict[str, dict[str, Row]] = {}

    def __setitem__(self, execution: str, row: Row) -> None:
        super().__setitem__(execution, row)
        self._by_organization.setdefault(row.record.organization, {})[execution] = row

    def __delitem__(self, execution: str) -> None:
        organization = self[execution].record.organization
        super().__delitem__(execution)
        rows = self._by_organization[organization]
        del rows[execution]
        if not rows:
            del self._by_organization[organization]

    def in_turn(self) -> Iterator[Row]:
        """Yield the first row of each organization, then the second of each, and so on."""
        return _alternate(rows.values() for rows in self._by_organization.values())


def in_turn(items: Iterable[Item], organization: Callable[[Item], str]) -> Iterator[Item]:
    """Yield the first item of each organization, then the second of each, and so on."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(organization(item), []).append(item)
    return _alternate(groups.values())


def _alternate(groups: Iterable[Iterable[Item]]) -> Iterator[Item]:
    turns = deque(map(iter, groups))
    while turns:
        item = next(turns[0], None)
        if item is None:
            turns.popleft()
        else:
            turns.rotate(-1)
            yield item


class Tables:
    """All of them."""

    def __init__(self, crashes_max: int = p.CRASHES_MAX) -> None:
        self.pos = 0
        self.crashes_max = crashes_max
        self.rows: dict[str, Row] = {}
        self.stirring = Stirring()
        self.keys: dict[tuple[str, str], str] = {}
        self.workers: dict[str, int] = {}
        """Until when each lives."""
        self.tasks: dict[str, frozenset[str]] = {}
        """Those that each has."""
        self.aside: set[tuple[str, str]] = set()
        """Executions and versions that a worker cannot read."""
        self.events: dict[tuple[str, str], EventRecord] = {}
        self.unrouted: dict[tuple[str, str], None] = {}
        self.reached: dict[tuple[str, str], int] = {}
        """How far those have been routed that concern too many for one commit."""
        self.declined: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
        """Of routed events: which workflows they did not start although they fit, and why."""
        self.deliveries: set[tuple[str, str]] = set()
        self.approvals: dict[str, ApprovalRecord] = {}
        self.approval_ids: dict[tuple[str, int], str] = {}
        self.approval_places: dict[str, int] = {}
        """In the order in which they were opened; none is given again."""
        self.approvals_opened = 0
        self.models: dict[str, bytes] = {}
        self.dialects: dict[str, str] = {}
        self.versions: dict[tuple[str, str], list[Version]] = {}
        """Of each workflow, by organization and id, the oldest first."""
        self.active: dict[tuple[str, str], str] = {}
        """Of those that have one, the digest of the active version."""
        self.subscriptions: dict[tuple[str, str], tuple[str, Workflow]] = {}
        self.ends: list[str] = []
        """The executions that have ended, in that order."""
        self.told: list[tuple[int, str, int]] = []
        """The facts of all executions: position, execution, number."""
        self.told_max = 0
        self.forgotten: dict[str, int] = {}
        """Of each organization, the last position of a fact that is gone."""
        self.cards_by_place: dict[tuple[str, str, str], Card] = {}
        """By register, organization and id."""
        self.audited: list[AuditEntry] = []
        self.schedules: dict[tuple[str, str, str], ScheduleRow] = {}
        """By organization, workflow and id."""
        self.answers: dict[tuple[str, str], tuple[Promised, Answered | None]] = {}
        """By organization and key."""
        self.triggered: list[TriggerEntry] = []
        self.triggers_logged = 0
        """No place of them is given again."""
        self.uses: dict[tuple[str, str], int] = {}
        """When keys were last used, by organization and id."""
