"""Approvals and secrets of the ports dialect, which need more than one command: a database stays between them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from cli.typing import here, written
from perdure import Engine
from perdure.model.values import Json
from run.expected import NUMBER, TEXT
from run.ports.words import approval, echo, flow, trigger
from run.typed import TASKS

ENDS = (
    echo("yes", v="yes", asked="{{steps.review.output.data}}"),
    echo("no", v="no", why="{{lastOutput.data.comments}}"),
)


class Desk:
    """One database, and whoever types at it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys, self.db = folder, capsys, f"sqlite:///{folder}/flows.db"

    def types(self, *arguments: str | Path) -> Any:
        return here(self.capsys, *arguments, "--db", self.db, "--json").object

    def runs(self, document: Json, given: Json = None) -> Any:
        file = written(self.folder, "case.json", document)
        return self.types("run", file, "--tasks", TASKS, "--input", json.dumps({} if given is None else given))

    def asked(self) -> Any:
        (one,) = self.types("approvals", "list", "--status", "all")["items"]
        return self.types("approvals", "show", one["id"])

    def decides(self, decision: str, *more: str) -> None:
        self.types("approvals", decision, self.asked()["id"], *more)
        self.types("worker", "--until-idle", "--tasks", TASKS)

    def sees(self, execution: str) -> Any:
        return self.types("executions", "show", execution, "--view")["view"]


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv("PERDURE_DATABASE_URL", raising=False)
    return Desk(tmp_path, capsys)


def test_an_approval_is_the_record_of_the_seed(desk: Desk) -> None:
    document = flow(
        echo("draft", "review", text="hello"),
        approval({"onApprove": "yes"}, resourceId="r-{{input.n}}", priority="high", dueDate="P3D"),
        *ENDS,
    )
    ran = desk.runs(document, {"n": 7})
    told = desk.asked()
    expected = {
        "organizationId": "default",
        "wfExecutionId": ran["id"],
        "stepSlug": "review",
        "status": "pending",
        "submittedData": {"text": "hello"},
        "resourceType": "refund",
        "resourceId": "r-7",
        "priority": "high",
    }
    assert {name: told.get(name) for name in expected} == expected


def test_what_is_submitted_and_its_resource_by_default(desk: Desk) -> None:
    ran = desk.runs(flow(trigger("review"), approval({"onApprove": "yes"}), *ENDS))
    told = desk.asked()
    assert (told["submittedData"], told["resourceId"]) == ("Trigger executed successfully", ran["id"])
    assert told["priority"] == "medium"


def test_who_approves_leads_on_by_approved(desk: Desk) -> None:
    ran = desk.runs(flow(approval({"onApprove": "yes", "onReject": "no"}, submittedData={"n": 1}), *ENDS))
    desk.decides("approve", "--comments", "fine")
    view = desk.sees(ran["id"])
    assert (view["status"], view["waitingFor"], view["metadata"]["resumeWithPort"]) == ("completed", None, "approved")
    assert view["output"]["v"] == "yes"
    asked = {
        "approvalId": TEXT,
        "status": "approved",
        "decision": "approve",
        "comments": "fine",
        "submittedData": {"n": 1},
    }
    assert {name: view["output"]["asked"][name] for name in asked} == asked
    assert "modifiedData" not in view["output"]["asked"]
    assert view["variables"]["steps"]["review"] == {
        "stepType": "approval",
        "name": "Review",
        "output": {"type": "approval", "data": view["output"]["asked"]},
    }
    assert view["completedAt"] == NUMBER


def test_who_rejects_leads_on_by_rejected(desk: Desk) -> None:
    ran = desk.runs(flow(approval({"approved": "yes", "rejected": "no"}), *ENDS))
    desk.decides("reject", "--comments", "too dear")
    view = desk.sees(ran["id"])
    assert view["output"] == {"v": "no", "why": "too dear"}
    assert view["metadata"]["resumeWithPort"] == "rejected"


def test_a_decision_that_leads_nowhere_completes(desk: Desk) -> None:
    ran = desk.runs(flow(approval({"approved": "yes"}), *ENDS))
    desk.decides("reject")
    view = desk.sees(ran["id"])
    assert (view["status"], view["output"]["decision"]) == ("completed", "reject")


def test_who_approves_may_change_what_was_submitted(desk: Desk) -> None:
    ran = desk.runs(flow(approval({"approved": "yes"}, submittedData={"n": 1}, allowDataModification=True), *ENDS))
    desk.decides("approve", "--data", '{"n": 2}')
    asked = desk.sees(ran["id"])["output"]["asked"]
    assert (asked["submittedData"], asked["modifiedData"]) == ({"n": 1}, {"n": 2})


def test_a_step_in_detail(desk: Desk) -> None:
    ran = desk.runs(flow(echo("a", "review", x=1), approval({"approved": "yes"}), *ENDS))
    done, waiting = asyncio.run(_in_detail(desk.db, ran["id"], "a", "review"))
    assert (done["success"], done["port"], done["output"]) == (True, "success", {"type": "action", "data": {"x": 1}})
    assert (done["error"], done["threadId"], done["approvalTaskId"]) == (None, None, None)
    assert (waiting["stepType"], waiting["success"], waiting["output"]) == ("approval", None, None)
    assert waiting["approvalTaskId"] == desk.asked()["id"]


async def _in_detail(db: str, execution_id: str, *steps: str) -> list[Any]:
    async with Engine(db) as engine:
        execution = await engine.executions.get(execution_id)
        return [await execution.step_view(step) for step in steps]


def test_a_cancelled_execution_has_failed_as_canceled(desk: Desk) -> None:
    ran = desk.runs(flow(approval({"approved": "yes"}), *ENDS))
    desk.types("executions", "cancel", ran["id"])
    desk.types("worker", "--until-idle", "--tasks", TASKS)
    view = desk.sees(ran["id"])
    assert (view["status"], view["error"], view["waitingFor"]) == ("failed", "canceled", None)


def test_a_secret_is_filled_in_for_the_call_and_hidden_everywhere_else(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERDURE_SECRET_KEY", bytes(range(32)).hex())
    desk.types("secrets", "set", "CRM_KEY", "--value", "hunter2-hunter2")
    document = flow(echo("a", key="Bearer {{secrets.KEY}}"), secrets={"KEY": "CRM_KEY"})
    ran = desk.runs(document)
    assert ran["output"] == {"key": "Bearer ***"}
    assert ran["view"]["variables"]["secrets"] == {"KEY": "***"}
    assert "hunter2" not in json.dumps(ran)


def test_a_stored_workflow_has_its_id(desk: Desk, tmp_path: Path) -> None:
    child = written(tmp_path, "child.json", flow(trigger("a"), echo("a", v="{{workflow.id}}"), name="child"))
    saved = desk.types("workflows", "save", child)
    parent = flow(
        {**approval(), "stepType": "action", "config": {"type": "workflow", "workflowId": "child", "wait": True}}
    )
    ran = desk.runs(parent)
    assert ran["output"] == {"v": saved["id"]}
    (started,) = [one for one in desk.types("executions", "list")["items"] if one["id"] != ran["id"]]
    view = desk.sees(started["id"])
    assert (view["wfDefinitionId"], view["triggeredBy"]) == (saved["id"], "chain")
    assert "isInlineExecution" not in view["metadata"]
