"""The provider: what it says of itself, which keys it has, and what it gives for a code. All of it through the outbound door.

The operator names the issuer, and the issuer names the other addresses; each is judged by the door like any other. No redirect is
followed. What it says of itself is believed for an hour; its keys as well. If a token names an unknown key, or its signature does
not match, the keys are fetched again, at most once a minute: a forged token must not make this server flood the provider.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from authlib.oauth2.auth import encode_client_secret_basic, encode_client_secret_post
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc.jwk import Key
from msgspec import Struct

from perdure.clock import now_ms
from perdure.service.oidc.claims import Claims
from perdure.service.oidc.flow import Flow
from perdure.service.oidc.refusals import ProviderFailed, SignInRefused
from perdure.service.oidc.settings import ADDRESSES, OidcSettings
from perdure.service.oidc.tokens import UnknownKey, checked, keys_of
from perdure.tasks.door import Answer, Call, Door, Limits, OutboundRefused
from perdure.tasks.failing import NonRetryable, Retryable

WELL_KNOWN: Final = "/.well-known/openid-configuration"
LIMITS: Final = Limits(connect_ms=5_000, total_ms=10_000, response_bytes_max=1_000_000)
BELIEVED_MS: Final = 3_600_000
AGAIN_MS: Final = 60_000
FAILED_MS: Final = 2_000
"""So long a provider that did not answer is not asked again."""

_FORM: Final = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
_REFUSED: Final = (400, 401, 403)
Value = TypeVar("Value")
Shape = TypeVar("Shape")


class Metadata(Struct, frozen=True):
    """What is needed of what a provider says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class TokenAnswer(Struct, frozen=True):
    id_token: str
    access_token: str | None = None


class Provider:
    """`now`: what time it is, in epoch milliseconds. `door`: where there is one already, for many providers."""

    def __init__(self, settings: OidcSettings, now: Callable[[], int] = now_ms, *, door: Door | None = None) -> None:
        self._settings, self._now = settings, now
        self._door = door or Door(settings.allowed, LIMITS)
        self._metadata: tuple[int, Metadata] | None = None
        self._keys: tuple[int, list[Key]] | None = None
        self._fetched_again_at: int | None = None
        self._failed: tuple[int, ProviderFailed] | None = None
        self._looking = asyncio.Lock()

    async def away(self, flow: Flow) -> str:
        """Where a browser is sent to sign in. Raises `ProviderFailed`."""
        settings, metadata = self._settings, await self._described()
        found: str = prepare_grant_uri(
            metadata.authorization_endpoint,
            settings.client_id,
            "code",
            settings.redirect_uri,
            list(settings.scopes),
            flow.state,
            nonce=flow.nonce,
            code_challenge=create_s256_code_challenge(flow.verifier),
            code_challenge_method="S256",
        )
        return found

    async def claims(self, flow: Flow, code: str) -> Claims:
        """Who it is that came back with this code. Raises `SignInRefused` and `ProviderFailed`."""
        given = await self._given_for(code, flow.verifier)
        for newest in (False, True):
            try:
                return checked(
                    given.id_token,
                    await self._published(newest=newest),
                    self._settings,
                    nonce=flow.nonce,
                    access_token=given.access_token,
                    now_ms=self._now(),
                )
            except UnknownKey:
                if newest:
                    raise
        raise AssertionError

    async def _given_for(self, code: str, verifier: str) -> TokenAnswer:
        metadata, settings = await self._described(), self._settings
        body = prepare_token_request(
            "authorization_code", redirect_uri=settings.redirect_uri, code=code, code_verifier=verifier
        )
        methods = metadata.token_endpoint_auth_methods_supported
        by_post = "client_secret_basic" not in methods and "client_secret_post" in methods
        prove = encode_client_secret_post if by_post else encode_client_secret_basic
        url, headers, body = prove(settings, "POST", metadata.token_endpoint, dict(_FORM), body)
        answer = await self._sent(Call(url, "POST", headers, body.encode()))
        if answer.status in _REFUSED:
            raise SignInRefused("the provider does not know what this browser has brought; begin again")
        return self._read(answer, TokenAnswer, url)

    async def _described(self) -> Metadata:
        async with self._looking:
            found = self._still(self._metadata, BELIEVED_MS)
            if found is None:
                found = await self._once(self._describe)
                self._metadata = (self._now(), found)
            return found

    async def _published(self, *, newest: bool) -> list[Key]:
        metadata = await self._described()
        async with self._looking:
            found = self._still(self._keys, BELIEVED_MS)
            again = found is not None and newest and self._may_fetch_again()
            if found is None or again:

                async def look() -> list[Key]:
                    answer = await self._sent(Call(metadata.jwks_uri, headers={"accept": "application/json"}))
                    return keys_of(self._read(answer, dict[str, Any], metadata.jwks_uri))

                found = await self._once(look)
                self._keys = (self._now(), found)
                if again:
                    self._fetched_again_at = self._now()
            return found

    def _may_fetch_again(self) -> bool:
        """Return whether a minute has passed since the keys were last fetched for a token. A fetch that failed does not count."""
        last, now = self._fetched_again_at, self._now()
        return last is None or not 0 <= now - last < AGAIN_MS

    async def _describe(self) -> Metadata:
        issuer = self._settings.issuer
        url = f"{issuer.rstrip('/')}{WELL_KNOWN}"
        found = self._read(await self._sent(Call(url, headers={"accept": "application/json"})), Metadata, url)
        if found.issuer != issuer:
            raise ProviderFailed(
                f"{url} is that of another issuer than {issuer!r}; write PERDURE_OIDC_ISSUER as it does"
            )
        schemes = ("https",) if issuer.startswith("https:") else ("http", "https")
        for each in (found.authorization_endpoint, found.token_endpoint, found.jwks_uri):
            if urlsplit(each).scheme not in schemes:
                raise ProviderFailed(f"{url} names an address that is not https; nobody is sent there")
        return found

    async def _once(self, look: Callable[[], Any]) -> Any:
        """What cannot be had is not asked for again by everybody who comes."""
        if self._failed is not None and self._now() < self._failed[0]:
            raise self._failed[1]
        try:
            return await look()
        except ProviderFailed as error:
            self._failed = (self._now() + FAILED_MS, error)
            raise

    def _still(self, found: tuple[int, Value] | None, ms: int) -> Value | None:
        return None if found is None or not 0 <= self._now() - found[0] < ms else found[1]

    async def _sent(self, call: Call) -> Answer:
        try:
            return await self._door.send(call)
        except OutboundRefused as error:
            raise ProviderFailed(f"the provider may not be called: {error}; for sign-in alone, {ADDRESSES}") from error
        except (Retryable, NonRetryable) as error:
            raise ProviderFailed(f"the provider cannot be asked: {error}") from error

    def _read(self, answer: Answer, shape: type[Shape], url: str) -> Shape:
        place = url.partition("?")[0]
        if answer.status != 200:  # noqa: PLR2004
            raise ProviderFailed(f"{place} answered with {answer.status}")
        try:
            return msgspec.json.decode(answer.body, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ProviderFailed(f"{place} did not answer as OpenID Connect has it: {error}") from error
