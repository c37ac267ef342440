"""What semantics §4 says of the graph dialect, case by case, as somebody sees it who types `perdure run --json`."""

from __future__ import annotations

from typing import Any

from run.errors import ERRORS
from run.missing import MISSING
from run.words import Case, graph

PATHS = (
    Case("a trigger alone", graph("", {"start": "MANUAL_TRIGGER"}), {"x": 1}, output={"x": 1}),
    Case("no input is an empty context", graph("start > a"), output={"a": True}),
    Case("a line", graph("start > a; a > b; b > c"), {"x": 1}, output={"x": 1, "a": True, "b": True, "c": True}),
    Case("no trigger: the root", graph("a > b"), output={"a": True, "b": True}),
    Case(
        "no root: the first node",
        graph("a > b; b > a", {"a": "COUNT", "b": ("AGAIN", {"until": 1})}),
        output={"n": 1},
    ),
    Case("a trigger before other roots", graph("other > b; start > a"), output={"a": True}),
    Case(
        "a trigger that the settings name, before other roots",
        graph("other > b; hook > a", {"other": "SEES", "hook": "COUNT"}, triggers=["COUNT"]),
        output={"n": 1, "a": True},
    ),
    Case(
        "a trigger by its executor, before other roots",
        graph("other > b; hook > a", {"other": "SEES", "hook": "ARRIVES"}),
        output={"arrived": True, "a": True},
    ),
    Case(
        "a trigger that the settings name, for what says its type",
        graph("start > b; hook > a", {"hook": "COUNT"}, triggers=["COUNT"]),
        {"_trigger": {"type": "COUNT"}},
        output={"_trigger": {"type": "COUNT"}, "n": 1, "a": True},
    ),
    Case(
        "a trigger by its executor, for what says its type",
        graph("start > b; hook > a", {"hook": "ARRIVES"}),
        {"_trigger": {"type": "ARRIVES"}},
        output={"_trigger": {"type": "ARRIVES"}, "arrived": True, "a": True},
    ),
    Case("a function that is not async", graph("start > a", {"a": ("SYNC_ADD", {"v": 2})}), output={"v": 2}),
    Case(
        "an executor may change what it was given",
        graph("start > a", {"a": ("MUTATE", {"v": 2})}),
        {"list": ["given"]},
        output={"list": ["given", "mutated"], "v": 2},
    ),
    Case(
        "the trigger that fits what started it",
        graph("hook > a; start > b", {"hook": "WEBHOOK_TRIGGER", "start": "MANUAL_TRIGGER"}),
        {"_trigger": {"type": "MANUAL_TRIGGER"}},
        output={"_trigger": {"type": "MANUAL_TRIGGER"}, "b": True},
    ),
    Case(
        "MERGE is where arms meet",
        graph("start > a b; a > m; b > m; m > c", {"m": ("MERGE", {"mode": "combine"})}),
        output={"a": True, "b": True, "c": True},
    ),
    Case(
        "SET sets keys",
        graph("start > s", {"s": ("SET", {"values": {"a": 1, "b": "{{x}}"}})}),
        {"x": [2]},
        output={"x": [2], "a": 1, "b": [2]},
    ),
)

