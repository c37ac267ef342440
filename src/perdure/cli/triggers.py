"""`perdure triggers`: the log of what came in from outside, or when its time had come, and what became of it."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from perdure.answers.triggers import trigger_answer
from perdure.cli.engines import looking
from perdure.cli.groups import group
from perdure.cli.instants import instant
from perdure.cli.options import AsJson, Cursor, Limit, Organization
from perdure.cli.pages import tell_page
from perdure.cli.where import HERE, Where
from perdure.service.engine import Engine
from perdure.service.paging import Page
from perdure.service.times import local_time
from perdure.store.ledger import TriggerEntry

TRIGGERS = group("triggers", "What came in by webhooks, events and schedules, and what became of it.")


@TRIGGERS.command(name="list")
def list_(
    *,
    outcome: Annotated[
        Literal["accepted", "rejected", "duplicate", "rate_limited"] | None, Parameter(help="only what came to this")
    ] = None,
    subject: Annotated[
        str | None,
        Parameter(help="only of this: the id of a webhook, the type of an event, or a schedule, workflow/schedule"),
    ] = None,
    since: Annotated[
        str | None, Parameter(metavar="TIME", help="only what came then or later, as 2026-11-16T09:30:00Z")
    ] = None,
    until: Annotated[str | None, Parameter(metavar="TIME", help="only what came before")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """What came in, the newest first, also what was refused, and why. Of what came too often, a line stands for several.

    Example: perdure triggers list --outcome rejected --db sqlite:///flows.db
    """
    after, before = instant(since, "--since"), instant(until, "--until")

    async def ask(engine: Engine) -> Page[TriggerEntry]:
        return await engine.triggers.list(
            organization=organization,
            outcome=outcome,
            subject=subject,
            since=after,
            until=before,
            limit=limit,
            cursor=cursor,
        )

    is_all = (outcome, subject, since, until) == (None, None, None, None)
    empty = "nothing has come in" if is_all else "nothing of that kind has come in"
    headings = ("CAME", "KIND", "OF", "OUTCOME", "TIMES", "EXECUTION", "WHY")
    return tell_page(looking(where, ask), headings, _row, trigger_answer, empty=empty, as_json=json)


def _row(entry: TriggerEntry) -> tuple[str, ...]:
    told = (local_time(entry.at), entry.kind, entry.subject, entry.outcome, f"{entry.times:,}")
    return (*told, entry.execution or "", entry.reason or "")
