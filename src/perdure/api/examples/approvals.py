"""The approval that `refund` asks for: bob takes it on and decides it."""

from __future__ import annotations

from typing import Any, Final

from perdure.api.examples.example import (
    APPROVAL,
    BEGUN_MS,
    DECIDED_MS,
    EXECUTION,
    SUBMITTED,
    WORKFLOW,
    Example,
    page,
)

COMMENTS: Final = "as agreed on the phone"
ASKED: Final[dict[str, Any]] = {
    "id": APPROVAL,
    "organizationId": "default",
    "workflowExecutionId": EXECUTION,
    "wfExecutionId": EXECUTION,
    "workflowId": WORKFLOW,
    "stepSlug": "review",
    "status": "pending",
    "submittedData": SUBMITTED,
    "resourceId": EXECUTION,
    "deeplink": f"https://flows.example.com/approvals/{APPROVAL}",
    "createdAt": BEGUN_MS,
    "approverMemberId": None,
    "approverRole": "finance",
    "decision": None,
    "decidedBy": None,
    "comments": None,
    "modifiedData": None,
    "reviewedAt": None,
    "decidedAt": None,
    "assignedAt": BEGUN_MS,
    "claimedBy": None,
    "resourceType": None,
    "routeHint": None,
    "priority": "medium",
    "dueDate": None,
    "overdue": False,
    "onTimeout": "stay",
    "escalateTo": None,
    "escalatedTo": None,
    "votesRequired": 1,
    "votes": [],
    "separationOfDuties": False,
    "startedBy": None,
    "allowDataModification": False,
    "metadata": None,
}
VOTE: Final = {"by": "bob", "decision": "approve", "at": DECIDED_MS, "comments": COMMENTS, "modifiedData": None}
APPROVED: Final = {
    **ASKED,
    "status": "approved",
    "decision": "approve",
    "decidedBy": "bob",
    "comments": COMMENTS,
    "reviewedAt": DECIDED_MS,
    "decidedAt": DECIDED_MS,
    "votes": [VOTE],
}
LINK: Final = {
    "id": "y-10ezgNDUgLOaz1",
    "approvalId": APPROVAL,
    "member": "bob",
    "expiresAt": "2026-11-23T09:30:00.000Z",
    "url": "https://flows.example.com/a/mAGweS0xMGV6Z05EVWdMT2F6MadkZWZhdWx0",
}

_NOTHING_MORE: Final = {"decision": None, "comments": None, "modified": False, "to": None}
HAPPENED: Final = (
    {"id": "opened", "what": "opened", "at": BEGUN_MS, "by": "system", **_NOTHING_MORE},
    {"id": "41", "what": "claimed", "at": BEGUN_MS + 60_000, "by": "bob", **_NOTHING_MORE},
    {
        **_NOTHING_MORE,
        "id": "42",
        "what": "decided",
        "at": DECIDED_MS,
        "by": "bob",
        "decision": "approve",
        "comments": COMMENTS,
    },
)

_ONE: Final = "/api/approvals/{approval}"
EXAMPLES: Final = {
    "GET /api/approvals": Example(answer=page(ASKED)),
    f"GET {_ONE}": Example(answer=ASKED),
    f"GET {_ONE}/history": Example(answer=page(*HAPPENED)),
    f"POST {_ONE}/decision": Example({"decision": "approve", "comments": COMMENTS}, APPROVED),
    f"POST {_ONE}/links": Example({"member": "bob", "expiresAt": "2026-11-23T09:30:00Z"}, LINK),
    f"POST {_ONE}/claim": Example({}, {**ASKED, "claimedBy": "bob"}),
    f"POST {_ONE}/release": Example(answer=ASKED),
}
