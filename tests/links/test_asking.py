"""Who is given a link, by whom, and for how long: over HTTP, and with a client."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from api.house import JSON, House, house, run, said
from links.words import asked, item, read, sent
from perdure.client.client import Client
from perdure.clock import now_ms
from perdure.expressions.times import instant_ms, iso
from perdure.hosts.envelopes import new_key
from perdure.service.errors import Conflict, Forbidden, NotFound, Refused
from perdure.service.links import DAY_MS

WEEK_MS = 7 * DAY_MS


async def keys(there: House) -> dict[str, str]:
    """Of an admin, two who are asked, and one who is not."""
    found = {"root": await there.key("root", "admin"), "vera": await there.key("vera", "viewer")}
    for name in ("ann", "bob"):
        await there.engine.members.add(name, groups=["finance"])
        found[name] = (await there.engine.keys.create(name)).token
    return found


def test_a_member_gets_one_for_themselves_and_an_admin_for_others() -> None:
    async def scenario() -> None:
        async with house() as there:
            tokens = await keys(there)
            approval = await asked(there.engine, {"sum": 90})
            where = f"/api/approvals/{approval}/links"
            for who, body, status, member in (
                ("ann", None, 201, "ann"),
                ("ann", {}, 201, "ann"),
                ("ann", {"member": "ann"}, 201, "ann"),
                ("ann", {"member": "bob"}, 403, None),
                ("ann", {"member": "nobody"}, 403, None),
                ("vera", {}, 403, None),
                ("root", {"member": "ann"}, 201, "ann"),
                ("root", {}, 201, "root"),
                ("root", {"member": "vera"}, 403, None),
                ("root", {"member": "nobody"}, 404, None),
                ("root", {"member": "ann", "expiresAt": iso(now_ms() - 1)}, 422, None),
                ("root", {"member": "ann", "expiresAt": iso(now_ms() + 91 * DAY_MS)}, 422, None),
                ("root", {"member": "ann", "expiresAt": iso(now_ms() + DAY_MS)}, 201, "ann"),
            ):
                async with there.ask(tokens[who]) as client:
                    made = await client.post(where, content=None if body is None else json.dumps(body), headers=JSON)
                    assert made.status_code == status, (who, body, made.text)
                    if member is None:
                        continue
                    answer = said(made)
                    assert (answer["member"], answer["approvalId"]) == (member, approval)
                    until = (body or {}).get("expiresAt") or iso(now_ms() + WEEK_MS)
                    assert abs(instant_ms(answer["expiresAt"]) - instant_ms(until)) < 60_000
                    assert f"You decide as {member}" in read(await client.get(answer["url"])).text
            entries = (await there.engine.audit.list(limit=100)).items
            made_by = [(each.by, each.details["member"]) for each in entries if each.action == "approval.linked"]
            assert sorted(made_by) == [("ann", "ann")] * 3 + [("root", "ann")] * 2 + [("root", "root")]

    run(scenario())


def test_a_link_is_shown_once_and_kept_nowhere(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(f"sqlite:///{tmp_path}/flows.db", secret_keys=new_key()) as there:
            tokens = await keys(there)
            where = f"/api/approvals/{await asked(there.engine, {'sum': 90})}/links"
            async with there.ask(tokens["ann"]) as client:
                refused = await client.post(where, json={}, headers={"Idempotency-Key": "k"})
                assert (refused.status_code, said(refused)["code"]) == (400, "bad_idempotency_key")
                url = said(await client.post(where, json={}))["url"]
                await sent(client, url)
            made.append(url.removeprefix("/a/").encode())

    made: list[bytes] = []
    run(scenario())
    kept = b"".join(each.read_bytes() for each in tmp_path.iterdir() if each.is_file())
    assert b"approval.linked" in kept
    assert made[0] not in kept
    assert made[0][-43:] not in kept


def test_nobody_gets_more_by_a_link_than_by_the_key_that_they_ask_with() -> None:
    """An admin's key for deciding alone makes no link to what the admin is not asked; and a link that it makes to what they are
    asked is no admin's. One for looking alone makes none.
    """

    async def scenario() -> None:
        async with house() as there:
            await there.engine.members.add("root", roles=["admin", "viewer"], groups=["finance"])
            await there.engine.members.add("bob", groups=["finance"])
            token = (await there.engine.keys.create("root", scopes=["approver"])).token
            looking = (await there.engine.keys.create("root", scopes=["viewer"])).token
            of_bob = await asked(there.engine, {"sum": 90}, approverMemberId="bob")
            of_all = await asked(there.engine, {"sum": 90})
            async with there.ask(looking) as client:
                assert (await client.post(f"/api/approvals/{of_all}/links", json={})).status_code == 403
            async with there.ask(token) as client:
                assert (await client.post(f"/api/approvals/{of_bob}/links", json={})).status_code == 403
                url = said(await client.post(f"/api/approvals/{of_all}/links", json={}))["url"]
                await there.engine.approvals.claim(of_all, actor="bob")
                assert (await sent(client, url)).status_code == 409
                await there.engine.approvals.release(of_all, actor="bob")
                assert (await sent(client, url)).status_code == 200

    run(scenario())


def test_there_is_no_link_to_what_nobody_is_asked() -> None:
    async def scenario() -> None:
        async with house() as there:
            engine = there.engine
            await engine.members.add("ann", roles=["operator"], groups=["finance"])
            await engine.members.add("bob", groups=["finance"])
            decided = await asked(engine, {"sum": 90})
            await engine.approvals.decide(decided, "approve", actor="bob")
            with pytest.raises(Conflict, match="approved already, by bob"):
                await engine.approvals.link(decided, actor="ann")
            own = await asked(engine, {"sum": 90}, separationOfDuties=True, actor="ann")
            with pytest.raises(Conflict, match="ann has started"):
                await engine.approvals.link(own, actor="ann")
            over = await asked(engine, {"sum": 90}, dueDate="{{nowMs + 1}}", onTimeout="reject")
            while (await item(there, over)).status == "pending":  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            with pytest.raises(Conflict, match="rejected already, by system"):
                await engine.approvals.link(over, actor="ann")
            for wrong, error in (("nothing", NotFound), ("x" * 300, NotFound)):
                with pytest.raises(error):
                    await engine.approvals.link(wrong, actor="ann")
            with pytest.raises(NotFound):
                await engine.approvals.link(decided, member="ann", organization="other")
            with pytest.raises(Forbidden, match="'eve' is no member"):
                await engine.approvals.link(own, actor="eve")
            with pytest.raises(Conflict, match="for whom is the link"):
                await engine.approvals.link(own)
            with pytest.raises(Refused, match="90 days at most"):
                await engine.approvals.link(own, member="bob", expires_at=2**60)

    run(scenario())


def test_where_there_are_no_members_a_link_is_for_a_name_until_there_are() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            approval = await asked(there.engine, {"sum": 90})
            made = said(await client.post(f"/api/approvals/{approval}/links", json={"member": "ann"}))
            own = said(await client.post(f"/api/approvals/{approval}/links", json={}))
            assert (made["member"], own["member"]) == ("ann", "dev")
            await there.engine.members.add("bob", groups=["finance"])
            assert (await sent(client, made["url"])).status_code == 403
            await there.engine.members.remove("bob")
            assert (await sent(client, made["url"])).status_code == 200
            assert (await item(there, approval)).decided_by == "ann"

    run(scenario())


def test_a_client_asks_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_PUBLIC_URL", "https://flows.example.com")

    async def scenario() -> None:
        async with house() as there:
            tokens = await keys(there)
            approval = await asked(there.engine, {"sum": 90})
            client = Client(there.url, tokens["root"])
            until = now_ms() + DAY_MS
            made = await client.approvals.link(approval, member="ann", expires_at=until)
            await client.aclose()
            assert (made.approval, made.member, made.expires_at) == (approval, "ann", until)
            assert made.url.startswith("https://flows.example.com/a/")
            async with there.ask() as browser:
                assert (await sent(browser, made.url.removeprefix("https://flows.example.com"))).status_code == 200
            assert (await item(there, approval)).decided_by == "ann"

    run(scenario())
