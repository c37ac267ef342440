"""All examples, and how they come into the OpenAPI document. What has no example there fails a test."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET

from perdure.api.examples import approvals, executions, organizations, triggers, workflows
from perdure.api.examples.example import (
    APPROVAL,
    BEGUN,
    EXECUTION,
    KEY,
    SESSION,
    WEBHOOK,
    WORKFLOW,
    Example,
)
from perdure.api.problems import MEDIA_TYPE as PROBLEM
from perdure.version import VERSION

HAPPENED: Final = {
    "type": "approval.opened",
    "at": BEGUN,
    "execution": EXECUTION,
    "workflow": WORKFLOW,
    "step": "review",
    "approval": APPROVAL,
}
TOLD: Final = f"""\
id: 16
event: live
data: {{"place":"16"}}

id: 17
event: approval.opened
data: {msgspec.json.encode(HAPPENED).decode()}

"""
METRICS: Final = f"""\
# HELP perdure_build_info what runs here
# TYPE perdure_build_info gauge
perdure_build_info{{python="3.11.7",version="{VERSION}"}} 1.0
"""
EXAMPLES: Final[dict[str, Example]] = {
    **workflows.EXAMPLES,
    **executions.EXAMPLES,
    **approvals.EXAMPLES,
    **triggers.EXAMPLES,
    **organizations.EXAMPLES,
    "GET /api/stream": Example(answer=TOLD),
    "GET /healthz": Example(answer={"status": "ok", "version": VERSION}),
    "GET /readyz": Example(answer={"status": "ready", "version": VERSION}),
    "GET /metrics": Example(answer=METRICS),
}
"""By method and path."""

BODIES: Final = {
    "application/cloudevents+json": triggers.CLOUD_EVENT,
    "application/cloudevents-batch+json": [triggers.CLOUD_EVENT],
}
"""By media type, where a body can be of another form than the example of its operation."""

PROBLEMS: Final[dict[str, dict[str, Any]]] = {
    "Refused": {
        "summary": "what was asked for cannot be done, and each reason has its place",
        "value": {
            "type": "urn:perdure:invalid_request",
            "title": "Unprocessable Entity",
            "status": 422,
            "detail": "there is no parameter 'statsu' here; did you mean 'status'?",
            "code": "invalid_request",
            "requestId": "3739d9486600000032",
            "errors": [
                {
                    "type": "invalid_request",
                    "step": "",
                    "field": "statsu",
                    "message": "there is no parameter 'statsu' here; did you mean 'status'?",
                    "path": "",
                }
            ],
        },
    },
    "Unavailable": {
        "summary": "it cannot be done now; Retry-After says when to try again",
        "value": {
            "type": "urn:perdure:unavailable",
            "title": "Service Unavailable",
            "status": 503,
            "detail": "the database cannot be reached",
            "code": "unavailable",
            "requestId": "3739d9486600000033",
        },
    },
}
_PROBLEM_OF: Final = {"4XX": "Refused", "5XX": "Unavailable"}

PARAMETERS: Final[dict[str, Any]] = {
    "workflow": "refund",
    "version": "2",
    "old": "1",
    "new": "2",
    "execution": EXECUTION,
    "step": "review",
    "approval": APPROVAL,
    "event": "return-17",
    "schedule": "mornings",
    "webhook": WEBHOOK,
    "token": "whk_as-it-was-shown-once",
    "notifier": "desk",
    "member": "bob",
    "key": KEY,
    "session": SESSION,
    "correlationId": "o-17",
    "startedAfter": "2026-11-16T00:00:00Z",
    "startedBefore": "2026-11-17T00:00:00Z",
    "since": "2026-11-16T00:00:00Z",
    "until": "2026-11-17T00:00:00Z",
    "subject": "order.returned",
    "type": "order.*",
    "types": "execution.*,step.failed",
    "assignee": "me",
    "wait": 30,
    "idempotency-key": "refund-of-o-17",
    "if-match": '"3"',
    "last-event-id": "17",
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
}
"""By name, whichever operation takes them."""

NAMES: Final = {"/api/connections/": "shop", "/api/secrets/": "SHOP"}
"""What `name` is, of what a path leads to."""


def exemplify(document: dict[str, Any]) -> None:
    """Write the examples into it."""
    document["components"]["examples"] = PROBLEMS
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            example = EXAMPLES.get(f"{method.upper()} {path}", Example())
            _of_parameters(path, operation)
            _of_body(example, operation)
            _of_answers(example, operation)


def _of_parameters(path: str, operation: dict[str, Any]) -> None:
    known = PARAMETERS | next(({"name": name} for prefix, name in NAMES.items() if path.startswith(prefix)), {})
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in known and "enum" not in parameter["schema"]:
            parameter["example"] = known[parameter["name"]]


def _of_body(example: Example, operation: dict[str, Any]) -> None:
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        if example.body is not UNSET:
            content["example"] = BODIES.get(media_type, example.body)


def _of_answers(example: Example, operation: dict[str, Any]) -> None:
    for status, answer in operation["responses"].items():
        for media_type, content in answer.get("content", {}).items():
            if media_type == PROBLEM:
                name = _PROBLEM_OF[status]
                content["examples"] = {name: {"$ref": f"#/components/examples/{name}"}}
            elif example.answer is not UNSET:
                content["example"] = example.others.get(status, example.answer)
