"""A provider of OpenID Connect on loopback, which signs real tokens; and what it can be made to say instead of the truth."""

from __future__ import annotations

import asyncio
import contextlib
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import uvicorn
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import ECKey, Key, RSAKey
from msgspec import Struct, field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from api.house import House
from perdure.api.server import answering, listening
from perdure.clock import now_ms
from perdure.service.engine import Engine
from signin.browser import Browser

CLIENT_ID, CLIENT_SECRET = "perdure", "s3cret-of-the-client"
OWN = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
CURVED = ECKey.generate_key("P-256", {"kid": "two", "use": "sig", "alg": "ES256"})
ANN = {"sub": "248289761001", "email": "ann@example.com", "email_verified": True, "name": "Ann"}
Claims = dict[str, Any]


def signed(claims: Claims, key: Key = OWN, **header: Any) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one", **header}, claims, key, algorithms=[header.get("alg", "RS256")])


class Provider(Struct):
    """`person`: who sits at the browser. `says`: the claims, when they are about to be signed. `token`: how they are signed."""

    issuer: str
    person: Claims = field(default_factory=lambda: dict(ANN))
    says: Callable[[Claims], Claims] = lambda claims: claims
    token: Callable[[Claims], str] = signed
    keys: list[Key] = field(default_factory=lambda: [OWN, CURVED])
    has_keys: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._describe),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/jwks", self._jwks),
            ]
        )

    async def _describe(self, _: Request) -> Response:
        self.asked.append("describe")
        told = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        }
        return JSONResponse({**told, **self.metadata})

    async def _authorize(self, request: Request) -> Response:
        given = dict(request.query_params)
        assert given["response_type"] == "code"
        assert given["client_id"] == CLIENT_ID
        assert given["code_challenge_method"] == "S256"
        assert "openid" in given["scope"].split()
        code = f"code-{len(self.codes)}"
        self.codes[code] = given
        back = urlencode({"code": code, "state": given["state"], "iss": self.issuer})
        return RedirectResponse(f"{given['redirect_uri']}?{back}", 302)

    async def _token(self, request: Request) -> Response:
        self.asked.append("token")
        given = dict(parse_qsl((await request.body()).decode()))
        if not self._knows(request, given):
            return JSONResponse({"error": "invalid_client"}, 401)
        begun = self.codes.pop(given["code"], None)
        if (
            begun is None
            or begun["redirect_uri"] != given["redirect_uri"]
            or create_s256_code_challenge(given["code_verifier"]) != begun["code_challenge"]
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = now_ms() // 1_000
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": begun["nonce"]}
        token = self.token(self.says({**claims, **self.person}))
        self.tokens.append(token)
        return JSONResponse({"id_token": token, "access_token": "opaque", "token_type": "Bearer", **self.answer})

    def _knows(self, request: Request, given: dict[str, str]) -> bool:
        _, _, basic = request.headers.get("authorization", "").partition(" ")
        told = b64decode(basic).decode() if basic else f"{given.get('client_id')}:{given.get('client_secret')}"
        return told == f"{CLIENT_ID}:{CLIENT_SECRET}"

    async def _jwks(self, _: Request) -> Response:
        self.asked.append("jwks")
        if not self.has_keys:
            return Response(status_code=503)
        return JSONResponse({"keys": [key.as_dict(private=False) for key in self.keys]})


class _Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def provider() -> AsyncIterator[Provider]:
    with closing(listening("127.0.0.1", 0)) as place:
        there = Provider(f"http://127.0.0.1:{place.getsockname()[1]}")
        server = _Quiet(uvicorn.Config(there.app(), lifespan="off", log_config=None, access_log=False, ws="none"))
        running = asyncio.create_task(server.serve(sockets=[place]))
        try:
            yield there
        finally:
            server.should_exit = True
            await asyncio.gather(running, return_exceptions=True)


@contextlib.asynccontextmanager
async def house_of(who: Provider, monkeypatch: pytest.MonkeyPatch, **settings: str) -> AsyncIterator[House]:
    """A server whose operator takes the word of this provider. `settings`: the rest of PERDURE_OIDC_…."""
    with closing(listening("127.0.0.1", 0)) as place:
        url = f"http://127.0.0.1:{place.getsockname()[1]}"
        given = {
            "ISSUER": who.issuer,
            "CLIENT_ID": CLIENT_ID,
            "CLIENT_SECRET": CLIENT_SECRET,
            "ALLOW_ADDRESSES": who.issuer.removeprefix("http://"),
            **settings,
        }
        monkeypatch.setenv("PERDURE_PUBLIC_URL", url)
        for name, value in given.items():
            monkeypatch.setenv(f"PERDURE_OIDC_{name}", value)
        engine = Engine()  # it reads what the operator has set when it is made
        async with engine, answering(engine, place, needs_key=True):
            yield House(engine, url)


async def went(page: Browser, path: str = "/api/session/oidc") -> str:
    """To the provider, and what it sends the browser back with: a path of the server."""
    gone = await page.ask("GET", path, page=False)
    assert gone.status_code == 302, gone.text
    back = await page.client.get(gone.headers["location"])
    assert back.status_code == 302, back.text
    found = urlsplit(back.headers["location"])
    assert f"{found.scheme}://{found.netloc}" == page.url
    return f"{found.path}?{found.query}"
