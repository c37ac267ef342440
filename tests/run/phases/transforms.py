"""Transforms: what they take and give, what they cannot do, and how they fail."""

from __future__ import annotations

from typing import Any

from run.case import Case, Judged, Warned
from run.expected import ABSENT, NUMBER, Holding
from run.phases.words import LISTS, Step, calls, flow, gives

ACTIVE = """
interface Input {
  users: Array<{ id: string; name: string; email: string; active: boolean }>;
}
interface Output {
  activeEmails: string[];
}
export default (input: Input): Output => ({
  activeEmails: input.users.filter(u => u.active).map(u => u.email)
});
"""
TYPED = """interface Input { n: number; note?: string }
interface Output { m: number; double?: number }
export default (input: Input): Output => ({ m: input.n + 1 })"""


def makes(code: str, name: str = "make", **fields: Any) -> Step:
    return {"name": name, "transform": code, **fields}


SEED = flow(
    calls("api/list-users", "fetch-users"),
    makes(ACTIVE, "filter-active", input={"users": "@fetch-users.output.users"}),
    calls("email/send-batch", "send-emails", input={"recipients": "@filter-active.output.activeEmails"}),
    name="my-workflow",
)
"""The example of seed 003 §6."""


def _made(name: str, code: str, output: Any, given: Any = None, **view: Any) -> Case:
    return Case(f"transform: {name}", flow(makes(code)), given, output=output, view=view)


def _fails(name: str, code: str, *says: str, given: Any = None, **fields: Any) -> Case:
    return Case(
        f"transform: {name}",
        flow(makes(code, **fields), gives("next", 1)),
        given,
        exit=1,
        ran=("make",),
        view={"steps.make.status": "failed", "error": Holding(*says)},
    )


def _invalid(name: str, code: str, message: Any, *more: Any) -> Judged:
    """Each with where it stands in the transform."""
    told = {
        "type": "invalid_typescript",
        "step": "make",
        "field": "transform",
        "path": "/steps/0/0/transform",
        "line": NUMBER,
    }
    return Judged(
        f"invalid_typescript: {name}", flow(makes(code)), tuple({**told, "message": each} for each in (message, *more))
    )


def _types(name: str, *steps: Any, problems: tuple[dict[str, Any], ...]) -> Judged:
    return Judged(f"transform, types: {name}", flow(*steps), problems)


