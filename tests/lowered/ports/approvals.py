"""Semantics §1 Approval, Timeouts, Cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from lowered.base import HOUR, MINUTE, T0, Happening, Lowered, obj, x
from lowered.checks import (
    Check,
    announced,
    decided,
    ended,
    ended_after,
    every,
    failed_with,
    outcome,
    stands_waiting,
    the_approval,
)
from lowered.outside import answer, answered, cancel
from lowered.ports.words import action, on, step, workflow
from perdure.model.steps import Approval
from perdure.model.values import EMPTY, Json
from perdure.model.workflow import Workflow
from perdure.store import port as s
from perdure.testing.script import ApprovalAnswer, Fixed
from perdure.testing.world import World


def vote(by: str, decision: Literal["approve", "reject"], **more: Json) -> Callable[[World], s.Outcome]:
    return lambda world: world.store.commit([s.Decide(the_approval(world).id, world.now, by, decision, **more)])[0]


def _review(on_timeout: Literal["stay", "fail", "approve", "reject", "escalate"] = "stay", **more: Any) -> Workflow:
    """An approval that is due after a minute, and a step for each way it can end."""
    on_error = more.pop("on_error", ())
    return workflow(
        f"review {on_timeout}",
        step(
            "review",
            Approval(x("input"), due_at=x("now + 60000"), on_timeout=on_timeout, **more),
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
        script=UNDECIDED,
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
    assert ended(world, "review") == [T0 + 4_000]


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
        {"first": answer("first", first), "second": answer("second", second)}, {"review": ApprovalAnswer(HOUR)}
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
            Happening(MINUTE + 1, stands_waiting("approval", "review")),
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
        check=every(_approval_is("pending", overdue=True, decision=None), stands_waiting("approval", "review")),
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
            Happening(3_500, stands_waiting("approval", "review")),
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
            output={"comments": "cheaper", "modifiedData": {"price": 8}, "submittedData": {"price": 10}},
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
            Happening(5_000, answered(s.Committed, cancel)),
            Happening(6_000, answered(s.GuardFailed, vote("ann", "approve"), "closed")),
            Happening(7_000, answered(s.Refused, cancel, "cancelled")),
        ),
        status="cancelled",
        runs={"review": 1},
        check=every(_approval_is("closed"), ended_after(5_000), announced("started", "cancelled")),
    ),
)
