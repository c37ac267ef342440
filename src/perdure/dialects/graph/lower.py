"""A graph document becomes a model: each node a step, each edge a route, the context the variables of a path."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.dialects.definitions import generated_name
from perdure.dialects.faults import Faults
from perdure.dialects.graph.asking import entered_by_parts, tell_of_parts, with_parts
from perdure.dialects.graph.built import Surroundings
from perdure.dialects.graph.cycles import tell_of_cycles, tell_of_unreachable
from perdure.dialects.graph.document import GraphDocument, Node, read_document
from perdure.dialects.graph.edges import (
    connected,
    tell_of_dead_outputs,
    tell_of_missing_success,
    with_error_outputs,
    with_inputs,
)
from perdure.dialects.graph.entry import (
    entries,
    entry_nodes,
    schedules,
    starts,
    tell_of_itself,
    trigger_types,
    with_trigger,
)
from perdure.dialects.graph.helpers import build_adjacency_map, find_roots
from perdure.dialects.graph.names import tell_of_names
from perdure.dialects.graph.nodes import build
from perdure.dialects.port import Naming
from perdure.dialects.secrets import tell_of_secrets
from perdure.model.catalog import Catalog
from perdure.model.executors import CONTROL_KEYS
from perdure.model.steps import Step
from perdure.model.values import Expression, Json
from perdure.model.workflow import Workflow


def lower(value: dict[str, Json], catalog: Catalog, naming: Naming, faults: Faults) -> Workflow:
    """The model. If `faults` has problems then, it is one of what could be made out, and not to be run."""
    document = read_document(value, faults)
    name = document.name or naming.name or generated_name("graph", value)
    entry = entry_nodes(document, trigger_types(document, catalog))
    steps, initial = with_trigger(_steps(document, entry, Surroundings(document.settings, catalog, faults)), entry)
    tell_of_names(document.nodes, document.connections, faults)
    paths = {node.id: f"{node.path}/data" for node in document.nodes}
    tell_of_secrets(steps, paths, document.settings.secrets, catalog, faults)
    known_as = [known for known in (document.id, naming.id, name) if known is not None]
    tell_of_itself(document.nodes, known_as, faults)
    settings = document.settings
    return Workflow(
        name,
        steps,
        entered_by_parts(entries(entry), steps),
        variables="shared" if settings.sequential else "flowing",
        initial=initial,
        reserved=CONTROL_KEYS,
        output=Expression("vars"),
        on_failure="drain",
        parallel_max=1 if settings.sequential else None,
        steps_max=settings.nodes_max,
        deadline_ms=settings.timeout_ms,
        depth_max=settings.depth_max,
        starts=starts(entry, known_as),
        schedules=schedules(document.nodes, entry, faults),
        secrets=settings.secrets,
        input_schema=document.input_schema,
        written=tuple(faults.written.items()),
    )


def _steps(document: GraphDocument, entry: Sequence[Node], around: Surroundings) -> tuple[Step, ...]:
    adjacency = build_adjacency_map(document.connections)
    built = {node.id: build(node, around) for node in document.nodes}
    steps = {node.id: connected(node, built[node.id], adjacency) for node in document.nodes}
    roots = find_roots(document.nodes, document.connections)
    tell_of_dead_outputs(document.connections, built, adjacency, around.faults)
    tell_of_missing_success(document.nodes, built, adjacency, around.faults)
    tell_of_unreachable(document.nodes, entry, roots, adjacency, around.faults)
    tell_of_cycles(document.nodes, entry, adjacency, around.faults, strict=document.settings.strict)
    steps, built, handling = with_error_outputs(steps, built, adjacency)
    told = with_inputs(steps, document.connections, built, handling, around.faults)
    parts = {node_id: each.parts for node_id, each in built.items()}
    tell_of_parts(document.nodes, parts, around.faults)
    return tuple(with_parts(told, parts).values())
