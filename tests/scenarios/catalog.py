"""All scenarios."""

from __future__ import annotations

from perdure.model.steps import Approval, Child, EventWait, Route, Step, Task
from perdure.model.steps import Retry as Policy
from perdure.model.workflow import Entry, Workflow
from perdure.testing.words import k, obj, x
from scenarios.scenario import Act, Answers, Decide, End, Publish, Raises, Returns, Scenario, Seen

ALL: tuple[Scenario, ...] = (
    Scenario(
        "a failed task is tried again",
        (
            Workflow(
                "pay",
                (Step("charge", Task("charge", obj(amount=x("input.amount")), Policy(3, delay_ms=5, jitter=0))),),
                (Entry("charge"),),
            ),
        ),
        {"amount": 10},
        (Answers("charge", (Raises("declined", "DECLINED"), Returns({"paid": 10}))),),
        ends={"main": End(output={"paid": 10})},
        restate=True,
    ),
    Scenario(
        "an approval, then an event that came before the wait",
        (
            Workflow(
                "order",
                (
                    Step("agree", Approval(obj(what="the order")), (Route(("paid",), port="approved"),)),
                    Step("paid", EventWait(k("payment.*"))),
                ),
                (Entry("agree"),),
            ),
        ),
        acts=(
            Act(Seen("approval.opened", "agree"), Publish("payment.done", "payment-1", {"amount": 7})),
            Act(Seen("approval.opened", "agree"), Decide("agree")),
        ),
        ends={"main": End(output={"amount": 7})},
        restate=True,
    ),
    Scenario(
        "a child that fails fails the step that waits for it",
        (
            Workflow("parent", (Step("ask", Child(k("child"), obj(n=1))),), (Entry("ask"),)),
            Workflow("child", (Step("work", Task("work")),), (Entry("work"),)),
        ),
        answers=(Answers("work", (Raises("no", "NO", retriable=False),)),),
        ends={"main": End("failed"), "main/ask": End("failed", code="NO")},
        restate=True,
    ),
)
