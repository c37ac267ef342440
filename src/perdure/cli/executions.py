"""`perdure executions`: what runs, what ran, and why something waits."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from perdure.answers.executions import listed_execution, why_answer
from perdure.cli.engines import NAMES_MAX, looking
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsJson, Cursor, ExecutionId, Limit, Organization
from perdure.cli.outcome import exit_status, outcome, tell_end, waits_for, way_on
from perdure.cli.pages import tell_page
from perdure.cli.saying import print_json
from perdure.cli.showing import show_command
from perdure.cli.steering import cancel_command, fork_command, refire_command, rerun_command, retry_command
from perdure.cli.tables import table
from perdure.cli.watching import watched
from perdure.cli.where import HERE, Where
from perdure.cli.wording import duration, printable, took
from perdure.clock import now_ms
from perdure.expressions.wording import nearest
from perdure.model.records import ExecutionRecord
from perdure.service.engine import Engine
from perdure.service.paging import Page
from perdure.service.times import local_time
from perdure.service.why import Why

EXECUTIONS = group(
    "executions", "List, show, watch, cancel, retry, rerun, fork and refire executions; and why they wait."
)
EXECUTIONS.command(show_command, name="show")
EXECUTIONS.command(cancel_command, name="cancel")
EXECUTIONS.command(retry_command, name="retry")
EXECUTIONS.command(refire_command, name="refire")
EXECUTIONS.command(rerun_command, name="rerun")
EXECUTIONS.command(fork_command, name="fork")


@EXECUTIONS.command(name="list")
def list_(
    *,
    status: Annotated[
        Literal["pending", "running", "waiting", "completed", "failed", "cancelled"] | None,
        Parameter(help="only those"),
    ] = None,
    workflow: Annotated[str | None, Parameter(help="only those of this workflow, by its id or its name")] = None,
    correlation_id: Annotated[str | None, Parameter(help="only those that belong together by this")] = None,
    parent: Annotated[str | None, Parameter(help="only those that this execution started")] = None,
    component_workflow_id: Annotated[
        str | None, Parameter(help="only the one that has this id in the engine that runs it")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """The executions that are kept, the newest first.

    Example: perdure executions list --status failed --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> tuple[Page[ExecutionRecord], dict[str, str]]:
        page = await engine.executions.list(
            organization=organization,
            status=status,
            workflow=workflow,
            correlation_id=correlation_id,
            parent=parent,
            component_workflow_id=component_workflow_id,
            limit=limit,
            cursor=cursor,
        )
        if page.items:
            return page, await engine.executions.names(page.items)
        known = await engine.workflows.list(organization=organization, limit=NAMES_MAX)
        return page, {item.id: item.name for item in known.items}

    page, names = looking(where, ask)
    near = "" if workflow is None or workflow in names.values() else nearest(workflow, names.values())
    return tell_page(
        page,
        ("ID", "WORKFLOW", "STATUS", "STARTED", "TOOK", ""),
        lambda record: _row(record, names),
        lambda record: listed_execution(record, names.get(record.workflow)),
        empty=f"there are no such executions{near}",
        as_json=json,
    )


def _row(record: ExecutionRecord, names: dict[str, str]) -> tuple[str, ...]:
    return (
        record.id,
        names.get(record.workflow, record.workflow),
        record.status,
        local_time(record.started_at),
        took((record.ended_at or now_ms()) - record.started_at),
        _about(record),
    )


def _about(record: ExecutionRecord) -> str:
    if record.error is not None:
        return record.error.message
    return waits_for(record.waiting) if record.waiting is not None and record.status == "waiting" else ""


@EXECUTIONS.command
def watch(
    execution: ExecutionId,
    /,
    *,
    timeout: Annotated[float | None, Parameter(help="seconds to watch at most")] = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Show the steps of an execution as they go on, whoever runs it, until it ends or waits for somebody.

    Exit status: as of `perdure run`.

    Example: perdure executions watch ID --db sqlite:///flows.db
    """

    async def watching(engine: Engine) -> int:
        found = await engine.executions.find(execution, organization=organization)
        described = await found.describe()
        in_time = await watched(engine, found, described.name, seconds_max=timeout, quiet=json)
        described = await found.describe()
        if json:
            print_json(outcome(described, await found.view()))
        else:
            stays = way_on(described.id, where, organization=organization, waiting=described.record.waiting)
            tell_end(described, described.name, stays, in_time=in_time)
        return exit_status(described.record.status)

    return looking(where, watching)


@EXECUTIONS.command
def why(
    execution: ExecutionId,
    /,
    *,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """What an execution waits for: since when, until when, and on whom.

    Example: perdure executions why ID --db sqlite:///flows.db
    """

    async def asking(engine: Engine) -> tuple[str, Why]:
        found = await engine.executions.find(execution, organization=organization)
        return found.id, await found.why()

    id_, found = looking(where, asking)
    if json:
        print_json(why_answer(id_, found))
        return 0
    print(printable(found.sentence))
    if not found.attended and (found.waits or found.requested):
        print(f"{hint('worker', where=where)} starts a worker (with --tasks, if its nodes are yours).")
    if found.waits:
        now = now_ms()
        rows = [
            (
                wait.step or "",
                wait.kind,
                duration(now - wait.since),
                "-" if wait.until is None else local_time(wait.until),
                wait.on or "-",
            )
            for wait in found.waits
        ]
        print(f"\n{table(('STEP', 'WAITS FOR', 'WAITED', 'UNTIL', 'ON'), rows)}")
    return 0
