"""Connections from the output `error` of a node: taken when it has failed after its retries."""

from __future__ import annotations

from typing import Any

from run.expected import Holding
from run.words import Case, graph

_BREAKS = ("BREAKS", {"message": "no more stock"})
_CHILD = graph("start > b", {"b": ("BREAKS", {"message": "the child broke"})}, name="child")


def _error(message: Any = "no more stock", node: str = "b", code: str = "NonRetryable") -> dict[str, Any]:
    return {"message": message, "code": code, "nodeId": node}


ERRORS = (
    Case(
        "error output: taken when the node has failed",
        graph("start > b; b > m; b.error > e", {"b": _BREAKS}),
        {"x": 1},
        output={"x": 1, "e": True, "error": _error()},
        view={"status": "SUCCESS", "error": None},
    ),
    Case(
        "error output: the handler is given the error",
        graph("start > b; b.error > e", {"b": _BREAKS, "e": ("ADD", {"text": "{{error.nodeId}}: {{error.message}}"})}),
        output={"error": _error(), "text": "b: no more stock"},
    ),
    Case(
        "error output: only after the last retry",
        graph(
            "start > f; f > m; f.error > e", {"f": ("FLAKY", {"until": 3, "@retry": {"maxAttempts": 2, "delay": 1}})}
        ),
        output={"e": True, "error": _error("attempt 2 fails", "f", "RuntimeError")},
    ),
    Case(
        "error output: not if a retry succeeds",
        graph(
            "start > f; f > m; f.error > e", {"f": ("FLAKY", {"until": 2, "@retry": {"maxAttempts": 2, "delay": 1}})}
        ),
        output={"attempts": 2, "m": True},
    ),
    Case(
        "error output: the code of a timeout",
        graph("start > h; h.error > e", {"h": ("HANGS", {"@timeout": 20}), "e": ("ADD", {"why": "{{error.code}}"})}),
        output={
            "error": _error(Holding("20 ms"), "h", "TIMEOUT"),
            "why": "TIMEOUT",
        },
    ),
    Case(
        "error output alone: not taken by a node that succeeds",
        graph("start > a; a.error > e"),
        output={"a": True},
    ),
    Case(
        "error output alone: a built-in node that succeeds",
        graph("start > s; s.error > e", {"s": ("SET", {"values": {"x": "{{y}}"}})}),
        {"y": 1},
        output={"y": 1, "x": 1},
    ),
    Case(
        "error output: beside source-1",
        graph("start > a; a.source-1 > s; a.error > e", {"a": _BREAKS}),
        output={"e": True, "error": _error(node="a")},
    ),
    Case(
        "error output: several handlers",
        graph("start > b; b.error > e f", {"b": _BREAKS}),
        output={"e": True, "f": True, "error": _error()},
    ),
    Case(
        "error output: the paths meet again, once",
        graph("start > b; b > a; b.error > e; a > n; e > n", {"b": _BREAKS, "n": "COUNT"}),
        output={"e": True, "error": _error(), "n": 1},
    ),
    Case(
        "error output: siblings go on, and the join waits for both",
        graph("start > b s; b.error > e; e > n; s > n", {"b": _BREAKS, "s": ("SLOW", {"set": {"s": 1}}), "n": "COUNT"}),
        output={"e": True, "error": _error(), "s": 1, "n": 1},
    ),
    Case(
        "error output: a merge of main and error",
        graph("start > b; b > n; b.error > n", {"b": _BREAKS, "n": "COUNT"}),
        output={"error": _error(), "n": 1},
    ),
    Case(
        "error output: sequential",
        graph("start > b s; b > m; b.error > e", {"b": _BREAKS, "s": "COUNT"}, sequential=True),
        output={"n": 1, "e": True, "error": _error()},
    ),
    Case(
        "error output: back to an earlier node",
        graph(
            "start > n; n > s; s.error > n; s > m",
            {"n": "COUNT", "s": ("SET", {"values": {"x": "{{ n < 3 ? n.toUpperCase() : 'done' }}"}})},
        ),
        output={"n": 3, "x": "done", "m": True, "error": _error(Holding("toUpperCase"), "s", "EXPRESSION")},
    ),
    Case(
        "error output: a handler that fails",
        graph("start > b; b.error > e", {"b": _BREAKS, "e": ("BREAKS", {"message": "the handler broke"})}),
        exit=1,
        says=("the handler broke",),
    ),
    Case(
        "error output: a handler with a handler",
        graph(
            "start > b; b.error > e; e.error > f",
            {"b": _BREAKS, "e": ("BREAKS", {"message": "{{error.message}}, and worse"})},
        ),
        output={"f": True, "error": _error("no more stock, and worse", "e")},
    ),
    Case(
        "error output: another node that fails without one",
        graph("start > b c; b.error > e", {"b": _BREAKS, "c": ("BREAKS", {"message": "and no net"})}),
        exit=1,
        says=("and no net",),
    ),
    Case(
        "error output: named by an executor",
        graph("start > b; b > m; b.error > e", {"b": ("BRANCH", {"to": "error"})}),
        output={"e": True},
    ),
    Case(
        "error output: of the first node",
        graph("b > m; b.error > e", {"b": _BREAKS}),
        output={"e": True, "error": _error()},
    ),
    Case(
        "error output: of IF_ELSE",
        graph(
            "start > i; i.true > y; i.false > n; i.error > e",
            {"i": ("IF_ELSE", {"expression": "v.toUpperCase() == 'A'"}), "e": ("ADD", {"code": "{{error.code}}"})},
        ),
        {"v": 1},
        output={"v": 1, "code": "EXPRESSION", "error": _error(Holding("toUpperCase"), "i", "EXPRESSION")},
    ),
    Case(
        "error output: a SWITCH that names it",
        graph(
            "start > s; s.error > e",
            {"s": ("SWITCH", {"expression": "v", "cases": {"bad": "error"}})},
        ),
        {"v": "bad"},
        output={"v": "bad", "e": True},
    ),
    Case(
        "error output: of CODE",
        graph(
            "start > c; c > m; c.error > e",
            {"c": ("CODE", {"code": "export default (input) => { throw new Error('odd') }", "variableName": "r"})},
        ),
        output={"e": True, "error": _error(Holding("odd"), "c", "TRANSFORM_FAILED")},
    ),
    Case(
        "error output: of a workflow that fails",
        graph("start > r; r > m; r.error > e", {"r": ("RUN_WORKFLOW", {"workflowId": "child", "wait": True})}),
        beside=(_CHILD,),
        output={"e": True, "error": _error(Holding("the child broke"), "r")},
    ),
    Case(
        "error output: of a workflow that does not exist",
        graph("start > r; r > m; r.error > e", {"r": ("RUN_WORKFLOW", {"workflowId": "nobody"})}),
        output={"e": True, "error": _error(Holding("nobody"), "r", "UNKNOWN_WORKFLOW")},
    ),
    Case(
        "error output: of an approval whose time is over",
        graph(
            "start > a; a.approved > y; a.rejected > n; a.error > e",
            {"a": ("APPROVAL", {"dueDate": "PT0.01S", "onTimeout": "fail"}), "e": ("ADD", {"why": "{{error.code}}"})},
        ),
        output={"why": "TIMEOUT", "error": _error(Holding("approval"), "a", "TIMEOUT")},
    ),
    Case(
        "error output: an approval that is rejected has not failed",
        graph(
            "start > a; a.approved > y; a.rejected > n; a.error > e",
            {"a": ("APPROVAL", {"dueDate": "PT0.01S", "onTimeout": "reject"})},
        ),
        output={"n": True},
    ),
    Case(
        "error output: to an input",
        graph("start > b a; a > i:left; b > i:right; b.error > i:failed", {"b": _BREAKS, "i": "INPUTS"}),
        output={
            "a": True,
            "error": _error(),
            "inputs": {"left": {"a": True}, "failed": {"error": _error()}},
        },
    ),
    Case(
        "error output: the limit of nodes is not caught",
        graph("start > n; n > n; n.error > e", {"n": "COUNT"}, maxNodes=5),
        exit=1,
        says=("5 steps",),
    ),
    Case(
        "error output: a node that has the id of the part before",
        graph("start > b; b.error > b/error", {"b": _BREAKS}),
        output={"b/error": True, "error": _error()},
    ),
)
