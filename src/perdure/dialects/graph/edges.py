"""Edges become routes, and what came in by which input is told to the executor that asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from perdure.dialects.faults import Faults
from perdure.dialects.graph.built import Built, of_step
from perdure.dialects.graph.document import MAIN, Connection, Node
from perdure.dialects.graph.helpers import ERROR_OUTPUT, Adjacency, default_output
from perdure.dialects.values import constants, quoted
from perdure.errors import InvalidExpression
from perdure.expressions.ready import ready
from perdure.expressions.wording import shown
from perdure.model.steps import Compute, Route, Step, Task
from perdure.model.values import Constant, Expression, Object, Value


def connected(node: Node, built: Built, adjacency: Adjacency) -> Step:
    """The step with its ways on. A branch that was named is followed and no other; else the default output is."""
    outputs = adjacency.get(node.id, {})
    step = replace(built.step, join=node.join)
    default = default_output(outputs)
    if built.outputs is not None and not built.outputs:  # it names no branch, ever
        return step if default is None else replace(step, routes=(Route(tuple(outputs[default])),))
    unnamed = {ERROR_OUTPUT} - built.outputs if built.outputs is not None else set()  # taken by failures alone
    routes = tuple(Route(tuple(to), port=output) for output, to in outputs.items() if output not in unnamed)
    if built.outputs is not None or default is None:
        return replace(step, routes=routes)
    return replace(step, routes=routes, ports=(Expression(f"port || {quoted(default)}"),))


def with_error_outputs(
    steps: Mapping[str, Step], built: Mapping[str, Built], adjacency: Adjacency
) -> tuple[dict[str, Step], dict[str, Built], dict[str, str]]:
    """Lead failures by the output `error`: through a part of the node that writes `error` into the context.

    Return the steps with those parts, each after its node, the nodes with their own parts leading there too, and the ids of the
    new parts by node.
    """
    handling: dict[str, str] = {}
    connected_steps: dict[str, Step] = {}
    failing = dict(built)
    taken = {*steps, *(part.id for each in built.values() for part in each.parts)}
    for node_id, step in steps.items():
        targets = adjacency.get(node_id, {}).get(ERROR_OUTPUT)
        if not targets or not built[node_id].fails:
            connected_steps[node_id] = step
            continue
        part_id = f"{node_id}/error"
        while part_id in taken:
            part_id += "'"
        taken.add(part_id)
        handling[node_id] = part_id
        on_error = (Route((part_id,)),)
        connected_steps[node_id] = replace(step, on_error=on_error)
        connected_steps[part_id] = Step(
            part_id,
            Compute(_error_value(node_id)),
            (Route(tuple(targets)),),
            assign=constants(error=Expression("output")),
            join="any",
            part_of=node_id,
        )
        parts = tuple(replace(part, on_error=(*part.on_error, *on_error)) for part in built[node_id].parts)
        failing[node_id] = replace(built[node_id], parts=parts)
    return connected_steps, failing, handling


def _error_value(node_id: str) -> Value:
    """`error` of the context, read from the step that has just failed: the node, or a part of it."""
    return constants(
        message=Expression("last.error.message"), code=Expression("last.error.code ?? null"), nodeId=node_id
    )


def tell_of_missing_success(
    nodes: Iterable[Node], built: Mapping[str, Built], adjacency: Adjacency, faults: Faults
) -> None:
    """Warn of executors that lead on only when they fail."""
    for node in nodes:
        if built[node.id].outputs is None and set(adjacency.get(node.id, {})) == {ERROR_OUTPUT}:
            message = (
                "when this node succeeds, the path ends here: its only connection is from the output 'error'; if a node comes "
                "next, connect 'main' to it"
            )
            faults.shared_warning("no_success_output", node.path, message, step=node.id)


def tell_of_dead_outputs(
    connections: Iterable[Connection], built: Mapping[str, Built], adjacency: Adjacency, faults: Faults
) -> None:
    """Edges that nothing will ever be led by."""
    for edge in connections:
        outputs = built[edge.from_node_id].outputs
        if outputs is None:
            continue
        default = default_output(adjacency[edge.from_node_id])
        possible = set(outputs) or ({default} if default is not None else set())
        if built[edge.from_node_id].fails:
            possible.add(ERROR_OUTPUT)
        elif edge.from_output == ERROR_OUTPUT and ERROR_OUTPUT not in possible:
            message = f"node {shown(edge.from_node_id)} never fails, so its output 'error' is never taken"
            faults.warning(
                "dead_output", f"{edge.path}/fromOutput", message, step=edge.from_node_id, field="fromOutput"
            )
            continue
        if edge.from_output not in possible:
            ways = ", ".join(sorted(possible - {ERROR_OUTPUT})) or "none of several, as there is no 'main'"
            message = (
                f"node {shown(edge.from_node_id)} never leads by {shown(edge.from_output)}; its outputs are {ways}"
            )
            faults.warning(
                "dead_output", f"{edge.path}/fromOutput", message, step=edge.from_node_id, field="fromOutput"
            )


def with_inputs(
    steps: dict[str, Step],
    connections: Iterable[Connection],
    built: Mapping[str, Built],
    handling: Mapping[str, str],
    faults: Faults,
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
        entries = tuple((Constant(name), _merged(edges, built, handling, faults)) for name, edges in inputs.items())
        given = Object((*step.work.input.entries, (Constant("inputs"), Object(entries))))
        told[target] = replace(step, work=replace(step.work, input=given))
        for source in {edge.from_node_id for edges in inputs.values() for edge in edges}:
            told[source] = replace(told[source], keep_output=True)
    return told


def _merged(
    edges: list[Connection], built: Mapping[str, Built], handling: Mapping[str, str], faults: Faults
) -> Expression:
    """What came in by one input; undefined, if nobody did. What the document has later goes before."""
    came = [way for edge in edges for way in _ways(edge, built[edge.from_node_id], handling.get(edge.from_node_id))]
    parts = [f"...({test} ? {wrote} : {{}})" for test, wrote in came]
    source = f"{' || '.join(f'({test})' for test, _ in came) or 'false'} ? {{{', '.join(parts)}}} : undefined"
    try:
        ready(source)
    except InvalidExpression:
        message = f"{len(edges)} connections lead to one input, more than can be told apart; lead some to a MERGE first"
        faults.problem("too_many_connections", edges[-1].path, message, step=edges[-1].to_node_id)
        return Expression("undefined")
    return Expression(source)


def _ways(edge: Connection, built: Built, handling: str | None) -> Iterator[tuple[str, str]]:
    """How control can come by a connection: a test for it, and an expression of what was written on the way."""
    if edge.from_output == ERROR_OUTPUT and handling is not None:
        yield f"{quoted(handling)} in came", f"{{error: {of_step(handling, 'output')}}}"
    if edge.from_output != ERROR_OUTPUT or built.outputs is None or ERROR_OUTPUT in built.outputs:
        yield _came(edge, built), built.wrote


def _came(edge: Connection, built: Built) -> str:
    led = f"{quoted(edge.from_node_id)} in came"
    if built.outputs is not None and not built.outputs:
        return led
    return f"{led} && ({built.took} ?? {quoted(edge.from_output)}) == {quoted(edge.from_output)}"
