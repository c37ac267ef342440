"""Facts: what was decided. History is a list of them, numbered from 1; the state of an execution is their fold.

A fact holds everything that `apply` needs: which steps come next, which of two writes was kept, when a timer is due.
So a later change to expressions, routes or joins never rewrites what has happened. Steps are named by their position
in the workflow, which an execution is pinned to; operations and scopes by the number of the fact that opened them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from perdure.model.asking import NOBODY, Asked
from perdure.model.failure import Failure
from perdure.model.steps import Amounts
from perdure.model.values import Json

Kept: TypeAlias = tuple[tuple[int, tuple[str, ...]], ...]
"""Where paths meet, and for which variables what was there first stays: ((step, names), …). END is the end of the execution."""

END = -1


class ExecutionStarted(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="execution.started"):
    """`entry` is the first step, or None where there is none; `assigned` are the first variables."""

    at: int
    execution: str
    workflow: str
    organization: str = "default"
    version: str | None = None
    input: Json = None
    entry: int | None = None
    trigger: str = "manual"
    trigger_data: Json = None
    event_id: str | None = None
    correlation_id: str | None = None
    parent: str | None = None
    depth: int = 0
    deadline_ms: int | None = None
    retries_max: int = 0
    assigned: Json = None
    flowing: bool = False
    by: str | None = None
    """Who has started it, if it was somebody."""
    metadata: Json = None
    """What is kept beside it, and means nothing to the engine."""
    traceparent: str | None = None
    """Of which trace it is, as whoever started it says by W3C Trace Context. It means nothing to the engine either."""


class ExecutionForked(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="execution.forked"):
    """From here on the history is that of `execution`, a copy of `origin` up to the fact before, with changes.

    `outputs` replaces the outputs of steps (by position), `assigned` variables; `steps` says where it goes on, None
    for where the origin stood. `by`: who has started it instead, having changed what it is about; None: who started the origin.
    """

    at: int
    execution: str
    origin: str
    input: Json = None
    edited_input: bool = False
    outputs: dict[int, Json] = {}
    assigned: Json = None
    steps: tuple[int, ...] | None = None
    deadline_at: int | None = None
    flowing: bool = False
    by: str | None = None


class ExecutionCompleted(
    Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="execution.completed"
):
    """The output is that of fact `output_seq`, or else `output`."""

    at: int
    output: Json = None
    output_seq: int = 0


class ExecutionFailed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="execution.failed"):
    """`steps` are those whose failure it was. `settling` are the attempts whose end decides what is compensated."""

    at: int
    error: Failure
    steps: tuple[int, ...] = ()
    compensate: bool = False
    settling: tuple[tuple[int, int], ...] = ()


class ExecutionRetrying(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="execution.retrying"):
    """It would have failed, but may be retried by itself: at `retry_at`."""

    at: int
    error: Failure
    retry_at: int
    steps: tuple[int, ...] = ()


class ExecutionRetried(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="execution.retried"):
    """A failed execution goes on where it failed. Stopped tasks are taken up again as the same operations."""

    at: int
    by: str
    deadline_at: int | None = None


class ExecutionCancelled(
    Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="execution.cancelled"
):
    at: int
    reason: str
    by: str
    source: Literal["USER", "EVENT", "SYSTEM"]
    event_id: str | None = None
    compensate: bool = False
    settling: tuple[tuple[int, int], ...] = ()


class StepScheduled(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="step.scheduled"):
    """A task is to be called: the first attempt of a new operation. `sealed` says where secrets go, not what they are."""

    at: int
    step: int
    input: Json = None
    sealed: Json = None
    scope: int = 0
    item: int = -1
    reserved: Amounts = ()
    undoes: int | None = None


class StepCheckpointed(Struct, frozen=True, gc=False, tag_field="kind", tag="step.checkpointed"):
    at: int
    op: int
    name: str
    n: int
    value: Json


class StepRetrying(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="step.retrying"):
    """Attempt `attempt`-1 failed; the next is due at `due_at`."""

    at: int
    op: int
    attempt: int
    due_at: int
    error: Failure
    usage: Amounts = ()


class StepAttempted(Struct, frozen=True, gc=False, tag_field="kind", tag="step.attempted"):
    """The backoff is over: attempt `attempt` is being made."""

    at: int
    op: int
    attempt: int


class StepLost(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="step.lost"):
    """The attempt was lost with its worker, and the next is being made at once. `final`: not so, its outcome is unknown."""

    at: int
    op: int
    attempt: int
    final: bool = False


class StepCompleted(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="step.completed"):
    """The step is done and control goes to `next`, and to `again` along edges that close a cycle.

    op 0: it was done on the spot. `scope`: the forEach or loop that ends with it. `hold_until`: control waits here.
    """

    at: int
    step: int
    op: int = 0
    output: Json = None
    port: str | None = None
    meta: Json = None
    assigned: Json = None
    unassigned: tuple[str, ...] = ()
    next: tuple[int, ...] = ()
    again: tuple[int, ...] = ()
    kept: Kept = ()
    hold_until: int | None = None
    label: str | None = None
    usage: Amounts = ()
    event_id: str | None = None
    scope: int = 0
    total: int | None = None


class StepFailed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="step.failed"):
    """The step failed for good. Handled: control goes on to `next`. Not handled: the execution fails with it.

    `loop`: control returned to this loop, whose tick it ends. `refused`: it was not entered at all.
    """

    at: int
    step: int
    error: Failure
    op: int = 0
    handled: bool = False
    next: tuple[int, ...] = ()
    again: tuple[int, ...] = ()
    kept: Kept = ()
    usage: Amounts = ()
    scope: int = 0
    loop: int = 0
    refused: bool = False
    event_id: str | None = None


class PauseEnded(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="pause.ended"):
    """Control, held since the step completed, goes on."""

    at: int
    op: int
    kept: Kept = ()


class TimerOpened(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="timer.opened"):
    at: int
    step: int
    due_at: int
    scope: int = 0
    item: int = -1


class WaitOpened(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="wait.opened"):
    at: int
    step: int
    pattern: str
    due_at: int | None = None
    scope: int = 0
    item: int = -1


class ApprovalOpened(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="approval.opened"):
    at: int
    step: int
    request: Json
    due_at: int | None = None
    scope: int = 0
    item: int = -1
    asked: Asked = NOBODY


class ApprovalOverdue(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="approval.overdue"):
    """Nobody decided in time; it stays open, with `escalated_to` if it was handed on."""

    at: int
    op: int
    escalated_to: Json = None


class ChildStarted(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="child.started"):
    at: int
    step: int
    child: str
    workflow: str
    digest: str
    input: Json = None
    scope: int = 0
    item: int = -1


class ForEachOpened(Struct, frozen=True, gc=False, tag_field="kind", tag="foreach.opened"):
    at: int
    step: int
    items: list[Json]


class ItemCompleted(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="item.completed"):
    at: int
    step: int
    scope: int
    item: int
    op: int = 0
    output: Json = None
    meta: Json = None
    usage: Amounts = ()
    event_id: str | None = None


class ItemFailed(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="item.failed"):
    """The item failed for good. `passed`: it is null in the output and the others go on; else the step fails with it."""

    at: int
    step: int
    scope: int
    item: int
    error: Failure
    op: int = 0
    passed: bool = False
    usage: Amounts = ()
    event_id: str | None = None


class LoopOpened(Struct, frozen=True, gc=False, tag_field="kind", tag="loop.opened"):
    at: int
    step: int
    items: list[Json]
    batch_size: int


class LoopTicked(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="loop.ticked"):
    """The loop handed out the batch that begins at item `start`."""

    at: int
    step: int
    scope: int
    start: int
    next: tuple[int, ...] = ()
    again: tuple[int, ...] = ()


class LoopsLeft(Struct, frozen=True, gc=False, tag_field="kind", tag="loops.left"):
    """Control left these loops before they were done."""

    at: int
    scopes: tuple[int, ...]


class DeadlineMoved(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="deadline.moved"):
    """The clock of the execution stopped with `left_ms` to go, or runs again until `due_at`."""

    at: int
    due_at: int | None = None
    left_ms: int | None = None


class CompensationPlanned(
    Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="compensation.planned"
):
    """The steps that will undo, in order, each with the step it undoes; `unknown` are steps whose end nobody knows."""

    at: int
    plan: tuple[tuple[int, int], ...]
    unknown: tuple[int, ...] = ()


class CompensationFinished(
    Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="compensation.finished"
):
    at: int
    failed: tuple[int, ...] = ()


class ChainPlanned(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="chain.planned"):
    """Chain `number` will start `total` executions; `items` are what it starts them for."""

    at: int
    number: int
    total: int = 1
    items: list[Json] | None = None


class ChainAdvanced(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="chain.advanced"):
    """Executions have been started up to `cursor`. Of those since the last time, `skipped` have not, for want of values, nor have
    `unfit`, because the workflow does not take their input: `reason` says why, of the first.
    """

    at: int
    number: int
    cursor: int
    skipped: tuple[int, ...] = ()
    unfit: tuple[int, ...] = ()
    reason: str = ""


class ChainSkipped(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="chain.skipped"):
    """Nothing was started: by chain `number`, or by step `step`."""

    at: int
    reason: str
    number: int = -1
    step: int = -1


class ChainFailed(Struct, frozen=True, gc=False, tag_field="kind", tag="chain.failed"):
    at: int
    number: int
    error: Failure


class Warned(Struct, frozen=True, gc=False, tag_field="kind", tag="warning"):
    at: int
    step: int
    message: str


Fact: TypeAlias = (
    ExecutionStarted
    | ExecutionForked
    | ExecutionCompleted
    | ExecutionFailed
    | ExecutionRetrying
    | ExecutionRetried
    | ExecutionCancelled
    | StepScheduled
    | StepCheckpointed
    | StepRetrying
    | StepAttempted
    | StepLost
    | StepCompleted
    | StepFailed
    | PauseEnded
    | TimerOpened
    | WaitOpened
    | ApprovalOpened
    | ApprovalOverdue
    | ChildStarted
    | ForEachOpened
    | ItemCompleted
    | ItemFailed
    | LoopOpened
    | LoopTicked
    | LoopsLeft
    | DeadlineMoved
    | CompensationPlanned
    | CompensationFinished
    | ChainPlanned
    | ChainAdvanced
    | ChainSkipped
    | ChainFailed
    | Warned
)
