"""A browser that signs in with a key: what it is given, what it may, and when it is over."""

from __future__ import annotations

import logging
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from api.house import GREET, database, house, run, said
from perdure.clock import now_ms
from perdure.expressions.times import iso
from perdure.service.sessions import SESSIONS, csrf_token
from perdure.service.tokens import LOOKED_AT
from perdure.store.port import Item, Outcome
from perdure.store.questions import Questions
from perdure.store.registers import Card
from signin.browser import COOKIE, browser

HOURS = 3_600_000
ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax"


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_a_browser_signs_in_asks_and_signs_out(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(database(tmp_path, kind)) as there, browser(there) as page:
            key = await there.key("ada", "editor", organization="acme")
            signed_in = await page.sign_in(key)
            assert signed_in.status_code == 200
            told, token = said(signed_in), page.jar[COOKIE]
            assert signed_in.headers["set-cookie"] == f"{COOKIE}={token}; {ATTRIBUTES}"
            assert signed_in.headers["cache-control"] == "no-store"
            assert (told["member"], told["organization"], told["roles"]) == ("ada", "acme", ["editor"])
            assert (told["via"], told["csrfToken"]) == ("session", csrf_token(token))
            assert said(await page.ask("GET", "/api/session")) == told
            assert (await page.ask("POST", "/api/workflows", json=GREET)).status_code == 201
            assert (await page.ask("GET", "/api/workflows", page=False)).status_code == 200
            signed_out = await page.ask("DELETE", "/api/session")
            assert signed_out.status_code == 204
            assert signed_out.headers["set-cookie"] == f"{COOKIE}=; Max-Age=0; {ATTRIBUTES}"
            page.jar[COOKIE] = token
            over = await page.ask("GET", "/api/workflows")
            assert (over.status_code, said(over)["detail"]) == (401, "the session is over; sign in again")
            assert over.headers["set-cookie"] == f"{COOKIE}=; Max-Age=0; {ATTRIBUTES}"
            entries = reversed((await there.engine.audit.list(organization="acme")).items)
            found = [each for each in entries if each.register == SESSIONS]
            assert [(each.action, each.by) for each in found] == [("session.begun", "ada"), ("session.ended", "ada")]

    run(scenario())


def test_what_a_browser_has_is_kept_nowhere_and_logged_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with house(f"sqlite:///{tmp_path}/flows.db") as there, browser(there) as page:
            key = await there.key("ada", "admin")
            await page.sign_in(key)
            token = page.jar[COOKIE]
            texts = [(await page.ask("GET", path)).text for path in ("/api/sessions", "/api/audit", "/api/session")]
            assert not [text for text in texts if token in text or token.partition("_")[2] in text]
            await page.ask("DELETE", "/api/session")
            await page.sign_in(key[:-1] + "?")
        kept = b"".join(map(Path.read_bytes, filter(Path.is_file, places)))
        assert sha256(token.encode()).hexdigest().encode() in kept
        records = [each for each in caplog.records if not each.name.startswith(("http", "asyncio"))]
        ours = [f"{each.getMessage()} {vars(each)}" for each in records]
        for secret in (token.partition("_")[2], csrf_token(token), key):
            assert secret.encode() not in kept
            assert not [each for each in ours if secret in each]
        assert [each for each in ours if "a sign-in from 127.0.0.1 was refused: no such key" in each]

    places = [tmp_path / f"flows.db{end}" for end in ("", "-wal")]
    caplog.set_level(logging.DEBUG)
    run(scenario())


def test_who_signs_in_anew_has_left_what_the_browser_had() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            ada, bob = await there.key("ada", "viewer"), await there.key("bob", "viewer")
            await page.sign_in(ada)
            first = page.jar[COOKIE]
            await page.sign_in(bob)
            assert page.jar[COOKIE] != first
            assert [each.member for each in (await there.engine.sessions.list()).items] == ["bob"]
            page.jar[COOKIE] = first
            assert (await page.ask("GET", "/api/session")).status_code == 401

    run(scenario())


@pytest.mark.parametrize("given", ["", "x", "a" * 54, "{id}_" + "b" * 43, "{token}x", "{token} ", "prd_a"])
def test_what_is_no_session_is_refused_and_forgotten(given: str) -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await page.sign_in(await there.key("ada", "viewer"))
            token = page.jar[COOKIE]
            page.jar[COOKIE] = given.format(id=token.partition("_")[0], token=token).rstrip() + (
                "." if given.endswith(" ") else ""
            )
            refused = await page.ask("GET", "/api/workflows")
            assert (refused.status_code, said(refused)["code"]) == (401, "unauthorized")
            assert ("set-cookie" in refused.headers) is bool(given)

    run(scenario())


def test_a_session_is_over_with_its_key() -> None:
    """At once, also if it was asked with in the same second."""

    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await page.sign_in(await there.key("ada", "viewer"))
            assert (await page.ask("GET", "/api/workflows")).status_code == 200
            (key,) = (await there.engine.keys.list()).items
            await there.engine.keys.revoke(key.id)
            assert (await page.ask("GET", "/api/workflows")).status_code == 401
            assert (await there.engine.sessions.list()).items == ()

    run(scenario())


def later(monkeypatch: pytest.MonkeyPatch, ms: int) -> None:
    then = now_ms() + ms
    monkeypatch.setattr("perdure.hosts.embedded.Host.now_ms", lambda _: then)


def test_a_session_is_over_after_its_time_however_much_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await page.sign_in(await there.key("ada", "viewer"))
            (session,) = (await there.engine.sessions.list()).items
            assert session.expires_at - session.created_at == 12 * HOURS
            later(monkeypatch, 12 * HOURS - 60_000)
            assert (await page.ask("GET", "/api/workflows")).status_code == 200
            later(monkeypatch, 60_000)  # beyond what is later already
            assert (await page.ask("GET", "/api/workflows")).status_code == 200
            later(monkeypatch, 12 * HOURS)
            assert (await page.ask("GET", "/api/workflows")).status_code == 401

    run(scenario())


def test_the_operator_says_how_long_and_a_key_that_ends_sooner_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_SESSION_HOURS", "2")

    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            until = now_ms() + HOURS
            await page.sign_in(await there.key("ada", "viewer", expires_at=until))
            assert (await there.engine.sessions.list()).items[0].expires_at == until
            await page.sign_in(await there.key("bob", "viewer"))
            (session,) = (await there.engine.sessions.list()).items
            assert session.expires_at - session.created_at == 2 * HOURS
            later(monkeypatch, 2 * HOURS + 1)
            assert (await page.ask("GET", "/api/workflows")).status_code == 401

    run(scenario())


def test_a_session_is_over_with_its_member_and_has_no_more_roles_than_they(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await page.sign_in(await there.key("ada", "editor"))
            assert (await page.ask("POST", "/api/workflows", json=GREET)).status_code == 201
            await there.engine.members.change("ada", roles=["viewer"])
            monkeypatch.setattr("perdure.service.tokens.TRUSTED_SECONDS", 0)  # so long it is believed
            assert (await page.ask("POST", "/api/workflows", json=GREET)).status_code == 403
            assert said(await page.ask("GET", "/api/session"))["roles"] == ["viewer"]
            await there.engine.members.remove("ada")
            assert (await page.ask("GET", "/api/workflows")).status_code == 401

    run(scenario())


def test_who_asks_while_they_sign_out_is_signed_out_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there:
            sessions = there.engine.sessions
            issued = await sessions.sign_in(await there.key("ada", "viewer"))
            assert issued is not None
            commit = there.engine.host.commit

            async def asked_before(item: Item) -> Outcome:
                assert await sessions.caller(issued.token) is not None, "until it is durable"
                return await commit(item)

            monkeypatch.setattr(there.engine.host, "commit", asked_before)
            await sessions.sign_out(issued.token)
            assert await sessions.caller(issued.token) is None

    run(scenario())


def test_a_session_of_a_limited_key_is_limited() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await there.engine.members.add("ada", roles=["admin", "viewer"])
            key = (await there.engine.keys.create("ada", scopes=["viewer"])).token
            assert said(await page.sign_in(key))["roles"] == ["viewer"]
            assert (await page.ask("POST", "/api/workflows", json=GREET)).status_code == 403
            assert (await page.ask("POST", "/api/keys", json={"member": "ada"})).status_code == 403

    run(scenario())


def test_a_key_that_a_session_makes_ends_with_it_but_for_an_admin() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            for member, role in (("ada", "viewer"), ("eve", "admin")):
                until = said(await page.sign_in(await there.key(member, role)))["expiresAt"]
                made = said(await page.ask("POST", "/api/keys", json={"member": member}))
                assert made["expiresAt"] == (None if role == "admin" else until)
            until = now_ms() + HOURS
            await page.sign_in(await there.key("bob", "admin", expires_at=until))
            assert said(await page.ask("POST", "/api/keys", json={"member": "eve"}))["expiresAt"] == iso(until)

    run(scenario())


def test_sessions_are_listed_and_ended_by_whose_they_are_and_by_admins() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page, browser(there) as other, browser(there) as admin:
            await page.sign_in(await there.key("ada", "viewer"))
            await other.sign_in(await there.key("bob", "viewer"))
            await admin.sign_in(await there.key("eve", "admin"))
            (own,) = said(await page.ask("GET", "/api/sessions"))["items"]
            assert (own["member"], own["issuer"]) == ("ada", None)
            all_ = said(await admin.ask("GET", "/api/sessions"))["items"]
            assert [each["member"] for each in all_] == ["ada", "bob", "eve"]
            assert (await other.ask("DELETE", f"/api/sessions/{own['id']}")).status_code == 403
            assert (await page.ask("GET", "/api/session")).status_code == 200
            assert (await admin.ask("DELETE", f"/api/sessions/{own['id']}")).status_code == 204
            assert (await page.ask("GET", "/api/session")).status_code == 401

    run(scenario())


def test_a_key_that_is_sent_counts_and_not_the_cookie() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await page.sign_in(await there.key("ada", "viewer"))
            bob = {"Authorization": f"Bearer {await there.key('bob', 'editor')}"}
            told = said(await page.ask("GET", "/api/session", headers=bob))
            assert (told["member"], told["via"], told["csrfToken"]) == ("bob", "key", None)
            made = await page.ask("POST", "/api/workflows", json=GREET, page=False, headers=bob)
            assert made.status_code == 201
            wrong = await page.ask("GET", "/api/workflows", headers={"Authorization": "Bearer prd_no"})
            assert wrong.status_code == 401
            assert (await page.ask("DELETE", "/api/session", headers=bob)).status_code == 204
            assert (await page.ask("GET", "/api/session")).status_code == 200

    run(scenario())


def test_on_ones_own_machine_nobody_signs_in_and_an_old_cookie_does_no_harm() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, browser(there) as page:
            page.jar[COOKIE] = "of-another-server"
            told = said(await page.ask("GET", "/api/session"))
            assert (told["via"], told["member"], told["roles"]) == ("dev", "dev", ["admin"])
            assert (await page.ask("POST", "/api/workflows", json=GREET)).status_code == 201
            await page.sign_in(await there.key("ada", "viewer"))
            assert said(await page.ask("GET", "/api/session"))["member"] == "ada"

    run(scenario())


def test_agents_need_a_key() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await page.sign_in(await there.key("ada", "admin"))
            body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            response = await page.ask("POST", "/mcp", json=body)
            assert (response.status_code, said(response)["code"]) == (401, "unauthorized")

    run(scenario())


def test_the_stream_is_open_to_a_session_until_that_is_over() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            await page.sign_in(await there.key("ada", "viewer"))
            cookie = {"Cookie": f"{COOKIE}={page.jar[COOKIE]}"}
            async with page.client.stream("GET", "/api/stream", headers=cookie) as stream:
                assert stream.status_code == 200
                parts = stream.aiter_bytes()
                assert (await anext(parts)).startswith(b"retry")
                await page.ask("DELETE", "/api/session")
                async for _ in parts:  # it ends, and the test with it
                    pass

    run(scenario())


def test_nobody_has_more_sessions_than_they_need_and_what_is_over_is_taken_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("perdure.service.sessions.OF_A_MEMBER_MAX", 3)

    async def scenario() -> None:
        async with house() as there:
            sessions, key = there.engine.sessions, await there.key("ada", "viewer")
            tokens = []
            for number in range(5):
                later(monkeypatch, number)
                issued = await sessions.sign_in(key)
                assert issued is not None
                tokens.append(issued.token)
            found = [await sessions.caller(token) for token in tokens]
            assert [each is None for each in found] == [True, True, False, False, False]
            later(monkeypatch, 12 * HOURS + 5)
            await sessions.sign_in(key)
            cards = await there.engine.host.read(lambda store: store.cards("default", SESSIONS, "", 100))
            assert len(cards) == 1

    run(scenario())


class Counting:
    """A store, and how many cards were looked at."""

    def __init__(self, store: Questions) -> None:
        self._store, self.cards_read = store, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def cards(self, *given: Any) -> list[Card]:
        found = self._store.cards(*given)
        self.cards_read += len(found)
        return found


def test_nobody_waits_for_a_look_at_the_sessions_of_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there:
            sessions, host = there.engine.sessions, there.engine.host
            for number in range(6 * LOOKED_AT):
                await sessions.sign_in(await there.key(f"m{number}", "viewer"))
            key, read, counted = await there.key("ada", "viewer"), host.read, 0

            async def counting(question: Callable[[Any], Any], organization: str | None = None) -> Any:
                def counts(store: Questions) -> Any:
                    nonlocal counted
                    watched = Counting(store)
                    try:
                        return question(watched)
                    finally:
                        counted += watched.cards_read

                return await read(counts, organization)

            monkeypatch.setattr(host, "read", counting)
            issued = await sessions.sign_in(key)
            assert issued is not None
            assert 0 < counted <= 2 * LOOKED_AT
            (own,), counted = (await sessions.list(actor="ada")).items, 0
            assert own == issued.session
            await sessions.list(actor="ada")
            await sessions.end(own.id, actor="ada")
            assert 0 < counted <= 2 * LOOKED_AT
            assert await sessions.caller(issued.token) is None
            assert len((await sessions.list()).items) == 6 * LOOKED_AT

    run(scenario())


def test_what_is_over_of_others_is_taken_out_bit_by_bit_and_the_audit_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with house() as there:
            engine = there.engine
            for number in range(2 * LOOKED_AT):
                await engine.sessions.sign_in(
                    await there.key(f"m{number}", "viewer", expires_at=now_ms() + 1_000 * HOURS)
                )
            keys = {each.member: each.id for each in (await engine.keys.list()).items}
            await engine.keys.revoke(keys["m1"])
            await engine.members.remove("m2")
            key = await there.key("ada", "viewer")
            for _ in range(3):
                await engine.sessions.sign_in(key)
            ended = [
                each.details for each in (await engine.audit.list(limit=500)).items if each.action == "session.ended"
            ]
            why = {each["member"]: each["why"] for each in ended}
            assert why == {"m1": "its key is gone", "m2": "its member is gone"}
            later(monkeypatch, 12 * HOURS)
            for _ in range(3):
                await engine.sessions.sign_in(key)
            ended = [
                each.details for each in (await engine.audit.list(limit=500)).items if each.action == "session.ended"
            ]
            assert {each["why"] for each in ended if each["member"] not in why} == {"expired"}
            cards = await engine.host.read(lambda store: store.cards("default", SESSIONS, "", 500))
            assert len(cards) == 3

    run(scenario())
