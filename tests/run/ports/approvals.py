"""Approvals as `run` leaves them: waiting, unless their time is over."""

from __future__ import annotations

from run.case import Case
from run.expected import ABSENT, NUMBER
from run.ports.words import approval, echo, flow, loop, step, trigger

WAYS = {"onApprove": "yes", "onReject": "no"}
ENDS = (echo("yes", v="{{lastOutput.data.decision}}"), echo("no", v="{{lastOutput.data.decision}}"))
PAST = "2020-01-01T00:00:00Z"

APPROVALS: tuple[Case, ...] = (
    Case(
        "an approval waits",
        flow(trigger("review"), approval(WAYS), *ENDS),
        {"x": 1},
        exit=3,
        ran=("start",),
        waits={"kind": "approval", "step": "review"},
        view={
            "status": "running",
            "waitingFor": "approval",
            "currentStepSlug": "review",
            "output": None,
            "error": None,
            "variables.lastOutput.type": "trigger",
        },
    ),
    Case(
        "an approval as the first step",
        flow(approval(WAYS), *ENDS),
        exit=3,
        ran=(),
        view={"waitingFor": "approval", "variables.lastOutput": None, "variables.steps": {}},
    ),
    Case(
        "an approval of one member",
        flow(step("review", "approval", {"approverMemberId": "ann", "resourceType": "refund"}, WAYS), *ENDS),
        exit=3,
        waits={"kind": "approval", "step": "review"},
    ),
    Case(
        "an approval that nobody is named for waits all the same",
        flow(step("review", "approval", {"resourceType": "refund"}, WAYS), *ENDS),
        exit=3,
        view={"waitingFor": "approval"},
    ),
    Case("an approval with nothing in its config", flow(step("review", "approval", {}, WAYS), *ENDS), exit=3),
    Case(
        "an approval whose member is a template",
        flow(approval(WAYS, approverRole=None, approverMemberId="{{input.who}}"), *ENDS),
        {"who": "ann"},
        exit=3,
    ),
    Case(
        "a due date that is still to come",
        flow(approval(WAYS, dueDate="{{now + 86400000}}", onTimeout="reject"), *ENDS),
        exit=3,
        view={"waitingFor": "approval"},
    ),
    Case(
        "a due date as a number, a duration",
        flow(approval(WAYS, dueDate="P3D", priority="urgent"), *ENDS),
        exit=3,
        view={"waitingFor": "approval"},
    ),
    Case(
        "time approves",
        flow(approval(WAYS, dueDate=PAST, onTimeout="approve"), *ENDS),
        output={"v": "approve"},
        ran=("review", "yes"),
    ),
    Case(
        "time rejects",
        flow(approval(WAYS, dueDate=PAST, onTimeout="reject"), *ENDS),
        output={"v": "reject"},
        ran=("review", "no"),
        view={
            "waitingFor": None,
            "variables.steps.review.stepType": "approval",
            "variables.steps.review.output.type": "approval",
            "variables.steps.review.output.data.status": "rejected",
            "variables.steps.review.output.data.decision": "reject",
            "metadata.resumeWithPort": "rejected",
        },
    ),
    Case(
        "time fails",
        flow(approval(WAYS, dueDate=PAST, onTimeout="fail"), *ENDS),
        exit=1,
        error={"category": "TIMEOUT"},
        says=("review",),
    ),
    Case(
        "time that fails goes by the error port",
        flow(approval({**WAYS, "error": "late"}, dueDate=PAST, onTimeout="fail"), *ENDS, echo("late", v="late")),
        output={"v": "late"},
    ),
    Case(
        "time escalates, and it waits on",
        flow(approval(WAYS, dueDate=PAST, onTimeout="escalate", escalateTo="boss"), *ENDS),
        exit=3,
        view={"waitingFor": "approval"},
    ),
    Case(
        "time that nobody said anything of leaves it open",
        flow(approval(WAYS, dueDate=PAST), *ENDS),
        exit=3,
        view={"waitingFor": "approval"},
    ),
    Case(
        "an approval in a loop shows where it is",
        flow(loop(["a", "b"], {"loop": "review"}), approval({"approved": "each"})),
        exit=3,
        ran=("each",),
        view={"variables.loop.item": "a", "variables.loop.index": 0, "variables.lastOutput.type": "loop"},
    ),
    Case(
        "nothing says more than that it waits",
        flow(trigger("review"), approval(WAYS), *ENDS),
        exit=3,
        view={"startedAt": NUMBER, "updatedAt": NUMBER, "completedAt": None, "metadata.resumeWithPort": ABSENT},
    ),
)
