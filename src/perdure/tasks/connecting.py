"""How the door connects: resolve once, judge every address, connect to one of those judged and to nothing else.

It stands where the HTTP library opens sockets, below everything that could resolve a name a second time. TLS is
negotiated above it, for the name of the host, so certificates are checked as ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from ipaddress import IPv6Address, ip_address
from typing import Final

import httpcore2

from perdure.expressions.sealing import MASK
from perdure.tasks.addresses import ALLOW, Address, Allowed, refusal_of
from perdure.tasks.redaction import hidden_host
from perdure.tasks.resolving import Resolve
from perdure.tasks.targets import OutboundRefused

_TRIED_MAX: Final = 4
"""Every address is judged; of a long list only the first are tried."""


class CheckedConnections(httpcore2.AsyncNetworkBackend):
    """The only way to a socket that the door's transports have."""

    def __init__(self, allowed: Allowed, resolve: Resolve) -> None:
        self._allowed, self._resolve = allowed, resolve
        self._sockets = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 -- the signature is the library's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        loop = asyncio.get_running_loop()
        until = None if timeout is None else loop.time() + timeout
        addresses = await self._addresses(host, port, timeout)
        tried = addresses[:_TRIED_MAX]
        for number, address in enumerate(tried):
            # One that does not answer must not use up the time of the others.
            left = None if until is None else max(until - loop.time(), 0.001) / (len(tried) - number)
            try:
                return await self._sockets.connect_tcp(str(address), port, left, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if number == len(tried) - 1:
                    raise
        raise httpcore2.ConnectError(f"{hidden_host(host)!r} has no address")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        raise OutboundRefused(f"the door opens no socket files, such as {path!r}")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _addresses(self, host: str, port: int, seconds: float | None) -> list[Address]:
        """All or none: a name with one public and one private address is an attack or a mistake."""
        try:
            texts: Sequence[str] = (str(ip_address(host)),)
        except ValueError:
            texts = await self._ask(host, port, seconds)
        addresses = [_address(host, text) for text in texts]
        for address in addresses:
            reason = refusal_of(address)
            if reason is not None and not self._allowed.covers(address, host, port):
                raise _refused(host, port, address, reason)
        return addresses

    async def _ask(self, host: str, port: int, seconds: float | None) -> Sequence[str]:
        try:
            async with asyncio.timeout(seconds):
                return await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"the name {hidden_host(host)!r} was not resolved in time") from error
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(f"the name {hidden_host(host)!r} cannot be resolved: {error}") from error


def _address(host: str, text: str) -> Address:
    try:
        return ip_address(text)
    except ValueError as error:
        raise OutboundRefused(f"{hidden_host(host)!r} resolves to {text!r}, which is not an address") from error


def _refused(host: str, port: int, address: Address, reason: str) -> OutboundRefused:
    is_literal, host = host == str(address), hidden_host(host)
    told, network = str(address), f"{address}/{address.max_prefixlen}"
    if is_literal and host == MASK:  # the address is the host
        told = network = MASK
    subject = f"{host!r} is {reason}" if is_literal else f"{host!r} resolves to {told}, {reason}"
    shown = f"[{host}]" if isinstance(address, IPv6Address) and host == str(address) else host
    return OutboundRefused(
        f"{subject}; tasks may call public addresses only. The operator can allow it, as host '{shown}:{port}' or as"
        f" network '{network}', in {ALLOW} where the worker runs",
        details={"host": host, "port": port, "address": told},
    )
