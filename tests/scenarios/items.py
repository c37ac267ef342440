"""forEach: an item is an operation of its own, so many at a time."""

from __future__ import annotations

from typing import Any

from perdure.model.steps import Approval, Child, Compute, EventWait, ForEach, Step, Timer
from scenarios.scenario import Act, Answers, Decide, End, Hangs, Publish, Raises, Retry, Returns, Scenario, Seen
from scenarios.words import flow, k, obj, on_error, step, task, to, tries, x


def each(**more: Any) -> ForEach:
    return ForEach(x("input"), **more)


WORK = obj(item=x("item"), index=x("index"))


def work(*routes: Any, **more: Any) -> Step:
    of_each = {name: more.pop(name) for name in ("concurrency", "items_max", "on_error", "in_flight") if name in more}
    return task("work", obj(n=x("item")), *routes, each=each(**of_each), **more)


BAD = Answers("work", (Raises("not two", "TWO", retriable=False),), given={"n": 2})

SCENARIOS = (
    Scenario(
        "a step for each item, one after the other",
        (flow(task("work", WORK, each=each())),),
        ["a", "b", "c"],
        ends={"main": End(output=[{"item": item, "index": n} for n, item in enumerate("abc")])},
    ),
    Scenario(
        "a step for each item, three at a time",
        (
            flow(
                task("work", WORK, to("count"), each=each(concurrency=3)),
                step("count", Compute(x("last.output.length"))),
            ),
        ),
        list(range(7)),
        (Answers("work", (Returns(after_ms=2),)),),
        ends={"main": End(output=7)},
        restate=True,
    ),
    Scenario("a step for each of no items", (flow(work()),), [], ends={"main": End(output=[])}),
    Scenario(
        "each item has attempts of its own",
        (flow(work(concurrency=2, retry=tries(3))),),
        [1, 2],
        (Answers("work", (Raises(), Raises(), Returns("at last")), given={"n": 2}),),
        ends={"main": End(output=[{"n": 1}, "at last"])},
    ),
    Scenario(
        "an item that fails is null, and the others go on",
        (flow(work(on_error="continue", concurrency=2)),),
        [1, 2, 3],
        (BAD,),
        ends={"main": End(output=[{"n": 1}, None, {"n": 3}])},
    ),
    Scenario(
        "an item that fails stops the others that have not begun",
        (flow(work()),),
        [1, 2, 3],
        (BAD,),
        ends={"main": End("failed", code="TWO")},
    ),
    Scenario(
        "an item that fails waits for those in flight",
        (flow(work(concurrency=2)),),
        [1, 2, 3],
        (BAD, Answers("work", (Returns("late", after_ms=15),), given={"n": 1})),
        ends={"main": End("failed", code="TWO")},
    ),
    Scenario(
        "an item that fails abandons those in flight",
        (flow(work(concurrency=2, in_flight="abandon")),),
        [1, 2, 3],
        (BAD, Answers("work", (Hangs(),), given={"n": 1})),
        ends={"main": End("failed", code="TWO")},
    ),
    Scenario(
        "a retry makes the items that are missing, and no others",
        (flow(work()),),
        [1, 2, 3],
        (Answers("work", (Raises("not yet", "NOT_YET"), Returns("now")), given={"n": 2}),),
        acts=(Act(Seen("execution.failed"), Retry()),),
        ends={"main": End(output=[{"n": 1}, "now", {"n": 3}])},
    ),
    Scenario(
        "more items than a step may have",
        (flow(work(items_max=2)),),
        [1, 2, 3],
        ends={"main": End("failed", code="LIMIT")},
    ),
    Scenario(
        "a step for each of what is no array, and that is handled",
        (
            flow(
                task("work", each=each(), on_error=on_error("told")), step("told", Compute(x("steps.work.error.code")))
            ),
        ),
        "text",
        ends={"main": End(output="NOT_AN_ARRAY")},
    ),
    Scenario(
        "a timer for each item",
        (flow(step("wait", Timer(x("item")), each=each(concurrency=3))),),
        [2, 4, 3],
        ends={"main": End(output=[{"slept": True, "ms": ms} for ms in (2, 4, 3)])},
    ),
    Scenario(
        "an approval for each item",
        (
            flow(
                step("ask", Approval(obj(what=x("item"))), to("show"), each=each(concurrency=2)),
                step("show", Compute(x("steps.ask.output.map(each => each.decision)"))),
            ),
        ),
        ["cake", "wine"],
        acts=(
            Act(Seen("approval.opened", "ask", nth=2), Decide("ask", "reject", item=1)),
            Act(Seen("item.completed", "ask"), Decide("ask", item=0)),
        ),
        ends={"main": End(output=["approve", "reject"])},
    ),
    Scenario(
        "an event for each item",
        (flow(step("wait", EventWait(x("'paid.' + item")), each=each(concurrency=2))),),
        ["a", "b"],
        acts=(
            Act(Seen("wait.opened", "wait", nth=2), Publish("paid.b", "second", 2)),
            Act(Seen("item.completed", "wait"), Publish("paid.a", "first", 1)),
        ),
        ends={"main": End(output=[1, 2])},
    ),
    Scenario(
        "a child for each item",
        (
            flow(step("ask", Child(k("child"), obj(n=x("item"))), each=each(concurrency=2, on_error="continue"))),
            flow(task("do", x("input")), name="child"),
        ),
        [1, 2, 3],
        (Answers("do", (Raises("two", "TWO", retriable=False),), given={"n": 2}),),
        ends={
            "main": End(output=[{"n": 1}, None, {"n": 3}]),
            "main/ask[0]": End(),
            "main/ask[1]": End("failed", code="TWO"),
            "main/ask[2]": End(),
        },
    ),
    Scenario(
        "many items, with turns for others between",
        (flow(step("wait", Timer(k(0)), to("count"), each=each()), step("count", Compute(x("last.output.length")))),),
        list(range(400)),
        ends={"main": End(output=400)},
    ),
)
