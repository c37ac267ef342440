"""Seed 001 §4: the three examples."""

from __future__ import annotations

from typing import Literal

from lowered.base import DAY, HOUR, Happening, Lowered, k, obj, text, x
from lowered.checks import (
    announced,
    calls,
    decided,
    every,
    failed_with,
    outcome,
    stands_waiting,
    the_approval,
    the_event,
    the_other,
    the_start,
    variables,
    warned,
)
from lowered.outside import answer, publish
from lowered.ports.words import action, bare, on, step, trigger, workflow
from perdure.model.failure import Category
from perdure.model.steps import Approval, Condition, Fail, Route, Step
from perdure.model.workflow import EventStart
from perdure.testing.script import ApprovalAnswer, Fixed
from perdure.testing.summary import account
from perdure.testing.world import World

RECOMMENDATION = workflow(
    "Product Recommendation Approval",
    trigger("start", on(None, "approval")),
    step(
        "approval",
        Approval(
            obj(
                approverRole="reviewer",
                resourceType="product_recommendation",
                resourceId=x("execution.id"),
                allowDataModification=False,
                priority="medium",
                submittedData=x("last.output"),
            )
        ),
        on("approved", "send_recommendation"),
        on("rejected", "log_rejection"),
    ),
    action(
        "send_recommendation",
        "conversation",
        obj(
            operation="create",
            customerId=bare("customerId"),
            subject="Product Recommendations",
            channel="email",
            direction="outbound",
        ),
        on(None),
    ),
    action("log_rejection", "log", obj(message="Product recommendation rejected"), on(None)),
    initial=obj(defaultPriority="medium"),
    deadline_ms=DAY,
    deadline_pauses=True,
)


def _recommendation_asked(world: World) -> None:
    assert the_approval(world).request == {
        "approverRole": "reviewer",
        "resourceType": "product_recommendation",
        "resourceId": "main",
        "allowDataModification": False,
        "priority": "medium",
        "submittedData": "Trigger executed successfully",
    }


def _shopify(resource: str, size: int, slug: str, *routes: Route) -> Step:
    return action(slug, "shopify_sync", obj(resource=resource, batchSize=size), *routes)


CHURN = workflow(
    "Customer Churn Prevention",
    action(
        "analyze_churn_risk",
        "llm",
        obj(
            name="Analyze Churn Risk",
            temperature=0.2,
            systemPrompt=text("Analyze customer churn risk based on: ", x("local.customer_data")),
        ),
        on(None, "risk_assessment"),
        locals=obj(customer_data=x("input.customer")),
    ),
    step(
        "risk_assessment",
        Condition(x("names.churn_risk_score > 0.7")),
        on("true", "manual_review"),
        on("false", "auto_retention"),
    ),
    step(
        "manual_review",
        Approval(obj(approverRole="account_manager", resourceType="churn_prevention", priority="high")),
        on("approved", "personal_outreach"),
        on("rejected", "auto_retention"),
    ),
    action("auto_retention", "send_retention_email", obj(template="standard_retention")),
    # No step of the document has this slug: what is reached instead says so, and what there is.
    step(
        "personal_outreach",
        Fail(
            k(
                "step 'manual_review': port 'onApprove' leads to 'personal_outreach', which is not a step; there are "
                "analyze_churn_risk, risk_assessment, manual_review, auto_retention"
            ),
            "UNKNOWN_STEP",
            Category.VALIDATION,
        ),
    ),
    starts=(EventStart("subscription_cancelled"),),
)
PROMPT = 'Analyze customer churn risk based on: {"id":"c1"}'


def _churn(score: float, decision: Literal["approve", "reject"] = "approve") -> Fixed:
    return Fixed(
        {"analyze_churn_risk": answer({"churn_risk_score": score})},
        {"manual_review": ApprovalAnswer(1_000, decision)},
    )


def _churn_by_event(world: World) -> None:
    event, other = the_event(world, "subscription_cancelled"), the_other(world).id
    started = the_start(world, other)
    assert (started.trigger, started.event_id, started.input) == ("event", event.id, {"customer": {"id": "c2"}})
    assert started.trigger_data["payload"] == started.input
    assert started.trigger_data["type"] == "subscription_cancelled"
    found = account(world, other)
    assert (found.status, found.output) == ("completed", {"template": "standard_retention"})
    assert found.runs == {"analyze_churn_risk": 1, "risk_assessment": 1, "auto_retention": 1}


