"""Makes a failing workflow smaller while it still fails: fewer workflows, steps, routes and modifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from msgspec import NODEFAULT
from msgspec.structs import fields, replace

from perdure.model import check
from perdure.model import steps as m
from perdure.model.workflow import Workflow

Workflows: TypeAlias = tuple[Workflow, ...]


def shrink(workflows: Workflows, still_fails: Callable[[Workflows], bool]) -> Workflows:
    """The smallest that taking one thing away after the other leads to."""
    while True:
        for candidate in _smaller(workflows):
            if not any(check.problems(workflow) for workflow in candidate) and still_fails(candidate):
                workflows = candidate
                break
        else:
            return workflows


def _smaller(workflows: Workflows) -> Iterator[Workflows]:
    for place in reversed(range(len(workflows))):
        before, after = workflows[:place], workflows[place + 1 :]
        if place:  # the first is the one under test
            yield (*before, *after)
        for smaller in _smaller_workflow(workflows[place]):
            yield (*before, smaller, *after)


def _smaller_workflow(workflow: Workflow) -> Iterator[Workflow]:
    for step in workflow.steps:
        yield _without(workflow, step, ())
        onward = step.routes[0].to if step.routes else ()
        if onward and step.id not in onward:
            yield _without(workflow, step, onward)
    yield from _plainer(workflow, "name", "steps", "entries")
    for name in ("compensations", "chains", "cancels"):
        for shorter in _shorter(getattr(workflow, name)):
            yield replace(workflow, **{name: shorter})
    for name, smaller in (("chains", _plainer), ("steps", _smaller_step)):
        parts = getattr(workflow, name)
        for place, part in enumerate(parts):
            for changed in smaller(part):
                yield replace(workflow, **{name: (*parts[:place], changed, *parts[place + 1 :])})


def _without(workflow: Workflow, gone: m.Step, instead: tuple[str, ...]) -> Workflow:
    """The workflow without a step; what led to it leads to where it led."""

    def onward(route: m.Route) -> m.Route:
        targets = (target for to in route.to for target in (instead if to == gone.id else (to,)))
        return replace(route, to=tuple(dict.fromkeys(targets)))

    return replace(
        workflow,
        steps=tuple(
            replace(step, routes=tuple(map(onward, step.routes)), on_error=tuple(map(onward, step.on_error)))
            for step in workflow.steps
            if step is not gone
        ),
        entries=tuple(
            replace(entry, step=instead[0]) if entry.step == gone.id and instead else entry
            for entry in workflow.entries
        ),
        compensations=tuple(made for made in workflow.compensations if gone.id not in (made.of, made.by)),
    )


def _smaller_step(step: m.Step) -> Iterator[m.Step]:
    yield from _plainer(step)
    for name in ("routes", "on_error"):
        routes = getattr(step, name)
        for shorter in _shorter(routes):
            yield replace(step, **{name: shorter})
        for place, route in enumerate(routes):
            for changed in (*_plainer(route), *(replace(route, to=to) for to in _shorter(route.to))):
                yield replace(step, **{name: (*routes[:place], changed, *routes[place + 1 :])})
    if not isinstance(step.work, m.Compute):
        yield replace(step, work=m.Compute(), each=None)
    for work in _plainer(step.work):
        yield replace(step, work=work)
    if step.each is not None:
        for each in _plainer(step.each):
            yield replace(step, each=each)


def _plainer(struct: Any, *but: str) -> Iterator[Any]:
    """With one field after the other as if nobody had said anything."""
    for field in fields(struct):
        if field.name not in but and field.default is not NODEFAULT and getattr(struct, field.name) != field.default:
            yield replace(struct, **{field.name: field.default})


def _shorter(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for place in range(len(items)):
        yield (*items[:place], *items[place + 1 :])
