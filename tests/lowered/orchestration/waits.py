"""EVENT_WAIT, and HUMAN_TASK."""

from __future__ import annotations

from typing import Any

from lowered.base import DAY, HOUR, MINUTE, T0, Happening, Lowered, k, obj, x
from lowered.checks import (
    announced,
    calls,
    ended_after,
    every,
    facts,
    failed_with,
    outcome,
    the_approval,
    the_event,
    variables,
    warned,
)
from lowered.orchestration.words import resumed_by, task, to, wait, waits_for, workflow
from lowered.outside import answer, answered, publish, retry
from perdure.core import facts as f
from perdure.model.steps import Approval, Step
from perdure.model.values import EMPTY, Json
from perdure.model.workflow import Workflow
from perdure.store import port as s
from perdure.testing.script import ApprovalAnswer, Fixed
from perdure.testing.summary import account
from perdure.testing.world import World

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
SILENT = Fixed({"prepare": answer("prepared", 5_000)}, events={"wait": None, "second": None})
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
    for execution in ("main", "second"):
        (done,) = facts(world, f.StepCompleted, "wait", execution)
        assert done.event_id == the_event(world, "order.paid").id


REMINDING = workflow(
    "reminding",
    wait("wait", "order.paid", to("ship"), timeout_ms=k(3 * DAY), on_error=(to("remind", key="TIMEOUT"),)),
    task("remind", obj(why=x("steps.wait.error.code")), to("wait")),
    task("ship", x("last.output")),
)


def _timed_out_first(world: World) -> None:
    (failed,) = facts(world, f.StepFailed, "wait")
    assert (failed.error.code, failed.error.category, failed.at) == ("TIMEOUT", "TIMEOUT", T0 + 3 * DAY)
    assert failed.handled


def _human_task(world: World) -> None:
    approval = the_approval(world)
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
            Happening(HOUR, retry),
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
    # The event is consumed although it broke the wait, so that looking back does not find it for ever.
    Lowered(
        name="orchestration-event-that-breaks-its-wait",
        seed="semantics §2 Double events: an event id is consumed at most once per execution",
        workflow=workflow(
            "breaks",
            wait("wait", "paid", output=x("event.payload.n.toFixed(2)"), on_error=(to("log"),)),
            task("log", EMPTY, to("wait")),
        ),
        script=Fixed(events={"wait": None}),
        happenings=(Happening(1_000, publish("paid", {"n": "one"}, "e1")),),
        status="waiting",
        runs={"wait": 2, "log": 1},
    ),
)
