"""Which URLs the door reads at all, and the one spelling of them that it goes on with.

The URL is parsed once, by the library that also sends the request: two parsers that disagree about the host are the
oldest way around such a door. What is unusual is refused rather than understood.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final

import httpx2

from perdure.expressions.sealing import MASK
from perdure.model.failure import Category
from perdure.tasks.failing import NonRetryable
from perdure.tasks.host_names import host_of
from perdure.tasks.redaction import hidden_host

PORTS: Final = {"http": 80, "https": 443}
_PORT_MAX: Final = 65_535
_NAME_LENGTH_MAX: Final = 253
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_ENDS_IN_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")


class OutboundRefused(NonRetryable, public_name="OutboundRefused"):
    """The door does not let this call out. The message says why, and who can change that."""

    category = Category.SECURITY


def read(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL as error:
        is_hidden = MASK in (hidden_host(host_of(text) or ""), hidden_host(str(error)))
        cause = "" if is_hidden else f": {error}"
        raise OutboundRefused(f"this is not a URL that can be called{cause}") from error
    return checked(url)


def checked(url: httpx2.URL) -> httpx2.URL:
    """The URL in its one spelling. Whether its addresses may be called is for the moment of connecting."""
    if url.scheme not in PORTS:
        raise OutboundRefused(f"only http and https go through the door, not {url.scheme!r}; write https://…")
    if url.userinfo:
        raise OutboundRefused("a URL may not carry a user name or password; send an Authorization header instead")
    if url.port is not None and not 0 < url.port <= _PORT_MAX:
        raise OutboundRefused(f"{url.port} is not a port")
    host = url.raw_host.decode("ascii")
    plain = _plain_host(host)
    return url if plain == host else url.copy_with(host=plain)


def origin(url: httpx2.URL) -> str:
    """What a message may tell of a URL: its path and query often hold secrets, and its host may."""
    host = hidden_host(url.raw_host.decode("ascii"))
    return f"{url.scheme}://{f'[{host}]' if ':' in host else host}:{port(url)}"


def port(url: httpx2.URL) -> int:
    return url.port or PORTS[url.scheme]


def _plain_host(host: str) -> str:
    # A dot at the end only says that the name is complete; certificates and SNI know no such dot.
    name = host.removesuffix(".")
    if not name:
        raise OutboundRefused("the URL names no host; write https://host/path")
    try:
        return str(ip_address(name))
    except ValueError:
        pass
    if _ENDS_IN_NUMBER.fullmatch(name):
        # 127.1, 2130706433, 0x7f.1: resolvers read these as addresses, and not all of them as the same.
        raise OutboundRefused(f"{hidden_host(host)!r} is not a host: write an IPv4 address as four decimal numbers")
    if len(name) > _NAME_LENGTH_MAX or not _NAME.fullmatch(name):
        raise OutboundRefused(f"{hidden_host(host)!r} is not the name of a host")
    return name
