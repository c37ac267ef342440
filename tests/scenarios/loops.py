"""Loops and cycles: batch by batch, nested, left early, entered again, without end."""

from __future__ import annotations

from typing import Any

from perdure.model.steps import Compute, Condition, Loop, SetVariables, Step
from perdure.model.values import Value
from scenarios.scenario import Answers, End, Raises, Returns, Scenario
from scenarios.words import flow, k, obj, on_error, step, task, to, x


def loop(id_: str, items: Value, body: str, done: str | None = None, **more: Any) -> Step:
    ways = (to(body, port="loop"), *((to(done, port="done"),) if done else ()))
    return step(id_, Loop(items, **more), *ways)


def collect(id_: str, value: str, *then: str) -> Step:
    """Appends to the variable `all`."""
    return step(id_, SetVariables((("all", x(f"[...(vars.all || []), {value}]")),)), to(*then))


SHOW = step("show", Compute(x("vars.all || []")))

SCENARIOS = (
    Scenario(
        "a loop hands out its items one by one",
        (
            flow(
                loop("loop", x("input"), "work", "show"),
                task("work", obj(item=x("loop.item"), index=x("loop.index")), to("note")),
                collect("note", "last.output", "loop"),
                SHOW,
            ),
        ),
        ["a", "b", "c"],
        ends={"main": End(output=[{"item": item, "index": n} for n, item in enumerate("abc")])},
        restate=True,
    ),
    Scenario(
        "an empty loop is done at once",
        (flow(loop("loop", x("input"), "work", "show"), task("work", k({}), to("loop")), SHOW),),
        [],
        ends={"main": End(output=[])},
    ),
    Scenario(
        "a loop hands out its items in batches",
        (
            flow(
                loop("loop", x("input"), "note", "show", batch_size=2),
                collect("note", "loop.batch.items", "loop"),
                SHOW,
            ),
        ),
        [1, 2, 3, 4, 5],
        ends={"main": End(output=[[1, 2], [3, 4], [5]])},
    ),
    Scenario(
        "a loop inside a loop",
        (
            flow(
                loop("rows", x("input"), "cells", "show"),
                loop("cells", x("loop.item"), "work", "rows"),
                task("work", obj(cell=x("loop.item"), row=x("loop.parent.index")), to("note")),
                collect("note", "last.output.cell", "cells"),
                SHOW,
            ),
        ),
        [[1, 2], [], [3]],
        ends={"main": End(output=[1, 2, 3])},
    ),
    Scenario(
        "a loop is left before it is done",
        (
            flow(
                loop("loop", x("input"), "found", "show"),
                step("found", Condition(x("loop.item == 'b'")), to("out", port="true"), to("loop", port="false")),
                collect("out", "loop.item", "show"),
                SHOW,
            ),
        ),
        ["a", "b", "c"],
        ends={"main": End(output=["b"])},
    ),
    Scenario(
        "the outer loop goes on when the inner one is left",
        (
            flow(
                loop("rows", x("input"), "cells", "show"),
                loop("cells", x("loop.item"), "note", "rows"),
                collect("note", "loop.item", "rows"),
                SHOW,
            ),
        ),
        [[1, 2], [3, 4]],
        ends={"main": End(output=[1, 3])},
    ),
    Scenario(
        "a loop goes on after a failure in its body",
        (
            flow(
                loop("loop", x("input"), "work", "show", continue_on_error=True),
                task("work", obj(n=x("loop.item")), to("note")),
                collect("note", "loop.item", "loop"),
                step("show", Compute(obj(all=x("vars.all"), errors=x("steps.loop.meta.errors.length")))),
            ),
        ),
        [1, 2, 3],
        (Answers("work", (Raises("two is odd"),), given={"n": 2}),),
        ends={"main": End(output={"all": [1, 3], "errors": 1})},
    ),
    Scenario(
        "a loop with more batches than it may have fails",
        (flow(loop("loop", x("input"), "loop", iterations_max=2)),),
        [1, 2, 3],
        ends={"main": End("failed", code="LIMIT")},
    ),
    Scenario(
        "a loop over what is no array fails, and that is handled",
        (
            flow(
                step("loop", Loop(x("input")), to("loop", port="loop"), on_error=on_error("told")),
                step("told", Compute(x("steps.loop.error.code"))),
            ),
        ),
        {"no": "array"},
        ends={"main": End(output="NOT_AN_ARRAY")},
    ),
    Scenario(
        "a loop that is done begins anew when it is entered again",
        (
            flow(
                task("page", obj(n=x("vars.page || 0")), to("loop", when=x("output.length > 0")), to("show")),
                loop("loop", x("steps.page.output"), "note", "turn"),
                collect("note", "loop.item", "loop"),
                step("turn", SetVariables((("page", x("(vars.page || 0) + 1")),)), to("page")),
                SHOW,
            ),
        ),
        answers=(
            Answers("page", (Returns(["a", "b"]),), given={"n": 0}),
            Answers("page", (Returns(["c"]),), given={"n": 1}),
            Answers("page", (Returns([]),), given={"n": 2}),
        ),
        ends={"main": End(output=["a", "b", "c"])},
    ),
    Scenario(
        "a step leads back to itself until it is content",
        (
            flow(
                task("poll", k({}), to("poll", when=x("output.ready != true")), to("end")),
                step("end", Compute(x("steps.poll.output.n"))),
            ),
        ),
        answers=(Answers("poll", (Returns({"n": 1}), Returns({"n": 2}), Returns({"n": 3, "ready": True}))),),
        ends={"main": End(output=3)},
    ),
    Scenario(
        "who runs in circles is stopped",
        (flow(step("a", Compute(), to("b")), step("b", Compute(), to("a")), steps_max=7),),
        ends={"main": End("failed", code="LIMIT")},
    ),
    Scenario(
        "many steps at a time, with turns for others between",
        (
            flow(
                step(
                    "count",
                    SetVariables((("n", x("(vars.n || 0) + 1")),)),
                    to("count", when=x("vars.n < 600")),
                    to("end"),
                ),
                step("end", Compute(x("vars.n"))),
            ),
        ),
        ends={"main": End(output=600)},
    ),
)
