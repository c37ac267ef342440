"""The contract of a store: what is committed, what comes of it, and what can be asked.

Rules every store keeps:
1. `commit` takes many items and answers for each. One that is refused leaves the others as they are, and itself nothing.
2. An item is all or nothing, and what it is answered with `Committed` survives any crash.
3. Only the owner of an execution, with its current epoch, may advance it; everybody else writes to its inbox.
4. An owner is let go of an execution only where its inbox holds nothing that it has not seen.
5. A child, a message and an event are written with the facts that caused them, and never twice under one id.

Stores are dumb: they keep rows and compare numbers. What a fact means is the core's business, when to ask is the runtime's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import IntFlag, auto
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import MsgspecError, Struct
from msgspec.structs import replace

from perdure.core.advance import Start
from perdure.core.commands import OpenWait
from perdure.core.events import Event, EventArrived
from perdure.core.facts import Fact
from perdure.core.state import FORMAT
from perdure.core.values import Ref
from perdure.errors import PerdureError
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord, Waiting
from perdure.model.values import Json
from perdure.store.approvals import GiveLink, LetGo, TakeOn
from perdure.store.ledger import (
    GiveAnswer,
    LedgerBounds,
    LedgerForgotten,
    LogTrigger,
    PromiseAnswer,
    UseKey,
    WithdrawPromise,
)
from perdure.store.notices import Topic
from perdure.store.registers import EVENTS, WriteCard
from perdure.store.schedules import PauseSchedule, ResetSchedule, ScheduleRow, WriteSchedule

CRASHES_MAX = 3
"""After so many owners that died without getting anywhere, an execution is parked."""


LEASE_MS = 10_000
"""So long a worker lives after it has said so, where nothing else tells that it does."""

OUTDATED = "another version of the workflow is the active one"


class Unavailable(PerdureError, code="unavailable"):
    """The store cannot be used for now: the disk is full, say. Nothing is half done, and all of it can be asked for again."""


class Broken(PerdureError, code="broken"):
    """What was written cannot be trusted: a sync failed, or the file is damaged. The process must not go on."""


DATA_ERRORS = (TypeError, ValueError, OverflowError, RecursionError, MsgspecError)
"""Errors of a database driver or a codec that are caused by a value: the same value fails again, and others do not. Stores raise
`ValueError` for SQLSTATE class 22.
"""


SAVEPOINT_ITEMS = 20
"""Number of items that share a savepoint, where each item of a batch is to be judged by itself."""

BATCH_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of the rows of one transaction, as a database reads them. An item that is larger is written alone."""


class BatchTooLarge(Exception):
    """A batch is too large for one transaction, and nothing of it is written. Its first `count` items fit into one."""

    def __init__(self, count: int) -> None:
        super().__init__(f"only {count} items fit into one transaction")
        self.count = count


CANNOT_BE_STORED = "it cannot be stored: "
"""The beginning of the reason for which an item is refused whose values the database does not take."""


def storable(text: str, length_max: int = 500) -> str:
    """Return a text as every store can keep it: without U+0000 and lone surrogates, and short."""
    return text.replace("\0", "\\u0000").encode("utf-8", "backslashreplace").decode()[:length_max]


class Message(Struct, frozen=True, gc=False):
    """An event for an execution, from whoever does not own it. The same `dedup` twice is one message."""

    execution: str
    event: Event
    dedup: str


class Pending(Struct, frozen=True, gc=False):
    """An execution that exists and has not begun."""

    record: ExecutionRecord
    start: Start


class Model(Struct, frozen=True, gc=False):
    """A model as it is stored, and the dialect that it was lowered from."""

    data: bytes
    dialect: str


class Notice(Struct, frozen=True, gc=False):
    """An execution that tells people of something, with its model. It is started only where the organization has somebody who
    wants to be told of this topic (`store.notices`), and never twice.
    """

    topic: Topic
    pending: Pending
    model: Model


