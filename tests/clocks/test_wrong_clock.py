"""A wrong clock deletes nothing: real processes with an injected clock, on both databases."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from clocks.processes import DAY_SECONDS, Table, ask, count_of, database, serving, set_up, stays, typed, until
from perdure.hosts.envelopes import new_key

GREET: dict[str, Any] = {
    "name": "greet",
    "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, {"id": "rest", "type": "WAIT", "data": {"amount": 0}}],
    "connections": [{"fromNodeId": "start", "toNodeId": "rest"}],
}
MONTH: dict[str, Any] = {
    "name": "month",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "rest", "type": "WAIT", "data": {"amount": 30, "unit": "days"}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "rest"}],
}
EXECUTIONS = 20
QUICK: dict[str, Any] = {"perdure.runtime.tidying": {"LOOK_SECONDS": 0.1}}
"""Rounds of retention follow each other quickly."""

AT_ONCE: dict[str, Any] = {**QUICK, "perdure.runtime.retention_guard": {"START_SECONDS": 0.0}}
KEEP = {"PERDURE_KEEP_EXECUTIONS": "90d"}
WATCHED_SECONDS = 3.0
AGED = "UPDATE executions SET ended_at = ended_at - 8640000000 WHERE ended_at IS NOT NULL"
"""Ended a hundred days before."""

both = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


def _filled(tmp_path: Path, kind: str) -> tuple[str, str, str, str]:
    """A database with ended executions, one that waits, and a used key: its address, a key of a member, two executions."""
    url = database(tmp_path, kind)
    token = set_up(url, GREET, MONTH)
    with serving(tmp_path, url, token) as server:
        for number in range(EXECUTIONS):
            server.start("greet", number=number)
        used = server.start("greet", key="once")
        waits = server.start("month")
        until(lambda: _ended(url) == EXECUTIONS + 1, "they do not end")
    return url, token, used, waits


def _ended(url: str) -> int:
    return int(ask(url, "SELECT count(*) FROM executions WHERE status = 'completed'")[0][0])


@both
def test_a_process_that_starts_a_hundred_days_ahead_deletes_nothing(kind: str, tmp_path: Path) -> None:
    """Not even where it is the only one, nor when it is restarted by the same clock."""
    url, token, used, waits = _filled(tmp_path, kind)
    table = Table("a process starts 100 days ahead, PERDURE_KEEP_EXECUTIONS=90d", kind)
    reason = "retention_held" if kind == "sqlite" else "clock_skew"
    history, answers = count_of(url, "history"), count_of(url, "answers")
    for life in ("first start", "restart by the same clock"):
        with serving(tmp_path, url, token, 100 * DAY_SECONDS, AT_ONCE, **KEEP) as server:
            server.start("greet")  # a row by the wrong clock
            assert stays(lambda: _ended(url) >= EXECUTIONS + 1, WATCHED_SECONDS), "ended executions are gone"
            until(lambda: reason in server.reasons(), f"{reason} is not reported")
            table.add(f"{life}: ended executions", f"at least {EXECUTIONS + 1}", _ended(url))
            assert count_of(url, "history") >= history
            assert count_of(url, "answers") >= answers
            again = server.start("greet", key="once")
            table.add(f"{life}: a used Idempotency-Key", used, again)
            assert again == used
            until(lambda: "retention is off" in server.log(), "it is not logged")
            assert server.metric('perdure_retention_deleted_total{kind="executions"}') == 0
            if kind == "postgres":  # its clock is right
                table.add(f"{life}: WAIT of 30 days", "waiting", server.status(waits))
                assert server.status(waits) == "waiting"
    found = typed(tmp_path, "doctor", "--db", url)
    table.add("doctor", "says that retention is off" if kind == "sqlite" else "healthy", found.stdout.splitlines()[0])
    assert ("[retention_held]" in found.stdout) == (kind == "sqlite"), found.stdout
    table.show()


def test_on_sqlite_an_explicit_forget_turns_retention_on_again(tmp_path: Path) -> None:
    """As after weeks in which nobody used the database: there the clock is right, and an operator says so."""
    url, token, _, _ = _filled(tmp_path, "sqlite")
    table = Table("retention is held, then `perdure db forget`", "sqlite")
    shift = 10 * DAY_SECONDS
    with serving(tmp_path, url, token, shift, AT_ONCE, **KEEP) as server:
        until(lambda: "retention_held" in server.reasons(), "the hold is not reported")
        ask(url, AGED)
        assert stays(lambda: _ended(url) == EXECUTIONS + 1, WATCHED_SECONDS)
        table.add("held", str(EXECUTIONS + 1), _ended(url))
        only_counted = typed(tmp_path, "db", "forget", "--older-than", "90d", "--dry-run", "--db", url, shift=shift)
        assert only_counted.returncode == 0, only_counted.stderr
        assert "10.0 days ahead of the newest stored row" in only_counted.stderr
        assert "retention_held" in server.reasons(), "to count is not to say that the clock is right"
        forget = ("db", "forget", "--db", url, "--older-than")
        for days in ("1d", "200d"):
            refused = typed(tmp_path, *forget, days, shift=shift)
            assert refused.returncode == 2
            assert "nothing was deleted" in refused.stderr
            assert "--trust-clock" in refused.stderr
        assert (_ended(url), "retention_held" in server.reasons()) == (EXECUTIONS + 1, True)
        ended = typed(tmp_path, *forget, "200d", "--trust-clock", shift=shift)
        assert ended.returncode == 0, ended.stderr
        assert "is enabled again" in ended.stdout
        until(lambda: _ended(url) <= 1, "retention does not go on")  # the newest stays
        table.add("after db forget", "at most 1", _ended(url))
        until(lambda: "retention has deleted" in server.log(), "what was deleted is not logged")
        assert "retention_held" not in server.reasons()
        deleted = server.metric('perdure_retention_deleted_total{kind="executions"}')
        table.add("counted as deleted", str(EXECUTIONS), int(deleted))
        assert deleted >= EXECUTIONS
    found = ask(url, "SELECT data ->> '$.action' FROM audit WHERE data ->> '$.register' = 'retention' ORDER BY pos")
    assert [action for (action,) in found] == ["retention.held", "retention.released"]
    table.show()


def test_on_sqlite_a_command_by_a_wrong_clock_deletes_nothing(tmp_path: Path) -> None:
    """As typed by cron, alone, beside a worker by the same clock, and by a right clock after that one."""
    url, token, _, _ = _filled(tmp_path, "sqlite")
    forget, shift = ("db", "forget", "--older-than", "90d", "--db", url), 100 * DAY_SECONDS

    def is_refused(shift: float) -> bool:
        answer = typed(tmp_path, *forget, shift=shift)
        assert answer.returncode == 0 or "--trust-clock" in answer.stderr
        return answer.returncode == 2

    assert not is_refused(0.0)
    assert is_refused(shift)
    with serving(tmp_path, url, token, shift, AT_ONCE, **KEEP) as server:
        until(lambda: "retention_held" in server.reasons(), "the hold is not reported")
        assert is_refused(shift)
    assert is_refused(0.0)
    assert _ended(url) >= EXECUTIONS + 1, "they are gone"


def test_on_sqlite_a_key_made_by_a_wrong_clock_ends_no_other_key(tmp_path: Path) -> None:
    url, _, _, _ = _filled(tmp_path, "sqlite")
    create = ("keys", "create", "ann", "--json", "--db", url, "--expires")
    made = [json.loads(typed(tmp_path, *create, f"{days}d").stdout)["id"] for days in (20, 40, 60)]
    for _ in range(3):
        assert typed(tmp_path, *create, "20d", shift=100 * DAY_SECONDS).returncode == 0
    listed = json.loads(typed(tmp_path, "keys", "list", "--json", "--db", url).stdout)
    assert {key["id"] for key in listed["items"]} >= set(made)
    ended = ask(url, "SELECT count(*) FROM audit WHERE data ->> '$.action' = 'key.ended'")
    assert ended == [(0,)]


def test_on_sqlite_a_webhook_that_a_wrong_clock_rotates_loses_no_token_and_no_signing_secret(tmp_path: Path) -> None:
    url, settings = database(tmp_path, "sqlite"), {"PERDURE_SECRET_KEY": new_key()}
    set_up(url, {"name": "hooked", "nodes": [{"id": "start", "type": "WEBHOOK_TRIGGER"}], "connections": []})
    at = ("--db", url, "--json")

    def webhooks(*arguments: str, shift: float = 0.0) -> dict[str, Any]:
        done = typed(tmp_path, "webhooks", *arguments, *at, shift=shift, **settings)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    first = webhooks("create", "hooked", "--signed", "standard")
    rotate = ("rotate", first["id"])
    webhooks(*rotate, "--keep-hours", "240")
    webhooks(*rotate, "--what", "signing", "--keep-hours", "240")
    for what in ("token", "signing"):
        webhooks(*rotate, "--what", what, shift=100 * DAY_SECONDS)
    cards = [json.loads(data) for (data,) in ask(url, "SELECT data FROM cards WHERE register = 'webhooks'")]
    assert len(cards) == 3, "one of the tokens is gone"
    assert {len(card["signing"]) for card in cards} == {3}, "one of the signing secrets is gone"


@both
def test_in_its_first_minutes_a_process_deletes_nothing(kind: str, tmp_path: Path) -> None:
    """They are three seconds here."""
    url, token, _, _ = _filled(tmp_path, kind)
    ask(url, AGED)
    constants = {**QUICK, "perdure.runtime.retention_guard": {"START_SECONDS": 3.0}}
    table = Table("what ended 100 days ago, a right clock, 3 s instead of the first minutes", kind)
    began = time.monotonic()
    with serving(tmp_path, url, token, 0.0, constants, **KEEP) as server:
        until(lambda: _ended(url) <= 1, "it deletes nothing")
        seconds = time.monotonic() - began
        table.add("first deletion after", "3 s at least", f"{seconds:.1f} s")
        assert seconds >= 3.0
        until(lambda: "retention has deleted" in server.log(), "what was deleted is not logged")
        table.add("logged", "retention has deleted …", server.log().partition("retention has ")[2].splitlines()[0][:60])
        assert server.metric('perdure_retention_deleted_total{kind="executions"}') >= EXECUTIONS
        assert server.reasons() == ""
    table.show()


def test_on_postgres_a_worker_ahead_of_its_database_deletes_nothing_beside_a_right_one(tmp_path: Path) -> None:
    url, token, _, _ = _filled(tmp_path, "postgres")
    table = Table("an extra worker is 100 days ahead, beside a right server", "postgres")
    with (
        serving(tmp_path, url, token, 0.0, AT_ONCE, **KEEP) as right,
        serving(tmp_path, url, token, 100 * DAY_SECONDS, AT_ONCE, **KEEP) as wrong,
    ):
        assert stays(lambda: _ended(url) == EXECUTIONS + 1, WATCHED_SECONDS), "ended executions are gone"
        table.add("ended executions", str(EXECUTIONS + 1), _ended(url))
        until(lambda: "clock_skew" in wrong.reasons(), "the skew is not reported")
        until(lambda: "retention is off" in wrong.log(), "it is not logged")
        assert (wrong.metric("perdure_retention_held"), right.metric("perdure_retention_held")) == (1, 0)
        table.add("what the right one says", "ready", right.reasons() or "ready")
        assert right.reasons() == ""
        ask(url, AGED)
        until(lambda: _ended(url) <= 1, "the right one does not go on")
        assert wrong.metric('perdure_retention_deleted_total{kind="executions"}') == 0
        table.add("what is really old, deleted by the right one", "at most 1 left", _ended(url))
    table.show()
