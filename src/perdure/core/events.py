"""Events: what happened outside, told to the core. Each says when, and which operation it is about.

An event about an operation that is closed, or about an attempt that is not the current one, changes nothing.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from perdure.model.failure import Failure
from perdure.model.records import EventRecord
from perdure.model.steps import Amounts
from perdure.model.values import Json


class TaskCompleted(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="task.completed"):
    """`port` and `meta` are what the task chose to answer with beside its output."""

    at: int
    op: int
    attempt: int
    output: Json = None
    port: str | None = None
    meta: Json = None
    usage: Amounts = ()


class TaskFailed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="task.failed"):
    at: int
    op: int
    attempt: int
    error: Failure
    usage: Amounts = ()


class AttemptLost(Struct, frozen=True, gc=False, tag_field="kind", tag="attempt.lost"):
    """Whoever ran this attempt is gone. It may have had its effect; nobody will report it."""

    at: int
    op: int
    attempt: int


class TaskCheckpointed(Struct, frozen=True, gc=False, tag_field="kind", tag="task.checkpointed"):
    """A part of a running task is done: the n-th that it calls `name`. Later attempts are given its value."""

    at: int
    op: int
    attempt: int
    name: str
    n: int
    value: Json


class TimeReached(Struct, frozen=True, gc=False, tag_field="kind", tag="time.reached"):
    at: int


class Continued(Struct, frozen=True, gc=False, tag_field="kind", tag="continued"):
    """The last transition stopped with steps still ready, to let others have a turn."""

    at: int


class EventArrived(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="event.arrived"):
    """An event came in that may fit one of the open waits or a cancellation; the core judges.

    `found_by`: a wait looked back and found it, after all that was open when it came had judged it. So it is only for
    waits that look back; and for cancellations, if it was one of these (-1, -2, …).
    """

    at: int
    event: EventRecord
    found_by: int = 0


class ApprovalDecided(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="approval.decided"):
    at: int
    op: int
    decision: Literal["approve", "reject"]
    by: str
    comments: str | None = None
    data: Json = None


class ChildEnded(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="child.ended"):
    """The child of `op` completed with `output`, or did not, with `error`."""

    at: int
    op: int
    child: str
    output: Json = None
    error: Failure | None = None


class ChainDue(Struct, frozen=True, gc=False, tag_field="kind", tag="chain.due"):
    """Start the next few executions of chain `number`."""

    at: int
    number: int


class ChainRequested(Struct, frozen=True, gc=False, tag_field="kind", tag="chain.requested"):
    """Somebody asks for a failed chain to be fired again."""

    at: int
    number: int


class CancelRequested(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="cancel.requested"):
    """`version`: only while the execution has so many facts, which is what whoever asks for it has seen."""

    at: int
    reason: str = ""
    by: str = "system"
    source: Literal["USER", "EVENT", "SYSTEM"] = "SYSTEM"
    event_id: str | None = None
    compensate: bool = True
    version: int | None = None


class RetryRequested(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="retry.requested"):
    """`version` as in `CancelRequested`."""

    at: int
    by: str
    version: int | None = None


Event: TypeAlias = (
    TaskCompleted
    | TaskFailed
    | AttemptLost
    | TaskCheckpointed
    | TimeReached
    | Continued
    | EventArrived
    | ApprovalDecided
    | ChildEnded
    | ChainDue
    | ChainRequested
    | CancelRequested
    | RetryRequested
)
