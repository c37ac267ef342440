"""Scripts: what the world outside does, as a function of a seed. Tasks answer, people decide, events come.

A script knows no state: the same step, in the same run, for the same item, after as many failures, gets the same
answer, whoever asks and however often. So two runs of one workflow can be compared, whatever befell their workers.
"""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from perdure.ids import fraction
from perdure.model.failure import Category, Failure
from perdure.model.steps import Amounts
from perdure.model.values import Json


class Place(Struct, frozen=True):
    """Which piece of work: the workflow, the step, how often it has been entered, the item, and the failures so far."""

    workflow: str
    step: str
    run: int = 1
    item: int = -1
    failures: int = 0


class TaskAnswer(Struct, frozen=True):
    """What a call of a task comes to, after so long. With neither output nor error it completes with null; a silent one
    never answers.
    """

    after_ms: int = 10
    output: Json = None
    error: Failure | None = None
    port: str | None = None
    usage: Amounts = ()
    checkpoints: tuple[tuple[str, int, Json], ...] = ()
    silent: bool = False


class ApprovalAnswer(Struct, frozen=True):
    after_ms: int
    decision: Literal["approve", "reject"] = "approve"
    voters: tuple[str, ...] = ("ann",)


class EventAnswer(Struct, frozen=True):
    """An event that comes so long after somebody began to wait for it."""

    after_ms: int
    data: Json = None


class Script(Protocol):
    def task(self, place: Place, given: Json) -> TaskAnswer: ...

    def approval(self, place: Place) -> ApprovalAnswer | None: ...

    def event(self, place: Place) -> EventAnswer | None: ...


class Fixed:
    """Answers that a test wrote down, by the id of the step. A list is gone through run by run, failure by failure and
    item by item; its last entry stays.

    A task without an entry answers after 10 ms with its own input; approvals are approved, and awaited events come,
    after a second.
    """

    def __init__(
        self,
        tasks: dict[str, TaskAnswer | list[TaskAnswer]] | None = None,
        approvals: dict[str, ApprovalAnswer | None] | None = None,
        events: dict[str, EventAnswer | None] | None = None,
    ) -> None:
        self._tasks = tasks or {}
        self._approvals = approvals or {}
        self._events = events or {}

    def task(self, place: Place, given: Json) -> TaskAnswer:
        answers = self._tasks.get(place.step, TaskAnswer(output=given))
        if isinstance(answers, TaskAnswer):
            return answers
        nth = place.run - 1 + place.failures + max(place.item, 0)
        return answers[min(nth, len(answers) - 1)]

    def approval(self, place: Place) -> ApprovalAnswer | None:
        return self._approvals.get(place.step, ApprovalAnswer(1_000))

    def event(self, place: Place) -> EventAnswer | None:
        return self._events.get(place.step, EventAnswer(1_000, {"step": place.step}))


class Seeded:
    """Answers that follow from a seed."""

    def __init__(self, seed: int, failing: float = 0.15) -> None:
        self.seed = seed
        self.failing = failing

    def task(self, place: Place, given: Json) -> TaskAnswer:
        del given
        after = 1 + int(self._fraction("after", place) * 5_000)
        if self._fraction("fails", place) < self.failing:
            retriable = self._fraction("retriable", place) < 0.7
            code = f"E{int(self._fraction('code', place) * 3)}"
            error = Failure(f"{place.step} failed", Category.TRANSIENT, code, retriable)
            return TaskAnswer(after, error=error, usage=(("tokens", 1),))
        number = int(self._fraction("output", place) * 10)
        output = {"n": number, "step": place.step, "items": list(range(number % 5)), "flag": number % 2 == 0}
        port = ("success", "other", None)[number % 3]
        return TaskAnswer(after, output, port=port, usage=(("tokens", number),))

    def approval(self, place: Place) -> ApprovalAnswer | None:
        if self._fraction("decided", place) < 0.15:
            return None
        decision: Literal["approve", "reject"] = "approve" if self._fraction("decision", place) < 0.7 else "reject"
        return ApprovalAnswer(1 + int(self._fraction("when", place) * 5_000), decision, ("ann", "bob", "cyd"))

    def event(self, place: Place) -> EventAnswer | None:
        if self._fraction("comes", place) < 0.2:
            return None
        number = int(self._fraction("data", place) * 10)
        return EventAnswer(1 + int(self._fraction("delay", place) * 5_000), {"n": number, "flag": number % 2 == 0})

    def _fraction(self, what: str, place: Place) -> float:
        return fraction(self.seed, what, place.workflow, place.step, place.run, place.item, place.failures)
