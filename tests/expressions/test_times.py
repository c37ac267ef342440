"""Durations and instants: what is understood, what is refused with which way out, and that text comes back as it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from math import inf, nan
from random import Random

import pytest
import quickjs  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from perdure.errors import EvaluationError
from perdure.expressions import convert
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.times import add_ms, duration_ms, instant_ms, iso, moment
from perdure.model.values import Json

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
NOON = 20_772 * DAY + 12 * HOUR
FIRST, LAST = -62_167_219_200_000, 253_402_300_799_999

instants = st.integers(FIRST, LAST)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("P3D", 3 * DAY),
        ("PT5M", 5 * MINUTE),
        ("P1W", 7 * DAY),
        ("P1W2D", 9 * DAY),
        ("PT0.5S", 500),
        ("PT0,5S", 500),
        ("P1DT2H", DAY + 2 * HOUR),
        ("P1DT2H3M4.005S", DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND + 5),
        ("PT1.5H", 90 * MINUTE),
        ("P0.5D", 12 * HOUR),
        ("P0.5W", 84 * HOUR),
        ("PT36H", 36 * HOUR),
        ("PT90S", 90 * SECOND),
        ("PT0S", 0),
        ("P0D", 0),
        ("PT005M", 5 * MINUTE),
        ("PT0.0019S", 1),
        ("PT0.30000000000000004S", 300),
    ],
)
def test_a_duration_is_understood(text: str, ms: int) -> None:
    assert duration_ms(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        *("", "P", "PT", "P1DT", "5 minutes", "5", "PT5", "P5", "pt5m", "-PT5M", "+PT5M", "PT-5M", "PT5M ", " PT5M"),
        *(
            "PT5M\n",
            "PT1.5H30M",
            "P1.5DT1H",
            "PT.5S",
            "PT5.S",
            "PT5S5M",
            "P1DT5D",
            "PT1D",
            "P2H",
            "PT1_0S",
            "PT\u0665M",
        ),
        *("P1D1W", "PTT5M", "2026-11-15", "PT" + "1" * 200 + "S"),
    ],
)
def test_what_is_no_duration_is_refused_by_name(text: str) -> None:
    with pytest.raises(EvaluationError) as refused:
        duration_ms(text)
    assert str(refused.value).endswith("is not a duration like PT5M")
    assert repr(text[:60])[1:-1] in str(refused.value)


@pytest.mark.parametrize(
    ("text", "word", "days"),
    [
        ("P1Y", "year", "P365D"),
        ("P0.5Y", "year", "P365D"),
        ("P1Y2M3DT4H", "year", "P365D"),
        ("P1M", "month", "P30D"),
        ("P5MT5M", "month", "P30D"),
    ],
)
def test_years_and_months_are_refused_for_days(text: str, word: str, days: str) -> None:
    with pytest.raises(
        EvaluationError, match=f"^'{text}': how long a {word} is depends on the calendar; give days, like {days}"
    ):
        duration_ms(text)


def test_a_month_may_have_been_meant_as_minutes() -> None:
    with pytest.raises(EvaluationError, match="minutes are PT5M"):
        moment("P5M", NOON)


def test_a_duration_is_no_longer_than_the_calendar() -> None:
    days = (LAST + 1 - FIRST) // DAY
    assert duration_ms(f"P{days - 1}D") == (days - 1) * DAY
    for text in (f"P{days}D", "P" + "9" * 98 + "D"):
        with pytest.raises(EvaluationError, match="is longer than the ten thousand years"):
            duration_ms(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-15T10:00:00Z", "2026-11-15T10:00:00.000Z"),
        ("2026-11-15 10:00:00Z", "2026-11-15T10:00:00.000Z"),
        ("2026-11-15T10:00:00", "2026-11-15T10:00:00.000Z"),
        ("2026-11-15T10:00", "2026-11-15T10:00:00.000Z"),
        ("2026-11-15T10:00Z", "2026-11-15T10:00:00.000Z"),
        ("2026-11-15", "2026-11-15T00:00:00.000Z"),
        ("2026-11-15T10:00:00+02:00", "2026-11-15T08:00:00.000Z"),
        ("2026-11-15T10:00:00-0330", "2026-11-15T13:30:00.000Z"),
        ("2026-11-15T10:00:00+02", "2026-11-15T08:00:00.000Z"),
        ("2026-11-15T00:30+01:00", "2026-11-14T23:30:00.000Z"),
        ("2026-11-15T10:00:00-00:00", "2026-11-15T10:00:00.000Z"),
        ("2026-11-15T10:00:00.5Z", "2026-11-15T10:00:00.500Z"),
        ("2026-11-15T10:00:00,123456789+01:00", "2026-11-15T09:00:00.123Z"),
        ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
        ("2024-02-29", "2024-02-29T00:00:00.000Z"),
        ("0000-02-29", "0000-02-29T00:00:00.000Z"),
        ("0000-01-01", "0000-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_an_instant_is_understood(text: str, expected: str) -> None:
    assert iso(instant_ms(text)) == expected


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:00.001Z", 1),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2000-03-01", 951_868_800_000),
    ],
)
def test_an_instant_counts_from_1970(text: str, ms: int) -> None:
    assert instant_ms(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        *("", "tomorrow", "2026", "2026-11", "20261115", "15.11.2026", "2026-1-5", "2026-11-15T", "2026-11-15T10"),
        *("2026-11-15T24:00:00Z", "2026-11-15T10:60:00Z", "2026-11-15T23:59:60Z", "2026-11-15T10:00:00+24:00"),
        *("2026-11-15T10:00:00+02:60", "2026-11-15T10:00.5Z", "2026-11-15T10:00:00.Z", "2026-11-15Z", "+002026-11-15"),
        *("2026-11-15T10:00:00Z\n", " 2026-11-15", "2026-11-15T10:00:00 Z", "2026-11-15  10:00", "\u0662026-11-15"),
        *("2026-11-15T10:00:00Europe/Berlin", "PT5M", "2026-11-15T10:00:00." + "1" * 1_000_000),
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_instant_is_refused_by_name(text: str) -> None:
    with pytest.raises(EvaluationError) as refused:
        instant_ms(text)
    assert str(refused.value).endswith("is not an instant like 2026-11-15T10:00:00Z")
    assert repr(text[:60])[1:-1] in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "text", ["2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31T10:00:00Z", "2026-01-00"]
)
def test_a_day_that_is_in_no_calendar_is_refused(text: str) -> None:
    with pytest.raises(EvaluationError, match=f"^'{text}' names a day that is in no calendar"):
        instant_ms(text)


@pytest.mark.parametrize("text", ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"])
def test_an_offset_does_not_lead_out_of_the_calendar(text: str) -> None:
    with pytest.raises(EvaluationError, match="is outside the years 0 to 9999"):
        instant_ms(text)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (FIRST, "0000-01-01T00:00:00.000Z"),
        (LAST, "9999-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    ],
)
def test_an_instant_is_written_as_javascript_writes_it(ms: int, text: str) -> None:
    assert iso(ms) == text


@pytest.mark.parametrize(("ms", "nearest"), [(FIRST - 1, FIRST), (LAST + 1, LAST), (10**18, LAST)])
def test_outside_the_years_0_to_9999_the_nearest_instant_is_written_and_no_expression_has_one(
    ms: int, nearest: int
) -> None:
    assert iso(ms) == iso(nearest)
    with pytest.raises(EvaluationError, match="outside the years 0 to 9999"):
        convert.iso(ms)


@pytest.mark.parametrize(
    ("at", "duration", "ends"), [(NOON, HOUR, NOON + HOUR), (NOON, LAST, LAST), (NOON, FIRST - NOON - 1, FIRST)]
)
def test_the_end_of_a_duration_can_be_written(at: int, duration: int, ends: int) -> None:
    assert add_ms(at, duration) == ends


@given(instants)
def test_an_instant_that_is_written_is_read_back(ms: int) -> None:
    assert instant_ms(iso(ms)) == ms


@given(instants, instants)
def test_text_sorts_as_time_does(one: int, other: int) -> None:
    assert (iso(one) < iso(other)) == (one < other)


@given(st.datetimes(), st.integers(-23 * 60, 23 * 60))
def test_python_agrees_on_instants(local: datetime, offset_minutes: int) -> None:
    hours, minutes = divmod(abs(offset_minutes), 60)
    text = f"{local.isoformat()}{'-' if offset_minutes < 0 else '+'}{hours:02}:{minutes:02}"
    since = local.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC) - timedelta(minutes=offset_minutes)
    expected = since // timedelta(milliseconds=1)
    if FIRST <= expected <= LAST:
        assert instant_ms(text) == expected


@given(st.integers(0, 999), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99_999))
def test_python_agrees_on_durations(days: int, hours: int, minutes: int, seconds: int, ms: int) -> None:
    text = f"P{days}DT{hours}H{minutes}M{seconds + ms // 1000}.{ms % 1000:03}S"
    total = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds, milliseconds=ms)
    assert duration_ms(text) == total // timedelta(milliseconds=1)


def test_javascript_agrees_on_instants() -> None:
    rng = Random(1)
    given_ms = [FIRST, LAST, *(rng.randint(FIRST, LAST) for _ in range(5_000))]
    script = f"JSON.stringify({given_ms}.map(ms => new Date(ms).toISOString()))"
    assert [iso(ms) for ms in given_ms] == json.loads(quickjs.Context().eval(script))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, NOON),
        (1_500, NOON + 1_500),
        (1_500.9, NOON + 1_500),
        (-1_500.9, NOON - 1_500),
        (-0.0, NOON),
        ("PT5M", NOON + 5 * MINUTE),
        ("P1D", NOON + DAY),
        (iso(NOON + DAY), NOON + DAY),
        ("1970-01-01", 0),
    ],
)
def test_a_moment_is_from_now_or_absolute(value: Json, expected: int) -> None:
    assert moment(value, NOON) == expected


def test_text_that_is_no_moment_is_refused_with_both_ways_out() -> None:
    with pytest.raises(
        EvaluationError, match=r"^'5 minutes' is neither a duration like PT5M nor an instant like 2026-11-15T10:00:00Z$"
    ):
        moment("5 minutes", NOON)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "a boolean"),
        ([1], "an array"),
        ({"ms": 1}, "an object"),
        (UNDEFINED, "undefined"),
        (nan, "NaN"),
        (-inf, "-Infinity"),
        (10**400, "Infinity"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_value_of_another_kind_is_no_moment(value: Json, shown: str) -> None:
    with pytest.raises(
        EvaluationError, match=f"^{shown} is neither a number of milliseconds nor a duration like PT5M nor "
    ):
        moment(value, NOON)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("P3650000D", "'P3650000D' from now"),
        (1e300, r"1e\+300 ms from now"),
        (2 * FIRST, "-124334438400000 ms from now"),
    ],
)
def test_a_moment_lies_in_the_calendar(value: Json, shown: str) -> None:
    with pytest.raises(EvaluationError, match=f"^{shown} is outside the years 0 to 9999"):
        moment(value, NOON)
