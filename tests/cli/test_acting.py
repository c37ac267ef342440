"""`--as MEMBER`: whoever may does it and is in the audit, and whoever may not is told who may."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.typing import Ended, here, written

WORK = {
    "name": "work",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "ask", "type": "APPROVAL", "data": {"separationOfDuties": True}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "ask"}],
}
Typed = Callable[..., Ended]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Typed:
    """On one database, where ed is an editor, olga an operator and vic a viewer."""
    db = f"sqlite:///{tmp_path}/flows.db"

    def told(*arguments: str) -> Ended:
        return here(capsys, *arguments, "--db", db)

    for name, role in (("ed", "editor"), ("olga", "operator"), ("vic", "viewer")):
        assert told("members", "add", name, "--role", role).status == 0
    return told


def is_forbidden(ended: Ended, roles: str) -> bool:
    return ended.status == 2 and f"that takes the role {roles}" in ended.err


def last(typed: Typed) -> tuple[str, str]:
    entry = typed("audit", "list", "--limit", "1", "--json").object["items"][0]
    return entry["action"], entry["by"]


def test_workflows_are_saved_activated_and_deactivated_by_an_editor(typed: Typed, tmp_path: Path) -> None:
    file = written(tmp_path, "work.json", WORK)
    commands = {
        "saved": ("save", file),
        "deactivated": ("deactivate", "work", "1"),
        "activated": ("activate", "work", "1"),
    }
    for done, command in commands.items():
        assert is_forbidden(typed("workflows", *command, "--as", "olga"), "editor or admin")
        assert typed("workflows", *command, "--as", "ed").status == 0
        assert last(typed) == (f"workflow.{done}", "ed")


def test_what_is_run_is_run_by_somebody_who_may_not_decide_about_it(typed: Typed, tmp_path: Path) -> None:
    file = written(tmp_path, "work.json", WORK)
    assert is_forbidden(typed("run", file, "--as", "olga"), "editor or admin")
    assert typed("run", file, "--as", "ed", "--json").status == 3
    (item,) = typed("approvals", "list", "--json").object["items"]
    assert item["startedBy"] == "ed"


def test_executions_are_steered_by_an_operator(typed: Typed, tmp_path: Path) -> None:
    ran = typed("run", written(tmp_path, "work.json", WORK), "--json").object["id"]
    steered = {
        ("rerun", ran): "rerun",
        ("rerun", ran, "--from-step", "ask"): "rerun",
        ("fork", ran, "--at-step", "ask"): "forked",
        ("cancel", ran): "cancelled",
    }
    for command, done in steered.items():
        assert is_forbidden(typed("executions", *command, "--as", "vic"), "operator or editor or admin")
        assert typed("executions", *command, "--as", "olga").status == 0
        assert last(typed) == (f"execution.{done}", "olga")
    for command in (("retry", ran), ("refire", ran)):
        assert is_forbidden(typed("executions", *command, "--as", "vic"), "operator or editor or admin")
        assert "that takes the role" not in typed("executions", *command, "--as", "olga").err


def test_events_are_sent_by_an_operator(typed: Typed) -> None:
    assert is_forbidden(typed("events", "send", "order.paid", "--as", "vic"), "operator or editor or admin")
    assert typed("events", "list", "--json").object["items"] == []
    assert typed("events", "send", "order.paid", "--as", "olga").status == 0


def test_who_is_forbidden_it_is_told_so_as_json(typed: Typed) -> None:
    refused = typed("events", "send", "order.paid", "--as", "ghost", "--json")
    assert (refused.status, refused.object["error"]["type"]) == (2, "forbidden")
