"""The documents of seeds 000 and 001, as they stand there: which of them can run, what is told of the others, and that an execution
is the record that the seeds describe, key by key.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from examples.chat import MODEL, chat, said
from perdure.service.engine import Engine, Execution
from perdure.service.errors import ExecutionFailed, Refused
from service.words import running, waiting

FOLDER = Path(__file__).parent / "ports"
CHURN, RECOMMENDATION, SYNC, INLINE = (
    *("customer_churn_prevention", "product_recommendation_approval", "shopify_data_sync", "inline"),
)
FOUND: dict[str, tuple[str, list[tuple[str, str]]]] = {
    RECOMMENDATION: ("active", [("unknown_task", "send_recommendation")]),
    SYNC: ("active", [("unknown_task", "sync_products")]),  # and sync_customers, which calls the same task
    CHURN: ("draft", [("unknown_step", "manual_review"), ("unknown_task", "auto_retention")]),
    "step_trigger": ("draft", [("unknown_step", "start")]),
    "step_llm": ("draft", [("unknown_step", "analyze")]),
    "step_condition": ("draft", [("unknown_step", "gate"), ("unknown_step", "gate")]),
    "step_approval": ("draft", [("unknown_step", "review"), ("unknown_step", "review")]),
    "step_action": ("active", []),
    INLINE: ("active", [("unknown_task", "greet")]),
}
"""What each becomes when it is saved, and what is told then: of which type, at which step."""

ENVELOPE = {"type", "data"}
CUSTOMER = {"id": "c1", "plan": "pro"}


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text())


def expected(name: str) -> dict[str, Any]:
    """What seed 000 §11 says that a step answers with."""
    found: dict[str, Any] = read("results")[name]
    return found


def made() -> Engine:
    """An engine that has what the documents call."""
    engine = Engine("memory://")
    for name in ("conversation", "shopify_sync", "send_retention_email", "greet"):
        engine.task(name)(_echo)
    return engine


async def _echo(given: Any) -> Any:
    return {"done": given}


async def decided(engine: Engine, execution: Execution, decision: Any) -> None:
    record = await waiting(execution)
    step = await execution.step_view(record.waiting.step)
    await engine.decide(step["approvalTaskId"], decision, by="ann")


async def view(execution: Execution) -> dict[str, Any]:
    found = await execution.view()
    assert isinstance(found, dict)
    return found


def entry(type_: str, name: str, data: Any, **meta: Any) -> dict[str, Any]:
    """A step in `variables.steps`."""
    return {
        "stepType": type_,
        "name": name,
        "output": {"type": type_, "data": data, **({"meta": meta} if meta else {})},
    }


def test_no_document_is_left_out() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {*FOUND, "results"}


@pytest.mark.parametrize("name", FOUND)
def test_a_document_of_the_seeds_is_taken_and_what_is_odd_about_it_is_told(name: str) -> None:
    async def scenario() -> None:
        engine = Engine("memory://")
        status, warnings = FOUND[name]
        found = engine.workflows.validate(read(name))
        assert (found.dialect, found.problems) == ("ports", ())
        async with engine:
            saved = await engine.workflows.save(read(name))
            assert (saved.dialect, saved.status, saved.created) == ("ports", status, True)
            assert [(warning.type, warning.step or "") for warning in saved.warnings] == warnings
            if status == "draft":
                with pytest.raises(Refused) as refused:
                    await engine.workflows.activate(saved.id, saved.version)
                obstacles = [warning for warning in saved.warnings if warning.type == "unknown_step"]
                assert [problem.message for problem in refused.value.problems] == [each.message for each in obstacles]

    running(scenario)


@pytest.mark.parametrize(
    ("type_", "told"), [("manual", []), ("schedule", ["no_schedule"]), ("webhook", []), ("event", ["no_event"])]
)
def test_a_trigger_may_be_of_each_type_that_seed_001_has(type_: str, told: list[str]) -> None:
    document = read("step_trigger")
    document[1][0]["config"]["type"] = type_
    found = Engine("memory://").workflows.validate(document)
    assert found.problems == ()
    assert [warning.type for warning in found.warnings] == ["unknown_step", *told]


def test_a_recommendation_is_approved_and_sent() -> None:
    async def scenario() -> None:
        async with made() as engine:
            saved = await engine.workflows.save(read(RECOMMENDATION))
            execution = await engine.executions.start(saved.name, {"customerId": "c1"}, triggered_by="manual")
            await waiting(execution)
            asked = await view(execution)
            assert (asked["status"], asked["waitingFor"], asked["currentStepSlug"]) == (
                "running",
                "approval",
                "approval",
            )
            await decided(engine, execution, "approve")
            parameters = {
                "operation": "create",
                "organizationId": "default",
                "customerId": "c1",
                "subject": "Product Recommendations",
                "channel": "email",
                "direction": "outbound",
            }
            assert await execution.result() == {"done": parameters}
            told = await view(execution)
            assert (told["status"], told["waitingFor"], told["wfDefinitionId"]) == ("completed", None, saved.id)
            assert told["metadata"] == {"resumeWithPort": "approved"}
            assert told["workflowConfig"] == read(RECOMMENDATION)["workflow"]["config"]
            steps = read(RECOMMENDATION)["steps"]
            assert told["stepsConfig"] == {step["stepSlug"]: step["config"] for step in steps}
            variables = told["variables"]
            trigger = variables["steps"]["start"]["output"].pop("meta")
            approval = {
                "approvalId": (await execution.step_view("approval"))["approvalTaskId"],
                "status": "approved",
                "decision": "approve",
                "decidedBy": "ann",
                "comments": None,
                "submittedData": "Trigger executed successfully",
            }
            assert trigger["trigger"]["type"] == "manual"
            assert variables == {
                "customerId": "c1",
                "defaultPriority": "medium",
                "steps": {
                    "start": entry("trigger", "start", "Trigger executed successfully"),
                    "approval": entry("approval", "approval", approval),
                    "send_recommendation": entry("action", "send_recommendation", {"done": parameters}),
                },
                "lastOutput": {"type": "action", "data": {"done": parameters}},
                "organizationId": "default",
                "input": {"customerId": "c1"},
            }

    running(scenario)


def test_a_recommendation_is_rejected_and_logged() -> None:
    async def scenario() -> None:
        async with made() as engine:
            await engine.workflows.save(read(RECOMMENDATION))
            execution = await engine.executions.start("Product Recommendation Approval", {"customerId": "c1"})
            await decided(engine, execution, "reject")
            await execution.result()
            told = await view(execution)
            assert (told["metadata"], told["currentStepSlug"]) == ({"resumeWithPort": "rejected"}, "log_rejection")
            assert set(told["variables"]["steps"]) == {"start", "approval", "log_rejection"}

    running(scenario)


def test_a_sync_goes_from_resource_to_resource_and_has_its_schedule() -> None:
    async def scenario() -> None:
        async with made() as engine:
            saved = await engine.workflows.save(read(SYNC))
            (schedule,) = (await engine.schedules.list()).items
            assert (schedule.id, schedule.schedule.cron) == (f"{saved.id}/start", "0 */6 * * *")
            execution = await engine.executions.start(saved.id)
            assert await execution.result() == {"done": {"resource": "customers", "batchSize": 50}}
            told = await view(execution)
            assert set(told["variables"]) == {"steps", "lastOutput", "organizationId"}
            assert set(told["variables"]["steps"]) == {"start", "sync_products", "sync_customers"}

    running(scenario)


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_draft_runs_until_it_comes_to_a_step_that_is_not_there(
    decision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with made() as engine:
            given = {"customer": CUSTOMER, "churn_risk_score": 0.9}
            execution = await engine.executions.start(read(CHURN), given)
            await decided(engine, execution, decision)
            if decision == "approve":
                with pytest.raises(ExecutionFailed) as failed:
                    await execution.result()
                message = (
                    "step 'manual_review' leads to 'personal_outreach', which is not a step; there are "
                    "analyze_churn_risk, risk_assessment, manual_review, auto_retention"
                )
                assert failed.value.record.error is not None
                assert failed.value.record.error.message == message
                told = await view(execution)
                assert (told["status"], told["error"], told["output"]) == ("failed", message, None)
                return
            assert await execution.result() == {"done": {"template": "standard_retention"}}
            told = await view(execution)
            assert (told["status"], told["error"], told["wfDefinitionId"]) == ("completed", None, None)
            variables = told["variables"]
            assert set(variables) == {"steps", "lastOutput", "organizationId", "input", *given}
            assert variables["steps"]["analyze_churn_risk"]["name"] == "Analyze Churn Risk"
            assert variables["steps"]["risk_assessment"] == entry(
                "condition", "risk_assessment", True, expression="{{churn_risk_score}} > 0.7"
            )

    with chat(lambda request: f"The risk is high: {said(request)}") as model:
        for name, value in model.environment.items():
            monkeypatch.setenv(name, value)
        running(scenario)
    (request,) = model.asked
    assert request["messages"][0]["content"].endswith(json.dumps(CUSTOMER, separators=(",", ":")))
    assert (request["model"], request["temperature"]) == (MODEL, 0.2)


def test_what_is_started_inline_keeps_its_document_and_every_step_answers_as_the_seed_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with made() as engine:
            document = read(INLINE)
            execution = await engine.executions.start(document)
            assert await execution.result() == {"answer": "two"}
            told = await view(execution)
            assert told["wfDefinitionId"] is None
            assert told["metadata"] == {
                "isInlineExecution": True,
                "workflowConfig": document["workflowConfig"],
                "stepsConfig": document["stepsConfig"],
            }
            assert (told["input"], told["triggeredBy"], told["triggerData"]) == (
                document["input"],
                "webhook",
                {"path": "/orders"},
            )
            orders = document["input"]["orders"]
            state = {"currentIndex": 2, "totalItems": 2, "iterations": 2, "batchesProcessed": 2, "isComplete": True}
            variables = told["variables"]
            assert set(variables) == {
                *("steps", "lastOutput", "loop", "organizationId", "input", "secrets", "greeting", "orders")
            }
            assert variables["loop"] == {"state": state, "items": orders}
            assert variables["secrets"] == {"TOKEN": "***"}
            assert variables["steps"]["each"] == entry("loop", "Each order", {"state": state, "batch": None})
            greeted = {"text": "Hello Bob", "number": 1}
            assert variables["steps"]["greet"] == entry("action", "Greet", {"done": greeted})
            for step in variables["steps"].values():
                assert set(step) == {"stepType", "name", "output"}
                assert ENVELOPE <= set(step["output"]) <= {*ENVELOPE, "meta"}
            assert variables["lastOutput"] == variables["steps"]["ask"]["output"]
            await _compare(execution, "start", "trigger")
            await _compare(execution, "ask", "llm")

    with chat(lambda _: '{"answer": "two"}') as model:
        for name, value in model.environment.items():
            monkeypatch.setenv(name, value)
        running(scenario)


async def _compare(execution: Execution, slug: str, type_: str) -> None:
    """With the example of a result: what is `...` there may be anything."""
    found, wanted = await execution.step_view(slug), expected(type_)
    assert isinstance(found, dict)
    assert {key: found[key] for key in ("success", "port")} == {key: wanted[key] for key in ("success", "port")}
    _fits(found["output"], wanted["output"])


def _fits(found: Any, wanted: Any) -> None:
    if isinstance(wanted, dict):
        assert wanted.keys() <= found.keys()
        for key, value in wanted.items():
            _fits(found[key], value)
    elif wanted != "...":
        assert found == wanted


@pytest.mark.parametrize("ticks_before", [0, 5])
def test_a_tick_of_a_loop_is_as_the_seed_says(ticks_before: int) -> None:
    """Batches of two of a hundred, of which the body lets the sixth wait for somebody."""

    async def scenario() -> None:
        async with made() as engine:
            execution = await engine.executions.start(_in_batches(ticks_before))
            await waiting(execution)
            wanted = expected("loop")
            found, told = await execution.step_view("each"), await view(execution)
            assert isinstance(found, dict)
            loop = told["variables"]["loop"]
            first = 2 * ticks_before
            wanted_state = wanted["variables"]["loop"]["state"] | {
                "currentIndex": first,
                "iterations": ticks_before,
                "batchesProcessed": ticks_before,
            }
            wanted_batch = wanted["variables"]["loop"]["batch"] | {
                "index": ticks_before,
                "items": [first, first + 1],
                "startIndex": first,
                "endIndex": first + 1,
            }
            assert (found["success"], found["port"]) == (wanted["success"], wanted["port"])
            assert found["output"] == {"type": "loop", "data": {"state": wanted_state, "batch": wanted_batch}}
            assert loop == {"state": wanted_state, "items": list(range(100))}

    running(scenario)


def _in_batches(stop_at: int) -> dict[str, Any]:
    def step(slug: str, type_: str, config: dict[str, Any], **ways: str) -> dict[str, Any]:
        return {"stepSlug": slug, "stepType": type_, "config": config, "nextSteps": ways}

    return {
        "name": "In batches",
        "steps": [
            step("each", "loop", {"items": list(range(100)), "batchSize": 2}, loop="is_it", done="end"),
            step("is_it", "condition", {"expr": f"loop.batch.index == {stop_at}"}, true="ask", false="each"),
            step("ask", "approval", {"approverMemberId": "ann"}, approved="each", rejected="end"),
        ],
    }