JOINS = (
    Case(
        "a diamond merges once",
        graph("start > a b; a > n; b > n", {"n": "COUNT"}),
        output={"a": True, "b": True, "n": 1},
    ),
    Case(
        "an uneven merge waits for the longer arm",
        graph("start > a b; a > a2; a2 > n; b > n", {"n": "COUNT", "a": ("SLOW", {"set": {"a": True}})}),
        output={"a": True, "a2": True, "b": True, "n": 1},
    ),
    Case(
        "a merge behind a branch not taken does not hang",
        graph("start > i; i.true > a; i.false > b; a > m; b > m", {"i": ("IF_ELSE", {"expression": "x > 1"})}),
        {"x": 2},
        output={"x": 2, "a": True, "m": True},
    ),
    Case(
        "join any goes on with the first",
        graph("start > a b; a > n; b > n", {"b": ("SLOW", {"set": {"b": True}}), "n": ("COUNT", {"@join": "any"})}),
        output={"a": True, "b": True, "n": 1},
    ),
    Case(
        "toInput tells which input got what",
        graph("start > a b; a > i:left; b > i:right", {"i": "INPUTS"}),
        output={"a": True, "b": True, "inputs": {"left": {"a": True}, "right": {"b": True}}},
    ),
    Case(
        "branches see their ancestors only",
        graph("start > a b; a > sa; b > sb", {"a": ("SLOW", {"set": {"a": 1}}), "sa": "SEES", "sb": "SEES"}),
        {"x": 0},
        output={
            "x": 0,
            "a": 1,
            "b": True,
            "sa": {"context": {"x": 0, "a": 1}, "data": {}},
            "sb": {"context": {"x": 0, "b": True}, "data": {}},
        },
    ),
    Case(
        "sequential: one shared context, one by one",
        graph("start > a b; a > c; b > d; c > m; d > m", {"d": "SEES"}, sequential=True),
        output={
            "a": True,
            "b": True,
            "c": True,
            "d": {"context": {"a": True, "b": True, "c": True}, "data": {}},
            "m": True,
        },
    ),
)


def _if(name: str, condition: dict[str, Any], given: dict[str, Any], branch: str) -> Case:
    document = graph("start > i; i.true > yes; i.false > no", {"i": ("IF_ELSE", {"condition": condition})})
    return Case(f"IF_ELSE {name}", document, given, output={**given, "yes" if branch == "true" else "no": True})


def _operator(operator: str, value: Any, holds: Any, fails: Any) -> tuple[Case, Case]:
    condition = {"field": "v", "operator": operator, "value": value}
    return (
        _if(f"{operator} holds", condition, {"v": holds}, "true"),
        _if(f"{operator} does not hold", condition, {"v": fails}, "false"),
    )


BRANCHES = (
    *_operator("eq", "Gold", "gold", "silver"),
    *_operator("neq", "gold", "silver", "GOLD"),
    *_operator("gt", 5, 6, 5),
    *_operator("gte", 5, 5, 4),
    *_operator("lt", 5, 4, 5),
    *_operator("lte", 5, 5, 6),
    *_operator("contains", "ell", "hello", "world"),
    *_operator("in", ["a", "b"], "b", "c"),
    _if("exists", {"field": "v", "operator": "exists"}, {"v": 0}, "true"),
    _if("does not exist", {"field": "v", "operator": "exists"}, {"w": 0}, "false"),
    _if("not_exists", {"field": "v", "operator": "not_exists"}, {"w": 0}, "true"),
    _if("not_exists of what is there", {"field": "v", "operator": "not_exists"}, {"v": 0}, "false"),
    _if("eq of numbers", {"field": "v", "operator": "eq", "value": 5}, {"v": 5}, "true"),
    _if("a field by a path", {"field": "a.b.c", "operator": "gt", "value": 1}, {"a": {"b": {"c": 2}}}, "true"),
    _if("a path that leads nowhere", {"field": "a.b.c", "operator": "gt", "value": 1}, {"a": None}, "false"),
    _if("contains in an array", {"field": "v", "operator": "contains", "value": 2}, {"v": [1, 2]}, "true"),
    Case(
        "IF_ELSE without a condition is true",
        graph("start > i; i.true > yes; i.false > no", {"i": "IF_ELSE"}),
        output={"yes": True},
    ),
    Case(
        "IF_ELSE by an expression",
        graph(
            "start > i; i.true > yes; i.false > no",
            {"i": ("IF_ELSE", {"expression": "items.length > 1 && name|upper == 'ANN'"})},
        ),
        {"items": [1, 2], "name": "Ann"},
        output={"items": [1, 2], "name": "Ann", "yes": True},
    ),
    *(
        Case(
            f"SWITCH {plan}",
            graph(
                "start > s; s.fast > quick; s.slow > cheap; s.rest > other",
                {
                    "s": (
                        "SWITCH",
                        {"expression": "plan", "cases": {"gold": "fast", "silver": "slow"}, "default": "rest"},
                    )
                },
            ),
            {"plan": plan},
            output={"plan": plan, taken: True},
        )
        for plan, taken in (("gold", "quick"), ("silver", "cheap"), ("none", "other"))
    ),
    Case(
        "SWITCH without a match and without a default ends the path",
        graph("start > s; s.one > a", {"s": ("SWITCH", {"expression": "v", "cases": {"1": "one"}})}),
        {"v": 2},
        output={"v": 2},
    ),
    Case(
        "SWITCH by a number",
        graph("start > s; s.one > a", {"s": ("SWITCH", {"expression": "v", "cases": {"1": "one"}})}),
        {"v": 1},
        output={"v": 1, "a": True},
    ),
    Case(
        "_branch takes that output only",
        graph("start > b; b.left > l; b.right > r; b > m", {"b": ("BRANCH", {"to": "right"})}),
        output={"r": True},
    ),
    Case(
        "_branch to nowhere ends the path", graph("start > b; b > m", {"b": ("BRANCH", {"to": "nowhere"})}), output={}
    ),
    Case("no branch: main", graph("start > a; a > m; a.error > e"), output={"a": True, "m": True}),
    Case(
        "no branch and no main: source-1",
        graph("start > a; a.source-1 > s; a.error > e"),
        output={"a": True, "s": True},
    ),
    Case("no branch: the only output", graph("start > a; a.out > o"), output={"a": True, "o": True}),
    Case(
        "no branch, and several outputs of other names: the path ends",
        graph("start > a; a.one > o; a.two > t"),
        output={"a": True},
    ),
)

