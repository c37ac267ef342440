"""Semantics §1 Loop; seed 000 §4."""

from __future__ import annotations

from typing import Literal

from lowered.base import Happening, Lowered, arr, obj, x
from lowered.checks import Check, calls, ended_after, every, facts, outcome, variables
from lowered.outside import answer
from lowered.ports.words import LOOK, action, loop, on, step, workflow
from perdure.core import facts as f
from perdure.model.steps import Approval, Condition, Route, SetVariables
from perdure.model.values import EMPTY, Json
from perdure.store import port as s
from perdure.testing.script import Fixed
from perdure.testing.world import World


def state(current: int, total: int, ticks: int, *, complete: bool = False) -> Json:
    return {
        "currentIndex": current,
        "totalItems": total,
        "iterations": ticks,
        "batchesProcessed": ticks,
        "isComplete": complete,
    }


def batch(index: int, start: int, items: list[Json]) -> Json:
    return {"index": index, "size": len(items), "items": items, "startIndex": start, "endIndex": start + len(items) - 1}


def opened(*rounds: list[Json]) -> Check:
    """The loop was entered so often from outside, with these items."""

    def check(world: World) -> None:
        assert [fact.items for fact in facts(world, f.LoopOpened)] == list(rounds)

    return check


def ticked(*starts: int) -> Check:
    def check(world: World) -> None:
        assert [fact.start for fact in facts(world, f.LoopTicked)] == list(starts)

    return check


def _self_tick(name: str, items: int, *routes: Route) -> Lowered:
    return Lowered(
        name=f"ports-{name}",
        seed="seed 000 §7 special loop routing; semantics §1 Loop: absent or naming itself is a self tick",
        workflow=workflow(
            name, loop("each", x("input.items"), *routes, on("done", "after")), action("after", "after", LOOK)
        ),
        input={"items": list(range(items))},
        output={"state": state(items, items, items, complete=True), "batch": None},
        runs={"each": items + 1, "after": 1},
        check=ticked(*range(items)),
    )


NESTED = workflow(
    "nested",
    loop("outer", x("input.groups"), on("loop", "inner"), on("done", "after")),
    loop("inner", x("loop.item.members"), on("loop", "body"), on("done", "between")),
    action(
        "body",
        "body",
        obj(
            item=x("loop.item"),
            owner=x("loop.owner"),
            group=x("loop.parent.item.id"),
            parentOwner=x("loop.parent.owner"),
            place=arr(x("loop.parent.index"), x("loop.index")),
        ),
        on("success", "inner"),
    ),
    action(
        "between",
        "between",
        obj(
            owner=x("loop.owner"),
            group=x("loop.item.id"),
            done=x("loop.state.isComplete"),
            parent=x("loop.parent"),
            inner=x("last.output.state.totalItems"),
        ),
        on("success", "outer"),
    ),
    action("after", "after", obj(owner=x("loop.owner"), state=x("loop.state"), parent=x("loop.parent"))),
)


def _in_group(group: str, outer: int, index: int, item: int) -> Json:
    return {"item": item, "owner": "inner", "group": group, "parentOwner": "outer", "place": [outer, index]}


def _after_group(group: str, members: int) -> Json:
    return {"owner": "outer", "group": group, "done": False, "inner": members}


def _decide_open(world: World, decision: Literal["approve", "reject"]) -> s.Outcome:
    (approval,) = [approval for approval in world.store.approvals.values() if approval.status == "pending"]
    return world.store.commit([s.Decide(approval.id, world.now, "ann", decision)])[0]


def _each_asked(world: World) -> None:
    assert [(approval.request["submittedData"], approval.status) for approval in world.store.approvals.values()] == [
        ("a", "approved"),
        ("b", "rejected"),
        ("c", "approved"),
    ]


