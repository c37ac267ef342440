"""Workflows: `refund`, which asks whoever is in finance."""

from __future__ import annotations

from typing import Any, Final

from perdure.api.examples.example import BEGUN, WORKFLOW, Example, page

DOCUMENT: Final[dict[str, Any]] = {
    "name": "refund",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "review", "type": "APPROVAL", "data": {"approverRole": "finance", "variableName": "review"}},
        {"id": "pay", "type": "SET", "data": {"values": {"refunded": "{{ amount }}"}}},
    ],
    "connections": [
        {"fromNodeId": "start", "toNodeId": "review"},
        {"fromNodeId": "review", "toNodeId": "pay", "fromOutput": "approved"},
    ],
}
REQUIRES: Final[dict[str, Any]] = {"tasks": [], "tools": [], "secrets": [], "webhooks": []}
SAVED: Final = {
    "id": WORKFLOW,
    "name": "refund",
    "version": "2",
    "status": "active",
    "dialect": "graph",
    "created": True,
    "warnings": [],
}
SECOND: Final[dict[str, Any]] = {
    "id": WORKFLOW,
    "name": "refund",
    "version": "2",
    "status": "active",
    "dialect": "graph",
    "digest": "5f84356e8656f8df6afdbe6f31a82c2ef18c21c9570ccea72ff84732289458f9",
    "created_at": BEGUN,
    "active": True,
}
FIRST: Final[dict[str, Any]] = {
    **SECOND,
    "version": "1",
    "status": "inactive",
    "digest": "67e1ac464e8795975fdf0ae3148a638b9496c9ef174378adc99f338523b39fb4",
    "created_at": "2026-11-02T08:00:00.000Z",
    "active": False,
}
SHOWN: Final = {**SECOND, "document": DOCUMENT, "requires": REQUIRES}
LISTED: Final = {
    "id": WORKFLOW,
    "name": "refund",
    "version": "2",
    "status": "active",
    "dialect": "graph",
    "changed_at": BEGUN,
    "active": "2",
}
CHANGED: Final = {"path": "/nodes/1/data/approverRole", "kind": "changed", "old": "managers", "new": "finance"}
VALID: Final = {
    "valid": True,
    "dialect": "graph",
    "name": "refund",
    "problems": [],
    "warnings": [],
    "requires": REQUIRES,
    "obstacles": [],
}

EXAMPLES: Final = {
    "POST /api/workflows": Example(DOCUMENT, SAVED),
    "GET /api/workflows": Example(answer=page(LISTED)),
    "POST /api/workflows/validate": Example(DOCUMENT, VALID),
    "GET /api/workflows/{workflow}": Example(answer={**SHOWN, "versions": [SECOND, FIRST]}),
    "GET /api/workflows/{workflow}/versions": Example(answer=page(SECOND, FIRST)),
    "GET /api/workflows/{workflow}/versions/{version}": Example(answer=SHOWN),
    "GET /api/workflows/{workflow}/diff": Example(answer={"changes": [CHANGED]}),
    "POST /api/workflows/{workflow}/activate": Example({"version": "2"}, SECOND),
    "POST /api/workflows/{workflow}/deactivate": Example({"version": "1"}, FIRST),
}
