"""Workflows that start each other in a circle. It may be meant so, and the depth of chains ends it: it is told, not refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from perdure.errors import InvalidWorkflow
from perdure.model import codec
from perdure.model.problem import Problem
from perdure.model.steps import Child
from perdure.model.values import Constant
from perdure.model.workflow import Workflow
from perdure.store.questions import Questions

_LOOKED_AT_MAX: Final = 500
"""So many names are asked for; whoever has more in one circle knows of it."""


class _Visited(Struct, frozen=True):
    """A workflow that is started on the way, and the names of those before it."""

    ref: str
    path: tuple[str, ...]


def circle(store: Questions, organization: str, id_: str, workflow: Workflow) -> tuple[Problem, ...]:
    """A warning that names the shortest way from a workflow back to it, by the active versions of the others; if there is one."""
    ahead = deque(_Visited(ref, (workflow.name,)) for ref in started_by(workflow))
    seen: set[str] = set()
    asked_for: set[str] = set()
    while ahead and len(asked_for) < _LOOKED_AT_MAX:
        visited = ahead.popleft()
        if visited.ref in (id_, workflow.name):
            return (_told((*visited.path, workflow.name)),)
        if visited.ref in asked_for:
            continue
        asked_for.add(visited.ref)
        row = store.workflow(organization, visited.ref)
        if row is None or row.digest is None or row.id in seen:
            continue
        if row.id == id_:
            return (_told((*visited.path, workflow.name)),)
        seen.add(row.id)
        try:
            others = codec.decode(store.model(row.digest))
        except (KeyError, InvalidWorkflow):  # forgotten in this moment, or made by a newer version
            continue
        ahead.extend(_Visited(ref, (*visited.path, row.name)) for ref in started_by(others))
    return ()


def started_by(workflow: Workflow) -> Iterator[str]:
    """What it is known to start, each once, by id or name: what is computed is not."""
    steps = (step.work.workflow for step in workflow.steps if isinstance(step.work, Child))
    names = (str(name.value) for name in steps if isinstance(name, Constant))
    yield from dict.fromkeys((*(chain.workflow for chain in workflow.chains), *names))


def _told(path: tuple[str, ...]) -> Problem:
    way = " → ".join(path)
    message = f"it starts itself by way of others: {way}; executions go on doing so until the depth of chains reaches its limit"
    if len(path) == 2:  # noqa: PLR2004
        message = f"it starts itself: {way}; executions go on doing so until the depth of chains reaches its limit"
    return Problem("workflow_cycle", message, actual=list(path))
