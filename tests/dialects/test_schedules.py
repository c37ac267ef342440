"""SCHEDULE_TRIGGER: what it becomes, and what is wrong with it, in its author's words."""

from __future__ import annotations

from typing import Any

import pytest

from dialects.words import compiled, graph, model, node, output, warned
from perdure.expressions.times import LAST_MS
from perdure.model.values import Json
from perdure.model.workflow import Schedule

JUNE = 1_780_272_000_000
"""2026-06-01 in UTC."""

HOUR = 3_600_000


def clock(**data: Json) -> dict[str, Json]:
    return graph(node("clock", "SCHEDULE_TRIGGER", data), node("a"), "clock > a")


def schedule(**data: Json) -> Schedule:
    (found,) = model(clock(**data)).schedules
    return found


def problem(**data: Json) -> Any:
    (found,) = compiled(clock(**data)).problems
    return found


def test_a_cron_expression_is_in_utc_unless_it_says_where() -> None:
    assert schedule(schedule="0 9 * * 1-5") == Schedule("clock", cron="0 9 * * 1-5")
    found = schedule(schedule="@daily", timezone="Europe/Berlin")
    assert found == Schedule("clock", cron="@daily", timezone="Europe/Berlin")


@pytest.mark.parametrize("every", ["PT15M", 900_000, 900_000.0])
def test_an_interval_is_a_duration_or_milliseconds(every: Json) -> None:
    assert schedule(every=every) == Schedule("clock", every_ms=900_000)


def test_all_that_can_be_said() -> None:
    found = schedule(
        schedule="*/5 * * * *",
        timezone="America/New_York",
        start="2026-06-01",
        end="2026-06-01T12:00:00Z",
        catchUp="all",
        overlap="skip",
        input={"report": "daily"},
    )
    assert found == Schedule(
        "clock",
        cron="*/5 * * * *",
        timezone="America/New_York",
        start_at=JUNE + 4 * HOUR,
        end_at=JUNE + 12 * HOUR,
        catch_up="all",
        overlap="skip",
        input={"report": "daily"},
    )


@pytest.mark.parametrize(
    ("start", "at"),
    [
        ("2026-06-01", JUNE - 2 * HOUR),
        ("2026-06-01T08:00", JUNE + 6 * HOUR),
        ("2026-06-01 08:00:00.250", JUNE + 6 * HOUR + 250),
        ("2026-06-01T08:00Z", JUNE + 8 * HOUR),
        ("2026-06-01T08:00+01:00", JUNE + 7 * HOUR),
        ("2026-03-29T02:30", 1_774_746_000_000),  # the clock leaves it out; it is changed then
    ],
)
def test_a_time_without_a_zone_is_by_the_clock_of_the_schedule(start: str, at: int) -> None:
    assert schedule(schedule="@hourly", timezone="Europe/Berlin", start=start).start_at == at


def test_the_last_second_that_can_be_written_is_a_slot() -> None:
    last = schedule(every="PT5M", start="9999-12-31T23:59:59Z")
    assert last.start_at == LAST_MS - 999
    assert schedule(every="PT5M", start="0000-01-01T10:00", timezone="Asia/Tokyo").start_at is not None


def test_nothing_is_said_of_a_schedule_that_is_as_it_should_be() -> None:
    assert warned(clock(schedule="0 9 * * *", timezone="UTC", label="mornings")) == {}


