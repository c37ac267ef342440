"""How a document of the graph dialect (seed 004) becomes a model, and what its node executors do.

The context is the variables of a path: they flow with control and merge where paths meet. A node executor is a task. It is
given the context and answers with the difference it made, on the output that `_branch` named, and with the waits it asked
for. Edges are written "from.output > to to", the output "main" left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec.structs import replace

from lowered.base import HOUR, T0, obj, x
from lowered.checks import Check, facts, given, model, stood
from perdure.core import facts as f
from perdure.model.failure import Failure
from perdure.model.steps import Compute, Condition, Retry, Route, Step, Task, Work
from perdure.model.values import Json, Value
from perdure.model.workflow import Entry, Workflow
from perdure.testing.script import ApprovalAnswer, Fixed, Place, TaskAnswer
from perdure.testing.world import World

Context: TypeAlias = dict[str, Any]
Executor: TypeAlias = Callable[[Context], Context | Failure]

WAIT = x("now + output.wait * 1000 > output.until ? now + output.wait * 1000 : output.until")
"""`_wait` in seconds, then `_waitUntil`; 0 where it is not set, and the past is no wait."""


def node(name: str, *, data: Value | None = None, retry: Retry | None = None, **more: Any) -> Step:
    """A node with an executor."""
    sent: dict[str, Any] = {"context": x("vars")} if data is None else {"context": x("vars"), "data": data}
    sent |= more.pop("inputs", {})
    return Step(
        name,
        Task("executor", obj(**sent), retry or Retry()),
        assign=x("output.set"),
        unassign=x("output.unset"),
        pause_until=WAIT,
        keep_output=False,
        **more,
    )


def built_in(name: str, work: Work, **assigned: Value) -> Step:
    """A node that the engine itself executes; `assigned` is its `variableName`."""
    return Step(name, work, assign=obj(**assigned) if assigned else None)


def handled(name: str, *to: str) -> tuple[Step, Step]:
    """A node with a connection from its output `error`, and the part of it that writes the error into the context."""
    told = obj(message=x("last.error.message"), code=x("last.error.code ?? null"), nodeId=name)
    part = Step(
        f"{name}/error",
        Compute(told),
        (Route(to),),
        assign=obj(error=x("output")),
        join="any",
        part_of=name,
    )
    return node(name, on_error=(Route((part.id,)),)), part


def nodes(names: str) -> tuple[Step, ...]:
    """The trigger `start`, and nodes with executors."""
    return (built_in("start", Compute()), *(node(name) for name in names.split()))


def if_else(test: str) -> Step:
    return built_in("check", Condition(x(test)))


def graph(name: str, steps: tuple[Step, ...], *edges: str, sequential: bool = False, **more: Any) -> Workflow:
    """Sequential: one by one over one context. Else paths carry their own."""
    leading: dict[str, dict[str, tuple[str, ...]]] = {}
    for edge in edges:
        source, _, targets = edge.partition(" > ")
        source, _, output = source.partition(".")
        leading.setdefault(source, {})[output or "main"] = tuple(targets.split())
    settings: dict[str, Any] = {
        "entries": (Entry(steps[0].id),),
        "variables": "shared" if sequential else "flowing",
        "parallel_max": 1 if sequential else None,
        "initial": x("input"),
        "output": x("vars"),
        "on_failure": "drain",
        "steps_max": 50,
        "depth_max": 3,
    }
    return Workflow(name, tuple(_with_edges(step, leading.get(step.id, {})) for step in steps), **settings | more)


def _with_edges(step: Step, outputs: dict[str, tuple[str, ...]]) -> Step:
    """A node that names no branch goes on by `main`, else `source-1`, else its only output."""
    if step.part_of is not None:
        return step
    routes = tuple(Route(to, port=output) for output, to in outputs.items())
    default = next((name for name in ("main", "source-1", *outputs) if name in outputs), "main")
    return replace(step, routes=routes, ports=step.ports or (x(f"port || {default!r}"),))


class Nodes(Fixed):
    """Node executors, as seed 004 has them: the context in, the context out, control keys on it."""

    def __init__(
        self,
        executors: dict[str, Executor],
        after_ms: dict[str, int] | None = None,
        approvals: dict[str, ApprovalAnswer | None] | None = None,
    ) -> None:
        super().__init__(approvals=approvals)
        self._executors = executors
        self._after_ms = after_ms or {}

    def task(self, place: Place, given: Json) -> TaskAnswer:
        before: Context = given["context"]
        result = self._executors.get(place.step, sets())(dict(before))
        after_ms = self._after_ms.get(place.step, 10)
        return (
            TaskAnswer(after_ms, error=result) if isinstance(result, Failure) else _difference(before, result, after_ms)
        )


def _difference(before: Context, after: Context, after_ms: int) -> TaskAnswer:
    branch, wait, until = after.pop("_branch", None), after.pop("_wait", 0), after.pop("_waitUntil", 0)
    changed = {name: value for name, value in after.items() if name not in before or before[name] != value}
    dropped = [name for name in before if name not in after]
    output = {"set": changed, "unset": dropped, "wait": wait, "until": until}
    return TaskAnswer(after_ms, output, port=branch)


def sets(**values: Json) -> Executor:
    return lambda context: {**context, **values}


def drops(name: str) -> Executor:
    return lambda context: {other: value for other, value in context.items() if other != name}


def counts(name: str = "n") -> Executor:
    return lambda context: {**context, name: context.get(name, 0) + 1}


def goes_round_twice(context: Context) -> Context:
    """At the end of a cycle whose passes are counted."""
    return {**context, "_branch": "again" if context["n"] < 2 else "done"}


def breaks(message: str) -> Executor:
    return lambda _: Failure(message)


def once(names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), 1)


def seen(world: World, name: str) -> list[Context]:
    """The contexts that a node was given, run by run."""
    return [call["context"] for call in given(world, name)]


def walk(world: World) -> list[str]:
    """The nodes with executors, in the order in which they were entered."""
    steps = model(world).steps
    return [steps[fact.step].id for fact in facts(world, f.StepScheduled)]


def waited(*waits: tuple[int, str]) -> Check:
    """So many hours after the start the execution stood waiting, for this."""

    def check(world: World) -> None:
        for hours, what in waits:
            assert stood(world, T0 + hours * HOUR) == ("waiting", what)

    return check