class Changes(Struct, frozen=True, gc=False, omit_defaults=True):
    """What changes beside the history, in the same transaction.

    seen      places in the inbox that this commit has dealt with
    declined  events that were delivered and did not fit; a later wait may look back to them
    """

    seen: tuple[int, ...] = ()
    declined: tuple[str, ...] = ()
    waits_opened: tuple[OpenWait, ...] = ()
    waits_closed: tuple[int, ...] = ()
    approvals_opened: tuple[ApprovalRecord, ...] = ()
    approvals_overdue: tuple[tuple[int, Json], ...] = ()
    """(operation, to whom it is handed)"""
    approvals_settled: tuple[tuple[int, Literal["approve", "reject"] | None], ...] = ()
    """Guard: each is still pending, or the item fails."""
    approvals_closed: tuple[int, ...] = ()
    """One that has been decided in the meantime stays as it is."""
    starts: tuple[Pending, ...] = ()
    """Each names its workflow by id, else by name, and is kept by id."""
    messages: tuple[Message, ...] = ()
    """They come after the starts: one of them may be for a child of this very commit."""
    events: tuple[EventRecord, ...] = ()
    notices: tuple[Notice, ...] = ()


NO_CHANGES = Changes()


VersionGuard: TypeAlias = tuple[str, str, str, str]
"""In this organization, this id or name means this workflow, whose active version has this digest."""


class Create(Struct, frozen=True, gc=False, omit_defaults=True):
    """A new execution. With an `owner`, that worker holds it from the first moment, in epoch 1. With a `model`, that of its
    digest is there as soon as it is, also if nobody has saved it: one that no execution has may be forgotten at any moment.

    Sent again because the answer was lost, it is answered as if it had just been committed: with an owner, as long as that
    one holds it and nothing has come of it; without one, whatever has, for anybody may have taken it up since.

    Duplicate: the id exists otherwise, or the organization has used the `key` before. GuardFailed: it was to be an execution
    of the `active` version of its workflow, and another one is active, or its `name` means another workflow.
    """

    pending: Pending
    owner: str | None = None
    key: str | None = None
    active: bool = False
    model: Model | None = None
    audit: WriteCard | None = None
    """What the audit says of it, once it is written. No card is."""
    note: LogTrigger | None = None
    """For the log of triggers, if it is made by this."""
    name: str | None = None
    """The name that its workflow was started by, if not its id."""

    @property
    def version(self) -> VersionGuard:
        """What must hold for it to be an execution of the active version."""
        record = self.pending.record
        return record.organization, self.name or record.workflow, record.workflow, record.digest


def is_the_same(pending: Pending, record: ExecutionRecord, start: Start | None) -> bool:
    """Whether an execution that is there is what was to be created. Once it has begun, its `start` is gone, and it is known by
    what never changes.
    """
    new = pending.record
    return start in (None, pending.start) and new == replace(
        record,
        status=new.status,
        live=new.live,
        waiting=new.waiting,
        wake_at=new.wake_at,
        seq=new.seq,
        output=new.output,
        error=new.error,
        ended_at=new.ended_at,
    )


class Fork(Struct, frozen=True, gc=False, omit_defaults=True):
    """A new execution whose history begins as a copy of another's, up to fact `upto`, and goes on with `facts`. Nobody owns it,
    and the first thing that it finds is `first`, in its inbox.

    Duplicate: the id exists, or the organization has used the `key` before. Refused: there is no such origin in its
    organization, or not so much of it.
    """

    record: ExecutionRecord
    origin: str
    upto: int
    facts: tuple[Fact, ...]
    first: Event
    changes: Changes = NO_CHANGES
    key: str | None = None
    audit: WriteCard | None = None
    """What the audit says of it, once it is written. No card is."""


class Advance(Struct, frozen=True, gc=False, omit_defaults=True):
    """Facts that continue a history after number `after`, by its owner.

    Sent again because the answer was lost, it is answered as if it had just been committed: nobody else can have written
    in this epoch.
    """

    execution: str
    owner: str
    epoch: int
    after: int
    facts: tuple[Fact, ...]
    record: ExecutionRecord
    changes: Changes = NO_CHANGES
    release: bool = False
    """Let go of it, if the inbox is empty."""
    progress: bool = True
    """False: nothing but the loss of attempts. What only ever loses attempts kills its workers."""
    snapshot: bytes | None = None
    form: int = FORMAT
    """Of the snapshot."""
    quiet: bool = False
    """Of the record, nothing has changed since the last commit but the number of facts, which the record itself may not know.
    Whoever writes may rely on it.
    """
    at: int | None = None
    """By the clock of the owner. Facts have the time of what they answer, which may have waited for a worker."""


def committed_at(item: Advance | Fork) -> int:
    """The time at which what it changes of the record did change."""
    if isinstance(item, Advance) and item.at is not None:
        return item.at
    return item.facts[-1].at if item.facts else item.record.started_at


