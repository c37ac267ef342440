"""Where several rules meet."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import TEXT, Holding
from run.ports.words import action, breaks, condition, echo, flow, loop, output, sets, step, trigger

INTERNAL = {
    name: {"id": name} for name in ("vars", "names", "latest", "execution", "local", "trigger", "event", "output")
}


def _reads(name: str, data: dict[str, Any], comes: dict[str, Any], given: Any = None) -> Case:
    return Case(f"corner: {name}", flow(echo("first", "a", last="last"), echo("a", **data)), given, output=comes)


CORNERS: tuple[Case, ...] = (
    _reads(
        "names that the engine has inside are names like others",
        {name: "{{" + name + ".id}}" for name in INTERNAL},
        {name: name for name in INTERNAL},
        INTERNAL,
    ),
    _reads(
        "parameters of arrow functions hide names",
        {
            "input": "{{ l.map(input => input + 1) }}",
            "steps": "{{ l.filter(steps => steps > 1) }}",
            "own": "{{ l.map(x => x + y) }}",
            "deep": "{{ l.map(x => l.map(y => x * y)) }}",
        },
        {"input": [2, 3], "steps": [2], "own": [11, 12], "deep": [[1, 2], [2, 4]]},
        {"l": [1, 2], "x": 5, "y": 10},
    ),
    _reads(
        "literals",
        {"object": "{{ {n, m: n + 1, 'a-b': l} }}", "text": "{{ `n is ${n}` }}", "array": "{{ [n, ...l] }}"},
        {"object": {"n": 5, "m": 6, "a-b": [1]}, "text": "n is 5", "array": [5, 1]},
        {"n": 5, "l": [1]},
    ),
    _reads(
        "all steps at once",
        {"slugs": "{{ Object.keys(steps) }}", "first": "{{ steps[which].output.data.last }}"},
        {"slugs": ["first"], "first": "last"},
        {"which": "first"},
    ),
    _reads(
        "all of workflow",
        {
            "id": "{{ workflow.executionId }}",
            "keys": "{{ Object.keys(workflow).includes('variables') }}",
            "all": "{{ workflow.variables }}",
        },
        {"id": TEXT, "keys": True, "all": {"x": 1}},
        {"x": 1},
    ),
    _reads(
        "no loop anywhere",
        {"a": "{{loop.item}}", "b": "{{loop ?? 'none'}}", "c": "{{loop.parent.item ?? 'none'}}"},
        {"b": "none", "c": "none"},
    ),
    Case(
        "corner: nothing has run yet",
        flow(echo("a", last="{{lastOutput ?? 'none'}}", steps="{{steps}}", output="{{workflow.output ?? 'none'}}")),
        output={"last": "none", "steps": {}, "output": "none"},
    ),
    Case(
        "corner: a task that came to null has an output all the same",
        flow(action("a", "nothing", {}, "b"), echo("b", last="{{lastOutput}}", data="{{steps.a.output.data}}")),
        output={"last": {"type": "action", "data": None}, "data": None},
        view={"variables.steps.a.output": {"type": "action", "data": None}},
    ),
    Case(
        "corner: a list of variables, later ones see earlier ones",
        flow(
            action(
                "s",
                "set_variables",
                {"variables": [{"name": "a", "value": 1}, {"name": "b", "value": "{{a + 1}}"}]},
                "r",
            ),
            echo("r", b="{{b}}"),
        ),
        output={"b": 2},
    ),
    Case(
        "corner: an inputMapping is nearer than an itemVariable",
        flow(
            loop(["a"], {"loop": "work"}, itemVariable="product"),
            {**sets("work", "each", seen="{{product}}"), "inputMapping": {"product": "{{ 'mine' }}"}},
        ),
        view={"variables.seen": "mine"},
    ),
    Case(
        "corner: an itemVariable of the outer loop in the inner one",
        flow(
            loop([[1, 2], [3]], {"loop": "inner", "done": "after"}, "outer", itemVariable="row", indexVariable="at"),
            loop("{{row}}", {"loop": "work", "done": "outer"}, "inner", itemVariable="cell"),
            sets("work", "inner", seen="{{seen.concat([[at, row.length, cell]])}}"),
            echo("after", seen="{{seen}}", row="{{row ?? 'gone'}}"),
            variables={"seen": []},
        ),
        output={"seen": [[0, 2, 1], [0, 2, 2], [1, 1, 3]], "row": "gone"},
    ),
    Case(
        "corner: an inner body that goes on with the outer loop",
        flow(
            loop([[1, 2], [3, 4]], {"loop": "inner", "done": "after"}, "outer"),
            loop("{{loop.item}}", {"loop": "work", "done": "outer"}, "inner"),
            sets("work", "outer", seen="{{seen.concat([loop.item])}}"),
            echo("after", seen="{{seen}}", ticks="{{loop.state.iterations}}"),
            variables={"seen": []},
        ),
        output={"seen": [1, 3], "ticks": 2},
    ),
    Case(
        "corner: strictPorts, and a loop whose end leads nowhere",
        flow(loop([1], {"loop": "work"}), echo("work", "each"), strictPorts=True),
        exit=1,
        says=("done", "each"),
    ),
    Case(
        "corner: attempts are counted anew in each tick",
        flow(
            loop([1, 2], {"loop": "work", "done": "after"}),
            action("work", "flaky", {"until": 2}, "note", retryPolicy={"maxRetries": 1, "backoffMs": 1}),
            sets("note", "each", seen="{{seen.concat([lastOutput.data.attempts])}}"),
            echo("after", seen="{{seen}}"),
            variables={"seen": []},
        ),
        output={"seen": [2, 2]},
    ),
    Case(
        "corner: what fails in an inner loop is taken by the outer one that goes on",
        flow(
            loop(
                [["good", "bad", "good"], ["good"]], {"loop": "inner", "done": "after"}, "outer", continueOnError=True
            ),
            loop("{{loop.item}}", {"loop": "work", "done": "outer"}, "inner"),
            action("work", "picky", {"item": "{{loop.item}}"}, "note"),
            sets("note", "inner", n="{{n + 1}}"),
            output("after", n="{{n}}", errors="{{steps.outer.output.meta.errors.map(error => error.message)}}"),
            variables={"n": 0},
        ),
        output={"n": 2, "errors": [Holding("this one is bad")]},
    ),
    Case(
        "corner: an inner loop over no array is an error of the outer tick",
        flow(
            loop([5, [1]], {"loop": "inner", "done": "after"}, "outer", continueOnError=True),
            loop("{{loop.item}}", {"done": "outer"}, "inner"),
            output(
                "after",
                n="{{steps.outer.output.meta.errors.length}}",
                last="{{steps.inner.output.data.state.totalItems}}",
            ),
        ),
        output={"n": 1, "last": 1},
    ),
    Case(
        "corner: errors of a loop are there while it runs",
        flow(
            loop(["bad", "good"], {"loop": "work", "done": "end"}, continueOnError=True),
            action("work", "picky", {"item": "{{loop.item}}"}, "note"),
            sets("note", "each", seen="{{steps.each.output.meta.errors.length}}"),
        ),
        view={"variables.seen": 1},
    ),
    Case(
        "corner: what went wrong, for whoever catches it",
        flow(breaks(leads={"error": "b"}), echo("b", why="{{steps.break.error.message}}")),
        output={"why": Holding("no more stock")},
    ),
    Case(
        "corner: an error port keeps the last output as it was",
        flow(echo("a", "break", x=1), breaks(leads={"error": "b"}), echo("b", v="{{lastOutput.data.x}}")),
        output={"v": 1},
        ran=("a", "b"),
    ),
    Case(
        "corner: a condition over a condition",
        flow(
            condition("{{x}} > 1", "one", {"default": "two"}),
            condition("{{lastOutput.data}}", "two", {"true": "yes", "false": "no"}),
            echo("yes"),
            echo("no"),
        ),
        {"x": 0},
        ran=("one", "two", "no"),
    ),
    Case(
        "corner: a condition of two kinds of results",
        flow(
            condition("({{a}} ?? false) || {{b}} == 1", leads={"true": "yes", "false": "no"}), echo("yes"), echo("no")
        ),
        {"b": 1},
        ran=("gate", "yes"),
    ),
    Case(
        "corner: an output step twice, the last that ran",
        flow(
            {**output("one", v=1), "nextSteps": {"success": "two"}},
            output("two", v=2),
        ),
        output={"v": 2},
    ),
    Case(
        "corner: an output step in its order, not that of the list",
        flow(
            trigger("two"),
            {**output("one", v=1)},
            {**output("two", v=2), "nextSteps": {"success": "one"}},
        ),
        output={"v": 1},
    ),
    Case(
        "corner: inputMapping over a task's input as a whole",
        flow(
            {
                **step("a", "action", {"type": "echo", "{{key}}": "{{value}}", "list": ["{{value}}", "{{nobody}}"]}),
                "inputMapping": {"key": "{{input.k}}", "value": "{{input.v}}"},
            }
        ),
        {"k": "name", "v": 5},
        output={"name": 5, "list": [5, None]},
    ),
    Case(
        "corner: unusual slugs",
        flow(
            echo("1st step", "ünï.çode", x=1),
            echo("ünï.çode", "true", x="{{steps['1st step'].output.data.x + 1}}"),
            echo("true", x="{{steps['ünï.çode'].output.data.x + 1}}"),
        ),
        output={"x": 3},
    ),
    Case(
        "refused: a secret as all secrets",
        flow(echo("a", x="{{secrets}}")),
        exit=2,
        says=("secret_misused", "/steps/0/config/parameters/x"),
    ),
    Case(
        "refused: a secret by a computed name",
        flow(echo("a", x="{{secrets[input.name]}}")),
        exit=2,
        says=("secret_misused", "/steps/0/config/parameters/x"),
    ),
)
