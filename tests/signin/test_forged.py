"""What does not prove who somebody is: tokens, answers and ways back that are not as they should be. Nobody is signed in by any."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from hmac import new as hmac
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import OctKey, RSAKey

from api.house import House, run, said
from perdure.api.failures import PER_MINUTE, Failures
from perdure.clock import now_ms
from perdure.service.oidc.flow import Flow, Flows
from perdure.service.oidc.refusals import SignInRefused
from signin.browser import COOKIE, Browser, browser
from signin.provider import CLIENT_ID, CLIENT_SECRET, CURVED, OWN, Claims, house_of, provider, signed, went

FLOW = "__Host-perdure-oidc"
STRANGER = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
ANY_ALGORITHM = RSAKey.import_key({name: text for name, text in OWN.as_dict(private=True).items() if name != "alg"})
NOW = now_ms() // 1_000


def part(value: Any) -> str:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(text).decode().rstrip("=")


def unsigned(claims: Claims, alg: str, signature: str = "") -> str:
    return f"{part({'alg': alg, 'kid': 'one', 'typ': 'JWT'})}.{part(claims)}.{signature}"


def by_what_is_published(claims: Claims, key: bytes) -> str:
    """Signed with what everybody can read, as if it were a secret that both sides have."""
    body = f"{part({'alg': 'HS256', 'kid': 'one'})}.{part(claims)}"
    return f"{body}.{part(hmac(key, body.encode(), sha256).digest())}"


def by_hand(header: dict[str, Any], payload: bytes) -> str:
    """Rightly signed, whatever it is."""
    body = f"{part(header)}.{part(payload)}"
    private = OWN.private_key
    assert private is not None
    return f"{body}.{part(private.sign(body.encode(), PKCS1v15(), SHA256()))}"


def changed_after(claims: Claims) -> str:
    header, _, signature = signed(claims).split(".")
    return f"{header}.{part({**claims, 'email': 'root@example.com'})}.{signature}"


def own_key_inside(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "jwk": STRANGER.as_dict(private=False)}, claims, STRANGER)


def without(*names: str) -> Callable[[Claims], Claims]:
    return lambda claims: {name: value for name, value in claims.items() if name not in names}


def saying(**other: Any) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, **other}


CLAIMS: dict[str, Callable[[Claims], Claims]] = {
    "another issuer": saying(iss="https://evil.example"),
    "the issuer with a slash": lambda claims: {**claims, "iss": f"{claims['iss']}/"},
    "no issuer": without("iss"),
    "several issuers": lambda claims: {**claims, "iss": [claims["iss"]]},
    "for somebody else": saying(aud="another-client"),
    "for somebody whose name begins alike": saying(aud=f"{CLIENT_ID}-2"),
    "for somebody else, and this server is meant": saying(aud="another-client", azp=CLIENT_ID),
    "for others, and this server is meant": saying(aud=["a", "b"], azp=CLIENT_ID),
    "for nobody": without("aud"),
    "for an empty list": saying(aud=[]),
    "for many, and none is meant": saying(aud=[CLIENT_ID, "other"]),
    "for many, and another is meant": saying(aud=[CLIENT_ID, "other"], azp="other"),
    "another is meant": saying(azp="other"),
    "over": saying(exp=NOW - 3_600),
    "over without end": without("exp"),
    "over at a time that is none": saying(exp="tomorrow"),
    "not yet": saying(nbf=NOW + 3_600),
    "from the future": saying(iat=NOW + 3_600),
    "never made": without("iat"),
    "another nonce": saying(nonce="n"),
    "no nonce": without("nonce"),
    "an empty nonce": saying(nonce=""),
    "a nonce that is none": saying(nonce=None),
    "about nobody": without("sub"),
    "about nothing": saying(sub=""),
    "about a number": saying(sub=7),
    "about what cannot be seen": saying(sub="a\x00b"),
    "about very much": saying(sub="a" * 256),
    "about another access token": saying(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
}
TOKENS: dict[str, Callable[[Claims], str]] = {
    "alg none": lambda claims: unsigned(claims, "none"),
    "alg None": lambda claims: unsigned(claims, "None"),
    "alg nothing": lambda claims: unsigned(claims, ""),
    "alg none, with a signature": lambda claims: unsigned(claims, "none", signed(claims).split(".")[2]),
    "without its signature": lambda claims: signed(claims).rpartition(".")[0] + ".",
    "HS256 with the public key": lambda claims: by_what_is_published(claims, OWN.as_pem(private=False)),
    "HS256 with the public key as JSON": lambda claims: by_what_is_published(
        claims, json.dumps(OWN.as_dict(private=False)).encode()
    ),
    "HS256 with the secret of the client": lambda claims: by_what_is_published(claims, CLIENT_SECRET.encode()),
    "HS256 with nothing": lambda claims: by_what_is_published(claims, b""),
    "another key of the same name": lambda claims: signed(claims, STRANGER),
    "a key that nobody knows": lambda claims: signed(claims, STRANGER, kid="unknown"),
    "a key that it brings along": own_key_inside,
    "a key from elsewhere": lambda claims: signed(claims, STRANGER, jku="https://evil.example/jwks"),
    "the key of another algorithm": lambda claims: signed(claims, ANY_ALGORITHM, alg="RS512"),
    "another kind of key": lambda claims: signed(claims, CURVED, alg="ES256"),
    "an access token": lambda claims: signed(claims, OWN, typ="at+jwt"),
    "changed after it was signed": changed_after,
    "what must be understood and is not": lambda claims: by_hand(
        {"alg": "RS256", "kid": "one", "crit": ["more"], "more": 1}, json.dumps(claims).encode()
    ),
    "no token": lambda _: "no token",
    "nothing": lambda _: "",
    "two dots": lambda _: "..",
    "not JSON": lambda _: by_hand({"alg": "RS256", "kid": "one"}, b"{"),
    "a list": lambda _: by_hand({"alg": "RS256", "kid": "one"}, b"[]"),
    "not text": lambda _: by_hand({"alg": "RS256", "kid": "one"}, b"\xff"),
    "very deep": lambda _: by_hand({"alg": "RS256", "kid": "one"}, b"[" * 10_000),
    "very long": lambda claims: signed({**claims, "x": "y" * 40_000}),
}


async def nobody(there: House, page: Browser, response: Any, what: str, status: int = 403) -> None:
    code = {403: "sign_in_refused", 503: "provider_failed"}[status]
    assert (response.status_code, said(response)["code"]) == (status, code), (what, response.text)
    assert COOKIE not in page.jar, what
    assert "location" not in response.headers, what
    assert (await there.engine.sessions.list()).items == (), what
    assert (await there.engine.members.list()).items == (), what


def test_claims_that_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="admin") as there, browser(there) as page:
            for what, wrong in CLAIMS.items():
                who.says = wrong
                refused = await page.ask("GET", await went(page), page=False)
                await nobody(there, page, refused, what)
                assert who.tokens[-1] not in refused.text
            who.says = lambda claims: {**claims, "aud": [CLIENT_ID, "other"], "azp": CLIENT_ID}
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302, "and this is good"

    run(scenario())


def test_tokens_that_are_forged(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="admin") as there, browser(there) as page:
            for what, forged in TOKENS.items():
                who.token = forged
                await nobody(there, page, await page.ask("GET", await went(page), page=False), what)
            who.token = signed
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302, "and this is good"

    run(scenario())


def test_keys_that_are_not_for_signatures_or_too_weak_sign_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = OctKey.import_key("a-secret-that-is-published-by-mistake", {"kid": "oct", "alg": "HS256"})
    with pytest.warns(SecurityWarning):
        weak = RSAKey.generate_key(1024, {"kid": "weak"})
    for_secrets = RSAKey.generate_key(2048, {"kid": "enc", "use": "enc"})

    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="admin") as there, browser(there) as page:
            who.keys = [shared, weak, for_secrets]
            for key, kid, alg in ((shared, "oct", "HS256"), (weak, "weak", "RS256"), (for_secrets, "enc", "RS256")):
                plain = RSAKey.import_key(key.as_dict(private=True) | {"use": "sig"}) if kid == "enc" else key
                who.token = lambda claims, key=plain, kid=kid, alg=alg: signed(claims, key, kid=kid, alg=alg)  # type: ignore[misc]
                await nobody(there, page, await page.ask("GET", await went(page), page=False), kid)

    run(scenario())


def test_ways_back_that_this_browser_has_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with (
            provider() as who,
            house_of(who, monkeypatch, CREATE="admin") as there,
            browser(there) as page,
            browser(there) as other,
        ):

            async def came(back: str, what: str, **changed: str | None) -> None:
                path, _, query = back.partition("?")
                given = {name: values[0] for name, values in parse_qs(query).items()}
                merged = {name: value for name, value in {**given, **changed}.items() if value is not None}
                await nobody(there, page, await page.ask("GET", f"{path}?{urlencode(merged)}", page=False), what)

            await came(await went(other), "begun by another browser, and not by this one")
            mine = await went(page)
            await came(await went(other), "begun by another browser")
            await came(mine, "the cookie is gone since")
            await came(await went(page), "no state", state=None)
            await came(await went(page), "an empty state", state="")
            await came(await went(page), "another state", state="x" * 43)
            await came(await went(page), "an odd state", state="😀")
            await came(await went(page), "no code", code=None)
            await came(await went(page), "a code that nobody has given", code="guess")
            stolen = parse_qs((await went(other)).partition("?")[2])["code"][0]
            await came(await went(page), "the code of another browser", code=stolen)
            await came(await went(page), "another issuer", iss="https://evil.example")
            await came(await went(page), "refused there", error="access_denied", code=None)
            first = await went(page)
            await went(page)
            await came(first, "an older one of the same browser")
            back = await went(page)
            page.jar[FLOW] = page.jar[FLOW][:-1] + ("0" if page.jar[FLOW][-1] != "0" else "1")
            await came(back, "a cookie that was changed")
            state = "s" * 43
            forged = Flow(state, "n", "v" * 43, "https://evil.example", now_ms() + 60_000)
            page.jar[FLOW] = Flows("another secret").signed(forged)
            await came(await went(other), "a cookie that somebody else has signed", state=state)
            page.jar[FLOW] = f"{part(b'{}')}.{'0' * 64}"
            await came(await went(other), "a cookie that is none")

    run(scenario())


def test_what_has_been_used_does_not_count_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="admin") as there, browser(there) as page:
            back = await went(page)
            kept = page.jar[FLOW]
            assert (await page.ask("GET", back, page=False)).status_code == 302
            await there.engine.sessions.sign_out(page.jar.pop(COOKIE))
            asked = list(who.asked)
            refused = await page.ask("GET", back, page=False)
            assert "has not begun to sign in" in said(refused)["detail"]
            page.jar[FLOW] = kept
            refused = await page.ask("GET", back, page=False)
            assert "has been used already" in said(refused)["detail"]
            assert who.asked == asked, "nobody was asked"
            assert (await there.engine.sessions.list()).items == ()

    run(scenario())


def test_who_guesses_has_to_wait_and_can_then_come_back_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who guesses keys keeps nobody from coming this way."""
    monkeypatch.setattr("perdure.api.oidc.FAILED_PER_MINUTE", 2)

    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="viewer") as there, browser(there) as page:
            for _ in range(2 * PER_MINUTE):
                await page.sign_in("prd_guess")
            for _ in range(3):
                await page.ask("GET", f"{(await went(page)).partition('?')[0]}?state=x&code=guess", page=False)
            assert (await page.ask("GET", await went(page), page=False)).status_code == 302, "nobody was asked till now"
            for _ in range(2):
                back = re.sub(r"code=[^&]+", "code=guess", await went(page))
                assert (await page.ask("GET", back, page=False)).status_code == 403
            back, asked = await went(page), list(who.asked)
            refused = await page.ask("GET", back, page=False)
            assert (refused.status_code, said(refused)["code"]) == (429, "too_many")
            assert who.asked == asked
            monkeypatch.setattr(Failures, "failed", lambda *_: None)  # as if time had passed
            assert (await page.ask("GET", back, page=False)).status_code == 302

    run(scenario())


