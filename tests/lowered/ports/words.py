"""How a document of the ports dialect becomes a model.

What a compiler of that dialect does to a document, and the workflows here do by hand:
- a step's `nextSteps` become its routes, the exact port first, then its alias, then `default` (a route without a port);
  what works without naming a port answers on "success"; an end (`end`, `complete`, …) is a route to nothing
- an `error` port becomes a route of `on_error`; `default` does not
- `lastOutput.data` is `last.output`, `steps.a.output.data` is `steps.a.output`, `steps.a.output.meta` is `steps.a.meta`
- a bare name is looked for in one place after the other: see `LOOKUP`
- one token and no joins: every step has join "any"
"""

from __future__ import annotations

from typing import Any, Final

from lowered.base import k, obj, x
from perdure.model.steps import Compute, Loop, Route, Step, Task, Work
from perdure.model.values import EMPTY, Expression, Value
from perdure.model.workflow import Entry, Workflow

LOOKUP: Final = (("local",), ("vars",), ("input",), ("latest", "output"))
"""Step-local names, then what was set, over config, over the input; then the data of the last output."""


def on(port: str | None, *steps: str) -> Route:
    """One entry of `nextSteps`. No step: an end. No port: `default`."""
    return Route(steps, port)


def step(slug: str, work: Work, *routes: Route, **more: Any) -> Step:
    return Step(slug, work, routes, port="success", unrouted=more.pop("unrouted", "warn"), join="any", **more)


def trigger(slug: str, *routes: Route) -> Step:
    return step(slug, Compute(k("Trigger executed successfully")), *routes)


def action(slug: str, task: str, given: Value = EMPTY, *routes: Route, **more: Any) -> Step:
    return step(slug, Task(task, given), *routes, **more)


def workflow(name: str, *steps: Step, **more: Any) -> Workflow:
    """It begins with its first step: the trigger, or the lowest order."""
    return Workflow(name, steps, (Entry(steps[0].id),), lookup=LOOKUP, **more)


def loop(slug: str, items: Value, *routes: Route, **more: Any) -> Step:
    """Its `default`, if it has one, is where `done` leads: port `loop` has its own meaning where it is absent."""
    error = more.pop("on_error", ())
    return step(slug, Loop(items, **more), *routes, on_error=error)


LOOK = obj(state=x("loop.state"), batch=x("loop.batch"), item=x("loop.item"), index=x("loop.index"))
"""What a step can see of the loop around it."""


def bare(name: str) -> Expression:
    """A bare name."""
    return x(f"names.{name}")
