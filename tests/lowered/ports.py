"""Workflows of the ports dialect, lowered by hand.

What a compiler of that dialect does to a document, and these do by hand:
- a step's `nextSteps` become its routes, the exact port first, then its alias, then `default` (a route without a port);
  what works without naming a port answers on "success"; an end (`end`, `complete`, …) is a route to nothing
- an `error` port becomes a route of `on_error`; `default` does not
- `lastOutput.data` is `last.output`, `steps.a.output.data` is `steps.a.output`, `steps.a.output.meta` is `steps.a.meta`
- a bare name is looked up step by step: see `bare`
- one token and no joins: every step has join "any"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec.structs import replace

from lowered.base import Happening, Lowered, arr, k, main, obj, text, x
from perdure.core import facts as f
from perdure.model import codec
from perdure.model.failure import Category, Failure
from perdure.model.records import ApprovalRecord, ExecutionRecord
from perdure.model.steps import (
    Approval,
    Child,
    Compute,
    Condition,
    Fail,
    Loop,
    Publish,
    Retry,
    Route,
    SetVariables,
    Step,
    Task,
    Work,
)
from perdure.model.values import EMPTY, Expression, Json, Value
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.store import port as s
from perdure.testing.script import ApprovalAnswer, Fixed, TaskAnswer
from perdure.testing.summary import account
from perdure.testing.world import World

T0 = 1_000_000
"""When every world begins."""

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000

# What must hold of a world, in words that compose.

Check: TypeAlias = Callable[[World], None]
AnyFact = TypeVar("AnyFact")


def every(*checks: Check) -> Check:
    """All of them hold."""

    def check(world: World) -> None:
        for part in checks:
            part(world)

    return check


def facts(world: World, kind: type[AnyFact], execution: str = "main") -> list[AnyFact]:
    return [fact for fact in world.store.rows[execution].facts if isinstance(fact, kind)]


def record(world: World, execution: str = "main") -> ExecutionRecord:
    return world.store.rows[execution].record


def of_step(world: World, kind: type[AnyFact], step: str, execution: str = "main") -> list[AnyFact]:
    """The facts of this kind that are about this step."""
    ids = [known.id for known in codec.decode(world.store.model(record(world, execution).digest)).steps]
    found: list[Any] = facts(world, kind, execution)
    return [fact for fact in found if ids[fact.step] == step]


def calls(step: str, *inputs: Json, execution: str = "main") -> Check:
    """The task of this step was called with these inputs, one operation each."""

    def check(world: World) -> None:
        assert [fact.input for fact in of_step(world, f.StepScheduled, step, execution)] == list(inputs)

    return check


def outcome(step: str, **parts: Json) -> Check:
    """The last outcome of the step has these parts; a part that is an object may have more."""

    def check(world: World) -> None:
        found = main(world).outcomes[step]
        for name, value in parts.items():
            part = found[name]
            seen = {key: part[key] for key in value} if isinstance(value, dict) and isinstance(part, dict) else part
            assert seen == value, (step, name, found)

    return check


def variables(**values: Json) -> Check:
    def check(world: World) -> None:
        assert main(world).variables == values

    return check


def warned(*parts: str) -> Check:
    """There are as many warnings, and each holds its text. None: nothing was warned of."""

    def check(world: World) -> None:
        found = facts(world, f.Warned)
        assert len(found) == len(parts), found
        for part, warning in zip(parts, found, strict=True):
            assert part in warning.message

    return check


def failed_with(code: str, *steps: str) -> Check:
    """The execution failed with this code, and these steps were the cause."""

    def check(world: World) -> None:
        error = record(world).error
        assert error is not None
        assert error.code == code
        assert main(world).failed_steps == steps

    return check


def ended_after(ms: int) -> Check:
    def check(world: World) -> None:
        assert record(world).ended_at == T0 + ms

    return check


def published(event_type: str, data: Json) -> Check:
    """Exactly one event of this type, with this data."""

    def check(world: World) -> None:
        assert [event.data for event in world.store.events.values() if event.type == event_type] == [data]

    return check


def announced(*words: str) -> Check:
    """The execution has told of itself, in this order: started, completed, …"""

    def check(world: World) -> None:
        told = [e for e in world.store.events.values() if e.source == "main" and e.type.startswith("workflow.")]
        assert [event.type for event in told] == [f"workflow.{word}" for word in words]
        assert all(event.data["executionId"] == "main" for event in told)

    return check


def others(world: World) -> list[str]:
    """The executions beside the one under test."""
    return [execution for execution in world.store.rows if execution != "main"]


def only_other(world: World) -> str:
    (execution,) = others(world)
    return execution


def same_key(step: str, attempts: int) -> Check:
    """Every attempt of the step's one operation carried one idempotency key."""

    def check(world: World) -> None:
        (op,) = [
            seq
            for seq, fact in enumerate(world.store.rows["main"].facts, start=1)
            if fact in of_step(world, f.StepScheduled, step)
        ]
        made = {attempt for key, attempt in world.effects if key == f"main:{op}"}
        assert made == set(range(1, attempts + 1))

    return check


def broken(
    code: str | None = "DOWN", category: Category = Category.TRANSIENT, *, retriable: bool = True, after_ms: int = 10
) -> TaskAnswer:
    """A task that fails."""
    return TaskAnswer(after_ms, error=Failure(f"{code} came back", category, code, retriable))


# How a document of the dialect becomes a model.

SUCCESS = x("port or 'success'")


def on(port: str | None, *steps: str) -> Route:
    """One entry of `nextSteps`. No step: an end. No port: `default`."""
    return Route(steps, port)


def step(slug: str, work: Work, *routes: Route, **more: Any) -> Step:
    return Step(slug, work, routes, ports=(SUCCESS,), unrouted=more.pop("unrouted", "warn"), join="any", **more)


def trigger(slug: str, *routes: Route) -> Step:
    return step(slug, Compute(k("Trigger executed successfully")), *routes)


def action(slug: str, task: str, given: Value = EMPTY, *routes: Route, **more: Any) -> Step:
    return step(slug, Task(task, given), *routes, **more)


def workflow(name: str, *steps: Step, **more: Any) -> Workflow:
    """It begins with its first step: the trigger, or the lowest order."""
    return Workflow(name, steps, (Entry(steps[0].id),), **more)


def bare(name: str, *, local: bool = False) -> Expression:
    """A bare name: step-local names → root → config → input → lastOutput.data.

    The root is what was set, over config, over the input. So `vars` begins as config, and the input comes after it.
    """
    places = [f"{place}.{name}" for place in (*(["local"] if local else []), "vars", "input", "last.output")]
    return x(" else ".join([*(f"{place} if {place} != undefined" for place in places[:-1]), places[-1]]))


# Seed 001 §4: the three examples.

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


def decided(status: str, by: str, after_ms: int) -> Check:
    """The one approval was decided so, and the step says the same."""

    def check(world: World) -> None:
        (approval,) = world.store.approvals.values()
        assert (approval.status, approval.decided_by) == (status, by)
        assert approval.decided_at == T0 + after_ms
        decision = {"approved": "approve", "rejected": "reject"}[status]
        found = main(world).outcomes[approval.step]
        assert found["port"] == found["output"]["status"] == status
        assert found["output"]["decision"] == approval.decision == decision
        assert found["output"]["approvalId"] == approval.id

    return check