TRANSFORMS: tuple[Case, ...] = (
    Case(
        "transform: the seed's example",
        SEED,
        output={"sent": 1},
        ran=("fetch-users", "filter-active", "send-emails"),
        view={
            "steps.filter-active.output": {"activeEmails": ["ann@example.com"]},
            "_schemas.filter-active.output.properties.activeEmails.items": {"type": "string"},
        },
    ),
    _made("typed", TYPED, {"m": 2}, {"n": 1}),
    _made(
        "types by another name",
        "type Input = { a: string }\ntype Output = string[]\nexport default ({ a }: Input): Output => a.split(',')",
        ["x", "y"],
        {"a": "x,y"},
    ),
    _made("untyped", "export default (input) => input.x.toUpperCase()", "ABC", {"x": "abc"}),
    _made(
        "a function by its name", "function make(input: any) { return input.n * 2 }\nexport default make", 6, {"n": 3}
    ),
    _made("export default function", "export default function (input) { return { n: input.n } }", {"n": 1}, {"n": 1}),
    _made("what is undefined is null", "export default () => undefined", None, **{"steps.make.output": None}),
    _made("no return is null", "export default (input) => {}", None),
    _made("undefined inside", "export default () => ({ a: undefined, b: [undefined, 1] })", {"b": [None, 1]}),
    _made("what is no number is null", "export default () => ({ a: NaN, b: 1 / 0 })", {"a": None, "b": None}),
    _made("of every kind", "export default () => [1, 1.5, 'x', true, null, {}, []]", [1, 1.5, "x", True, None, {}, []]),
    _made("Math without chance", "export default (i) => Math.max(...i.list) + Math.floor(1.9)", 4, {"list": [1, 3, 2]}),
    _made(
        "a property of a name that is refused as a global",
        "export default (input) => input.crypto + input.Date.fetch",
        3,
        {"crypto": 1, "Date": {"fetch": 2}},
    ),
    _made(
        "JSON and texts",
        "export default (i) => JSON.parse(JSON.stringify(i)).t.replace(/a/g, 'b')",
        "bbc",
        {"t": "aac"},
    ),
    _made(
        "console",
        "export default (i) => { console.log('begun', i); console.info('done'); return 1 }",
        1,
        {"n": 1},
        **{"steps.make.logs": [{"level": "log", "text": 'begun {"n":1}'}, {"level": "info", "text": "done"}]},
    ),
    Case(
        "transform: what it said before it failed",
        flow(makes("export default () => { console.debug('soon'); throw new Error('now') }")),
        exit=1,
        view={"steps.make.logs": [{"level": "debug", "text": "soon"}], "error": Holding("now")},
    ),
    Case(
        "transform: what it said of each item",
        flow(
            makes(
                "export default (i) => { console.info(i.it); if (i.it > 1) throw new Error('no'); return i.it }",
                input={"it": "@item"},
                forEach="@input",
                onError="continue",
            )
        ),
        [1, 2],
        output=[1, None],
        view={"steps.make.iterations.0.logs.0.text": "1", "steps.make.iterations.1.logs.0.text": "2"},
    ),
    _made("nothing is logged", "export default () => 1", 1, **{"steps.make.logs": ABSENT}),
    Case(
        "transform: what it is given, by refs",
        flow(
            gives("a", {"x": [1, 2]}),
            makes("export default (i) => i.all.length + i.n", input={"all": "@a.x", "n": "@input.n"}),
        ),
        {"n": 3},
        output=5,
    ),
    Case(
        "transform: without an input, what the phase before came to",
        flow(gives("a", [1, 2]), makes("export default (list) => list.length")),
        output=2,
    ),
    Case(
        "transform: two side by side, and each knows nothing of the other",
        flow(
            [
                makes("export default () => { globalThis.x = 1; return typeof globalThis.y }", "a"),
                makes("export default () => { globalThis.y = 1; return typeof globalThis.x }", "b"),
            ]
        ),
        output={"a": "undefined", "b": "undefined"},
    ),
    Case(
        "transform: for each item",
        flow(
            makes(
                "export default (i) => i.it * 2 + i.at",
                input={"it": "@item", "at": "@index"},
                forEach="@input",
                concurrency=3,
            )
        ),
        [1, 2, 3],
        output=[2, 5, 8],
    ),
    Case(
        "transform: its trigger is chosen by what it comes to",
        flow(
            makes("export default (i) => (i.ok ? { yes: 1 } : { no: 1 })"),
            triggers=[
                {"workflowId": "x", "inputs": {"v": "@output.yes"}},
                {"workflowId": "x", "inputs": {"v": "@output.no"}},
            ],
        ),
        {"ok": True},
        output={"yes": 1},
        view={"triggerResults.1.status": "skipped"},
    ),
    _fails("throws", "export default () => { throw new Error('no stock') }", "no stock", "line 1"),
    _fails(
        "throws in its third line",
        "export default (i) => {\n  const x = i.y;\n  return x.z.length\n}",
        "line 3",
        given={"y": {}},
    ),
    _fails("throws what is no error", "export default () => { throw 'plain' }", "plain"),
    _fails("calls what is not there", "export default (i) => i.nothing()", "not a function"),
    _fails("a function is no JSON", "export default () => () => 1", "function"),
    _fails("goes round in itself", "export default () => { const a = {}; a.a = a; return a }", "circular"),
    _fails("runs for ever", "export default () => { for (;;) {} }", "50 ms", timeout=50),
    _fails("calls itself for ever", "const f = () => f() + 1\nexport default () => f()", "stack"),
    Case(
        "transform: for each item, one throws",
        flow(
            makes(
                "export default (i) => { if (i.it > 1) throw new Error('too many'); return i.it }",
                input={"it": "@item"},
                forEach="@input",
                onError="continue",
            )
        ),
        [1, 2],
        output=[1, None],
        view={"steps.make.iterations.1.error": Holding("too many")},
    ),
    Case(
        "transform: it and its sibling fail",
        flow(
            [
                makes("export default () => { throw new Error('one') }", "a"),
                calls("breaks", "b", input={"message": "two"}),
            ]
        ),
        exit=1,
        view={"error": Holding("a: ", "one", "; b: two")},
    ),
    Case("transform: strictTypes takes what is typed", flow(makes(TYPED), strictTypes=True), {"n": 1}, output={"m": 2}),
    Case(
        "transform: refused at the start without what it takes", flow(makes(TYPED)), {"note": "x"}, exit=2, says=("n",)
    ),
    Case("transform: more than it takes is not refused", flow(makes(TYPED)), {"n": 1, "more": 2}, output={"m": 2}),
)

