"""`/api/approvals`: listed, taken on and decided, by those who are asked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field, JsonValue

from perdure.answers.approvals import LinkAnswer, link_answer
from perdure.api.answering import Answer, describes, page
from perdure.api.asking import Asked, Asking
from perdure.api.given import Body, Cursor, Id, Limit, Time
from perdure.api.problems import Wrong
from perdure.api.routes import routes
from perdure.model.problem import Problem
from perdure.service.approval_history import ApprovalEvent
from perdure.service.deciding import ApprovalItem
from perdure.service.paging import LIMIT, Page
from perdure.store.approvals import Standing

ROUTES = routes("/api/approvals", "approvals")


class DecisionBody(Body):
    """`data` is what was submitted, changed."""

    decision: Literal["approve", "approved", "reject", "rejected"]
    comments: str | None = Field(None, max_length=10_000)
    data: JsonValue = None


class ClaimBody(Body):
    """`over`: also from somebody who has taken it on; an admin may."""

    over: bool = False


class LinkBody(Body):
    """For yourself, or, as an admin, for any member. Without a time it counts for a week."""

    member: str | None = Field(None, min_length=1, max_length=200)
    expires_at: Time | None = None


@ROUTES.get("", operation_id="list_approvals_api_approvals_get", **describes(Page[ApprovalItem]))
async def list_approvals(
    asked: Asked,
    status: Standing | None = None,
    overdue: Annotated[bool, Query(description="only those whose time is over")] = False,
    assignee: Annotated[str | None, Query(max_length=200, description="what this member is asked; `me`: you")] = None,
    workflow: Annotated[str | None, Query(max_length=500, description="by its id or its name")] = None,
    execution: Annotated[str | None, Query(max_length=500)] = None,
    resource_type: Annotated[str | None, Query(alias="resourceType", max_length=500)] = None,
    resource_id: Annotated[str | None, Query(alias="resourceId", max_length=500)] = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> Answer:
    """The newest first. What they are about is said by its type and its id, both or neither."""
    if (resource_type is None) != (resource_id is None):
        lacking, given = ("resourceType", "resourceId") if resource_type is None else ("resourceId", "resourceType")
        message = f"{lacking} of the query: it goes together with {given}; give both, or neither"
        raise Wrong(422, "needs_both", message, problems=[Problem("needs_both", message, "", field=lacking)])
    found = await asked.engine.approvals.list(
        organization=asked.organization,
        status=status,
        overdue=overdue,
        assignee=asked.name if assignee == "me" else assignee,
        workflow=workflow,
        execution=execution,
        resource_type=resource_type,
        resource_id=resource_id,
        limit=limit,
        cursor=cursor,
    )
    return page(found, lambda each: each)


@ROUTES.get("/{approval}", operation_id="show_approval_api_approvals__approval__get", **describes(ApprovalItem))
async def show_approval(asked: Asked, approval: Id) -> Answer:
    """One approval, with its votes."""
    return Answer(await asked.engine.approvals.get(approval, organization=asked.organization))


@ROUTES.get(
    "/{approval}/history",
    operation_id="show_approval_history_api_approvals__approval__history_get",
    **describes(Page[ApprovalEvent]),
)
async def show_approval_history(asked: Asked, approval: Id, limit: Limit = LIMIT, cursor: Cursor = None) -> Answer:
    """What happened to it, the oldest first; votes that were changed later are still there."""
    found = await asked.engine.approvals.history(approval, organization=asked.organization, limit=limit, cursor=cursor)
    return page(found, lambda each: each)


@ROUTES.post(
    "/{approval}/decision",
    operation_id="decide_approval_api_approvals__approval__decision_post",
    **describes(ApprovalItem),
)
async def decide_approval(asked: Asked, approval: Id, body: DecisionBody) -> Answer:
    """Vote on it; the vote that settles it is the decision. The same again is answered as the first."""
    return Answer(
        await asked.engine.approvals.decide(
            approval,
            body.decision,
            comments=body.comments,
            data=body.data,
            organization=asked.organization,
            **voter(asked),
        )
    )


@ROUTES.post(
    "/{approval}/links", operation_id="link_approval_api_approvals__approval__links_post", **describes(LinkAnswer, 201)
)
async def link_approval(asked: Asked, approval: Id, body: LinkBody | None = None) -> Answer:
    """A link by which it is decided, once, in somebody's name, on a page of the server. It is shown once."""
    given = body or LinkBody()
    made = await asked.engine.approvals.link(
        approval, member=given.member, expires_at=given.expires_at, organization=asked.organization, **voter(asked)
    )
    return Answer(link_answer(made), 201)


@ROUTES.post(
    "/{approval}/claim", operation_id="claim_approval_api_approvals__approval__claim_post", **describes(ApprovalItem)
)
async def claim_approval(asked: Asked, approval: Id, body: ClaimBody | None = None) -> Answer:
    """Take it on: nobody else decides it meanwhile, but an admin."""
    over = body is not None and body.over
    return Answer(
        await asked.engine.approvals.claim(approval, over=over, organization=asked.organization, **voter(asked))
    )


@ROUTES.post(
    "/{approval}/release",
    operation_id="release_approval_api_approvals__approval__release_post",
    **describes(ApprovalItem),
)
async def release_approval(asked: Asked, approval: Id) -> Answer:
    """Let go of it, so that others can decide it."""
    return Answer(await asked.engine.approvals.release(approval, organization=asked.organization, **voter(asked)))


def voter(asked: Asking) -> dict[str, Any]:
    """Who votes: a member; on one's own machine, where there need be none, a name."""
    return {"by": asked.name} if asked.actor is None else {"actor": asked.actor}
