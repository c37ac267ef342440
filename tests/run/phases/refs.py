"""Refs: where they lead, what becomes of them in a text, and which lead nowhere."""

from __future__ import annotations

from typing import Any

from run.case import Case, Judged
from run.expected import NUMBER, TEXT, Holding
from run.phases.words import calls, each, echo, fires, flow, gives

FOUND = {
    "n": 0,
    "no": False,
    "none": None,
    "text": "Ann",
    "empty": "",
    "list": [1, {"k": "v"}],
    "object": {"a": 1, "b": [True]},
    "half": 1.5,
    "first-name": "Ann",
    "$x": 1,
    "nested": [[1, 2], [3]],
}


RECORDS = calls("crm/record", "records", input={"id": "17"})


def _is(written: Any, became: Any, *, of: Any = FOUND, **view: Any) -> Case:
    """After a step `a` that came to `FOUND`, in the input of the next one."""
    return Case(
        f"ref: {written}",
        flow(gives("a", of), echo("b", v=written)),
        {"who": "Eve", "list": ["x"]},
        output={} if became is None and written == "@a.gone" else {"v": became},
        view=view,
    )


def _astray(written: str, message: Any, *, name: str = "", field: str = "v", **more: Any) -> Judged:
    """In the input of a step `b`, after `a` and `records`, beside `c`, before `d`."""
    document = flow([echo("a"), RECORDS], [{**echo("b", v=written), **more}, echo("c")], echo("d"))
    ref = written if written.startswith("@") else None
    expected = {"type": "missing_ref", "step": "b", "field": field, "path": "/steps/1/0/input/v", "message": message}
    return Judged(f"astray: {name or written}", document, ({**expected, **({} if ref is None else {"ref": ref})},))


