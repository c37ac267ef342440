"""Triggers: what is started when an execution has completed, which the model calls chains."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.dialects.phases.checking import compare_items
from perdure.dialects.phases.document import TriggerDef
from perdure.dialects.phases.types import items_of
from perdure.dialects.phases.values import Place, is_ref
from perdure.dialects.policies import time_ms
from perdure.model.values import Value
from perdure.model.workflow import Chain


def chain(trigger: TriggerDef, place: Place) -> Chain:
    """`place` is where the execution has ended."""
    fields = trigger.fields
    items: Value | None = None
    if fields.has("forEach"):
        given = fields.given["forEach"]
        if not is_ref(given):
            fields.wrong("forEach", "a ref to an array, like '@output.items'")
        else:
            items = place.value(given, fields.at("forEach"), "forEach")
            compare_items(place, given, fields.at("forEach"))
            each = items_of(place.type_of_text(given)[0])
            place = replace(place, names=replace(place.names, item="item", each=each))
    inputs = place.value(fields.object("inputs", required=True), fields.at("inputs"), "input", as_written=False)
    deadline_ms, retries_max = time_ms(fields, "workflow_timeout_ms"), fields.whole("max_retries")
    return Chain(trigger.workflow, inputs, items, deadline_ms, retries_max or 0)