def _recommendation_asked(world: World) -> None:
    (approval,) = world.store.approvals.values()
    assert approval.request == {
        "approverRole": "reviewer",
        "resourceType": "product_recommendation",
        "resourceId": "main",
        "allowDataModification": False,
        "priority": "medium",
        "submittedData": "Trigger executed successfully",
    }


def _stands_waiting(kind: str, step_id: str) -> Check:
    def check(world: World) -> None:
        found = record(world)
        assert found.status == "waiting"
        assert found.waiting is not None
        assert (found.waiting.kind, found.waiting.step) == (kind, step_id)

    return check


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
        Condition(x(f"({bare('churn_risk_score').source}) > 0.7")),
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
        {"analyze_churn_risk": TaskAnswer(output={"churn_risk_score": score})},
        {"manual_review": ApprovalAnswer(1_000, decision)},
    )


def _churn_by_event(world: World) -> None:
    other = only_other(world)
    (event,) = [event for event in world.store.events.values() if event.type == "subscription_cancelled"]
    (started,) = facts(world, f.ExecutionStarted, other)
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
        happenings=(Happening(DAY + 1, _stands_waiting("approval", "approval")),),
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
        happenings=(
            Happening(5_000, lambda world: world.publish("subscription_cancelled", {"customer": {"id": "c2"}})),
        ),
        output={"template": "standard_retention"},
        runs={"analyze_churn_risk": 1, "risk_assessment": 1, "auto_retention": 1},
        check=every(outcome("risk_assessment", output=False, port="false"), _churn_by_event),
    ),
)

# Semantics §1 Routing, Errors, Retry.


def _looked_up(name: str, answered: str | None, *routes: Route, **more: Any) -> tuple[Workflow, Fixed]:
    marks = [action(target, "mark", obj(at=target)) for target in dict.fromkeys(t for r in routes for t in r.to)]
    found = workflow(name, action("ask", "ask", EMPTY, *routes, **more), *marks)
    return found, Fixed({"ask": TaskAnswer(output="asked", port=answered)})


def _routed(name: str, seed: str, answered: str | None, to: str | None, *routes: Route, **more: Any) -> Lowered:
    """A step that answers on a port, and which step that leads to."""
    model, script = _looked_up(name, answered, *routes, unrouted=more.pop("unrouted", "warn"))
    return Lowered(
        name=f"ports-{name}",
        seed=seed,
        workflow=model,
        script=script,
        output="asked" if to is None else {"at": to},
        runs={"ask": 1} if to is None else {"ask": 1, to: 1},
        **{"check": warned(), **more},
    )


def is_running(world: World) -> None:
    """A backoff counts as running."""
    assert record(world).status == "running"


def _backed_off(world: World) -> None:
    first, second = facts(world, f.StepRetrying)
    assert (first.attempt, second.attempt) == (2, 3)
    assert 1_000 <= first.due_at - first.at <= 1_100
    assert 2_000 <= second.due_at - second.at <= 2_200
    assert [fact.at for fact in facts(world, f.StepAttempted)] == [first.due_at, second.due_at]


def _timed_out_once(world: World) -> None:
    (retrying,) = facts(world, f.StepRetrying)
    assert (retrying.at, retrying.error.code, retrying.error.category) == (T0 + 5_000, "TIMEOUT", "TIMEOUT")


def _retried_by_ann(world: World) -> None:
    assert [fact.by for fact in facts(world, f.ExecutionRetried)] == ["ann"]
    assert [fact.at for fact in facts(world, f.ExecutionFailed)] == [T0 + 2_030]


ROUTING = (
    _routed(
        "port-exact-beats-alias",
        "semantics §1 Routing: exactly, then its alias, then default",
        "onSuccess",
        "exact",
        on("onSuccess", "exact"),
        on("success", "alias"),
        on(None, "fallback"),
    ),
    # The map names onApprove and default; the compiler adds the names that onApprove is an alias of.
    _routed(
        "port-alias-beats-default",
        "semantics §1 Routing: approved = onApprove = approve",
        "approve",
        "yes",
        on("onApprove", "yes"),
        on("approved", "yes"),
        on("approve", "yes"),
        on(None, "fallback"),
    ),
    _routed(
        "port-default",
        "semantics §1 Routing: default is looked up last",
        "odd",
        "fallback",
        on("success", "usual"),
        on(None, "fallback"),
    ),
    _routed(
        "port-success-is-what-a-task-returns-on",
        "semantics §1 Routing: a task's return value is output.data on port success",
        None,
        "usual",
        on("success", "usual"),
        on(None, "fallback"),
    ),
    _routed(
        "port-unrouted-completes",
        "seed 000 §7; semantics §1 Routing: nothing found completes with a warning in the history",
        "surprise",
        None,
        on("success", "usual"),
        check=warned("'surprise'"),
    ),
    Lowered(
        name="ports-port-unrouted-strict",
        seed="semantics §1 Routing: config.strictPorts makes it a failure",
        workflow=_looked_up("strict", None, on("success", "usual"), unrouted="fail")[0],
        script=Fixed({"ask": TaskAnswer(output="asked", port="surprise")}),
        status="failed",
        error="'surprise'",
        runs={"ask": 1},
        check=failed_with("UNROUTED", "ask"),
    ),
    _routed(
        "port-strict-without-a-map",
        "semantics §1 Routing: an empty or absent map always ends normally, strictPorts or not",
        "surprise",
        None,
        unrouted="fail",
    ),
    Lowered(
        name="ports-error-port",
        seed="semantics §1 Errors: a failing step with an error port (here onFailure) does not fail the execution",
        workflow=workflow(
            "error port",
            action("charge", "charge", EMPTY, on("success", "ship"), on_error=(on(None, "refund"),)),
            action("ship", "ship"),
            action("refund", "refund", obj(why=x("steps.charge.error.code"), said=x("steps.charge.error.message"))),
        ),
        script=Fixed({"charge": broken("DECLINED", Category.BUSINESS)}),
        output={"why": "DECLINED", "said": "DECLINED came back"},
        runs={"charge": 1, "refund": 1},
        check=every(outcome("charge", status="failed"), warned(), announced("started", "completed")),
    ),
    Lowered(
        name="ports-default-is-no-error-port",
        seed="semantics §1 Errors: a failing step fails the execution, unless its map has an error port",
        workflow=workflow("no error port", action("charge", "charge", EMPTY, on(None, "ship")), action("ship", "ship")),
        script=Fixed({"charge": broken("DECLINED")}),
        status="failed",
        error="DECLINED came back",
        runs={"charge": 1},
        check=failed_with("DECLINED", "charge"),
    ),
    Lowered(
        name="ports-retries-then-success",
        seed="semantics §0 Retry: maxRetries 2 is 3 attempts, 1 s and 2 s apart, plus up to 10 %; one idempotency key",
        workflow=workflow(
            "retries",
            step("call", Task("call", obj(id=x("input.id")), Retry(attempts_max=3, delay_ms=1_000)), on("success")),
        ),
        input={"id": 7},
        script=Fixed({"call": [broken(), broken(), TaskAnswer(output="third")]}),
        happenings=(Happening(500, is_running),),
        output="third",
        runs={"call": 1},
        check=every(calls("call", {"id": 7}), _backed_off, same_key("call", 3)),
    ),
    Lowered(
        name="ports-non-retryable-error",
        seed="semantics §0 Retry: a task can raise a non-retryable error; no further attempt, whatever the policy",
        workflow=workflow("final", step("call", Task("call", retry=Retry(attempts_max=5)), on("success"))),
        script=Fixed({"call": [broken("BAD_REQUEST", retriable=False), TaskAnswer(output="never")]}),
        status="failed",
        error="BAD_REQUEST came back",
        runs={"call": 1},
        check=every(failed_with("BAD_REQUEST", "call"), same_key("call", 1), ended_after(10)),
    ),
    Lowered(
        name="ports-step-timeout-is-retried",
        seed="semantics §0 Timeouts: the attempt fails with TIMEOUT and is retried by its policy",
        workflow=workflow(
            "slow", step("call", Task("call", retry=Retry(attempts_max=2), timeout_ms=5_000), on("success"))
        ),
        script=Fixed({"call": [TaskAnswer(silent=True), TaskAnswer(output="in time")]}),
        output="in time",
        runs={"call": 1},
        check=every(_timed_out_once, same_key("call", 2)),
    ),
    Lowered(
        name="ports-late-answer-of-a-timed-out-attempt",
        seed="semantics §0 Timeouts; architecture 3: a late attempt 1 is told from attempt 2 and changes nothing",
        workflow=workflow(
            "late",
            step(
                "call",
                Task("call", retry=Retry(attempts_max=2, delay_ms=500, jitter=0), timeout_ms=5_000),
                on("success"),
            ),
        ),
        script=Fixed({"call": [TaskAnswer(6_000, "done"), TaskAnswer(3_000, "done")]}),
        output="done",
        runs={"call": 1},
        check=every(_timed_out_once, same_key("call", 2), ended_after(8_500)),
    ),
    Lowered(
        name="ports-retry-of-a-failed-execution",
        seed="semantics §0 Status: a retry continues from the failed step; Durability: with the same idempotency key",
        # Two attempts before the failure and two after the retry: what is outside counts the failed ones.
        workflow=workflow(
            "retry",
            action("before", "before", obj(n=1), on("success", "call")),
            step("call", Task("call", retry=Retry(attempts_max=2, delay_ms=2_000, jitter=0)), on("success", "after")),
            action("after", "after", obj(got=x("last.output"), first=x("steps.before.output.n"))),
        ),
        script=Fixed({"call": [broken(), broken(), TaskAnswer(output="at last")]}),
        happenings=(Happening(HOUR, lambda world: world.retry("main")),),
        output={"got": "at last", "first": 1},
        runs={"before": 1, "call": 1, "after": 1},
        check=every(_retried_by_ann, same_key("call", 4), calls("before", {"n": 1}), calls("call", {})),
    ),
)


