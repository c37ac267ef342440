"""What may be asked of the executions of a store, and what it answers. All of it is asked beside whoever writes."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from perdure.core.advance import Start
from perdure.core.events import Event
from perdure.core.facts import Fact
from perdure.core.state import FORMAT
from perdure.model.records import ApprovalRecord, ExecutionRecord, Status
from perdure.store.approvals import ApprovalQuestions
from perdure.store.feed import FeedQuestions
from perdure.store.happened import HappenedQuestions
from perdure.store.ledger import LedgerQuestions
from perdure.store.port import Reader, Uncalled, Unreadable
from perdure.store.registers import Registers
from perdure.store.schedules import ScheduleQuestions
from perdure.store.versions import Version, WorkflowRow


class Wanted(Struct, frozen=True, omit_defaults=True):
    """Which executions, the newest first. `before` is a place in that order: what began later is not in it.

    started_after and started_before are times: at or after the one, before the other.
    """

    organization: str
    limit: int
    before: int | None = None
    status: Status | None = None
    workflow: str | None = None
    correlation_id: str | None = None
    parent: str | None = None
    started_after: int | None = None
    started_before: int | None = None
    hidden: str = ""
    """The workflow of which none are wanted."""


class Found(Struct, frozen=True):
    """An execution, and its place in the order in which they came."""

    place: int
    record: ExecutionRecord


class Entry(Struct, frozen=True):
    """A fact in its place. `Unreadable`: a newer program has written it, or the file is damaged."""

    seq: int
    kind: str
    fact: Fact | Unreadable


class Look(Struct, frozen=True):
    """How an execution stands at one moment. The state is the snapshot, and after it the facts.

    owner     the worker that has it
    crashes   how many of its owners died in a row without progress
    mail      how many messages it has not seen
    uncalled  what its last owner could not call, for want of the task
    """

    record: ExecutionRecord
    start: Start | None
    snapshot: bytes | None
    facts: tuple[Fact, ...] | Unreadable
    owner: str | None = None
    crashes: int = 0
    mail: int = 0
    uncalled: Uncalled = ()


class Due(Struct, frozen=True):
    """An execution that nobody has, and when it wakes."""

    execution: str
    at: int


class Backlog(Struct, frozen=True):
    """How much there is to do, of all organizations. Nothing is counted beyond a limit: what is as much as that may be more.

    open       executions that have not ended
    ready      those that nobody has and that could go on at once
    timed      those that nobody has and that wake by themselves at some time
    overdue    those of them whose time has come; `oldest_due_at`: when the first of all wakes, or should have
    approvals  that nobody has decided
    unrouted   events of which it has not been found out whom they concern
    """

    open: int
    ready: int
    timed: int
    overdue: int
    approvals: int
    unrouted: int
    oldest_due_at: int | None = None


class Unrouted(Struct, frozen=True):
    """The oldest event that has not been routed: its place, and when it came."""

    pos: int
    at: int | None


class Questions(
    Reader,
    FeedQuestions,
    HappenedQuestions,
    ApprovalQuestions,
    Registers,
    ScheduleQuestions,
    LedgerQuestions,
    Protocol,
):
    """What every reader answers. It sees all that has been committed, and keeps nobody from writing."""

    def model(self, digest: str) -> bytes:
        """Raises KeyError if there is none."""
        ...

    def dialect(self, digest: str) -> str | None:
        """Which dialect a model was lowered from."""
        ...

    def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        """By its id, else by its name; of several with one name, one that has an active version."""
        ...

    def workflows(self, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
        """By name, then by id; those after (name, id)."""
        ...

    def version(self, organization: str, workflow: str, version: str) -> Version | None:
        """One version of the workflow with this id, with its document."""
        ...

    def version_of(self, organization: str, workflow: str, digest: str, at: int) -> Version | None:
        """The version that has this model, with its document: of several, the newest that there was at that time."""
        ...

    def versions_of(self, organization: str, workflow: str) -> list[Version]:
        """The newest first, without their documents."""
        ...

    def executions(self, wanted: Wanted) -> list[Found]:
        """Newest first. While one is owned, its record may not know the last facts, but its status is right."""
        ...

    def history(self, execution: str, after: int, limit: int) -> list[Entry]:
        """The facts after number `after`."""
        ...

    def history_of_step(self, execution: str, step: int, limit: int) -> list[Entry]:
        """The facts about one step, its operations, and the execution as a whole, in order; at most `limit`, the last ones.
        Before these come the last `limit` of those by which it was entered: what it does item by item must not hide them.
        """
        ...

    def look(self, execution: str, form: int = FORMAT) -> Look | None:
        """All of it at one moment. A snapshot of another `form` is left out, and all facts are there instead."""
        ...

    def unseen(self, execution: str) -> list[Event]:
        """What it has been told, and has not seen yet, in order; nothing of what this version cannot read."""
        ...

    def ids_beginning(self, organization: str, prefix: str, limit: int) -> list[str]:
        """The ids of executions that begin so, in their order."""
        ...

    def approvals_of(self, execution: str) -> list[ApprovalRecord]:
        """Those that are open."""
        ...

    def living(self, now: int) -> dict[str, frozenset[str]]:
        """The workers that live, and the tasks that each has. None at all: it has not said."""
        ...

    def wanted_tools(self, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
        """Organizations, and names of tasks that begin with that of a connection, that something in them waits for and that
        nobody could call. In their order, those after `after`.
        """
        ...

    def waiting_for(self, organization: str, task: str, limit: int) -> list[str]:
        """Executions that nobody has, and that wait for somebody who has this task. Not those that have mail: whoever reads that
        looks for the task as well.
        """
        ...

    def next_due(self, now: int, horizon: int, until: int) -> int | None:
        """When the next execution wakes, of all organizations, that nobody has and that is worth waiting for: any up to
        `horizon`; up to `until`, those that wait for nothing but their next attempt.
        """
        ...

    def first_due(self) -> Due | None:
        """Which execution wakes first of those that nobody has, of all organizations."""
        ...

    def open_count(self) -> int:
        """How many executions of all organizations have not ended."""
        ...

    def oldest_unrouted(self) -> Unrouted | None:
        """Return the oldest event of all organizations that has not been routed."""
        ...

    def backlog(self, now: int, limit: int) -> Backlog:
        """Each number goes by an index and ends at the limit: it costs the same, however many executions there are."""
        ...

    def started_under(self, organization: str, key: str) -> str | None:
        """The execution that was started under an idempotency key."""
        ...

    def open_count_of(self, organization: str, limit: int) -> int:
        """How many executions of an organization have not ended; it does not count beyond `limit`."""
        ...
