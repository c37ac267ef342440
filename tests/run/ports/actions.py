"""Actions: tasks of one's own and those that are built in."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.ports.words import action, echo, flow, loop, output, sets, step, trigger


def child(*steps: dict[str, Any]) -> Any:
    return flow(*steps, name="child")


def _sets(name: str, config: dict[str, Any], kept: dict[str, Any], given: Any = None) -> Case:
    document = flow(step("s", "action", {"type": "set_variables", **config}, "a"), echo("a"))
    return Case(f"set_variables: {name}", document, given, view={f"variables.{key}": kept[key] for key in kept})


ACTIONS: tuple[Case, ...] = (
    Case("an action is given its parameters", flow(action("a", "echo", {"x": "{{x}}"})), {"x": [1]}, output={"x": [1]}),
    Case(
        "without parameters it is the rest of its config",
        flow(step("a", "action", {"type": "echo", "resource": "products", "batchSize": 100})),
        output={"resource": "products", "batchSize": 100},
    ),
    Case(
        "retryPolicy and timeout are no parameters",
        flow(
            step(
                "a",
                "action",
                {"type": "echo", "x": 1, "timeout": 5000, "retryPolicy": {"maxRetries": 1, "backoffMs": 1}},
            )
        ),
        output={"x": 1},
    ),
    Case(
        "parameters, and nothing beside them",
        flow(step("a", "action", {"type": "echo", "parameters": {"x": 1}, "y": 2})),
        output={"x": 1},
    ),
    Case("empty parameters", flow(action("a", "echo", {})), output={}),
    Case("no parameters at all", flow(step("a", "action", {"type": "echo"})), output={}),
    Case("a function that is not async", flow(action("a", "sync_echo", {"x": 1})), output={"x": 1}),
    Case("a task that comes to nothing", flow(action("a", "nothing", {})), output=None),
    *(
        Case(f"a task that comes to {value!r}", flow(action("a", "value", {"value": value})), output=value)
        for value in ("text", 5, 1.5, True, [1, "x"], {"a": {"b": None}})
    ),
    Case(
        "the step that it is called for",
        flow(action("charge", "seen", {"x": 1})),
        output={"given": {"x": 1}, "step": "charge"},
    ),
    Case(
        "a Result with meta",
        flow(
            action("a", "leave", {"data": 1, "meta": {"source": "shop"}}, "b"),
            echo("b", v="{{lastOutput.meta.source}}"),
        ),
        output={"v": "shop"},
        view={"variables.steps.a.output": {"type": "action", "data": 1, "meta": {"source": "shop"}}},
    ),
    Case(
        "an action that nobody has fails by its name",
        flow(step("a", "action", {"type": "quantum"})),
        exit=1,
        says=("quantum",),
    ),
    Case(
        "log",
        flow(step("a", "action", {"type": "log", "message": "Product {{x}} rejected"}, {"default": "end"})),
        {"x": 1},
        view={"status": "completed", "variables.steps.a.output.type": "action"},
    ),
    Case(
        "log with parameters", flow(action("a", "log", {"message": "fine"}), name="Log"), view={"status": "completed"}
    ),
    _sets("in parameters", {"parameters": {"variables": {"n": 1, "t": "{{x}}"}}}, {"n": 1, "t": [2]}, {"x": [2]}),
    _sets("in the config", {"variables": {"n": 1}}, {"n": 1}),
    _sets("as parameters", {"parameters": {"n": 1, "deep": {"t": "x{{x}}"}}}, {"n": 1, "deep": {"t": "x2"}}, {"x": 2}),
    _sets(
        "as a list",
        {"parameters": {"variables": [{"name": "n", "value": 1}, {"name": "m", "value": "{{x}}"}]}},
        {"n": 1, "m": 2},
        {"x": 2},
    ),
    _sets("over what the input spread", {"variables": {"x": 2}}, {"x": 2, "input": {"x": 1}}, {"x": 1}),
    Case(
        "set_variables: read by later steps, bare and by workflow.variables",
        flow(sets("s", "a", n=1), echo("a", "b"), echo("b", n="{{n}}", m="{{workflow.variables.n}}")),
        output={"n": 1, "m": 1},
    ),
    Case(
        "set_variables: again and again",
        flow(
            loop([1, 2, 3], {"loop": "s", "done": "a"}),
            sets("s", "each", n="{{n + loop.item}}"),
            echo("a", n="{{n}}"),
            variables={"n": 0},
        ),
        output={"n": 6},
    ),
    Case(
        "workflow: waited for, its output is the data",
        flow(
            action("call", "workflow", {"workflowId": "child", "input": {"x": "{{v}}"}, "wait": True}, "b"),
            echo("b", v="{{lastOutput.data}}"),
        ),
        {"v": 5},
        beside=(child(output(twice="{{x * 2}}")),),
        output={"v": {"twice": 10}},
    ),
    Case(
        "workflow: without parameters",
        flow(step("call", "action", {"type": "workflow", "workflowId": "child", "input": {"x": 1}, "wait": True})),
        beside=(child(echo("a", x="{{input.x}}")),),
        output={"x": 1},
    ),
    Case(
        "workflow: one that fails",
        flow(action("call", "workflow", {"workflowId": "child", "wait": True})),
        beside=(child(action("a", "breaks", {"message": "the child broke"})),),
        exit=1,
        says=("the child broke",),
    ),
    Case(
        "workflow: one that fails goes by the error port",
        flow(action("call", "workflow", {"workflowId": "child", "wait": True}, {"error": "b"}), echo("b", x="caught")),
        beside=(child(action("a", "breaks", {})),),
        output={"x": "caught"},
    ),
    Case(
        "workflow: not waited for",
        flow(action("call", "workflow", {"workflowId": "child", "wait": False}, "b"), echo("b", x=1)),
        beside=(child(echo("a")),),
        output={"x": 1},
    ),
    Case(
        "workflow: nobody has this one",
        flow(action("call", "workflow", {"workflowId": "nobody", "wait": True})),
        exit=1,
        says=("nobody",),
    ),
    Case(
        "workflow: of another dialect",
        flow(
            action("call", "workflow", {"workflowId": "drawn", "input": {"x": 1}, "wait": True}, "b"),
            echo("b", x="{{lastOutput.data.y}}"),
        ),
        beside=(
            {
                "name": "drawn",
                "nodes": [
                    {"id": "start", "type": "MANUAL_TRIGGER"},
                    {"id": "s", "type": "SET", "data": {"values": {"y": "{{x + 1}}"}}},
                ],
                "connections": [{"fromNodeId": "start", "toNodeId": "s"}],
            },
        ),
        output={"x": 2},
    ),
    Case(
        "event: published",
        flow(
            trigger("tell"),
            action("tell", "event", {"type": "order.paid", "payload": {"id": "{{id}}"}}, "b"),
            echo("b", x=1),
        ),
        {"id": 17},
        output={"x": 1},
        view={"variables.steps.tell.output.type": "action"},
    ),
    *(
        Case(
            f"event: named by {key} in the config",
            flow(
                step("tell", "action", {"type": "event", key: "order.paid", "payload": {"id": 1}}, "b"), echo("b", x=1)
            ),
            output={"x": 1},
        )
        for key in ("event", "eventType")
    ),
    Case(
        "refused: an llm where nobody has said which model",
        flow(step("ask", "llm", {"systemPrompt": "Be brief.", "userPrompt": "{{x}}"})),
        {"x": "hello"},
        exit=2,
        says=("ask", "OPENAI_MODEL", "OPENAI_API_KEY"),
    ),
)