# Semantics §1 Variables, Lookup, inputMapping, outputMapping, Condition, Output.


def _asks(name: str, seed: str, test: str, given: Json, taken: str) -> Lowered:
    """A condition, and where it leads."""
    return Lowered(
        name=f"ports-{name}",
        seed=seed,
        workflow=workflow(
            name,
            step("gate", Condition(x(test)), on("true", "yes"), on("false", "no")),
            action("yes", "mark", obj(at="yes", saw=x("last.output"))),
            action("no", "mark", obj(at="no", saw=x("last.output"))),
        ),
        input=given,
        output={"at": taken, "saw": taken == "yes"},
        runs={"gate": 1, taken: 1},
    )


def _sealed(world: World) -> None:
    (scheduled,) = facts(world, f.StepScheduled)
    assert scheduled.input == {"url": "https://example.com", "headers": {"authorization": "***"}}
    assert list(scheduled.sealed) == ["/headers/authorization"]


DATA = (
    Lowered(
        name="ports-bare-names",
        seed="semantics §1 Lookup: step-local → root → config → input → lastOutput.data; config wins over input at the root",
        workflow=workflow(
            "names",
            action("first", "first", EMPTY, on("success", "probe"), assign=obj(set=x("output.set"))),
            action(
                "probe",
                "probe",
                obj(**{name: bare(name, local=True) for name in ("own", "set", "configured", "given", "last", "none")}),
                locals=obj(own=x("input.own + 1")),
            ),
            initial=obj(own=0, set="config", configured="config"),
        ),
        input={"own": 1, "configured": "input", "given": "input", "last": None},
        script=Fixed({"first": TaskAnswer(output={"set": "set", "given": "last", "last": "last", "none": "last"})}),
        # A null is a value: it is found where it stands, and ends the search.
        output={"own": 2, "set": "set", "configured": "config", "given": "input", "last": None, "none": "last"},
        runs={"first": 1, "probe": 1},
        check=variables(own=0, set="set", configured="config"),
    ),
    Lowered(
        name="ports-mappings",
        seed="seed 001 §3 inputMapping, outputMapping; semantics §1: step-local names, variables over the result",
        workflow=workflow(
            "mappings",
            action(
                "order",
                "order",
                obj(sku=x("local.sku")),
                on("success", "report"),
                locals=obj(sku=x("input.items[0].sku"), tag=text("t-", x("input.n"))),
                # {orderId: "{{data.id}}", whole: "result", via: "{{output.data.lines[1]}}", tag: "{{tag}}"}
                assign=obj(
                    orderId=x("output.id"),
                    whole=x("output"),
                    via=x("output.lines[1]"),
                    tag=x("local.tag"),
                    gone=x("output.nothing"),
                ),
            ),
            action("report", "report", obj(id=x("vars.orderId"), tag=bare("tag", local=True), sku=x("local.sku"))),
        ),
        input={"items": [{"sku": "A"}], "n": 3},
        script=Fixed({"order": TaskAnswer(output={"id": 17, "lines": ["a", "b"]})}),
        output={"id": 17, "tag": "t-3"},
        runs={"order": 1, "report": 1},
        check=every(
            calls("order", {"sku": "A"}),
            variables(orderId=17, whole={"id": 17, "lines": ["a", "b"]}, via="b", tag="t-3"),
        ),
    ),
    Lowered(
        name="ports-set-variables",
        seed="semantics §1 Action: set_variables is sequential, later entries see earlier ones",
        workflow=workflow(
            "set",
            step(
                "compute",
                SetVariables(
                    (
                        ("total", x("input.a + input.b")),
                        ("double", x("vars.total * 2")),
                        ("total", x("vars.total + vars.base")),
                        ("copy", x("vars.total")),
                    )
                ),
                on("success", "report"),
            ),
            action("report", "report", obj(total=x("vars.total"), double=x("vars.double"))),
            initial=obj(base=100),
        ),
        input={"a": 3, "b": 4},
        output={"total": 107, "double": 14},
        runs={"compute": 1, "report": 1},
        check=variables(base=100, total=107, double=14, copy=107),
    ),
    Lowered(
        name="ports-output-step",
        seed="semantics §1 Output: an output step's mapping if there is one; variables are kept apart",
        workflow=workflow(
            "output",
            action("count", "count", EMPTY, on("success", "result"), assign=obj(n=x("output.n"))),
            step("result", Compute(obj(total=x("vars.n"), who=x("input.who"))), on("success", "bye")),
            action("bye", "log", obj(message="done"), on(None)),
            output=x("steps.result.output"),
        ),
        input={"who": "ann"},
        script=Fixed({"count": TaskAnswer(output={"n": 2})}),
        output={"total": 2, "who": "ann"},
        runs={"count": 1, "result": 1, "bye": 1},
        check=variables(n=2),
    ),
    Lowered(
        name="ports-no-steps",
        seed="semantics §1 Start: no steps, completed at once",
        workflow=Workflow("nothing"),
        input={"a": 1},
        output=None,
        runs={},
        check=every(ended_after(0), announced("started", "completed")),
    ),
    _asks(
        "condition-undefined-is-false",
        "semantics §1 Condition: null and undefined coerce",
        "input.missing",
        {"name": "ann"},
        "no",
    ),
    # {{name}} || {{alias}}: the compiler makes a boolean of what `||` answers with.
    _asks(
        "condition-of-or-coerces",
        "semantics §1 Condition: results of && || ! coerce",
        "not not (input.name or input.alias)",
        {"alias": "ann"},
        "yes",
    ),
    Lowered(
        name="ports-condition-not-boolean",
        seed="seed 001 §5 condition must resolve to boolean; semantics §1 Condition: any other result fails the step",
        workflow=workflow(
            "not boolean",
            action("before", "before", EMPTY, on("success", "gate")),
            step("gate", Condition(x("input.status")), on("true", "yes"), on("false", "yes"), on(None, "yes")),
            action("yes", "yes"),
        ),
        input={"status": "active"},
        status="failed",
        error="'active'",
        runs={"before": 1, "gate": 1},
        check=failed_with("NOT_BOOLEAN", "gate"),
    ),
    Lowered(
        name="ports-secret-in-an-input",
        seed="semantics §0 Secrets: filled in only in memory for the call, *** everywhere else",
        workflow=workflow(
            "secret",
            action(
                "call",
                "http",
                obj(url="https://example.com", headers=obj(authorization=x("secrets.API_KEY"))),
                on(None),
            ),
        ),
        script=Fixed({"call": TaskAnswer(output={"status": 200})}),
        output={"status": 200},
        runs={"call": 1},
        check=_sealed,
    ),
)

