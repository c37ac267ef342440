"""PARALLEL: branches beside one another, and what comes of them."""

from __future__ import annotations

from run.case import Case
from run.orchestration.words import NO, YES, beside, breaks, decides, echo, flow, step, waits

PARALLELS: tuple[Case, ...] = (
    Case(
        "branches: their outputs by name",
        flow(beside("both", stock=[echo("a", x=1)], credit=[echo("b", y=2)])),
        output={"stock": {"x": 1}, "credit": {"y": 2}},
        ran=("both", "a", "b"),
    ),
    Case(
        "branches: without names they are numbered",
        flow(step("both", "PARALLEL", branches=[{"steps": [echo("a", x=1)]}, {"steps": [echo("b", y=2)]}])),
        output={"branch1": {"x": 1}, "branch2": {"y": 2}},
    ),
    Case(
        "branches: one step after the other",
        flow(beside("both", one=[echo("a", n=1), echo("b", n="${steps.a.output.n + 1}")], two=[echo("c")])),
        output={"one": {"n": 2}, "two": {}},
    ),
    Case(
        "branches: what is after them sees all of them",
        flow(
            beside("both", "sum", one=[echo("a", n=1)], two=[echo("b", n=2)]),
            echo("sum", n="${steps.both.output.one.n + steps.b.output.n}"),
        ),
        output={"n": 3},
    ),
    Case(
        "branches: in the middle",
        flow(
            echo("first", "both", n=4),
            beside("both", "last", one=[echo("a", n="${steps.first.output.n}")]),
            echo("last"),
        ),
        ran=("first", "both", "a", "last"),
    ),
    Case(
        "branches: transitions inside of one",
        flow(beside("both", one=[echo("a", "c", n=1), echo("b", n="b"), echo("c", n="c")], two=[echo("d")])),
        output={"one": {"n": "c"}, "two": {}},
    ),
    Case(
        "branches: a decision inside of one",
        flow(
            beside(
                "both",
                one=[decides(("workflow.input.n > 3", "yes"), default="no"), {**YES, "transitions": "END"}, NO],
                two=[echo("d", x=1)],
            )
        ),
        {"n": 5},
        output={"one": {"v": "yes"}, "two": {"x": 1}},
    ),
    Case(
        "branches: the end of one is not the end of all",
        flow(
            beside("both", "last", one=[echo("a", "END", n=1), echo("b", n=2)], two=[echo("c", n=3)]), echo("last", x=1)
        ),
        output={"x": 1},
        view={"state.steps.both.output": {"one": {"n": 1}, "two": {"n": 3}}},
    ),
    Case(
        "branches: in branches",
        flow(beside("outer", one=[beside("inner", x=[echo("a", n=1)], y=[echo("b", n=2)])], two=[echo("c", n=3)])),
        output={"one": {"x": {"n": 1}, "y": {"n": 2}}, "two": {"n": 3}},
    ),
    Case(
        "branches: an empty one",
        flow(beside("both", one=[], two=[echo("a", n=1)])),
        output={"one": None, "two": {"n": 1}},
    ),
    Case(
        "branches: all of them empty", flow(beside("both", "last", one=[], two=[]), echo("last", x=1)), output={"x": 1}
    ),
    Case(
        "branches: one that fails",
        flow(beside("both", one=[breaks("pay")], two=[echo("b", n=1)])),
        exit=1,
        error={"code": "DECLINED"},
        view={"status": "FAILED", "state.steps.pay.status": "FAILED"},
    ),
    Case(
        "branches: one that fails, and mends it",
        flow(beside("both", one=[breaks("pay", onFailure="mend"), echo("mend", n=0)], two=[echo("b", n=1)])),
        output={"one": {"n": 0}, "two": {"n": 1}},
    ),
    Case(
        "branches: one that waits",
        flow(beside("both", one=[waits("w", "paid")], two=[echo("b", n=1)])),
        exit=3,
        view={"status": "WAITING_FOR_EVENT", "state.steps.b.status": "COMPLETED", "state.currentStepId": "w"},
    ),
    Case(
        "branches: a decision on what came of them",
        flow(
            step(
                *("both", "PARALLEL"),
                branches=[{"name": "one", "steps": [echo("a", n=1)]}],
                transitions={"conditions": [{"condition": "output.one.n == 1", "nextStep": "yes"}], "default": "no"},
            ),
            *(YES, NO),
        ),
        output={"v": "yes"},
    ),
    Case(
        "branches: round again",
        flow(
            beside("both", "gate", one=[echo("a", n="${(steps.a.output.n ?? 0) + 1}")], two=[echo("b")]),
            decides(("steps.a.output.n < 3", "both"), default="END"),
        ),
        output={"one": {"n": 3}, "two": {}},
    ),
    Case(
        "refused: no branches",
        flow(step("both", "PARALLEL")),
        exit=2,
        says=("'branches' is missing",),
    ),
    Case("refused: no branch", flow(beside("both")), exit=2, says=("/steps/0/branches", "has no branch")),
    Case(
        "refused: two branches of one name",
        flow(step("both", "PARALLEL", branches=[{"name": "x", "steps": []}, {"name": "x", "steps": []}])),
        exit=2,
        says=("/steps/0/branches/1/name", "two branches of 'both'"),
    ),
    Case(
        "refused: out of a branch",
        flow(beside("both", one=[echo("a", "last")]), echo("last")),
        exit=2,
        says=("/steps/0/branches/0/steps/0/transitions/default", "out of its branch"),
    ),
    Case(
        "refused: into a branch",
        flow(echo("first", "a"), beside("both", one=[echo("a")])),
        exit=2,
        says=("/steps/0/transitions/default", "cannot be reached from here"),
    ),
    Case(
        "refused: an id twice, in a branch",
        flow(echo("a", "both"), beside("both", one=[echo("a")])),
        exit=2,
        says=("/steps/1/branches/0/steps/0/stepId", "two steps have the id 'a'"),
    ),
)
