"""The shape of a graph document: nodes, connections, settings. What does not fit is told, and left out of what comes back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

from msgspec import Struct

from perdure.dialects.definitions import input_schema
from perdure.dialects.faults import Faults, at
from perdure.dialects.fields import Fields
from perdure.dialects.graph.settings import Settings, read_settings
from perdure.expressions.wording import kind, nearest, shown
from perdure.model.values import Json

MAIN: Final = "main"
"""The output, and the input, of an edge that names none."""

_DOCUMENT_KEYS: Final = (
    "dialect",
    "id",
    "name",
    "description",
    "version",
    "status",
    "inputSchema",
    "nodes",
    "connections",
    "settings",
)
_STATUSES: Final = ("draft", "active", "inactive", "archived")
_NODE_KEYS: Final = ("id", "type", "name", "data", "join", "retry", "retryPolicy", "timeout", "position")
_CONNECTION_KEYS: Final = ("id", "fromNodeId", "toNodeId", "fromOutput", "toInput")
_OTHER_ENDS: Final = (("source", "target"), ("from", "to"), ("sourceNodeId", "targetNodeId"))
"""What other editors call the ends of a connection."""


class Node(Struct, frozen=True):
    """`beside` is all of the node, for what may stand beside `data`; `path` leads to it in the document."""

    id: str
    type: str
    data: dict[str, Json] = {}
    join: Literal["all", "any"] = "all"
    beside: dict[str, Json] = {}
    path: str = ""


class Connection(Struct, frozen=True):
    from_node_id: str
    to_node_id: str
    from_output: str = MAIN
    to_input: str = MAIN
    path: str = ""


class GraphDocument(Struct, frozen=True):
    name: str | None
    id: str | None
    nodes: tuple[Node, ...]
    connections: tuple[Connection, ...]
    settings: Settings
    input_schema: Json = None


def read_document(value: dict[str, Json], faults: Faults) -> GraphDocument:
    """What can be made out of it; `faults` says what cannot."""
    given = Fields(value, "", faults, known=_DOCUMENT_KEYS)
    faults.unknown_keys(value, _DOCUMENT_KEYS, "", only_near=True)
    given.choice("status", _STATUSES, "active")  # it is the service that acts on it
    nodes = _nodes(given)
    settings = read_settings(given.within("settings"))
    _tell_of_trigger_types(given, settings, nodes)
    return GraphDocument(
        name=given.word("name"),
        id=given.word("id"),
        nodes=nodes,
        connections=_connections(given, nodes),
        settings=settings,
        input_schema=input_schema(given),
    )


def _tell_of_trigger_types(document: Fields, settings: Settings, nodes: tuple[Node, ...]) -> None:
    """Warn of `settings.triggers` that no node has for its type."""
    types = dict.fromkeys(node.type for node in nodes)
    for type_ in sorted(settings.triggers.difference(types)):
        message = f"no node has the type {shown(type_)}{nearest(type_, types)}"
        document.faults.warning("unknown_trigger_type", at("/settings", "triggers"), message, field="triggers")


def _nodes(document: Fields) -> tuple[Node, ...]:
    nodes: dict[str, Node] = {}
    for number, item in enumerate(document.array("nodes", required=True)):
        node = _node(item, at("/nodes", number), document.faults)
        if node is None:
            continue
        first = nodes.setdefault(node.id, node)
        if first is not node:
            message = f"two nodes have the id {shown(node.id)}; the other one is {first.path}"
            document.faults.problem("duplicate_id", at(node.path, "id"), message, step=node.id, field="id", ref=node.id)
    if not nodes and document.given.get("nodes") == []:
        document.warning("no_nodes", "nodes", "there are no nodes; an execution completes at once")
    return tuple(nodes.values())


def _node(item: Json, path: str, faults: Faults) -> Node | None:
    if not isinstance(item, dict):
        faults.problem("wrong_type", path, f"a node is an object, not {kind(item)}")
        return None
    known = item.get("id") if isinstance(item.get("id"), str) else ""
    given = Fields(item, path, faults, str(known), _NODE_KEYS)
    node_id, node_type = given.word("id", required=True), given.word("type", required=True)
    given.word("name")
    data = given.object("data")
    join = given.choice("join", ("all", "any"), "all")
    faults.unknown_keys(item, _NODE_KEYS, path, step=given.step, only_near=True)
    if node_id is None or node_type is None:
        return None
    return Node(node_id, node_type, data, "any" if join == "any" else "all", item, path)


def _connections(document: Fields, nodes: tuple[Node, ...]) -> tuple[Connection, ...]:
    # A node that could not be read has been told of; that edges lead to it is no fault of theirs.
    ids = {node.id for node in nodes}
    known = dict.fromkeys((*(node.id for node in nodes), *_named(document)))
    edges: dict[tuple[str, str, str, str], Connection] = {}
    # Some editors keep no list at all while there are no edges.
    listed = document.array("connections")
    for number, item in enumerate(listed):
        edge = _connection(item, at("/connections", number), document.faults, known)
        if edge is None or not {edge.from_node_id, edge.to_node_id} <= ids:
            continue
        same = (edge.from_node_id, edge.from_output, edge.to_node_id, edge.to_input)
        if edges.setdefault(same, edge) is not edge:
            message = f"this connection stands twice and counts once; the other one is {edges[same].path}"
            document.faults.warning("duplicate_connection", edge.path, message)
    _tell_of_other_ends(listed, document.faults)
    return tuple(edges.values())


def _ends(item: dict[str, Json]) -> tuple[str, str]:
    """The keys of the ends of a connection. Those of other editors are one problem for all connections; apart from that they are
    read as they are meant.
    """
    if "fromNodeId" not in item and "toNodeId" not in item:
        for source, target in _OTHER_ENDS:
            if isinstance(item.get(source), str) and isinstance(item.get(target), str):
                return source, target
    return "fromNodeId", "toNodeId"


def _tell_of_other_ends(listed: list[Json], faults: Faults) -> None:
    items = [(number, item) for number, item in enumerate(listed) if isinstance(item, dict)]
    others = [(number, *_ends(item)) for number, item in items if _ends(item) in _OTHER_ENDS]
    if others:
        number, source, target = others[0]
        message = (
            f"unsupported keys {source!r} and {target!r}: write 'fromNodeId' and 'toNodeId', and for handles 'fromOutput' and "
            f"'toInput', in {len(others)} connection{'s' if len(others) > 1 else ''}"
        )
        faults.problem("unknown_key", at("/connections", number, source), message, field=source)


def _named(document: Fields) -> list[str]:
    nodes = document.given.get("nodes")
    items = [item for item in nodes if isinstance(item, dict)] if isinstance(nodes, list) else []
    return [item["id"] for item in items if isinstance(item.get("id"), str)]


def _connection(item: Json, path: str, faults: Faults, ids: Collection[str]) -> Connection | None:
    if not isinstance(item, dict):
        faults.problem("wrong_type", path, f"a connection is an object, not {kind(item)}")
        return None
    given = Fields(item, path, faults, known=_CONNECTION_KEYS)
    from_key, to_key = _ends(item)
    source, target = given.word(from_key, required=True), given.word(to_key, required=True)
    output, to_input = given.word("fromOutput"), given.word("toInput")
    if from_key == "fromNodeId":
        faults.unknown_keys(item, _CONNECTION_KEYS, path, only_near=True)
    for key, found in ((from_key, source), (to_key, target)):
        if found is not None and found not in ids:
            hint = "" if faults.is_full else nearest(found, ids)
            message = f"{shown(found)} is not a node{hint}"
            faults.problem("unknown_node", given.at(key), message, field=key, ref=found)
    if source is None or target is None:
        return None
    return Connection(source, target, output or MAIN, to_input or MAIN, path)