# Semantics §1 Loop; seed 000 §4.


def _state(current: int, total: int, ticks: int, *, complete: bool = False) -> Json:
    return {
        "currentIndex": current,
        "totalItems": total,
        "iterations": ticks,
        "batchesProcessed": ticks,
        "isComplete": complete,
    }


def _batch(index: int, start: int, items: list[Json]) -> Json:
    return {"index": index, "size": len(items), "items": items, "startIndex": start, "endIndex": start + len(items) - 1}


def loop(slug: str, items: Value, *routes: Route, **more: Any) -> Step:
    """Its `default`, if it has one, is where `done` leads: port `loop` has its own meaning where it is absent."""
    error = more.pop("on_error", ())
    return step(slug, Loop(items, **more), *routes, on_error=error)


LOOK = obj(state=x("loop.state"), batch=x("loop.batch"), item=x("loop.item"), index=x("loop.index"))
"""What a step can see of the loop around it."""


def _opened(*rounds: list[Json]) -> Check:
    """The loop was entered so often from outside, with these items."""

    def check(world: World) -> None:
        assert [fact.items for fact in facts(world, f.LoopOpened)] == list(rounds)

    return check


def _ticked(*starts: int) -> Check:
    def check(world: World) -> None:
        assert [fact.start for fact in facts(world, f.LoopTicked)] == list(starts)

    return check


def _fails_to_loop(name: str, seed: str, items: Json, error: str, code: str, **more: Any) -> Lowered:
    return Lowered(
        name=f"ports-{name}",
        seed=seed,
        workflow=workflow(
            name,
            trigger("start", on("success", "each")),
            loop("each", x("input.items"), on("loop", "body"), on("done", "after"), **more),
            action("body", "body", EMPTY, on("success", "each")),
            action("after", "after"),
        ),
        input={"items": items},
        status="failed",
        error=error,
        runs={"start": 1, "each": 1},
        check=every(failed_with(code, "each"), _opened()),
    )


def _self_tick(name: str, items: int, *routes: Route) -> Lowered:
    return Lowered(
        name=f"ports-{name}",
        seed="seed 000 §7 special loop routing; semantics §1 Loop: absent or naming itself is a self tick",
        workflow=workflow(
            name, loop("each", x("input.items"), *routes, on("done", "after")), action("after", "after", LOOK)
        ),
        input={"items": list(range(items))},
        output={"state": _state(items, items, items, complete=True), "batch": None},
        runs={"each": items + 1, "after": 1},
        check=_ticked(*range(items)),
    )


NESTED = workflow(
    "nested",
    loop("outer", x("input.groups"), on("loop", "inner"), on("done", "after")),
    loop("inner", x("loop.item.members"), on("loop", "body"), on("done", "between")),
    action(
        "body",
        "body",
        obj(
            item=x("loop.item"),
            owner=x("loop.owner"),
            group=x("loop.parent.item.id"),
            parentOwner=x("loop.parent.owner"),
            place=arr(x("loop.parent.index"), x("loop.index")),
        ),
        on("success", "inner"),
    ),
    action(
        "between",
        "between",
        obj(
            owner=x("loop.owner"),
            group=x("loop.item.id"),
            done=x("loop.state.isComplete"),
            parent=x("loop.parent"),
            inner=x("last.output.state.totalItems"),
        ),
        on("success", "outer"),
    ),
    action("after", "after", obj(owner=x("loop.owner"), state=x("loop.state"), parent=x("loop.parent"))),
)


def _in_group(group: str, outer: int, index: int, item: int) -> Json:
    return {"item": item, "owner": "inner", "group": group, "parentOwner": "outer", "place": [outer, index]}


def _after_group(group: str, members: int) -> Json:
    return {"owner": "outer", "group": group, "done": False, "inner": members}


def _left_loops(count: int) -> Check:
    def check(world: World) -> None:
        assert sum(len(fact.scopes) for fact in facts(world, f.LoopsLeft)) == count

    return check


def _is_failed(world: World) -> None:
    assert record(world).status == "failed"
    assert main(world).failed_steps == ("risky",)


def _decide_open(world: World, decision: Literal["approve", "reject"]) -> s.Outcome:
    (approval,) = [approval for approval in world.store.approvals.values() if approval.status == "pending"]
    return world.store.commit([s.Decide(approval.id, world.now, "ann", decision)])[0]


def _each_asked(world: World) -> None:
    assert [(approval.request["submittedData"], approval.status) for approval in world.store.approvals.values()] == [
        ("a", "approved"),
        ("b", "rejected"),
        ("c", "approved"),
    ]


