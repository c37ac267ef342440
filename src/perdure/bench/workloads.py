"""What is run: workflows whose steps call one light task, so that the time is the engine's."""

from __future__ import annotations

from msgspec import Struct

from perdure.model.steps import Compute, ForEach, Loop, Route, Step, Task
from perdure.model.values import Expression, Json
from perdure.model.workflow import Entry, Workflow

LIGHT = "light"
"""The name of the task. What it answers is `light_answer`, here and with the peers."""

GIVEN = {"n": 0}
ITEMS_AT_ONCE = 200


class Workload(Struct, frozen=True):
    """`steps`: how often one execution calls the light task. Each call is one durable step."""

    name: str
    workflow: Workflow
    input: Json
    steps: int


def light_answer() -> Json:
    return {"n": 1}


def sequence(length: int) -> Workload:
    """One step after the other."""
    steps = tuple(
        Step(f"s{number}", _light("input"), (Route((f"s{number + 1}",)),) if number + 1 < length else ())
        for number in range(length)
    )
    return Workload(f"sequence of {length}", Workflow(f"sequence-{length}", steps, (Entry("s0"),)), GIVEN, length)


def parallel(width: int) -> Workload:
    """All at once, then one that all of them lead to."""
    names = tuple(f"p{number}" for number in range(width))
    workflow = Workflow(
        f"parallel-{width}",
        (
            Step("split", Compute(), (Route(names),)),
            *(Step(name, _light("input"), (Route(("meet",)),)) for name in names),
            Step("meet", Compute()),
        ),
        (Entry("split"),),
    )
    return Workload(f"{width} in parallel", workflow, GIVEN, width)


def each(items: int) -> Workload:
    """A forEach over the input."""
    step = Step("each", _light("item"), each=ForEach(Expression("input"), concurrency=ITEMS_AT_ONCE))
    return Workload(f"forEach over {items:,}", Workflow("each", (step,), (Entry("each"),)), list(range(items)), items)


def loop(ticks: int) -> Workload:
    """A loop over the input with one task in its body: each tick waits for the one before."""
    workflow = Workflow(
        "loop",
        (
            Step("loop", Loop(Expression("input"), iterations_max=ticks), (Route(("body",), port="loop"),)),
            Step("body", _light("loop.item"), (Route(("loop",)),)),
        ),
        (Entry("loop"),),
    )
    return Workload(f"loop of {ticks:,} ticks", workflow, list(range(ticks)), ticks)


def _light(given: str) -> Task:
    return Task(LIGHT, Expression(given))
