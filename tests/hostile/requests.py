"""Every field of every operation of the OpenAPI document, each with every hostile value in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from msgspec import Struct

from api.fuzz_places import NOWHERE
from api.test_matrix import SOUND
from hostile.values import BYTES, TEXTS, VALUES

LEFT_OUT = {"GET /api/stream", "GET /api/connections/{name}/tools", "DELETE /api/session"}
"""The first has no end, the second calls a server, and the third ends a session."""

EVENT = {
    "type": "order.paid",
    "id": "e-1",
    "source": "/shop",
    "correlationId": "c-1",
    "time": "2026-11-18T09:00:00Z",
    "payload": {"key": "k-1"},
    "metadata": {"a": "b"},
}
CLOUD_EVENT = {
    "specversion": "1.0",
    "id": "e-2",
    "source": "/shop",
    "type": "order.paid",
    "time": "2026-11-18T09:00:00Z",
    "subject": "s",
    "correlationid": "c-2",
    "data": {"key": "k-2"},
    "region": "eu",
}
DOCUMENTS: list[dict[str, Any]] = [
    {
        "name": "fields of ports",
        "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}}},
        "steps": [
            {
                "stepSlug": "begin",
                "stepType": "trigger",
                "order": 1,
                "config": {"type": "event", "eventType": "hostile.*", "condition": "event.payload.key == 'k'"},
                "nextSteps": {"default": "ask"},
            },
            {
                "stepSlug": "ask",
                "name": "Ask",
                "stepType": "approval",
                "order": 2,
                "config": {"approverRole": "finance", "submittedData": {"a": "{{ input.key }}"}, "dueDate": "P2D"},
                "outputMapping": {"x": "data"},
                "nextSteps": {"onApprove": "end"},
            },
        ],
    },
    {
        "name": "fields of orchestration",
        "triggers": [{"eventPattern": "hostile.*", "correlationKey": "event.payload.key"}],
        "cancellationTriggers": [{"eventPattern": "hostile.off", "eventCondition": "event.payload.key == 'k'"}],
        "steps": [
            {
                "stepId": "wait",
                "type": "EVENT_WAIT",
                "eventPattern": "hostile.on",
                "eventCondition": "event.payload.key == 'k'",
                "eventTimeout": {"duration": "PT1H", "timeoutHandlerStepId": "work"},
                "eventPayloadMapping": {"key": "a.b"},
                "transitions": {"default": "work"},
            },
            {"stepId": "work", "type": "TASK", "taskId": "odd", "input": {"a": "${workflow.input.key}"}},
        ],
    },
    {
        "name": "fields of phases",
        "input": {"type": "object", "properties": {"keys": {"type": "array", "items": {"type": "string"}}}},
        "steps": [
            [{"name": "call", "tool": {"connectionId": "odd", "toolName": "answer"}, "input": {"n": 3}}],
            [
                {
                    "name": "each",
                    "forEach": "@input.keys",
                    "as": "key",
                    "transform": "export default function (input: { a: string }): { a: string } { return input }",
                    "input": {"a": "@key"},
                },
                {"name": "rest", "sleep": {"ms": 3_600_000}},
            ],
        ],
    },
    {
        "name": "fields of triggers",
        "nodes": [
            {
                "id": "heard",
                "type": "EVENT_TRIGGER",
                "data": {"eventPattern": "hostile.*", "condition": "event.payload.key == 'k'"},
            },
            {
                "id": "slot",
                "type": "SCHEDULE_TRIGGER",
                "data": {"schedule": "0 7 * * *", "timezone": "Europe/Berlin", "input": {"a": 1}},
            },
            {
                "id": "ask",
                "type": "APPROVAL",
                "data": {"approverRole": "finance", "title": "{{key}}?", "dueDate": "P2D"},
            },
            {"id": "is", "type": "IF_ELSE", "data": {"condition": {"field": "a", "operator": "eq", "value": "b"}}},
        ],
        "connections": [
            {"fromNodeId": "heard", "toNodeId": "ask"},
            {"fromNodeId": "slot", "toNodeId": "ask"},
            {"fromNodeId": "ask", "toNodeId": "is", "fromOutput": "approved"},
        ],
    },
]
"""One of each notation, with triggers, approvals and waits."""

MORE: dict[str, list[Any]] = {
    "POST /api/workflows": DOCUMENTS,
    "POST /api/events": [EVENT, CLOUD_EVENT, [EVENT], {"type": "hostile.on", "payload": {"key": "k"}}],
    "POST /api/connections": [{"name": "other", "url": NOWHERE, "headers": {"x-a": "b"}}],
    "POST /api/session": [{"key": "prd_none"}],
    "POST /mcp": [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "x"}}},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "perdure_why", "arguments": {"execution": "x"}},
        },
    ],
}
"""Bodies beside those of the table."""

_MARK = "\ue000hostile\ue000"


class Asked(Struct, frozen=True):
    """`what`: the operation, the field and the value, by their names."""

    what: str
    method: str
    path: str
    headers: dict[str, str] = {}
    body: bytes | None = None


def every_request(document: dict[str, Any], there: dict[str, str]) -> Iterator[Asked]:
    for path, methods in {**document["paths"], "/mcp": {"post": {}}}.items():
        for lower, operation in methods.items():
            method = lower.upper()
            name = f"{method} {path}"
            if name not in LEFT_OUT:
                yield from _parameters(name, method, path, operation.get("parameters", ()), there)
                yield from _bodies(name, method, path, operation, document, there)


def _parameters(name: str, method: str, path: str, parameters: Any, there: dict[str, str]) -> Iterator[Asked]:
    whole = path.format_map(there)
    body = _sound(name)
    headers = {} if body is None else {"Content-Type": "application/json"}
    for each in parameters:
        for called, text in TEXTS.items():
            what = f"{name} {each['in']} {each['name']}: {called}"
            match each["in"]:
                case "path":
                    if text:
                        yield Asked(what, method, path.format_map({**there, each["name"]: text}), headers, body)
                case "query":
                    others = "&old=1&new=1" if path.endswith("/diff") else ""
                    yield Asked(what, method, f"{whole}?{each['name']}={text}{others}", headers, body)
                case _:
                    yield Asked(what, method, whole, {**headers, each["name"]: text}, body)


def _bodies(
    name: str, method: str, path: str, operation: Any, document: dict[str, Any], there: dict[str, str]
) -> Iterator[Asked]:
    whole = path.format_map(there)
    bodies = list(MORE.get(name, ()))
    if SOUND.get(name) is not None:
        known = dict.fromkeys(_fields(operation, document), "x")
        bodies.append({**known, **SOUND[name]} if isinstance(SOUND[name], dict) else SOUND[name])
    for number, body in enumerate(bodies):
        for place, marked in _marked(body):
            text = json.dumps(marked, ensure_ascii=False)
            for called, value in (*((key, each.encode()) for key, each in VALUES.items()), *BYTES.items()):
                given = text.encode().replace(f'"{_MARK}"'.encode(), value)
                headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
                yield Asked(f"{name} body {number} {place}: {called}", method, whole, headers, given)


def _fields(operation: Any, document: dict[str, Any]) -> Iterator[str]:
    """The names that the schema of a body has, also those that the table does not give."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    waiting, seen = [content.get("schema", {})], 0
    while waiting and seen < 50:
        schema, seen = waiting.pop(), seen + 1
        if "$ref" in schema:
            waiting.append(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        waiting += [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
        yield from schema.get("properties", ())


def _marked(body: Any) -> Iterator[tuple[str, Any]]:
    """The body, with a mark in the place of each of its values in turn."""
    for path in [(), *_paths(body, ())]:
        if not path:
            yield "all", _MARK
            continue
        copy = deepcopy(body)
        inside = copy
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = _MARK
        yield "/".join(map(str, path)), copy


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*path, step)
        yield from _paths(inner, (*path, step))


def _sound(name: str) -> bytes | None:
    body = SOUND.get(name)
    return None if body is None else json.dumps(body).encode()


def every_delivery(token: str) -> Iterator[Asked]:
    """Requests to a webhook: forms, JSON, text and bytes; queries and headers."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for called, text in TEXTS.items():
        yield Asked(f"hook form value: {called}", "POST", f"/hooks/{token}", form, f"a={text}&a={text}".encode())
        yield Asked(f"hook form name: {called}", "POST", f"/hooks/{token}", form, f"{text}=a".encode())
        yield Asked(f"hook query: {called}", "POST", f"/hooks/{token}?a={text}&{text}=a", form, b"")
        yield Asked(f"hook header: {called}", "POST", f"/hooks/{token}", {"X-A": text, "Idempotency-Key": text}, b"{}")
    for called, value in (*((key, each.encode()) for key, each in VALUES.items()), *BYTES.items()):
        for media in ("application/json", "text/plain", "application/octet-stream", form["Content-Type"], "x"):
            yield Asked(f"hook {media}: {called}", "POST", f"/hooks/{token}", {"Content-Type": media}, value)
        yield Asked(f"hook object: {called}", "POST", f"/hooks/{token}", {}, b'{"a": ' + value + b"}")


def every_event_in_headers() -> Iterator[Asked]:
    """CloudEvents in binary mode: each attribute with each text."""
    sound = {"ce-specversion": "1.0", "ce-id": "b-1", "ce-source": "/shop", "ce-type": "order.paid"}
    for attribute in (*sound, "ce-correlationid", "ce-time", "ce-region"):
        for called, text in TEXTS.items():
            headers = {**sound, "Content-Type": "application/json", attribute: text}
            yield Asked(f"event header {attribute}: {called}", "POST", "/api/events", headers, b"{}")


def every_cookie(key: str) -> Iterator[Asked]:
    """Cookies of browsers, as they are and with the octal escapes of a quoted one, beside a sign-in and without."""
    quoted = {called: f'"{text.replace("%", chr(92) + "1")}"' for called, text in TEXTS.items()}
    escaped = {f"octal {number}": f'"\\{number:03o}"' for number in (0, 10, 13, 34, 127, 128, 237, 255)}
    for name in ("__Host-perdure", "__Host-perdure-oidc"):
        for called, text in (*TEXTS.items(), *quoted.items(), *escaped.items()):
            headers = {"Cookie": f"{name}={text}", "Content-Type": "application/json"}
            for method, path, body in (
                ("GET", "/api/session", None),
                ("POST", "/api/session", json.dumps({"key": key}).encode()),
                ("GET", "/api/session/oidc/callback?state=a&code=b", None),
            ):
                yield Asked(f"cookie {name} of {method} {path}: {called}", method, path, headers, body)


def every_form(path: str) -> Iterator[Asked]:
    """The form of the page of an approval link."""
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for field in ("decision", "comments", "data", "other"):
        for called, text in TEXTS.items():
            body = f"decision=maybe&{field}={text}" if field != "decision" else f"decision={text}"
            yield Asked(f"link form {field}: {called}", "POST", path, headers, body.encode())
