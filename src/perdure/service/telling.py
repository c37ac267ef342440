"""What those are told who listen: a few types of events that stay, made of the facts of the history, without their values.

One fact is one event or none, so that the place of a fact is the id of its event: whoever has seen it has seen all before it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator
from threading import Lock
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType

from perdure.core.steps.approval import approval_id
from perdure.errors import InvalidWorkflow
from perdure.expressions.times import iso
from perdure.model import codec
from perdure.model.failure import Failure
from perdure.model.steps import Approval, Compute
from perdure.model.values import Json
from perdure.service.shapes import Instant
from perdure.store.feed import Glimpse, Told
from perdure.store.questions import Questions
from perdure.tasks.context import Published

EventType: TypeAlias = Literal[
    "execution.started",
    "execution.forked",
    "execution.completed",
    "execution.failed",
    "execution.retrying",
    "execution.retried",
    "execution.cancelled",
    "execution.compensating",
    "execution.compensated",
    "execution.warned",
    "step.started",
    "step.waiting",
    "step.retrying",
    "step.completed",
    "step.failed",
    "item.completed",
    "item.failed",
    "approval.opened",
    "approval.overdue",
    "approval.decided",
    "published",
]
TYPES: Final[tuple[EventType, ...]] = get_args(EventType)

TOLD_AS: Final[dict[str, EventType | None]] = {
    "execution.started": "execution.started",
    "execution.forked": "execution.forked",
    "execution.completed": "execution.completed",
    "execution.failed": "execution.failed",
    "execution.retrying": "execution.retrying",
    "execution.retried": "execution.retried",
    "execution.cancelled": "execution.cancelled",
    "compensation.planned": "execution.compensating",
    "compensation.finished": "execution.compensated",
    "warning": "execution.warned",
    "step.scheduled": "step.started",
    "step.attempted": "step.started",
    "step.lost": "step.started",
    "foreach.opened": "step.started",
    "loop.opened": "step.started",
    "timer.opened": "step.waiting",
    "wait.opened": "step.waiting",
    "child.started": "step.waiting",
    "step.retrying": "step.retrying",
    "step.completed": "step.completed",
    "step.failed": "step.failed",
    "item.completed": "item.completed",
    "item.failed": "item.failed",
    "approval.opened": "approval.opened",
    "approval.overdue": "approval.overdue",
    "step.checkpointed": None,
    "pause.ended": None,
    "loop.ticked": None,
    "loops.left": None,
    "deadline.moved": None,
    "chain.planned": None,
    "chain.advanced": None,
    "chain.skipped": None,
    "chain.failed": None,
}
"""By the kind of the fact. Approvals that are decided are the completions of their steps."""

TEXT_MAX: Final = 1_000
"""Of a longer text, its beginning is told."""

PUBLISHED_BYTES_MAX: Final = 64_000
WORKFLOWS_MAX, OPERATIONS_MAX = 1_000, 10_000
WORKER_DIED: Final = "its worker died"


class ToldFailure(Struct, frozen=True):
    message: str
    category: str
    code: str | UnsetType = UNSET


class StreamEvent(Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that happened. What does not belong to its type is left out.

    step      as people know it; `part`: the part of it that this is about, where a step consists of several
    until     when it is over, or tried again
    waits_for the pattern of events, the child, or a time
    by        who has started, retried or cancelled it, or decided
    data      what was published; `cut`: it was too large to be told
    """

    type: EventType
    at: Instant
    execution: str
    workflow: str
    step: str | UnsetType = UNSET
    part: str | UnsetType = UNSET
    item: int | UnsetType = UNSET
    attempt: int | UnsetType = UNSET
    port: str | UnsetType = UNSET
    until: Instant | UnsetType = UNSET
    waits_for: Literal["time", "event", "child"] | UnsetType = UNSET
    pattern: str | UnsetType = UNSET
    child: str | UnsetType = UNSET
    approval: str | UnsetType = UNSET
    decision: str | UnsetType = UNSET
    error: ToldFailure | UnsetType = UNSET
    handled: bool | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    by: str | UnsetType = UNSET
    triggered_by: str | UnsetType = UNSET
    parent: str | UnsetType = UNSET
    origin: str | UnsetType = UNSET
    correlation_id: str | UnsetType = UNSET
    undoes: str | UnsetType = UNSET
    channel: str | UnsetType = UNSET
    data: Json = UNSET
    cut: bool | UnsetType = UNSET


class Happening(Struct, frozen=True):
    """An event, whose it is, and its place; None: it is not kept, and cannot be gone back to."""

    organization: str
    place: int | None
    event: StreamEvent


class StepName(Struct, frozen=True):
    name: str
    part: str | None = None
    is_inner: bool = False
    """It is a part that only computes, which nobody wants to see."""
    is_approval: bool = False


