"""Each example of the orchestration dialect: as somebody types it, with the events that it waits for, and every command of the README."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.pages import follow

FOLDER = Path(__file__).parent.parent.parent / "examples" / "orchestration"
WAITING = 3
"""What `perdure run` exits with if it waits for somebody."""

ORDER = {"orderId": "O1", "amount": 40, "items": [{"sku": "lamp", "count": 2}]}
DOCUMENT = {"documentId": "D1", "author": "ben", "reviewer": "cleo"}
SUBSCRIPTION = {"subscriptionId": "S1", "customer": "ann", "amount": 9, "card": {"number": "4111"}}
SOON = "PT0.05S"
HORIZON = ("--horizon", "30")
"""How far ahead a worker waits for what is due: a busy machine is slow, and this is no time that anything takes."""

PAID = ("payment.authorized", {"orderId": "O1", "payment": {"method": "card", "token": "tok_1"}})
DECLINED = ("payment.authorized", {"orderId": "O1", "payment": {"method": "card", "token": "tok_declined"}})
NOT_PAID = {"about": "O1", "text": "Your order was not paid, and we have put everything back."}
ALONE: tuple[tuple[str, str, Any, Any], ...] = (
    ("order_saga", "order.placed", {**ORDER, "payWithin": SOON}, NOT_PAID),
    (
        "order_saga",
        "order.placed",
        {**ORDER, "items": [{"sku": "lamp", "count": 101}]},
        {"text": "We are sorry: what you have ordered is sold out."},
    ),
    (
        "subscription",
        "subscription.started",
        {**SUBSCRIPTION, "card": {"number": "4111", "limit": 30}, "period": SOON, "patience": SOON},
        {"ended": "S1", "why": "not paid"},
    ),
)
WOKEN: tuple[tuple[str, Any, tuple[str, Any], Any], ...] = (
    ("order_saga", ORDER, PAID, {"orderId": "O1", "things": 2}),
    ("order_saga", ORDER, DECLINED, NOT_PAID),
    (
        "document_approval",
        DOCUMENT,
        ("document.reviewed", {"documentId": "D1", "verdict": "approved"}),
        {"published": "D1"},
    ),
    (
        "document_approval",
        DOCUMENT,
        ("document.reviewed", {"documentId": "D1", "verdict": "rejected", "comments": "No sources."}),
        {"to": "ben", "text": "It needs more work. No sources."},
    ),
    (
        "subscription",
        SUBSCRIPTION,
        ("subscription.cancelled", {"subscriptionId": "S1"}),
        {"ended": "S1", "why": "cancelled"},
    ),
)
STARTED: tuple[tuple[str, str, Any, str], ...] = (
    ("order_saga", "order.placed", ORDER, "payment.authorized"),
    ("document_approval", "document.submitted", DOCUMENT, "document.reviewed"),
    ("subscription", "subscription.started", SUBSCRIPTION, "subscription.cancelled"),
)


def told(*arguments: str, status: int = 0) -> Any:
    """What a command prints with `--json`."""
    ended = subprocess.run(
        [sys.executable, "-m", "perdure", *arguments, "--json"],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def run(name: str, given: Any, *more: str, status: int = 0) -> Any:
    return told("run", f"{name}.json", "--tasks", "tasks.py", "--input", json.dumps(given), *more, status=status)


def started(name: str, event: str, payload: Any, *database: str) -> Any:
    """The execution that an event has started, as it is when there is nothing left to do."""
    told("workflows", "save", f"{name}.json", "--tasks", "tasks.py", *database)
    for _ in range(2):  # it is one event all the same
        told("events", "send", event, "--payload", json.dumps(payload), "--id", "one", *database)
    work(*database)
    (begun,) = told("executions", "list", *database)["items"]
    return shown(begun["id"], *database)


def shown(id_: str, *database: str) -> Any:
    return told("executions", "show", id_, "--view", *database)


def work(*database: str) -> None:
    told("worker", "--until-idle", *HORIZON, "--tasks", "tasks.py", *database)


def runs(shown_: Any) -> dict[str, int]:
    """How often each step was entered."""
    return {step["step"]: step["runs"] for step in shown_["steps"]}


@pytest.fixture
def database(tmp_path: Path) -> tuple[str, str]:
    return "--db", f"sqlite:///{tmp_path}/flows.db"


@pytest.mark.parametrize("name", [path.stem for path in FOLDER.glob("*.json")])
def test_nothing_is_to_be_said_of_an_example(name: str) -> None:
    found = told("validate", f"{name}.json", "--tasks", "tasks.py")
    assert (found["dialect"], found["problems"], found["warnings"]) == ("orchestration", [], [])


@pytest.mark.parametrize(("name", "event", "payload", "expected"), ALONE)
def test_example_that_nobody_else_answers(
    name: str, event: str, payload: Any, expected: Any, database: tuple[str, str]
) -> None:
    ended = started(name, event, payload, *database)
    assert ended["status"] == "completed", ended
    assert {key: ended["output"][key] for key in expected} == expected


@pytest.mark.parametrize(("name", "given", "event", "expected"), WOKEN)
def test_example_that_an_event_wakes(
    name: str, given: Any, event: tuple[str, Any], expected: Any, database: tuple[str, str]
) -> None:
    begun = run(name, given, *database, status=WAITING)
    assert begun["view"]["status"] == "WAITING_FOR_EVENT"
    type_, payload = event
    strange = {key: "another" if key.endswith("Id") else value for key, value in payload.items()}
    told("events", "send", type_, "--payload", json.dumps(strange), *database)
    work(*database)
    assert told("executions", "show", begun["id"], *database)["status"] == "waiting", "it was for somebody else"
    told("events", "send", type_, "--payload", json.dumps(payload), *database)
    work(*database)
    ended = told("executions", "show", begun["id"], *database)
    assert ended["status"] == "completed", ended
    assert {key: ended["output"][key] for key in expected} == expected


@pytest.mark.parametrize(("name", "event", "payload", "waits_for"), STARTED)
def test_example_that_an_event_starts(
    name: str, event: str, payload: Any, waits_for: str, database: tuple[str, str]
) -> None:
    view = started(name, event, payload, *database)["view"]
    assert (view["input"], view["triggerEventId"]) == (payload, "one")
    assert view["correlationId"] == next(iter(payload.values()))
    assert view["state"]["waitingForEvent"]["eventPattern"] == waits_for


@pytest.mark.parametrize(("decision", "expected"), [("approve", {"published": "D1"}), ("reject", {"to": "ben"})])
def test_a_reviewer_who_does_not_answer_is_reminded_three_times(
    decision: str, expected: Any, database: tuple[str, str]
) -> None:
    begun = started("document_approval", "document.submitted", {**DOCUMENT, "remindAfter": SOON}, *database)
    assert runs(begun) == {"ask": 1, "await_review": 3, "remind": 3, "is_enough": 3, "escalate": 1}
    (asked,) = told("approvals", "list", *database)["items"]
    assert asked["submittedData"] == {"documentId": "D1", "reviewer": "cleo"}
    told("approvals", decision, asked["id"], "--as", "mia", "--comments", "seen", *database)
    work(*database)
    output = shown(begun["id"], *database)["output"]
    assert {key: output[key] for key in expected} == expected
    assert decision == "approve" or output["text"] == "It needs more work. seen"


def test_a_subscription_is_renewed_until_its_card_is_declined_and_then_by_another_card(
    database: tuple[str, str],
) -> None:
    given = {**SUBSCRIPTION, "card": {"number": "4111", "limit": 30}, "period": SOON}
    begun = started("subscription", "subscription.started", given, *database)
    state = begun["view"]["state"]
    assert state["steps"]["renew"]["error"]["code"] == "DECLINED"
    assert state["waitingForEvent"]["eventPattern"] == "card.updated"
    assert (runs(begun)["renew"], runs(begun)["await_card"]) == (4, 1)
    card = {"subscriptionId": "S1", "card": {"number": "4222", "limit": 40}}
    told("events", "send", "card.updated", "--payload", json.dumps(card), *database)
    work(*database)
    assert (runs(shown(begun["id"], *database))["renew"], len(charges(begun["id"], *database))) == (9, 7)


def charges(id_: str, *database: str) -> list[str]:
    """The ids of all that was paid: three times by the first card, four times by the second."""
    history = told("executions", "show", id_, "--history", *database)["history"]["items"]
    outputs = (entry["data"].get("output") for entry in history if entry["kind"] == "step.completed")
    found = [output["chargeId"] for output in outputs if isinstance(output, dict) and "chargeId" in output]
    assert len(set(found)) == len(found)
    return found


def test_every_command_of_the_readme(tmp_path: Path) -> None:
    folder = tmp_path / "orchestration"
    shutil.copytree(FOLDER, folder)
    assert follow((FOLDER / "README.md").read_text(), folder)


def test_none_is_left_out() -> None:
    there = {path.stem for path in FOLDER.glob("*.json")}
    assert {name for name, *_ in STARTED} == {name for name, *_ in WOKEN} == there
    readme = (FOLDER / "README.md").read_text()
    assert [name for name in sorted(there) if f"save {name}.json" not in readme] == []
