"""What is remembered between the way to the provider and the way back: in the browser that went, signed, for ten minutes.

So it does not matter which of several servers is asked next, and nobody fills a database by beginning to sign in. A browser that
did not go has no such cookie, and nothing that it brings counts. What has been brought once does not count again: the cookie is
taken away, this process remembers it, and the provider takes a code once.
"""

from __future__ import annotations

import hmac
import secrets as chance
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from perdure.service.oidc.refusals import SignInRefused

LASTS_MS: Final = 600_000
COOKIE_MAX: Final = 4_000
USED_MAX: Final = 100_000
BEGIN_AGAIN: Final = "begin again at /api/session/oidc"


class Flow(Struct, frozen=True):
    """`state` comes back in the URL, `nonce` in the token, `verifier` is what only we know. `next`: where to go in the end."""

    state: str
    nonce: str
    verifier: str
    next: str
    expires_at: int


class Flows:
    """`secret`: what all servers share, so that each can read what another has written."""

    def __init__(self, secret: str) -> None:
        self._key = hmac.new(secret.encode(), b"perdure oidc flow", sha256).digest()
        self._used: dict[str, int] = {}
        """By state, in the order in which they were used: until when it would have counted."""

    def begin(self, next_: str, now: int) -> Flow:
        return Flow(chance.token_urlsafe(32), chance.token_urlsafe(32), chance.token_urlsafe(48), next_, now + LASTS_MS)

    def signed(self, flow: Flow) -> str:
        """As a cookie has it."""
        body = urlsafe_b64encode(msgspec.json.encode(flow)).decode().rstrip("=")
        return f"{body}.{self._signature(body)}"

    def back(self, cookie: str | None, state: str, now: int) -> Flow:
        """What was begun by this browser. Raises `SignInRefused`, also if it has been used."""
        if not cookie:
            raise SignInRefused(f"this browser has not begun to sign in, or too long ago; {BEGIN_AGAIN}")
        flow = self._opened(cookie)
        if flow is None or not hmac.compare_digest(flow.state.encode(), state.encode("utf-8", "replace")):
            raise SignInRefused(f"this is not what this browser has begun last; {BEGIN_AGAIN}")
        if now >= flow.expires_at:
            raise SignInRefused(f"that was begun more than ten minutes ago; {BEGIN_AGAIN}")
        if flow.state in self._used:
            raise SignInRefused(f"this has been used already; {BEGIN_AGAIN}")
        return flow

    def use(self, flow: Flow, now: int) -> None:
        """It does not count again. Of very many, those are forgotten that were used first: the provider takes a code once."""
        while self._used and (len(self._used) >= USED_MAX or next(iter(self._used.values())) <= now):
            del self._used[next(iter(self._used))]
        self._used[flow.state] = flow.expires_at

    def _opened(self, cookie: str) -> Flow | None:
        body, _, signature = cookie.partition(".")
        if len(cookie) > COOKIE_MAX or not hmac.compare_digest(signature.encode(), self._signature(body).encode()):
            return None
        try:
            return msgspec.json.decode(urlsafe_b64decode(body + "=" * (-len(body) % 4)), type=Flow)
        except (NotBase64, ValueError, msgspec.DecodeError):
            return None

    def _signature(self, body: str) -> str:
        return hmac.new(self._key, body.encode("utf-8", "replace"), sha256).hexdigest()