class Deliver(Struct, frozen=True, gc=False, omit_defaults=True):
    """Write to the inbox. Refused: there is no such execution, or nothing of it is open. GuardFailed: it has another version."""

    message: Message
    force: bool = False
    """Also where nothing is open: a retry."""
    version: int | None = None
    """Only while its history has exactly so many facts, and its inbox nothing: of two that name the same version, one is written.
    Its owner may be about to write more: whoever takes the event in has to ask once more.
    """
    audit: WriteCard | None = None
    """What the audit says of it, once it is written. No card is."""


def outdated(wanted: int, version: int, letters: int = 0) -> str:
    """Why what was asked for one version of an execution, the number of its facts, is not done to another."""
    more = f", with {letters} in its inbox that it has yet to take in" if letters else ""
    return f"it was asked for version {wanted}, and the execution is at version {version}{more}; look at it again"


def guarded(wanted: int | None, version: int, letters: int) -> GuardFailed | None:
    """Why it is not delivered, if it is not."""
    if wanted is None or (wanted == version and not letters):
        return None
    return GuardFailed(outdated(wanted, version, letters))


class Publish(Struct, frozen=True, gc=False):
    """Duplicate: an event with this id exists."""

    event: EventRecord
    note: LogTrigger | None = None
    """For the log of triggers, if it is there by this."""


FAN_OUT = 1_000
"""To so many executions an event is delivered in one commit; if there are more, the next ones follow."""


class Route(Struct, frozen=True, gc=False):
    """An event has been routed: to the inboxes of these executions, and to these that it starts.

    after    how far it had been routed before
    reached  how far it has been now, if there are more to come; then it stays unrouted

    Duplicate: somebody else has routed it, or that part of it.
    """

    event: EventRecord
    at: int
    targets: tuple[str, ...]
    starts: tuple[Pending, ...]
    declined: tuple[tuple[str, str], ...] = ()
    """(workflow, why the event started no execution of it although it fits)"""
    meant: tuple[tuple[int, str, str], ...] = ()
    """(place among the starts, text, id): that start is not made if the text is the id, or else the name, of another workflow
    than this one. Of two starts with one id, the first that is made counts.
    """
    after: int = 0
    reached: int | None = None


class Fire(Struct, frozen=True, gc=False, omit_defaults=True):
    """A schedule has come to `next_at`, and starts these on the way: those of its slots, in order.

    place      where it stood: the first slot that nobody had dealt with
    overlap    False: a start is not made while what the schedule has started last is live

    GuardFailed: it stands elsewhere, is paused, or starts another version by now; somebody else was quicker.
    """

    workflow: str
    schedule: str
    digest: str
    place: int
    next_at: int | None
    starts: tuple[tuple[int, Pending], ...] = ()
    """(slot, what it starts)"""
    overlap: bool = True
    organization: str = "default"

    @property
    def called(self) -> str:
        """The schedule, as the log of triggers names it."""
        return f"{self.workflow}/{self.schedule}"


MOVED_ON = "the schedule does not stand there any more"


class LookedBack(Struct, frozen=True, gc=False):
    """A wait has been shown the events that came before it. Those that had been routed already are found by it."""

    execution: str
    op: int
    at: int
    events: tuple[EventRecord, ...]


class Decide(Struct, frozen=True, gc=False, omit_defaults=True):
    """A vote on an approval. The vote that settles it is the decision, and goes to the inbox of the execution.

    Duplicate: it has been decided so already. GuardFailed: it has been decided otherwise, or closed; or this one must not.
    With `over`, also where somebody else has taken it on. Who is told that time has decided is told the truth: that is kept.
    """

    approval: str
    at: int
    by: str
    decision: Literal["approve", "reject"]
    comments: str | None = None
    data: Json = None
    organization: str = "default"
    """Of whoever votes. What belongs to another one does not exist."""
    over: bool = False
    writer: str = ""
    """Whose chain of the audit it goes to, if to any."""
    notice: Notice | None = None
    """Who is told, if this vote settles it."""
    link: str = ""
    """By which link, if by one: the vote and that it is used up are one."""


def last_chance(crashes_max: int) -> int:
    """With so many crashes an execution is a suspect. A worker has one such at a time: all that a worker holds when it dies is
    counted, and whoever is innocent must be able to show it.
    """
    return max(crashes_max - 1, 1)


