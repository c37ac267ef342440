"""EVENT_TRIGGER: which events start a graph. `eventPattern` is a pattern of their types, `condition` is over the `event`."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from perdure.dialects.events import read_event_start
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.graph import triggers
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.handlebars import without_handlebars
from perdure.model.workflow import EventStart

KEYS: Final = ("eventPattern", "condition")


def tell_of_trigger(node: Node, data: Fields) -> None:
    data.faults.unknown_keys(triggers.settings(data.given), KEYS, data.path, step=node.id)
    if not data.has("eventPattern"):
        message = "no event starts an execution here: give 'eventPattern', like order.paid or order.*"
        data.faults.warning("no_event", data.path, message, step=node.id, field="eventPattern")
    read_event_start(_without_handlebars(data), "eventPattern")


def event_start(node: Node) -> EventStart | None:
    """What an EVENT_TRIGGER is started by; None: it is none, or by nothing. What is wrong has been told where it stands."""
    if node.type != triggers.EVENT:
        return None
    return read_event_start(_without_handlebars(Fields(node.data, node.path, Faults())), "eventPattern")


def _without_handlebars(data: Fields) -> Fields:
    """The data with its condition in the language of expressions; without it, if it has constructs that are refused."""
    condition = data.given.get("condition")
    if not isinstance(condition, str) or not condition:
        return data
    rewritten = without_handlebars(condition, data.at("condition"), data.faults, step=data.step)
    return replace(data, given={**data.given, "condition": rewritten or None})