REFS: tuple[Case, ...] = (
    _is("@a.output", FOUND),
    _is("@a", FOUND),
    _is("@a.output.n", 0),
    _is("@a.n", 0),
    _is("@a.no", False),
    _is("@a.none", None),
    _is("@a.text", "Ann"),
    _is("@a.half", 1.5),
    _is("@a.list", [1, {"k": "v"}]),
    _is("@a.list[1].k", "v"),
    _is("@a.list.1.k", "v"),
    _is("@a.output.list[0]", 1),
    _is("@a.nested[0][1]", 2),
    _is("@a.nested.0.1", 2),
    _is("@a.list.length", 2),
    _is("@a.text.length", 3),
    _is("@a.object.b[0]", True),
    _is("@a.first-name", "Ann"),
    _is("@a.$x", 1),
    _is("@input.who", "Eve"),
    _is("@input", {"who": "Eve", "list": ["x"]}),
    _is("@input.list[0]", "x"),
    _is(["@a.n", {"deep": "@a.text"}], [0, {"deep": "Ann"}]),
    _is({"@a.text": 1, "of @a.text": 2}, {"Ann": 1, "of Ann": 2}),
    _is("Dear @a.text, welcome", "Dear Ann, welcome"),
    _is("@a.text@a.text", "AnnAnn"),
    _is("@a.text @input.who", "Ann Eve"),
    _is("by @a.text.", "by Ann."),
    _is("(@a.text)", "(Ann)"),
    _is("@a.text-", "Ann-"),
    _is("n=@a.n no=@a.no half=@a.half", "n=0 no=false half=1.5"),
    _is("none=@a.none.", "none=."),
    _is("list @a.list", 'list [1,{"k":"v"}]'),
    _is("object @a.object!", 'object {"a":1,"b":[true]}!'),
    _is("empty: @a.empty", "empty: "),
    _is("gone: @a.gone here", "gone: @a.gone here"),
    _is("gone: @a.none.x", "gone: @a.none.x"),
    _is("gone: @input.gone", "gone: @input.gone"),
    _is("write to ops@example.com", "write to ops@example.com"),
    _is("ops@example.com", "ops@example.com"),
    _is("ops@a.text", "opsAnn"),
    _is("ask @nobody about it", "ask @nobody about it"),
    _is("a @ b, 5 @ 3, @", "a @ b, 5 @ 3, @"),
    _is("@", "@"),
    _is("@1", "@1"),
    _is("@@a.text", "@a.text"),
    _is("@@a and @a.text", "@a and Ann"),
    _is("ann@@example.com", "ann@example.com"),
    _is("@@", "@"),
    _is("@@@a.text", "@Ann"),
    _is("@a.gone", None, **{"steps.b.warnings": ["undefined in its input: @a.gone"]}),
    Case(
        "ref: undefined, in a list, is null",
        flow(gives("a", {"x": 1}), echo("b", v=["@a.x", "@a.y"], w={"k": "@a.y", "l": 1})),
        output={"v": [1, None], "w": {"l": 1}},
        view={"steps.b.warnings": ["undefined in its input: @a.y"]},
    ),
    Case(
        "ref: an undefined key drops what it names",
        flow(gives("a", {"x": 1}), echo("b", v={"@a.y": 1, "k": 2})),
        view={"steps.b.input.v.k": 2},
    ),
    Case(
        "ref: what is rendered is not looked at again",
        flow(gives("a", {"text": "@@a.hidden", "hidden": "x"}), echo("b", v="@a.text", w="of @a.text")),
        output={"v": "@a.hidden", "w": "of @a.hidden"},
    ),
    Case(
        "ref: a step that begins as a word of ours does",
        flow(
            [gives("inputData", {"x": 1}), gives("output2", 2), gives("items", [3])],
            echo("b", x="@inputData.x", y="@output2", z="@items[0]"),
        ),
        output={"x": 1, "y": 2, "z": 3},
    ),
    Case(
        "ref: a step with hyphens",
        flow(
            [gives("get-items", {"n-1": 1}), gives("get", 2)],
            echo("b", x="@get-items.output.n-1", y="of @get-items.n-1-", z="@get"),
        ),
        output={"x": 1, "y": "of 1-", "z": 2},
    ),
    Case(
        "ref: a step whose output has an output",
        flow(gives("a", {"output": {"output": 5}}), echo("b", x="@a.output.output.output", y="@a.output.output")),
        output={"x": 5, "y": {"output": 5}},
    ),
    Case(
        "ref: all of the input at once",
        flow(gives("a", {"x": 1}), {**calls("echo", "b"), "input": "@a.output"}),
        output={"x": 1},
    ),
    Case(
        "ref: of all phases before",
        flow(gives("a", 1), gives("b", 2), echo("c", x="@a", y="@b")),
        output={"x": 1, "y": 2},
    ),
    Case(
        "ref: @ctx",
        flow(echo("a", id="@ctx.execution_id", depth="@ctx.depth", w="@ctx.workflow_id", none="@ctx.correlation_id")),
        output={"id": TEXT, "depth": 0, "w": Holding("wf_"), "none": None},
    ),
    Case(
        "ref: @ctx, the id of the workflow, that the document says itself",
        flow(echo("a", w="@ctx.workflowId", text="of @ctx.workflow_id"), id="cases/1"),
        output={"w": "cases/1", "text": "of cases/1"},
        view={"workflowId": "cases/1"},
    ),
    Case("ref: @ctx in a text", flow(echo("a", id="of @ctx.executionId!")), output={"id": Holding("of ", "!")}),
)

