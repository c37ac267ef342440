"""What the graph as a whole gives reason to tell: cycles, and nodes that no execution comes to."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.dialects.faults import Faults
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.helpers import Adjacency
from perdure.dialects.walks import cycles, reached
from perdure.expressions.wording import shown

CYCLES_TOLD_MAX = 20


def tell_of_cycles(
    nodes: Sequence[Node], entries: Sequence[Node], adjacency: Adjacency, faults: Faults, *, strict: bool
) -> None:
    """Each edge that closes a cycle, with its path. Strict: they are refused."""
    path_to = {node.id: node.path for node in nodes}
    begin = [node.id for node in (*entries, *nodes)]
    for number, cycle in enumerate(cycles(begin, lambda node: _targets(adjacency, node))):
        if number >= CYCLES_TOLD_MAX:
            return
        way = " → ".join(map(shown, cycle))
        where, step = path_to[cycle[0]], cycle[0]
        if strict:
            message = f"these nodes lead in a circle: {way}; remove an edge, or settings.strict"
            faults.problem("cycle", where, message, step=step, actual=list(cycle))
        else:
            message = (
                f"these nodes lead in a circle: {way}; it runs until a branch leaves it, or the limit of nodes ends it"
            )
            faults.warning("cycle", where, message, step=step, actual=list(cycle))


def tell_of_unreachable(
    nodes: Sequence[Node], entries: Sequence[Node], roots: Sequence[Node], adjacency: Adjacency, faults: Faults
) -> None:
    """Roots that no execution begins with, and what only they, or nobody, leads to."""
    chosen = {node.id for node in entries}
    found = reached([node.id for node in entries], lambda node: _targets(adjacency, node))
    for node in roots:
        if node.id not in chosen:
            message = (
                f"nothing leads to node {shown(node.id)} and executions do not begin with it: it does not run; "
                f"they begin with {', '.join(shown(entry.id) for entry in entries)}"
            )
            faults.warning("other_root", node.path, message, step=node.id)
    told = {node.id for node in roots}
    for node in nodes:
        if node.id not in found and node.id not in told:
            message = f"no way leads from where executions begin to node {shown(node.id)}: it does not run"
            faults.warning("unreachable", node.path, message, step=node.id)


def _targets(adjacency: Adjacency, node: str) -> list[str]:
    outputs = adjacency.get(node, {})
    return list(dict.fromkeys(target for targets in outputs.values() for target in targets))
