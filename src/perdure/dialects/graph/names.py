"""Names in templates that will most likely be empty. The keys of an input are free, so that hardly any name is wrong for certain;
what is told is what can only be right if the input happens to have a key that looks like a mistake, and the message says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from perdure.dialects.events import EVENT
from perdure.dialects.faults import Faults
from perdure.dialects.graph import triggers
from perdure.dialects.graph.document import Connection, Node
from perdure.dialects.graph.handlebars import rewritten_silently
from perdure.dialects.graph.helpers import ERROR_OUTPUT
from perdure.dialects.graph.nodes import BUILT_IN
from perdure.dialects.graph.templates import field_keys
from perdure.dialects.hyphens import misread, subtracted_ids
from perdure.dialects.slips import is_a_slip
from perdure.dialects.values import joined
from perdure.errors import InvalidExpression
from perdure.expressions.ready import ready
from perdure.expressions.templates import look_at
from perdure.expressions.walk import reads
from perdure.expressions.wording import shown
from perdure.model.problem import Problem

_CONTEXT_ITSELF: Final = ("context", "input", "vars")
_NODES: Final = ("nodes", "steps")
_NOT_THERE: Final = "the context has no {!r}, unless the input has a key of that name"
_NO_TEMPLATES: Final = {triggers.EVENT: "condition", "IF_ELSE": "expression", "SWITCH": "expression"}
"""By the type of a node, the key whose value has names of its own, or is an expression itself; of all others, it is `code`."""
_NAMES_MAX: Final = 1_000
_KEYS_MAX: Final = 200
"""So many names are compared with so many keys: more than anybody writes by hand."""


def tell_of_names(nodes: Sequence[Node], connections: Iterable[Connection], faults: Faults) -> None:
    names = _Names(nodes, connections)
    for node in nodes:
        own = _NO_TEMPLATES.get(node.type, "code")
        data = {key: value for key, value in node.data.items() if key != own}
        for problem in look_at(rewritten_silently(data), "{{", names.look):
            if problem.type == "unknown_name":
                faults.warning(problem.type, f"{node.path}/data{problem.path}", problem.message, step=node.id)
        if own == "expression":
            _tell_of_expression(node, names, faults)
        _tell_of_field(node, names, faults)


def _tell_of_expression(node: Node, names: _Names, faults: Faults) -> None:
    """What an IF_ELSE and a SWITCH go by: one expression, with or without braces around its operands."""
    source = node.data.get("expression")
    if not isinstance(source, str):
        return
    try:
        problems = names.look(joined(str(rewritten_silently(source))))
    except InvalidExpression:  # which is told where the node is built
        return
    for problem in problems:
        faults.warning(problem.type, f"{node.path}/data/expression", problem.message, step=node.id)


def _tell_of_field(node: Node, names: _Names, faults: Faults) -> None:
    """The field of an IF_ELSE is a path into the context without braces."""
    condition = node.data.get("condition") if node.type == "IF_ELSE" else None
    field = condition.get("field") if isinstance(condition, dict) else None
    if isinstance(field, str) and "{{" not in field and all(keys := field_keys(field)):
        message = names.suspicion(tuple(keys))
        if message:
            faults.warning("unknown_name", f"{node.path}/data/condition/field", message, step=node.id)


def _written(nodes: Iterable[Node], connections: Iterable[Connection]) -> dict[str, str]:
    """Keys of the context that nodes are known to write, and one node for each. What an executor writes is not known."""
    handled = [edge.from_node_id for edge in connections if edge.from_output == ERROR_OUTPUT]
    found = {ERROR_OUTPUT: handled[0]} if handled else {}
    for node in nodes:
        for key in _keys_of(node):
            found.setdefault(key, node.id)
    return found


def _keys_of(node: Node) -> list[str]:
    values, name = node.data.get("values"), node.data.get("variableName")
    keys = list(values) if node.type == "SET" and isinstance(values, dict) else []
    return [*keys, *([name] if isinstance(name, str) else [])]


class _Names:
    """What a graph has names for: its nodes, and the keys that they write."""

    def __init__(self, nodes: Sequence[Node], connections: Iterable[Connection]) -> None:
        self._ids, self._written = {node.id for node in nodes}, _written(nodes, connections)
        self._silent = {node.id: next(iter(_keys_of(node)), None) for node in nodes if node.type in BUILT_IN}
        """Nodes of which it is known what they write: never a key that is called like the node, unless it is in `_written`."""
        self._all = self._ids | self._written.keys()
        self._misspelt: dict[str, str] = {}
        self._has_events = any(node.type == triggers.EVENT for node in nodes)

    def look(self, source: str) -> list[Problem]:
        try:
            node = ready(source).node
        except InvalidExpression:  # which is told where the node is built
            return []
        ids, parts = subtracted_ids(source, node, self._all, self._written)
        paths = (path for path in sorted(reads(node)) if path[0] not in parts)
        said = dict.fromkeys((*map(self._subtracted, ids), *map(self.suspicion, paths)))
        return [Problem("unknown_name", message) for message in said if message]

    def _subtracted(self, name: str) -> str:
        if name in self._written:
            what = f"a key that {shown(self._written[name])} sets"
            return f"{misread(name, what)}: templates cannot read a key with a hyphen, so take a name without one"
        key = self._silent.get(name, "")
        where = (
            "what a node writes stands under the keys that it sets"
            if key == ""
            else "it writes no key"
            if key is None
            else f"it writes the key {shown(key)}: did you mean {shown(key)}?"
        )
        return f"{misread(name, 'a node')}; {where}"

    def suspicion(self, path: tuple[str, ...]) -> str:
        """What is to be said of a path into the context; nothing, if it may be meant so."""
        root, rest = path[0], path[1:]
        if root in self._written:
            return ""
        if rest and root in _CONTEXT_ITSELF:
            return f"{_NOT_THERE.format(root)}: templates read the context itself; did you mean {shown(rest[0])}?"
        if rest and root in _NODES and rest[0] in self._ids:
            where = f"what a node writes stands under the key that it sets, and not under {shown(rest[0])}"
            return f"{_NOT_THERE.format(root)}: {where}"
        if rest and root == "event" and self._has_events and rest[0] in EVENT:
            meant = f"; did you mean {shown(rest[1])}?" if rest[0] == "payload" and rest[1:] else ""
            whole = "the payload of the event that starts it is the context, and nothing else of the event is in it"
            return f"{_NOT_THERE.format(root)}: {whole}{meant}"
        if root in self._silent:
            key = self._silent[root]
            where = (
                "which writes no key"
                if key is None
                else f"which writes the key {shown(key)}: did you mean {shown(key)}?"
            )
            return f"{_NOT_THERE.format(root)}: {root!r} is a node, {where}"
        if root in self._ids:
            where = "what a node writes stands under the keys that its executor returns"
            return (
                f"the context has no {shown(root)}, unless the input or an executor brings a key of that name: {root!r} is "
                f"a node, and {where}"
            )
        if root not in self._misspelt and len(self._misspelt) < _NAMES_MAX:
            self._misspelt[root] = self._meant(root)
        return self._misspelt.get(root, "")

    def _meant(self, name: str) -> str:
        near = (key for key in islice(self._written, _KEYS_MAX) if is_a_slip(name, key))
        key = next(near, None)
        if key is None:
            return ""
        return (
            f"no node sets {shown(name)}, and it is empty unless the input has it; did you mean {shown(key)}, which "
            f"{shown(self._written[key])} sets?"
        )
