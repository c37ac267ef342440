"""People: asked, outvoted, reminded, too late."""

from __future__ import annotations

from typing import Any

from perdure.model.steps import Approval, Compute, Step
from scenarios.scenario import Act, Cancel, Decide, End, Scenario, Seen
from scenarios.words import flow, k, obj, on_error, step, to, x


def ask(**more: Any) -> Step:
    return step(
        "ask", Approval(obj(what=x("input.what")), **more), to("yes", port="approved"), to("no", port="rejected")
    )


YES, NO = step("yes", Compute(x("steps.ask.output.decidedBy"))), step("no", Compute(k("rejected")))
OPENED = Seen("approval.opened", "ask")
OVERDUE = Seen("approval.overdue", "ask")
DUE = x("now + 6")
CAKE = {"what": "cake"}

SCENARIOS = (
    Scenario(
        "somebody approves, and says something to it",
        (
            flow(
                step("ask", Approval(obj(what=x("input.what"))), to("end")),
                step("end", Compute(x("steps.ask.output.modifiedData"))),
            ),
        ),
        CAKE,
        acts=(Act(OPENED, Decide("ask", comments="with cherries", data={"what": "cherry cake"})),),
        ends={"main": End(output={"what": "cherry cake"})},
    ),
    Scenario(
        "somebody rejects",
        (flow(ask(), YES, NO),),
        CAKE,
        acts=(Act(OPENED, Decide("ask", "reject")),),
        ends={"main": End(output="rejected")},
        restate=True,
    ),
    Scenario(
        "two of three have to agree",
        (flow(ask(votes_required=2), YES, NO),),
        CAKE,
        acts=(
            Act(OPENED, Decide("ask", by="ann")),
            Act(OPENED, Decide("ask", by="bob")),
        ),
        ends={"main": End(output="bob")},
    ),
    Scenario(
        "an approval that nobody decides is rejected in time",
        (flow(ask(due_at=DUE, on_timeout="reject"), YES, NO),),
        CAKE,
        ends={"main": End(output="rejected")},
        restate=True,
    ),
    Scenario(
        "an approval that nobody decides is approved in time",
        (flow(ask(due_at=DUE, on_timeout="approve"), YES, NO),),
        CAKE,
        ends={"main": End(output="system")},
    ),
    Scenario(
        "an approval that nobody decides fails in time",
        (
            flow(
                step("ask", Approval(k("?"), due_at=DUE, on_timeout="fail"), on_error=on_error("late", of="TIMEOUT")),
                step("late", Compute(k("too late"))),
            ),
        ),
        ends={"main": End(output="too late")},
    ),
    Scenario(
        "an approval that nobody decides is handed on",
        (flow(ask(due_at=DUE, on_timeout="escalate", escalate_to=x("'boss of ' + input.what")), YES, NO),),
        CAKE,
        acts=(Act(OVERDUE, Decide("ask", by="the boss")),),
        ends={"main": End(output="the boss")},
    ),
    Scenario(
        "an approval that nobody decides stays open",
        (flow(ask(due_at=DUE), YES, NO),),
        CAKE,
        acts=(Act(OVERDUE, Decide("ask", by="ann, at last")),),
        ends={"main": End(output="ann, at last")},
    ),
    Scenario(
        "an approval that was due before it was asked for",
        (flow(ask(due_at=k(1_000), on_timeout="reject"), YES, NO),),
        CAKE,
        ends={"main": End(output="rejected")},
    ),
    Scenario(
        "an approval that nobody needs any more",
        (flow(ask(), YES, NO),),
        CAKE,
        acts=(Act(OPENED, Cancel()),),
        ends={"main": End("cancelled", code="CANCELLED")},
    ),
)
