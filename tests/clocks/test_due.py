"""Nothing that waits for a time is early, and a jump of a clock silences nothing: real processes with an injected clock."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from clocks.processes import DAY_SECONDS, Process, Table, ask, database, serving, set_up, stays, typed, until
from perdure.clock import now_ms

TICK_SECONDS, WAIT_SECONDS = 2, 3
CONFIRM_SECONDS = 4.0
CONSTANTS: dict[str, Any] = {"perdure.clock": {"CONFIRM_MS": int(CONFIRM_SECONDS * 1_000)}}
NOTHING_DUE_SECONDS = 2.0


def _wait(name: str, seconds: int) -> dict[str, Any]:
    return {
        "name": name,
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            {"id": "rest", "type": "WAIT", "data": {"amount": seconds, "unit": "seconds"}},
        ],
        "connections": [{"fromNodeId": "start", "toNodeId": "rest"}],
    }


WAIT = _wait("wait", WAIT_SECONDS)
LONG = _wait("long", 60)
ASK: dict[str, Any] = {
    "name": "ask",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {
            "id": "ask",
            "type": "APPROVAL",
            "data": {"approverMemberId": "ann", "dueDate": f"PT{WAIT_SECONDS}S", "onTimeout": "reject"},
        },
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "ask"}],
}
TICK: dict[str, Any] = {
    "name": "tick",
    "nodes": [
        {"id": "start", "type": "SCHEDULE_TRIGGER", "data": {"every": f"PT{TICK_SECONDS}S"}},
        {"id": "rest", "type": "WAIT", "data": {"amount": 0}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "rest"}],
}


def _took(server: Process, name: str) -> float:
    """Seconds from the start of an execution to its end, by the clock of the test."""
    began = time.monotonic()
    execution = server.start(name)
    until(lambda: server.status(execution) not in ("pending", "running", "waiting"), f"{name} does not end")
    return time.monotonic() - began


def _last_slot(url: str) -> int:
    return int(ask(url, "SELECT coalesce(max(last_slot), 0) FROM schedules")[0][0])


def _next_slot(url: str) -> int:
    return int(ask(url, "SELECT max(next_at) FROM schedules")[0][0])


def _ticks(url: str, times: int) -> bool:
    """Let a schedule fire so often. Return whether each slot was fired when its time had come."""
    for _ in range(times):
        before = _last_slot(url)
        until(lambda: _last_slot(url) > before, "the schedule is silent", 20)  # noqa: B023
        if _last_slot(url) > now_ms():
            return False
    return True


def test_on_postgres_nothing_is_early_beside_a_server_that_is_ahead(tmp_path: Path) -> None:
    url = database(tmp_path, "postgres")
    token = set_up(url, WAIT, ASK, TICK)
    table = Table("two servers, one 120 s ahead", "postgres")
    with serving(tmp_path, url, token) as right, serving(tmp_path, url, token, 120.0) as ahead:
        for name, server in (("the right one", right), ("the one ahead", ahead)):
            for what in ("wait", "ask"):
                took = _took(server, what)
                table.add(f"{what}, {WAIT_SECONDS} s, started by {name}", f"{WAIT_SECONDS} to 8 s", f"{took:.1f} s")
                assert WAIT_SECONDS - 0.1 <= took < 8
        assert _ticks(url, 3)
        table.add("slots of a schedule", "none early", "none early")
        skew = ahead.metric("perdure_clock_skew_seconds")
        table.add("perdure_clock_skew_seconds", "about 120", f"{skew:.1f}")
        assert 118 < skew < 122
        assert "clock_skew" in ahead.reasons()
        assert "120.0 s ahead of that of the database" in ahead.log()
        assert right.reasons() == ""
        assert abs(right.metric("perdure_clock_skew_seconds")) < 2
        (times,) = ask(url, "SELECT max(started_at), max(ended_at) FROM executions")
        assert max(times) <= now_ms() + 1_000, "the times of facts go by the database, too"
        table.add("times of executions", "not in the future", "not in the future")
    table.show()


@pytest.mark.parametrize("shift", [-120.0, 120.0])
def test_on_postgres_a_server_that_is_far_off_takes_up_nothing_that_is_due(shift: float, tmp_path: Path) -> None:
    """What is new, or has mail, it does; and everything as soon as its clock is right."""
    url = database(tmp_path, "postgres")
    token = set_up(url, WAIT, TICK, _wait("none", 0))
    table = Table(f"one server alone, {shift:+.0f} s", "postgres")
    with serving(tmp_path, url, token, shift) as server:
        assert _took(server, "none") < 8
        execution, slot = server.start("wait"), _next_slot(url)
        due = now_ms() + WAIT_SECONDS * 1_000
        until(lambda: now_ms() > max(due, slot), "time stands still")
        is_left = stays(lambda: server.status(execution) == "waiting", NOTHING_DUE_SECONDS)
        table.add(
            f"WAIT of {WAIT_SECONDS} s, {NOTHING_DUE_SECONDS:.0f} s after its time",
            "waiting",
            "waiting" if is_left else "?",
        )
        assert is_left
        assert _next_slot(url) == slot
        table.add("a schedule", "does not fire", "does not fire")
        server.shift(0.0)
        took = until(lambda: server.status(execution) == "completed", "it does not go on")
        table.add("after its clock was set", "completed", f"completed, {took:.1f} s later")
        until(lambda: "clock_skew" not in server.reasons(), "it goes on saying so")
        assert _ticks(url, 1)
    table.show()


def test_on_postgres_a_server_that_is_a_little_off_says_so_and_works(tmp_path: Path) -> None:
    url = database(tmp_path, "postgres")
    token = set_up(url, WAIT)
    table = Table("one server alone, 5 s ahead", "postgres")
    with serving(tmp_path, url, token, 5.0) as server:
        took = _took(server, "wait")
        table.add(f"WAIT of {WAIT_SECONDS} s", f"{WAIT_SECONDS} to 8 s", f"{took:.1f} s")
        assert WAIT_SECONDS - 0.1 <= took < 8
        assert "clock_skew" in server.reasons()
        table.add("readyz", "degraded: clock_skew", server.reasons()[:60])
    table.show()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_jump_of_400_days_for_3_seconds_silences_nothing(kind: str, tmp_path: Path) -> None:
    url = database(tmp_path, kind)
    token = set_up(url, TICK, LONG)
    table = Table("a server jumps by 400 days, and back after 3 s", kind)
    with serving(tmp_path, url, token) as server:
        assert _ticks(url, 1)
        execution = server.start("long")
        server.shift(400 * DAY_SECONDS)
        assert stays(lambda: server.status(execution) == "waiting", 3.0)
        server.shift(0.0)
        assert _ticks(url, 3)
        table.add("a schedule afterwards", "fires, none early", "fires, none early")
        table.add("WAIT of 60 s", "waiting", server.status(execution))
        said = "has jumped forward" if kind == "sqlite" else "ahead of that of the database"
        until(lambda: said in server.log(), "it is not logged")
        until(lambda: server.reasons() == "", "it goes on saying so")
    found = typed(tmp_path, "doctor", "--db", url)
    table.add("doctor", "exit status 0", f"exit status {found.returncode}")
    assert found.returncode == 0, found.stdout
    table.show()


def test_a_jump_of_400_days_of_database_and_host_for_4_seconds_silences_nothing(tmp_path: Path) -> None:
    """Both are on one machine. The schema has a clock_timestamp() of its own, which the test sets."""
    url = database(tmp_path, "postgres")
    schema = url.rpartition("%3D")[2]
    url += "%2Cpg_catalog"
    ask(url, f"CREATE TABLE {schema}.shift AS SELECT 0::float8 AS seconds")
    ask(
        url,
        f"CREATE FUNCTION {schema}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT "
        f"pg_catalog.clock_timestamp() + make_interval(secs => (SELECT seconds FROM {schema}.shift)) $$",
    )
    token = set_up(url, TICK, LONG)
    table = Table("database and server jump by 400 days, and back after 4 s", "postgres")
    with serving(tmp_path, url, token) as server:
        assert _ticks(url, 1)
        execution = server.start("long")
        for seconds in (400 * DAY_SECONDS, 0.0):
            ask(url, f"UPDATE {schema}.shift SET seconds = {seconds}")
            server.shift(seconds)
            if seconds:
                until(lambda: "clock_jump" in server.reasons(), "the jump is not reported")
                assert stays(lambda: server.status(execution) == "waiting", 4.0)
        assert _ticks(url, 3)
        table.add("a schedule afterwards", "fires, none early", "fires, none early")
        table.add("WAIT of 60 s", "waiting", server.status(execution))
        assert "the clock of the database has jumped forward" in server.log()
        until(lambda: server.reasons() == "", "it goes on saying so")
    found = typed(tmp_path, "doctor", "--db", url)
    table.add("doctor", "exit status 0", f"exit status {found.returncode}")
    assert found.returncode == 0, found.stdout
    table.show()


@pytest.mark.parametrize("shift", [120.0, -3_600.0])
def test_on_sqlite_a_lasting_jump_is_followed_after_the_bound_and_work_goes_on(shift: float, tmp_path: Path) -> None:
    """The bound is four seconds here. Forward it is as after a machine was suspended whose system does not count that."""
    url = database(tmp_path, "sqlite")
    token = set_up(url, WAIT, LONG)
    table = Table(f"a server jumps by {shift:+.0f} s, and stays there; the bound is {CONFIRM_SECONDS:.0f} s", "sqlite")
    with serving(tmp_path, url, token, 0.0, CONSTANTS) as server:
        execution = server.start("long")
        until(lambda: server.status(execution) == "waiting", "it does not wait")
        server.shift(shift)
        jumped = time.monotonic()
        until(lambda: "clock_jump" in server.reasons(), "the jump is not reported")
        took = _took(server, "wait")
        table.add(f"WAIT of {WAIT_SECONDS} s after the jump", f"{WAIT_SECONDS} to 8 s", f"{took:.1f} s")
        assert WAIT_SECONDS - 0.1 <= took < 8
        if shift > 0:
            until(lambda: server.status(execution) == "completed", "it does not become due")
            seconds = time.monotonic() - jumped
            table.add(
                "WAIT of 60 s, due by the new time", f"{CONFIRM_SECONDS:.0f} to 12 s after it", f"{seconds:.1f} s"
            )
            assert CONFIRM_SECONDS <= seconds < 12
        until(lambda: "clock_jump" not in server.reasons(), "it goes on saying so")
        took = _took(server, "wait")
        table.add("WAIT once the new time is followed", f"{WAIT_SECONDS} to 8 s", f"{took:.1f} s")
        assert WAIT_SECONDS - 0.1 <= took < 8
    table.show()


def _silence_by_clock(tmp_path: Path, url: str, token: str) -> None:
    """A server starts with a wrong clock, which nothing on SQLite can tell from a machine that was off."""
    with serving(tmp_path, url, token, 400 * DAY_SECONDS):
        until(lambda: _last_slot(url) > now_ms() + 1_000_000, "it fires nothing")


def _silence_by_hand(tmp_path: Path, url: str, token: str) -> None:
    """As versions before this one left it on Postgres."""
    with serving(tmp_path, url, token):
        assert _ticks(url, 1)
    ask(url, "UPDATE schedules SET next_at = next_at + 34560000000, last_slot = last_slot + 34560000000")


@pytest.mark.parametrize(
    ("kind", "silence"), [("sqlite", _silence_by_clock), ("postgres", _silence_by_hand)], ids=["sqlite", "postgres"]
)
def test_a_schedule_that_was_moved_into_the_future_is_found_and_reset(
    kind: str, silence: Callable[[Path, str, str], None], tmp_path: Path
) -> None:
    url = database(tmp_path, kind)
    token = set_up(url, TICK)
    silence(tmp_path, url, token)
    table = Table("a schedule stands 400 days ahead", kind)
    found = typed(tmp_path, "doctor", "--db", url)
    table.add("doctor", "exit status 1, schedules_ahead", f"exit status {found.returncode}")
    assert found.returncode == 1
    assert "[schedules_ahead]" in found.stdout
    with serving(tmp_path, url, token) as server:
        place = _next_slot(url)
        assert stays(lambda: _next_slot(url) == place, TICK_SECONDS * 2), "it was silent before"
        answer = typed(tmp_path, "schedules", "reset", "tick", "--db", url)
        assert answer.returncode == 0, answer.stderr
        assert _ticks(url, 2)
        table.add("after `perdure schedules reset`", "fires, none early", "fires, none early")
        ask(url, "UPDATE schedules SET next_at = next_at + 34560000000")
        (workflow, schedule), *_ = ask(url, "SELECT workflow, id FROM schedules")
        done = server.client.post(f"/api/schedules/{workflow}/{schedule}/reset")
        assert done.status_code == 200, done.text
        assert _ticks(url, 2)
        table.add("after POST /api/schedules/…/reset", "fires, none early", "fires, none early")
    found = typed(tmp_path, "doctor", "--db", url)
    table.add("doctor afterwards", "exit status 0", f"exit status {found.returncode}")
    assert found.returncode == 0, found.stdout
    table.show()


@pytest.mark.parametrize("days", [100, -2])
def test_on_postgres_what_expires_goes_by_the_database(days: int, tmp_path: Path) -> None:
    """A key that a host with a wrong clock makes counts for a day; at a server with a wrong clock it and an answer hold."""
    url = database(tmp_path, "postgres")
    token, shift = set_up(url, WAIT), days * DAY_SECONDS
    arguments = ("keys", "create", "ann", "--expires", "1d", "--json", "--db", url)
    before = now_ms()
    made = typed(tmp_path, *arguments, shift=shift)
    assert made.returncode == 0, made.stderr
    expires_at = datetime.fromisoformat(json.loads(made.stdout)["expiresAt"]).timestamp() * 1_000
    assert before + DAY_SECONDS * 1_000 - 1_000 <= expires_at <= now_ms() + DAY_SECONDS * 1_000 + 1_000
    with serving(tmp_path, url, json.loads(made.stdout)["token"], shift) as server:
        execution = server.start("wait", key="once")
        assert server.start("wait", key="once") == execution
    with serving(tmp_path, url, token) as server:
        assert server.start("wait", key="once") == execution
