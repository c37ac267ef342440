"""Semantics §1 Loop: what fails in a loop, and what a loop fails of."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lowered.base import HOUR, MINUTE, Happening, Lowered, main, obj, x
from lowered.checks import Check, calls, every, facts, failed_with, outcome, record, warned
from lowered.outside import answer, broken, retry
from lowered.ports.loops import opened, state, ticked
from lowered.ports.words import action, loop, on, step, trigger, workflow
from perdure.core import facts as f
from perdure.model.steps import Retry, Task
from perdure.model.values import EMPTY, Json
from perdure.testing.script import Fixed
from perdure.testing.world import World


def _fails_to_loop(name: str, seed: str, items: Json, error: str, code: str, **more: Any) -> Lowered:
    return Lowered(
        name=f"ports-{name}",
        seed=seed,
        workflow=workflow(
            name,
            trigger("start", on("success", "each")),
            loop("each", x("input.items"), on("loop", "body"), on("done", "after"), **more),
            action("body", "body", EMPTY, on("success", "each")),
            action("after", "after"),
        ),
        input={"items": items},
        status="failed",
        error=error,
        runs={"start": 1, "each": 1},
        check=every(failed_with(code, "each"), opened()),
    )


def _left_loops(count: int) -> Check:
    def check(world: World) -> None:
        assert sum(len(fact.scopes) for fact in facts(world, f.LoopsLeft)) == count

    return check


def _is_failed(world: World) -> None:
    assert record(world).status == "failed"
    assert main(world).failed_steps == ("risky",)


LOOP_ERRORS = (
    _fails_to_loop(
        "loop-not-an-array", "semantics §1 Loop: non-array → failure", {"0": "a"}, "must be an array", "NOT_AN_ARRAY"
    ),
    _fails_to_loop(
        "loop-over-its-limit",
        "semantics §1 Loop: maxIterations counts batches and is checked at entry; §0 Limits: names limit and value",
        [1, 2, 3, 4, 5],
        "has 3 batches, its limit is 2",
        "LIMIT",
        batch_size=2,
        iterations_max=2,
    ),
    Lowered(
        name="ports-loop-continues-on-error",
        seed="semantics §1 Loop: continueOnError: a failing body step ends that tick, its error goes to output.meta.errors",
        workflow=workflow(
            "continue",
            loop("each", x("input.items"), on("loop", "risky"), on("done", "after"), continue_on_error=True),
            action("risky", "risky", obj(item=x("loop.item")), on("success", "keep")),
            action("keep", "keep", obj(item=x("loop.item")), on("success", "each")),
            action(
                "after", "after", obj(first=x("steps.each.meta.errors[0].code"), count=x("last.meta.errors.length"))
            ),
        ),
        input={"items": [1, 2, 3, 4]},
        script=Fixed({"risky": [answer(1), broken("ODD"), answer(3), broken("ODDER")]}),
        output={"first": "ODD", "count": 2},
        runs={"each": 5, "risky": 4, "keep": 2, "after": 1},
        check=every(
            calls("keep", {"item": 1}, {"item": 3}),
            outcome("each", output={"state": state(4, 4, 4, complete=True)}, port="done"),
            warned(),
        ),
    ),
    Lowered(
        name="ports-loop-continues-after-an-error-in-an-inner-loop",
        seed="semantics §1 Loop: control returns to the loop that continues; an inner one is left and starts anew",
        workflow=workflow(
            "inner error",
            loop("outer", x("input.groups"), on("loop", "inner"), on("done", "after"), continue_on_error=True),
            loop("inner", x("loop.item"), on("loop", "risky"), on("done", "outer")),
            action("risky", "risky", obj(item=x("loop.item"), at=x("loop.index")), on("success", "inner")),
            action("after", "after", obj(errors=x("last.meta.errors.length"), owner=x("loop.owner"))),
        ),
        input={"groups": [["a", "b"], ["c", "d"]]},
        script=Fixed({"risky": [broken(), answer("fine")]}),
        output={"errors": 1, "owner": "outer"},
        runs={"outer": 3, "inner": 4, "risky": 3, "after": 1},
        check=every(
            calls("risky", {"item": "a", "at": 0}, {"item": "c", "at": 0}, {"item": "d", "at": 1}),
            _left_loops(1),
            opened([["a", "b"], ["c", "d"]], ["a", "b"], ["c", "d"]),
        ),
    ),
    Lowered(
        name="ports-loop-retried-where-it-failed",
        seed="semantics §0 Status: a retry continues from the failed step: in the same tick of the loop",
        # The second item fails for good, and once more after the retry; the third fails once.
        workflow=workflow(
            "retried loop",
            loop("each", x("input.items"), on("loop", "risky"), on("done")),
            step(
                "risky",
                Task("risky", obj(item=x("loop.item")), Retry(attempts_max=2, delay_ms=1_000, jitter=0)),
                on("success", "each"),
            ),
        ),
        input={"items": [1, 2, 3]},
        script=Fixed({"risky": [answer(1), broken(), broken(), answer("fine")]}),
        happenings=(Happening(MINUTE, _is_failed), Happening(HOUR, retry)),
        output={"state": state(3, 3, 3, complete=True), "batch": None},
        runs={"each": 4, "risky": 3},
        check=every(calls("risky", {"item": 1}, {"item": 2}, {"item": 3}), opened([1, 2, 3]), ticked(0, 1, 2)),
    ),
    Lowered(
        name="ports-loop-error-without-continue",
        seed="semantics §1 Errors: without continueOnError a failing body step fails the execution",
        workflow=workflow(
            "stops",
            loop("each", x("input.items"), on("loop", "risky"), on("done")),
            action("risky", "risky", obj(item=x("loop.item")), on("success", "each")),
        ),
        input={"items": [1, 2, 3]},
        script=Fixed({"risky": [answer(1), broken("ODD")]}),
        status="failed",
        error="ODD came back",
        runs={"each": 2, "risky": 2},
        check=failed_with("ODD", "risky"),
    ),
    # Only a failing step of the body ends a tick: a loop that took its own failure back would never come to rest.
    Lowered(
        name="ports-loop-that-fails-at-its-end",
        seed="semantics §1 Routing: strictPorts; Loop: continueOnError is for body steps, not for the loop itself",
        workflow=workflow(
            "strict loop",
            replace(loop("each", x("input.items"), on("loop", "body"), continue_on_error=True), unrouted="fail"),
            action("body", "body", EMPTY, on("success", "each")),
        ),
        input={"items": [1]},
        status="failed",
        error="'done'",
        check=failed_with("UNROUTED", "each"),
    ),
)
