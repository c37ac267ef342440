"""What a document may hold, and what is wrong with one: all of it, each with its place."""

from __future__ import annotations

from typing import Any

from run.case import Case, Judged
from run.expected import NUMBER, TEXT
from run.phases.words import CHILD, breaks, calls, echo, fires, flow, gives, sleeps

EVERYTHING = {
    "dialect": "phases",
    "id": "mailing",
    "name": "Mailing",
    "description": "Mails to all who are active",
    "status": "active",
    "inputSchema": {"type": "object", "properties": {"tenant": {"type": "string"}}},
    "timeout": "PT1H",
    "maxDepth": 3,
    "strictTypes": False,
    "steps": [
        [
            {
                "name": "fetch-users",
                "description": "All of them",
                "tool": {"connectionId": "api", "toolName": "list-users"},
                "input": {"tenant": "@input.tenant"},
                "retry": {"maxAttempts": 3, "backoffMs": 1},
                "timeout": 30_000,
            },
            {"name": "rest", "sleep": {"ms": 1}},
        ],
        [
            {
                "name": "greet",
                "tool": {"connectionId": "local", "toolName": "value"},
                "forEach": "@fetch-users.output.users",
                "as": "user",
                "maxIterations": 10,
                "concurrency": 2,
                "onError": "continue",
                "input": {"value": "Dear @user.name"},
            }
        ],
    ],
    "triggers": [
        {
            "workflowId": "child",
            "forEach": "@output",
            "inputs": {"text": "@item", "place": "@index"},
            "workflow_timeout_ms": 60_000,
            "max_retries": 1,
        }
    ],
}


def _refused(name: str, document: Any, *says: str) -> Case:
    return Case(f"refused: {name}", document, exit=2, says=("invalid_document", *says))


def _step(name: str, given: Any, *says: str) -> Case:
    return _refused(name, {"name": "case", "steps": [[echo("a")], [given], [echo("b")]]}, *says)


def _trigger(name: str, given: Any, *says: str) -> Case:
    return _refused(f"a trigger, {name}", flow(echo("a"), triggers=[given]), *says)


