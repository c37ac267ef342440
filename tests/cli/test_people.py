"""`perdure approvals`, `members`, `notifiers`, `audit`: typed in turn, on one database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.typing import Ended, here, perdure, written

ASKING = {
    "name": "order",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {
            "id": "ask",
            "type": "APPROVAL",
            "data": {"approverRole": "finance", "variableName": "review", "allowDataModification": True},
        },
        {"id": "ship", "type": "SET", "data": {"values": {"shipped": True}}},
    ],
    "connections": [
        {"fromNodeId": "start", "toNodeId": "ask"},
        {"fromNodeId": "ask", "toNodeId": "ship", "fromOutput": "approved"},
    ],
}


Typed = Callable[..., Ended]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    return lambda *arguments: here(capsys, *arguments)


@pytest.fixture
def db(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/flows.db"


@pytest.fixture
def asked(tmp_path: Path, db: str, typed: Typed) -> str:
    """An execution that waits for an approval."""
    ran = typed("run", written(tmp_path, "order.json", ASKING), "--input", '{"sum": 5}', "--db", db, "--json")
    assert ran.status == 3
    return str(ran.object["id"])


def approval_of(typed: Typed, db: str, execution: str) -> str:
    listed = typed("approvals", "list", "--execution", execution, "--status", "all", "--db", db, "--json").object
    assert listed["next"] is None
    (item,) = listed["items"]
    return str(item["id"])


def test_an_approval_is_listed_shown_taken_on_and_approved(db: str, asked: str, typed: Typed) -> None:
    for name, more in (("ann", ("--group", "finance")), ("bob", ("--role", "approver"))):
        assert typed("members", "add", name, *more, "--db", db).status == 0
    id_ = approval_of(typed, db, asked)
    assert id_ in typed("approvals", "list", "--for", "ann", "--db", db).out
    assert "no such approvals" in typed("approvals", "list", "--for", "bob", "--db", db).out
    shown = typed("approvals", "show", id_, "--db", db)
    assert "group finance" in shown.out
    assert "approvals approve" in shown.out
    refused = typed("approvals", "approve", id_, "--as", "bob", "--db", db, "--json")
    assert refused.status == 2
    assert refused.object["error"]["type"] == "forbidden"
    assert "ann has taken it on" in typed("approvals", "claim", id_, "--as", "ann", "--db", db).out
    assert "can decide it" in typed("approvals", "release", id_, "--as", "ann", "--db", db).out
    approved = typed(
        *(
            "approvals",
            "approve",
            id_,
            "--as",
            "ann",
            "--comments",
            "fine",
            "--data",
            '{"sum": 4}',
            "--db",
            db,
            "--json",
        )
    )
    assert approved.object["status"] == "approved"
    assert approved.object["modifiedData"] == {"sum": 4}
    assert typed("approvals", "approve", id_, "--as", "ann", "--db", db).status == 0
    late = typed("approvals", "reject", id_, "--as", "ann", "--db", db)
    assert late.status == 2
    assert "is approved already, by ann" in late.err
    assert typed("worker", "--until-idle", "--db", db).status == 0
    output = typed("executions", "show", asked, "--db", db, "--json").object["output"]
    assert output["shipped"] is True
    assert output["review"]["comments"] == "fine"
    actions = [entry["action"] for entry in typed("audit", "list", "--db", db, "--json").object["items"]]
    assert actions == [
        *("approval.approved", "approval.released", "approval.claimed"),
        *("member.added", "member.added"),
    ]
    assert "member.added" in typed("audit", "list", "--db", db).out


def test_the_inbox_of_nobody_says_that_there_is_no_such_member(db: str, asked: str, typed: Typed) -> None:
    assert asked
    empty = typed("approvals", "list", "--for", "zed", "--db", db)
    assert empty.out == "there are no such approvals\n"
    typed("members", "add", "ann", "--db", db)
    assert typed("approvals", "list", "--for", "ann", "--db", db).out == "there are no such approvals\n"
    stranger = typed("approvals", "list", "--for", "zed", "--db", db)
    assert stranger.status == 0
    assert stranger.out.startswith("there are no such approvals; there is no member 'zed' in organization 'default'; ")


def test_where_there_are_no_members_people_have_names_even_so(db: str, asked: str, typed: Typed) -> None:
    rejected = typed("approvals", "reject", approval_of(typed, db, asked), "--as", "ann", "--db", db)
    assert "it is rejected, by ann" in rejected.out


def test_members_are_added_changed_and_removed(db: str, typed: Typed) -> None:
    assert typed("members", "add", "boss", "--role", "admin", "--db", db).status == 0
    assert "no such file" not in typed("members", "list", "--db", db).out
    added = typed("members", "add", "ann", "--email", "ann@example.com", "--as", "boss", "--db", db, "--json")
    assert (added.object["roles"], added.object["email"]) == (["viewer"], "ann@example.com")
    changed = typed("members", "set", "ann", "--role", "editor", "--group", "sales", "--db", db)
    assert changed.out == "ann is changed: editor, in sales\n"
    assert typed("members", "set", "ann", "--no-groups", "--db", db).out == "ann is changed: editor\n"
    assert "ann@example.com" in typed("members", "list", "--db", db).out
    nothing = typed("members", "set", "ann", "--as", "boss", "--db", db)
    assert (nothing.status, "nothing to change is given: say --role" in nothing.err) == (2, True)
    last = typed("members", "remove", "boss", "--db", db)
    assert (last.status, "the only admin" in last.err) == (2, True)
    assert typed("members", "remove", "ann", "--as", "boss", "--db", db).status == 0
    wrong = typed("members", "add", "x", "--role", "chief", "--email", "x", "--db", db, "--json")
    assert [problem["type"] for problem in wrong.object["problems"]] == ["unknown_role", "invalid_email"]


def test_a_notice_to_the_log_is_printed_by_whoever_runs_it(db: str, asked: str, typed: Typed) -> None:
    assert typed("notifiers", "add", "lg", "log", "--on", "decided", "--db", db).status == 0
    id_ = approval_of(typed, db, asked)
    assert typed("approvals", "approve", id_, "--as", "ann", "--db", db).status == 0
    worked = perdure("worker", "--until-idle", "--db", db)  # a process of its own: pytest has handlers for logs
    (said,) = [line for line in worked.err.splitlines() if id_ in line]
    assert f"  approval {id_} of step 'ask' is decided: " in said


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://10.0.0.5:8080/hook", "10.0.0.5:8080"),
        ("https://localhost/hook", "localhost:443"),
        ("http://[::1]/hook", "[::1]:80"),
        ("https://desk.example.com/hook", None),
        ("https://8.8.8.8/hook", None),
    ],
)
def test_a_notifier_to_an_address_inside_is_told_how_that_is_allowed(
    db: str, typed: Typed, url: str, told: str | None
) -> None:
    said = typed("notifiers", "add", "desk", "webhook", "--url", url, "--db", db).out
    assert (f"PERDURE_ALLOW_ADDRESSES of the worker has {told}\n" in said) == (told is not None)
    assert ("PERDURE_ALLOW_ADDRESSES" in said) == (told is not None)


def test_notifiers_are_added_listed_and_removed(db: str, typed: Typed) -> None:
    hook = ("notifiers", "add", "desk", "webhook", "--url", "https://desk.example.com/hook", "--db", db)
    assert "not signed" in typed(*hook).out
    assert typed(*hook).status == 2
    assert typed("notifiers", "add", "mail", "email", "--on", "opened", "--db", db).status == 0
    assert "e-mail to whoever is asked" in typed("notifiers", "list", "--db", db).out
    listed = typed("notifiers", "list", "--db", db, "--json").object["items"]
    assert [each["on"] for each in listed] == [["opened", "escalated"], ["opened"]]
    assert typed("notifiers", "remove", "desk", "--db", db).out == "desk is gone\n"
    assert typed("notifiers", "remove", "desk", "--db", db).status == 2


def test_a_key_is_not_made_with_roles_that_its_member_does_not_have(db: str, typed: Typed) -> None:
    assert typed("keys", "create", "ops", "--role", "admin", "--db", db).status == 0
    assert typed("keys", "create", "ops", "--role", "admin", "--db", db).status == 0
    for role in ("viewer", "oprator"):
        refused = typed("keys", "create", "ops", "--role", role, "--db", db)
        assert refused.status == 2
        assert "ops is there already, with admin: leave --role out" in refused.err
    assert len(typed("keys", "list", "--db", db, "--json").object["items"]) == 2
