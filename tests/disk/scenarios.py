"""What is run on bad disks: waits, people, events, children, forEach, loops, retries, compensation, large values."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Struct

from lowered import ALL
from lowered.base import Lowered, play
from perdure.model.steps import ForEach, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.testing.generator import INPUT, workflow
from perdure.testing.script import Fixed, Script, Seeded, TaskAnswer
from perdure.testing.words import k, obj, x
from perdure.testing.world import World

LOWERED = (
    "ports-recommendation-approved",
    "ports-churn-started-by-its-event",
    "ports-retry-of-a-failed-execution",
    "ports-loop-batches",
    "ports-loop-of-approvals",
    "ports-approval-due-escalates",
    "ports-approval-votes",
    "ports-cancel-while-waiting",
    "ports-child-cancelled-with-its-parent",
    "ports-event-published",
    "orchestration-wait-declines-then-accepts",
    "orchestration-one-event-resumes-all",
    "orchestration-compensation-of-a-step-run-twice",
    "orchestration-cancel-late-success-is-undone",
    "orchestration-parallel",
    "phases-foreach-retry-per-item",
    "phases-sleep-ms",
    "phases-trigger-fan-out",
    "graph-cycle-with-parallel-body",
    "graph-run-workflow-and-wait",
    "graph-checkpoints",
)
GENERATED = (11, 26, 34)
LARGE = "🦆" * 30_000


class Scenario(Struct, frozen=True):
    """`pages`: after so many, what was written ahead is brought into the file; few, so that this happens all the time."""

    name: str
    script: Script
    play: Callable[[World], Any]
    pages: int = 10


def _lowered(lowered: Lowered) -> Scenario:
    return Scenario(lowered.name, lowered.script, lambda world: play(lowered, world))


def _generated(seed: int) -> Scenario:
    def played(world: World) -> None:
        main, *others = workflow(Random(seed))
        for other in others:
            world.store.save(other)
        world.start(main, INPUT)
        world.run()

    return Scenario(f"generated-{seed}", Seeded(seed), played)


def _large() -> Scenario:
    """Values that are kept apart, in pieces, and fill many pages."""
    steps = (
        Step("a", Task("t", obj(n=x("input"))), (Route(("b",)),)),
        Step("b", Task("t", obj(n=x("item"))), each=ForEach(k([1, 2]), 2)),
    )
    script = Fixed(tasks={"a": TaskAnswer(output=LARGE), "b": TaskAnswer(output={"text": LARGE})})

    def played(world: World) -> None:
        world.start(Workflow("large", steps, (Entry("a"),)), LARGE)
        world.run()

    return Scenario("large-values", script, played, 40)


_by_name = {lowered.name: lowered for lowered in ALL}
SCENARIOS = (*(_lowered(_by_name[name]) for name in LOWERED), *map(_generated, GENERATED), _large())
