"""Durations and instants as ISO-8601 writes them, in milliseconds; an instant counts from 1970 in UTC.

What is finer than a millisecond is cut off. Every instant lies in the years 0 to 9999, so that it can be written down
again. What time it is now is an argument.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from math import isfinite
from typing import Final

from perdure.errors import EvaluationError
from perdure.expressions import numbers
from perdure.expressions.wording import kind, shown
from perdure.model.values import Json

_SECOND_MS: Final = 1_000
_MINUTE_MS: Final = 60 * _SECOND_MS
_HOUR_MS: Final = 60 * _MINUTE_MS
_DAY_MS: Final = 24 * _HOUR_MS

_UNITS_MS: Final = {
    "weeks": 7 * _DAY_MS,
    "days": _DAY_MS,
    "hours": _HOUR_MS,
    "minutes": _MINUTE_MS,
    "seconds": _SECOND_MS,
}
_COUNT: Final = r"[0-9]+(?:[.,][0-9]+(?=[A-Z]\Z))?"  # only the last may have a fraction
_DURATION: Final = re.compile(
    rf"P(?=[0-9T])(?:(?P<years>{_COUNT})Y)?(?:(?P<months>{_COUNT})M)?(?:(?P<weeks>{_COUNT})W)?(?:(?P<days>{_COUNT})D)?"
    rf"(?:T(?=[0-9])(?:(?P<hours>{_COUNT})H)?(?:(?P<minutes>{_COUNT})M)?(?:(?P<seconds>{_COUNT})S)?)?"
)
_HOUR_OF_DAY, _UP_TO_59 = r"[01][0-9]|2[0-3]", r"[0-5][0-9]"
_INSTANT: Final = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    rf"(?:[T ](?P<hour>{_HOUR_OF_DAY}):(?P<minute>{_UP_TO_59})"
    rf"(?::(?P<second>{_UP_TO_59})(?:[.,](?P<fraction>[0-9]+))?)?"
    rf"(?:Z|(?P<side>[+-])(?P<hours>{_HOUR_OF_DAY})(?::?(?P<minutes>{_UP_TO_59}))?)?)?"
)
_TEXT_LENGTH_MAX: Final = 100
"""Longer text is neither a duration nor an instant, and is not looked at."""

_A_DURATION, _AN_INSTANT = "a duration like PT5M", "an instant like 2026-11-15T10:00:00Z"

# The calendar repeats itself every 400 years: `date`, which has no year 0, is only asked about the years from 2000 on.
_CYCLE_YEARS: Final = 400
_CYCLE_DAYS: Final = 146_097
_CYCLE_BEGIN: Final = date(2000, 1, 1)
_EPOCH_TO_CYCLE_DAYS: Final = (_CYCLE_BEGIN - date(1970, 1, 1)).days
FIRST_MS: Final = (_EPOCH_TO_CYCLE_DAYS - 5 * _CYCLE_DAYS) * _DAY_MS
LAST_MS: Final = (_EPOCH_TO_CYCLE_DAYS + 20 * _CYCLE_DAYS) * _DAY_MS - 1
"""The first and the last instant that can be written."""


def moment(value: Json, now: int) -> int:
    """The instant that the author means: a number is milliseconds from now, and a duration is from now as well."""
    match value:
        case bool():
            raise EvaluationError(_not_a_moment("a boolean"))
        case int() | float():
            return _moment_after(numbers.normal(value), now)
        case str():
            return _moment_in(value, now)
        case _:
            raise EvaluationError(_not_a_moment(kind(value)))


def duration_ms(text: str) -> int:
    duration = _duration(text)
    if duration is None:
        raise EvaluationError(f"{shown(text)} is not {_A_DURATION}")
    return duration


def instant_ms(text: str) -> int:
    """A date alone is its midnight; where no time zone is given, it is UTC."""
    instant = _instant(text)
    if instant is None:
        raise EvaluationError(f"{shown(text)} is not {_AN_INSTANT}")
    return instant


def clamp_ms(ms: int) -> int:
    """Return the nearest instant that can be written."""
    return min(max(ms, FIRST_MS), LAST_MS)


def add_ms(at: int, duration: int) -> int:
    """Add a duration to an instant. The result is at most the last instant that can be written."""
    return clamp_ms(at + duration)


def iso(ms: int) -> str:
    """As `Date.prototype.toISOString()`, which is always as long and sorts as time does.

    Outside the years 0 to 9999, return the nearest instant within them: one stored row must not break a whole answer.
    """
    days, in_day = divmod(clamp_ms(ms), _DAY_MS)
    cycles, in_cycle = divmod(days - _EPOCH_TO_CYCLE_DAYS, _CYCLE_DAYS)
    day = _CYCLE_BEGIN + timedelta(days=in_cycle)
    hour, in_hour = divmod(in_day, _HOUR_MS)
    minute, in_minute = divmod(in_hour, _MINUTE_MS)
    second, millisecond = divmod(in_minute, _SECOND_MS)
    year = day.year + cycles * _CYCLE_YEARS
    return f"{year:04}-{day.month:02}-{day.day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z"


def _moment_after(delay_ms: float, now: int) -> int:
    shown = numbers.to_text(delay_ms)
    if not isfinite(delay_ms):
        raise EvaluationError(_not_a_moment(shown))
    return _in_range(now + int(delay_ms), f"{shown} ms from now")


def _moment_in(text: str, now: int) -> int:
    duration = _duration(text)
    if duration is not None:
        return _in_range(now + duration, f"{shown(text)} from now")
    instant = _instant(text)
    if instant is None:
        raise EvaluationError(f"{shown(text)} is neither {_A_DURATION} nor {_AN_INSTANT}")
    return instant


def _duration(text: str) -> int | None:
    """Nothing if the text does not look like a duration."""
    found = _DURATION.fullmatch(text) if len(text) <= _TEXT_LENGTH_MAX else None
    if found is None:
        return None
    if found["years"]:
        raise EvaluationError(f"{shown(text)}: how long a year is depends on the calendar; give days, like P365D")
    if found["months"]:
        raise EvaluationError(
            f"{shown(text)}: how long a month is depends on the calendar; give days, like P30D (minutes are PT5M)"
        )
    total = sum(_times(found[unit], unit_ms) for unit, unit_ms in _UNITS_MS.items() if found[unit])
    if total > LAST_MS - FIRST_MS:
        raise EvaluationError(f"{shown(text)} is longer than the ten thousand years that instants lie in")
    return total


def _times(count: str, unit_ms: int) -> int:
    whole, _, fraction = count.replace(",", ".").partition(".")
    parts: int = 10 ** len(fraction)
    return int(whole) * unit_ms + int(fraction or 0) * unit_ms // parts


def _instant(text: str) -> int | None:
    """Nothing if the text does not look like an instant."""
    found = _INSTANT.fullmatch(text) if len(text) <= _TEXT_LENGTH_MAX else None
    if found is None:
        return None
    cycles, year = divmod(int(found["year"]), _CYCLE_YEARS)
    try:
        day = date(_CYCLE_BEGIN.year + year, int(found["month"]), int(found["day"]))
    except ValueError:
        raise EvaluationError(f"{shown(text)} names a day that is in no calendar; a date is year-month-day") from None
    days = (day - _CYCLE_BEGIN).days + (cycles - 5) * _CYCLE_DAYS + _EPOCH_TO_CYCLE_DAYS
    millisecond = int((found["fraction"] or "")[:3].ljust(3, "0"))
    in_day = _clock_ms(found["hour"], found["minute"]) + int(found["second"] or 0) * _SECOND_MS + millisecond
    offset = _clock_ms(found["hours"], found["minutes"]) * (-1 if found["side"] == "-" else 1)
    return _in_range(days * _DAY_MS + in_day - offset, shown(text))


def _clock_ms(hours: str | None, minutes: str | None) -> int:
    return int(hours or 0) * _HOUR_MS + int(minutes or 0) * _MINUTE_MS


def _in_range(ms: int, what: str) -> int:
    if not FIRST_MS <= ms <= LAST_MS:
        raise EvaluationError(f"{what} is outside the years 0 to 9999; give a time within them")
    return ms


def _not_a_moment(what: str) -> str:
    return f"{what} is neither a number of milliseconds nor {_A_DURATION} nor {_AN_INSTANT}"
