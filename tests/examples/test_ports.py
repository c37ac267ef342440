"""Each example of the ports dialect, by the commands that its folder's README names: also what people and models are asked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from docs.pages import follow
from examples.chat import chat, said

Environment: TypeAlias = Mapping[str, str]
"""What a process finds beside what this one has."""

NONE: Environment = {}
FOLDER = Path(__file__).parent.parent.parent / "examples" / "ports"
LAMP, GONE = {"sku": "lamp"}, {"sku": "gone"}
WAITING = 3
"""What `perdure run` exits with if it waits for somebody."""

CUSTOMER = {"customer": {"id": "c1", "name": "Ada"}}
RUNS: tuple[tuple[str, Any, Any], ...] = (
    ("refund-request", {"order": "O1", "amount": 20, "items": [LAMP]}, {"refunded": True, "items": 1, "failed": 0}),
    (
        "refund-request",
        {"order": "O2", "amount": 50, "items": [LAMP, GONE]},
        {"refunded": True, "items": 2, "failed": 1},
    ),
    ("shopify-data-sync", {}, {"resource": "customers", "synced": 120, "batches": 3}),
    ("sync-task", {}, {"resource": "products", "synced": 230, "batches": 3}),
    ("weekly-cleanup", {}, {"message": "25 archived", "level": "info"}),
)
SENT = {"conversationId": "email-c1"}
ASKING: tuple[tuple[str, Any, str, Any], ...] = (
    ("approval-task", {"text": "Dear Ann"}, "approve", {"decision": "approve", "submittedData": {"text": "Dear Ann"}}),
    ("assignment", {"assignee": "ben", "task": "tidy up"}, "approve", {"message": "ben has done: tidy up"}),
    ("product-recommendation-approval", {"customerId": "c1", "products": ["rug"]}, "approve", SENT),
    ("refund-request", {"order": "O3", "amount": 900, "items": [LAMP]}, "approve", {"refunded": True, "items": 1}),
    ("refund-request", {"order": "O3", "amount": 900, "items": [LAMP]}, "reject", {"refunded": False, "why": "seen"}),
    ("customer-churn-prevention", CUSTOMER, "approve", SENT),
    (
        "product-recommendation",
        {"customerId": "c1"},
        "approve",
        {"customerId": "c1", "sent": True, "products": ["rug"]},
    ),
    ("product-recommendation", {"customerId": "c1"}, "reject", {"customerId": "c1", "sent": False}),
)


def perdure(*arguments: str, environment: Environment = NONE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "perdure", *arguments],
        cwd=FOLDER,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def told(*arguments: str, status: int = 0, environment: Environment = NONE) -> Any:
    """What a command prints with `--json`."""
    ended = perdure(*arguments, "--json", environment=environment)
    assert ended.returncode == status, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def run(name: str, given: Any, *more: str, status: int = 0, environment: Environment = NONE) -> Any:
    command = ("run", f"{name}.json", "--tasks", "tasks.py", "--input", json.dumps(given), *more)
    return told(*command, status=status, environment=environment)


def answer(request: dict[str, Any], quality: float = 0.5, risk: float = 0.9) -> str:
    if "churn" in said(request):
        return json.dumps({"churn_risk_score": risk, "reason": "has not been here for long"})
    return json.dumps({"products": ["rug"], "quality": quality})


@pytest.mark.parametrize(("name", "given", "expected"), RUNS)
def test_example(name: str, given: Any, expected: Any) -> None:
    assert run(name, given)["output"] == expected


@pytest.mark.parametrize(("name", "given", "decision", "expected"), ASKING)
def test_example_that_asks_somebody(name: str, given: Any, decision: str, expected: Any, tmp_path: Path) -> None:
    database = ("--db", f"sqlite:///{tmp_path}/flows.db")
    with chat(answer) as model:
        begun = run(name, given, *database, status=WAITING, environment=model.environment)
        assert (begun["view"]["status"], begun["view"]["waitingFor"]) == ("running", "approval")
        (asked,) = told("approvals", "list", *database)["items"]
        told("approvals", decision, asked["id"], "--as", "ann", "--comments", "seen", *database)
        told("worker", "--until-idle", "--tasks", "tasks.py", *database, environment=model.environment)
    ended = told("executions", "show", begun["id"], "--view", *database)
    assert ended["status"] == "completed", ended
    assert {key: ended["output"][key] for key in expected} == expected
    assert ended["view"]["metadata"]["resumeWithPort"] == ("approved" if decision == "approve" else "rejected")


def test_what_the_approver_changed_is_what_is_sent(tmp_path: Path) -> None:
    database = ("--db", f"sqlite:///{tmp_path}/flows.db")
    with chat(answer) as model:
        begun = run(
            "product-recommendation", {"customerId": "c1"}, *database, status=WAITING, environment=model.environment
        )
    (asked,) = told("approvals", "list", *database)["items"]
    assert asked["submittedData"] == {"products": ["rug"], "quality": 0.5}
    changed = json.dumps({"products": ["clock", "chair"]})
    told("approvals", "approve", asked["id"], "--data", changed, *database)
    told("worker", "--until-idle", "--tasks", "tasks.py", *database)
    shown = told("executions", "show", begun["id"], "--step", "send_recommendations", *database)
    assert "clock, chair" in json.dumps(shown["step"])


@pytest.mark.parametrize(
    ("name", "given", "answered", "expected"),
    [
        ("customer-churn-prevention", CUSTOMER, {"risk": 0.2}, {"sent": True, "template": "standard_retention"}),
        (
            "product-recommendation",
            {"customerId": "c1"},
            {"quality": 0.9},
            {"customerId": "c1", "sent": True, "products": ["rug"]},
        ),
    ],
)
def test_example_whose_model_is_sure(name: str, given: Any, answered: dict[str, float], expected: Any) -> None:
    with chat(lambda request: answer(request, **answered)) as model:
        assert run(name, given, environment=model.environment)["output"] == expected
    assert "Ada" in said(model.asked[0])


@pytest.mark.parametrize(
    ("name", "event", "payload"),
    [
        ("customer-churn-prevention", "subscription_cancelled", CUSTOMER),
        ("product-recommendation", "purchase.completed", {"customerId": "c1"}),
    ],
)
def test_example_that_an_event_starts(name: str, event: str, payload: Any, tmp_path: Path) -> None:
    database = ("--db", f"sqlite:///{tmp_path}/flows.db")
    told("workflows", "save", f"{name}.json", "--tasks", "tasks.py", *database)
    told("events", "send", event, "--payload", json.dumps(payload), *database)
    with chat(answer) as model:
        told("worker", "--until-idle", "--tasks", "tasks.py", *database, environment=model.environment)
    (begun,) = told("executions", "list", *database)["items"]
    shown = told("executions", "show", begun["id"], "--view", *database)["view"]
    assert (shown["triggeredBy"], shown["input"], shown["waitingFor"]) == ("event", payload, "approval")


def test_examples_that_a_schedule_starts(tmp_path: Path) -> None:
    database = ("--db", f"sqlite:///{tmp_path}/flows.db")
    for name in ("shopify-data-sync", "weekly-cleanup"):
        told("workflows", "save", f"{name}.json", "--tasks", "tasks.py", *database)
    found = told("schedules", "list", *database)["items"]
    assert {each["name"]: (each["schedule"], each["timezone"], each["overlap"]) for each in found} == {
        "Shopify Data Sync": ("0 */6 * * *", "UTC", "allow"),
        "Weekly cleanup": ("0 6 * * 1", "Europe/Berlin", "skip"),
    }


def test_every_command_of_the_readme(tmp_path: Path) -> None:
    folder = tmp_path / "ports"
    shutil.copytree(FOLDER, folder)
    with chat(answer) as model:
        assert follow((FOLDER / "README.md").read_text(), folder, model.environment)


def test_none_is_left_out() -> None:
    there = {path.stem for path in FOLDER.glob("*.json")}
    assert {name for name, *_ in (*RUNS, *ASKING)} == there
    readme = (FOLDER / "README.md").read_text()
    assert [name for name in sorted(there) if f"run {name}.json" not in readme] == []