WAITS = (
    Case(
        "WAIT waits and leaves the context alone",
        graph("start > w; w > a", {"w": ("WAIT", {"amount": 0.05, "unit": "seconds"})}),
        output={"a": True},
    ),
    Case(
        "WAIT_UNTIL the past is no wait",
        graph("start > w; w > a", {"w": ("WAIT_UNTIL", {"timestamp": "2020-01-01T00:00:00Z"})}),
        output={"a": True},
    ),
    Case(
        "_wait of an executor",
        graph("start > w; w > a", {"w": ("WAITS", {"_wait": {"seconds": 0.05, "label": "tea"}})}),
        output={"a": True},
    ),
    Case(
        "_waitUntil the past is no wait",
        graph("start > w; w > a", {"w": ("WAITS", {"_waitUntil": {"timestamp": "2020-01-01T00:00:00Z"}})}),
        output={"a": True},
    ),
    Case(
        "control keys in the input are taken off",
        graph("start > a"),
        {"_branch": "x", "_wait": {"seconds": 9}, "y": 1},
        output={"a": True, "y": 1},
    ),
    Case(
        "a wait in one branch does not hold up the others",
        graph("start > w b; w > a; b > c", {"w": ("WAIT", {"amount": 0.05, "unit": "seconds"})}),
        output={"a": True, "b": True, "c": True},
    ),
    Case(
        "a long wait is shown as such",
        graph("start > w; w > a", {"w": ("WAIT", {"amount": 2, "unit": "hours"})}),
        exit=3,
        arguments=("--timeout", "0.5"),
        view={"status": "WAITING", "waitingAtNodeId": "w"},
    ),
    Case(
        "the label of a wait",
        graph("start > w; w > a", {"w": ("WAITS", {"_wait": {"seconds": 3600, "label": "tea"}})}),
        exit=3,
        arguments=("--timeout", "0.5"),
        view={"status": "WAITING", "waitingAtNodeId": "w"},
    ),
)

