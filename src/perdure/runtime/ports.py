"""What goes into a turn of the engine and what comes out of it. The shell around it carries these to and fro."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from perdure.core.advance import Start
from perdure.core.commands import AbandonTask, PerformTask
from perdure.core.events import AttemptLost, TaskCheckpointed, TaskCompleted, TaskFailed
from perdure.core.values import Ref
from perdure.store import port as store
from perdure.store.ledger import LogTrigger
from perdure.store.registers import WriteCard

TaskEvent: TypeAlias = TaskCompleted | TaskFailed | TaskCheckpointed | AttemptLost


class Request(Struct, frozen=True, gc=False, omit_defaults=True):
    """Somebody wants an execution of the version `digest`. `ticket` names the answer."""

    ticket: int
    digest: str
    workflow: str
    start: Start
    key: str | None = None
    active: bool = False
    """Only while this is the active version of the workflow."""
    model: store.Model | None = None
    """That of the version, if the store may not have it, or not any more."""
    audit: WriteCard | None = None
    """What the audit says of it, once it is durable."""
    note: LogTrigger | None = None
    """For the log of triggers, written with the execution."""
    name: str | None = None
    """The name that the workflow was started by, if not its id: it has to mean this workflow still."""


class Report(Struct, frozen=True, gc=False):
    """What became of a task that this worker performs."""

    execution: str
    event: TaskEvent


class NotHere(Struct, frozen=True, gc=False):
    """This worker does not have the task that it was to call. Nothing has been called."""

    execution: str
    command: PerformTask


class Registered(Struct, frozen=True, gc=False):
    """This worker has this task now."""

    task: str


class Answer(Struct, frozen=True, gc=False):
    """What came of the commits of the last turn, one outcome for each."""

    items: tuple[store.Item, ...]
    outcomes: tuple[store.Outcome, ...]


class Fetched(Struct, frozen=True, gc=False):
    """The values that an execution asked for, while it was held in this epoch."""

    execution: str
    epoch: int
    values: dict[Ref, Any]
    failure: str | None = None
    """Why one of them cannot be fetched, if so."""


class ModelFetched(Struct, frozen=True, gc=False):
    digest: str
    model: bytes


class Claimed(Struct, frozen=True, gc=False):
    """Executions that are this worker's now."""

    claims: tuple[store.Claim, ...]


Input: TypeAlias = Request | Report | NotHere | Registered | Answer | Fetched | ModelFetched | Claimed | store.Polled


class FetchValues(Struct, frozen=True, gc=False):
    execution: str
    epoch: int
    refs: frozenset[Ref]


class FetchModel(Struct, frozen=True, gc=False):
    digest: str


class FetchMail(Struct, frozen=True, gc=False):
    """Answered with a `Polled` that holds the inbox of this execution, if this worker still owns it."""

    execution: str


Query: TypeAlias = FetchValues | FetchModel | FetchMail


class Perform(Struct, frozen=True, gc=False):
    """Call a task, or tell it that nobody waits for it any more. Its facts are durable."""

    execution: str
    command: PerformTask | AbandonTask


class Reply(Struct, frozen=True, gc=False, omit_defaults=True):
    """The answer to a request: the id of the execution, which may have been there already, or why there is none.

    outdated  the version is no longer the active one
    """

    ticket: int
    execution: str
    created: bool
    refused: str | None = None
    outdated: bool = False


class Output(Struct, frozen=True, gc=False):
    commits: tuple[store.Item, ...]
    queries: tuple[Query, ...]
    performs: tuple[Perform, ...]
    replies: tuple[Reply, ...]
    wake_at: int | None
    """When the next turn is due, if nothing happens before."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """Executions that this program cannot read and leaves to others, each with the reason: an operator has to know."""
    look_beyond: int = 0
    """If not 0, the engine wants to be told of so many unrouted events: none of those at the head can be routed by it."""
    warnings: tuple[str, ...] = ()
    """What somebody should know."""
    errors: tuple[tuple[str, BaseException | None], ...] = ()
    """Faults that took one execution, event or schedule out of service: a message, and the exception if there is one."""
