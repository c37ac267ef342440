"""What has become of each step, and of the variables, from the facts of an execution."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.expressions.times import iso
from perdure.model.failure import Category, Failure, refusal
from perdure.model.records import ExecutionRecord
from perdure.model.values import Json
from perdure.model.workflow import Workflow

_GIVEN_UP: Final = refusal("the execution ended before it was done", code="GIVEN_UP", category=Category.SYSTEM)
_UNKNOWN: Final = refusal("nobody knows whether it was done", code="UNKNOWN_OUTCOME", category=Category.SYSTEM)


class State(Struct, frozen=True):
    """A step that was entered, and the operation that it was; 0: it was done on the spot."""

    status: str
    started_at: int
    op: int = 0
    completed_at: int | None = None
    input: Json = None
    has_input: bool = False
    output: Json = None
    error: Json = None

    def told(self) -> dict[str, Json]:
        found: dict[str, Json] = {"status": self.status, "startedAt": iso(self.started_at)}
        if self.has_input:
            found["input"] = self.input
        if self.status == "COMPLETED":
            found["output"] = self.output
        if self.error is not None:
            found["error"] = self.error
        return found if self.completed_at is None else {**found, "completedAt": iso(self.completed_at)}


class States:
    """Folds the facts of one execution. `waits` are those for events that are open."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._undoing = {compensation.by for compensation in workflow.compensations}
        self._steps: dict[int, State] = {}
        self._entered: int | None = None
        self._waits: dict[int, f.WaitOpened] = {}
        self._again: set[int] = set()
        self.input: Json = None
        self.variables: dict[str, Json] = {}

    @property
    def waits(self) -> Sequence[f.WaitOpened]:
        return tuple(self._waits.values())

    def name(self, number: int) -> str:
        step = self._workflow.steps[number]
        return step.part_of or step.id

    def current(self, record: ExecutionRecord) -> str | None:
        """The step that it waits at; else the one that was entered last."""
        waiting = record.waiting if record.status == "waiting" else None
        if waiting is not None and waiting.step:
            step = next((step for step in self._workflow.steps if step.id == waiting.step), None)
            return waiting.step if step is None else step.part_of or step.id
        return None if self._entered is None else self.name(self._entered)

    def steps(self) -> dict[str, Json]:
        named = ((self._workflow.steps[number], state) for number, state in self._steps.items())
        return {step.id: state.told() for step, state in named if step.part_of is None and step.id not in self._undoing}

    def take_all(self, facts: Sequence[f.Fact]) -> States:
        for number, fact in enumerate(facts, 1):
            self._take(number, fact)
        return self

    def _take(self, number: int, fact: f.Fact) -> None:
        match fact:
            case f.ExecutionStarted():
                self.input = fact.input
                self.variables = dict(fact.assigned or {})
            case f.ExecutionForked():
                self._forked(fact)
            case f.StepScheduled():
                self._enter(fact.step, State("RUNNING", fact.at, number, input=fact.input, has_input=True))
            case f.WaitOpened():
                self._waits[number] = fact
                self._enter(fact.step, State("RUNNING", fact.at, number))
            case f.ApprovalOpened():
                self._enter(fact.step, State("RUNNING", fact.at, number, input=fact.request, has_input=True))
            case f.StepCompleted():
                self._waits.pop(fact.op, None)
                self.variables |= fact.assigned or {}
                state = replace(self._state(fact.step, fact.op, fact.at), status="COMPLETED", error=None)
                self._end(fact.step, replace(state, output=fact.output, completed_at=fact.at), entered=not fact.op)
            case f.StepFailed():
                self._waits.pop(fact.op, None)
                error = error_info(fact.error, fact.at)
                state = replace(self._state(fact.step, fact.op, fact.at), status="FAILED", error=error)
                self._end(fact.step, replace(state, output=None, completed_at=fact.at), entered=not fact.op)
            case f.ExecutionFailed() | f.ExecutionCancelled():
                self._give_up(_GIVEN_UP, fact.at, but={op for op, _ in fact.settling})
                self._again.update(fact.steps if isinstance(fact, f.ExecutionFailed) else ())
            case f.ExecutionRetrying():
                self._give_up(_GIVEN_UP, fact.at)
                self._again.update(fact.steps)
            case f.CompensationPlanned():
                self._give_up(_UNKNOWN, fact.at)
            case f.ExecutionRetried():
                self._taken_up_again()
            case _:
                pass

    def _give_up(self, why: Failure, at: int, but: AbstractSet[int] = frozenset()) -> None:
        """What runs, and will not be heard of any more, but for some operations."""
        self._waits.clear()
        for step, state in self._steps.items():
            if state.status == "RUNNING" and state.op not in but:
                self._steps[step] = replace(state, status="FAILED", error=error_info(why, at), completed_at=at)
                self._again.add(step)

    def _enter(self, step: int, state: State) -> None:
        self._steps[step] = state
        if self._workflow.steps[step].id not in self._undoing:
            self._entered = step

    def _end(self, step: int, state: State, *, entered: bool) -> None:
        self._steps[step] = state
        if entered:
            self._entered = step

    def _state(self, step: int, op: int, at: int) -> State:
        """That of the operation that ends; of what was done on the spot, there is none."""
        return self._steps[step] if op and step in self._steps else State("RUNNING", at)

    def _taken_up_again(self) -> None:
        """What had failed, or was given up with it, runs again; what is done on the spot is, when it is entered."""
        for step in self._again:
            state = self._steps[step]
            if state.op and state.status == "FAILED":
                self._steps[step] = replace(state, status="RUNNING", error=None, completed_at=None)
        self._again.clear()

    def _forked(self, fact: f.ExecutionForked) -> None:
        if fact.edited_input:
            self.input = fact.input
        self.variables |= fact.assigned or {}
        if fact.steps is not None:  # it goes on elsewhere
            self._waits.clear()
        for step, output in fact.outputs.items():
            known = self._steps.get(step, State("COMPLETED", fact.at, completed_at=fact.at))
            self._steps[step] = replace(known, status="COMPLETED", output=output, error=None)


def error_info(error: Failure | None, at: int | None) -> Json:
    """The seed's `ErrorInfo`."""
    if error is None:
        return None
    told: dict[str, Json] = {"message": error.message, "category": str(error.category), "retriable": error.retriable}
    more = {"code": error.code, "details": error.details, "stackTrace": error.stack}
    told |= {key: value for key, value in more.items() if value is not None}
    return told if at is None else {**told, "timestamp": iso(at)}
