"""`perdure bulk`: how many it would be is said first, and nothing is done before somebody has said yes. `perdure triggers`."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from api.house import run
from api.test_matrix import HOOKED
from cli.documents import graph
from cli.typing import here, written
from perdure import Engine

ASKING = graph({"id": "ask", "type": "APPROVAL", "data": {"approverRole": "finance"}}, name="asking")


@pytest.fixture
def db(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A database with three executions that wait for somebody."""
    url = f"sqlite:///{tmp_path}/flows.db"
    for number in range(3):
        here(capsys, "run", written(tmp_path, "asking.json", ASKING), "--input", f'{{"n": {number}}}', "--db", url)
    return url


def statuses(capsys: pytest.CaptureFixture[str], db: str) -> list[str]:
    found = here(capsys, "executions", "list", "--db", db, "--json").object["items"]
    return [each["status"] for each in found]


@contextmanager
def typing(monkeypatch: pytest.MonkeyPatch, answer: str) -> Iterator[None]:
    """Somebody sits there, and types this."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as terminal, os.fdopen(ours, "wb", buffering=0) as keyboard:
        keyboard.write(f"{answer}\n".encode())
        monkeypatch.setattr(sys, "stdin", terminal)
        yield


def test_without_yes_nothing_is_done_and_how_many_it_would_be_is_said(
    db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = here(capsys, "bulk", "cancel", "--workflow", "asking", "--db", db)
    assert (ended.status, ended.out.splitlines()[0]) == (2, "3 executions would be cancelled")
    assert "say --yes to do it, or --dry-run to look" in ended.err
    refused = here(capsys, "bulk", "cancel", "--workflow", "asking", "--db", db, "--json")
    assert (refused.status, refused.object["problems"][0]["type"]) == (2, "not_confirmed")
    looked = here(capsys, "bulk", "cancel", "--workflow", "asking", "--dry-run", "--db", db, "--json")
    assert (looked.status, looked.object["matched"], len(looked.object["examples"])) == (0, 3, 3)
    assert statuses(capsys, db) == ["waiting"] * 3


@pytest.mark.parametrize(("answer", "status"), [("n", 2), ("", 2), ("y", 0), ("yes", 0)])
def test_who_sits_at_a_terminal_is_asked(
    answer: str, status: int, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with typing(monkeypatch, answer):
        ended = here(capsys, "bulk", "rerun", "--workflow", "asking", "--db", db)
    assert ended.status == status
    assert "do it? [y/N]" in ended.out
    assert len(statuses(capsys, db)) == (3 if status else 6)


def test_all_are_meant_only_by_who_says_so(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("cancel",), ("cancel", "--yes"), ("rerun", "--yes", "--json"), ("retry", "--dry-run")):
        assert here(capsys, "bulk", *words, "--db", db).status == 2, words
    both = here(capsys, "bulk", "cancel", "--all", "--status", "waiting", "--yes", "--db", db)
    assert (both.status, "leave it out" in both.err) == (2, True)
    assert statuses(capsys, db) == ["waiting"] * 3
    done = here(capsys, "bulk", "cancel", "--all", "--reason", "no more", "--yes", "--db", db)
    assert (done.status, done.out.splitlines()[-1]) == (0, "3 cancelled")
    assert "3 of them are noted, and no worker has taken them up yet" in done.out
    here(capsys, "worker", "--until-idle", "--db", db)
    assert statuses(capsys, db) == ["cancelled"] * 3
    nothing = here(capsys, "bulk", "cancel", "--all", "--db", db)
    assert (nothing.status, nothing.out.strip()) == (0, "0 executions would be cancelled")
    none = here(capsys, "bulk", "cancel", "--all", "--yes", "--db", db, "--json")
    assert none.object == {"items": [], "next": None}


def test_pages_are_gone_through_to_the_last(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perdure.cli.bulk.PAGE", 1)
    done = here(capsys, "bulk", "rerun", "--workflow", "asking", "--yes", "--db", db, "--json")
    assert len({each["id"] for each in done.object["items"]}) == 3
    assert all(each["new"] for each in done.object["items"])
    assert len(statuses(capsys, db)) == 6


def test_who_may_not_does_nothing(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    here(capsys, "members", "add", "ann", "--role", "admin", "--db", db)
    here(capsys, "members", "add", "vera", "--role", "viewer", "--db", db)
    refused = here(capsys, "bulk", "cancel", "--all", "--yes", "--as", "vera", "--db", db, "--json")
    assert (refused.status, refused.object["error"]["type"]) == (2, "forbidden")
    assert statuses(capsys, db) == ["waiting"] * 3


def test_what_came_in_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = f"sqlite:///{tmp_path}/flows.db"

    async def scenario() -> None:
        async with Engine(db, works=False) as engine:
            await engine.workflows.save(HOOKED)
            issued = await engine.webhooks.create("hooked")
            headers = [("content-type", "application/json"), ("webhook-id", "d-1")]
            for _ in range(2):
                await engine.webhooks.receive(issued.token or "", headers, b"{}")

    run(scenario())
    here(capsys, "events", "send", "order.paid", "--id", "e-17", "--db", db)
    listed = here(capsys, "triggers", "list", "--db", db)
    assert listed.out.splitlines()[0].split() == ["CAME", "KIND", "OF", "OUTCOME", "TIMES", "EXECUTION", "WHY"]
    told = here(capsys, "triggers", "list", "--db", db, "--json").object["items"]
    assert len(told) == len(listed.out.splitlines()) - 1
    again = here(capsys, "triggers", "list", "--outcome", "duplicate", "--db", db, "--json").object["items"]
    assert ([each["kind"] for each in again], again[0]["deliveryId"]) == (["hook"], "d-1")
    assert here(capsys, "triggers", "list", "--since", "noon", "--db", db).status == 2
