"""The office: ada, who keeps it, and bob of finance; their keys and sessions, and what the office reaches."""

from __future__ import annotations

from typing import Any, Final

from perdure.api.examples.example import BEGUN, CURSOR, KEY, SESSION, WORKFLOW, Example, page

BOB: Final[dict[str, Any]] = {
    "id": "bob",
    "organization": "default",
    "roles": ["approver"],
    "groups": ["finance"],
    "email": "bob@example.com",
    "name": "Bob",
    "revision": 1,
    "changed_at": BEGUN,
}
NEW_BOB: Final = {name: BOB[name] for name in ("id", "roles", "groups", "email", "name")}
ADA: Final[dict[str, Any]] = {
    **BOB,
    "id": "ada",
    "roles": ["editor", "admin"],
    "groups": [],
    "email": "ada@example.com",
    "name": "Ada",
}
LISTED_KEY: Final[dict[str, Any]] = {
    "id": KEY,
    "organization": "default",
    "member": "bob",
    "scopes": ["approver"],
    "createdAt": BEGUN,
    "createdBy": "ada",
    "expiresAt": "2027-11-16T09:30:00.000Z",
    "lastUsedAt": None,
    "name": "phone",
}
AUDITED: Final = {
    "id": "16",
    "organization": "default",
    "at": BEGUN,
    "by": "ada",
    "action": "member.added",
    "register": "members",
    "subject": "bob",
    "details": {"before": None, "after": {"roles": ["approver"], "groups": ["finance"]}},
    "writer": "office-12285-f286db1b",
    "number": 16,
    "hash": "b5e25daed758b847b21a4dfada364e2cb04e8f7f45f95dd444044b7ced524607",
    "place": 16,
}
WHO: Final = {
    "id": SESSION,
    "via": "session",
    "organization": "default",
    "member": "bob",
    "roles": ["approver"],
    "groups": ["finance"],
    "name": "Bob",
    "email": "bob@example.com",
    "csrfToken": "dceb8a69884780bc64b20dc643d8ef4132235951fe16b341079599006fa53388",
    "expiresAt": "2026-11-16T21:30:00.000Z",
}
LISTED_SESSION: Final = {
    "id": SESSION,
    "organization": "default",
    "member": "bob",
    "createdAt": BEGUN,
    "expiresAt": "2026-11-16T21:30:00.000Z",
    "key": KEY,
    "issuer": None,
}
NEW_CONNECTION: Final[dict[str, Any]] = {
    "name": "shop",
    "url": "https://shop.example.com/mcp",
    "headers": {"Authorization": "Bearer {{secrets.SHOP}}"},
}
CONNECTION: Final[dict[str, Any]] = {
    "id": "shop",
    "name": "shop",
    "of": "organization",
    "kind": "http",
    "place": NEW_CONNECTION["url"],
    "headers": NEW_CONNECTION["headers"],
    "secrets": ["SHOP"],
    "tools": 1,
    "changedAt": BEGUN,
    "changedBy": "ada",
}
TOOL: Final[dict[str, Any]] = {
    "id": "refund_order",
    "name": "refund_order",
    "hash": "3d6f91f5555d223b879300e3e807ebfcfebd0cc9f42b0b76695b6421407823d9",
    "description": "Pay back what an order has cost",
    "changed": False,
    "inputSchema": {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
    "outputSchema": None,
}
TOOLS: Final[dict[str, Any]] = {
    "id": "shop",
    "connection": "shop",
    "acceptedAt": BEGUN,
    "tools": [TOOL],
    "accepted": [],
    "gone": [],
    "savedWithOthers": [],
}
ACCEPTED: Final = {
    **TOOLS,
    "accepted": [TOOL],
    "savedWithOthers": [
        {"workflowId": WORKFLOW, "workflowName": "refund", "version": "1", "tool": "refund_order"},
    ],
}
SECRET: Final = {"id": "SHOP", "name": "SHOP", "keyId": "a62525ec5cd81b60", "setAt": BEGUN, "setBy": "ada"}
NOTIFIER: Final = {
    "id": "desk",
    "organization": "default",
    "kind": "email",
    "on": ["opened", "overdue"],
    "url": None,
    "signing_secret": None,
    "to": ["finance@example.com"],
    "revision": 1,
    "changed_at": BEGUN,
}
NEW_NOTIFIER: Final = {"id": "desk", "kind": "email", "on": ["opened", "overdue"], "to": ["finance@example.com"]}

EXAMPLES: Final = {
    "GET /api/members": Example(answer=page(ADA, BOB)),
    "POST /api/members": Example(NEW_BOB, BOB),
    "GET /api/members/{member}": Example(answer=BOB),
    "PATCH /api/members/{member}": Example(
        {"roles": ["approver", "operator"]}, {**BOB, "roles": ["operator", "approver"], "revision": 2}
    ),
    "DELETE /api/members/{member}": Example(),
    "GET /api/keys": Example(answer=page(LISTED_KEY)),
    "POST /api/keys": Example(
        {"member": "bob", "scopes": ["approver"], "name": "phone", "expiresAt": "2027-11-16T09:30:00Z"},
        {**LISTED_KEY, "token": f"prd_{KEY}_as-it-is-shown-once"},
    ),
    "DELETE /api/keys/{key}": Example(),
    "GET /api/audit": Example(answer=page(AUDITED, next=CURSOR)),
    "GET /api/session": Example(answer=WHO),
    "POST /api/session": Example({"key": f"prd_{KEY}_as-it-was-shown-once"}, WHO),
    "DELETE /api/session": Example(),
    "GET /api/session/ways": Example(answer={"key": True, "provider": "/api/session/oidc"}),
    "GET /api/session/oidc": Example(),
    "GET /api/session/oidc/callback": Example(),
    "GET /api/sessions": Example(answer=page(LISTED_SESSION)),
    "DELETE /api/sessions/{session}": Example(),
    "GET /api/connections": Example(answer=page(CONNECTION)),
    "POST /api/connections": Example(NEW_CONNECTION, CONNECTION),
    "DELETE /api/connections/{name}": Example(),
    "GET /api/connections/{name}/tools": Example(answer=TOOLS),
    "POST /api/connections/{name}/tools": Example({"accept": {"refund_order": TOOL["hash"]}}, ACCEPTED),
    "GET /api/secrets": Example(answer=page(SECRET)),
    "PUT /api/secrets/{name}": Example({"value": "as the shop has shown it"}, SECRET),
    "DELETE /api/secrets/{name}": Example(),
    "GET /api/notifiers": Example(answer=page(NOTIFIER)),
    "POST /api/notifiers": Example(NEW_NOTIFIER, NOTIFIER),
    "GET /api/notifiers/{notifier}": Example(answer=NOTIFIER),
    "DELETE /api/notifiers/{notifier}": Example(),
}
