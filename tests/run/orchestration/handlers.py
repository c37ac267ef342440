"""Handlers of failures and timeouts in branches, branches that never end, and `next` instead of `transitions`."""

from __future__ import annotations

from typing import Any

from run.case import Case, Judged
from run.expected import ABSENT, Holding
from run.orchestration.words import beside, breaks, calls, decides, echo, flow, step, undoes, waits, ways
from run.stories import Story, runs, sends, shows, story, works

_LONG = {"eventTimeout": {"duration": "P1D", "timeoutHandlerStepId": "late"}}
_SHORT = {"eventTimeout": {"duration": 1, "timeoutHandlerStepId": "late"}}
_LATE = echo("late", v="late")
_TWO = [echo("two", n=2)]


HANDLERS: tuple[Case, ...] = (
    Case(
        "branches: a handler of a timeout takes over, and the branch goes on",
        flow(
            beside(
                "both", one=[waits("w", "paid", **_SHORT), _LATE, echo("then", v="${steps.late.output.v}!")], two=_TWO
            )
        ),
        output={"one": {"v": "late!"}, "two": {"n": 2}},
    ),
    Case(
        "refused: a handler in another branch",
        flow(beside("both", one=[echo("a", "b", n=1), echo("b", n=2), _LATE], two=[breaks("pay", onFailure="late")])),
        exit=2,
        says=("'late' cannot be reached from here",),
    ),
    Case(
        "branches: what succeeds passes by its handler",
        flow(beside("both", one=[{**echo("a", n=1), "onFailure": "late"}, _LATE, echo("b", n=3)], two=_TWO)),
        output={"one": {"n": 3}, "two": {"n": 2}},
        ran=("both", "a", "b", "two"),
    ),
    Case(
        "branches: nothing else falls into a handler",
        flow(beside("both", one=[{**echo("a", n=1), "onFailure": "late"}, echo("b", n=3), _LATE], two=_TWO)),
        output={"one": {"n": 3}, "two": {"n": 2}},
        ran=("both", "a", "b", "two"),
    ),
    Case(
        "branches: a handler of one error is not fallen into",
        flow(
            beside(
                "both",
                one=[
                    {
                        **echo("a", n=1),
                        "onFailure": {"errorHandler": {"conditions": [{"errorCode": "X", "nextStepId": "late"}]}},
                    },
                    _LATE,
                ],
                two=_TWO,
            )
        ),
        output={"one": {"n": 1}, "two": {"n": 2}},
    ),
    Case(
        "branches: continue passes by handlers too",
        flow(
            beside(
                "both",
                one=[breaks("a", onFailure="continue"), {**echo("b", n=1), "onFailure": "late"}, _LATE],
                two=_TWO,
            )
        ),
        output={"one": {"n": 1}, "two": {"n": 2}},
    ),
    Case(
        "branches: a handler may also be led to",
        flow(beside("both", one=[{**echo("a", "late", n=1), "onFailure": "late"}, _LATE], two=_TWO)),
        output={"one": {"v": "late"}, "two": {"n": 2}},
    ),
    *(
        Case(
            f"branches: a handler before the step that names it runs in its turn, {name}",
            flow(beside("both", one=[echo("a", n=1), _LATE, *steps, echo("b", n=3)], two=_TWO)),
            output={"one": {"n": 3}, "two": {"n": 2}},
            ran=("both", "a", "late", *ran, "b", "two"),
        )
        for name, steps, ran in (
            ("of a failure", [{**echo("ship", n=2), "onFailure": "late"}], ("ship",)),
            ("of its own failure too", [{**echo("ship", n=2), "onFailure": "ship"}], ("ship",)),
            (
                "of one error",
                [
                    {
                        **echo("ship", n=2),
                        "onFailure": {"errorHandler": {"conditions": [{"errorCode": "X", "nextStepId": "late"}]}},
                    }
                ],
                ("ship",),
            ),
        )
    ),
    *(
        Case(
            f"branches: a handler before the step that names it, and that leads elsewhere, is passed by, {name}",
            flow(beside("both", one=[echo("a", n=1), late, *steps, echo("b", n=3)], two=_TWO)),
            output={"one": {"n": 3}, "two": {"n": 2}},
            ran=("both", "a", *ran, "b", "two"),
        )
        for name, late, steps, ran in (
            ("to END", echo("late", "END", v="late"), [{**echo("ship", n=2), "onFailure": "late"}], ("ship",)),
            ("behind it", echo("late", "b", v="late"), [{**echo("ship", n=2), "onFailure": "late"}], ("ship",)),
            (
                "back to the step before",
                echo("late", "a", v="late"),
                [{**echo("ship", n=2), "onFailure": "late"}, {**echo("bill", n=2), "onFailure": "late"}],
                ("ship", "bill"),
            ),
        )
    ),
    Case(
        "branches: a handler before the wait that names it, and that leads to END, takes over in time",
        flow(
            beside(
                "both",
                one=[echo("a", n=1), echo("late", "END", v="late"), waits("w", "paid", **_SHORT), echo("b", n=3)],
                two=_TWO,
            )
        ),
        output={"one": {"v": "late"}, "two": {"n": 2}},
        ran=("both", "a", "w", "late", "two"),
    ),
    Case(
        "branches: a handler between two steps that name it is passed by",
        flow(
            beside(
                "both",
                one=[{**echo("a", n=1), "onFailure": "late"}, _LATE, {**echo("b", n=3), "onFailure": "late"}],
                two=_TWO,
            )
        ),
        output={"one": {"n": 3}, "two": {"n": 2}},
        ran=("both", "a", "b", "two"),
    ),
    Case(
        "refused: a handler in the branch around, before the PARALLEL whose step names it",
        flow(
            beside(
                "outer",
                one=[echo("a", n=1), _LATE, beside("inner", x=[breaks("pay", onFailure="late")], y=[echo("b", n=1)])],
            )
        ),
        exit=2,
        says=("'late' cannot be reached from here",),
    ),
    Case(
        "branches: a handler outside, of one branch",
        flow(
            beside("both", "last", one=[waits("w", "paid", **_SHORT)], two=_TWO),
            _LATE,
            echo("last", x="${steps.both.output}"),
        ),
        output={"x": {"one": {"v": "late"}, "two": {"n": 2}}},
        view={"state.steps.late.status": "COMPLETED", "state.steps.last.status": "COMPLETED"},
    ),
    Case(
        "branches: a handler outside, that is not needed",
        flow(beside("both", "last", one=[{**echo("a", n=1), "onFailure": "late"}], two=_TWO), _LATE, echo("last", x=1)),
        output={"x": 1},
        view={"state.steps.late": ABSENT},
    ),
    Case(
        "branches: a handler outside, given an inputMapping",
        flow(
            beside(
                "both",
                one=[breaks("pay", onFailure={"handlerStepId": "late", "inputMapping": {"why": "error.code"}})],
                two=_TWO,
            ),
            calls("echo", "late"),
        ),
        output={"one": {"why": "DECLINED"}, "two": {"n": 2}},
    ),
    Case(
        "branches: a handler outside, and what it alone leads to",
        flow(
            beside("both", one=[breaks("pay", onFailure="late")], two=_TWO),
            echo("late", "later", v="late"),
            echo("later", v="${steps.late.output.v}r"),
        ),
        output={"one": {"v": "later"}, "two": {"n": 2}},
    ),
    Case(
        "branches: a handler outside, that leads back",
        flow(
            beside("both", one=[waits("w", "paid", **_SHORT)], two=_TWO),
            echo("late", "gate", n="${(steps.late.output.n ?? 0) + 1}"),
            decides(("steps.late.output.n < 3", "w"), default="END"),
        ),
        output={"one": {"n": 3}, "two": {"n": 2}},
    ),
    Case(
        "branches: a handler outside, of two steps of one branch",
        flow(
            beside("both", one=[echo("a", n=1) | {"onFailure": "late"}, breaks("pay", onFailure="late")], two=_TWO),
            _LATE,
        ),
        output={"one": {"v": "late"}, "two": {"n": 2}},
    ),
    Case(
        "branches: a handler outside of two",
        flow(
            beside(
                "outer", one=[beside("inner", x=[breaks("pay", onFailure="late")], y=[echo("b", n=1)]), echo("c", n=3)]
            ),
            _LATE,
        ),
        output={"one": {"n": 3}},
        view={"state.steps.inner.output": {"x": {"v": "late"}, "y": {"n": 1}}},
    ),
    Case(
        "branches: a handler in the branch around",
        flow(
            beside(
                "outer",
                one=[beside("inner", x=[breaks("pay", onFailure="late")], y=[echo("b", n=1)]), _LATE, echo("c", n=3)],
            )
        ),
        output={"one": {"n": 3}},
        view={"state.steps.inner.output": {"x": {"v": "late"}, "y": {"n": 1}}},
    ),
    Case(
        "branches: a handler outside, that is a PARALLEL",
        flow(
            beside("both", one=[breaks("pay", onFailure="more")], two=_TWO),
            beside("more", a=[echo("c", n=1)], b=[echo("d", n=2)]),
        ),
        output={"one": {"a": {"n": 1}, "b": {"n": 2}}, "two": {"n": 2}},
    ),
    *(
        Case(
            f"branches: END of {name} ends the branch, not at the next step",
            flow(
                beside("both", "last", one=[failing, echo("ship", v="must not run")], two=_TWO),
                echo("last", x="${steps.both.output}"),
            ),
            output={"x": {"one": None, "two": {"n": 2}}},
            view={"state.steps.ship": ABSENT},
        )
        for name, failing in (
            ("a handler", breaks("pay", onFailure="END")),
            ("a handler by its key", breaks("pay", onFailure={"handlerStepId": "END"})),
            ("a handler by another key", breaks("pay", onFailure={"nextStepId": "END"})),
            (
                "a handler that is given something",
                breaks("pay", onFailure={"handlerStepId": "END", "inputMapping": {"why": "error.code"}}),
            ),
            (
                "a handler of one error",
                breaks(
                    "pay",
                    onFailure={"errorHandler": {"conditions": [{"errorCode": "DECLINED", "nextStepId": "END"}]}},
                ),
            ),
            (
                "a handler of a timeout",
                waits("w", "paid", eventTimeout={"duration": 1, "timeoutHandlerStepId": "END"}),
            ),
        )
    ),
    *(
        Case(
            f"refused: a handler outside, {name}",
            flow(*steps),
            exit=2,
            says=("cannot be reached from here", "one branch only enters"),
        )
        for name, steps in (
            (
                "of two branches",
                (beside("both", one=[breaks("a", onFailure="late")], two=[breaks("b", onFailure="late")]), _LATE),
            ),
            (
                "of the top as well",
                (
                    beside("both", "pay", one=[breaks("a", onFailure="late")]),
                    breaks("pay", onFailure="late"),
                    _LATE,
                ),
            ),
            (
                "that is where it begins",
                (echo("late", "both", v=1), beside("both", one=[breaks("a", onFailure="late")])),
            ),
            (
                "that leads to what others lead to",
                (
                    beside("both", "last", one=[breaks("a", onFailure="late")]),
                    echo("late", "last", v=1),
                    echo("last"),
                ),
            ),
            ("that is the PARALLEL itself", (beside("both", one=[breaks("a", onFailure="both")]),)),
        )
    ),
    Case(
        "branches: no condition holds, and the branch ends there",
        flow(
            beside(
                "both",
                "last",
                one=[echo("a", ways(("output.n > 1", "b")), n=1), echo("b")],
                two=[echo("c", ways(("false", "c")))],
            ),
            echo("last", x="${steps.both.output.one.n}"),
        ),
        output={"x": 1},
    ),
)


