"""Compensation: what is undone, in which order and with what."""

from __future__ import annotations

from lowered.base import Happening, Lowered, obj, x
from lowered.checks import announced, attempts, calls, every, facts, failed_with, outcome, warned
from lowered.orchestration.booking import (
    CHARGING,
    booked,
    booking,
    cancelling,
    not_undone,
    told_of_compensation,
    undone,
)
from lowered.orchestration.words import SHORT, decision, task, to, undo, wait, workflow
from lowered.outside import answer, broken
from perdure.core import facts as f
from perdure.model.values import EMPTY
from perdure.testing.script import Fixed
from perdure.testing.world import World

UNDO = obj(
    originalOutput=x("undone.output"),
    workflowInput=x("input"),
    workflowState=obj(variables=x("vars"), steps=x("steps")),
    cancellation=x("cancellation"),
)
"""The default input of a compensation step."""


def _default_input(world: World) -> None:
    (scheduled,) = facts(world, f.StepScheduled, "undo_reserve")
    given = scheduled.input
    assert given["originalOutput"] == {"seat": "12A"}
    assert given["workflowInput"] == {"who": "ann"}
    assert given["workflowState"]["variables"] == {"seat": "12A"}
    assert given["workflowState"]["steps"]["charge"]["output"] == {"payment": "p1"}
    assert given["cancellation"]["reason"] == "no longer wanted"
    assert (given["cancellation"]["by"], given["cancellation"]["source"]) == ("ann", "USER")


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
    undo("reserve", "steps.undo_charge.status != 'completed' && undone.output.seat == '12A'"),
    undo("charge", "cancellation.reason == 'no longer wanted'"),
)


COMPENSATIONS = (
    cancelling(
        "compensation-that-fails",
        "semantics §2 Compensation: a failure is recorded and the rest still runs; COMPLETED_WITH_ERRORS",
        booking(),
        booked(undo_charge=broken("NO_REFUND")),
        undone("charge", "reserve", failed=("charge",)),
        outcome("undo_charge", status="failed", error={"code": "NO_REFUND"}),
        outcome("undo_reserve", status="completed"),
        told_of_compensation("COMPLETED_WITH_ERRORS", completed=["undo_reserve"], failed=["undo_charge"], unknown=[]),
    ),
    cancelling(
        "compensation-default-input",
        "semantics §2 Compensation: {originalOutput, workflowInput, workflowState, cancellation}",
        booking(undo_input=UNDO),
        booked(),
        undone("charge", "reserve"),
        _default_input,
    ),
    cancelling(
        "compensation-over-a-crash",
        "semantics §2 Compensation: it survives a crash midway",
        booking(),
        booked(undo_charge=answer("refunded", 10_000)),
        undone("charge", "reserve"),
        attempts("undo_charge", 2),
        attempts("undo_reserve", 1),
        happenings=(Happening(7_000, lambda world: world.kill(world.workers[0])),),
    ),
    cancelling(
        "compensation-conditions",
        "seed 002 CompensationStep.condition; semantics §2: conditions are evaluated when planning",
        booking(compensations=JUDGED),
        booked(),
        undone("charge", "reserve"),
    ),
    cancelling(
        "compensation-condition-false",
        "seed 002 CompensationStep.condition: what does not apply is not in the plan; one that throws is false",
        booking(
            compensations=(
                undo("reserve", "undone.output.seat.toFixed(0) > 3"),
                undo("charge", "undone.output.payment == 'p2'"),
            )
        ),
        booked(),
        undone(),
        warned("undone.output.seat.toFixed(0) > 3"),
        calls("undo_reserve"),
        calls("undo_charge"),
    ),
    cancelling(
        "compensation-of-a-step-run-twice",
        "semantics §2 Compensation: a step run twice once, with its last output, in reverse order of completion",
        TWICE_RUN,
        Fixed(
            {
                "reserve": [answer({"n": 1}), answer({"n": 2})],
                "charge": [answer({"m": 1}), answer({"m": 2})],
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
        workflow=booking(compensate_on_failure=True),
        script=booked(charge=broken("DECLINED")),
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
        workflow=booking(),
        script=booked(charge=broken("DECLINED")),
        status="failed",
        runs=CHARGING,
        check=every(failed_with("DECLINED", "charge"), not_undone),
    ),
)
