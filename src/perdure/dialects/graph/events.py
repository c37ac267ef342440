"""EVENT_TRIGGER: which events start a graph. `eventPattern` is a pattern of their types; `condition` is over the `event` alone,
because it is judged before there is a context.
"""

from __future__ import annotations

from typing import Final

from perdure.core.patterns import why_nothing_fits
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.graph import triggers
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.templates import checked, joined
from perdure.errors import InvalidExpression
from perdure.expressions.ready import ready
from perdure.expressions.walk import free_names, reads
from perdure.expressions.wording import nearest, shown
from perdure.model.values import Expression
from perdure.model.workflow import EventStart

KEYS: Final = ("eventPattern", "condition")
EVENT: Final = ("id", "type", "source", "at", "correlationId", "payload", "metadata")
"""What an event has, in expressions."""


def tell_of_trigger(node: Node, data: Fields) -> None:
    data.faults.unknown_keys(triggers.settings(data.given), KEYS, data.path, step=node.id)
    if not data.has("eventPattern"):
        message = "no event starts an execution here: give 'eventPattern', like order.paid or order.*"
        data.faults.warning("no_event", data.path, message, step=node.id, field="eventPattern")
    read_trigger(node, data)


def event_start(node: Node) -> EventStart | None:
    """What an EVENT_TRIGGER is started by; None: it is none, or by nothing. What is wrong has been told where it stands."""
    return read_trigger(node, Fields(node.data, node.path, Faults())) if node.type == triggers.EVENT else None


def read_trigger(node: Node, data: Fields) -> EventStart | None:
    pattern, condition = data.word("eventPattern"), _condition(node, data)
    if pattern is None:
        return None
    why = "is not computed; write it out" if "{{" in pattern else why_nothing_fits(pattern)
    if why is not None:
        data.problem("invalid_pattern", "eventPattern", f"no event fits the pattern {shown(pattern)}: it {why}")
        return None
    return EventStart(pattern, condition)


def _condition(node: Node, data: Fields) -> Expression | None:
    given, path = data.text("condition"), data.at("condition")
    if given is None:
        return None
    try:
        source = joined(given)
        tree = ready(source).node
    except InvalidExpression as error:
        data.faults.take(error.problems, path, node.id)
        return None
    for name in dict.fromkeys(name.name for name in free_names(tree) if name.name != "event"):
        message = f"there is no {name!r} here, only the event; did you mean event.payload.{name}?"
        data.problem("unknown_name", "condition", message)
    for part in dict.fromkeys(path[1] for path in sorted(reads(tree)) if path[0] == "event" and len(path) > 1):
        if part not in EVENT:
            hint = nearest(part, EVENT) or f"; did you mean event.payload.{part}?"
            data.warning("unknown_name", "condition", f"an event has no {part!r}{hint}")
    value = Expression(source)
    return value if checked(value, path, data.faults, node.id, secrets=False) is value else None
