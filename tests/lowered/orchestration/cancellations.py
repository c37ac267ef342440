"""Cancellation: by somebody or by an event, whatever the execution is doing."""

from __future__ import annotations

from lowered.base import HOUR, MINUTE, T0, Happening, Lowered, x
from lowered.checks import Check, announced, attempts, backed_off, calls, every, facts, history
from lowered.orchestration.booking import (
    BY_ANN,
    CHARGING,
    RAN,
    booked,
    booking,
    cancelled,
    cancelling,
    not_undone,
    planned_after,
    told_of_compensation,
    undone,
)
from lowered.orchestration.words import waits_for
from lowered.outside import answer, answered, broken, cancel, publish, retry
from perdure.core import facts as f
from perdure.model.steps import Retry
from perdure.model.workflow import EventCancel
from perdure.store import port as s
from perdure.testing.script import EventAnswer, Fixed, TaskAnswer
from perdure.testing.world import World

CANCELS = EventCancel("order.cancelled", x("event.payload.who == input.who"), "customer cancelled")


def _cancelled_by_event(name: str, *checks: Check, compensate: bool) -> Lowered:
    cancels = EventCancel(CANCELS.pattern, CANCELS.condition, CANCELS.reason, compensate)
    return Lowered(
        name=f"orchestration-{name}",
        seed="seed 002 EventBasedCancellation; semantics §2 Cancel: by event it compensates as shouldCompensate says",
        workflow=booking(cancels=(cancels,)),
        input={"who": "ann"},
        script=booked(),
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
    (done,) = facts(world, f.StepCompleted, "charge")
    assert done.at == T0 + 9_010
    assert done.next == ()
    (ended,) = facts(world, f.ExecutionCancelled)
    assert history(world).index(ended) < history(world).index(done)


NOTHING_ELSE = answered(s.Refused, cancel, "completed")


def _unchanged(world: World) -> None:
    assert isinstance(history(world)[-1], f.ExecutionCompleted)


CANCELLATIONS = (
    cancelling(
        "cancel-during-a-wait",
        "semantics §2 Cancel by user, Compensation: completed steps in reverse order of completion",
        booking(),
        booked(),
        undone("charge", "reserve"),
        calls("undo_charge", {"was": {"payment": "p1"}}),
        calls("undo_reserve", {"was": {"seat": "12A"}}),
        told_of_compensation("COMPLETED", completed=["undo_charge", "undo_reserve"], failed=[], unknown=[]),
        announced("started", "cancelled", "compensation.completed"),
        happenings=(Happening(6_000, publish("shipped", {})),),
    ),
    cancelling(
        "cancel-late-success-is-undone",
        "semantics §2 Cancel: CANCELLED at once, a late success does not route; Compensation: it counts as completed",
        booking(),
        booked(charge=answer({"payment": "p1"}, 9_000)),
        _late_success,
        planned_after(9_010),
        undone("charge", "reserve"),
        calls("undo_charge", {"was": {"payment": "p1"}}),
        runs=CHARGING,
    ),
    cancelling(
        "cancel-late-failure-is-not-undone",
        "semantics §2 Compensation: planned when the attempts in flight have settled; no retry after the end",
        booking(charge={"retry": Retry(attempts_max=5)}),
        booked(charge=broken("DOWN", after_ms=9_000)),
        planned_after(9_010),
        undone("reserve"),
        backed_off(),
        runs=CHARGING,
    ),
    cancelling(
        "cancel-attempt-lost-with-its-worker",
        "semantics §2 Compensation: a lost attempt is listed as unknown",
        booking(),
        booked(charge=answer({"payment": "p1"}, 9_000)),
        undone("reserve", unknown=("charge",)),
        planned_after(6_000),
        told_of_compensation("COMPLETED", completed=["undo_reserve"], failed=[], unknown=["charge"]),
        happenings=(Happening(6_000, lambda world: world.kill(world.workers[0])),),
        runs=CHARGING,
    ),
    # It hears of it, and stops without having done anything: that is known, and at once.
    cancelling(
        "cancel-tells-what-runs",
        "semantics §2 Cancel: what runs is told; Compensation: planned when the attempts in flight have settled",
        booking(),
        booked(charge=TaskAnswer(silent=True)),
        planned_after(5_000),
        undone("reserve"),
        runs=CHARGING,
    ),
    cancelling(
        "cancel-attempt-that-never-settles",
        "semantics §2 Compensation: planned when the attempts in flight have settled or timed out",
        booking(settle_ms=MINUTE),
        booked(charge=answer({"payment": "p1"}, HOUR)),
        undone("reserve", unknown=("charge",)),
        planned_after(5_000 + MINUTE),
        runs=CHARGING,
    ),
    cancelling(
        "cancel-during-a-backoff",
        "semantics §2 Compensation: completed steps only; nothing was in flight and nothing is waited for",
        booking(charge={"retry": Retry(attempts_max=5, delay_ms=HOUR, delay_max_ms=HOUR)}),
        booked(charge=[broken(), answer({"payment": "p1"})]),
        planned_after(5_000),
        undone("reserve"),
        attempts("charge", 1),
        runs=CHARGING,
    ),
    cancelling(
        "cancel-twice",
        "semantics §2 Cancel: from CREATED, RUNNING, WAITING_FOR_EVENT, else a conflict: it is CANCELLED while it compensates",
        booking(),
        booked(undo_charge=answer("refunded", 10_000)),
        undone("charge", "reserve"),
        attempts("undo_charge", 1),
        announced("started", "cancelled", "compensation.completed"),
        happenings=(Happening(7_000, lambda world: world.cancel("main", compensate=False)),),
    ),
    Lowered(
        name="orchestration-cancel-without-compensation",
        seed="semantics §2 Cancel: by user or system unless compensate: false",
        workflow=booking(),
        script=booked(),
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
        workflow=booking(cancels=(CANCELS,), charge={"retry": Retry(attempts_max=2, delay_ms=1_000)}),
        input={"who": "ann"},
        script=booked(charge=[broken(), broken(), answer({"payment": "p1"})]),
        happenings=(
            Happening(2_000, publish("order.cancelled", {"who": "ann"}, "while failed")),
            Happening(3_000, retry),
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
    Lowered(
        name="orchestration-cancel-of-a-finished-execution",
        seed="semantics §2 Cancel: from CREATED, RUNNING, WAITING_FOR_EVENT, else a conflict; §0 terminal states never change",
        workflow=booking(),
        script=Fixed(events={"wait": EventAnswer(1_000, {"by": "ship"})}),
        happenings=(Happening(HOUR, NOTHING_ELSE),),
        output={},
        runs={**RAN, "confirm": 1},
        check=every(_unchanged, not_undone, announced("started", "completed")),
    ),
    # Nobody knows whether a call that timed out had its effect, so it is listed as a lost one is.
    cancelling(
        "cancel-attempt-that-times-out",
        "semantics §2 Compensation: planned when the attempts in flight have settled or timed out; lost: unknown",
        booking(charge={"timeout_ms": MINUTE}),
        booked(charge=answer({"payment": "p1"}, HOUR)),
        planned_after(10 + MINUTE),
        undone("reserve", unknown=("charge",)),
        runs=CHARGING,
    ),
)
