"""`/api/executions`: started, listed, looked at and steered."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Query
from msgspec import UNSET
from pydantic import Field, JsonValue
from starlette.requests import Request

from perdure.answers.executions import (
    EntryAnswer,
    FiringAnswer,
    ListedExecution,
    ProgressAnswer,
    Refired,
    Started,
    Steered,
    StepAnswer,
    WhyAnswer,
    entry_answer,
    firing_answer,
    listed_execution,
    progress_answer,
    step_answer,
    why_answer,
)
from perdure.api.answering import Answer, describes, page
from perdure.api.asking import Asked, Asking, asking_of, gone
from perdure.api.given import (
    TRACEPARENT,
    TRACEPARENT_ABOUT,
    WAIT_SECONDS_MAX,
    Body,
    Cursor,
    Id,
    IdempotencyKey,
    IfMatch,
    Limit,
    Time,
    etag,
    key_of,
    key_sent,
    version_of,
)
from perdure.api.problems import Wrong, refused_document
from perdure.api.repeating import REPLAYED
from perdure.api.routes import routes
from perdure.hosts.refusing import Refused
from perdure.model.records import Status
from perdure.service.describing import Described, ExecutionAnswer, execution_answer
from perdure.service.execution import Execution
from perdure.service.given import Trigger
from perdure.service.paging import LIMIT, LIMIT_MAX, Page
from perdure.service.settling import Patience, Until, settled

ROUTES = routes("/api/executions", "executions")
View = Annotated[
    Literal["own", "ports", "orchestration", "phases", "graph"] | None,
    Query(description="in the words of its dialect; `own`: of whichever it is"),
]
Wait = Annotated[
    float,
    Query(
        ge=0,
        le=WAIT_SECONDS_MAX,
        description="answer when it has ended or waits for somebody, or after so many seconds",
    ),
]
WaitUntil = Annotated[
    Until, Query(alias="until", description="`ended`: it is waited for on, also while it waits for somebody")
]

Beginning = Annotated[
    bool, Query(description="it may be named by how its id begins, 6 characters or more, as people type it")
]


_TRACED = {"name": TRACEPARENT, "in": "header", "description": TRACEPARENT_ABOUT, "schema": {"type": "string"}}


class StartBody(Body):
    """A workflow by its id or its name, or a document that is not saved; `name` beside a document is what that is called if it
    does not say so itself.
    """

    workflow_id: str | None = Field(None, min_length=1, max_length=500)
    name: str | None = Field(None, min_length=1, max_length=200)
    document: dict[str, JsonValue] | None = None
    version: str | None = Field(None, min_length=1, max_length=100)
    input: JsonValue = None
    triggered_by: Trigger = "api"
    trigger_data: JsonValue = None
    correlation_id: str | None = Field(None, max_length=500)

    def what(self) -> str | dict[str, JsonValue]:
        """The one of them that is given. Raises `Wrong`."""
        named = self.name if self.document is None else None
        given = [each for each in (self.workflow_id, named, self.document) if each is not None]
        if len(given) != 1:
            raise Wrong(422, "what_to_start", "say what to start by one of workflowId, name and document")
        if self.document is not None and self.version is not None:
            raise Wrong(422, "what_to_start", "a document that is not saved has no version; leave it out")
        return given[0]


class CancelBody(Body):
    """`compensate`: whether what it has done is undone, where its workflow says how."""

    reason: str = Field("cancelled", min_length=1, max_length=1_000)
    compensate: bool = True


class RerunBody(Body):
    """With the input that it had, unless another one is given; null is one."""

    from_step: str | None = Field(None, min_length=1, max_length=500)
    input: JsonValue = None


class ForkBody(Body):
    at_step: str = Field(min_length=1, max_length=500)
    outputs: dict[str, JsonValue] = Field(default_factory=dict)
    variables: dict[str, JsonValue] = Field(default_factory=dict)
    input: JsonValue = None


class RefireBody(Body):
    trigger: str | None = Field(None, max_length=100)


@ROUTES.post(
    "",
    operation_id="start_execution_api_executions_post",
    **describes(Started, 201, headers={"Location": "where it can be looked at"}),
    openapi_extra={"parameters": [_TRACED]},
)
async def start_execution(request: Request, body: StartBody) -> Answer:
    """Start a workflow. It is durable when this is answered."""
    # Of all that is asked for, nothing comes so often: FastAPI takes a twelfth of its time to look for these three.
    asked, key = asking_of(request), key_of(key_sent(request.headers))
    traceparent = request.headers.get(TRACEPARENT)
    what = body.what()
    try:
        execution = await asked.engine.executions.start(
            what,
            body.input,
            organization=asked.organization,
            version=body.version,
            idempotency_key=key,
            triggered_by=body.triggered_by,
            trigger_data=body.trigger_data,
            correlation_id=body.correlation_id,
            name=None if body.document is None else body.name,
            actor=asked.actor,
            traceparent=traceparent,
            limits=asked.engine.limits,
        )
    except Refused as error:
        raise refused_document(error) from error
    told = Started(execution.id, "pending", asked.organization, body.correlation_id, execution.id)
    return Answer(told, 201, _where(execution))


@ROUTES.get("", operation_id="list_executions_api_executions_get", **describes(Page[ListedExecution]))
async def list_executions(
    asked: Asked,
    status: Status | None = None,
    workflow: Annotated[str | None, Query(max_length=500, description="by its id or its name")] = None,
    correlation_id: Annotated[str | None, Query(alias="correlationId", max_length=500)] = None,
    parent: Annotated[str | None, Query(max_length=500)] = None,
    component_workflow_id: Annotated[str | None, Query(alias="componentWorkflowId", max_length=500)] = None,
    started_after: Annotated[Time | None, Query(alias="startedAfter")] = None,
    started_before: Annotated[Time | None, Query(alias="startedBefore")] = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> Answer:
    """The newest first."""
    found = await asked.engine.executions.list(
        organization=asked.organization,
        status=status,
        workflow=workflow,
        correlation_id=correlation_id,
        parent=parent,
        component_workflow_id=component_workflow_id,
        started_after=started_after,
        started_before=started_before,
        limit=limit,
        cursor=cursor,
    )
    names = await asked.engine.executions.names(found.items)
    return page(found, lambda record: listed_execution(record, names.get(record.workflow)))


@ROUTES.get(
    "/{execution}",
    operation_id="show_execution_api_executions__execution__get",
    **describes(ExecutionAnswer, headers={"ETag": "its version"}, or_object="with `view`, as its dialect has it"),
)
async def show_execution(
    request: Request,
    asked: Asked,
    execution: Id,
    view: View = None,
    wait: Wait = 0.0,
    until: WaitUntil = "settled",
    beginning: Beginning = False,
) -> Answer:
    """One execution, in the words that all dialects share; with `view`, in those of its own."""
    if beginning:
        found = await asked.engine.executions.find(execution, organization=asked.organization)
    else:
        found = await _found(asked, execution)
    if wait:
        with asked.engine.limits.waits.taken(asked.organization, asked.member_id):
            await settled(asked.engine.host, found, wait, Patience(lambda: _over(request)), until)
    described = await found.describe()
    if view is None:
        return Answer(execution_answer(described), headers=etag(described.execution_version))
    if view not in ("own", described.dialect):
        raise Wrong(
            409,
            "other_dialect",
            f"execution {found.id} is one of {described.dialect}; ask for view={described.dialect}, or for view=own",
        )
    return Answer(await found.view(), headers=etag(described.execution_version))


@ROUTES.get(
    "/{execution}/history",
    operation_id="show_history_api_executions__execution__history_get",
    **describes(Page[EntryAnswer]),
)
async def show_history(
    asked: Asked,
    execution: Id,
    after: Annotated[int, Query(ge=0, lt=2**62, description="only after this number")] = 0,
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 200,
    cursor: Annotated[int | None, Query(ge=0, lt=2**62, description="go on after a page: what it said is next")] = None,
) -> Answer:
    """What happened, fact by fact, in order. The next page begins after the number that it says is `next`."""
    found = await _found(asked, execution)
    return page(await found.history(after=after if cursor is None else cursor, limit=limit), entry_answer)


@ROUTES.get(
    "/{execution}/steps",
    operation_id="list_steps_api_executions__execution__steps_get",
    **describes(Page[ProgressAnswer]),
)
async def list_steps(asked: Asked, execution: Id) -> Answer:
    """How each step stands that was entered, in the order in which they were."""
    found = await _found(asked, execution)
    return page(Page(tuple((await found.progress()).steps.values())), progress_answer)


@ROUTES.get(
    "/{execution}/steps/{step}",
    operation_id="show_step_api_executions__execution__steps__step__get",
    **describes(StepAnswer),
)
async def show_step(asked: Asked, execution: Id, step: Id) -> Answer:
    """One step: its attempts, what it was given and what came of it."""
    found = await _found(asked, execution)
    return Answer(step_answer(await found.step(step), await found.step_view(step)))


@ROUTES.get(
    "/{execution}/triggers",
    operation_id="list_triggers_api_executions__execution__triggers_get",
    **describes(Page[FiringAnswer]),
)
async def list_triggers(asked: Asked, execution: Id) -> Answer:
    """What it starts when it is done, and what came of that."""
    found = await _found(asked, execution)
    return page(Page(await found.triggers()), firing_answer)


@ROUTES.get("/{execution}/why", operation_id="show_why_api_executions__execution__why_get", **describes(WhyAnswer))
async def show_why(asked: Asked, execution: Id) -> Answer:
    """What it waits for: since when, until when, and on whom."""
    found = await _found(asked, execution)
    return Answer(why_answer(execution, await found.why()))


@ROUTES.post(
    "/{execution}/cancel", operation_id="cancel_execution_api_executions__execution__cancel_post", **describes(Steered)
)
async def cancel_execution(
    asked: Asked, execution: Id, body: CancelBody | None = None, if_match: IfMatch = None
) -> Answer:
    """End it. What it has done is undone, where its workflow says how."""
    found, given = await _found(asked, execution), CancelBody() if body is None else body
    await found.cancel(
        given.reason, by=asked.name, compensate=given.compensate, if_version=version_of(if_match), actor=asked.actor
    )
    described = await found.describe()
    return _steered(described, noted=described.record.ended_at is None)


@ROUTES.post(
    "/{execution}/retry", operation_id="retry_execution_api_executions__execution__retry_post", **describes(Steered)
)
async def retry_execution(asked: Asked, execution: Id, if_match: IfMatch = None) -> Answer:
    """Go on with what has failed, from the step that failed on."""
    found = await _found(asked, execution)
    await found.retry(by=asked.name, if_version=version_of(if_match), actor=asked.actor)
    described = await found.describe()
    return _steered(described, noted=described.status == "failed")


@ROUTES.post(
    "/{execution}/rerun",
    operation_id="rerun_execution_api_executions__execution__rerun_post",
    **describes(ExecutionAnswer, 201),
)
async def rerun_execution(
    asked: Asked, execution: Id, body: RerunBody | None = None, idempotency_key: IdempotencyKey = None
) -> Answer:
    """A new execution like this one, on the same version: all of it, or from a step on."""
    found = await _found(asked, execution)
    given = RerunBody() if body is None else body
    new = await found.rerun(
        from_step=given.from_step,
        input=_input(given),
        idempotency_key=key_of(idempotency_key),
        actor=asked.actor,
        limits=asked.engine.limits,
    )
    return await _new(new)


@ROUTES.post(
    "/{execution}/fork",
    operation_id="fork_execution_api_executions__execution__fork_post",
    **describes(ExecutionAnswer, 201),
)
async def fork_execution(asked: Asked, execution: Id, body: ForkBody, idempotency_key: IdempotencyKey = None) -> Answer:
    """A new execution that goes on at a step as this one did, but for what is changed."""
    found = await _found(asked, execution)
    new = await found.fork(
        at_step=body.at_step,
        outputs=body.outputs,
        variables=body.variables,
        input=_input(body),
        idempotency_key=key_of(idempotency_key),
        actor=asked.actor,
        limits=asked.engine.limits,
    )
    return await _new(new)


@ROUTES.post(
    "/{execution}/refire", operation_id="refire_execution_api_executions__execution__refire_post", **describes(Refired)
)
async def refire_execution(asked: Asked, execution: Id, body: RefireBody | None = None) -> Answer:
    """Fire again what has failed to start others: one trigger, or all of them."""
    found = await _found(asked, execution)
    fired = await found.refire(None if body is None else body.trigger, actor=asked.actor)
    told = [firing_answer(each) for each in await found.triggers() if each.id in fired]
    return Answer(Refired(found.id, tuple(told)))


async def _found(asked: Asking, execution: str) -> Execution:
    return await asked.engine.executions.get(execution, organization=asked.organization)


async def _over(request: Request) -> None:
    """Until the server is about to end, or nobody is there any more whom it could be answered."""
    why = [asyncio.ensure_future(each) for each in (request.app.state.ending.wait(), gone(request.receive))]
    try:
        await asyncio.wait(why, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in why:
            each.cancel()


def _input(body: RerunBody | ForkBody) -> Any:
    return body.input if "input" in body.model_fields_set else UNSET


def _steered(described: Described, *, noted: bool) -> Answer:
    told = msgspec.structs.asdict(execution_answer(described))
    return Answer(Steered(**told, noted=noted), headers=etag(described.execution_version))


async def _new(execution: Execution) -> Answer:
    return Answer(execution_answer(await execution.describe()), 201, _where(execution))


def _where(execution: Execution) -> dict[str, str]:
    """Where a new one can be looked at, and whether it was there before, under its key."""
    there = {"Location": f"/api/executions/{execution.id}"}
    return there if execution.created else there | REPLAYED
