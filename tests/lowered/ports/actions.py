"""Semantics §1 Action: workflow and event; budgets."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lowered.base import HOUR, T0, Happening, Lowered, k, main, obj, text, x
from lowered.checks import (
    Check,
    alone,
    calls,
    ended_after,
    every,
    failed_with,
    outcome,
    published,
    record,
    the_event,
    the_other,
)
from lowered.outside import answer, broken, cancel
from lowered.ports.words import action, on, step, workflow
from perdure.model.steps import Child, Publish, Route, Step, Task
from perdure.model.values import Json
from perdure.model.workflow import EventStart, Workflow
from perdure.testing.script import Fixed, TaskAnswer
from perdure.testing.summary import account
from perdure.testing.world import World

DOUBLE = workflow("Double", action("double", "double", obj(n=x("input.n * 2")), on(None)))
SLOW = workflow("Slow", action("nap", "nap", obj(n=x("input.n")), on(None)))


def _starts(child: str, *, wait: bool, **more: Any) -> Workflow:
    return workflow(
        "parent",
        step("sub", Child(k(child), obj(n=x("input.n")), wait=wait), on("success", "after"), **more),
        action("after", "after", obj(got=x("last.output"))),
        action("rescue", "rescue", obj(why=x("steps.sub.error.message"))),
    )


def _starts_nobody(name: str, *, wait: bool) -> Lowered:
    return Lowered(
        name=f"ports-{name}",
        seed="semantics §0 Versions: workflowId is an id, else a name; one that names nothing fails the step",
        workflow=_starts("Nobody", wait=wait),
        input={"n": 1},
        status="failed",
        error="'Nobody'",
        runs={"sub": 1},
        check=failed_with("UNKNOWN_WORKFLOW", "sub"),
    )


def _child_is(status: str, **parts: Json) -> Check:
    def check(world: World) -> None:
        found = the_other(world)
        assert (found.parent, found.trigger, found.depth, found.status) == ("main", "chain", 1, status)
        assert {name: getattr(found, name) for name in parts} == parts

    return check


def _not_waited_for(world: World) -> None:
    child = the_other(world)
    assert main(world).output == {"got": child.id}
    assert record(world).ended_at == T0 + 10
    assert child.ended_at == T0 + HOUR


SHIPPED = workflow("Shipped", action("note", "note", obj(id=x("input.id")), on(None)), starts=(EventStart("order.*"),))


def _shipped(world: World) -> None:
    event = the_event(world, "order.shipped")
    assert (event.source, event.correlation_id) == ("main", "c-1")
    found = account(world, the_other(world).id)
    assert (found.workflow, found.status, found.output) == ("Shipped", "completed", {"id": 7})


def _ask(slug: str, tokens: int, *routes: Route, **more: Any) -> Step:
    return step(slug, Task("llm", obj(prompt=slug), reserve=(("tokens", tokens),)), *routes, **more)


BUDGET = (
    _ask("first", 600, on("success", "second")),
    _ask("second", 600, on("success"), on_error=(on(None, "cheap"),)),
    _ask("cheap", 500, on("success")),
)
SPENT = {"first": TaskAnswer(output="long", usage=(("tokens", 500),)), "cheap": answer("short")}

ACTIONS = (
    Lowered(
        name="ports-child-waited-for",
        seed="semantics §1 Action workflow, wait: true; §0 Start: parent, depth, correlationId are handed on",
        workflow=_starts("Double", wait=True),
        others=(DOUBLE,),
        input={"n": 21},
        start={"correlation_id": "c-1"},
        output={"got": {"n": 42}},
        runs={"sub": 1, "after": 1},
        check=_child_is("completed", correlation_id="c-1", output={"n": 42}),
    ),
    Lowered(
        name="ports-child-not-waited-for",
        seed="semantics §1 Action workflow, wait: false: the output is the child's id, and it goes on by itself",
        workflow=_starts("Slow", wait=False),
        others=(SLOW,),
        input={"n": 1},
        script=Fixed({"nap": answer("rested", HOUR)}),
        runs={"sub": 1, "after": 1},
        check=every(_not_waited_for, _child_is("completed", output="rested")),
    ),
    Lowered(
        name="ports-child-fails",
        seed="semantics §1 Action workflow, Errors: its failure is the step's, and the error port takes it",
        workflow=_starts("Slow", wait=True, on_error=(on(None, "rescue"),)),
        others=(SLOW,),
        input={"n": 1},
        script=Fixed({"nap": broken("NIGHTMARE")}),
        runs={"sub": 1, "rescue": 1},
        check=every(_child_is("failed"), outcome("sub", status="failed", error={"code": "NIGHTMARE"})),
    ),
    _starts_nobody("child-unknown", wait=True),
    _starts_nobody("child-unknown-not-waited-for", wait=False),
    Lowered(
        name="ports-child-cancelled-with-its-parent",
        seed="semantics §1 Cancel: what it waits for is told",
        workflow=_starts("Slow", wait=True),
        others=(SLOW,),
        input={"n": 1},
        script=Fixed({"nap": answer("rested", HOUR)}),
        happenings=(Happening(1_000, cancel),),
        status="cancelled",
        runs={"sub": 1},
        check=every(_child_is("cancelled", ended_at=T0 + 1_000), ended_after(1_000)),
    ),
    Lowered(
        name="ports-child-too-deep",
        seed="semantics §0 Chains and depth: a called child beyond the limit, wait: true fails the calling step",
        workflow=_starts("Double", wait=True),
        others=(DOUBLE,),
        input={"n": 1},
        start={"depth": 10},
        status="failed",
        error="limit of 10",
        runs={"sub": 1},
        check=every(failed_with("DEPTH", "sub"), alone),
    ),
    Lowered(
        name="ports-event-published",
        seed="semantics §1 Action event; §0 Start: correlationId is inherited by what it starts",
        workflow=workflow(
            "publisher",
            step("tell", Publish(text("order.", x("input.what")), obj(id=x("input.id"))), on("success", "after")),
            action("after", "after", obj(type=x("last.output.type"))),
        ),
        others=(SHIPPED,),
        input={"what": "shipped", "id": 7},
        start={"correlation_id": "c-1"},
        output={"type": "order.shipped"},
        runs={"tell": 1, "after": 1},
        check=every(published("order.shipped", {"id": 7}), _shipped),
    ),
    # 1000 in all, 500 spent: 600 more might be too much, 500 cannot be.
    Lowered(
        name="ports-budget-error-port",
        seed="model: reserve and budget; semantics §1 Errors: over budget is a failure that the error port takes",
        workflow=workflow("budget", *BUDGET, budget=(("tokens", 1_000),)),
        script=Fixed({**SPENT}),
        output="short",
        runs={"first": 1, "second": 1, "cheap": 1},
        check=every(calls("second"), outcome("second", status="failed", error={"code": "BUDGET"})),
    ),
    Lowered(
        name="ports-budget-failure",
        seed="model: reserve and budget; without an error port the execution fails, before the call is made",
        workflow=workflow("budget", BUDGET[0], replace(BUDGET[1], on_error=()), budget=(("tokens", 1_000),)),
        script=Fixed({**SPENT}),
        status="failed",
        error="1000",
        runs={"first": 1, "second": 1},
        check=every(calls("second"), failed_with("BUDGET", "second")),
    ),
)
