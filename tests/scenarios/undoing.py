"""Undoing: cancelled by people and events, failed, undone last first."""

from __future__ import annotations

from typing import Any

from perdure.model.steps import Compute, EventWait, Fail
from perdure.model.workflow import EventCancel, Workflow
from scenarios.scenario import Act, Answers, Called, Cancel, End, Hangs, Publish, Raises, Returns, Scenario, Seen
from scenarios.words import flow, k, obj, step, task, to, undo, x

UNDO = obj(step=x("undone.step"), output=x("undone.output"))


def booking(**more: Any) -> Workflow:
    """reserve → charge → wait for the shipping; the first two can be undone."""
    more.setdefault("compensations", (undo("reserve"), undo("charge")))
    return flow(
        task("reserve", k({}), to("charge")),
        task("charge", k({}), to("wait")),
        step("wait", EventWait(k("shipped"))),
        task("undo_reserve", UNDO),
        task("undo_charge", UNDO),
        **more,
    )


BOOKED = (Answers("reserve", (Returns({"seat": "12A"}),)), Answers("charge", (Returns({"payment": 1}),)))
WAITS = Seen("wait.opened", "wait")

SCENARIOS = (
    Scenario(
        "who is cancelled is undone, last first",
        (booking(),),
        answers=BOOKED,
        acts=(Act(WAITS, Cancel("changed my mind")),),
        ends={"main": End("cancelled", code="CANCELLED")},
        restate=True,
    ),
    Scenario(
        "who is cancelled is not undone if nobody wants it",
        (booking(),),
        answers=BOOKED,
        acts=(Act(WAITS, Cancel(compensate=False)),),
        ends={"main": End("cancelled")},
    ),
    Scenario(
        "an event cancels, if it fits",
        (booking(cancels=(EventCancel("order.cancelled", x("event.payload.id == input.id"), "the shop said so"),)),),
        {"id": 7},
        answers=BOOKED,
        acts=(
            Act(WAITS, Publish("order.cancelled", "another", {"id": 8})),
            Act(WAITS, Publish("order.cancelled", "this", {"id": 7})),
        ),
        ends={"main": End("cancelled")},
    ),
    Scenario(
        "an undoing that fails keeps none of the others from theirs",
        (booking(),),
        answers=(*BOOKED, Answers("undo_charge", (Raises("no refund", "NO_REFUND", retriable=False),))),
        acts=(Act(WAITS, Cancel()),),
        ends={"main": End("cancelled")},
    ),
    Scenario(
        "what is undone depends on what was done",
        (
            booking(
                compensations=(
                    undo("reserve", x("undone.output.seat == '12A'")),
                    undo("charge", x("undone.output.payment > 1")),
                )
            ),
        ),
        answers=BOOKED,
        acts=(Act(WAITS, Cancel()),),
        ends={"main": End("cancelled")},
    ),
    Scenario(
        "an attempt that nobody knows the end of is not undone",
        (booking(),),
        answers=(*BOOKED[:1], Answers("charge", (Hangs(),))),
        acts=(Act(Called("charge"), Cancel()),),
        ends={"main": End("cancelled")},
    ),
    Scenario(
        "who fails is undone",
        (
            flow(
                task("reserve", k({}), to("fail")),
                step("fail", Fail(k("sold out"), "SOLD_OUT")),
                task("undo_reserve", UNDO),
                compensations=(undo("reserve"),),
                compensate_on_failure=True,
            ),
        ),
        answers=BOOKED,
        ends={"main": End("failed", code="SOLD_OUT")},
    ),
    Scenario(
        "a step that was done twice is undone once",
        (
            flow(
                task(
                    "reserve",
                    obj(n=x("(vars.n || 0) + 1")),
                    to("reserve", when=x("vars.n < 2")),
                    to("wait"),
                    assign=obj(n=x("output.n")),
                ),
                step("wait", EventWait(k("shipped"))),
                task("undo_reserve", UNDO),
                compensations=(undo("reserve"),),
            ),
        ),
        acts=(Act(WAITS, Cancel()),),
        ends={"main": End("cancelled")},
    ),
    Scenario(
        "somebody cancels a task that runs",
        (flow(task("work", k({}), to("never")), step("never", Compute())),),
        answers=(Answers("work", (Hangs(),)),),
        acts=(Act(Called("work"), Cancel()),),
        ends={"main": End("cancelled")},
    ),
)
