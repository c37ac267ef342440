"""Under which names the server is asked, and by pages from where: a page of somebody else must not ask in a browser's name.

Known are this machine's own names and that of PERDURE_PUBLIC_URL. Where that is not set, or says no more than `0.0.0.0`, and a
key is needed, the name is not known, and any is taken: whoever has no key gets nothing under any name. A page has to come from
the server that it asks.
"""

from __future__ import annotations

from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from msgspec import Struct
from starlette.requests import Request

from perdure.api.problems import Wrong

OWN: Final = ("127.0.0.1", "localhost", "[::1]")


class Places(Struct, frozen=True):
    """`public`: the URL under which others know it; empty, if nobody has said."""

    public: str
    needs_key: bool

    def settings(self, request: Request) -> TransportSecuritySettings:
        """What this request may say of where it goes to and comes from."""
        name = _name(self.public)
        asked = request.headers.get("host", "")
        if name is None and self.needs_key and asked:
            return _allowed([asked], [f"http://{asked}", f"https://{asked}"])
        hosts = [*OWN, *([] if name is None else [name])]
        public = urlsplit(self.public)
        origins = [
            *(f"http://{each}" for each in OWN),
            *([] if name is None else [f"{public.scheme}://{public.netloc}"]),
        ]
        return _allowed(_with_ports(hosts), _with_ports(origins))

    async def refuse_strangers(self, request: Request, settings: TransportSecuritySettings) -> None:
        """Raises `Wrong`."""
        refused = await TransportSecurityMiddleware(settings).validate_request(request)
        if refused is None:
            return
        if refused.status_code == HTTPStatus.FORBIDDEN:
            raise Wrong(refused.status_code, "foreign_origin", "a page from elsewhere may not ask this server")
        where = self.public or "as localhost"
        raise Wrong(
            refused.status_code,
            "foreign_host",
            f"this server is not known as {request.headers.get('host', '')[:80]!r}; ask it {where}, or set "
            "PERDURE_PUBLIC_URL to where others reach it",
        )


def _name(public: str) -> str | None:
    """The name in a URL; None, if it has none that anybody could ask for."""
    name = urlsplit(public).hostname
    if not name:
        return None
    try:
        found = ip_address(name)
    except ValueError:
        return name
    if found.is_unspecified:
        return None
    return f"[{name}]" if isinstance(found, IPv6Address) else name


def _with_ports(names: list[str]) -> list[str]:
    return [*names, *(f"{name}:*" for name in names)]


def _allowed(hosts: list[str], origins: list[str]) -> TransportSecuritySettings:
    return TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins)
