"""When a step that control has reached may be entered: the rule of joins, for any graph.

A step that has been activated runs when no live step can still reach it: by forward edges within its own component
(its cycle), by any edge from outside. A step activated only by an edge that closes a cycle waits until its component
is quiet. So a diamond merges once, a merge behind a branch not taken does not hang, a cycle really loops, and there is
always a next step: among the live components the first in topological order holds a step that nothing can hold up.

Sets of steps are integers used as bits: a check is one AND.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from heapq import heappop, heappush

from perdure.core.state import State

Edges = tuple[tuple[int, ...], ...]
"""For each step, the steps it may lead to."""


class Graph:
    """The edges of a workflow, and what follows from them."""

    def __init__(self, edges: Edges, entries: Iterable[int]) -> None:
        self.edges = edges
        self.closing = _closing(edges, entries)
        """The edges that close a cycle."""
        self.order = _order(edges, self.closing)
        """The place of each step in the topological order that the other edges make; the document breaks ties."""

    @cached_property
    def _components(self) -> tuple[tuple[int, ...], ...]:
        return _strongly_connected(self.edges)

    @cached_property
    def _of(self) -> tuple[int, ...]:
        of = [0] * len(self.edges)
        for number, component in enumerate(self._components):
            for step in component:
                of[step] = number
        return tuple(of)

    @cached_property
    def gates(self) -> tuple[tuple[int, int], ...]:
        """For each step: the steps that hold it up while they are live, and the steps of its component."""
        before: list[list[int]] = [[] for _ in self.edges]
        for source, targets in enumerate(self.edges):
            for target in targets:
                before[target].append(source)
        members = [_bits(component) for component in self._components]
        outside = [0] * len(members)
        for number in reversed(range(len(members))):  # Tarjan finds components last in topological order first
            for step in self._components[number]:
                for source in before[step]:
                    other = self._of[source]
                    if other != number:
                        outside[number] |= members[other] | outside[other]
        inside = [0] * len(self.edges)
        for step in sorted(range(len(self.edges)), key=self.order.__getitem__):
            for source in before[step]:
                if self._of[source] == self._of[step] and (source, step) not in self.closing:
                    inside[step] |= 1 << source | inside[source]
        return tuple(
            (inside[step] | outside[self._of[step]], members[self._of[step]]) for step in range(len(self.edges))
        )


def may_enter(graph: Graph, state: State, step: int) -> bool:
    """Whether nothing that is live can still reach the activated `step`."""
    bit = 1 << step
    if state.running & bit:
        return False
    gate, members = graph.gates[step]
    if state.forward & bit:
        return not (state.forward | state.running | state.backward & ~members) & ~bit & gate
    quiet = not (state.running | state.forward) & members
    return quiet and not (state.forward | state.running | state.backward) & ~members & gate


def bits(number: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _bits(steps: Iterable[int]) -> int:
    result = 0
    for step in steps:
        result |= 1 << step
    return result


def _closing(edges: Edges, entries: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Depth first from the entries: the edges that lead back into the path they came from."""
    closing: set[tuple[int, int]] = set()
    on_path = [False] * len(edges)
    seen = [False] * len(edges)
    for root in (*entries, *range(len(edges))):
        if seen[root]:
            continue
        path = [(root, iter(edges[root]))]
        seen[root] = on_path[root] = True
        while path:
            step, targets = path[-1]
            target = next(targets, None)
            if target is None:
                path.pop()
                on_path[step] = False
            elif on_path[target]:
                closing.add((step, target))
            elif not seen[target]:
                seen[target] = on_path[target] = True
                path.append((target, iter(edges[target])))
    return frozenset(closing)


def _order(edges: Edges, closing: frozenset[tuple[int, int]]) -> tuple[int, ...]:
    """Of the steps whose predecessors all have a place, the first in the document is next."""
    missing = [0] * len(edges)
    for step, targets in enumerate(edges):
        for target in targets:
            missing[target] += (step, target) not in closing
    free = [step for step, count in enumerate(missing) if not count]
    order = [0] * len(edges)
    place = 0
    while free:
        step = heappop(free)
        order[step] = place
        place += 1
        for target in edges[step]:
            if (step, target) not in closing:
                missing[target] -= 1
                if not missing[target]:
                    heappush(free, target)
    return tuple(order)


def _strongly_connected(edges: Edges) -> tuple[tuple[int, ...], ...]:
    """Tarjan's components, without recursion: a workflow may be long."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[tuple[int, ...]] = []
    for root in range(len(edges)):
        if root in index:
            continue
        path = [(root, iter(edges[root]))]
        while path:
            step, targets = path[-1]
            if step not in index:
                index[step] = low[step] = len(index)
                stack.append(step)
                on_stack.add(step)
            target = next(targets, None)
            if target is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[step])
                if low[step] == index[step]:
                    place = stack.index(step)
                    found.append(tuple(stack[place:]))
                    on_stack.difference_update(stack[place:])
                    del stack[place:]
            elif target not in index:
                path.append((target, iter(edges[target])))
            elif target in on_stack:
                low[step] = min(low[step], index[target])
    return tuple(found)
