"""Names of hosts in texts that secrets were filled into, and whether a host is one of them.

The place of a secret decides, not its value: a host is compared in the one spelling that the HTTP library gives it, so that
case, port, IDNA, percent encoding and the spelling of an IPv6 address do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from ipaddress import ip_address
from typing import Final

_TEXT_LENGTH_MIN: Final = 4
_LABEL_LENGTH_MIN: Final = 8
"""A shorter name, or a shorter one of one label, stands in any text by chance."""

_AUTHORITY: Final = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
_BARE: Final = re.compile(r"([^/?#\s]+)(?=[/?#]|\Z)")
"""A host without a scheme, alone or before a path."""

_PORT: Final = re.compile(r":[0-9]*\Z")


class HostNames:
    """Hosts that secrets were filled into. They are never shown."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        self.hosts = frozenset(hosts)

    def __repr__(self) -> str:
        return f"HostNames({len(self.hosts)})"

    def has(self, host: str) -> bool:
        return bool(self.hosts) and canonical(host) in self._canonical

    def without(self, text: str, mask: str) -> str:
        """Hide the names in a message."""
        return self._pattern.sub(mask, text) if self._pattern is not None else text

    @cached_property
    def _canonical(self) -> frozenset[str]:
        return frozenset(map(canonical, self.hosts))

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        names = [name for name in self.hosts | self._canonical if _is_found_in_texts(name)]
        if not names:
            return None
        forms = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.compile(rf"(?<![\w-])(?:{forms})(?![\w-])", re.IGNORECASE)


def _is_found_in_texts(name: str) -> bool:
    return len(name) >= (_TEXT_LENGTH_MIN if "." in name or ":" in name else _LABEL_LENGTH_MIN)


def canonical(host: str) -> str:
    """Return the host as the HTTP library sends it, in lower case, or an address in its shortest form."""
    import httpx2  # noqa: PLC0415  it takes long, and few texts have hosts

    name = host.strip().removeprefix("[").removesuffix("]").removesuffix(".")
    try:
        return str(ip_address(name))
    except ValueError:
        pass
    try:
        return httpx2.URL(f"https://{name}/").raw_host.decode("ascii").lower() or name.casefold()
    except (httpx2.InvalidURL, UnicodeError):
        return name.casefold()


def host_of(text: str) -> str | None:
    """Return the host of a URL, or of a text like `host:port/path`."""
    span = _authority(text)
    return None if span is None else _without_port(text[slice(*span)]) or None


def filled_host(pieces: Iterable[tuple[str, bool]]) -> str | None:
    """Return the host of a URL, or of `host:port/path`, if a secret stands in it or its port. `pieces`: each with whether it is
    a secret.
    """
    pieces = tuple(pieces)
    text = "".join(piece for piece, _ in pieces)
    span = _authority(text)
    if span is None:
        return None
    at = 0
    for piece, is_secret in pieces:
        if is_secret and piece and at < span[1] and at + len(piece) > span[0]:
            return _without_port(text[slice(*span)]) or None
        at += len(piece)
    return None


def _authority(text: str) -> tuple[int, int] | None:
    """Where the host and the port stand, without a user and a password."""
    match = _AUTHORITY.match(text) or _BARE.match(text)
    if match is None:
        return None
    return match.start(1) + match[1].rfind("@") + 1, match.end(1)


def _without_port(authority: str) -> str:
    try:
        return str(ip_address(authority))
    except ValueError:
        return _PORT.sub("", authority)
