"""Cron expressions around every change of every clock from 2015 to 2037, held against what is found out minute by minute.

With PERDURE_PATIENCE=1 it is every zone of the tz database; without it, those whose clocks do something odd, and some others.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from perdure.model.cron import next_ms
from schedules.oracle import Around, changes, distinct_zones

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
pytestmark = pytest.mark.simulation

SPARSE = (
    *("0 0 * * *", "30 0 * * *", "0 1 * * *", "30 1 * * *", "0 2 * * *", "30 2 * * *", "15 2,3 * * *", "59 23 * * *"),
    *("5 0-4 * * *", "0,30 1-3 * * *", "0 0 1 * *", "30 2 L * *", "0 3 * * SUN", "45 1 * 3,10,11 *", "0 2 * * 0#2"),
    *("10 2 25-31 3 SUN", "30 23 * * 6", "0 */1 * * *", "20 1/2 * * *", "30 1 * * 7L", "30 * * * *", "7 */3 * * *"),
    *("0 12 * * MON-FRI", "59 1 * * *"),
)
DENSE = ("*/15 * * * *", "*/20 1 * * *", "*/10 2 * * *", "*/30 0 * * *", "*/5 0,23 * * SUN", "* 3 * * *")
ODD = (
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo", "UTC"),
    *("Asia/Tehran", "Antarctica/Troll", "Africa/Cairo", "America/Asuncion", "Asia/Beirut", "Asia/Pyongyang"),
    *("America/Caracas", "Pacific/Apia", "Atlantic/Azores", "Asia/Gaza", "America/Nuuk", "Europe/Dublin"),
)
YEARS = range(2015, 2038) if PATIENCE else (2015, 2016, 2018, 2024, 2037)
ZONES = tuple(distinct_zones()) if PATIENCE else (*ODD, *tuple(distinct_zones())[::60])


def ms(at: datetime) -> int:
    return int(at.timestamp()) * 1_000


def found(expression: str, zone: str, begin: datetime, end: datetime) -> list[datetime]:
    """By us, one after the other."""
    times, at = [], next_ms(expression, zone, ms(begin) - 1)
    while at is not None and at < ms(end):
        times.append(datetime.fromtimestamp(at / 1_000, UTC))
        at = next_ms(expression, zone, at)
    return times


@pytest.mark.parametrize("zone", ZONES)
def test_every_time_comes_as_it_does_by_the_minute(zone: str) -> None:
    for change in changes(zone, YEARS):
        wide, near = Around(zone, change, 40), Around(zone, change, 9)
        for expressions, around, hours in ((SPARSE, wide, 30), (DENSE, near, 5)):
            begin, end = change - timedelta(hours=hours), change + timedelta(hours=hours)
            for expression in expressions:
                expected = [at for at in around.fire(expression) if begin <= at < end]
                assert found(expression, zone, begin, end) == expected, (expression, zone, change)


@pytest.mark.parametrize("zone", ODD)
def test_from_wherever_one_asks_the_next_time_is_the_same(zone: str) -> None:
    """Also within the hour that comes twice, and from a year away."""
    for change in changes(zone, (2015, 2018, 2024)):
        around = Around(zone, change, 40)
        for expression in (*SPARSE[:12], "*/30 0 * * *", "*/10 2 * * *"):
            times = around.fire(expression)
            for minutes in range(-150, 151, 10):
                asked = change + timedelta(minutes=minutes, seconds=30)
                expected = next((at for at in times if at > asked), None)
                if expected is not None:
                    assert next_ms(expression, zone, ms(asked)) == ms(expected), (expression, zone, asked)


@pytest.mark.parametrize("zone", ODD)
def test_what_is_far_away_is_found_on_the_right_side_of_each_change(zone: str) -> None:
    """A yearly time in the day of a change, asked for from long before it: there is a leap over other changes."""
    for change in changes(zone, (2016, 2024)):
        around = Around(zone, change, 60)
        for day in {wall.date() for wall in around.wall[50 * 60 : 70 * 60]}:
            for times in ("*/30 *", "*/20 1", "*/10 2", "30 0-3", "0 2"):
                expression = f"{times} {day.day} {day.month} *"
                expected = around.fire(expression)
                for months in (2, 5, 9):
                    asked = change - timedelta(days=30 * months)
                    first = next_ms(expression, zone, ms(asked))
                    assert first == (ms(expected[0]) if expected else first), (expression, zone, asked)
