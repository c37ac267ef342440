"""One step of an execution in detail: how it stands, its attempts, what it was given and what it answered.

Of a step that has been entered several times, the last run is told. Secrets are `***` in history, and so they are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.model.failure import Category, Failure
from perdure.model.values import Json
from perdure.service.progress import StepProgress, StepStatus, after, after_the_whole, enters

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
    """The numbers of the facts by which the step was entered, run by run. What undoes stands outside of the graph."""
    return [
        seq
        for seq, fact in facts
        if enters(fact) and getattr(fact, "step", None) == step and getattr(fact, "undoes", None) is None
    ]


def detail(step: str, facts: Numbered, *, cut: bool = False) -> StepDetail:
    """`facts` are those about this step and about the execution as a whole, in order."""
    stands: StepProgress | None = None
    run: list[tuple[int, f.Fact]] = []
    calls = _Calls()
    for seq, fact in facts:
        if enters(fact):
            run, calls = [], _Calls()
        run.append((seq, fact))
        calls.take(seq, fact)
        stands = after(stands, step, fact) or (None if stands is None else after_the_whole(stands, fact))
    if stands is None:
        return StepDetail(step, "pending", 0)
    return StepDetail(
        step,
        stands.status,
        stands.runs,
        attempts=calls.attempts(),
        input=_input(run),
        output=_output(run, cut=cut) if stands.status in ("completed", "waiting") else None,
        error=stands.error,
        started_at=stands.started_at,
        ended_at=stands.ended_at,
        cut=cut,
    )


def _input(run: Numbered) -> Json:
    """What it was given; of a forEach, all of its items."""
    for _, fact in run:
        match fact:
            case f.StepScheduled() | f.ChildStarted():
                return fact.input
            case f.TimerOpened():
                return {"until": fact.due_at}
            case f.WaitOpened():
                return {"pattern": fact.pattern, "until": fact.due_at}
            case f.ApprovalOpened():
                return fact.request
            case f.ForEachOpened() | f.LoopOpened():
                return {"items": fact.items}
            case _:
                pass
    return None


def _output(run: Numbered, *, cut: bool) -> Json:
    """Of a forEach, what its items came to, in their order."""
    ended = next((fact for _, fact in reversed(run) if isinstance(fact, f.StepCompleted)), None)
    if ended is None:
        return None
    items = {fact.item: fact.output for _, fact in run if isinstance(fact, f.ItemCompleted)}
    if items or ended.total is not None:
        return None if cut else [items.get(place) for place in range(ended.total or 0)]
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
