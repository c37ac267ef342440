"""The rule of joins a second time, as one would say it: `core.joins` must come to the same on any graph.

A step that control has reached is entered when no live step can still come to it, without going back to the header of a
cycle that both are in. Where control came back to the header of a cycle, the cycle has to be quiet first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from perdure.model.steps import Loop
from perdure.model.workflow import Workflow

Edges: TypeAlias = Mapping[str, Sequence[str]]


def joins_of(workflow: Workflow) -> Joins:
    return Joins(*edges(workflow), [entry.step for entry in workflow.entries])


def edges(workflow: Workflow) -> tuple[Edges, list[tuple[str, str]]]:
    """Where control can go by routes; and from whatever a loop that goes on after errors leads to, back to that loop."""
    found = {s.id: [to for route in (*s.routes, *s.on_error) for to in route.to] for s in workflow.steps}
    returns = list[tuple[str, str]]()
    for step in workflow.steps:
        if isinstance(step.work, Loop) and step.work.continue_on_error:
            away = {**found, step.id: [to for route in step.routes if route.port != "done" for to in route.to]}
            returns += [(inside, step.id) for inside in _body(step.id, away)]
    return found, [(inside, loop) for inside, loop in returns if loop not in found[inside]]


def _body(loop: str, away: Edges) -> set[str]:
    return _reach(loop, {step: [to for to in away[step] if to != loop] for step in away})


class Joins:
    def __init__(self, edges: Edges, returns: Iterable[tuple[str, str]], entries: Iterable[str]) -> None:
        self.edges = edges
        self._found: list[str] = []
        self.closing: set[tuple[str, str]] = set()
        """The edges that close a cycle."""
        for step in (*entries, *edges):
            self._search(step, [])
        ahead = {step: [to for to in edges[step] if (step, to) not in self.closing] for step in edges}
        self.order: list[str] = []
        """Topological, by the other edges; where they leave it open, as in the workflow."""
        while left := [step for step in edges if step not in self.order]:
            self.order.append(next(step for step in left if not any(step in _reach(other, ahead) for other in left)))
        for step, loop in returns:
            self.edges = {**self.edges, step: [*self.edges[step], loop]}
            if self.order.index(step) > self.order.index(loop):
                self.closing.add((step, loop))

    def _search(self, step: str, path: list[str]) -> None:
        """Depth first: an edge that leads back into the path it comes from closes a cycle."""
        if step not in self._found:
            self._found.append(step)
            for target in self.edges[step]:
                if target in (*path, step):
                    self.closing.add((step, target))
                self._search(target, [*path, step])

    def may_enter(self, step: str, tokens: Mapping[str, bool], running: set[str]) -> bool:
        """`tokens`: the steps that control stands before, and whether it came back there to begin a cycle again."""
        cycles = self._cycles(step, self.edges)
        live = ({*tokens} | running) - {step}
        own = set(cycles.get(step, ())) if tokens[step] else set[str]()
        again = {other for other, back in tokens.items() if back and other not in running and other in cycles}
        return not (live & own) and not any(self._holds_up(other, step) for other in live - own - again)

    def _holds_up(self, one: str, step: str) -> bool:
        shared = [inside for inside in self._cycles(step, self.edges).values() if one in inside]
        return step in _reach(one, [self.edges, *shared][-1])

    def _cycles(self, step: str, edges: Edges) -> dict[str, Edges]:
        """The cycles that a step is in, the widest first: the header that control enters by, and the edges inside."""
        cycle = {other for other in _reach(step, edges) if step in _reach(other, edges)}
        if not cycle:
            return {}
        header = min(cycle, key=self.order.index)
        inside = {other: [to for to in edges[other] if to in cycle and to != header] for other in cycle}
        return {header: inside, **self._cycles(step, inside)}


def _reach(step: str, edges: Edges) -> set[str]:
    """The steps that control can come to."""
    found, todo = set[str](), [step]
    while todo:
        new = [target for target in edges[todo.pop()] if target not in found]
        found.update(new)
        todo += new
    return found
