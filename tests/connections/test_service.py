"""Connections that an organization keeps: added, listed, looked into and removed, by those who may, with an audit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from connections.servers import OverHttp, connected, hostile, plain
from perdure import Engine
from perdure.hosts.accepted import TOOLS
from perdure.hosts.connections import REGISTER
from perdure.service.errors import Conflict, Forbidden, NotFound, Refused
from perdure.store.registers import WriteCard

URL = "https://mcp.example.com/mcp"


def test_a_connection_is_added_listed_and_removed_with_an_audit(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, connections={"it": connected(hostile("well"))}) as engine:
            headers = {"Authorization": "Bearer {{secrets.T}}", "X-Shop": "lamps"}
            made = await engine.connections.add("crm", URL, headers=headers, actor=None)
            assert (made.name, made.of, made.kind, made.place) == ("crm", "organization", "http", URL)
            assert (made.headers, made.secrets, made.tools) == (headers, ("T",), None)
            listed = await engine.connections.list()
            assert [(each.name, each.of, each.kind) for each in listed] == [
                ("it", "operator", "stdio"),
                ("crm", "organization", "http"),
            ]
            with pytest.raises(Conflict, match="there is a connection 'crm' in organization 'default' already"):
                await engine.connections.add("crm", URL)
            await engine.connections.remove("crm")
            assert [each.name for each in await engine.connections.list()] == ["it"]
            with pytest.raises(NotFound, match="there is no connection 'crm'"):
                await engine.connections.remove("crm")
            with pytest.raises(NotFound, match="there is no connection 'crn' in organization 'default'"):
                await engine.connections.tools("crn")
            audit = await engine.host.read(lambda store: store.audit("default", None, 10))
            assert [(each.by, each.action, each.subject) for each in audit] == [
                ("program", "connection.removed", "crm"),
                ("program", "connection.added", "crm"),
            ]

    asyncio.run(scenario())


def test_a_connection_and_its_tools_are_removed_together_or_not_at_all(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine(url) as engine:
                await engine.connections.add("api", server.url)
                assert (await engine.connections.tools("api")).tools

                async def crashed(_: object) -> None:
                    raise AssertionError("it is written at once")

                monkeypatch.setattr(engine.host, "commit", crashed)
                await engine.connections.remove("api")
                assert await engine.host.read(lambda store: store.card("default", TOOLS, "api")) is None
                audit = await engine.host.read(lambda store: store.audit("default", None, 2))
                assert [each.action for each in audit] == ["tools.forgotten", "connection.removed"]

        asyncio.run(scenario())


@pytest.mark.parametrize("given", [0, -1, 3_600_001, 1.5, True, "1000", float("nan")])
def test_times_are_whole_milliseconds_up_to_an_hour(given: Any) -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            with pytest.raises(Refused) as refused:
                await engine.connections.add("crm", URL, connect_ms=given, call_ms=given)
            assert [(each.path, each.message) for each in refused.value.problems] == [
                (f"/{which}", f"'{which}' is whole milliseconds, from 1 to 3,600,000")
                for which in ("connect_ms", "call_ms")
            ]

    asyncio.run(scenario())


def test_all_that_is_wrong_is_told_at_once() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            with pytest.raises(Refused) as refused:
                await engine.connections.add(
                    "a/b", "ftp://x", headers={"Authorization": "Bearer abc", "X Y": "1", "X-Api-Key": "{{input}}"}
                )
            assert sorted(each.type for each in refused.value.problems) == [
                "invalid_header",
                "invalid_name",
                "not_a_secret",
                "plain_secret",
                "plain_secret",
                "url",
            ]
            assert "abc" not in str(refused.value)

    asyncio.run(scenario())


def test_a_program_cannot_be_kept() -> None:
    """It would run where workers run; only their operator says what does."""

    async def scenario() -> None:
        async with Engine() as engine:
            for place in ("file:///bin/sh", "stdio:npx", "npx -y x", "javascript:1"):
                with pytest.raises(Refused, match="is no URL that can be called"):
                    await engine.connections.add("x", place)

    asyncio.run(scenario())


def test_whoever_looks_may_see_the_tools_and_only_editors_accept_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine() as engine:
                await engine.members.add("vera", roles=["viewer"])
                await engine.members.add("edda", roles=["editor"])
                await engine.connections.add("api", server.url, actor="edda")
                assert len((await engine.connections.tools("api", actor="vera")).tools) == 3
                with pytest.raises(Forbidden, match="accept the tools of connections"):
                    await engine.connections.tools("api", refresh=True, actor="vera")
                await engine.connections.tools("api", refresh=True, actor="edda")
                with pytest.raises(Forbidden):
                    await engine.connections.remove("api", actor="vera")
                (api,) = await engine.connections.list(actor="vera")
                assert (api.tools, api.changed_by) == (3, "edda")

        asyncio.run(scenario())


def test_the_operators_goes_before_the_organizations() -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("well"))}) as engine:
            await engine.connections.add("it", URL)
            assert [tool.name for tool in (await engine.connections.tools("it")).tools] == ["do"]

    asyncio.run(scenario())


def test_what_the_operator_wrote_that_is_secret_is_not_shown() -> None:
    async def scenario() -> None:
        given = {
            "a": {"url": f"{URL}?api_key=abc", "headers": {"Authorization": "Bearer abc", "X-Shop": "abc"}},
            "b": {"command": ["/usr/bin/npx", "--token", "abc"], "env": {"TOKEN": "abc"}},
        }
        async with Engine(connections=given) as engine:
            listed = await engine.connections.list()
            assert [each.place for each in listed] == [URL, "npx"]
            assert listed[0].headers == {"Authorization": "***", "X-Shop": "***"}
            assert "abc" not in repr(listed)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("url", "headers", "path"),
    [
        (f"{URL}?api_key=abc", {}, "/url"),
        (f"{URL}#abc", {}, "/url"),
        (URL, {"Authorization": "Bearer abc-{{secrets.T}}"}, "/headers/Authorization"),
        (URL, {"Authorization": "abc {{secrets.T}}"}, "/headers/Authorization"),
        (URL, {"X-Api-Key": "{{secrets.T}}abc"}, "/headers/X-Api-Key"),
        (URL, {"X-Auth": "abc"}, "/headers/X-Auth"),
    ],
)
def test_a_secret_in_plain_sight_is_not_kept(url: str, headers: dict[str, str], path: str) -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            with pytest.raises(Refused) as refused:
                await engine.connections.add("crm", url, headers=headers)
            assert [(each.type, each.path) for each in refused.value.problems] == [("plain_secret", path)]
            assert "{{secrets.NAME}}" in str(refused.value)
            assert "abc" not in str(refused.value)
            assert await engine.connections.list() == ()

    asyncio.run(scenario())


def test_what_was_kept_in_plain_sight_before_is_not_shown() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            headers = {"X-Api-Key": "abc{{secrets.T}}abc", "Authorization": "Token {{secrets.T}}", "X-Shop": "lamps"}
            kept = {"connection": {"type": "http", "url": f"{URL}?api_key=abc", "headers": headers}}
            await engine.host.commit(WriteCard(REGISTER, "crm", kept, 1, "x", "connection.added", "default"))
            (crm,) = await engine.connections.list()
            assert (crm.place, crm.headers) == (
                URL,
                {**headers, "X-Api-Key": "***{{secrets.T}}***"},
            )

    asyncio.run(scenario())


def test_connections_belong_to_their_organization() -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            await engine.connections.add("crm", URL, organization="one")
            assert await engine.connections.list(organization="two") == ()
            with pytest.raises(NotFound):
                await engine.connections.tools("crm", organization="two")

    asyncio.run(scenario())
