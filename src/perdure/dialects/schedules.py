"""Schedules, as every dialect writes them: `schedule` is a cron expression, or `every` a duration."""

from __future__ import annotations

import re
from typing import Final, Literal, cast

import msgspec
from msgspec.structs import replace

from perdure.core.schedules import next_slot
from perdure.dialects.fields import Fields
from perdure.dialects.policies import time_ms
from perdure.errors import EvaluationError
from perdure.expressions.times import clamp_ms, instant_ms, iso
from perdure.expressions.wording import nearest, shown
from perdure.model.check import EVERY_MS_MIN
from perdure.model.cron import fault, from_the_wall
from perdure.model.values import Json
from perdure.model.workflow import Schedule
from perdure.model.zones import is_zone, names

KEYS: Final = ("schedule", "timezone", "every", "start", "end", "catchUp", "overlap", "input")
_HAS_ZONE: Final = re.compile(r".*[T ].*(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)")


def read_schedule(given: Fields, id_: str) -> Schedule | None:
    """None: it names no times, or not such as can be understood, which has been told."""
    cron, every_ms = _cron(given), _every(given)
    if given.has("schedule") and given.has("every"):
        given.problem("contradiction", "every", "give 'schedule' or 'every', not both")
    timezone = _timezone(given)
    start_at, end_at = _instant(given, "start", timezone), _instant(given, "end", timezone)
    schedule = Schedule(
        id_,
        cron,
        every_ms,
        timezone,
        start_at,
        end_at,
        cast(Literal["one", "none", "all"], given.choice("catchUp", ("one", "none", "all"), "one")),
        cast(Literal["allow", "skip"], given.choice("overlap", ("allow", "skip"), "allow")),
        _input(given),
    )
    if (cron is None) == (every_ms is None):
        return None
    if next_slot(schedule, 0) is None:
        given.problem("never_fires", *_why_it_never_fires(schedule))
        return None
    return schedule


def _why_it_never_fires(schedule: Schedule) -> tuple[str, str]:
    """The field that is to be changed, and the message."""
    if schedule.end_at is not None and next_slot(replace(schedule, end_at=None), 0) is not None:
        return "end", "there is no time between 'start' and 'end' at which it would start anything"
    if schedule.every_ms is not None:
        return "every", f"'every' is {schedule.every_ms} ms: its first slot is after the year 9999; give a shorter one"
    return "start", "'schedule' names no time after 'start', or only one after the year 9999; give an earlier 'start'"


def as_written(schedule: Schedule) -> dict[str, Json]:
    """The fields that it would be read from, but for its id."""
    return {
        "schedule": schedule.cron,
        "every": schedule.every_ms,
        "timezone": schedule.timezone,
        "start": None if schedule.start_at is None else iso(schedule.start_at),
        "end": None if schedule.end_at is None else iso(schedule.end_at),
        "catchUp": schedule.catch_up,
        "overlap": schedule.overlap,
        "input": schedule.input,
    }


def _cron(given: Fields) -> str | None:
    found = given.text("schedule")
    wrong = None if found is None else fault(found)
    if wrong is not None:
        given.problem("invalid_schedule", "schedule", f"'schedule': {wrong}")
        return None
    return found


def _every(given: Fields) -> int | None:
    found = time_ms(given, "every")
    if found is not None and found < EVERY_MS_MIN:
        given.problem("out_of_range", "every", f"'every' is {found} ms; the least is a second, PT1S")
        return None
    return found


def _timezone(given: Fields) -> str:
    found = given.word("timezone")
    if found is None:
        return "UTC"
    if not is_zone(found):
        hint = nearest(found, names()) or "; give one like Europe/Berlin"
        given.problem("unknown_timezone", "timezone", f"'timezone': {shown(found)} is no time zone{hint}")
        return "UTC"
    return found


def _instant(given: Fields, key: str, timezone: str) -> int | None:
    """Without a zone of its own, it is by the clock of the schedule's."""
    found = given.word(key)
    if found is None:
        return None
    try:
        at = instant_ms(found)
    except EvaluationError as error:
        given.problem("invalid_time", key, f"{key!r}: {error}")
        return None
    if not _HAS_ZONE.fullmatch(found):
        at = from_the_wall(timezone, at)
    if at != clamp_ms(at):
        message = (
            f"{key!r}: {shown(found)} in {timezone} is outside the years 0 to 9999 in UTC; give a time within them"
        )
        given.problem("invalid_time", key, message)
        return None
    return at


def _input(given: Fields) -> dict[str, object] | None:
    if not given.has("input"):
        return None
    found = given.object("input")
    if b"{{" in msgspec.json.encode(found):
        message = "the input of a schedule is taken as it is: nothing is there yet that '{{ }}' could be filled with"
        given.warning("not_rendered", "input", message)
    return found