LOOPS = (
    Lowered(
        name="ports-loop-batches",
        seed="seed 000 §4, §11; semantics §1 Loop: n batches are n `loop` ticks and one `done`; 3 batches are within 3",
        workflow=workflow(
            "batches",
            loop("each", x("input.items"), on("loop", "body"), on("done", "after"), batch_size=2, iterations_max=3),
            action("body", "body", LOOK, on("success", "each"), assign=obj(output=x("steps.each.output"))),
            action("after", "after", obj(loop=LOOK, items=x("loop.items"), output=x("last.output"))),
        ),
        input={"items": ["a", "b", "c", "d", "e"]},
        output={
            "loop": {"state": state(5, 5, 3, complete=True), "batch": None},
            "items": ["a", "b", "c", "d", "e"],
            "output": {"state": state(5, 5, 3, complete=True), "batch": None},
        },
        runs={"each": 4, "body": 3, "after": 1},
        check=every(
            calls(
                "body",
                {"state": state(0, 5, 0), "batch": batch(0, 0, ["a", "b"])},
                {"state": state(2, 5, 1), "batch": batch(1, 2, ["c", "d"])},
                {"state": state(4, 5, 2), "batch": batch(2, 4, ["e"])},
            ),
            variables(output={"state": state(4, 5, 2), "batch": batch(2, 4, ["e"])}),
            outcome("each", port="done"),
        ),
    ),
    Lowered(
        name="ports-loop-of-many-items",
        seed="semantics §1 Loop; architecture 4: items are stored once, in chunks; a batch may lie in two of them",
        workflow=workflow(
            "many",
            loop("each", x("input.items"), on("loop", "body"), on("done"), batch_size=400),
            action(
                "body",
                "body",
                obj(
                    first=x("loop.batch.items[0]"),
                    last=x("loop.batch.items.at(-1)"),
                    count=x("loop.batch.items.length"),
                ),
                on("success", "each"),
            ),
        ),
        input={"items": list(range(1_500))},
        output={"state": state(1_500, 1_500, 4, complete=True), "batch": None},
        runs={"each": 5, "body": 4},
        check=calls(
            "body",
            {"first": 0, "last": 399, "count": 400},
            {"first": 400, "last": 799, "count": 400},
            {"first": 800, "last": 1_199, "count": 400},
            {"first": 1_200, "last": 1_499, "count": 300},
        ),
    ),
    Lowered(
        name="ports-loop-items",
        seed="seed 000 §4 item and index when batchSize is 1; semantics §1 Loop: output.data = {state, batch, item?}",
        workflow=workflow(
            "items",
            loop("each", x("input.items"), on("loop", "body"), on("done")),
            action("body", "body", obj(loop=LOOK, item=x("last.output.item")), on("success", "each")),
        ),
        input={"items": [{"id": 1}, None]},
        output={"state": state(2, 2, 2, complete=True), "batch": None},
        runs={"each": 3, "body": 2},
        check=calls(
            "body",
            {
                "loop": {"state": state(0, 2, 0), "batch": batch(0, 0, [{"id": 1}]), "item": {"id": 1}, "index": 0},
                "item": {"id": 1},
            },
            {"loop": {"state": state(1, 2, 1), "batch": batch(1, 1, [None]), "item": None, "index": 1}, "item": None},
        ),
    ),
    _self_tick("loop-self-tick", 3),
    # More ticks than one transition makes.
    _self_tick("loop-self-tick-by-name", 300, on("loop", "each")),
    Lowered(
        name="ports-loop-empty",
        seed="semantics §1 Loop: empty → done at once",
        workflow=workflow(
            "empty",
            loop("each", x("input.items"), on("loop", "body"), on("done", "after")),
            action("body", "body", EMPTY, on("success", "each")),
            action("after", "after", LOOK),
        ),
        input={"items": []},
        output={"state": state(0, 0, 0, complete=True), "batch": None},
        runs={"each": 1, "after": 1},
        check=every(ticked(), ended_after(10)),
    ),
    Lowered(
        name="ports-loop-nested",
        seed="semantics §1 Loop: loop.parent, loop.ownerStepSlug; after an inner done the loop is the parent again",
        workflow=NESTED,
        input={"groups": [{"id": "a", "members": [1, 2]}, {"id": "b", "members": []}, {"id": "c", "members": [3]}]},
        output={"owner": "outer", "state": state(3, 3, 3, complete=True)},
        runs={"outer": 4, "inner": 6, "body": 3, "between": 3, "after": 1},
        check=every(
            calls("body", _in_group("a", 0, 0, 1), _in_group("a", 0, 1, 2), _in_group("c", 2, 0, 3)),
            calls("between", _after_group("a", 2), _after_group("b", 0), _after_group("c", 1)),
        ),
    ),
    Lowered(
        name="ports-loop-pagination",
        seed="semantics §1 Loop: a completed loop entered again starts anew (pagination)",
        workflow=workflow(
            "pages",
            action("fetch", "fetch", obj(after=x("steps.fetch.output.next")), on("success", "each")),
            loop("each", x("last.output.items"), on("loop", "body"), on("done", "more")),
            action("body", "body", obj(parent=x("loop.parent"), at=LOOK), on("success", "each")),
            step("more", Condition(x("steps.fetch.output.next != null")), on("true", "fetch"), on("false")),
        ),
        script=Fixed(
            {
                "fetch": [
                    answer({"items": [1, 2], "next": "p2"}),
                    answer({"items": [3], "next": None}),
                ]
            }
        ),
        output=False,
        runs={"fetch": 2, "each": 5, "body": 3, "more": 2},
        check=every(
            opened([1, 2], [3]),
            calls("fetch", {}, {"after": "p2"}),
            calls(
                "body",
                {"at": {"state": state(0, 2, 0), "batch": batch(0, 0, [1]), "item": 1, "index": 0}},
                {"at": {"state": state(1, 2, 1), "batch": batch(1, 1, [2]), "item": 2, "index": 1}},
                {"at": {"state": state(0, 1, 0), "batch": batch(0, 0, [3]), "item": 3, "index": 0}},
            ),
        ),
    ),
    Lowered(
        name="ports-loop-items-are-evaluated-once",
        seed="semantics §1 Loop: items are evaluated once per entry, whatever the body does to where they came from",
        workflow=workflow(
            "once",
            loop("each", x("vars.queue"), on("loop", "grow"), on("done", "after")),
            step("grow", SetVariables((("queue", x("[...vars.queue, loop.item]")),)), on("success", "each")),
            action("after", "after", obj(queue=x("vars.queue"))),
            initial=obj(queue=x("input.queue")),
        ),
        input={"queue": ["a", "b"]},
        output={"queue": ["a", "b", "a", "b"]},
        runs={"each": 3, "grow": 2, "after": 1},
        check=opened(["a", "b"]),
    ),
    Lowered(
        name="ports-loop-of-approvals",
        seed="semantics §1 Loop, Approval: each tick asks anew, and each is decided by itself",
        workflow=workflow(
            "asking",
            loop("each", x("input.items"), on("loop", "review"), on("done", "after")),
            step("review", Approval(obj(submittedData=x("loop.item"))), on("approved", "each"), on("rejected", "note")),
            action("note", "note", obj(item=x("loop.item")), on("success", "each")),
            action("after", "after", obj(index=x("loop.state.currentIndex"))),
        ),
        input={"items": ["a", "b", "c"]},
        script=Fixed(approvals={"review": None}),
        happenings=(
            Happening(1_000, lambda world: _decide_open(world, "approve")),
            Happening(2_000, lambda world: _decide_open(world, "reject")),
            Happening(3_000, lambda world: _decide_open(world, "approve")),
        ),
        output={"index": 3},
        runs={"each": 4, "review": 3, "note": 1, "after": 1},
        check=every(_each_asked, calls("note", {"item": "b"})),
    ),
)
