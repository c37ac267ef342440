"""Loops: bodies, self ticks, batches, and what goes wrong in them."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import ABSENT
from run.ports.words import action, condition, echo, flow, loop, output, sets, step

BODY = {"loop": "work", "done": "after"}
LETTERS = ["a", "b", "c", "d", "e"]


def _state(current: int, total: int, ticks: int, *, complete: bool = False) -> dict[str, Any]:
    return {
        "currentIndex": current,
        "totalItems": total,
        "iterations": ticks,
        "batchesProcessed": ticks,
        "isComplete": complete,
    }


def _ticks(name: str, template: str, ticks: list[Any], given: Any, **config: Any) -> Case:
    """What a template comes to in the body, tick by tick."""
    document = flow(
        loop("{{input}}", BODY, **config),
        sets("work", "each", ticks="{{ticks.concat([" + template + "])}}"),
        echo("after", ticks="{{ticks}}"),
        variables={"ticks": []},
    )
    return Case(f"loop: {name}", document, given, output={"ticks": ticks})


def _fails(name: str, items: Any, *says: str, given: Any = None, **config: Any) -> Case:
    document = flow(loop(items, BODY, **config), echo("work", "each"), echo("after"))
    return Case(f"loop: {name}", document, given, exit=1, ran=(), says=("each", *says))


LOOPS: tuple[Case, ...] = (
    _ticks("each item", "loop.item", ["a", "b", "c"], LETTERS[:3]),
    _ticks("each index", "loop.index", [0, 1, 2], LETTERS[:3]),
    _ticks("the state of each tick", "loop.state", [_state(0, 2, 0), _state(1, 2, 1)], LETTERS[:2]),
    _ticks("all the items", "loop.items.length", [2, 2], LETTERS[:2]),
    _ticks(
        "a batch of one", "loop.batch", [{"index": 0, "size": 1, "items": ["a"], "startIndex": 0, "endIndex": 0}], ["a"]
    ),
    _ticks(
        "batches",
        "loop.batch",
        [
            {"index": 0, "size": 2, "items": ["a", "b"], "startIndex": 0, "endIndex": 1},
            {"index": 1, "size": 2, "items": ["c", "d"], "startIndex": 2, "endIndex": 3},
            {"index": 2, "size": 1, "items": ["e"], "startIndex": 4, "endIndex": 4},
        ],
        LETTERS,
        batchSize=2,
    ),
    _ticks("the state of batches", "loop.state", [_state(0, 3, 0), _state(2, 3, 1)], LETTERS[:3], batchSize=2),
    _ticks("no item in batches of more", "loop.item ?? 'none'", ["none"], LETTERS[:2], batchSize=2),
    _ticks("a batch that is larger than all", "loop.batch.items", [["a", "b"]], LETTERS[:2], batchSize=10),
    _ticks("who owns it", "loop.ownerStepSlug", ["each"], ["a"]),
    _ticks("nothing above it", "loop.parent ?? 'nothing'", ["nothing"], ["a"]),
    _ticks("by the output of the loop", "steps.each.output.data.item", ["a", "b"], LETTERS[:2]),
    _ticks("a bare name finds it in the last output", "item", ["a", "b"], LETTERS[:2]),
    _ticks("itemVariable", "product.name", ["x", "y"], [{"name": "x"}, {"name": "y"}], itemVariable="product"),
    _ticks("indexVariable", "position", [0, 1], LETTERS[:2], indexVariable="position"),
    _ticks("loop.item stays beside itemVariable", "loop.item", ["a"], ["a"], itemVariable="letter"),
    _ticks("items that are null", "loop.item", [None, 1], [None, 1]),
    _ticks("empty: no tick of the body", "loop.item", [], []),
    _ticks("as many as maxIterations", "loop.item", ["a", "b"], LETTERS[:2], maxIterations=2),
    _ticks("maxIterations counts batches", "loop.batch.size", [2, 2], LETTERS[:4], maxIterations=2, batchSize=2),
    Case(
        "loop: the end of it",
        flow(loop(LETTERS, BODY, batchSize=2), echo("work", "each"), echo("after", loop="{{loop}}")),
        ran=("each", "work", "after"),
        view={
            "variables.loop.state": _state(5, 5, 3, complete=True),
            "variables.loop.items": LETTERS,
            "variables.loop.batch": ABSENT,
            "variables.steps.each.output": {
                "type": "loop",
                "data": {"state": _state(5, 5, 3, complete=True), "batch": None},
            },
        },
    ),
    Case(
        "loop: batch is null at the end",
        flow(
            loop(["a"], BODY),
            echo("work", "each"),
            echo("after", batch="{{loop.batch}}", done="{{loop.state.isComplete}}"),
        ),
        output={"batch": None, "done": True},
    ),
    Case(
        "loop: empty is done at once",
        flow(loop([], BODY), echo("work", "each"), echo("after")),
        ran=("each", "after"),
        view={"variables.loop.state": _state(0, 0, 0, complete=True), "variables.steps.each.output.data.batch": None},
    ),
    Case(
        "loop: without a body it ticks by itself",
        flow(loop("{{input}}", {"done": "after"}), echo("after", n="{{loop.state.iterations}}")),
        LETTERS,
        output={"n": 5},
    ),
    Case(
        "loop: naming itself it ticks by itself",
        flow(
            loop("{{input}}", {"loop": "each", "done": "after"}, batchSize=2),
            echo("after", n="{{loop.state.iterations}}"),
        ),
        LETTERS,
        output={"n": 3},
    ),
    Case(
        "loop: alone it ends with its state",
        flow(loop([1, 2])),
        output={"state": _state(2, 2, 2, complete=True), "batch": None},
    ),
    Case(
        "loop: done that ends",
        flow(loop([1], {"loop": "work", "done": "end"}), echo("work", "each")),
        ran=("each", "work"),
    ),
    Case("loop: no done ends", flow(loop([1], {"loop": "work"}), echo("work", "each")), ran=("each", "work")),
    Case(
        "loop: collection is items",
        flow(
            step("each", "loop", {"collection": "{{input.all}}"}, {"done": "after"}),
            echo("after", n="{{loop.state.totalItems}}"),
        ),
        {"all": [1, 2, 3]},
        output={"n": 3},
    ),
    Case(
        "loop: items by an expression",
        flow(loop("{{ input.filter(one => one > 1) }}", {"done": "after"}), echo("after", items="{{loop.items}}")),
        [1, 2, 3],
        output={"items": [2, 3]},
    ),
    Case(
        "loop: templates in an array of items",
        flow(loop(["{{input.x}}", "b"], {"done": "after"}), echo("after", items="{{loop.items}}")),
        {"x": 1},
        output={"items": [1, "b"]},
    ),
    Case(
        "loop: items are computed once",
        flow(
            sets("start", "each", list=[1, 2]),
            loop("{{list}}", BODY),
            sets("work", "each", list="{{list.concat([9])}}"),
            echo("after", n="{{loop.state.totalItems}}", list="{{list}}"),
        ),
        output={"n": 2, "list": [1, 2, 9, 9]},
    ),
    Case(
        "loop: a body of several steps",
        flow(
            loop([1, 2, 3], BODY),
            condition("{{loop.item}} == 2", "work", {"true": "each", "false": "add"}),
            sets("add", {"default": "each"}, sum="{{sum + loop.item}}"),
            echo("after", sum="{{sum}}"),
            variables={"sum": 0},
        ),
        output={"sum": 4},
    ),
    Case(
        "loop: a body may leave it",
        flow(
            loop([1, 2, 3], BODY),
            condition("{{loop.item}} == 2", "work", {"true": "after", "false": "each"}),
            echo("after", at="{{loop.item}}"),
        ),
        output={"at": 2},
    ),
    _fails("more than maxIterations", LETTERS, "maxIterations", "2", "5", maxIterations=2),
    _fails("more batches than maxIterations", LETTERS, "maxIterations", maxIterations=2, batchSize=2),
    _fails("more than a thousand", "{{input}}", "1000", "1001", given=list(range(1001))),
    _fails("an object", "{{input}}", "array", given={"a": 1}),
    _fails("a text", "{{input.t}}", "array", given={"t": "abc"}),
    _fails("a number", "{{input.t}}", "array", given={"t": 3}),
    _fails("null", "{{input.t}}", "array", given={"t": None}),
    _fails("nothing there", "{{input.nobody}}", "array", given={}),
    Case(
        "loop: a failing body fails the execution",
        flow(loop(["good", "bad"], BODY), action("work", "picky", {"item": "{{loop.item}}"}, "each"), echo("after")),
        exit=1,
        says=("this one is bad",),
        view={
            "variables.loop": {"state": _state(1, 2, 1), "item": "bad", "index": 1, "items": ["good", "bad"]},
            "variables.steps.each.output": {
                "type": "loop",
                "data": {
                    "state": _state(1, 2, 1),
                    "batch": {"index": 1, "size": 1, "items": ["bad"], "startIndex": 1, "endIndex": 1},
                    "item": "bad",
                },
            },
        },
    ),
    Case(
        "loop: continueOnError",
        flow(
            loop(["bad", "good", "bad"], BODY, continueOnError=True),
            action("work", "picky", {"item": "{{loop.item}}"}, "note"),
            sets("note", "each", seen="{{seen.concat([loop.item])}}"),
            output("after", seen="{{seen}}", failed="{{steps.each.output.meta.errors.length}}"),
            variables={"seen": []},
        ),
        output={"seen": ["good"], "failed": 2},
        says=("this one is bad",),
    ),
    Case(
        "loop: continueOnError where nothing fails",
        flow(
            loop(["good"], BODY, continueOnError=True),
            action("work", "picky", {"item": "{{loop.item}}"}, "each"),
            output("after", failed="{{steps.each.output.meta.errors?.length ?? 0}}"),
        ),
        output={"failed": 0},
    ),
    Case(
        "loop: an error port is nearer than continueOnError",
        flow(
            loop(["bad"], BODY, continueOnError=True),
            action("work", "picky", {"item": "{{loop.item}}"}, {"success": "each", "error": "mend"}),
            echo("mend", "each"),
            output("after", failed="{{steps.each.output.meta.errors?.length ?? 0}}"),
        ),
        output={"failed": 0},
    ),
    Case(
        "loop: continueOnError takes a condition that is no boolean",
        flow(
            loop([True, 5], BODY, continueOnError=True),
            condition("{{loop.item}}", "work", {"default": "each"}),
            output("after", failed="{{steps.each.output.meta.errors.length}}"),
        ),
        output={"failed": 1},
    ),
    Case(
        "loop: continueOnError is not for what comes after",
        flow(
            loop(["good"], BODY, continueOnError=True),
            action("work", "picky", {"item": "{{loop.item}}"}, "each"),
            action("after", "picky", {"item": "bad"}),
        ),
        exit=1,
        says=("this one is bad",),
    ),
)
