"""The same for many executions: cancelled, retried or run again, by a filter. What is meant can be seen first.

Each is done by itself, and what came of each is told: one that cannot be cancelled any more keeps no other from it. So many
are done at once as a page has; where there are more, the answer says where to go on.
"""

from __future__ import annotations

import asyncio
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.errors import PerdureError
from perdure.hosts.embedded import Host
from perdure.model.records import ExecutionRecord, Status
from perdure.service.acting import OPERATORS, Actor, allowed
from perdure.service.errors import Conflict
from perdure.service.execution import Execution
from perdure.service.executions import Executions
from perdure.service.limits import Limits
from perdure.service.paging import LIMIT_MAX, Page

Action: TypeAlias = Literal["cancel", "retry", "rerun"]
COUNT_MAX: Final = 10_000
"""So many are counted for a preview."""

LOOKED_AT_MAX: Final = 20_000
"""So many are looked at for one, if for most of them the action makes no sense."""

SKIPPED_MAX: Final = 5_000
"""So many are looked at for some with which there is anything to do."""

AT_ONCE: Final = 8
EXAMPLES: Final = 10
OPEN: Final[tuple[Status, ...]] = ("pending", "running", "waiting")
FITTING: Final[dict[Action, tuple[Status | None, ...]]] = {
    "cancel": OPEN,
    "retry": ("failed", "waiting"),
    "rerun": (None,),
}
"""Executions for which an action can make sense have one of these; None: whichever it is."""


class MoreByNow(Conflict, code="more_by_now"):
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
    """How many it would be about. `more`: there are, or may be, more than are counted."""

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


class _Again(Struct, frozen=True):
    """What is said of executions that are run again."""

    key: str | None
    limits: Limits | None


class Bulk:
    def __init__(self, host: Host, executions: Executions) -> None:
        self._host, self._executions = host, executions

    async def preview(self, action: Action, chosen: Chosen, *, organization: str = "default") -> Preview:
        """How many executions are chosen for which the action makes sense, and the newest of them. Nothing is changed."""
        matched, looked_at, more = 0, 0, False
        examples: list[ExecutionRecord] = []
        for part in _parts(action, chosen):
            cursor, of_part = None, 0
            while not more:
                page = await self._page(part, organization, LIMIT_MAX, cursor)
                fitting = [record for record in page.items if _fits(action, record)]
                examples += fitting[: max(EXAMPLES - of_part, 0)]
                matched, of_part = matched + len(fitting), of_part + len(fitting)
                looked_at, cursor = looked_at + len(page.items), page.next
                is_enough = matched >= COUNT_MAX or looked_at >= LOOKED_AT_MAX
                more = matched > COUNT_MAX or (is_enough and cursor is not None)
                if cursor is None:
                    break
        examples.sort(key=lambda record: record.started_at, reverse=True)
        return Preview(min(matched, COUNT_MAX), more, tuple(examples[:EXAMPLES]))

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
        idempotency_key: str | None = None,
        actor: Actor = None,
        limits: Limits | None = None,
    ) -> AllDone:
        """Do it to those of the next page for which it makes sense, the newest first; pages without any are passed over, so many
        at a time. `matched` is what the preview said: raises `MoreByNow` if there are more when it begins. An actor has to be an
        operator or an editor. Under the same idempotency key, none is run again twice. `limits`: what it starts comes from
        outside, and counts.
        """
        again = _Again(idempotency_key, limits)
        await allowed(self._host, organization, actor, OPERATORS, f"{action} executions")
        if matched is not None and cursor is None:  # later pages are older: what is run again does not come into them
            await self._refuse_more(action, chosen, organization, matched)
        found, next_ = await self._next(action, chosen, organization, limit, cursor)
        turns = asyncio.Semaphore(AT_ONCE)

        async def one(record: ExecutionRecord) -> Done:
            async with turns:
                execution = Execution(record.id, False, organization, self._host)
                try:
                    return Done(record.id, True, await _done(execution, action, reason, by, actor, again))
                except PerdureError as error:
                    return Done(record.id, False, error=str(error))

        return AllDone(tuple(await asyncio.gather(*map(one, found))), next_)

    async def _next(
        self, action: Action, chosen: Chosen, organization: str, limit: int, cursor: str | None
    ) -> tuple[list[ExecutionRecord], str | None]:
        """Those of the next page that has any, and where it goes on. All of them are gone through, whatever their status is: it
        may change meanwhile, and none is to be missed for that.
        """
        looked_at = 0
        while True:
            page = await self._page(chosen, organization, limit, cursor)
            found = [record for record in page.items if _fits(action, record)]
            looked_at, cursor = looked_at + len(page.items), page.next
            if found or cursor is None or looked_at >= SKIPPED_MAX:
                return found, cursor

    async def _refuse_more(self, action: Action, chosen: Chosen, organization: str, matched: int) -> None:
        now = await self.preview(action, chosen, organization=organization)
        if now.matched > matched:
            raise MoreByNow(f"there are {now.matched:,} by now, not {matched:,}; look at them again")
        if now.more:
            raise MoreByNow(
                f"there may be more than the {now.matched:,} that are counted; choose fewer, or leave out how many matched"
            )

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


def _parts(action: Action, chosen: Chosen) -> list[Chosen]:
    """The same, by status: those for which the action makes sense are found without going through all others."""
    fitting = FITTING[action]
    if None in fitting:
        return [chosen]
    if chosen.status is not None:
        return [chosen] if chosen.status in fitting else []
    return [replace(chosen, status=status) for status in fitting]


def _fits(action: Action, record: ExecutionRecord) -> bool:
    """Whether it makes sense for it at all."""
    if action == "cancel":
        return record.status in OPEN
    parked = record.waiting is not None and record.waiting.kind == "operator"
    return action == "rerun" or record.status == "failed" or parked


async def _done(
    execution: Execution, action: Action, reason: str, by: str | None, actor: Actor, again: _Again
) -> str | None:
    match action:
        case "cancel":
            await execution.cancel(reason, by=by, actor=actor)
        case "retry":
            await execution.retry(by=by, actor=actor)
        case "rerun":
            return (await execution.rerun(idempotency_key=again.key, actor=actor, limits=again.limits)).id
    return None
