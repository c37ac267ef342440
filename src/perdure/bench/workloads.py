"""What is run: workflows whose steps call one light task, so that the time is the engine's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from perdure.model.steps import Compute, ForEach, Loop, Route, Step, Task
from perdure.model.values import Expression, Json
from perdure.model.workflow import Entry, Workflow

LIGHT = "light"
"""The name of the task. What it answers is `light_answer`, here and with the peers."""

LIGHT_NODE = "LIGHT"
"""The node type that does the same in graphs."""

GIVEN = {"n": 0}
ITEMS_AT_ONCE = 200


class Workload(Struct, frozen=True):
    """
    workflow  a model built by hand, or a document
    steps     how often one execution calls the light task. Each call is one durable step
    notation  of a document
    """

    name: str
    workflow: Workflow | dict[str, Any]
    input: Json
    steps: int
    notation: str | None = None

    @property
    def reference(self) -> str:
        """The name that it is started by."""
        return self.workflow.name if isinstance(self.workflow, Workflow) else str(self.workflow["name"])


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


def document(notation: str, length: int) -> Workload:
    """The same as `sequence`, as an author writes it."""
    written = {"name": f"{notation}-{length}", **_DOCUMENTS[notation]([f"s{number}" for number in range(length)])}
    return Workload(f"{notation} document of {length}", written, GIVEN, length, notation)


def _ports(names: list[str]) -> dict[str, Any]:
    following = [{"success": name} for name in names[1:]] + [{}]
    steps = [
        {
            "stepSlug": name,
            "stepType": "action",
            "config": {"type": LIGHT, "parameters": {"n": "{{input.n}}"}},
            "nextSteps": onward,
        }
        for name, onward in zip(names, following, strict=True)
    ]
    return {"steps": steps}


def _orchestration(names: list[str]) -> dict[str, Any]:
    following = [{"transitions": {"default": name}} for name in names[1:]] + [{}]
    steps = [
        {"stepId": name, "type": "TASK", "taskId": LIGHT, "input": {"n": "${workflow.input.n}"}, **onward}
        for name, onward in zip(names, following, strict=True)
    ]
    return {"version": "1.0.0", "steps": steps}


def _phases(names: list[str]) -> dict[str, Any]:
    tool = {"connectionId": "local", "toolName": LIGHT}
    given = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    return {
        "inputSchema": given,
        "steps": [[{"name": name, "tool": tool, "input": {"n": "@input.n"}}] for name in names],
    }


def _graph(names: list[str]) -> dict[str, Any]:
    nodes = [{"id": "start", "type": "MANUAL_TRIGGER"}, *({"id": name, "type": LIGHT_NODE} for name in names)]
    edges = zip(["start", *names], names, strict=False)
    return {"nodes": nodes, "connections": [{"fromNodeId": before, "toNodeId": after} for before, after in edges]}


_DOCUMENTS: Final[dict[str, Callable[[list[str]], dict[str, Any]]]] = {
    "ports": _ports,
    "orchestration": _orchestration,
    "phases": _phases,
    "graph": _graph,
}
NOTATIONS: Final = tuple(_DOCUMENTS)