JUDGED: tuple[Judged, ...] = (
    Judged("transform: the seed's example has no faults", SEED),
    _invalid(
        "no Output, in the seed's words",
        "interface Input { a: string }\nexport default (input: Input) => 1",
        "Missing required 'Output' interface declaration",
    ),
    _invalid(
        "no Input",
        "interface Output { a: string }\nexport default (): Output => ({ a: '' })",
        "Missing required 'Input' interface declaration",
    ),
    _invalid("a syntax error", "export default (i) => {\n  let x = ;\n}", Holding("(line 2, column 11)")),
    _invalid("a bracket that is not closed", "export default (i) => ({ a: 1", Holding("line 1")),
    _invalid("nothing is exported", "const x = (i) => i", Holding("export", "default")),
    _invalid("what is exported is no function", "export default 5", Holding("must be a function")),
    _invalid("two are exported", "export default () => 1\nexport default () => 2", Holding("already")),
    _invalid("nothing at all", "   ", Holding("export")),
    *(
        _invalid(f"{name}", f"export default (i) => {{\n  return {code}\n}}", Holding(*says, "(line 2, column "))
        for name, code, says in (
            ("fetch", "fetch('x')", ("fetch",)),
            ("Date", "Date.now()", ("Date",)),
            ("new Date", "new Date()", ("Date",)),
            ("Math.random", "Math.random()", ("Math.random",)),
            ("crypto", "crypto.randomUUID()", ("crypto",)),
            ("Promise", "Promise.resolve(1)", ("Promise",)),
            ("setTimeout", "setTimeout(() => 1, 5)", ("timers",)),
            ("setInterval", "setInterval(() => 1, 5)", ("timers",)),
        )
    ),
    _invalid("import", "import x from 'y'\nexport default (i) => i", Holding("import", "line 1")),
    _invalid("enum", "enum A { B }\nexport default (i) => i", Holding("enum", "line 1")),
    _invalid("namespace", "namespace A { }\nexport default (i) => i", Holding("namespace", "line 1")),
    _invalid(
        "two faults at once",
        "enum A { B }\nexport default (i) => fetch(i)",
        Holding("enum"),
        Holding("fetch", "line 2"),
    ),
    Judged(
        "invalid_document: a transform that is no text",
        flow({"name": "make", "transform": 5}),
        ({"type": "invalid_document", "step": "make", "field": "transform", "path": "/steps/0/0/transform"},),
    ),
    Judged(
        "invalid_document: a transform that is empty",
        flow({"name": "make", "transform": ""}),
        ({"type": "invalid_document", "step": "make", "field": "transform"},),
    ),
    Judged(
        "invalid_document: retry of a transform",
        flow(makes(TYPED, retry={"maxAttempts": 2})),
        (
            {
                "type": "invalid_document",
                "step": "make",
                "field": "retry",
                "message": Holding("only a tool step can be retried; a transform"),
            },
        ),
    ),
    Judged(
        "invalid_document: a transform with too much time",
        flow(makes(TYPED, timeout=10_001)),
        (
            {
                "type": "invalid_document",
                "field": "timeout",
                "message": "a transform may take 10,000 ms at most, not 10,001",
            },
        ),
    ),
    Judged(
        "secrets: not in a transform's input",
        flow(makes(TYPED, input={"n": 1, "note": "of @secrets.KEY"})),
        (
            {
                "type": "invalid_document",
                "step": "make",
                "path": "/steps/0/0/input/note",
                "field": "note",
                "ref": "@secrets.KEY",
                "message": Holding("the input of a tool step"),
            },
        ),
    ),
    Judged(
        "strictTypes refuses what is not typed",
        flow(makes("export default (i) => i"), strictTypes=True),
        (
            {
                "type": "invalid_typescript",
                "step": "make",
                "field": "transform",
                "message": Holding("it has no types", "interface Input and interface Output"),
            },
        ),
    ),
    Judged(
        "the three errors of the seed",
        flow(
            LISTS,
            makes(
                "interface Input { users: object[] }\ninterface Output { count: number; activeEmails: string[] }\nexport default (i: Input): Output => ({ count: 1, activeEmails: [] })",
                "filter-active",
                input={"users": "@fetch-users.output.users"},
            ),
            [
                calls("email/send-batch", "send-emails", input={"recipients": "@filter-active.output.count"}),
                calls("crm/tally", "aggregate", input={"data": "@nonexistent.output"}),
                makes("interface Input { a?: string }\nexport default (i: Input) => i", "transform-data", input={}),
            ],
        ),
        (
            {
                "type": "type_mismatch",
                "step": "send-emails",
                "field": "recipients",
                "ref": "@filter-active.output.count",
                "expected": {"type": "array", "items": {"type": "string"}},
                "actual": {"type": "number"},
                "message": "Expected string[] but got number",
            },
            {
                "type": "missing_ref",
                "step": "aggregate",
                "field": "data",
                "ref": "@nonexistent.output",
                "message": "Step 'nonexistent' not found in previous phases",
            },
            {
                "type": "invalid_typescript",
                "step": "transform-data",
                "field": "transform",
                "message": "Missing required 'Output' interface declaration",
            },
        ),
    ),
    _types(
        "a field of the wrong type",
        LISTS,
        makes(TYPED, input={"n": "@fetch-users.users"}),
        problems=(
            {"type": "type_mismatch", "step": "make", "field": "n", "message": Holding("Expected number but got {")},
        ),
    ),
    _types(
        "a field that is missing",
        makes(TYPED, input={"note": "x"}),
        problems=(
            {
                "type": "type_mismatch",
                "field": "n",
                "message": Holding("Expected number but got nothing", "'n' is required"),
            },
        ),
    ),
    _types(
        "a path that its output has not",
        makes(TYPED, input={"n": 1}),
        calls("crm/tally", "t", input={"x": "@make.output.nn"}),
        problems=(
            {
                "type": "missing_ref",
                "step": "t",
                "ref": "@make.output.nn",
                "message": Holding("'nn' is not in the output of step 'make'", "m"),
            },
        ),
    ),
    _types(
        "a number for a whole number may be one",
        makes(TYPED, input={"n": 1}),
        calls("crm/record", "t", input={"id": "x", "points": "@make.m"}),
        problems=(),
    ),
    _types(
        "the item of a forEach",
        LISTS,
        makes(
            "interface Input { mail: number }\ntype Output = number\nexport default (i: Input): Output => i.mail",
            forEach="@fetch-users.users",
            input={"mail": "@item.email"},
        ),
        problems=(
            {
                "type": "type_mismatch",
                "field": "mail",
                "ref": "@item.email",
                "message": "Expected number but got string",
            },
        ),
    ),
    _types(
        "what the phase before came to",
        calls("email/send-batch", "send", input={"recipients": []}),
        makes(TYPED),
        problems=(
            {
                "type": "type_mismatch",
                "step": "make",
                "field": "input",
                "ref": "@send.output",
                "message": Holding(
                    "Expected { n: number; note?: string } but got { sent: integer }", "'n' is required"
                ),
            },
        ),
    ),
)

WARNED: tuple[Warned, ...] = (
    Warned(
        "doubt: a transform without types",
        flow(makes("export default (i) => i")),
        says=("untyped", "/steps/0/0/transform", "it has no types"),
    ),
    Warned("fits: the seed's example", SEED, silent=True),
    Warned("fits: a number for a number", flow(makes(TYPED, input={"n": 1.5, "note": "x"})), silent=True),
    Warned(
        "doubt: a key that a transform does not take",
        flow(makes(TYPED, input={"n": 1, "nota": "x"})),
        says=("unknown_key", "'nota' is nothing that 'make' takes", "did you mean 'note'"),
    ),
    Warned(
        "doubt: what may be missing for a transform",
        flow(makes(TYPED, "one", input={"n": 1}), makes(TYPED, input={"n": "@one.double"})),
        says=("may_be_missing", "@one.double"),
    ),
    Warned(
        "doubt: a number for a whole number",
        flow(makes(TYPED, input={"n": 1}), calls("crm/record", "t", input={"id": "x", "points": "@make.m"})),
        says=("may_not_fit", "integer"),
    ),
)
