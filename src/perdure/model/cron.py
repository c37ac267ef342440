"""When a cron expression comes round in a time zone, by the rules of Debian's cron:

1. What names its hours and minutes is meant by the clock on the wall: a time that the clock leaves out is at the end of the gap,
   and a time that it shows twice is the first of both.
2. What has a `*` in its hours or minutes runs through: at every minute that the clock shows and that fits, also the second time.

cronsim reads the expression and goes through the calendar, without any zone. What a zone makes of that is told here: cronsim's
own way through a change of the clock leaves out times where the clock moves by half an hour, and makes some up where it moves
at midnight. Moments are whole seconds since 1970.
"""

from __future__ import annotations

from copy import copy
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from perdure.model.zones import zone

ALIASES: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  a clock on a wall knows no zone
_LENGTH_MAX: Final = 200
_LAST: Final = 250_000_000_000
"""In the year 9892. Later there is nothing: calendars end in 9999."""

_DAYS: Final = 2 * 86_400
"""No clock is moved by more than a day, and none is moved twice in so short a time."""

_WALL_FIRST: Final = -62_135_596_800 + _DAYS
_WALL_LAST: Final = 253_402_300_799 - _DAYS
"""The times on a wall that every zone can be asked about: `datetime` has the years 1 to 9999."""


def fault(expression: str) -> str | None:
    """What is wrong with an expression, and the way out; None: nothing."""
    said = repr(expression if len(expression) <= _LENGTH_MAX else f"{expression[:40]}…")
    if _plain(expression).lstrip().startswith("@"):
        return f"{said} is not known; known are {', '.join(ALIASES)}"
    way_out = "give five fields: minute hour day month weekday, like '0 9 * * 1-5', or six with seconds before them"
    if len(expression) > _LENGTH_MAX:
        return f"{said} is no cron expression; {way_out}"
    try:
        _parsed(expression)
    except CronSimError as error:
        what = str(error).lower().replace("bad ", "its ")
        found = f"{what} is not understood" if what.startswith("its ") else "it has not five fields"
        return f"{said} is no cron expression: {found}; {way_out}"
    if next_ms(expression, "UTC", 0) is None:
        return f"{said} names a day that is in no calendar"
    return None


def next_ms(expression: str, timezone: str, after_ms: int) -> int | None:
    """The first time after a moment, in milliseconds since 1970. None: there is none within fifty years."""
    after, where = after_ms // 1_000, zone(timezone)
    if after > _LAST:
        return None
    minute, hour = _plain(expression).split()[-5:-3]
    runs_through = minute.startswith("*") or hour.startswith("*")
    found = (_running if runs_through else _on_the_wall)(expression, where, after)
    return None if found is None else found * 1_000


def on_the_wall(timezone: str, at_ms: int) -> str:
    """What the clock shows there, in ISO 8601: `2026-03-29T03:00:00+02:00`. In UTC if the clock shows the year 10000."""
    try:
        return datetime.fromtimestamp(at_ms // 1_000, zone(timezone)).isoformat()
    except (OverflowError, ValueError):
        return datetime.fromtimestamp(at_ms // 1_000, UTC).isoformat()


def from_the_wall(timezone: str, wall_ms: int) -> int:
    """When the clock shows a time there, which is given as if it were UTC."""
    wall = wall_ms // 1_000
    near = min(max(wall, _WALL_FIRST), _WALL_LAST)  # no clock is changed in between
    return (_moment(zone(timezone), near) + wall - near) * 1_000 + wall_ms % 1_000


def _on_the_wall(expression: str, where: ZoneInfo, after: int) -> int | None:
    """Times by the wall that the clock has shown twice are in the past the second time, and are passed over."""
    wall = after + _offset(where, after)
    while (found := _next_on_wall(expression, wall)) is not None:
        at = _moment(where, found)
        if at > after:
            return at
        wall = found
    return None


def _running(expression: str, where: ZoneInfo, after: int) -> int | None:
    """The clock runs evenly between two changes: the next time on the wall is the next time, if it is not changed before.

    What is far away is approached in one leap: a change of the clock in between moves only what is within a day of it, or brings
    back what is a day ago.
    """
    here = after
    while True:
        offset = _offset(where, here + 1)
        found = _next_on_wall(expression, here + offset)
        if found is None:
            return None
        at = found - offset
        until = min(at, here + _DAYS)
        change = _change(where, here + 1, until)
        if change is not None:
            here = change - 1
        elif until == at:
            return at
        else:
            here = max(until, at - _DAYS)


def _moment(where: ZoneInfo, wall: int) -> int:
    """When a clock on the wall shows a time first; where it leaves it out, when it is changed."""
    shown = _EPOCH + timedelta(seconds=wall)
    first = wall - _seconds(shown.replace(tzinfo=where).utcoffset())
    if first + _offset(where, first) == wall:
        return first
    before = wall - _seconds(shown.replace(tzinfo=where, fold=1).utcoffset())
    change = _change(where, before, first)
    assert change is not None, (where, wall)
    return change


def _change(where: ZoneInfo, begin: int, end: int) -> int | None:
    """The first moment after `begin`, up to `end`, from which the clock goes otherwise."""
    offset = _offset(where, begin)
    if _offset(where, end) == offset:
        return None
    while end - begin > 1:
        middle = (begin + end) // 2
        if _offset(where, middle) == offset:
            begin = middle
        else:
            end = middle
    return end


def _next_on_wall(expression: str, wall: int) -> int | None:
    search = copy(_parsed(expression))
    search.dt = _EPOCH + timedelta(seconds=wall)
    try:
        return _seconds(next(search) - _EPOCH)
    except StopIteration:
        return None


def _offset(where: ZoneInfo, at: int) -> int:
    return _seconds(datetime.fromtimestamp(at, where).utcoffset())


def _seconds(delta: timedelta | None) -> int:
    assert delta is not None
    return delta.days * 86_400 + delta.seconds


def _plain(expression: str) -> str:
    return ALIASES.get(expression.strip().lower(), expression)


@lru_cache(maxsize=1_024)
def _parsed(expression: str) -> CronSim:
    """Never asked itself: whoever asks takes a copy."""
    return CronSim(_plain(expression), _EPOCH)