LOOPS = (
    Lowered(
        name="ports-loop-batches",
        seed="seed 000 §4, §11; semantics §1 Loop: n batches are n `loop` ticks and one `done`; 3 batches are within 3",
        workflow=workflow(
            "batches",
            loop("each", x("input.items"), on("loop", "body"), on("done", "after"), batch_size=2, iterations_max=3),
            action("body", "body", LOOK, on("success", "each"), assign=obj(output=x("steps.each.output"))),
            action("after", "after", obj(loop=LOOK, items=x("loop.items"), output=x("last.output"))),
        ),
        input={"items": ["a", "b", "c", "d", "e"]},
        output={
            "loop": {"state": _state(5, 5, 3, complete=True), "batch": None},
            "items": ["a", "b", "c", "d", "e"],
            "output": {"state": _state(5, 5, 3, complete=True), "batch": None},
        },
        runs={"each": 4, "body": 3, "after": 1},
        check=every(
            calls(
                "body",
                {"state": _state(0, 5, 0), "batch": _batch(0, 0, ["a", "b"])},
                {"state": _state(2, 5, 1), "batch": _batch(1, 2, ["c", "d"])},
                {"state": _state(4, 5, 2), "batch": _batch(2, 4, ["e"])},
            ),
            variables(output={"state": _state(4, 5, 2), "batch": _batch(2, 4, ["e"])}),
            outcome("each", port="done"),
        ),
    ),
    Lowered(
        name="ports-loop-of-many-items",
        seed="semantics §1 Loop; architecture 4: items are stored once, in chunks; a batch may lie in two of them",
        workflow=workflow(
            "many",
            loop("each", x("input.items"), on("loop", "body"), on("done"), batch_size=400),
            action(
                "body",
                "body",
                obj(first=x("loop.batch.items[0]"), last=x("loop.batch.items[-1]"), count=x("len(loop.batch.items)")),
                on("success", "each"),
            ),
        ),
        input={"items": list(range(1_500))},
        output={"state": _state(1_500, 1_500, 4, complete=True), "batch": None},
        runs={"each": 5, "body": 4},
        check=calls(
            "body",
            {"first": 0, "last": 399, "count": 400},
            {"first": 400, "last": 799, "count": 400},
            {"first": 800, "last": 1_199, "count": 400},
            {"first": 1_200, "last": 1_499, "count": 300},
        ),
    ),
    Lowered(
        name="ports-loop-items",
        seed="seed 000 §4 item and index when batchSize is 1; semantics §1 Loop: output.data = {state, batch, item?}",
        workflow=workflow(
            "items",
            loop("each", x("input.items"), on("loop", "body"), on("done")),
            action("body", "body", obj(loop=LOOK, item=x("last.output.item")), on("success", "each")),
        ),
        input={"items": [{"id": 1}, None]},
        output={"state": _state(2, 2, 2, complete=True), "batch": None},
        runs={"each": 3, "body": 2},
        check=calls(
            "body",
            {
                "loop": {"state": _state(0, 2, 0), "batch": _batch(0, 0, [{"id": 1}]), "item": {"id": 1}, "index": 0},
                "item": {"id": 1},
            },
            {"loop": {"state": _state(1, 2, 1), "batch": _batch(1, 1, [None]), "item": None, "index": 1}, "item": None},
        ),
    ),
    _self_tick("loop-self-tick", 3),
    # More ticks than one transition makes.
    _self_tick("loop-self-tick-by-name", 300, on("loop", "each")),
    Lowered(
        name="ports-loop-empty",
        seed="semantics §1 Loop: empty → done at once",
        workflow=workflow(
            "empty",
            loop("each", x("input.items"), on("loop", "body"), on("done", "after")),
            action("body", "body", EMPTY, on("success", "each")),
            action("after", "after", LOOK),
        ),
        input={"items": []},
        output={"state": _state(0, 0, 0, complete=True), "batch": None},
        runs={"each": 1, "after": 1},
        check=every(_ticked(), ended_after(10)),
    ),
    _fails_to_loop(
        "loop-not-an-array", "semantics §1 Loop: non-array → failure", {"0": "a"}, "must be an array", "NOT_AN_ARRAY"
    ),
    _fails_to_loop(
        "loop-over-its-limit",
        "semantics §1 Loop: maxIterations counts batches and is checked at entry; §0 Limits: names limit and value",
        [1, 2, 3, 4, 5],
        "has 3 batches, its limit is 2",
        "LIMIT",
        batch_size=2,
        iterations_max=2,
    ),
    Lowered(
        name="ports-loop-nested",
        seed="semantics §1 Loop: loop.parent, loop.ownerStepSlug; after an inner done the loop is the parent again",
        workflow=NESTED,
        input={"groups": [{"id": "a", "members": [1, 2]}, {"id": "b", "members": []}, {"id": "c", "members": [3]}]},
        output={"owner": "outer", "state": _state(3, 3, 3, complete=True)},
        runs={"outer": 4, "inner": 6, "body": 3, "between": 3, "after": 1},
        check=every(
            calls("body", _in_group("a", 0, 0, 1), _in_group("a", 0, 1, 2), _in_group("c", 2, 0, 3)),
            calls("between", _after_group("a", 2), _after_group("b", 0), _after_group("c", 1)),
        ),
    ),
    Lowered(
        name="ports-loop-pagination",
        seed="semantics §1 Loop: a completed loop entered again starts anew (pagination)",
        workflow=workflow(
            "pages",
            action("fetch", "fetch", obj(after=x("steps.fetch.output.next")), on("success", "each")),
            loop("each", x("last.output.items"), on("loop", "body"), on("done", "more")),
            action("body", "body", obj(parent=x("loop.parent"), at=LOOK), on("success", "each")),
            step("more", Condition(x("steps.fetch.output.next != null")), on("true", "fetch"), on("false")),
        ),
        script=Fixed(
            {
                "fetch": [
                    TaskAnswer(output={"items": [1, 2], "next": "p2"}),
                    TaskAnswer(output={"items": [3], "next": None}),
                ]
            }
        ),
        output=False,
        runs={"fetch": 2, "each": 5, "body": 3, "more": 2},
        check=every(
            _opened([1, 2], [3]),
            calls("fetch", {}, {"after": "p2"}),
            calls(
                "body",
                {"at": {"state": _state(0, 2, 0), "batch": _batch(0, 0, [1]), "item": 1, "index": 0}},
                {"at": {"state": _state(1, 2, 1), "batch": _batch(1, 1, [2]), "item": 2, "index": 1}},
                {"at": {"state": _state(0, 1, 0), "batch": _batch(0, 0, [3]), "item": 3, "index": 0}},
            ),
        ),
    ),
    Lowered(
        name="ports-loop-items-are-evaluated-once",
        seed="semantics §1 Loop: items are evaluated once per entry, whatever the body does to where they came from",
        workflow=workflow(
            "once",
            loop("each", x("vars.queue"), on("loop", "grow"), on("done", "after")),
            step("grow", SetVariables((("queue", x("vars.queue + [loop.item]")),)), on("success", "each")),
            action("after", "after", obj(queue=x("vars.queue"))),
            initial=obj(queue=x("input.queue")),
        ),
        input={"queue": ["a", "b"]},
        output={"queue": ["a", "b", "a", "b"]},
        runs={"each": 3, "grow": 2, "after": 1},
        check=_opened(["a", "b"]),
    ),
    Lowered(
        name="ports-loop-continues-on-error",
        seed="semantics §1 Loop: continueOnError: a failing body step ends that tick, its error goes to output.meta.errors",
        workflow=workflow(
            "continue",
            loop("each", x("input.items"), on("loop", "risky"), on("done", "after"), continue_on_error=True),
            action("risky", "risky", obj(item=x("loop.item")), on("success", "keep")),
            action("keep", "keep", obj(item=x("loop.item")), on("success", "each")),
            action("after", "after", obj(first=x("steps.each.meta.errors[0].code"), count=x("len(last.meta.errors)"))),
        ),
        input={"items": [1, 2, 3, 4]},
        script=Fixed({"risky": [TaskAnswer(output=1), broken("ODD"), TaskAnswer(output=3), broken("ODDER")]}),
        output={"first": "ODD", "count": 2},
        runs={"each": 5, "risky": 4, "keep": 2, "after": 1},
        check=every(
            calls("keep", {"item": 1}, {"item": 3}),
            outcome("each", output={"state": _state(4, 4, 4, complete=True)}, port="done"),
            warned(),
        ),
    ),
    Lowered(
        name="ports-loop-continues-after-an-error-in-an-inner-loop",
        seed="semantics §1 Loop: control returns to the loop that continues; an inner one is left and starts anew",
        workflow=workflow(
            "inner error",
            loop("outer", x("input.groups"), on("loop", "inner"), on("done", "after"), continue_on_error=True),
            loop("inner", x("loop.item"), on("loop", "risky"), on("done", "outer")),
            action("risky", "risky", obj(item=x("loop.item"), at=x("loop.index")), on("success", "inner")),
            action("after", "after", obj(errors=x("len(last.meta.errors)"), owner=x("loop.owner"))),
        ),
        input={"groups": [["a", "b"], ["c", "d"]]},
        script=Fixed({"risky": [broken(), TaskAnswer(output="fine")]}),
        output={"errors": 1, "owner": "outer"},
        runs={"outer": 3, "inner": 4, "risky": 3, "after": 1},
        check=every(
            calls("risky", {"item": "a", "at": 0}, {"item": "c", "at": 0}, {"item": "d", "at": 1}),
            _left_loops(1),
            _opened([["a", "b"], ["c", "d"]], ["a", "b"], ["c", "d"]),
        ),
    ),
    Lowered(
        name="ports-loop-of-approvals",
        seed="semantics §1 Loop, Approval: each tick asks anew, and each is decided by itself",
        workflow=workflow(
            "asking",
            loop("each", x("input.items"), on("loop", "review"), on("done", "after")),
            step("review", Approval(obj(submittedData=x("loop.item"))), on("approved", "each"), on("rejected", "note")),
            action("note", "note", obj(item=x("loop.item")), on("success", "each")),
            action("after", "after", obj(index=x("loop.state.currentIndex"))),
        ),
        input={"items": ["a", "b", "c"]},
        script=Fixed(approvals={"review": None}),
        happenings=(
            Happening(1_000, lambda world: _decide_open(world, "approve")),
            Happening(2_000, lambda world: _decide_open(world, "reject")),
            Happening(3_000, lambda world: _decide_open(world, "approve")),
        ),
        output={"index": 3},
        runs={"each": 4, "review": 3, "note": 1, "after": 1},
        check=every(_each_asked, calls("note", {"item": "b"})),
    ),
    Lowered(
        name="ports-loop-retried-where-it-failed",
        seed="semantics §0 Status: a retry continues from the failed step: in the same tick of the loop",
        # The second item fails for good, and once more after the retry; the third fails once.
        workflow=workflow(
            "retried loop",
            loop("each", x("input.items"), on("loop", "risky"), on("done")),
            step(
                "risky",
                Task("risky", obj(item=x("loop.item")), Retry(attempts_max=2, delay_ms=1_000, jitter=0)),
                on("success", "each"),
            ),
        ),
        input={"items": [1, 2, 3]},
        script=Fixed({"risky": [TaskAnswer(output=1), broken(), broken(), TaskAnswer(output="fine")]}),
        happenings=(Happening(MINUTE, _is_failed), Happening(HOUR, lambda world: world.retry("main"))),
        output={"state": _state(3, 3, 3, complete=True), "batch": None},
        runs={"each": 4, "risky": 3},
        check=every(calls("risky", {"item": 1}, {"item": 2}, {"item": 3}), _opened([1, 2, 3]), _ticked(0, 1, 2)),
    ),
    Lowered(
        name="ports-loop-error-without-continue",
        seed="semantics §1 Errors: without continueOnError a failing body step fails the execution",
        workflow=workflow(
            "stops",
            loop("each", x("input.items"), on("loop", "risky"), on("done")),
            action("risky", "risky", obj(item=x("loop.item")), on("success", "each")),
        ),
        input={"items": [1, 2, 3]},
        script=Fixed({"risky": [TaskAnswer(output=1), broken("ODD")]}),
        status="failed",
        error="ODD came back",
        runs={"each": 2, "risky": 2},
        check=failed_with("ODD", "risky"),
    ),
)

