"""Who may ask: keys, and what they are limited to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from api.house import GREET, database, house, run, said
from links.words import asked
from perdure.clock import now_ms
from perdure.expressions.times import LAST_MS, iso
from perdure.hosts.refusing import Refused
from perdure.service.engine import Engine
from perdure.service.keys import KEPT_MS, NEVER, is_well_formed
from perdure.service.tokens import token_hash


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_a_key_is_asked_with_until_it_is_revoked(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(database(tmp_path, kind)) as there:
            token = await there.key("ada", "viewer")
            assert is_well_formed(token)
            async with there.ask(token) as client:
                assert (await client.get("/api/workflows")).status_code == 200
                (found,) = (await there.engine.keys.list()).items
                assert (found.member, found.id) == ("ada", token.split("_")[1])
                await there.engine.keys.revoke(found.id)
                refused = await client.get("/api/workflows")
                assert refused.status_code == 401
                assert refused.headers["www-authenticate"].startswith("Bearer")
                assert refused.headers["content-type"] == "application/problem+json"

    run(scenario())


def test_whoever_says_nothing_or_something_else_is_not_known(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("ada", "admin")
            mistyped = token[:-1] + ("a" if token[-1] != "a" else "b")
            others = [
                "Basic YTpi",
                "Bearer",
                f"Bearer {mistyped}",
                f"Bearer {token}x",
                "Bearer prd_" + "a" * 61,
            ]
            for given in others:
                async with there.ask(Authorization=given) as client:
                    assert (await client.get("/api/executions")).status_code == 401, given
            async with there.ask() as client:
                assert (await client.get("/api/executions")).status_code == 401
                assert (await client.get("/healthz")).status_code == 200

    run(scenario())


def test_a_key_is_never_kept_and_never_shown_again() -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("ada", "admin")
            async with there.ask(token) as client:
                made = await client.post("/api/keys", json={"member": "ada", "name": "second"})
                assert made.status_code == 201
                second = said(made)["token"]
                listed = await client.get("/api/keys")
                assert token not in listed.text
                assert second not in listed.text
                assert len(said(listed)["items"]) == 2
                assert token not in (await client.get("/api/audit")).text
            card = await there.engine.host.read(lambda store: store.card_anywhere("keys", token_hash(token)))
            assert card is not None
            assert token not in repr(card)

    run(scenario())


def test_a_key_may_do_less_than_its_member_and_never_more() -> None:
    async def scenario() -> None:
        async with house() as there:
            await there.engine.members.add("ada", roles=["admin", "viewer"])
            await there.engine.members.add("bob", roles=["viewer"])
            limited = (await there.engine.keys.create("ada", scopes=["viewer"])).token
            beyond = (await there.engine.keys.create("bob", scopes=["admin"])).token
            for token in (limited, beyond):
                async with there.ask(token) as client:
                    assert (await client.post("/api/workflows", json=GREET)).status_code == 403
                    assert (await client.get("/api/workflows")).status_code == 200
            async with there.ask(limited) as client:
                for scopes in ([], ["admin"], ["viewer", "admin"]):  # nobody gets out of a limit by making a key
                    made = await client.post("/api/keys", json={"member": "ada", "scopes": scopes})
                    assert made.status_code == 403, scopes
                other = await client.post("/api/keys", json={"member": "bob", "scopes": ["viewer"]})
                assert other.status_code == 403
                assert (await client.post("/api/keys", json={"member": "ada", "scopes": ["viewer"]})).status_code == 201

    run(scenario())


def test_a_key_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("ada", "viewer", expires_at=now_ms() + 3_600_000)
            async with there.ask(token) as client:
                assert (await client.get("/api/workflows")).status_code == 200
                later = now_ms() + 3_600_001
                monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: later)
                assert (await client.get("/api/workflows")).status_code == 401

    run(scenario())


def test_a_key_expires_at_an_instant_that_can_be_written() -> None:
    async def scenario() -> None:
        async with house() as there:
            with pytest.raises(Refused, match="in the year 9999 at the latest"):
                await there.key("ada", "viewer", expires_at=LAST_MS + 1)
            async with there.ask(await there.key("bob", "admin", expires_at=LAST_MS)) as client:
                assert iso(LAST_MS) in (await client.get("/api/keys")).text

    run(scenario())


def test_a_member_who_is_removed_asks_no_more() -> None:
    async def scenario() -> None:
        async with house() as there:
            admin, token = await there.key("ada", "admin"), await there.key("bob", "viewer")
            async with there.ask(admin) as client:
                assert (await client.delete("/api/members/bob")).status_code == 204
            async with there.ask(token) as client:
                assert (await client.get("/api/workflows")).status_code == 401

    run(scenario())


def test_who_comes_back_under_an_old_name_has_none_of_the_keys_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there:
            old = await there.key("ann", "admin")
            await there.key("root", "admin")
            await there.engine.members.remove("ann")
            monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: now_ms() + 10)
            monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: now_ms() + 2_000)
            new = await there.key("ann", "viewer")
            for token, status in ((old, 401), (new, 200)):
                async with there.ask(token) as client:
                    assert (await client.get("/api/members")).status_code == status
            await there.engine.members.change("ann", name="Ann")
            async with there.ask(new) as client:
                assert (await client.get("/api/members")).status_code == 200

    run(scenario())


def test_a_key_that_another_process_revokes_is_over_within_a_second_also_if_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with house(f"sqlite:///{tmp_path}/flows.db") as there, Engine(f"sqlite:///{tmp_path}/flows.db") as other:
            token = await there.key("ada", "viewer")
            assert await there.engine.keys.caller(token) is not None
            await other.keys.revoke(token.split("_")[1])
            monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: now_ms() - 3_600_000)
            monkeypatch.setattr("perdure.service.tokens.TRUSTED_SECONDS", 0)  # and that it is over
            assert await there.engine.keys.caller(token) is None

    run(scenario())


@pytest.mark.parametrize("whom", [{"approverRole": "finance"}, {"approverMemberId": "ann"}])
def test_a_limited_key_decides_only_with_a_scope_for_that(whom: dict[str, str]) -> None:
    async def scenario() -> None:
        async with house() as there:
            await there.engine.members.add("ann", roles=["operator", "viewer"], groups=["finance"])
            for scopes, may in ((["viewer"], False), (["operator", "viewer"], False), (["approver"], True), ([], True)):
                approval = f"/api/approvals/{await asked(there.engine, {'sum': 90}, **whom)}"
                key = (await there.engine.keys.create("ann", scopes=scopes)).token
                async with there.ask(key) as client:
                    assert (await client.get(approval)).status_code == 200
                    for what, body, good in (
                        ("claim", None, 200),
                        ("release", None, 200),
                        ("links", {}, 201),
                        ("decision", {"decision": "approve"}, 200),
                    ):
                        answer = await client.post(f"{approval}/{what}", json=body)
                        assert answer.status_code == (good if may else 403), (scopes, what)
                        assert may or "approver among its scopes" in said(answer)["detail"]
                    assert said(await client.get(approval))["status"] == ("approved" if may else "pending")

    run(scenario())


@pytest.mark.parametrize("roles", [["viewer"], ["admin"]])
def test_a_key_that_ends_makes_none_that_lasts(roles: list[str]) -> None:
    async def scenario() -> None:
        async with house() as there:
            until = now_ms() // 1_000 * 1_000 + 60_000
            async with there.ask(await there.key("ada", *roles, expires_at=until)) as client:
                for given, made in ((None, until), (until - 1_000, until - 1_000), (until, until), (until + 1, None)):
                    body = {"member": "ada", "expiresAt": None if given is None else iso(given)}
                    answer = await client.post("/api/keys", json=body)
                    assert answer.status_code == (403 if made is None else 201), given
                    if made is not None:
                        assert said(answer)["expiresAt"] == iso(made)
            assert not [each for each in (await there.engine.keys.list()).items if (each.expires_at or NEVER) > until]

    run(scenario())


def test_an_admin_whose_key_ends_makes_none_that_lasts_for_others_either() -> None:
    async def scenario() -> None:
        async with house() as there:
            await there.engine.members.add("bob", roles=["admin"])
            until = now_ms() + 60_000
            async with there.ask(await there.key("ada", "admin", expires_at=until)) as client:
                assert said(await client.post("/api/keys", json={"member": "bob"}))["expiresAt"] == iso(until)

    run(scenario())


def test_who_is_not_limited_makes_keys_that_are_not_or_are() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "viewer")) as client:
            for scopes in ([], ["viewer"], ["approver"]):
                assert (await client.post("/api/keys", json={"member": "ada", "scopes": scopes})).status_code == 201
            await there.engine.members.add("bob")
            assert (await client.post("/api/keys", json={"member": "bob"})).status_code == 403

    run(scenario())


def test_keys_that_are_over_are_not_listed_and_taken_out_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there:
            engine = there.engine

            async def listed() -> list[str]:
                return [each.member for each in (await engine.keys.list()).items]

            async def kept() -> int:
                return len(await engine.host.read(lambda store: store.cards("default", "keys", "", 100)))

            until = now_ms() + 60_000
            await there.key("ada", "admin", expires_at=until)
            await there.key("bob", "viewer")
            await there.key("cyd", "viewer")
            await engine.members.remove("bob")
            assert await listed() == ["ada", "cyd"]
            await engine.keys.create("cyd")
            assert await kept() == 3, "that of who is gone is taken out"
            monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: until + KEPT_MS - 1)
            assert await listed() == ["cyd", "cyd"]
            await engine.keys.create("cyd")
            assert await kept() == 4, "one that has just expired is not"
            monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: until + KEPT_MS)
            await engine.keys.create("cyd")
            assert await kept() == 4
            entries = [each for each in (await engine.audit.list()).items if each.action == "key.ended"]
            assert [(each.details["member"], each.details["why"]) for each in entries] == [
                ("ada", "expired"),
                ("bob", "its member is gone"),
            ]

    run(scenario())


def test_whoever_may_do_more_can_be_limited_to_less() -> None:
    """The roles of a member need not name what others of them have in them."""
    cases = (
        ("admin", "operator", 201, 403),
        ("admin", "editor", 201, 201),
        ("editor", "operator", 201, 403),
        ("editor", "viewer", 403, 403),
        ("operator", "editor", 403, 403),  # it is no more than they have
        ("approver", "operator", 403, 403),
    )

    async def scenario() -> None:
        async with house() as there:
            await there.engine.workflows.save(GREET)
            for number, (role, scope, starts, saves) in enumerate(cases):
                await there.engine.members.add(f"m{number}", roles=[role])
                token = (await there.engine.keys.create(f"m{number}", scopes=[scope])).token
                async with there.ask(token) as client:
                    started = await client.post("/api/executions", json={"name": "greet"})
                    saved = await client.post("/api/workflows", json={**GREET, "name": f"{role} as {scope}"})
                    assert (started.status_code, saved.status_code) == (starts, saves), (role, scope)

    run(scenario())


def test_a_key_for_looking_locks_nobody_out() -> None:
    async def scenario() -> None:
        async with house() as there:
            await there.engine.members.add("ada", roles=["admin"])
            strong = (await there.engine.keys.create("ada")).key.id
            weak = await there.engine.keys.create("ada", scopes=["viewer"])
            alike = (await there.engine.keys.create("ada", scopes=["viewer"])).key.id
            async with there.ask(weak.token) as client:
                refused = await client.delete(f"/api/keys/{strong}")
                assert (refused.status_code, "may do more" in said(refused)["detail"]) == (403, True)
                assert (await client.delete(f"/api/keys/{alike}")).status_code == 204
                assert (await client.delete(f"/api/keys/{weak.key.id}")).status_code == 204

    run(scenario())


def test_who_is_removed_or_may_do_less_is_refused_at_once() -> None:
    async def scenario() -> None:
        async with house() as there:
            root = await there.key("root", "admin")
            for change in ("DELETE", "PATCH"):
                token = await there.key(f"eve-{change}", "admin")
                async with there.ask(root) as admin, there.ask(token) as eve:
                    assert (await eve.get("/api/audit")).status_code == 200
                    body: Any = None if change == "DELETE" else {"roles": ["viewer"]}
                    done = await admin.request(change, f"/api/members/eve-{change}", json=body)
                    assert done.status_code in (200, 204)
                    assert (await eve.get("/api/audit")).status_code in (401, 403)

    run(scenario())
