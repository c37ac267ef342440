"""`/api/workflows`: saved, validated, listed, activated and compared."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request

from perdure.answers.workflows import (
    Differences,
    SavedAnswer,
    Validation,
    VersionAnswer,
    WorkflowAnswer,
    saved_answer,
    validation,
    version_answer,
    workflow_answer,
)
from perdure.api.answering import Answer, describes, page
from perdure.api.asking import Asked
from perdure.api.bodies import read_json, require_json
from perdure.api.given import Body, Cursor, Id, Limit
from perdure.api.problems import NO_WORKFLOW, Wrong, refused_document
from perdure.api.routes import routes
from perdure.hosts.refusing import Refused
from perdure.service.apart import apart
from perdure.service.paging import LIMIT, Page

ROUTES = routes("/api/workflows", "workflows")
DOCUMENT: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"type": "object", "description": "a document of any dialect, as it stands in a file"},
            }
        },
    }
}
ANYTHING: dict[str, Any] = {"requestBody": {"required": True, "content": {"application/json": {"schema": {}}}}}
"""What is no document at all can be validated, too."""

Activate = Annotated[
    bool | None,
    Query(description="whether it becomes the active version; else as the document says, and yes by default"),
]
Name = Annotated[str | None, Query(max_length=200, description="what it is called, if the document does not say so")]


class ActivateBody(Body):
    version: str


@ROUTES.post(
    "",
    operation_id="save_workflow_api_workflows_post",
    openapi_extra=DOCUMENT,
    **describes(SavedAnswer, 201, also={200: "it was there already"}),
)
async def save_workflow(asked: Asked, request: Request, activate: Activate = None, name: Name = None) -> Answer:
    """Keep a document as the newest version of its workflow."""
    require_json(request)
    body = await request.body()
    await _require_document(body)
    try:
        saved = await asked.engine.workflows.save(
            body, asked.organization, name=name, activate=activate, actor=asked.actor
        )
    except Refused as error:
        raise refused_document(error) from error
    return Answer(saved_answer(saved), 201 if saved.created else 200)


async def _require_document(body: bytes) -> None:
    """What is not even JSON is told as every other document that cannot be saved."""
    try:
        await read_json(body)
    except Wrong as wrong:
        wrong.error = NO_WORKFLOW
        raise


@ROUTES.post(
    "/validate",
    operation_id="validate_workflow_api_workflows_validate_post",
    openapi_extra=ANYTHING,
    **describes(Validation),
)
async def validate_workflow(asked: Asked, request: Request, name: Name = None) -> Answer:
    """All that is wrong with a document, and all that is odd. Nothing is kept."""
    require_json(request)
    body = await request.body()
    await read_json(body)
    found = await asked.engine.workflows.check(body, asked.organization, name=name)
    if found.problems:
        return Answer(validation(found, None))
    engine = asked.engine
    requires = await apart(engine.host, body, lambda: engine.workflows.requirements(body))
    return Answer(validation(found, requires))


@ROUTES.get("", operation_id="list_workflows_api_workflows_get", **describes(Page[WorkflowAnswer]))
async def list_workflows(asked: Asked, limit: Limit = LIMIT, cursor: Cursor = None) -> Answer:
    """By name."""
    found = await asked.engine.workflows.list(organization=asked.organization, limit=limit, cursor=cursor)
    return page(found, workflow_answer)


@ROUTES.get("/{workflow}", operation_id="show_workflow_api_workflows__workflow__get", **describes(VersionAnswer))
async def show_workflow(asked: Asked, workflow: Id) -> Answer:
    """The active version with its document, else the newest; and which versions there are. By its id or its name."""
    found = await asked.engine.workflows.show(workflow, organization=asked.organization)
    versions = await asked.engine.workflows.versions(found.id, organization=asked.organization)
    return Answer(version_answer(found, versions=versions))


@ROUTES.get(
    "/{workflow}/versions",
    operation_id="list_versions_api_workflows__workflow__versions_get",
    **describes(Page[VersionAnswer]),
)
async def list_versions(asked: Asked, workflow: Id) -> Answer:
    """The newest first, without their documents."""
    found = await asked.engine.workflows.versions(workflow, organization=asked.organization)
    return page(Page(found), lambda each: version_answer(each, brief=True))


@ROUTES.get(
    "/{workflow}/versions/{version}",
    operation_id="show_version_api_workflows__workflow__versions__version__get",
    **describes(VersionAnswer),
)
async def show_version(asked: Asked, workflow: Id, version: Id) -> Answer:
    """One version, with its document."""
    found = await asked.engine.workflows.show(workflow, version, organization=asked.organization)
    return Answer(version_answer(found))


@ROUTES.get(
    "/{workflow}/diff", operation_id="diff_workflow_api_workflows__workflow__diff_get", **describes(Differences)
)
async def diff_workflow(
    asked: Asked,
    workflow: Id,
    old: Annotated[str, Query(description="a version")],
    new: Annotated[str, Query(description="another version")],
) -> Answer:
    """What differs between two versions, by its place in the document."""
    found = await asked.engine.workflows.diff(workflow, old, new, organization=asked.organization)
    return Answer(Differences(found))


@ROUTES.post(
    "/{workflow}/activate",
    operation_id="activate_workflow_api_workflows__workflow__activate_post",
    **describes(VersionAnswer),
)
async def activate_workflow(asked: Asked, workflow: Id, body: ActivateBody) -> Answer:
    """What starts and events get from now on."""
    try:
        found = await asked.engine.workflows.activate(
            workflow, body.version, organization=asked.organization, actor=asked.actor
        )
    except Refused as error:
        raise refused_document(error) from error
    return Answer(version_answer(found, brief=True))


@ROUTES.post(
    "/{workflow}/deactivate",
    operation_id="deactivate_workflow_api_workflows__workflow__deactivate_post",
    **describes(VersionAnswer),
)
async def deactivate_workflow(asked: Asked, workflow: Id, body: ActivateBody) -> Answer:
    """No start and no event gets this version any more."""
    found = await asked.engine.workflows.deactivate(
        workflow, body.version, organization=asked.organization, actor=asked.actor
    )
    return Answer(version_answer(found, brief=True))
