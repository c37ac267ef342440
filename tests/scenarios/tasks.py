"""Tasks: tried again, given up, timed out, in parts, paid for."""

from __future__ import annotations

from perdure.model.failure import Category
from perdure.model.steps import Compute
from scenarios.scenario import Answers, End, Hangs, Raises, Returns, Scenario
from scenarios.words import flow, k, obj, on_error, step, task, to, tries, x

SCENARIOS = (
    Scenario(
        "a failed task is tried again",
        (flow(task("charge", obj(amount=x("input.amount")), retry=tries(3))),),
        {"amount": 10},
        (Answers("charge", (Raises("declined", "DECLINED"), Raises(), Returns({"paid": 10}))),),
        ends={"main": End(output={"paid": 10})},
        restate=True,
    ),
    Scenario(
        "a task is given up after its last attempt",
        (flow(task("charge", retry=tries(3)), task("never")),),
        answers=(Answers("charge", (Raises("declined", "DECLINED"),)),),
        ends={"main": End("failed", code="DECLINED")},
    ),
    Scenario(
        "what may never be retried is not",
        (flow(task("charge", retry=tries(3, never=("STOLEN",)))),),
        answers=(Answers("charge", (Raises("declined", "DECLINED"), Raises("stolen card", "STOLEN"))),),
        ends={"main": End("failed", code="STOLEN")},
    ),
    Scenario(
        "only what may be retried is",
        (flow(task("charge", retry=tries(5, only=("TIMEOUT", "BUSY")))),),
        answers=(
            Answers(
                "charge",
                (Raises("busy", "BUSY"), Raises("late", category=Category.TIMEOUT), Raises("declined", "DECLINED")),
            ),
        ),
        ends={"main": End("failed", code="DECLINED")},
    ),
    Scenario(
        "a task that says that trying again is of no use is not tried again",
        (flow(task("charge", retry=tries(3))),),
        answers=(Answers("charge", (Raises("no such card", "NO_CARD", Category.BUSINESS, retriable=False),)),),
        ends={"main": End("failed", code="NO_CARD")},
    ),
    Scenario(
        "a task that asks for time is given it",
        (flow(task("ask", retry=tries(2, delay_ms=0))),),
        answers=(Answers("ask", (Raises("too many", "429", retry_after_ms=12), Returns("now"))),),
        ends={"main": End(output="now")},
    ),
    Scenario(
        "an attempt that takes too long is given up and made again",
        (flow(task("slow", timeout_ms=8, retry=tries(2))),),
        answers=(Answers("slow", (Hangs(), Returns("in time"))),),
        ends={"main": End(output="in time")},
        restate=True,
    ),
    Scenario(
        "a task that always takes too long leads to the route for that",
        (
            flow(
                task("slow", timeout_ms=5, on_error=on_error("late", of="TIMEOUT")),
                step("late", Compute(k("too late"))),
            ),
        ),
        answers=(Answers("slow", (Hangs(),)),),
        ends={"main": End(output="too late")},
    ),
    Scenario(
        "parts of a task that are done are not done again",
        (flow(task("import", retry=tries(3))),),
        answers=(
            Answers(
                "import",
                (
                    Raises("lost the line", parts=(("page", [1, 2]),)),
                    Raises("lost it again", parts=(("page", "not done again"), ("page", [3]), ("total", 3))),
                    Returns("all", parts=(("page", None), ("page", None), ("total", None))),
                ),
            ),
        ),
        ends={"main": End(output="all")},
        restate=True,
    ),
    Scenario(
        "a failure is handled by its code before its category",
        (
            flow(
                task("charge", on_error=(to("declined", port="DECLINED"), to("other", port="error"))),
                step("declined", Compute(x("steps.charge.error.message"))),
                step("other", Compute(k("not here"))),
            ),
        ),
        answers=(Answers("charge", (Raises("card declined", "DECLINED"),)),),
        ends={"main": End(output="card declined")},
    ),
    Scenario(
        "a task answers on a port of its own",
        (
            flow(
                task("sort", k({}), to("big", port="big"), to("small")),
                step("big", Compute(obj(got=x("steps.sort.output"), meta=x("steps.sort.meta")))),
                step("small", Compute()),
            ),
        ),
        answers=(Answers("sort", (Returns(7, port="big", meta={"scale": "kg"}),)),),
        ends={"main": End(output={"got": 7, "meta": {"scale": "kg"}})},
    ),
    Scenario(
        "a task that the budget has no room for is not called",
        (
            flow(
                step("both", Compute(), to("first", "second")),
                task("first", reserve=(("tokens", 60),)),
                task("second", reserve=(("tokens", 60),), on_error=on_error("poor", of="BUDGET")),
                step("poor", Compute()),
                budget=(("tokens", 100),),
                output=k("done"),
            ),
        ),
        answers=(Answers("first", (Returns(after_ms=5),)),),
        ends={"main": End(output="done")},
    ),
    Scenario(
        "a step spends no more than its own budget",
        (flow(task("think", reserve=(("tokens", 5),), budget=(("tokens", 3),))),),
        ends={"main": End("failed", code="BUDGET")},
    ),
    Scenario(
        "what is undefined in an input is warned of",
        (flow(task("ask", obj(name=x("input.nobody"), also=x("input.who")), warn_undefined=True)),),
        {"who": "ann"},
        ends={"main": End(output={"also": "ann"})},
    ),
)
