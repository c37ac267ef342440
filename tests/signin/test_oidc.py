"""Sign-in by a provider: a real one on loopback. What is good, and whom it makes a member."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from api.house import GREET, house, run, said
from perdure.clock import now_ms
from perdure.service.oidc.flow import LASTS_MS, Flows
from perdure.service.oidc.provider import FAILED_MS
from perdure.service.oidc.refusals import SignInRefused
from signin.browser import COOKIE, browser
from signin.provider import CURVED, OWN, house_of, provider, signed, went

FLOW = "__Host-perdure-oidc"
ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax"


def test_whoever_the_provider_vouches_for_is_signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch) as there, browser(there) as page:
            await there.engine.members.add("ann", roles=["editor"], email="Ann@Example.com")
            assert said(await page.ask("GET", "/api/session/ways")) == {"key": True, "provider": "/api/session/oidc"}
            gone = await page.ask("GET", "/api/session/oidc?next=/executions%3Fstatus%3Drunning", page=False)
            kept = page.jar[FLOW]
            assert gone.headers["set-cookie"] == f"{FLOW}={kept}; Max-Age=600; {ATTRIBUTES}"
            asked = parse_qs(urlsplit(gone.headers["location"]).query)
            assert asked["code_challenge_method"] == ["S256"]
            assert asked["scope"] == ["openid email profile"]
            assert {"state", "nonce", "code_challenge"} <= set(asked)
            back = await went(page, "/api/session/oidc?next=/executions%3Fstatus%3Drunning")
            done = await page.ask("GET", back, page=False)
            assert (done.status_code, done.headers["location"]) == (302, "/executions?status=running")
            token = page.jar[COOKIE]
            assert done.headers.get_list("set-cookie") == [
                f"{COOKIE}={token}; {ATTRIBUTES}",
                f"{FLOW}=; Max-Age=0; {ATTRIBUTES}",
            ]
            told = said(await page.ask("GET", "/api/session"))
            assert (told["member"], told["roles"], told["via"]) == ("ann", ["editor"], "session")
            page.csrf = told["csrfToken"]
            assert (await page.ask("POST", "/api/workflows", json=GREET)).status_code == 201
            (session,) = (await there.engine.sessions.list()).items
            assert (session.issuer, session.key) == (who.issuer, None)
            assert (await page.ask("DELETE", "/api/session")).status_code == 204
            assert (await page.ask("GET", "/api/session")).status_code == 401

    run(scenario())


def test_who_is_nobody_here_is_refused_or_made_a_member_if_the_operator_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with provider() as who:
            async with house_of(who, monkeypatch) as there, browser(there) as page:
                refused = await page.ask("GET", await went(page), page=False)
                assert (refused.status_code, said(refused)["code"]) == (403, "sign_in_refused")
                assert page.jar == {}
                assert (await there.engine.members.list()).items == ()
            async with (
                house_of(who, monkeypatch, CREATE="operator", ORGANIZATION="acme") as there,
                browser(there) as page,
            ):
                for _ in range(2):
                    assert (await page.ask("GET", await went(page), page=False)).status_code == 302
                (made,) = (await there.engine.members.list(organization="acme")).items
                assert (made.id, made.roles) == ("oidc:248289761001", ("operator",))
                assert (made.email, made.name) == ("ann@example.com", "Ann")
                assert len((await there.engine.sessions.list(organization="acme")).items) == 1, "the former is over"

    run(scenario())


def test_a_member_is_found_by_subject_before_the_address_and_never_by_the_plain_subject(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch) as there, browser(there) as page:
            add = there.engine.members.add
            await add("ops", roles=["admin"])
            who.person = {"sub": "ops", "email": "mallory@example.com", "email_verified": True}
            assert (await page.ask("GET", await went(page), page=False)).status_code == 403
            await add("mal", email="mallory@example.com")
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert said(await page.ask("GET", "/api/session"))["member"] == "mal"
            await add("oidc:ops")
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert said(await page.ask("GET", "/api/session"))["member"] == "oidc:ops"
            who.person = {"sub": "other", "email": "mallory@example.com", "email_verified": True}
            await add("mal2", email="MALLORY@example.com")
            refused = await page.ask("GET", await went(page), page=False)
            assert "several members have this e-mail address" in said(refused)["detail"]

    run(scenario())


@pytest.mark.parametrize(
    ("kept", "said_by_provider", "status"),
    [
        ("ann@example.com", "ANN@Example.COM", 302),
        ("kim@example.com", "\u212aim@example.com", 403),
        ("\u212aim@example.com", "kim@example.com", 403),
        ("strasse@example.com", "stra\xdfe@example.com", 403),
        ("max@example.com", "ma\uff58@example.com", 403),
        ("i@example.com", "\u0130@example.com", 403),
        ("zo\xeb@example.com", "zo\xeb@EXAMPLE.com", 302),
        ("zo\xeb@example.com", "ZO\xeb@example.com", 403),
        ("zo\xeb@example.com", "ZO\xcb@example.com", 403),
        ("zo\xeb@example.com", "zoe\u0308@example.com", 403),
        ("ann@\u212aey.example", "ann@key.example", 403),
    ],
)
def test_addresses_are_the_same_up_to_the_case_of_their_domain_and_of_an_ascii_local_part(
    monkeypatch: pytest.MonkeyPatch, kept: str, said_by_provider: str, status: int
) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch) as there, browser(there) as page:
            await there.engine.members.add("member", roles=["admin"], email=kept)
            who.person["email"] = said_by_provider
            assert (await page.ask("GET", await went(page), page=False)).status_code == status

    run(scenario())


def test_a_key_that_changes_under_the_same_name_is_fetched_once_and_no_forger_makes_it_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        clock = now_ms()
        monkeypatch.setattr("perdure.service.oidc.provider.Provider.__init__.__defaults__", (lambda: clock,))
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            new = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
            who.keys, who.token = [new], lambda claims: signed(claims, new)
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert who.asked == ["describe", "token", "jwks", "token", "jwks"]
            forger = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
            who.token = lambda claims: signed(claims, forger)
            for _ in range(3):
                assert (await page.ask("GET", await went(page), page=False)).status_code == 403
            assert who.asked.count("jwks") == 2, "a minute has not passed"
            clock += 60_000
            for _ in range(2):
                assert (await page.ask("GET", await went(page), page=False)).status_code == 403
            assert who.asked.count("jwks") == 3
            who.token = lambda claims: signed(claims, new)
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302

    run(scenario())


def test_a_key_that_becomes_one_of_another_curve_under_the_same_name_is_fetched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            old, new = (ECKey.generate_key(curve, {"kid": "one", "use": "sig"}) for curve in ("P-256", "P-384"))
            who.keys, who.token = [old], lambda claims: signed(claims, old, alg="ES256")
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            who.keys, who.token = [new], lambda claims: signed(claims, new, alg="ES384")
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert who.asked.count("jwks") == 2

    run(scenario())


def test_keys_that_cannot_be_fetched_again_do_not_use_up_the_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        clock = now_ms()
        monkeypatch.setattr("perdure.service.oidc.provider.Provider.__init__.__defaults__", (lambda: clock,))
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            new = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
            who.token, who.has_keys = lambda claims: signed(claims, new), False
            assert (await page.ask("GET", await went(page), page=False)).status_code != 302
            who.keys, who.has_keys = [new], True
            clock += FAILED_MS
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302

    run(scenario())


@pytest.mark.parametrize("verified", [False, None, "true", 1, "missing"])
def test_an_address_counts_only_if_the_provider_says_that_it_is_theirs(
    monkeypatch: pytest.MonkeyPatch, verified: object
) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch) as there, browser(there) as page:
            await there.engine.members.add("ann", roles=["admin"], email="ann@example.com")
            who.person["email_verified"] = verified
            if verified == "missing":
                del who.person["email_verified"]
            assert (await page.ask("GET", await went(page), page=False)).status_code == 403
            assert (await there.engine.sessions.list()).items == ()

    run(scenario())


def test_groups_are_those_that_the_provider_says_if_it_is_asked_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, GROUPS_CLAIM="teams") as there, browser(there) as page:
            members = there.engine.members
            await members.add("ann", email="ann@example.com", groups=["old"])
            for groups, expected in (["finance", "ops"], ("finance", "ops")), ([], ()):
                who.person["teams"] = groups
                assert (await page.ask("GET", await went(page), page=False)).status_code == 302
                assert (await members.get("ann")).groups == expected
            who.person["teams"] = ["finance", 7]
            assert (await page.ask("GET", await went(page), page=False)).status_code == 403
            del who.person["teams"]
            await members.change("ann", groups=["finance"])
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert (await members.get("ann")).groups == (), "who is in none is in none"

    run(scenario())


def test_a_session_by_a_provider_is_over_with_its_member(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            await page.ask("GET", await went(page), page=False)
            await there.engine.members.remove("oidc:248289761001")
            assert (await page.ask("GET", "/api/session")).status_code == 401

    run(scenario())


def test_keys_of_the_provider_change_and_other_algorithms_with_two_keys_are_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        clock = now_ms()
        monkeypatch.setattr("perdure.service.oidc.provider.Provider.__init__.__defaults__", (lambda: clock,))
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            who.token = lambda claims: signed(claims, CURVED, alg="ES256", kid="two")
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert who.asked == ["describe", "token", "jwks", "token"]
            new = RSAKey.generate_key(2048, {"kid": "three", "use": "sig"})
            who.keys, who.token = [new], lambda claims: signed(claims, new, kid="three", alg="PS256")
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert who.asked[4:] == ["token", "jwks"]
            newer = RSAKey.generate_key(2048, {"kid": "four", "use": "sig"})
            who.keys, who.token = [newer], lambda claims: signed(claims, newer, kid="four", alg="PS256")
            assert (await page.ask("GET", await went(page), page=False)).status_code == 403, (
                "fetched again a moment ago"
            )
            clock += 60_000
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            assert who.asked[6:] == ["token", "token", "jwks"]
            who.token = signed  # with the key that is gone
            assert (await page.ask("GET", await went(page), page=False)).status_code == 403

    run(scenario())


def test_a_token_without_the_name_of_its_key_is_good_if_there_is_one_key_of_its_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            who.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
            who.token = lambda claims: jwt.encode({"alg": "RS256"}, claims, OWN)
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302
            who.keys = [OWN, RSAKey.generate_key(2048, {"kid": "other"})]
            monkeypatch.setattr("perdure.service.oidc.provider.BELIEVED_MS", 0)
            assert (await page.ask("GET", await went(page), page=False)).status_code == 403

    run(scenario())


def test_where_the_operator_has_named_nobody_there_is_nothing() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            for path in ("/api/session/oidc", "/api/session/oidc/callback?state=a&code=b"):
                response = await page.ask("GET", path, page=False)
                assert (response.status_code, said(response)["code"]) == (404, "no_provider")
            assert said(await page.ask("GET", "/api/session/ways")) == {"key": True, "provider": None}

    run(scenario())


HOSTILE = [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "/\\/evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "https:evil.example",
    "HTTPS://evil.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    ".evil.example",
    "@evil.example",
    "",
    " //evil.example",
    "/ /evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\nSet-Cookie: a=b",
    "\t//evil.example",
    "/\x00/evil.example",
    "/a\\b",
    "/\u2028/evil.example",
    "/é",
    "/\uff0fevil.example",
    "/" + "a" * 1_000,
]


def test_nobody_is_sent_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch) as there, browser(there) as page:
            for place in HOSTILE:
                refused = await page.client.get("/api/session/oidc", params={"next": place})
                told = (refused.status_code, said(refused)["code"])
                assert told in ((400, "bad_next"), (422, "invalid_request"), (400, "cannot_be_kept")), place
                assert "location" not in refused.headers
                assert "set-cookie" not in refused.headers

    run(scenario())


def test_a_path_of_the_server_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            for place in ("/", "/executions/1", "/a?b=c&d=//e", "/a#b", "/%2f%2fevil.example", "/.//x", "/?a"):
                gone = await page.ask("GET", "/api/session/oidc", page=False, params={"next": place})
                back = urlsplit((await page.client.get(gone.headers["location"])).headers["location"])
                done = await page.ask("GET", f"{back.path}?{back.query}", page=False)
                assert done.headers["location"] == place

    run(scenario())


def test_another_server_with_the_same_secret_knows_what_was_begun() -> None:
    here, there = Flows("secret"), Flows("secret")
    flow = here.begin("/x", 1_000)
    assert there.back(here.signed(flow), flow.state, 2_000) == flow
    with pytest.raises(SignInRefused, match="this is not what this browser has begun last"):
        Flows("other").back(here.signed(flow), flow.state, 2_000)


def test_what_was_begun_ten_minutes_ago_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            back, then = await went(page), now_ms() + LASTS_MS
            with monkeypatch.context() as patched:
                patched.setattr("perdure.api.oidc.now_ms", lambda: then)
                refused = await page.ask("GET", back, page=False)
            assert "ten minutes" in said(refused)["detail"]
            assert (await there.engine.sessions.list()).items == ()

    run(scenario())