# Semantics §1 Approval, Timeouts, Cancel.


def the_approval(world: World) -> ApprovalRecord:
    (approval,) = world.store.approvals.values()
    return approval


def vote(by: str, decision: Literal["approve", "reject"], **more: Json) -> Callable[[World], s.Outcome]:
    return lambda world: world.store.commit([s.Decide(the_approval(world).id, world.now, by, decision, **more)])[0]


def answered(kind: type[s.Outcome], act: Callable[[World], s.Outcome], part: str = "") -> Callable[[World], None]:
    """Somebody does this, and is answered so."""

    def do(world: World) -> None:
        outcome = act(world)
        assert isinstance(outcome, kind), outcome
        assert part in repr(outcome)

    return do


def _review(on_timeout: Literal["stay", "fail", "approve", "reject", "escalate"] = "stay", **more: Any) -> Workflow:
    """An approval that is due after a minute, and a step for each way it can end."""
    on_error = more.pop("on_error", ())
    return workflow(
        f"review {on_timeout}",
        step(
            "review",
            Approval(obj(submittedData=x("input")), due_at=x("now + 60000"), on_timeout=on_timeout, **more),
            on("approved", "yes"),
            on("rejected", "no"),
            on_error=on_error,
        ),
        action("yes", "mark", obj(at="yes", modified=x("last.output.modifiedData"))),
        action("no", "mark", obj(at="no")),
        action("late", "mark", obj(at="late", why=x("steps.review.error.code"))),
    )


def _approval_is(status: str, **parts: Json) -> Check:
    def check(world: World) -> None:
        approval = the_approval(world)
        assert approval.status == status
        assert {name: getattr(approval, name) for name in parts} == parts

    return check


def _expired(on_timeout: Literal["approve", "reject"], at: str) -> Lowered:
    status = {"approve": "approved", "reject": "rejected"}[on_timeout]
    return Lowered(
        name=f"ports-approval-due-{on_timeout}",
        seed=f"semantics §1 Approval: on expiry onTimeout: {on_timeout}",
        workflow=_review(on_timeout),
        script=Fixed(approvals={"review": None}),
        # The record is the arbiter: who comes too late is told what has been decided.
        happenings=(Happening(MINUTE + 5, answered(s.GuardFailed, vote("ann", _OTHER[on_timeout]), status)),),
        output={"at": at},
        runs={"review": 1, at: 1},
        check=every(
            _approval_is(status, decision=on_timeout, due_at=T0 + MINUTE),
            outcome("review", port=status, output={"status": status, "decision": on_timeout}),
            ended_after(MINUTE + 10),
        ),
    )


_OTHER: dict[str, Literal["approve", "reject"]] = {"approve": "reject", "reject": "approve"}
UNDECIDED = Fixed(approvals={"review": None})


def _votes(world: World) -> None:
    approval = the_approval(world)
    assert sorted(approval.votes) == [("ann", "approve"), ("bob", "reject"), ("cyd", "approve")]
    assert (approval.decision, approval.decided_by, approval.decided_at) == ("approve", "cyd", T0 + 4_000)
    assert [fact.at for fact in of_step(world, f.StepCompleted, "review")] == [T0 + 4_000]


