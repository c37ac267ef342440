"""Slots, and what comes of those that nobody was there for. What clocks do when they are changed is in `tests/schedules`."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core.schedules import LATE_MS, Due, due, next_slot, resumed
from perdure.expressions.times import LAST_MS, instant_ms, iso
from perdure.model.check import problems
from perdure.model.cron import ALIASES, fault, from_the_wall, next_ms, on_the_wall
from perdure.model.workflow import Schedule, Workflow
from perdure.model.zones import is_zone, names, zone

MINUTE, HOUR = 60_000, 3_600_000
HOURLY = Schedule("s", cron="0 * * * *")
EVERY = Schedule("s", every_ms=MINUTE)


def times(schedule: Schedule, after: str, count: int) -> list[str]:
    found, at = [], instant_ms(after)
    for _ in range(count):
        following = next_slot(schedule, at)
        if following is None:
            break
        at = following
        found.append(iso(at)[:19])
    return found


def after(expression: str, moment: str, timezone: str = "UTC") -> str | None:
    found = next_ms(expression, timezone, instant_ms(moment))
    return None if found is None else on_the_wall(timezone, found)


# Slots.


def test_the_next_slot_is_after_the_moment_and_not_at_it() -> None:
    assert times(HOURLY, "2026-01-01T10:00:00Z", 2) == ["2026-01-01T11:00:00", "2026-01-01T12:00:00"]
    assert times(HOURLY, "2026-01-01T10:59:59.999Z", 1) == ["2026-01-01T11:00:00"]


def test_intervals_count_from_1970_or_from_the_start() -> None:
    quarter = Schedule("s", every_ms=15 * MINUTE)
    assert times(quarter, "2026-01-01T10:07:00Z", 2) == ["2026-01-01T10:15:00", "2026-01-01T10:30:00"]
    started = replace(quarter, start_at=instant_ms("2026-01-01T10:01:00Z"))
    assert times(started, "2026-01-01T10:07:00Z", 2) == ["2026-01-01T10:16:00", "2026-01-01T10:31:00"]


@pytest.mark.parametrize("schedule", [HOURLY, Schedule("s", every_ms=HOUR)])
def test_no_slot_is_before_the_start_or_after_the_end(schedule: Schedule) -> None:
    bounded = replace(schedule, start_at=instant_ms("2026-01-01T10:00:00Z"), end_at=instant_ms("2026-01-01T12:00:00Z"))
    expected = ["2026-01-01T10:00:00", "2026-01-01T11:00:00", "2026-01-01T12:00:00"]
    assert times(bounded, "2020-01-01", 9) == expected


def test_what_never_comes_again_has_no_next_slot() -> None:
    assert next_slot(Schedule("s", cron="0 0 30 2 1"), 0) is not None  # a Monday, or the 30th
    assert next_slot(HOURLY, 250_000_000_001_000) is None
    assert next_ms("0 0 29 2 SUN#5", "UTC", 0) is not None
    assert next_ms("* * 29 2 SUN#1", "UTC", 0) is not None


def test_no_slot_is_after_the_year_9999() -> None:
    days = Schedule("s", every_ms=3_000_000 * 24 * HOUR)
    assert next_slot(days, instant_ms("2026-01-01")) is None
    last = Schedule("s", every_ms=5 * MINUTE, start_at=instant_ms("9999-12-31T23:59:59Z"))
    assert times(last, "2026-01-01", 9) == ["9999-12-31T23:59:59"]
    assert times(replace(last, end_at=LAST_MS + HOUR), "2026-01-01", 9) == ["9999-12-31T23:59:59"]
    assert due(last, LAST_MS - 999, LAST_MS, 5) == Due((LAST_MS - 999,), None)


# Catching up.


def hours(*numbers: int) -> tuple[int, ...]:
    return tuple(number * HOUR for number in numbers)


def test_a_slot_that_is_on_time_starts_one_whatever_the_policy() -> None:
    for catch_up in ("one", "none", "all"):
        schedule = replace(HOURLY, catch_up=catch_up)
        assert due(schedule, 5 * HOUR, 5 * HOUR + 20, 10) == Due(hours(5), 6 * HOUR)
        assert due(schedule, 5 * HOUR, 5 * HOUR - 1, 10) == Due((), 5 * HOUR)


def test_of_what_was_missed_the_last_slot_starts_one() -> None:
    assert due(HOURLY, 5 * HOUR, 9 * HOUR + 1_000, 10) == Due(hours(9), 10 * HOUR)
    assert due(HOURLY, 5 * HOUR, 10 * HOUR - 1, 10) == Due(hours(9), 10 * HOUR)


def test_what_is_not_made_up_for_starts_nothing_when_it_is_late() -> None:
    schedule = replace(HOURLY, catch_up="none")
    assert due(schedule, 5 * HOUR, 9 * HOUR + LATE_MS, 10) == Due(hours(9), 10 * HOUR)
    assert due(schedule, 5 * HOUR, 9 * HOUR + LATE_MS + 1, 10) == Due((), 10 * HOUR)


def test_all_are_started_one_after_the_other_some_at_a_time() -> None:
    schedule = replace(HOURLY, catch_up="all")
    assert due(schedule, 5 * HOUR, 9 * HOUR, 10) == Due(hours(5, 6, 7, 8, 9), 10 * HOUR)
    assert due(schedule, 5 * HOUR, 9 * HOUR, 3) == Due(hours(5, 6, 7), 8 * HOUR)
    assert due(schedule, 8 * HOUR, 9 * HOUR, 3) == Due(hours(8, 9), 10 * HOUR)


@pytest.mark.parametrize("catch_up", ["one", "all"])
def test_after_the_last_slot_there_is_none(catch_up: Any) -> None:
    schedule = replace(HOURLY, catch_up=catch_up, end_at=6 * HOUR)
    assert due(schedule, 6 * HOUR, 100 * HOUR, 10) == Due(hours(6), None)


def test_the_last_of_very_many_is_found_at_once() -> None:
    schedule = Schedule("s", cron="* * * * * *")
    year = 365 * 24 * HOUR
    assert due(schedule, 1_000, 50 * year + 500, 10) == Due((50 * year,), 50 * year + 1_000)


def test_a_paused_schedule_goes_on_with_what_comes() -> None:
    for catch_up in ("one", "none"):
        schedule = replace(HOURLY, catch_up=catch_up)
        assert resumed(schedule, 5 * HOUR, 9 * HOUR, skip_missed=False) == 10 * HOUR
    assert resumed(HOURLY, 5 * HOUR, 5 * HOUR - 1, skip_missed=False) == 5 * HOUR
    assert resumed(HOURLY, None, 5 * HOUR, skip_missed=False) is None
    schedule = replace(HOURLY, catch_up="all")
    assert resumed(schedule, 5 * HOUR, 9 * HOUR, skip_missed=False) == 5 * HOUR
    assert resumed(schedule, 5 * HOUR, 9 * HOUR, skip_missed=True) == 10 * HOUR


# Cron.


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("@yearly", "2027-01-01T00:00:00+00:00"),
        ("@annually", "2027-01-01T00:00:00+00:00"),
        ("@monthly", "2026-06-01T00:00:00+00:00"),
        ("@weekly", "2026-05-24T00:00:00+00:00"),
        ("@daily", "2026-05-21T00:00:00+00:00"),
        (" @Midnight ", "2026-05-21T00:00:00+00:00"),
        ("@hourly", "2026-05-20T11:00:00+00:00"),
        ("*/15 * * * * *", "2026-05-20T10:30:15+00:00"),
        ("30 5 4 * * *", "2026-05-21T04:05:30+00:00"),
        ("0 9 * * mon-fri", "2026-05-21T09:00:00+00:00"),
        ("0 0 L * *", "2026-05-31T00:00:00+00:00"),
        ("0 0 LW * *", "2026-05-29T00:00:00+00:00"),
        ("0 0 * * 5L", "2026-05-29T00:00:00+00:00"),
    ],
)
def test_what_can_be_written(expression: str, expected: str) -> None:
    assert fault(expression) is None
    assert after(expression, "2026-05-20T10:30:00Z") == expected


def test_every_alias_is_an_expression() -> None:
    assert [fault(expression) for expression in ALIASES.values()] == [None] * len(ALIASES)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "it has not five fields"),
        ("0 0 * *", "it has not five fields"),
        ("60 * * * *", "its minute is not understood"),
        ("* 24 * * *", "its hour is not understood"),
        ("* * 32 * *", "its day-of-month is not understood"),
        ("0 0 30 2 *", "its day-of-month is not understood"),
        ("* * * 13 *", "its month is not understood"),
        ("* * * * 8", "its day-of-week is not understood"),
        ("x * * * * *", "its second is not understood"),
        ("@reboot", "known are @yearly"),
        ("@every 5m", "known are @yearly"),
        ("0 " * 200, "is no cron expression; give five fields"),
        ("0 0 L 2 MON#5,TUE#5", None),
    ],
)
def test_what_cannot_be_understood_is_told_with_the_way_out(expression: str, words: str | None) -> None:
    found = fault(expression)
    assert found is None if words is None else words in str(found), found


def test_a_day_that_never_comes_is_in_no_calendar() -> None:
    assert "in no calendar" in str(fault("0 0 */40 * 1#2"))


def test_the_clock_is_that_of_the_place() -> None:
    assert after("0 9 * * *", "2026-07-01T00:00:00Z", "Asia/Tokyo") == "2026-07-02T09:00:00+09:00"
    assert after("0 9 * * *", "2026-07-01T00:00:00Z", "America/New_York") == "2026-07-01T09:00:00-04:00"


def test_a_time_that_the_clock_leaves_out_is_when_it_is_changed() -> None:
    assert after("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin") == "2026-03-29T03:00:00+02:00"
    assert after("30 2 * * *", "2026-03-29T01:00:00Z", "Europe/Berlin") == "2026-03-30T02:30:00+02:00"


def test_a_time_that_the_clock_shows_twice_comes_once() -> None:
    assert after("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin") == "2026-10-25T02:30:00+02:00"
    assert after("30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Berlin") == "2026-10-26T02:30:00+01:00"
    # From within the hour that comes again, what was before it is in the past.
    assert after("45 2 * * *", "2026-10-25T01:30:00Z", "Europe/Berlin") == "2026-10-26T02:45:00+01:00"


def test_what_runs_through_runs_through() -> None:
    fall, spring = "2026-10-25T00:30:00Z", "2026-03-29T00:30:00Z"
    assert after("*/30 * * * *", fall, "Europe/Berlin") == "2026-10-25T02:00:00+01:00"
    assert after("*/30 * * * *", spring, "Europe/Berlin") == "2026-03-29T03:00:00+02:00"
    assert after("*/30 2 * * *", spring, "Europe/Berlin") == "2026-03-30T02:00:00+02:00"
    assert after("*/30 2 25 10 *", "2026-01-01", "Europe/Berlin") == "2026-10-25T02:00:00+02:00"


def test_what_never_fits_again_ends_the_search() -> None:
    assert next_ms("0 0 */40 * 1#2", "Europe/Berlin", 0) is None
    assert next_ms("* * */40 * 1#2", "Europe/Berlin", 0) is None


def test_a_time_by_the_clock_of_a_place_is_a_moment() -> None:
    wall = instant_ms("2026-07-01T09:00:00.125Z")
    assert iso(from_the_wall("Europe/Berlin", wall)) == "2026-07-01T07:00:00.125Z"


def test_clocks_are_read_in_the_first_and_in_the_last_year() -> None:
    assert iso(from_the_wall("Asia/Tokyo", LAST_MS)) == "9999-12-31T14:59:59.999Z"
    assert from_the_wall("America/New_York", LAST_MS) == LAST_MS + 5 * HOUR
    assert iso(from_the_wall("America/New_York", instant_ms("0000-01-01T01:00:00Z"))) == "0000-01-01T05:56:02.000Z"
    assert on_the_wall("America/New_York", LAST_MS) == "9999-12-31T18:59:59-05:00"
    assert on_the_wall("Asia/Tokyo", LAST_MS) == "9999-12-31T23:59:59+00:00"  # the clock shows the year 10000


def test_zones_are_those_of_the_package_and_nothing_else() -> None:
    assert {"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"} <= names()
    assert not is_zone("../zones")
    with pytest.raises(KeyError):
        zone("../zones")


# What must hold of a workflow.


def wrong(*schedules: Schedule) -> list[tuple[str, str]]:
    return [(problem.path, problem.message) for problem in problems(Workflow("w", schedules=schedules))]


def test_sound_schedules_are_no_problem() -> None:
    bounded = replace(EVERY, id="t", start_at=5, end_at=5)
    assert wrong(HOURLY, bounded, replace(EVERY, id="u", start_at=5), replace(EVERY, id="v", end_at=5)) == []


@pytest.mark.parametrize(
    ("schedule", "path", "words"),
    [
        (Schedule("s"), "cron", "either cron or every_ms"),
        (Schedule("s", cron="@daily", every_ms=MINUTE), "cron", "either cron or every_ms"),
        (Schedule("s", cron="x"), "cron", "it has not five fields"),
        (Schedule("s", every_ms=999), "every_ms", "the least is 1000"),
        (Schedule("s", cron="@daily", timezone="Mars"), "timezone", "like Europe/Berlin"),
        (Schedule("s", cron="@daily", start_at=2, end_at=1), "end_at", "cannot end before"),
    ],
)
def test_what_is_unsound_is_told_with_its_place(schedule: Schedule, path: str, words: str) -> None:
    ((found, message),) = wrong(schedule)
    assert (found, words in message) == (f"/schedules/0/{path}", True), message


def test_two_schedules_have_not_one_id() -> None:
    assert wrong(HOURLY, EVERY) == [("/schedules/1/id", "two schedules have the id 's'")]
