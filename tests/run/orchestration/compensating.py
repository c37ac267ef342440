"""Compensation: what is undone, in which order, and with what."""

from __future__ import annotations

from typing import Any

from run.orchestration.booking import BOTH, CANCELLED, ISO, booking, undone
from run.orchestration.words import beside, breaks, decides, echo, flow, undoes, waits
from run.stories import Act, Story, cancels, runs, shows, story, works


def _undone(name: str, document: Any, *after: Act, given: Any = None) -> Story:
    """After somebody has cancelled it."""
    cancelled = cancels("--reason", "no longer wanted")
    return story(f"undone: {name}", runs(document, given), cancelled, works(), *after)


def _given(value: Any, of: str = "undo_reserve") -> Act:
    """What a compensation step was given."""
    return Act(("executions", "show", "$0", "--step", of), told={"step.input": value})


WITH_ERRORS = "COMPLETED_WITH_ERRORS"

COMPENSATING: tuple[Story, ...] = (
    _undone("in reverse order of completion", booking(), shows(**undone(*BOTH))),
    _undone(
        "in whatever order it was written",
        booking(undoes("charge"), undoes("reserve")),
        shows(**undone(*BOTH)),
    ),
    _undone("only what can be", booking(undoes("charge")), shows(**undone("undo_charge"))),
    _undone(
        "only what was done",
        flow(
            decides(("true", "a"), default="b"),
            *(echo("a", "w"), echo("b", "w"), waits("w", "x")),
            compensationSteps=[undoes("a"), undoes("b"), undoes("w")],
        ),
        shows(**undone("undo_a")),
    ),
    _undone(
        "what ran twice once, with its last output",
        flow(
            echo("reserve", "charge", n="${(steps.reserve.output.n ?? 0) + 1}"),
            echo("charge", "gate"),
            decides(("steps.reserve.output.n < 2", "reserve"), default="w"),
            waits("w", "x"),
            compensationSteps=[undoes("reserve", input={"was": "${output.n}"}), undoes("charge")],
        ),
        shows(**undone(*BOTH)),
        _given({"was": 2}),
    ),
    _undone(
        "with what is usual",
        booking(variables={"limit": 3}),
        _given(
            {
                "originalOutput": {"seat": "12A"},
                "workflowInput": {"who": "Ada"},
                "workflowState": {
                    "variables": {"limit": 3},
                    "steps": {
                        "reserve": {"status": "COMPLETED", "output": {"seat": "12A"}, "completedAt": ISO},
                        "charge": {
                            "status": "COMPLETED",
                            "output": {"payment": "p1", "seat": "12A"},
                            "completedAt": ISO,
                        },
                    },
                },
                "cancellation": CANCELLED,
            }
        ),
        given={"who": "Ada"},
    ),
    _undone(
        "with an input of its own",
        booking(
            undoes(
                "reserve",
                input={
                    "seat": "${output.seat}",
                    "same": "${originalOutput.seat} ${steps.reserve.output.seat}",
                    "path": "workflow.state.steps.charge.output.payment",
                    "who": "workflow.input.who",
                    "why": "${workflow.cancellation.reason} (${workflow.cancellation.source})",
                },
            )
        ),
        _given(
            {
                "seat": "12A",
                "same": "12A 12A",
                "path": "p1",
                "who": "Ada",
                "why": "no longer wanted (USER)",
            }
        ),
        given={"who": "Ada"},
    ),
    _undone(
        "with an input that is a path",
        booking(undoes("reserve", input="workflow.input")),
        _given({"n": 1}),
        given={"n": 1},
    ),
    _undone("with an input that is empty", booking(undoes("reserve", input={})), _given({})),
    _undone(
        "a condition", booking(undoes("reserve", condition="output.seat == '12A'")), shows(**undone("undo_reserve"))
    ),
    _undone(
        "a condition in ${ }",
        booking(undoes("reserve", condition="${workflow.cancellation.source} == 'USER'")),
        shows(**undone("undo_reserve")),
    ),
    _undone(
        "a condition that is false",
        booking(undoes("reserve", condition="steps.charge.output.payment == 'p2'"), undoes("charge")),
        shows(**undone("undo_charge")),
    ),
    _undone(
        "a condition that throws", booking(undoes("reserve", condition="output.seat.map(x => x)")), shows(**undone())
    ),
    _undone(
        "the first of two for one step",
        booking({**undoes("reserve"), "stepId": "first"}, {**undoes("reserve"), "stepId": "second"}),
        shows(**undone("first")),
    ),
    _undone(
        "one that fails, and the rest all the same",
        booking(undoes("reserve"), undoes("charge", "breaks", input={"message": "no refund"})),
        shows(
            status="CANCELLED",
            **undone(*BOTH, status=WITH_ERRORS, failed=("undo_charge",)),
        ),
        shows(compensationState__failed__0__error="no refund", compensationState__completed=["undo_reserve"]),
    ),
    _undone(
        "all of them fail",
        booking(undoes("reserve", "breaks"), undoes("charge", "breaks")),
        shows(**undone(*BOTH, status=WITH_ERRORS, failed=BOTH)),
    ),
    _undone(
        "one that is tried again",
        booking(undoes("reserve", "flaky", input={"until": 3}, retryPolicy={"maxAttempts": 3, "delay": 1})),
        shows(**undone("undo_reserve")),
    ),
    _undone(
        "one that takes too long",
        booking(undoes("reserve", "hangs", timeout=20)),
        shows(**undone("undo_reserve", status=WITH_ERRORS, failed=("undo_reserve",))),
    ),
    _undone(
        "what was done in branches",
        flow(
            beside("both", "w", one=[echo("a", n=1)], two=[echo("b"), echo("c")]),
            waits("w", "x"),
            compensationSteps=[undoes("a", input={"n": "${output.n}"})],
        ),
        shows(**undone("undo_a")),
        _given({"n": 1}, "undo_a"),
    ),
    story(
        "undone: it is told",
        runs(booking()),
        cancels(),
        works(),
        Act(
            ("events", "list", "--type", "workflow.compensation.completed"),
            told={"items.0.type": "workflow.compensation.completed"},
        ),
    ),
    story(
        "undone: after a failure, where the document says so",
        runs(
            flow(
                echo("reserve", "pay", seat="12A"),
                breaks("pay"),
                compensationSteps=[undoes("reserve"), undoes("pay")],
                compensateOnFailure=True,
            ),
            exit=1,
        ),
        works(),
        shows(status="FAILED", error__code="DECLINED", cancellation=None, **undone("undo_reserve")),
        Act(
            ("executions", "show", "$0", "--step", "undo_reserve"), told={"step.input.originalOutput": {"seat": "12A"}}
        ),
    ),
    story(
        "undone: nothing after a failure, where it does not",
        runs(flow(echo("reserve", "pay"), breaks("pay"), compensationSteps=[undoes("reserve")]), exit=1),
        works(),
        shows(status="FAILED", compensationState=None),
    ),
    story(
        "undone: nothing after a success",
        runs(flow(echo("reserve"), compensationSteps=[undoes("reserve")], compensateOnFailure=True), exit=0),
        works(),
        shows(status="COMPLETED", compensationState=None),
    ),
)
