"""What started an execution, in the seed's words: MANUAL_TRIGGER and its like, how deep, and when.

A start that the engine makes itself says so; of any other, `_trigger` in the input is believed. The same rule stands here
twice: as a function, for the view of an execution, and as expressions, for the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from perdure.core.facts import ExecutionStarted
from perdure.model.values import Json

MANUAL, SCHEDULE, WEBHOOK = "MANUAL_TRIGGER", "SCHEDULE_TRIGGER", "WEBHOOK_TRIGGER"
EVENT, WORKFLOW = "EVENT_TRIGGER", "WORKFLOW_TRIGGER"
EXECUTE: Final = "workflows/execute.workflow"
"""The seed's own event; what it brings is the input, with `_trigger` in it."""

FOR_PEOPLE: Final = ("label", "name", "description")
"""Keys that editors write for whoever reads the graph; what else is unknown in the data of a trigger is told, because it is
mostly a setting that does not take effect.
"""

COMPLETED: Final = "workflow.completed"
_TYPES: Final = {"schedule": SCHEDULE, "webhook": WEBHOOK, "chain": WORKFLOW}
DEPTH_SHOWN_MAX: Final = 1_000_000

_FROM_EVENT: Final = f"trigger.type == 'event' && trigger.data.type != '{EXECUTE}'"
IS_FIRED: Final = f"(trigger.type in ['schedule', 'webhook', 'chain'] || ({_FROM_EVENT}))"
"""Whether the engine has made the start itself."""

_FIRED_TYPE: Final = (
    f"(trigger.type == 'schedule' ? '{SCHEDULE}' : trigger.type == 'webhook' ? '{WEBHOOK}' : trigger.type == 'chain' ||"
    f" trigger.data.type == '{COMPLETED}' ? '{WORKFLOW}' : '{EVENT}')"
)
TYPE: Final = f"({IS_FIRED} ? {_FIRED_TYPE} : input._trigger.type ?? '{MANUAL}')"
"""The type of what started the execution."""

_SLOT: Final = (
    "(trigger.type == 'schedule' && trigger.data?.slot"
    " ? {schedule: trigger.data.schedule, slot: trigger.data.slot} : {})"
)
FIRED: Final = f"{{type: {_FIRED_TYPE}, depth: execution.depth, firedAt: execution.startedAt|isoDate, ...{_SLOT}}}"
"""`_trigger`, of a start that the engine has made. What a schedule starts also knows for which time: it may be late."""


def trigger_of(started: ExecutionStarted) -> tuple[str, int]:
    """The type of what started an execution, and its depth."""
    fired = _fired_type(started)
    if fired is not None:
        return fired, started.depth
    given = _given(started.input)
    said = given.get("type")
    return said if isinstance(said, str) and said else MANUAL, max(started.depth, depth_of(started.input))


def depth_of(given: Json) -> int:
    """The depth that an input says; what is no number is 0."""
    depth = _given(given).get("depth")
    if isinstance(depth, bool) or not isinstance(depth, int | float) or not math.isfinite(depth):
        return 0
    return max(0, min(int(depth), DEPTH_SHOWN_MAX))


def settings(data: Iterable[str]) -> list[str]:
    """The keys of a trigger's data that are to mean something."""
    return [key for key in data if key not in FOR_PEOPLE]


def _fired_type(started: ExecutionStarted) -> str | None:
    if started.trigger != "event":
        return _TYPES.get(started.trigger)
    event = started.trigger_data
    event_type = event.get("type") if isinstance(event, dict) else None
    if event_type == EXECUTE:
        return None
    return WORKFLOW if event_type == COMPLETED else EVENT


def _given(given: Json) -> dict[str, Json]:
    trigger = given.get("_trigger") if isinstance(given, dict) else None
    return trigger if isinstance(trigger, dict) else {}
