"""Every route, as the OpenAPI document has it, asked by whoever must not: nothing is told, and nothing is changed.

The routes are taken from the application itself, so that a new one is in here before anybody thinks of it. What a route needs to
be asked sensibly (ids of things that are there, bodies that would be taken) is in `SOUND`; a route that is missing there fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import msgspec
from fastapi.routing import APIRoute

from api.house import ASK, GREET, House, house, run, said
from perdure.api.app import application
from perdure.api.routes import PUBLIC
from perdure.service.engine import Engine

CRON: dict[str, Any] = {
    "name": "daily",
    "nodes": [{"id": "start", "type": "SCHEDULE_TRIGGER", "data": {"schedule": "0 9 * * *"}}],
    "connections": [],
}
HOOKED: dict[str, Any] = {"name": "hooked", "nodes": [{"id": "start", "type": "WEBHOOK_TRIGGER"}], "connections": []}

SOUND: dict[str, Any] = {
    "POST /api/workflows": {**GREET, "name": "another"},
    "POST /api/workflows/validate": GREET,
    "POST /api/workflows/{workflow}/activate": {"version": "1"},
    "POST /api/workflows/{workflow}/deactivate": {"version": "1"},
    "POST /api/executions": {"name": "greet", "input": {"name": "x"}},
    "POST /api/executions/{execution}/cancel": {"reason": "no"},
    "POST /api/executions/{execution}/retry": None,
    "POST /api/executions/{execution}/rerun": {"input": {"name": "y"}},
    "POST /api/executions/{execution}/fork": {"atStep": "ask"},
    "POST /api/executions/{execution}/refire": {},
    "POST /api/bulk": {"action": "cancel", "filter": {}, "matched": 1000},
    "POST /api/bulk/preview": {"action": "cancel", "filter": {}},
    "POST /api/approvals/{approval}/decision": {"decision": "approve"},
    "POST /api/approvals/{approval}/links": {},
    "POST /api/approvals/{approval}/claim": {},
    "POST /api/approvals/{approval}/release": None,
    "POST /api/events": {"type": "order.paid", "payload": {}},
    "POST /api/events/{event}/reroute": None,
    "POST /api/schedules": {"workflow": "greet", "schedule": "0 7 * * *", "id": "mornings"},
    "PATCH /api/schedules/{workflow}/{schedule}": {"every": "P2D"},
    "DELETE /api/schedules/{workflow}/{schedule}": None,
    "POST /api/schedules/{workflow}/{schedule}/pause": None,
    "POST /api/schedules/{workflow}/{schedule}/resume": {},
    "POST /api/schedules/{workflow}/{schedule}/reset": None,
    "POST /api/webhooks": {"workflow": "hooked"},
    "POST /api/webhooks/{webhook}/rotate": {},
    "DELETE /api/webhooks/{webhook}": None,
    "POST /api/connections": {"name": "other", "url": "https://mcp.example.com/mcp"},
    "POST /api/connections/{name}/tools": {"accept": {"a": "b"}},
    "DELETE /api/connections/{name}": None,
    "PUT /api/secrets/{name}": {"value": "hush"},
    "DELETE /api/secrets/{name}": None,
    "POST /api/notifiers": {"id": "desk", "kind": "log"},
    "DELETE /api/notifiers/{notifier}": None,
    "POST /api/members": {"id": "eve"},
    "PATCH /api/members/{member}": {"roles": ["admin"]},
    "DELETE /api/members/{member}": None,
    "POST /api/keys": {"member": "owner"},
    "DELETE /api/keys/{key}": None,
    "DELETE /api/sessions/{session}": None,
}
"""What each route that changes something is asked with. None: it takes no body."""

LOOKS = {"POST /api/workflows/validate", "POST /api/bulk/preview"}
"""They are asked by POST for what they are sent, and change nothing."""

ELSEWHERE = {"GET /api/connections/{name}/tools", "GET /api/stream"}
"""The one asks a server, the other has no end; the tests of connections and of the stream have them."""

ADMINS_READ = {"GET /api/audit"}


def routes() -> Iterator[tuple[str, str]]:
    """Each method and path that there is."""
    for route in application(Engine()).routes:
        if isinstance(route, APIRoute) and route.path not in PUBLIC:
            for method in sorted(route.methods or ()):
                yield method, route.path


def test_every_route_is_in_the_table_and_in_the_document() -> None:
    there = {f"{method} {path}" for method, path in routes()}
    changing = {each for each in there if not each.startswith("GET ")}
    assert changing == set(SOUND)
    document = application(Engine()).openapi()
    told = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert {each for each in told if each.split()[1] not in PUBLIC} == there


def test_what_anybody_may_ask_is_a_short_list() -> None:
    open_ = {
        route.path for route in application(Engine()).routes if isinstance(route, APIRoute) and route.path in PUBLIC
    }
    assert open_ == {
        *("/healthz", "/readyz", "/metrics", "/hooks/{token}", "/a/{token:path}", "/api/openapi.json"),
        *("/api/session", "/api/session/ways", "/api/session/oidc", "/api/session/oidc/callback"),
    }


class Things(msgspec.Struct):
    """What there is in an organization, by the names that paths have for it."""

    of: dict[str, str]

    def path(self, path: str) -> str:
        return path.format_map(self.of)


async def furnish(there: House, organization: str) -> Things:
    """One of each thing that a route can name."""
    engine = there.engine
    for document in (GREET, ASK, CRON, HOOKED):
        await engine.workflows.save(document, organization)
    waiting = await engine.executions.start("refund", {}, organization=organization)
    approvals: Any = ()
    while not approvals:
        approvals = (await engine.approvals.list(organization=organization)).items
    schedule = await engine.schedules.add("greet", {"every": "P1D"}, id="beside", organization=organization)
    webhook = (await engine.webhooks.create("hooked", organization=organization)).webhook
    await engine.connections.add("api", "https://mcp.example.com/mcp", organization=organization)
    await engine.secrets.set("TOKEN", "hush", organization=organization)
    await engine.notifiers.add("page", "log", organization=organization)
    await engine.members.add("owner", roles=["admin"], organization=organization)
    issued = await engine.keys.create("owner", organization=organization)
    session = await engine.sessions.sign_in(issued.token)
    assert session is not None
    event = await engine.events.send({"type": "a.b", "id": f"e-{organization}"}, organization=organization)
    workflow, _, name = schedule.id.partition("/")
    return Things(
        {
            "workflow": workflow,
            "version": "1",
            "execution": waiting.id,
            "step": "ask",
            "approval": approvals[0].id,
            "event": event.id,
            "schedule": name,
            "webhook": webhook.id,
            "name": "api",
            "notifier": "page",
            "member": "owner",
            "key": issued.key.id,
            "session": session.session.id,
        }
    )


async def state(there: House, organization: str) -> bytes:
    """All that can be changed, as the engine tells it."""
    engine = there.engine
    own: Any = {"organization": organization}
    executions = await engine.executions.list(**own)
    return msgspec.json.encode(
        [
            await engine.workflows.list(**own),
            [(each.id, each.status, each.seq) for each in executions.items],
            await engine.approvals.list(**own),
            await engine.events.list(**own),
            await engine.schedules.list(**own),
            await engine.webhooks.list(**own),
            await engine.connections.list(**own),
            await engine.secrets.list(**own),
            await engine.notifiers.list(**own),
            await engine.members.list(**own),
            [each.id for each in (await engine.keys.list(**own)).items],
            await engine.sessions.list(**own),
            await engine.audit.list(**own),
        ]
    )


async def asked(
    client: httpx2.AsyncClient, method: str, path: str, where: str, body: Any = "sound", **headers: str
) -> httpx2.Response:
    """`where` is the path with its ids; `body` that of the table, unless another is given."""
    given = SOUND.get(f"{method} {path}") if body == "sound" else body
    extra = {} if given is None else {"json": given}
    params = {"old": "1", "new": "1"} if path.endswith("/diff") else {}
    return await client.request(method, where, headers=headers, params=params, **extra)


def test_nobody_without_a_key_is_told_or_changes_anything() -> None:
    async def scenario() -> None:
        async with house() as there:
            things, before = await furnish(there, "default"), await state(there, "default")
            for token in (None, "prd_nonsense", "prd_" + "a" * 62):
                async with there.ask(token) as client:
                    for method, path in routes():
                        response = await asked(client, method, path, things.path(path))
                        assert (response.status_code, said(response)["code"]) == (401, "unauthorized"), (method, path)
            assert await state(there, "default") == before

    run(scenario())


def test_whoever_may_only_look_changes_nothing() -> None:
    async def scenario() -> None:
        async with house() as there:
            things = await furnish(there, "default")
            token = await there.key("vera", "viewer")
            before = await state(there, "default")
            async with there.ask(token) as client:
                for method, path in routes():
                    name = f"{method} {path}"
                    if name in ELSEWHERE or name in LOOKS:
                        continue
                    response = await asked(client, method, path, things.path(path))
                    if method == "GET":
                        assert response.status_code == (403 if name in ADMINS_READ else 200), (name, response.text)
                    else:
                        assert response.status_code in (403, 404), (name, response.text)
            assert await state(there, "default") == before

    run(scenario())


def test_what_belongs_to_another_organization_is_not_there() -> None:
    """The same answer as for what there has never been, but for the name that was asked for."""

    async def scenario() -> None:
        async with house() as there:
            things = await furnish(there, "default")
            token = await there.key("mallory", "admin", organization="other")
            before = await state(there, "default")
            async with there.ask(token) as client:
                for method, path in routes():
                    if "{" not in path or path.startswith("/api/secrets/"):
                        continue  # of a secret, each has their own of a name
                    name = f"{method} {path}"
                    response = await asked(client, method, path, things.path(path))
                    assert response.status_code == 404, (name, response.text)
                    missing = {key: _other(value) for key, value in things.of.items()}
                    nothing = await asked(client, method, path, path.format_map(missing))
                    assert nothing.status_code == 404, (name, nothing.text)
                    assert _shape(response, things.of) == _shape(nothing, missing), name
                for path in sorted(
                    {
                        path
                        for method, path in routes()
                        if f"{method} {path}" not in ELSEWHERE and method == "GET" and "{" not in path
                    }
                ):
                    text = (await client.get(path)).text
                    assert not any(value in text for value in _own(things)), (path, text)
            assert await state(there, "default") == before

    run(scenario())


def _own(things: Things) -> list[str]:
    """What can be known nowhere else: ids that were made here."""
    return [things.of[name] for name in ("workflow", "execution", "approval", "webhook", "key", "session")]


def _other(value: str) -> str:
    return f"{value}-no"


def _shape(response: httpx2.Response, names: dict[str, str]) -> str:
    text = str(said(response)["detail"])
    for name, value in sorted(names.items(), key=lambda each: -len(each[1])):
        text = text.replace(value, f"<{name}>")
    return text


def test_what_is_not_known_and_what_is_no_json_is_refused_everywhere() -> None:
    async def scenario() -> None:
        async with house() as there:
            things = await furnish(there, "default")
            token = await there.key("ada", "admin")
            before = await state(there, "default")
            documents = ("/api/workflows", "/api/workflows/validate", "/api/events")
            async with there.ask(token) as client:
                for method, path in routes():
                    body = SOUND.get(f"{method} {path}")
                    if body is None:
                        continue
                    where = things.path(path)
                    if path not in documents:
                        response = await asked(client, method, path, where, {**body, "unknown": 1})
                        assert response.status_code == 422, (method, path, response.text)
                    response = await client.request(
                        method, where, content=b"a=1", headers={"Content-Type": "text/plain"}
                    )
                    assert response.status_code == 415, (method, path, response.text)
            assert await state(there, "default") == before

    run(scenario())
