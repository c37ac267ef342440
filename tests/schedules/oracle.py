"""What a cron expression comes to, found out minute by minute: no search, no leaps, and nothing of what it is held against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from importlib.resources import files
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
YEARS = range(2015, 2038)
_DAYS = {"SUN": 0, "MON": 1, "TUE": 2, "WED": 3, "THU": 4, "FRI": 5, "SAT": 6}


def distinct_zones() -> dict[str, tuple[str, ...]]:
    """Every zone, by the first of those that have the very same rules."""
    alike: dict[str, list[str]] = {}
    for name in sorted(files("tzdata").joinpath("zones").read_text().split()):
        rules = files("tzdata").joinpath("zoneinfo").joinpath(name).read_bytes()
        alike.setdefault(sha256(rules).hexdigest(), []).append(name)
    return {same[0]: tuple(same) for same in alike.values()}


@cache
def zone(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo").joinpath(name).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def changes(name: str, years: Iterable[int] = YEARS) -> Iterator[datetime]:
    """The minutes of UTC from which the clock goes otherwise: hour by hour, and then minute by minute."""
    where = zone(name)
    for year in years:
        at, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
        offset = at.astimezone(where).utcoffset()
        while at < end:
            later = at + timedelta(hours=1)
            if later.astimezone(where).utcoffset() != offset:
                while at.astimezone(where).utcoffset() == offset:
                    at += MINUTE
                offset = at.astimezone(where).utcoffset()
                yield at
            at = later


class Around:
    """The minutes around a moment, and what the clock on the wall shows at each."""

    def __init__(self, name: str, middle: datetime, hours: int) -> None:
        where = zone(name)
        count = hours * 60
        self.minutes = [middle + MINUTE * n for n in range(-count, count)]
        self.wall = [minute.astimezone(where).replace(tzinfo=None, fold=0) for minute in self.minutes]

    def fire(self, expression: str) -> list[datetime]:
        """The minutes at which it comes round, in order."""
        fits = Fields(expression)
        if fits.runs_through:
            return [minute for minute, wall in zip(self.minutes, self.wall, strict=True) if fits(wall)]
        first: dict[datetime, datetime] = {}
        for minute, wall in zip(self.minutes, self.wall, strict=True):
            first.setdefault(wall, minute)
        found, shown, last = set(), min(self.wall), max(self.wall)
        while shown <= last:
            if fits(shown):
                # What the wall leaves out is at the first minute whose time is later.
                later = (minute for minute, wall in zip(self.minutes, self.wall, strict=True) if wall > shown)
                found.add(first[shown] if shown in first else next(later))
            shown += MINUTE
        return sorted(found)


class Fields:
    """Whether a minute on the wall fits an expression of five fields."""

    def __init__(self, expression: str) -> None:
        minute, hour, day, month, weekday = expression.split()
        self.runs_through = minute[0] == "*" or hour[0] == "*"
        self._minutes, self._hours = _numbers(minute, 0, 59), _numbers(hour, 0, 23)
        self._days, self._months, self._weekdays = day, _numbers(month, 1, 12), weekday
        self._both = day[0] == "*" or weekday[0] == "*"
        self._known: dict[tuple[int, int, int], bool] = {}

    def __call__(self, wall: datetime) -> bool:
        if wall.minute not in self._minutes or wall.hour not in self._hours or wall.month not in self._months:
            return False
        date = (wall.year, wall.month, wall.day)
        if date not in self._known:
            day, weekday = self._fits_day(wall), self._fits_weekday(wall)
            self._known[date] = (day and weekday) if self._both else (day or weekday)
        return self._known[date]

    def _fits_day(self, wall: datetime) -> bool:
        if self._days == "L":
            return (wall + timedelta(days=1)).day == 1
        return wall.day in _numbers(self._days, 1, 31)

    def _fits_weekday(self, wall: datetime) -> bool:
        number = wall.isoweekday() % 7
        name, _, nth = self._weekdays.partition("#")
        if nth:
            return _DAYS.get(name, int(name) if name.isdigit() else None) == number and (wall.day - 1) // 7 + 1 == int(
                nth
            )
        if name.endswith("L"):
            return int(name[:-1]) % 7 == number and (wall + timedelta(days=7)).month != wall.month
        for text, other in _DAYS.items():
            name = name.replace(text, str(other))
        return number in {one % 7 for one in _numbers(name, 0, 7)}


@cache
def _numbers(field: str, least: int, most: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        low, _, high = span.partition("-")
        first = least if span == "*" else int(low)
        last = most if span == "*" or (step and not high) else int(high or low)
        found.update(range(first, last + 1, int(step or 1)))
    return frozenset(found)
