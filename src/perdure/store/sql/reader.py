"""What is read beside whoever writes: a connection of its own, for a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from perdure.core.events import Event
from perdure.core.state import FORMAT
from perdure.model.records import ApprovalRecord, ExecutionRecord
from perdure.store.approvals import FoundApproval, WantedApprovals
from perdure.store.feed import Fed
from perdure.store.happened import Happened
from perdure.store.ledger import Answered, Promised, TriggerEntry, WantedTriggers
from perdure.store.questions import Backlog, Due, Entry, Found, Look, Unrouted, Wanted
from perdure.store.registers import AuditEntry, Card
from perdure.store.schedules import ScheduleRow
from perdure.store.sql.approvals import SqlApprovalQuestions
from perdure.store.sql.feed import SqlFeed
from perdure.store.sql.ledger import SqlLedger
from perdure.store.sql.questions import SqlQuestions
from perdure.store.sql.reading import Reading
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.schedules import SqlSchedules
from perdure.store.sql.statements import Statements
from perdure.store.sql.versions import SqlVersions
from perdure.store.versions import Version, WorkflowRow


class SqlReader:
    """All of `store.questions.Questions` but for what each database has its own way for. `translated` makes its errors ours."""

    def __init__(
        self,
        open_: Callable[[str], Statements],
        translated: Callable[[], AbstractContextManager[object]],
        at_one_moment: Callable[[], AbstractContextManager[object]],
        lives: Callable[[str, int, int], bool],
    ) -> None:
        """`open_` has the statements of a file."""
        self._sql, self._translated = open_("queries.sql"), translated
        self._reading, self._feed = Reading(self._sql), SqlFeed(self._sql)
        self._schedules = SqlSchedules(open_("schedules.sql"))
        self._registers = SqlRegisters(open_("registers.sql"))
        self._versions = SqlVersions(open_("workflows.sql"), self._schedules, self._registers)
        self._ledger = SqlLedger(open_("ledger.sql"))
        self._approvals = SqlApprovalQuestions(open_("approvals.sql"))
        self._questions = SqlQuestions(open_("questions.sql"), self._reading, at_one_moment, lives)

    def record(self, execution: str) -> ExecutionRecord | None:
        with self._translated():
            return self._reading.record(execution)

    def active_version(self, organization: str, ref: str) -> str | None:
        with self._translated():
            return self._reading.active_version(organization, ref)

    def has_mail(self, execution: str) -> bool:
        with self._translated():
            found = self._sql.one("has_mail", (execution,))
            return found is not None and bool(found[0])

    # Workflows.

    def model(self, digest: str) -> bytes:
        with self._translated():
            return self._reading.model(digest)

    def dialect(self, digest: str) -> str | None:
        with self._translated():
            return self._versions.dialect(digest)

    def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        with self._translated():
            return self._versions.workflow(organization, ref)

    def workflows(self, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
        with self._translated():
            return self._versions.workflows(organization, after, limit)

    def version(self, organization: str, workflow: str, version: str) -> Version | None:
        with self._translated():
            return self._versions.version(organization, workflow, version)

    def version_of(self, organization: str, workflow: str, digest: str, at: int) -> Version | None:
        with self._translated():
            return self._versions.version_of(organization, workflow, digest, at)

    def versions_of(self, organization: str, workflow: str) -> list[Version]:
        with self._translated():
            return self._versions.versions(organization, workflow)

    # Executions.

    def executions(self, wanted: Wanted) -> list[Found]:
        with self._translated():
            return self._questions.executions(wanted)

    def history(self, execution: str, after: int, limit: int) -> list[Entry]:
        with self._translated():
            return self._questions.history(execution, after, limit)

    def history_of_step(self, execution: str, step: int, limit: int) -> list[Entry]:
        with self._translated():
            return self._questions.history_of_step(execution, step, limit)

    def look(self, execution: str, form: int = FORMAT) -> Look | None:
        with self._translated():
            return self._questions.look(execution, form)

    def unseen(self, execution: str) -> list[Event]:
        with self._translated():
            return self._questions.unseen(execution)

    def ids_beginning(self, organization: str, prefix: str, limit: int) -> list[str]:
        with self._translated():
            return self._questions.ids_beginning(organization, prefix, limit)

    def approvals_of(self, execution: str) -> list[ApprovalRecord]:
        with self._translated():
            return self._questions.approvals_of(execution)

    def approval(self, organization: str, id_: str) -> ApprovalRecord | None:
        with self._translated():
            return self._approvals.approval(organization, id_)

    def approvals_wanted(self, wanted: WantedApprovals) -> list[FoundApproval]:
        with self._translated():
            return self._approvals.wanted(wanted)

    def event(self, organization: str, id_: str) -> Happened | None:
        with self._translated():
            return self._questions.event(organization, id_)

    def happened(self, organization: str, before: int | None, limit: int) -> list[Happened]:
        with self._translated():
            return self._questions.happened(organization, before, limit)

    def taken_by(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        with self._translated():
            return self._questions.taken_by(organization, id_, limit)

    def told_to(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        with self._translated():
            return self._questions.told_to(organization, id_, limit)

    def living(self, now: int) -> dict[str, frozenset[str]]:
        with self._translated():
            return self._questions.living(now)

    def wanted_tools(self, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
        with self._translated():
            return self._questions.wanted_tools(after, limit)

    def waiting_for(self, organization: str, task: str, limit: int) -> list[str]:
        with self._translated():
            return self._questions.waiting_for(organization, task, limit)

    # Registers.

    def card(self, organization: str, register: str, id_: str) -> Card | None:
        with self._translated():
            return self._registers.card(organization, register, id_)

    def card_mark(self, organization: str, register: str, id_: str) -> tuple[int, int] | None:
        with self._translated():
            return self._registers.card_mark(organization, register, id_)

    def card_anywhere(self, register: str, id_: str) -> Card | None:
        with self._translated():
            return self._registers.card_anywhere(register, id_)

    def cards(self, organization: str, register: str, after: str, limit: int) -> list[Card]:
        with self._translated():
            return self._registers.cards(organization, register, after, limit)

    def all_cards(self, register: str, after: tuple[str, str], limit: int) -> list[Card]:
        with self._translated():
            return self._registers.all_cards(register, after, limit)

    def audit(self, organization: str, before: int | None, limit: int) -> list[AuditEntry]:
        with self._translated():
            return self._registers.audit(organization, before, limit)

    def audit_of_approval(self, organization: str, approval: str, after: int, limit: int) -> list[AuditEntry]:
        with self._translated():
            return self._registers.audit_of_approval(organization, approval, after, limit)

    # Schedules.

    def schedules_of(self, organization: str, after: tuple[str, str], limit: int) -> list[ScheduleRow]:
        with self._translated():
            return self._schedules.of(organization, after, limit)

    def schedule(self, organization: str, workflow: str, id_: str) -> ScheduleRow | None:
        with self._translated():
            return self._schedules.one(organization, workflow, id_)

    # The ledger.

    def answer_of(self, organization: str, key: str) -> Promised | Answered | None:
        with self._translated():
            return self._ledger.answer_of(organization, key)

    def triggers(self, wanted: WantedTriggers) -> list[TriggerEntry]:
        with self._translated():
            return self._ledger.triggers(wanted)

    def key_uses(self, organization: str) -> dict[str, int]:
        with self._translated():
            return self._ledger.key_uses(organization)

    def started_under(self, organization: str, key: str) -> str | None:
        with self._translated():
            found = self._sql.one("key_of", (organization, key))
        return None if found is None else str(found[0])

    def open_count_of(self, organization: str, limit: int) -> int:
        with self._translated():
            return self._questions.open_count_of(organization, limit)

    # All organizations.

    def feed(self, after: int, limit: int, organization: str | None = None) -> Fed:
        with self._translated():
            return self._feed.after(after, limit, organization)

    def feed_place(self) -> int:
        with self._translated():
            return int(self._sql.one("last_pos")[0])

    def forgotten_up_to(self, organization: str) -> int:
        with self._translated():
            return self._feed.forgotten_up_to(organization)

    def next_due(self, now: int, horizon: int, until: int) -> int | None:
        with self._translated():
            return self._questions.next_due(now, horizon, until)

    def first_due(self) -> Due | None:
        with self._translated():
            return self._questions.first_due()

    def oldest_unrouted(self) -> Unrouted | None:
        with self._translated():
            return self._questions.oldest_unrouted()

    def backlog(self, now: int, limit: int) -> Backlog:
        with self._translated():
            return self._questions.backlog(now, limit)

    def open_count(self) -> int:
        with self._translated():
            return self._questions.open_count()
