"""`/api/connections`: servers of MCP, and which of their tools are accepted."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from perdure.answers.organizations import ConnectionAnswer, ToolsAnswer, connection_answer, tools_answer
from perdure.api.answering import Answer, describes, describes_nothing, page
from perdure.api.asking import Asked
from perdure.api.given import WHOLE, Body, Id
from perdure.api.routes import routes
from perdure.service.paging import Page
from perdure.tasks.mcp.connection import CALL_MS, CONNECT_MS

ROUTES = routes("/api/connections", "connections")
MS_MAX = 3_600_000


class ConnectionBody(Body):
    """A server that speaks streamable HTTP. Headers may name secrets: `Bearer {{ secrets.TOKEN }}`."""

    name: str = Field(min_length=1, max_length=200)
    url: str = Field(min_length=1, max_length=2_000)
    headers: dict[str, str] = Field(default_factory=dict)
    connect_ms: Annotated[int, Field(ge=1, le=MS_MAX), WHOLE] = CONNECT_MS
    call_ms: Annotated[int, Field(ge=1, le=MS_MAX), WHOLE] = CALL_MS


class ToolsBody(Body):
    """`accept`: tools, each with the hash of what somebody has looked at, or `gone`. Without it, the server is asked anew."""

    accept: dict[str, str] = Field(default_factory=dict)


@ROUTES.get("", operation_id="list_connections_api_connections_get", **describes(Page[ConnectionAnswer]))
async def list_connections(asked: Asked) -> Answer:
    """Those of the operator, then those of the organization, by name."""
    found = await asked.engine.connections.list(organization=asked.organization)
    return page(Page(found), connection_answer)


@ROUTES.post("", operation_id="add_connection_api_connections_post", **describes(ConnectionAnswer, 201))
async def add_connection(asked: Asked, body: ConnectionBody) -> Answer:
    """Editors may."""
    found = await asked.engine.connections.add(
        body.name,
        body.url,
        headers=body.headers,
        connect_ms=body.connect_ms,
        call_ms=body.call_ms,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(connection_answer(found), 201)


@ROUTES.delete("/{name}", operation_id="remove_connection_api_connections__name__delete", **describes_nothing())
async def remove_connection(asked: Asked, name: Id) -> Response:
    """Steps that call its tools wait from now on. Editors may."""
    await asked.engine.connections.remove(name, organization=asked.organization, actor=asked.actor)
    return Response(status_code=204)


@ROUTES.get("/{name}/tools", operation_id="list_tools_api_connections__name__tools_get", **describes(ToolsAnswer))
async def list_tools(asked: Asked, name: Id) -> Answer:
    """The tools that are accepted."""
    found = await asked.engine.connections.tools(name, organization=asked.organization, actor=asked.actor)
    return Answer(tools_answer(found))


@ROUTES.post("/{name}/tools", operation_id="accept_tools_api_connections__name__tools_post", **describes(ToolsAnswer))
async def accept_tools(asked: Asked, name: Id, body: ToolsBody | None = None) -> Answer:
    """Ask the server what it offers, and accept what was looked at. Editors may."""
    found = await asked.engine.connections.tools(
        name,
        refresh=True,
        accept=None if body is None else body.accept,
        organization=asked.organization,
        actor=asked.actor,
    )
    return Answer(tools_answer(found))