def deaths_max(crashes_max: int) -> int:
    """Return after how many deaths in a row an execution is parked even if its owners always held others.

    Beside others, any of them may have killed the worker, or an operator has; so these deaths make it a suspect, and more of
    them are needed than of a worker that held nothing else. A step that kills busy workers has to be parked too, in the end.
    """
    return 5 * crashes_max


HELD_MS = 60_000
"""When a worker has held an execution for so long, the deaths of the earlier owners are forgotten."""


def parked(deaths: int, now: int) -> Waiting:
    """What an execution waits for that nobody takes up any more."""
    why = f"its last {deaths} workers died; find out what its steps do to them, then retry or cancel it"
    return Waiting("operator", "", now, on=why)


GONE = 0
"""The time until which a worker lives that has left."""


class Beat(Struct, frozen=True, gc=False, omit_defaults=True):
    """The worker lives until then, unless it says so again, and has these tasks. `GONE`: it has left, and need not be
    remembered.
    """

    worker: str
    until: int
    tasks: tuple[str, ...] = ()


Uncalled: TypeAlias = tuple[tuple[int, str], ...]
"""Operations that are under way, as the history tells it, and that nobody has called; each with the task that it needs."""


class HandOver(Struct, frozen=True, gc=False, omit_defaults=True):
    """The owner gives the execution back as it is: it stops, or another one has to go on. Whoever claims it finds out what was
    under way. Fenced if it is not its own.
    """

    execution: str
    owner: str
    epoch: int
    unreadable: Literal["execution", "version"] | None = None
    """What of it the owner cannot read: a newer program may have written it. It is not offered this execution, or none of this
    version of the workflow, for a while: others may be newer.
    """
    uncalled: Uncalled = ()
    """The owner does not have these tasks. Whoever claims the execution is told of them: no attempt was lost."""
    rests: bool = False
    """There is nothing to do but to call these: until mail or a time wakes it, it is offered only to workers that have one of the
    tasks.
    """


class Park(Struct, frozen=True, gc=False, omit_defaults=True):
    """Take an execution out of service, by its owner, until an operator retries or cancels it. Its mail stays in the inbox and is
    read when the next message arrives. Fenced if the execution is not its own.
    """

    execution: str
    owner: str
    epoch: int
    at: int
    reason: str
    uncalled: Uncalled = ()


class Decline(Struct, frozen=True, gc=False, omit_defaults=True):
    """Stop routing an event, for a reason that is kept with it and entered into the audit. Duplicate: it has been routed already.

    writer  the audit chain that the entry goes to
    """

    organization: str
    event: str
    at: int
    reason: str
    writer: str = ""


class Reroute(Struct, frozen=True, gc=False, omit_defaults=True):
    """Route a declined event again, from where routing stopped. Refused: no such event. GuardFailed: it was not declined."""

    organization: str
    event: str
    audit: WriteCard | None = None
    """The audit entry, written with it. No card is."""


def no_event(event: str) -> Refused:
    return Refused(f"event not found: {event!r}")


def not_declined(event: str) -> GuardFailed:
    return GuardFailed(f"event {event!r} was not declined, so there is nothing to route again")


def decline_entry(item: Decline) -> WriteCard:
    """Return the audit entry of a declined event."""
    details = {"reason": item.reason}
    return WriteCard(
        EVENTS,
        item.event,
        None,
        item.at,
        "system",
        "event.declined",
        item.organization,
        details=details,
        writer=item.writer,
    )


class Unreadable(Struct, frozen=True, gc=False):
    """What stands where something was written that this program cannot read."""

    why: str


Item: TypeAlias = (
    Create
    | Fork
    | Advance
    | Deliver
    | Publish
    | Route
    | LookedBack
    | Decide
    | TakeOn
    | LetGo
    | GiveLink
    | Beat
    | HandOver
    | Park
    | Decline
    | Reroute
    | WriteCard
    | Fire
    | PauseSchedule
    | ResetSchedule
    | WriteSchedule
    | PromiseAnswer
    | GiveAnswer
    | WithdrawPromise
    | LogTrigger
    | UseKey
)


class Committed(Struct, frozen=True, gc=False, omit_defaults=True):
    """It is durable. `released`: the execution has been let go of."""

    released: bool = False


class Fenced(Struct, frozen=True, gc=False):
    """Somebody else owns the execution now."""


