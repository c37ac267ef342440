"""What starts a refund beside people: an event, a schedule, a webhook; and the log of what came."""

from __future__ import annotations

from typing import Any, Final

from perdure.api.examples.example import ANOTHER, BEGUN, EXECUTION, HOOKED, WEBHOOK, WORKFLOW, Example, page

PAID: Final = {"type": "order.returned", "id": "return-17", "payload": {"order": "o-17"}}
CLOUD_EVENT: Final = {
    "specversion": "1.0",
    "type": "order.returned",
    "id": "return-17",
    "source": "/shop",
    "data": {"order": "o-17"},
}
EVENT: Final[dict[str, Any]] = {
    "id": "return-17",
    "type": "order.returned",
    "source": "",
    "at": BEGUN,
    "correlationId": None,
    "payload": {"order": "o-17"},
    "metadata": None,
    "routed": True,
    "organization": "default",
}
WOKEN: Final = {"execution": EXECUTION, "workflowId": WORKFLOW, "status": "waiting", "how": "started"}
SCHEDULE: Final[dict[str, Any]] = {
    "id": f"{WORKFLOW}/mornings",
    "workflow_id": WORKFLOW,
    "name": "refund",
    "schedule": "0 7 * * MON-FRI",
    "every_ms": None,
    "timezone": "Europe/Berlin",
    "start_at": None,
    "end_at": None,
    "catch_up": "one",
    "overlap": "allow",
    "input": {},
    "paused": False,
    "next_at": "2026-11-17T06:00:00.000Z",
    "last_slot": "2026-11-16T06:00:00.000Z",
    "last_execution": ANOTHER,
    "skipped": 0,
    "added": True,
}
COMING: Final = {
    "id": f"{WORKFLOW}/mornings",
    "timezone": "Europe/Berlin",
    "paused": False,
    "items": ["2026-11-17T06:00:00.000Z", "2026-11-18T06:00:00.000Z"],
}
LISTED_WEBHOOK: Final[dict[str, Any]] = {
    "id": WEBHOOK,
    "workflowId": HOOKED,
    "workflowName": "refund-by-mail",
    "node": "start",
    "signed": False,
    "scheme": None,
    "tokens": 1,
    "secrets": 0,
    "createdAt": BEGUN,
    "createdBy": "ada",
}
ISSUED: Final = {**LISTED_WEBHOOK, "token": "whk_as-it-is-shown-once", "signingSecret": None}
CAME: Final = {
    "id": "2",
    "at": BEGUN,
    "kind": "hook",
    "subject": WEBHOOK,
    "outcome": "accepted",
    "reason": None,
    "execution": ANOTHER,
    "deliveryId": "d-17",
    "requestId": "3739d9486600000021",
    "times": 1,
    "lastAt": BEGUN,
    "organization": "default",
}

_SCHEDULE: Final = "/api/schedules/{workflow}/{schedule}"
EXAMPLES: Final = {
    "POST /api/events": Example(PAID, {"items": [{"id": "return-17", "created": True}]}),
    "GET /api/events": Example(answer=page(EVENT)),
    "POST /api/events/{event}/reroute": Example(
        answer={**EVENT, "routed": False, "state": "unrouted", "woke": [], "more": False, "declined": []}
    ),
    "GET /api/events/{event}": Example(answer={**EVENT, "woke": [WOKEN], "more": False, "declined": []}),
    "GET /api/triggers": Example(answer=page(CAME)),
    "GET /api/schedules": Example(answer=page(SCHEDULE)),
    "POST /api/schedules": Example(
        {"workflow": "refund", "id": "mornings", "schedule": "0 7 * * MON-FRI", "timezone": "Europe/Berlin"}, SCHEDULE
    ),
    "GET /api/schedules/{workflow}": Example(answer=SCHEDULE),
    f"GET {_SCHEDULE}": Example(answer=SCHEDULE),
    f"PATCH {_SCHEDULE}": Example({"overlap": "skip"}, {**SCHEDULE, "overlap": "skip"}),
    f"DELETE {_SCHEDULE}": Example(),
    f"GET {_SCHEDULE}/next": Example(answer=COMING),
    f"POST {_SCHEDULE}/pause": Example(answer={**SCHEDULE, "paused": True}),
    f"POST {_SCHEDULE}/resume": Example({"skipMissed": True}, SCHEDULE),
    f"POST {_SCHEDULE}/reset": Example(answer=SCHEDULE),
    "GET /api/webhooks": Example(answer=page(LISTED_WEBHOOK)),
    "POST /api/webhooks": Example({"workflow": "refund-by-mail"}, ISSUED),
    "POST /api/webhooks/{webhook}/rotate": Example({"what": "token", "keepHours": 24}, {**ISSUED, "tokens": 2}),
    "DELETE /api/webhooks/{webhook}": Example(),
    "POST /hooks/{token}": Example(
        {"order": "o-17"},
        {"id": ANOTHER, "executionId": ANOTHER, "created": True, "deliveryId": "d-17"},
        {"200": {"challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"}},
    ),
}
