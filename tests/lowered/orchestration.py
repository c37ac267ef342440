"""Workflows of the orchestration dialect, lowered by hand.

What a compiler of that dialect does to a document, and these do by hand:
- `transitions` become routes: outcome keys first (matched against what `ports` computes from the output), then the
  conditions in order, then the default
- an outcome key for an error code, then `onFailure`, become `on_error`; `continue` repeats the way on there
- the `inputMapping` of an onFailure is a step of its own between the two, which computes it
- compensation steps are steps that nothing leads to
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from lowered.base import Happening, Lowered, arr, k, main, obj, x
from lowered.ports import (
    DAY,
    HOUR,
    MINUTE,
    T0,
    Check,
    announced,
    answered,
    broken,
    calls,
    ended_after,
    every,
    facts,
    failed_with,
    is_running,
    of_step,
    only_other,
    outcome,
    published,
    record,
    same_key,
    variables,
    warned,
)
from perdure.core import facts as f
from perdure.model.failure import Category
from perdure.model.records import EventRecord
from perdure.model.steps import Approval, Compute, EventWait, Retry, Route, Step, Task
from perdure.model.values import EMPTY, Json, Value
from perdure.model.workflow import Compensation, Entry, EventCancel, EventStart, Workflow
from perdure.store import port as s
from perdure.testing.script import ApprovalAnswer, EventAnswer, Fixed, TaskAnswer
from perdure.testing.summary import account
from perdure.testing.world import World

# How a document of the dialect becomes a model.

OUTCOME = (x("output.outcome"), x("output.status"))


def to(*steps: str, key: str | None = None, when: str | None = None) -> Route:
    """The default, or an outcome key, or a condition. No step: END."""
    return Route(steps, key, None if when is None else x(when))


def on_code(code: str, step: str) -> Route:
    """An outcome key that is an error code: the code, not the category."""
    return Route((step,), when=x(f"error.code == '{code}'"))


def task(step: str, given: Value = EMPTY, *routes: Route, **more: Any) -> Step:
    work = {name: more.pop(name) for name in ("retry", "timeout_ms") if name in more}
    return Step(step, Task(step, given, **work), routes, ports=OUTCOME, **more)


def decision(step: str, *routes: Route) -> Step:
    return Step(step, Compute(), routes, unrouted="fail")


def wait(step: str, pattern: str, *routes: Route, **more: Any) -> Step:
    on_error, assign = more.pop("on_error", ()), more.pop("assign", None)
    return Step(step, EventWait(k(pattern), **more), routes, on_error=on_error, assign=assign)


def workflow(name: str, *steps: Step, **more: Any) -> Workflow:
    return Workflow(name, steps, (Entry(steps[0].id),), **more)


def waits_for(step: str, pattern: str, since_ms: int) -> Check:
    """It stands in this wait: what `state.waitingForEvent` is made of."""

    def check(world: World) -> None:
        found = record(world)
        assert found.status == "waiting"
        assert found.waiting is not None
        assert (found.waiting.kind, found.waiting.step, found.waiting.on) == ("event", step, pattern)
        assert found.waiting.since == T0 + since_ms

    return check


def publish(event_type: str, data: Json = None, event_id: str | None = None) -> Callable[[World], s.Outcome]:
    return lambda world: world.publish(event_type, data, event_id)


def cancel(world: World) -> s.Outcome:
    return world.cancel("main")


def resumed_by(step: str, *events: tuple[str, int]) -> Check:
    """The wait was ended by these events, so long after the start."""

    def check(world: World) -> None:
        assert [(fact.event_id, fact.at - T0) for fact in of_step(world, f.StepCompleted, step)] == list(events)

    return check


# Next step: outcome keys, conditions, default.

CREDIT = workflow(
    "credit",
    task(
        "score",
        obj(amount=x("input.amount")),
        to("blocked", key="FRAUD"),
        to("manual", when="output.amount > 1000"),
        to("senior", when="output.amount > 100"),
        to("auto"),
    ),
    *(task(step, obj(by=step)) for step in ("blocked", "manual", "senior", "auto")),
)


def _credit(name: str, seed: str, answer: Json, taken: str, *warnings: str) -> Lowered:
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=CREDIT,
        input={"amount": 1},
        script=Fixed({"score": TaskAnswer(output=answer)}),
        output={"by": taken},
        runs={"score": 1, taken: 1},
        check=every(calls("score", {"amount": 1}), warned(*warnings)),
    )


def _decided(name: str, seed: str, amount: int, **more: Any) -> Lowered:
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=workflow(
            "decision",
            task("load", obj(amount=x("input.amount")), to("decide")),
            decision("decide", to("small", when="input.amount < 10"), to("big", when="last.output.amount > 1000")),
            task("small", obj(by="small")),
            task("big", obj(by="big")),
        ),
        input={"amount": amount},
        **more,
    )


TRANSITIONS = (
    _credit(
        "first-true-condition-wins",
        "seed 002 WorkflowStep.transitions.conditions; semantics §2 Next step: first true wins",
        {"amount": 5_000},
        "manual",
    ),
    _credit("second-condition", "semantics §2 Next step: conditions in order", {"amount": 500}, "senior"),
    _credit("default-transition", "semantics §2 Next step: then default", {"amount": 100}, "auto"),
    _credit(
        "outcome-key-beats-conditions",
        "semantics §2 Next step: an outcome key (the task's `outcome`) comes before the conditions",
        {"amount": 5_000, "outcome": "FRAUD"},
        "blocked",
    ),
    _credit(
        "status-as-outcome-key",
        "semantics §2 Next step: matched against the task's outcome, status or error code",
        {"amount": 5_000, "outcome": "SCORED", "status": "FRAUD"},
        "blocked",
    ),
    _credit(
        "condition-that-throws-is-false",
        "semantics §2 Next step: a condition that throws is false, and logged",
        {"amount": "a lot"},
        "auto",
        "output.amount > 1000",
        "output.amount > 100",
    ),
    _decided(
        "decision",
        "seed 002 DECISION; semantics §2 Output: of the step that completed last",
        5_000,
        output={"by": "big"},
        runs={"load": 1, "decide": 1, "big": 1},
    ),
    _decided(
        "decision-without-match",
        "semantics §2 Next step: a DECISION with no match and no default fails",
        100,
        status="failed",
        error="'decide'",
        runs={"load": 1, "decide": 1},
        check=failed_with("UNROUTED", "decide"),
    ),
    Lowered(
        name="orchestration-choice",
        seed="semantics §2: CHOICE (`choices`, `default`) is accepted as well",
        workflow=workflow(
            "choice",
            Step("pick", Compute(), (to("air", when="input.express"), to("sea")), unrouted="fail"),
            task("air", obj(by="air")),
            task("sea"),
        ),
        input={"express": False},
        # A TASK without input gets {}.
        output={},
        runs={"pick": 1, "sea": 1},
        check=calls("sea", {}),
    ),
)

# Task failure: retries → outcome key for the error code → onFailure → FAILED.


def _pay(*on_error: Route, retry: Retry | None = None) -> Workflow:
    return workflow(
        "pay",
        task(
            "charge",
            obj(amount=x("input.amount")),
            to("paid", key="PAID"),
            to("later", when="input.patient"),
            to("ship"),
            retry=retry or Retry(),
            on_error=on_error,
        ),
        # onFailure: {handlerStepId: "apologize", inputMapping: {why: "${steps.charge.error.message}", amount: …}}
        Step(
            "charge.onFailure",
            Compute(obj(why=x("steps.charge.error.message"), amount=x("input.amount"))),
            (to("apologize"),),
        ),
        *(task(step, obj(by=step)) for step in ("paid", "later", "ship", "declined")),
        task("apologize", x("last.output if last.step == 'charge.onFailure' else undefined")),
    )


def _paying(name: str, seed: str, model: Workflow, answers: TaskAnswer | list[TaskAnswer], **more: Any) -> Lowered:
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=model,
        input={"amount": 5, "patient": False, **more.pop("given", {})},
        script=Fixed({"charge": answers}),
        **more,
    )


def _retried(*delays: tuple[int, int]) -> Check:
    """So often, after delays between these bounds; each attempt was made when it was due."""

    def check(world: World) -> None:
        retrying = facts(world, f.StepRetrying)
        assert len(retrying) == len(delays), retrying
        for fact, (least, most) in zip(retrying, delays, strict=True):
            assert least <= fact.due_at - fact.at <= most
        assert [fact.at for fact in facts(world, f.StepAttempted)] == [fact.due_at for fact in retrying]

    return check


DECLINED, HANDLER, TWICE = on_code("DECLINED", "declined"), to("charge.onFailure"), Retry(attempts_max=2)

FAILURES = (
    _paying(
        "on-failure-handler",
        "semantics §2 Task failure: retries, then onFailure {handlerStepId, inputMapping}",
        _pay(DECLINED, HANDLER, retry=TWICE),
        broken("DOWN"),
        output={"why": "DOWN came back", "amount": 5},
        runs={"charge": 1, "charge.onFailure": 1, "apologize": 1},
        check=every(_retried((1_000, 1_100)), outcome("charge", status="failed", error={"code": "DOWN"})),
    ),
    _paying(
        "error-code-as-outcome-key",
        "semantics §2 Task failure: retries → outcome key for the error code → onFailure",
        _pay(DECLINED, HANDLER, retry=TWICE),
        broken("DECLINED", Category.BUSINESS),
        output={"by": "declined"},
        runs={"charge": 1, "declined": 1},
        check=every(_retried((1_000, 1_100)), same_key("charge", 2)),
    ),
    _paying(
        "error-category-is-no-outcome-key",
        "semantics §2 Next step: matched against the error code",
        _pay(on_code("BUSINESS", "declined"), HANDLER),
        broken("DECLINED", Category.BUSINESS),
        output={"why": "DECLINED came back", "amount": 5},
        runs={"charge": 1, "charge.onFailure": 1, "apologize": 1},
    ),
    # Everything but the outcome keys: there is no outcome.
    _paying(
        "on-failure-continue",
        "semantics §2 Task failure: onFailure: continue goes on by conditions and default",
        _pay(to("later", when="input.patient"), to("ship")),
        broken("DOWN"),
        given={"patient": True},
        output={"by": "later"},
        runs={"charge": 1, "later": 1},
        check=every(outcome("charge", status="failed"), announced("started", "completed")),
    ),
    _paying(
        "no-handler",
        "semantics §2 Task failure: → FAILED",
        _pay(DECLINED),
        broken("DOWN"),
        status="failed",
        error="DOWN came back",
        runs={"charge": 1},
        check=every(failed_with("DOWN", "charge"), announced("started", "failed")),
    ),
    _paying(
        "retry-by-category",
        "semantics §0 Retry: initialInterval by backoffMultiplier^(n-1), at most maxInterval; retryableErrors by category",
        _pay(
            retry=Retry(attempts_max=4, delay_ms=1_000, multiplier=3, delay_max_ms=2_000, only=("TRANSIENT", "LOCKED"))
        ),
        [broken("DOWN"), broken("LOCKED", Category.BUSINESS), TaskAnswer(output={"outcome": "PAID"})],
        output={"by": "paid"},
        runs={"charge": 1, "paid": 1},
        check=every(_retried((1_000, 1_100), (2_000, 2_200)), same_key("charge", 3)),
    ),
    _paying(
        "retry-fixed",
        "semantics §0 Retry: {maxAttempts, delay: PT5M, strategy: fixed}; the last of three attempts fails it",
        _pay(retry=Retry(attempts_max=3, delay_ms=5 * MINUTE, multiplier=1)),
        broken("DOWN"),
        status="failed",
        runs={"charge": 1},
        check=every(
            _retried((5 * MINUTE, 330_000), (5 * MINUTE, 330_000)), failed_with("DOWN", "charge"), same_key("charge", 3)
        ),
    ),
    _paying(
        "not-retryable",
        "semantics §0 Retry: an error that retryableErrors does not list is not retried",
        _pay(DECLINED, retry=Retry(attempts_max=4, only=("TRANSIENT",))),
        [broken("DECLINED", Category.BUSINESS), TaskAnswer(output={"outcome": "PAID"})],
        output={"by": "declined"},
        runs={"charge": 1, "declined": 1},
        check=_retried(),
    ),
    _paying(
        "never-retried",
        "semantics §0 Retry: nonRetryableErrors wins over retryableErrors",
        _pay(retry=Retry(attempts_max=4, only=("TRANSIENT",), never=("DECLINED",))),
        [broken("DECLINED", Category.TRANSIENT), TaskAnswer(output={"outcome": "PAID"})],
        status="failed",
        error="DECLINED came back",
        runs={"charge": 1},
        check=_retried(),
    ),
)

# EVENT_WAIT.

MAPPED = obj(ok=x("event.payload.approved"), note=x("event.payload.meta.note"), missing=x("event.payload.nothing"))
"""eventPayloadMapping: {ok: "approved", note: "payload.meta.note", missing: "$.nothing"}"""

APPROVE = workflow(
    "approve",
    task("prepare", EMPTY, to("wait")),
    wait(
        "wait",
        "order.*.approved",
        to("ship", when="output.ok"),
        to("drop"),
        condition=x("event.payload.id == input.id"),
        output=MAPPED,
        assign=x("output"),
    ),
    task("ship", obj(by="ship", note=x("vars.note"), same=x("steps.wait.output.note"))),
    task("drop", obj(by="drop")),
)
SILENT = Fixed({"prepare": TaskAnswer(5_000, "prepared")}, events={"wait": None, "second": None})
"""Five seconds pass before the wait; no event comes by itself."""

TWO_WAITS = workflow(
    "two waits",
    task("prepare", EMPTY, to("wait")),
    wait("wait", "order.#", to("second"), condition=x("event.payload.n > 1")),
    wait("second", "order.*"),
)


def _plain(name: str = "plain", **more: Any) -> Workflow:
    return workflow(
        name, task("prepare", EMPTY, to("wait")), wait("wait", "order.paid", to("ship"), **more), task("ship")
    )


def _approved(order: int, *, ok: bool = True) -> Json:
    return {"id": order, "approved": ok, "meta": {"note": f"n{order}"}}


def _both_resumed(world: World) -> None:
    second, late = account(world, "second"), account(world, "late")
    assert (second.status, second.runs) == ("completed", {"prepare": 1, "wait": 1, "ship": 1})
    assert (late.status, late.waiting, late.runs) == ("waiting", "event wait", {"prepare": 1, "wait": 1})
    (event,) = [event for event in world.store.events.values() if event.type == "order.paid"]
    for execution in ("main", "second"):
        (done,) = of_step(world, f.StepCompleted, "wait", execution)
        assert done.event_id == event.id


REMINDING = workflow(
    "reminding",
    wait("wait", "order.paid", to("ship"), timeout_ms=k(3 * DAY), on_error=(to("remind", key="TIMEOUT"),)),
    task("remind", obj(why=x("steps.wait.error.code")), to("wait")),
    task("ship", x("last.output")),
)


def _timed_out_first(world: World) -> None:
    (failed,) = of_step(world, f.StepFailed, "wait")
    assert (failed.error.code, failed.error.category, failed.at) == ("TIMEOUT", "TIMEOUT", T0 + 3 * DAY)
    assert failed.handled


def _human_task(world: World) -> None:
    (approval,) = world.store.approvals.values()
    assert approval.request == {
        "assigneeRole": "clerk",
        "taskForm": "refund",
        "priority": "high",
        "submittedData": {"id": 7},
    }
    assert (approval.due_at, approval.status) == (T0 + HOUR, "rejected")


WAITS = (
    Lowered(
        name="orchestration-wait-resumed",
        seed="seed 002 EventWaitStep; semantics §2 EVENT_WAIT: mapped to variables and output, conditions afterwards",
        workflow=APPROVE,
        input={"id": 7},
        script=SILENT,
        happenings=(
            Happening(6_000, waits_for("wait", "order.*.approved", 5_000)),
            Happening(7_000, publish("order.eu.approved", _approved(7), "e1")),
        ),
        output={"by": "ship", "note": "n7", "same": "n7"},
        runs={"prepare": 1, "wait": 1, "ship": 1},
        check=every(variables(ok=True, note="n7"), resumed_by("wait", ("e1", 7_000))),
    ),
    Lowered(
        name="orchestration-wait-declines-then-accepts",
        seed="semantics §2 EVENT_WAIT: eventCondition; `*` is one segment; then transitions by the mapped values",
        workflow=APPROVE,
        input={"id": 7},
        script=SILENT,
        happenings=(
            Happening(6_000, publish("order.eu.approved", _approved(8), "other order")),
            Happening(6_500, publish("order.eu.west.approved", _approved(7), "two segments")),
            Happening(6_700, publish("order.approved", _approved(7), "no segment")),
            Happening(6_900, waits_for("wait", "order.*.approved", 5_000)),
            Happening(7_000, publish("order.us.approved", _approved(7, ok=False), "right")),
        ),
        output={"by": "drop"},
        runs={"prepare": 1, "wait": 1, "drop": 1},
        check=every(variables(ok=False, note="n7"), resumed_by("wait", ("right", 7_000)), warned()),
    ),
    Lowered(
        name="orchestration-event-before-the-wait",
        seed="semantics §2 Early events: after the start, before the wait: it resumes the wait at once",
        workflow=_plain(),
        script=SILENT,
        happenings=(Happening(1_000, publish("order.paid", {"n": 1}, "early")),),
        output={},
        runs={"prepare": 1, "wait": 1, "ship": 1},
        # Without a mapping the output is the payload.
        check=every(resumed_by("wait", ("early", 5_000)), outcome("wait", output={"n": 1}), variables()),
    ),
    Lowered(
        name="orchestration-no-lookback",
        seed='semantics §2 Early events: `lookback: "none"` turns that off',
        workflow=_plain(lookback=False),
        script=SILENT,
        happenings=(
            Happening(1_000, publish("order.paid", {"n": 1}, "early")),
            Happening(8_000, waits_for("wait", "order.paid", 5_000)),
            Happening(9_000, publish("order.paid", {"n": 2}, "later")),
        ),
        runs={"prepare": 1, "wait": 1, "ship": 1},
        check=every(resumed_by("wait", ("later", 9_000)), outcome("wait", output={"n": 2})),
    ),
    Lowered(
        name="orchestration-event-consumed-once",
        seed="semantics §2 Double events: an event id is consumed at most once per execution",
        workflow=TWO_WAITS,
        script=SILENT,
        happenings=(
            Happening(6_000, publish("order.paid", {"n": 2}, "e1")),
            Happening(7_000, answered(s.Duplicate, publish("order.paid", {"n": 2}, "e1"))),
        ),
        status="waiting",
        runs={"prepare": 1, "wait": 1, "second": 1},
        check=every(resumed_by("wait", ("e1", 6_000)), resumed_by("second"), waits_for("second", "order.*", 6_000)),
    ),
    # The first wait declined it, so it is not consumed; the second began to wait after it came.
    Lowered(
        name="orchestration-declined-event-is-not-lost",
        seed="semantics §2 Early events: what one wait declined may resume a later one; a trailing `*` is one or more",
        workflow=TWO_WAITS,
        script=SILENT,
        happenings=(
            Happening(5_500, publish("order", {"n": 0}, "bare")),
            Happening(6_000, publish("order.paid.eu", {"n": 1}, "small")),
            Happening(7_000, publish("order.paid.late", {"n": 2}, "large")),
        ),
        output={"n": 1},
        runs={"prepare": 1, "wait": 1, "second": 1},
        check=every(resumed_by("wait", ("large", 7_000)), resumed_by("second", ("small", 7_000))),
    ),
    Lowered(
        name="orchestration-one-event-resumes-all",
        seed="semantics §2: one event resumes every execution it matches; not one that started after it",
        workflow=_plain(),
        script=SILENT,
        happenings=(
            Happening(100, lambda world: world.start(_plain(), None, execution="second")),
            Happening(6_000, publish("order.paid", {"n": 1})),
            Happening(7_000, lambda world: world.start(_plain(), None, execution="late")),
        ),
        runs={"prepare": 1, "wait": 1, "ship": 1},
        check=_both_resumed,
    ),
    Lowered(
        name="orchestration-timeout-leads-back-to-the-wait",
        seed="seed 002 eventTimeout {P3D, handler}; semantics §2 EVENT_WAIT: the handler may lead back to the wait",
        workflow=REMINDING,
        script=SILENT,
        happenings=(
            Happening(3 * DAY + 5_000, waits_for("wait", "order.paid", 3 * DAY + 10)),
            Happening(4 * DAY, publish("order.paid", {"n": 1}, "e1")),
        ),
        output={"n": 1},
        runs={"wait": 2, "remind": 1, "ship": 1},
        check=every(
            _timed_out_first,
            calls("remind", {"why": "TIMEOUT"}),
            resumed_by("wait", ("e1", 4 * DAY)),
            ended_after(4 * DAY + 10),
        ),
    ),
    Lowered(
        name="orchestration-timeout-without-handler",
        seed="semantics §2 EVENT_WAIT: no handler → FAILED; `timeout` on the step acts as eventTimeout without handler",
        workflow=_plain(timeout_ms=k(MINUTE)),
        script=SILENT,
        status="failed",
        error="'wait'",
        runs={"prepare": 1, "wait": 1},
        check=every(failed_with("TIMEOUT", "wait"), ended_after(5_000 + MINUTE), announced("started", "failed")),
    ),
    Lowered(
        name="orchestration-retry-of-a-timed-out-wait",
        seed="semantics §0 Status: a retry continues a failed execution from its failed step: it waits again",
        workflow=_plain(timeout_ms=k(MINUTE)),
        script=SILENT,
        happenings=(
            Happening(HOUR, lambda world: world.retry("main")),
            Happening(HOUR + 5_000, waits_for("wait", "order.paid", HOUR)),
            Happening(HOUR + 10_000, publish("order.paid", {"n": 1}, "e1")),
        ),
        output={},
        runs={"prepare": 1, "wait": 2, "ship": 1},
        check=every(resumed_by("wait", ("e1", HOUR + 10_000)), calls("prepare", {})),
    ),
    Lowered(
        name="orchestration-human-task",
        seed="semantics §2: HUMAN_TASK {assigneeRole, taskForm, priority, dueIn}, outcome keys APPROVED and REJECTED",
        workflow=workflow(
            "human",
            Step(
                "review",
                Approval(
                    obj(assigneeRole="clerk", taskForm="refund", priority="high", submittedData=x("input")),
                    due_at=x("now + 3600000"),
                    on_timeout="fail",
                ),
                (to("refund", key="approved"), to("refuse", key="rejected")),
            ),
            task("refund", obj(by=x("last.output.decidedBy"))),
            task("refuse", obj(by=x("last.output.decidedBy"), why=x("last.output.decision"))),
        ),
        input={"id": 7},
        script=Fixed(approvals={"review": ApprovalAnswer(MINUTE, "reject", ("cleo",))}),
        output={"by": "cleo", "why": "reject"},
        runs={"review": 1, "refuse": 1},
        check=_human_task,
    ),
)


# Start by event; what executions tell of themselves.

ORDERS = workflow(
    "orders",
    task("take", obj(order=x("input.order"), by=x("trigger.type")), to("wait")),
    wait("wait", "order.*", to("done")),
    task("done", x("last.output")),
    starts=(
        EventStart(
            "order.created",
            x("event.payload.total > 10"),
            obj(order=x("event.payload.id"), source=x("event.type")),
            x("event.payload.id"),
        ),
    ),
)
ORDERS_SILENT = Fixed(events={"wait": None})


def _order_started(world: World) -> None:
    """By the order over 10 alone; the event that started it does not resume it, the next one does."""
    order = only_other(world)
    (started,) = facts(world, f.ExecutionStarted, order)
    assert started.input == {"order": "o2", "source": "order.created"}
    assert (started.trigger, started.event_id, started.correlation_id) == ("event", "e2", "o2")
    assert record(world, order).correlation_id == "o2"
    calls("take", {"order": "o2", "by": "event"}, execution=order)(world)
    assert started.trigger_data["payload"] == {"id": "o2", "total": 11}
    found = account(world, order)
    assert (found.status, found.output) == ("completed", {"paid": True})
    (done,) = of_step(world, f.StepCompleted, "wait", order)
    assert done.event_id == "e3"


MIRROR = workflow("mirror", task("note", x("input.status")), starts=(EventStart("workflow.completed"),))
"""Started by whatever completes, with the payload as its input; never by its own kind."""


def _mirrored(world: World) -> None:
    mirror = only_other(world)
    (started,) = facts(world, f.ExecutionStarted, mirror)
    assert started.input == {
        "executionId": "main",
        "workflowId": "credit",
        "name": "credit",
        "status": "completed",
        "output": {"by": "auto"},
    }
    assert record(world, mirror).correlation_id == "c-1"
    assert account(world, mirror).output == "completed"


def _published_with_correlation(world: World) -> s.Outcome:
    event = EventRecord("e1", "order.placed", world.now, {"id": 1}, "shop", correlation_id="c-9")
    return world.store.commit([s.Publish(event)])[0]


def _correlated(world: World) -> None:
    (started,) = facts(world, f.ExecutionStarted, only_other(world))
    assert (started.input, started.correlation_id) == ({"id": 1}, "c-9")


STARTS = (
    Lowered(
        name="orchestration-started-by-event",
        seed="semantics §2 Start by event: eventCondition, inputMapping, correlationKey; the starting event is consumed",
        workflow=ORDERS,
        input={"order": "o0"},
        script=ORDERS_SILENT,
        happenings=(
            Happening(1_000, cancel),  # the one under test is out of the way
            Happening(2_000, publish("order.created", {"id": "o1", "total": 10}, "e1")),
            Happening(3_000, publish("order.created", {"id": "o2", "total": 11}, "e2")),
            Happening(9_000, publish("order.paid", {"paid": True}, "e3")),
        ),
        status="cancelled",
        runs={"take": 1, "wait": 1},
        check=_order_started,
    ),
    Lowered(
        name="orchestration-started-by-event-defaults",
        seed="semantics §2 Start by event: default input = the payload, correlation = its metadata's correlationId",
        workflow=workflow("placed", task("take"), starts=(EventStart("order.placed"),)),
        happenings=(Happening(1_000, _published_with_correlation),),
        runs={"take": 1},
        check=_correlated,
    ),
    Lowered(
        name="orchestration-started-by-a-completion",
        seed="semantics §0 Chains: workflow.completed events; a workflow is never started by its own",
        workflow=CREDIT,
        others=(MIRROR,),
        input={"amount": 1},
        start={"correlation_id": "c-1"},
        output={"by": "auto"},
        runs={"score": 1, "auto": 1},
        check=_mirrored,
    ),
)

# Cancellation and compensation.

UNDO = obj(
    originalOutput=x("undone.output"),
    workflowInput=x("input"),
    workflowState=obj(variables=x("vars"), steps=x("steps")),
    cancellation=x("cancellation"),
)
"""The default input of a compensation step."""

SHORT = obj(was=x("undone.output"))


def undo(step: str, when: str | None = None) -> Compensation:
    return Compensation(step, f"undo_{step}", None if when is None else x(when))


def _booking(*, charge: dict[str, Any] | None = None, **more: Any) -> Workflow:
    """reserve → charge → wait for the shipping → confirm; the first two can be undone."""
    more.setdefault("compensations", (undo("reserve"), undo("charge")))
    return workflow(
        "booking",
        task("reserve", EMPTY, to("charge"), assign=obj(seat=x("output.seat"))),
        task("charge", EMPTY, to("wait"), **(charge or {})),
        wait("wait", "shipped", to("confirm")),
        task("confirm"),
        task("undo_reserve", more.pop("undo_input", SHORT)),
        task("undo_charge", SHORT),
        **more,
    )


def _booked(**tasks: TaskAnswer | list[TaskAnswer]) -> Fixed:
    known: dict[str, TaskAnswer | list[TaskAnswer]] = {
        "reserve": TaskAnswer(output={"seat": "12A"}),
        "charge": TaskAnswer(output={"payment": "p1"}),
    }
    return Fixed({**known, **tasks}, events={"wait": None})


def undone(*pairs: str, failed: tuple[str, ...] = (), unknown: tuple[str, ...] = ()) -> Check:
    """What was undone, in order; each by a step of its own, called once and only after the plan was made."""

    def check(world: World) -> None:
        assert main(world).undone == {
            "phase": "done",
            "plan": [[f"undo_{step}", step] for step in pairs],
            "failed": [f"undo_{step}" for step in failed],
            "unknown": list(unknown),
        }
        scheduled = [fact for fact in facts(world, f.StepScheduled) if fact.undoes is not None]
        by = [fact for step in pairs for fact in of_step(world, f.StepScheduled, f"undo_{step}")]
        assert scheduled == by
        assert not record(world).live
        assert not world.store.rows["main"].waits

    return check


def not_undone(world: World) -> None:
    assert main(world).undone is None
    assert not facts(world, f.CompensationPlanned)
    assert not record(world).live
    assert not world.store.rows["main"].waits


def told_of_compensation(status: str, *, completed: list[str], failed: list[str], unknown: list[str]) -> Check:
    data = {"executionId": "main", "name": "booking", "status": status}
    return published(
        "workflow.compensation.completed", {**data, "completed": completed, "failed": failed, "unknown": unknown}
    )


def cancelled(
    source: Literal["USER", "EVENT"], by: str, reason: str, after_ms: int, event_id: str | None = None
) -> Check:
    def check(world: World) -> None:
        (fact,) = facts(world, f.ExecutionCancelled)
        assert (fact.source, fact.by, fact.reason, fact.event_id) == (source, by, reason, event_id)
        assert fact.at == record(world).ended_at == T0 + after_ms

    return check


def planned_after(ms: int) -> Check:
    def check(world: World) -> None:
        assert [fact.at for fact in facts(world, f.CompensationPlanned)] == [T0 + ms]

    return check


BY_ANN = cancelled("USER", "ann", "no longer wanted", 5_000)
RAN = {"reserve": 1, "charge": 1, "wait": 1}


def _cancelled(name: str, seed: str, model: Workflow, script: Fixed, *checks: Check, **more: Any) -> Lowered:
    """Somebody cancels it after five seconds."""
    happenings = more.pop("happenings", ())
    return Lowered(
        name=f"orchestration-{name}",
        seed=seed,
        workflow=model,
        input={"who": "ann"},
        script=script,
        happenings=(Happening(5_000, answered(s.Committed, cancel)), *happenings),
        **{"status": "cancelled", "runs": RAN, "check": every(BY_ANN, *checks), **more},
    )


def _default_input(world: World) -> None:
    (scheduled,) = of_step(world, f.StepScheduled, "undo_reserve")
    given = scheduled.input
    assert given["originalOutput"] == {"seat": "12A"}
    assert given["workflowInput"] == {"who": "ann"}
    assert given["workflowState"]["variables"] == {"seat": "12A"}
    assert given["workflowState"]["steps"]["charge"]["output"] == {"payment": "p1"}
    assert given["cancellation"]["reason"] == "no longer wanted"
    assert (given["cancellation"]["by"], given["cancellation"]["source"]) == ("ann", "USER")


CANCELS = EventCancel("order.cancelled", x("event.payload.who == input.who"), "customer cancelled")


def _cancelled_by_event(name: str, *checks: Check, compensate: bool) -> Lowered:
    cancels = EventCancel(CANCELS.pattern, CANCELS.condition, CANCELS.reason, compensate)
    return Lowered(
        name=f"orchestration-{name}",
        seed="seed 002 EventBasedCancellation; semantics §2 Cancel: by event it compensates as shouldCompensate says",
        workflow=_booking(cancels=(cancels,)),
        input={"who": "ann"},
        script=_booked(),
        happenings=(
            Happening(2_000, publish("order.cancelled", {"who": "bob"}, "not hers")),
            Happening(3_000, waits_for("wait", "shipped", 20)),
            Happening(4_000, publish("order.cancelled", {"who": "ann"}, "hers")),
            Happening(5_000, publish("shipped", {}, "too late")),
        ),
        status="cancelled",
        runs=RAN,
        check=every(cancelled("EVENT", "system", "customer cancelled", 4_000, "hers"), *checks),
    )


def _late_success(world: World) -> None:
    """Recorded after the end, and nothing follows from it but its undoing."""
    (done,) = of_step(world, f.StepCompleted, "charge")
    assert done.at == T0 + 9_010
    assert done.next == ()
    (ended,) = facts(world, f.ExecutionCancelled)
    assert world.store.rows["main"].facts.index(ended) < world.store.rows["main"].facts.index(done)


CHARGING = {"reserve": 1, "charge": 1}
TWICE_RUN = workflow(
    "twice",
    task("reserve", EMPTY, to("charge")),
    task("charge", EMPTY, to("enough")),
    decision("enough", to("reserve", when="steps.reserve.output.n < 2"), to("wait")),
    wait("wait", "shipped"),
    task("undo_reserve", SHORT),
    task("undo_charge", SHORT),
    compensations=(undo("reserve"), undo("charge")),
)
JUDGED = (
    # Judged while planning: the undoing of `charge`, which comes first, has not begun then.
    undo("reserve", "steps.undo_charge.status != 'completed' and undone.output.seat == '12A'"),
    undo("charge", "cancellation.reason == 'no longer wanted'"),
)
NOTHING_ELSE = answered(s.Refused, cancel, "completed")


def _unchanged(world: World) -> None:
    assert isinstance(world.store.rows["main"].facts[-1], f.ExecutionCompleted)


CANCELLATIONS = (
    _cancelled(
        "cancel-during-a-wait",
        "semantics §2 Cancel by user, Compensation: completed steps in reverse order of completion",
        _booking(),
        _booked(),
        undone("charge", "reserve"),
        calls("undo_charge", {"was": {"payment": "p1"}}),
        calls("undo_reserve", {"was": {"seat": "12A"}}),
        told_of_compensation("COMPLETED", completed=["undo_charge", "undo_reserve"], failed=[], unknown=[]),
        announced("started", "cancelled", "compensation.completed"),
        happenings=(Happening(6_000, publish("shipped", {})),),
    ),
    _cancelled(
        "compensation-that-fails",
        "semantics §2 Compensation: a failure is recorded and the rest still runs; COMPLETED_WITH_ERRORS",
        _booking(),
        _booked(undo_charge=broken("NO_REFUND")),
        undone("charge", "reserve", failed=("charge",)),
        outcome("undo_charge", status="failed", error={"code": "NO_REFUND"}),
        outcome("undo_reserve", status="completed"),
        told_of_compensation("COMPLETED_WITH_ERRORS", completed=["undo_reserve"], failed=["undo_charge"], unknown=[]),
    ),
    _cancelled(
        "compensation-default-input",
        "semantics §2 Compensation: {originalOutput, workflowInput, workflowState, cancellation}",
        _booking(undo_input=UNDO),
        _booked(),
        undone("charge", "reserve"),
        _default_input,
    ),
    _cancelled(
        "cancel-late-success-is-undone",
        "semantics §2 Cancel: CANCELLED at once, a late success does not route; Compensation: it counts as completed",
        _booking(),
        _booked(charge=TaskAnswer(9_000, {"payment": "p1"})),
        _late_success,
        planned_after(9_010),
        undone("charge", "reserve"),
        calls("undo_charge", {"was": {"payment": "p1"}}),
        runs=CHARGING,
    ),
    _cancelled(
        "cancel-late-failure-is-not-undone",
        "semantics §2 Compensation: planned when the attempts in flight have settled; no retry after the end",
        _booking(charge={"retry": Retry(attempts_max=5)}),
        _booked(charge=broken("DOWN", after_ms=9_000)),
        planned_after(9_010),
        undone("reserve"),
        _retried(),
        runs=CHARGING,
    ),
    _cancelled(
        "cancel-attempt-lost-with-its-worker",
        "semantics §2 Compensation: a lost attempt is listed as unknown",
        _booking(),
        _booked(charge=TaskAnswer(9_000, {"payment": "p1"})),
        undone("reserve", unknown=("charge",)),
        planned_after(6_000),
        told_of_compensation("COMPLETED", completed=["undo_reserve"], failed=[], unknown=["charge"]),
        happenings=(Happening(6_000, lambda world: world.kill(world.workers[0])),),
        runs=CHARGING,
    ),
    # It hears of it, and stops without having done anything: that is known, and at once.
    _cancelled(
        "cancel-tells-what-runs",
        "semantics §2 Cancel: what runs is told; Compensation: planned when the attempts in flight have settled",
        _booking(),
        _booked(charge=TaskAnswer(silent=True)),
        planned_after(5_000),
        undone("reserve"),
        runs=CHARGING,
    ),
    _cancelled(
        "cancel-attempt-that-never-settles",
        "semantics §2 Compensation: planned when the attempts in flight have settled or timed out",
        _booking(settle_ms=MINUTE),
        _booked(charge=TaskAnswer(HOUR, {"payment": "p1"})),
        undone("reserve", unknown=("charge",)),
        planned_after(5_000 + MINUTE),
        runs=CHARGING,
    ),
    _cancelled(
        "cancel-during-a-backoff",
        "semantics §2 Compensation: completed steps only; nothing was in flight and nothing is waited for",
        _booking(charge={"retry": Retry(attempts_max=5, delay_ms=HOUR, delay_max_ms=HOUR)}),
        _booked(charge=[broken(), TaskAnswer(output={"payment": "p1"})]),
        planned_after(5_000),
        undone("reserve"),
        same_key("charge", 1),
        runs=CHARGING,
    ),
    _cancelled(
        "cancel-twice",
        "semantics §2 Cancel: from CREATED, RUNNING, WAITING_FOR_EVENT, else a conflict: it is CANCELLED while it compensates",
        _booking(),
        _booked(undo_charge=TaskAnswer(10_000, "refunded")),
        undone("charge", "reserve"),
        same_key("undo_charge", 1),
        announced("started", "cancelled", "compensation.completed"),
        happenings=(Happening(7_000, lambda world: world.cancel("main", compensate=False)),),
    ),
    _cancelled(
        "compensation-over-a-crash",
        "semantics §2 Compensation: it survives a crash midway",
        _booking(),
        _booked(undo_charge=TaskAnswer(10_000, "refunded")),
        undone("charge", "reserve"),
        same_key("undo_charge", 2),
        same_key("undo_reserve", 1),
        happenings=(Happening(7_000, lambda world: world.kill(world.workers[0])),),
    ),
    Lowered(
        name="orchestration-cancel-without-compensation",
        seed="semantics §2 Cancel: by user or system unless compensate: false",
        workflow=_booking(),
        script=_booked(),
        happenings=(Happening(5_000, lambda world: world.cancel("main", compensate=False)),),
        status="cancelled",
        runs=RAN,
        check=every(BY_ANN, not_undone, announced("started", "cancelled")),
    ),
    _cancelled_by_event("cancel-by-event", undone("charge", "reserve"), compensate=True),
    _cancelled_by_event("cancel-by-event-without-compensation", not_undone, compensate=False),
    # It fails after a second; while it is failed it cannot be cancelled, after the retry it can.
    Lowered(
        name="orchestration-cancel-by-event-after-a-retry",
        seed="semantics §2 Cancel: from RUNNING and WAITING_FOR_EVENT, not from FAILED; §0 Status: a retry continues it",
        workflow=_booking(cancels=(CANCELS,), charge={"retry": Retry(attempts_max=2, delay_ms=1_000)}),
        input={"who": "ann"},
        script=_booked(charge=[broken(), broken(), TaskAnswer(output={"payment": "p1"})]),
        happenings=(
            Happening(2_000, publish("order.cancelled", {"who": "ann"}, "while failed")),
            Happening(3_000, lambda world: world.retry("main")),
            Happening(10_000, publish("order.cancelled", {"who": "ann"}, "while waiting")),
        ),
        status="cancelled",
        runs=RAN,
        check=every(
            cancelled("EVENT", "system", "customer cancelled", 10_000, "while waiting"),
            undone("charge", "reserve"),
            announced("started", "failed", "cancelled", "compensation.completed"),
        ),
    ),
    _cancelled(
        "compensation-conditions",
        "seed 002 CompensationStep.condition; semantics §2: conditions are evaluated when planning",
        _booking(compensations=JUDGED),
        _booked(),
        undone("charge", "reserve"),
    ),
    _cancelled(
        "compensation-condition-false",
        "seed 002 CompensationStep.condition: what does not apply is not in the plan; one that throws is false",
        _booking(
            compensations=(undo("reserve", "undone.output.seat > 3"), undo("charge", "undone.output.payment == 'p2'"))
        ),
        _booked(),
        undone(),
        warned("undone.output.seat > 3"),
        calls("undo_reserve"),
        calls("undo_charge"),
    ),
    _cancelled(
        "compensation-of-a-step-run-twice",
        "semantics §2 Compensation: a step run twice once, with its last output, in reverse order of completion",
        TWICE_RUN,
        Fixed(
            {
                "reserve": [TaskAnswer(output={"n": 1}), TaskAnswer(output={"n": 2})],
                "charge": [TaskAnswer(output={"m": 1}), TaskAnswer(output={"m": 2})],
            },
            events={"wait": None},
        ),
        undone("charge", "reserve"),
        calls("undo_reserve", {"was": {"n": 2}}),
        calls("undo_charge", {"was": {"m": 2}}),
        runs={"reserve": 2, "charge": 2, "enough": 2, "wait": 1},
    ),
    Lowered(
        name="orchestration-compensate-on-failure",
        seed="semantics §2 Compensation: also on failure when compensateOnFailure: true",
        workflow=_booking(compensate_on_failure=True),
        script=_booked(charge=broken("DECLINED")),
        status="failed",
        error="DECLINED came back",
        runs=CHARGING,
        check=every(
            failed_with("DECLINED", "charge"),
            undone("reserve"),
            told_of_compensation("COMPLETED", completed=["undo_reserve"], failed=[], unknown=[]),
            announced("started", "failed", "compensation.completed"),
        ),
    ),
    Lowered(
        name="orchestration-failure-without-compensation",
        seed="semantics §2 Compensation: on failure only when compensateOnFailure says so",
        workflow=_booking(),
        script=_booked(charge=broken("DECLINED")),
        status="failed",
        runs=CHARGING,
        check=every(failed_with("DECLINED", "charge"), not_undone),
    ),
    Lowered(
        name="orchestration-cancel-of-a-finished-execution",
        seed="semantics §2 Cancel: from CREATED, RUNNING, WAITING_FOR_EVENT, else a conflict; §0 terminal states never change",
        workflow=_booking(),
        script=Fixed(events={"wait": EventAnswer(1_000, {"by": "ship"})}),
        happenings=(Happening(HOUR, NOTHING_ELSE),),
        output={},
        runs={**RAN, "confirm": 1},
        check=every(_unchanged, not_undone, announced("started", "completed")),
    ),
)

# PARALLEL: the branches, and a step where they meet, which is the PARALLEL's own output.

PARALLEL = workflow(
    "parallel",
    Step("notify", Compute(), (to("mail", "draft", "wait"),)),
    task("mail", obj(by="mail"), to("notify.join")),
    task("draft", obj(by="draft"), to("sms")),
    task("sms", obj(by="sms", after=x("last.step")), to("notify.join")),
    wait("wait", "read", to("notify.join"), timeout_ms=k(MINUTE), on_error=(on_code("TIMEOUT", "remind"),)),
    task("remind", EMPTY, to("wait")),
    Step(
        "notify.join",
        Compute(obj(mail=x("steps.mail.output.by"), sms=x("steps.sms.output"), read=x("steps.wait.output.by"))),
        (to("close"),),
    ),
    task("close", x("last.output")),
)
BRANCHES = workflow(
    "branches",
    Step("both", Compute(), (to("left", "right"),)),
    task("left", EMPTY, to("both.join")),
    task("right", EMPTY, to("both.join")),
    Step("both.join", Compute(obj(left=x("steps.left.output"), right=x("steps.right.output"))), (to("wait"),)),
    wait("wait", "done"),
    task("undo_left", SHORT),
    task("undo_right", SHORT),
    compensations=(undo("left"), undo("right")),
    compensate_on_failure=True,
)


def _branches(left: TaskAnswer, right: TaskAnswer) -> Fixed:
    return Fixed({"left": left, "right": right}, events={"wait": None})


ONE_EACH = workflow(
    "one each",
    Step("both", Compute(), (to("first", "second"),)),
    wait("first", "paid", to("both.join")),
    wait("second", "paid", to("both.join")),
    Step("both.join", Compute(arr(x("steps.first.output"), x("steps.second.output")))),
)
RETRIED = workflow(
    "retried",
    Step("both", Compute(), (to("left", "right"),)),
    task("left", EMPTY, to("both.join"), retry=Retry(attempts_max=2, delay_ms=1_000, jitter=0)),
    task("right", EMPTY, to("both.join")),
    Step("both.join", Compute(arr(x("steps.left.output"), x("steps.right.output")))),
)


def _rounds(on_error: tuple[Route, ...], *again: Route) -> Workflow:
    """A PARALLEL of which one branch may mend itself, and which may be gone through again as a whole."""
    return workflow(
        "rounds",
        Step("both", Compute(), (to("left", "right"),)),
        task("left", EMPTY, to("both.join"), on_error=on_error),
        task("mend", obj(why=x("steps.left.error.code")), to("left")),
        task("right", EMPTY, to("both.join")),
        Step("both.join", Compute(obj(n=x("steps.left.output.n"))), (to("enough"),)),
        decision("enough", *again, to("close")),
        task("close", x("steps['both.join'].output")),
    )


MEND, AGAIN = (to("mend"),), to("both", when="last.output.n < 2")
TORN, ONE, TWO = broken("TORN"), TaskAnswer(output={"n": 1}), TaskAnswer(output={"n": 2})


def _right_completed_after_the_retry(world: World) -> None:
    (done,) = of_step(world, f.StepCompleted, "right")
    assert done.at >= T0 + HOUR


def _joined_at(ms: int) -> Check:
    def check(world: World) -> None:
        assert [fact.at for fact in of_step(world, f.StepCompleted, "notify.join")] == [T0 + ms]

    return check


PARALLELS = (
    # Branches of different length, one of which goes round once while another runs: the join is entered once, at the end.
    Lowered(
        name="orchestration-parallel",
        seed="semantics §2: PARALLEL (`branches`) is accepted; the branches join",
        workflow=PARALLEL,
        script=Fixed({"mail": TaskAnswer(2 * MINUTE, {"by": "mail"})}, events={"wait": None}),
        happenings=(Happening(5, is_running), Happening(MINUTE + 5_000, publish("read", {"by": "ann"}))),
        output={"mail": "mail", "sms": {"by": "sms", "after": "draft"}, "read": "ann"},
        runs={"notify": 1, "mail": 1, "draft": 1, "sms": 1, "wait": 2, "remind": 1, "notify.join": 1, "close": 1},
        check=_joined_at(2 * MINUTE),
    ),
    _cancelled(
        "parallel-undone-in-reverse-order-of-completion",
        "semantics §2 Compensation: in reverse order of completion, not of the document",
        BRANCHES,
        _branches(TaskAnswer(2_000, "l"), TaskAnswer(1_000, "r")),
        undone("left", "right"),
        runs={"both": 1, "left": 1, "right": 1, "both.join": 1, "wait": 1},
    ),
    _cancelled(
        "parallel-cancelled-with-both-in-flight",
        "semantics §2 Compensation: planned when all attempts in flight have settled; late successes are undone",
        BRANCHES,
        _branches(TaskAnswer(7_000, "l"), TaskAnswer(8_000, "r")),
        planned_after(8_000),
        undone("right", "left"),
        runs={"both": 1, "left": 1, "right": 1},
    ),
    Lowered(
        name="orchestration-parallel-branch-fails",
        seed="semantics §2 Compensation on failure: FAILED at once; the other branch's late success is undone",
        workflow=BRANCHES,
        script=_branches(broken("DOWN", after_ms=1_000), TaskAnswer(3_000, "r")),
        status="failed",
        error="DOWN came back",
        runs={"both": 1, "left": 1, "right": 1},
        check=every(failed_with("DOWN", "left"), ended_after(1_000), planned_after(3_000), undone("right")),
    ),
    # The right branch is done long before; the join waits for the left one, which goes back twice.
    Lowered(
        name="orchestration-parallel-handler-leads-back",
        seed="semantics §2 Task failure: onFailure may lead back to the step; PARALLEL: the branches join once",
        workflow=_rounds(MEND),
        script=Fixed({"left": [TORN, TORN, ONE]}),
        output={"n": 1},
        runs={"both": 1, "left": 3, "mend": 2, "right": 1, "both.join": 1, "enough": 1, "close": 1},
        check=every(calls("mend", {"why": "TORN"}, {"why": "TORN"}), warned()),
    ),
    Lowered(
        name="orchestration-parallel-again",
        seed="semantics §2 Next step: a condition may lead back to the PARALLEL; each round joins once",
        workflow=_rounds((), AGAIN),
        script=Fixed({"left": [ONE, TWO], "right": TaskAnswer(1_000)}),
        output={"n": 2},
        runs={"both": 2, "left": 2, "right": 2, "both.join": 2, "enough": 2, "close": 1},
        check=every(warned(), ended_after(2_010)),
    ),
    # One branch is done and stands at the join: that is not ready, and nothing runs.
    Lowered(
        name="orchestration-parallel-stands-waiting",
        seed="semantics §0 Status: waiting only if nothing runs or is ready; §2 EVENT_WAIT: WAITING_FOR_EVENT",
        workflow=ONE_EACH,
        script=Fixed(events={"first": None, "second": None}),
        happenings=(
            Happening(500, waits_for("first", "paid", 0)),
            Happening(1_000, publish("paid", 1, "e1")),
            Happening(1_500, waits_for("second", "paid", 0)),
        ),
        status="waiting",
        runs={"both": 1, "first": 1, "second": 1},
    ),
    Lowered(
        name="orchestration-parallel-waits-for-the-same",
        seed="semantics §2 Double events: an event id is consumed at most once per execution, by the wait that began first",
        workflow=ONE_EACH,
        script=Fixed(events={"first": None, "second": None}),
        happenings=(Happening(1_000, publish("paid", 1, "e1")), Happening(2_000, publish("paid", 2, "e2"))),
        output=[1, 2],
        runs={"both": 1, "first": 1, "second": 1, "both.join": 1},
        check=every(resumed_by("first", ("e1", 1_000)), resumed_by("second", ("e2", 2_000))),
    ),
    # The right branch would have answered after five seconds, but the execution failed after three: what it says then
    # is dropped, and it is called again under its key.
    Lowered(
        name="orchestration-parallel-retried",
        seed="semantics §0 Status: a retry continues from the failed step; what was given up with it goes on too",
        workflow=RETRIED,
        script=Fixed(
            {
                "left": [broken(after_ms=1_000), broken(after_ms=1_000), TaskAnswer(1_000, "l")],
                "right": TaskAnswer(5_000, "r"),
            }
        ),
        happenings=(Happening(HOUR, lambda world: world.retry("main")),),
        output=["l", "r"],
        runs={"both": 1, "left": 1, "right": 1, "both.join": 1},
        check=every(same_key("left", 4), same_key("right", 2), _right_completed_after_the_retry),
    ),
)

CORNERS: tuple[Lowered, ...] = (
    # A cycle inside a cycle: `mend` reaches the join only by an edge that closes the inner one, and still holds it up.
    Lowered(
        name="orchestration-parallel-in-rounds",
        seed="semantics §2: PARALLEL: the branches join once a round, whatever happens inside a branch",
        workflow=_rounds(MEND, AGAIN),
        script=Fixed({"left": [TORN, ONE, TWO]}),
        output={"n": 2},
        runs={"both": 2, "left": 3, "mend": 1, "right": 2, "both.join": 2, "enough": 2, "close": 1},
        check=every(calls("mend", {"why": "TORN"}), warned()),
    ),
    # The state is written first, then the next step is determined: a step's own routes see its own outcome.
    Lowered(
        name="orchestration-condition-on-the-step-itself",
        seed="semantics §2 Scope: `workflow.state`, `steps.<id>`; the conditions of a step look at what it has just done",
        workflow=workflow(
            "itself",
            task(
                "count",
                EMPTY,
                to("count", when="steps.count.output.n < 2"),
                to("last", when="steps.count.output.n == 2"),
            ),
            task("last", obj(by="last")),
        ),
        script=Fixed({"count": [TaskAnswer(output={"n": 1}), TaskAnswer(output={"n": 2})]}),
        output={"by": "last"},
        runs={"count": 2, "last": 1},
    ),
    # Nobody knows whether a call that timed out had its effect, so it is listed as a lost one is.
    _cancelled(
        "cancel-attempt-that-times-out",
        "semantics §2 Compensation: planned when the attempts in flight have settled or timed out; lost: unknown",
        _booking(charge={"timeout_ms": MINUTE}),
        _booked(charge=TaskAnswer(HOUR, {"payment": "p1"})),
        planned_after(10 + MINUTE),
        undone("reserve", unknown=("charge",)),
        runs=CHARGING,
    ),
    # The event is consumed although it broke the wait, so that looking back does not find it for ever.
    Lowered(
        name="orchestration-event-that-breaks-its-wait",
        seed="semantics §2 Double events: an event id is consumed at most once per execution",
        workflow=workflow(
            "breaks",
            wait("wait", "paid", output=x("event.payload.n + 1"), on_error=(to("log"),)),
            task("log", EMPTY, to("wait")),
        ),
        script=Fixed(events={"wait": None}),
        happenings=(Happening(1_000, publish("paid", {"n": "one"}, "e1")),),
        status="waiting",
        runs={"wait": 2, "log": 1},
    ),
)

WORKFLOWS: tuple[Lowered, ...] = (*TRANSITIONS, *FAILURES, *WAITS, *STARTS, *CANCELLATIONS, *PARALLELS, *CORNERS)
