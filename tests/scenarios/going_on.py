"""Going on: retried, forked, run again; and until when."""

from __future__ import annotations

from perdure.model.steps import Approval, Child, Compute, EventWait, Timer
from scenarios.scenario import (
    Act,
    Answers,
    Cancel,
    Decide,
    End,
    Fork,
    Publish,
    Raises,
    Rerun,
    Retry,
    Returns,
    Scenario,
    Seen,
)
from scenarios.words import SOON, flow, k, obj, step, task, to, tries, x

ADDED = flow(
    task("one", k({}), to("two")),
    task("two", obj(one=x("steps.one.output"), v=x("vars.v")), to("end")),
    step("end", Compute(obj(two=x("steps.two.output"), who=x("input.who")))),
    initial=obj(v="first"),
)

SCENARIOS = (
    Scenario(
        "who has failed is retried from where it failed",
        (flow(task("one", k({}), to("two")), task("two", obj(one=x("steps.one.output")))),),
        answers=(
            Answers("one", (Returns("done once"), Returns("done twice"))),
            Answers("two", (Raises("not yet", "NOT_YET"), Raises("nor now", "NOT_YET"), Returns("at last"))),
        ),
        acts=(Act(Seen("execution.failed"), Retry()), Act(Seen("execution.failed", nth=2), Retry(by="bob"))),
        ends={"main": End(output="at last")},
        restate=True,
    ),
    Scenario(
        "a retry begins to count attempts anew",
        (flow(task("one", retry=tries(2))),),
        answers=(Answers("one", (Raises(), Raises(), Raises(), Returns("fourth"))),),
        acts=(Act(Seen("execution.failed"), Retry()),),
        ends={"main": End(output="fourth")},
    ),
    Scenario(
        "a retry waits anew for what it waited for",
        (
            flow(
                step("split", Compute(), to("wait", "work")),
                step("wait", EventWait(k("go")), to("end")),
                task("work", k({}), to("end")),
                step("end", Compute(obj(wait=x("steps.wait.output"), work=x("steps.work.output")))),
            ),
        ),
        answers=(Answers("work", (Raises("no", "NO"), Returns("yes"))),),
        acts=(
            Act(Seen("execution.failed"), Retry()),
            Act(Seen("wait.opened", nth=2), Publish("go", "go", "went")),
        ),
        ends={"main": End(output={"wait": "went", "work": "yes"})},
    ),
    Scenario(
        "a child that would retry itself is cancelled before",
        (
            flow(step("ask", Child(k("child"), retries_max=2))),
            flow(task("work"), name="child"),
        ),
        answers=(Answers("work", (Raises("not now", "NOT_NOW"),)),),
        acts=(Act(Seen("execution.retrying", of="main/ask"), Cancel()),),
        ends={"main": End("cancelled"), "main/ask": End("cancelled")},
    ),
    Scenario(
        "a fork goes on from a step, with another output before it",
        (ADDED,),
        {"who": "ann"},
        (Answers("one", (Returns(1),)),),
        acts=(Act(Seen("execution.completed"), Fork("two", {"one": 10}, {"v": "second"})),),
        ends={
            "main": End(output={"two": {"one": 1, "v": "first"}, "who": "ann"}),
            "main*": End(output={"two": {"one": 10, "v": "second"}, "who": "ann"}),
        },
    ),
    Scenario(
        "a fork of what has failed goes on with another input",
        (flow(task("one", k({}), to("two")), task("two", obj(who=x("input.who")))),),
        {"who": "nobody"},
        (Answers("two", (Raises("there is nobody", "NOBODY"),), given={"who": "nobody"}),),
        acts=(Act(Seen("execution.failed"), Fork("two", input={"who": "bob"})),),
        ends={"main": End("failed", code="NOBODY"), "main*": End(output={"who": "bob"})},
    ),
    Scenario(
        "what has ended is run again",
        (ADDED,),
        {"who": "ann"},
        (Answers("one", (Returns(1),)),),
        acts=(Act(Seen("execution.completed"), Rerun()),),
        ends={name: End(output={"two": {"one": 1, "v": "first"}, "who": "ann"}) for name in ("main", "main*")},
    ),
    Scenario(
        "an execution that takes too long fails",
        (flow(step("wait", Timer(k(60_000))), deadline_ms=8),),
        ends={"main": End("failed", code="TIMEOUT")},
    ),
    Scenario(
        "the deadline stands still while somebody is asked",
        (
            flow(
                step("ask", Approval(k("?")), to("wait")),
                step("wait", Timer(SOON), to("end")),
                step("end", Compute(k("in time"))),
                deadline_ms=2_000,
                deadline_pauses=True,
            ),
        ),
        acts=(Act(Seen("deadline.moved"), Decide("ask")),),
        ends={"main": End(output="in time")},
    ),
    Scenario(
        "who took too long is given as much time again",
        (flow(step("wait", Timer(k(60_000))), deadline_ms=8),),
        acts=(
            Act(Seen("execution.failed"), Retry()),
            Act(Seen("execution.failed", nth=2), Publish("over", "over")),
        ),
        ends={"main": End("failed", code="TIMEOUT")},
    ),
)
