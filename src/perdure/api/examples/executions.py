"""Executions of `refund`: one that waits for bob, and what can be asked of it and done to it; and to many at once."""

from __future__ import annotations

from typing import Any, Final

from perdure.api.examples.example import (
    ANOTHER,
    APPROVAL,
    BEGUN,
    DECIDED,
    EXECUTION,
    SUBMITTED,
    WORKFLOW,
    Example,
    page,
)

LISTED: Final[dict[str, Any]] = {
    "id": EXECUTION,
    "workflow_id": WORKFLOW,
    "name": "refund",
    "organization": "default",
    "status": "waiting",
    "output": None,
    "error": None,
    "waiting_for": {"kind": "approval", "step": "review", "since": BEGUN},
    "triggered_by": "api",
    "correlation_id": "o-17",
    "parent": None,
    "depth": 0,
    "started_at": BEGUN,
    "ended_at": None,
}
WAITING: Final[dict[str, Any]] = {
    **LISTED,
    "version": "2",
    "dialect": "graph",
    "origin": None,
    "execution_version": 3,
}
CANCELLED: Final = {
    **WAITING,
    "status": "cancelled",
    "error": {
        "message": "asked twice",
        "category": "BUSINESS",
        "retriable": False,
        "code": "CANCELLED",
        "timestamp": DECIDED,
    },
    "waiting_for": None,
    "ended_at": DECIDED,
    "execution_version": 4,
    "noted": False,
}
RETRIED: Final = {**WAITING, "status": "running", "waiting_for": None, "execution_version": 7, "noted": False}
AGAIN: Final = {**WAITING, "id": ANOTHER, "parent": EXECUTION, "origin": EXECUTION, "started_at": DECIDED}
STARTED: Final = {
    "id": EXECUTION,
    "status": "pending",
    "organization": "default",
    "correlation_id": "o-17",
    "componentWorkflowId": EXECUTION,
}
OPENED: Final = {
    "id": "3",
    "seq": 3,
    "at": BEGUN,
    "kind": "approval.opened",
    "step": "review",
    "data": {"step": "review", "request": SUBMITTED, "asked": {"role": "finance", "fixed": True}},
}
PROGRESS: Final = {
    "id": "review",
    "step": "review",
    "status": "waiting",
    "runs": 1,
    "attempts": 0,
    "started_at": BEGUN,
    "ended_at": None,
    "until": None,
    "done": None,
    "total": None,
    "note": None,
    "error": None,
}
STEP: Final = {
    "id": "review",
    "step": "review",
    "status": "waiting",
    "runs": 1,
    "attempts": [],
    "input": SUBMITTED,
    "output": None,
    "error": None,
    "started_at": BEGUN,
    "ended_at": None,
}
FIRED: Final = {
    "id": "trigger-0",
    "workflow": "tell-the-customer",
    "status": "triggered",
    "executions": [ANOTHER],
    "skipped_items": [],
    "reason": None,
}
WHY: Final = {
    "id": EXECUTION,
    "status": "waiting",
    "sentence": f"It waits at step 'review' for the approval {APPROVAL} since 2026-11-16 09:30:00 UTC: asked: whoever is in the "
    "group 'finance'.",
    "waits": [
        {
            "kind": "approval",
            "step": "review",
            "since": BEGUN,
            "until": None,
            "on": APPROVAL,
            "note": "asked: whoever is in the group 'finance'",
        }
    ],
    "requested": [],
    "attended": True,
}
FILTER: Final = {"workflow": "refund", "status": "waiting", "startedBefore": "2026-11-16T12:00:00Z"}
DONE: Final = {"id": EXECUTION, "execution": EXECUTION, "done": True, "new": None, "error": None}

_ONE: Final = "/api/executions/{execution}"
EXAMPLES: Final = {
    "POST /api/executions": Example({"name": "refund", "input": SUBMITTED, "correlationId": "o-17"}, STARTED),
    "GET /api/executions": Example(answer=page(LISTED)),
    f"GET {_ONE}": Example(answer=WAITING),
    f"GET {_ONE}/history": Example(answer=page(OPENED)),
    f"GET {_ONE}/steps": Example(answer=page(PROGRESS)),
    f"GET {_ONE}/steps/{{step}}": Example(answer=STEP),
    f"GET {_ONE}/triggers": Example(answer=page(FIRED)),
    f"GET {_ONE}/why": Example(answer=WHY),
    f"POST {_ONE}/cancel": Example({"reason": "asked twice"}, CANCELLED),
    f"POST {_ONE}/retry": Example(answer=RETRIED),
    f"POST {_ONE}/rerun": Example({"input": {**SUBMITTED, "amount": 35}}, AGAIN),
    f"POST {_ONE}/fork": Example({"atStep": "review", "variables": {"amount": 35}}, AGAIN),
    f"POST {_ONE}/refire": Example({"trigger": "trigger-0"}, {"id": EXECUTION, "triggers": [FIRED]}),
    "POST /api/bulk/preview": Example(
        {"action": "cancel", "filter": FILTER}, {"matched": 1, "more": False, "examples": [LISTED]}
    ),
    "POST /api/bulk": Example(
        {"action": "cancel", "filter": FILTER, "matched": 1, "reason": "the shop is closed"}, page(DONE)
    ),
}
