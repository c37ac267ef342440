"""Approvals at a server: listed, taken on and decided. Who does so, the key says."""

from __future__ import annotations

from perdure.answers.approvals import LinkAnswer, link_from
from perdure.client.channel import Channel, Query
from perdure.client.pages import bounds
from perdure.expressions.canonical import canonical
from perdure.expressions.times import iso
from perdure.model.values import Json
from perdure.service.approval_history import ApprovalEvent
from perdure.service.approvals import Said
from perdure.service.deciding import ApprovalItem, decision_of
from perdure.service.links import ApprovalLink
from perdure.service.paging import LIMIT, Page
from perdure.store.approvals import Standing


class Approvals:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def decide(
        self, approval: str, decision: Said, *, comments: str | None = None, data: Json = None
    ) -> ApprovalItem:
        """Vote on an approval; the vote that settles it is the decision. The same again is answered as the first."""
        body = {"decision": decision_of(decision), "comments": comments, "data": canonical(data)}
        return await self._channel.post("approvals", approval, "decision", shape=ApprovalItem, body=body, safe=True)

    async def claim(self, approval: str, *, over: bool = False) -> ApprovalItem:
        """Take it on: nobody else decides it meanwhile, but an admin. `over`: also from somebody who has; an admin may."""
        return await self._channel.post("approvals", approval, "claim", shape=ApprovalItem, body={"over": over})

    async def release(self, approval: str) -> ApprovalItem:
        """Let go of it, so that others can decide it. An admin may for whoever has it."""
        return await self._channel.post("approvals", approval, "release", shape=ApprovalItem)

    async def link(self, approval: str, *, member: str | None = None, expires_at: int | None = None) -> ApprovalLink:
        """A link by which it is decided, once: for you, or as an admin for any member. Its URL is nowhere but in the answer."""
        body = {"member": member, "expiresAt": None if expires_at is None else iso(expires_at)}
        return link_from(await self._channel.post("approvals", approval, "links", shape=LinkAnswer, body=body))

    async def get(self, approval: str) -> ApprovalItem:
        """Raises `NotFound`."""
        return await self._channel.get("approvals", approval, shape=ApprovalItem)

    async def history(self, approval: str, *, limit: int = LIMIT, cursor: str | None = None) -> Page[ApprovalEvent]:
        """What happened to it, the oldest first; votes that were changed later are still there. Raises `NotFound`."""
        query: Query = {**bounds(limit, cursor)}
        return await self._channel.get("approvals", approval, "history", shape=Page[ApprovalEvent], query=query)

    async def list(
        self,
        *,
        status: Standing | None = None,
        overdue: bool = False,
        assignee: str | None = None,
        workflow: str | None = None,
        execution: str | None = None,
        resource_type: str | None = None,
        resource_id: str | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> Page[ApprovalItem]:
        """The newest first, as `Engine.approvals.list` tells them. `assignee`: what this member is asked; `me`: you."""
        query: Query = {
            "status": status,
            "overdue": overdue,
            "assignee": assignee,
            "workflow": workflow,
            "execution": execution,
            "resourceType": resource_type,
            "resourceId": resource_id,
            **bounds(limit, cursor),
        }
        return await self._channel.get("approvals", shape=Page[ApprovalItem], query=query)
