"""How the steps of an execution stand, as its history tells: a fold, fact by fact. What is shown of all steps, of one step and
while an execution goes on is this one.

Of a step that has been entered several times, the last run is told.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.model.failure import Failure

StepStatus: TypeAlias = Literal["pending", "running", "waiting", "retrying", "completed", "failed", "cancelled"]
ENDED: tuple[StepStatus, ...] = ("completed", "failed", "cancelled")

Opens: TypeAlias = f.StepScheduled | f.ChildStarted | f.TimerOpened | f.WaitOpened | f.ApprovalOpened


class StepProgress(Struct, frozen=True, omit_defaults=True):
    """How one step stands.

    attempt  which call of its task is, or was, the last; 0 if it calls none
    until    when it is woken, or tried again
    done     of `total` items or batches, where it has such
    note     what it waits for, or what was last told of it
    handled  it failed, and its workflow says how to go on
    """

    step: str
    status: StepStatus
    started_at: int
    ended_at: int | None = None
    attempt: int = 0
    runs: int = 1
    until: int | None = None
    note: str = ""
    error: Failure | None = None
    done: int = 0
    total: int | None = None
    handled: bool = False


class Progress:
    """All steps, in the order in which they were first entered, and the execution as a whole."""

    def __init__(self, started_at: int) -> None:
        self.status: StepStatus = "running"
        self.started_at = started_at
        self.ended_at: int | None = None
        self.note = ""
        self.steps: dict[str, StepProgress] = {}

    def take(self, step: str | None, fact: f.Fact) -> StepProgress | None:
        """Fold one fact in; how the step that it is about stands now, if it says something about that."""
        if step is None:
            self._whole(fact)
            self.steps = {name: after_the_whole(known, fact) for name, known in self.steps.items()}
            return None
        stands = after(self.steps.get(step), step, fact)
        if stands is not None:
            self.steps[step] = stands
        return stands

    def published(self, step: str, note: str) -> StepProgress | None:
        """A task says how far it is, while it runs."""
        known = self.steps.get(step)
        if known is None or known.status in ENDED:
            return None
        self.steps[step] = replace(known, note=note)
        return self.steps[step]

    def _whole(self, fact: f.Fact) -> None:
        match fact:
            case f.ExecutionStarted() | f.ExecutionForked():
                self.started_at, self.status = fact.at, "running"
            case f.ExecutionCompleted():
                self.status, self.ended_at = "completed", fact.at
            case f.ExecutionFailed():
                told = any(known.status == "failed" for known in self.steps.values())
                self.status, self.ended_at, self.note = "failed", fact.at, "" if told else fact.error.message
            case f.ExecutionCancelled():
                self.status, self.ended_at, self.note = "cancelled", fact.at, fact.reason
            case f.ExecutionRetrying():
                self.status, self.note = "retrying", fact.error.message
            case f.ExecutionRetried():
                self.status, self.ended_at, self.note = "running", None, ""
            case _:
                pass


def after_the_whole(known: StepProgress, fact: f.Fact) -> StepProgress:
    """How a step stands after a fact about the execution as a whole; after any other, as it did."""
    match fact:
        case f.ExecutionFailed() | f.ExecutionCancelled() if known.status not in ENDED:  # what was open is so no more
            return replace(known, status="cancelled", ended_at=fact.at, until=None)
        case f.ExecutionRetried() if known.status in ("failed", "cancelled") and not known.handled:
            attempt = known.attempt + 1 if known.attempt else 0
            return replace(known, status="running", ended_at=None, error=None, note="", attempt=attempt)
        case f.ExecutionForked() if known.status not in ENDED:
            return replace(known, status="pending", until=None)
        case _:
            return known


def after(known: StepProgress | None, step: str, fact: f.Fact) -> StepProgress | None:
    """How a step stands after a fact about it or one of its operations; None: that says nothing about how it stands."""
    run = _begun(known, step, fact.at) if known is None or enters(fact) else known
    match fact:
        case f.StepScheduled() | f.ChildStarted() | f.TimerOpened() | f.WaitOpened() | f.ApprovalOpened():
            return _opened(run, fact)
        case f.ForEachOpened():
            return replace(run, total=len(fact.items))
        case f.LoopOpened():
            return replace(run, total=-(-len(fact.items) // max(fact.batch_size, 1)))
        case f.LoopTicked():
            return replace(run, status="running", done=min(run.done + 1, run.total or 0))
        case f.ItemCompleted():
            return replace(run, status="running", done=run.done + 1, until=None)
        case f.ItemFailed():
            note = f"item {fact.item}: {fact.error.message}"
            return replace(run, status="running", done=run.done + 1, until=None, note=note)
        case f.StepCompleted() | f.StepFailed() | f.PauseEnded():
            return _ended(run, fact)
        case _:
            return _meanwhile(run, fact)


def _begun(known: StepProgress | None, step: str, at: int) -> StepProgress:
    return StepProgress(step, "running", at, runs=1 if known is None else known.runs + 1)


def enters(fact: f.Fact) -> bool:
    """Whether a step is entered by it, for a run of its own: items of a forEach do not enter it again."""
    match fact:
        case f.StepScheduled() | f.TimerOpened() | f.WaitOpened() | f.ApprovalOpened() | f.ChildStarted():
            return not fact.scope
        case f.ForEachOpened() | f.LoopOpened():
            return True
        case f.StepCompleted() | f.StepFailed():  # what is done on the spot was not entered before
            return not fact.op and not fact.scope
        case _:
            return False


def _opened(run: StepProgress, fact: Opens) -> StepProgress:
    match fact:
        case f.StepScheduled():
            return replace(run, status="running", note="", until=None, attempt=1)
        case f.ChildStarted():
            return replace(run, status="running", note=f"runs {fact.workflow}", until=None)
        case f.TimerOpened():
            return replace(run, status="waiting", note="timer", until=fact.due_at)
        case f.WaitOpened():
            return replace(run, status="waiting", note=f"event {fact.pattern}", until=fact.due_at)
        case f.ApprovalOpened():
            return replace(run, status="waiting", note="approval", until=fact.due_at)
        case _:
            assert_never(fact)


def _meanwhile(run: StepProgress, fact: f.Fact) -> StepProgress | None:
    match fact:
        case f.StepAttempted():
            return replace(run, status="running", attempt=fact.attempt, until=None, error=None)
        case f.StepLost():
            attempt = fact.attempt if fact.final else fact.attempt + 1
            return replace(run, status="running", attempt=attempt, note="its worker died")
        case f.StepRetrying():
            retrying = replace(run, status="retrying", attempt=fact.attempt, until=fact.due_at)
            return replace(retrying, note=fact.error.message, error=fact.error)
        case f.StepCheckpointed():
            return replace(run, note=f"checkpoint {fact.name}")
        case f.ApprovalOverdue():
            return replace(run, note="approval, overdue")
        case f.Warned():
            return replace(run, note=fact.message)
        case _:
            return None


def _ended(run: StepProgress, fact: f.StepCompleted | f.StepFailed | f.PauseEnded) -> StepProgress:
    ended = replace(run, ended_at=fact.at, until=None, error=None)
    match fact:
        case f.StepFailed():
            return replace(ended, status="failed", note=fact.error.message, error=fact.error, handled=fact.handled)
        case f.StepCompleted() if fact.hold_until is not None:  # it is done, and control waits here
            note = fact.label or "pause"
            return replace(ended, status="waiting", ended_at=None, until=fact.hold_until, note=note)
        case _:
            done = run.done if run.total is None else run.total
            return replace(ended, status="completed", note="", done=done)