CYCLES = (
    Case(
        "a cycle really loops",
        graph("start > c; c > g; g.again > c; g.done > end", {"c": "COUNT", "g": ("AGAIN", {"until": 4})}),
        output={"n": 4, "end": True},
    ),
    Case(
        "each pass counts toward the limit",
        graph("start > c; c > g; g.again > c", {"c": "COUNT", "g": ("AGAIN", {"until": 1_000})}),
        exit=1,
        says=("50",),
        view={"status": "FAILED"},
    ),
    Case(
        "maxNodes is the limit",
        graph("start > a; a > b; b > c", maxNodes=3),
        exit=1,
        says=("3",),
        view={"status": "FAILED"},
    ),
    Case("as many as maxNodes", graph("start > a; a > b", maxNodes=3), output={"a": True, "b": True}),
    Case("strict refuses cycles", graph("start > a; a > b; b > a", strict=True), exit=2, says=("cycle", "a", "b")),
    Case(
        "more than fifty with a limit of more",
        graph(
            "start > c; c > g; g.again > c; g.done > end", {"c": "COUNT", "g": ("AGAIN", {"until": 60})}, maxNodes=200
        ),
        output={"n": 60, "end": True},
    ),
)

CONTEXT = (
    Case(
        "an absent key is deleted",
        graph("start > d; d > a", {"d": ("DROP", {"keys": ["x"]})}),
        {"x": 1, "y": 2},
        output={"y": 2, "a": True},
    ),
    Case(
        "a deletion stays deleted where arms meet",
        graph("start > d a; d > m; a > m", {"d": ("DROP", {"keys": ["x"]})}),
        {"x": 1},
        output={"a": True, "m": True},
    ),
    Case(
        "of two writers the later in the graph wins",
        graph(
            "start > near step; step > far; near > m; far > m",
            {"near": ("SLOW", {"set": {"x": "near"}}), "far": ("ADD", {"x": "far"})},
        ),
        output={"x": "far", "step": True, "m": True},
    ),
    Case(
        "a template keeps its type",
        graph("start > s", {"s": ("ADD", {"copy": "{{x}}"})}),
        {"x": {"y": [1, None]}},
        output={"x": {"y": [1, None]}, "copy": {"y": [1, None]}},
    ),
    Case(
        "a template in text",
        graph("start > s", {"s": ("ADD", {"t": "Hello {{name}}, {{n + 1}}!"})}),
        {"name": "Ann", "n": 1},
        output={"name": "Ann", "n": 1, "t": "Hello Ann, 2!"},
    ),
    Case(
        "what is undefined drops its key",
        graph("start > s", {"s": ("ADD", {"t": "{{nobody.knows}}", "u": 1})}),
        {},
        output={"u": 1},
    ),
    Case(
        "what a template made is data",
        graph("start > s", {"s": ("ADD", {"t": "{{x}}"})}),
        {"x": "{{ y }}", "y": 1},
        output={"x": "{{ y }}", "y": 1, "t": "{{ y }}"},
    ),
    Case(
        "an escaped template",
        graph("start > s", {"s": ("ADD", {"t": "\\{{x}}"})}),
        {"x": 1},
        output={"x": 1, "t": "{{x}}"},
    ),
    Case(
        "a deep template",
        graph("start > s", {"s": ("ADD", {"t": {"a": [{"b": "{{x.y}}"}]}})}),
        {"x": {"y": 7}},
        output={"x": {"y": 7}, "t": {"a": [{"b": 7}]}},
    ),
)