def _endless(name: str, *branch: dict[str, Any], at: int = 0) -> Judged:
    return Judged(
        f"branch without an end: {name}",
        flow(beside("both", "last", one=list(branch), two=_TWO), echo("last")),
        problems=({"type": "endless_branch", "path": f"/steps/0/branches/0/steps/{at}"},),
    )


def _next(name: str, *steps: dict[str, Any], path: str) -> Judged:
    return Judged(f"next: {name}", flow(*steps), problems=({"type": "unknown_key", "path": path},))


JUDGED: tuple[Judged, ...] = (
    _endless("a wait that leads to itself", waits("w", "paid", "w")),
    _endless(
        "a person's task with both decisions",
        step("h", "HUMAN_TASK", taskDefinition={"assigneeRole": "r"}, transitions={"approved": "h", "REJECTED": "h"}),
    ),
    _endless("two that lead to each other", echo("a", "b"), echo("b", "a")),
    _endless("after a beginning that leads on", echo("a", n=1), waits("w", "paid", "w"), at=1),
    _endless("on one of two ways", decides(("workflow.input.x", "w"), default="END"), waits("w", "paid", "w"), at=1),
    _endless(
        "a decision that can only fail",
        waits("w", "paid", "gate"),
        decides(("event.x", "w")),
    ),
    _endless("after a handler in its turn", _LATE, waits("w", "paid", "w2"), waits("w2", "x", "w", **_LONG), at=1),
    _endless("a handler that leads back", waits("w", "paid", "w", **_LONG), echo("late", "w")),
    Judged(
        "a branch that ends by a handler alone",
        flow(beside("both", "last", one=[waits("w", "paid", "w", **_LONG), _LATE], two=_TWO), echo("last")),
    ),
    Judged(
        "a branch that ends if no condition holds",
        flow(
            beside("both", "last", one=[waits("w", "paid", ways(("event.x", "w")), timeout=1)], two=_TWO), echo("last")
        ),
    ),
    Judged(
        "branch without an end: in a branch",
        flow(beside("outer", one=[beside("inner", x=[echo("a", "a")])])),
        problems=({"type": "endless_branch", "path": "/steps/0/branches/0/steps/0/branches/0/steps/0"},),
    ),
    _next("on one step", {**echo("a"), "next": "b"}, echo("b"), path="/steps/0/next"),
    _next(
        "everywhere",
        {**echo("a"), "next": "gate"},
        {
            "stepId": "gate",
            "type": "DECISION",
            "conditions": [{"condition": "workflow.input.x > 1", "next": "c"}, {"condition": "true", "next": "d"}],
            "default": "d",
        },
        {**waits("c", "x", **_LONG), "nextStep": "d"},
        {**echo("d"), "next": "e", "onFailure": {"next": "e"}},
        {"stepId": "e", "type": "CHOICE", "choices": [{"condition": "true", "nextStepId": "late"}], "default": "late"},
        {**_LATE, "next": None},
        path="/steps/0/next",
    ),
    _next(
        "in a branch",
        beside("both", one=[{**echo("a"), "next": "c"}, echo("b", "END"), echo("c", "b")]),
        path="/steps/0/branches/0/steps/0/next",
    ),
    Judged(
        "next: of a step that is not there",
        flow({**echo("a"), "next": "nowhere"}, echo("b", "a")),
        problems=({"type": "unknown_key", "path": "/steps/0/next"}, {"type": "unknown_step", "path": "/steps/0/next"}),
    ),
    _next("by the name nextStep", {**echo("a"), "nextStep": "b"}, echo("b"), path="/steps/0/nextStep"),
    *(
        _next(f"by the name {key}", {**echo("a"), key: to}, echo("b"), path=f"/steps/0/{key}")
        for key, to in (
            ("next", ["b"]),
            ("next", {"default": "b"}),
            ("nextSteps", ["b"]),
            ("next_step", "b"),
            ("nextStepIds", ["b"]),
            ("goto", "b"),
            ("then", "b"),
            ("onSuccess", "b"),
            ("onSuccess", {"default": "b"}),
        )
    ),
    Judged(
        "next: as transitions are written",
        flow(step("a", "HUMAN_TASK", next={"APPROVED": "b"}, taskDefinition={"assignee": "ann"}), echo("b")),
        problems=({"type": "unknown_key", "message": Holding('write "transitions": {…}')},),
    ),
    _next("beside empty transitions", {**echo("a", {}), "next": "b"}, echo("b"), path="/steps/0/next"),
    _next(
        "beside transitions that are null",
        {**echo("a"), "transitions": None, "next": "b"},
        echo("b"),
        path="/steps/0/next",
    ),
    _next(
        "in a timeout",
        waits("w", "paid", "END", eventTimeout={"duration": 1, "next": "late"}),
        _LATE,
        path="/steps/0/eventTimeout/next",
    ),
    _next(
        "in a handler of one error",
        {**echo("a"), "onFailure": {"errorHandler": {"conditions": [{"errorCode": "X", "next": "late"}]}}},
        _LATE,
        path="/steps/0/onFailure/errorHandler/conditions/0/next",
    ),
    Judged(
        "next: in transitions",
        flow(echo("a", {"next": "b"}), waits("b", "x", {"onSuccess": "c"}, timeout=1), echo("c")),
        warnings=(
            {"type": "no_default", "path": "/steps/0/transitions/next", "message": Holding("did you mean 'default'")},
            {"type": "no_default", "path": "/steps/1/transitions/onSuccess"},
        ),
    ),
    Judged(
        "outcomes without a default",
        flow(echo("a", {"success": "b"}), echo("b", {"DECLINED": "c"}), echo("c")),
        warnings=(
            {"type": "no_default", "path": "/steps/0/transitions", "message": Holding("(2 steps: a, b)", "null")},
        ),
    ),
    Judged(
        "a warning that a compensation shares stands at the step",
        flow(calls("quantum", "a"), compensationSteps=[undoes("a", "quantum")]),
        warnings=({"type": "unknown_task", "path": "/steps/0/taskId", "message": Holding("2 steps: a, undo_a")},),
    ),
    Judged(
        "next: beside transitions",
        flow({**echo("a", "b"), "next": "b"}, echo("b")),
        warnings=({"type": "unknown_key", "path": "/steps/0/next"},),
    ),
    Judged(
        "where it begins: another step than the first",
        flow(echo("a"), echo("b", "a"), startAt="b"),
        problems=({"type": "unknown_key", "path": "/startAt"},),
    ),
    Judged("where it begins: the first step", flow(echo("a"), startAt="a")),
)


