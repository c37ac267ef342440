"""A store in memory: the contract in plain dictionaries. It forgets with the process, and is otherwise like the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from perdure.core.events import Event
from perdure.core.state import FORMAT
from perdure.core.values import Ref
from perdure.model.records import ApprovalRecord, ExecutionRecord
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.approvals import FoundApproval, WantedApprovals
from perdure.store.feed import Fed
from perdure.store.happened import Happened
from perdure.store.ledger import Answered, LedgerBounds, LedgerForgotten, Promised, TriggerEntry, WantedTriggers
from perdure.store.memory import approvals as asking
from perdure.store.memory import (
    claiming,
    commits,
    feed,
    ledger,
    questions,
    reading,
    registers,
    retention,
    schedules,
    versions,
)
from perdure.store.memory.tables import Row, Tables
from perdure.store.questions import Backlog, Due, Entry, Found, Look, Questions, Unrouted, Wanted
from perdure.store.registers import AuditEntry, Card, Doer
from perdure.store.schedules import ScheduleRow
from perdure.store.versions import Kept, NewVersion, NotAllowed, Taken, Version, WorkflowRow, built


class MemoryStore(Tables):
    """Keeps the contract of `store.port.Store`."""

    # Workflows.

    def save(self, workflow: Workflow, organization: str = "default", at: int = 0) -> str:
        """Make this the active version of its name, which is also its id; its digest."""
        kept = self.keep(built(workflow, organization, at))
        assert isinstance(kept, Kept), "nobody else gives a version its name, and nobody in particular does it"
        return kept.version.digest

    def keep(self, new: NewVersion) -> Kept | Taken | NotAllowed:
        return versions.keep(self, new)

    def activate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        return versions.activate(self, organization, workflow, version, at, by)

    def deactivate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        return versions.deactivate(self, organization, workflow, version, at, by)

    def active_version(self, organization: str, ref: str) -> str | None:
        found = self.workflow(organization, ref)
        return None if found is None else found.digest

    def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        return versions.find(self, organization, ref)

    def workflows(self, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
        return versions.page(self, organization, after, limit)

    def version(self, organization: str, workflow: str, version: str) -> Version | None:
        return versions.one(self, organization, workflow, version)

    def version_of(self, organization: str, workflow: str, digest: str, at: int) -> Version | None:
        return versions.with_digest(self, organization, workflow, digest, at)

    def versions_of(self, organization: str, workflow: str) -> list[Version]:
        return versions.newest_first(self, organization, workflow)

    def dialect(self, digest: str) -> str | None:
        return self.dialects.get(digest)

    def model(self, digest: str) -> bytes:
        return self.models[digest]

    # Commits.

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        return [commits.commit_one(self, item) for item in items]

    def commit_apart(self, items: Sequence[p.Item], group: int = p.SAVEPOINT_ITEMS) -> list[p.Outcome | Exception]:  # noqa: ARG002
        return [self._commit_alone(item) for item in items]

    def _commit_alone(self, item: p.Item) -> p.Outcome | Exception:
        try:
            (outcome,) = self.commit((item,))
        except p.DATA_ERRORS as error:
            return error
        return outcome

    # Claims and questions.

    def claim(
        self, worker: str, *, now: int, limit: int, form: int = FORMAT, but_not: Collection[str] = ()
    ) -> list[p.Claim]:
        return claiming.claim(self, worker, now=now, limit=limit, form=form, but_not=but_not)

    def stirs(self, worker: str, *, now: int) -> p.ToDo:
        return claiming.stirs(self, worker, now=now)

    def is_parked(self, row: Row) -> bool:
        return claiming.is_parked(self, row)

    def poll(self, worker: str, *, now: int, limit: int) -> p.Polled:
        return reading.poll(self, worker, now=now, limit=limit)

    def values(self, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
        return reading.values(self, execution, refs)

    def hold(self) -> None:
        """There are no others."""

    @property
    def stirred(self) -> bool:
        return True

    def at_hand(self) -> bool:
        return True

    def rest(self) -> None:
        """There are no others."""

    def reader(self) -> Questions:
        return self

    def on_behalf_of(self, organization: str) -> AbstractContextManager[Questions]:  # noqa: ARG002
        """What is in a process is the process's: it is the question that says whose it asks for."""
        return nullcontext(self)

    def close(self) -> None:
        """There is nothing to let go of."""

    def has_mail(self, execution: str) -> bool:
        row = self.rows.get(execution)
        return row is not None and bool(row.inbox)

    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        return len(self.ends), [] if pos is None else self.ends[pos:]

    def record(self, execution: str) -> ExecutionRecord | None:
        row = self.rows.get(execution)
        return None if row is None else row.record

    def mail(self, worker: str, execution: str) -> tuple[p.Mail, ...]:
        row = self.rows[execution]
        return reading.mail_of(row) if row.owner == worker else ()

    # What is asked beside.

    def executions(self, wanted: Wanted) -> list[Found]:
        return questions.executions(self, wanted)

    def history(self, execution: str, after: int, limit: int) -> list[Entry]:
        return questions.history(self, execution, after, limit)

    def history_of_step(self, execution: str, step: int, limit: int) -> list[Entry]:
        return questions.history_of_step(self, execution, step, limit)

    def look(self, execution: str, form: int = FORMAT) -> Look | None:
        return questions.look(self, execution, form)

    def unseen(self, execution: str) -> list[Event]:
        return questions.unseen(self, execution)

    def ids_beginning(self, organization: str, prefix: str, limit: int) -> list[str]:
        return questions.ids_beginning(self, organization, prefix, limit)

    def approvals_of(self, execution: str) -> list[ApprovalRecord]:
        return questions.approvals_of(self, execution)

    def approval(self, organization: str, id_: str) -> ApprovalRecord | None:
        found = self.approvals.get(id_)
        return found if found is not None and found.organization == organization else None

    def approvals_wanted(self, wanted: WantedApprovals) -> list[FoundApproval]:
        return asking.wanted(self, wanted)

    def event(self, organization: str, id_: str) -> Happened | None:
        return questions.event(self, organization, id_)

    def happened(self, organization: str, before: int | None, limit: int) -> list[Happened]:
        return questions.happened(self, organization, before, limit)

    def taken_by(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        return questions.taken_by(self, organization, id_, limit)

    def told_to(self, organization: str, id_: str, limit: int) -> list[ExecutionRecord]:
        return questions.told_to(self, organization, id_, limit)

    def living(self, now: int) -> dict[str, frozenset[str]]:
        return questions.living(self, now)

    def wanted_tools(self, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
        return questions.wanted_tools(self, after, limit)

    def waiting_for(self, organization: str, task: str, limit: int) -> list[str]:
        return questions.waiting_for(self, organization, task, limit)

    def next_due(self, now: int, horizon: int, until: int) -> int | None:
        return questions.next_due(self, now, horizon, until)

    def first_due(self) -> Due | None:
        return questions.first_due(self)

    def open_count(self) -> int:
        return questions.open_count(self)

    def oldest_unrouted(self) -> Unrouted | None:
        return questions.oldest_unrouted(self)

    def backlog(self, now: int, limit: int) -> Backlog:
        return questions.backlog(self, now, limit)

    def started_under(self, organization: str, key: str) -> str | None:
        return self.keys.get((organization, key))

    def open_count_of(self, organization: str, limit: int) -> int:
        return questions.open_count_of(self, organization, limit)

    # Registers.

    def card(self, organization: str, register: str, id_: str) -> Card | None:
        return self.cards_by_place.get((register, organization, id_))

    def card_mark(self, organization: str, register: str, id_: str) -> tuple[int, int] | None:
        card = self.card(organization, register, id_)
        return None if card is None else (card.revision, card.changed_at)

    def card_anywhere(self, register: str, id_: str) -> Card | None:
        return registers.anywhere(self, register, id_)

    def cards(self, organization: str, register: str, after: str, limit: int) -> list[Card]:
        return registers.page(self, organization, register, after, limit)

    def all_cards(self, register: str, after: tuple[str, str], limit: int) -> list[Card]:
        return registers.of_all(self, register, after, limit)

    def audit(self, organization: str, before: int | None, limit: int) -> list[AuditEntry]:
        return registers.audit(self, organization, before, limit)

    def audit_of_approval(self, organization: str, approval: str, after: int, limit: int) -> list[AuditEntry]:
        return registers.of_approval(self, organization, approval, after, limit)

    # Schedules.

    def schedules_of(self, organization: str, after: tuple[str, str], limit: int) -> list[ScheduleRow]:
        return schedules.page(self, organization, after, limit)

    def schedule(self, organization: str, workflow: str, id_: str) -> ScheduleRow | None:
        return self.schedules.get((organization, workflow, id_))

    # The ledger.

    def answer_of(self, organization: str, key: str) -> Promised | Answered | None:
        return ledger.answer_of(self, organization, key)

    def triggers(self, wanted: WantedTriggers) -> list[TriggerEntry]:
        return ledger.triggers(self, wanted)

    def key_uses(self, organization: str) -> dict[str, int]:
        return ledger.key_uses(self, organization)

    def forget_ledger(self, bounds: LedgerBounds) -> LedgerForgotten:
        return ledger.forget(self, bounds)

    # The feed, and forgetting.

    def feed(self, after: int, limit: int, organization: str | None = None) -> Fed:
        return feed.after(self, after, limit, organization)

    def feed_place(self) -> int:
        return self.told_max

    def forgotten_up_to(self, organization: str) -> int:
        return self.forgotten.get(organization, 0)

    def database_ms(self) -> int | None:
        return None

    def newest_ms(self) -> int | None:
        events = [event.at for event in self.events.values()][-1:]
        facts = [self.rows[execution].facts[seq - 1].at for _, execution, seq in self.told[-1:]]
        entries = [entry.at for entry in self.audited[-1:]]
        return max((*events, *facts, *entries), default=None)

    def last_lease_ms(self, now: int) -> int | None:  # noqa: ARG002
        """Nobody else works here."""
        return None

    def scrub_triggers(self, after: int, limit: int, scrub: p.Scrub, *, write: bool) -> p.Scrubbed:  # noqa: ARG002
        """Nothing here outlives the process."""
        return p.Scrubbed(after, 0, 0)

    def forgettable(self, ended_before: int, statuses: Sequence[str] = ()) -> int:
        return len(retention.ended(self, ended_before, statuses))

    def forget(
        self,
        ended_before: int,
        limit: int,
        events_before: int | None = None,
        statuses: Sequence[str] = (),
        tally: p.Tally | None = None,
    ) -> int:
        return retention.forget(self, ended_before, limit, events_before, statuses, tally or p.Tally())