FAILURES = (
    Case(
        "a failing node fails the execution",
        graph("start > b; b > a", {"b": ("BREAKS", {"message": "no more stock"})}),
        exit=1,
        says=("no more stock",),
        error={"retriable": False},
        view={"status": "FAILED", "output": None, "currentNodeId": None},
    ),
    Case(
        "siblings that have started end, and nothing new starts",
        graph("start > b s; b > x; s > y", {"b": "BREAKS", "s": "SLOW"}),
        exit=1,
        says=("broken on purpose",),
    ),
    Case(
        "a retry",
        graph(
            "start > f", {"f": ("FLAKY", {"until": 3, "@retry": {"maxAttempts": 3, "delay": 10, "strategy": "fixed"}})}
        ),
        output={"attempts": 3},
    ),
    Case(
        "not enough retries",
        graph("start > f", {"f": ("FLAKY", {"until": 3, "@retry": {"maxRetries": 1, "backoffMs": 10}})}),
        exit=1,
        says=("attempt 2 fails",),
    ),
    Case("a timeout", graph("start > h", {"h": ("HANGS", {"@timeout": 50})}), exit=1, error={"category": "TIMEOUT"}),
    Case("nobody has this type", graph("start > q", {"q": "QUANTUM"}), exit=1, says=("QUANTUM",)),
    Case("an executor that returns nothing", graph("start > n", {"n": "NOTHING"}), exit=1, says=("context",)),
    Case("an executor that returns a list", graph("start > n", {"n": "A_LIST"}), exit=1, says=("list",)),
    Case("an executor that returns what is not JSON", graph("start > n", {"n": "NOT_JSON"}), exit=1, says=("JSON",)),
    Case(
        "an expression that cannot be computed",
        graph("start > s", {"s": ("SET", {"values": {"x": "{{ v.toUpperCase() }}"}})}),
        {"v": 1},
        exit=1,
        says=("toUpperCase",),
    ),
    Case(
        "checkpoints are kept over attempts",
        graph("start > c", {"c": ("CHECKPOINTS", {"@retry": {"maxAttempts": 2, "delay": 10}})}),
        output={"pages": ["first in attempt 1", "second in attempt 2"], "called": ["second"]},
    ),
    Case("publish", graph("start > p", {"p": "PUBLISHES"}), output={"told": True}),
)

CHILD = graph("start > c", {"c": ("ADD", {"child": "{{x}}"})}, name="child")

CHILDREN = (
    Case(
        "RUN_WORKFLOW that is waited for",
        graph(
            "start > r",
            {
                "r": (
                    "RUN_WORKFLOW",
                    {"workflowId": "child", "input": {"x": "{{v}}"}, "wait": True, "variableName": "answer"},
                )
            },
        ),
        {"v": 5},
        beside=(CHILD,),
        output={"v": 5, "answer": {"x": 5, "child": 5, "_trigger": {"type": "WORKFLOW_TRIGGER", "depth": 1}}},
    ),
    Case(
        "RUN_WORKFLOW that fails",
        graph("start > r", {"r": ("RUN_WORKFLOW", {"workflowId": "child", "wait": True, "variableName": "answer"})}),
        beside=(graph("start > b", {"b": ("BREAKS", {"message": "the child broke"})}, name="child"),),
        exit=1,
        says=("the child broke",),
    ),
    Case(
        "RUN_WORKFLOW of nobody",
        graph("start > r", {"r": ("RUN_WORKFLOW", {"workflowId": "nobody", "wait": True})}),
        exit=1,
        says=("nobody",),
    ),
)

VIEWS = (
    Case(
        "all fields of the seed's Execution",
        graph("start > a"),
        {"x": 1},
        output={"x": 1, "a": True},
        view={
            "status": "SUCCESS",
            "triggerType": "MANUAL_TRIGGER",
            "triggerDepth": 0,
            "currentNodeId": None,
            "waitingAtNodeId": None,
            "nextStepAt": None,
            "output": {"x": 1, "a": True},
            "error": None,
            "errorStack": None,
        },
    ),
    Case(
        "the trigger of the input",
        graph("start > a"),
        {"_trigger": {"type": "WEBHOOK_TRIGGER", "depth": 2}},
        output={"_trigger": {"type": "WEBHOOK_TRIGGER", "depth": 2}, "a": True},
        view={"triggerType": "WEBHOOK_TRIGGER", "triggerDepth": 2},
    ),
    Case(
        "a depth that is no number",
        graph("start > a"),
        {"_trigger": {"depth": "deep"}},
        output={"_trigger": {"depth": "deep"}, "a": True},
        view={"triggerType": "MANUAL_TRIGGER", "triggerDepth": 0},
    ),
)