class Duplicate(Struct, frozen=True, gc=False):
    """It was there already, under this id."""

    existing: str


class GuardFailed(Struct, frozen=True, gc=False):
    """What the item relies on is not so."""

    reason: str


class Refused(Struct, frozen=True, gc=False):
    """It can never be committed."""

    reason: str


Outcome: TypeAlias = Committed | Fenced | Duplicate | GuardFailed | Refused


class Mail(Struct, frozen=True, gc=False):
    """A letter in an inbox. One of an event is there only until the execution has consumed the event, or declined it."""

    pos: int
    event: Event


def in_order(mail: Iterable[Mail]) -> tuple[Mail, ...]:
    """As it came; but events in the order in which they were accepted. Two workers may have delivered them, or a wait has looked
    back to one that came before.
    """
    letters = tuple(mail)
    events = iter(sorted((one for one in letters if type(one.event) is EventArrived), key=_accepted))
    return tuple(next(events) if type(one.event) is EventArrived else one for one in letters)


def _accepted(mail: Mail) -> int:
    assert isinstance(mail.event, EventArrived)
    return mail.event.event.pos


class Claim(Struct, frozen=True, gc=False, omit_defaults=True):
    """An execution that is the worker's now. `start` is there if it has not begun."""

    record: ExecutionRecord
    epoch: int
    start: Start | None
    snapshot: bytes | None
    facts: tuple[Fact, ...]
    """Those after the snapshot."""
    mail: tuple[Mail, ...] = ()
    unreadable: str | None = None
    """Why this program cannot go on with it, if so. Then it is all that is known of it, but for what never changes."""
    uncalled: Uncalled = ()
    """What owners before this one could not call. The store does not tell it again: from now on, it may have been called."""


class Candidates(Struct, frozen=True, gc=False):
    """Whom an event may concern: executions that wait for such, and workflows (digest, trigger, id) that such start.

    `after` and `reached` as in `Route`: where there are more executions, these are the next ones, and the workflows come last.
    """

    event: EventRecord
    executions: tuple[str, ...]
    workflows: tuple[tuple[str, int, str], ...]
    after: int = 0
    reached: int | None = None


Scrub: TypeAlias = Callable[[dict[str, Json]], dict[str, Json] | None]
"""Returns trigger data without what must not be stored; None, if it holds nothing of the kind."""


class Scrubbed(Struct, frozen=True):
    """One batch: the place after which the next begins, how many executions were read, and how many held something."""

    next: int
    read: int
    changed: int


class Polled(Struct, frozen=True, gc=False):
    """What there is to do that nobody has been told of."""

    mail: tuple[tuple[str, tuple[Mail, ...] | Unreadable], ...]
    """Inboxes of executions that the worker owns."""
    lookbacks: tuple[LookedBack, ...]
    """Waits that have not been shown what came before them, with it."""
    events: tuple[Candidates, ...]
    """Events that have not been routed."""
    schedules: tuple[ScheduleRow, ...] = ()
    """Those with a slot whose time has come."""
    poisoned: tuple[tuple[str, str, str], ...] = ()
    """Events that cannot be routed because of what is in them: (organization, id, reason)."""


class ToDo(IntFlag):
    """What there may be for a worker: executions to claim; mail, events, slots, and waits that look back, to poll."""

    NOTHING = 0
    CLAIM = auto()
    POLL = auto()


class Tally:
    """Counts what retention has deleted, by kind."""

    def __init__(self) -> None:
        self.executions = self.events = self.models = self.ledger = 0

    def counts(self) -> dict[str, int]:
        return {"executions": self.executions, "events": self.events, "models": self.models, "ledger": self.ledger}


class Reader(Protocol):
    """What may be asked beside whoever writes, from another thread. It sees all that has been committed."""

    def record(self, execution: str) -> ExecutionRecord | None: ...

    def active_version(self, organization: str, ref: str) -> str | None:
        """The digest of the active version of a workflow, by its id, else by its name."""
        ...

    def has_mail(self, execution: str) -> bool:
        """Whether something is in its inbox."""
        ...

    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        """Executions that have ended since the place `pos` in the history of all, and the place to ask from next time. None
        of them, if there is no `pos` yet.
        """
        ...

    def on_behalf_of(self, organization: str) -> AbstractContextManager[Any]:
        """A reader of this organization: where the database can see to it, it finds no row of any other, whatever it is asked."""
        ...

    def close(self) -> None: ...


