"""`perdure schedules`: listed, told, paused and resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.typing import Ended, here, written
from perdure.core import schedules


def report(**data: Any) -> dict[str, Any]:
    trigger = {"id": "clock", "type": "SCHEDULE_TRIGGER", "data": data}
    return {"id": "report", "name": "nightly", "nodes": [trigger], "connections": []}


class Shop:
    """A folder with a database, and whoever types there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder, self._capsys = folder, capsys
        self.database = f"sqlite:///{folder / 'flows.db'}"

    def save(self, **data: Any) -> None:
        document = written(self._folder, "report.json", report(**data))
        assert here(self._capsys, "workflows", "save", document, "--db", self.database).status == 0

    def type(self, *typed: str) -> Ended:
        return here(self._capsys, "schedules", *typed, "--db", self.database)


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shop:
    return Shop(tmp_path, capsys)


def test_a_list_shows_when_each_comes_next(shop: Shop) -> None:
    shop.save(schedule="30 2 * * *", timezone="Asia/Tokyo")
    heading, row = shop.type("list").out.splitlines()
    assert heading.split() == ["ID", "WORKFLOW", "WHEN", "ZONE", "NEXT", "LAST", "LAST", "EXECUTION", "STATE"]
    told = row.split()
    assert told[:8] == ["report/clock", "nightly", "30", "2", "*", "*", "*", "Asia/Tokyo"]
    assert told[8].endswith("T02:30:00+09:00")
    assert told[9:] == ["-", "-", "active"]


@pytest.mark.parametrize(
    ("every", "told"),
    [("PT15M", "every 15 min"), ("P1D", "every 1 d"), ("PT90M", "every 90 min"), (1_500, "every 1.5 s")],
)
def test_intervals_are_told_in_words(shop: Shop, every: Any, told: str) -> None:
    shop.save(every=every)
    assert told in shop.type("list").out


def test_where_there_is_none_it_says_so(shop: Shop) -> None:
    shop.save()
    none = "there are no schedules: no active workflow has one, and none was added (perdure schedules add)\n"
    assert shop.type("list").out == none
    assert shop.type("list", "--json").object == {"items": [], "next": None}


def test_a_list_for_programs_has_everything(shop: Shop) -> None:
    shop.save(schedule="@daily", start="2026-01-01", catchUp="all", overlap="skip", input={"n": 1})
    (item,) = shop.type("list", "--json").object["items"]
    assert item.pop("next_at").endswith("T00:00:00.000Z")
    assert item == {
        "id": "report/clock",
        "workflow_id": "report",
        "name": "nightly",
        "schedule": "@daily",
        "every_ms": None,
        "timezone": "UTC",
        "start_at": "2026-01-01T00:00:00.000Z",
        "end_at": None,
        "catch_up": "all",
        "overlap": "skip",
        "input": {"n": 1},
        "paused": False,
        "last_slot": None,
        "last_execution": None,
        "skipped": 0,
        "added": False,
    }


def test_the_next_times_are_told_here_and_in_utc(shop: Shop) -> None:
    shop.save(schedule="0 9 * * *", timezone="Asia/Tokyo")
    heading, *rows = shop.type("next", "nightly", "--count", "3").out.splitlines()
    assert heading.split() == ["Asia/Tokyo", "UTC"]
    assert [(row.split()[0][10:], row.split()[1][10:]) for row in rows] == [("T09:00:00+09:00", "T00:00:00.000Z")] * 3
    told = shop.type("next", "report/clock", "--count", "2", "--json").object
    assert (told["id"], told["timezone"], told["paused"], len(told["items"])) == (
        "report/clock",
        "Asia/Tokyo",
        False,
        2,
    )
    assert told["items"][0]["local"].endswith("T09:00:00+09:00")


def test_what_has_ended_has_no_next_time(shop: Shop) -> None:
    shop.save(schedule="@daily", end="2020-01-01")
    assert shop.type("next", "nightly").out == "report/clock has ended, and starts nothing any more\n"
    assert shop.type("list").out.split()[-1] == "ended"


def test_a_schedule_is_reset(shop: Shop) -> None:
    shop.save(schedule="@daily")
    before = shop.type("list", "--json").object["items"][0]
    assert shop.type("reset", "nightly").out.startswith("report/clock begins at now; next: ")
    assert shop.type("reset", "nightly", "--json").object == before
    assert shop.type("reset", "other").status == 2


def test_a_schedule_is_paused_and_resumed(shop: Shop) -> None:
    shop.save(schedule="@daily")
    paused = shop.type("pause", "nightly", "--as", "ann")
    assert paused.out.startswith("report/clock is paused, and starts nothing until it is resumed: `perdure schedules")
    assert shop.type("list").out.split()[-1] == "paused"
    assert "it is paused" in shop.type("next", "nightly").out
    resumed = shop.type("resume", "nightly", "--skip-missed")
    assert resumed.out.startswith("report/clock starts executions again; next: ")
    assert shop.type("pause", "nightly", "--json").object["paused"] is True
    assert shop.type("resume", "nightly", "--json").object["paused"] is False


def test_a_schedule_that_is_not_there_is_told_of(shop: Shop) -> None:
    shop.save(schedule="@daily")
    refused = shop.type("next", "nightly/clok")
    assert (refused.status, refused.out) == (2, "")
    assert "did you mean 'nightly/clock'?" in refused.err


def test_slots_at_the_end_of_the_calendar_are_told(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.save(every="PT5M", start="9999-12-31T23:59:59Z", timezone="Asia/Tokyo")
    assert "9999-12-31T23:59:59+00:00" in shop.type("list").out
    assert shop.type("next", "report").out.splitlines()[1:] == ["9999-12-31T23:59:59+00:00  9999-12-31T23:59:59.000Z"]
    refused = shop.type("add", "report", "--every", "P3000000D")
    assert refused.status == 2
    assert "after the year 9999; give a shorter one" in refused.err
    with monkeypatch.context() as older:
        older.setattr(schedules, "LAST_MS", 10**15)
        assert shop.type("add", "report", "--every", "P3000000D", "--id", "far").status == 0
    assert shop.type("list").out.splitlines()[-1].endswith("ended")
    assert shop.type("next", "report/far").out == "report/far has ended, and starts nothing any more\n"
