"""What is told of an execution afterwards, and what may still be done with it."""

from __future__ import annotations

from run.expected import NUMBER, TEXT
from run.orchestration.booking import ISO, booking
from run.orchestration.words import NO, YES, breaks, calls, echo, flow, undoes, waits, ways
from run.stories import Act, Story, cancels, runs, saves, sends, shows, story, works

HISTORY = ("executions", "show", "$0", "--history")


_COMPLETED = {"eventPattern": "workflow.completed", "eventCondition": "event.payload.name == 'case'"}


def _history(*says: str) -> Act:
    return Act(HISTORY, says=says)


AFTERWARDS: tuple[Story, ...] = (
    story(
        "history: in the words of the seed",
        runs(flow(echo("a", "w"), waits("w", "x"))),
        sends("x"),
        works(),
        _history("WORKFLOW_STARTED", "STEP_STARTED", "STEP_COMPLETED", "WAITING_FOR_EVENT", "WORKFLOW_COMPLETED"),
    ),
    story(
        "history: of a failure",
        runs(flow(breaks("pay")), exit=1),
        _history("STEP_FAILED", "WORKFLOW_FAILED"),
    ),
    story(
        "history: of a cancellation",
        runs(booking()),
        cancels(),
        works(),
        _history("WORKFLOW_CANCELLED", "COMPENSATION_STARTED", "COMPENSATION_COMPLETED"),
    ),
    story(
        "history: a condition that throws is in it",
        runs(flow(echo("a", ways(("output.name.map(x => x)", "no"), default="yes"), name="Ada"), YES, NO), exit=0),
        _history("output.name.map(x => x)"),
    ),
    story(
        "history: the condition of an event that throws is in it",
        runs(flow(waits("w", "x", eventCondition="event.payload.who.map(n => n).length > 0"))),
        sends("x", {"who": "Ada"}),
        works(),
        _history("event.payload.who.map(n => n)"),
    ),
    story(
        "version: one more with all that is recorded",
        runs(flow(waits("w", "x", "a"), echo("a")), version=2, startedAt=ISO, updatedAt=ISO),
        sends("x"),
        works(),
        shows(version=6),
    ),
    story(
        "a failed one is taken up again where it failed",
        runs(flow(echo("a", "b", n=1), calls("flaky", "b", input={"until": 2})), exit=1, status="FAILED"),
        Act(("executions", "retry", "$0")),
        works(),
        shows(
            status="COMPLETED",
            output={"attempts": 2},
            error=None,
            state__steps__a__output={"n": 1},
            state__steps__b__status="COMPLETED",
        ),
    ),
    story(
        "a step in detail",
        runs(flow(echo("a", x=1)), exit=0),
        Act(
            ("executions", "show", "$0", "--step", "a"),
            told={
                "step.view.stepId": "a",
                "step.view.status": "COMPLETED",
                "step.view.input": {"x": 1},
                "step.view.output": {"x": 1},
                "step.view.startedAt": ISO,
                "step.view.completedAt": ISO,
            },
        ),
    ),
    story(
        "a saved one has its workflow and its version",
        saves(flow(echo("a", v="${workflow.instance.workflowDefinitionId}"), triggers=[{"eventPattern": "go"}])),
        sends("go"),
        works(),
        shows(workflowDefinitionId=TEXT, workflowVersion=TEXT, output={"v": TEXT}, version=NUMBER),
    ),
    story(
        "what one publishes starts another",
        saves(flow(echo("b", v="${workflow.input.output.x}"), name="after", triggers=[_COMPLETED])),
        runs(flow(echo("a", x=1)), exit=0),
        works(),
        shows(1, output={"v": 1}),
    ),
    story(
        "what one publishes ends the wait of another",
        runs(flow(waits("w", "workflow.compensation.completed")), {"n": 1}),
        runs(flow(echo("a", "v"), waits("v", "never"), compensationSteps=[undoes("a")])),
        cancels(which=1),
        works(),
        shows(status="COMPLETED", state__steps__w__output__completed=["undo_a"]),
    ),
)