def test_what_has_been_used_takes_no_more_room_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.service.oidc.flow.USED_MAX", 3)
    flows = Flows("secret")
    begun = [flows.begin("/", 1_000) for _ in range(5)]
    for flow in begun:
        flows.use(flows.back(flows.signed(flow), flow.state, 2_000), 2_000)
    assert len(flows._used) == 3
    for flow in begun[2:]:
        with pytest.raises(SignInRefused, match="has been used already"):
            flows.back(flows.signed(flow), flow.state, 2_000)
    late = flows.begin("/", 1_000_000)
    flows.use(late, 1_000_000)
    assert list(flows._used) == [late.state], "what is over is forgotten"


FAILING: dict[str, dict[str, Any]] = {
    "another issuer": {"metadata": {"issuer": "https://evil.example"}},
    "no token endpoint": {"metadata": {"token_endpoint": None}},
    "a page to go to that is none": {"metadata": {"authorization_endpoint": "javascript:alert(1)"}},
    "a file": {"metadata": {"jwks_uri": "file:///etc/passwd"}},
    "no ID token": {"answer": {"id_token": None}},
    "an ID token that is none": {"answer": {"id_token": 7}},
}


@pytest.mark.parametrize("what", FAILING)
def test_a_provider_that_does_not_do_as_it_should(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="admin") as there, browser(there) as page:
            for name, value in FAILING[what].items():
                setattr(who, name, value)
            gone = await page.ask("GET", "/api/session/oidc", page=False)
            if gone.status_code == 302:
                gone = await page.ask("GET", await went(page), page=False)
            await nobody(there, page, gone, what, 503)
            assert gone.headers["retry-after"] == "5"

    run(scenario())


