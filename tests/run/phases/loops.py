"""forEach: items one after the other or several at once, and what becomes of one that fails."""

from __future__ import annotations

from typing import Any

from run.case import Case, Judged
from run.expected import ABSENT, Holding
from run.phases.words import LISTS, calls, each, echo, flow, gives, sleeps


def _over(name: str, given: Any, *says: str) -> Case:
    return Case(
        f"forEach: {name}",
        flow(each("@input.items"), echo("next")),
        given,
        exit=1,
        ran=("each",),
        view={"steps.each.status": "failed", "error": Holding("'each'", *says)},
    )


def _bad(name: str, **fields: Any) -> Case:
    """The second of three items is bad."""
    fails = fields.get("onError") != "continue"
    bad = {"index": 1, "item": "bad", "status": "failed", "error": "this one is bad"}
    return Case(
        f"forEach: {name}",
        flow(each("@input", "picky", input={"item": "@item"}, **fields), calls("echo", "next")),
        ["a", "bad", "c"],
        exit=1 if fails else 0,
        ran=("each",) if fails else ("each", "next"),
        view={
            "steps.each.iterations.1": bad,
            **(
                {"error": "each: item 1: this one is bad"}
                if fails
                else {
                    "output": ["a", None, "c"],
                    "steps.each.output": ["a", None, "c"],
                    "steps.each.status": "completed",
                }
            ),
        },
    )


def _refused(name: str, fields: dict[str, Any], *says: str) -> Case:
    return Case(f"refused: forEach, {name}", flow(gives("a", []), each("@a", **fields)), exit=2, says=says)


LOOPS: tuple[Case, ...] = (
    Case(
        "forEach: one after the other",
        flow(each("@input.items", input={"it": "@item", "at": "@index"})),
        {"items": ["a", "b"]},
        output=[{"it": "a", "at": 0}, {"it": "b", "at": 1}],
        view={
            "steps.each.iterations": [
                {"index": 0, "item": "a", "status": "completed", "output": {"it": "a", "at": 0}},
                {"index": 1, "item": "b", "status": "completed", "output": {"it": "b", "at": 1}},
            ],
            "steps.each.input": ABSENT,
        },
    ),
    Case(
        "forEach: several at once, in their places",
        flow(each("@input", concurrency=3)),
        list(range(7)),
        output=[{"it": n} for n in range(7)],
    ),
    Case(
        "forEach: more at once than there are",
        flow(each("@input", concurrency=50)),
        [1, 2],
        output=[{"it": 1}, {"it": 2}],
    ),
    Case(
        "forEach: by a name of its own, and by item",
        flow(each("@input", called="user", input={"a": "@user.id", "b": "@item.id", "c": "Dear @user.id"})),
        [{"id": 5}],
        output=[{"a": 5, "b": 5, "c": "Dear 5"}],
    ),
    Case("forEach: as item", flow(each("@input", called="item")), [1], output=[{"it": 1}]),
    Case(
        "forEach: the place in a text",
        flow(each("@input", input={"v": "no. @index of @item"})),
        ["a"],
        output=[{"v": "no. 0 of a"}],
    ),
    Case(
        "forEach: what is inside an item",
        flow(each("@input", input={"v": "@item.list[0].x", "w": ["@item.list"]})),
        [{"list": [{"x": 1}]}, {"list": [{"x": None}]}, {}],
        output=[{"v": 1, "w": [[{"x": 1}]]}, {"v": None, "w": [[{"x": None}]]}, {"w": [None]}],
    ),
    Case(
        "forEach: items of every kind",
        flow(each("@input")),
        [None, False, 0, "", [], {}],
        output=[{"it": None}, {"it": False}, {"it": 0}, {"it": ""}, {"it": []}, {"it": {}}],
    ),
    Case(
        "forEach: beside other refs",
        flow(
            gives("a", {"k": 1, "list": [1, 2]}), each("@a.list", input={"it": "@item", "k": "@a.k", "w": "@input.w"})
        ),
        {"w": 3},
        output=[{"it": 1, "k": 1, "w": 3}, {"it": 2, "k": 1, "w": 3}],
    ),
    Case(
        "forEach: over what another one came to",
        flow(each("@input", name="one"), each("@one.output", name="two", input={"it": "@item.it"})),
        [1, 2],
        output=[{"it": 1}, {"it": 2}],
    ),
    Case(
        "forEach: of the items that the seed lists",
        flow(LISTS, each("@fetch-users.output.users", input={"mail": "@item.email"})),
        output=[{"mail": "ann@example.com"}, {"mail": "bob@example.com"}],
    ),
    Case(
        "forEach: over nothing",
        flow(each("@input"), calls("echo", "next")),
        [],
        output=[],
        view={"steps.each.iterations": [], "steps.each.output": [], "steps.each.status": "completed"},
    ),
    Case(
        "forEach: two side by side",
        flow([each("@input", name="a"), each("@input", name="b", concurrency=2)]),
        [1, 2],
        output={"a": [{"it": 1}, {"it": 2}], "b": [{"it": 1}, {"it": 2}]},
    ),
    Case(
        "forEach: of sleeps",
        flow({**sleeps(ms="@item"), "forEach": "@input"}),
        [1, 0],
        output=[{"slept": True, "ms": 1}, {"slept": True, "ms": 0}],
    ),
    Case(
        "forEach: without an input, each is given the same",
        flow(gives("a", [1, 2]), {**calls("echo", "b"), "forEach": "@a"}),
        output=[[1, 2], [1, 2]],
    ),
    Case(
        "forEach: at its limit", flow(each("@input", maxIterations=3)), [1, 2, 3], output=[{"it": n} for n in (1, 2, 3)]
    ),
    Case(
        "forEach: a hundred, if nobody says otherwise",
        flow(each("@input", concurrency=20)),
        list(range(100)),
        output=[{"it": n} for n in range(100)],
    ),
    Case(
        "forEach: more than it says",
        flow(each("@input", maxIterations=500, concurrency=50)),
        list(range(150)),
        output=[{"it": n} for n in range(150)],
    ),
    Case(
        "forEach: over its limit",
        flow(each("@input", maxIterations=3)),
        [1, 2, 3, 4],
        exit=1,
        view={
            "steps.each.status": "failed",
            "steps.each.iterations": ABSENT,
            "error": Holding("'each'", "4", "3", "maxIterations"),
        },
    ),
    Case(
        "forEach: more than a hundred",
        flow(each("@input")),
        list(range(101)),
        exit=1,
        view={"error": Holding("101", "100")},
    ),
    _over("over an object", {"items": {"a": 1}}, "an array, not of an object"),
    _over("over a text", {"items": "abc"}, "an array, not of a text"),
    _over("over a number", {"items": 3}, "an array, not of a number"),
    _over("over null", {"items": None}, "an array, not of null"),
    _over("over what is not there", {}, "an array, not of undefined"),
    _bad("an item that fails"),
    _bad("an item that fails, by its word", onError="fail"),
    _bad("an item that fails, among several at once", concurrency=3),
    _bad("an item that fails, and it goes on", onError="continue"),
    _bad("an item that fails, and it goes on, several at once", onError="continue", concurrency=3),
    Case(
        "forEach: all of them fail, and it goes on",
        flow(each("@input", "picky", input={"item": "@item"}, onError="continue")),
        ["bad", "bad"],
        output=[None, None],
        view={"steps.each.status": "completed", "steps.each.iterations.1.error": "this one is bad"},
    ),
    Case(
        "forEach: after one that fails, no other begins",
        flow(each("@input", "picky", input={"item": "@item"})),
        ["a", "bad", "c"],
        exit=1,
        view={"steps.each.iterations.0.status": "completed", "steps.each.iterations.2.status": "pending"},
    ),
    _refused(
        "a list as such", {"forEach": [1, 2]}, "/steps/1/0/forEach", "a ref to an array, like '@fetch.output.items'"
    ),
    _refused("a text", {"forEach": "items"}, "/steps/1/0/forEach", "a ref to an array", "'items'"),
    _refused("a text with a ref in it", {"forEach": "of @a"}, "a ref to an array"),
    _refused("none at once", {"concurrency": 0}, "/steps/1/0/concurrency", "a whole number from 1 up, not 0"),
    _refused("half of one at once", {"concurrency": 1.5}, "/steps/1/0/concurrency"),
    _refused("no iterations", {"maxIterations": 0}, "/steps/1/0/maxIterations", "from 1 up"),
    _refused("another way with errors", {"onError": "skip"}, "/steps/1/0/onError", "fail, continue"),
    _refused("an item called as a step", {"as": "a"}, "/steps/1/0/as", "'a' is a step"),
    _refused("an item called as the step itself", {"as": "each"}, "/steps/1/0/as", "'each' is a step"),
    _refused(
        "an item called as a word of ours", {"as": "input"}, "/steps/1/0/as", "'input' cannot be what an item is called"
    ),
    _refused("an item with a name that no ref can have", {"as": "the user"}, "/steps/1/0/as", "take another name"),
)

