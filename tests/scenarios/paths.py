"""Paths: in parallel, where they meet, and what one that fails means to the others."""

from __future__ import annotations

from perdure.model.steps import Compute, Condition, SetVariables, Timer
from scenarios.scenario import Act, Answers, End, Hangs, Raises, Retry, Returns, Scenario, Seen
from scenarios.words import SOON, flow, k, obj, step, task, to, x

SPLIT = step("split", Compute(), to("a", "b"))

SCENARIOS = (
    Scenario(
        "two paths meet once",
        (
            flow(
                SPLIT,
                task("a", k({}), to("join")),
                task("b", k({}), to("long")),
                task("long", k({}), to("join")),
                step("join", Compute(obj(came=x("came.length"), a=x("steps.a.output"), long=x("steps.long.output")))),
            ),
        ),
        answers=(Answers("a", (Returns(1),)), Answers("long", (Returns(2, after_ms=4),))),
        ends={"main": End(output={"came": 2, "a": 1, "long": 2})},
        restate=True,
    ),
    Scenario(
        "a path that is not taken holds nobody up",
        (
            flow(
                SPLIT,
                step("a", Condition(x("input.both")), to("more", port="true"), to("join", port="false")),
                task("more", k({}), to("join")),
                task("b", k({}), to("join")),
                step("join", Compute(x("came.length"))),
            ),
        ),
        {"both": False},
        ends={"main": End(output=2)},
    ),
    Scenario(
        "a step that waits for any path is entered for each",
        (
            flow(
                SPLIT,
                task("a", k({}), to("any")),
                task("b", k({}), to("any")),
                step("any", SetVariables((("n", x("(vars.n || 0) + 1")),)), join="any"),
                output=x("vars.n"),
            ),
        ),
        ends={"main": End(output=2)},
    ),
    Scenario(
        "each path carries its own variables until they meet",
        (
            flow(
                SPLIT,
                step("a", SetVariables((("mine", k("a")), ("a", k(1)))), to("see")),
                task("see", obj(mine=x("vars.mine"), b=x("vars.b")), to("join")),
                step("b", SetVariables((("b", k(2)),)), to("join")),
                step("join", Compute(obj(vars=x("vars"), seen=x("steps.see.output")))),
                variables="flowing",
                initial=obj(mine="nobody's"),
            ),
        ),
        ends={"main": End(output={"vars": {"mine": "a", "a": 1, "b": 2}, "seen": {"mine": "a"}})},
    ),
    Scenario(
        "two paths that write the same are warned of",
        (
            flow(
                SPLIT,
                step("a", SetVariables((("v", k("a")),)), to("join")),
                step("b", SetVariables((("v", k("b")),)), to("join")),
                step("join", Compute(x("vars.v"))),
                variables="flowing",
            ),
        ),
        ends={"main": End(output="b")},
    ),
    Scenario(
        "one step at a time",
        (
            flow(
                step("split", Compute(), to("a", "b", "c")),
                *(task(name, k({}), to("join")) for name in "abc"),
                step("join", Compute(x("came.length"))),
                parallel_max=1,
            ),
        ),
        ends={"main": End(output=3)},
    ),
    Scenario(
        "a path that fails abandons the others",
        (flow(SPLIT, task("a"), task("b", k({}), to("never")), task("never")),),
        answers=(Answers("a", (Raises("a broke", "A", retriable=False),)), Answers("b", (Hangs(),))),
        ends={"main": End("failed", code="A")},
    ),
    Scenario(
        "a path that fails lets the others end what they do",
        (flow(SPLIT, task("a"), task("b", k({}), to("never")), task("never"), on_failure="drain", names_failed=True),),
        answers=(
            Answers("a", (Raises("a broke", "A", retriable=False),)),
            Answers("b", (Returns("late", after_ms=15),)),
        ),
        ends={"main": End("failed", code="A")},
    ),
    Scenario(
        "two paths that fail are told of together",
        (flow(SPLIT, task("a"), task("b"), on_failure="drain"),),
        answers=(
            Answers("a", (Raises("a broke", "A", retriable=False),)),
            Answers("b", (Raises("b broke", "B", retriable=False),)),
        ),
        ends={"main": End("failed", code="A")},
    ),
    Scenario(
        "a retry takes up the paths that were abandoned",
        (
            flow(
                SPLIT,
                task("a", k({}), to("join")),
                task("b", k({}), to("join")),
                step("join", Compute(obj(a=x("steps.a.output"), b=x("steps.b.output")))),
            ),
        ),
        answers=(
            Answers("a", (Raises("a broke", "A", retriable=False), Returns("a"))),
            Answers("b", (Hangs(), Returns("b"))),
        ),
        acts=(Act(Seen("execution.failed"), Retry()),),
        ends={"main": End(output={"a": "a", "b": "b"})},
    ),
    Scenario(
        "a path waits for a time while another works",
        (
            flow(
                SPLIT,
                step("a", Timer(SOON), to("join")),
                task("b", k({}), to("join")),
                step("join", Compute(k("both"))),
            ),
        ),
        answers=(Answers("b", (Returns(after_ms=2),)),),
        ends={"main": End(output="both")},
    ),
)
