"""The helpers of seed 004, under their own names. Here they also are what documents are lowered with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from perdure.dialects.graph.document import MAIN, Connection, Node

Adjacency: TypeAlias = dict[str, dict[str, list[str]]]
"""Node → output → the nodes that it leads to, in the order of the document."""

EDITOR_OUTPUT = "source-1"
"""What an editor of the seed's kind calls the only output of a node."""

ERROR_OUTPUT = "error"
"""The output of a node that has failed; a node that succeeds leads by it only if it names it as its branch."""


def build_adjacency_map(connections: Iterable[Connection]) -> Adjacency:
    adjacency: Adjacency = {}
    for edge in connections:
        targets = adjacency.setdefault(edge.from_node_id, {}).setdefault(edge.from_output, [])
        if edge.to_node_id not in targets:
            targets.append(edge.to_node_id)
    return adjacency


def build_node_map(nodes: Iterable[Node]) -> dict[str, Node]:
    return {node.id: node for node in nodes}


def find_roots(nodes: Sequence[Node], connections: Iterable[Connection]) -> list[Node]:
    """The nodes with no incoming edges."""
    led_to = {edge.to_node_id for edge in connections}
    return [node for node in nodes if node.id not in led_to]


def find_entry_node(
    nodes: Sequence[Node], connections: Iterable[Connection], triggers: Collection[str] = ()
) -> Node | None:
    """A node with no incoming edges; of several one that is like a trigger; without any, the first in the list. `triggers` are
    types that count as triggers whatever they are called.
    """
    roots = find_roots(nodes, connections)
    preferred = [node for node in roots if is_trigger(node.type, triggers)]
    return next(iter((*preferred, *roots, *nodes)), None)


def get_next_node_ids(adjacency: Adjacency, current_node_id: str, branch: str | None = None) -> list[str]:
    """Where a node leads: by the branch that it named and no other, else by its default output."""
    outputs = adjacency.get(current_node_id, {})
    output = default_output(outputs) if branch is None else branch
    return [] if output is None else list(outputs.get(output, []))


def default_output(outputs: Iterable[str]) -> str | None:
    """The output of a node that names no branch: main, else source-1, else its only one, unless that is `error`."""
    outputs = [output for output in outputs if output != ERROR_OUTPUT]
    named = next((output for output in (MAIN, EDITOR_OUTPUT) if output in outputs), None)
    return outputs[0] if named is None and len(outputs) == 1 else named


def topological_sort(nodes: Sequence[Node], connections: Iterable[Connection]) -> list[Node]:
    """Each node after those that lead to it, and else as in the document. Raises `ValueError` for a cycle."""
    place = {node.id: number for number, node in enumerate(nodes)}
    edges = {(edge.from_node_id, edge.to_node_id) for edge in connections}
    missing = dict.fromkeys(place, 0)
    after: dict[str, list[str]] = {node: [] for node in place}
    for source, target in sorted(edges, key=lambda edge: (place[edge[0]], place[edge[1]])):
        missing[target] += 1
        after[source].append(target)
    free = [place[node] for node, count in missing.items() if not count]
    heapify(free)
    order: list[Node] = []
    while free:
        node = nodes[heappop(free)]
        order.append(node)
        for target in after[node.id]:
            missing[target] -= 1
            if not missing[target]:
                heappush(free, place[target])
    if len(order) < len(nodes):
        done = {node.id for node in order}
        involved = ", ".join(node.id for node in nodes if node.id not in done)
        raise ValueError(f"Workflow contains a cycle involving nodes: {involved}")
    return order


def is_trigger(node_type: str, triggers: Collection[str] = ()) -> bool:
    """Trigger-like: what has the word in its type, or is one of `triggers`."""
    return "TRIGGER" in node_type.upper() or node_type in triggers