TIMED = workflow(
    "timed",
    action("first", "work", EMPTY, on("success", "review")),
    step("review", Approval(EMPTY), on("approved", "second")),
    action("second", "work", EMPTY, on("success")),
    deadline_ms=10_000,
    deadline_pauses=True,
)


def _timed(first: int, second: int) -> Fixed:
    return Fixed(
        {"first": TaskAnswer(first, "first"), "second": TaskAnswer(second, "second")}, {"review": ApprovalAnswer(HOUR)}
    )


APPROVALS = (
    Lowered(
        name="ports-approval-due-fail",
        seed="seed 001 §5 dueDate {{now + …}}; semantics §1 Approval: on expiry onTimeout: fail",
        workflow=_review("fail"),
        script=UNDECIDED,
        status="failed",
        error="'review'",
        runs={"review": 1},
        check=every(failed_with("TIMEOUT", "review"), _approval_is("closed", decision=None), ended_after(MINUTE)),
    ),
    Lowered(
        name="ports-approval-due-error-port",
        seed="semantics §1 Approval onTimeout: fail, Errors: an error port takes it",
        workflow=_review("fail", on_error=(on(None, "late"),)),
        script=UNDECIDED,
        output={"at": "late", "why": "TIMEOUT"},
        runs={"review": 1, "late": 1},
        check=_approval_is("closed"),
    ),
    _expired("approve", "yes"),
    _expired("reject", "no"),
    Lowered(
        name="ports-approval-due-escalates",
        seed="semantics §1 Approval: escalate with escalateTo: it stays open for somebody else, who decides later",
        workflow=_review("escalate", escalate_to=obj(role=x("input.boss"))),
        input={"boss": "directors"},
        script=Fixed(approvals={"review": ApprovalAnswer(2 * MINUTE, "approve", ("dir",))}),
        happenings=(
            Happening(MINUTE - 1, _approval_is("pending", overdue=False, escalated_to=None)),
            Happening(MINUTE + 1, _approval_is("pending", overdue=True, escalated_to={"role": "directors"})),
            Happening(MINUTE + 1, _stands_waiting("approval", "review")),
        ),
        output={"at": "yes"},
        runs={"review": 1, "yes": 1},
        check=every(decided("approved", "dir", 2 * MINUTE), _approval_is("approved", overdue=True)),
    ),
    Lowered(
        name="ports-approval-due-stays-open",
        seed="semantics §1 Approval: default: stays open, marked overdue",
        workflow=_review(),
        script=UNDECIDED,
        status="waiting",
        runs={"review": 1},
        check=every(_approval_is("pending", overdue=True, decision=None), _stands_waiting("approval", "review")),
    ),
    Lowered(
        name="ports-approval-decided-in-time",
        seed="semantics §1 Approval: a decision before the due date stands; the due date then means nothing",
        workflow=_review("fail"),
        script=Fixed(approvals={"review": ApprovalAnswer(MINUTE - 1)}),
        output={"at": "yes"},
        runs={"review": 1, "yes": 1},
        check=every(decided("approved", "ann", MINUTE - 1), _approval_is("approved", overdue=False)),
    ),
    Lowered(
        name="ports-approval-votes",
        seed="semantics §1 Approval: votesRequired: votes are recorded apart, the vote that settles it is the one decision",
        workflow=_review("fail", votes_required=2),
        script=UNDECIDED,
        happenings=(
            Happening(1_000, vote("ann", "approve")),
            Happening(2_000, vote("bob", "reject")),
            Happening(3_000, vote("ann", "approve")),  # she has voted: it does not count twice
            Happening(3_500, _stands_waiting("approval", "review")),
            Happening(4_000, vote("cyd", "approve")),
            Happening(5_000, answered(s.Duplicate, vote("dan", "approve"))),
            Happening(6_000, answered(s.GuardFailed, vote("eve", "reject"), "cyd")),
        ),
        output={"at": "yes"},
        runs={"review": 1, "yes": 1},
        check=_votes,
    ),
    Lowered(
        name="ports-approval-modified",
        seed="semantics §1 Approval: allowDataModification lets the approver change submittedData; modifiedData in the output",
        workflow=_review(),
        input={"price": 10},
        script=UNDECIDED,
        happenings=(Happening(1_000, vote("ann", "approve", comments="cheaper", data={"price": 8})),),
        output={"at": "yes", "modified": {"price": 8}},
        runs={"review": 1, "yes": 1},
        check=outcome(
            "review",
            output={"comments": "cheaper", "modifiedData": {"price": 8}, "request": {"submittedData": {"price": 10}}},
        ),
    ),
    Lowered(
        name="ports-workflow-timeout-does-not-count-people",
        seed="semantics §0 Timeouts: time spent waiting for a person does not count in ports",
        workflow=TIMED,
        script=_timed(6_000, 3_999),
        output="second",
        runs={"first": 1, "review": 1, "second": 1},
        check=ended_after(HOUR + 9_999),
    ),
    Lowered(
        name="ports-workflow-timeout-counts-work-before-and-after",
        seed="semantics §0 Timeouts: the execution fails with TIMEOUT, 10 s of work after its start",
        workflow=TIMED,
        script=_timed(6_000, 4_001),
        status="failed",
        runs={"first": 1, "review": 1, "second": 1},
        check=every(failed_with("TIMEOUT"), ended_after(HOUR + 10_000), announced("started", "failed")),
    ),
    Lowered(
        name="ports-cancel-while-waiting",
        seed="seed 001 §7 cancel; semantics §1 Cancel: the wait ends, its approval is closed to everybody",
        workflow=_review(),
        script=UNDECIDED,
        happenings=(
            Happening(5_000, answered(s.Committed, lambda world: world.cancel("main"))),
            Happening(6_000, answered(s.GuardFailed, vote("ann", "approve"), "closed")),
            Happening(7_000, answered(s.Refused, lambda world: world.cancel("main"), "cancelled")),
        ),
        status="cancelled",
        runs={"review": 1},
        check=every(_approval_is("closed"), ended_after(5_000), announced("started", "cancelled")),
    ),
)

# Semantics §1 Action: workflow and event; budgets.

DOUBLE = workflow("Double", action("double", "double", obj(n=x("input.n * 2")), on(None)))
SLOW = workflow("Slow", action("nap", "nap", obj(n=x("input.n")), on(None)))


def _starts(name: str, child: str, *, wait: bool, **more: Any) -> Workflow:
    return workflow(
        name,
        step("sub", Child(k(child), obj(n=x("input.n")), wait=wait), on("success", "after"), **more),
        action("after", "after", obj(got=x("last.output"))),
        action("rescue", "rescue", obj(why=x("steps.sub.error.message"))),
    )


def _child_is(status: str, **parts: Json) -> Check:
    def check(world: World) -> None:
        found = record(world, only_other(world))
        assert (found.parent, found.trigger, found.depth, found.status) == ("main", "chain", 1, status)
        assert {name: getattr(found, name) for name in parts} == parts

    return check


def _not_waited_for(world: World) -> None:
    child = only_other(world)
    assert main(world).output == {"got": child}
    assert record(world).ended_at == T0 + 10
    assert record(world, child).ended_at == T0 + HOUR