class Names:
    """The steps of workflows, by digest: those that were asked for last. Several threads may ask."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[StepName, ...]] = OrderedDict()
        self._turn = Lock()

    def of(self, store: Questions, digest: str) -> tuple[StepName, ...]:
        with self._turn:
            known = self._known.get(digest)
            if known is not None:
                self._known.move_to_end(digest)
                return known
        known = _steps(store, digest)
        with self._turn:
            self._known[digest] = known
            while len(self._known) > WORKFLOWS_MAX:
                self._known.popitem(last=False)
        return known


def _steps(store: Questions, digest: str) -> tuple[StepName, ...]:
    """None, if this program cannot read the model, or if it is forgotten in this very moment."""
    try:
        workflow = codec.decode(store.model(digest))
    except (KeyError, InvalidWorkflow):
        return ()
    return tuple(
        StepName(
            step.part_of or step.id,
            None if step.part_of is None else step.id,
            step.part_of is not None and isinstance(step.work, Compute),
            isinstance(step.work, Approval),
        )
        for step in workflow.steps
    )


class Teller:
    """Tells of facts, in their order. It remembers which operation is of which step: not every fact says so itself."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._steps: OrderedDict[tuple[str, int], int] = OrderedDict()
        self.copied: str | None = None
        """The execution whose facts are just now copies of its origin's."""

    def told(self, store: Questions, facts: Iterable[Told], whose: Container[str]) -> Iterator[Happening]:
        """Those that these organizations are told."""
        for told in facts:
            if told.organization in whose and isinstance(told.fact, Glimpse) and not self._is_copy(told, told.fact):
                event = self._event(store, told, told.fact)
                if event is not None:
                    yield Happening(told.organization, told.pos, event)

    def _is_copy(self, told: Told, fact: Glimpse) -> bool:
        """A fork begins with the facts of its origin, all in one commit; they have been told as those of that one."""
        if told.kind == "execution.started":
            self.copied = told.execution if fact.execution != told.execution else None
        elif told.kind == "execution.forked" and fact.execution == told.execution:
            self.copied = None
        return self.copied == told.execution

    def _event(self, store: Questions, told: Told, fact: Glimpse) -> StreamEvent | None:
        type_ = TOLD_AS.get(told.kind)
        step = self._step(store, told, fact)
        if type_ is None or (told.kind == "step.lost" and fact.final) or (step is not None and step.is_inner):
            return None
        fields = _fields(told, fact)
        if step is not None:
            fields |= {"step": step.name} | ({} if step.part is None else {"part": step.part})
            if step.is_approval:
                type_ = _asked(store, told, fact, type_, fields)
        if fact.undoes is not None:
            undone = self._name(store, told, fact.undoes)
            fields |= {} if undone is None else {"undoes": undone.name}
        return StreamEvent(type=type_, at=iso(fact.at), execution=told.execution, workflow=told.workflow, **fields)

    def _step(self, store: Questions, told: Told, fact: Glimpse) -> StepName | None:
        number = fact.step
        if number >= 0:
            self._remember(told.execution, told.seq, number)
        elif fact.op > 0:
            number = self._step_of(store, told.execution, fact.op)
        return self._name(store, told, number)

    def _step_of(self, store: Questions, execution: str, op: int) -> int:
        """The step of an operation, which is named by the fact that opened it."""
        known = self._steps.get((execution, op))
        if known is None:
            known = next((getattr(entry.fact, "step", -1) for entry in store.history(execution, op - 1, 1)), -1)
            self._remember(execution, op, known)
        return known

    def _remember(self, execution: str, op: int, step: int) -> None:
        self._steps[execution, op] = step
        if len(self._steps) > OPERATIONS_MAX:
            self._steps.popitem(last=False)

    def _name(self, store: Questions, told: Told, number: int) -> StepName | None:
        names = self._names.of(store, told.digest) if number >= 0 else ()
        return names[number] if number < len(names) and number >= 0 else None


def _fields(told: Told, fact: Glimpse) -> dict[str, Any]:
    attempt = {"step.scheduled": 1, "step.lost": fact.attempt + 1}.get(told.kind, fact.attempt)
    due_at = fact.due_at if fact.due_at is not None else fact.retry_at
    waits_for = {"timer.opened": "time", "wait.opened": "event", "child.started": "child"}.get(told.kind)
    reason = WORKER_DIED if told.kind == "step.lost" else fact.reason or fact.message
    found = {
        "item": fact.item if fact.item >= 0 else None,
        "attempt": attempt or None,
        "port": fact.port,
        "until": None if due_at is None else iso(due_at),
        "waits_for": waits_for,
        "pattern": fact.pattern or None,
        "child": fact.child or None,
        "error": None if fact.error is None else _failure(fact.error),
        "handled": fact.handled if told.kind == "step.failed" else None,
        "reason": reason or None,
        "by": fact.by,
        "triggered_by": fact.trigger or None,
        "parent": fact.parent,
        "origin": fact.origin or None,
        "correlation_id": fact.correlation_id,
    }
    return {name: cut(value) if isinstance(value, str) else value for name, value in found.items() if value is not None}


def _asked(
    store: Questions, told: Told, fact: Glimpse, type_: EventType, fields: dict[str, Any]
) -> Literal["approval.decided"] | EventType:
    """What is told of a step that asks people: also which approval it is, and who has decided how."""
    op = told.seq if told.kind == "approval.opened" else fact.op
    if op <= 0:
        return type_
    fields["approval"] = approval_id(told.execution, op)
    if type_ not in ("step.completed", "item.completed"):
        return type_
    found = store.approval(told.organization, fields["approval"])
    if found is not None and found.decision is not None:
        fields["decision"] = found.decision
        fields |= {} if found.decided_by is None else {"by": found.decided_by}
    return "approval.decided"


def _failure(error: Failure) -> ToldFailure:
    return ToldFailure(cut(error.message), str(error.category), UNSET if error.code is None else cut(error.code))


def published(told: Published, organization: str, workflow: str, at: int) -> Happening:
    """What a task says while it runs. It has no place: it is not kept."""
    is_large = len(msgspec.json.encode(told.data)) > PUBLISHED_BYTES_MAX
    event = StreamEvent(
        type="published",
        at=iso(at),
        execution=told.execution_id,
        workflow=workflow,
        step=told.step,
        attempt=told.attempt,
        channel=UNSET if told.channel is None else cut(told.channel),
        data=None if is_large else told.data,
        cut=True if is_large else UNSET,
    )
    return Happening(organization, None, event)


def cut(text: str) -> str:
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}…"
