"""What this worker has done since it came, in plain numbers: whoever wants to know reads them. Counting must cost nothing that
could be measured beside a step, so that nothing is named, looked up or locked here.

Rules: only what is durable is counted, once. Each number has one thread that changes it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final

from perdure.core.events import AttemptLost, TaskCompleted, TaskFailed
from perdure.core.facts import (
    ExecutionCancelled,
    ExecutionCompleted,
    ExecutionFailed,
    ExecutionForked,
    ExecutionStarted,
    StepCompleted,
    StepFailed,
)
from perdure.store.port import Tally

COMMIT_SECONDS: Final = (0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
COMMIT_ITEMS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)


class Spread:
    """How often something was up to each of these bounds; the last number is what was beyond them."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds, self.total = bounds, 0.0
        self.counts = [0] * (len(bounds) + 1)

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class Counts:
    """`facts` and `heard` are counted in the loop, the others by whoever commits."""

    def __init__(self) -> None:
        self.facts: Counter[type] = Counter()
        """By their type: each is one decision that was taken here, and is durable."""
        self.heard: Counter[type] = Counter()
        """What tasks have said here: how attempts ended."""
        self.claimed = 0
        """Executions that were taken up from the store."""
        self.parked = 0
        """Executions that this worker has parked."""
        self.declined = 0
        """Events that this worker has declined."""
        self.deleted = Tally()
        """What retention has deleted."""
        self.commit_seconds, self.commit_items = Spread(COMMIT_SECONDS), Spread(COMMIT_ITEMS)

    @property
    def started(self) -> int:
        return self.facts[ExecutionStarted] + self.facts[ExecutionForked]

    @property
    def ended(self) -> dict[str, int]:
        """By how. One that failed, was retried and has ended again has ended twice."""
        return {
            "completed": self.facts[ExecutionCompleted],
            "failed": self.facts[ExecutionFailed],
            "cancelled": self.facts[ExecutionCancelled],
        }

    @property
    def steps(self) -> dict[str, int]:
        return {"completed": self.facts[StepCompleted], "failed": self.facts[StepFailed]}

    @property
    def attempts(self) -> dict[str, int]:
        """An attempt whose worker died has said nothing: it is counted by nobody."""
        return {
            "completed": self.heard[TaskCompleted],
            "failed": self.heard[TaskFailed],
            "lost": self.heard[AttemptLost],
        }