def _too_deep(world: World) -> None:
    (skipped,) = facts(world, f.ChainSkipped)
    assert "'Double'" in skipped.reason
    assert "10" in skipped.reason
    assert others(world) == []


SHIPPED = workflow("Shipped", action("note", "note", obj(id=x("input.id")), on(None)), starts=(EventStart("order.*"),))


def _shipped(world: World) -> None:
    (event,) = [event for event in world.store.events.values() if event.type == "order.shipped"]
    assert (event.source, event.correlation_id) == ("main", "c-1")
    found = account(world, only_other(world))
    assert (found.workflow, found.status, found.output) == ("Shipped", "completed", {"id": 7})


def _ask(slug: str, tokens: int, *routes: Route, **more: Any) -> Step:
    return step(slug, Task("llm", obj(prompt=slug), reserve=(("tokens", tokens),)), *routes, **more)


BUDGET = (
    _ask("first", 600, on("success", "second")),
    _ask("second", 600, on("success"), on_error=(on(None, "cheap"),)),
    _ask("cheap", 500, on("success")),
)
SPENT = {"first": TaskAnswer(output="long", usage=(("tokens", 500),)), "cheap": TaskAnswer(output="short")}

ACTIONS = (
    Lowered(
        name="ports-child-waited-for",
        seed="semantics §1 Action workflow, wait: true; §0 Start: parent, depth, correlationId are handed on",
        workflow=_starts("parent", "Double", wait=True),
        others=(DOUBLE,),
        input={"n": 21},
        start={"correlation_id": "c-1"},
        output={"got": {"n": 42}},
        runs={"sub": 1, "after": 1},
        check=_child_is("completed", correlation_id="c-1", output={"n": 42}),
    ),
    Lowered(
        name="ports-child-not-waited-for",
        seed="semantics §1 Action workflow, wait: false: the output is the child's id, and it goes on by itself",
        workflow=_starts("parent", "Slow", wait=False),
        others=(SLOW,),
        input={"n": 1},
        script=Fixed({"nap": TaskAnswer(HOUR, "rested")}),
        runs={"sub": 1, "after": 1},
        check=every(_not_waited_for, _child_is("completed", output="rested")),
    ),
    Lowered(
        name="ports-child-fails",
        seed="semantics §1 Action workflow, Errors: its failure is the step's, and the error port takes it",
        workflow=_starts("parent", "Slow", wait=True, on_error=(on(None, "rescue"),)),
        others=(SLOW,),
        input={"n": 1},
        script=Fixed({"nap": broken("NIGHTMARE")}),
        runs={"sub": 1, "rescue": 1},
        check=every(_child_is("failed"), outcome("sub", status="failed", error={"code": "NIGHTMARE"})),
    ),
    Lowered(
        name="ports-child-unknown",
        seed="semantics §0 Versions: workflowId is an id, else a name; one that names nothing fails the step",
        workflow=_starts("parent", "Nobody", wait=True),
        input={"n": 1},
        status="failed",
        error="'Nobody'",
        runs={"sub": 1},
        check=failed_with("UNKNOWN_WORKFLOW", "sub"),
    ),
    Lowered(
        name="ports-child-unknown-not-waited-for",
        seed="semantics §0 Versions: workflowId is an id, else a name; one that names nothing fails the step",
        workflow=_starts("parent", "Nobody", wait=False),
        input={"n": 1},
        status="failed",
        error="'Nobody'",
        runs={"sub": 1},
        check=failed_with("UNKNOWN_WORKFLOW", "sub"),
    ),
    Lowered(
        name="ports-child-cancelled-with-its-parent",
        seed="semantics §1 Cancel: what it waits for is told",
        workflow=_starts("parent", "Slow", wait=True),
        others=(SLOW,),
        input={"n": 1},
        script=Fixed({"nap": TaskAnswer(HOUR, "rested")}),
        happenings=(Happening(1_000, lambda world: world.cancel("main")),),
        status="cancelled",
        runs={"sub": 1},
        check=every(_child_is("cancelled", ended_at=T0 + 1_000), ended_after(1_000)),
    ),
    Lowered(
        name="ports-child-too-deep",
        seed="semantics §0 Chains and depth: at the limit of 10 the start is skipped and recorded; it does not fail the parent",
        workflow=_starts("parent", "Double", wait=True),
        others=(DOUBLE,),
        input={"n": 1},
        start={"depth": 10},
        output={"got": None},
        runs={"sub": 1, "after": 1},
        check=_too_deep,
    ),
    Lowered(
        name="ports-event-published",
        seed="semantics §1 Action event; §0 Start: correlationId is inherited by what it starts",
        workflow=workflow(
            "publisher",
            step("tell", Publish(text("order.", x("input.what")), obj(id=x("input.id"))), on("success", "after")),
            action("after", "after", obj(type=x("last.output.type"))),
        ),
        others=(SHIPPED,),
        input={"what": "shipped", "id": 7},
        start={"correlation_id": "c-1"},
        output={"type": "order.shipped"},
        runs={"tell": 1, "after": 1},
        check=every(published("order.shipped", {"id": 7}), _shipped),
    ),
    # 1000 in all, 500 spent: 600 more might be too much, 500 cannot be.
    Lowered(
        name="ports-budget-error-port",
        seed="model: reserve and budget; semantics §1 Errors: over budget is a failure that the error port takes",
        workflow=workflow("budget", *BUDGET, budget=(("tokens", 1_000),)),
        script=Fixed({**SPENT}),
        output="short",
        runs={"first": 1, "second": 1, "cheap": 1},
        check=every(calls("second"), outcome("second", status="failed", error={"code": "BUDGET"})),
    ),
    Lowered(
        name="ports-budget-failure",
        seed="model: reserve and budget; without an error port the execution fails, before the call is made",
        workflow=workflow("budget", BUDGET[0], replace(BUDGET[1], on_error=()), budget=(("tokens", 1_000),)),
        script=Fixed({**SPENT}),
        status="failed",
        error="1000",
        runs={"first": 1, "second": 1},
        check=every(calls("second"), failed_with("BUDGET", "second")),
    ),
)

CORNERS: tuple[Lowered, ...] = (
    # Only a failing step of the body ends a tick: a loop that took its own failure back would never come to rest.
    Lowered(
        name="ports-loop-that-fails-at-its-end",
        seed="semantics §1 Routing: strictPorts; Loop: continueOnError is for body steps, not for the loop itself",
        workflow=workflow(
            "strict loop",
            replace(loop("each", x("input.items"), on("loop", "body"), continue_on_error=True), unrouted="fail"),
            action("body", "body", EMPTY, on("success", "each")),
        ),
        input={"items": [1]},
        status="failed",
        error="'done'",
        check=failed_with("UNROUTED", "each"),
    ),
    Lowered(
        name="ports-organization",
        seed="seed 001 §4 {{organizationId}}; semantics §1 Variables: organizationId",
        workflow=workflow(
            "organization", action("send", "send", obj(organizationId=x("execution.organization")), on(None))
        ),
        output={"organizationId": "default"},
        runs={"send": 1},
    ),
)

WORKFLOWS: tuple[Lowered, ...] = (*EXAMPLES, *ROUTING, *DATA, *LOOPS, *APPROVALS, *ACTIONS, *CORNERS)
