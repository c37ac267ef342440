"""The example of customers who leave: a model, a condition, a person, and either branch; whatever is killed in between."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.typing import PERDURE, Ended, environment, here
from llm.conftest import Spoken
from llm.model import Answer, Asked, Model, Replies, Says

EXAMPLES = Path(__file__).parents[2] / "examples" / "ports"
DOCUMENT, TASKS = EXAMPLES / "customer-churn-prevention.json", EXAMPLES / "tasks.py"
CUSTOMER = {"id": "c1", "name": "Ada", "orders": 2}
HANGING = """
import time
from pathlib import Path
from perdure import task

def hang(given):
    (Path(__file__).parent / "reached").touch()
    time.sleep(3_600)

task("conversation")(hang)
task("send_retention_email")(hang)
"""
SOON = 30.0
Typed = Callable[..., Ended]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], url: str) -> Typed:
    return lambda *arguments: here(capsys, *arguments, "--db", url)


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    file = tmp_path / "hanging.py"
    file.write_text(HANGING)
    return file


def at_risk(score: float) -> Says:
    return Says(json.dumps({"churn_risk_score": score, "reason": "two complaints"}))


def begun(typed: Typed) -> None:
    """It is in the database, and nobody has carried it on yet."""
    for name, group in (("ann", "account_manager"),):
        assert typed("members", "add", name, "--group", group).status == 0
    assert typed("workflows", "save", DOCUMENT).status == 0
    assert (
        typed("events", "send", "subscription_cancelled", "--payload", json.dumps({"customer": CUSTOMER})).status == 0
    )


def killed(url: str, tasks: Path, model: Model, when: Callable[[], Any]) -> None:
    """A worker that lives until this is so."""
    command = [PERDURE, "worker", "--db", url, "--tasks", str(tasks)]
    with subprocess.Popen(
        command, env=environment(**model.environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as worker:
        until = time.monotonic() + SOON
        while not when():
            assert worker.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        worker.kill()


def ended(typed: Typed) -> dict[str, Any]:
    assert typed("worker", "--until-idle", "--tasks", TASKS).status == 0
    (only,) = typed("executions", "list", "--json").object["items"]
    shown: dict[str, Any] = typed("executions", "show", only["id"], "--json").object
    assert typed("doctor").status == 0
    return shown


def pending(typed: Typed) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = typed("approvals", "list", "--json").object["items"]
    return items


@pytest.mark.parametrize(
    ("decision", "branch", "output"),
    [
        ("approve", "personal_outreach", {"conversationId": "email-c1", "subject": "We would like to keep you"}),
        ("reject", "auto_retention", {"sent": True, "template": "standard_retention"}),
    ],
)
def test_whatever_stage_it_is_killed_after_the_model_is_asked_once(
    url: str, spoken: Spoken, typed: Typed, hanging: Path, decision: str, branch: str, output: Any
) -> None:
    model = spoken(at_risk(0.9))
    begun(typed)
    killed(url, hanging, model, lambda: pending(typed))
    assert typed("worker", "--until-idle", "--tasks", TASKS).status == 0
    (approval,) = pending(typed)
    assert approval["submittedData"]["analysis"] == {"churn_risk_score": 0.9, "reason": "two complaints"}
    assert approval["submittedData"]["customer"] == CUSTOMER
    assert typed("approvals", decision, approval["id"], "--as", "ann").status == 0
    killed(url, hanging, model, (hanging.parent / "reached").exists)
    shown = ended(typed)
    assert shown["status"] == "completed"
    assert output in _values(shown)
    assert len(model.asked) == 1
    assert json.dumps(CUSTOMER, separators=(",", ":")) in model.asked[0].messages[0]["content"]
    steps = {step["id"] if "id" in step else step.get("step") for step in shown.get("steps", [])}
    assert not steps or branch in steps


def test_killed_while_the_model_is_asked_it_is_asked_once_more(url: str, spoken: Spoken, typed: Typed) -> None:
    def script(asked: Asked) -> Answer:
        return Replies(hang=True) if asked.number == 1 else at_risk(0.2)

    model = spoken(script=script)
    begun(typed)
    killed(url, TASKS, model, lambda: model.asked)
    shown = ended(typed)
    assert shown["status"] == "completed"
    assert {"sent": True, "template": "standard_retention"} in _values(shown)
    assert pending(typed) == []
    assert len(model.asked) == 2


def _values(value: Any) -> list[Any]:
    """All that is in it, however deep."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(found for part in inner for found in _values(part))]
