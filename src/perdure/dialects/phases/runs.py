"""What has become of each step, from the facts of an execution: its output, its attempts, and each of its iterations."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from perdure.core import facts as f
from perdure.expressions.times import iso
from perdure.model.values import Json
from perdure.model.workflow import Workflow


class Iteration(Struct):
    """One item of a forEach."""

    item: Json
    status: str = "pending"
    output: Json = None
    error: str | None = None
    meta: Json = None
    attempts: int = 0

    def told(self, index: int) -> dict[str, Json]:
        found: dict[str, Json] = {"index": index, "item": self.item, "status": self.status}
        if self.status == "completed":
            found["output"] = self.output
        if self.error is not None:
            found["error"] = self.error
        if self.attempts > 1:
            found["attempts"] = self.attempts
        return {**found, **_logs(self.meta)}


class Run(Struct):
    """A step that was entered. Of a forEach, the input is that of each item, and `iterations` tell of them."""

    status: str
    started_at: int
    input: Json = None
    has_input: bool = False
    output: Json = None
    error: str | None = None
    attempts: int = 0
    completed_at: int | None = None
    iterations: list[Iteration] | None = None
    meta: Json = None
    warnings: list[str] = []
    passed: bool = False
    """It failed, and the phase went on."""

    def told(self, phase: int) -> dict[str, Json]:
        found: dict[str, Json] = {"status": self.status, "phase": phase, "startedAt": iso(self.started_at)}
        if self.completed_at is not None:
            found["completedAt"] = iso(self.completed_at)
        if self.has_input and self.iterations is None:
            found["input"] = self.input
        if self.status == "completed" or self.passed:
            found["output"] = self.output
        if self.error is not None:
            found["error"] = self.error
        if self.attempts > 1:
            found["attempts"] = self.attempts
        if self.iterations is not None:
            found["iterations"] = [each.told(index) for index, each in enumerate(self.iterations)]
        found |= _logs(self.meta)
        return {**found, "warnings": self.warnings} if self.warnings else found


def _logs(meta: Json) -> dict[str, Json]:
    """What a transform has said, also one that failed."""
    return {"logs": meta["logs"]} if isinstance(meta, dict) and "logs" in meta else {}


class Runs:
    """Folds the facts of one execution."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._runs: dict[int, Run] = {}
        self._steps: dict[int, tuple[int, int]] = {}
        """By operation: the step, and its item."""
        self.input: Json = None

    def by_name(self) -> dict[str, Run]:
        return {self._workflow.steps[number].id: run for number, run in self._runs.items()}

    def take_all(self, facts: Sequence[f.Fact]) -> Runs:
        for number, fact in enumerate(facts, 1):
            self._take(number, fact)
        return self

    def _take(self, number: int, fact: f.Fact) -> None:
        match fact:
            case f.ExecutionStarted():
                self.input = fact.input
            case f.ExecutionForked():
                self._forked(fact)
            case f.ForEachOpened():
                iterations = [Iteration(item) for item in fact.items]
                self._runs[fact.step] = Run("running", fact.at, iterations=iterations)
            case f.StepScheduled() | f.TimerOpened():
                self._scheduled(number, fact)
            case f.StepAttempted() | f.StepLost():
                self._attempted(fact)
            case f.ItemCompleted():
                self._iteration(fact.step, fact.item, Iteration(None, "completed", fact.output, meta=fact.meta))
            case f.ItemFailed():
                failed = Iteration(None, "failed", error=fact.error.message, meta=fact.error.details)
                self._iteration(fact.step, fact.item, failed)
            case f.StepCompleted():
                self._completed(fact)
            case f.StepFailed():
                self._failed(fact)
            case f.ExecutionFailed() | f.ExecutionCancelled() | f.ExecutionRetrying():
                self._given_up(fact.at)
            case f.ExecutionRetried():
                self._again()
            case f.Warned() if fact.step in self._runs:
                self._runs[fact.step].warnings.append(fact.message)
            case _:
                pass

    def _scheduled(self, number: int, fact: f.StepScheduled | f.TimerOpened) -> None:
        self._steps[number] = (fact.step, fact.item)
        given = fact.input if isinstance(fact, f.StepScheduled) else None
        if fact.item >= 0:
            run = self._runs[fact.step]
            if run.iterations is not None:
                iteration = run.iterations[fact.item]
                iteration.status, iteration.attempts = "running", int(isinstance(fact, f.StepScheduled))
            return
        self._runs[fact.step] = Run(
            "running",
            fact.at,
            given,
            isinstance(fact, f.StepScheduled),
            attempts=int(isinstance(fact, f.StepScheduled)),
        )

    def _attempted(self, fact: f.StepAttempted | f.StepLost) -> None:
        step, item = self._steps.get(fact.op, (-1, -1))
        run = self._runs.get(step)
        if run is None:
            return
        of = run if item < 0 else run.iterations[item] if run.iterations is not None else None
        if of is not None:
            of.attempts = fact.attempt + int(isinstance(fact, f.StepLost) and not fact.final)

    def _iteration(self, step: int, item: int, became: Iteration) -> None:
        iterations = self._runs[step].iterations
        if iterations is not None:
            became.item, became.attempts = iterations[item].item, iterations[item].attempts
            iterations[item] = became

    def _completed(self, fact: f.StepCompleted) -> None:
        run = self._runs.setdefault(fact.step, Run("running", fact.at))
        run.status, run.completed_at, run.error, run.meta = "completed", fact.at, None, fact.meta
        run.output = fact.output
        if fact.total is not None and run.iterations is not None:
            run.output = [each.output for each in run.iterations]

    def _failed(self, fact: f.StepFailed) -> None:
        run = self._runs.setdefault(fact.step, Run("running", fact.at))
        run.status, run.error, run.completed_at = "failed", fact.error.message, fact.at
        run.meta, run.passed = fact.error.details, fact.handled

    def _given_up(self, at: int) -> None:
        """What runs, and will not be heard of any more."""
        for run in self._runs.values():
            if run.status == "running":
                run.status, run.completed_at = "cancelled", at

    def _again(self) -> None:
        """What had failed, or was given up with it, runs again."""
        for run in self._runs.values():
            if run.status in ("failed", "cancelled") and not run.passed:
                run.status, run.error, run.completed_at, run.meta = "running", None, None, None
                run.attempts += bool(run.attempts)  # as the same operation, which has failed once more
                for each in run.iterations or ():
                    if each.status == "failed":
                        each.status, each.error, each.meta = "pending", None, None
                        each.attempts += bool(each.attempts)

    def _forked(self, fact: f.ExecutionForked) -> None:
        if fact.edited_input:
            self.input = fact.input
        for step, output in fact.outputs.items():
            run = self._runs.setdefault(step, Run("completed", fact.at, completed_at=fact.at))
            run.status, run.output, run.error, run.iterations = "completed", output, None, None
            run.passed = False
