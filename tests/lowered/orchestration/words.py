"""How a document of the orchestration dialect becomes a model.

What a compiler of that dialect does to a document, and the workflows here do by hand:
- `transitions` become routes: outcome keys first (matched against what `ports` computes from the output), then the
  conditions in order, then the default
- an outcome key for an error code, then `onFailure`, become `on_error`; `continue` repeats the way on there
- the `inputMapping` of an onFailure is a step of its own between the two, which computes it
- compensation steps are steps that nothing leads to
"""

from __future__ import annotations

from typing import Any

from lowered.base import T0, k, obj, x
from lowered.checks import Check, facts, record, stands_waiting
from perdure.core import facts as f
from perdure.model.steps import Compute, EventWait, Route, Step, Task
from perdure.model.values import EMPTY, Value
from perdure.model.workflow import Compensation, Entry, Workflow
from perdure.testing.world import World

OUTCOME = (x("output.outcome"), x("output.status"))


def to(*steps: str, key: str | None = None, when: str | None = None) -> Route:
    """The default, or an outcome key, or a condition. No step: END."""
    return Route(steps, key, None if when is None else x(when))


def on_code(code: str, step: str) -> Route:
    """An outcome key that is an error code: the code, not the category."""
    return Route((step,), when=x(f"error.code == '{code}'"))


def task(step: str, given: Value = EMPTY, *routes: Route, **more: Any) -> Step:
    work = {name: more.pop(name) for name in ("retry", "timeout_ms") if name in more}
    return Step(step, Task(step, given, **work), routes, ports=OUTCOME, **more)


def decision(step: str, *routes: Route) -> Step:
    return Step(step, Compute(), routes, unrouted="fail")


def wait(step: str, pattern: str, *routes: Route, **more: Any) -> Step:
    on_error, assign = more.pop("on_error", ()), more.pop("assign", None)
    return Step(step, EventWait(k(pattern), **more), routes, on_error=on_error, assign=assign)


def workflow(name: str, *steps: Step, **more: Any) -> Workflow:
    return Workflow(name, steps, (Entry(steps[0].id),), **more)


SHORT = obj(was=x("undone.output"))
"""An input of a compensation step that is easy to compare."""


def undo(step: str, when: str | None = None) -> Compensation:
    return Compensation(step, f"undo_{step}", None if when is None else x(when))


def waits_for(step: str, pattern: str, since_ms: int) -> Check:
    """It stands in this wait: what `state.waitingForEvent` is made of."""

    def check(world: World) -> None:
        stands_waiting("event", step)(world)
        found = record(world).waiting
        assert found is not None
        assert (found.on, found.since) == (pattern, T0 + since_ms)

    return check


def resumed_by(step: str, *events: tuple[str, int]) -> Check:
    """The wait was ended by these events, so long after the start."""

    def check(world: World) -> None:
        assert [(fact.event_id, fact.at - T0) for fact in facts(world, f.StepCompleted, step)] == list(events)

    return check
