"""How a document of the phases dialect (seed 003) becomes a model, and what its tools do.

A phase becomes its steps and a barrier after them. A step without `input` is given what the phase before it came to; the
execution's output is that of the last phase. A transform is a task like a tool: its sandbox stands outside the core.
`@a.output.x` is written as it is lowered: `steps.a.output.x`.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from lowered.base import x
from perdure.model.steps import Compute, ForEach, Retry, Route, Step, Task, Timer
from perdure.model.values import Constant, Json, Object, Value
from perdure.model.workflow import Chain, Entry, Workflow
from perdure.testing.script import Fixed, Place, TaskAnswer

RETRY = Retry(attempts_max=3, delay_ms=1_000)
"""What `"retry": {}` means (seed 003 §2)."""

PREVIOUS = x("previous")
"""Stands for an absent `input` until `phases` knows what the phase before came to."""


def tool(
    name: str,
    input: Value = PREVIOUS,
    *,
    task: str = "svc/run",
    retry: Retry | None = None,
    each: ForEach | None = None,
) -> Step:
    return Step(name, Task(task, input, retry or Retry()), each=each)


def transform(name: str, input: Value = PREVIOUS) -> Step:
    return tool(name, input, task="transform")


def for_each(items: str, **more: Json) -> ForEach:
    """`maxIterations` is 100 unless given (seed 003 §2)."""
    return ForEach(x(items), **{"items_max": 100, **more})


def phases(name: str, *rows: tuple[Step, ...], chains: tuple[Chain, ...] = ()) -> Workflow:
    before: Value = x("input")
    steps: list[Step] = []
    if len(rows[0]) > 1:
        steps.append(Step("start", Compute(), routes=(Route(_names(rows[0])),)))
    for number, row in enumerate(rows):
        barrier = f"phase {number}"
        steps += [replace(step, work=_given(step, before), routes=(Route((barrier,)),)) for step in row]
        after = rows[number + 1] if number + 1 < len(rows) else ()
        steps.append(Step(barrier, Compute(), routes=(Route(_names(after)),)))
        before = came_to(row)
    entries = (Entry(steps[0].id),)
    return Workflow(name, tuple(steps), entries, output=before, on_failure="drain", names_failed=True, chains=chains)


def came_to(row: tuple[Step, ...]) -> Value:
    """One step: its output. Several: {name: output}."""
    outputs = [x(f'steps["{step.id}"].output') for step in row]
    if len(row) == 1:
        return outputs[0]
    return Object(tuple((Constant(step.id), output) for step, output in zip(row, outputs, strict=True)))


def _given(step: Step, before: Value) -> Task | Timer:
    work = step.work
    assert isinstance(work, Task | Timer)
    return replace(work, input=before) if isinstance(work, Task) and work.input is PREVIOUS else work


def _names(row: tuple[Step, ...]) -> tuple[str, ...]:
    return tuple(step.id for step in row)


def child(name: str) -> Workflow:
    return phases(name, (tool(f"{name} works"),))


def dispatcher(*chains: Chain) -> Workflow:
    return phases("batch-dispatcher", (transform("prepare"),), chains=chains)


def ran(*names: str, barriers: int) -> dict[str, int]:
    """Each of these once, and the barriers after so many phases."""
    return dict.fromkeys((*names, *(f"phase {number}" for number in range(barriers))), 1)


class Tools(Fixed):
    """Tools that look at what they are called for and with."""

    def __init__(self, **calls: Callable[[Place, Json], TaskAnswer]) -> None:
        super().__init__()
        self._calls = calls

    def task(self, place: Place, given: Json) -> TaskAnswer:
        call = self._calls.get(place.step)
        return super().task(place, given) if call is None else call(place, given)
