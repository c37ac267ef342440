"""The ledger: what a server has to remember beside the work. Answers to requests that carry a key, what has triggered something,
or was to, and when keys were last used. Nothing of it decides anything about an execution, and all of it is forgotten in time.

**Answers.** Whoever begins a request with a key promises its answer first, and gives it when the work is done; whoever comes with
the same key in between is told that somebody is at it, and after that is given the same answer. A process may die in between. Its
promise holds until a time that it has named itself, longer than a request takes; after that it is void, and the next one with the
same request takes it over and does the work again. That is right for what is idempotent by itself: a start, a rerun and a fork
have the key for their own and are made once, an event has an id, a vote counts once, a card is compared. What the dead one had
done is found, not done twice. Who was only slow finds the promise in other hands, and its answer is not kept.

**Triggers.** Every request to a webhook, every event from outside and every slot of a schedule is a row, the newest last. What is
accepted is written with what it starts. The others must not fill the disk: of each outcome an organization has so many rows a
minute, and what comes beyond that is counted on the last of them.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

MINUTE_MS = 60_000
DAY_MS = 86_400_000
ANSWERS_MS, TRIGGERS_MS, USES_MS = DAY_MS, 14 * DAY_MS, 400 * DAY_MS
"""How long each is kept, unless it is said."""

BODY_BYTES_MAX = 256 * 1_024
"""A longer answer is not kept."""

ROWS_A_MINUTE = 60
"""So many rows an organization has for each outcome in a minute, but for what is accepted."""

TEXT_MAX = 500
"""What is longer is cut, where whoever sends it has a say in it."""

TriggerKind: TypeAlias = Literal["hook", "event", "schedule"]
TriggerOutcome: TypeAlias = Literal["accepted", "rejected", "duplicate", "rate_limited"]


# Answers.


class Promised(Struct, frozen=True):
    """Somebody is at it, and has been since `at`; `request` is the hash of what was asked. Void from `until` on."""

    request: str
    by: str
    at: int
    until: int


class Answer(Struct, frozen=True, omit_defaults=True):
    """As HTTP has it. `headers`: those that matter, beside the content type."""

    status: int
    body: bytes
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class Answered(Struct, frozen=True):
    """It was done, and this was said. `at`: when."""

    request: str
    answer: Answer
    at: int


class PromiseAnswer(Struct, frozen=True, gc=False, omit_defaults=True):
    """Begin a request that carries a key. `by` names this very request, not only the process that has it.

    Duplicate: the key has been used, or somebody is at it. A promise that is void, of the same request, is taken over.
    """

    key: str
    request: str
    by: str
    at: int
    until: int
    organization: str = "default"


class GiveAnswer(Struct, frozen=True, gc=False, omit_defaults=True):
    """Keep a promise. GuardFailed: it is not theirs any more. Refused: the answer is too long."""

    key: str
    by: str
    at: int
    answer: Answer
    organization: str = "default"


class WithdrawPromise(Struct, frozen=True, gc=False, omit_defaults=True):
    """Nothing was done, so that the key is free again. A promise in other hands, or one that was kept, stays as it is."""

    key: str
    by: str
    organization: str = "default"


NOT_THEIRS = "somebody else has taken the request over by now, or its key has been forgotten; its answer is not kept"


def too_long(answer: Answer) -> str | None:
    """Why an answer cannot be kept, if so."""
    if len(answer.body) <= BODY_BYTES_MAX:
        return None
    return f"an answer of {len(answer.body):,} bytes is not kept; {BODY_BYTES_MAX:,} is the most"


# Triggers.


class LogTrigger(Struct, frozen=True, gc=False, omit_defaults=True):
    """One row of the log, or a count on the last one.

    subject   the id of the webhook, the type of the event, or the schedule, as `workflow/schedule`
    delivery  what its sender calls it; `request` is what the server does
    times     so many of them
    """

    at: int
    kind: TriggerKind
    subject: str
    outcome: TriggerOutcome = "accepted"
    reason: str | None = None
    execution: str | None = None
    delivery: str | None = None
    request: str | None = None
    times: int = 1
    organization: str = "default"


class TriggerEntry(Struct, frozen=True, omit_defaults=True):
    """A row as it is read. `times`: so many of this outcome it stands for, the last of which came at `last_at`; what is said of
    it is true of the first.
    """

    place: int
    at: int
    kind: TriggerKind
    subject: str
    outcome: TriggerOutcome
    reason: str | None = None
    execution: str | None = None
    delivery: str | None = None
    request: str | None = None
    times: int = 1
    last_at: int = 0
    organization: str = "default"


class WantedTriggers(Struct, frozen=True, omit_defaults=True):
    """Which rows, the newest first. `before` is a place; since and until are times: at or after the one, before the other."""

    organization: str
    limit: int
    before: int | None = None
    outcome: TriggerOutcome | None = None
    subject: str | None = None
    since: int | None = None
    until: int | None = None


def started_by(note: LogTrigger, execution: str) -> LogTrigger:
    """What the log says when the execution is there."""
    return replace(note, execution=execution)


def is_counted(item: LogTrigger, at_of_the_nth: int | None) -> bool:
    """Whether it has no row of its own; `at_of_the_nth`: when the newest but `ROWS_A_MINUTE` - 1 of this outcome came."""
    return item.outcome != "accepted" and at_of_the_nth is not None and at_of_the_nth > item.at - MINUTE_MS


ALREADY_STARTED = "the slot had started this execution before, as by a clock that was ahead; nothing new was started"


def fired(organization: str, schedule: str, at: int, execution: str, *, is_new: bool) -> LogTrigger:
    """Return what the log says of a slot that has started an execution, now or, if that is not new, before."""
    if not is_new:
        return LogTrigger(
            at, "schedule", schedule, "rejected", ALREADY_STARTED, execution=execution, organization=organization
        )
    return LogTrigger(at, "schedule", schedule, execution=execution, organization=organization)


STILL_RUNS = "what it has started last has not ended"


def skipped(organization: str, schedule: str, at: int, running: str | None) -> LogTrigger:
    """A slot that has started nothing."""
    return LogTrigger(at, "schedule", schedule, "rejected", STILL_RUNS, running, organization=organization)


def bounded(text: str | None) -> str | None:
    """What others have written, as every store can keep it."""
    if text is None:
        return None
    whole = text[:TEXT_MAX].encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return whole if len(text) <= TEXT_MAX else whole[:-1] + "…"


# Keys.


class UseKey(Struct, frozen=True, gc=False, omit_defaults=True):
    """A key was used. What was written less than a minute before is left as it is."""

    id: str
    at: int
    organization: str = "default"


LedgerItem: TypeAlias = PromiseAnswer | GiveAnswer | WithdrawPromise | LogTrigger | UseKey


# Forgetting.


class LedgerBounds(Struct, frozen=True):
    """What may be forgotten: what came before these times, rows of the log that an organization has beyond `rows_max`, at most
    `limit` of each at once. It goes from organization to organization, and looks at so many at once: those after `after`.
    """

    answers_before: int
    triggers_before: int
    uses_before: int
    limit: int
    rows_max: int = 100_000
    after: str = ""


class LedgerForgotten(Struct, frozen=True):
    """So many rows. `after`: where to go on; None: there is nothing left to forget."""

    rows: int
    after: str | None = None


def bounds(
    now: int, limit: int, *, answers: int = ANSWERS_MS, triggers: int = TRIGGERS_MS, after: str = ""
) -> LedgerBounds:
    """For so long answers are kept, and the log; when a key was last used, for more than a year."""
    return LedgerBounds(now - answers, now - triggers, now - USES_MS, limit, after=after)


class LedgerQuestions(Protocol):
    """What every reader answers about the ledger."""

    def answer_of(self, organization: str, key: str) -> Promised | Answered | None: ...

    def triggers(self, wanted: WantedTriggers) -> list[TriggerEntry]: ...

    def key_uses(self, organization: str) -> dict[str, int]:
        """When each key was last used, by its id."""
        ...
