"""Cancellation: by somebody or by an event, whatever the execution is doing."""

from __future__ import annotations

from typing import Any

from run.expected import ABSENT, TEXT
from run.orchestration.booking import BOTH, CANCELLED, ISO, booking, undone
from run.orchestration.words import calls, echo, flow, undoes, waits
from run.stories import Act, Story, cancels, runs, sends, shows, stand, story, works

TRIES_AGAIN = flow(
    echo("reserve", "charge", seat="12A"),
    calls(
        "flaky", "charge", input={"until": 9}, retryPolicy={"maxAttempts": 9, "delay": "PT1H", "maxInterval": "PT1H"}
    ),
    compensationSteps=[undoes("reserve"), undoes("charge")],
    cancellationTriggers=[{"eventPattern": "stop", "reason": "stopped", "shouldCompensate": True}],
)
"""It is RUNNING, and nothing is under way."""


def _cancelled(
    name: str, document: Any, *after: Act, more: tuple[str, ...] = ("--reason", "no longer wanted")
) -> Story:
    """By somebody, while it waits."""
    return story(f"cancelled: {name}", runs(document), cancels(*more), works(), *after)


def _by_event(name: str, trigger: dict[str, Any], payload: Any, *after: Act) -> Story:
    document = booking(cancellationTriggers=[{"eventPattern": "order.cancelled", "reason": "by customer", **trigger}])
    sent = sends("order.cancelled", payload, "--id", "e-1")
    return story(f"cancelled by an event: {name}", runs(document, {"id": 17}), sent, works(), *after)


CANCELLING: tuple[Story, ...] = (
    _cancelled(
        "by somebody, while it waits",
        booking(),
        shows(
            status="CANCELLED",
            output=None,
            completedAt=ISO,
            error=None,
            cancellation=CANCELLED,
            cancelation=CANCELLED,
            state__currentStepId=None,
            state__waitingForEvent=None,
            state__steps__reserve__status="COMPLETED",
            state__steps__w__status="FAILED",
            state__steps__undo_charge=ABSENT,
            **undone(*BOTH),
        ),
    ),
    _cancelled("nobody says why", flow(waits("w", "x")), shows(status="CANCELLED", cancellation__reason=TEXT), more=()),
    _cancelled("nothing to undo", flow(waits("w", "x")), shows(status="CANCELLED", compensationState=None)),
    _cancelled(
        "nothing to undo yet",
        flow(waits("w", "x", "a"), echo("a"), compensationSteps=[undoes("a")]),
        shows(status="CANCELLED", **undone()),
    ),
    _cancelled(
        "without compensation",
        booking(),
        shows(status="CANCELLED", compensationState=None),
        more=("--no-compensation",),
    ),
    _cancelled("again, after its end", booking(), cancels(exit=2, says=("conflict", "is cancelled already"))),
    _cancelled("what it waited for comes too late", booking(), sends("shipped"), works(), shows(status="CANCELLED")),
    story(
        "cancelled: while it runs",
        Act((*runs(TRIES_AGAIN).words, "--timeout", "0"), 3),
        works(),
        shows(status="RUNNING", state__currentStepId="charge", state__steps__charge__status="RUNNING"),
        cancels("--reason", "no longer wanted"),
        works(),
        shows(
            status="CANCELLED", cancellation=CANCELLED, state__steps__charge__status="FAILED", **undone("undo_reserve")
        ),
    ),
    story(
        "cancelled: not after it has completed",
        runs(flow(echo("a", x=1)), exit=0),
        cancels(exit=2, says=("conflict", "is completed already")),
        shows(status="COMPLETED", output={"x": 1}, cancellation=None),
    ),
    story(
        "cancelled: not after it has failed",
        runs(flow(calls("breaks", "a")), exit=1),
        cancels(exit=2, says=("conflict", "is failed already")),
        shows(status="FAILED", cancellation=None),
    ),
    _by_event(
        "and undone",
        {"shouldCompensate": True},
        {},
        shows(
            status="CANCELLED",
            cancellation={
                "reason": "by customer",
                "requestedBy": "system",
                "requestedAt": ISO,
                "source": "EVENT",
                "eventId": "e-1",
            },
            **undone(*BOTH),
        ),
    ),
    _by_event(
        "and not undone",
        {"shouldCompensate": False},
        {},
        shows(status="CANCELLED", compensationState=None, cancellation__source="EVENT"),
    ),
    _by_event(
        "a condition", {"eventCondition": "event.payload.id == workflow.input.id"}, {"id": 17}, stand("cancelled")
    ),
    _by_event(
        "a condition in ${ }",
        {"eventCondition": "${event.payload.id} == ${workflow.input.id}"},
        {"id": 17},
        stand("cancelled"),
    ),
    _by_event(
        "a condition that is false",
        {"eventCondition": "event.payload.id == workflow.input.id"},
        {"id": 16},
        stand("waiting"),
    ),
    _by_event(
        "a condition that throws", {"eventCondition": "event.payload.id.map(x => x) == 1"}, {"id": 17}, stand("waiting")
    ),
    _by_event(
        "a condition over a step", {"eventCondition": "steps.charge.output.payment == 'p1'"}, {}, stand("cancelled")
    ),
    _by_event(
        "a condition over the seed's names", {"eventCondition": "event.eventId == 'e-1'"}, {}, stand("cancelled")
    ),
    _by_event("a pattern", {"eventPattern": "order.*"}, {}, stand("cancelled")),
    _by_event("another one", {"eventPattern": "order.returned"}, {}, stand("waiting")),
    story(
        "cancelled by an event: while it runs",
        Act((*runs(TRIES_AGAIN).words, "--timeout", "0"), 3),
        works(),
        sends("stop"),
        works(),
        shows(status="CANCELLED", cancellation__reason="stopped", **undone("undo_reserve")),
    ),
    story(
        "cancelled by an event: which also ends its wait",
        runs(booking(cancellationTriggers=[{"eventPattern": "shipped", "reason": "x", "shouldCompensate": False}])),
        sends("shipped"),
        works(),
        stand("cancelled"),
    ),
    story(
        "cancelled by an event: every execution that it fits",
        runs(booking(cancellationTriggers=[{"eventPattern": "stop", "reason": "x", "shouldCompensate": True}])),
        runs(booking(cancellationTriggers=[{"eventPattern": "stop", "reason": "x", "shouldCompensate": True}])),
        runs(booking()),
        sends("stop"),
        works(),
        stand("cancelled", "cancelled", "waiting"),
    ),
    story(
        "cancelled by an event: not after its end",
        runs(flow(echo("a", x=1), cancellationTriggers=[{"eventPattern": "stop", "reason": "x"}]), exit=0),
        sends("stop"),
        works(),
        shows(status="COMPLETED", cancellation=None),
    ),
)