DOCUMENTS: tuple[Case, ...] = (
    Case(
        "all that a document can have",
        EVERYTHING,
        {"tenant": "acme"},
        output=["Dear Ann", "Dear Bob"],
        ran=("fetch-users", "rest", "greet"),
        view={"triggerStatus": "triggered", "triggeredExecutionIds.1": TEXT},
        beside=(CHILD,),
    ),
    Case(
        "a step that stands alone is a phase",
        {"name": "case", "steps": [echo("a", x=1), echo("b", y="@a.x")]},
        output={"y": 1},
    ),
    Case(
        "alone and together",
        {"name": "case", "steps": [echo("a", x=1), [echo("b", y=1), echo("c", z=2)]]},
        output={"b": {"y": 1}, "c": {"z": 2}},
        view={"steps.a.phase": 0, "steps.c.phase": 1},
    ),
    Case("by its dialect alone", {"dialect": "phases", "name": "case", "steps": []}, {"x": 1}, output=None, ran=()),
    Case("without a name", {"steps": [[echo("a", x=1)]]}, output={"x": 1}),
    Case(
        "an empty phase is passed by",
        flow(echo("a", x=1), [], echo("b", y="@a.x")),
        output={"y": 1},
        view={"steps.b.phase": 1},
    ),
    Case("nothing but empty phases", flow([], []), output=None, ran=()),
    Case("what others keep in a document is theirs", {**flow(echo("a", x=1)), "x-team": "ops"}, output={"x": 1}),
    Case("notes on a step are no one's business", flow({**echo("a", x=1), "color": "red", "x-y": 3}), output={"x": 1}),
    Case(
        "null is as good as nothing",
        flow({**echo("a", x=1), "forEach": None, "retry": None, "sleep": None}),
        output={"x": 1},
    ),
    Case("what the seed computes may stand there", {**flow(echo("a", x=1)), "_schemas": {"a": {}}}, output={"x": 1}),
    Case("a step of a name that no ref can have", flow(gives("step one", 1)), output=1, ran=("step one",)),
    Case(
        "steps with the names of our own",
        flow([gives("start", 1), gives("phase 0", 2)], calls("echo", "phase 1")),
        output={"start": 1, "phase 0": 2},
        ran=("start", "phase 0", "phase 1"),
    ),
    _refused("steps that are no list", {"dialect": "phases", "steps": 3}, "/steps", "'steps' must be an array, not 3"),
    _refused("no steps at all", {"dialect": "phases", "name": "case"}, "'steps' is missing"),
    _refused(
        "steps that are misspelt", {"dialect": "phases", "step": []}, "'steps' is missing", "is 'step' meant for it?"
    ),
    _step("a step that is none", 7, "/steps/1/0", "a step is an object, not a number"),
    _step("a phase in a phase", [echo("x")], "/steps/1/0", "a step is an object, not an array"),
    _step("no name", {"sleep": {"ms": 1}}, '"/steps/1/0"', "'name' is missing"),
    _step("a name that is misspelt", {"nmae": "x", "sleep": {"ms": 1}}, "is 'nmae' meant for it?"),
    _step("a name that is empty", sleeps("", ms=1), "/steps/1/0/name", "a text that is not empty"),
    _step("a name that is a number", {**echo("x"), "name": 5}, "/steps/1/0/name", "a text that is not empty, not 5"),
    _step("a name that is too long", echo("x" * 201), "/steps/1/0/name", "201", "200"),
    *(
        _step(f"a name that is taken by refs: {name}", echo(name), "/steps/1/0/name", f"'{name}'", "take another name")
        for name in ("input", "item", "index", "output", "ctx", "secrets")
    ),
    _step("a name twice", echo("a"), "/steps/1/0/name", "two steps have the name 'a'", "/steps/0/0"),
    _step("nothing to do", {"name": "x"}, '"/steps/1/0"', "one of 'tool', 'transform' and 'sleep'", "none of them"),
    _step("two things to do", {**echo("x"), "sleep": {"ms": 1}}, "this has 'tool' and 'sleep'"),
    _step(
        "three things to do", {**echo("x"), "sleep": {"ms": 1}, "transform": "x"}, "'tool' and 'transform' and 'sleep'"
    ),
    _step("a tool that is a text", {"name": "x", "tool": "echo"}, "/steps/1/0/tool", "an object, not 'echo'"),
    _step("a tool without a connection", {"name": "x", "tool": {"toolName": "echo"}}, "'connectionId' is missing"),
    _step("a tool without a name", {"name": "x", "tool": {"connectionId": "local"}}, "'toolName' is missing"),
    _step(
        "what steps are made of is no tool",
        calls("perdure.transform", "x"),
        "/steps/1/0/tool/toolName",
        "a part of steps",
    ),
    _step("an input that is a number", {**echo("x"), "input": 5}, "/steps/1/0/input", "an object, or one ref, not 5"),
    _step("an input that is a list", {**echo("x"), "input": [1]}, "/steps/1/0/input", "an object, or one ref"),
    _step("an input that is a text with a ref in it", {**echo("x"), "input": "of @a"}, "an object, or one ref"),
    _step("a sleep that is a number", {"name": "x", "sleep": 5}, "/steps/1/0/sleep", "an object, not 5"),
    _step("a timeout that is none", {**echo("x"), "timeout": "soon"}, "/steps/1/0/timeout", "PT5M", "'soon'"),
    _step("a timeout of nothing", {**echo("x"), "timeout": 0}, "/steps/1/0/timeout", "more than 0 milliseconds"),
    _refused("a status that is none", flow(echo("a"), status="activ"), "/status", "did you mean 'active'"),
    _refused("triggers that are no list", flow(echo("a"), triggers={}), "/triggers", "an array, not an object"),
    _refused("a timeout of the whole that is none", flow(echo("a"), timeout=-1), "/timeout"),
    _refused("a schema that is none", flow(echo("a"), inputSchema={"type": "text"}), "/inputSchema/type"),
    _refused("a depth that is none", flow(echo("a"), maxDepth=-1), "/maxDepth", "a whole number from 0 up, not -1"),
    _refused("strictTypes that is a text", flow(echo("a"), strictTypes="yes"), "/strictTypes", "true or false"),
    _trigger("that is none", "child", "/triggers/0", "a trigger is an object"),
    _trigger("without a workflow", {"inputs": {}}, "/triggers/0", "'workflowId' is missing", "trigger-0"),
    _trigger("without inputs", {"workflowId": "child"}, "/triggers/0", "'inputs' is missing"),
    _trigger("inputs that are a list", {"workflowId": "child", "inputs": []}, "/triggers/0/inputs", "an object"),
    _trigger("forEach that is a list", {**fires("child"), "forEach": [1]}, "/triggers/0/forEach", "a ref to an array"),
    _trigger("retries less than none", fires("child", settings={"max_retries": -1}), "/triggers/0/max_retries"),
    _trigger("a timeout of nothing", fires("child", settings={"workflow_timeout_ms": 0}), "workflow_timeout_ms"),
)

