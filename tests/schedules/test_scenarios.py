"""Schedules in simulated worlds: downtime, overlap, pauses, new versions, and workers that die between a look and a commit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.core.facts import ExecutionStarted
from perdure.expressions.language import compile_value
from perdure.ids import derived
from perdure.model.workflow import Schedule
from perdure.runtime import scheduling
from perdure.store.schedules import PauseSchedule, WriteSchedule
from perdure.testing import violations
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.script import Fixed
from perdure.testing.world import Crash, Point, World
from schedules.words import HOUR, MINUTE, asleep_until, fired, run_until, slots, standing, ticks

HOURLY = Schedule("s", cron="0 * * * *")


@pytest.fixture(params=["memory", "sqlite"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Two workers."""
    store = None if request.param == "memory" else InspectedSqlite(str(tmp_path / "flows.db"))
    made = World(compile_value, Fixed(), workers=2, store=store)
    yield made
    assert violations(made) == []
    made.store.close()


def save(world: World, *schedules: Schedule, takes_ms: int = 0, **more: Any) -> None:
    world.store.save(ticks(*schedules, takes_ms=takes_ms, **more), at=world.now)


def hours(*numbers: int) -> list[int]:
    return [number * HOUR for number in numbers]


def test_every_slot_starts_one_execution_at_its_time(world: World) -> None:
    save(world, HOURLY)
    run_until(world, 5 * HOUR)
    assert fired(world) == [(slot, slot) for slot in hours(1, 2, 3, 4, 5)]
    assert {row.record.status for row in world.store.rows.values()} == {"completed"}
    assert standing(world).next_at == 6 * HOUR


def test_what_is_added_fires_as_those_of_documents_do(world: World) -> None:
    save(world)
    world.store.commit([WriteSchedule("tick", "s", None, HOURLY, world.now, "ann")])
    run_until(world, 3 * HOUR)
    half = replace(HOURLY, cron="30 * * * *")
    world.store.commit([WriteSchedule("tick", "s", HOURLY, half, world.now, "ann")])
    run_until(world, 5 * HOUR)
    world.store.commit([WriteSchedule("tick", "s", half, None, world.now, "ann")])
    run_until(world, 7 * HOUR)
    assert slots(world) == [*hours(1, 2, 3), 3 * HOUR + 30 * MINUTE, 4 * HOUR + 30 * MINUTE]


def test_what_is_started_knows_by_what_and_for_when(world: World) -> None:
    berlin = Schedule("s", cron="0 9 * * *", timezone="Europe/Berlin", input={"report": "daily"})
    save(world, berlin)
    run_until(world, 24 * HOUR)
    (row,) = world.store.rows.values()
    started = row.facts[0]
    assert isinstance(started, ExecutionStarted)
    assert row.record.id == derived("default", "tick", "s", 8 * HOUR)
    assert (started.input, started.trigger) == ({"report": "daily"}, "schedule")
    assert started.trigger_data == {
        "schedule": "s",
        "slot": "1970-01-01T08:00:00.000Z",
        "scheduledAt": "1970-01-01T09:00:00+01:00",
        "timezone": "Europe/Berlin",
        "firedAt": "1970-01-01T08:00:00.000Z",
    }


def test_without_an_input_it_is_empty(world: World) -> None:
    save(world, HOURLY)
    run_until(world, HOUR)
    (row,) = world.store.rows.values()
    assert row.facts[0].input == {}  # type: ignore[union-attr]


def test_after_downtime_one_is_started_for_the_last_slot(world: World) -> None:
    save(world, HOURLY)
    run_until(world, 2 * HOUR)
    asleep_until(world, 7 * HOUR + 25 * MINUTE)
    run_until(world, 8 * HOUR)
    assert fired(world) == [
        *((slot, slot) for slot in hours(1, 2)),
        (7 * HOUR, 7 * HOUR + 25 * MINUTE),
        (8 * HOUR, 8 * HOUR),
    ]


def test_after_downtime_nothing_is_started_that_is_not_made_up_for(world: World) -> None:
    save(world, replace(HOURLY, catch_up="none"))
    run_until(world, 2 * HOUR)
    asleep_until(world, 7 * HOUR + 25 * MINUTE)
    run_until(world, 8 * HOUR)
    assert slots(world) == hours(1, 2, 8)


def test_after_downtime_all_are_started_in_chunks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "SLOTS_MAX", 7)
    save(world, replace(HOURLY, catch_up="all"))
    run_until(world, 2 * HOUR)
    asleep_until(world, 100 * HOUR + 1)
    run_until(world, 101 * HOUR)
    assert slots(world) == hours(*range(1, 102))


def test_many_may_run_at_once_unless_it_is_said_otherwise(world: World) -> None:
    save(world, HOURLY, takes_ms=150 * MINUTE)
    run_until(world, 4 * HOUR)
    assert slots(world) == hours(1, 2, 3, 4)


