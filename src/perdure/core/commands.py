"""Commands: what the core wants done. Each belongs to facts, and is carried out only with them or after them.

`Write` commands go into the same transaction as the facts. `Perform` commands wait until that transaction is durable;
those still open follow from the state (`core.outstanding`), so none is lost with the process.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from perdure.model.asking import NOBODY, Asked, OnTimeout
from perdure.model.failure import Failure
from perdure.model.values import Json


class OpenWait(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="open.wait"):
    """Deliver events that fit `pattern`; with `look_back`, also those since the start that have not been consumed.

    Operations below zero are the cancellations of the whole execution. With a `place`, an event whose part there does not have
    this `key` need not be delivered: it would be declined.
    """

    op: int
    pattern: str
    look_back: bool = False
    place: str = ""
    key: str = ""


class CloseWait(Struct, frozen=True, gc=False, tag_field="kind", tag="close.wait"):
    op: int


class OpenApproval(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="open.approval"):
    op: int
    id: str
    step: str
    request: Json
    due_at: int | None = None
    votes_required: int = 1
    asked: Asked = NOBODY
    on_timeout: OnTimeout = "stay"
    escalate_to: Json = None
    """To whom it will be handed on, if that is known already."""


class EscalateApproval(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="escalate.approval"):
    """The due date has passed: mark it overdue, and hand it to `to` if there is one."""

    op: int
    to: Json = None


class SettleApproval(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="settle.approval"):
    """Its time is over. Only while it is pending: a decision that was there first wins, and this commit does not."""

    op: int
    decision: Literal["approve", "reject"] | None = None


class CloseApproval(Struct, frozen=True, gc=False, tag_field="kind", tag="close.approval"):
    """Nobody asks any more. If it has been decided in the meantime, it stays decided, and nothing follows from it."""

    op: int


class StartChild(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="start.child"):
    """Start version `digest` of `workflow` as `child`. The id follows from the parent, so that twice is once.

    `op` is the operation to report to; 0 if nobody waits for it.
    """

    op: int
    child: str
    workflow: str
    digest: str
    input: Json
    depth: int
    deadline_ms: int | None = None
    retries_max: int = 0
    by: str | None = None


class CancelChild(Struct, frozen=True, gc=False, tag_field="kind", tag="cancel.child"):
    op: int
    child: str


class PublishEvent(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="publish.event"):
    """`of_itself`: what the execution tells of itself, which never starts its own workflow."""

    id: str
    type: str
    data: Json
    of_itself: bool = False


class Finish(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="finish"):
    """The execution has reached a final status; those who wait for it are told."""

    status: Literal["completed", "failed", "cancelled"]
    output: Json = None
    error: Failure | None = None


class PerformTask(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="perform.task"):
    """Call the task. Every attempt of one operation carries the same `key`. `setup` stands in the workflow.

    `secret_input`: the input must not be stored or logged anywhere.
    """

    op: int
    attempt: int
    step: str
    task: str
    input: Json
    key: str
    timeout_ms: int | None = None
    sealed: Json = None
    checkpoints: tuple[tuple[str, int, Json], ...] = ()
    setup: Json = None
    secret_input: bool = False


class AbandonTask(Struct, frozen=True, gc=False, tag_field="kind", tag="abandon.task"):
    """Nobody waits for this task any more. Tell it; what it still reports is dropped, unless the execution settles."""

    op: int


class Continue(Struct, frozen=True, gc=False, tag_field="kind", tag="continue"):
    """Steps are still ready: send `Continued`."""


class FireChain(Struct, frozen=True, gc=False, tag_field="kind", tag="fire.chain"):
    """Send `ChainDue`."""

    number: int


Write: TypeAlias = (
    OpenWait
    | CloseWait
    | OpenApproval
    | EscalateApproval
    | SettleApproval
    | CloseApproval
    | StartChild
    | CancelChild
    | PublishEvent
    | Finish
)
Perform: TypeAlias = PerformTask | AbandonTask | Continue | FireChain
Command: TypeAlias = Write | Perform
