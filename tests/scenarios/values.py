"""Values: computed, assigned, large, deep, and in every writing."""

from __future__ import annotations

from perdure.model.secrets import SecretOf
from perdure.model.steps import Compute, SetVariables
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from scenarios.scenario import Answers, End, Returns, Scenario
from scenarios.words import arr, flow, k, obj, step, task, text, to, x

LARGE = "0123456789abcdef" * 12_000
"""Some 190 KB: kept apart, in pieces."""

LARGE_ROWS = [{"row": row, "text": f"ü{row}\x01" * 40} for row in range(600)]

WRITINGS: Json = {
    "": "an empty key",
    "quotes": '"\\/\b\f\n\r\t',
    "umlauts": "äöüß \u2013 „…“",
    "beyond": "\U0001d518\U0001d52b 👩\u200d👩\u200d👧 \U0010ffff",
    "right to left": "שלום",
    "separators": "\u2028\u2029\ufeff\u0001\u007f\u0080",
    "combined": ["\u00e9", "e\u0301"],
    "looks like": ["'; DROP TABLE", "$1", "?", "%s", "{1,2}", "NULL", "\\u0000", "\\x41"],
}

NUMBERS: Json = [0, -1, 2**53, 2**53 + 1, -(2**63), 2**64 - 1, 0.1, 1e-7, 1e300, 5e-324, 1.0, 100.0, True, False, None]


def deep(levels: int) -> Json:
    value: Json = "at last"
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value


SCENARIOS = (
    Scenario(
        "a workflow without steps completes",
        (Workflow("main"),),
        {"what": "ever"},
        ends={"main": End(output=None)},
    ),
    Scenario(
        "a name is looked for in one place after the other",
        (
            flow(
                step("first", Compute(obj(a="last", b="last")), to("then"), meta=obj(of=x("output.a"))),
                task(
                    "then", obj(a=x("names.a"), b=x("names.b"), c=x("names.c"), of=x("steps.first.meta.of")), to("end")
                ),
                step("end", Compute(x("latest.output")), port="success"),
                initial=obj(c="set"),
                lookup=(("vars",), ("input",), ("latest", "output")),
                written=(("names.a", "a"), ("names.b", "b")),
            ),
        ),
        {"a": "given"},
        ends={"main": End(output={"a": "given", "b": "last", "c": "set", "of": "last"})},
    ),
    Scenario(
        "a value is computed from input and outputs",
        (
            flow(
                step("sum", Compute(x("input.prices.reduce((a, b) => a + b, 0)")), to("tell")),
                task(
                    "tell",
                    obj(text=text("it is ", x("steps.sum.output"), "!"), all=arr(x("input.prices"), 1)),
                    to("end"),
                ),
                step("end", Compute(x("last.output.text + ' ' + last.step"))),
            ),
        ),
        {"prices": [1, 2, 3.5]},
        ends={"main": End(output="it is 6.5! tell")},
    ),
    Scenario(
        "variables are set in order, and a later one sees the earlier",
        (
            flow(
                step(
                    "set",
                    SetVariables((("a", x("input.n + 1")), ("b", x("vars.a * 2")), ("c", x("vars.none")))),
                    to("show"),
                ),
                step("show", Compute(x("vars"))),
                initial=obj(b=0, z="first"),
            ),
        ),
        {"n": 1},
        ends={"main": End(output={"a": 2, "b": 4, "z": "first"})},
        restate=True,
    ),
    Scenario(
        "a step assigns and drops variables, and keeps no output",
        (
            flow(
                task("get", k({}), to("show"), assign=obj(kept=x("output.a")), unassign=k(["gone"]), keep_output=False),
                step("show", Compute(obj(vars=x("vars"), output=x("steps.get.output")))),
                initial=obj(gone=1, stays=2),
            ),
        ),
        answers=(Answers("get", (Returns({"a": "yes", "b": "no"}),)),),
        ends={"main": End(output={"vars": {"kept": "yes", "stays": 2}, "output": None})},
    ),
    Scenario(
        "a reserved variable is left out of the first ones",
        (flow(step("show", Compute(x("vars"))), initial=x("input"), reserved=("_secret",)),),
        {"_secret": 1, "open": 2},
        ends={"main": End(output={"open": 2})},
    ),
    Scenario(
        "a name of its own is seen by its step alone",
        (
            flow(
                task("ask", obj(who=x("local.name")), to("after"), locals=obj(name=x("input.name + '!'"))),
                step("after", Compute(x("local.name ?? 'nobody'"))),
            ),
        ),
        {"name": "ann"},
        ends={"main": End(output="nobody")},
    ),
    Scenario(
        "a large value is kept in pieces and comes back whole",
        (
            flow(
                task("make", x("input.text"), to("use")),
                task("use", obj(again=x("steps.make.output.text"), input=x("input.text")), to("end")),
                step("end", Compute(x("[last.output.again == last.output.input, last.output.again.length]"))),
            ),
        ),
        {"text": LARGE},
        (Answers("make", (Returns({"text": LARGE}),)),),
        ends={"main": End(output=[True, len(LARGE)])},
    ),
    Scenario(
        "a large output of many rows is the output of the execution",
        (flow(task("rows")),),
        answers=(Answers("rows", (Returns(LARGE_ROWS),)),),
        ends={"main": End(output=LARGE_ROWS)},
    ),
    Scenario(
        "every writing comes back as it went in",
        (flow(task("echo", x("input")), initial=obj(v=x("input"))),),
        WRITINGS,
        ends={"main": End(output=WRITINGS)},
    ),
    Scenario(
        "NUL comes back as the replacement character",
        (flow(task("nul")),),
        answers=(Answers("nul", (Returns({"nul\x00key": "a\x00b"}),)),),
        ends={"main": End(output={"nul\ufffdkey": "a\ufffdb"})},
    ),
    Scenario(
        "numbers come back as they went in",
        (flow(task("echo", x("input"))),),
        NUMBERS,
        ends={"main": End(output=NUMBERS)},
    ),
    Scenario(
        "a deep value comes back whole",
        (flow(task("echo", x("input"))),),
        deep(150),
        ends={"main": End(output=deep(150))},
    ),
    Scenario(
        "a secret is sealed in the input of a task",
        (flow(task("call", obj(token=x("secrets.TOKEN"), header=x("'Bearer ' + secrets.TOKEN"), who=x("input.who")))),),
        {"who": "ann"},
        ends={"main": End(output={"token": "***", "header": "Bearer ***", "who": "ann"})},
        secrets={"TOKEN": "hunter2-hunter2"},
        restate=True,
    ),
    Scenario(
        "a workflow calls a secret by a name of its own",
        (flow(task("call", obj(token=x("secrets.KEY"))), secrets=(SecretOf("KEY", "TOKEN"),)),),
        ends={"main": End(output={"token": "***"})},
        secrets={"TOKEN": "hunter2-hunter2"},
    ),
    Scenario(
        "an output that cannot be computed fails the execution",
        (flow(step("a", Compute()), output=x("input.a.map(each => each)")),),
        {"a": 5},
        ends={"main": End("failed", code="EXPRESSION")},
    ),
)
