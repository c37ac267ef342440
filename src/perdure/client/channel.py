"""Requests to one server: sent, tried again where that can do no harm, and read.

What may be sent twice is asked again when a connection breaks: what only looks, what replaces, and what the server knows again by
a key. Whatever was never sent is tried again too. All of it ends with a deadline.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import AsyncGenerator, Mapping
from ipaddress import ip_address
from types import NoneType
from typing import Any, Final, TypeAlias, TypeVar, cast
from urllib.parse import quote, urlencode

import httpx2
import msgspec
from msgspec import UNSET, Struct

from perdure.client.errors import NoServer, ServerFailed, error_of
from perdure.errors import PerdureError
from perdure.service.errors import Conflict
from perdure.service.given import check_texts
from perdure.version import VERSION

Shape = TypeVar("Shape")
Query: TypeAlias = Mapping[str, str | int | float | bool | None]

DEADLINE_SECONDS: Final = 30.0
CONNECT_SECONDS: Final = 10.0
BACKOFF_SECONDS, BACKOFF_SECONDS_MAX = 0.1, 2.0
RETRY_AFTER_SECONDS_MAX: Final = 60.0
NOT_NOW: Final = 429
NOT_THERE: Final = (502, 503, 504)
"""What a server says that is about to end, or a proxy before one that is not there."""
UNDER_WAY: Final = 409
"""With the time to ask again: the first request with this key is not done yet. Its connection broke, say."""

SUCCESS, REDIRECT, WRONG = 200, 300, 400
_NEVER_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_decoders: Final[dict[Any, msgspec.json.Decoder[Any]]] = {}


class Asking(Struct, frozen=True):
    """One request. `safe`: sent twice, it is as if it had been sent once. `seconds`: so long the server may take more.
    `is_stranger`: nothing is said beside `headers` of who sends it, nor what it is.
    """

    method: str
    path: str
    query: Query = {}
    content: bytes | None = None
    headers: dict[str, str] = {}
    safe: bool = False
    seconds: float = 0.0
    is_stranger: bool = False


class Answered(Struct, frozen=True):
    status: int
    headers: Mapping[str, str]
    content: bytes


class Channel:
    """`url` and `key` as `address.meant` has them. The key is sent with every request and told to nobody else: no message has it,
    and redirects are not followed.
    """

    def __init__(self, url: str, key: str | None, *, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        self.url, self._deadline_seconds = url, deadline_seconds
        self._headers = {"User-Agent": f"perdure/{VERSION}", "Accept": "application/json"} | _authorized(key)
        self._http: httpx2.AsyncClient | None = None

    async def aclose(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def get(self, *path: str, shape: type[Shape], query: Query | None = None, seconds: float = 0.0) -> Shape:
        asking = Asking("GET", api(*path), query or {}, safe=True, seconds=seconds)
        return read(await self.ask(asking), shape, self.url)

    async def post(
        self,
        *path: str,
        shape: type[Shape],
        body: Any = UNSET,
        headers: dict[str, str] | None = None,
        safe: bool = False,
        method: str = "POST",
    ) -> Shape:
        """`body` as JSON; without one, the request has none."""
        content = None if body is UNSET else msgspec.json.encode(body)
        asking = Asking(method, api(*path), content=content, headers=headers or {}, safe=safe)
        return read(await self.ask(asking), shape, self.url)

    async def delete(self, *path: str, headers: dict[str, str] | None = None) -> None:
        await self.ask(Asking("DELETE", api(*path), headers=headers or {}))

    async def ask(self, asking: Asking) -> Answered:
        """Raises what the server says went wrong; `NoServer`, if there is none."""
        until = time.monotonic() + self._deadline_seconds + asking.seconds
        last: Answered | None = None
        for attempt in itertools.count():
            pause = backoff(attempt)
            try:
                answer = await self._sent(asking, until - time.monotonic())
            except Broken as broken:
                is_over = time.monotonic() + pause >= until
                if is_over and last is not None:  # what it said says more than that it was too slow to say it again
                    return self.succeeded(last)
                if is_over or not (asking.safe or broken.never_sent):
                    raise NoServer(f"{self.url} cannot be asked: {broken.said}") from None
            else:
                last = answer
                again = answer.status == NOT_NOW or (asking.safe and _is_passing(answer))
                pause = max(pause, retry_after(answer))
                if not again or time.monotonic() + pause >= until:
                    return self.succeeded(answer)
            await asyncio.sleep(pause)
        raise AssertionError("it is asked until there is an answer")

    async def _sent(self, asking: Asking, seconds: float) -> Answered:
        """Raises `Broken`. What it raises holds nothing of the request: that has the key in it."""
        try:
            async with asyncio.timeout(max(seconds, 0.0)):
                http, request = self._made(asking, seconds)
                response = await http.send(request)
        except httpx2.TransportError as error:
            raise Broken(_why(error), never_sent=isinstance(error, _NEVER_SENT)) from None
        except TimeoutError:
            raise Broken("it does not answer in time", never_sent=False) from None
        return Answered(response.status_code, response.headers, response.content)

    async def parts(self, asking: Asking, media_type: str, *, quiet_seconds: float) -> AsyncGenerator[bytes, None]:
        """What a server answers with, as it comes; first nothing, once it has begun to. Raises what the server says went wrong;
        `Broken`, also if nothing comes for so long.
        """
        try:
            http, request = self._made(asking, quiet_seconds)
            response = await http.send(request, stream=True)
            try:
                if response.status_code != SUCCESS:
                    answer = Answered(response.status_code, response.headers, await response.aread())
                    if answer.status == NOT_NOW or answer.status in NOT_THERE:
                        raise Broken(f"it answers with {answer.status}", never_sent=False, answer=answer)
                    self.succeeded(answer)
                if not response.headers.get("content-type", "").startswith(media_type):
                    raise NoServer(f"{self.url} has no {media_type} to tell; is it a server of Perdure?")
                yield b""
                async for each in response.aiter_bytes():
                    yield each
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            raise Broken(_why(error), never_sent=isinstance(error, _NEVER_SENT)) from None

    def _made(self, asking: Asking, seconds: float) -> tuple[httpx2.AsyncClient, httpx2.Request]:
        if self._http is None:
            self._http = _opened(self.url)
        ours = self._headers if asking.content is None else self._headers | {"Content-Type": "application/json"}
        query = {name: _written(each) for name, each in asking.query.items() if each is not None}
        request = self._http.build_request(
            asking.method,
            f"{self.url}{asking.path}" + (f"?{urlencode(query)}" if query else ""),
            content=asking.content,
            headers=asking.headers if asking.is_stranger else ours | asking.headers,
            timeout=httpx2.Timeout(max(seconds, 0.01), connect=CONNECT_SECONDS),
        )
        return self._http, request

    def succeeded(self, answer: Answered) -> Answered:
        if SUCCESS <= answer.status < REDIRECT:
            return answer
        if REDIRECT <= answer.status < WRONG:
            to = answer.headers.get("location", "another address")
            raise NoServer(f"{self.url} leads to {to[:200]!r}, and no key is sent there by itself; give that address")
        raise error_of(answer.status, answer.content, self.url, retry_after(answer))


class Broken(PerdureError, code="broken"):
    """A connection that there is not any more, or never was. `answer`: that it is not the time for it."""

    def __init__(self, said: str, *, never_sent: bool, answer: Answered | None = None) -> None:
        self.said, self.never_sent, self.answer = said, never_sent, answer
        super().__init__(said)


def api(*path: str) -> str:
    """`/api/…`, with each part as it is, whatever is in it."""
    return f"/api/{'/'.join(map(part, path))}"


def part(text: str) -> str:
    """A part of a path. Points alone would lead elsewhere."""
    check_texts(id=text)
    if not text:
        raise Conflict("the id is empty; name what is meant")
    return quote(text, safe="") if text.strip(".") else text.replace(".", "%2E")


def read(answer: Answered, shape: type[Shape], where: str) -> Shape:
    if shape is NoneType:
        return cast("Shape", None)
    decoder = _decoders.get(shape)
    if decoder is None:
        decoder = _decoders[shape] = msgspec.json.Decoder(shape)
    try:
        found: Shape = decoder.decode(answer.content)
    except msgspec.DecodeError as error:
        raise ServerFailed(
            f"{where} answers with what this version cannot read ({error}); is it a server of Perdure, and as new as this one?"
        ) from None
    return found


def _authorized(key: str | None) -> dict[str, str]:
    if key is None:
        return {}
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise Conflict("the key has characters that no key has; give it as it was shown, prd_…")
    return {"Authorization": f"Bearer {key}"}


def _opened(url: str) -> httpx2.AsyncClient:
    """By way of the proxies that the environment names, but not to this very machine: what is sent has a key in it."""
    return httpx2.AsyncClient(follow_redirects=False, trust_env=not _is_own(httpx2.URL(url).host))


def _is_own(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _written(value: str | float) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def backoff(attempt: int) -> float:
    longest = min(BACKOFF_SECONDS * 2**attempt, BACKOFF_SECONDS_MAX)
    return random.uniform(longest / 2, longest)  # noqa: S311  so that not all come back at once


def _is_passing(answer: Answered) -> bool:
    """Whether what may be sent twice is answered otherwise later on."""
    return answer.status in NOT_THERE or (answer.status == UNDER_WAY and "retry-after" in answer.headers)


def retry_after(answer: Answered) -> float:
    said = answer.headers.get("retry-after", "")
    return min(float(said), RETRY_AFTER_SECONDS_MAX) if said.isascii() and said.isdecimal() else 0.0


def _why(error: httpx2.TransportError) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "it does not answer in time"
    if isinstance(error, httpx2.ConnectError):
        return f"nobody answers there ({error})" if str(error) else "nobody answers there"
    return f"the connection broke ({type(error).__name__})"
