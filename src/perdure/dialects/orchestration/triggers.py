"""Which events start an execution, and which cancel it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from perdure.dialects import values
from perdure.dialects.events import read_event_start, read_pattern, tell_of_names
from perdure.dialects.fields import Fields
from perdure.dialects.orchestration.built import FORM, WHERE_SECRETS_MAY_BE, Around, condition, with_templates
from perdure.dialects.orchestration.document import objects
from perdure.dialects.orchestration.kinds import payload_path
from perdure.dialects.orchestration.names import rename_event
from perdure.errors import InvalidExpression
from perdure.expressions.ready import LOWERED_MAX, ready
from perdure.expressions.wording import shown
from perdure.model.values import Expression, Value
from perdure.model.workflow import EventCancel, EventStart

_START_KEYS: Final = (
    *("eventPattern", "eventCondition", "inputMapping", "correlationKey", "enabled", "description", "name"),
    *("triggerType", "priority"),
)
_CANCEL_KEYS: Final = ("eventPattern", "eventCondition", "reason", "shouldCompensate", "description", "name")


def starts_of(definition: Fields) -> Iterator[EventStart]:
    for trigger in objects(definition, "triggers", "a trigger"):
        trigger.faults.unknown_keys(trigger.given, _START_KEYS, trigger.path)
        if trigger.choice("triggerType", ("START", "CANCEL"), "START") == "CANCEL":
            trigger.problem("unknown_type", "triggerType", "what cancels an execution stands in 'cancellationTriggers'")
        if not trigger.has("eventPattern"):
            trigger.missing("eventPattern")
        start = read_event_start(_with_our_names(trigger), "eventPattern", "eventCondition", FORM)
        input_, correlation = _input(trigger), _correlation(trigger)
        if start is not None and trigger.flag("enabled", default=True):
            yield replace(start, input=input_, correlation=correlation)


def _with_our_names(trigger: Fields) -> Fields:
    """`event.eventId` and its like in its condition, as the model has them."""
    given = trigger.given.get("eventCondition")
    try:
        source = rename_event(values.joined(given, FORM)) if isinstance(given, str) else given
    except InvalidExpression:  # which is told where it is read
        source = given
    return replace(trigger, given={**trigger.given, "eventCondition": source})


def _input(trigger: Fields) -> Value | None:
    if not trigger.has("inputMapping"):
        return None
    given = with_templates(trigger.object("inputMapping"), ("event",))
    rename = _of_event(trigger, "inputMapping")
    return values.template(
        given, rename, trigger.at("inputMapping"), trigger.faults, no_secrets=WHERE_SECRETS_MAY_BE, form=FORM
    )


def _correlation(trigger: Fields) -> Value | None:
    """A path into the payload, or an expression over the event."""
    given = trigger.text("correlationKey")
    if given is None:
        return None
    where, path = trigger.at("correlationKey"), payload_path(given)
    if path is not None:
        return values.checked(Expression(path), where, trigger.faults, "", no_secrets=WHERE_SECRETS_MAY_BE)
    rename = _of_event(trigger, "correlationKey")
    return values.expression(given, rename, where, trigger.faults, step="", no_secrets=WHERE_SECRETS_MAY_BE, form=FORM)


def _of_event(trigger: Fields, key: str) -> values.Rename:
    """Nothing but the event is there yet."""

    def rename(source: str) -> str:
        renamed = rename_event(source)
        tell_of_names(ready(renamed, LOWERED_MAX).node, trigger, key)
        return renamed

    return rename


def cancels_of(definition: Fields, around: Around) -> Iterator[EventCancel]:
    for trigger in objects(definition, "cancellationTriggers", "a cancellation trigger"):
        trigger.faults.unknown_keys(trigger.given, _CANCEL_KEYS, trigger.path)
        pattern = read_pattern(trigger, "eventPattern", FORM, required=True)
        source = trigger.text("eventCondition")
        when = None if source is None else condition(source, trigger.at("eventCondition"), trigger, around)
        reason = trigger.text("reason")
        compensate = trigger.flag("shouldCompensate", default=True)
        if pattern is not None:
            yield EventCancel(pattern, when, reason or f"the event {shown(pattern)} came", compensate)
