"""Edges become routes, and what came in by which input is told to the executor that asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from perdure.dialects.faults import Faults
from perdure.dialects.graph.built import Built
from perdure.dialects.graph.document import MAIN, Connection, Node
from perdure.dialects.graph.helpers import Adjacency, default_output
from perdure.dialects.values import quoted
from perdure.errors import InvalidExpression
from perdure.expressions.ready import ready
from perdure.expressions.wording import shown
from perdure.model.steps import Route, Step, Task
from perdure.model.values import Constant, Expression, Object


def connected(node: Node, built: Built, adjacency: Adjacency) -> Step:
    """The step with its ways on. A branch that was named is followed and no other; else the default output is."""
    outputs = adjacency.get(node.id, {})
    step = replace(built.step, join=node.join)
    default = default_output(outputs)
    if built.outputs is not None and not built.outputs:  # it names no branch, ever
        return step if default is None else replace(step, routes=(Route(tuple(outputs[default])),))
    routes = tuple(Route(tuple(targets), port=output) for output, targets in outputs.items())
    if built.outputs is not None or default is None:
        return replace(step, routes=routes)
    return replace(step, routes=routes, ports=(Expression(f"port || {quoted(default)}"),))


def tell_of_dead_outputs(
    connections: Iterable[Connection], built: Mapping[str, Built], adjacency: Adjacency, faults: Faults
) -> None:
    """Edges that nothing will ever be led by."""
    for edge in connections:
        outputs = built[edge.from_node_id].outputs
        if outputs is None:
            continue
        default = default_output(adjacency[edge.from_node_id])
        possible = outputs or ({default} if default is not None else set())
        if edge.from_output not in possible:
            ways = ", ".join(sorted(possible)) or "none of several, as there is no 'main'"
            message = (
                f"node {shown(edge.from_node_id)} never leads by {shown(edge.from_output)}; its outputs are {ways}"
            )
            faults.warning(
                "dead_output", f"{edge.path}/fromOutput", message, step=edge.from_node_id, field="fromOutput"
            )


def with_inputs(
    steps: dict[str, Step], connections: Iterable[Connection], built: Mapping[str, Built], faults: Faults
) -> dict[str, Step]:
    """Executors whose edges name inputs are given `inputs`: for each, what the nodes that led here by it wrote."""
    coming: dict[str, dict[str, list[Connection]]] = {}
    for edge in connections:
        coming.setdefault(edge.to_node_id, {}).setdefault(edge.to_input, []).append(edge)
    told = dict(steps)
    for target, inputs in coming.items():
        step = told[target]
        if set(inputs) == {MAIN} or not isinstance(step.work, Task) or not isinstance(step.work.input, Object):
            continue
        entries = tuple((Constant(name), _merged(edges, built, faults)) for name, edges in inputs.items())
        given = Object((*step.work.input.entries, (Constant("inputs"), Object(entries))))
        told[target] = replace(step, work=replace(step.work, input=given))
        for source in {edge.from_node_id for edges in inputs.values() for edge in edges}:
            told[source] = replace(told[source], keep_output=True)
    return told


def _merged(edges: list[Connection], built: Mapping[str, Built], faults: Faults) -> Expression:
    """What came in by one input; undefined, if nobody did. What the document has later goes before."""
    came = {edge: _came(edge, built[edge.from_node_id]) for edge in edges}
    parts = [f"...({test} ? {built[edge.from_node_id].wrote} : {{}})" for edge, test in came.items()]
    source = f"{' || '.join(f'({test})' for test in came.values())} ? {{{', '.join(parts)}}} : undefined"
    try:
        ready(source)
    except InvalidExpression:
        message = f"{len(edges)} connections lead to one input, more than can be told apart; lead some to a MERGE first"
        faults.problem("too_many_connections", edges[-1].path, message, step=edges[-1].to_node_id)
        return Expression("undefined")
    return Expression(source)


def _came(edge: Connection, built: Built) -> str:
    led = f"{quoted(edge.from_node_id)} in came"
    if built.outputs is not None and not built.outputs:
        return led
    return f"{led} && ({built.took} ?? {quoted(edge.from_output)}) == {quoted(edge.from_output)}"