def _refused(name: str, document: Any, *says: str) -> Case:
    return Case(f"refused: {name}", document, exit=2, says=says)


def _with(document: Any, **changes: Any) -> Any:
    return {**document, **changes}


LINE = graph("start > a")

REFUSED = (
    Case(
        "settings.triggers that is no list of types",
        graph("start > a", triggers=["COUNT", 7, ""]),
        exit=2,
        says=("/settings/triggers/1", "/settings/triggers/2", "the type of a node"),
    ),
    _refused(
        "an edge to a node that is missing",
        _with(LINE, connections=[{"fromNodeId": "start", "toNodeId": "b"}]),
        "b",
        "/connections/0/toNodeId",
    ),
    _refused(
        "an edge from a node that is missing",
        _with(LINE, connections=[{"fromNodeId": "b", "toNodeId": "a"}]),
        "b",
        "/connections/0/fromNodeId",
    ),
    _refused("two nodes of one id", _with(LINE, nodes=[*LINE["nodes"], LINE["nodes"][0]]), "start", "/nodes/2/id"),
    _refused("nodes that are no list", _with(LINE, nodes={"a": 1}), "/nodes"),
    _refused("connections that are no list", _with(LINE, connections="a > b"), "/connections"),
    _refused("a node without a type", _with(LINE, nodes=[{"id": "start"}], connections=[]), "/nodes/0", "type"),
    _refused("a node without an id", _with(LINE, nodes=[{"type": "SET"}], connections=[]), "/nodes/0", "id"),
    _refused(
        "data that is no object",
        _with(LINE, nodes=[{"id": "s", "type": "SET", "data": [1]}], connections=[]),
        "/nodes/0/data",
    ),
    _refused(
        "an expression that is not in the language",
        graph("start > s", {"s": ("SET", {"values": {"x": "{{ a +* b }}"}})}),
        "/nodes",
    ),
    _refused(
        "an operator that does not exist",
        graph("start > i", {"i": ("IF_ELSE", {"condition": {"field": "x", "operator": "equals", "value": 1}})}),
        "equals",
        "eq",
    ),
    _refused(
        "a unit that does not exist",
        graph("start > w", {"w": ("WAIT", {"amount": 1, "unit": "fortnights"})}),
        "fortnights",
        "days",
    ),
    _refused("WAIT_UNTIL without a time", graph("start > w", {"w": "WAIT_UNTIL"}), "timestamp"),
    _refused("SWITCH without an expression", graph("start > s", {"s": ("SWITCH", {"cases": {}})}), "expression"),
    _refused(
        "HTTP_REQUEST without an endpoint",
        graph("start > h", {"h": ("HTTP_REQUEST", {"variableName": "x"})}),
        "endpoint",
    ),
    _refused("RUN_WORKFLOW without a workflow", graph("start > r", {"r": "RUN_WORKFLOW"}), "workflowId"),
    _refused("a limit that is no number", graph("start > a", maxNodes="many"), "maxNodes"),
    _refused("a dialect that does not exist", _with(LINE, dialect="grapf"), "grapf", "graph"),
    _refused("no dialect fits", {"name": "x"}, "nodes"),
    _refused("an array", [1, 2], "object"),
    _refused(
        "all problems at once",
        _with(LINE, nodes=[{"id": "a"}, {"id": "a", "type": 7}], connections=[{"fromNodeId": "x", "toNodeId": "y"}]),
        "/nodes/0",
        "/nodes/1",
        "/connections/0/fromNodeId",
        "/connections/0/toNodeId",
    ),
    Case("refused: an input that is no object", graph("start > a"), [1], exit=2, says=("object",)),
)

CASES = (
    *PATHS,
    *JOINS,
    *BRANCHES,
    *WAITS,
    *CYCLES,
    *CONTEXT,
    *FAILURES,
    *CHILDREN,
    *VIEWS,
    *REFUSED,
    *MISSING,
    *ERRORS,
)
