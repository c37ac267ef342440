"""Workflows that put a hostile value into every role: results of tasks and calls, names, times, events, approvals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

ONCE = {"maxAttempts": 1}
EXPRESSIONS = (
    r"'a\0b'",
    r"'\ud800'",
    r"'\u202e\x9b'",
    r"JSON.parse('\"\\u0000\"')",
    "1 / 0",
    "-1 / 0",
    "0 / 0",
    "1e308 * 10",
    "1e18",
    "''",
    "'   '",
    "'__proto__'",
    "null",
    "undefined",
    "[]",
    "{}",
    "'x'.repeat(60000)",
    "'0000-01-01T00:00:00Z'",
    "'P99999999999999999D'",
)
"""What a workflow can compute by itself."""


def _graph(name: str, *nodes: dict[str, Any]) -> dict[str, Any]:
    """One node after the other."""
    every = [{"id": "start", "type": "MANUAL_TRIGGER"}, *({"retry": ONCE, **each} for each in nodes)]
    ids = [str(each["id"]) for each in every]
    pairs = pairwise(ids)
    return {
        "name": name,
        "nodes": every,
        "connections": [{"fromNodeId": one, "toNodeId": other} for one, other in pairs],
    }


def _error_used(document: dict[str, Any]) -> dict[str, Any]:
    """The document, with a node behind the output `error` of `call`."""
    used = {"id": "error", "type": "SET", "data": {"values": {"a": "{{error}}", "b": "<{{error.message}}>"}}}
    led = {"fromNodeId": "call", "fromOutput": "error", "toNodeId": "error"}
    return {**document, "nodes": [*document["nodes"], used], "connections": [*document["connections"], led]}


def of_values(upstream: str) -> list[dict[str, Any]]:
    """Each takes `{"n": 3}`, the number of a value."""
    get = {"id": "get", "type": "HOSTILE"}

    def then(name: str, type_: str, data: dict[str, Any]) -> dict[str, Any]:
        return _graph(name, get, {"id": "use", "type": type_, "data": data})

    def calls(name: str, type_: str, data: dict[str, Any]) -> dict[str, Any]:
        used = {"id": "use", "type": "SET", "data": {"values": {"a": "<{{v}}>", "b": "{{v}}"}}}
        return _graph(name, {"id": "call", "type": type_, "data": {"variableName": "v", **data}}, used)

    echo = "export default function (input: { n: number }) { return input }"
    return [
        then("v-set", "SET", {"values": {"a": "{{x}}", "b": "<{{x}}>", "c": {"d": ["{{x}}"]}}}),
        then("v-run", "RUN_WORKFLOW", {"workflowId": "{{x}}", "input": {"a": "{{x}}"}, "wait": True}),
        then("v-wait", "WAIT", {"amount": "{{x}}", "unit": "seconds", "label": "{{x}}"}),
        then("v-until", "WAIT_UNTIL", {"timestamp": "{{x}}"}),
        then(
            "v-ask", "APPROVAL", {"approverRole": "{{x}}", "title": "{{x}}", "description": "{{x}}", "dueDate": "{{x}}"}
        ),
        then("v-if", "IF_ELSE", {"condition": {"field": "{{x}}", "operator": "eq", "value": "{{x}}"}}),
        then("v-url", "HTTP_REQUEST", {"variableName": "r", "endpoint": "{{x}}", "method": "GET"}),
        then(
            "v-send",
            "HTTP_REQUEST",
            {
                "variableName": "r",
                "endpoint": f"{upstream}/v1/x",
                "method": "POST",
                "headers": {"x-a": "{{x}}"},
                "body": "{{x}}",
            },
        ),
        calls("v-json", "HTTP_REQUEST", {"endpoint": f"{upstream}/json/{{{{n}}}}", "method": "GET"}),
        calls("v-object", "HTTP_REQUEST", {"endpoint": f"{upstream}/object/{{{{n}}}}", "method": "GET"}),
        calls("v-text", "HTTP_REQUEST", {"endpoint": f"{upstream}/text/{{{{n}}}}", "method": "GET"}),
        calls("v-model", "LLM", {"userPrompt": "number {{n}}"}),
        calls("v-tool", "MCP_TOOL", {"connectionId": "odd", "toolName": "answer", "input": {"n": "{{n}}"}}),
        *(
            _error_used(calls(name, "MCP_TOOL", {"connectionId": "odd", "toolName": tool, "input": {"n": "{{n}}"}}))
            for name, tool in (("v-tool-fails", "fail"), ("v-tool-refuses", "refuse"))
        ),
        calls("v-code", "CODE", {"code": echo}),
        _graph("v-control", {"id": "call", "type": "HOSTILE_CONTROL"}),
        {
            "name": "v-pattern",
            "version": "1.0.0",
            "steps": [
                {
                    "stepId": "get",
                    "type": "TASK",
                    "taskId": "hostile",
                    "input": {"n": "${ workflow.input.n }"},
                    "transitions": {"default": "use"},
                },
                {
                    "stepId": "use",
                    "type": "EVENT_WAIT",
                    "eventPattern": "${ steps.get.output.x }",
                    "eventCondition": "event.payload.key == workflow.input.n",
                    "timeout": 60_000,
                },
            ],
        },
        {
            "name": "v-error",
            "steps": [
                {
                    "stepSlug": "get",
                    "stepType": "action",
                    "order": 1,
                    "config": {"type": "hostile-error", "n": "{{ input.n }}", "retryPolicy": ONCE},
                    "nextSteps": {"error": "use"},
                },
                {
                    "stepSlug": "use",
                    "stepType": "action",
                    "order": 2,
                    "config": {"type": "set_variables", "a": "{{ steps.get.error }}"},
                },
            ],
        },
        {
            "name": "v-event",
            "steps": [
                {
                    "stepSlug": "get",
                    "stepType": "action",
                    "order": 1,
                    "config": {"type": "hostile", "n": "{{ input.n }}"},
                    "nextSteps": {"default": "use"},
                },
                {
                    "stepSlug": "use",
                    "stepType": "action",
                    "order": 2,
                    "config": {
                        "type": "event",
                        "eventType": "{{ steps.get.output.data.x }}",
                        "payload": {"key": "{{ steps.get.output.data.x }}"},
                    },
                },
            ],
        },
    ]


def of_expressions() -> list[dict[str, Any]]:
    """One document for each role and expression; all are started without an input."""
    found: list[dict[str, Any]] = []
    for number, source in enumerate(EXPRESSIONS):
        ports, dollars = f"{{{{ {source} }}}}", f"${{ {source} }}"
        found += [
            _graph(
                f"e-run-{number}", {"id": "it", "type": "RUN_WORKFLOW", "data": {"workflowId": ports, "wait": True}}
            ),
            _graph(f"e-wait-{number}", {"id": "it", "type": "WAIT", "data": {"amount": ports, "unit": "days"}}),
            _graph(
                f"e-ask-{number}", {"id": "it", "type": "APPROVAL", "data": {"approverRole": ports, "dueDate": ports}}
            ),
            {
                "name": f"e-event-{number}",
                "steps": [
                    {
                        "stepSlug": "it",
                        "stepType": "action",
                        "config": {"type": "event", "eventType": ports, "payload": {"key": ports}},
                    }
                ],
            },
            {
                "name": f"e-hostile-event-{number}",
                "steps": [
                    {
                        "stepSlug": "it",
                        "stepType": "action",
                        "config": {"type": "event", "eventType": "order.paid", "payload": {"key": ports, "a": [ports]}},
                    }
                ],
            },
            {
                "name": f"e-mail-{number}",
                "steps": [
                    {
                        "stepSlug": "it",
                        "stepType": "action",
                        "config": {
                            "type": "email",
                            "retryPolicy": ONCE,
                            "parameters": {"to": ports, "subject": ports, "text": ports},
                        },
                    }
                ],
            },
            {
                "name": f"e-pattern-{number}",
                "version": "1.0.0",
                "steps": [{"stepId": "it", "type": "EVENT_WAIT", "eventPattern": dollars, "timeout": 60_000}],
            },
            {
                "name": f"e-task-{number}",
                "version": "1.0.0",
                "steps": [
                    {
                        "stepId": "it",
                        "type": "TASK",
                        "taskId": "hostile-port",
                        "input": {"n": number},
                        "retryPolicy": ONCE,
                    },
                ],
            },
            {
                "name": f"e-error-{number}",
                "version": "1.0.0",
                "steps": [
                    {
                        "stepId": "it",
                        "type": "TASK",
                        "taskId": "hostile-error",
                        "input": {"n": number},
                        "retryPolicy": ONCE,
                    },
                ],
            },
        ]
    return found


LISTENER: dict[str, Any] = {
    "name": "listener",
    "version": "1.0.0",
    "triggers": [{"eventPattern": "order.*", "correlationKey": "event.payload.key"}],
    "steps": [
        {
            "stepId": "wait",
            "type": "EVENT_WAIT",
            "eventPattern": "order.sent",
            "eventCondition": "event.payload.key == workflow.input.key",
            "timeout": "PT1H",
        }
    ],
}
"""Started by hostile events, found by their keys."""

TRANSFORMS: tuple[str, ...] = (
    r"return '\0'",
    r"return { 'a\0': ['\u0000'] }",
    r"return '\ud800'",
    r"return { '\udfff': 1 }",
    "return 1e400",
    "return -0",
    "return NaN",
    "return 10n",
    "return '\\u202e\\x9b'",
    "return 'x'.repeat(100000)",
    'return JSON.parse(\'{"__proto__": {"a": 1}}\')',
    "return Object.fromEntries(Array.from({ length: 10000 }, (_, i) => ['k' + i, i]))",
    "let a = []; for (let i = 0; i < 150; i++) a = [a]; return a",
    r"console.log('\0', '\ud800'); return 1",
    r"throw new Error('\0\ud800')",
    "return undefined",
)


def of_transforms() -> list[dict[str, Any]]:
    used = {"id": "use", "type": "SET", "data": {"values": {"a": "<{{v}}>"}}}
    head = "export default function (input: { n?: number }): unknown {"
    return [
        _graph(
            f"t-{number}",
            {"id": "call", "type": "CODE", "data": {"variableName": "v", "code": f"{head} {body} }}"}},
            used,
        )
        for number, body in enumerate(TRANSFORMS)
    ]
