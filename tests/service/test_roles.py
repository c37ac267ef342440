"""What roles do not say: organizations without members, what concerns several, and roles that are lost in this moment."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from perdure import Engine
from perdure.service.errors import Forbidden
from service.acts import ACTOR, ACTS, EDITORS, OPERATORS, opened, place
from service.words import SOON


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


@pytest.mark.parametrize("verb", [verb for verb, act in ACTS.items() if act.roles in (EDITORS, OPERATORS)])
def test_where_there_are_no_members_a_name_is_for_the_audit(verb: str) -> None:
    async def scenario() -> None:
        act = ACTS[verb]
        async with opened() as engine:
            here = await place(engine, verb)
            await engine.members.remove("other")
            if act.ends_in is None:
                await act.act(here, ACTOR)
            else:
                with pytest.raises(act.ends_in):
                    await act.act(here, ACTOR)
            done = {entry.action for entry in (await engine.audit.list()).items if entry.by == ACTOR}
            assert (act.action in done) if act.action else not done

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

            async def late(item: Any, **more: Any) -> Any:
                shell.commit = commit  # type: ignore[method-assign]
                await engine.members.change("ann", roles=["viewer"])
                return await commit(item, **more)

            shell.commit = late  # type: ignore[method-assign]
            with pytest.raises(Exception, match="'ann' of members has been changed since"):
                await engine.secrets.set("KEY", "a-long-value", actor="ann")
            assert (await engine.secrets.list()).items == ()

    run(scenario())