class Store(Protocol):
    """The verbs. `at` and `now` are the caller's clock; a store that has a better one uses its own."""

    def commit(self, items: Sequence[Item]) -> list[Outcome]:
        """All items, in order, and an answer for each. Raises `BatchTooLarge`."""
        ...

    def commit_apart(self, items: Sequence[Item], group: int = SAVEPOINT_ITEMS) -> list[Outcome | Exception]:
        """The same in one transaction, but an item whose values cannot be stored keeps no other from being written: its answer
        is the error, one of `DATA_ERRORS`. Up to `group` items are tried at once, then each alone.
        """
        ...

    def claim(
        self, worker: str, *, now: int, limit: int, form: int = FORMAT, but_not: Collection[str] = ()
    ) -> list[Claim]:
        """Take ownership of executions that are ready, due, or have mail, and that nobody alive owns; and of those that wait for
        one of the tasks that the worker has.

        A snapshot that has not this `form` is left out, and all facts are there instead. If more can be claimed than `limit`, the
        organizations share it. `but_not`: organizations of which nothing is claimed.
        """
        ...

    def poll(self, worker: str, *, now: int, limit: int) -> Polled: ...

    def stirs(self, worker: str, *, now: int) -> ToDo:
        """What there may be to do. Cheap; asked again and again."""
        ...

    def hold(self) -> None:
        """From now on, whoever writes here goes on until others ask for a turn, or until it rests."""
        ...

    @property
    def stirred(self) -> bool:
        """Whether there may be something to claim or to poll because of what has been written here, and nobody has looked."""
        ...

    def at_hand(self) -> bool:
        """Whether a commit would begin at once, and may be made in the event loop. If so, it is this one's turn, until it
        rests.
        """
        ...

    def rest(self) -> None:
        """There is nothing to write for now: others may."""
        ...

    def reader(self) -> Reader: ...

    def record(self, execution: str) -> ExecutionRecord | None: ...

    def mail(self, worker: str, execution: str) -> tuple[Mail, ...]:
        """The inbox of an execution that the worker owns. Nothing, if some of it cannot be read: `poll` says so."""
        ...

    def values(self, execution: str, refs: Iterable[Ref]) -> Mapping[Ref, Any]:
        """What the references stand for in the history of the execution. Nothing, if there is no such execution: whoever
        wants to begin one asks before it is known whether it could be created. `Unreadable` for what cannot be read.
        """
        ...

    def model(self, digest: str) -> bytes:
        """The stored model of a version."""
        ...

    def database_ms(self) -> int | None:
        """Return the time by the clock of the database, in epoch milliseconds; None if it has no clock of its own."""
        ...

    def newest_ms(self) -> int | None:
        """Return the time of the rows of the history and of events that were written last; None if there are none."""
        ...

    def last_lease_ms(self, now: int) -> int | None:
        """Return the time until which a living worker has said last that it lives; None if no worker lives."""
        ...

    def forgettable(self, ended_before: int, statuses: Sequence[str] = ()) -> int:
        """How many executions `forget` would, asked again and again."""
        ...

    def forget(
        self,
        ended_before: int,
        limit: int,
        events_before: int | None = None,
        statuses: Sequence[str] = (),
        tally: Tally | None = None,
    ) -> int:
        """Forget at most `limit` executions that ended before, with all that belongs to them, as many old events, and models
        that nobody refers to. How many it forgot; 0: there is nothing left to forget.

        What is live, owned, parked or has mail stays; so do the child of a live parent and the parent of a live child, an event
        that something can still look back to, and the newest execution, fact and event of all. `events_before`: events that came
        before that go, also if something could look back to them; None: as those that ended. `statuses`: executions with one of
        these alone, and nothing else.

        An execution with very many facts is gone at once, and what it leaves goes part by part: each part counts as one.
        `tally` counts what is gone, by its kind.
        """
        ...

    def scrub_triggers(self, after: int, limit: int, scrub: Scrub, *, write: bool) -> Scrubbed:
        """Rewrite the trigger data of the next `limit` executions after the place `after`. Without `write`, only count."""
        ...

    def forget_ledger(self, bounds: LedgerBounds) -> LedgerForgotten:
        """Forget some of the ledger: how much it looks at is bounded, however many organizations there are."""
        ...
