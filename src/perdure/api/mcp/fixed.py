"""The tools that are there whatever is saved: executions and approvals, looked at and decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, Literal

from mcp_types import CallToolResult, Tool, ToolAnnotations
from msgspec import Struct
from pydantic import Field, JsonValue

from perdure.answers.executions import WhyAnswer, why_answer
from perdure.api.approvals import voter
from perdure.api.asking import Asking
from perdure.api.given import WAIT_SECONDS_MAX, Body
from perdure.api.mcp.naming import OURS
from perdure.api.mcp.schemas import output_schema
from perdure.api.mcp.telling import ExecutionTold, answered, told_execution
from perdure.expressions.times import iso
from perdure.model.records import ExecutionRecord, Status
from perdure.service.deciding import ApprovalItem
from perdure.service.describing import FailureAnswer, WaitingAnswer, failure_answer, waiting_answer
from perdure.service.paging import Page
from perdure.service.settling import Patience, settled
from perdure.service.shapes import Instant, at
from perdure.store.approvals import Standing

LIMIT, LIMIT_MAX = 20, 100
LOOKS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DECIDES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
Ref = Annotated[str, Field(min_length=1, max_length=500)]
Limit = Annotated[int, Field(ge=1, le=LIMIT_MAX, description="how many at most")]
Cursor = Annotated[str | None, Field(max_length=1_000, description="what the page before said is next")]


class ExecutionItem(Struct, frozen=True, kw_only=True):
    """In a list, without its output. `name` is that of its workflow."""

    id: str
    name: str
    status: Status
    error: FailureAnswer | None
    waiting_for: WaitingAnswer | None
    triggered_by: str
    started_at: Instant
    ended_at: Instant | None


class ListExecutions(Body):
    status: Status | None = None
    workflow: Annotated[str | None, Field(max_length=500, description="its id or its name")] = None
    correlation_id: Annotated[str | None, Field(max_length=500)] = None
    limit: Limit = LIMIT
    cursor: Cursor = None


class ShowExecution(Body):
    execution: Annotated[Ref, Field(description="its id")]
    wait_seconds: Annotated[
        float,
        Field(
            ge=0, le=WAIT_SECONDS_MAX, description="answer when it has ended or waits for somebody, or after so long"
        ),
    ] = 0.0
    steps: Annotated[bool, Field(description="also how each of its steps stands")] = False


class Why(Body):
    execution: Annotated[Ref, Field(description="its id")]


class ListApprovals(Body):
    status: Standing | None = None
    assignee: Annotated[
        str | None, Field(max_length=200, description="only what this member is asked; `me`: whose key this is")
    ] = None
    workflow: Annotated[str | None, Field(max_length=500, description="its id or its name")] = None
    execution: Annotated[str | None, Field(max_length=500, description="its id")] = None
    limit: Limit = LIMIT
    cursor: Cursor = None


class DecideApproval(Body):
    approval: Annotated[Ref, Field(description="its id")]
    decision: Literal["approve", "reject"]
    comments: Annotated[str | None, Field(max_length=10_000, description="why")] = None
    data: Annotated[JsonValue, Field(description="what was submitted, changed; leave it out to keep it as it is")] = (
        None
    )


async def list_executions(asked: Asking, given: ListExecutions, _: Patience) -> CallToolResult:
    found = await asked.engine.executions.list(
        organization=asked.organization,
        status=given.status,
        workflow=given.workflow,
        correlation_id=given.correlation_id,
        limit=given.limit,
        cursor=given.cursor,
    )
    names = await asked.engine.executions.names(found.items)
    items = tuple(_item(record, names.get(record.workflow)) for record in found.items)
    return answered(Page(items, found.next))


async def show_execution(asked: Asking, given: ShowExecution, patience: Patience) -> CallToolResult:
    execution = await asked.engine.executions.get(given.execution, organization=asked.organization)
    if given.wait_seconds:
        with asked.engine.limits.waits.taken(asked.organization, asked.member_id):
            await settled(asked.engine.host, execution, given.wait_seconds, patience)
    return answered(await told_execution(execution, steps=given.steps))


async def why(asked: Asking, given: Why, _: Patience) -> CallToolResult:
    execution = await asked.engine.executions.get(given.execution, organization=asked.organization)
    found = await execution.why()
    return answered(why_answer(execution.id, found), found.sentence)


async def list_approvals(asked: Asking, given: ListApprovals, _: Patience) -> CallToolResult:
    found = await asked.engine.approvals.list(
        organization=asked.organization,
        status=given.status,
        assignee=asked.name if given.assignee == "me" else given.assignee,
        workflow=given.workflow,
        execution=given.execution,
        limit=given.limit,
        cursor=given.cursor,
    )
    return answered(found)


async def decide_approval(asked: Asking, given: DecideApproval, _: Patience) -> CallToolResult:
    found = await asked.engine.approvals.decide(
        given.approval,
        given.decision,
        comments=given.comments,
        data=given.data,
        organization=asked.organization,
        **voter(asked),
    )
    return answered(found)


def _item(record: ExecutionRecord, name: str | None) -> ExecutionItem:
    return ExecutionItem(
        id=record.id,
        name=name or record.workflow,
        status=record.status,
        error=failure_answer(record.error, record.ended_at),
        waiting_for=waiting_answer(record.waiting if record.status == "waiting" else None),
        triggered_by=record.trigger,
        started_at=iso(record.started_at),
        ended_at=at(record.ended_at),
    )


class Fixed(Struct, frozen=True):
    """A tool of ours: how it is told, what it takes, and what it does."""

    tool: Tool
    takes: type[Body]
    call: Callable[[Asking, Any, Patience], Awaitable[CallToolResult]]


def _fixed(
    name: str,
    call: Callable[[Asking, Any, Patience], Awaitable[CallToolResult]],
    title: str,
    description: str,
    takes: type[Body],
    answers: Any,
    annotations: ToolAnnotations = LOOKS,
) -> Fixed:
    tool = Tool(
        name=f"{OURS}{name}",
        title=title,
        description=description,
        input_schema=takes.model_json_schema(),
        output_schema=output_schema(answers),
        annotations=annotations,
    )
    return Fixed(tool, takes, call)


_ALL: Final = (
    _fixed(
        "list_executions",
        list_executions,
        "List executions",
        "The executions of workflows, the newest first, without their outputs.",
        ListExecutions,
        Page[ExecutionItem],
    ),
    _fixed(
        "show_execution",
        show_execution,
        "Show an execution",
        "How one execution stands: its status, its output or error, what it waits for. With waitSeconds, its end is waited for.",
        ShowExecution,
        ExecutionTold,
    ),
    _fixed(
        "why",
        why,
        "Why does it wait?",
        "Why an execution is where it is: what it waits for, since when, until when, and on whom.",
        Why,
        WhyAnswer,
    ),
    _fixed(
        "list_approvals",
        list_approvals,
        "List approvals",
        "What people are asked to decide, the newest first, with what was submitted. Times are milliseconds since 1970.",
        ListApprovals,
        Page[ApprovalItem],
    ),
    _fixed(
        "decide_approval",
        decide_approval,
        "Decide an approval",
        "Approve or reject, as the member whose key this is. It takes to be among those who are asked, and cannot be undone.",
        DecideApproval,
        ApprovalItem,
        DECIDES,
    ),
)
FIXED: Final = {each.tool.name: each for each in _ALL}
