"""`perdure approvals` tells what somebody has to know before they decide, and what has come of it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from cli.test_people import Typed, approval_of
from cli.typing import here, written


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    return lambda *arguments: here(capsys, *arguments)


@pytest.fixture
def db(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/flows.db"


def opened(typed: Typed, db: str, tmp_path: Path, given: Any = None, **data: Any) -> tuple[str, str]:
    """The execution and the approval of a document that was never saved."""
    document = {
        "name": "order",
        "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}, {"id": "ask", "type": "APPROVAL", "data": data}],
        "connections": [{"fromNodeId": "start", "toNodeId": "ask"}],
    }
    file = written(tmp_path, "order.json", document)
    ran = typed("run", file, "--input", json.dumps(given or {}), "--db", db, "--json")
    execution = str(ran.object["id"])
    return execution, approval_of(typed, db, execution)


def shown(typed: Typed, db: str, id_: str) -> dict[str, str]:
    """The fields of an approval, as they are printed."""
    lines = typed("approvals", "show", id_, "--db", db).out.split("\n\n")[0].splitlines()
    return {name: said.strip() for name, _, said in (line.partition("  ") for line in lines)}


def test_its_title_is_in_the_list_and_shown(db: str, typed: Typed, tmp_path: Path) -> None:
    _, id_ = opened(typed, db, tmp_path, {"amount": 90}, title="Refund {{amount}}?")
    assert shown(typed, db, id_)["title"] == "Refund 90?"
    headings, line = typed("approvals", "list", "--db", db).out.splitlines()
    assert headings.endswith("TITLE")
    assert line.endswith("Refund 90?")


def test_its_history_is_told_in_lines(db: str, typed: Typed, tmp_path: Path) -> None:
    _, id_ = opened(typed, db, tmp_path)
    typed("approvals", "claim", id_, "--as", "ann", "--db", db)
    typed("approvals", "reject", id_, "--as", "ann", "--comments", "too much", "--db", db)
    headings, *lines = typed("approvals", "history", id_, "--db", db).out.splitlines()
    assert headings.split() == ["AT", "BY", "WHAT"]
    assert [line.split("  ")[-1].strip() for line in lines[2:]] == ["reject, too much", "reject, too much"]
    told = typed("approvals", "history", id_, "--db", db, "--json").object
    assert [each["what"] for each in told["items"]] == ["opened", "claimed", "voted", "decided"]
    assert told["next"] is None


def test_what_time_has_settled_is_told_though_no_worker_has_come(db: str, typed: Typed, tmp_path: Path) -> None:
    execution, id_ = opened(typed, db, tmp_path, dueDate="PT0.3S", onTimeout="reject")
    time.sleep(0.4)  # the due date is a time of day: the command line has no other clock
    assert shown(typed, db, id_)["is"] == "overdue"
    late = typed("approvals", "approve", id_, "--as", "ann", "--db", db)
    assert late.status == 2
    assert "its time is over: it is rejected by onTimeout" in late.err
    assert typed("worker", "--until-idle", "--db", db).status == 0
    late = typed("approvals", "approve", id_, "--as", "ann", "--db", db)
    assert "is rejected already, by system" in late.err
    again = typed("approvals", "reject", id_, "--as", "ann", "--db", db)
    assert "its execution is completed, and nothing more follows from it" in again.out
    (entry,) = typed("audit", "list", "--db", db, "--json").object["items"]
    assert (entry["action"], entry["by"], entry["subject"]) == ("approval.rejected", "system", id_)
    assert execution in typed("executions", "list", "--db", db).out


def test_votes_are_counted_for_what_they_are_for(db: str, typed: Typed, tmp_path: Path) -> None:
    _, id_ = opened(*(typed, db, tmp_path), votesRequired=2, allowDataModification=True, submittedData={"amount": 90})

    def votes(decision: str, by: str, *more: str) -> str:
        return typed("approvals", decision, id_, "--as", by, *more, "--db", db).out.partition("kept; ")[2].rstrip()

    changed = ("--data", '{"amount": 10}')
    assert votes("approve", "ann", *changed) == "1 of 2 needed to approve it so changed"
    assert votes("approve", "ben") == "1 of 2 needed to approve it as submitted, 1 to approve other data"
    assert votes("reject", "cyd") == "1 of 2 needed to reject, 2 to approve"
    assert votes("approve", "ben") == "1 of 2 needed to approve it as submitted, 1 to approve other data, 1 against"
    assert shown(typed, db, id_)["votes"] == 'ann: approve, changed to {"amount":10}; cyd: reject; ben: approve'
    told = typed("approvals", "show", id_, "--db", db, "--json").object["votes"]
    assert [vote["modifiedData"] for vote in told] == [{"amount": 10}, None, None]
    settled = typed("approvals", "approve", id_, "--as", "ben", *changed, "--db", db, "--json").object
    assert (settled["status"], settled["modifiedData"]) == ("approved", {"amount": 10})


def test_what_keeps_somebody_from_deciding_and_what_time_does_is_shown(db: str, typed: Typed, tmp_path: Path) -> None:
    handed = {"dueDate": "P3D", "onTimeout": "escalate", "escalateTo": {"role": "directors"}}
    _, id_ = opened(typed, db, tmp_path, approverRole="finance", separationOfDuties=True, **handed)
    told = shown(typed, db, id_)
    assert told["when due"] == "it is handed to group directors"
    assert "separation of duties" in told["not asked"]
    as_json = typed("approvals", "show", id_, "--db", db, "--json").object
    assert (as_json["onTimeout"], as_json["escalateTo"]) == ("escalate", {"role": "directors"})
    assert (as_json["separationOfDuties"], as_json["startedBy"]) == (True, None)
    _, id_ = opened(typed, db, tmp_path, {"boss": "ann"}, **(handed | {"escalateTo": "{{boss}}"}))
    assert shown(typed, db, id_)["when due"] == "it is handed to whom the workflow names then"


@pytest.mark.parametrize(
    ("to", "words"),
    [({"role": "directors"}, "group directors"), ({"member": "ann"}, "ann"), ("ann", "ann, a member or a group")],
)
def test_to_whom_it_was_handed_is_said_in_words(db: str, typed: Typed, tmp_path: Path, to: Any, words: str) -> None:
    _, id_ = opened(typed, db, tmp_path, dueDate="PT0.01S", onTimeout="escalate", escalateTo=to)
    assert typed("worker", "--until-idle", "--db", db).status == 0
    assert shown(typed, db, id_)["handed to"] == words


def test_who_decides_is_asked_for_their_name(db: str, typed: Typed, tmp_path: Path) -> None:
    _, id_ = opened(typed, db, tmp_path)
    assert f"`perdure approvals approve {id_} --as MEMBER --db" in typed("approvals", "show", id_, "--db", db).out


def test_approvals_of_a_document_that_was_only_run_are_found_by_its_name(db: str, typed: Typed, tmp_path: Path) -> None:
    _, id_ = opened(typed, db, tmp_path)
    assert id_ in typed("approvals", "list", "--workflow", "order", "--db", db).out
    assert id_ not in typed("approvals", "list", "--workflow", "ordre", "--db", db).out


def test_a_decision_after_a_cancel_is_told_that_nothing_follows(db: str, typed: Typed, tmp_path: Path) -> None:
    execution, id_ = opened(typed, db, tmp_path)
    assert typed("executions", "cancel", execution, "--db", db).status == 0
    said = typed("approvals", "approve", id_, "--db", db).out
    assert "its execution is to be cancelled, and nothing follows from it" in said


def test_who_is_named_and_is_not_there_is_told_when_it_is_saved(db: str, typed: Typed, tmp_path: Path) -> None:
    def asks(id_: str, **data: Any) -> dict[str, Any]:
        return {"id": id_, "type": "APPROVAL", "data": data}

    handed = {"dueDate": "P1D", "onTimeout": "escalate"}
    document = {
        "name": "asks",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            asks("a", approverMemberId="nosuch"),
            asks("b", approverRole="finance", **handed, escalateTo={"role": "directors"}),
            asks("c", approverMemberId="ann", **handed, escalateTo="nosuch"),
            asks("d", approverMemberId="{{who}}", **handed, escalateTo="{{who}}"),
            asks("e", approverMemberId="ann", **handed, escalateTo="finance"),
        ],
        "connections": [{"fromNodeId": "start", "toNodeId": id_} for id_ in "abcde"],
    }

    def warned() -> list[tuple[str, str]]:
        saved = typed("workflows", "save", written(tmp_path, "asks.json", document), "--db", db, "--json").object
        return [(each["step"], each["field"]) for each in saved["warnings"] if each["type"] == "nobody_to_decide"]

    assert warned() == []  # nobody has members yet
    assert typed("members", "add", "ann", "--group", "finance", "--db", db).status == 0
    assert warned() == [("a", "approverMemberId"), ("b", "escalateTo"), ("c", "escalateTo")]
    ran = typed("run", written(tmp_path, "asks.json", document), "--db", db, "--input", '{"who": "ann"}')
    assert [step for step in "abcde" if f"step '{step}': " in ran.out] == ["a", "b", "c"]


def test_whoever_comes_second_is_told_who_was_first(db: str, typed: Typed, tmp_path: Path) -> None:
    _, id_ = opened(typed, db, tmp_path)
    assert "it is approved, by ann;" in typed("approvals", "approve", id_, "--as", "ann", "--db", db).out
    second = typed("approvals", "approve", id_, "--as", "bob", "--db", db)
    assert second.status == 0
    assert "it was approved before, by ann, " in second.out
    assert ": this changes nothing; " in second.out


@pytest.mark.parametrize("verb", ["approve", "reject", "claim", "release"])
def test_where_there_are_members_nobody_decides_without_saying_who(
    db: str, typed: Typed, tmp_path: Path, verb: str
) -> None:
    execution, id_ = opened(typed, db, tmp_path)
    assert typed("members", "add", "ann", "--role", "approver", "--db", db).status == 0
    refused = typed("approvals", verb, id_, "--db", db, "--json")
    assert refused.status == 2
    (problem,) = refused.object["problems"]
    assert problem["type"] == "missing_option"
    assert problem["message"] == (
        "organization 'default' has members: say which one acts with --as MEMBER, or act as the operator of the database with "
        "--as-system"
    )
    assert typed("approvals", "show", id_, "--db", db, "--json").object["status"] == "pending"
    both = typed("approvals", verb, id_, "--as", "ann", "--as-system", "--db", db)
    assert (both.status, "exclude each other" in both.err) == (2, True)
    if verb == "release":
        assert typed("approvals", "claim", id_, "--as", "ann", "--db", db).status == 0
    assert typed("approvals", verb, id_, "--as-system", "--db", db).status == 0
    (entry, *_) = typed("audit", "list", "--db", db, "--json").object["items"]
    done = {"approve": "approved", "reject": "rejected", "claim": "claimed", "release": "released"}[verb]
    assert (entry["action"], entry["by"], entry["subject"]) == (f"approval.{done}", "program", id_)
    assert execution


def test_as_system_says_nothing_to_a_server(typed: Typed) -> None:
    refused = typed("approvals", "approve", "x", "--as-system", "--server", "http://127.0.0.1:9", "--key", "prd_x")
    assert (refused.status, "--as-system needs --db" in refused.err) == (2, True), refused.err


def test_where_there_are_no_members_nobody_has_to_be_named(db: str, typed: Typed, tmp_path: Path) -> None:
    for options in ((), ("--as-system",)):
        _, id_ = opened(typed, db, tmp_path)
        assert "it is approved, by program;" in typed("approvals", "approve", id_, *options, "--db", db).out
