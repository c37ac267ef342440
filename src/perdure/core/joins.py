"""When a step that control has reached may be entered: the rule of joins, for any graph.

A step that has been activated runs when no live step can still reach it: by forward edges within its own cycle, by any
edge from outside of that. A step activated only by an edge that closes a cycle waits until that cycle is quiet. So a
diamond merges once, a merge behind a branch not taken does not hang, a cycle really loops, also one inside another.

Cycles nest. A strongly connected component has a header, the step that control enters it by; without the edges that lead
back to the header it falls apart into smaller components, and so on down. The edges that are taken out on the way are
just those that close a cycle in a search from the entries.

Why there is always a next step: of the live components take the first in topological order. Nothing outside holds it up.
If nothing in it is live but a token that came back to its header, it is quiet, and the header runs. Else look inside,
without the header's edges back, and take the first live component there; it ends with a single step.

Sets of steps are integers used as bits: a check is one AND.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from heapq import heappop, heappush

from msgspec import Struct

from perdure.core.state import State

Edges = tuple[tuple[int, ...], ...]
"""For each step, the steps it may lead to."""


class Gate(Struct, frozen=True):
    """What holds up a step, as bits.

    before   the steps that can still lead to it while they are live
    around   the headers of the cycles that it is in: a token that came back to one of these begins the next round
    cycle    the steps of the cycle that it is the header of
    """

    before: int = 0
    around: int = 0
    cycle: int = 0


class Graph:
    """The edges of a workflow, and what follows from them."""

    def __init__(self, edges: Edges, entries: Iterable[int], returns: Iterable[tuple[int, int]] = ()) -> None:
        closing = _search(edges, entries)
        self.order = _order(edges, closing)
        """The place of each step in the topological order that the edges make; the document breaks ties."""
        returns = [(step, loop) for step, loop in returns if loop not in edges[step]]
        self.edges = _with_edges(edges, returns)
        self.closing = closing.union(edge for edge in returns if self.order[edge[0]] > self.order[edge[1]])
        """The edges that close a cycle. Those that no route makes lead back, and never decide which way is forward."""

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """For each step, what holds it up. Only where control can stand in two places at once is it needed."""
        gates = [Gate() for _ in self.edges]
        inside: list[tuple[list[int], Edges]] = [(list(range(len(self.edges))), self.edges)]
        while inside:
            steps, edges = inside.pop()
            components = _strongly_connected(steps, edges)
            for component, before in zip(components, _ancestors(components, edges), strict=True):
                cyclic = len(component) > 1 or component[0] in edges[component[0]]
                header = min(component, key=self.order.__getitem__)
                for step in component:
                    gate = gates[step]
                    around = gate.around | (1 << header if cyclic else 0)
                    cycle = _bits(component) if cyclic and step == header else gate.cycle
                    gates[step] = Gate(gate.before | before, around, cycle)
                if cyclic:
                    inside.append((component, _without_edges_to(header, component, edges)))
        return tuple(gates)


def may_enter(graph: Graph, state: State, step: int) -> bool:
    """Whether nothing that is live can still reach the activated `step`."""
    bit = 1 << step
    if state.running & bit:
        return False
    gate = graph.gates[step]
    live = (state.forward | state.running | state.backward & ~gate.around) & ~bit
    if state.forward & bit:
        return not live & gate.before
    quiet = not (state.forward | state.running | state.backward) & ~bit & gate.cycle
    return quiet and not live & gate.before & ~gate.cycle


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


def _with_edges(edges: Edges, more: Iterable[tuple[int, int]]) -> Edges:
    targets = [list(of_step) for of_step in edges]
    for step, target in more:
        targets[step].append(target)
    return tuple(map(tuple, targets))


def _search(edges: Edges, entries: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Depth first from the entries: the edges that lead back into the path they came from."""
    closing: set[tuple[int, int]] = set()
    on_path = [False] * len(edges)
    found: set[int] = set()
    for root in (*entries, *range(len(edges))):
        if root in found:
            continue
        path = [(root, iter(edges[root]))]
        found.add(root)
        on_path[root] = True
        while path:
            step, targets = path[-1]
            target = next(targets, None)
            if target is None:
                path.pop()
                on_path[step] = False
            elif on_path[target]:
                closing.add((step, target))
            elif target not in found:
                found.add(target)
                on_path[target] = True
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


def _without_edges_to(header: int, component: list[int], edges: Edges) -> Edges:
    """The edges inside of the component, but for those back to its header."""
    members = set(component)
    kept = list(edges)
    for step in component:
        kept[step] = tuple(target for target in edges[step] if target in members and target != header)
    return tuple(kept)


def _ancestors(components: list[list[int]], edges: Edges) -> list[int]:
    """For each component, the steps of the others that lead to it, as bits."""
    of = {step: number for number, component in enumerate(components) for step in component}
    before = [0] * len(components)
    for number in reversed(range(len(components))):  # the first in topological order comes last
        own = before[number] | _bits(components[number])
        for step in components[number]:
            for target in edges[step]:
                other = of[target]
                if other != number:
                    before[other] |= own
    return before


def _strongly_connected(steps: list[int], edges: Edges) -> list[list[int]]:
    """Tarjan's components, the last in topological order first; without recursion, for a workflow may be long."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in steps:
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
                    found.append(stack[place:])
                    on_stack.difference_update(stack[place:])
                    del stack[place:]
            elif target not in index:
                path.append((target, iter(edges[target])))
            elif target in on_stack:
                low[step] = min(low[step], index[target])
    return found
