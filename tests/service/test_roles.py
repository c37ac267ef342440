"""What members may do to secrets, webhooks and schedules, by their roles; and whom the audit names."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from perdure import Engine
from perdure.model.workflow import Schedule
from perdure.service.acting import Role
from perdure.service.errors import Forbidden
from service.words import SOON, sequence

DAILY = sequence(1, "nightly", schedules=(Schedule("clock", cron="@daily"),))
Act = Callable[[Engine, str | None], Awaitable[Any]]
BY_EDITORS: dict[str, Act] = {
    "secret.set": lambda engine, actor: engine.secrets.set("NEW", "a-long-value", actor=actor),
    "secret.removed": lambda engine, actor: engine.secrets.remove("OLD", actor=actor),
    "connection.added": lambda engine, actor: engine.connections.add("new", "https://mcp.example/mcp", actor=actor),
    "connection.removed": lambda engine, actor: engine.connections.remove("old", actor=actor),
    "webhook.created": lambda engine, actor: engine.webhooks.create("nightly", actor=actor),
    "webhook.rotated": lambda engine, actor: _with_webhook(engine, engine.webhooks.rotate, actor),
    "webhook.removed": lambda engine, actor: _with_webhook(engine, engine.webhooks.remove, actor),
}
BY_OPERATORS: dict[str, Act] = {
    "schedule.paused": lambda engine, actor: engine.schedules.pause("nightly", actor=actor),
    "schedule.resumed": lambda engine, actor: engine.schedules.resume("nightly", actor=actor),
}
ALL = BY_EDITORS | BY_OPERATORS


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


async def _with_webhook(engine: Engine, act: Callable[..., Awaitable[Any]], actor: str | None) -> None:
    (webhook,) = await engine.webhooks.list()
    await act(webhook.id, actor=actor)


async def prepared(engine: Engine, action: str) -> None:
    await engine.workflows.save(DAILY)
    await engine.secrets.set("OLD", "a-long-value")
    await engine.connections.add("old", "https://mcp.example/mcp")
    if action in ("webhook.rotated", "webhook.removed"):
        await engine.webhooks.create("nightly")
    if action == "schedule.resumed":
        await engine.schedules.pause("nightly")


async def done(engine: Engine) -> list[tuple[str, str]]:
    """The newest first."""
    return [(entry.action, entry.by) for entry in (await engine.audit.list()).items]


@pytest.mark.parametrize("action", ALL)
def test_who_has_no_role_for_it_is_refused_and_in_no_audit(action: str) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            await prepared(engine, action)
            await engine.members.add("vic", roles=["viewer", "approver"])
            await engine.members.add("olga", roles=["operator"])
            before = await done(engine)
            takes = "operator or editor or admin" if action in BY_OPERATORS else "editor or admin"
            with pytest.raises(Forbidden, match=f"vic may not .*takes the role {takes}, and vic has viewer, approver"):
                await ALL[action](engine, "vic")
            with pytest.raises(Forbidden, match="'ghost' is no member of organization 'default'"):
                await ALL[action](engine, "ghost")
            if action in BY_EDITORS:
                with pytest.raises(Forbidden, match="olga has operator"):
                    await ALL[action](engine, "olga")
            assert await done(engine) == before

    run(scenario())


@pytest.mark.parametrize(
    ("role", "action"),
    [
        *((role, action) for role in ("editor", "admin") for action in BY_EDITORS),
        *((role, action) for role in ("operator", "editor", "admin") for action in BY_OPERATORS),
    ],
)
def test_who_has_a_role_for_it_is_in_the_audit(role: Role, action: str) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            await prepared(engine, action)
            await engine.members.add("ann", roles=[role])
            await ALL[action](engine, "ann")
            assert (await done(engine))[0] == (action, "ann")

    run(scenario())


@pytest.mark.parametrize("action", ALL)
def test_without_a_name_it_is_the_program(action: str) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            await prepared(engine, action)
            await engine.members.add("ann", roles=["admin"])
            await ALL[action](engine, None)
            assert {by for _, by in await done(engine)} == {"program"}

    run(scenario())


@pytest.mark.parametrize("action", ALL)
def test_where_there_are_no_members_a_name_is_for_the_audit(action: str) -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            await prepared(engine, action)
            await ALL[action](engine, "ann")
            assert (await done(engine))[0] == (action, "ann")

    run(scenario())


def test_the_key_of_all_organizations_is_changed_by_an_admin_of_each() -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            for organization in ("acme", "default", "small"):
                await engine.secrets.set("KEY", "a-long-value", organization=organization)
            await engine.members.add("ann", roles=["admin"])
            await engine.members.add("ann", roles=["editor"], organization="acme")
            with pytest.raises(Forbidden, match="takes the role admin, and ann has editor"):
                await engine.secrets.rotate(actor="ann")
            await engine.members.change("ann", roles=["admin"], organization="acme")
            assert (await engine.secrets.rotate(actor="ann")).current == 3

    run(scenario())


def test_who_loses_their_role_in_this_moment_sets_nothing() -> None:
    async def scenario() -> None:
        async with Engine("memory://") as engine:
            await engine.members.add("boss", roles=["admin"])
            await engine.members.add("ann", roles=["editor"])
            commit, shell = engine.host.shell.commit, engine.host.shell

            async def late(item: Any) -> Any:
                shell.commit = commit  # type: ignore[method-assign]
                await engine.members.change("ann", roles=["viewer"])
                return await commit(item)

            shell.commit = late  # type: ignore[method-assign]
            with pytest.raises(Exception, match="'ann' of members has been changed since"):
                await engine.secrets.set("KEY", "a-long-value", actor="ann")
            assert (await engine.secrets.list()).items == ()

    run(scenario())