JUDGED: tuple[Judged, ...] = (
    _astray("@c.output", "Step 'c' not found in previous phases: it runs in the same phase"),
    _astray("@b.output", Holding("Step 'b' not found in previous phases", "same phase")),
    _astray("@d", "Step 'd' not found in previous phases: it runs later"),
    _astray("@nobody.output", "Step 'nobody' not found in previous phases"),
    _astray("@record.output", Holding("Step 'record' not found in previous phases", "did you mean 'records'")),
    _astray("@word", Holding("Step 'word' not found", "if '@word' is meant as text, write '@@word'")),
    _astray("@item", "'@item' is only known where there is a 'forEach'"),
    _astray("@item.id", "'@item' is only known where there is a 'forEach'"),
    _astray("@index", "'@index' is only known where there is a 'forEach'"),
    _astray("@output.x", Holding("'@output'", "only known in triggers", "'@name'")),
    _astray("@ctx.user", Holding("'@ctx' has execution_id")),
    _astray("@ctx", Holding("'@ctx' has execution_id")),
    _astray("@index.x", "'@index' is a number, and has no parts", forEach="@a.list"),
    _astray("@records.output.row", Holding("'row' is not in the output of step 'records'; did you mean 'rows'?")),
    _astray("@records.rows[0].mail", Holding("'mail' is not in the output of step 'records', at rows.0", "email")),
    _astray("@records.rows.name", Holding("'name' is not in the output", "at rows")),
    _astray("@a" + ".x" * 41, "a ref has 40 parts at most, not 41", name="too deep"),
    _astray("Dear @c.name", Holding("'c'", "same phase"), name="in a text, of the same phase"),
    Judged(
        "in a text, an item where there is none",
        flow(echo("a", v="of @item")),
        warnings=({"type": "unknown_ref", "ref": "@item", "message": Holding("only known", "stays as it is written")},),
    ),
    Judged(
        "a ref without @, of an earlier step",
        flow(
            echo("a", list=[]),
            echo("b", v=["a.output.list[0]", "c.output", "a.outputs", "see a.output", "a"]),
            echo("c"),
        ),
        warnings=(
            {
                "type": "unknown_ref",
                "path": "/steps/1/0/input/v/0",
                "message": Holding("'a.output.list[0]' is a text", "write '@a.output.list[0]'"),
            },
        ),
    ),
    Judged(
        "astray: in a key, and deep",
        flow(echo("a"), echo("b", v={"@d.x": [{"k": "@c.y"}]}), echo("c")),
        (
            {"type": "missing_ref", "ref": "@d.x", "path": "/steps/1/0/input/v/@d.x", "step": "b"},
            {"type": "missing_ref", "ref": "@c.y", "path": "/steps/1/0/input/v/@d.x/0/k", "field": "v.@d.x.0.k"},
        ),
    ),
    Judged(
        "astray: the whole input",
        flow(echo("a"), {**calls("echo", "b"), "input": "@nobody"}),
        ({"type": "missing_ref", "ref": "@nobody", "path": "/steps/1/0/input", "field": "input"},),
    ),
    Judged(
        "astray: a forEach",
        flow(echo("a"), each("@nobody.items", name="b")),
        (
            {
                "type": "missing_ref",
                "ref": "@nobody.items",
                "field": "forEach",
                "path": "/steps/1/0/forEach",
                "step": "b",
            },
        ),
    ),
    Judged(
        "astray: an item of the other name",
        flow(echo("a"), each("@a.items", name="b", called="user", input={"x": "@users.id", "y": "@user.id"})),
        ({"type": "missing_ref", "ref": "@users.id", "field": "x", "line": NUMBER},),
    ),
    Judged(
        "astray: a sleep",
        flow({"name": "a", "sleep": {"until": "@later.at"}}, echo("later")),
        ({"type": "missing_ref", "ref": "@later.at", "field": "until", "path": "/steps/0/0/sleep/until"},),
    ),
    Judged(
        "astray: an item of what is no step",
        flow(echo("a"), triggers=[fires("child", x="@nobody.x", y="@item")]),
        (
            {
                "type": "missing_ref",
                "ref": "@nobody.x",
                "step": "trigger-0",
                "field": "x",
                "path": "/triggers/0/inputs/x",
            },
            {"type": "missing_ref", "ref": "@item", "step": "trigger-0", "field": "y", "path": "/triggers/0/inputs/y"},
        ),
    ),
    Judged(
        "astray: a mistyped step in a text is told, and stays",
        flow(echo("fetch"), echo("b", v="of @fecth.output.x")),
        warnings=(
            {
                "type": "unknown_ref",
                "ref": "@fecth.output.x",
                "message": Holding("did you mean 'fetch'", "stays as it is written"),
            },
        ),
    ),
)