def _wait_for(handler: str) -> dict[str, Any]:
    return waits("w", "paid", eventTimeout={"duration": "P1D", "timeoutHandlerStepId": handler})


def _falls(name: str, *branch: dict[str, Any], one: Any) -> Story:
    """What becomes of a branch whose wait is ended by its event."""
    return story(
        f"branches: {name}",
        runs(flow(beside("both", "last", one=list(branch), two=_TWO), echo("last", x="${steps.both.output}"))),
        sends("paid", {"n": 1}),
        works(),
        shows(output={"x": {"one": one, "two": {"n": 2}}}, state__steps__late=ABSENT),
    )


EVENTS: tuple[Story, ...] = (
    _falls(
        "an event does not let control fall into the handler of its timeout",
        waits("w", "paid", **_LONG),
        _LATE,
        one={"n": 1},
    ),
    _falls(
        "after an event it goes on behind the handler",
        waits("w", "paid", **_LONG),
        _LATE,
        echo("then", n="${steps.w.output.n + 1}"),
        one={"n": 2},
    ),
    story(
        "branches: a handler of a timeout before its wait runs in its turn, and is led back to",
        runs(
            flow(
                beside("both", "last", one=[echo("prepare", n=1), echo("ask", n=2), _wait_for("ask")], two=_TWO),
                echo("last", x="${steps.both.output.one.n}"),
            ),
            status="WAITING_FOR_EVENT",
            state__steps__prepare__status="COMPLETED",
            state__steps__ask__status="COMPLETED",
        ),
        sends("paid", {"n": 7}),
        works(),
        shows(output={"x": 7}, status="COMPLETED"),
    ),
    _falls(
        "a handler of a person's task",
        step("w", "EVENT_WAIT", eventPattern="paid", onFailure="late", timeout="P1D"),
        _LATE,
        one={"n": 1},
    ),
    story(
        "branches: what comes after them does not overtake a wait that ends by no condition",
        runs(
            flow(
                beside("both", "last", one=[waits("w", "paid", ways(("event.payload.again", "w")))], two=_TWO),
                echo("last", x=1),
            ),
            status="WAITING_FOR_EVENT",
            state__steps__last=ABSENT,
        ),
        sends("paid", {"again": True}),
        works(),
        shows(status="WAITING_FOR_EVENT", state__steps__last=ABSENT),
        sends("paid", {"again": False}),
        works(),
        shows(output={"x": 1}, status="COMPLETED"),
    ),
    story(
        "branches: what comes after them does not overtake a wait whose timeout ends the branch",
        runs(
            flow(
                beside(
                    "both",
                    "last",
                    one=[
                        waits("w", "paid", eventTimeout={"duration": "P1D", "timeoutHandlerStepId": "END"}),
                        decides(default="w"),
                    ],
                    two=_TWO,
                ),
                echo("last", x=1),
            ),
            status="WAITING_FOR_EVENT",
            state__steps__last=ABSENT,
        ),
        sends("paid", {}),
        works(),
        shows(status="WAITING_FOR_EVENT", state__steps__last=ABSENT),
    ),
    story(
        "branches: what comes after them waits for a handler that stands outside",
        runs(
            flow(
                beside("both", "last", one=[breaks("pay", onFailure="ask")], two=_TWO),
                waits("ask", "paid"),
                echo("last", x="${steps.both.output.one.n}"),
            ),
            status="WAITING_FOR_EVENT",
            state__currentStepId="ask",
            state__steps__last=ABSENT,
        ),
        sends("paid", {"n": 7}),
        works(),
        shows(output={"x": 7}, status="COMPLETED"),
    ),
)
