"""How the cases are written: a document in few words, and what is to come of it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from perdure.model.values import Json


class Case(Struct, frozen=True):
    """`output`, `view` and `error` are what has to be there; `exit` is the exit status."""

    name: str
    document: Json
    input: Json = None
    exit: int = 0
    output: Json = None
    view: dict[str, Json] = {}
    error: dict[str, Json] = {}
    says: tuple[str, ...] = ()
    """What stands in the message of the error, or in the problems."""
    beside: tuple[Json, ...] = ()
    """Documents to save first."""
    arguments: tuple[str, ...] = ()


Node = tuple[str, dict[str, Any]] | str


def graph(edges: str, nodes: dict[str, Node] | None = None, /, *, name: str = "case", **settings: Any) -> Json:
    """`edges`: "a > b c; a.true > d; b > e:left". A node that is not told of is an ADD that adds its own name; the first is a
    MANUAL_TRIGGER if it is called `start`.
    """
    told, connections = dict(nodes or {}), []
    for edge in filter(None, (part.strip() for part in edges.split(";"))):
        source, _, targets = edge.partition(" > ")
        source, _, output = source.partition(".")
        told.setdefault(source, _usual(source))
        for target in targets.split():
            target_id, _, handle = target.partition(":")
            told.setdefault(target_id, _usual(target_id))
            connection = {"fromNodeId": source, "toNodeId": target_id}
            connections.append(
                connection | ({"fromOutput": output} if output else {}) | ({"toInput": handle} if handle else {})
            )
    document: dict[str, Any] = {
        "name": name,
        "nodes": [_node(*one) for one in told.items()],
        "connections": connections,
    }
    return document | ({"settings": settings} if settings else {})


def _usual(name: str) -> Node:
    return "MANUAL_TRIGGER" if name == "start" else ("ADD", {name: True})


def _node(name: str, told: Node) -> dict[str, Any]:
    if isinstance(told, str):
        return {"id": name, "type": told}
    kind, data = told
    beside = {key.removeprefix("@"): data[key] for key in data if key.startswith("@")}
    return {"id": name, "type": kind, "data": {key: data[key] for key in data if not key.startswith("@")}, **beside}