@pytest.mark.parametrize("endpoint", ["token_endpoint", "jwks_uri"])
@pytest.mark.parametrize(
    "place",
    [
        "http://127.0.0.1:{other}/x",
        "http://localhost:{other}/x",
        "http://127.1:{other}/x",
        "http://[::1]:{other}/x",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/x",
        "http://user:pass@127.0.0.1:{other}/x",
    ],
)
def test_a_provider_leads_nobody_inside(monkeypatch: pytest.MonkeyPatch, endpoint: str, place: str) -> None:
    """Only where the operator has said that the provider is. `other` listens, and would take anything."""

    async def scenario() -> None:
        async with provider() as who, provider() as other, house_of(who, monkeypatch, CREATE="admin") as there:
            who.metadata = {endpoint: place.format(other=urlsplit(other.issuer).port)}
            async with browser(there) as page:
                await nobody(there, page, await page.ask("GET", await went(page), page=False), place, 503)
            assert other.asked == []

    run(scenario())


def test_without_the_word_of_the_operator_the_provider_itself_may_not_be_inside(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, ALLOW_ADDRESSES="") as there, browser(there) as page:
            refused = await page.ask("GET", "/api/session/oidc", page=False)
            assert (refused.status_code, said(refused)["code"]) == (503, "provider_failed")
            assert who.asked == []
            assert "PERDURE_OIDC_ALLOW_ADDRESSES" in caplog.text
            assert CLIENT_SECRET not in caplog.text

    run(scenario())


def test_redirects_of_the_provider_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch, CREATE="admin") as there, browser(there) as page:
            who.metadata = {
                "jwks_uri": f"{who.issuer}/authorize?{urlencode(REDIRECTING | {'redirect_uri': who.issuer})}"
            }
            await nobody(there, page, await page.ask("GET", await went(page), page=False), "a redirect", 503)

    run(scenario())


REDIRECTING = {
    "response_type": "code",
    "client_id": CLIENT_ID,
    "code_challenge_method": "S256",
    "scope": "openid",
    "state": "s",
}


def test_whoever_fails_again_and_again_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.api.oidc.FAILED_PER_MINUTE", 3)

    async def scenario() -> None:
        async with provider() as who, house_of(who, monkeypatch) as there, browser(there) as page:
            for status in (403, 403, 403, 429):
                back = await went(page)
                assert (await page.ask("GET", back, page=False)).status_code == status
            assert who.asked.count("token") == 3

    run(scenario())
