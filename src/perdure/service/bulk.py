"""The same for many executions: cancelled, retried or run again, by a filter. What is meant can be seen first.

Each is done by itself, and what came of each is told: one that cannot be cancelled any more keeps no other from it. So many
are done at once as a page has; where there are more, the answer says where to go on.
"""

from __future__ import annotations

import asyncio
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from perdure.errors import PerdureError
from perdure.hosts.embedded import Host
from perdure.model.records import ExecutionRecord, Status
from perdure.service.acting import OPERATORS, Actor, allowed
from perdure.service.errors import Conflict
from perdure.service.execution import Execution
from perdure.service.executions import Executions
from perdure.service.paging import LIMIT_MAX, Page

Action: TypeAlias = Literal["cancel", "retry", "rerun"]
COUNT_MAX: Final = 10_000
"""So many are counted for a preview."""

AT_ONCE: Final = 8
EXAMPLES: Final = 10
OPEN: Final[tuple[Status, ...]] = ("pending", "running", "waiting")


class MoreByNow(Conflict):
    """There are more than were seen; nothing is done."""


class Chosen(Struct, frozen=True, omit_defaults=True):
    """Which executions. An empty one means all, and has to be meant."""

    status: Status | None = None
    workflow: str | None = None
    correlation_id: str | None = None
    parent: str | None = None
    started_after: int | None = None
    started_before: int | None = None


class Preview(Struct, frozen=True):
    """How many it would be about. `more`: there are more than are counted."""

    matched: int
    more: bool
    examples: tuple[ExecutionRecord, ...]


class Done(Struct, frozen=True):
    """What came of one: `new` is the execution that it was run again as; `error` is why it was not done."""

    execution: str
    done: bool
    new: str | None = None
    error: str | None = None


class AllDone(Struct, frozen=True):
    """`next`: there are more, to go on with."""

    items: tuple[Done, ...]
    next: str | None = None


class Bulk:
    def __init__(self, host: Host, executions: Executions) -> None:
        self._host, self._executions = host, executions

    async def preview(self, action: Action, chosen: Chosen, *, organization: str = "default") -> Preview:
        """How many executions are chosen for which the action makes sense, and the newest of them. Nothing is changed."""
        matched, cursor, more = 0, None, True
        examples: list[ExecutionRecord] = []
        while more and matched < COUNT_MAX:
            page = await self._page(chosen, organization, LIMIT_MAX, cursor)
            fitting = [record for record in page.items if _fits(action, record)]
            examples += fitting[: EXAMPLES - len(examples)]
            matched, cursor, more = matched + len(fitting), page.next, page.next is not None
        return Preview(min(matched, COUNT_MAX), more or matched > COUNT_MAX, tuple(examples))

    async def perform(
        self,
        action: Action,
        chosen: Chosen,
        *,
        matched: int | None = None,
        reason: str = "cancelled",
        limit: int = LIMIT_MAX,
        cursor: str | None = None,
        organization: str = "default",
        by: str | None = None,
        actor: Actor = None,
    ) -> AllDone:
        """Do it to those of the next page for which it makes sense, the newest first. `matched` is what the preview said: raises
        `MoreByNow` if there are more when it begins. An actor has to be an operator or an editor.
        """
        await allowed(self._host, organization, actor, OPERATORS, f"{action} executions")
        if matched is not None and cursor is None:  # later pages are older: what is run again does not come into them
            await self._refuse_more(action, chosen, organization, matched)
        page = await self._page(chosen, organization, limit, cursor)
        turns = asyncio.Semaphore(AT_ONCE)

        async def one(record: ExecutionRecord) -> Done:
            async with turns:
                execution = Execution(record.id, False, organization, self._host)
                try:
                    return Done(record.id, True, await _done(execution, action, reason, by, actor))
                except PerdureError as error:
                    return Done(record.id, False, error=str(error))

        found = await asyncio.gather(*(one(record) for record in page.items if _fits(action, record)))
        return AllDone(tuple(found), page.next)

    async def _refuse_more(self, action: Action, chosen: Chosen, organization: str, matched: int) -> None:
        now = await self.preview(action, chosen, organization=organization)
        if now.matched > matched or now.more:
            raise MoreByNow(f"there are {now.matched:,} by now, not {matched:,}; look at them again")

    async def _page(self, chosen: Chosen, organization: str, limit: int, cursor: str | None) -> Page[ExecutionRecord]:
        return await self._executions.list(
            organization=organization,
            status=chosen.status,
            workflow=chosen.workflow,
            correlation_id=chosen.correlation_id,
            parent=chosen.parent,
            started_after=chosen.started_after,
            started_before=chosen.started_before,
            limit=limit,
            cursor=cursor,
        )


def _fits(action: Action, record: ExecutionRecord) -> bool:
    """Whether it makes sense for it at all."""
    if action == "cancel":
        return record.status in OPEN
    parked = record.waiting is not None and record.waiting.kind == "operator"
    return action == "rerun" or record.status == "failed" or parked


async def _done(execution: Execution, action: Action, reason: str, by: str | None, actor: Actor) -> str | None:
    match action:
        case "cancel":
            await execution.cancel(reason, by=by, actor=actor)
        case "retry":
            await execution.retry(by=by, actor=actor)
        case "rerun":
            return (await execution.rerun(actor=actor)).id
    return None
