"""Which event starts an execution, and with what."""

from __future__ import annotations

from msgspec import Struct

from perdure.core.advance import Start
from perdure.core.draft import Draft
from perdure.core.patterns import matches
from perdure.core.program import Program
from perdure.core.state import BLANK
from perdure.core.steps.event import event_value
from perdure.core.steps.immediate import refuse_long
from perdure.core.values import NO_VALUES
from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.expressions.texts import storable
from perdure.model.records import EventRecord
from perdure.model.workflow import EventStart


class Declined(Struct, frozen=True):
    """The event would start an execution, but for this reason."""

    reason: str


def started_by(
    program: Program, number: int, event: EventRecord, *, execution: str, at: int
) -> Start | Declined | None:
    """The start that `event` makes through trigger `number`; None if it does not fit."""
    trigger = program.workflow.starts[number]
    if not matches(trigger.pattern, event.type):
        return None
    limit = program.workflow.depth_max
    if event.depth is not None and event.depth >= limit:
        return Declined(f"the depth of {event.depth} has reached the limit of {limit}")
    try:
        return _start(program, trigger, event, execution, at)
    except EvaluationError as error:
        return Declined(str(error))


def meant_by(program: Program, number: int, event: EventRecord, *, at: int) -> tuple[str, str | None] | None:
    """A text, and the id of the workflow that it has to mean, if the start relies on that: only a store knows whether it does.
    None for the id: that of the workflow itself.
    """
    means = program.workflow.starts[number].means
    if means is None:
        return None
    draft, value = Draft(program, BLANK, NO_VALUES, at), event_value(event)
    try:
        ref = draft.evaluate(means.ref, event=value)
        id_ = None if means.id is None else draft.evaluate(means.id, event=value)
    except EvaluationError:
        return None
    return (storable(ref), id_) if isinstance(ref, str) and isinstance(id_, str | None) else None


def _start(program: Program, trigger: EventStart, event: EventRecord, execution: str, at: int) -> Start | None:
    draft = Draft(program, BLANK, NO_VALUES, at)
    value = event_value(event)
    if trigger.condition is not None and not truthy(draft.evaluate(trigger.condition, event=value)):
        return None
    given = event.data if trigger.input is None else draft.evaluate(trigger.input, event=value)
    correlation = event.correlation_id
    if trigger.correlation is not None:
        found = draft.evaluate(trigger.correlation, event=value)
        correlation = None if found is UNDEFINED or found is None else str(found)
        refuse_long(correlation or "", "the correlation id")
    if correlation is not None:
        correlation = storable(correlation)  # an event of an older version may hold NUL
    depth = 0 if event.depth is None else event.depth + 1
    if trigger.depth is not None:
        said = draft.evaluate(trigger.depth, event=value)
        limit = program.workflow.depth_max  # deeper makes no difference
        depth = max(depth, int(min(said, limit))) if type(said) in (int, float) else depth
    return Start(
        at=at,
        execution=execution,
        input=None if given is UNDEFINED else given,
        organization=event.organization,
        trigger="event",
        trigger_data=value,
        event_id=event.id,
        correlation_id=correlation,
        parent=None if event.depth is None else event.source,
        depth=depth,
    )
