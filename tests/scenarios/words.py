"""Short words for the workflows of scenarios."""

from __future__ import annotations

from typing import Any

from perdure.model.steps import Retry, Route, Step, Task, Work
from perdure.model.values import EMPTY, NOTHING, Value
from perdure.model.workflow import Compensation, Entry, Workflow
from perdure.testing.words import arr, k, obj, text, x

__all__ = ["NOTHING", "SOON", "arr", "flow", "k", "obj", "on_error", "step", "task", "text", "to", "tries", "undo", "x"]

SOON = k(5)
"""Milliseconds that a scenario can afford to wait."""


def flow(*steps: Step, name: str = "main", **more: Any) -> Workflow:
    """It begins with its first step."""
    return Workflow(name, steps, (Entry(steps[0].id),), **more)


def step(id_: str, work: Work, *routes: Route, **more: Any) -> Step:
    return Step(id_, work, routes, **more)


def task(id_: str, given: Value = EMPTY, *routes: Route, **more: Any) -> Step:
    """A step that calls a task of its own name. `retry`, `timeout_ms`, `reserve` and `budget` are those of the task."""
    of_task = {name: more.pop(name) for name in ("retry", "timeout_ms", "reserve", "budget") if name in more}
    return Step(id_, Task(id_, given, **of_task), routes, **more)


def to(*steps: str, port: str | None = None, when: Value | None = None) -> Route:
    return Route(steps, port, when)


def on_error(*steps: str, of: str = "error") -> tuple[Route, ...]:
    return (Route(steps, of),)


def tries(attempts: int, **more: Any) -> Retry:
    return Retry(attempts, **{"delay_ms": 3, "jitter": 0, **more})


def undo(of: str, when: Value | None = None) -> Compensation:
    """Step `undo_x` undoes step `x`."""
    return Compensation(of, f"undo_{of}", when)