@pytest.mark.parametrize(
    ("data", "type_", "field", "words"),
    [
        ({"schedule": "61 * * * *"}, "invalid_schedule", "schedule", "its minute is not understood; give five fields"),
        ({"schedule": "* * *"}, "invalid_schedule", "schedule", "it has not five fields"),
        ({"schedule": "@dayly"}, "invalid_schedule", "schedule", "known are @yearly"),
        ({"schedule": "0 0 31 2,4 *"}, "invalid_schedule", "schedule", "day"),
        ({"schedule": 5}, "wrong_type", "schedule", "a text"),
        ({"every": "5m"}, "wrong_type", "every", "a duration like PT5M"),
        ({"every": 999}, "out_of_range", "every", "the least is a second"),
        ({"schedule": "@daily", "every": "PT1H"}, "contradiction", "every", "not both"),
        ({"schedule": "@daily", "timezone": "Europe/Berln"}, "unknown_timezone", "timezone", "did you mean 'Europe/Berlin'"),
        ({"schedule": "@daily", "timezone": "../../etc/passwd"}, "unknown_timezone", "timezone", "like Europe/Berlin"),
        ({"schedule": "@daily", "start": "tomorrow"}, "invalid_time", "start", "an instant like"),
        ({"schedule": "@daily", "start": "2026-02-30"}, "invalid_time", "start", "no calendar"),
        ({"schedule": "@daily", "start": "2027-01-01", "end": "2026-01-01"}, "never_fires", "end", "between 'start' and 'end'"),
        ({"schedule": "@daily", "start": "9995-01-01"}, "never_fires", "start", "give an earlier 'start'"),
        ({"every": "P3000000D"}, "never_fires", "every", "after the year 9999; give a shorter one"),
        ({"every": "P3000000D", "start": "1900-01-01"}, "never_fires", "every", "after the year 9999"),
        ({"every": "P3000000D", "end": "2027-01-01"}, "never_fires", "every", "after the year 9999"),
        ({"every": "P1D", "start": "9999-12-31T23:00", "timezone": "America/New_York"}, "invalid_time", "start", "0 to 9999"),
        ({"every": "P1D", "end": "0000-01-01T00:00", "timezone": "Asia/Tokyo"}, "invalid_time", "end", "0 to 9999"),
        ({"schedule": "@daily", "catchUp": "some"}, "wrong_type", "catchUp", "one of one, none, all"),
        ({"schedule": "@daily", "overlap": "queue"}, "wrong_type", "overlap", "one of allow, skip"),
        ({"schedule": "@daily", "input": [1]}, "wrong_type", "input", "an object"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_the_way_out(data: Json, type_: str, field: str, words: str) -> None:
    found = problem(**data)
    assert (found.type, found.path, found.step) == (type_, f"/nodes/0/data/{field}", "clock")
    assert words in found.message, found.message


def test_all_that_is_wrong_is_told_at_once() -> None:
    found = compiled(clock(schedule="x", timezone="Mars", catchUp="?", overlap="?", start="?", every="?")).problems
    assert {each.field for each in found} == {"schedule", "timezone", "catchUp", "overlap", "start", "every"}


def test_what_looks_like_a_template_is_not_filled_in() -> None:
    assert warned(clock(every="PT1H", input={"day": "{{ slot }}"}))["not_rendered"].path == "/nodes/0/data/input"


def test_a_key_that_looks_misspelt_is_told_of() -> None:
    assert "did you mean 'schedule'?" in warned(clock(schedul="@daily"))["unknown_key"].message
    assert warned(clock(schedul="@daily")).keys() == {"unknown_key", "no_schedule"}
    assert "known are schedule, timezone" in warned(clock(schedule="@daily", tz="Europe/Berlin"))["unknown_key"].message
    assert "did you mean 'timezone'?" in warned(clock(schedule="@daily", timeZone="Asia/Tokyo"))["unknown_key"].message


def test_a_trigger_that_something_leads_to_starts_nothing() -> None:
    document = graph(
        node("start", "MANUAL_TRIGGER"), node("clock", "SCHEDULE_TRIGGER", {"every": "PT1H"}), "start > clock"
    )
    assert model(document).schedules == ()
    assert warned(document)["not_an_entry"].step == "clock"


TWO = graph(
    node("early", "SCHEDULE_TRIGGER", {"schedule": "0 6 * * *"}),
    node("late", "SCHEDULE_TRIGGER", {"schedule": "0 18 * * *", "input": {"n": 1}}),
    node("m", "MANUAL_TRIGGER"),
    *(node(f"of-{name}", "SET", {"values": {"way": name}}) for name in ("early", "late", "m")),
    *(f"{name} > of-{name}" for name in ("early", "late", "m")),
)


@pytest.mark.parametrize("name", ["early", "late"])
def test_of_several_schedules_each_begins_at_its_own(name: str) -> None:
    assert [each.id for each in model(TWO).schedules] == ["early", "late"]
    found = output(TWO, {}, trigger="schedule", trigger_data={"schedule": name, "slot": "2026-06-01T06:00:00.000Z"})
    assert found["way"] == name
    assert found["_trigger"] == {
        "type": "SCHEDULE_TRIGGER",
        "depth": 0,
        "firedAt": "1970-01-01T00:16:40.000Z",
        "schedule": name,
        "slot": "2026-06-01T06:00:00.000Z",
    }


def test_whoever_starts_it_otherwise_begins_elsewhere() -> None:
    assert output(TWO, {})["way"] == "m"