JUDGED: tuple[Judged, ...] = (
    Judged(
        "all that is wrong, at once",
        {
            "name": "case",
            "steps": [
                [echo("a"), echo("a")],
                [{"name": "two", "sleep": {"ms": 1}, "transform": "x"}, {"name": "none"}],
                [sleeps("nap"), {**sleeps("tries", ms=1), "retry": {}}, calls("api/list-user", "lists")],
                [echo("reads", x="@nobody.output", y=["@later.x"]), calls("email/send-batch", "sends", input={})],
                [calls("email/send-batch", "later", input={"recipients": 7})],
            ],
            "triggers": [fires("child", n="@item"), {"inputs": {}}],
        },
        problems=(
            {"type": "invalid_document", "step": "a", "field": "name", "path": "/steps/0/1/name", "line": NUMBER},
            {"type": "invalid_document", "step": "two", "path": "/steps/1/0", "field": "sleep"},
            {"type": "invalid_typescript", "step": "two", "path": "/steps/1/0/transform", "field": "transform"},
            {"type": "invalid_document", "step": "none", "path": "/steps/1/1"},
            {"type": "invalid_document", "step": "nap", "field": "sleep", "path": "/steps/2/0/sleep"},
            {"type": "invalid_document", "step": "tries", "field": "retry", "path": "/steps/2/1/retry"},
            {
                "type": "missing_schema",
                "step": "lists",
                "field": "tool",
                "path": "/steps/2/2/tool",
                "ref": "api/list-user",
            },
            {
                "type": "missing_ref",
                "step": "reads",
                "field": "x",
                "ref": "@nobody.output",
                "path": "/steps/3/0/input/x",
            },
            {"type": "missing_ref", "step": "reads", "field": "y.0", "ref": "@later.x", "path": "/steps/3/0/input/y/0"},
            {"type": "type_mismatch", "step": "sends", "field": "recipients", "path": "/steps/3/1/input"},
            {
                "type": "type_mismatch",
                "step": "later",
                "field": "recipients",
                "path": "/steps/4/0/input/recipients",
                "expected": {"type": "array", "items": {"type": "string"}},
                "actual": {"const": 7},
                "message": "Expected string[] but got 7",
            },
            {"type": "missing_ref", "step": "trigger-0", "field": "n", "path": "/triggers/0/inputs/n"},
            {"type": "invalid_document", "step": "trigger-1", "field": "workflowId", "path": "/triggers/1"},
        ),
    ),
    Judged(
        "a name and an id that are no texts are told once",
        {"name": 5, "id": 7, "steps": [[echo("a")]]},
        problems=({"field": "name", "path": "/name"}, {"field": "id", "path": "/id"}),
    ),
    Judged(
        "a problem says its line and column",
        flow(breaks("a", retry={"maxAttempts": 0})),
        problems=(
            {
                "type": "invalid_document",
                "step": "a",
                "field": "maxAttempts",
                "path": "/steps/0/0/retry/maxAttempts",
                "line": 15,
                "column": NUMBER,
                "message": "'maxAttempts' must be a whole number from 1 up, not 0",
            },
        ),
    ),
)
