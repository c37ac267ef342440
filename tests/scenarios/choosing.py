"""Choosing a way: conditions, ports, routes, entries."""

from __future__ import annotations

from perdure.model.failure import Category
from perdure.model.steps import Compute, Condition, Fail
from perdure.model.workflow import Entry, Workflow
from scenarios.scenario import Answers, End, Returns, Scenario
from scenarios.words import flow, k, obj, on_error, step, task, to, x

FORKED = flow(
    step("if", Condition(x("input.n > 3")), to("yes", port="true"), to("no", port="false")),
    step("yes", Compute(k("many"))),
    step("no", Compute(k("few"))),
)

SCENARIOS = (
    Scenario("a condition that holds", (FORKED,), {"n": 4}, ends={"main": End(output="many")}, restate=True),
    Scenario("a condition that does not hold", (FORKED,), {"n": 3}, ends={"main": End(output="few")}),
    Scenario(
        "a condition that is neither true nor false fails its step",
        (flow(step("if", Condition(x("input.n")), to("next")), step("next", Compute())),),
        {"n": 4},
        ends={"main": End("failed", code="NOT_BOOLEAN")},
    ),
    Scenario(
        "the first route that fits is taken",
        (
            flow(
                task("ask", k({}), to("a", when=x("output.n > 5")), to("b", when=x("output.n > 2")), to("c")),
                *(step(name, Compute(k(name))) for name in "abc"),
            ),
        ),
        answers=(Answers("ask", (Returns({"n": 3}),)),),
        ends={"main": End(output="b")},
    ),
    Scenario(
        "a condition of a route that cannot be computed counts as false",
        (flow(step("a", Compute(), to("b", when=x("input.x.y.z")), to("c")), *(step(n, Compute(k(n))) for n in "bc")),),
        ends={"main": End(output="c")},
    ),
    Scenario(
        "a port that leads nowhere fails where it must lead on",
        (flow(task("ask", k({}), to("a", port="a"), unrouted="fail"), step("a", Compute())),),
        answers=(Answers("ask", (Returns(port="b"),)),),
        ends={"main": End("failed", code="UNROUTED")},
    ),
    Scenario(
        "a port that leads nowhere is warned of",
        (flow(task("ask", k({}), to("a", port="a"), unrouted="warn"), step("a", Compute())),),
        answers=(Answers("ask", (Returns("end", port="b"),)),),
        ends={"main": End(output="end")},
    ),
    Scenario(
        "a port is computed from the output",
        (
            flow(
                task("ask", k({}), to("green", port="green"), to("red"), ports=(x("output.light"),)),
                step("green", Compute(k("go"))),
                step("red", Compute(k("wait"))),
            ),
        ),
        answers=(Answers("ask", (Returns({"light": "green"}),)),),
        ends={"main": End(output="go")},
    ),
    Scenario(
        "a step fails on purpose, and that is handled",
        (
            flow(
                step(
                    "no",
                    Fail(x("'no ' + input.what"), "NO_MATCH", Category.VALIDATION),
                    on_error=on_error("told", of="VALIDATION"),
                ),
                step("told", Compute(obj(error=x("steps.no.error.message"), code=x("steps.no.error.code")))),
            ),
        ),
        {"what": "cake"},
        ends={"main": End(output={"error": "no cake", "code": "NO_MATCH"})},
        restate=True,
    ),
    Scenario(
        "a step fails on purpose, and nobody handles it",
        (flow(step("no", Fail(k("out of cake"), "CAKE"))),),
        ends={"main": End("failed", code="CAKE")},
    ),
    Scenario(
        "it begins where its input says",
        (
            Workflow(
                "main",
                (step("slow", Compute(k("slow"))), step("fast", Compute(k("fast"))), step("hooked", Compute())),
                (Entry("slow"), Entry("hooked", trigger="webhook"), Entry("fast", when=x("input.fast"))),
            ),
        ),
        {"fast": True},
        ends={"main": End(output="fast")},
    ),
)