EXAMPLES = (
    Lowered(
        name="ports-recommendation-approved",
        seed="seed 001 §4 simple approval; semantics §1 Approval, Timeouts: two days of waiting in a workflow of 24 h",
        workflow=RECOMMENDATION,
        input={"customerId": "c1"},
        script=Fixed(approvals={"approval": ApprovalAnswer(2 * DAY)}),
        happenings=(Happening(DAY + 1, stands_waiting("approval", "approval")),),
        output={
            "operation": "create",
            "customerId": "c1",
            "subject": "Product Recommendations",
            "channel": "email",
            "direction": "outbound",
        },
        runs={"start": 1, "approval": 1, "send_recommendation": 1},
        check=every(
            _recommendation_asked,
            decided("approved", "ann", 2 * DAY),
            variables(defaultPriority="medium"),
            warned(),
            announced("started", "completed"),
        ),
    ),
    Lowered(
        name="ports-recommendation-rejected",
        seed="seed 001 §4 simple approval, onReject",
        workflow=RECOMMENDATION,
        input={"customerId": "c1"},
        script=Fixed(approvals={"approval": ApprovalAnswer(HOUR, "reject", ("bob",))}),
        output={"message": "Product recommendation rejected"},
        runs={"start": 1, "approval": 1, "log_rejection": 1},
        check=every(_recommendation_asked, decided("rejected", "bob", HOUR), calls("send_recommendation")),
    ),
    Lowered(
        name="ports-shopify-sync",
        seed="seed 001 §4 data synchronization: onSuccess, and `complete`, which is an end because no step is called so",
        workflow=workflow(
            "Shopify Data Sync",
            trigger("start", on(None, "sync_products")),
            _shopify("products", 100, "sync_products", on("success", "sync_customers")),
            _shopify("customers", 50, "sync_customers", on("success")),
        ),
        start={"trigger": "schedule"},
        output={"resource": "customers", "batchSize": 50},
        runs={"start": 1, "sync_products": 1, "sync_customers": 1},
        check=every(calls("sync_products", {"resource": "products", "batchSize": 100}), warned()),
    ),
    Lowered(
        name="ports-churn-approved-leads-nowhere",
        seed="seed 001 §4 complex process; semantics §1 Ends: a dangling target fails when reached and lists the slugs",
        workflow=CHURN,
        input={"customer": {"id": "c1"}},
        script=_churn(0.9),
        status="failed",
        error="there are analyze_churn_risk, risk_assessment, manual_review, auto_retention",
        runs={"analyze_churn_risk": 1, "risk_assessment": 1, "manual_review": 1, "personal_outreach": 1},
        check=every(
            calls("analyze_churn_risk", {"name": "Analyze Churn Risk", "temperature": 0.2, "systemPrompt": PROMPT}),
            outcome("risk_assessment", output=True, port="true"),
            failed_with("UNKNOWN_STEP", "personal_outreach"),
            announced("started", "failed"),
        ),
    ),
    Lowered(
        name="ports-churn-rejected",
        seed="seed 001 §4 complex process, onReject; the last step has no map and ends normally",
        workflow=CHURN,
        input={"customer": {"id": "c1"}},
        script=_churn(0.71, "reject"),
        output={"template": "standard_retention"},
        runs={"analyze_churn_risk": 1, "risk_assessment": 1, "manual_review": 1, "auto_retention": 1},
        check=warned(),
    ),
    Lowered(
        name="ports-churn-started-by-its-event",
        seed="seed 001 §4 triggers.event; semantics §0: input = the payload, triggerData = the whole event; 0.7 is not > 0.7",
        workflow=CHURN,
        input={"customer": {"id": "c1"}},
        script=_churn(0.7),
        happenings=(Happening(5_000, publish("subscription_cancelled", {"customer": {"id": "c2"}})),),
        output={"template": "standard_retention"},
        runs={"analyze_churn_risk": 1, "risk_assessment": 1, "auto_retention": 1},
        check=every(outcome("risk_assessment", output=False, port="false"), _churn_by_event),
    ),
)