def test_a_slot_is_skipped_while_the_one_before_it_runs(world: World) -> None:
    save(world, replace(HOURLY, overlap="skip"), takes_ms=150 * MINUTE)
    run_until(world, 3 * HOUR)
    assert (standing(world).last_slot, standing(world).skipped) == (HOUR, 2)
    run_until(world, 7 * HOUR)
    assert slots(world) == hours(1, 4, 7)
    assert standing(world).skipped == 0


def test_after_downtime_what_must_not_overlap_is_started_once(world: World) -> None:
    save(world, replace(HOURLY, overlap="skip", catch_up="all"), takes_ms=10 * MINUTE)
    asleep_until(world, 5 * HOUR + 1)
    run_until(world, 6 * HOUR)
    assert slots(world) == hours(1, 6)


@pytest.mark.parametrize(("catch_up", "expected"), [("one", (1, 2, 8)), ("none", (1, 2, 8)), ("all", range(1, 9))])
def test_what_is_paused_starts_nothing_until_it_is_resumed(world: World, catch_up: str, expected: range) -> None:
    save(world, replace(HOURLY, catch_up=catch_up))
    run_until(world, 2 * HOUR)
    world.store.commit([PauseSchedule("tick", "s", True, world.now, "ann")])
    run_until(world, 7 * HOUR + MINUTE)
    assert slots(world) == hours(1, 2)
    world.store.commit([PauseSchedule("tick", "s", False, world.now, "ann")])
    run_until(world, 8 * HOUR)
    assert slots(world) == hours(*expected)


def test_an_unchanged_schedule_makes_up_for_downtime_also_in_a_new_version(world: World) -> None:
    save(world, HOURLY)
    run_until(world, 2 * HOUR)
    asleep_until(world, 5 * HOUR + MINUTE)
    save(world, HOURLY, steps_max=9)
    newer = world.store.active_version("default", "tick")
    run_until(world, 6 * HOUR)
    assert slots(world) == hours(1, 2, 5, 6)
    versions = {row.record.started_at: row.record.digest == newer for row in world.store.rows.values()}
    assert versions == {HOUR: False, 2 * HOUR: False, 5 * HOUR + MINUTE: True, 6 * HOUR: True}


def test_a_changed_schedule_begins_with_its_version(world: World) -> None:
    save(world, HOURLY)
    run_until(world, 2 * HOUR)
    asleep_until(world, 5 * HOUR + MINUTE)
    save(world, Schedule("s", cron="30 * * * *", catch_up="all"))
    run_until(world, 7 * HOUR)
    assert slots(world) == [*hours(1, 2), 5 * HOUR + 30 * MINUTE, 6 * HOUR + 30 * MINUTE]


def test_a_schedule_that_is_gone_starts_nothing_more(world: World) -> None:
    save(world, HOURLY)
    run_until(world, 2 * HOUR)
    save(world)
    run_until(world, 9 * HOUR)
    assert slots(world) == hours(1, 2)


def test_a_schedule_ends(world: World) -> None:
    save(world, Schedule("s", every_ms=HOUR, start_at=90 * MINUTE, end_at=210 * MINUTE))
    run_until(world, 9 * HOUR)
    assert slots(world) == [90 * MINUTE, 150 * MINUTE, 210 * MINUTE]
    assert standing(world).next_at is None


def test_two_schedules_of_one_workflow_do_not_stand_in_each_others_way(world: World) -> None:
    save(world, HOURLY, Schedule("t", cron="0 * * * *"))
    run_until(world, 3 * HOUR)
    assert slots(world) == sorted(hours(1, 2, 3) * 2)


class Strikes:
    """Kills whoever comes to a point for the n-th time."""

    def __init__(self, point: Point, number: int) -> None:
        self._point, self.left = point, number

    def __call__(self, point: Point) -> None:
        if point == self._point:
            self.left -= 1
            if self.left == 0:
                raise Crash


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("catch_up", ["one", "all"])
@pytest.mark.parametrize("point", ["before commit", "after commit", "after claim"])
def test_whenever_a_worker_dies_every_slot_starts_one(
    point: Point, catch_up: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each such point in turn, until there is none left."""
    monkeypatch.setattr(scheduling, "SLOTS_MAX", 2)
    expected = hours(*range(1, 8)) if catch_up == "all" else hours(1, 2, 6, 7)
    number, has_struck = 0, True
    while has_struck:
        number += 1
        strikes = Strikes(point, number)
        store = InspectedSqlite(str(tmp_path / f"{number}.db")) if kind == "sqlite" else None
        world = World(compile_value, Fixed(), strikes, workers=2, store=store)
        save(world, replace(HOURLY, catch_up=catch_up))
        run_until(world, 2 * HOUR)
        asleep_until(world, 6 * HOUR + 1)
        run_until(world, 7 * HOUR)
        assert slots(world) == expected, number
        assert violations(world) == []
        has_struck = strikes.left <= 0
        world.store.close()
    assert number > 4
