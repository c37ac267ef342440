"""One step of an execution in detail: how it stands, its attempts, what it was given and what it answered.

Of a step that has been entered several times, the last run is told. Secrets are `***` in history, and so they are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.model.failure import Category, Failure
from perdure.model.values import Json

StepStatus: TypeAlias = Literal["pending", "running", "waiting", "retrying", "completed", "failed", "cancelled"]
Numbered: TypeAlias = Sequence[tuple[int, f.Fact]]

LOST = Failure("its worker stopped or died, and what it had done is unknown", Category.SYSTEM, "LOST")


class Attempt(Struct, frozen=True, omit_defaults=True):
    """One call of a task. `ended_at` is None while it runs; `item` is the place of what it was called for, in a forEach."""

    number: int
    started_at: int
    ended_at: int | None = None
    error: Failure | None = None
    item: int | None = None


class StepDetail(Struct, frozen=True):
    """`cut`: it has more facts than were looked at. The first attempts, and the output of a forEach, are missing then."""

    step: str
    status: StepStatus
    runs: int
    attempts: tuple[Attempt, ...] = ()
    input: Json = None
    output: Json = None
    error: Failure | None = None
    started_at: int | None = None
    ended_at: int | None = None
    cut: bool = False


def entries(facts: Numbered, step: int) -> list[int]:
    """The numbers of the facts by which the step was entered, run by run."""
    return [seq for seq, fact in facts if _enters(fact, step)]


def _enters(fact: f.Fact, step: int) -> bool:
    """Items of a forEach do not enter it again, and what undoes stands outside of the graph."""
    match fact:
        case f.StepScheduled():
            return fact.step == step and not fact.scope and fact.undoes is None
        case f.TimerOpened() | f.WaitOpened() | f.ApprovalOpened() | f.ChildStarted():
            return fact.step == step and not fact.scope
        case f.ForEachOpened() | f.LoopOpened():
            return fact.step == step
        case f.StepCompleted() | f.StepFailed():
            return fact.step == step and not fact.op and not fact.scope
        case _:
            return False


def detail(step: str, number: int, facts: Numbered, *, cut: bool = False) -> StepDetail:
    """`facts` are those about this step and about the execution as a whole, in order."""
    found = entries(facts, number)
    undoing = [seq for seq, fact in facts if isinstance(fact, f.StepScheduled) and fact.undoes is not None]
    if not found and not undoing:
        return StepDetail(step, "pending", 0)
    begin = found[-1] if found else undoing[-1]
    run = [(seq, fact) for seq, fact in facts if seq >= begin]
    calls = _Calls()
    told = StepDetail(step, "running", len(found) or len(undoing), started_at=run[0][1].at, cut=cut)
    for seq, fact in run:
        calls.take(seq, fact)
        told = _after(told, fact)
    return replace(told, attempts=calls.attempts(), output=_output(told, run), error=_error(told, calls))


def _error(told: StepDetail, calls: _Calls) -> Failure | None:
    """While it is tried again, the failure that it is tried again for."""
    if told.error is not None or told.status != "retrying":
        return told.error
    return next((each.error for each in reversed(calls.attempts()) if each.error is not None), None)


def _after(told: StepDetail, fact: f.Fact) -> StepDetail:
    match fact:
        case f.StepScheduled() | f.ChildStarted():
            return replace(told, input=told.input if fact.scope else fact.input)
        case f.TimerOpened():
            return replace(told, status="waiting", input={"until": fact.due_at})
        case f.WaitOpened():
            return replace(told, status="waiting", input={"pattern": fact.pattern, "until": fact.due_at})
        case f.ApprovalOpened():
            return replace(told, status="waiting", input=fact.request)
        case f.ForEachOpened() | f.LoopOpened():
            return replace(told, input={"items": fact.items})
        case f.StepRetrying():
            return replace(told, status="retrying")
        case f.StepAttempted() | f.StepLost():
            return replace(told, status="running")
        case f.StepCompleted():
            waits = fact.hold_until is not None
            return replace(told, status="waiting" if waits else "completed", ended_at=fact.at, error=None)
        case f.PauseEnded():
            return replace(told, status="completed")
        case f.StepFailed():
            return replace(told, status="failed", ended_at=fact.at, error=fact.error)
        case f.ExecutionFailed() | f.ExecutionCancelled() if told.ended_at is None or told.status == "waiting":
            return replace(told, status="cancelled", ended_at=fact.at)
        case f.ExecutionRetried() if told.status in ("failed", "cancelled"):
            return replace(told, status="running", ended_at=None, error=None)
        case f.ExecutionForked() if told.ended_at is None:
            return replace(told, status="pending")
        case _:
            return told


def _output(told: StepDetail, run: Numbered) -> Json:
    """Of a forEach, what its items came to, in their order."""
    if told.ended_at is None or told.status in ("failed", "cancelled"):
        return None
    ended = [fact for _, fact in run if isinstance(fact, f.StepCompleted)][-1]
    items = {fact.item: fact.output for _, fact in run if isinstance(fact, f.ItemCompleted)}
    if items or ended.total is not None:
        return None if told.cut else [items.get(place) for place in range(ended.total or 0)]
    if ended.output is None and (ended.assigned is not None or ended.unassigned):
        return {"set": ended.assigned, "unset": list(ended.unassigned)}
    return ended.output


class _Calls:
    """The attempts of tasks, operation by operation."""

    def __init__(self) -> None:
        self._made: dict[int, list[Attempt]] = {}
        self._done: set[int] = set()

    def attempts(self) -> tuple[Attempt, ...]:
        return tuple(attempt for made in self._made.values() for attempt in made)

    def take(self, seq: int, fact: f.Fact) -> None:
        match fact:
            case f.StepScheduled():
                item = fact.item if fact.scope else None
                self._made[seq] = [Attempt(1, fact.at, item=item)]
            case f.StepRetrying():
                self._end(fact.op, fact.at, fact.error)
            case f.StepAttempted():
                self._begin(fact.op, fact.at)
            case f.StepLost():
                self._end(fact.op, fact.at, LOST)
                if not fact.final:
                    self._begin(fact.op, fact.at)
            case f.StepCompleted() | f.ItemCompleted():
                self._end(fact.op, fact.at, None)
                self._done.add(fact.op)
            case f.StepFailed() | f.ItemFailed():
                self._end(fact.op, fact.at, fact.error)
            case f.ExecutionFailed() | f.ExecutionCancelled() | f.ExecutionRetrying():
                for op in self._made:
                    self._end(op, fact.at, None)
            case f.ExecutionRetried():  # what was stopped goes on as the same operation
                for op in self._made:
                    if op not in self._done:
                        self._begin(op, fact.at)
            case _:
                pass

    def _begin(self, op: int, at: int) -> None:
        made = self._made.get(op)
        if made:
            made.append(Attempt(made[-1].number + 1, at, item=made[-1].item))

    def _end(self, op: int, at: int, error: Failure | None) -> None:
        made = self._made.get(op)
        if made and made[-1].ended_at is None:
            made[-1] = replace(made[-1], ended_at=at, error=error)