JUDGED: tuple[Judged, ...] = (
    Judged(
        "forEach over what is no array",
        flow(LISTS, calls("email/send-batch", "send", input={"recipients": []}), each("@send.sent", name="b")),
        (
            {
                "type": "type_mismatch",
                "step": "b",
                "field": "forEach",
                "ref": "@send.sent",
                "path": "/steps/2/0/forEach",
                "actual": {"type": "integer"},
                "expected": {"type": "array"},
                "message": "Expected unknown[] but got integer",
            },
        ),
    ),
    Judged(
        "forEach: an item's types are known",
        flow(
            LISTS,
            calls(
                "email/send-batch",
                "b",
                forEach="@fetch-users.users",
                **{"as": "user"},
                input={"recipients": "@user.active", "subject": "@item.name"},
            ),
        ),
        (
            {
                "type": "type_mismatch",
                "step": "b",
                "field": "recipients",
                "ref": "@user.active",
                "message": "Expected string[] but got boolean",
            },
        ),
    ),
    Judged(
        "forEach: its output is a list of what each came to",
        flow(
            calls("crm/find", "a", forEach="@input", input={"id": "@item"}),
            calls("email/send-batch", "b", input={"recipients": "@a.tags", "subject": "@a[0].score"}),
        ),
        (
            {"type": "missing_ref", "step": "b", "field": "recipients", "ref": "@a.tags"},
            {
                "type": "type_mismatch",
                "step": "b",
                "field": "subject",
                "ref": "@a[0].score",
                "message": "Expected string but got number",
            },
        ),
    ),
    Judged(
        "forEach: that goes on may have nulls in it",
        flow(
            calls("crm/find", "a", forEach="@input", onError="continue", input={"id": "@item"}),
            calls(
                "email/send-batch",
                "b",
                forEach="@a",
                input={"recipients": "@item.tags", "subject": "@item.address.city"},
            ),
        ),
    ),
)
