"""Members: who may change them, what is refused, and what the audit says of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from perdure.service.engine import Engine
from perdure.service.errors import Conflict, Forbidden, NotFound, Refused

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]


@pytest.fixture(params=["memory", "sqlite"])
def run(request: pytest.FixtureRequest, tmp_path: object) -> Run:
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"

    def once(ask: Callable[[Engine], Awaitable[None]]) -> None:
        async def within() -> None:
            async with Engine(url, works=False) as engine:
                await ask(engine)

        asyncio.run(within())

    return once


def test_a_member_is_added_changed_listed_and_removed(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        added = await engine.members.add(
            "ann", roles=["admin", "viewer"], groups=["finance"], email="ann@example.com", name="Ann"
        )
        assert (added.roles, added.groups, added.revision) == (("viewer", "admin"), ("finance",), 1)
        await engine.members.add("bob", actor="ann")
        changed = await engine.members.change("bob", roles=["approver"], groups=["sales", "sales"], actor="ann")
        assert (changed.roles, changed.groups, changed.email) == (("approver",), ("sales",), None)
        page = await engine.members.list(limit=1)
        assert [member.id for member in page.items] == ["ann"]
        assert [member.id for member in (await engine.members.list(cursor=page.next)).items] == ["bob"]
        await engine.members.remove("bob", actor="ann")
        with pytest.raises(NotFound, match="no member 'bob'"):
            await engine.members.get("bob")

    run(ask)


def test_what_is_changed_is_in_the_audit_with_who_did_it(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("ann", roles=["admin"])
        await engine.members.add("bob", actor="ann")
        await engine.members.change("bob", groups=["sales"], actor="ann")
        entries = (await engine.audit.list()).items
        assert [(entry.action, entry.subject, entry.by) for entry in entries] == [
            ("member.changed", "bob", "ann"),
            ("member.added", "bob", "ann"),
            ("member.added", "ann", "program"),
        ]
        assert entries[0].details == {
            "before": {"roles": ["viewer"]},
            "after": {"roles": ["viewer"], "groups": ["sales"]},
        }
        first = await engine.audit.list(limit=2, actor="ann")
        assert [entry.subject for entry in (await engine.audit.list(cursor=first.next)).items] == ["ann"]

    run(ask)


@pytest.mark.parametrize("role", ["viewer", "operator", "editor", "approver"])
def test_only_an_admin_changes_members_and_reads_the_audit(run: Run, role: str) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("boss", roles=["admin"])
        await engine.members.add("ann", roles=[role])
        for attempt in (
            lambda: engine.members.add("mallory", actor="ann"),
            lambda: engine.members.change("ann", roles=["admin"], actor="ann"),
            lambda: engine.members.remove("boss", actor="ann"),
            lambda: engine.audit.list(actor="ann"),
        ):
            with pytest.raises(Forbidden, match="takes the role admin, and ann has " + role):
                await attempt()
        assert [member.id for member in (await engine.members.list(actor="ann")).items] == ["ann", "boss"]
        with pytest.raises(Forbidden, match="'nobody' is no member"):
            await engine.members.list(actor="nobody")

    run(ask)


def test_members_of_another_organization_are_nobody(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("ann", roles=["admin"], organization="acme")
        assert (await engine.members.list()).items == ()
        with pytest.raises(Forbidden, match="no member of organization 'default'"):
            await engine.members.add("bob", actor="ann")
        with pytest.raises(NotFound):
            await engine.members.get("ann")

    run(ask)


def test_an_organization_keeps_an_admin(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("ann", roles=["admin"])
        for attempt in (
            lambda: engine.members.remove("ann"),
            lambda: engine.members.change("ann", roles=["editor"], actor="ann"),
        ):
            with pytest.raises(Conflict, match="the only admin"):
                await attempt()
        await engine.members.add("bob", roles=["admin"])
        await engine.members.remove("ann", actor="ann")
        with pytest.raises(Conflict, match="the only admin"):
            await engine.members.remove("bob", actor="bob")

    run(ask)


def test_two_admins_who_remove_each_other_do_not_both_succeed(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        for number in range(20):
            organization = f"org{number}"
            for name in ("ann", "bob"):
                await engine.members.add(name, roles=["admin"], organization=organization)
            outcomes = await asyncio.gather(
                engine.members.remove("ann", organization=organization, actor="bob"),
                engine.members.remove("bob", organization=organization, actor="ann"),
                return_exceptions=True,
            )
            left = (await engine.members.list(organization=organization)).items
            assert len(left) == 1, outcomes
            assert sorted(type(outcome).__name__ for outcome in outcomes) in (
                ["Forbidden", "NoneType"],
                ["Conflict", "NoneType"],
                ["NoneType", "NotFound"],
            )

    run(ask)


def test_a_member_twice_is_a_conflict(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("ann")
        with pytest.raises(Conflict, match="there is a member 'ann'"):
            await engine.members.add("ann", roles=["admin"])
        assert (await engine.members.get("ann")).roles == ("viewer",)

    run(ask)


def test_all_that_is_wrong_with_a_member_is_told_at_once(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        with pytest.raises(Refused) as refused:
            await engine.members.add("system", roles=["adnim"], groups=[" x", ""], email="a b@c")
        assert [problem.type for problem in refused.value.problems] == [
            "invalid_name",
            "invalid_name",
            "unknown_role",
            "reserved_id",
            "invalid_email",
        ]
        for odd in ("", "a\nb", "x" * 201, "\ud800"):
            with pytest.raises(Refused, match="cannot be kept"):
                await engine.members.add(odd)

    run(ask)


def test_a_name_that_was_misspelt_is_told(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        await engine.members.add("annabel")
        with pytest.raises(NotFound, match="annabel"):
            await engine.members.change("anabel", name="x")

    run(ask)


def test_the_default_organization_is_there_and_can_be_named(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        assert (await engine.organizations.get("default")).name == "default"
        assert (await engine.organizations.list()).items == ()
        await engine.members.add("ann", roles=["admin"])
        for name in ("Acme", "Acme Inc."):
            assert (await engine.organizations.change("default", name=name, actor="ann")).name == name
        assert [(one.id, one.name) for one in (await engine.organizations.list()).items] == [("default", "Acme Inc.")]
        with pytest.raises(Conflict, match="already; change it instead"):
            await engine.organizations.add("default")

    run(ask)


def test_organizations_are_added_renamed_and_listed(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        await engine.organizations.add("acme", name="Acme")
        await engine.organizations.add("globex")
        with pytest.raises(Conflict, match="already"):
            await engine.organizations.add("acme")
        with pytest.raises(Refused, match="has 1 to 200"):
            await engine.organizations.add(" ")
        with pytest.raises(NotFound):
            await engine.organizations.get("nowhere")
        await engine.members.add("ann", roles=["admin"], organization="acme")
        renamed = await engine.organizations.change("acme", name="Acme Inc.", actor="ann")
        assert renamed.name == "Acme Inc."
        with pytest.raises(Forbidden):
            await engine.organizations.change("globex", name="Mine", actor="ann")
        page = await engine.organizations.list(limit=1)
        assert [one.id for one in page.items] == ["acme"]
        assert [one.name for one in (await engine.organizations.list(cursor=page.next)).items] == ["globex"]
        actions = [entry.action for entry in (await engine.audit.list(organization="acme")).items]
        assert actions == ["organization.changed", "member.added", "organization.added"]

    run(ask)


def test_one_text_is_no_list_of_roles_or_groups(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        with pytest.raises(Conflict, match=r"roles are several, and 'admin' is one text; write roles=\['admin'\]"):
            await engine.members.add("ann", roles="admin")
        await engine.members.add("ann")
        with pytest.raises(Conflict, match=r"write groups=\['sales'\]"):
            await engine.members.change("ann", groups="sales")

    run(ask)


def test_what_changes_nothing_is_in_no_audit(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        there = await engine.members.add("ann", roles=["editor", "viewer"], groups=["sales"])
        assert await engine.members.change("ann") == there
        assert await engine.members.change("ann", roles=["viewer", "editor"], groups=["sales"]) == there
        assert len((await engine.audit.list()).items) == 1

    run(ask)


def test_what_is_not_there_is_told_with_the_list_of_what_is(run: Run) -> None:
    async def ask(engine: Engine) -> None:
        for what, attempt in (
            ("secrets list", lambda: engine.secrets.remove("NOPE")),
            ("webhooks list", lambda: engine.webhooks.remove("nope")),
            ("members list", lambda: engine.members.remove("nope")),
            ("notifiers list", lambda: engine.notifiers.remove("nope")),
            ("approvals list --status all", lambda: engine.approvals.get("nope")),
        ):
            with pytest.raises(NotFound, match=f"; `perdure {what}` shows those that there are"):
                await attempt()
        await engine.members.add("ann")
        with pytest.raises(Conflict, match="change it instead: `perdure members set`"):
            await engine.members.add("ann")

    run(ask)
