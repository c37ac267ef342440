"""What starts a workflow: its trigger step, and `triggers` of the workflow itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from perdure.dialects.events import read_event_start
from perdure.dialects.faults import at
from perdure.dialects.fields import Fields
from perdure.dialects.ports.document import PortsDocument, StepDef
from perdure.dialects.schedules import KEYS as SCHEDULE_KEYS
from perdure.dialects.schedules import read_schedule
from perdure.model.values import Json
from perdure.model.workflow import EventStart, Schedule

TYPES: Final = ("manual", "schedule", "scheduled", "webhook", "event")
_PATTERNS: Final = ("event", "eventPattern", "eventType", "pattern")
_CRON: Final = ("schedule", "cron", "cronExpression")
_FOR_PEOPLE: Final = ("label", "name", "description", "inputs", "data", "inputSchema")


class Triggers:
    """Collected from where they stand."""

    def __init__(self) -> None:
        self.schedules: list[Schedule] = []
        self.starts: list[EventStart] = []
        self.webhooks: list[str] = []


def triggers_of(document: PortsDocument) -> Triggers:
    found = Triggers()
    steps = [step for step in document.steps if step.type == "trigger"]
    for step in steps[:1]:
        _of_step(step, found)
    for step in steps[1:]:
        message = f"executions begin at {steps[0].slug!r}, the first trigger; this one starts nothing"
        step.beside.warning("not_an_entry", "stepType", message)
    _of_workflow(document, found)
    return found


def _of_step(step: StepDef, found: Triggers) -> None:
    config = step.config
    type_ = config.choice("type", TYPES, "manual")
    known = ("type", *SCHEDULE_KEYS, *_CRON, *_PATTERNS, "condition", *_FOR_PEOPLE)
    config.faults.unknown_keys(config.given, known, config.path, step=step.slug, only_near=True)
    match type_:
        case "schedule" | "scheduled":
            _schedule(config, step.slug, found)
        case "event":
            _event(config, found)
        case "webhook":
            found.webhooks.append(step.slug)
        case _:
            pass


def _schedule(config: Fields, id_: str, found: Triggers) -> None:
    key = next((key for key in _CRON if config.has(key)), None)
    given = config.given if key is None else {**config.given, "schedule": config.given[key]}
    if key is None and not config.has("every"):
        message = "it starts no executions by itself: give 'schedule', like '0 9 * * 1-5', or 'every', like PT15M"
        config.faults.warning("no_schedule", config.path, message, step=config.step, field="schedule")
    schedule = read_schedule(replace(config, given=given), id_)
    if schedule is not None:
        found.schedules.append(schedule)


def _event(config: Fields, found: Triggers) -> None:
    key = next((key for key in _PATTERNS if config.has(key)), None)
    if key is None:
        message = "no event starts an execution here: give 'event', like order.paid or order.*"
        config.faults.warning("no_event", config.path, message, step=config.step, field="event")
        return
    start = read_event_start(config, key)
    if start is not None:
        found.starts.append(start)


def _of_workflow(document: PortsDocument, found: Triggers) -> None:
    """`triggers: {event: "…", schedule: "…"}`: a text, an object that says more, or a list of them."""
    given = document.definition.within("triggers")
    given.faults.unknown_keys(given.given, ("manual", "schedule", "event", "webhook"), given.path)
    for number, schedule in enumerate(_each(given, "schedule", "schedule")):
        _schedule(schedule, "triggers" if not number else f"triggers-{number + 1}", found)
    for event in _each(given, "event", "event"):
        _event(event, found)
    if given.given.get("webhook"):
        found.webhooks.append("webhook")


def _each(given: Fields, key: str, short: str) -> Iterator[Fields]:
    listed = given.given.get(key)
    for number, item in enumerate(listed if isinstance(listed, list) else [listed]):
        path = at(given.at(key), number) if isinstance(listed, list) else given.at(key)
        if item is None or item is False:
            continue
        if not isinstance(item, str | dict):
            given.wrong(key, "a text, or an object that says more")
            continue
        yield _fields({short: item} if isinstance(item, str) else item, path, given, is_short=isinstance(item, str))


def _fields(value: dict[str, Json], path: str, given: Fields, *, is_short: bool) -> Fields:
    """What is wrong with a text alone stands where it stands."""
    return _Short(value, path, given.faults) if is_short else Fields(value, path, given.faults)


class _Short(Fields, frozen=True):
    def at(self, key: str) -> str:
        del key
        return self.path
