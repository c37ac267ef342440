"""The one outbound door: every HTTP call of a task leaves here, or by a transport that the door hands out.

Rules: http and https only; every address of the host is judged, and the connection goes to a judged one (`connecting`);
redirects are answers, not instructions; nothing is remembered between calls, no cookies and no connections, because
the next call may be another organization's; bodies and times have caps. Authors cannot widen any of it, operators can.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Mapping
from contextlib import aclosing
from functools import cached_property
from typing import Final

import httpx2
from msgspec import Struct

from perdure.model.failure import Category
from perdure.tasks import targets
from perdure.tasks.addresses import Allowed
from perdure.tasks.connecting import CheckedConnections
from perdure.tasks.failing import Retryable
from perdure.tasks.headers import refusal
from perdure.tasks.limits import Limits
from perdure.tasks.resolving import Resolve, SystemNames
from perdure.tasks.targets import OutboundRefused
from perdure.tasks.transport import DoorTransport, ResponseTooLarge, too_large
from perdure.tasks.unpacking import UnpackingTransport

__all__ = [
    "Allowed",
    "Answer",
    "Call",
    "Door",
    "Limits",
    "OutboundFailed",
    "OutboundRefused",
    "OutboundTimedOut",
    "ResponseTooLarge",
]

_METHOD: Final = re.compile(r"[A-Z][A-Z-]{0,31}")
_METHODS_REFUSED: Final = frozenset({"CONNECT", "TRACE"})
_DEFAULT_HEADERS: Final = {"accept": "*/*", "accept-encoding": "gzip, deflate", "user-agent": "perdure"}


class OutboundFailed(Retryable, public_name="OutboundFailed"):
    """The other side could not be reached, or did not speak HTTP."""


class OutboundTimedOut(Retryable, public_name="OutboundTimedOut"):
    """The other side did not answer in time; what it did, nobody knows."""

    category = Category.TIMEOUT


class Call(Struct, frozen=True):
    """What goes out. `timeout_ms` can shorten the time that the door gives, not lengthen it."""

    url: str | httpx2.URL
    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes = b""
    timeout_ms: int | None = None


class Answer(Struct, frozen=True):
    """What came back, decompressed. Names of headers are in lower case; repeated ones are joined by commas."""

    status: int
    headers: dict[str, str]
    body: bytes


class Door:
    """`resolve` and `ssl_context` are for those who have their own resolver, or certificates of their own."""

    def __init__(
        self,
        allowed: Allowed | None = None,
        limits: Limits | None = None,
        *,
        resolve: Resolve | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._network = CheckedConnections(allowed or Allowed(), resolve or SystemNames())
        self._given_ssl_context = ssl_context

    def transport(self) -> UnpackingTransport:
        """For HTTP clients of others. Give them `trust_env=False` and `follow_redirects=False` as well."""
        return UnpackingTransport(self.packed_transport(), self._limits.response_bytes_max)

    def packed_transport(self) -> DoorTransport:
        """For whoever sees to it that a small body does not unpack to a large one."""
        return DoorTransport(self._network, self._ssl_context, self._limits.response_bytes_max)

    async def send(self, call: Call) -> Answer:
        url = targets.read(call.url) if isinstance(call.url, str) else targets.checked(call.url)
        request = self._request(call, url)
        total_ms = self._total_ms(call)
        try:
            async with asyncio.timeout(total_ms / 1000), self.packed_transport() as transport:
                return await self._answer(await transport.handle_async_request(request))
        except (TimeoutError, httpx2.TimeoutException) as error:
            cause = str(error) or f"no whole answer within {total_ms} ms"
            raise OutboundTimedOut(f"{call.method} {targets.origin(url)} took too long: {cause}") from error
        except httpx2.RequestError as error:
            cause = str(error) or type(error).__name__
            raise OutboundFailed(f"{call.method} {targets.origin(url)} failed: {cause}") from error

    @cached_property
    def _ssl_context(self) -> ssl.SSLContext:
        """Once, and not before it is needed: reading the system's certificates takes some 20 ms."""
        return self._given_ssl_context or httpx2.create_ssl_context()

    def _total_ms(self, call: Call) -> int:
        return min(self._limits.total_ms, call.timeout_ms or self._limits.total_ms)

    def _request(self, call: Call, url: httpx2.URL) -> httpx2.Request:
        if not _METHOD.fullmatch(call.method) or call.method in _METHODS_REFUSED:
            raise OutboundRefused(f"{call.method!r} is not a method that can be sent; use GET, POST, PUT, …")
        total = self._total_ms(call) / 1000
        times = {"connect": min(self._limits.connect_ms / 1000, total), "read": total, "write": total, "pool": total}
        return httpx2.Request(
            call.method, url, headers=_headers(call.headers), content=call.body or None, extensions={"timeout": times}
        )

    async def _answer(self, response: httpx2.Response) -> Answer:
        """Read piece by piece: what is announced may be a lie, and a small body may unpack to a large one."""
        bytes_max = self._limits.response_bytes_max
        body = bytearray()
        try:
            announced = response.headers.get("content-length", "")
            if announced.isdecimal() and int(announced[:20]) > bytes_max and response.request.method != "HEAD":
                raise too_large(bytes_max)
            async with aclosing(response.aiter_bytes()) as parts:
                async for part in parts:
                    body += part
                    if len(body) > bytes_max:
                        raise too_large(bytes_max)
        finally:
            await response.aclose()
        return Answer(response.status_code, dict(response.headers.items()), bytes(body))


def _headers(given: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    lowered = {name.lower(): value for name, value in given.items()}
    for name, value in lowered.items():
        why = refusal(name, value)
        if why is not None:
            raise OutboundRefused(why)
    return [(name.encode(), value.encode("utf-8")) for name, value in {**_DEFAULT_HEADERS, **lowered}.items()]
