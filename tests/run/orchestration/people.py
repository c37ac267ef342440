"""HUMAN_TASK: somebody is asked, and decides by `perdure approvals`."""

from __future__ import annotations

from typing import Any

from run.expected import NUMBER
from run.orchestration.words import NO, YES, echo, flow, step, ways
from run.stories import Act, Story, decides, runs, shows, story, works


def asks(leads: Any = None, given: Any = None, **definition: Any) -> dict[str, Any]:
    more = {} if given is None else {"input": given}
    task = {"title": "Approve the refund", "assigneeRole": "finance", **definition}
    return step("ask", "HUMAN_TASK", leads, taskDefinition=task, **more)


def _decided(name: str, decision: str, leads: Any, came: str) -> Story:
    return story(
        f"somebody decides: {name}",
        runs(flow(asks(leads), YES, NO), status="WAITING_FOR_EVENT"),
        decides(decision, "--comments", "seen"),
        works(),
        shows(status="COMPLETED", output={"v": came}),
    )


ASKED = ("approvals", "show", "$approval")

PEOPLE: tuple[Story, ...] = (
    _decided("the key APPROVED", "approve", {"default": "no", "APPROVED": "yes"}, "yes"),
    _decided("the key approved", "approve", {"default": "no", "approved": "yes"}, "yes"),
    _decided("the key approve", "approve", {"default": "no", "approve": "yes"}, "yes"),
    _decided("the key REJECTED", "reject", {"default": "no", "REJECTED": "yes"}, "yes"),
    _decided("the key reject", "reject", {"default": "no", "reject": "yes"}, "yes"),
    _decided("the default", "reject", {"default": "yes", "APPROVED": "no"}, "yes"),
    _decided("a condition", "approve", ways(("output.decision == 'approve'", "yes"), default="no"), "yes"),
    _decided("a condition on the status", "reject", ways(("output.status == 'rejected'", "yes"), default="no"), "yes"),
    story(
        "somebody decides: what came of it",
        runs(flow(echo("a", "ask", total=5), asks("b"), echo("b", v="${steps.ask.output}"))),
        decides("approve", "--comments", "fine"),
        works(),
        shows(
            state__steps__ask__status="COMPLETED",
            state__steps__ask__output__decision="approve",
            state__steps__ask__output__status="approved",
            state__steps__ask__output__comments="fine",
            state__steps__ask__output__submittedData={"total": 5},
        ),
    ),
    story(
        "somebody is asked: with an input",
        runs(flow(asks(given={"order": "${workflow.input.id}"})), {"id": 17}),
        Act(ASKED, told={"submittedData": {"order": 17}, "status": "pending", "approverRole": "finance"}),
    ),
    story(
        "somebody is asked: what people are told",
        runs(flow(asks(description="Order ${workflow.input.id}", priority="HIGH")), {"id": 17}),
        Act(
            ASKED, told={"priority": "high", "metadata.description": "Order 17", "metadata.title": "Approve the refund"}
        ),
    ),
    story(
        "somebody is asked: by name",
        runs(flow(step("ask", "HUMAN_TASK", taskDefinition={"assignee": "ann"}))),
        Act(ASKED, told={"approverMemberId": "ann"}),
    ),
    story(
        "somebody is asked: until when",
        runs(flow(asks(dueIn="P3D"))),
        Act(ASKED, told={"dueDate": NUMBER}),
    ),
    story(
        "somebody is asked: the time is over",
        runs(
            flow(asks({"default": "yes", "REJECTED": "no"}, dueIn=1, onTimeout="reject"), YES, NO),
            exit=0,
            status="COMPLETED",
        ),
        shows(output={"v": "no"}),
    ),
    story(
        "somebody is asked: `timeout` of the step",
        runs(flow({**asks("yes"), "timeout": 1, "onFailure": "no"}, YES, NO), exit=0, status="COMPLETED"),
        shows(output={"v": "no"}, state__steps__ask__error__code="TIMEOUT"),
    ),
)
